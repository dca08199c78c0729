/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/* The bad messages that nlbad sends on purpose. */

#ifndef SF_TEST_NLBAD_H
#define SF_TEST_NLBAD_H

#include <libmnl/libmnl.h>
#include <stddef.h>

struct bad_case {
	const char *name;
	const struct nlmsghdr *(*build)(void);
	int errors[3];		/* any of these is a right answer */
};

extern const struct bad_case bad_cases[];
extern const size_t n_bad_cases;

/* The device that exists. */
extern const char *nlbad_device;

#endif /* SF_TEST_NLBAD_H */

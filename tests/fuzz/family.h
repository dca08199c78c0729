/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/* The numbers that generic netlink gave the family. */

#ifndef SF_FUZZ_FAMILY_H
#define SF_FUZZ_FAMILY_H

#include <stdint.h>

#define GROUPS_MAX	8

struct family {
	uint16_t id;
	uint32_t group[GROUPS_MAX];
	unsigned int n_groups;
};

/* Ends the program where the module is not loaded. */
void family_find(struct family *family);

#endif /* SF_FUZZ_FAMILY_H */

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * What was sent and what came of it; failures are told at once.
 */

#ifndef SF_FUZZ_TALLY_H
#define SF_FUZZ_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge.h"

/**
 * enum tally_end - how a message ended
 * @TALLY_DONE: it was accepted
 * @TALLY_REFUSED: with an errno
 * @TALLY_SKIPPED: netlink did not hand it to the family
 * @TALLY_ABANDONED: its socket was closed before the answer was read
 */
enum tally_end { TALLY_DONE, TALLY_REFUSED, TALLY_SKIPPED, TALLY_ABANDONED, TALLY_ENDS };

/**
 * struct sent - a message that was sent
 * @number: how many were sent before it
 * @kind: see forge_kind()
 * @bytes: all of it
 * @len: how many
 * @verdict: what must come of it
 */
struct sent {
	unsigned long number;
	unsigned int kind;
	void *bytes;
	size_t len;
	struct verdict verdict;
};

/* Print each end as well. */
extern bool tally_verbose;

void tally_start(unsigned long seed);
void tally_datagram(void);

/* The end of a message; @error is a positive errno for TALLY_REFUSED. */
void tally_end(const struct sent *sent, enum tally_end end, int error);

/* A message of the family came. */
void tally_reply(void);

/* A notification came; or some were lost, as nobody read them in time. */
void tally_notice(void);
void tally_overrun(void);

/* What must not be; @sent may be NULL. */
__attribute__((format(printf, 2, 3)))
void tally_fail(const struct sent *sent, const char *fmt, ...);

unsigned long tally_failures(void);

/* Print all of it as JSON. */
void tally_print(void);

#endif /* SF_FUZZ_TALLY_H */

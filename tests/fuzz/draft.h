/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * A message under construction: a good one to start from, and its attributes.
 */

#ifndef SF_FUZZ_DRAFT_H
#define SF_FUZZ_DRAFT_H

#include <libmnl/libmnl.h>
#include <stdbool.h>

#include "forge.h"
#include "spec.h"

/**
 * struct draft - a message under construction
 * @nlh: its header, and all of it
 * @cmd: its command
 * @len: bytes to send, when it is not what the header says; else 0
 * @used: bytes of the buffer that were ever written
 * @random: where random numbers come from
 */
struct draft {
	struct nlmsghdr *nlh;
	const struct spec_cmd *cmd;
	size_t len, used;
	uint64_t *random;
};

/* A random number below @n. */
uint64_t below(uint64_t *random, uint64_t n);

/* True once in @n times. */
bool one_in(uint64_t *random, unsigned int n);

/* Start a message without attributes; there is one draft at a time. */
void draft_start(struct draft *d, uint16_t family, const struct spec_cmd *cmd, uint16_t flags);

/* Add what the command needs, and some of what it may have. */
void draft_fill(struct draft *d, bool dump);

/* Is there room for an attribute with that payload? The caller will use it. */
bool draft_make_room(struct draft *d, size_t payload);

/* Add an attribute as it should be, of any type of the command's set. */
void draft_put_good(struct draft *d, uint16_t type);

/* Add one of any type and payload, if there is room. */
void draft_put(struct draft *d, uint16_t type, size_t len, const void *payload);

/* Add one of random bytes. */
void draft_put_random(struct draft *d, uint16_t type, size_t len);

/* One of the attributes, or NULL. */
struct nlattr *draft_pick(const struct draft *d);

/* A type that the command's request has, 0 if it has none. */
uint16_t draft_pick_type(const struct draft *d);

/* Take an attribute out. */
void draft_drop(struct draft *d, struct nlattr *attr);

#endif /* SF_FUZZ_DRAFT_H */

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Messages that are good, nearly good, and bad.
 */

#ifndef SF_FUZZ_FORGE_H
#define SF_FUZZ_FORGE_H

#include <libmnl/libmnl.h>
#include <stdbool.h>

#include "spec.h"

/* Netlink attributes end at 64 KiB; a message may be somewhat longer. */
#define FORGE_MAX	(70 * 1024)

/**
 * struct forged - a message
 * @nlh: the message; its header need not tell the truth
 * @len: bytes to send
 * @kind: what was done to it, see forge_kind()
 */
struct forged {
	struct nlmsghdr *nlh;
	size_t len;
	unsigned int kind;
};

/* More than there are kinds. */
#define FORGE_KINDS	32

/* The name of a kind; NULL behind the last. */
const char *forge_kind(unsigned int kind);

/* The family's number, for all messages. */
void forge_init(uint16_t family);

/**
 * forge - make a message
 * @random: all that is random about it
 * @dump: it may ask for a dump
 *
 * Return: the message, until the next call.
 */
struct forged forge(uint64_t *random, bool dump);

/* A dump of everything that @cmd has. */
struct forged forge_dump(const struct spec_cmd *cmd);

#endif /* SF_FUZZ_FORGE_H */

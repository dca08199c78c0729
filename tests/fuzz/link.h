/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * A netlink socket, and the messages on it that wait for their answers.
 */

#ifndef SF_FUZZ_LINK_H
#define SF_FUZZ_LINK_H

#include <libmnl/libmnl.h>
#include <stdbool.h>

#include "forge.h"

struct link;

/* What all links share: the family's number. */
void link_init(uint16_t family);

/* @random chooses the socket's options. */
struct link *link_open(uint64_t *random);

/* Whoever still waits is given up. */
void link_close(struct link *link);

/* No dump is under way or about to be sent. */
bool link_may_dump(const struct link *link);

/* A message for the next link_send(), in the last one's datagram if @join. */
void link_add(struct link *link, const struct forged *forged, bool join);

/* Send what was added. */
void link_send(struct link *link);

/* Read up to @max datagrams. Return: how many there were. */
unsigned int link_receive(struct link *link, unsigned int max);

/* Read all there is; then every answer must have come. */
void link_settle(struct link *link);

/* Messages that all links have sent. */
unsigned long link_sent(void);

#endif /* SF_FUZZ_LINK_H */

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/* Messages to the family "scalefabric", without libscalefabric in between. */

#ifndef SF_TEST_GENL_H
#define SF_TEST_GENL_H

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/scalefabric.h>
#include <stddef.h>
#include <stdint.h>

/* What genl_receive() returns when no answer came in half a minute. */
#define GENL_UNANSWERED	-1

/* Ends the program where the module is not loaded. */
void genl_open(void);
void genl_close(void);

/*
 * Start a message, in a buffer that the next call overwrites and which has
 * room for a bit more than 64 KiB.
 */
struct nlmsghdr *genl_start(uint8_t cmd, uint16_t flags);

void genl_send(const void *buf, size_t len);

/* Give the messages that answer @seq to @fn; returns the final errno or 0. */
int genl_receive(uint32_t seq, mnl_cb_t fn, void *data);

int genl_transact(const struct nlmsghdr *nlh, mnl_cb_t fn, void *data);

#endif /* SF_TEST_GENL_H */

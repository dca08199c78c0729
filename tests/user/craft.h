/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Messages of a kernel that does what no real one does on demand.
 */

#ifndef TEST_CRAFT_H
#define TEST_CRAFT_H

#include <linux/genetlink.h>
#include <linux/scalefabric.h>

#include "script.h"

#define MESSAGE_MAX	2048

/* A message under construction. */
struct message {
	union {
		struct nlmsghdr nlh;
		char buf[MESSAGE_MAX];
	};
};

/* Start a script in which sfnl has connected to the module. */
void craft_begin(struct script *script);

/* Start one in which a monitor has been told how much was lost before. */
void craft_monitor(struct script *script, uint64_t lost);

/* The tool joins a group, and that of generic netlink itself. */
void craft_join(struct script *script, uint32_t group);

/* The tool makes a request of any kind. */
void craft_request(struct script *script);

/* Start a message; seq 1 is the reply to the last request, 0 a notification. */
void craft_message(struct message *message, uint16_t type, uint16_t flags, uint32_t seq);

/* Start a message of the family. */
void craft_reply(struct message *message, uint8_t cmd, uint32_t seq);

/* Start an entry of a dump: a QP with the attributes that every QP has. */
void craft_qp(struct message *message, uint8_t cmd, uint32_t seq, uint32_t lqpn);

/* Let the kernel send a message in a datagram of its own. */
void craft_send(struct script *script, const struct message *message);

/**
 * craft_error - let the kernel end a request
 * @script: the script
 * @type: NLMSG_ERROR or, for a dump, NLMSG_DONE
 * @error: 0 or a negative errno
 * @text: the extended ack's message, or NULL
 * @attr: attribute of the extended ack besides, NLMSGERR_ATTR_*; or 0
 * @value: its value
 */
void craft_error(struct script *script, uint16_t type, int error, const char *text,
		 uint16_t attr, uint32_t value);

/* The ack of a request, and the end of a dump. */
void craft_ack(struct script *script);
void craft_done(struct script *script, uint16_t flags);

#endif /* TEST_CRAFT_H */

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * What must come of a message, by the specification: the oracle of nlfuzz. It
 * looks at the bytes that are sent, not at how they were made.
 */

#ifndef SF_FUZZ_JUDGE_H
#define SF_FUZZ_JUDGE_H

#include <libmnl/libmnl.h>
#include <stdbool.h>

#include "spec.h"

/**
 * struct verdict - what must come of a message
 * @cmd: the command that it names, or NULL
 * @forbidden: why it must be refused; NULL when it may be accepted
 * @attr: name of the attribute at fault, or NULL
 * @skipped: netlink does not hand it to the family: no request, or a control
 *	message. It is acknowledged and no more.
 * @dump: a dump of @cmd is to start
 * @ack: an answer is due in any case
 * @certain: it may not be refused either
 * @replies: messages of the family that come with success; for a dump, any
 *	number
 */
struct verdict {
	const struct spec_cmd *cmd;
	const char *forbidden;
	const char *attr;
	bool skipped, dump, ack, certain;
	unsigned int replies;
};

/* @nlh is whole: its length is within what is sent. */
struct verdict judge_request(const struct nlmsghdr *nlh, uint16_t family);

/**
 * judge_reply - is a message of the family what the specification promises?
 * @nlh: the message
 * @cmd: the command of the request
 * @attr: set to the name of the attribute that it is about, or NULL
 *
 * Return: NULL, or what is wrong.
 */
const char *judge_reply(const struct nlmsghdr *nlh, const struct spec_cmd *cmd, const char **attr);

/* The same for a notification; @cmd is set to which it is, or NULL. */
const char *judge_notice(const struct nlmsghdr *nlh, const struct spec_cmd **cmd,
			 const char **attr);

#endif /* SF_FUZZ_JUDGE_H */

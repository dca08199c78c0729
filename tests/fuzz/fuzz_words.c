// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * What a user may type: an input is the words of a command line, one on each
 * line. Whatever they are, sfnl makes no request that the specification forbids.
 */

#include <linux/genetlink.h>
#include <linux/scalefabric.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "play.h"
#include "tape.h"
#include "target.h"

#define WORDS_MAX	32

static void answer(uint16_t type, const void *payload, size_t len)
{
	char buf[256] __attribute__((aligned(8))) = {};
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);

	nlh->nlmsg_type = type;
	nlh->nlmsg_seq = 1;
	memcpy(mnl_nlmsg_put_extra_header(nlh, len), payload, len);
	tape_put(buf, nlh->nlmsg_len);
}

/* A device with two lanes, so that the names of these can be looked up. */
static void answer_lane(uint32_t id, const char *member)
{
	char buf[256] __attribute__((aligned(8))) = {};
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	nlh->nlmsg_type = TAPE_FAMILY;
	nlh->nlmsg_seq = 1;
	genl->cmd = SCALEFABRIC_CMD_LANE_GET;
	mnl_attr_put_u32(nlh, SCALEFABRIC_A_LANE_DEV_INDEX, 0);
	mnl_attr_put_strz(nlh, SCALEFABRIC_A_LANE_DEV_NAME, "rxe0");
	mnl_attr_put_u32(nlh, SCALEFABRIC_A_LANE_ID, id);
	mnl_attr_put_u32(nlh, SCALEFABRIC_A_LANE_PORT, 1);
	mnl_attr_put_strz(nlh, SCALEFABRIC_A_LANE_MEMBER, member);
	tape_put(buf, nlh->nlmsg_len);
}

static void sent(const struct nlmsghdr *nlh)
{
	struct nlmsgerr ack = {};
	struct verdict v;

	if (nlh->nlmsg_type != TAPE_FAMILY)
		return;
	v = judge_request(nlh, TAPE_FAMILY);
	if (v.skipped || v.forbidden) {
		/* sfnl has the standard streams of a run to itself. */
		printf("a request with %s (%s)\n", v.forbidden ? v.forbidden : "no request flag",
		       v.attr ? v.attr : "-");
		fflush(stdout);
		abort();
	}
	if (!v.dump) {
		answer(NLMSG_ERROR, &ack, sizeof(ack));
		return;
	}
	if (v.cmd->cmd == SCALEFABRIC_CMD_LANE_GET) {
		answer_lane(0, "plane0");
		answer_lane(1, "plane1");
	}
	answer(NLMSG_DONE, &ack.error, sizeof(ack.error));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	play_init();
	tape_sent = sent;
	return 0;
}

/* Ask for JSON? Short options may be joined, and what follows "--" is none. */
static bool asks_json(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++)
		if (strcmp(argv[i], "-j") && strcmp(argv[i], "--json"))
			return false;
	return i > 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[WORDS_MAX + 1] = { "sfnl" }, *words = calloc(1, size + 1), *next = words;
	int argc = 1;

	memcpy(words, data, size);
	while (next && *next && argc < WORDS_MAX)
		argv[argc++] = strsep(&next, "\n");
	tape_load(NULL, 0);
	tape_put_family();
	play(argc, argv, asks_json(argc, argv), true);
	free(words);
	return 0;
}

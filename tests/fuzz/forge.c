// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * A message is made good and then, more often than not, one or two things are
 * done to it. What must come of the result is for others to find out.
 */

#include <assert.h>
#include <linux/genetlink.h>
#include <linux/scalefabric.h>
#include <stdlib.h>
#include <string.h>

#include "../prog/common.h"
#include "draft.h"
#include "forge.h"
#include "pool.h"

static uint16_t family;

void forge_init(uint16_t number)
{
	family = number;
}

static void leave_alone(struct draft *d)
{
	(void)d;
}

/* Values at and beyond the ends of what numbers can be. */
static void extreme_value(struct draft *d)
{
	static const uint64_t values[] = {
		0,	   1,	      2,	7,	    9,	       10,	   64,
		255,	   900,	      901,	0xfffff,    0x100000,  0xffffff,   0x1000000,
		0x1000001, INT32_MAX, 1u << 31, UINT32_MAX, INT64_MAX, UINT64_MAX,
	};
	uint64_t value = values[below(d->random, ARRAY_SIZE(values))];
	uint16_t type = draft_pick_type(d);
	size_t size;

	if (!type)
		return;
	size = spec_size(d->cmd->set->attrs[type].kind);
	if (size)
		draft_put(d, type, size, &value);
	else
		draft_put_random(d, type, below(d->random, 80));
}

/* A number beside its limits, so that a check which is off by one is found. */
static void beside_limit(struct draft *d)
{
	uint16_t type = draft_pick_type(d);
	const struct spec_attr *spec;
	uint64_t value;

	if (!type)
		return;
	spec = &d->cmd->set->attrs[type];
	if (spec_size(spec->kind)) {
		value = one_in(d->random, 2) ? spec->min : spec->max;
		value += below(d->random, 3) - 1;
		draft_put(d, type, spec_size(spec->kind), &value);
	} else if (spec->kind == SPEC_STRING && spec->max < 512) {
		char text[516];

		memset(text, 'x', sizeof(text));
		value = spec->max + below(d->random, 3) - 1;
		text[value] = '\0';
		draft_put(d, type, value + below(d->random, 3), text);
	}
}

/* What is there, but for one bit: what is beyond a limit may stand for it. */
static void beside_live(struct draft *d)
{
	uint16_t type = draft_pick_type(d);
	const struct pool_value *value = pool_take(d->cmd->set, type, random_next(d->random));
	uint8_t bytes[POOL_VALUE_MAX];

	if (!type || !value || !value->len)
		return;
	memcpy(bytes, value->bytes, value->len);
	bytes[below(d->random, value->len)] ^= 1 << below(d->random, 8);
	draft_put(d, type, value->len, bytes);
}

static void wrong_size(struct draft *d)
{
	static const uint16_t sizes[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 64, 65, 300 };
	uint16_t type = draft_pick_type(d);

	if (type)
		draft_put_random(d, type, sizes[below(d->random, ARRAY_SIZE(sizes))]);
}

static void unknown_attr(struct draft *d)
{
	uint16_t max = d->cmd->set->max;
	uint16_t types[] = { 0, max + 1, max + 2, 63, 64, 255, 256, 999, 0x3fff,
			     below(d->random, 0x4000) };

	draft_put_random(d, types[below(d->random, ARRAY_SIZE(types))], below(d->random, 9));
}

/* One of the set, which a request may not have. */
static void foreign_attr(struct draft *d)
{
	draft_put_good(d, 1 + below(d->random, d->cmd->set->max));
}

static void duplicates(struct draft *d)
{
	unsigned int i, n = 1 + below(d->random, 4);
	struct nlattr *attr = draft_pick(d);
	char copy[256];

	if (!attr)
		return;
	if (one_in(d->random, 2) && spec_lists(d->cmd->request, mnl_attr_get_type(attr))) {
		for (i = 0; i < n; i++)
			draft_put_good(d, mnl_attr_get_type(attr));
	} else if (mnl_attr_get_payload_len(attr) <= sizeof(copy)) {
		memcpy(copy, mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr));
		for (i = 0; i < n; i++)
			draft_put(d, attr->nla_type, mnl_attr_get_payload_len(attr), copy);
	}
}

static void missing_attr(struct draft *d)
{
	struct nlattr *attr = draft_pick(d);

	if (attr)
		draft_drop(d, attr);
}

static void wrong_type_flags(struct draft *d)
{
	struct nlattr *attr = draft_pick(d);

	if (attr)
		attr->nla_type ^= (1 + below(d->random, 3)) << 14;
}

/* Attributes within attributes, many times over, with or without saying so. */
static void nests(struct draft *d)
{
	unsigned int depth = 1 + below(d->random, one_in(d->random, 4) ? 500 : 4);
	uint16_t flag = one_in(d->random, 2) ? NLA_F_NESTED : 0;
	char *start = mnl_nlmsg_get_payload_tail(d->nlh), *end;
	struct nlattr *attr;
	unsigned int i;

	for (i = 0; i < depth; i++)
		draft_put(d, flag | draft_pick_type(d), 0, NULL);
	draft_put_good(d, 1 + below(d->random, d->cmd->set->max));
	end = mnl_nlmsg_get_payload_tail(d->nlh);
	for (attr = (void *)start; i--; attr++)
		attr->nla_len = end - (char *)attr - (one_in(d->random, 16) ? 4 : 0);
}

static void attr_length(struct draft *d)
{
	static const uint16_t lengths[] = { 0, 1, 2, 3, 4, 5, 0x7fff, 0x8000, 0xfffc, 0xffff };
	struct nlattr *attr = draft_pick(d);

	if (!attr)
		return;
	if (one_in(d->random, 2))
		attr->nla_len = lengths[below(d->random, ARRAY_SIZE(lengths))];
	else
		attr->nla_len += (int)below(d->random, 17) - 8;
}

/* Cut, with the header telling the truth or the old length. */
static void cut(struct draft *d)
{
	size_t len = 1 + below(d->random, d->nlh->nlmsg_len);

	if (one_in(d->random, 4))
		d->len = len;
	else if (len >= sizeof(*d->nlh))
		d->nlh->nlmsg_len = len;
}

static void message_length(struct draft *d)
{
	static const uint32_t lengths[] = { 0, 1, 15, 16, 17, 19, 20, 4096, INT32_MAX, UINT32_MAX };

	d->len = d->nlh->nlmsg_len;
	if (one_in(d->random, 2))
		d->nlh->nlmsg_len = lengths[below(d->random, ARRAY_SIZE(lengths))];
	else
		d->nlh->nlmsg_len += (int)below(d->random, 17) - 8;
}

static void message_flags(struct draft *d)
{
	if (one_in(d->random, 2))
		d->nlh->nlmsg_flags = random_next(d->random);
	else
		d->nlh->nlmsg_flags ^= 1 << below(d->random, 12);
}

static void message_type(struct draft *d)
{
	static const uint16_t types[] = { 0, 1, 2, 3, 4, 15, 1024, 0x7fff, 0xffff };

	d->nlh->nlmsg_type = types[below(d->random, ARRAY_SIZE(types))];
}

static void genl_header(struct draft *d)
{
	struct genlmsghdr *genl = mnl_nlmsg_get_payload(d->nlh);

	switch (below(d->random, 3)) {
	case 0:
		genl->cmd = one_in(d->random, 2) ? below(d->random, n_spec_cmds + 3) :
						   random_next(d->random);
		break;
	case 1:
		genl->version = random_next(d->random);
		break;
	default:
		genl->reserved = random_next(d->random);
	}
}

static void flip_bits(struct draft *d)
{
	unsigned int i, n = 1 + below(d->random, 8);
	uint8_t *payload = mnl_nlmsg_get_payload(d->nlh);
	size_t len = mnl_nlmsg_get_payload_len(d->nlh);

	for (i = 0; i < n && len; i++)
		payload[below(d->random, len)] ^= 1 << below(d->random, 8);
}

static void noise(struct draft *d)
{
	unsigned int i, n = below(d->random, one_in(d->random, 8) ? 1000 : 64);
	uint8_t *end = mnl_nlmsg_get_payload_tail(d->nlh);

	if (!draft_make_room(d, n))
		return;
	for (i = 0; i < n; i++)
		end[i] = random_next(d->random);
	d->nlh->nlmsg_len += n;
}

/* Up to 64 KiB of attributes, which need not be wrong. */
static void very_long(struct draft *d)
{
	unsigned int i, n = 1 + below(d->random, one_in(d->random, 8) ? 6000 : 300);
	uint16_t type = draft_pick_type(d);

	for (i = 0; i < n; i++)
		if (type)
			draft_put_good(d, type);
		else
			draft_put_random(d, 999, 4);
}

/* Weights in parts of the sum; what does nothing leads deepest. */
static const struct {
	const char *name;
	unsigned int weight;
	void (*change)(struct draft *d);
} changes[] = {
	{ "good", 40, leave_alone },
	{ "extreme value", 6, extreme_value },
	{ "beside a limit", 6, beside_limit },
	{ "beside a live value", 5, beside_live },
	{ "wrong size", 6, wrong_size },
	{ "unknown attribute", 3, unknown_attr },
	{ "foreign attribute", 3, foreign_attr },
	{ "duplicates", 5, duplicates },
	{ "missing attribute", 4, missing_attr },
	{ "type flags", 2, wrong_type_flags },
	{ "nests", 3, nests },
	{ "attribute length", 3, attr_length },
	/* From here on the message's header may lie, and no attribute can follow. */
	{ "cut", 3, cut },
	{ "message length", 2, message_length },
	{ "message flags", 3, message_flags },
	{ "message type", 1, message_type },
	{ "header", 3, genl_header },
	{ "flipped bits", 4, flip_bits },
	{ "noise", 2, noise },
	{ "very long", 1, very_long },
};

/* Changes that leave the message's header true. */
#define TRUE_CHANGES	12

static_assert(ARRAY_SIZE(changes) < FORGE_KINDS, "kinds have room");

const char *forge_kind(unsigned int kind)
{
	return kind < ARRAY_SIZE(changes) ? changes[kind].name : NULL;
}

static unsigned int pick_change(uint64_t *random)
{
	unsigned int i, sum = 0;
	uint64_t at;

	for (i = 0; i < ARRAY_SIZE(changes); i++)
		sum += changes[i].weight;
	at = below(random, sum);
	for (i = 0; at >= changes[i].weight; i++)
		at -= changes[i].weight;
	return i;
}

/*
 * Those that can be sent as a request. A change of mode waits for RCU, which takes
 * as long as hundreds of other messages.
 */
static const struct spec_cmd *pick_command(uint64_t *random)
{
	const struct spec_cmd *cmd;
	bool rare;

	do {
		cmd = &spec_cmds[below(random, n_spec_cmds)];
		rare = cmd->cmd == SCALEFABRIC_CMD_DEV_SET && !one_in(random, 6);
	} while (!cmd->request || rare);
	return cmd;
}

static struct draft draft;

static struct forged finish(unsigned int kind)
{
	struct draft *d = &draft;

	return (struct forged){ d->nlh, d->len ? d->len : d->nlh->nlmsg_len, kind };
}

struct forged forge(uint64_t *random, bool dump)
{
	const struct spec_cmd *cmd = pick_command(random);
	unsigned int kind = pick_change(random);
	uint16_t flags = one_in(random, 8) ? 0 : NLM_F_ACK;

	dump = one_in(random, 3) && dump && (cmd->dump || one_in(random, 20));
	draft.random = random;
	draft_start(&draft, family, cmd, flags | (dump ? NLM_F_DUMP : 0));
	draft_fill(&draft, dump);
	/* Some come together, as long as the message's header is still true. */
	if (changes[kind].change != leave_alone && one_in(random, 8))
		changes[below(random, TRUE_CHANGES)].change(&draft);
	changes[kind].change(&draft);
	return finish(kind);
}

struct forged forge_dump(const struct spec_cmd *cmd)
{
	draft_start(&draft, family, cmd, NLM_F_DUMP);
	return finish(0);
}

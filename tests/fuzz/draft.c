// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <linux/genetlink.h>
#include <linux/scalefabric.h>
#include <string.h>

#include "../prog/common.h"
#include "draft.h"
#include "pool.h"

uint64_t below(uint64_t *random, uint64_t n)
{
	return random_next(random) % n;
}

bool one_in(uint64_t *random, unsigned int n)
{
	return !below(random, n);
}

void draft_start(struct draft *d, uint16_t family, const struct spec_cmd *cmd, uint16_t flags)
{
	static char buf[FORGE_MAX] __attribute__((aligned(8)));
	struct genlmsghdr *genl;

	/* What an earlier message left there is not part of this one. */
	memset(buf, 0, d->used);
	d->used = 0;
	d->nlh = mnl_nlmsg_put_header(buf);
	d->nlh->nlmsg_type = family;
	d->nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	genl = mnl_nlmsg_put_extra_header(d->nlh, sizeof(*genl));
	genl->cmd = cmd->cmd;
	genl->version = SCALEFABRIC_FAMILY_VERSION;
	d->cmd = cmd;
	d->len = 0;
}

bool draft_make_room(struct draft *d, size_t payload)
{
	/* Padding included, before and behind. */
	size_t end = d->nlh->nlmsg_len + MNL_ATTR_HDRLEN + payload + 8;

	if (end >= FORGE_MAX)
		return false;
	if (end > d->used)
		d->used = end;
	return true;
}

void draft_put(struct draft *d, uint16_t type, size_t len, const void *payload)
{
	if (draft_make_room(d, len))
		mnl_attr_put(d->nlh, type, len, payload);
}

void draft_put_random(struct draft *d, uint16_t type, size_t len)
{
	uint8_t bytes[1024];
	size_t i;

	if (len > sizeof(bytes))
		len = sizeof(bytes);
	for (i = 0; i < len; i++)
		bytes[i] = random_next(d->random);
	draft_put(d, type, len, bytes);
}

/* Numbers of the limits' neighbourhood, mostly small ones. */
static uint64_t good_number(uint64_t *random, uint64_t min, uint64_t max)
{
	switch (below(random, 4)) {
	case 0:
		return min;
	case 1:
		return max;
	case 2:
		return max - min < 8 ? min : min + below(random, 8);
	default:
		return max - min == UINT64_MAX ? random_next(random) :
						 min + below(random, max - min + 1);
	}
}

static uint64_t text_bound(const struct spec_cmd *cmd, uint16_t type, uint64_t max)
{
	unsigned int i;

	for (i = 0; i < n_spec_bounds; i++)
		if (spec_bounds[i].cmd == cmd->cmd && spec_bounds[i].type == type)
			return spec_bounds[i].max;
	return max;
}

static void put_number(struct draft *d, uint16_t type, const struct spec_attr *spec)
{
	uint64_t value = good_number(d->random, spec->min, text_bound(d->cmd, type, spec->max));

	switch (spec->kind) {
	case SPEC_U8:
		draft_put(d, type, 1, &(uint8_t){ value });
		break;
	case SPEC_U16:
		draft_put(d, type, 2, &(uint16_t){ value });
		break;
	case SPEC_U32:
		draft_put(d, type, 4, &(uint32_t){ value });
		break;
	default:
		draft_put(d, type, 8, &value);
	}
}

static void put_string(struct draft *d, uint16_t type, const struct spec_attr *spec)
{
	uint64_t len = below(d->random, spec->max < 64 ? spec->max + 1 : 64);
	char text[65];
	size_t i;

	for (i = 0; i < len; i++)
		text[i] = 'a' + below(d->random, 26);
	text[len] = '\0';
	draft_put(d, type, len + 1, text);
}

static void put_made_up(struct draft *d, uint16_t type, const struct spec_attr *spec)
{
	struct nlattr *nest;

	switch (spec->kind) {
	case SPEC_FLAG:
	case SPEC_PAD:
		draft_put(d, type, 0, NULL);
		break;
	case SPEC_STRING:
		put_string(d, type, spec);
		break;
	case SPEC_BINARY:
		draft_put_random(d, type, spec->min);
		break;
	case SPEC_NEST:
		nest = mnl_nlmsg_get_payload_tail(d->nlh);
		draft_put(d, NLA_F_NESTED | type, 0, NULL);
		draft_put_random(d, 1, 1);
		draft_put_random(d, 2, 4);
		nest->nla_len = (char *)mnl_nlmsg_get_payload_tail(d->nlh) - (char *)nest;
		break;
	default:
		put_number(d, type, spec);
	}
}

/* Made up values mostly name what is not there. */
void draft_put_good(struct draft *d, uint16_t type)
{
	const struct spec_attr *spec = spec_attr(d->cmd->set, type);
	const struct pool_value *value = pool_take(d->cmd->set, type, random_next(d->random));

	if (one_in(d->random, 8))
		value = NULL;
	if (value && spec->kind != SPEC_NEST)
		draft_put(d, type, value->len, value->bytes);
	else
		put_made_up(d, type, spec);
}

static bool needed(const struct draft *d, uint16_t type)
{
	unsigned int i, n;

	for (i = 0; i < n_spec_needs; i++)
		for (n = 0; spec_needs[i].cmd == d->cmd->cmd && spec_needs[i].types[n]; n++)
			if (spec_needs[i].types[n] == type)
				return true;
	return false;
}

static void put_needs(struct draft *d)
{
	const struct spec_need *need;
	unsigned int i, n, last;

	for (i = 0; i < n_spec_needs; i++) {
		need = &spec_needs[i];
		if (need->cmd != d->cmd->cmd)
			continue;
		for (last = 0; need->types[last + 1]; last++)
			;
		n = below(d->random, last + 1);
		draft_put_good(d, need->types[n]);
		if (!need->exclusive && one_in(d->random, 4))
			draft_put_good(d, need->types[last - n]);
	}
}

/* A dump is mostly of everything, since two conditions already leave nothing. */
void draft_fill(struct draft *d, bool dump)
{
	const uint16_t *type;

	if (!dump)
		put_needs(d);
	for (type = d->cmd->request; *type; type++)
		if (one_in(d->random, dump ? 12 : 6) && (dump || !needed(d, *type)))
			draft_put_good(d, *type);
}

struct nlattr *draft_pick(const struct draft *d)
{
	struct nlattr *attr;
	unsigned int n = 0;

	mnl_attr_for_each(attr, d->nlh, GENL_HDRLEN)
		n++;
	if (!n)
		return NULL;
	n = below(d->random, n);
	mnl_attr_for_each(attr, d->nlh, GENL_HDRLEN)
		if (!n--)
			return attr;
	return NULL;
}

uint16_t draft_pick_type(const struct draft *d)
{
	unsigned int n = 0;

	while (d->cmd->request[n])
		n++;
	return n ? d->cmd->request[below(d->random, n)] : 0;
}

void draft_drop(struct draft *d, struct nlattr *attr)
{
	char *start = (char *)attr, *end = mnl_nlmsg_get_payload_tail(d->nlh);
	size_t len = MNL_ALIGN(attr->nla_len);

	if (start + len > end)
		len = end - start;
	memmove(start, start + len, end - start - len);
	d->nlh->nlmsg_len -= len;
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The rules are those of strict validation in netlink: every attribute is in
 * the request's list, has exactly its size and is within its limits, and no
 * byte is left over. Of an attribute that comes twice the later one counts.
 */

#include <linux/genetlink.h>
#include <string.h>

#include "judge.h"

/**
 * struct parse - a message being looked at
 * @cmd: its command
 * @types: attributes that may come, ends with 0
 * @seen: the last attribute of each type
 * @wrong: the first thing that is wrong, or NULL
 * @attr: name of the attribute that it is about, or NULL
 * @strict: it is a request, whose strings the kernel takes with some slack
 */
struct parse {
	const struct spec_cmd *cmd;
	const uint16_t *types;
	const struct nlattr *seen[SPEC_TYPES];
	const char *wrong;
	const char *attr;
	bool strict;
};

static void wrong(struct parse *p, const char *what, const struct spec_attr *attr)
{
	if (p->wrong)
		return;
	p->wrong = what;
	p->attr = attr ? attr->name : NULL;
}

static uint64_t number_of(const struct nlattr *attr, size_t size)
{
	uint64_t value = 0;

	/* Little or big endian: a number starts or ends where its bytes do. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(&value, mnl_attr_get_payload(attr), size);
#else
	memcpy((char *)&value + sizeof(value) - size, mnl_attr_get_payload(attr), size);
#endif
	return value;
}

static void check_number(struct parse *p, const struct spec_attr *spec, const struct nlattr *attr)
{
	uint64_t value;

	if (mnl_attr_get_payload_len(attr) != spec_size(spec->kind)) {
		wrong(p, "a number of a wrong size", spec);
		return;
	}
	value = number_of(attr, spec_size(spec->kind));
	if (value < spec->min || value > spec->max)
		wrong(p, "a number out of its range", spec);
}

/* What comes after the NUL does not count, but must fit as well. */
static void check_string(struct parse *p, const struct spec_attr *spec, const struct nlattr *attr)
{
	size_t len = mnl_attr_get_payload_len(attr);
	const char *text = mnl_attr_get_payload(attr);
	size_t within = len < spec->max + 1 ? len : spec->max + 1;

	if (!len || !memchr(text, '\0', within))
		wrong(p, "a string without end, or too long", spec);
	else if (len - (text[len - 1] == '\0') > spec->max)
		wrong(p, "a string that is too long", spec);
}

static void check_length(struct parse *p, const struct spec_attr *spec, const struct nlattr *attr)
{
	size_t len = mnl_attr_get_payload_len(attr);

	if (len < spec->min || len > spec->max)
		wrong(p, "a wrong length", spec);
}

static void check_flag(struct parse *p, const struct spec_attr *spec, const struct nlattr *attr)
{
	if (mnl_attr_get_payload_len(attr))
		wrong(p, "a flag with a payload", spec);
}

/* Only replies have nests, of numbers. */
static void check_nest(struct parse *p, const struct spec_attr *spec, const struct nlattr *nest)
{
	int left = mnl_attr_get_payload_len(nest);
	const struct nlattr *attr = mnl_attr_get_payload(nest);
	const struct spec_attr *part;

	for (; mnl_attr_ok(attr, left); attr = mnl_attr_next(attr)) {
		part = spec_attr(spec->nested, mnl_attr_get_type(attr));
		if (part)
			check_number(p, part, attr);
		else
			wrong(p, "an unknown attribute in a nest", spec);
		left -= MNL_ALIGN(attr->nla_len);
	}
	if (left > 0)
		wrong(p, "bytes after the attributes of a nest", spec);
}

static void check_attr(struct parse *p, const struct nlattr *attr)
{
	static void (*const check[])(struct parse *p, const struct spec_attr *spec,
				     const struct nlattr *attr) = {
		[SPEC_FLAG] = check_flag,     [SPEC_U8] = check_number,
		[SPEC_U16] = check_number,    [SPEC_U32] = check_number,
		[SPEC_U64] = check_number,    [SPEC_STRING] = check_string,
		[SPEC_BINARY] = check_length, [SPEC_NEST] = check_nest,
		[SPEC_PAD] = check_flag,
	};
	uint16_t type = mnl_attr_get_type(attr);
	const struct spec_attr *spec = spec_attr(p->cmd->set, type);
	bool nested = attr->nla_type & NLA_F_NESTED, nest;

	/* Padding before 64-bit numbers belongs to no list. */
	if (!spec || !(spec_lists(p->types, type) || (!p->strict && spec->kind == SPEC_PAD))) {
		wrong(p, "an attribute that is not part of it", spec);
		return;
	}
	nest = spec->kind == SPEC_NEST;
	if (nested != nest)
		wrong(p, "a nest that is none, or a nest that does not say so", spec);
	else
		check[spec->kind](p, spec, attr);
	p->seen[type] = attr;
}

static void parse(struct parse *p, const struct nlmsghdr *nlh)
{
	const struct nlattr *attr = mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN);
	int left = (int)mnl_nlmsg_get_payload_len(nlh) - (int)GENL_HDRLEN;

	while (mnl_attr_ok(attr, left)) {
		check_attr(p, attr);
		left -= MNL_ALIGN(attr->nla_len);
		attr = mnl_attr_next(attr);
	}
	if (left > 0)
		wrong(p, "bytes after the attributes", NULL);
}

static void check_needs(struct parse *p)
{
	const struct spec_need *need;
	unsigned int i, n, have;

	for (i = 0; i < n_spec_needs; i++) {
		need = &spec_needs[i];
		if (need->cmd != p->cmd->cmd)
			continue;
		for (have = n = 0; need->types[n]; n++)
			have += !!p->seen[need->types[n]];
		if (!have)
			wrong(p, "a missing attribute", spec_attr(p->cmd->set, need->types[0]));
		else if (need->exclusive && have > 1)
			wrong(p, "attributes that exclude each other",
			      spec_attr(p->cmd->set, need->types[0]));
	}
}

static void check_bounds(struct parse *p)
{
	const struct spec_bound *bound;
	unsigned int i;

	for (i = 0; i < n_spec_bounds; i++) {
		bound = &spec_bounds[i];
		if (bound->cmd == p->cmd->cmd && p->seen[bound->type] &&
		    number_of(p->seen[bound->type], sizeof(uint32_t)) > bound->max)
			wrong(p, "a number beyond what its text allows",
			      spec_attr(p->cmd->set, bound->type));
	}
}

/* Flags that mean something to a request, besides the two that ask for a dump. */
#define GOOD_FLAGS	(NLM_F_REQUEST | NLM_F_ACK | NLM_F_ECHO)

static const char *check_header(const struct nlmsghdr *nlh, uint16_t family, bool dump)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);

	if (nlh->nlmsg_type != family)
		return "a family that does not exist";
	if (nlh->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		return "a message without a generic netlink header";
	if (genl->reserved)
		return "a reserved field that is not 0";
	if (nlh->nlmsg_flags & ~(GOOD_FLAGS | (dump ? NLM_F_DUMP : 0)))
		return "flags that mean nothing";
	return NULL;
}

static const char *check_command(const struct spec_cmd *cmd, bool dump)
{
	if (!cmd || !cmd->request)
		return "a command that does not exist";
	return dump && !cmd->dump ? "a dump of a command that has none" : NULL;
}

struct verdict judge_request(const struct nlmsghdr *nlh, uint16_t family)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct verdict v = { .ack = nlh->nlmsg_flags & NLM_F_ACK };
	struct parse p = { .strict = true };

	v.skipped = !(nlh->nlmsg_flags & NLM_F_REQUEST) || nlh->nlmsg_type < NLMSG_MIN_TYPE;
	if (v.skipped)
		return v;
	v.dump = (nlh->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	v.forbidden = check_header(nlh, family, v.dump);
	if (v.forbidden)
		return v;
	v.cmd = spec_find(genl->cmd);
	v.forbidden = check_command(v.cmd, v.dump);
	if (v.forbidden)
		return v;

	p.cmd = v.cmd;
	p.types = v.cmd->request;
	parse(&p, nlh);
	if (!p.wrong && !v.dump) {
		check_needs(&p);
		if (!p.wrong)
			check_bounds(&p);
	}
	v.forbidden = p.wrong;
	v.attr = p.attr;
	/* A dump of nothing is empty; and who asks for no object cannot miss it. */
	v.certain = !v.forbidden && (v.dump || genl->cmd == spec_cmds[0].cmd);
	v.replies = v.cmd->reply ? 1 : 0;
	return v;
}

const char *judge_reply(const struct nlmsghdr *nlh, const struct spec_cmd *cmd, const char **attr)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct parse p = { .cmd = cmd };

	*attr = NULL;
	if (mnl_nlmsg_get_payload_len(nlh) < GENL_HDRLEN || genl->cmd != cmd->cmd)
		return "a reply of another command";
	if (!cmd->reply)
		return "a reply where none belongs";
	p.types = cmd->reply;
	parse(&p, nlh);
	*attr = p.attr;
	return p.wrong;
}

const char *judge_notice(const struct nlmsghdr *nlh, const struct spec_cmd **cmd, const char **attr)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct parse p = {};

	*attr = NULL;
	*cmd = NULL;
	if (mnl_nlmsg_get_payload_len(nlh) < GENL_HDRLEN)
		return "no generic netlink header";
	*cmd = spec_find(genl->cmd);
	if (!*cmd || !(*cmd)->event)
		return "a command that is none";
	p.cmd = *cmd;
	p.types = p.cmd->event;
	parse(&p, nlh);
	*attr = p.attr;
	return p.wrong;
}

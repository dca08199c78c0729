// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * sfnl lane: the physical ways out of a device.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sfnl.h"

static void text_link(FILE *file, const struct record *rec, uint16_t attr)
{
	link_text(file, rec, attr, SCALEFABRIC_A_LANE_PORT);
}

static const struct format format_link = {
	.type = MNL_TYPE_NUL_STRING, .text = text_link, .json = string_json,
};

static const struct field lane_fields[] = {
	[SCALEFABRIC_A_LANE_DEV_INDEX] = {
		.key = "ifindex", .format = &format_u32,
	},
	[SCALEFABRIC_A_LANE_DEV_NAME] = {
		.word = "link", .key = "ifname", .format = &format_link,
	},
	[SCALEFABRIC_A_LANE_ID] = {
		.word = "lane", .key = "id", .format = &format_u32,
	},
	[SCALEFABRIC_A_LANE_PORT] = {
		.key = "port", .format = &format_u32,
	},
	[SCALEFABRIC_A_LANE_MEMBER] = {
		.word = "member", .key = "member", .format = &format_string,
	},
	[SCALEFABRIC_A_LANE_MEMBER_IFINDEX] = {
		.word = "member-ifindex", .key = "member-ifindex", .format = &format_u32,
	},
	[SCALEFABRIC_A_LANE_BOND] = {
		.word = "bond", .key = "bond", .format = &format_string,
	},
	[SCALEFABRIC_A_LANE_STATE] = {
		.word = "state", .key = "state", .format = &format_name, .names = &lane_states,
	},
	[SCALEFABRIC_A_LANE_SPEED] = {
		.word = "speed", .key = "speed", .format = &format_u32, .unit = "Mbit/s",
	},
	[SCALEFABRIC_A_LANE_LINK_LAYER] = {
		.word = "link-layer", .key = "link-layer",
		.format = &format_name, .names = &link_layers,
	},
	[SCALEFABRIC_A_LANE_QPS] = {
		.word = "qps", .key = "qps", .format = &format_u32,
	},
};

static const struct table lane_table = {
	.fields = lane_fields, .max = SCALEFABRIC_A_LANE_QPS,
};

static const struct column lane_columns[] = {
	{ .attr = SCALEFABRIC_A_LANE_DEV_NAME },
	{ .attr = SCALEFABRIC_A_LANE_PORT },
	{ .attr = SCALEFABRIC_A_LANE_ID },
	{ .attr = SCALEFABRIC_A_LANE_MEMBER },
	{ .attr = SCALEFABRIC_A_LANE_BOND },
	{ .attr = SCALEFABRIC_A_LANE_STATE },
	{ .attr = SCALEFABRIC_A_LANE_SPEED },
	{ .attr = SCALEFABRIC_A_LANE_QPS },
	{ .attr = SCALEFABRIC_A_LANE_LINK_LAYER, .detail = true },
	{ .attr = SCALEFABRIC_A_LANE_MEMBER_IFINDEX, .detail = true },
};

static const struct view lane_view = VIEW(&lane_table, lane_columns);

static const struct arg lane_args[] = {
	{
		.word = "dev", .slot = SLOT_DEV, .attr = SCALEFABRIC_A_LANE_DEV_NAME,
		.parse = arg_string, .max = SCALEFABRIC_NAME_MAX,
		.expect = "an RDMA device", .first = true,
	},
};

#define NO_LANE	\
	"value \"%s\" of \"lane\" is wrong: expected a number or a member of \"sfnl lane show\""
#define TWO_LANES	"value \"%s\" of \"lane\" is ambiguous: lane %u or %u"

/* Lanes that a member's name may stand for. */
struct search {
	const struct args *args;
	uint32_t port;		/* of this port only, or 0 */
	struct lane_ref *refs;
	size_t n;
};

static uint32_t port_of(const struct args *args)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, &args->req.nlh, GENL_HDRLEN)
		if (mnl_attr_get_type(attr) == SCALEFABRIC_A_QP_PORT)
			return mnl_attr_get_u32(attr);
	return 0;
}

static bool matches(const struct search *search, const struct record *rec)
{
	return rec->attrs[SCALEFABRIC_A_LANE_MEMBER] &&
	       !strcmp(record_string(rec, SCALEFABRIC_A_LANE_MEMBER), search->args->lane) &&
	       (!search->port || (rec->attrs[SCALEFABRIC_A_LANE_PORT] &&
		record_number(rec, SCALEFABRIC_A_LANE_PORT) == search->port));
}

static int collect(const struct nlmsghdr *nlh, void *arg)
{
	struct search *search = arg;
	struct lane_ref *refs;
	struct record rec;

	if (record_parse(&rec, &lane_table, nlh) ||
	    !rec.attrs[SCALEFABRIC_A_LANE_DEV_INDEX] || !rec.attrs[SCALEFABRIC_A_LANE_ID])
		return -EBADMSG;
	if (!matches(search, &rec))
		return 0;

	refs = realloc(search->refs, (search->n + 1) * sizeof(*refs));
	if (!refs)
		return -ENOMEM;
	search->refs = refs;
	refs[search->n++] = (struct lane_ref){
		.dev = record_number(&rec, SCALEFABRIC_A_LANE_DEV_INDEX),
		.lane = record_number(&rec, SCALEFABRIC_A_LANE_ID),
	};
	return 0;
}

static int check_unique(const struct search *search)
{
	const struct lane_ref *refs = search->refs;
	const char *name = search->args->lane;

	if (!search->n)
		return usage_error(NO_LANE, name);

	for (size_t i = 0; i < search->n; i++)
		for (size_t j = 0; j < i; j++)
			if (refs[i].dev == refs[j].dev)
				return usage_error(TWO_LANES, name, refs[j].lane, refs[i].lane);
	return EXIT_OK;
}

int lane_resolve(struct sfnl *s, const struct args *args, struct lane_ref **refs, size_t *n)
{
	struct search search = { .args = args, .port = port_of(args) };
	struct sf_request req;
	int status;

	sf_request_init(&req, SCALEFABRIC_CMD_LANE_GET);
	if (sfnl_device(args))
		mnl_attr_put_strz(&req.nlh, SCALEFABRIC_A_LANE_DEV_NAME, sfnl_device(args));

	status = sfnl_status(s, NULL, sf_client_dump(s->client, &req, collect, &search));
	if (!status)
		status = check_unique(&search);
	if (status) {
		free(search.refs);
		search.refs = NULL;
	}
	*refs = search.refs;
	*n = search.n;
	return status;
}

static int lane_show(struct sfnl *s, struct args *args)
{
	int status;

	status = sfnl_open(s);
	return status ? status : sfnl_show(s, args, &lane_view);
}

static const struct action lane_actions[] = {
	{
		.command = {
			.word = "show", .cmd = SCALEFABRIC_CMD_LANE_GET, ARGS(lane_args),
			.usage = "[ dev DEV ]",
		},
		.run = lane_show,
	},
};

const struct object lane_object = OBJECT("lane", lane_actions);

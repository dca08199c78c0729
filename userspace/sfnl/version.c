// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * sfnl version: what runs here.
 */

#include "sfnl.h"

static const struct field info_fields[] = {
	[SCALEFABRIC_A_INFO_VERSION] = {
		.word = "module", .key = "module", .format = &format_string,
	},
	[SCALEFABRIC_A_INFO_LOST] = {
		.word = "lost", .key = "lost", .format = &format_u64,
	},
	[SCALEFABRIC_A_INFO_RING_SIZE] = {
		.word = "ring-size", .key = "ring-size", .format = &format_u32,
	},
	[SCALEFABRIC_A_INFO_DEVICES] = {
		.word = "devices", .key = "devices", .format = &format_u32,
	},
	[SCALEFABRIC_A_INFO_QPS] = {
		.word = "qps", .key = "qps", .format = &format_u32,
	},
};

const struct table info_table = {
	.fields = info_fields, .max = SCALEFABRIC_A_INFO_QPS,
};

static const struct column info_columns[] = {
	{ .attr = SCALEFABRIC_A_INFO_VERSION },
	{ .attr = SCALEFABRIC_A_INFO_DEVICES },
	{ .attr = SCALEFABRIC_A_INFO_QPS },
	{ .attr = SCALEFABRIC_A_INFO_RING_SIZE },
	{ .attr = SCALEFABRIC_A_INFO_LOST },
};

static const struct view info_view = VIEW(&info_table, info_columns);

static int show_info(const struct nlmsghdr *nlh, void *arg)
{
	struct printer *out = arg;
	struct record rec;
	int err;

	err = record_parse(&rec, &info_table, nlh);
	if (err)
		return err;
	print_begin(out);
	print_member(out, "tool", json_string(VERSION), out->brief ? VERSION : "tool " VERSION);
	print_record(out, &info_view, &rec);
	print_end(out);
	return 0;
}

static int version_show(struct sfnl *s, struct args *args)
{
	int status;

	/* The totals count what happened until now. */
	mnl_attr_put(&args->req.nlh, SCALEFABRIC_A_INFO_SYNC, 0, NULL);
	status = sfnl_open(s);
	if (status)
		return status;
	return sfnl_status(s, args, sf_client_do(s->client, &args->req, show_info, &s->out));
}

static const struct action version_actions[] = {
	{
		.command = { .word = "", .cmd = SCALEFABRIC_CMD_INFO_GET, .usage = "" },
		.run = version_show,
	},
};

const struct object version_object = OBJECT("version", version_actions);

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * sfnl dev: RDMA devices.
 */

#include <inttypes.h>

#include "sfnl.h"

/* As rdma(8) starts the line of a device. */
static void text_device(FILE *file, const struct record *rec, uint16_t attr)
{
	if (rec->attrs[SCALEFABRIC_A_DEV_INDEX])
		fprintf(file, "%" PRIu64 ": ", record_number(rec, SCALEFABRIC_A_DEV_INDEX));
	string_text(file, rec, attr);
	fputc(':', file);
}

static const struct format format_device = {
	.type = MNL_TYPE_NUL_STRING, .text = text_device, .json = string_json,
};

static const struct field dev_fields[] = {
	[SCALEFABRIC_A_DEV_INDEX] = {
		.key = "ifindex", .format = &format_u32,
	},
	[SCALEFABRIC_A_DEV_NAME] = {
		.word = "", .key = "ifname", .format = &format_device,
	},
	[SCALEFABRIC_A_DEV_DRIVER] = {
		.word = "driver", .key = "driver", .format = &format_string,
	},
	[SCALEFABRIC_A_DEV_MODE] = {
		.word = "mode", .key = "mode", .format = &format_name, .names = &device_modes,
	},
	[SCALEFABRIC_A_DEV_STRATEGY] = {
		.word = "strategy", .key = "strategy", .format = &format_string,
	},
	[SCALEFABRIC_A_DEV_DRAIN_TIMEOUT] = {
		.word = "drain-timeout", .key = "drain-timeout",
		.format = &format_u32, .unit = "ms",
	},
	[SCALEFABRIC_A_DEV_PORTS] = {
		.word = "ports", .key = "ports", .format = &format_u32,
	},
	[SCALEFABRIC_A_DEV_QPS] = {
		.word = "qps", .key = "qps", .format = &format_u32,
	},
	[SCALEFABRIC_A_DEV_UNTRACKED] = {
		.word = "untracked", .key = "untracked", .format = &format_u32,
	},
};

static const struct table dev_table = {
	.fields = dev_fields, .max = SCALEFABRIC_A_DEV_UNTRACKED,
};

static const struct column dev_columns[] = {
	{ .attr = SCALEFABRIC_A_DEV_NAME },
	{ .attr = SCALEFABRIC_A_DEV_INDEX },
	{ .attr = SCALEFABRIC_A_DEV_DRIVER },
	{ .attr = SCALEFABRIC_A_DEV_MODE },
	{ .attr = SCALEFABRIC_A_DEV_STRATEGY },
	{ .attr = SCALEFABRIC_A_DEV_DRAIN_TIMEOUT },
	{ .attr = SCALEFABRIC_A_DEV_PORTS },
	{ .attr = SCALEFABRIC_A_DEV_QPS },
	{ .attr = SCALEFABRIC_A_DEV_UNTRACKED },
};

static const struct view dev_view = VIEW(&dev_table, dev_columns);

static const struct arg dev_args[] = {
	{
		.word = "dev", .slot = SLOT_DEV, .attr = SCALEFABRIC_A_DEV_NAME,
		.parse = arg_string, .max = SCALEFABRIC_NAME_MAX,
		.expect = "an RDMA device", .first = true,
	},
	{
		.word = "mode", .slot = SLOT_MODE, .attr = SCALEFABRIC_A_DEV_MODE,
		.parse = arg_name, .names = &device_modes,
	},
	{
		.word = "drain-timeout", .slot = SLOT_DRAIN_TIMEOUT,
		.attr = SCALEFABRIC_A_DEV_DRAIN_TIMEOUT, .parse = arg_number,
		.min = SCALEFABRIC_DRAIN_TIMEOUT_MIN, .max = SCALEFABRIC_DRAIN_TIMEOUT_MAX,
		.expect = "milliseconds, 10 to 900",
	},
};

static int dev_show(struct sfnl *s, struct args *args)
{
	int status;

	status = sfnl_open(s);
	if (status)
		return status;
	return args->given[SLOT_DEV] ? sfnl_do(s, args, &dev_view) :
				       sfnl_show(s, args, &dev_view);
}

static int dev_set(struct sfnl *s, struct args *args)
{
	int status;

	s->out.lines = true;	/* shows nothing, not a list of nothing */
	status = sfnl_open(s);
	return status ? status : sfnl_do(s, args, &dev_view);
}

static const struct action dev_actions[] = {
	{
		.command = {
			.word = "show", .cmd = SCALEFABRIC_CMD_DEV_GET,
			.args = dev_args, .n_args = 1,
			.usage = "[ DEV ]",
		},
		.run = dev_show,
	},
	{
		.command = {
			.word = "set", .cmd = SCALEFABRIC_CMD_DEV_SET, ARGS(dev_args),
			.need = NEED(SLOT_DEV),
			.need_any = NEED(SLOT_MODE) | NEED(SLOT_DRAIN_TIMEOUT),
			.usage = "DEV [ mode { observe | balance } ] [ drain-timeout MS ]",
		},
		.run = dev_set,
	},
};

const struct object dev_object = OBJECT("dev", dev_actions);

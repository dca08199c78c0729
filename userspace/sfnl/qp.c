// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * sfnl qp: show and move queue pairs.
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sfnl.h"

#define LQPN_MAX	0xffffff

static const struct column qp_columns[] = {
	{ .attr = SCALEFABRIC_A_QP_DEV_NAME },
	{ .attr = SCALEFABRIC_A_QP_PORT },
	{ .attr = SCALEFABRIC_A_QP_LQPN },
	{ .attr = SCALEFABRIC_A_QP_RQPN },
	{ .attr = SCALEFABRIC_A_QP_TYPE },
	{ .attr = SCALEFABRIC_A_QP_STATE },
	{ .attr = SCALEFABRIC_A_QP_LANE },
	{ .attr = SCALEFABRIC_A_QP_LANE_NAME },
	{ .attr = SCALEFABRIC_A_QP_FLOW_LABEL },
	{ .attr = SCALEFABRIC_A_QP_UDP_SPORT },
	{ .attr = SCALEFABRIC_A_QP_PATH_MTU },
	{ .attr = SCALEFABRIC_A_QP_PID },
	{ .attr = SCALEFABRIC_A_QP_COMM },
	{ .attr = SCALEFABRIC_A_QP_KERNEL },
	{ .attr = SCALEFABRIC_A_QP_SGID, .detail = true },
	{ .attr = SCALEFABRIC_A_QP_DGID, .detail = true },
	{ .attr = SCALEFABRIC_A_QP_SGID_INDEX, .detail = true },
	{ .attr = SCALEFABRIC_A_QP_DLID, .detail = true },
	{ .attr = SCALEFABRIC_A_QP_CREATE_TIME, .detail = true },
	{ .attr = SCALEFABRIC_A_QP_MODIFIES, .detail = true },
	{ .attr = SCALEFABRIC_A_QP_REBINDS, .detail = true },
	{ .attr = SCALEFABRIC_A_QP_RESULT, .detail = true, .word = "last-rebind" },
	{ .attr = SCALEFABRIC_A_QP_EVENTS, .detail = true },
	{ .attr = SCALEFABRIC_A_QP_EVENT, .detail = true, .word = "last-event" },
	{ .attr = SCALEFABRIC_A_QP_EVENT_TIME, .detail = true, .word = "last-event-time" },
};

static const struct view qp_view = VIEW(&qp_table, qp_columns);

static const struct column moved_columns[] = {
	{ .attr = SCALEFABRIC_A_QP_DEV_NAME },
	{ .attr = SCALEFABRIC_A_QP_LQPN },
	{ .attr = SCALEFABRIC_A_QP_RESULT, .word = "" },
	{ .attr = SCALEFABRIC_A_QP_OLD_LANE },
	{ .attr = SCALEFABRIC_A_QP_LANE },
	{ .attr = SCALEFABRIC_A_QP_LANE_NAME },
	{ .attr = SCALEFABRIC_A_QP_OLD_FLOW_LABEL },
	{ .attr = SCALEFABRIC_A_QP_FLOW_LABEL },
	{ .attr = SCALEFABRIC_A_QP_UDP_SPORT },
	{ .attr = SCALEFABRIC_A_QP_WINDOW },
};

static const struct view moved_view = VIEW(&qp_table, moved_columns);

/* DEV[/PORT], as in the output */
static int parse_link(struct args *args, const struct arg *arg, const char *value)
{
	char dev[SCALEFABRIC_NAME_MAX + 1];
	const char *slash = strchr(value, '/');
	size_t len = slash ? (size_t)(slash - value) : strlen(value);
	uint32_t port;

	if (len > SCALEFABRIC_NAME_MAX)
		return -EINVAL;
	memcpy(dev, value, len);
	dev[len] = '\0';

	if (slash && number_parse(slash + 1, 1, UINT32_MAX, &port))
		return -EINVAL;
	if (slash)
		mnl_attr_put_u32(&args->req.nlh, SCALEFABRIC_A_QP_PORT, port);
	return arg_string(args, arg, dev);
}

/* A number goes into the request; a name has to be looked up first. */
static int parse_lane(struct args *args, const struct arg *arg, const char *value)
{
	if (!arg_number(args, arg, value))
		return 0;
	if (!*value)
		return -EINVAL;
	args->lane = value;
	return 0;
}

/* rebind takes the first five, show all but the first. */
static const struct arg qp_args[] = {
	{
		.word = "flow-label", .slot = SLOT_LANE, .attr = SCALEFABRIC_A_QP_FLOW_LABEL,
		.parse = arg_number, .max = SCALEFABRIC_FLOW_LABEL_MAX,
		.expect = "a flow label, 0 to 0xfffff",
	},
	{
		.word = "dev", .slot = SLOT_DEV, .attr = SCALEFABRIC_A_QP_DEV_NAME,
		.parse = arg_string, .max = SCALEFABRIC_NAME_MAX, .expect = "an RDMA device",
	},
	{
		.word = "link", .slot = SLOT_DEV, .attr = SCALEFABRIC_A_QP_DEV_NAME,
		.parse = parse_link, .max = SCALEFABRIC_NAME_MAX,
		.expect = "an RDMA device and its port, DEV/PORT",
	},
	{
		.word = "lqpn", .slot = SLOT_LQPN, .attr = SCALEFABRIC_A_QP_LQPN,
		.parse = arg_number, .max = LQPN_MAX, .expect = "a QP number, 0 to 0xffffff",
	},
	{
		.word = "lane", .slot = SLOT_LANE, .attr = SCALEFABRIC_A_QP_LANE,
		.parse = parse_lane, .max = UINT32_MAX,
		.expect = "a lane's number or network device",
	},
	{
		.word = "pid", .slot = SLOT_PID, .attr = SCALEFABRIC_A_QP_PID,
		.parse = arg_number, .min = 1, .max = INT_MAX, .expect = "a process ID",
	},
	{
		.word = "comm", .slot = SLOT_COMM, .attr = SCALEFABRIC_A_QP_COMM,
		.parse = arg_string, .max = SCALEFABRIC_COMM_MAX,
		.expect = "a name of 1 to 15 characters",
	},
	{
		.word = "state", .slot = SLOT_STATE, .attr = SCALEFABRIC_A_QP_STATE,
		.parse = arg_name, .names = &qp_states,
	},
	{
		.word = "type", .slot = SLOT_TYPE, .attr = SCALEFABRIC_A_QP_TYPE,
		.parse = arg_name, .names = &qp_types,
	},
};

/* The same member may carry a lane of several devices, each with its number. */
static int show_lanes(struct sfnl *s, const struct args *args)
{
	struct lane_ref *refs;
	struct args part;
	int status;
	size_t n;

	status = lane_resolve(s, args, &refs, &n);
	for (size_t i = 0; !status && i < n; i++) {
		part = *args;
		mnl_attr_put_u32(&part.req.nlh, SCALEFABRIC_A_QP_LANE, refs[i].lane);
		if (!args->given[SLOT_DEV])
			mnl_attr_put_u32(&part.req.nlh, SCALEFABRIC_A_QP_DEV_INDEX, refs[i].dev);
		status = sfnl_show(s, &part, &qp_view);
	}
	free(refs);
	return status;
}

static int qp_show(struct sfnl *s, struct args *args)
{
	int status;

	/* Details are worth a question to the driver for each QP. */
	if (s->out.details)
		mnl_attr_put(&args->req.nlh, SCALEFABRIC_A_QP_LIVE, 0, NULL);

	status = sfnl_open(s);
	if (status)
		return status;
	return args->lane ? show_lanes(s, args) : sfnl_show(s, args, &qp_view);
}

static int qp_rebind(struct sfnl *s, struct args *args)
{
	struct lane_ref *refs = NULL;
	int status;
	size_t n;

	status = sfnl_open(s);
	if (!status && args->lane) {
		status = lane_resolve(s, args, &refs, &n);
		if (!status)
			mnl_attr_put_u32(&args->req.nlh, SCALEFABRIC_A_QP_LANE, refs->lane);
		free(refs);
	}
	return status ? status : sfnl_do(s, args, &moved_view);
}

static const struct action qp_actions[] = {
	{
		.command = {
			.word = "show", .cmd = SCALEFABRIC_CMD_QP_GET,
			.args = qp_args + 1, .n_args = sizeof(qp_args) / sizeof(*qp_args) - 1,
			.usage = "[ dev DEV | link DEV[/PORT] ] [ lqpn N ] [ lane LANE ]\n"
				 "[ pid PID ] [ comm NAME ] [ state STATE ] [ type TYPE ]",
		},
		.run = qp_show,
	},
	{
		.command = {
			.word = "rebind", .cmd = SCALEFABRIC_CMD_QP_REBIND,
			.args = qp_args, .n_args = 5,
			.need = NEED(SLOT_DEV) | NEED(SLOT_LQPN) | NEED(SLOT_LANE),
			.usage = "{ dev DEV | link DEV[/PORT] } lqpn N\n"
				 "{ lane LANE | flow-label LABEL }",
		},
		.run = qp_rebind,
	},
};

const struct object qp_object = OBJECT("qp", qp_actions);

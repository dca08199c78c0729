// SPDX-License-Identifier: GPL-2.0
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/scalefabric.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink.h"

#include <uapi/linux/scalefabric.h>

/* SCALEFABRIC_CMD_INFO_GET - do */
const struct nla_policy scalefabric_info_get_nl_policy[SCALEFABRIC_A_INFO_SYNC + 1] = {
	[SCALEFABRIC_A_INFO_SYNC] = { .type = NLA_FLAG, },
};

/* SCALEFABRIC_CMD_DEV_GET - do */
const struct nla_policy scalefabric_dev_get_nl_policy[SCALEFABRIC_A_DEV_NAME + 1] = {
	[SCALEFABRIC_A_DEV_INDEX] = { .type = NLA_U32, },
	[SCALEFABRIC_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = SCALEFABRIC_NAME_MAX, },
};

/* SCALEFABRIC_CMD_DEV_SET - do */
const struct nla_policy scalefabric_dev_set_nl_policy[SCALEFABRIC_A_DEV_DRAIN_TIMEOUT + 1] = {
	[SCALEFABRIC_A_DEV_INDEX] = { .type = NLA_U32, },
	[SCALEFABRIC_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = SCALEFABRIC_NAME_MAX, },
	[SCALEFABRIC_A_DEV_MODE] = NLA_POLICY_MAX(NLA_U8, 1),
	[SCALEFABRIC_A_DEV_DRAIN_TIMEOUT] = NLA_POLICY_RANGE(NLA_U32, SCALEFABRIC_DRAIN_TIMEOUT_MIN, SCALEFABRIC_DRAIN_TIMEOUT_MAX),
};

/* SCALEFABRIC_CMD_LANE_GET - do */
const struct nla_policy scalefabric_lane_get_nl_policy[SCALEFABRIC_A_LANE_ID + 1] = {
	[SCALEFABRIC_A_LANE_DEV_INDEX] = { .type = NLA_U32, },
	[SCALEFABRIC_A_LANE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = SCALEFABRIC_NAME_MAX, },
	[SCALEFABRIC_A_LANE_ID] = { .type = NLA_U32, },
};

/* SCALEFABRIC_CMD_QP_GET - do */
const struct nla_policy scalefabric_qp_get_nl_policy[SCALEFABRIC_A_QP_LIVE + 1] = {
	[SCALEFABRIC_A_QP_DEV_INDEX] = { .type = NLA_U32, },
	[SCALEFABRIC_A_QP_DEV_NAME] = { .type = NLA_NUL_STRING, .len = SCALEFABRIC_NAME_MAX, },
	[SCALEFABRIC_A_QP_LQPN] = { .type = NLA_U32, },
	[SCALEFABRIC_A_QP_TYPE] = NLA_POLICY_MAX(NLA_U8, 9),
	[SCALEFABRIC_A_QP_STATE] = NLA_POLICY_MAX(NLA_U8, 6),
	[SCALEFABRIC_A_QP_PORT] = { .type = NLA_U32, },
	[SCALEFABRIC_A_QP_LANE] = { .type = NLA_U32, },
	[SCALEFABRIC_A_QP_PID] = { .type = NLA_U32, },
	[SCALEFABRIC_A_QP_COMM] = { .type = NLA_NUL_STRING, .len = SCALEFABRIC_COMM_MAX, },
	[SCALEFABRIC_A_QP_LIVE] = { .type = NLA_FLAG, },
};

/* SCALEFABRIC_CMD_QP_REBIND - do */
const struct nla_policy scalefabric_qp_rebind_nl_policy[SCALEFABRIC_A_QP_FLOW_LABEL + 1] = {
	[SCALEFABRIC_A_QP_DEV_INDEX] = { .type = NLA_U32, },
	[SCALEFABRIC_A_QP_DEV_NAME] = { .type = NLA_NUL_STRING, .len = SCALEFABRIC_NAME_MAX, },
	[SCALEFABRIC_A_QP_LQPN] = { .type = NLA_U32, },
	[SCALEFABRIC_A_QP_PORT] = { .type = NLA_U32, },
	[SCALEFABRIC_A_QP_LANE] = { .type = NLA_U32, },
	[SCALEFABRIC_A_QP_FLOW_LABEL] = { .type = NLA_U32, },
};

/* Ops table for scalefabric */
const struct genl_ops scalefabric_nl_ops[6] = {
	{
		.cmd		= SCALEFABRIC_CMD_INFO_GET,
		.doit		= scalefabric_nl_info_get_doit,
		.policy		= scalefabric_info_get_nl_policy,
		.maxattr	= SCALEFABRIC_A_INFO_SYNC,
	},
	{
		.cmd		= SCALEFABRIC_CMD_DEV_GET,
		.doit		= scalefabric_nl_dev_get_doit,
		.dumpit		= scalefabric_nl_dev_get_dumpit,
		.policy		= scalefabric_dev_get_nl_policy,
		.maxattr	= SCALEFABRIC_A_DEV_NAME,
	},
	{
		.cmd		= SCALEFABRIC_CMD_DEV_SET,
		.doit		= scalefabric_nl_dev_set_doit,
		.policy		= scalefabric_dev_set_nl_policy,
		.maxattr	= SCALEFABRIC_A_DEV_DRAIN_TIMEOUT,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= SCALEFABRIC_CMD_LANE_GET,
		.doit		= scalefabric_nl_lane_get_doit,
		.dumpit		= scalefabric_nl_lane_get_dumpit,
		.policy		= scalefabric_lane_get_nl_policy,
		.maxattr	= SCALEFABRIC_A_LANE_ID,
	},
	{
		.cmd		= SCALEFABRIC_CMD_QP_GET,
		.doit		= scalefabric_nl_qp_get_doit,
		.dumpit		= scalefabric_nl_qp_get_dumpit,
		.policy		= scalefabric_qp_get_nl_policy,
		.maxattr	= SCALEFABRIC_A_QP_LIVE,
	},
	{
		.cmd		= SCALEFABRIC_CMD_QP_REBIND,
		.doit		= scalefabric_nl_qp_rebind_doit,
		.policy		= scalefabric_qp_rebind_nl_policy,
		.maxattr	= SCALEFABRIC_A_QP_FLOW_LABEL,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
};


/* SPDX-License-Identifier: GPL-2.0 */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/scalefabric.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_SCALEFABRIC_GEN_H
#define _LINUX_SCALEFABRIC_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/scalefabric.h>

extern const struct nla_policy scalefabric_info_get_nl_policy[SCALEFABRIC_A_INFO_SYNC + 1];

extern const struct nla_policy scalefabric_dev_get_nl_policy[SCALEFABRIC_A_DEV_NAME + 1];

extern const struct nla_policy scalefabric_dev_set_nl_policy[SCALEFABRIC_A_DEV_DRAIN_TIMEOUT + 1];

extern const struct nla_policy scalefabric_lane_get_nl_policy[SCALEFABRIC_A_LANE_ID + 1];

extern const struct nla_policy scalefabric_qp_get_nl_policy[SCALEFABRIC_A_QP_LIVE + 1];

extern const struct nla_policy scalefabric_qp_rebind_nl_policy[SCALEFABRIC_A_QP_FLOW_LABEL + 1];

/* Ops table for scalefabric */
extern const struct genl_ops scalefabric_nl_ops[6];

int scalefabric_nl_info_get_doit(struct sk_buff *skb, struct genl_info *info);
int scalefabric_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info);
int scalefabric_nl_dev_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int scalefabric_nl_dev_set_doit(struct sk_buff *skb, struct genl_info *info);
int scalefabric_nl_lane_get_doit(struct sk_buff *skb, struct genl_info *info);
int scalefabric_nl_lane_get_dumpit(struct sk_buff *skb,
				   struct netlink_callback *cb);
int scalefabric_nl_qp_get_doit(struct sk_buff *skb, struct genl_info *info);
int scalefabric_nl_qp_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int scalefabric_nl_qp_rebind_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	SCALEFABRIC_NLGRP_EVENTS,
	SCALEFABRIC_NLGRP_QPS,
};

#endif /* _LINUX_SCALEFABRIC_GEN_H */

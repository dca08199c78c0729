// SPDX-License-Identifier: GPL-2.0
/* scaleFabric - netlink: tell listeners what happens to QPs */
#include <linux/notifier.h>
#include <linux/pid.h>
#include <linux/rwsem.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

#include "device.h"
#include "event.h"
#include "generated/netlink.h"
#include "lane.h"
#include "netlink_msg.h"
#include "qp.h"

static int put_lost(struct sk_buff *msg)
{
	return nla_put_u64_64bit(msg, SCALEFABRIC_A_QP_LOST, sf_event_lost(),
				 SCALEFABRIC_A_QP_PAD);
}

static int put_event(struct sk_buff *msg, const struct sf_notice *notice)
{
	return sf_nl_put_qp_place(msg, notice->sdev, notice->qp) ||
	       sf_nl_put_qp_peer(msg, notice->qp) ||
	       nla_put_u8(msg, SCALEFABRIC_A_QP_EVENT, notice->event) ||
	       nla_put_u64_64bit(msg, SCALEFABRIC_A_QP_EVENT_TIME, notice->time,
				 SCALEFABRIC_A_QP_PAD);
}

static int put_rebind(struct sk_buff *msg, const struct sf_notice *notice)
{
	const struct sf_qp_info *qp = notice->qp;

	return (qp->connected &&
		nla_put_u32(msg, SCALEFABRIC_A_QP_RQPN, qp->rqpn)) ||
	       nla_put_u8(msg, SCALEFABRIC_A_QP_RESULT, notice->result) ||
	       (notice->old_lane != SF_LANE_NONE &&
		nla_put_u32(msg, SCALEFABRIC_A_QP_OLD_LANE,
			    notice->old_lane)) ||
	       sf_nl_put_qp_lane(msg, notice->sdev, qp->lane) ||
	       nla_put_u32(msg, SCALEFABRIC_A_QP_OLD_FLOW_LABEL,
			   notice->old_label) ||
	       sf_nl_put_qp_path(msg, notice->sdev, qp) ||
	       nla_put_u64_64bit(msg, SCALEFABRIC_A_QP_WINDOW, notice->window,
				 SCALEFABRIC_A_QP_PAD);
}

static int put_change(struct sk_buff *msg, const struct sf_notice *notice)
{
	return sf_nl_put_qp_place(msg, notice->sdev, notice->qp) ||
	       sf_nl_put_qp_peer(msg, notice->qp) ||
	       sf_nl_put_qp_path(msg, notice->sdev, notice->qp) ||
	       nla_put_u8(msg, SCALEFABRIC_A_QP_CHANGE, notice->change);
}

static const struct {
	u8 cmd;
	u8 group;
	int (*put)(struct sk_buff *msg, const struct sf_notice *notice);
} notices[] = {
	[SF_NOTICE_QP_CHANGE] = { SCALEFABRIC_CMD_QP_CHANGE_NTF,
				  SCALEFABRIC_NLGRP_QPS, put_change },
	[SF_NOTICE_QP_EVENT] = { SCALEFABRIC_CMD_QP_EVENT_NTF,
				 SCALEFABRIC_NLGRP_EVENTS, put_event },
	[SF_NOTICE_QP_REBIND] = { SCALEFABRIC_CMD_QP_REBIND_NTF,
				  SCALEFABRIC_NLGRP_EVENTS, put_rebind },
};

/*
 * @host: for listeners of the host itself. Others do not learn of its processes;
 * nobody knows in which PID namespace a listener is.
 */
static struct sk_buff *build(unsigned long kind, const struct sf_notice *notice,
			     bool host)
{
	struct sf_nl_to to = {};
	struct sk_buff *msg;
	void *hdr;
	int err;

	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!msg)
		return NULL;
	hdr = sf_nl_put(msg, &to, notices[kind].cmd);
	err = !hdr || sf_nl_put_qp_name(msg, notice->sdev, notice->qp) ||
	      sf_nl_put_qp_owner(msg, notice->qp,
				 host ? pid_nr(notice->pid) : 0, host) ||
	      notices[kind].put(msg, notice) || put_lost(msg);
	if (err) {
		nlmsg_free(msg);
		return NULL;
	}
	genlmsg_end(msg, hdr);
	return msg;
}

/* To the network namespaces that may see the device and listen. */
static int notify(struct notifier_block *nb, unsigned long kind, void *data)
{
	const struct sf_notice *notice = data;
	struct sk_buff *msg[2] = {}, *copy;
	struct net *net;
	bool host;

	if (kind >= ARRAY_SIZE(notices))
		return NOTIFY_DONE;

	down_read(&net_rwsem);
	for_each_net(net) {
		if (!rdma_dev_access_netns(notice->sdev->ibdev, net) ||
		    !genl_has_listeners(&sf_nl_family, net,
					notices[kind].group))
			continue;
		host = net_eq(net, &init_net);
		if (!msg[host])
			msg[host] = build(kind, notice, host);
		copy = msg[host] ? skb_clone(msg[host], GFP_KERNEL) : NULL;
		if (copy)
			genlmsg_multicast_netns(&sf_nl_family, net, copy, 0,
						notices[kind].group,
						GFP_KERNEL);
	}
	up_read(&net_rwsem);
	nlmsg_free(msg[false]);
	nlmsg_free(msg[true]);
	return NOTIFY_DONE;
}

static struct notifier_block notify_nb = {
	.notifier_call = notify,
};

int sf_nl_notify_init(void)
{
	return sf_event_listen(&notify_nb);
}

void sf_nl_notify_exit(void)
{
	sf_event_unlisten(&notify_nb);
}

// SPDX-License-Identifier: GPL-2.0
/* scaleFabric - netlink: show and move QPs */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>

#include "device.h"
#include "event.h"
#include "generated/netlink.h"
#include "lane.h"
#include "netlink_msg.h"
#include "qp.h"
#include "rebind.h"
#include "track.h"

int sf_nl_put_qp_name(struct sk_buff *msg, const struct sf_device *sdev,
		      const struct sf_qp_info *qp)
{
	return nla_put_u32(msg, SCALEFABRIC_A_QP_DEV_INDEX, sdev->index) ||
	       nla_put_string(msg, SCALEFABRIC_A_QP_DEV_NAME, sdev->name) ||
	       nla_put_u32(msg, SCALEFABRIC_A_QP_LQPN, qp->qpn) ||
	       nla_put_u8(msg, SCALEFABRIC_A_QP_TYPE, qp->type);
}

int sf_nl_put_qp_owner(struct sk_buff *msg, const struct sf_qp_info *qp,
		       pid_t pid, bool host)
{
	return (pid && nla_put_u32(msg, SCALEFABRIC_A_QP_PID, pid)) ||
	       ((pid || qp->kernel || host) &&
		nla_put_string(msg, SCALEFABRIC_A_QP_COMM, qp->comm)) ||
	       (qp->kernel && nla_put_flag(msg, SCALEFABRIC_A_QP_KERNEL));
}

int sf_nl_put_qp_lane(struct sk_buff *msg, struct sf_device *sdev, u8 id)
{
	struct sf_lane lane;

	if (id == SF_LANE_NONE)
		return 0;
	return nla_put_u32(msg, SCALEFABRIC_A_QP_LANE, id) ||
	       (sf_lane_read(sdev, id, &lane) && *lane.member &&
		nla_put_string(msg, SCALEFABRIC_A_QP_LANE_NAME, lane.member));
}

int sf_nl_put_qp_place(struct sk_buff *msg, struct sf_device *sdev,
		       const struct sf_qp_info *qp)
{
	return nla_put_u8(msg, SCALEFABRIC_A_QP_STATE, qp->state) ||
	       (qp->port &&
		nla_put_u32(msg, SCALEFABRIC_A_QP_PORT, qp->port)) ||
	       sf_nl_put_qp_lane(msg, sdev, qp->lane);
}

int sf_nl_put_qp_peer(struct sk_buff *msg, const struct sf_qp_info *qp)
{
	if (qp->connected && nla_put_u32(msg, SCALEFABRIC_A_QP_RQPN, qp->rqpn))
		return -EMSGSIZE;
	if (!qp->av)
		return 0;
	if (qp->dlid && nla_put_u32(msg, SCALEFABRIC_A_QP_DLID, qp->dlid))
		return -EMSGSIZE;
	if (!qp->grh)
		return 0;
	return nla_put(msg, SCALEFABRIC_A_QP_SGID, sizeof(qp->sgid),
		       &qp->sgid) ||
	       nla_put(msg, SCALEFABRIC_A_QP_DGID, sizeof(qp->dgid), &qp->dgid);
}

int sf_nl_put_qp_path(struct sk_buff *msg, struct sf_device *sdev,
		      const struct sf_qp_info *qp)
{
	if (qp->path_mtu && nla_put_u32(msg, SCALEFABRIC_A_QP_PATH_MTU,
					ib_mtu_enum_to_int(qp->path_mtu)))
		return -EMSGSIZE;
	if (!qp->av || !qp->grh)
		return 0;
	if (nla_put_u32(msg, SCALEFABRIC_A_QP_FLOW_LABEL, qp->flow_label))
		return -EMSGSIZE;
	if (!qp->connected || !sf_lane_label_is_port(sdev) ||
	    !rdma_is_port_valid(sdev->ibdev, qp->port) ||
	    !rdma_protocol_roce_udp_encap(sdev->ibdev, qp->port))
		return 0;
	return nla_put_u32(msg, SCALEFABRIC_A_QP_UDP_SPORT,
			   rdma_get_udp_sport(qp->flow_label, qp->qpn,
					      qp->rqpn));
}

static int put_counts(struct sk_buff *msg, const struct sf_qp_info *qp)
{
	struct nlattr *nest;
	u8 event;

	if (nla_put_u32(msg, SCALEFABRIC_A_QP_MODIFIES, qp->modifies) ||
	    nla_put_u32(msg, SCALEFABRIC_A_QP_REBINDS, qp->rebinds))
		return -EMSGSIZE;
	for (event = 0; event < SF_QP_EVENTS; event++) {
		if (!qp->events[event])
			continue;
		nest = nla_nest_start(msg, SCALEFABRIC_A_QP_EVENTS);
		if (!nest ||
		    nla_put_u8(msg, SCALEFABRIC_A_EVENT_COUNT_EVENT, event) ||
		    nla_put_u32(msg, SCALEFABRIC_A_EVENT_COUNT_COUNT,
				qp->events[event]))
			return -EMSGSIZE;
		nla_nest_end(msg, nest);
	}
	return 0;
}

static int put_last(struct sk_buff *msg, const struct sf_qp_info *qp)
{
	if (qp->event != SF_QP_NEVER &&
	    (nla_put_u8(msg, SCALEFABRIC_A_QP_EVENT, qp->event) ||
	     nla_put_u64_64bit(msg, SCALEFABRIC_A_QP_EVENT_TIME, qp->event_time,
			       SCALEFABRIC_A_QP_PAD)))
		return -EMSGSIZE;
	return qp->result != SF_QP_NEVER &&
	       nla_put_u8(msg, SCALEFABRIC_A_QP_RESULT, qp->result);
}

static int fill_qp(struct sk_buff *msg, const struct sf_nl_to *to,
		   struct sf_qp *qp, const struct sf_qp_info *info)
{
	void *hdr = sf_nl_put(msg, to, SCALEFABRIC_CMD_QP_GET);
	int err;

	if (!hdr)
		return -EMSGSIZE;
	err = sf_nl_put_qp_name(msg, qp->sdev, info) ||
	      sf_nl_put_qp_place(msg, qp->sdev, info) ||
	      sf_nl_put_qp_peer(msg, info) ||
	      (info->av && info->grh &&
	       nla_put_u32(msg, SCALEFABRIC_A_QP_SGID_INDEX,
			   info->sgid_index)) ||
	      sf_nl_put_qp_path(msg, qp->sdev, info) ||
	      sf_nl_put_qp_owner(msg, info, pid_vnr(qp->pid),
				 task_active_pid_ns(current) == &init_pid_ns) ||
	      (info->create_time &&
	       nla_put_u64_64bit(msg, SCALEFABRIC_A_QP_CREATE_TIME,
				 info->create_time, SCALEFABRIC_A_QP_PAD)) ||
	      put_counts(msg, info) || put_last(msg, info);
	return sf_nl_end(msg, hdr, err ? -EMSGSIZE : 0);
}

static struct sf_nl_dev_ref qp_dev_ref(struct nlattr **attrs)
{
	return (struct sf_nl_dev_ref){ attrs[SCALEFABRIC_A_QP_DEV_INDEX],
				       attrs[SCALEFABRIC_A_QP_DEV_NAME] };
}

/* The QP that a request names, referenced, or an error pointer. */
static struct sf_qp *named_qp(struct genl_info *info, struct sf_device *sdev)
{
	const struct nlattr *lqpn = info->attrs[SCALEFABRIC_A_QP_LQPN];
	const struct nlattr *port = info->attrs[SCALEFABRIC_A_QP_PORT];
	struct sf_qp *qp = NULL;
	u32 qpn, p;

	if (!lqpn) {
		NL_SET_ERR_MSG(info->extack,
			       "the QP is missing: give its lqpn");
		return ERR_PTR(-EINVAL);
	}
	sf_device_sync();
	qpn = nla_get_u32(lqpn);
	/* Each port has its own QPs 0 and 1. */
	rdma_for_each_port(sdev->ibdev, p) {
		if (qp || qpn > 1)
			break;
		if (!port || nla_get_u32(port) == p)
			qp = sf_qp_get(sdev->ibdev,
				       sf_qp_id(qpn, IB_QPT_GSI, p));
	}
	/* Beyond 24 bits are numbers by which ib_core tracks the special QPs. */
	if (!qp && !(qpn >> 24))
		qp = sf_qp_get(sdev->ibdev, qpn);
	if (!qp) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, lqpn, "%s has no QP %u",
					sdev->name, qpn);
		return ERR_PTR(-ENOENT);
	}
	return qp;
}

int scalefabric_nl_qp_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sf_nl_dev_ref ref = qp_dev_ref(info->attrs);
	struct sf_device *sdev = sf_nl_dev_get(info, &ref);
	struct sf_nl_to to = sf_nl_to_reply(info);
	struct sf_qp_info state;
	struct sk_buff *msg;
	struct sf_qp *qp;
	int ret;

	if (IS_ERR(sdev))
		return PTR_ERR(sdev);
	sf_lane_sync();
	qp = named_qp(info, sdev);
	if (IS_ERR(qp)) {
		ret = PTR_ERR(qp);
		goto out_dev;
	}
	if (info->attrs[SCALEFABRIC_A_QP_LIVE])
		sf_track_refresh(qp);
	sf_qp_read(qp, &state);
	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	ret = msg ? fill_qp(msg, &to, qp, &state) : -ENOMEM;
	if (!ret)
		ret = genlmsg_reply(msg, info);
	else
		nlmsg_free(msg);
	sf_qp_put(qp);
out_dev:
	sf_device_put(sdev);
	return ret;
}

static bool u32_differs(const struct nlattr *attr, bool known, u32 value)
{
	return attr && (!known || nla_get_u32(attr) != value);
}

static bool u8_differs(const struct nlattr *attr, u8 value)
{
	return attr && nla_get_u8(attr) != value;
}

static bool qp_wanted(struct nlattr **attrs, const struct sf_qp *qp,
		      const struct sf_qp_info *info)
{
	const struct nlattr *comm = attrs[SCALEFABRIC_A_QP_COMM];

	return !u32_differs(attrs[SCALEFABRIC_A_QP_LQPN], true, info->qpn) &&
	       !u8_differs(attrs[SCALEFABRIC_A_QP_TYPE], info->type) &&
	       !u8_differs(attrs[SCALEFABRIC_A_QP_STATE], info->state) &&
	       !u32_differs(attrs[SCALEFABRIC_A_QP_PORT], info->port,
			    info->port) &&
	       !u32_differs(attrs[SCALEFABRIC_A_QP_LANE],
			    info->lane != SF_LANE_NONE, info->lane) &&
	       !u32_differs(attrs[SCALEFABRIC_A_QP_PID], qp->pid,
			    pid_vnr(qp->pid)) &&
	       (!comm || !nla_strcmp(comm, info->comm));
}

/**
 * struct qp_dump - a dump under way, within one message
 * @attrs: what narrows it
 * @ref: the device it is narrowed to
 * @net: who asks
 * @sdev: the device of the last QP, with a use if @shown; the next one is
 *	mostly of the same
 * @shown: QPs of @sdev are to be shown
 */
struct qp_dump {
	struct nlattr **attrs;
	struct sf_nl_dev_ref ref;
	const struct net *net;
	struct sf_device *sdev;
	bool shown;
};

static void dump_drop_device(struct qp_dump *dump)
{
	if (dump->shown)
		sf_device_put(dump->sdev);
	dump->shown = false;
	dump->sdev = NULL;
}

static bool dump_device(struct qp_dump *dump, struct sf_device *sdev)
{
	const struct sf_nl_dev_ref *ref = &dump->ref;

	if (sdev == dump->sdev)
		return dump->shown;
	dump_drop_device(dump);
	dump->sdev = sdev;
	if (!sf_device_get(sdev))
		return false;
	dump->shown = rdma_dev_access_netns(sdev->ibdev, dump->net) &&
		      (!ref->index || nla_get_u32(ref->index) == sdev->index) &&
		      (!ref->name || !nla_strcmp(ref->name, sdev->name));
	if (!dump->shown)
		sf_device_put(sdev);
	return dump->shown;
}

/* The next QP to be shown, referenced, from place @serial on. */
static struct sf_qp *dump_next(struct qp_dump *dump, unsigned long *serial,
			       struct sf_qp_info *info)
{
	struct sf_qp *qp;

	rcu_read_lock();
	for (;; (*serial)++) {
		qp = sf_qp_next(serial);
		if (!qp)
			break;
		if (dump_device(dump, qp->sdev)) {
			sf_qp_read(qp, info);
			if (qp_wanted(dump->attrs, qp, info) &&
			    refcount_inc_not_zero(&qp->refs))
				break;
		}
		if (need_resched()) {
			/* Places stay what they are: go on from this one. */
			if (!dump->shown)
				dump->sdev = NULL;
			rcu_read_unlock();
			cond_resched();
			rcu_read_lock();
		}
	}
	rcu_read_unlock();
	return qp;
}

/* cb->args[0]: the place to go on from; cb->args[1]: not the first part. */
int scalefabric_nl_qp_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb)
{
	struct sf_nl_to to = sf_nl_to_dump(cb);
	unsigned long serial = cb->args[0];
	struct qp_dump dump = {
		.attrs = genl_info_dump(cb)->attrs,
		.ref = qp_dev_ref(genl_info_dump(cb)->attrs),
		.net = sock_net(cb->skb->sk),
	};
	struct sf_qp_info info;
	struct sf_qp *qp;
	int ret = 0;

	if (!cb->args[1]) {
		sf_device_sync();
		sf_lane_sync();
		cb->args[1] = 1;
	}
	while (!ret && (qp = dump_next(&dump, &serial, &info))) {
		if (dump.attrs[SCALEFABRIC_A_QP_LIVE]) {
			sf_track_refresh(qp);
			sf_qp_read(qp, &info);
		}
		if (qp_wanted(dump.attrs, qp, &info))
			ret = fill_qp(skb, &to, qp, &info);
		if (!ret)
			serial++;
		sf_qp_put(qp);
	}
	dump_drop_device(&dump);
	cb->args[0] = serial;
	return skb->len ?: ret;
}

/* Say why a QP was not moved. */
static void explain_result(struct genl_info *info, struct sf_device *sdev,
			   const struct sf_rebind_target *target,
			   const struct sf_rebind_report *report)
{
	struct netlink_ext_ack *extack = info->extack;
	const struct sf_qp_info *qp = &report->info;

	switch (report->result) {
	case SCALEFABRIC_REBIND_RESULT_NO_STRATEGY:
		NL_SET_ERR_MSG_FMT(extack,
				   "QP %u is of type %s, which cannot be moved",
				   qp->qpn, sf_qp_type_name(qp->type));
		break;
	case SCALEFABRIC_REBIND_RESULT_LANE_DOWN:
		NL_SET_ERR_MSG_FMT(extack, "lane %u of %s is down or absent",
				   target->lane, sdev->name);
		break;
	case SCALEFABRIC_REBIND_RESULT_NO_LABEL:
		if (target->by_label)
			NL_SET_ERR_MSG_FMT(extack,
					   "QP %u has no path that a flow label is part of",
					   qp->qpn);
		else
			NL_SET_ERR_MSG_FMT(extack,
					   "no flow label leads QP %u to lane %u",
					   qp->qpn, target->lane);
		break;
	case SCALEFABRIC_REBIND_RESULT_NOT_RTS:
		NL_SET_ERR_MSG_FMT(extack, "QP %u is not in state RTS",
				   qp->qpn);
		break;
	case SCALEFABRIC_REBIND_RESULT_DRAIN_TIMEOUT:
		NL_SET_ERR_MSG_FMT(extack,
				   "QP %u: send queue not drained within %u ms; path as before",
				   qp->qpn, READ_ONCE(sdev->drain_timeout));
		break;
	case SCALEFABRIC_REBIND_RESULT_OWNER:
		NL_SET_ERR_MSG_FMT(extack, "the owner of QP %u took it away",
				   qp->qpn);
		break;
	case SCALEFABRIC_REBIND_RESULT_STUCK:
		NL_SET_ERR_MSG_FMT(extack,
				   "driver %s does not take QP %u back from SQD",
				   sf_device_driver(sdev), qp->qpn);
		break;
	default:
		NL_SET_ERR_MSG_FMT(extack,
				   "driver %s refused to move QP %u; path as before",
				   sf_device_driver(sdev), qp->qpn);
	}
}

/* Say why no QP was even looked at. */
static void explain_refusal(struct genl_info *info, struct sf_device *sdev,
			    int err)
{
	switch (err) {
	case -EOPNOTSUPP:
		NL_SET_ERR_MSG_FMT(info->extack,
				   "driver %s has no rebind strategy",
				   sf_device_driver(sdev));
		break;
	case -EROFS:
		NL_SET_ERR_MSG_FMT(info->extack,
				   "%s is in mode observe; set mode balance first",
				   sdev->name);
		break;
	case -ENODEV:
		NL_SET_ERR_MSG_FMT(info->extack, "%s is being removed",
				   sdev->name);
		break;
	case -ENOENT:
		NL_SET_ERR_MSG_ATTR_FMT(info->extack,
					info->attrs[SCALEFABRIC_A_QP_LQPN],
					"%s has no QP %u", sdev->name,
					nla_get_u32(info->attrs[SCALEFABRIC_A_QP_LQPN]));
		break;
	}
}

static int rebind_target(struct genl_info *info, struct sf_device *sdev,
			 struct sf_rebind_target *target)
{
	const struct nlattr *label = info->attrs[SCALEFABRIC_A_QP_FLOW_LABEL];
	const struct nlattr *id = info->attrs[SCALEFABRIC_A_QP_LANE];
	struct sf_lane lane;

	if (!id == !label) {
		NL_SET_ERR_MSG(info->extack,
			       "give either a lane or a flow label to move the QP to");
		return -EINVAL;
	}
	if (label) {
		if (nla_get_u32(label) > SCALEFABRIC_FLOW_LABEL_MAX) {
			NL_SET_ERR_MSG_ATTR_FMT(info->extack, label,
						"flow label %#x is not within 0..%#x",
						nla_get_u32(label),
						SCALEFABRIC_FLOW_LABEL_MAX);
			return -ERANGE;
		}
		target->by_label = true;
		target->label = nla_get_u32(label);
		return 0;
	}
	target->lane = nla_get_u32(id);
	sf_lane_sync();
	if (!sf_lane_read(sdev, target->lane, &lane)) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, id, "%s has no lane %u",
					sdev->name, target->lane);
		return -EINVAL;
	}
	return 0;
}

static int reply_moved(struct genl_info *info, struct sf_device *sdev,
		       const struct sf_rebind_report *report)
{
	struct sf_nl_to to = sf_nl_to_reply(info);
	const struct sf_qp_info *qp = &report->info;
	struct sk_buff *msg;
	void *hdr;
	int err;

	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	hdr = sf_nl_put(msg, &to, SCALEFABRIC_CMD_QP_REBIND);
	err = !hdr || sf_nl_put_qp_name(msg, sdev, qp) ||
	      nla_put_u8(msg, SCALEFABRIC_A_QP_RESULT, report->result) ||
	      (report->old_lane != SF_LANE_NONE &&
	       nla_put_u32(msg, SCALEFABRIC_A_QP_OLD_LANE, report->old_lane)) ||
	      sf_nl_put_qp_lane(msg, sdev, qp->lane) ||
	      nla_put_u32(msg, SCALEFABRIC_A_QP_OLD_FLOW_LABEL,
			  report->old_label) ||
	      sf_nl_put_qp_path(msg, sdev, qp) ||
	      nla_put_u64_64bit(msg, SCALEFABRIC_A_QP_WINDOW, report->window,
				SCALEFABRIC_A_QP_PAD);
	if (err) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}

int scalefabric_nl_qp_rebind_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sf_nl_dev_ref ref = qp_dev_ref(info->attrs);
	struct sf_rebind_target target = {};
	struct sf_rebind_report report;
	struct sf_device *sdev;
	struct sf_qp *qp;
	u32 id;
	int ret;

	sdev = sf_nl_dev_get_admin(skb, info, &ref);
	if (IS_ERR(sdev))
		return PTR_ERR(sdev);
	ret = rebind_target(info, sdev, &target);
	if (ret)
		goto out;
	qp = named_qp(info, sdev);
	if (IS_ERR(qp)) {
		ret = PTR_ERR(qp);
		goto out;
	}
	id = qp->id;
	sf_qp_put(qp);

	ret = sf_rebind_move(sdev, id, &target, &report);
	if (!ret)
		ret = reply_moved(info, sdev, &report);
	else if (report.result != SF_QP_NEVER)
		explain_result(info, sdev, &target, &report);
	else
		explain_refusal(info, sdev, ret);
out:
	sf_device_put(sdev);
	return ret;
}

#ifdef CONFIG_SCALEFABRIC_KUNIT_TEST
#include "tests/kunit/netlink_qp_kunit.c"
#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - the generic netlink family
 *
 * The contract is Documentation/netlink/specs/scalefabric.yaml; policies and
 * the table of operations are generated from it. Handlers run in parallel, as
 * the objects have their own locks.
 *
 * Whom a device is shown to: the network namespaces that may use it, as
 * rdma_dev_access_netns() has it. Who may change it: CAP_NET_ADMIN in the user
 * namespace that owns the device's own network namespace, so that a container
 * which shares a device of the host cannot move the host's QPs.
 */
#include "netlink.h"

#include <linux/module.h>
#include <net/sock.h>

#include "device.h"
#include "event.h"
#include "generated/netlink.h"
#include "lane.h"
#include "netlink_msg.h"
#include "qp.h"
#include "rebind.h"

static const struct genl_multicast_group nl_groups[] = {
	[SCALEFABRIC_NLGRP_EVENTS] = { SCALEFABRIC_MCGRP_EVENTS },
	[SCALEFABRIC_NLGRP_QPS] = { SCALEFABRIC_MCGRP_QPS },
};

struct genl_family sf_nl_family = {
	.name = SCALEFABRIC_FAMILY_NAME,
	.version = SCALEFABRIC_FAMILY_VERSION,
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = scalefabric_nl_ops,
	.n_ops = ARRAY_SIZE(scalefabric_nl_ops),
	.mcgrps = nl_groups,
	.n_mcgrps = ARRAY_SIZE(nl_groups),
};

static bool nl_dev_matches(const struct sf_device *sdev,
			   const struct sf_nl_dev_ref *ref)
{
	if (ref->index && nla_get_u32(ref->index) != sdev->index)
		return false;
	return !ref->name || !nla_strcmp(ref->name, sdev->name);
}

struct sf_device *sf_nl_dev_next(const struct net *net, u32 index,
				 const struct sf_nl_dev_ref *ref)
{
	struct sf_device *sdev;

	while ((sdev = sf_device_next(index))) {
		if (rdma_dev_access_netns(sdev->ibdev, net) &&
		    nl_dev_matches(sdev, ref))
			return sdev;
		index = sdev->index + 1;
		sf_device_put(sdev);
	}
	return NULL;
}

struct sf_device *sf_nl_dev_get(struct genl_info *info,
				const struct sf_nl_dev_ref *ref)
{
	struct sf_device *sdev;

	if (!ref->index && !ref->name) {
		NL_SET_ERR_MSG(info->extack,
			       "the device is missing: name it by index or name");
		return ERR_PTR(-EINVAL);
	}
	sdev = sf_nl_dev_next(genl_info_net(info), 0, ref);
	if (sdev)
		return sdev;
	if (ref->name)
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, ref->name,
					"no RDMA device named %s",
					(const char *)nla_data(ref->name));
	else
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, ref->index,
					"no RDMA device with index %u",
					nla_get_u32(ref->index));
	return ERR_PTR(-ENODEV);
}

struct sf_device *sf_nl_dev_get_admin(struct sk_buff *skb,
				      struct genl_info *info,
				      const struct sf_nl_dev_ref *ref)
{
	struct sf_device *sdev = sf_nl_dev_get(info, ref);
	struct net *net;

	if (IS_ERR(sdev))
		return sdev;
	net = read_pnet(&sdev->ibdev->coredev.rdma_net);
	if (netlink_ns_capable(skb, net->user_ns, CAP_NET_ADMIN))
		return sdev;
	NL_SET_ERR_MSG_FMT(info->extack,
			   "CAP_NET_ADMIN is needed where %s belongs",
			   sdev->name);
	sf_device_put(sdev);
	return ERR_PTR(-EPERM);
}

struct sf_nl_to sf_nl_to_reply(const struct genl_info *info)
{
	return (struct sf_nl_to){ info->snd_portid, info->snd_seq, 0 };
}

struct sf_nl_to sf_nl_to_dump(const struct netlink_callback *cb)
{
	return (struct sf_nl_to){ NETLINK_CB(cb->skb).portid,
				  cb->nlh->nlmsg_seq, NLM_F_MULTI };
}

void *sf_nl_put(struct sk_buff *msg, const struct sf_nl_to *to, u8 cmd)
{
	return genlmsg_put(msg, to->portid, to->seq, &sf_nl_family, to->flags,
			   cmd);
}

int sf_nl_end(struct sk_buff *msg, void *hdr, int err)
{
	if (err)
		genlmsg_cancel(msg, hdr);
	else
		genlmsg_end(msg, hdr);
	return err;
}

int scalefabric_nl_info_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sf_nl_to to = sf_nl_to_reply(info);
	struct sf_device *sdev;
	struct sk_buff *msg;
	u32 devices = 0, index = 0;
	void *hdr;
	int err;

	if (info->attrs[SCALEFABRIC_A_INFO_SYNC]) {
		sf_device_sync();
		sf_lane_sync();
	}
	while ((sdev = sf_device_next(index))) {
		index = sdev->index + 1;
		devices++;
		sf_device_put(sdev);
	}

	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	hdr = sf_nl_put(msg, &to, SCALEFABRIC_CMD_INFO_GET);
	err = !hdr ||
	      nla_put_string(msg, SCALEFABRIC_A_INFO_VERSION, SF_VERSION) ||
	      nla_put_u64_64bit(msg, SCALEFABRIC_A_INFO_LOST, sf_event_lost(),
				SCALEFABRIC_A_INFO_PAD) ||
	      nla_put_u32(msg, SCALEFABRIC_A_INFO_RING_SIZE,
			  sf_event_ring_size()) ||
	      nla_put_u32(msg, SCALEFABRIC_A_INFO_DEVICES, devices) ||
	      nla_put_u32(msg, SCALEFABRIC_A_INFO_QPS, sf_qp_count());
	if (err) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}

static struct sf_nl_dev_ref nl_dev_ref_of(struct nlattr **attrs)
{
	return (struct sf_nl_dev_ref){ attrs[SCALEFABRIC_A_DEV_INDEX],
				       attrs[SCALEFABRIC_A_DEV_NAME] };
}

static int nl_fill_dev(struct sk_buff *msg, const struct sf_nl_to *to,
		       struct sf_device *sdev)
{
	const char *strategy = sf_rebind_strategy(sdev);
	void *hdr = sf_nl_put(msg, to, SCALEFABRIC_CMD_DEV_GET);
	int err;

	if (!hdr)
		return -EMSGSIZE;
	err = nla_put_u32(msg, SCALEFABRIC_A_DEV_INDEX, sdev->index) ||
	      nla_put_string(msg, SCALEFABRIC_A_DEV_NAME, sdev->name) ||
	      nla_put_string(msg, SCALEFABRIC_A_DEV_DRIVER,
			     sf_device_driver(sdev)) ||
	      nla_put_u8(msg, SCALEFABRIC_A_DEV_MODE, READ_ONCE(sdev->mode)) ||
	      (strategy &&
	       nla_put_string(msg, SCALEFABRIC_A_DEV_STRATEGY, strategy)) ||
	      nla_put_u32(msg, SCALEFABRIC_A_DEV_DRAIN_TIMEOUT,
			  READ_ONCE(sdev->drain_timeout)) ||
	      nla_put_u32(msg, SCALEFABRIC_A_DEV_PORTS,
			  sdev->ibdev->phys_port_cnt) ||
	      nla_put_u32(msg, SCALEFABRIC_A_DEV_QPS,
			  atomic_read(&sdev->qps)) ||
	      nla_put_u32(msg, SCALEFABRIC_A_DEV_UNTRACKED,
			  atomic_read(&sdev->untracked));
	return sf_nl_end(msg, hdr, err ? -EMSGSIZE : 0);
}

int scalefabric_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sf_nl_dev_ref ref = nl_dev_ref_of(info->attrs);
	struct sf_device *sdev = sf_nl_dev_get(info, &ref);
	struct sf_nl_to to = sf_nl_to_reply(info);
	struct sk_buff *msg;
	int ret;

	if (IS_ERR(sdev))
		return PTR_ERR(sdev);
	sf_device_sync();
	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	ret = msg ? nl_fill_dev(msg, &to, sdev) : -ENOMEM;
	sf_device_put(sdev);
	if (ret) {
		nlmsg_free(msg);
		return ret;
	}
	return genlmsg_reply(msg, info);
}

/* cb->args[0]: the index of the device to begin with. */
int scalefabric_nl_dev_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb)
{
	struct sf_nl_dev_ref ref = nl_dev_ref_of(genl_info_dump(cb)->attrs);
	const struct net *net = sock_net(cb->skb->sk);
	struct sf_nl_to to = sf_nl_to_dump(cb);
	struct sf_device *sdev;
	int ret;

	if (!cb->args[0])
		sf_device_sync();
	while ((sdev = sf_nl_dev_next(net, cb->args[0], &ref))) {
		ret = nl_fill_dev(skb, &to, sdev);
		if (!ret)
			cb->args[0] = sdev->index + 1;
		sf_device_put(sdev);
		if (ret)
			return skb->len ?: ret;
	}
	return skb->len;
}

static int nl_set_mode(struct genl_info *info, struct sf_device *sdev)
{
	const struct nlattr *attr = info->attrs[SCALEFABRIC_A_DEV_MODE];
	int ret = sf_rebind_set_mode(sdev, nla_get_u8(attr));

	if (ret == -EOPNOTSUPP)
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr,
					"driver %s has no rebind strategy",
					sf_device_driver(sdev));
	else if (ret == -EBUSY)
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr,
					"operations of %s are also wrapped by another module",
					sdev->name);
	else if (ret == -ETIMEDOUT)
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr,
					"a QP of %s is still being destroyed; try again",
					sdev->name);
	return ret;
}

int scalefabric_nl_dev_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *timeout =
		info->attrs[SCALEFABRIC_A_DEV_DRAIN_TIMEOUT];
	struct sf_nl_dev_ref ref = nl_dev_ref_of(info->attrs);
	struct sf_device *sdev;
	int ret = 0;

	if (!info->attrs[SCALEFABRIC_A_DEV_MODE] && !timeout) {
		NL_SET_ERR_MSG(info->extack,
			       "nothing to set: give a mode or a drain timeout");
		return -EINVAL;
	}
	sdev = sf_nl_dev_get_admin(skb, info, &ref);
	if (IS_ERR(sdev))
		return PTR_ERR(sdev);

	/* The mode first: it may be refused, and then nothing is changed. */
	if (info->attrs[SCALEFABRIC_A_DEV_MODE])
		ret = nl_set_mode(info, sdev);
	if (!ret && timeout)
		WRITE_ONCE(sdev->drain_timeout, nla_get_u32(timeout));
	sf_device_put(sdev);
	return ret;
}

static struct sf_nl_dev_ref nl_lane_dev(struct nlattr **attrs)
{
	return (struct sf_nl_dev_ref){ attrs[SCALEFABRIC_A_LANE_DEV_INDEX],
				       attrs[SCALEFABRIC_A_LANE_DEV_NAME] };
}

static int nl_fill_lane(struct sk_buff *msg, const struct sf_nl_to *to,
			struct sf_device *sdev, u32 id,
			const struct sf_lane *lane)
{
	void *hdr = sf_nl_put(msg, to, SCALEFABRIC_CMD_LANE_GET);
	int err;

	if (!hdr)
		return -EMSGSIZE;
	err = nla_put_u32(msg, SCALEFABRIC_A_LANE_DEV_INDEX, sdev->index) ||
	      nla_put_string(msg, SCALEFABRIC_A_LANE_DEV_NAME, sdev->name) ||
	      nla_put_u32(msg, SCALEFABRIC_A_LANE_ID, id) ||
	      nla_put_u32(msg, SCALEFABRIC_A_LANE_PORT, lane->port) ||
	      (lane->ifindex &&
	       (nla_put_string(msg, SCALEFABRIC_A_LANE_MEMBER, lane->member) ||
		nla_put_u32(msg, SCALEFABRIC_A_LANE_MEMBER_IFINDEX,
			    lane->ifindex))) ||
	      (*lane->bond &&
	       nla_put_string(msg, SCALEFABRIC_A_LANE_BOND, lane->bond)) ||
	      nla_put_u8(msg, SCALEFABRIC_A_LANE_STATE, lane->state) ||
	      (lane->speed &&
	       nla_put_u32(msg, SCALEFABRIC_A_LANE_SPEED, lane->speed)) ||
	      nla_put_u8(msg, SCALEFABRIC_A_LANE_LINK_LAYER,
			 lane->link_layer) ||
	      nla_put_u32(msg, SCALEFABRIC_A_LANE_QPS, sf_lane_qps(sdev, id));
	return sf_nl_end(msg, hdr, err ? -EMSGSIZE : 0);
}

static void nl_no_lane(struct genl_info *info, const struct nlattr *attr,
		       const struct sf_device *sdev)
{
	NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr, "%s has no lane %u",
				sdev->name, nla_get_u32(attr));
}

int scalefabric_nl_lane_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *id = info->attrs[SCALEFABRIC_A_LANE_ID];
	struct sf_nl_dev_ref ref = nl_lane_dev(info->attrs);
	struct sf_nl_to to = sf_nl_to_reply(info);
	struct sf_device *sdev;
	struct sk_buff *msg = NULL;
	struct sf_lane lane;
	int ret;

	if (!id) {
		NL_SET_ERR_MSG(info->extack, "the lane's id is missing");
		return -EINVAL;
	}
	sdev = sf_nl_dev_get(info, &ref);
	if (IS_ERR(sdev))
		return PTR_ERR(sdev);
	sf_lane_sync();
	sf_device_sync();
	if (!sf_lane_read(sdev, nla_get_u32(id), &lane)) {
		nl_no_lane(info, id, sdev);
		ret = -EINVAL;
		goto out;
	}
	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	ret = msg ? nl_fill_lane(msg, &to, sdev, nla_get_u32(id), &lane) :
		    -ENOMEM;
out:
	sf_device_put(sdev);
	if (ret) {
		nlmsg_free(msg);
		return ret;
	}
	return genlmsg_reply(msg, info);
}

/* cb->args[0], cb->args[1]: the device's index and the lane to begin with. */
int scalefabric_nl_lane_get_dumpit(struct sk_buff *skb,
				   struct netlink_callback *cb)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;
	const struct nlattr *id = attrs[SCALEFABRIC_A_LANE_ID];
	const struct net *net = sock_net(cb->skb->sk);
	struct sf_nl_dev_ref ref = nl_lane_dev(attrs);
	struct sf_nl_to to = sf_nl_to_dump(cb);
	struct sf_device *sdev;
	struct sf_lane lane;
	int ret = 0;

	if (!cb->args[0] && !cb->args[1]) {
		sf_lane_sync();
		sf_device_sync();
	}
	while (!ret && (sdev = sf_nl_dev_next(net, cb->args[0], &ref))) {
		if (sdev->index != cb->args[0])
			cb->args[1] = 0;
		cb->args[0] = sdev->index;
		for (; sf_lane_read(sdev, cb->args[1], &lane); cb->args[1]++) {
			if (id && nla_get_u32(id) != cb->args[1])
				continue;
			ret = nl_fill_lane(skb, &to, sdev, cb->args[1], &lane);
			if (ret)
				break;
		}
		if (!ret) {
			cb->args[0]++;
			cb->args[1] = 0;
		}
		sf_device_put(sdev);
	}
	return skb->len ?: ret;
}

int sf_netlink_init(void)
{
	int ret = genl_register_family(&sf_nl_family);

	if (ret)
		return ret;
	ret = sf_nl_notify_init();
	if (ret)
		genl_unregister_family(&sf_nl_family);
	return ret;
}

void sf_netlink_exit(void)
{
	sf_nl_notify_exit();
	genl_unregister_family(&sf_nl_family);
}

#ifdef CONFIG_SCALEFABRIC_KUNIT_TEST
#include "tests/kunit/netlink_kunit.c"
#endif

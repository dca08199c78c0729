// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - lanes, the physical ways out of a device
 *
 * Which member of a bond a RoCEv2 packet leaves over is decided by the bond,
 * from the packet's addresses and its UDP source port, which in turn comes
 * from the QP's flow label. Nobody but the bond knows its hash, so the bond is
 * asked: with a packet that has the QP's headers and no payload, through
 * netdev_get_xmit_slave(), as ib_core itself does when a QP is connected
 * (drivers/infiniband/core/lag.c).
 */
#include "lane.h"

#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/rtnetlink.h>
#include <linux/udp.h>
#include <linux/workqueue.h>
#include <net/bonding.h>
#include <net/ipv6.h>
#include <net/lag.h>
#include <rdma/ib_cache.h>

#include "device.h"
#include "qp.h"

/* Of the 16384 source ports there are, so many are tried for a lane. */
#define LABEL_TRIES 4096

/* A flapping link raises several notifications at once: take them together. */
#define SETTLE_MS 10

static void lane_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(lane_work, lane_work_fn);

static bool same_lane(const struct sf_lane *lane, u8 port, int ifindex)
{
	return lane->port == port && lane->ifindex == ifindex;
}

static u8 lane_number(struct sf_lanes *lanes, u8 port, int ifindex)
{
	u8 i, id = SF_LANE_NONE;

	mutex_lock(&lanes->lock);
	for (i = 0; i < lanes->count; i++)
		if (same_lane(&lanes->lane[i], port, ifindex))
			id = i;
	mutex_unlock(&lanes->lock);
	return id;
}

/* The only lane of a port, or SF_LANE_NONE if it has several. */
static u8 lane_single(struct sf_lanes *lanes, u8 port)
{
	u8 i, id = SF_LANE_NONE;

	mutex_lock(&lanes->lock);
	for (i = 0; i < lanes->count; i++) {
		if (lanes->lane[i].port != port ||
		    lanes->lane[i].state == SCALEFABRIC_LANE_STATE_ABSENT)
			continue;
		if (id != SF_LANE_NONE) {
			id = SF_LANE_NONE;
			break;
		}
		id = i;
	}
	mutex_unlock(&lanes->lock);
	return id;
}

/* The device that sends for @ndev: under a VLAN the one it lies on. */
static struct net_device *lane_base(struct net_device *ndev)
{
	while (is_vlan_dev(ndev))
		ndev = vlan_dev_real_dev(ndev);
	return ndev;
}

/* The network device of a port, referenced, as its GID table tells it. */
static struct net_device *port_netdev(struct ib_device *ibdev, u32 port)
{
	int i, n = ibdev->port_data[port].immutable.gid_tbl_len;
	const struct ib_gid_attr *attr;
	struct net_device *ndev;

	for (i = 0; i < n; i++) {
		attr = rdma_get_gid_attr(ibdev, port, i);
		if (IS_ERR(attr))
			continue;
		rcu_read_lock();
		ndev = rdma_read_gid_attr_ndev_rcu(attr);
		if (!IS_ERR(ndev)) {
			ndev = lane_base(ndev);
			dev_hold(ndev);
		}
		rcu_read_unlock();
		rdma_put_gid_attr(attr);
		if (!IS_ERR(ndev))
			return ndev;
	}
	return NULL;
}

static struct sf_lane *lane_slot(struct sf_lanes *lanes, u8 port, int ifindex)
{
	struct sf_lane *lane;
	u8 i;

	lockdep_assert_held(&lanes->lock);

	for (i = 0; i < lanes->count; i++)
		if (same_lane(&lanes->lane[i], port, ifindex))
			return &lanes->lane[i];
	if (lanes->count == SF_LANE_MAX) {
		pr_warn_once("more than %d lanes of one device, the rest is not seen\n",
			     SF_LANE_MAX);
		return NULL;
	}
	lane = &lanes->lane[lanes->count++];
	lane->port = port;
	lane->ifindex = ifindex;
	return lane;
}

static void lane_set_netdev(struct sf_lanes *lanes, u8 port,
			    struct net_device *ndev, struct net_device *bond)
{
	struct ethtool_link_ksettings link;
	struct sf_lane *lane;
	bool up;

	ASSERT_RTNL();

	lane = lane_slot(lanes, port, ndev->ifindex);
	if (!lane)
		return;
	up = netif_running(ndev) && netif_carrier_ok(ndev) &&
	     (!bond || net_lag_port_dev_txable(ndev));
	strscpy(lane->member, ndev->name, sizeof(lane->member));
	strscpy(lane->bond, bond ? bond->name : "", sizeof(lane->bond));
	lane->state = up ? SCALEFABRIC_LANE_STATE_UP :
			   SCALEFABRIC_LANE_STATE_DOWN;
	lane->link_layer = SCALEFABRIC_LINK_LAYER_ETHERNET;
	lane->speed = 0;
	if (!__ethtool_get_link_ksettings(ndev, &link) &&
	    link.base.speed != (u32)SPEED_UNKNOWN)
		lane->speed = link.base.speed;
}

static void lanes_of_netdev(struct sf_lanes *lanes, u8 port,
			    struct net_device *base)
{
	struct net_device *ndev;

	if (!netif_is_bond_master(base)) {
		lane_set_netdev(lanes, port, base, NULL);
		return;
	}
	for_each_netdev(dev_net(base), ndev)
		if (netdev_master_upper_dev_get(ndev) == base)
			lane_set_netdev(lanes, port, ndev, base);
}

static void lane_set_ib(struct sf_lanes *lanes, u8 port,
			const struct ib_port_attr *attr)
{
	/* Mbit/s of one link (lane in InfiniBand's sense) by active_speed. */
	static const struct {
		u32 speed, mbit;
	} rates[] = {
		{ IB_SPEED_SDR, 2500 },	 { IB_SPEED_DDR, 5000 },
		{ IB_SPEED_QDR, 10000 }, { IB_SPEED_FDR10, 10000 },
		{ IB_SPEED_FDR, 14000 }, { IB_SPEED_EDR, 25000 },
		{ IB_SPEED_HDR, 50000 }, { IB_SPEED_NDR, 100000 },
	};
	struct sf_lane *lane;
	size_t i;
	int width;

	lane = lane_slot(lanes, port, 0);
	if (!lane)
		return;
	lane->state = attr->state == IB_PORT_ACTIVE ?
			      SCALEFABRIC_LANE_STATE_UP :
			      SCALEFABRIC_LANE_STATE_DOWN;
	lane->link_layer = SCALEFABRIC_LINK_LAYER_INFINIBAND;
	lane->speed = 0;
	width = ib_width_enum_to_int(attr->active_width);
	for (i = 0; i < ARRAY_SIZE(rates) && width > 0; i++)
		if (rates[i].speed == attr->active_speed)
			lane->speed = rates[i].mbit * width;
}

static void lane_refresh_port(struct sf_device *sdev, u8 port)
{
	bool ib = rdma_port_get_link_layer(sdev->ibdev, port) ==
		  IB_LINK_LAYER_INFINIBAND;
	struct sf_lanes *lanes = &sdev->lanes;
	struct net_device *base = NULL;
	struct ib_port_attr attr;
	u8 i;

	/* Drivers may take RTNL in their query: ask before we do. */
	if (ib && ib_query_port(sdev->ibdev, port, &attr))
		return;
	if (!ib)
		base = port_netdev(sdev->ibdev, port);

	rtnl_lock();
	mutex_lock(&lanes->lock);
	for (i = 0; i < lanes->count; i++)
		if (lanes->lane[i].port == port)
			lanes->lane[i].state = SCALEFABRIC_LANE_STATE_ABSENT;
	if (ib)
		lane_set_ib(lanes, port, &attr);
	else if (base)
		lanes_of_netdev(lanes, port, base);
	mutex_unlock(&lanes->lock);
	rtnl_unlock();
	dev_put(base);
}

void sf_lane_refresh(struct sf_device *sdev)
{
	u32 port;

	rdma_for_each_port(sdev->ibdev, port)
		if (port < SF_LANE_NONE)
			lane_refresh_port(sdev, port);
}

bool sf_lane_read(struct sf_device *sdev, u32 id, struct sf_lane *lane)
{
	struct sf_lanes *lanes = &sdev->lanes;
	bool found;

	mutex_lock(&lanes->lock);
	found = id < lanes->count;
	if (found)
		*lane = lanes->lane[id];
	mutex_unlock(&lanes->lock);
	return found;
}

static u8 lane_counter(u8 id)
{
	return id < SF_LANE_MAX ? id : SF_LANE_MAX;
}

void sf_lane_count(struct sf_device *sdev, u8 id, int n)
{
	atomic_add(n, &sdev->lanes.qps[lane_counter(id)]);
}

int sf_lane_qps(struct sf_device *sdev, u8 id)
{
	return atomic_read(&sdev->lanes.qps[lane_counter(id)]);
}

/**
 * struct lane_probe - a question to a bond
 * @sdev: the device
 * @port: its port
 * @master: the bond, referenced
 * @skb: a packet of the QP, all but its source port
 */
struct lane_probe {
	struct sf_device *sdev;
	u8 port;
	struct net_device *master;
	struct sk_buff *skb;
};

static void probe_push_ip(struct sk_buff *skb, const struct sf_qp_info *qp)
{
	const struct in6_addr *dst = (const struct in6_addr *)qp->dgid.raw;
	struct ipv6hdr *ip6h;
	struct iphdr *iph;

	if (ipv6_addr_v4mapped(dst)) {
		iph = skb_push(skb, sizeof(*iph));
		memset(iph, 0, sizeof(*iph));
		iph->version = 4;
		iph->ihl = sizeof(*iph) / 4;
		iph->protocol = IPPROTO_UDP;
		iph->tot_len = htons(sizeof(*iph) + sizeof(struct udphdr));
		memcpy(&iph->saddr, qp->sgid.raw + 12, sizeof(iph->saddr));
		memcpy(&iph->daddr, qp->dgid.raw + 12, sizeof(iph->daddr));
		skb->protocol = htons(ETH_P_IP);
	} else {
		ip6h = skb_push(skb, sizeof(*ip6h));
		memset(ip6h, 0, sizeof(*ip6h));
		ip6_flow_hdr(ip6h, 0, htonl(qp->flow_label));
		ip6h->nexthdr = IPPROTO_UDP;
		ip6h->payload_len = htons(sizeof(struct udphdr));
		memcpy(&ip6h->saddr, qp->sgid.raw, sizeof(ip6h->saddr));
		memcpy(&ip6h->daddr, qp->dgid.raw, sizeof(ip6h->daddr));
		skb->protocol = htons(ETH_P_IPV6);
	}
	skb_reset_network_header(skb);
}

static struct sk_buff *probe_skb(struct net_device *master,
				 const struct ib_gid_attr *attr,
				 const struct sf_qp_info *qp)
{
	u16 vlan = VLAN_N_VID;
	struct sk_buff *skb;
	struct ethhdr *eth;
	struct udphdr *uh;
	u8 smac[ETH_ALEN];

	if (rdma_read_gid_l2_fields(attr, &vlan, smac))
		return NULL;
	skb = alloc_skb(LL_RESERVED_SPACE(master) + sizeof(*eth) +
				sizeof(struct ipv6hdr) + sizeof(*uh),
			GFP_KERNEL);
	if (!skb)
		return NULL;
	skb->dev = master;
	skb_reserve(skb, skb_tailroom(skb));

	uh = skb_push(skb, sizeof(*uh));
	memset(uh, 0, sizeof(*uh));
	uh->dest = htons(ROCE_V2_UDP_DPORT);
	uh->len = htons(sizeof(*uh));
	skb_reset_transport_header(skb);

	probe_push_ip(skb, qp);

	eth = skb_push(skb, sizeof(*eth));
	skb_reset_mac_header(skb);
	ether_addr_copy(eth->h_source, smac);
	ether_addr_copy(eth->h_dest, qp->dmac);
	eth->h_proto = skb->protocol;
	if (vlan < VLAN_N_VID)
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), vlan);
	return skb;
}

/*
 * Some bonds have no answer: round robin and the balancing modes that decide
 * anew for every packet, and hashes of the peer's MAC address where we do not
 * know it.
 */
static bool bond_can_tell(const struct net_device *master,
			  const struct sf_qp_info *qp)
{
	const struct bonding *bond = netdev_priv(master);

	switch (BOND_MODE(bond)) {
	case BOND_MODE_ACTIVEBACKUP:
		return true;
	case BOND_MODE_XOR:
	case BOND_MODE_8023AD:
		break;
	default:
		return false;
	}
	switch (bond->params.xmit_policy) {
	case BOND_XMIT_POLICY_LAYER2:
	case BOND_XMIT_POLICY_LAYER23:
	case BOND_XMIT_POLICY_ENCAP23:
		return !is_zero_ether_addr(qp->dmac);
	default:
		return true;
	}
}

/* Return: the probe, or NULL where there is no bond or no way to ask it. */
static struct lane_probe *probe_begin(struct sf_device *sdev,
				      const struct sf_qp_info *qp)
{
	const struct ib_gid_attr *attr;
	struct net_device *ndev;
	struct lane_probe *probe;

	probe = kzalloc(sizeof(*probe), GFP_KERNEL);
	if (!probe)
		return NULL;
	probe->sdev = sdev;
	probe->port = qp->port;

	attr = rdma_get_gid_attr(sdev->ibdev, qp->port, qp->sgid_index);
	if (IS_ERR(attr))
		goto err_free;
	if (attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		goto err_attr;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	if (!IS_ERR(ndev)) {
		ndev = lane_base(ndev);
		if (netif_is_bond_master(ndev) && bond_can_tell(ndev, qp)) {
			probe->master = ndev;
			dev_hold(ndev);
		}
	}
	rcu_read_unlock();
	if (!probe->master)
		goto err_attr;

	probe->skb = probe_skb(probe->master, attr, qp);
	if (!probe->skb)
		goto err_master;
	rdma_put_gid_attr(attr);
	return probe;

err_master:
	dev_put(probe->master);
err_attr:
	rdma_put_gid_attr(attr);
err_free:
	kfree(probe);
	return NULL;
}

static u8 probe_ask(struct lane_probe *probe, u16 sport)
{
	struct net_device *slave;
	int ifindex = 0;

	udp_hdr(probe->skb)->source = htons(sport);
	rcu_read_lock();
	slave = netdev_get_xmit_slave(probe->master, probe->skb, false);
	if (slave)
		ifindex = slave->ifindex;
	rcu_read_unlock();

	if (!ifindex)
		return SF_LANE_NONE;
	return lane_number(&probe->sdev->lanes, probe->port, ifindex);
}

static void probe_end(struct lane_probe *probe)
{
	dev_put(probe->master);
	kfree_skb(probe->skb);
	kfree(probe);
}

u8 sf_lane_of(struct sf_device *sdev, const struct sf_qp_info *qp)
{
	struct lane_probe *probe;
	u8 id;

	if (!qp->port)
		return SF_LANE_NONE;
	id = lane_single(&sdev->lanes, qp->port);
	if (id != SF_LANE_NONE || !qp->av || !qp->grh || !qp->connected)
		return id;

	probe = probe_begin(sdev, qp);
	if (!probe)
		return SF_LANE_NONE;
	id = probe_ask(probe,
		       rdma_get_udp_sport(qp->flow_label, qp->qpn, qp->rqpn));
	probe_end(probe);
	return id;
}

int sf_lane_label(struct sf_device *sdev, const struct sf_qp_info *qp, u8 id,
		  u32 *label)
{
	struct lane_probe *probe;
	u32 i, start, try;
	int ret = -ENOENT;

	probe = probe_begin(sdev, qp);
	if (!probe)
		return -ENOENT;

	/* Neighbours begin at different places, so they do not share a path. */
	start = jhash_2words(qp->qpn, qp->rqpn, 0);
	for (i = 0; i < LABEL_TRIES; i++) {
		try = (start + i) & SCALEFABRIC_FLOW_LABEL_MAX;
		if (!try || try == qp->flow_label)
			continue;
		if (probe_ask(probe, rdma_flow_label_to_udp_sport(try)) == id) {
			*label = try;
			ret = 0;
			break;
		}
	}
	probe_end(probe);
	return ret;
}

static void lane_work_fn(struct work_struct *work)
{
	struct sf_device *sdev;
	u32 index = 0;

	while ((sdev = sf_device_next(index))) {
		sf_lane_refresh(sdev);
		sf_qp_relane(sdev);
		index = sdev->index + 1;
		sf_device_put(sdev);
	}
}

void sf_lane_changed(void)
{
	queue_delayed_work(system_unbound_wq, &lane_work,
			   msecs_to_jiffies(SETTLE_MS));
}

void sf_lane_sync(void)
{
	flush_delayed_work(&lane_work);
}

static int lane_netdev_event(struct notifier_block *nb, unsigned long event,
			     void *ptr)
{
	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGENAME:
	case NETDEV_CHANGEUPPER:
	case NETDEV_CHANGELOWERSTATE:
	case NETDEV_CHANGEINFODATA:
	case NETDEV_UNREGISTER:
		sf_lane_changed();
	}
	return NOTIFY_DONE;
}

static struct notifier_block lane_netdev_nb = {
	.notifier_call = lane_netdev_event,
};

void sf_lane_setup(struct sf_device *sdev)
{
	mutex_init(&sdev->lanes.lock);
}

int sf_lane_init(void)
{
	return register_netdevice_notifier(&lane_netdev_nb);
}

void sf_lane_exit(void)
{
	unregister_netdevice_notifier(&lane_netdev_nb);
	cancel_delayed_work_sync(&lane_work);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - which lane a QP uses
 *
 * Which member of a bond a RoCEv2 packet leaves over is decided by the bond,
 * from the packet's addresses and its UDP source port, which in turn comes
 * from the QP's flow label. Nobody but the bond knows its hash, so the bond is
 * asked: with a packet that has the QP's headers and no payload, through
 * netdev_get_xmit_slave(), as ib_core itself does when a QP is connected
 * (drivers/infiniband/core/lag.c).
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/udp.h>
#include <net/bonding.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>

#include "device.h"
#include "lane.h"
#include "qp.h"

/* Of the 16384 source ports there are, so many are tried for a lane. */
#define LABEL_TRIES 4096

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
		ndev = sf_lane_base(ndev);
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
	return sf_lane_number(probe->sdev, probe->port, ifindex);
}

static void probe_end(struct lane_probe *probe)
{
	dev_put(probe->master);
	kfree_skb(probe->skb);
	kfree(probe);
}

/*
 * Drivers that make a QP's UDP source port from its flow label, by
 * rdma_get_udp_sport() or to the same effect. Others take what they like, or
 * leave it to firmware.
 */
bool sf_lane_label_is_port(const struct sf_device *sdev)
{
	switch (sdev->ibdev->ops.driver_id) {
	case RDMA_DRIVER_RXE:
	case RDMA_DRIVER_MLX5:
	case RDMA_DRIVER_HNS:
	case RDMA_DRIVER_IRDMA:
		return true;
	default:
		return false;
	}
}

/* Hardware below a bond chooses by itself; only rxe sends through the bond. */
static bool sends_through_netdev(const struct sf_device *sdev)
{
	return sdev->ibdev->ops.driver_id == RDMA_DRIVER_RXE;
}

u8 sf_lane_of(struct sf_device *sdev, const struct sf_qp_info *qp)
{
	struct lane_probe *probe;
	u8 id;

	if (!qp->port)
		return SF_LANE_NONE;
	id = sf_lane_single(sdev, qp->port);
	if (id != SF_LANE_NONE || !qp->av || !qp->grh || !qp->connected ||
	    !sends_through_netdev(sdev))
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

#ifdef CONFIG_SCALEFABRIC_KUNIT_TEST
#include "tests/kunit/lane_probe_kunit.c"
#endif

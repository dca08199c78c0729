// SPDX-License-Identifier: GPL-2.0
/* scaleFabric tests - an RDMA device with a driver that does as it is told */
#include "fake_hca.h"

#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/udp.h>
#include <net/bonding.h>

#include "kmod/rebind.h"

#define GID_TABLE 16
#define FIRST_QPN 0x1000

struct fake_pd {
	struct ib_pd ibpd;
};

static struct sf_fake_hca *the_hca;
static atomic_t next_qpn = ATOMIC_INIT(FIRST_QPN);

/* Whether this call of a step is one that fails. Others than the mover's do not. */
static bool step_fails(struct sf_fake_qp *fqp, enum sf_fake_step step)
{
	unsigned int call;

	if (step == SF_FAKE_STEPS || !sf_rebind_is_mine(&fqp->ibqp))
		return false;
	call = ++fqp->now.calls[step];
	return fqp->plan.fail[step].count &&
	       call >= fqp->plan.fail[step].first &&
	       call - fqp->plan.fail[step].first < fqp->plan.fail[step].count;
}

static enum sf_fake_step step_of(const struct sf_fake_qp *fqp,
				 const struct ib_qp_attr *attr, int mask)
{
	bool sqd = fqp->now.state == IB_QPS_SQD;

	if (mask & IB_QP_STATE && attr->qp_state == IB_QPS_SQD)
		return SF_FAKE_TO_SQD;
	if (mask & IB_QP_STATE && attr->qp_state == IB_QPS_RTS && sqd)
		return SF_FAKE_TO_RTS;
	if (mask == IB_QP_AV)
		return sqd ? SF_FAKE_AV_SQD : SF_FAKE_AV_RTS;
	return SF_FAKE_STEPS;
}

void sf_fake_qp_raise(struct sf_fake_qp *fqp, enum ib_event_type type)
{
	struct ib_qp *ibqp = &fqp->ibqp;
	struct ib_event event = {
		.device = ibqp->device,
		.element.qp = ibqp,
		.event = type,
	};

	if (ibqp->event_handler)
		ibqp->event_handler(&event, ibqp->qp_context);
}

static void drained(struct sf_fake_qp *fqp)
{
	fqp->now.draining = false;
	fqp->now.raised++;
	sf_fake_qp_raise(fqp, IB_EVENT_SQ_DRAINED);
}

/* As rxe_qp_chk_attr(), of 6.1 and later. */
static bool modify_is_ok(const struct sf_fake_qp *fqp,
			 const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state cur, next;

	if (fqp->plan.av_in_rts && !(mask & IB_QP_STATE))
		return true;
	cur = mask & IB_QP_CUR_STATE ? attr->cur_qp_state : fqp->now.state;
	next = mask & IB_QP_STATE ? attr->qp_state : cur;
	if (!ib_modify_qp_is_ok(cur, next, fqp->ibqp.qp_type, mask))
		return false;
	return !(mask & IB_QP_STATE) || cur != IB_QPS_SQD ||
	       !fqp->now.draining || next == IB_QPS_ERR;
}

static int fake_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			  struct ib_udata *udata)
{
	struct sf_fake_qp *fqp = sf_fake_qp_of(ibqp);

	if (step_fails(fqp, step_of(fqp, attr, mask)))
		return -EIO;
	if (!modify_is_ok(fqp, attr, mask))
		return -EINVAL;
	if (mask & IB_QP_AV) {
		fqp->now.av = attr->ah_attr;
		fqp->now.av.grh.sgid_attr = NULL;
	}
	if (!(mask & IB_QP_STATE))
		return 0;
	fqp->now.state = attr->qp_state;
	fqp->now.draining = attr->qp_state == IB_QPS_SQD;
	if (fqp->now.draining && !fqp->plan.drain_queries &&
	    !fqp->plan.drain_kicks)
		drained(fqp);
	return 0;
}

/* A query of the mover in SQD is when things happen to the QP. */
static int query_sqd(struct sf_fake_qp *fqp)
{
	const struct sf_fake_plan *plan = &fqp->plan;
	bool fails = step_fails(fqp, SF_FAKE_QUERY_SQD);
	unsigned int call = fqp->now.calls[SF_FAKE_QUERY_SQD];

	if (plan->hook_at && call == plan->hook_at)
		plan->hook(fqp);
	if (plan->die_at && call == plan->die_at)
		fqp->now.state = IB_QPS_ERR;
	else if (fqp->now.draining && !plan->drain_kicks &&
		 call >= plan->drain_queries)
		drained(fqp);
	return fails ? -EIO : 0;
}

static int fake_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			 struct ib_qp_init_attr *init)
{
	struct sf_fake_qp *fqp = sf_fake_qp_of(ibqp);
	int ret;

	if (sf_rebind_is_mine(ibqp)) {
		if (fqp->now.state == IB_QPS_SQD)
			ret = query_sqd(fqp);
		else
			ret = step_fails(fqp, SF_FAKE_QUERY_RTS) ? -EIO : 0;
		if (ret)
			return ret;
	} else if (fqp->query_hook) {
		fqp->query_hook(fqp);
	}
	attr->qp_state = fqp->now.state;
	attr->cur_qp_state = fqp->now.state;
	attr->sq_draining = fqp->now.draining;
	attr->ah_attr = fqp->now.av;
	attr->port_num = 1;
	attr->path_mtu = IB_MTU_1024;
	attr->dest_qp_num = SF_FAKE_RQPN;
	return 0;
}

static int fake_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad)
{
	struct sf_fake_qp *fqp = sf_fake_qp_of(ibqp);

	fqp->now.kicks++;
	if (fqp->now.draining && fqp->plan.drain_kicks &&
	    fqp->now.kicks >= fqp->plan.drain_kicks)
		drained(fqp);
	return 0;
}

static int fake_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
			  struct ib_udata *udata)
{
	ibqp->qp_num = atomic_inc_return(&next_qpn);
	return 0;
}

static int fake_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct sf_fake_qp *fqp = sf_fake_qp_of(ibqp);

	if (fqp->destroy_error)
		return fqp->destroy_error;
	if (fqp->last)
		*fqp->last = fqp->now;
	return 0;
}

static int fake_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int fake_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int fake_query_device(struct ib_device *ibdev,
			     struct ib_device_attr *attr,
			     struct ib_udata *udata)
{
	attr->max_qp = 1024;
	attr->max_qp_wr = 16;
	attr->max_pd = 1;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	return 0;
}

static int fake_query_port(struct ib_device *ibdev, u32 port,
			   struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_1024;
	attr->active_width = IB_WIDTH_1X;
	attr->active_speed = IB_SPEED_SDR;
	attr->gid_tbl_len = GID_TABLE;
	return 0;
}

/* Neither management datagrams nor connections: ib_core brings up neither. */
static int fake_get_port_immutable(struct ib_device *ibdev, u32 port,
				   struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP;
	immutable->gid_tbl_len = GID_TABLE;
	return 0;
}

static enum rdma_link_layer fake_get_link_layer(struct ib_device *ibdev,
						u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static const struct ib_device_ops fake_ops = {
	.owner = THIS_MODULE,
	/* Since how QPs are moved goes by it. */
	.driver_id = RDMA_DRIVER_RXE,
	.alloc_pd = fake_alloc_pd,
	.create_qp = fake_create_qp,
	.dealloc_pd = fake_dealloc_pd,
	.destroy_qp = fake_destroy_qp,
	.get_link_layer = fake_get_link_layer,
	.get_port_immutable = fake_get_port_immutable,
	.modify_qp = fake_modify_qp,
	.post_send = fake_post_send,
	.query_device = fake_query_device,
	.query_port = fake_query_port,
	.query_qp = fake_query_qp,

	INIT_RDMA_OBJ_SIZE(ib_pd, fake_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, sf_fake_qp, ibqp),
};

static netdev_tx_t fake_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	kfree_skb(skb);
	return NETDEV_TX_OK;
}

static struct net_device *fake_get_xmit_slave(struct net_device *netdev,
					      struct sk_buff *skb, bool all)
{
	struct sf_fake_bond *bond = &the_hca->bond;
	int slave;

	bond->asked++;
	bond->len = min_t(unsigned int, skb->len, sizeof(bond->packet));
	memcpy(bond->packet, skb->data, bond->len);
	bond->protocol = skb->protocol;
	bond->network = skb_network_offset(skb);
	bond->transport = skb_transport_offset(skb);
	slave = bond->choose ? bond->choose(ntohs(udp_hdr(skb)->source)) : -1;
	return slave < 0 ? NULL : bond->slaves[slave];
}

static const struct net_device_ops fake_netdev_ops = {
	.ndo_start_xmit = fake_xmit,
	.ndo_get_xmit_slave = fake_get_xmit_slave,
};

static struct net_device *netdev_alloc(u8 number)
{
	u8 mac[ETH_ALEN] = { 0x02, 0x5f, 0, 0, 0, number };
	struct net_device *netdev;

	netdev = alloc_netdev(sizeof(struct bonding), "sftest%d",
			      NET_NAME_UNKNOWN, ether_setup);
	if (!netdev)
		return NULL;
	netdev->netdev_ops = &fake_netdev_ops;
	netdev->flags |= IFF_NOARP;
	eth_hw_addr_set(netdev, mac);
	return netdev;
}

static int netdev_up(struct net_device *netdev)
{
	int ret = register_netdev(netdev);

	if (ret)
		return ret;
	rtnl_lock();
	ret = dev_open(netdev, NULL);
	rtnl_unlock();
	if (ret)
		unregister_netdev(netdev);
	return ret;
}

void sf_fake_hca_bond(struct sf_fake_hca *hca, int mode, int policy)
{
	struct bonding *bond = netdev_priv(hca->netdev);

	/* No notification: the bonding driver shall not take it for its own. */
	bond->params.mode = mode;
	bond->params.xmit_policy = policy;
	if (mode < 0) {
		hca->netdev->flags &= ~IFF_MASTER;
		hca->netdev->priv_flags &= ~IFF_BONDING;
	} else {
		hca->netdev->flags |= IFF_MASTER;
		hca->netdev->priv_flags |= IFF_BONDING;
	}
}

static void netdevs_free(struct sf_fake_hca *hca)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(hca->bond.slaves); i++)
		if (hca->bond.slaves[i])
			free_netdev(hca->bond.slaves[i]);
	if (hca->netdev)
		free_netdev(hca->netdev);
}

/* The members of the bond are never registered: only their numbers are asked for. */
static int netdevs_alloc(struct sf_fake_hca *hca)
{
	int i;

	hca->netdev = netdev_alloc(1);
	for (i = 0; i < ARRAY_SIZE(hca->bond.slaves); i++) {
		hca->bond.slaves[i] = netdev_alloc(2 + i);
		if (hca->bond.slaves[i])
			hca->bond.slaves[i]->ifindex = INT_MAX - i;
	}
	return hca->netdev && hca->bond.slaves[0] && hca->bond.slaves[1] ?
		       0 :
		       -ENOMEM;
}

static int hca_bring_up(struct sf_fake_hca *hca)
{
	int ret = ib_device_set_netdev(&hca->ibdev, hca->netdev, 1);

	if (!ret)
		ret = ib_register_device(&hca->ibdev, "sftest%d", NULL);
	if (ret)
		return ret;
	hca->pd = ib_alloc_pd(&hca->ibdev, 0);
	if (IS_ERR(hca->pd)) {
		ib_unregister_device(&hca->ibdev);
		return PTR_ERR(hca->pd);
	}
	return 0;
}

struct sf_fake_hca *sf_fake_hca_register(void)
{
	struct sf_fake_hca *hca;
	int ret;

	hca = ib_alloc_device(sf_fake_hca, ibdev);
	if (!hca)
		return ERR_PTR(-ENOMEM);
	the_hca = hca;
	hca->ibdev.node_type = RDMA_NODE_IB_CA;
	hca->ibdev.phys_port_cnt = 1;
	hca->ibdev.num_comp_vectors = 1;
	ib_set_device_ops(&hca->ibdev, &fake_ops);

	ret = netdevs_alloc(hca);
	if (ret)
		goto err_netdevs;
	ret = netdev_up(hca->netdev);
	if (ret)
		goto err_netdevs;
	ret = hca_bring_up(hca);
	if (ret)
		goto err_up;
	return hca;

err_up:
	ib_device_set_netdev(&hca->ibdev, NULL, 1);
	unregister_netdev(hca->netdev);
err_netdevs:
	netdevs_free(hca);
	ib_dealloc_device(&hca->ibdev);
	return ERR_PTR(ret);
}

void sf_fake_hca_unregister(struct sf_fake_hca *hca)
{
	sf_fake_hca_bond(hca, -1, 0);
	ib_dealloc_pd(hca->pd);
	ib_unregister_device(&hca->ibdev);
	unregister_netdev(hca->netdev);
	netdevs_free(hca);
	ib_dealloc_device(&hca->ibdev);
}

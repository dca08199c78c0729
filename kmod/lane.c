// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - lanes, the physical ways out of a device
 *
 * Which ports and network devices there are, kept up to date. Which of them a QP
 * uses is found out in lane_probe.c.
 */
#include "lane.h"

#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/rtnetlink.h>
#include <linux/workqueue.h>
#include <net/lag.h>
#include <rdma/ib_cache.h>

#include "device.h"
#include "qp.h"

/* A flapping link raises several notifications at once: take them together. */
#define SETTLE_MS 10

static void lane_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(lane_work, lane_work_fn);

static bool same_lane(const struct sf_lane *lane, u8 port, int ifindex)
{
	return lane->port == port && lane->ifindex == ifindex;
}

u8 sf_lane_number(struct sf_device *sdev, u8 port, int ifindex)
{
	struct sf_lanes *lanes = &sdev->lanes;
	u8 i, id = SF_LANE_NONE;

	mutex_lock(&lanes->lock);
	for (i = 0; i < lanes->count; i++)
		if (same_lane(&lanes->lane[i], port, ifindex))
			id = i;
	mutex_unlock(&lanes->lock);
	return id;
}

u8 sf_lane_single(struct sf_device *sdev, u8 port)
{
	struct sf_lanes *lanes = &sdev->lanes;
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

struct net_device *sf_lane_base(struct net_device *ndev)
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
			ndev = sf_lane_base(ndev);
			dev_hold(ndev);
		}
		rcu_read_unlock();
		rdma_put_gid_attr(attr);
		if (!IS_ERR(ndev))
			return ndev;
	}
	return NULL;
}

/* A lane that nobody would miss. */
static struct sf_lane *lane_free(struct sf_lanes *lanes)
{
	u8 i;

	lockdep_assert_held(&lanes->lock);

	for (i = 0; i < lanes->count; i++)
		if (lanes->lane[i].state == SCALEFABRIC_LANE_STATE_ABSENT &&
		    !atomic_read(&lanes->qps[i]))
			return &lanes->lane[i];
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
	if (lanes->count < SF_LANE_MAX)
		lane = &lanes->lane[lanes->count++];
	else
		lane = lane_free(lanes);
	if (!lane) {
		pr_warn_once("more than %d lanes of one device, the rest is not seen\n",
			     SF_LANE_MAX);
		return NULL;
	}
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
	lane->seen = true;
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
	lane->seen = true;
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
		lanes->lane[i].seen = lanes->lane[i].port != port;
	if (ib)
		lane_set_ib(lanes, port, &attr);
	else if (base)
		lanes_of_netdev(lanes, port, base);
	for (i = 0; i < lanes->count; i++)
		if (!lanes->lane[i].seen)
			lanes->lane[i].state = SCALEFABRIC_LANE_STATE_ABSENT;
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

/* Whether a network device is a lane, a bond, or becomes or ceases to be one of its. */
static bool lane_concerns(const struct net_device *ndev)
{
	struct sf_device *sdev;
	bool known = false;
	u32 index = 0;
	u8 i;

	if (netif_is_bond_master(ndev) || netif_is_bond_slave(ndev))
		return true;
	while (!known && (sdev = sf_device_next(index))) {
		mutex_lock(&sdev->lanes.lock);
		for (i = 0; i < sdev->lanes.count && !known; i++)
			known = sdev->lanes.lane[i].ifindex == ndev->ifindex;
		mutex_unlock(&sdev->lanes.lock);
		index = sdev->index + 1;
		sf_device_put(sdev);
	}
	return known;
}

static int lane_netdev_event(struct notifier_block *nb, unsigned long event,
			     void *ptr)
{
	if (!lane_concerns(netdev_notifier_info_to_dev(ptr)))
		return NOTIFY_DONE;
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

#ifdef CONFIG_SCALEFABRIC_KUNIT_TEST
#include "tests/kunit/lane_kunit.c"
#endif

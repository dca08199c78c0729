/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scaleFabric - lanes, the physical ways out of a device
 *
 * A lane is (RDMA device, port, member): a port of a multi-port HCA, or a
 * member of the bond that lies under a RoCE device. Lanes are numbered within
 * their device and keep their number while they are there; when the numbers are
 * used up, the next new lane gets that of an absent one without QPs.
 */
#ifndef _SF_LANE_H
#define _SF_LANE_H

#include <linux/if.h>
#include <linux/if_ether.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct sf_device;
struct sf_qp_info;

#define SF_LANE_MAX 32
#define SF_LANE_NONE 0xff

/**
 * struct sf_lane - one lane
 * @ifindex: network device that carries it, 0 for an InfiniBand port
 * @member: name of that device
 * @bond: name of the bond over @member, or empty
 * @port: port of the RDMA device
 * @state: enum scalefabric_lane_state
 * @seen: found by the refresh under way
 * @link_layer: enum scalefabric_link_layer
 * @speed: Mbit/s, 0 = not told
 */
struct sf_lane {
	int ifindex;
	char member[IFNAMSIZ];
	char bond[IFNAMSIZ];
	u8 port;
	u8 state;
	bool seen;
	u8 link_layer;
	u32 speed;
};

/**
 * struct sf_lanes - the lanes of a device
 * @lock: protects all members. Nests inside RTNL.
 * @count: lanes known
 * @lane: the lanes, by number
 * @qps: QPs on each lane, and on none (the last)
 */
struct sf_lanes {
	struct mutex lock; /* all members */
	u8 count;
	struct sf_lane lane[SF_LANE_MAX];
	atomic_t qps[SF_LANE_MAX + 1];
};

void sf_lane_setup(struct sf_device *sdev);

/* Something under the devices changed: look again soon. Context: any. */
void sf_lane_changed(void);

/* Wait until what changed so far is seen. Context: may sleep. */
void sf_lane_sync(void);

/**
 * sf_lane_refresh - look at the ports and bonds under a device again
 * @sdev: a device of which a use is held
 *
 * Context: may sleep; takes RTNL.
 */
void sf_lane_refresh(struct sf_device *sdev);

/**
 * sf_lane_read - copy a lane
 * @sdev: the device
 * @id: number of the lane
 * @lane: where to
 *
 * Return: false if there is no such lane.
 */
bool sf_lane_read(struct sf_device *sdev, u32 id, struct sf_lane *lane);

/* Count a QP on a lane (SF_LANE_NONE: on none), or no longer. */
void sf_lane_count(struct sf_device *sdev, u8 id, int n);
int sf_lane_qps(struct sf_device *sdev, u8 id);

/* The number of a lane, or SF_LANE_NONE. */
u8 sf_lane_number(struct sf_device *sdev, u8 port, int ifindex);

/* The only lane of a port, or SF_LANE_NONE if it has several or none. */
u8 sf_lane_single(struct sf_device *sdev, u8 port);

/* The device that sends for @ndev: under a VLAN the one it lies on. */
struct net_device *sf_lane_base(struct net_device *ndev);

/**
 * sf_lane_of - the lane that a QP's packets leave over
 * @sdev: a device of which a use is held
 * @qp: port, GIDs, QP numbers, flow label and MAC address count
 *
 * The bond is asked with a packet of the QP's addresses and UDP source port,
 * so this is what the bond does, not what we think of it. Where hardware sends
 * past the bond it is not asked.
 *
 * Return: the lane's number, or SF_LANE_NONE where it cannot be told.
 */
u8 sf_lane_of(struct sf_device *sdev, const struct sf_qp_info *qp);

/* Whether the driver makes a QP's UDP source port from its flow label. */
bool sf_lane_label_is_port(const struct sf_device *sdev);

/**
 * sf_lane_label - a flow label that leads a QP to a lane
 * @sdev: a device of which a use is held
 * @qp: as in sf_lane_of()
 * @id: the lane wanted
 * @label: the answer, 1..SCALEFABRIC_FLOW_LABEL_MAX
 *
 * Return: 0, or -ENOENT if no label does.
 */
int sf_lane_label(struct sf_device *sdev, const struct sf_qp_info *qp, u8 id,
		  u32 *label);

int __must_check sf_lane_init(void);
void sf_lane_exit(void);

#endif /* _SF_LANE_H */

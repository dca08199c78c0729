/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sf_hca - an RDMA device of several ports without hardware, for tests
 *
 * Locks: hca_device.lock and hca_qp.lock are taken in process context only and
 * nest in nothing; hca_ulp.lock (a mutex, see ulp.c) is outside of both.
 */
#ifndef SF_HCA_H
#define SF_HCA_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_sysfs.h>
#include <rdma/ib_verbs.h>

#define HCA_PORTS_MAX 8
#define HCA_PKEYS 16
#define HCA_GIDS 16
#define HCA_SGES 32
#define HCA_WRS 16384
#define HCA_CQES 65536
#define HCA_RD_ATOMIC 16

/* The highest number is the one of multicast; 0 and 1 are special. */
#define HCA_QPN_FIRST 2
#define HCA_QPN_LAST 0xfffffe

/* hca_device.drain_ms: the send queue does not drain. */
#define HCA_DRAIN_NEVER -1

/* What a port counts; the names are in counter.c. */
enum hca_counter {
	HCA_TX_BYTES,
	HCA_TX_PACKETS,
	HCA_RX_BYTES,
	HCA_RX_PACKETS,
	HCA_TX_WAIT,
	HCA_TX_DISCARDS,
	HCA_RX_ERRORS,
	HCA_SYMBOL_ERRORS,
	HCA_LINK_DOWNED,
	HCA_COUNTERS,
};

/* What can be made to fail, to take long or to hang; the names are in step.c. */
enum hca_step_id {
	HCA_STEP_RESET = IB_QPS_RESET,
	HCA_STEP_INIT = IB_QPS_INIT,
	HCA_STEP_RTR = IB_QPS_RTR,
	HCA_STEP_RTS = IB_QPS_RTS,
	HCA_STEP_SQD = IB_QPS_SQD,
	HCA_STEP_SQE = IB_QPS_SQE,
	HCA_STEP_ERR = IB_QPS_ERR,
	/* In SQD. */
	HCA_STEP_AV,
	HCA_STEP_PORT,
	HCA_STEP_CREATE,
	HCA_STEP_QUERY,
	HCA_STEP_DESTROY,
	HCA_STEPS,
};

struct hca_step {
	u64 calls;
	u32 fails;
	u32 delay_ms;
	int error;
	bool stick;
};

struct hca_port {
	enum ib_port_state state;
	enum ib_mtu mtu;
	u16 speed;
	u8 width;
	u16 lid;
	u64 subnet_prefix;
	u64 guid;
	u16 pkey[HCA_PKEYS];
	u64 counter[HCA_COUNTERS];
};

/**
 * struct hca_ulp - the kernel user of a device
 * @lock: protects what follows, but not @events
 * @present: ib_core has told it of the device, and not yet taken it away
 * @pd: NULL until the first QP
 * @cq: of all QPs
 * @qps: struct ib_qp, by their order
 * @count: how many
 * @events: what their handler counted
 */
struct hca_ulp {
	/* Protects what follows. */
	struct mutex lock;
	bool present;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct xarray qps;
	u32 count;
	atomic64_t events;
};

/**
 * struct hca_device - a device
 * @ibdev: ib_core's part
 * @list: all devices, see main.c
 * @netdev_nb: to let go of network devices that leave
 * @netdev: of each port, under RTNL; only to compare with
 * @wq: drains
 * @qps: by number; QP 0 and 1 of port P by P << 24 | number
 * @next_qpn: where the search for the next number begins
 * @unref: destroyers wait here for the last reference to a QP
 * @unstick: those who hang in a step, or are delayed
 * @ulp: the kernel's QPs
 * @ib: the link layer is InfiniBand, otherwise Ethernet
 * @narrow: the port counters have no more than 32 bits
 * @leaving: it is being unplugged
 * @lock: protects what follows
 * @drain_ms: how long the send queue of a QP takes to drain
 * @step: what shall go wrong
 * @port: the ports, the first one is @port[0]
 */
struct hca_device {
	struct ib_device ibdev;
	struct list_head list;
	struct notifier_block netdev_nb;
	struct net_device *netdev[HCA_PORTS_MAX];
	struct workqueue_struct *wq;
	struct xarray qps;
	u32 next_qpn;
	wait_queue_head_t unref;
	wait_queue_head_t unstick;
	struct hca_ulp ulp;
	bool ib;
	bool narrow;
	bool leaving;
	/* Protects what follows. */
	spinlock_t lock;
	int drain_ms;
	struct hca_step step[HCA_STEPS];
	struct hca_port port[HCA_PORTS_MAX];
};

struct hca_drain;

/*
 * What modify sets and RESET forgets. As narrow as the values are: there may be
 * a million of them.
 */
struct hca_qp_attr {
	struct rdma_ah_attr av;
	u32 qkey;
	u32 rq_psn;
	u32 sq_psn;
	u32 dest_qpn;
	u16 access;
	u16 pkey_index;
	u16 alt_pkey_index;
	u8 port;
	u8 alt_port;
	u8 path_mtu;
	u8 mig_state;
	u8 en_sqd_notify;
	u8 max_rd_atomic;
	u8 max_dest_rd_atomic;
	u8 min_rnr_timer;
	u8 timeout;
	u8 alt_timeout;
	u8 retry_cnt;
	u8 rnr_retry;
};

/**
 * struct hca_qp - a QP
 * @ibqp: ib_core's part
 * @refs: one of its owner, one of each who raises events
 * @lock: protects what follows
 * @state: an enum ib_qp_state
 * @draining: in SQD, the send queue is not yet empty
 * @sig_all: every WR completes
 * @drain: what will end that, or NULL
 * @alt_av: the alternate path, NULL until there is one
 * @attr: the rest
 */
struct hca_qp {
	struct ib_qp ibqp;
	refcount_t refs;
	/* Protects what follows. */
	spinlock_t lock;
	u8 state;
	bool draining;
	bool sig_all;
	u8 send_sges;
	u8 recv_sges;
	u16 send_wrs;
	u16 recv_wrs;
	struct hca_drain *drain;
	struct rdma_ah_attr *alt_av;
	struct hca_qp_attr attr;
};

static inline struct hca_device *to_hca(struct ib_device *ibdev)
{
	return container_of(ibdev, struct hca_device, ibdev);
}

static inline struct hca_device *hca_of_dev(struct device *dev)
{
	return to_hca(rdma_device_to_ibdev(dev));
}

static inline struct hca_qp *to_hca_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct hca_qp, ibqp);
}

static inline struct hca_port *hca_port(struct hca_device *hca, u32 number)
{
	return &hca->port[number - 1];
}

/* main.c */
bool hca_is_ours(const struct ib_device *ibdev);

/* step.c */
int hca_step(struct hca_device *hca, enum hca_step_id id);
void hca_step_leave(struct hca_device *hca);
extern struct device_attribute dev_attr_calls;
extern struct device_attribute dev_attr_fail;
extern struct device_attribute dev_attr_delay;
extern struct device_attribute dev_attr_stick;

/* port.c */
void hca_port_init(struct hca_device *hca, u32 number, u64 guid);
int hca_query_port(struct ib_device *ibdev, u32 number,
		   struct ib_port_attr *attr);
int hca_get_port_immutable(struct ib_device *ibdev, u32 number,
			   struct ib_port_immutable *immutable);
enum rdma_link_layer hca_get_link_layer(struct ib_device *ibdev, u32 number);
int hca_query_gid(struct ib_device *ibdev, u32 number, int index,
		  union ib_gid *gid);
int hca_query_pkey(struct ib_device *ibdev, u32 number, u16 index, u16 *pkey);
extern const struct attribute_group *hca_port_groups[];

/* counter.c */
int hca_process_mad(struct ib_device *ibdev, int flags, u32 number,
		    const struct ib_wc *wc, const struct ib_grh *grh,
		    const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index);
struct rdma_hw_stats *hca_alloc_hw_port_stats(struct ib_device *ibdev,
					      u32 number);
int hca_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 number, int index);
extern struct ib_port_attribute ib_port_attr_counters;

/* object.c: all but QPs */
extern const struct ib_device_ops hca_object_ops;

/* qp.c */
int hca_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata);
int hca_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int hca_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
int hca_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
struct hca_qp *hca_qp_get(struct hca_device *hca, u32 id);
void hca_qp_put(struct hca_qp *qp);
int hca_qp_state(const char *name);
const char *hca_qp_state_name(enum ib_qp_state state);

/* qp_attr.c: what a QP is told */
int hca_attr_check(struct hca_device *hca, struct hca_qp *qp,
		   const struct ib_qp_attr *attr, int mask);
void hca_attr_store(struct hca_qp *qp, const struct ib_qp_attr *attr, int mask);
void hca_attr_fill(struct hca_qp *qp, struct ib_qp_attr *attr);

/* drain.c */
struct hca_drain *hca_drain_alloc(struct hca_qp *qp);
void hca_drain_begin(struct hca_device *hca, struct hca_qp *qp,
		     struct hca_drain *drain);
void hca_drain_end(struct hca_qp *qp);
extern struct device_attribute dev_attr_drain_ms;
extern struct device_attribute dev_attr_drained;

/* event.c */
void hca_raise(struct hca_qp *qp, enum ib_event_type event);
extern struct device_attribute dev_attr_event;
extern struct device_attribute dev_attr_fault;

/* ulp.c */
void hca_ulp_setup(struct hca_ulp *ulp);
int hca_ulp_init(void);
void hca_ulp_exit(void);
extern struct device_attribute dev_attr_kernel_qps;
extern struct device_attribute dev_attr_kernel_events;

#endif /* SF_HCA_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scaleFabric - the table of queue pairs (QPs)
 *
 * Readers find and walk QPs under RCU and copy what they need by
 * sf_qp_read(), without a lock. The event worker, the scan of a device and a
 * rebind write.
 */
#ifndef _SF_QP_H
#define _SF_QP_H

#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/seqlock.h>

#include "event.h"

struct sf_device;
struct sf_rebind;

/* No rebind was tried, no event happened. */
#define SF_QP_NEVER 0xff

/**
 * struct sf_qp_info - what is known of a QP
 * @create_time: nanoseconds since the epoch, 0 for a QP older than the module
 * @event_time: when the last event was raised, likewise
 * @sgid: local GID; valid with @av
 * @dgid: remote GID; valid with @av
 * @comm: name of the process, or of the kernel module, that created it
 * @qpn: number
 * @rqpn: remote number; valid with @connected
 * @flow_label: of the path; valid with @av
 * @dlid: destination LID; valid with @av on InfiniBand
 * @modifies: successful modify calls of the owner
 * @rebinds: times we moved it
 * @events: how often each enum scalefabric_qp_event happened
 * @sgid_index: index of @sgid in the port's table
 * @dmac: MAC address the path begins with; zero where not known
 * @type: enum scalefabric_qp_type
 * @state: enum scalefabric_qp_state
 * @port: port of the device, 0 while not chosen
 * @lane: lane its packets leave over, or SF_LANE_NONE
 * @path_mtu: enum ib_mtu, 0 while not set
 * @event: last event, or SF_QP_NEVER
 * @result: enum scalefabric_rebind_result of the last rebind, or SF_QP_NEVER
 * @kernel: owned by a kernel module
 * @av: the address vector is known
 * @grh: the address vector has GIDs, as always on RoCE
 * @connected: the remote QP is known
 */
struct sf_qp_info {
	u64 create_time;
	u64 event_time;
	union ib_gid sgid;
	union ib_gid dgid;
	char comm[TASK_COMM_LEN];
	u32 qpn;
	u32 rqpn;
	u32 flow_label;
	u32 dlid;
	u32 modifies;
	u32 rebinds;
	u32 events[SF_QP_EVENTS];
	u8 sgid_index;
	u8 dmac[ETH_ALEN];
	u8 type;
	u8 state;
	u8 port;
	u8 lane;
	u8 path_mtu;
	u8 event;
	u8 result;
	bool kernel : 1;
	bool av : 1;
	bool grh : 1;
	bool connected : 1;
};

/**
 * struct sf_qp - a QP of the table
 * @node: in the hash of (device, @id)
 * @sdev: its device; holds the memory, not a use
 * @id: restrack number, see sf_qp_id(); constant
 * @serial: place in the order of creation; constant
 * @since: order in which it appeared (sf_event_order()), 0 when found by a
 *	scan; under the table's lock
 * @changed: order of the last change by a record or a move, or of the last
 *	question whose answer it has; an answer to an older question is
 *	dropped. Under the table's lock
 * @pid: the process that created it, NULL for the kernel's; constant
 * @refs: keeps the memory together with RCU; the table holds one
 * @seq: readers of @info retry when it changed; written under the table's
 *	lock
 * @windows: moves begun and ended, so odd while one is under way; written
 *	under @mutex
 * @info: what is known
 * @rebind: the move under way, for those who cross it; RCU, written under
 *	@mutex
 * @owner_handler: where asynchronous events go, once the QP's own handler is
 *	ours (sf_rebind_filter()); written under @mutex
 * @swallow: 1 while an SQ_DRAINED that we cause may come
 * @removed: no longer in the table; under the table's lock
 * @destroyed: its driver has destroyed it; under @mutex, in mode balance
 * @mutex: held while the QP is moved, and by its owner's modify and destroy in
 *	mode balance. Nests inside sf_device.mode_sem. Who takes it has a
 *	reference.
 * @rcu: frees it, without references
 */
struct sf_qp {
	struct rhash_head node;
	struct sf_device *sdev;
	u32 id;
	u32 serial;
	u64 since;
	u64 changed;
	struct pid *pid;
	refcount_t refs;
	seqcount_mutex_t seq;
	u32 windows;
	struct sf_qp_info info;
	struct sf_rebind __rcu *rebind;
	void (*owner_handler)(struct ib_event *event, void *context);
	int swallow;
	bool removed;
	bool destroyed;
	union {
		struct mutex mutex; /* moves, and the owner's calls */
		struct rcu_head rcu;
	};
};

/**
 * sf_qp_id - the number by which ib_core tracks a QP
 * @qpn: its QP number
 * @type: enum ib_qp_type
 * @port: its port; counts for the special QPs, which each port has
 *
 * As rdma_restrack_add() makes it.
 */
static inline u32 sf_qp_id(u32 qpn, enum ib_qp_type type, u32 port)
{
	if (type == IB_QPT_SMI || type == IB_QPT_GSI)
		return qpn | port << 24;
	return qpn;
}

static inline u32 sf_qp_id_of(const struct ib_qp *ibqp)
{
	return sf_qp_id(ibqp->qp_num, ibqp->qp_type, ibqp->port);
}

/* The enum scalefabric_qp_type of an enum ib_qp_type. */
u8 sf_qp_type(enum ib_qp_type type);
const char *sf_qp_type_name(u8 type);

/**
 * sf_qp_find - find a QP
 * @ibdev: its device, an identity
 * @id: its restrack number
 *
 * Context: RCU read section; takes no lock.
 */
struct sf_qp *sf_qp_find(const struct ib_device *ibdev, u32 id);

/* Like sf_qp_find(), with a reference to be given back by sf_qp_put(). */
struct sf_qp *sf_qp_get(const struct ib_device *ibdev, u32 id);
void sf_qp_put(struct sf_qp *qp);

/**
 * sf_qp_next - walk all QPs in the order of their creation
 * @serial: in: place to begin at; out: place of the QP returned
 *
 * A QP that is there all the time is met exactly once.
 *
 * Context: RCU read section; takes no lock.
 */
struct sf_qp *sf_qp_next(unsigned long *serial);

/* Copy what is known, in one piece. Context: RCU or a reference; no lock. */
void sf_qp_read(struct sf_qp *qp, struct sf_qp_info *info);

/**
 * sf_qp_lock - keep the table and what it says of each QP
 *
 * Held by whoever adds, removes or writes, for short: no driver is asked
 * meanwhile. Nests inside sf_qp.mutex.
 */
void sf_qp_lock(void);
void sf_qp_unlock(void);

/**
 * sf_qp_add_locked - put a new QP into the table
 * @sdev: its device
 * @id: its restrack number, not in the table
 * @pid: its creator or NULL; the reference is taken over, also on failure
 * @info: what is known; its lane is found by the callee
 *
 * Return: the QP (the table's reference, good while the lock is held), or NULL
 * without memory.
 */
struct sf_qp *sf_qp_add_locked(struct sf_device *sdev, u32 id, struct pid *pid,
			       const struct sf_qp_info *info);

/* Take a QP out. Readers may see it until the end of a grace period. */
void sf_qp_remove_locked(struct sf_qp *qp);

/*
 * Replace what is known of a QP, unless it was removed; its lane is found by the
 * callee.
 */
void sf_qp_write_locked(struct sf_qp *qp, struct sf_qp_info *info);

/* Remove all QPs of a device that is going away. */
void sf_qp_remove_all(struct sf_device *sdev);

/* Find the lanes of a device's QPs anew. A use of the device is held. */
void sf_qp_relane(struct sf_device *sdev);

/**
 * sf_qp_settle - write down how a rebind ended
 * @qp: referenced, its mutex held
 * @result: enum scalefabric_rebind_result
 * @label: the flow label it has now
 */
void sf_qp_settle(struct sf_qp *qp, u8 result, u32 label);

/* QPs in the table. */
u32 sf_qp_count(void);

int __must_check sf_qp_init(void);
void sf_qp_exit(void);

#endif /* _SF_QP_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scaleFabric - what happens: records from the hooks, notices to listeners
 *
 * A hook may run in any context, so it only copies a few words into its CPU's
 * ring (sf_event_record()). A worker takes the records out of all rings in
 * their order, brings the QP table up to date and tells who listens on the
 * notifier chain. This is the one way by which state goes up.
 */
#ifndef _SF_EVENT_H
#define _SF_EVENT_H

#include <linux/if_ether.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <uapi/linux/scalefabric.h>

struct sf_device;
struct sf_qp_info;

/* One more than the last enum scalefabric_qp_event. */
#define SF_QP_EVENTS (SCALEFABRIC_QP_EVENT_LAST_WQE_REACHED + 1)

enum sf_record_kind {
	SF_RECORD_CREATE,
	SF_RECORD_MODIFY,
	SF_RECORD_DESTROY,
	SF_RECORD_EVENT,
};

/**
 * struct sf_record - what a hook saw of one QP
 * @seq: place in the order of all records; set by sf_event_record()
 * @time: nanoseconds since the epoch; set by sf_event_record()
 * @dev: the QP's device, an identity only: it may be gone
 * @id: restrack number of the QP, see sf_qp_id()
 * @kind: which member of the union is in use
 * @create: the new QP; @create.pid carries a reference
 * @modify: what a successful modify changed, by @modify.mask (IB_QP_*)
 * @destroy: @destroy.began is the order in which the destroy call began, so
 *	that a QP which took over the number meanwhile is told from its
 *	forerunner
 * @event: an asynchronous event, enum scalefabric_qp_event
 */
struct sf_record {
	u64 seq;
	u64 time;
	const struct ib_device *dev;
	u32 id;
	u8 kind;
	union {
		struct {
			struct pid *pid;
			void *event_handler;
			u32 qpn;
			u8 type;
			u8 port;
			bool tracked;
			char comm[TASK_COMM_LEN];
		} create;
		struct {
			u32 mask;
			u32 rqpn;
			u32 flow_label;
			u32 dlid;
			union ib_gid dgid;
			u8 dmac[ETH_ALEN];
			u8 sgid_index;
			u8 state;
			u8 path_mtu;
			u8 port;
			bool grh;
		} modify;
		struct {
			u64 began;
			bool tracked;
		} destroy;
		u8 event;
	};
};

/**
 * sf_event_record - hand a record over to the worker
 * @rec: the record; its order and time are filled in
 *
 * Context: any but NMI. Where the ring is full the record is dropped and
 * counted, and the reference it carries is put.
 */
void sf_event_record(struct sf_record *rec);

/**
 * sf_event_order - the present place in the order of records
 *
 * Context: any.
 */
u64 sf_event_order(void);

/**
 * sf_event_lose - count records that never reached a ring
 * @n: how many a probe missed
 *
 * Like a full ring it makes the worker compare the table with ib_core.
 */
void sf_event_lose(u64 n);

/* Records lost since the module was loaded. */
u64 sf_event_lost(void);

/* Records that one CPU's ring holds. */
u32 sf_event_ring_size(void);

/**
 * sf_event_sync - wait until all records so far are in the table
 *
 * Context: may sleep; not in the worker, nor in what it calls.
 */
void sf_event_sync(void);

enum sf_notice_kind {
	SF_NOTICE_QP_CHANGE,	 /* @change, @event_handler */
	SF_NOTICE_QP_EVENT,	 /* @event, @time */
	SF_NOTICE_QP_REBIND,	 /* @result, @old_lane, @old_label, @window */
	SF_NOTICE_DEVICE_LEAVES, /* @sdev: last call to let go of it */
};

/**
 * struct sf_notice - what listeners are told
 * @sdev: the device; valid during the call
 * @qp: the QP as it is now, or was last; NULL for notices of devices
 * @pid: owner of the QP, or NULL; valid during the call
 * @change: enum scalefabric_qp_change
 * @event_handler: on creation, the function the driver calls for events
 * @event: enum scalefabric_qp_event
 * @time: when the event was raised, nanoseconds since the epoch
 * @result: enum scalefabric_rebind_result
 * @old_lane: lane before the rebind, or SF_LANE_NONE
 * @old_label: flow label before the rebind
 * @window: nanoseconds from the first to the last step of the rebind
 */
struct sf_notice {
	struct sf_device *sdev;
	const struct sf_qp_info *qp;
	struct pid *pid;
	u8 change;
	void *event_handler;
	u8 event;
	u64 time;
	u8 result;
	u8 old_lane;
	u32 old_label;
	u64 window;
};

/* Listeners are called in process context and may sleep. */
int sf_event_listen(struct notifier_block *nb);
void sf_event_unlisten(struct notifier_block *nb);
void sf_event_notify(enum sf_notice_kind kind, struct sf_notice *notice);

/* Name of an enum scalefabric_qp_event; whether it is an error. */
const char *sf_event_name(u8 event);
bool sf_event_is_error(u8 event);

int __must_check sf_event_init(void);
void sf_event_exit(void);

#endif /* _SF_EVENT_H */

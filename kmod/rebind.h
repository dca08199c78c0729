/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scaleFabric - move a live QP to another lane
 *
 * A move ends in one of two states: the QP is on the new lane, or it is
 * exactly as before. Its owner sees neither the move nor its steps. A driver
 * that does not take a QP back from SQD is the one exception, and is told.
 */
#ifndef _SF_REBIND_H
#define _SF_REBIND_H

#include <linux/ktime.h>
#include <rdma/ib_verbs.h>

#include "qp.h"

struct sf_device;
struct sf_rebind;

/**
 * struct sf_rebind_ops - how QPs of a driver are moved
 * @name: of the strategy
 * @move: give the QP the path rb->path; returns an enum
 *	scalefabric_rebind_result. The QP is in RTS before, and after: on the
 *	new path with SCALEFABRIC_REBIND_RESULT_MOVED, else on the old, but for
 *	SCALEFABRIC_REBIND_RESULT_STUCK and a QP that died.
 */
struct sf_rebind_ops {
	const char *name;
	u8 (*move)(struct sf_rebind *rb);
};

extern const struct sf_rebind_ops sf_rebind_rxe;

/**
 * struct sf_rebind - a move under way
 * @task: who moves it: the one caller whom the wrappers let through
 * @abort: the owner wants its QP: end at once
 * @qp: the QP, its mutex held
 * @ibqp: ib_core's, its restrack reference held
 * @ops: how to move it
 * @path: the address vector wanted
 * @drain_until: when to stop waiting for the send queue
 * @rcu: frees it: wrappers look at it under RCU
 */
struct sf_rebind {
	struct task_struct *task;
	bool abort;
	struct sf_qp *qp;
	struct ib_qp *ibqp;
	const struct sf_rebind_ops *ops;
	struct rdma_ah_attr path;
	ktime_t drain_until;
	struct rcu_head rcu;
};

/**
 * struct sf_rebind_report - how a move went
 * @result: enum scalefabric_rebind_result
 * @old_lane: lane before
 * @old_label: flow label before
 * @window: nanoseconds from the first to the last step, 0 if there was none
 * @info: the QP afterwards
 */
struct sf_rebind_report {
	u8 result;
	u8 old_lane;
	u32 old_label;
	u64 window;
	struct sf_qp_info info;
};

/**
 * struct sf_rebind_target - where to
 * @by_label: use @label; else any label that leads to @lane
 * @label: flow label, 0..SCALEFABRIC_FLOW_LABEL_MAX
 * @lane: number of the lane
 */
struct sf_rebind_target {
	bool by_label;
	u32 label;
	u32 lane;
};

/**
 * sf_rebind_move - move a QP
 * @sdev: a device of which a use is held
 * @id: the QP's restrack number
 * @target: where to
 * @report: filled in when the QP was found
 *
 * Context: may sleep, as long as the device's drain timeout and a little more.
 *
 * Return: 0 also when the QP was there already. -ENODEV device is leaving,
 * -EOPNOTSUPP no strategy (for the driver when report->result says nothing),
 * -EROFS mode observe, -ENOENT no such QP; else as sf_rebind_errno() of the
 * result.
 */
int sf_rebind_move(struct sf_device *sdev, u32 id,
		   const struct sf_rebind_target *target,
		   struct sf_rebind_report *report);

/* The errno (negative, or 0) that stands for a result. */
int sf_rebind_errno(u8 result);

/* Name of the strategy for a device, or NULL. */
const char *sf_rebind_strategy(const struct sf_device *sdev);

/**
 * sf_rebind_set_mode - let QPs of a device be moved, or no longer
 * @sdev: a device of which a use is held
 * @mode: enum scalefabric_device_mode
 *
 * Return: 0, -ENODEV device is leaving, -EOPNOTSUPP the driver has no
 * strategy, -EBUSY another module sits on top of us, -ENOMEM.
 */
int sf_rebind_set_mode(struct sf_device *sdev, u8 mode);

/* Whether the caller is moving this QP just now. Context: any. */
bool sf_rebind_is_mine(const struct ib_qp *ibqp);

/* The owner wants its QP: end a move under way. */
void sf_rebind_abort(struct sf_qp *qp);

/* For strategies: give the QP rb->path by one modify, without a state. */
int sf_rebind_set_path(struct sf_rebind *rb);

/**
 * sf_rebind_through_sqd - for strategies: move a QP by way of SQD
 * @rb: the move
 * @kick: makes the driver look at the send queue, or NULL
 * @rts_mask: more attributes (IB_QP_*) to name on the way back to RTS
 *
 * Return: as sf_rebind_ops.move().
 */
u8 sf_rebind_through_sqd(struct sf_rebind *rb, void (*kick)(struct ib_qp *ibqp),
			 int rts_mask);

/* The event handler of a QP that goes, or once went, through SQD. */
void sf_rebind_filter(struct ib_event *event, void *context);

int __must_check sf_rebind_init(void);
void sf_rebind_exit(void);

#endif /* _SF_REBIND_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - move a live QP to another lane
 *
 * Locks, outermost first: sf_device.mode_sem (read), sf_qp.mutex, the QP
 * table's. ib_core's restrack reference holds up the QP's destruction; all
 * waiting under it is bounded by the device's drain timeout.
 *
 * Which drivers: those whose QPs can change their path while they run, and whose
 * path follows the flow label. Why others are not among them is in
 * Documentation/rebind.rst.
 */
#include "rebind.h"

#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <rdma/restrack.h>

#include "device.h"
#include "event.h"
#include "lane.h"
#include "trace.h"
#include "wrap.h"

/* How long a QP may take to be destroyed while the device leaves balance. */
#define FILTER_TRIES 500
#define FILTER_WAIT_MS 10

#define MOVED SCALEFABRIC_REBIND_RESULT_MOVED

static const struct {
	enum rdma_driver_id driver;
	const struct sf_rebind_ops *ops;
} rebind_drivers[] = {
	{ RDMA_DRIVER_RXE, &sf_rebind_rxe },
};

static const struct sf_rebind_ops *rebind_ops(const struct sf_device *sdev)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rebind_drivers); i++)
		if (rebind_drivers[i].driver == sdev->ibdev->ops.driver_id)
			return rebind_drivers[i].ops;
	return NULL;
}

const char *sf_rebind_strategy(const struct sf_device *sdev)
{
	const struct sf_rebind_ops *ops = rebind_ops(sdev);

	return ops ? ops->name : NULL;
}

int sf_rebind_errno(u8 result)
{
	static const int errnos[] = {
		[SCALEFABRIC_REBIND_RESULT_MOVED] = 0,
		[SCALEFABRIC_REBIND_RESULT_UNCHANGED] = 0,
		[SCALEFABRIC_REBIND_RESULT_NO_STRATEGY] = -EOPNOTSUPP,
		[SCALEFABRIC_REBIND_RESULT_LANE_DOWN] = -ENETDOWN,
		[SCALEFABRIC_REBIND_RESULT_NO_LABEL] = -EINVAL,
		[SCALEFABRIC_REBIND_RESULT_NOT_RTS] = -ENOTCONN,
		[SCALEFABRIC_REBIND_RESULT_DRAIN_TIMEOUT] = -ETIME,
		[SCALEFABRIC_REBIND_RESULT_OWNER] = -ECANCELED,
		[SCALEFABRIC_REBIND_RESULT_DRIVER_ERROR] = -EIO,
		[SCALEFABRIC_REBIND_RESULT_STUCK] = -ENOTRECOVERABLE,
	};

	return result < ARRAY_SIZE(errnos) ? errnos[result] : -EIO;
}

bool sf_rebind_is_mine(const struct ib_qp *ibqp)
{
	struct sf_rebind *rb;
	struct sf_qp *qp;
	bool mine;

	rcu_read_lock();
	qp = sf_qp_find(ibqp->device, sf_qp_id_of(ibqp));
	rb = qp ? rcu_dereference(qp->rebind) : NULL;
	mine = rb && rb->task == current;
	rcu_read_unlock();
	return mine;
}

void sf_rebind_abort(struct sf_qp *qp)
{
	struct sf_rebind *rb;

	rcu_read_lock();
	rb = rcu_dereference(qp->rebind);
	if (rb)
		WRITE_ONCE(rb->abort, true);
	rcu_read_unlock();
}

int sf_rebind_set_path(struct sf_rebind *rb)
{
	struct ib_qp_attr attr = { .ah_attr = rb->path };

	return ib_modify_qp(rb->ibqp, &attr, IB_QP_AV);
}

static bool can_move_type(u8 type)
{
	return type == SCALEFABRIC_QP_TYPE_RC || type == SCALEFABRIC_QP_TYPE_UC;
}

/* What the driver says now, and in what state the QP is. */
static int rebind_query(struct sf_rebind *rb, struct ib_qp_attr *attr)
{
	struct ib_qp_init_attr init = {};

	memset(attr, 0, sizeof(*attr));
	return ib_query_qp(rb->ibqp, attr, IB_QP_STATE | IB_QP_AV | IB_QP_PORT,
			   &init);
}

/*
 * Turn the target into rb->path. @info is the QP as it is.
 * Return: MOVED when there is something to do.
 */
static u8 rebind_aim(struct sf_rebind *rb, const struct sf_qp_info *info,
		     const struct sf_rebind_target *target)
{
	struct sf_device *sdev = rb->qp->sdev;
	u32 label = target->label;
	struct sf_lane lane;

	if (!info->av || !info->grh || rb->path.type != RDMA_AH_ATTR_TYPE_ROCE)
		return SCALEFABRIC_REBIND_RESULT_NO_LABEL;

	if (!target->by_label) {
		if (!sf_lane_read(sdev, target->lane, &lane))
			return SCALEFABRIC_REBIND_RESULT_NO_LABEL;
		if (lane.state != SCALEFABRIC_LANE_STATE_UP)
			return SCALEFABRIC_REBIND_RESULT_LANE_DOWN;
		if (info->lane == target->lane)
			return SCALEFABRIC_REBIND_RESULT_UNCHANGED;
		if (sf_lane_label(sdev, info, target->lane, &label))
			return SCALEFABRIC_REBIND_RESULT_NO_LABEL;
	}
	if (label == info->flow_label)
		return SCALEFABRIC_REBIND_RESULT_UNCHANGED;

	rb->path.grh.flow_label = label;
	ether_addr_copy(rb->path.roce.dmac, info->dmac);
	return MOVED;
}

/* Between the two calls the QP's owner is kept from seeing its state. */
static void window_begin(struct sf_rebind *rb)
{
	lockdep_assert_held(&rb->qp->mutex);

	WRITE_ONCE(rb->qp->windows, rb->qp->windows + 1);
	smp_mb(); /* the window, then the state; pairs with wrap_query_qp() */
}

static void window_end(struct sf_rebind *rb)
{
	lockdep_assert_held(&rb->qp->mutex);

	smp_mb(); /* the state, then the window; pairs with wrap_query_qp() */
	WRITE_ONCE(rb->qp->windows, rb->qp->windows + 1);
}

static u8 rebind_run(struct sf_rebind *rb,
		     const struct sf_rebind_target *target,
		     struct sf_rebind_report *report)
{
	struct sf_qp_info info;
	struct ib_qp_attr attr;
	ktime_t began;
	u8 result;

	sf_qp_read(rb->qp, &info);
	report->old_lane = info.lane;
	report->old_label = info.flow_label;

	if (rb->qp->destroyed)
		return SCALEFABRIC_REBIND_RESULT_OWNER;
	if (!can_move_type(info.type))
		return SCALEFABRIC_REBIND_RESULT_NO_STRATEGY;
	if (rebind_query(rb, &attr))
		return SCALEFABRIC_REBIND_RESULT_DRIVER_ERROR;
	if (attr.qp_state != IB_QPS_RTS)
		return SCALEFABRIC_REBIND_RESULT_NOT_RTS;
	rb->path = attr.ah_attr;
	result = rebind_aim(rb, &info, target);
	if (result != MOVED)
		return result;

	began = ktime_get();
	rb->drain_until =
		ktime_add_ms(began, READ_ONCE(rb->qp->sdev->drain_timeout));
	window_begin(rb);
	result = rb->ops->move(rb);
	window_end(rb);
	report->window = ktime_to_ns(ktime_sub(ktime_get(), began));
	return result;
}

static void rebind_tell(struct sf_qp *qp, const struct sf_rebind_report *report)
{
	struct sf_notice notice = {
		.sdev = qp->sdev,
		.qp = &report->info,
		.pid = qp->pid,
		.result = report->result,
		.old_lane = report->old_lane,
		.old_label = report->old_label,
		.window = report->window,
	};

	trace_sf_qp_rebind(qp->sdev, &report->info, pid_nr(qp->pid), &notice);
	sf_event_notify(SF_NOTICE_QP_REBIND, &notice);
}

static void rebind_locked(struct sf_rebind *rb,
			  const struct sf_rebind_target *target,
			  struct sf_rebind_report *report)
{
	struct sf_qp *qp = rb->qp;
	u32 label;

	lockdep_assert_held(&qp->mutex);

	rcu_assign_pointer(qp->rebind, rb);
	report->result = rebind_run(rb, target, report);
	rcu_assign_pointer(qp->rebind, NULL);

	label = report->result == MOVED ? rb->path.grh.flow_label :
					  report->old_label;
	sf_qp_settle(qp, report->result, label);
	sf_qp_read(qp, &report->info);
	rebind_tell(qp, report);
}

static int rebind_allowed(const struct sf_device *sdev)
{
	lockdep_assert_held(&sdev->mode_sem);

	if (sdev->gone)
		return -ENODEV;
	if (!rebind_ops(sdev))
		return -EOPNOTSUPP;
	if (sdev->mode != SCALEFABRIC_DEVICE_MODE_BALANCE)
		return -EROFS;
	return 0;
}

int sf_rebind_move(struct sf_device *sdev, u32 id,
		   const struct sf_rebind_target *target,
		   struct sf_rebind_report *report)
{
	struct rdma_restrack_entry *res;
	struct sf_rebind *rb;
	struct sf_qp *qp;
	int ret;

	memset(report, 0, sizeof(*report));
	report->result = SF_QP_NEVER;

	down_read(&sdev->mode_sem);
	ret = rebind_allowed(sdev);
	if (ret)
		goto out_sem;

	/* What the QP's owner did last is known then, its path above all. */
	sf_event_sync();
	ret = -ENOENT;
	qp = sf_qp_get(sdev->ibdev, id);
	if (!qp)
		goto out_sem;
	res = rdma_restrack_get_byid(sdev->ibdev, RDMA_RESTRACK_QP, id);
	if (IS_ERR(res))
		goto out_qp;
	ret = -ENOMEM;
	rb = kzalloc(sizeof(*rb), GFP_KERNEL);
	if (!rb)
		goto out_res;

	rb->task = current;
	rb->qp = qp;
	rb->ibqp = container_of(res, struct ib_qp, res);
	rb->ops = rebind_ops(sdev);
	mutex_lock(&qp->mutex);
	rebind_locked(rb, target, report);
	mutex_unlock(&qp->mutex);
	ret = sf_rebind_errno(report->result);

	kfree_rcu(rb, rcu);
out_res:
	rdma_restrack_put(res);
out_qp:
	sf_qp_put(qp);
out_sem:
	up_read(&sdev->mode_sem);
	return ret;
}

/* The next QP of the device whose event handler we replaced, referenced. */
static struct sf_qp *filtered_next(struct sf_device *sdev,
				   unsigned long *serial)
{
	struct sf_qp *qp;

	rcu_read_lock();
	for (;; (*serial)++) {
		qp = sf_qp_next(serial);
		if (!qp)
			break;
		if (qp->sdev == sdev && READ_ONCE(qp->owner_handler) &&
		    refcount_inc_not_zero(&qp->refs))
			break;
	}
	rcu_read_unlock();
	return qp;
}

/*
 * Give a QP's event handler back. A driver may just be on its way into the
 * filter, which therefore still knows where events go.
 *
 * Return: false while the QP is being destroyed: ib_core does not hand it out
 * any more, and its driver may still raise events.
 */
static bool filter_remove(struct sf_device *sdev, struct sf_qp *qp)
{
	struct rdma_restrack_entry *res;
	struct ib_qp *ibqp;
	bool destroyed;

	res = rdma_restrack_get_byid(sdev->ibdev, RDMA_RESTRACK_QP, qp->id);
	if (IS_ERR(res)) {
		/* Of a device that leaves it is still in the table when it is gone. */
		mutex_lock(&qp->mutex);
		destroyed = qp->destroyed;
		mutex_unlock(&qp->mutex);
		return destroyed;
	}
	ibqp = container_of(res, struct ib_qp, res);
	mutex_lock(&qp->mutex);
	if (ibqp->event_handler == sf_rebind_filter)
		WRITE_ONCE(ibqp->event_handler, qp->owner_handler);
	mutex_unlock(&qp->mutex);
	rdma_restrack_put(res);
	return true;
}

static int filters_remove(struct sf_device *sdev)
{
	unsigned long serial;
	struct sf_qp *qp;
	bool done;
	int i;

	lockdep_assert_held_write(&sdev->mode_sem);

	for (i = 0; i < FILTER_TRIES; i++) {
		done = true;
		sf_event_sync();
		for (serial = 0; (qp = filtered_next(sdev, &serial));
		     serial++) {
			done &= filter_remove(sdev, qp);
			sf_qp_put(qp);
			cond_resched();
		}
		if (done)
			return 0;
		msleep(FILTER_WAIT_MS);
	}
	return -ETIMEDOUT;
}

static int mode_balance(struct sf_device *sdev)
{
	int ret;

	lockdep_assert_held_write(&sdev->mode_sem);

	if (!rebind_ops(sdev))
		return -EOPNOTSUPP;
	ret = sf_wrap_install(sdev);
	if (!ret)
		sdev->mode = SCALEFABRIC_DEVICE_MODE_BALANCE;
	return ret;
}

static int mode_observe(struct sf_device *sdev)
{
	int ret;

	lockdep_assert_held_write(&sdev->mode_sem);

	ret = filters_remove(sdev);
	if (!ret)
		ret = sf_wrap_remove(sdev);
	if (!ret)
		sdev->mode = SCALEFABRIC_DEVICE_MODE_OBSERVE;
	return ret;
}

int sf_rebind_set_mode(struct sf_device *sdev, u8 mode)
{
	int ret = 0;

	down_write(&sdev->mode_sem);
	if (sdev->gone)
		ret = -ENODEV;
	else if (mode == sdev->mode)
		ret = 0;
	else if (mode == SCALEFABRIC_DEVICE_MODE_BALANCE)
		ret = mode_balance(sdev);
	else
		ret = mode_observe(sdev);
	up_write(&sdev->mode_sem);
	return ret;
}

static void rebind_leave(struct sf_device *sdev)
{
	down_write(&sdev->mode_sem);
	sdev->gone = true;
	if (sdev->mode == SCALEFABRIC_DEVICE_MODE_BALANCE && mode_observe(sdev))
		sf_wrap_abandon(sdev);
	up_write(&sdev->mode_sem);
}

static int rebind_notice(struct notifier_block *nb, unsigned long kind,
			 void *data)
{
	const struct sf_notice *notice = data;

	if (kind == SF_NOTICE_DEVICE_LEAVES)
		rebind_leave(notice->sdev);
	return NOTIFY_DONE;
}

static struct notifier_block rebind_nb = {
	.notifier_call = rebind_notice,
};

int sf_rebind_init(void)
{
	return sf_event_listen(&rebind_nb);
}

void sf_rebind_exit(void)
{
	sf_event_unlisten(&rebind_nb);
}

#ifdef CONFIG_SCALEFABRIC_KUNIT_TEST
#include "tests/kunit/rebind_kunit.c"
#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - move a QP through SQD (send queue drained)
 *
 * By the book (InfiniBand Architecture, vol. 1, 10.3.1): RTS to SQD; wait
 * until the send queue is drained; new address vector in SQD; back to RTS.
 *
 * Two things would show the owner what happens: the state, which the wrapped
 * query hides, and the SQ_DRAINED event, which is taken out here. The QP's
 * event handler is replaced by a filter that drops the one event we cause and
 * passes all others on. The filter stays until the device leaves mode balance,
 * so that it does not matter how late the event comes.
 */
#include "rebind.h"

#include <linux/delay.h>
#include <rdma/restrack.h>

#include "device.h"

#define POLL_MIN_US 200
#define POLL_MAX_US 1000

/* How often the way back to RTS is tried, POLL_MAX_US apart. */
#define RESUME_TRIES 100

void sf_rebind_filter(struct ib_event *event, void *context)
{
	struct ib_qp *ibqp = event->element.qp;
	void (*handler)(struct ib_event *event, void *context) = NULL;
	bool ours = false;
	struct sf_qp *qp;

	rcu_read_lock();
	qp = sf_qp_find(ibqp->device, sf_qp_id_of(ibqp));
	if (qp) {
		handler = READ_ONCE(qp->owner_handler);
		ours = event->event == IB_EVENT_SQ_DRAINED &&
		       xchg(&qp->swallow, 0);
	}
	rcu_read_unlock();

	if (handler && !ours)
		handler(event, context);
}

static void filter_install(struct sf_rebind *rb)
{
	struct ib_qp *ibqp = rb->ibqp;

	lockdep_assert_held(&rb->qp->mutex);

	WRITE_ONCE(rb->qp->swallow, 1);
	if (!ibqp->event_handler || ibqp->event_handler == sf_rebind_filter)
		return;
	WRITE_ONCE(rb->qp->owner_handler, ibqp->event_handler);
	/* Release: where to pass events on is known before one comes. */
	smp_store_release(&ibqp->event_handler, sf_rebind_filter);
}

/* ib_core has taken the QP off its list: the owner destroys it. */
static bool is_being_destroyed(const struct sf_rebind *rb)
{
	struct rdma_restrack_entry *res;

	res = rdma_restrack_get_byid(rb->ibqp->device, RDMA_RESTRACK_QP,
				     rb->qp->id);
	if (IS_ERR(res))
		return true;
	rdma_restrack_put(res);
	return false;
}

static int sqd_query(struct sf_rebind *rb, struct ib_qp_attr *attr)
{
	struct ib_qp_init_attr init = {};

	memset(attr, 0, sizeof(*attr));
	return ib_query_qp(rb->ibqp, attr, IB_QP_STATE, &init);
}

/* Return: SCALEFABRIC_REBIND_RESULT_MOVED when it is drained. */
static u8 sqd_drain(struct sf_rebind *rb, void (*kick)(struct ib_qp *ibqp))
{
	struct ib_qp_attr attr;

	for (;;) {
		if (sqd_query(rb, &attr))
			return SCALEFABRIC_REBIND_RESULT_DRIVER_ERROR;
		if (attr.qp_state != IB_QPS_SQD)
			return SCALEFABRIC_REBIND_RESULT_NOT_RTS;
		if (!attr.sq_draining)
			return SCALEFABRIC_REBIND_RESULT_MOVED;
		if (READ_ONCE(rb->abort) || is_being_destroyed(rb))
			return SCALEFABRIC_REBIND_RESULT_OWNER;
		if (ktime_after(ktime_get(), rb->drain_until))
			return SCALEFABRIC_REBIND_RESULT_DRAIN_TIMEOUT;
		usleep_range(POLL_MIN_US, POLL_MAX_US);
		if (kick)
			kick(rb->ibqp);
	}
}

static int sqd_modify(struct sf_rebind *rb, enum ib_qp_state state, int mask)
{
	struct ib_qp_attr attr = {
		.qp_state = state,
		.cur_qp_state = IB_QPS_RTS,
	};

	return ib_modify_qp(rb->ibqp, &attr, IB_QP_STATE | mask);
}

/*
 * Bring the QP back to RTS. Some drivers refuse until the send queue has
 * drained after all, so it is tried for a while. It may have died meanwhile: a
 * driver that is told a current state (@rts_mask) would believe it, so it is
 * asked first, and told only while it drains.
 *
 * Return: SCALEFABRIC_REBIND_RESULT_MOVED when it is in RTS.
 */
static u8 sqd_resume(struct sf_rebind *rb, void (*kick)(struct ib_qp *ibqp),
		     int rts_mask)
{
	struct ib_qp_attr attr;
	int i;

	for (i = 0; i < RESUME_TRIES; i++) {
		if (!sqd_query(rb, &attr)) {
			if (attr.qp_state != IB_QPS_SQD)
				return SCALEFABRIC_REBIND_RESULT_NOT_RTS;
			if (!sqd_modify(rb, IB_QPS_RTS,
					attr.sq_draining ? rts_mask : 0)) {
				if (kick)
					kick(rb->ibqp);
				return SCALEFABRIC_REBIND_RESULT_MOVED;
			}
		}
		usleep_range(POLL_MIN_US, POLL_MAX_US);
		if (kick)
			kick(rb->ibqp);
	}
	return SCALEFABRIC_REBIND_RESULT_STUCK;
}

u8 sf_rebind_through_sqd(struct sf_rebind *rb, void (*kick)(struct ib_qp *ibqp),
			 int rts_mask)
{
	u8 result, back;

	filter_install(rb);
	if (sqd_modify(rb, IB_QPS_SQD, 0)) {
		WRITE_ONCE(rb->qp->swallow, 0);
		return SCALEFABRIC_REBIND_RESULT_DRIVER_ERROR;
	}

	result = sqd_drain(rb, kick);
	if (result == SCALEFABRIC_REBIND_RESULT_MOVED && sf_rebind_set_path(rb))
		result = SCALEFABRIC_REBIND_RESULT_DRIVER_ERROR;

	back = sqd_resume(rb, kick, rts_mask);
	if (back == SCALEFABRIC_REBIND_RESULT_STUCK)
		pr_err("%s: QP %u does not come back from SQD\n",
		       rb->qp->sdev->name, rb->ibqp->qp_num);
	return back == SCALEFABRIC_REBIND_RESULT_MOVED ? result : back;
}

#ifdef CONFIG_SCALEFABRIC_KUNIT_TEST
#include "tests/kunit/rebind_sqd_kunit.c"
#endif

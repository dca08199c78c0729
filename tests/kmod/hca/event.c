// SPDX-License-Identifier: GPL-2.0
/*
 * sf_hca - events of QPs
 *
 * Files in /sys/class/infiniband/NAME/hca/, all written only:
 *
 *	event	"QPN EVENT [COUNT [CONTEXT]]" raises COUNT events (default 1) in
 *		one go, in CONTEXT: process (default), softirq or hardirq. EVENT
 *		is one of the eight of a QP: QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR,
 *		COMM_EST, SQ_DRAINED, PATH_MIG, PATH_MIG_ERR or
 *		QP_LAST_WQE_REACHED.
 *	fault	"QPN STATE [EVENT [CONTEXT]]" moves the QP to STATE, ERR or (not
 *		for RC) SQE, as a device does by itself when something fails, and
 *		raises EVENT. Nobody is told of the state, they have to ask.
 *
 * The write returns when all events are raised: ENXIO if the QP's owner has no
 * use for events, ENOENT if there is no such QP. QP 0 and QP 1 of port P are
 * P << 24 | QPN, as ib_core numbers them.
 */
#include "hca.h"

#include <linux/device.h>

#include "../raise.h"

/* For the device's own events, in any context. */
void hca_raise(struct hca_qp *qp, enum ib_event_type event)
{
	raise_one(&qp->ibqp, event);
}

static ssize_t event_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	char event[32], context[16] = "process", end;
	struct raise raise;
	struct hca_qp *qp;
	u32 id, times = 1;
	int words, ret;

	words = sscanf(buf, "%u %31s %u %15s %c", &id, event, &times, context,
		       &end);
	if (words < 2 || words > 4 ||
	    raise_parse(&raise, event, times, context))
		return -EINVAL;

	qp = hca_qp_get(hca_of_dev(dev), id);
	if (!qp)
		return -ENOENT;
	ret = raise_on(&raise, &qp->ibqp);
	hca_qp_put(qp);
	return ret ?: count;
}

DEVICE_ATTR_WO(event);

static int fault_state(struct hca_qp *qp, enum ib_qp_state state)
{
	int ret = 0;

	spin_lock(&qp->lock);
	if (state == IB_QPS_SQE &&
	    (qp->state != IB_QPS_RTS || qp->ibqp.qp_type == IB_QPT_RC)) {
		ret = -EINVAL;
	} else {
		hca_drain_end(qp);
		WRITE_ONCE(qp->state, state);
	}
	spin_unlock(&qp->lock);
	return ret;
}

static ssize_t fault_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	char name[8], event[32], context[16] = "process", end;
	struct raise raise;
	struct hca_qp *qp;
	int words, state, ret;
	u32 id;

	words = sscanf(buf, "%u %7s %31s %15s %c", &id, name, event, context,
		       &end);
	if (words < 2 || words > 4)
		return -EINVAL;
	state = hca_qp_state(name);
	if ((state != IB_QPS_ERR && state != IB_QPS_SQE) ||
	    (words > 2 && raise_parse(&raise, event, 1, context)))
		return -EINVAL;

	qp = hca_qp_get(hca_of_dev(dev), id);
	if (!qp)
		return -ENOENT;
	ret = fault_state(qp, state);
	if (!ret && words > 2)
		raise_on(&raise, &qp->ibqp);
	hca_qp_put(qp);
	return ret ?: count;
}

DEVICE_ATTR_WO(fault);

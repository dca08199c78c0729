// SPDX-License-Identifier: GPL-2.0
/*
 * sf_hca - how the send queue drains
 *
 * It takes as long as the device is told, from RTS to SQD on. Until then a query
 * says sq_draining; then SQ_DRAINED is raised, if the modify asked for it.
 *
 * Files in /sys/class/infiniband/NAME/hca/:
 *
 *	drain_ms	how long it takes, or "never"; applies to QPs that go to
 *			SQD from now on
 *	drained		written: QPN, whose send queue is empty now
 *
 * What ends it is a work of its own memory, which holds a reference to the QP.
 * Whoever ends it early, a modify or destroy, takes that work off the QP, and
 * leaves it to itself when it runs already.
 */
#include "hca.h"

#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/string.h>

/* An hour. */
#define DRAIN_MAX_MS 3600000

struct hca_drain {
	struct delayed_work work;
	struct hca_qp *qp;
	/* Protected by hca_qp.lock: the work was queued, it may run already. */
	bool queued;
};

static void drain_free(struct hca_drain *drain)
{
	struct hca_qp *qp = drain->qp;

	kfree(drain);
	hca_qp_put(qp);
}

static void drain_work_fn(struct work_struct *work)
{
	struct hca_drain *drain =
		container_of(to_delayed_work(work), struct hca_drain, work);
	struct hca_qp *qp = drain->qp;
	bool notify = false;

	spin_lock(&qp->lock);
	if (qp->drain == drain) {
		qp->drain = NULL;
		qp->draining = false;
		notify = qp->attr.en_sqd_notify;
	}
	spin_unlock(&qp->lock);
	if (notify)
		hca_raise(qp, IB_EVENT_SQ_DRAINED);
	drain_free(drain);
}

/* Belongs to nobody, until hca_drain_begin(); kfree() does. */
struct hca_drain *hca_drain_alloc(struct hca_qp *qp)
{
	struct hca_drain *drain = kzalloc(sizeof(*drain), GFP_KERNEL);

	if (!drain)
		return NULL;
	INIT_DELAYED_WORK(&drain->work, drain_work_fn);
	drain->qp = qp;
	return drain;
}

void hca_drain_begin(struct hca_device *hca, struct hca_qp *qp,
		     struct hca_drain *drain)
{
	int ms = READ_ONCE(hca->drain_ms);

	lockdep_assert_held(&qp->lock);

	qp->draining = true;
	qp->drain = drain;
	refcount_inc(&qp->refs);
	drain->queued = ms != HCA_DRAIN_NEVER;
	if (drain->queued)
		queue_delayed_work(hca->wq, &drain->work, msecs_to_jiffies(ms));
}

void hca_drain_end(struct hca_qp *qp)
{
	struct hca_drain *drain = qp->drain;

	lockdep_assert_held(&qp->lock);

	qp->draining = false;
	qp->drain = NULL;
	if (!drain)
		return;
	if (!drain->queued || cancel_delayed_work(&drain->work))
		drain_free(drain);
}

static ssize_t drain_ms_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	int ms = READ_ONCE(hca_of_dev(dev)->drain_ms);

	if (ms == HCA_DRAIN_NEVER)
		return sysfs_emit(buf, "never\n");
	return sysfs_emit(buf, "%d\n", ms);
}

static ssize_t drain_ms_store(struct device *dev, struct device_attribute *attr,
			      const char *buf, size_t count)
{
	int ms;

	if (sysfs_streq(buf, "never"))
		ms = HCA_DRAIN_NEVER;
	else if (kstrtoint(buf, 0, &ms) || ms < 0 || ms > DRAIN_MAX_MS)
		return -EINVAL;
	WRITE_ONCE(hca_of_dev(dev)->drain_ms, ms);
	return count;
}

DEVICE_ATTR_RW(drain_ms);

/* If it runs already, it must not be queued again: it frees itself. */
static void drain_now(struct hca_device *hca, struct hca_drain *drain)
{
	lockdep_assert_held(&drain->qp->lock);

	if (drain->queued && !cancel_delayed_work(&drain->work))
		return;
	drain->queued = true;
	queue_delayed_work(hca->wq, &drain->work, 0);
}

static ssize_t drained_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	struct hca_device *hca = hca_of_dev(dev);
	ssize_t ret = count;
	struct hca_qp *qp;
	u32 id;

	if (kstrtou32(buf, 0, &id))
		return -EINVAL;
	qp = hca_qp_get(hca, id);
	if (!qp)
		return -ENOENT;
	spin_lock(&qp->lock);
	if (qp->drain)
		drain_now(hca, qp->drain);
	else
		ret = -EINVAL;
	spin_unlock(&qp->lock);
	hca_qp_put(qp);
	return ret;
}

DEVICE_ATTR_WO(drained);

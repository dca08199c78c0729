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

#include <linux/completion.h>
#include <linux/device.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/string.h>

#define COUNT_MAX 1000000

struct hca_shot {
	struct tasklet_struct tasklet;
	struct irq_work irq_work;
	struct completion done;
	struct hca_qp *qp;
	enum ib_event_type event;
	u32 count;
};

static const struct {
	const char *name;
	enum ib_event_type event;
} events[] = {
	{ "QP_FATAL", IB_EVENT_QP_FATAL },
	{ "QP_REQ_ERR", IB_EVENT_QP_REQ_ERR },
	{ "QP_ACCESS_ERR", IB_EVENT_QP_ACCESS_ERR },
	{ "COMM_EST", IB_EVENT_COMM_EST },
	{ "SQ_DRAINED", IB_EVENT_SQ_DRAINED },
	{ "PATH_MIG", IB_EVENT_PATH_MIG },
	{ "PATH_MIG_ERR", IB_EVENT_PATH_MIG_ERR },
	{ "QP_LAST_WQE_REACHED", IB_EVENT_QP_LAST_WQE_REACHED },
};

/* The device's way to raise an event, in any context. */
void hca_raise(struct hca_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ibqp.device,
		.element.qp = &qp->ibqp,
		.event = type,
	};

	if (qp->ibqp.event_handler)
		qp->ibqp.event_handler(&event, qp->ibqp.qp_context);
}

static void shot_fire(struct hca_shot *shot)
{
	u32 i;

	for (i = 0; i < shot->count; i++)
		hca_raise(shot->qp, shot->event);
	complete(&shot->done);
}

static void shot_tasklet(struct tasklet_struct *tasklet)
{
	shot_fire(container_of(tasklet, struct hca_shot, tasklet));
}

static void shot_irq_work(struct irq_work *work)
{
	shot_fire(container_of(work, struct hca_shot, irq_work));
}

static void fire_in_softirq(struct hca_shot *shot)
{
	tasklet_setup(&shot->tasklet, shot_tasklet);
	tasklet_schedule(&shot->tasklet);
	wait_for_completion(&shot->done);
	tasklet_kill(&shot->tasklet);
}

static void fire_in_hardirq(struct hca_shot *shot)
{
	shot->irq_work = IRQ_WORK_INIT_HARD(shot_irq_work);
	irq_work_queue(&shot->irq_work);
	wait_for_completion(&shot->done);
	irq_work_sync(&shot->irq_work);
}

static const struct hca_context {
	const char *name;
	void (*fire)(struct hca_shot *shot);
} contexts[] = {
	{ "process", shot_fire },
	{ "softirq", fire_in_softirq },
	{ "hardirq", fire_in_hardirq },
};

static const struct hca_context *context_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(contexts); i++)
		if (!strcmp(contexts[i].name, name))
			return &contexts[i];
	return NULL;
}

static int event_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (!strcmp(events[i].name, name))
			return events[i].event;
	return -EINVAL;
}

/* Return: 0 when @shot is what was asked for. */
static int shot_aim(struct hca_shot *shot, const char *event, u32 count)
{
	int found = event_find(event);

	if (found < 0 || !count || count > COUNT_MAX)
		return -EINVAL;
	shot->event = found;
	shot->count = count;
	init_completion(&shot->done);
	return 0;
}

static ssize_t event_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	char event[32], context_name[16] = "process", end;
	const struct hca_context *context;
	struct hca_shot shot = {};
	ssize_t ret = count;
	u32 id, times = 1;
	int words;

	words = sscanf(buf, "%u %31s %u %15s %c", &id, event, &times,
		       context_name, &end);
	context = context_find(context_name);
	if (words < 2 || words > 4 || !context || shot_aim(&shot, event, times))
		return -EINVAL;

	shot.qp = hca_qp_get(hca_of_dev(dev), id);
	if (!shot.qp)
		return -ENOENT;
	if (shot.qp->ibqp.event_handler)
		context->fire(&shot);
	else
		ret = -ENXIO;
	hca_qp_put(shot.qp);
	return ret;
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
	char name[8], event[32], context_name[16] = "process", end;
	const struct hca_context *context;
	struct hca_shot shot = {};
	int words, state, ret;
	u32 id;

	words = sscanf(buf, "%u %7s %31s %15s %c", &id, name, event,
		       context_name, &end);
	if (words < 2 || words > 4)
		return -EINVAL;
	state = hca_qp_state(name);
	context = context_find(context_name);
	if ((state != IB_QPS_ERR && state != IB_QPS_SQE) || !context ||
	    (words > 2 && shot_aim(&shot, event, 1)))
		return -EINVAL;

	shot.qp = hca_qp_get(hca_of_dev(dev), id);
	if (!shot.qp)
		return -ENOENT;
	ret = fault_state(shot.qp, state);
	if (!ret && words > 2)
		context->fire(&shot);
	hca_qp_put(shot.qp);
	return ret ?: count;
}

DEVICE_ATTR_WO(fault);

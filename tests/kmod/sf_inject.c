// SPDX-License-Identifier: GPL-2.0
/*
 * Raise an asynchronous event of a QP exactly as its driver would.
 *
 * rxe raises next to none of the eight QP events, so a test of the others
 * needs somebody who calls qp->event_handler() in the driver's place:
 *
 *	echo "rxe0 17 QP_FATAL" >/sys/module/sf_inject/parameters/raise
 *	echo "rxe0 17 COMM_EST 100 hardirq" >/sys/module/sf_inject/parameters/raise
 *
 * The words are DEVICE QPN EVENT [COUNT [CONTEXT]]. CONTEXT is process
 * (default), softirq or hardirq: drivers report from all three. All COUNT
 * events are raised in one go, on the CPU of the writer. The write returns
 * when they have been raised. QP 0 and QP 1 of port P are (P << 24 | QPN),
 * which is how ib_core numbers them.
 */

#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

#define SF_INJECT_MAX_COUNT	65536

/* One write to the parameter. */
struct sf_inject_shot {
	struct tasklet_struct tasklet;
	struct irq_work irq_work;
	struct completion done;
	struct ib_qp *qp;
	enum ib_event_type event;
	unsigned int count;
};

struct sf_inject_context {
	const char *name;
	void (*raise)(struct sf_inject_shot *shot);
};

static const char * const event_names[] = {
	[IB_EVENT_QP_FATAL]		= "QP_FATAL",
	[IB_EVENT_QP_REQ_ERR]		= "QP_REQ_ERR",
	[IB_EVENT_QP_ACCESS_ERR]	= "QP_ACCESS_ERR",
	[IB_EVENT_COMM_EST]		= "COMM_EST",
	[IB_EVENT_SQ_DRAINED]		= "SQ_DRAINED",
	[IB_EVENT_PATH_MIG]		= "PATH_MIG",
	[IB_EVENT_PATH_MIG_ERR]		= "PATH_MIG_ERR",
	[IB_EVENT_QP_LAST_WQE_REACHED]	= "QP_LAST_WQE_REACHED",
};

static void raise_events(struct sf_inject_shot *shot)
{
	struct ib_qp *qp = shot->qp;
	unsigned int i;

	for (i = 0; i < shot->count; i++) {
		struct ib_event event = {
			.device = qp->device,
			.element.qp = qp,
			.event = shot->event,
		};

		qp->event_handler(&event, qp->qp_context);
	}
	complete(&shot->done);
}

static void raise_tasklet(struct tasklet_struct *tasklet)
{
	raise_events(container_of(tasklet, struct sf_inject_shot, tasklet));
}

static void raise_irq_work(struct irq_work *work)
{
	raise_events(container_of(work, struct sf_inject_shot, irq_work));
}

static void raise_in_softirq(struct sf_inject_shot *shot)
{
	tasklet_setup(&shot->tasklet, raise_tasklet);
	tasklet_schedule(&shot->tasklet);
	wait_for_completion(&shot->done);
	tasklet_kill(&shot->tasklet);
}

static void raise_in_hardirq(struct sf_inject_shot *shot)
{
	shot->irq_work = IRQ_WORK_INIT_HARD(raise_irq_work);
	irq_work_queue(&shot->irq_work);
	wait_for_completion(&shot->done);
	irq_work_sync(&shot->irq_work);
}

static const struct sf_inject_context contexts[] = {
	{ "process", raise_events },
	{ "softirq", raise_in_softirq },
	{ "hardirq", raise_in_hardirq },
};

static int raise_on_device(struct ib_device *device, u32 qpn,
			   const struct sf_inject_context *context,
			   struct sf_inject_shot *shot)
{
	struct rdma_restrack_entry *res;
	int ret = 0;

	res = rdma_restrack_get_byid(device, RDMA_RESTRACK_QP, qpn);
	if (IS_ERR(res))
		return PTR_ERR(res);

	/* A driver does not raise events for a QP without a handler either. */
	shot->qp = container_of(res, struct ib_qp, res);
	if (shot->qp->event_handler)
		context->raise(shot);
	else
		ret = -ENXIO;
	rdma_restrack_put(res);
	return ret;
}

static const struct sf_inject_context *find_context(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(contexts); i++)
		if (!strcmp(contexts[i].name, name))
			return &contexts[i];
	return NULL;
}

static int find_event(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(event_names); i++)
		if (event_names[i] && !strcmp(event_names[i], name))
			return i;
	return -EINVAL;
}

static int raise_set(const char *val, const struct kernel_param *kp)
{
	char dev_name[IB_DEVICE_NAME_MAX], event[32], context_name[16] = "process";
	const struct sf_inject_context *context;
	struct sf_inject_shot shot = { .count = 1 };
	struct ib_device *device;
	u32 qpn;
	int ret;

	if (sscanf(val, "%63s %u %31s %u %15s", dev_name, &qpn, event,
		   &shot.count, context_name) < 3)
		return -EINVAL;
	context = find_context(context_name);
	ret = find_event(event);
	if (ret < 0 || !context || !shot.count || shot.count > SF_INJECT_MAX_COUNT)
		return -EINVAL;
	shot.event = ret;
	init_completion(&shot.done);

	device = ib_device_get_by_name(dev_name, RDMA_DRIVER_UNKNOWN);
	if (!device)
		return -ENODEV;
	ret = raise_on_device(device, qpn, context, &shot);
	ib_device_put(device);
	return ret;
}

static const struct kernel_param_ops raise_ops = {
	.set = raise_set,
};

module_param_cb(raise, &raise_ops, NULL, 0200);
MODULE_PARM_DESC(raise, "DEVICE QPN EVENT [COUNT [process|softirq|hardirq]]");

MODULE_DESCRIPTION("Raise asynchronous events of RDMA QPs (test only)");
MODULE_LICENSE("GPL");

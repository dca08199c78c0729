/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Raise asynchronous events of a QP as its driver does, in any context. Each test module
 * that does so has its own copy of this code: one file of it includes this.
 */
#ifndef _SF_TEST_RAISE_H
#define _SF_TEST_RAISE_H

#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#define RAISE_MAX 1000000

struct raise_context;

/**
 * struct raise - events to be raised in one go
 * @event: one of the eight of a QP
 * @count: how many, 1..RAISE_MAX
 * @context: drivers report from all three
 */
struct raise {
	enum ib_event_type event;
	u32 count;
	const struct raise_context *context;
};

/* One call of raise_on(). */
struct raise_shot {
	struct tasklet_struct tasklet;
	struct irq_work irq_work;
	struct completion done;
	const struct raise *raise;
	struct ib_qp *qp;
};

static const char *const raise_event_names[] = {
	[IB_EVENT_QP_FATAL] = "QP_FATAL",
	[IB_EVENT_QP_REQ_ERR] = "QP_REQ_ERR",
	[IB_EVENT_QP_ACCESS_ERR] = "QP_ACCESS_ERR",
	[IB_EVENT_COMM_EST] = "COMM_EST",
	[IB_EVENT_SQ_DRAINED] = "SQ_DRAINED",
	[IB_EVENT_PATH_MIG] = "PATH_MIG",
	[IB_EVENT_PATH_MIG_ERR] = "PATH_MIG_ERR",
	[IB_EVENT_QP_LAST_WQE_REACHED] = "QP_LAST_WQE_REACHED",
};

/* One event, from the caller's context; nothing where the owner has no use for it. */
static void raise_one(struct ib_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->device,
		.element.qp = qp,
		.event = type,
	};

	if (qp->event_handler)
		qp->event_handler(&event, qp->qp_context);
}

static void raise_fire(struct raise_shot *shot)
{
	u32 i;

	for (i = 0; i < shot->raise->count; i++)
		raise_one(shot->qp, shot->raise->event);
	complete(&shot->done);
}

static void raise_fire_tasklet(struct tasklet_struct *tasklet)
{
	raise_fire(container_of(tasklet, struct raise_shot, tasklet));
}

static void raise_fire_irq_work(struct irq_work *work)
{
	raise_fire(container_of(work, struct raise_shot, irq_work));
}

static void raise_fire_in_softirq(struct raise_shot *shot)
{
	tasklet_setup(&shot->tasklet, raise_fire_tasklet);
	tasklet_schedule(&shot->tasklet);
	wait_for_completion(&shot->done);
	tasklet_kill(&shot->tasklet);
}

static void raise_fire_in_hardirq(struct raise_shot *shot)
{
	shot->irq_work = IRQ_WORK_INIT_HARD(raise_fire_irq_work);
	irq_work_queue(&shot->irq_work);
	wait_for_completion(&shot->done);
	irq_work_sync(&shot->irq_work);
}

static const struct raise_context {
	const char *name;
	void (*fire)(struct raise_shot *shot);
} raise_contexts[] = {
	{ "process", raise_fire },
	{ "softirq", raise_fire_in_softirq },
	{ "hardirq", raise_fire_in_hardirq },
};

/**
 * raise_parse - from the words that a person writes
 * @raise: filled in
 * @event: as in QP_FATAL
 * @count: how many
 * @context: process, softirq or hardirq
 *
 * Return: 0, or -EINVAL if one of them is none.
 */
static int raise_parse(struct raise *raise, const char *event, u32 count,
		       const char *context)
{
	size_t i;

	*raise = (struct raise){ .count = count };
	for (i = 0; i < ARRAY_SIZE(raise_contexts); i++)
		if (!strcmp(raise_contexts[i].name, context))
			raise->context = &raise_contexts[i];
	for (i = 0; i < ARRAY_SIZE(raise_event_names); i++)
		if (raise_event_names[i] &&
		    !strcmp(raise_event_names[i], event))
			break;
	raise->event = i;
	if (i == ARRAY_SIZE(raise_event_names) || !raise->context || !count ||
	    count > RAISE_MAX)
		return -EINVAL;
	return 0;
}

/**
 * raise_on - raise them, on the CPU of the caller, and wait until that is done
 * @raise: what
 * @qp: held by the caller
 *
 * Context: may sleep.
 *
 * Return: 0, or -ENXIO if the QP's owner has no use for events.
 */
static int raise_on(const struct raise *raise, struct ib_qp *qp)
{
	struct raise_shot shot = { .raise = raise, .qp = qp };

	if (!qp->event_handler)
		return -ENXIO;
	init_completion(&shot.done);
	raise->context->fire(&shot);
	return 0;
}

#endif /* _SF_TEST_RAISE_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - what happens: records from the hooks, notices to listeners
 *
 * Why per-CPU rings: a QP event is raised in a process, a softirq or a hard
 * interrupt, with locks of the driver held. Writing to one's own CPU's ring
 * with interrupts off needs no lock and cannot be interrupted by another
 * writer, so a plain kfifo with one writer and one reader does.
 *
 * Why the records are still in order: each takes a number from one counter.
 * The worker first reads the counter, then the rings, and delivers what is not
 * beyond that number, smallest first. If A happened before B (the call that
 * recorded A returned before the one that recorded B began) then A was in its
 * ring before B took its number; so when B is within the limit, A is visible.
 */
#include "event.h"

#include <linux/irq_work.h>
#include <linux/kfifo.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "device.h"
#include "track.h"

#define RING_MIN 16
#define RING_MAX 65536

static unsigned int ring_size = 1024;
module_param(ring_size, uint, 0444);
MODULE_PARM_DESC(ring_size,
		 "Records a CPU's ring holds, a power of two from 16 to 65536 (1024)");

/**
 * struct event_ring - one CPU's records
 * @fifo: written on its own CPU with interrupts off, read by the worker alone
 * @records: its memory; the largest is beyond what kmalloc() has
 * @kick: starts the worker; from any context, unlike queue_work()
 * @lost: records that found the ring full; written like @fifo
 */
struct event_ring {
	DECLARE_KFIFO_PTR(fifo, struct sf_record);
	struct sf_record *records;
	struct irq_work kick;
	u64 lost;
};

static struct event_ring __percpu *event_rings;
static atomic64_t event_order = ATOMIC64_INIT(0);
static atomic64_t event_missed = ATOMIC64_INIT(0);

/* Ordered: the worker is the one reader of all rings. */
static struct workqueue_struct *event_wq;
static void event_work_fn(struct work_struct *work);
static DECLARE_WORK(event_work, event_work_fn);

/* SRCU: a listener may sleep, and come here while another one leaves. */
static struct srcu_notifier_head event_chain;

static const struct {
	const char *name;
	bool error;
} event_kinds[SF_QP_EVENTS] = {
	[SCALEFABRIC_QP_EVENT_FATAL] = { "QP_FATAL", true },
	[SCALEFABRIC_QP_EVENT_REQ_ERR] = { "QP_REQ_ERR", true },
	[SCALEFABRIC_QP_EVENT_ACCESS_ERR] = { "QP_ACCESS_ERR", true },
	[SCALEFABRIC_QP_EVENT_COMM_EST] = { "COMM_EST", false },
	[SCALEFABRIC_QP_EVENT_SQ_DRAINED] = { "SQ_DRAINED", false },
	[SCALEFABRIC_QP_EVENT_PATH_MIG] = { "PATH_MIG", false },
	[SCALEFABRIC_QP_EVENT_PATH_MIG_ERR] = { "PATH_MIG_ERR", true },
	[SCALEFABRIC_QP_EVENT_LAST_WQE_REACHED] = { "QP_LAST_WQE_REACHED",
						    false },
};

const char *sf_event_name(u8 event)
{
	return event < SF_QP_EVENTS ? event_kinds[event].name : "?";
}

bool sf_event_is_error(u8 event)
{
	return event < SF_QP_EVENTS && event_kinds[event].error;
}

static void record_drop(const struct sf_record *rec)
{
	if (rec->kind == SF_RECORD_CREATE)
		put_pid(rec->create.pid);
}

void sf_event_record(struct sf_record *rec)
{
	struct event_ring *ring;
	unsigned long flags;
	bool fits;

	if (WARN_ON_ONCE(in_nmi())) {
		record_drop(rec);
		/* No work is queued from here; the next run sees it. */
		atomic64_inc(&event_missed);
		return;
	}

	local_irq_save(flags);
	ring = this_cpu_ptr(event_rings);
	rec->seq = atomic64_inc_return(&event_order);
	rec->time = ktime_get_real_fast_ns();
	fits = kfifo_put(&ring->fifo, *rec);
	if (!fits)
		WRITE_ONCE(ring->lost, ring->lost + 1);
	irq_work_queue(&ring->kick);
	local_irq_restore(flags);

	if (!fits)
		record_drop(rec);
}

u64 sf_event_order(void)
{
	return atomic64_inc_return(&event_order);
}

void sf_event_lose(u64 n)
{
	atomic64_add(n, &event_missed);
	queue_work(event_wq, &event_work);
}

u64 sf_event_lost(void)
{
	u64 lost = atomic64_read(&event_missed);
	int cpu;

	for_each_possible_cpu(cpu)
		lost += READ_ONCE(per_cpu_ptr(event_rings, cpu)->lost);
	return lost;
}

u32 sf_event_ring_size(void)
{
	return ring_size;
}

static void event_kick(struct irq_work *work)
{
	queue_work(event_wq, &event_work);
}

/*
 * Take the earliest record that is not beyond @limit. A CPU that has none left
 * leaves @busy: what it records from now on is beyond the limit anyway.
 */
static bool event_take(struct cpumask *busy, u64 limit, struct sf_record *rec)
{
	struct event_ring *from = NULL, *ring;
	struct sf_record head;
	int cpu;

	for_each_cpu(cpu, busy) {
		ring = per_cpu_ptr(event_rings, cpu);
		if (!kfifo_peek(&ring->fifo, &head) || head.seq > limit) {
			cpumask_clear_cpu(cpu, busy);
			continue;
		}
		if (!from || head.seq < rec->seq) {
			from = ring;
			*rec = head;
		}
	}
	if (from)
		kfifo_skip(&from->fifo);
	return from;
}

static void event_work_fn(struct work_struct *work)
{
	static struct cpumask busy;
	static u64 lost_seen;
	struct sf_record rec;
	u64 limit, lost;

	/* Acquire: with the number come the records that took part in it. */
	limit = atomic64_read_acquire(&event_order);
	cpumask_copy(&busy, cpu_possible_mask);
	while (event_take(&busy, limit, &rec)) {
		sf_track_apply(&rec);
		cond_resched();
	}

	lost = sf_event_lost();
	if (lost != lost_seen) {
		lost_seen = lost;
		sf_device_rescan_all();
	}
}

void sf_event_sync(void)
{
	queue_work(event_wq, &event_work);
	flush_work(&event_work);
}

int sf_event_listen(struct notifier_block *nb)
{
	return srcu_notifier_chain_register(&event_chain, nb);
}

void sf_event_unlisten(struct notifier_block *nb)
{
	srcu_notifier_chain_unregister(&event_chain, nb);
}

void sf_event_notify(enum sf_notice_kind kind, struct sf_notice *notice)
{
	srcu_notifier_call_chain(&event_chain, kind, notice);
}

static void event_free_rings(void)
{
	int cpu;

	/* A late kick may start the worker once more. */
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(event_rings, cpu)->kick);
	flush_work(&event_work);
	for_each_possible_cpu(cpu)
		kvfree(per_cpu_ptr(event_rings, cpu)->records);
	free_percpu(event_rings);
}

static int event_init_ring(struct event_ring *ring)
{
	ring->records = kvcalloc(ring_size, sizeof(*ring->records), GFP_KERNEL);
	if (!ring->records)
		return -ENOMEM;
	return kfifo_init(&ring->fifo, ring->records,
			  ring_size * sizeof(*ring->records));
}

/* As srcu_init_notifier_head(), which is a BUG() where there is no memory. */
static int event_init_chain(void)
{
	mutex_init(&event_chain.mutex);
	event_chain.head = NULL;
	return init_srcu_struct(&event_chain.srcu);
}

int sf_event_init(void)
{
	int cpu, ret;

	if (!is_power_of_2(ring_size) || ring_size < RING_MIN ||
	    ring_size > RING_MAX) {
		pr_err("ring_size must be a power of two from %u to %u, not %u\n",
		       RING_MIN, RING_MAX, ring_size);
		return -EINVAL;
	}

	ret = event_init_chain();
	if (ret)
		return ret;
	event_wq = alloc_ordered_workqueue("scalefabric", 0);
	if (!event_wq) {
		ret = -ENOMEM;
		goto err_chain;
	}

	event_rings = alloc_percpu(struct event_ring);
	if (!event_rings) {
		ret = -ENOMEM;
		goto err_wq;
	}
	for_each_possible_cpu(cpu)
		init_irq_work(&per_cpu_ptr(event_rings, cpu)->kick, event_kick);
	for_each_possible_cpu(cpu) {
		ret = event_init_ring(per_cpu_ptr(event_rings, cpu));
		if (ret)
			goto err_rings;
	}
	return 0;

err_rings:
	event_free_rings();
err_wq:
	destroy_workqueue(event_wq);
err_chain:
	srcu_cleanup_notifier_head(&event_chain);
	return ret;
}

/* The hooks are gone: nothing is recorded any more. */
void sf_event_exit(void)
{
	sf_event_sync();
	event_free_rings();
	destroy_workqueue(event_wq);
	srcu_cleanup_notifier_head(&event_chain);
}

#ifdef CONFIG_SCALEFABRIC_KUNIT_TEST
#include "tests/kunit/event_kunit.c"
#endif

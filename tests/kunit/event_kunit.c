// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric tests - records and their order
 *
 * Included by kmod/event.c. That the worker delivers what happened before first, also
 * across CPUs; that each record is either delivered or counted as lost, exactly, in
 * whatever context it was made; that a loss starts a scan; and the notifier chain.
 *
 * The worker itself runs, on its own queue, but under the test's control: a gate lies
 * before it, and what it delivers ends in a list.
 */
#include <kunit/static_stub.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mm.h>

#include "tests/kunit/thread.h"

/* No device of anybody's. */
static struct ib_device test_ibdev;

/**
 * struct delivery - a record as it was delivered
 * @seq: its order
 * @id: what the test called it
 */
struct delivery {
	u64 seq;
	u32 id;
};

/**
 * struct gate - a hold on the worker
 * @work: keeps the worker's queue busy while the gate is closed
 * @test: the test
 * @closed: completed when nothing is delivered any more
 * @open: completed to deliver
 * @deliver: deliver all the time, until @open
 * @got: what was delivered of the test's records
 * @count: how many
 * @capacity: of @got
 * @scans: how often the worker asked for a scan
 */
struct gate {
	struct work_struct work;
	struct kunit *test;
	struct completion closed;
	struct completion open;
	bool deliver;
	struct delivery *got;
	u32 count;
	u32 capacity;
	u32 scans;
};

static void test_apply(const struct sf_record *rec)
{
	struct kunit *test = kunit_get_current_test();
	struct gate *gate = test->priv;

	if (rec->dev != &test_ibdev) {
		/* The host's own goes its way. */
		current->kunit_test = NULL;
		sf_track_apply(rec);
		current->kunit_test = test;
		return;
	}
	if (rec->kind == SF_RECORD_CREATE)
		put_pid(rec->create.pid);
	if (gate->count < gate->capacity)
		gate->got[gate->count] =
			(struct delivery){ .seq = rec->seq, .id = rec->id };
	gate->count++;
}

static void test_rescan(void)
{
	struct gate *gate = kunit_get_current_test()->priv;

	gate->scans++;
}

/* On the worker's queue, which is ordered: the worker itself does not run meanwhile. */
static void gate_fn(struct work_struct *work)
{
	struct gate *gate = container_of(work, struct gate, work);

	current->kunit_test = gate->test;
	event_work_fn(NULL);
	complete(&gate->closed);
	while (gate->deliver && !completion_done(&gate->open)) {
		event_work_fn(NULL);
		cond_resched();
	}
	wait_for_completion(&gate->open);
	event_work_fn(NULL);
	current->kunit_test = NULL;
}

static void gate_open(void *data)
{
	struct gate *gate = data;

	/* What the last interrupt on each CPU recorded is in its ring. */
	complete(&gate->open);
	flush_work(&gate->work);
	kvfree(gate->got);
}

static struct gate *gate_close(struct kunit *test, u32 capacity, bool deliver)
{
	struct gate *gate = kunit_kzalloc(test, sizeof(*gate), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, gate);
	gate->got = kvmalloc_array(capacity, sizeof(*gate->got), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, gate->got);
	gate->capacity = capacity;
	gate->deliver = deliver;
	gate->test = test;
	test->priv = gate;
	init_completion(&gate->closed);
	init_completion(&gate->open);
	INIT_WORK(&gate->work, gate_fn);
	kunit_activate_static_stub(test, sf_track_apply, test_apply);
	kunit_activate_static_stub(test, sf_device_rescan_all, test_rescan);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, gate_open, gate));
	queue_work(event_wq, &gate->work);
	wait_for_completion(&gate->closed);
	return gate;
}

/* All that was recorded is delivered; the list stays until the end of the test. */
static void gate_finish(struct gate *gate)
{
	complete(&gate->open);
	flush_work(&gate->work);
}

static void record(u32 id)
{
	struct sf_record rec = {
		.kind = SF_RECORD_EVENT,
		.dev = &test_ibdev,
		.id = id,
	};

	sf_event_record(&rec);
}

struct relay {
	unsigned int runners;
	u32 rounds;
	atomic_t turn;
};

struct runner {
	struct relay *relay;
	unsigned int number;
};

/* Record when it is one's turn, then pass it on: each happened before the next. */
static int runner_fn(void *data)
{
	struct runner *runner = data;
	struct relay *relay = runner->relay;
	u32 turn = runner->number;

	while (turn < relay->rounds && !kthread_should_stop()) {
		if (atomic_read_acquire(&relay->turn) != turn) {
			cond_resched();
			continue;
		}
		record(turn);
		atomic_set_release(&relay->turn, turn + 1);
		turn += relay->runners;
	}
	return 0;
}

static void order_is_kept_across_cpus(struct kunit *test)
{
	u32 i, n = num_online_cpus(), lost = sf_event_lost();
	struct relay relay = { .runners = n, .rounds = 150 * n };
	struct gate *gate = gate_close(test, relay.rounds, true);
	struct runner *runners;

	runners = kunit_kcalloc(test, n, sizeof(*runners), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, runners);
	if (n < 2)
		kunit_skip(test, "needs two CPUs");
	for (i = 0; i < n; i++) {
		runners[i] = (struct runner){ &relay, i };
		sf_test_thread(test, sf_test_cpu(i), runner_fn, &runners[i]);
	}
	KUNIT_EXPECT_TRUE(test, SF_TEST_WAIT(atomic_read(&relay.turn) ==
					     relay.rounds));
	gate_finish(gate);
	KUNIT_EXPECT_EQ(test, sf_event_lost(), lost);
	KUNIT_ASSERT_EQ(test, gate->count, relay.rounds);
	for (i = 0; i < relay.rounds; i++) {
		KUNIT_ASSERT_EQ(test, gate->got[i].id, i);
		KUNIT_ASSERT_TRUE(test, !i || gate->got[i].seq >
							gate->got[i - 1].seq);
	}
}

/* What is in the rings when the worker starts comes out smallest first. */
static void worker_merges_the_rings(struct kunit *test)
{
	u32 i, n = num_online_cpus();
	struct relay relay = { .runners = n, .rounds = min(16 * n, ring_size) };
	struct gate *gate = gate_close(test, relay.rounds, false);
	struct runner *runners;

	runners = kunit_kcalloc(test, n, sizeof(*runners), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, runners);
	for (i = 0; i < n; i++) {
		runners[i] = (struct runner){ &relay, i };
		sf_test_thread(test, sf_test_cpu(i), runner_fn, &runners[i]);
	}
	KUNIT_EXPECT_TRUE(test, SF_TEST_WAIT(atomic_read(&relay.turn) ==
					     relay.rounds));
	KUNIT_EXPECT_EQ(test, gate->count, 0);
	gate_finish(gate);
	KUNIT_ASSERT_EQ(test, gate->count, relay.rounds);
	for (i = 0; i < relay.rounds; i++)
		KUNIT_ASSERT_EQ(test, gate->got[i].id, i);
}

/* A record that comes while the worker is at it is not delivered before older ones. */
static void worker_stops_at_its_limit(struct kunit *test)
{
	struct gate *gate = gate_close(test, 4, false);
	struct cpumask *busy;
	struct sf_record rec;
	u64 limit;

	busy = kunit_kzalloc(test, sizeof(*busy), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, busy);
	record(1);
	limit = atomic64_read_acquire(&event_order);
	record(2);

	cpumask_copy(busy, cpu_possible_mask);
	KUNIT_ASSERT_TRUE(test, event_take(busy, limit, &rec));
	KUNIT_EXPECT_EQ(test, rec.id, 1);
	KUNIT_EXPECT_FALSE(test, event_take(busy, limit, &rec));
	KUNIT_EXPECT_TRUE(test, cpumask_empty(busy));

	gate_finish(gate);
	KUNIT_ASSERT_EQ(test, gate->count, 1);
	KUNIT_EXPECT_EQ(test, gate->got[0].id, 2);
}

#define TOO_MANY 37

/* On one CPU, with nothing taken out meanwhile. */
static int overflow_fn(void *data)
{
	struct pid *pid = data;
	struct sf_record rec = {
		.kind = SF_RECORD_CREATE,
		.dev = &test_ibdev,
		.create.pid = pid,
	};
	u32 i;

	for (i = 0; i < ring_size + TOO_MANY; i++) {
		rec.id = i;
		get_pid(pid);
		sf_event_record(&rec);
	}
	return 0;
}

static void overflow_is_counted_exactly(struct kunit *test)
{
	struct gate *gate = gate_close(test, ring_size, false);
	struct pid *pid = sf_test_pid(test);
	unsigned int pids = refcount_read(&pid->count);
	struct task_struct *thread;
	u64 lost = sf_event_lost();
	u32 i;

	thread = sf_test_thread(test, sf_test_cpu(1), overflow_fn, pid);
	sf_test_join(test, thread);
	KUNIT_EXPECT_EQ(test, sf_event_lost(), lost + TOO_MANY);
	/* Each that is kept has its reference, the others gave it back. */
	KUNIT_EXPECT_EQ(test, refcount_read(&pid->count), pids + ring_size);

	gate_finish(gate);
	KUNIT_EXPECT_EQ(test, refcount_read(&pid->count), pids);
	KUNIT_EXPECT_EQ(test, gate->scans, 1);
	put_pid(pid);
	KUNIT_ASSERT_EQ(test, gate->count, ring_size);
	for (i = 0; i < ring_size; i++)
		KUNIT_ASSERT_EQ(test, gate->got[i].id, i);
}

static void loss_starts_one_scan(struct kunit *test)
{
	struct gate *gate = gate_close(test, 1, false);
	u64 lost = sf_event_lost();

	gate_finish(gate);
	KUNIT_EXPECT_EQ(test, gate->scans, 0);
	gate = gate_close(test, 1, false);
	sf_event_lose(3);
	KUNIT_EXPECT_EQ(test, sf_event_lost(), lost + 3);
	gate_finish(gate);
	KUNIT_EXPECT_EQ(test, gate->scans, 1);
}

/* The contexts of one CPU, each of which may interrupt those before it. */
enum nest_context {
	NEST_PROCESS,
	NEST_SOFTIRQ,
	NEST_IRQ_WORK,
	NEST_TIMER,
	NEST_CONTEXTS,
};

#define NEST_ROUNDS 1000
#define NEST_TIMER_NS 200000

struct nest {
	struct tasklet_struct tasklet;
	struct irq_work irq_work;
	struct hrtimer timer;
	u32 count[NEST_CONTEXTS];
};

/* Each context counts for itself, so nobody's count is interrupted by its own kind. */
static void nest_record(struct nest *nest, enum nest_context context)
{
	record(context << 24 | nest->count[context]++);
}

static void nest_tasklet(struct tasklet_struct *tasklet)
{
	struct nest *nest = from_tasklet(nest, tasklet, tasklet);

	nest_record(nest, NEST_SOFTIRQ);
	irq_work_queue(&nest->irq_work);
	nest_record(nest, NEST_SOFTIRQ);
}

static void nest_irq_work(struct irq_work *work)
{
	nest_record(container_of(work, struct nest, irq_work), NEST_IRQ_WORK);
}

static enum hrtimer_restart nest_timer(struct hrtimer *timer)
{
	nest_record(container_of(timer, struct nest, timer), NEST_TIMER);
	hrtimer_forward_now(timer, ns_to_ktime(NEST_TIMER_NS));
	return HRTIMER_RESTART;
}

static int nest_fn(void *data)
{
	struct nest *nest = data;
	int i;

	hrtimer_start(&nest->timer, ns_to_ktime(NEST_TIMER_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < NEST_ROUNDS; i++) {
		tasklet_schedule(&nest->tasklet);
		nest_record(nest, NEST_PROCESS);
		if (i % 64 == 0)
			cond_resched();
	}
	hrtimer_cancel(&nest->timer);
	tasklet_kill(&nest->tasklet);
	irq_work_sync(&nest->irq_work);
	return 0;
}

static void nested_contexts_lose_nothing_uncounted(struct kunit *test)
{
	struct gate *gate = gate_close(test, 64 * NEST_ROUNDS, true);
	u32 next[NEST_CONTEXTS] = {}, recorded = 0, i, context;
	struct nest *nest = kunit_kzalloc(test, sizeof(*nest), GFP_KERNEL);
	u64 lost = sf_event_lost();

	KUNIT_ASSERT_NOT_NULL(test, nest);
	tasklet_setup(&nest->tasklet, nest_tasklet);
	init_irq_work(&nest->irq_work, nest_irq_work);
	hrtimer_init(&nest->timer, CLOCK_MONOTONIC,
		     HRTIMER_MODE_REL_PINNED_HARD);
	nest->timer.function = nest_timer;
	sf_test_join(test, sf_test_thread(test, sf_test_cpu(1), nest_fn, nest));
	gate_finish(gate);

	for (i = 0; i < NEST_CONTEXTS; i++) {
		KUNIT_EXPECT_GT(test, nest->count[i], 0);
		recorded += nest->count[i];
	}
	lost = sf_event_lost() - lost;
	KUNIT_EXPECT_EQ(test, gate->count + lost, recorded);
	KUNIT_ASSERT_LE(test, gate->count, gate->capacity);
	/* And what one context recorded comes in its order. */
	for (i = 0; i < gate->count; i++) {
		context = gate->got[i].id >> 24;
		KUNIT_ASSERT_GE(test, gate->got[i].id & 0xffffff,
				next[context]);
		next[context] = (gate->got[i].id & 0xffffff) + 1;
	}
}

static void sync_waits_for_delivery(struct kunit *test)
{
	struct pid *pid = sf_test_pid(test);
	unsigned int pids = refcount_read(&pid->count);
	struct sf_record rec = {
		.kind = SF_RECORD_CREATE,
		.dev = &test_ibdev,
		.create.pid = get_pid(pid),
	};

	/* The worker gives back the reference, as it does not know the device. */
	sf_event_record(&rec);
	sf_event_sync();
	KUNIT_EXPECT_EQ(test, refcount_read(&pid->count), pids);
	put_pid(pid);
}

static void records_are_stamped(struct kunit *test)
{
	struct gate *gate = gate_close(test, 1, false);
	u64 before = sf_event_order(), now = ktime_get_real_ns();
	struct sf_record rec = { .kind = SF_RECORD_EVENT, .dev = &test_ibdev };

	sf_event_record(&rec);
	KUNIT_EXPECT_GT(test, rec.seq, before);
	KUNIT_EXPECT_GT(test, sf_event_order(), rec.seq);
	/* The fast clock may be a little behind. */
	KUNIT_EXPECT_GE(test, rec.time + NSEC_PER_SEC, now);
	gate_finish(gate);
	KUNIT_EXPECT_EQ(test, gate->count, 1);
}

static void events_have_names(struct kunit *test)
{
	static const struct {
		const char *name;
		bool error;
	} events[SF_QP_EVENTS] = {
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
	u8 i;

	for (i = 0; i < SF_QP_EVENTS; i++) {
		KUNIT_EXPECT_STREQ(test, sf_event_name(i), events[i].name);
		KUNIT_EXPECT_EQ(test, sf_event_is_error(i), events[i].error);
	}
	KUNIT_EXPECT_STREQ(test, sf_event_name(SF_QP_EVENTS), "?");
	KUNIT_EXPECT_FALSE(test, sf_event_is_error(SF_QP_EVENTS));
}

struct listener {
	struct notifier_block nb;
	const struct sf_notice *notice;
	unsigned long kind;
	u32 calls;
};

static int listener_hears(struct notifier_block *nb, unsigned long kind,
			  void *data)
{
	struct listener *listener = container_of(nb, struct listener, nb);
	const struct sf_notice *notice = data;

	/* Others may tell of the host's QPs at the same time. */
	if (notice != listener->notice)
		return NOTIFY_DONE;
	listener->kind = kind;
	listener->calls++;
	return NOTIFY_DONE;
}

static void listeners_hear_until_they_leave(struct kunit *test)
{
	struct sf_notice notice = {};
	struct listener listener = {
		.nb.notifier_call = listener_hears,
		.notice = &notice,
	};
	/* A kind that none of the module's own listeners knows. */
	unsigned long kind = SF_NOTICE_DEVICE_LEAVES + 1;

	KUNIT_ASSERT_EQ(test, sf_event_listen(&listener.nb), 0);
	sf_event_notify(kind, &notice);
	KUNIT_EXPECT_EQ(test, listener.calls, 1);
	KUNIT_EXPECT_EQ(test, listener.kind, kind);
	sf_event_unlisten(&listener.nb);
	sf_event_notify(kind, &notice);
	KUNIT_EXPECT_EQ(test, listener.calls, 1);
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE_SLOW(order_is_kept_across_cpus),
	KUNIT_CASE(worker_merges_the_rings),
	KUNIT_CASE(worker_stops_at_its_limit),
	KUNIT_CASE(overflow_is_counted_exactly),
	KUNIT_CASE(loss_starts_one_scan),
	KUNIT_CASE_SLOW(nested_contexts_lose_nothing_uncounted),
	KUNIT_CASE(sync_waits_for_delivery),
	KUNIT_CASE(records_are_stamped),
	KUNIT_CASE(events_have_names),
	KUNIT_CASE(listeners_hear_until_they_leave),
	{}
};

static struct kunit_suite event_suite = {
	.name = "scalefabric_event",
	.test_cases = event_cases,
};

kunit_test_suite(event_suite);

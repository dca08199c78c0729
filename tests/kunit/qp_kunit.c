// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric tests - the table of queue pairs
 *
 * Included by kmod/qp.c. That a QP is found from when it is added until it is
 * removed, that what a reader holds stays until it lets go and is then given back,
 * that a walk meets what is there all the time exactly once whatever comes and goes,
 * that a reader never sees half of a write, and that the counts add up.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>

#include "tests/kunit/fake_device.h"
#include "tests/kunit/thread.h"

/* Numbers that no QP of the host has: beyond the 24 bits. */
#define TEST_ID 0x7f000000

static void types_have_names(struct kunit *test)
{
	static const struct {
		enum ib_qp_type ib;
		u8 type;
		const char *name;
	} types[] = {
		{ IB_QPT_SMI, SCALEFABRIC_QP_TYPE_SMI, "SMI" },
		{ IB_QPT_GSI, SCALEFABRIC_QP_TYPE_GSI, "GSI" },
		{ IB_QPT_RC, SCALEFABRIC_QP_TYPE_RC, "RC" },
		{ IB_QPT_UC, SCALEFABRIC_QP_TYPE_UC, "UC" },
		{ IB_QPT_UD, SCALEFABRIC_QP_TYPE_UD, "UD" },
		{ IB_QPT_RAW_PACKET, SCALEFABRIC_QP_TYPE_RAW_PACKET,
		  "RAW_PACKET" },
		{ IB_QPT_XRC_INI, SCALEFABRIC_QP_TYPE_XRC_INI, "XRC_INI" },
		{ IB_QPT_XRC_TGT, SCALEFABRIC_QP_TYPE_XRC_TGT, "XRC_TGT" },
		{ IB_QPT_DRIVER, SCALEFABRIC_QP_TYPE_DRIVER, "DRIVER" },
		{ IB_QPT_RESERVED1, SCALEFABRIC_QP_TYPE_OTHER, "OTHER" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		KUNIT_EXPECT_EQ(test, sf_qp_type(types[i].ib), types[i].type);
		KUNIT_EXPECT_STREQ(test, sf_qp_type_name(types[i].type),
				   types[i].name);
	}
	KUNIT_EXPECT_STREQ(test, sf_qp_type_name(SF_QP_NEVER), "OTHER");
}

/* As ib_core numbers them: each port has its own QPs 0 and 1. */
static void ids_are_those_of_ib_core(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, sf_qp_id(17, IB_QPT_RC, 2), 17);
	KUNIT_EXPECT_EQ(test, sf_qp_id(0xffffff, IB_QPT_UD, 1), 0xffffff);
	KUNIT_EXPECT_EQ(test, sf_qp_id(0, IB_QPT_SMI, 1), 0x1000000);
	KUNIT_EXPECT_EQ(test, sf_qp_id(1, IB_QPT_GSI, 2), 0x2000001);
}

static struct sf_qp *find(struct sf_device *sdev, u32 id)
{
	struct sf_qp *qp;

	rcu_read_lock();
	qp = sf_qp_find(sdev->ibdev, id);
	rcu_read_unlock();
	return qp;
}

static void added_is_found_removed_is_not(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sf_device *other = sf_fake_device(test, NULL);
	struct sf_qp *qp;

	KUNIT_EXPECT_PTR_EQ(test, find(sdev, TEST_ID), NULL);
	qp = sf_fake_qp_add(test, sdev, TEST_ID);
	KUNIT_EXPECT_EQ(test, qp->info.qpn, TEST_ID);
	KUNIT_EXPECT_PTR_EQ(test, find(sdev, TEST_ID), qp);
	KUNIT_EXPECT_PTR_EQ(test, find(sdev, TEST_ID + 1), NULL);
	KUNIT_EXPECT_PTR_EQ(test, find(other, TEST_ID), NULL);

	sf_fake_qp_remove(qp);
	KUNIT_EXPECT_PTR_EQ(test, find(sdev, TEST_ID), NULL);
	KUNIT_EXPECT_PTR_EQ(test, sf_qp_get(sdev->ibdev, TEST_ID), NULL);
}

/* Two devices have the same numbers, and may have the same place in the hash. */
static void key_is_device_and_id(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sf_device *other = sf_fake_device(test, NULL);
	struct sf_qp *qp = sf_fake_qp_add(test, sdev, TEST_ID);
	struct qp_key key = { .ibdev = sdev->ibdev, .id = TEST_ID };
	struct rhashtable_compare_arg arg = { .key = &key };

	KUNIT_EXPECT_FALSE(test, qp_hash_differs(&arg, qp));
	KUNIT_EXPECT_EQ(test, qp_hash_of_key(&key, sizeof(key), 1),
			qp_hash_of_qp(qp, 0, 1));
	key.id++;
	KUNIT_EXPECT_TRUE(test, qp_hash_differs(&arg, qp));
	key.id--;
	key.ibdev = other->ibdev;
	KUNIT_EXPECT_TRUE(test, qp_hash_differs(&arg, qp));
}

/* Who adds looks first; if it did not, no QP may be lost or counted wrongly. */
static void same_id_twice_stays_two(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sf_device *other = sf_fake_device(test, NULL);
	struct sf_qp *first, *second, *third;

	first = sf_fake_qp_add(test, sdev, TEST_ID);
	second = sf_fake_qp_add(test, sdev, TEST_ID);
	third = sf_fake_qp_add(test, other, TEST_ID);
	KUNIT_EXPECT_PTR_EQ(test, find(other, TEST_ID), third);
	KUNIT_EXPECT_EQ(test, atomic_read(&sdev->qps), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&other->qps), 1);

	sf_fake_qp_remove(second);
	KUNIT_EXPECT_PTR_EQ(test, find(sdev, TEST_ID), first);
	sf_fake_qp_remove(first);
	KUNIT_EXPECT_PTR_EQ(test, find(sdev, TEST_ID), NULL);
	KUNIT_EXPECT_PTR_EQ(test, find(other, TEST_ID), third);
	KUNIT_EXPECT_EQ(test, atomic_read(&sdev->qps), 0);
}

static void counts_add_up(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sf_device *other = sf_fake_device(test, NULL);
	struct sf_qp *qps[5];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(qps); i++)
		qps[i] = sf_fake_qp_add(test, sdev, TEST_ID + i);
	sf_fake_qp_add(test, other, TEST_ID);
	KUNIT_EXPECT_EQ(test, atomic_read(&sdev->qps), 5);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, SF_LANE_NONE), 5);
	KUNIT_EXPECT_GE(test, sf_qp_count(), 6);
	sf_fake_qp_remove(qps[2]);
	KUNIT_EXPECT_EQ(test, atomic_read(&sdev->qps), 4);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, SF_LANE_NONE), 4);

	sf_qp_remove_all(sdev);
	KUNIT_EXPECT_EQ(test, atomic_read(&sdev->qps), 0);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, SF_LANE_NONE), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&other->qps), 1);
}

/* Table and reader hold a reference each; the last gives all of it back. */
static void reference_outlives_the_table(struct kunit *test)
{
	struct pid *pid = sf_test_pid(test);
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sf_qp_info info = sf_fake_info(TEST_ID);
	unsigned int pids = refcount_read(&pid->count);
	struct sf_qp *qp;

	KUNIT_ASSERT_EQ(test, kref_read(&sdev->memory), 1);
	sf_qp_lock();
	qp = sf_qp_add_locked(sdev, TEST_ID, get_pid(pid), &info);
	sf_qp_unlock();
	KUNIT_ASSERT_PTR_EQ(test, sf_qp_get(sdev->ibdev, TEST_ID), qp);
	KUNIT_EXPECT_EQ(test, refcount_read(&qp->refs), 2);
	KUNIT_EXPECT_EQ(test, kref_read(&sdev->memory), 2);

	sf_fake_qp_remove(qp);
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, refcount_read(&qp->refs), 1);
	KUNIT_EXPECT_EQ(test, kref_read(&sdev->memory), 2);
	KUNIT_EXPECT_EQ(test, refcount_read(&pid->count), pids + 1);
	sf_qp_read(qp, &info);
	KUNIT_EXPECT_EQ(test, info.qpn, TEST_ID);

	sf_qp_put(qp);
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, kref_read(&sdev->memory), 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&pid->count), pids);
	put_pid(pid);
}

struct rcu_reader {
	struct sf_device *sdev;
	struct completion found;
	bool let_go;
	u32 qpn;
	int refs;
};

/* Not to sleep: it stays in one RCU section until it is told. */
static int rcu_reader_fn(void *data)
{
	struct rcu_reader *reader = data;
	struct sf_qp_info info = {};
	struct sf_qp *qp;

	rcu_read_lock();
	qp = sf_qp_find(reader->sdev->ibdev, TEST_ID);
	complete(&reader->found);
	/* After the removal. */
	while (!smp_load_acquire(&reader->let_go) && !kthread_should_stop())
		cpu_relax();
	if (qp) {
		sf_qp_read(qp, &info);
		reader->refs = refcount_read(&qp->refs);
	}
	rcu_read_unlock();
	reader->qpn = info.qpn;
	return 0;
}

static void rcu_reader_outlives_the_table(struct kunit *test)
{
	struct rcu_reader reader = { .sdev = sf_fake_device(test, NULL) };
	struct task_struct *thread;

	init_completion(&reader.found);
	sf_fake_qp_add(test, reader.sdev, TEST_ID);
	thread = sf_test_thread(test, sf_test_cpu(1), rcu_reader_fn, &reader);
	wait_for_completion(&reader.found);

	sf_qp_remove_all(reader.sdev);
	KUNIT_EXPECT_PTR_EQ(test, find(reader.sdev, TEST_ID), NULL);
	/* KASAN tells if it is freed already. */
	smp_store_release(&reader.let_go, true); /* after the removal */
	sf_test_join(test, thread);
	KUNIT_EXPECT_EQ(test, reader.qpn, TEST_ID);
	KUNIT_EXPECT_EQ(test, reader.refs, 0);
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, kref_read(&reader.sdev->memory), 1);
}

static void removed_is_not_written(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sf_qp_info info = sf_fake_info(TEST_ID);
	struct sf_qp *qp = sf_fake_qp_add(test, sdev, TEST_ID);

	refcount_inc(&qp->refs);
	sf_fake_qp_remove(qp);
	info.qpn = 1;
	sf_qp_lock();
	sf_qp_write_locked(qp, &info);
	sf_qp_unlock();
	sf_qp_read(qp, &info);
	KUNIT_EXPECT_EQ(test, info.qpn, TEST_ID);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, SF_LANE_NONE), 0);
	sf_qp_put(qp);
}

/*
 * The n-th allocation of this task fails, for each n until all are done. The kernel
 * does so only if /sys/kernel/debug/failslab/ignore-gfp-wait is N.
 */
static void no_memory_leaves_nothing(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct pid *pid = sf_test_pid(test);
	unsigned int pids = refcount_read(&pid->count);
	struct sf_qp_info info = sf_fake_info(TEST_ID);
	u32 n, total = sf_qp_count(), refused = 0;
	bool failed = true;
	struct sf_qp *qp;

	for (n = 1; failed; n++) {
		sf_qp_lock();
		get_pid(pid);
		current->fail_nth = n;
		qp = sf_qp_add_locked(sdev, TEST_ID, pid, &info);
		failed = !current->fail_nth;
		current->fail_nth = 0;
		if (qp)
			sf_qp_remove_locked(qp);
		sf_qp_unlock();
		refused += !qp;
		rcu_barrier();
		KUNIT_EXPECT_PTR_EQ(test, find(sdev, TEST_ID), NULL);
		KUNIT_EXPECT_EQ(test, refcount_read(&pid->count), pids);
		KUNIT_EXPECT_EQ(test, kref_read(&sdev->memory), 1);
		KUNIT_EXPECT_EQ(test, atomic_read(&sdev->qps), 0);
		KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, SF_LANE_NONE), 0);
	}
	put_pid(pid);
	KUNIT_EXPECT_EQ(test, sf_qp_count(), total);
	if (n == 2)
		kunit_skip(test, "the kernel makes no allocation fail");
	KUNIT_EXPECT_GT(test, refused, 0);
}

struct churn {
	struct sf_device *sdev;
	atomic_t rounds;
};

#define CHURN_QPS 40

/* QPs come and go between those that stay. */
static int churn_fn(void *data)
{
	struct sf_qp *qps[CHURN_QPS] = {};
	struct churn *churn = data;
	struct sf_qp_info info;
	u32 i = 0, slot;

	for (; !kthread_should_stop(); i++) {
		slot = i % CHURN_QPS;
		info = sf_fake_info(TEST_ID + 0x10000 + i);
		sf_qp_lock();
		if (qps[slot])
			sf_qp_remove_locked(qps[slot]);
		qps[slot] =
			sf_qp_add_locked(churn->sdev, info.qpn, NULL, &info);
		sf_qp_unlock();
		atomic_inc(&churn->rounds);
		cond_resched();
	}
	return 0;
}

#define KEPT 300
#define PIECE 7

/* One part of a dump: the place to go on from is all it keeps. */
static u32 walk_piece(struct sf_device *sdev, unsigned long *serial, u32 *ids,
		      u32 count)
{
	struct sf_qp *qp;
	int i;

	rcu_read_lock();
	for (i = 0; i < PIECE; i++) {
		qp = sf_qp_next(serial);
		if (!qp) {
			*serial = ULONG_MAX;
			break;
		}
		if (qp->sdev == sdev && qp->id < TEST_ID + KEPT && count < KEPT)
			ids[count++] = qp->id;
		(*serial)++;
	}
	rcu_read_unlock();
	return count;
}

static void walk_meets_each_once(struct kunit *test)
{
	struct churn churn = { .sdev = sf_fake_device(test, NULL) };
	u32 *ids = kunit_kcalloc(test, KEPT, sizeof(*ids), GFP_KERNEL);
	struct task_struct *thread;
	unsigned long serial;
	u32 i, round, count;

	KUNIT_ASSERT_NOT_NULL(test, ids);
	thread = sf_test_thread(test, sf_test_cpu(1), churn_fn, &churn);
	for (i = 0; i < KEPT; i++) {
		sf_fake_qp_add(test, churn.sdev, TEST_ID + i);
		if (i % 10 == 0)
			SF_TEST_WAIT(atomic_xchg(&churn.rounds, 0));
	}

	for (round = 0; round < 10; round++) {
		serial = 0;
		count = 0;
		while (serial != ULONG_MAX) {
			count = walk_piece(churn.sdev, &serial, ids, count);
			cond_resched();
		}
		KUNIT_EXPECT_EQ(test, count, KEPT);
		for (i = 0; i < count; i++)
			KUNIT_ASSERT_EQ(test, ids[i], TEST_ID + i);
		KUNIT_EXPECT_TRUE(test,
				  SF_TEST_WAIT(atomic_xchg(&churn.rounds, 0)));
	}
	sf_test_join(test, thread);
	KUNIT_EXPECT_LE(test, atomic_read(&churn.sdev->qps), KEPT + CHURN_QPS);
}

#define WRITES 4000
#define WRITE_NS 100000

/**
 * struct writing - a QP that is written while it is read
 * @qp: the QP
 * @timer: writes it on the reader's CPU, so that it comes in the middle of a read
 * @writes: so far
 * @torn: reads that saw half of a write
 * @backwards: reads that saw an older one than before
 */
struct writing {
	struct sf_qp *qp;
	struct hrtimer timer;
	atomic_t writes;
	u32 torn;
	u32 backwards;
};

/* Every field that takes part says the same. */
static void info_mark(struct sf_qp_info *info)
{
	u32 n = info->create_time + 1;

	info->create_time = n;
	memset(info->dgid.raw, n, sizeof(info->dgid.raw));
	info->rqpn = n;
	info->path_mtu = n;
}

static bool is_torn(const struct sf_qp_info *info)
{
	u32 n = info->create_time;

	return info->rqpn != n || info->path_mtu != (u8)n ||
	       memchr_inv(info->dgid.raw, (u8)n, sizeof(info->dgid.raw));
}

static void read_once(struct writing *writing, u32 *seen)
{
	struct sf_qp_info info;

	sf_qp_read(writing->qp, &info);
	writing->torn += is_torn(&info);
	writing->backwards += info.rqpn < *seen;
	*seen = info.rqpn;
}

/* As sf_qp_write_locked() does, but that no interrupt may take its lock. */
static enum hrtimer_restart write_in_irq(struct hrtimer *timer)
{
	struct writing *writing = container_of(timer, struct writing, timer);
	seqcount_t *seq = &writing->qp->seq.seqcount;

	raw_write_seqcount_begin(seq);
	info_mark(&writing->qp->info);
	raw_write_seqcount_end(seq);
	atomic_inc(&writing->writes);
	hrtimer_forward_now(timer, ns_to_ktime(WRITE_NS));
	return HRTIMER_RESTART;
}

static int interrupted_reader_fn(void *data)
{
	struct writing *writing = data;
	u32 seen = 0;

	hrtimer_start(&writing->timer, ns_to_ktime(WRITE_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
	while (atomic_read(&writing->writes) < WRITES) {
		read_once(writing, &seen);
		cond_resched();
	}
	hrtimer_cancel(&writing->timer);
	return 0;
}

static void interrupted_reader_reads_again(struct kunit *test)
{
	struct writing *writing;

	writing = kunit_kzalloc(test, sizeof(*writing), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, writing);
	writing->qp = sf_fake_qp_add(test, sf_fake_device(test, NULL), TEST_ID);
	hrtimer_init(&writing->timer, CLOCK_MONOTONIC,
		     HRTIMER_MODE_REL_PINNED_HARD);
	writing->timer.function = write_in_irq;
	sf_test_join(test, sf_test_thread(test, sf_test_cpu(1),
					  interrupted_reader_fn, writing));
	KUNIT_EXPECT_EQ(test, writing->torn, 0);
	KUNIT_EXPECT_EQ(test, writing->backwards, 0);
}

static int writer_fn(void *data)
{
	struct writing *writing = data;
	struct sf_qp_info info;

	while (!kthread_should_stop()) {
		sf_qp_lock();
		sf_qp_read(writing->qp, &info);
		info_mark(&info);
		sf_qp_write_locked(writing->qp, &info);
		sf_qp_unlock();
		atomic_inc(&writing->writes);
		cond_resched();
	}
	return 0;
}

static void readers_see_whole_writes(struct kunit *test)
{
	struct writing writing = {};
	struct task_struct *thread;
	unsigned int before;
	u32 seen = 0;

	writing.qp = sf_fake_qp_add(test, sf_fake_device(test, NULL), TEST_ID);
	before = raw_read_seqcount(&writing.qp->seq);
	thread = sf_test_thread(test, sf_test_cpu(1), writer_fn, &writing);
	while (atomic_read(&writing.writes) < WRITES) {
		read_once(&writing, &seen);
		cond_resched();
	}
	sf_test_join(test, thread);
	KUNIT_EXPECT_EQ(test, writing.torn, 0);
	KUNIT_EXPECT_EQ(test, writing.backwards, 0);
	/* Each write tells the readers that it begins, and that it has ended. */
	KUNIT_EXPECT_EQ(test, raw_read_seqcount(&writing.qp->seq),
			before + 2 * atomic_read(&writing.writes));
}

static void lane_add(struct sf_device *sdev, u8 port, int ifindex, u8 state)
{
	struct sf_lane *lane;

	mutex_lock(&sdev->lanes.lock);
	lane = &sdev->lanes.lane[sdev->lanes.count++];
	lane->port = port;
	lane->ifindex = ifindex;
	lane->state = state;
	mutex_unlock(&sdev->lanes.lock);
}

static void relane_moves_counts(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sf_qp_info info = sf_fake_info(TEST_ID);
	int i, n = 2 * WALK_BREATH + 3;
	struct sf_qp *qp = NULL;

	info.port = 1;
	sf_qp_lock();
	for (i = 0; i < n; i++)
		qp = sf_qp_add_locked(sdev, TEST_ID + i, NULL, &info);
	sf_qp_unlock();
	KUNIT_ASSERT_NOT_NULL(test, qp);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, SF_LANE_NONE), n);

	lane_add(sdev, 1, 5, SCALEFABRIC_LANE_STATE_UP);
	sf_qp_relane(sdev);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, 0), n);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, SF_LANE_NONE), 0);
	KUNIT_EXPECT_EQ(test, qp->info.lane, 0);

	/* With two ways nobody knows which, as nobody can be asked. */
	lane_add(sdev, 1, 6, SCALEFABRIC_LANE_STATE_UP);
	sf_qp_relane(sdev);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, 0), 0);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, SF_LANE_NONE), n);

	sf_qp_remove_all(sdev);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, SF_LANE_NONE), 0);
}

static void settle_writes_what_happened(struct kunit *test)
{
	struct sf_qp *qp =
		sf_fake_qp_add(test, sf_fake_device(test, NULL), TEST_ID);
	u64 before = sf_event_order();
	struct sf_qp_info info;

	mutex_lock(&qp->mutex);
	sf_qp_settle(qp, SCALEFABRIC_REBIND_RESULT_MOVED, 77);
	sf_qp_read(qp, &info);
	KUNIT_EXPECT_EQ(test, info.result, SCALEFABRIC_REBIND_RESULT_MOVED);
	KUNIT_EXPECT_EQ(test, info.flow_label, 77);
	KUNIT_EXPECT_EQ(test, info.rebinds, 1);
	KUNIT_EXPECT_GT(test, qp->changed, before);

	sf_qp_settle(qp, SCALEFABRIC_REBIND_RESULT_OWNER, 77);
	sf_qp_read(qp, &info);
	KUNIT_EXPECT_EQ(test, info.result, SCALEFABRIC_REBIND_RESULT_OWNER);
	KUNIT_EXPECT_EQ(test, info.rebinds, 1);
	mutex_unlock(&qp->mutex);
}

static struct kunit_case qp_cases[] = {
	KUNIT_CASE(types_have_names),
	KUNIT_CASE(ids_are_those_of_ib_core),
	KUNIT_CASE(added_is_found_removed_is_not),
	KUNIT_CASE(key_is_device_and_id),
	KUNIT_CASE(same_id_twice_stays_two),
	KUNIT_CASE(counts_add_up),
	KUNIT_CASE(reference_outlives_the_table),
	KUNIT_CASE(rcu_reader_outlives_the_table),
	KUNIT_CASE(removed_is_not_written),
	KUNIT_CASE(no_memory_leaves_nothing),
	KUNIT_CASE(walk_meets_each_once),
	KUNIT_CASE(interrupted_reader_reads_again),
	KUNIT_CASE(readers_see_whole_writes),
	KUNIT_CASE(relane_moves_counts),
	KUNIT_CASE(settle_writes_what_happened),
	{}
};

static struct kunit_suite qp_suite = {
	.name = "scalefabric_qp",
	.test_cases = qp_cases,
};

kunit_test_suite(qp_suite);

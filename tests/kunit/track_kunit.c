// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric tests - the table is kept true
 *
 * Included by kmod/track.c. That records, in whatever order a create, a late destroy
 * and a scan meet, leave one QP with the right owner, and listeners told once of each
 * change; that a driver's answer counts unless something younger is known; and that a
 * scan finds what is missing and forgets what is gone.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>

#include "tests/kunit/fake_device.h"
#include "tests/kunit/fake_hca.h"
#include "tests/kunit/thread.h"

#define TEST_ID 0x5a5a

static struct sf_fake_hca *test_hca;
/* The device as the registry has it. */
static struct sf_device *test_sdev;

static int track_suite_init(struct kunit_suite *suite)
{
	test_hca = sf_fake_hca_register();
	if (IS_ERR(test_hca))
		return PTR_ERR(test_hca);
	test_sdev = sf_device_find(&test_hca->ibdev);
	if (!test_sdev)
		return -ENODEV;
	sf_device_sync();
	return 0;
}

static void track_suite_exit(struct kunit_suite *suite)
{
	if (IS_ERR_OR_NULL(test_hca))
		return;
	if (test_sdev)
		sf_device_put(test_sdev);
	sf_fake_hca_unregister(test_hca);
}

/**
 * struct heard - what listeners were told of one device
 * @nb: on the chain
 * @sdev: the device; also what sf_device_find() finds
 * @changes: how often each enum scalefabric_qp_change
 * @events: how many events
 * @last: the QP of the last notice
 */
struct heard {
	struct notifier_block nb;
	struct sf_device *sdev;
	u32 changes[SCALEFABRIC_QP_CHANGE_DESTROYED + 1];
	u32 events;
	struct sf_qp_info last;
};

static int hear(struct notifier_block *nb, unsigned long kind, void *data)
{
	struct heard *heard = container_of(nb, struct heard, nb);
	const struct sf_notice *notice = data;

	if (notice->sdev != heard->sdev)
		return NOTIFY_DONE;
	if (kind == SF_NOTICE_QP_CHANGE)
		heard->changes[notice->change]++;
	if (kind == SF_NOTICE_QP_EVENT)
		heard->events++;
	heard->last = *notice->qp;
	return NOTIFY_DONE;
}

static struct sf_device *test_find(const struct ib_device *ibdev)
{
	struct heard *heard = kunit_get_current_test()->priv;

	if (ibdev != heard->sdev->ibdev || !sf_device_get(heard->sdev))
		return NULL;
	return heard->sdev;
}

static void unlisten(void *data)
{
	struct heard *heard = data;

	sf_event_unlisten(&heard->nb);
}

/* A device that records can be about, and a listener. */
static struct heard *listen(struct kunit *test)
{
	struct heard *heard = kunit_kzalloc(test, sizeof(*heard), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, heard);
	heard->sdev = sf_fake_device(test, NULL);
	heard->nb.notifier_call = hear;
	test->priv = heard;
	kunit_activate_static_stub(test, sf_device_find, test_find);
	KUNIT_ASSERT_EQ(test, sf_event_listen(&heard->nb), 0);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, unlisten, heard));
	return heard;
}

static struct sf_qp *find(struct heard *heard, u32 id)
{
	struct sf_qp *qp;

	rcu_read_lock();
	qp = sf_qp_find(heard->sdev->ibdev, id);
	rcu_read_unlock();
	return qp;
}

/* Records as the hooks make them; the time is their order. */
static struct sf_record record_of(struct heard *heard, u8 kind)
{
	u64 order = sf_event_order();

	return (struct sf_record){
		.kind = kind,
		.seq = order,
		.time = order,
		.dev = heard->sdev->ibdev,
		.id = TEST_ID,
	};
}

static u64 create(struct heard *heard, struct pid *pid, bool tracked)
{
	struct sf_record rec = record_of(heard, SF_RECORD_CREATE);

	rec.create.pid = get_pid(pid);
	rec.create.qpn = TEST_ID;
	rec.create.type = SCALEFABRIC_QP_TYPE_RC;
	rec.create.port = 1;
	rec.create.tracked = tracked;
	strscpy(rec.create.comm, "creator", sizeof(rec.create.comm));
	sf_track_apply(&rec);
	return rec.seq;
}

static void destroy(struct heard *heard, u64 began, bool tracked)
{
	struct sf_record rec = record_of(heard, SF_RECORD_DESTROY);

	rec.destroy.began = began;
	rec.destroy.tracked = tracked;
	sf_track_apply(&rec);
}

static void expect_changes(struct kunit *test, struct heard *heard, u32 created,
			   u32 modified, u32 destroyed)
{
	KUNIT_EXPECT_EQ(test, heard->changes[SCALEFABRIC_QP_CHANGE_CREATED],
			created);
	KUNIT_EXPECT_EQ(test, heard->changes[SCALEFABRIC_QP_CHANGE_MODIFIED],
			modified);
	KUNIT_EXPECT_EQ(test, heard->changes[SCALEFABRIC_QP_CHANGE_DESTROYED],
			destroyed);
}

static void create_and_destroy(struct kunit *test)
{
	struct pid *pid = sf_test_pid(test);
	unsigned int pids = refcount_read(&pid->count);
	struct heard *heard = listen(test);
	struct sf_qp *qp;
	u64 since;

	since = create(heard, pid, true);
	qp = find(heard, TEST_ID);
	KUNIT_ASSERT_NOT_NULL(test, qp);
	KUNIT_EXPECT_EQ(test, qp->info.qpn, TEST_ID);
	KUNIT_EXPECT_EQ(test, qp->info.type, SCALEFABRIC_QP_TYPE_RC);
	KUNIT_EXPECT_EQ(test, qp->info.state, SCALEFABRIC_QP_STATE_RESET);
	KUNIT_EXPECT_EQ(test, qp->info.create_time, since);
	KUNIT_EXPECT_EQ(test, qp->info.event, SF_QP_NEVER);
	KUNIT_EXPECT_EQ(test, qp->info.result, SF_QP_NEVER);
	KUNIT_EXPECT_STREQ(test, qp->info.comm, "creator");
	KUNIT_EXPECT_FALSE(test, qp->info.kernel);
	KUNIT_EXPECT_PTR_EQ(test, qp->pid, pid);
	KUNIT_EXPECT_EQ(test, qp->since, since);
	expect_changes(test, heard, 1, 0, 0);

	destroy(heard, sf_event_order(), true);
	KUNIT_EXPECT_PTR_EQ(test, find(heard, TEST_ID), NULL);
	expect_changes(test, heard, 1, 0, 1);
	/* Of what is gone nobody is told again. */
	destroy(heard, sf_event_order(), true);
	expect_changes(test, heard, 1, 0, 1);
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, refcount_read(&pid->count), pids);
	put_pid(pid);
}

static void kernel_owns_what_has_no_process(struct kunit *test)
{
	struct heard *heard = listen(test);
	struct sf_qp *qp;

	create(heard, NULL, true);
	qp = find(heard, TEST_ID);
	KUNIT_ASSERT_NOT_NULL(test, qp);
	KUNIT_EXPECT_TRUE(test, qp->info.kernel);
	KUNIT_EXPECT_PTR_EQ(test, qp->pid, NULL);
}

static void untracked_are_only_counted(struct kunit *test)
{
	struct pid *pid = sf_test_pid(test);
	unsigned int pids = refcount_read(&pid->count);
	struct heard *heard = listen(test);

	create(heard, pid, false);
	create(heard, pid, false);
	KUNIT_EXPECT_PTR_EQ(test, find(heard, TEST_ID), NULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&heard->sdev->untracked), 2);
	destroy(heard, sf_event_order(), false);
	KUNIT_EXPECT_EQ(test, atomic_read(&heard->sdev->untracked), 1);
	destroy(heard, sf_event_order(), false);
	/* One older than the module. */
	destroy(heard, sf_event_order(), false);
	KUNIT_EXPECT_EQ(test, atomic_read(&heard->sdev->untracked), 0);
	expect_changes(test, heard, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&pid->count), pids);
	put_pid(pid);
}

/* A scan was faster than the record: still one QP, and told of once. */
static void scan_before_the_record(struct kunit *test)
{
	struct pid *pid = sf_test_pid(test);
	unsigned int pids = refcount_read(&pid->count);
	struct heard *heard = listen(test);
	struct sf_qp_info info = sf_fake_info(TEST_ID);
	struct sf_qp *found;
	u64 since;

	sf_qp_lock();
	found = sf_qp_add_locked(heard->sdev, TEST_ID, get_pid(pid), &info);
	sf_qp_unlock();
	KUNIT_ASSERT_NOT_NULL(test, found);
	since = create(heard, pid, true);
	KUNIT_EXPECT_PTR_EQ(test, find(heard, TEST_ID), found);
	KUNIT_EXPECT_EQ(test, atomic_read(&heard->sdev->qps), 1);
	KUNIT_EXPECT_EQ(test, found->info.create_time, since);
	KUNIT_EXPECT_EQ(test, found->since, since);
	expect_changes(test, heard, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&pid->count), pids + 1);
	put_pid(pid);
}

/* A new QP has the number of one whose destroy call has not returned yet. */
static void number_taken_over(struct kunit *test)
{
	struct pid *pid = sf_test_pid(test);
	struct heard *heard = listen(test);
	struct sf_qp *first, *second;
	u64 began;

	create(heard, pid, true);
	first = find(heard, TEST_ID);
	began = sf_event_order();
	create(heard, pid, true);
	second = find(heard, TEST_ID);
	KUNIT_EXPECT_PTR_NE(test, second, first);
	KUNIT_EXPECT_EQ(test, atomic_read(&heard->sdev->qps), 1);
	expect_changes(test, heard, 2, 0, 1);

	/* Its forerunner's record does not take it away, its own does. */
	destroy(heard, began, true);
	KUNIT_EXPECT_PTR_EQ(test, find(heard, TEST_ID), second);
	expect_changes(test, heard, 2, 0, 1);
	destroy(heard, sf_event_order(), true);
	KUNIT_EXPECT_PTR_EQ(test, find(heard, TEST_ID), NULL);
	expect_changes(test, heard, 2, 0, 2);
	put_pid(pid);
}

/* One found by a scan, of another owner: the record is of a new QP. */
static void number_of_another_owner(struct kunit *test)
{
	struct pid *pid = sf_test_pid(test);
	struct heard *heard = listen(test);
	struct sf_qp *found, *created;

	found = sf_fake_qp_add(test, heard->sdev, TEST_ID);
	create(heard, pid, true);
	created = find(heard, TEST_ID);
	KUNIT_EXPECT_PTR_NE(test, created, found);
	KUNIT_EXPECT_PTR_EQ(test, created->pid, pid);
	KUNIT_EXPECT_EQ(test, atomic_read(&heard->sdev->qps), 1);
	expect_changes(test, heard, 1, 0, 1);
	put_pid(pid);
}

static void unknown_devices_are_passed_over(struct kunit *test)
{
	struct pid *pid = sf_test_pid(test);
	unsigned int pids = refcount_read(&pid->count);
	struct heard *heard = listen(test);
	struct sf_device *other = sf_fake_device(test, NULL);
	struct sf_record rec = record_of(heard, SF_RECORD_CREATE);

	rec.dev = other->ibdev;
	rec.create.pid = get_pid(pid);
	rec.create.tracked = true;
	sf_track_apply(&rec);
	KUNIT_EXPECT_EQ(test, refcount_read(&pid->count), pids);
	KUNIT_EXPECT_EQ(test, atomic_read(&other->qps), 0);
	put_pid(pid);
}

static struct sf_record modify_of(struct heard *heard, u32 mask)
{
	struct sf_record rec = record_of(heard, SF_RECORD_MODIFY);

	rec.modify.mask = mask;
	rec.modify.state = SCALEFABRIC_QP_STATE_RTR;
	rec.modify.port = 2;
	rec.modify.path_mtu = IB_MTU_2048;
	rec.modify.rqpn = 33;
	rec.modify.flow_label = 44;
	rec.modify.dlid = 55;
	rec.modify.sgid_index = 6;
	rec.modify.grh = true;
	memset(rec.modify.dgid.raw, 7, 16);
	memset(rec.modify.dmac, 8, ETH_ALEN);
	return rec;
}

/* Only what the mask names is taken over. */
static void modify_takes_what_it_names(struct kunit *test)
{
	struct heard *heard = listen(test);
	struct sf_qp *qp = sf_fake_qp_add(test, heard->sdev, TEST_ID);
	struct sf_record rec = modify_of(heard, IB_QP_QKEY);
	struct sf_qp_info *info = &qp->info;

	sf_track_apply(&rec);
	KUNIT_EXPECT_EQ(test, info->state, SCALEFABRIC_QP_STATE_RESET);
	KUNIT_EXPECT_EQ(test, info->port, 0);
	KUNIT_EXPECT_EQ(test, info->path_mtu, 0);
	KUNIT_EXPECT_FALSE(test, info->connected);
	KUNIT_EXPECT_FALSE(test, info->av);
	KUNIT_EXPECT_EQ(test, info->modifies, 1);
	KUNIT_EXPECT_EQ(test, qp->changed, rec.seq);
	expect_changes(test, heard, 0, 1, 0);

	rec = modify_of(heard, IB_QP_STATE | IB_QP_PORT | IB_QP_PATH_MTU |
				       IB_QP_DEST_QPN | IB_QP_AV);
	sf_track_apply(&rec);
	KUNIT_EXPECT_EQ(test, info->state, SCALEFABRIC_QP_STATE_RTR);
	KUNIT_EXPECT_EQ(test, info->port, 2);
	KUNIT_EXPECT_EQ(test, info->path_mtu, IB_MTU_2048);
	KUNIT_EXPECT_TRUE(test, info->connected);
	KUNIT_EXPECT_EQ(test, info->rqpn, 33);
	KUNIT_EXPECT_TRUE(test, info->av);
	KUNIT_EXPECT_TRUE(test, info->grh);
	KUNIT_EXPECT_EQ(test, info->flow_label, 44);
	KUNIT_EXPECT_EQ(test, info->dlid, 55);
	KUNIT_EXPECT_EQ(test, info->sgid_index, 6);
	KUNIT_EXPECT_EQ(test, info->dgid.raw[15], 7);
	KUNIT_EXPECT_EQ(test, info->dmac[5], 8);
	KUNIT_EXPECT_EQ(test, info->modifies, 2);

	/* A QP in RESET has neither a peer nor a path. */
	rec = modify_of(heard, IB_QP_STATE);
	rec.modify.state = SCALEFABRIC_QP_STATE_RESET;
	sf_track_apply(&rec);
	KUNIT_EXPECT_FALSE(test, info->connected);
	KUNIT_EXPECT_FALSE(test, info->av);
	KUNIT_EXPECT_TRUE(test, is_zero_ether_addr(info->dmac));
	expect_changes(test, heard, 0, 3, 0);
}

static void events_are_counted_and_told(struct kunit *test)
{
	struct heard *heard = listen(test);
	struct sf_qp *qp = sf_fake_qp_add(test, heard->sdev, TEST_ID);
	struct sf_record rec = record_of(heard, SF_RECORD_EVENT);

	rec.event = SCALEFABRIC_QP_EVENT_SQ_DRAINED;
	sf_track_apply(&rec);
	sf_track_apply(&rec);
	rec.event = SCALEFABRIC_QP_EVENT_COMM_EST;
	sf_track_apply(&rec);
	KUNIT_EXPECT_EQ(test, qp->info.events[SCALEFABRIC_QP_EVENT_SQ_DRAINED],
			2);
	KUNIT_EXPECT_EQ(test, qp->info.events[SCALEFABRIC_QP_EVENT_COMM_EST],
			1);
	KUNIT_EXPECT_EQ(test, qp->info.event, SCALEFABRIC_QP_EVENT_COMM_EST);
	KUNIT_EXPECT_EQ(test, qp->info.event_time, rec.time);
	KUNIT_EXPECT_EQ(test, heard->events, 3);

	/* Better an event of an unknown QP than none. */
	rec.id = TEST_ID + 1;
	sf_track_apply(&rec);
	KUNIT_EXPECT_EQ(test, heard->events, 4);
	KUNIT_EXPECT_EQ(test, heard->last.qpn, TEST_ID + 1);
	KUNIT_EXPECT_EQ(test, heard->last.type, SCALEFABRIC_QP_TYPE_OTHER);
	KUNIT_EXPECT_EQ(test, atomic_read(&heard->sdev->qps), 1);
}

static struct sf_qp *table_qp(struct sf_fake_qp *fqp)
{
	struct sf_qp *qp;

	rcu_read_lock();
	qp = sf_qp_find(fqp->ibqp.device, sf_qp_id_of(&fqp->ibqp));
	rcu_read_unlock();
	return qp;
}

/* From the probes on ib_core, by way of rings and worker, into the table. */
static void hooks_tell_of_a_qp(struct kunit *test)
{
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	struct sf_qp *qp = table_qp(fqp);

	KUNIT_ASSERT_NOT_NULL(test, qp);
	KUNIT_EXPECT_EQ(test, qp->info.qpn, fqp->ibqp.qp_num);
	KUNIT_EXPECT_EQ(test, qp->info.type, SCALEFABRIC_QP_TYPE_RC);
	KUNIT_EXPECT_EQ(test, qp->info.state, SCALEFABRIC_QP_STATE_RTS);
	KUNIT_EXPECT_EQ(test, qp->info.modifies, 3);
	KUNIT_EXPECT_EQ(test, qp->info.port, 1);
	KUNIT_EXPECT_EQ(test, qp->info.rqpn, SF_FAKE_RQPN);
	KUNIT_EXPECT_EQ(test, qp->info.flow_label, SF_FAKE_LABEL);
	KUNIT_EXPECT_EQ(test, qp->info.dgid.raw[15], 2);
	KUNIT_EXPECT_EQ(test, qp->info.dmac[5], 1);
	KUNIT_EXPECT_TRUE(test, qp->info.kernel);
	KUNIT_EXPECT_STREQ(test, qp->info.comm, KBUILD_MODNAME);

	sf_fake_qp_raise(fqp, IB_EVENT_COMM_EST);
	sf_event_sync();
	KUNIT_EXPECT_EQ(test, qp->info.events[SCALEFABRIC_QP_EVENT_COMM_EST],
			1);

	sf_fake_qp_forget(test, fqp);
	refcount_inc(&qp->refs);
	KUNIT_EXPECT_EQ(test, ib_destroy_qp(&fqp->ibqp), 0);
	sf_event_sync();
	KUNIT_EXPECT_TRUE(test, qp->removed);
	sf_qp_put(qp);
}

/* After an error the driver is asked before anybody is told. */
static void error_event_asks_the_driver(struct kunit *test)
{
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	struct sf_qp *qp = table_qp(fqp);

	KUNIT_ASSERT_NOT_NULL(test, qp);
	fqp->now.state = IB_QPS_ERR;
	sf_fake_qp_raise(fqp, IB_EVENT_COMM_EST);
	sf_event_sync();
	KUNIT_EXPECT_EQ(test, qp->info.state, SCALEFABRIC_QP_STATE_RTS);
	sf_fake_qp_raise(fqp, IB_EVENT_QP_FATAL);
	sf_event_sync();
	KUNIT_EXPECT_EQ(test, qp->info.state, SCALEFABRIC_QP_STATE_ERR);
	KUNIT_EXPECT_EQ(test, qp->info.event, SCALEFABRIC_QP_EVENT_FATAL);
}

static struct sf_qp *asked_qp;

/* Between the question and its answer something happens that is in the table first. */
static void something_younger(struct sf_fake_qp *fqp)
{
	sf_qp_lock();
	asked_qp->changed = sf_event_order();
	sf_qp_unlock();
}

static void stale_answers_are_dropped(struct kunit *test)
{
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	struct sf_qp *qp = table_qp(fqp);
	u64 before = sf_event_order();

	KUNIT_ASSERT_NOT_NULL(test, qp);
	asked_qp = qp;
	fqp->now.state = IB_QPS_SQE;
	fqp->query_hook = something_younger;
	sf_track_refresh(qp);
	KUNIT_EXPECT_EQ(test, qp->info.state, SCALEFABRIC_QP_STATE_RTS);

	fqp->query_hook = NULL;
	sf_track_refresh(qp);
	KUNIT_EXPECT_EQ(test, qp->info.state, SCALEFABRIC_QP_STATE_SQE);
	KUNIT_EXPECT_GT(test, qp->changed, before);
	KUNIT_EXPECT_EQ(test, qp->info.modifies, 3);
}

static void scan(struct sf_device *sdev)
{
	mutex_lock(&sdev->scan_lock);
	sf_track_scan(sdev);
	mutex_unlock(&sdev->scan_lock);
}

static void scan_finds_what_is_missing(struct kunit *test)
{
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	struct sf_qp *qp = table_qp(fqp);

	KUNIT_ASSERT_NOT_NULL(test, qp);
	sf_fake_qp_remove(qp);
	KUNIT_ASSERT_PTR_EQ(test, table_qp(fqp), NULL);
	scan(test_sdev);
	qp = table_qp(fqp);
	KUNIT_ASSERT_NOT_NULL(test, qp);
	KUNIT_EXPECT_EQ(test, qp->since, 0);
	KUNIT_EXPECT_EQ(test, qp->info.create_time, 0);
	KUNIT_EXPECT_EQ(test, qp->info.state, SCALEFABRIC_QP_STATE_RTS);
	KUNIT_EXPECT_EQ(test, qp->info.rqpn, SF_FAKE_RQPN);
	KUNIT_EXPECT_EQ(test, qp->info.flow_label, SF_FAKE_LABEL);
	KUNIT_EXPECT_TRUE(test, qp->info.kernel);

	/* A second one changes nothing. */
	scan(test_sdev);
	KUNIT_EXPECT_PTR_EQ(test, table_qp(fqp), qp);
}

static void scan_forgets_what_is_gone(struct kunit *test)
{
	struct sf_qp *stale = sf_fake_qp_add(test, test_sdev, 0xfffff0);
	struct sf_device *other = sf_fake_device(test, NULL);
	struct sf_qp *others = sf_fake_qp_add(test, other, TEST_ID);

	refcount_inc(&stale->refs);
	scan(test_sdev);
	KUNIT_EXPECT_TRUE(test, stale->removed);
	KUNIT_EXPECT_FALSE(test, others->removed);
	sf_qp_put(stale);
}

/* The number is the same, the owner is not: it is another QP. */
static void scan_tells_owners_apart(struct kunit *test)
{
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	struct sf_qp *qp = table_qp(fqp), *now;
	struct sf_qp_info info;

	KUNIT_ASSERT_NOT_NULL(test, qp);
	refcount_inc(&qp->refs);
	sf_qp_lock();
	sf_qp_read(qp, &info);
	info.kernel = false;
	sf_qp_write_locked(qp, &info);
	sf_qp_unlock();
	scan(test_sdev);
	now = table_qp(fqp);
	KUNIT_ASSERT_NOT_NULL(test, now);
	KUNIT_EXPECT_PTR_NE(test, now, qp);
	KUNIT_EXPECT_TRUE(test, now->info.kernel);
	sf_qp_put(qp);
}

static struct kunit_case track_cases[] = {
	KUNIT_CASE(create_and_destroy),
	KUNIT_CASE(kernel_owns_what_has_no_process),
	KUNIT_CASE(untracked_are_only_counted),
	KUNIT_CASE(scan_before_the_record),
	KUNIT_CASE(number_taken_over),
	KUNIT_CASE(number_of_another_owner),
	KUNIT_CASE(unknown_devices_are_passed_over),
	KUNIT_CASE(modify_takes_what_it_names),
	KUNIT_CASE(events_are_counted_and_told),
	KUNIT_CASE(hooks_tell_of_a_qp),
	KUNIT_CASE(error_event_asks_the_driver),
	KUNIT_CASE(stale_answers_are_dropped),
	KUNIT_CASE(scan_finds_what_is_missing),
	KUNIT_CASE(scan_forgets_what_is_gone),
	KUNIT_CASE(scan_tells_owners_apart),
	{}
};

static struct kunit_suite track_suite = {
	.name = "scalefabric_track",
	.suite_init = track_suite_init,
	.suite_exit = track_suite_exit,
	.test_cases = track_cases,
};

kunit_test_suite(track_suite);

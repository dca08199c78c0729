// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric tests - the move of a QP
 *
 * Included by kmod/rebind.c. A driver that does as it is told lets each step of a move
 * fail, by itself and together with others. Whatever happens, the QP must be in RTS on
 * the new path, or in RTS on the old one (or, where the driver leaves no choice, what
 * it made of it); the owner must hear neither more nor less SQ_DRAINED events than are
 * its own; and nothing of the move may be left behind.
 */
#include <kunit/test.h>
#include <linux/completion.h>

#include "tests/kunit/fake_device.h"
#include "tests/kunit/fake_hca.h"
#include "tests/kunit/thread.h"

#define OLD_LABEL SF_FAKE_LABEL
#define NEW_LABEL 0x54321

#define RESULT(name) SCALEFABRIC_REBIND_RESULT_##name
#define FAIL(step, first_, count_) \
	.plan.fail[SF_FAKE_##step] = { first_, count_ }

static struct sf_fake_hca *test_hca;
static struct sf_device *test_sdev;

static int rebind_suite_init(struct kunit_suite *suite)
{
	test_hca = sf_fake_hca_register();
	if (IS_ERR(test_hca))
		return PTR_ERR(test_hca);
	test_sdev = sf_device_find(&test_hca->ibdev);
	if (!test_sdev)
		return -ENODEV;
	sf_device_sync();
	/* Short, as some queues never drain. */
	test_sdev->drain_timeout = 30;
	return sf_rebind_set_mode(test_sdev, SCALEFABRIC_DEVICE_MODE_BALANCE);
}

static void rebind_suite_exit(struct kunit_suite *suite)
{
	if (IS_ERR_OR_NULL(test_hca))
		return;
	if (test_sdev)
		sf_device_put(test_sdev);
	sf_fake_hca_unregister(test_hca);
}

/* What the owner does while the QP is being moved. */
enum owner_act {
	OWNER_WAITS,
	OWNER_TO_ERR,
	OWNER_DESTROYS,
};

/**
 * struct move_case - a move, what goes wrong in it, and how it must end
 * @name: of the case
 * @plan: how the driver behaves
 * @owner: what the owner does at the driver's first query in SQD
 * @result: of the move
 * @state: of the QP in the end
 * @moved: the driver has the new path
 */
struct move_case {
	const char *name;
	struct sf_fake_plan plan;
	enum owner_act owner;
	u8 result;
	enum ib_qp_state state;
	bool moved;
};

static const struct move_case move_cases[] = {
	{ "address vector in RTS", .plan.av_in_rts = true, .moved = true,
	  .result = RESULT(MOVED), .state = IB_QPS_RTS },
	{ "address vector refused in RTS", .plan.av_in_rts = true,
	  FAIL(AV_RTS, 1, 1), .result = RESULT(DRIVER_ERROR),
	  .state = IB_QPS_RTS },
	{ "drained at once", .result = RESULT(MOVED), .state = IB_QPS_RTS,
	  .moved = true },
	{ "drained later", .plan.drain_queries = 4, .result = RESULT(MOVED),
	  .state = IB_QPS_RTS, .moved = true },
	{ "drained when kicked", .plan.drain_kicks = 3, .result = RESULT(MOVED),
	  .state = IB_QPS_RTS, .moved = true },
	{ "SQD refused", FAIL(TO_SQD, 1, 1), .result = RESULT(DRIVER_ERROR),
	  .state = IB_QPS_RTS },
	{ "first query in SQD fails", FAIL(QUERY_SQD, 1, 1),
	  .result = RESULT(DRIVER_ERROR), .state = IB_QPS_RTS },
	{ "later query in SQD fails", FAIL(QUERY_SQD, 3, 1),
	  .plan.drain_queries = SF_FAKE_NEVER, .result = RESULT(DRIVER_ERROR),
	  .state = IB_QPS_RTS },
	{ "some queries on the way back fail too", FAIL(QUERY_SQD, 2, 20),
	  .plan.drain_queries = SF_FAKE_NEVER, .result = RESULT(DRIVER_ERROR),
	  .state = IB_QPS_RTS },
	{ "never drained", .plan.drain_queries = SF_FAKE_NEVER,
	  .result = RESULT(DRAIN_TIMEOUT), .state = IB_QPS_RTS },
	{ "never drained, RTS refused five times", FAIL(TO_RTS, 1, 5),
	  .plan.drain_queries = SF_FAKE_NEVER, .result = RESULT(DRAIN_TIMEOUT),
	  .state = IB_QPS_RTS },
	{ "address vector refused in SQD", FAIL(AV_SQD, 1, 1),
	  .result = RESULT(DRIVER_ERROR), .state = IB_QPS_RTS },
	{ "address vector, and RTS five times, refused", FAIL(AV_SQD, 1, 1),
	  FAIL(TO_RTS, 1, 5), .result = RESULT(DRIVER_ERROR),
	  .state = IB_QPS_RTS },
	{ "RTS refused once", FAIL(TO_RTS, 1, 1), .result = RESULT(MOVED),
	  .state = IB_QPS_RTS, .moved = true },
	{ "RTS refused fifty times", FAIL(TO_RTS, 1, 50),
	  .result = RESULT(MOVED), .state = IB_QPS_RTS, .moved = true },
	{ "RTS refused for ever", FAIL(TO_RTS, 1, SF_FAKE_ALWAYS),
	  .result = RESULT(STUCK), .state = IB_QPS_SQD, .moved = true },
	{ "never drained, RTS refused for ever",
	  FAIL(TO_RTS, 1, SF_FAKE_ALWAYS), .plan.drain_queries = SF_FAKE_NEVER,
	  .result = RESULT(STUCK), .state = IB_QPS_SQD },
	{ "queries in SQD fail for ever", FAIL(QUERY_SQD, 1, SF_FAKE_ALWAYS),
	  .result = RESULT(STUCK), .state = IB_QPS_SQD },
	{ "dies before the first query", .plan.die_at = 1,
	  .plan.drain_queries = SF_FAKE_NEVER, .result = RESULT(NOT_RTS),
	  .state = IB_QPS_ERR },
	{ "dies while it drains", .plan.die_at = 3,
	  .plan.drain_queries = SF_FAKE_NEVER, .result = RESULT(NOT_RTS),
	  .state = IB_QPS_ERR },
	{ "dies on the new path", .plan.die_at = 2, .result = RESULT(NOT_RTS),
	  .state = IB_QPS_ERR, .moved = true },
	{ "owner takes it to ERR", .owner = OWNER_TO_ERR,
	  .plan.drain_queries = SF_FAKE_NEVER, .result = RESULT(OWNER),
	  .state = IB_QPS_ERR },
	{ "owner destroys it", .owner = OWNER_DESTROYS,
	  .plan.drain_queries = SF_FAKE_NEVER, .result = RESULT(OWNER),
	  .state = IB_QPS_RTS },
	{ "owner destroys it, RTS refused five times", FAIL(TO_RTS, 1, 5),
	  .owner = OWNER_DESTROYS, .plan.drain_queries = SF_FAKE_NEVER,
	  .result = RESULT(OWNER), .state = IB_QPS_RTS },
};

KUNIT_ARRAY_PARAM_DESC(move, move_cases, name);

/**
 * struct owner - the QP's owner, in a thread of its own
 * @fqp: its QP
 * @act: what it will do
 * @go: when
 */
struct owner {
	struct sf_fake_qp *fqp;
	enum owner_act act;
	struct completion go;
};

static int owner_fn(void *data)
{
	struct owner *owner = data;

	wait_for_completion(&owner->go);
	if (owner->act == OWNER_DESTROYS)
		return ib_destroy_qp(&owner->fqp->ibqp);
	return sf_fake_qp_modify(owner->fqp, IB_QPS_ERR);
}

static bool is_aborted(struct ib_qp *ibqp)
{
	struct sf_rebind *rb;
	struct sf_qp *qp;
	bool abort;

	rcu_read_lock();
	qp = sf_qp_find(ibqp->device, sf_qp_id_of(ibqp));
	rb = rcu_dereference(qp->rebind);
	abort = READ_ONCE(rb->abort);
	rcu_read_unlock();
	return abort;
}

static bool is_off_the_list(struct ib_qp *ibqp)
{
	struct rdma_restrack_entry *res;

	res = rdma_restrack_get_byid(ibqp->device, RDMA_RESTRACK_QP,
				     sf_qp_id_of(ibqp));
	if (IS_ERR(res))
		return true;
	rdma_restrack_put(res);
	return false;
}

/* In the mover's query: let the owner act, and go on when that has reached us. */
static void owner_acts(struct sf_fake_qp *fqp)
{
	struct owner *owner = fqp->private;

	complete(&owner->go);
	if (owner->act == OWNER_TO_ERR)
		SF_TEST_WAIT(is_aborted(&fqp->ibqp));
	else
		SF_TEST_WAIT(is_off_the_list(&fqp->ibqp));
}

static void owner_starts(struct kunit *test, struct owner *owner,
			 struct sf_fake_qp *fqp, enum owner_act act)
{
	owner->fqp = fqp;
	owner->act = act;
	fqp->private = owner;
	fqp->plan.hook = owner_acts;
	fqp->plan.hook_at = 1;
	init_completion(&owner->go);
}

static void expect_nothing_left(struct kunit *test, struct sf_qp *qp)
{
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(qp->rebind), NULL);
	KUNIT_EXPECT_EQ(test, qp->windows % 2, 0);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&qp->mutex));
}

static void expect_report(struct kunit *test, struct sf_qp *qp,
			  const struct move_case *wanted,
			  const struct sf_rebind_report *report)
{
	bool moved = wanted->result == RESULT(MOVED);
	struct sf_qp_info info;

	sf_qp_read(qp, &info);
	KUNIT_EXPECT_EQ(test, report->result, wanted->result);
	KUNIT_EXPECT_EQ(test, report->old_label, OLD_LABEL);
	KUNIT_EXPECT_GT(test, report->window, 0);
	KUNIT_EXPECT_EQ(test, report->info.flow_label,
			moved ? NEW_LABEL : OLD_LABEL);
	KUNIT_EXPECT_EQ(test, info.flow_label, moved ? NEW_LABEL : OLD_LABEL);
	KUNIT_EXPECT_EQ(test, info.rebinds, moved);
	KUNIT_EXPECT_EQ(test, info.result, wanted->result);
}

static void expect_driver(struct kunit *test, const struct sf_fake_state *now,
			  const struct move_case *wanted)
{
	KUNIT_EXPECT_EQ(test, now->state, wanted->state);
	KUNIT_EXPECT_EQ(test, now->av.grh.flow_label,
			wanted->moved ? NEW_LABEL : OLD_LABEL);
	if (wanted->plan.drain_kicks)
		KUNIT_EXPECT_GE(test, now->kicks, wanted->plan.drain_kicks);
}

/* Work that was posted during SQD is not looked at but after a doorbell. */
static void expect_kicked(struct kunit *test, const struct sf_fake_state *now,
			  const struct move_case *wanted)
{
	if (now->calls[SF_FAKE_TO_RTS] && wanted->state == IB_QPS_RTS)
		KUNIT_EXPECT_GT(test, now->kicks, 0);
}

static void every_failing_step_rolls_back(struct kunit *test)
{
	const struct move_case *wanted = test->param_value;
	struct sf_rebind_target target = { .by_label = true,
					   .label = NEW_LABEL };
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	struct sf_qp *qp = sf_fake_qp_in_table(test, fqp);
	struct task_struct *thread = NULL;
	struct sf_rebind_report report;
	struct sf_fake_state last;
	struct owner owner;
	int ret;

	fqp->plan = wanted->plan;
	if (wanted->owner != OWNER_WAITS) {
		owner_starts(test, &owner, fqp, wanted->owner);
		thread = sf_test_thread(test, sf_test_cpu(1), owner_fn, &owner);
	}
	if (wanted->owner == OWNER_DESTROYS) {
		fqp->last = &last;
		sf_fake_qp_forget(test, fqp);
	}

	ret = sf_rebind_move(test_sdev, qp->id, &target, &report);
	KUNIT_EXPECT_EQ(test, ret, sf_rebind_errno(wanted->result));
	if (thread)
		KUNIT_EXPECT_EQ(test, sf_test_join(test, thread), 0);
	if (wanted->owner != OWNER_DESTROYS)
		last = fqp->now;
	expect_driver(test, &last, wanted);
	expect_kicked(test, &last, wanted);
	expect_report(test, qp, wanted, &report);
	expect_nothing_left(test, qp);
	if (wanted->owner != OWNER_DESTROYS)
		sf_fake_qp_expect_events(test, fqp);
}

/* Nothing is begun where it is clear before that it cannot be done. */
static void nothing_begins_without_rts(struct kunit *test)
{
	struct sf_rebind_target target = { .by_label = true,
					   .label = NEW_LABEL };
	struct sf_fake_qp *fqp = sf_fake_qp_create(test, test_hca);
	struct sf_qp *qp;
	struct sf_rebind_report report;

	sf_event_sync();
	qp = sf_fake_qp_in_table(test, fqp);
	KUNIT_EXPECT_EQ(test,
			sf_rebind_move(test_sdev, qp->id, &target, &report),
			-ENOTCONN);
	KUNIT_EXPECT_EQ(test, report.result, RESULT(NOT_RTS));

	KUNIT_ASSERT_EQ(test, sf_fake_qp_connect(fqp), 0);
	fqp->plan.fail[SF_FAKE_QUERY_RTS].first = 1;
	fqp->plan.fail[SF_FAKE_QUERY_RTS].count = SF_FAKE_ALWAYS;
	fqp->now.calls[SF_FAKE_QUERY_RTS] = 0;
	KUNIT_EXPECT_EQ(test,
			sf_rebind_move(test_sdev, qp->id, &target, &report),
			-EIO);
	KUNIT_EXPECT_EQ(test, report.result, RESULT(DRIVER_ERROR));
	fqp->plan.fail[SF_FAKE_QUERY_RTS].count = 0;

	mutex_lock(&qp->mutex);
	qp->destroyed = true;
	mutex_unlock(&qp->mutex);
	KUNIT_EXPECT_EQ(test,
			sf_rebind_move(test_sdev, qp->id, &target, &report),
			-ECANCELED);
	KUNIT_EXPECT_EQ(test, report.result, RESULT(OWNER));
	mutex_lock(&qp->mutex);
	qp->destroyed = false;
	mutex_unlock(&qp->mutex);

	target.label = OLD_LABEL;
	KUNIT_EXPECT_EQ(test,
			sf_rebind_move(test_sdev, qp->id, &target, &report), 0);
	KUNIT_EXPECT_EQ(test, report.result, RESULT(UNCHANGED));
	KUNIT_EXPECT_EQ(test, report.window, 0);
	KUNIT_EXPECT_EQ(test, qp->windows, 0);
	KUNIT_EXPECT_EQ(test, fqp->now.calls[SF_FAKE_AV_RTS], 0);
	KUNIT_EXPECT_EQ(test, fqp->now.calls[SF_FAKE_TO_SQD], 0);
	expect_nothing_left(test, qp);
}

static void refused_devices_are_not_looked_at(struct kunit *test)
{
	struct sf_rebind_target target = { .by_label = true };
	struct sf_device *unknown = sf_fake_device(test, NULL);
	struct sf_device *known = sf_fake_device(test, &test_hca->ibdev);
	struct sf_rebind_report report;

	KUNIT_EXPECT_PTR_EQ(test, sf_rebind_strategy(unknown), NULL);
	KUNIT_EXPECT_STREQ(test, sf_rebind_strategy(known), "rxe");
	KUNIT_EXPECT_EQ(test, sf_rebind_move(unknown, 1, &target, &report),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, report.result, SF_QP_NEVER);
	KUNIT_EXPECT_EQ(test, sf_rebind_move(known, 1, &target, &report),
			-EROFS);
	KUNIT_EXPECT_EQ(test,
			sf_rebind_move(test_sdev, 0xffffff, &target, &report),
			-ENOENT);
	known->gone = true;
	KUNIT_EXPECT_EQ(test, sf_rebind_move(known, 1, &target, &report),
			-ENODEV);
	KUNIT_EXPECT_EQ(test, report.result, SF_QP_NEVER);
	KUNIT_EXPECT_EQ(test,
			sf_rebind_set_mode(known,
					   SCALEFABRIC_DEVICE_MODE_BALANCE),
			-ENODEV);
	KUNIT_EXPECT_EQ(test,
			sf_rebind_set_mode(unknown,
					   SCALEFABRIC_DEVICE_MODE_BALANCE),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, unknown->mode, SCALEFABRIC_DEVICE_MODE_OBSERVE);
}

static void results_have_errnos(struct kunit *test)
{
	static const int errnos[] = {
		[RESULT(MOVED)] = 0,
		[RESULT(UNCHANGED)] = 0,
		[RESULT(NO_STRATEGY)] = -EOPNOTSUPP,
		[RESULT(LANE_DOWN)] = -ENETDOWN,
		[RESULT(NO_LABEL)] = -EINVAL,
		[RESULT(NOT_RTS)] = -ENOTCONN,
		[RESULT(DRAIN_TIMEOUT)] = -ETIME,
		[RESULT(OWNER)] = -ECANCELED,
		[RESULT(DRIVER_ERROR)] = -EIO,
		[RESULT(STUCK)] = -ENOTRECOVERABLE,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(errnos); i++)
		KUNIT_EXPECT_EQ(test, sf_rebind_errno(i), errnos[i]);
	KUNIT_EXPECT_EQ(test, sf_rebind_errno(i), -EIO);
	KUNIT_EXPECT_EQ(test, sf_rebind_errno(SF_QP_NEVER), -EIO);
}

static void only_some_types_move(struct kunit *test)
{
	u8 type;

	for (type = 0; type <= SCALEFABRIC_QP_TYPE_OTHER; type++)
		KUNIT_EXPECT_EQ(test, can_move_type(type),
				type == SCALEFABRIC_QP_TYPE_RC ||
					type == SCALEFABRIC_QP_TYPE_UC);
}

/* The three lanes of aim_device(). */
enum {
	LANE_HERE,
	LANE_DOWN,
	LANE_ABSENT,
	LANE_UNKNOWN
};

static struct sf_device *aim_device(struct kunit *test)
{
	static const u8 states[] = {
		[LANE_HERE] = SCALEFABRIC_LANE_STATE_UP,
		[LANE_DOWN] = SCALEFABRIC_LANE_STATE_DOWN,
		[LANE_ABSENT] = SCALEFABRIC_LANE_STATE_ABSENT,
	};
	struct sf_device *sdev = sf_fake_device(test, NULL);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++)
		sdev->lanes.lane[i] = (struct sf_lane){
			.port = 1,
			.ifindex = i + 1,
			.state = states[i],
		};
	sdev->lanes.count = ARRAY_SIZE(states);
	return sdev;
}

static const struct aim_case {
	const char *name;
	struct sf_rebind_target target;
	bool no_av;
	bool no_grh;
	bool infiniband;
	u8 result;
} aim_cases[] = {
	{ "a label",
	  { .by_label = true, .label = NEW_LABEL },
	  .result = RESULT(MOVED) },
	{ "label 0", { .by_label = true, .label = 0 }, .result = RESULT(MOVED) },
	{ "the last label",
	  { .by_label = true, .label = SCALEFABRIC_FLOW_LABEL_MAX },
	  .result = RESULT(MOVED) },
	{ "the label it has",
	  { .by_label = true, .label = OLD_LABEL },
	  .result = RESULT(UNCHANGED) },
	{ "no path",
	  { .by_label = true, .label = NEW_LABEL },
	  .no_av = true,
	  .result = RESULT(NO_LABEL) },
	{ "no GIDs",
	  { .by_label = true, .label = NEW_LABEL },
	  .no_grh = true,
	  .result = RESULT(NO_LABEL) },
	{ "InfiniBand",
	  { .by_label = true, .label = NEW_LABEL },
	  .infiniband = true,
	  .result = RESULT(NO_LABEL) },
	{ "the lane it is on",
	  { .lane = LANE_HERE },
	  .result = RESULT(UNCHANGED) },
	{ "a lane that is down",
	  { .lane = LANE_DOWN },
	  .result = RESULT(LANE_DOWN) },
	{ "a lane that is absent",
	  { .lane = LANE_ABSENT },
	  .result = RESULT(LANE_DOWN) },
	{ "no such lane", { .lane = LANE_UNKNOWN }, .result = RESULT(NO_LABEL) },
	{ "a lane beyond all",
	  { .lane = UINT_MAX },
	  .result = RESULT(NO_LABEL) },
};

KUNIT_ARRAY_PARAM_DESC(aim, aim_cases, name);

static void target_becomes_path(struct kunit *test)
{
	const struct aim_case *wanted = test->param_value;
	struct sf_qp *qp = sf_fake_qp_add(test, aim_device(test), 5);
	struct sf_rebind rb = { .qp = qp };
	struct sf_qp_info info = qp->info;

	info.av = !wanted->no_av;
	info.grh = !wanted->no_grh;
	info.lane = LANE_HERE;
	info.flow_label = OLD_LABEL;
	eth_random_addr(info.dmac);
	rb.path.type = wanted->infiniband ? RDMA_AH_ATTR_TYPE_IB :
					    RDMA_AH_ATTR_TYPE_ROCE;
	rb.path.grh.flow_label = OLD_LABEL;

	KUNIT_EXPECT_EQ(test, rebind_aim(&rb, &info, &wanted->target),
			wanted->result);
	if (wanted->result != RESULT(MOVED)) {
		KUNIT_EXPECT_EQ(test, rb.path.grh.flow_label, OLD_LABEL);
		return;
	}
	KUNIT_EXPECT_EQ(test, rb.path.grh.flow_label, wanted->target.label);
	KUNIT_EXPECT_TRUE(test, ether_addr_equal(rb.path.roce.dmac, info.dmac));
}

static void second_move_is_as_the_first(struct kunit *test)
{
	struct sf_rebind_target target = { .by_label = true };
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	struct sf_qp *qp = sf_fake_qp_in_table(test, fqp);
	struct sf_rebind_report report;
	int ret;
	u32 i;

	fqp->plan.drain_queries = 2;
	for (i = 1; i <= 3; i++) {
		target.label = i;
		fqp->now.calls[SF_FAKE_QUERY_SQD] = 0;
		ret = sf_rebind_move(test_sdev, qp->id, &target, &report);
		KUNIT_EXPECT_EQ(test, ret, 0);
		KUNIT_EXPECT_EQ(test, report.result, RESULT(MOVED));
		KUNIT_EXPECT_EQ(test, report.info.rebinds, i);
		KUNIT_EXPECT_EQ(test, fqp->now.av.grh.flow_label, i);
	}
	KUNIT_EXPECT_EQ(test, qp->windows, 6);
	KUNIT_EXPECT_EQ(test, fqp->now.raised, 3);
	sf_fake_qp_expect_events(test, fqp);
}

/* The filter goes with mode balance; who is still on the way into it is served. */
static void observe_gives_all_back(struct kunit *test)
{
	struct sf_rebind_target target = { .by_label = true,
					   .label = NEW_LABEL };
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	struct sf_qp *qp = sf_fake_qp_in_table(test, fqp);
	typeof(fqp->ibqp.event_handler) handler;
	struct sf_rebind_report report;
	struct ib_event event = {
		.device = &test_hca->ibdev,
		.element.qp = &fqp->ibqp,
		.event = IB_EVENT_QP_FATAL,
	};

	handler = fqp->ibqp.event_handler;
	KUNIT_EXPECT_EQ(test,
			sf_rebind_move(test_sdev, qp->id, &target, &report), 0);
	KUNIT_EXPECT_PTR_EQ(test, fqp->ibqp.event_handler, &sf_rebind_filter);

	KUNIT_EXPECT_EQ(test,
			sf_rebind_set_mode(test_sdev,
					   SCALEFABRIC_DEVICE_MODE_OBSERVE),
			0);
	KUNIT_EXPECT_PTR_EQ(test, fqp->ibqp.event_handler, handler);
	KUNIT_EXPECT_PTR_EQ(test, test_sdev->wrap, NULL);
	KUNIT_EXPECT_EQ(test,
			sf_rebind_move(test_sdev, qp->id, &target, &report),
			-EROFS);
	sf_rebind_filter(&event, fqp->ibqp.qp_context);
	KUNIT_EXPECT_EQ(test, atomic_read(&fqp->others), 1);

	KUNIT_EXPECT_EQ(test,
			sf_rebind_set_mode(test_sdev,
					   SCALEFABRIC_DEVICE_MODE_BALANCE),
			0);
	KUNIT_EXPECT_PTR_NE(test, test_sdev->wrap, NULL);
}

static struct kunit_case rebind_cases[] = {
	KUNIT_CASE_PARAM(every_failing_step_rolls_back, move_gen_params),
	KUNIT_CASE(nothing_begins_without_rts),
	KUNIT_CASE(refused_devices_are_not_looked_at),
	KUNIT_CASE(results_have_errnos),
	KUNIT_CASE(only_some_types_move),
	KUNIT_CASE_PARAM(target_becomes_path, aim_gen_params),
	KUNIT_CASE(second_move_is_as_the_first),
	KUNIT_CASE(observe_gives_all_back),
	{}
};

static struct kunit_suite rebind_suite = {
	.name = "scalefabric_rebind",
	.suite_init = rebind_suite_init,
	.suite_exit = rebind_suite_exit,
	.test_cases = rebind_cases,
};

kunit_test_suite(rebind_suite);

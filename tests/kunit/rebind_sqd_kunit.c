// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric tests - the way through SQD, for drivers other than rxe
 *
 * Included by kmod/rebind_sqd.c. Without doorbells, and without telling the driver a
 * current state that is not so, a QP must come back as well; and it must be tried just
 * as often as it says. What else may go wrong is in rebind_kunit.c.
 */
#include <kunit/test.h>

#include "tests/kunit/fake_hca.h"

#define NEW_LABEL 0x54321

#define RESULT(name) SCALEFABRIC_REBIND_RESULT_##name

static struct sf_fake_hca *test_hca;

static int sqd_suite_init(struct kunit_suite *suite)
{
	test_hca = sf_fake_hca_register();
	return PTR_ERR_OR_ZERO(test_hca);
}

static void sqd_suite_exit(struct kunit_suite *suite)
{
	if (!IS_ERR_OR_NULL(test_hca))
		sf_fake_hca_unregister(test_hca);
}

/* A move as sf_rebind_move() prepares it, for a strategy alone. */
static u8 move_by_the_book(struct kunit *test, struct sf_fake_qp *fqp,
			   bool abort)
{
	struct sf_qp *qp = sf_fake_qp_in_table(test, fqp);
	struct sf_rebind *rb;
	u8 result;

	rb = kunit_kzalloc(test, sizeof(*rb), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rb);
	rb->task = current;
	rb->qp = qp;
	rb->ibqp = &fqp->ibqp;
	rb->path = fqp->now.av;
	rb->path.grh.flow_label = NEW_LABEL;
	rb->drain_until = ktime_add_ms(ktime_get(), 30);

	mutex_lock(&qp->mutex);
	rcu_assign_pointer(qp->rebind, rb);
	KUNIT_EXPECT_TRUE(test, sf_rebind_is_mine(&fqp->ibqp));
	if (abort)
		sf_rebind_abort(qp);
	result = sf_rebind_through_sqd(rb, NULL, 0);
	rcu_assign_pointer(qp->rebind, NULL);
	mutex_unlock(&qp->mutex);
	KUNIT_EXPECT_FALSE(test, sf_rebind_is_mine(&fqp->ibqp));
	return result;
}

/* Without telling the driver a state that is not so, and without doorbells. */
static void sqd_by_the_book(struct kunit *test)
{
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);

	fqp->plan.drain_queries = 3;
	KUNIT_EXPECT_EQ(test, move_by_the_book(test, fqp, false),
			RESULT(MOVED));
	KUNIT_EXPECT_EQ(test, fqp->now.av.grh.flow_label, NEW_LABEL);
	KUNIT_EXPECT_EQ(test, fqp->now.state, IB_QPS_RTS);
	KUNIT_EXPECT_EQ(test, fqp->now.kicks, 0);
	sf_fake_qp_expect_events(test, fqp);
}

/* RTS is refused until the queue has drained after all. */
static void abort_waits_for_the_drain(struct kunit *test)
{
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);

	fqp->plan.drain_queries = 30;
	KUNIT_EXPECT_EQ(test, move_by_the_book(test, fqp, true), RESULT(OWNER));
	KUNIT_EXPECT_EQ(test, fqp->now.av.grh.flow_label, SF_FAKE_LABEL);
	KUNIT_EXPECT_EQ(test, fqp->now.state, IB_QPS_RTS);
	KUNIT_EXPECT_GT(test, fqp->now.calls[SF_FAKE_TO_RTS], 10);
	sf_fake_qp_expect_events(test, fqp);
}

/* However often the way back is tried: once less than that is enough. */
static void last_try_to_resume_counts(struct kunit *test)
{
	struct sf_fake_qp *stuck = sf_fake_qp_connected(test, test_hca),
			  *saved = sf_fake_qp_connected(test, test_hca);
	unsigned int tries;

	stuck->plan.fail[SF_FAKE_TO_RTS].first = 1;
	stuck->plan.fail[SF_FAKE_TO_RTS].count = SF_FAKE_ALWAYS;
	KUNIT_EXPECT_EQ(test, move_by_the_book(test, stuck, false),
			RESULT(STUCK));
	tries = stuck->now.calls[SF_FAKE_TO_RTS];
	KUNIT_ASSERT_GT(test, tries, 1);

	saved->plan.fail[SF_FAKE_TO_RTS].first = 1;
	saved->plan.fail[SF_FAKE_TO_RTS].count = tries - 1;
	KUNIT_EXPECT_EQ(test, move_by_the_book(test, saved, false),
			RESULT(MOVED));
	KUNIT_EXPECT_EQ(test, saved->now.calls[SF_FAKE_TO_RTS], tries);
	KUNIT_EXPECT_EQ(test, saved->now.state, IB_QPS_RTS);
}

/* Where events go to is known from the first move on, and stays. */
static void filter_is_put_once(struct kunit *test)
{
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	typeof(fqp->ibqp.event_handler) handler;
	struct sf_qp *qp = sf_fake_qp_in_table(test, fqp);

	handler = fqp->ibqp.event_handler;
	KUNIT_EXPECT_EQ(test, move_by_the_book(test, fqp, false),
			RESULT(MOVED));
	KUNIT_EXPECT_PTR_EQ(test, fqp->ibqp.event_handler, &sf_rebind_filter);
	KUNIT_EXPECT_PTR_EQ(test, qp->owner_handler, handler);
	KUNIT_EXPECT_EQ(test, move_by_the_book(test, fqp, false),
			RESULT(MOVED));
	KUNIT_EXPECT_PTR_EQ(test, qp->owner_handler, handler);
	fqp->ibqp.event_handler = handler;
}

/* An owner that wants no events gets none, and no filter either. */
static void no_handler_no_filter(struct kunit *test)
{
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	typeof(fqp->ibqp.event_handler) handler;
	struct sf_qp *qp = sf_fake_qp_in_table(test, fqp);

	handler = fqp->ibqp.event_handler;
	fqp->ibqp.event_handler = NULL;
	fqp->plan.drain_queries = 2;
	KUNIT_EXPECT_EQ(test, move_by_the_book(test, fqp, false),
			RESULT(MOVED));
	KUNIT_EXPECT_PTR_EQ(test, fqp->ibqp.event_handler, NULL);
	KUNIT_EXPECT_PTR_EQ(test, qp->owner_handler, NULL);
	fqp->ibqp.event_handler = handler;
}

static struct kunit_case sqd_cases[] = { KUNIT_CASE(sqd_by_the_book),
					 KUNIT_CASE(abort_waits_for_the_drain),
					 KUNIT_CASE(last_try_to_resume_counts),
					 KUNIT_CASE(filter_is_put_once),
					 KUNIT_CASE(no_handler_no_filter),
					 {} };

static struct kunit_suite sqd_suite = {
	.name = "scalefabric_rebind_sqd",
	.suite_init = sqd_suite_init,
	.suite_exit = sqd_suite_exit,
	.test_cases = sqd_cases,
};

kunit_test_suite(sqd_suite);

// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric tests - the wrapped operations
 *
 * Included by kmod/wrap.c. That a driver's operations are given back as they were, or
 * not at all; that the owner of a QP sees nothing of a move, but all that is its own;
 * and that a move and the owner's calls do not cross each other.
 */
#include <kunit/test.h>
#include <linux/completion.h>

#include "tests/kunit/fake_device.h"
#include "tests/kunit/fake_hca.h"
#include "tests/kunit/thread.h"

static struct sf_fake_hca *test_hca;
/* The device as the module's registry has it, in mode observe. */
static struct sf_device *test_sdev;

static int wrap_suite_init(struct kunit_suite *suite)
{
	test_hca = sf_fake_hca_register();
	if (IS_ERR(test_hca))
		return PTR_ERR(test_hca);
	test_sdev = sf_device_find(&test_hca->ibdev);
	if (!test_sdev)
		return -ENODEV;
	sf_device_sync();
	return sf_rebind_set_mode(test_sdev, SCALEFABRIC_DEVICE_MODE_BALANCE);
}

static void wrap_suite_exit(struct kunit_suite *suite)
{
	if (IS_ERR_OR_NULL(test_hca))
		return;
	if (test_sdev)
		sf_device_put(test_sdev);
	sf_fake_hca_unregister(test_hca);
}

static int query(struct sf_fake_qp *fqp, struct ib_qp_attr *attr)
{
	struct ib_qp_init_attr init = {};

	memset(attr, 0, sizeof(*attr));
	return ib_query_qp(&fqp->ibqp, attr, IB_QP_STATE, &init);
}

/* As they were, all of them; and this module can be unloaded again. */
static void operations_are_given_back(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	typeof(sdev->ibdev->ops) *ops = &sdev->ibdev->ops;
	int refs = module_refcount(THIS_MODULE);
	void *before;

	ops->modify_qp = test_sdev->wrap->modify_qp;
	ops->query_qp = test_sdev->wrap->query_qp;
	ops->destroy_qp = test_sdev->wrap->destroy_qp;
	before = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, before);
	memcpy(before, ops, sizeof(*ops));

	down_write(&sdev->mode_sem);
	KUNIT_ASSERT_EQ(test, sf_wrap_install(sdev), 0);
	KUNIT_EXPECT_PTR_EQ(test, ops->modify_qp, &wrap_modify_qp);
	KUNIT_EXPECT_PTR_EQ(test, ops->query_qp, &wrap_query_qp);
	KUNIT_EXPECT_PTR_EQ(test, ops->destroy_qp, &wrap_destroy_qp);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs + 1);

	KUNIT_EXPECT_EQ(test, sf_wrap_remove(sdev), 0);
	up_write(&sdev->mode_sem);
	KUNIT_EXPECT_MEMEQ(test, ops, before, sizeof(*ops));
	KUNIT_EXPECT_PTR_EQ(test, sdev->wrap, NULL);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs);
	KUNIT_EXPECT_PTR_EQ(test, wrap_get(sdev->ibdev), NULL);
}

static int other_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			  struct ib_qp_init_attr *init)
{
	return -EPROTO;
}

/* Where another module has wrapped after us, ours must stay below it. */
static void operations_of_others_stay(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	typeof(sdev->ibdev->ops) *ops = &sdev->ibdev->ops;

	down_write(&sdev->mode_sem);
	KUNIT_ASSERT_EQ(test, sf_wrap_install(sdev), 0);
	ops->query_qp = other_query_qp;
	KUNIT_EXPECT_EQ(test, sf_wrap_remove(sdev), -EBUSY);
	KUNIT_EXPECT_PTR_EQ(test, ops->query_qp, &other_query_qp);
	KUNIT_EXPECT_PTR_EQ(test, ops->modify_qp, &wrap_modify_qp);
	KUNIT_EXPECT_PTR_EQ(test, ops->destroy_qp, &wrap_destroy_qp);
	KUNIT_EXPECT_PTR_NE(test, sdev->wrap, NULL);

	ops->query_qp = wrap_query_qp;
	KUNIT_EXPECT_EQ(test, sf_wrap_remove(sdev), 0);
	up_write(&sdev->mode_sem);
	KUNIT_EXPECT_PTR_EQ(test, ops->query_qp, NULL);
}

static struct sf_qp *hook_qp;

static void window_opens(struct sf_fake_qp *fqp)
{
	WRITE_ONCE(hook_qp->windows, hook_qp->windows + 1);
}

static void window_passes(struct sf_fake_qp *fqp)
{
	WRITE_ONCE(hook_qp->windows, hook_qp->windows + 2);
}

static const struct query_case {
	const char *name;
	u32 windows;
	enum ib_qp_state state;
	void (*hook)(struct sf_fake_qp *fqp);
	enum ib_qp_state shown;
} query_cases[] = {
	{ "SQD in a window", 1, IB_QPS_SQD, NULL, IB_QPS_RTS },
	{ "SQD in a later window", 7, IB_QPS_SQD, NULL, IB_QPS_RTS },
	{ "SQD, a window opens meanwhile", 2, IB_QPS_SQD, window_opens,
	  IB_QPS_RTS },
	{ "SQD, a window passes meanwhile", 2, IB_QPS_SQD, window_passes,
	  IB_QPS_RTS },
	{ "SQD, a window closes meanwhile", 3, IB_QPS_SQD, window_opens,
	  IB_QPS_RTS },
	{ "SQD of the owner", 0, IB_QPS_SQD, NULL, IB_QPS_SQD },
	{ "SQD of the owner after a move", 4, IB_QPS_SQD, NULL, IB_QPS_SQD },
	{ "ERR in a window", 1, IB_QPS_ERR, NULL, IB_QPS_ERR },
	{ "RTS in a window", 1, IB_QPS_RTS, NULL, IB_QPS_RTS },
	{ "SQE in a window", 1, IB_QPS_SQE, NULL, IB_QPS_SQE },
};

KUNIT_ARRAY_PARAM_DESC(query, query_cases, name);

static void owner_sees_no_move(struct kunit *test)
{
	const struct query_case *wanted = test->param_value;
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	struct sf_qp *qp = sf_fake_qp_in_table(test, fqp);
	struct ib_qp_attr attr;

	hook_qp = qp;
	qp->windows = wanted->windows;
	fqp->now.state = wanted->state;
	fqp->now.draining = wanted->state == IB_QPS_SQD;
	fqp->query_hook = wanted->hook;
	KUNIT_EXPECT_EQ(test, query(fqp, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.qp_state, wanted->shown);
	KUNIT_EXPECT_EQ(test, attr.cur_qp_state, wanted->shown);
	KUNIT_EXPECT_EQ(test, attr.sq_draining, wanted->shown == IB_QPS_SQD);
	/* The rest is what the driver said. */
	KUNIT_EXPECT_EQ(test, attr.dest_qp_num, SF_FAKE_RQPN);
	fqp->query_hook = NULL;
}

static void mover_sees_its_own(struct kunit *test)
{
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	struct sf_qp *qp = sf_fake_qp_in_table(test, fqp);
	struct sf_rebind rb = { .task = current, .qp = qp };
	struct ib_qp_attr attr;

	/* With the lock held: its own calls must not wait for it. */
	mutex_lock(&qp->mutex);
	rcu_assign_pointer(qp->rebind, &rb);
	WRITE_ONCE(qp->swallow, 1);
	qp->windows = 1;
	KUNIT_EXPECT_EQ(test, sf_fake_qp_modify(fqp, IB_QPS_SQD), 0);
	KUNIT_EXPECT_EQ(test, query(fqp, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.qp_state, IB_QPS_SQD);
	KUNIT_EXPECT_EQ(test, qp->swallow, 1);
	KUNIT_EXPECT_FALSE(test, rb.abort);
	rcu_assign_pointer(qp->rebind, NULL);
	mutex_unlock(&qp->mutex);
	synchronize_rcu();
}

struct owner {
	struct sf_fake_qp *fqp;
	enum ib_qp_state to;
	bool destroy;
};

static int owner_fn(void *data)
{
	struct owner *owner = data;

	if (owner->destroy)
		return ib_destroy_qp(&owner->fqp->ibqp);
	return sf_fake_qp_modify(owner->fqp, owner->to);
}

/* The owner wants out: the move is told at once, the driver only after it. */
static void owner_waits_for_the_move(struct kunit *test)
{
	struct owner owner = { .fqp = sf_fake_qp_connected(test, test_hca),
			       .to = IB_QPS_ERR };
	struct sf_qp *qp = sf_fake_qp_in_table(test, owner.fqp);
	struct sf_rebind rb = { .task = current, .qp = qp };
	struct task_struct *thread;

	mutex_lock(&qp->mutex);
	rcu_assign_pointer(qp->rebind, &rb);
	thread = sf_test_thread(test, sf_test_cpu(1), owner_fn, &owner);
	KUNIT_EXPECT_TRUE(test, SF_TEST_WAIT(READ_ONCE(rb.abort)));
	KUNIT_EXPECT_EQ(test, owner.fqp->now.state, IB_QPS_RTS);
	rcu_assign_pointer(qp->rebind, NULL);
	mutex_unlock(&qp->mutex);
	KUNIT_EXPECT_EQ(test, sf_test_join(test, thread), 0);
	KUNIT_EXPECT_EQ(test, owner.fqp->now.state, IB_QPS_ERR);
	synchronize_rcu();
}

/* What leaves RTS ends a move, what does not only waits. */
static void other_modifies_do_not_abort(struct kunit *test)
{
	static const struct {
		int mask;
		enum ib_qp_state state;
		bool leaves;
	} modifies[] = {
		{ IB_QP_STATE, IB_QPS_ERR, true },
		{ IB_QP_STATE, IB_QPS_RESET, true },
		{ IB_QP_STATE | IB_QP_CUR_STATE, IB_QPS_ERR, true },
		{ IB_QP_STATE, IB_QPS_SQD, false },
		{ IB_QP_STATE, IB_QPS_RTS, false },
		{ IB_QP_MIN_RNR_TIMER, IB_QPS_RESET, false },
		{ IB_QP_AV, IB_QPS_ERR, false },
	};
	struct ib_qp_attr attr = {};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modifies); i++) {
		attr.qp_state = modifies[i].state;
		KUNIT_EXPECT_EQ(test, leaves_rts(&attr, modifies[i].mask),
				modifies[i].leaves);
	}
}

/* An SQ_DRAINED that was to be swallowed is the owner's once it goes to SQD itself. */
static void owners_own_drain_is_told(struct kunit *test)
{
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	struct sf_qp *qp = sf_fake_qp_in_table(test, fqp);

	WRITE_ONCE(qp->swallow, 1);
	KUNIT_EXPECT_EQ(test, sf_fake_qp_modify(fqp, IB_QPS_SQD), 0);
	KUNIT_EXPECT_EQ(test, qp->swallow, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fqp->drained), 1);
}

static void destroy_marks_the_qp(struct kunit *test)
{
	struct owner owner = { .fqp = sf_fake_qp_connected(test, test_hca),
			       .destroy = true };
	struct sf_qp *qp = sf_fake_qp_in_table(test, owner.fqp);
	struct sf_fake_state last = {};

	owner.fqp->destroy_error = -EBUSY;
	KUNIT_EXPECT_EQ(test, owner_fn(&owner), -EBUSY);
	KUNIT_EXPECT_FALSE(test, qp->destroyed);

	owner.fqp->destroy_error = 0;
	owner.fqp->last = &last;
	sf_fake_qp_forget(test, owner.fqp);
	KUNIT_EXPECT_EQ(test, owner_fn(&owner), 0);
	KUNIT_EXPECT_TRUE(test, qp->destroyed);
	KUNIT_EXPECT_EQ(test, last.state, IB_QPS_RTS);
	sf_event_sync();
	KUNIT_EXPECT_TRUE(test, qp->removed);
}

/* A QP that the table does not have works as without us. */
static void unknown_qps_pass(struct kunit *test)
{
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	struct ib_qp_attr attr;
	struct sf_qp *qp = sf_fake_qp_in_table(test, fqp);

	sf_fake_qp_remove(qp);
	KUNIT_EXPECT_EQ(test, query(fqp, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.qp_state, IB_QPS_RTS);
	KUNIT_EXPECT_EQ(test, sf_fake_qp_modify(fqp, IB_QPS_ERR), 0);
	KUNIT_EXPECT_EQ(test, fqp->now.state, IB_QPS_ERR);
}

/* The calls are counted: who is in one keeps its wrapper from being freed. */
static void calls_are_counted(struct kunit *test)
{
	struct sf_wrap *wrap = test_sdev->wrap;
	struct sf_fake_qp *fqp = sf_fake_qp_connected(test, test_hca);
	struct ib_qp_attr attr;

	KUNIT_EXPECT_EQ(test, refcount_read(&wrap->calls), 1);
	KUNIT_EXPECT_PTR_EQ(test, wrap_get(&test_hca->ibdev), wrap);
	KUNIT_EXPECT_EQ(test, refcount_read(&wrap->calls), 2);
	wrap_put(wrap);
	KUNIT_EXPECT_EQ(test, query(fqp, &attr), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&wrap->calls), 1);
	KUNIT_EXPECT_FALSE(test, completion_done(&wrap->idle));
}

static struct kunit_case wrap_cases[] = {
	KUNIT_CASE(operations_are_given_back),
	KUNIT_CASE(operations_of_others_stay),
	KUNIT_CASE_PARAM(owner_sees_no_move, query_gen_params),
	KUNIT_CASE(mover_sees_its_own),
	KUNIT_CASE(owner_waits_for_the_move),
	KUNIT_CASE(other_modifies_do_not_abort),
	KUNIT_CASE(owners_own_drain_is_told),
	KUNIT_CASE(destroy_marks_the_qp),
	KUNIT_CASE(unknown_qps_pass),
	KUNIT_CASE(calls_are_counted),
	{}
};

static struct kunit_suite wrap_suite = {
	.name = "scalefabric_wrap",
	.suite_init = wrap_suite_init,
	.suite_exit = wrap_suite_exit,
	.test_cases = wrap_cases,
};

kunit_test_suite(wrap_suite);

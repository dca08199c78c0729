// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - a driver's QP operations, wrapped
 *
 * ib_core calls a driver through pointers in struct ib_device. They are
 * replaced and later put back; what makes that safe is how they are put back
 * (sf_wrap_remove()):
 *
 *	1. The old pointers are stored. Some tasks have loaded ours already.
 *	2. synchronize_rcu_tasks(): each task has since given up the CPU by its
 *	   own will, which none does between the load and wrap_get().
 *	3. The wrapper is taken off the list, and when its calls are down to
 *	   zero none is under way; a late one finds nothing and calls the
 *	   driver.
 *	4. synchronize_rcu_tasks() again: those who are past wrap_put() have
 *	   returned.
 *
 * The module cannot be unloaded meanwhile: each installed wrapper holds it.
 */
#include "wrap.h"

#include <linux/completion.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>

#include "device.h"
#include "qp.h"
#include "rebind.h"

/**
 * struct sf_wrap - the wrapped operations of a device
 * @list: in wrap_list; RCU
 * @ibdev: the device
 * @modify_qp: the driver's
 * @query_qp: the driver's
 * @destroy_qp: the driver's
 * @calls: calls under way, and one for being installed
 * @idle: completed when @calls is zero
 */
struct sf_wrap {
	struct list_head list;
	struct ib_device *ibdev;
	int (*modify_qp)(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			 struct ib_udata *udata);
	int (*query_qp)(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			struct ib_qp_init_attr *init);
	int (*destroy_qp)(struct ib_qp *ibqp, struct ib_udata *udata);
	refcount_t calls;
	struct completion idle;
};

static LIST_HEAD(wrap_list);
/* Serialises changes of wrap_list and of the pointers. */
static DEFINE_MUTEX(wrap_lock);

static struct sf_wrap *wrap_get(const struct ib_device *ibdev)
{
	struct sf_wrap *wrap, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(wrap, &wrap_list, list) {
		if (wrap->ibdev == ibdev &&
		    refcount_inc_not_zero(&wrap->calls)) {
			found = wrap;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

static void wrap_put(struct sf_wrap *wrap)
{
	if (refcount_dec_and_test(&wrap->calls))
		complete(&wrap->idle);
}

static struct sf_qp *wrap_qp(const struct ib_qp *ibqp)
{
	return sf_qp_get(ibqp->device, sf_qp_id_of(ibqp));
}

static bool leaves_rts(const struct ib_qp_attr *attr, int mask)
{
	return mask & IB_QP_STATE &&
	       (attr->qp_state == IB_QPS_ERR || attr->qp_state == IB_QPS_RESET);
}

static int wrap_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			  struct ib_udata *udata)
{
	struct sf_wrap *wrap = wrap_get(ibqp->device);
	struct sf_qp *qp;
	int ret;

	if (!wrap)
		return ibqp->device->ops.modify_qp(ibqp, attr, mask, udata);

	qp = sf_rebind_is_mine(ibqp) ? NULL : wrap_qp(ibqp);
	if (qp) {
		if (leaves_rts(attr, mask))
			sf_rebind_abort(qp);
		mutex_lock(&qp->mutex);
		/* An SQ_DRAINED after this one is the owner's. */
		if (mask & IB_QP_STATE && attr->qp_state == IB_QPS_SQD)
			WRITE_ONCE(qp->swallow, 0);
	}
	ret = wrap->modify_qp(ibqp, attr, mask, udata);
	if (qp) {
		mutex_unlock(&qp->mutex);
		sf_qp_put(qp);
	}
	wrap_put(wrap);
	return ret;
}

/*
 * The owner does not see the SQD of a move. A move that was under way at any
 * time during the query counts; if the owner put the QP into SQD at the same
 * time then it raced with its own query.
 */
static int wrap_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			 struct ib_qp_init_attr *init)
{
	struct sf_wrap *wrap = wrap_get(ibqp->device);
	struct sf_qp *qp;
	u32 windows = 0;
	int ret;

	if (!wrap)
		return ibqp->device->ops.query_qp(ibqp, attr, mask, init);

	qp = sf_rebind_is_mine(ibqp) ? NULL : wrap_qp(ibqp);
	if (qp)
		windows = READ_ONCE(qp->windows);
	smp_rmb(); /* the windows, then the state */
	ret = wrap->query_qp(ibqp, attr, mask, init);
	if (qp) {
		smp_rmb(); /* the state, then the windows */
		if (!ret && attr->qp_state == IB_QPS_SQD &&
		    (windows & 1 || READ_ONCE(qp->windows) != windows)) {
			attr->qp_state = IB_QPS_RTS;
			attr->cur_qp_state = IB_QPS_RTS;
			attr->sq_draining = 0;
		}
		sf_qp_put(qp);
	}
	wrap_put(wrap);
	return ret;
}

/*
 * Kernels since July 2026 wait for our restrack reference before they call
 * this. Older ones come here first: they wait for a move under way, and one
 * that has waited for them finds the QP destroyed.
 */
static int wrap_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct sf_wrap *wrap = wrap_get(ibqp->device);
	struct sf_qp *qp;
	int ret;

	if (!wrap)
		return ibqp->device->ops.destroy_qp(ibqp, udata);

	qp = wrap_qp(ibqp);
	if (qp) {
		sf_rebind_abort(qp);
		mutex_lock(&qp->mutex);
	}
	ret = wrap->destroy_qp(ibqp, udata);
	if (qp) {
		qp->destroyed = !ret;
		mutex_unlock(&qp->mutex);
		sf_qp_put(qp);
	}
	wrap_put(wrap);
	return ret;
}

int sf_wrap_install(struct sf_device *sdev)
{
	struct ib_device *ibdev = sdev->ibdev;
	struct sf_wrap *wrap;

	lockdep_assert_held_write(&sdev->mode_sem);

	wrap = kzalloc(sizeof(*wrap), GFP_KERNEL);
	if (!wrap)
		return -ENOMEM;
	if (!try_module_get(THIS_MODULE)) {
		kfree(wrap);
		return -ENODEV;
	}
	wrap->ibdev = ibdev;
	refcount_set(&wrap->calls, 1);
	init_completion(&wrap->idle);

	mutex_lock(&wrap_lock);
	wrap->modify_qp = ibdev->ops.modify_qp;
	wrap->query_qp = ibdev->ops.query_qp;
	wrap->destroy_qp = ibdev->ops.destroy_qp;
	list_add_rcu(&wrap->list, &wrap_list);
	smp_wmb(); /* on the list before the first call can come */
	WRITE_ONCE(ibdev->ops.modify_qp, wrap_modify_qp);
	WRITE_ONCE(ibdev->ops.query_qp, wrap_query_qp);
	WRITE_ONCE(ibdev->ops.destroy_qp, wrap_destroy_qp);
	mutex_unlock(&wrap_lock);

	sdev->wrap = wrap;
	return 0;
}

int sf_wrap_remove(struct sf_device *sdev)
{
	struct ib_device *ibdev = sdev->ibdev;
	struct sf_wrap *wrap = sdev->wrap;

	lockdep_assert_held_write(&sdev->mode_sem);

	mutex_lock(&wrap_lock);
	if (ibdev->ops.modify_qp != wrap_modify_qp ||
	    ibdev->ops.query_qp != wrap_query_qp ||
	    ibdev->ops.destroy_qp != wrap_destroy_qp) {
		mutex_unlock(&wrap_lock);
		return -EBUSY;
	}
	WRITE_ONCE(ibdev->ops.modify_qp, wrap->modify_qp);
	WRITE_ONCE(ibdev->ops.query_qp, wrap->query_qp);
	WRITE_ONCE(ibdev->ops.destroy_qp, wrap->destroy_qp);
	mutex_unlock(&wrap_lock);

	synchronize_rcu_tasks();

	mutex_lock(&wrap_lock);
	list_del_rcu(&wrap->list);
	mutex_unlock(&wrap_lock);
	synchronize_rcu();
	wrap_put(wrap);
	wait_for_completion(&wrap->idle);

	synchronize_rcu_tasks();
	kfree(wrap);
	sdev->wrap = NULL;
	module_put(THIS_MODULE);
	return 0;
}

void sf_wrap_abandon(struct sf_device *sdev)
{
	lockdep_assert_held_write(&sdev->mode_sem);

	pr_err("%s leaves, and its operations cannot be put back: this module stays loaded\n",
	       sdev->name);
	sdev->wrap = NULL;
}

#ifdef CONFIG_SCALEFABRIC_KUNIT_TEST
#include "tests/kunit/wrap_kunit.c"
#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * sf_hca - QPs: RC, UC and UD, and QP 0 and 1 of each port for the kernel
 *
 * Which modify is allowed ib_modify_qp_is_ok() says, and besides, as in the
 * InfiniBand Architecture (vol. 1, 10.3.1): a current state that is named must be
 * the real one, and while the send queue drains only ERR and RESET are next.
 */
#include "hca.h"

#include <linux/slab.h>
#include <linux/string.h>

static const char *const state_names[] = {
	[IB_QPS_RESET] = "RESET", [IB_QPS_INIT] = "INIT", [IB_QPS_RTR] = "RTR",
	[IB_QPS_RTS] = "RTS",	  [IB_QPS_SQD] = "SQD",	  [IB_QPS_SQE] = "SQE",
	[IB_QPS_ERR] = "ERR",
};

int hca_qp_state(const char *name)
{
	return match_string(state_names, ARRAY_SIZE(state_names), name);
}

struct hca_qp *hca_qp_get(struct hca_device *hca, u32 id)
{
	struct hca_qp *qp;

	xa_lock(&hca->qps);
	qp = xa_load(&hca->qps, id);
	if (qp && !refcount_inc_not_zero(&qp->refs))
		qp = NULL;
	xa_unlock(&hca->qps);
	return qp;
}

/* The QP may be gone right after, but not the device: see who calls. */
void hca_qp_put(struct hca_qp *qp)
{
	struct hca_device *hca = to_hca(qp->ibqp.device);

	if (refcount_dec_and_test(&qp->refs))
		wake_up_all(&hca->unref);
}

static int qp_number(struct hca_device *hca, struct hca_qp *qp, u32 port)
{
	u32 special = qp->ibqp.qp_type == IB_QPT_GSI;
	int ret;

	switch (qp->ibqp.qp_type) {
	case IB_QPT_SMI:
	case IB_QPT_GSI:
		qp->ibqp.qp_num = special;
		return xa_insert(&hca->qps, port << 24 | special, qp,
				 GFP_KERNEL);
	default:
		ret = xa_alloc_cyclic(&hca->qps, &qp->ibqp.qp_num, qp,
				      XA_LIMIT(HCA_QPN_FIRST, HCA_QPN_LAST),
				      &hca->next_qpn, GFP_KERNEL);
		return ret < 0 ? ret : 0;
	}
}

static u32 qp_id(const struct hca_qp *qp)
{
	const struct ib_qp *ibqp = &qp->ibqp;

	if (ibqp->qp_num < HCA_QPN_FIRST)
		return ibqp->port << 24 | ibqp->qp_num;
	return ibqp->qp_num;
}

static int init_check(struct hca_device *hca,
		      const struct ib_qp_init_attr *init, bool user)
{
	const struct ib_qp_cap *cap = &init->cap;

	switch (init->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
		break;
	case IB_QPT_SMI:
		if (!hca->ib)
			return -EOPNOTSUPP;
		fallthrough;
	case IB_QPT_GSI:
		if (user || !rdma_is_port_valid(&hca->ibdev, init->port_num))
			return -EINVAL;
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (init->create_flags)
		return -EOPNOTSUPP;
	if (cap->max_send_wr > HCA_WRS || cap->max_recv_wr > HCA_WRS ||
	    cap->max_send_sge > HCA_SGES || cap->max_recv_sge > HCA_SGES ||
	    cap->max_inline_data)
		return -EINVAL;
	return 0;
}

int hca_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata)
{
	struct hca_device *hca = to_hca(ibqp->device);
	struct hca_qp *qp = to_hca_qp(ibqp);
	int ret;

	ret = hca_step(hca, HCA_STEP_CREATE);
	if (!ret)
		ret = init_check(hca, init, udata);
	if (ret)
		return ret;

	refcount_set(&qp->refs, 1);
	spin_lock_init(&qp->lock);
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->send_wrs = init->cap.max_send_wr;
	qp->recv_wrs = init->cap.max_recv_wr;
	qp->send_sges = init->cap.max_send_sge;
	qp->recv_sges = init->cap.max_recv_sge;
	qp->attr.port = init->port_num;
	return qp_number(hca, qp, init->port_num);
}

/* In SQD a state that is named is no other modify than one that is not. */
static enum hca_step_id modify_step(struct hca_qp *qp,
				    const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state state = READ_ONCE(qp->state);
	enum ib_qp_state next = mask & IB_QP_STATE ? attr->qp_state : state;

	if (state == IB_QPS_SQD && next == IB_QPS_SQD) {
		if (mask & IB_QP_PORT && attr->port_num != qp->attr.port)
			return HCA_STEP_PORT;
		if (mask & IB_QP_AV)
			return HCA_STEP_AV;
	}
	return (enum hca_step_id)next;
}

static int state_check(struct hca_qp *qp, const struct ib_qp_attr *attr,
		       int mask, enum ib_qp_state next)
{
	lockdep_assert_held(&qp->lock);

	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != qp->state)
		return -EINVAL;
	if (!ib_modify_qp_is_ok(qp->state, next, qp->ibqp.qp_type, mask))
		return -EINVAL;
	if (qp->draining && next != IB_QPS_ERR && next != IB_QPS_RESET)
		return -EINVAL;
	return 0;
}

/* Takes over @alt_av and @drain where it makes use of them. */
static int modify_locked(struct hca_qp *qp, const struct ib_qp_attr *attr,
			 int mask, struct rdma_ah_attr **alt_av,
			 struct hca_drain **drain)
{
	enum ib_qp_state next = mask & IB_QP_STATE ? attr->qp_state : qp->state;
	struct hca_device *hca = to_hca(qp->ibqp.device);
	int ret;

	lockdep_assert_held(&qp->lock);

	ret = state_check(qp, attr, mask, next);
	if (!ret)
		ret = hca_attr_check(hca, qp, attr, mask);
	if (ret)
		return ret;

	if (mask & IB_QP_ALT_PATH && !qp->alt_av)
		swap(qp->alt_av, *alt_av);
	hca_attr_store(qp, attr, mask);
	if (next == qp->state)
		return 0;

	hca_drain_end(qp);
	WRITE_ONCE(qp->state, next);
	switch (next) {
	case IB_QPS_RESET:
		swap(qp->alt_av, *alt_av);
		memset(&qp->attr, 0, sizeof(qp->attr));
		qp->attr.port =
			qp->ibqp.qp_num < HCA_QPN_FIRST ? qp->ibqp.port : 0;
		break;
	case IB_QPS_SQD:
		if (!(mask & IB_QP_EN_SQD_ASYNC_NOTIFY))
			qp->attr.en_sqd_notify = false;
		hca_drain_begin(hca, qp, *drain);
		*drain = NULL;
		break;
	default:
		break;
	}
	return 0;
}

int hca_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata)
{
	struct hca_device *hca = to_hca(ibqp->device);
	struct hca_qp *qp = to_hca_qp(ibqp);
	struct rdma_ah_attr *alt_av = NULL;
	struct hca_drain *drain = NULL;
	int ret;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if (mask & IB_QP_STATE && attr->qp_state > IB_QPS_ERR)
		return -EINVAL;
	ret = hca_step(hca, modify_step(qp, attr, mask));
	if (ret)
		return ret;

	ret = -ENOMEM;
	if (mask & IB_QP_ALT_PATH) {
		alt_av = kzalloc(sizeof(*alt_av), GFP_KERNEL);
		if (!alt_av)
			return ret;
	}
	if (mask & IB_QP_STATE && attr->qp_state == IB_QPS_SQD) {
		drain = hca_drain_alloc(qp);
		if (!drain)
			goto out;
	}
	spin_lock(&qp->lock);
	ret = modify_locked(qp, attr, mask, &alt_av, &drain);
	spin_unlock(&qp->lock);
	kfree(drain);
out:
	kfree(alt_av);
	return ret;
}

int hca_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct hca_qp *qp = to_hca_qp(ibqp);
	int ret;

	ret = hca_step(to_hca(ibqp->device), HCA_STEP_QUERY);
	if (ret)
		return ret;

	spin_lock(&qp->lock);
	hca_attr_fill(qp, attr);
	spin_unlock(&qp->lock);

	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = attr->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	init->port_num = attr->port_num;
	return 0;
}

int hca_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct hca_device *hca = to_hca(ibqp->device);
	struct hca_qp *qp = to_hca_qp(ibqp);
	int ret;

	ret = hca_step(hca, HCA_STEP_DESTROY);
	if (ret)
		return ret;

	xa_erase(&hca->qps, qp_id(qp));
	spin_lock(&qp->lock);
	hca_drain_end(qp);
	spin_unlock(&qp->lock);
	if (!refcount_dec_and_test(&qp->refs))
		wait_event(hca->unref, !refcount_read(&qp->refs));
	kfree(qp->alt_av);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * sf_hca - the attributes of a QP: checked, kept, told
 */
#include "hca.h"

#define TIMEOUT_MAX 31
#define RNR_TIMER_MAX 31
#define RETRY_MAX 7

static bool path_is_ok(struct hca_device *hca, const struct rdma_ah_attr *av,
		       u32 port, u16 pkey_index, u8 timeout)
{
	return rdma_is_port_valid(&hca->ibdev, port) &&
	       rdma_ah_get_port_num(av) == port && pkey_index < HCA_PKEYS &&
	       timeout <= TIMEOUT_MAX;
}

int hca_attr_check(struct hca_device *hca, struct hca_qp *qp,
		   const struct ib_qp_attr *attr, int mask)
{
	u32 port = mask & IB_QP_PORT ? attr->port_num : qp->attr.port;

	lockdep_assert_held(&qp->lock);

	if ((mask & IB_QP_PORT && !rdma_is_port_valid(&hca->ibdev, port)) ||
	    (mask & IB_QP_AV && !path_is_ok(hca, &attr->ah_attr, port, 0, 0)) ||
	    (mask & IB_QP_ALT_PATH &&
	     !path_is_ok(hca, &attr->alt_ah_attr, attr->alt_port_num,
			 attr->alt_pkey_index, attr->alt_timeout)))
		return -EINVAL;
	if ((mask & IB_QP_PKEY_INDEX && attr->pkey_index >= HCA_PKEYS) ||
	    (mask & IB_QP_PATH_MTU &&
	     (attr->path_mtu < IB_MTU_256 || attr->path_mtu > IB_MTU_4096)) ||
	    (mask & IB_QP_DEST_QPN && attr->dest_qp_num >> 24) ||
	    (mask & IB_QP_PATH_MIG_STATE &&
	     attr->path_mig_state > IB_MIG_ARMED))
		return -EINVAL;
	if ((mask & IB_QP_MAX_QP_RD_ATOMIC &&
	     attr->max_rd_atomic > HCA_RD_ATOMIC) ||
	    (mask & IB_QP_MAX_DEST_RD_ATOMIC &&
	     attr->max_dest_rd_atomic > HCA_RD_ATOMIC))
		return -EINVAL;
	if ((mask & IB_QP_TIMEOUT && attr->timeout > TIMEOUT_MAX) ||
	    (mask & IB_QP_RETRY_CNT && attr->retry_cnt > RETRY_MAX) ||
	    (mask & IB_QP_RNR_RETRY && attr->rnr_retry > RETRY_MAX) ||
	    (mask & IB_QP_MIN_RNR_TIMER && attr->min_rnr_timer > RNR_TIMER_MAX))
		return -EINVAL;
	/* Queues have no memory of their own, but resizing is not offered. */
	return mask & IB_QP_CAP ? -EOPNOTSUPP : 0;
}

/* ib_core's reference to the GID is not ours to keep. */
static void path_copy(struct rdma_ah_attr *to, const struct rdma_ah_attr *from)
{
	*to = *from;
	to->grh.sgid_attr = NULL;
}

static void store_path(struct hca_qp *qp, const struct ib_qp_attr *attr,
		       int mask)
{
	struct hca_qp_attr *to = &qp->attr;

	if (mask & IB_QP_PORT)
		to->port = attr->port_num;
	if (mask & IB_QP_AV)
		path_copy(&to->av, &attr->ah_attr);
	if (mask & IB_QP_ALT_PATH) {
		path_copy(qp->alt_av, &attr->alt_ah_attr);
		to->alt_port = attr->alt_port_num;
		to->alt_pkey_index = attr->alt_pkey_index;
		to->alt_timeout = attr->alt_timeout;
	}
	if (mask & IB_QP_PATH_MIG_STATE)
		to->mig_state = attr->path_mig_state;
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = attr->path_mtu;
	if (mask & IB_QP_PKEY_INDEX)
		to->pkey_index = attr->pkey_index;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qpn = attr->dest_qp_num;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = attr->timeout;
}

void hca_attr_store(struct hca_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct hca_qp_attr *to = &qp->attr;

	lockdep_assert_held(&qp->lock);

	store_path(qp, attr, mask);
	if (mask & IB_QP_QKEY)
		to->qkey = attr->qkey;
	if (mask & IB_QP_ACCESS_FLAGS)
		to->access = attr->qp_access_flags;
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = attr->rq_psn;
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = attr->sq_psn;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		to->en_sqd_notify = attr->en_sqd_async_notify;
}

static void fill_path(struct hca_qp *qp, struct ib_qp_attr *attr)
{
	const struct hca_qp_attr *from = &qp->attr;

	attr->port_num = from->port;
	attr->ah_attr = from->av;
	if (qp->alt_av)
		attr->alt_ah_attr = *qp->alt_av;
	attr->alt_port_num = from->alt_port;
	attr->alt_pkey_index = from->alt_pkey_index;
	attr->alt_timeout = from->alt_timeout;
	attr->path_mig_state = from->mig_state;
	attr->path_mtu = from->path_mtu;
	attr->pkey_index = from->pkey_index;
	attr->dest_qp_num = from->dest_qpn;
	attr->timeout = from->timeout;
}

/* All of them, asked for or not, as most drivers do. */
void hca_attr_fill(struct hca_qp *qp, struct ib_qp_attr *attr)
{
	const struct hca_qp_attr *from = &qp->attr;

	lockdep_assert_held(&qp->lock);

	memset(attr, 0, sizeof(*attr));
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->sq_draining = qp->draining;
	attr->en_sqd_async_notify = from->en_sqd_notify;
	fill_path(qp, attr);
	attr->qkey = from->qkey;
	attr->qp_access_flags = from->access;
	attr->rq_psn = from->rq_psn;
	attr->sq_psn = from->sq_psn;
	attr->max_rd_atomic = from->max_rd_atomic;
	attr->max_dest_rd_atomic = from->max_dest_rd_atomic;
	attr->retry_cnt = from->retry_cnt;
	attr->rnr_retry = from->rnr_retry;
	attr->min_rnr_timer = from->min_rnr_timer;
	attr->cap.max_send_wr = qp->send_wrs;
	attr->cap.max_recv_wr = qp->recv_wrs;
	attr->cap.max_send_sge = qp->send_sges;
	attr->cap.max_recv_sge = qp->recv_sges;
}

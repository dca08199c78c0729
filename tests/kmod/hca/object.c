// SPDX-License-Identifier: GPL-2.0
/*
 * sf_hca - contexts, PDs, CQs, SRQs, AHs and MRs
 *
 * They exist so that QPs can; there is no data path. A work request of the
 * kernel is refused with EOPNOTSUPP, with one exception: receives of QP 0 and 1
 * are taken (ib_mad posts them when the device comes), and nothing ever arrives.
 * So nothing completes either, and a kernel user that waits for the flushed
 * completion of its last work request (ib_drain_qp()) is told that it could not
 * post it. A user's work requests do not get here at all: its provider
 * (tests/prog/hca_provider.c) refuses them.
 */
#include "hca.h"

#include <linux/slab.h>

#include "compat.h"

static int hca_alloc_ucontext(struct ib_ucontext *context,
			      struct ib_udata *udata)
{
	return 0;
}

static void hca_dealloc_ucontext(struct ib_ucontext *context)
{
}

/* Nothing is mapped. That it is here lets the device leave before its users. */
static void hca_disassociate_ucontext(struct ib_ucontext *context)
{
}

static int hca_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int hca_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

int hca_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr)
{
	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > HCA_CQES)
		return -EINVAL;
	cq->cqe = attr->cqe;
	return 0;
}

static int hca_destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	return 0;
}

static int hca_poll_cq(struct ib_cq *cq, int entries, struct ib_wc *wc)
{
	return 0;
}

static int hca_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	return 0;
}

static int hca_create_srq(struct ib_srq *srq, struct ib_srq_init_attr *init,
			  struct ib_udata *udata)
{
	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!init->attr.max_wr || init->attr.max_wr > HCA_WRS ||
	    init->attr.max_sge > HCA_SGES)
		return -EINVAL;
	return 0;
}

static int hca_destroy_srq(struct ib_srq *srq, struct ib_udata *udata)
{
	return 0;
}

static int hca_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *attr,
			 struct ib_udata *udata)
{
	return 0;
}

static int hca_destroy_ah(struct ib_ah *ah, u32 flags)
{
	return 0;
}

static struct ib_mr *mr_alloc(void)
{
	struct ib_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);

	return mr ?: ERR_PTR(-ENOMEM);
}

static struct ib_mr *hca_get_dma_mr(struct ib_pd *pd, int access)
{
	return mr_alloc();
}

/* Without a data path nobody looks at the memory: it is not pinned. */
static struct ib_mr *hca_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
				     u64 virt_addr, int access,
				     struct ib_udata *udata)
{
	return mr_alloc();
}

static int hca_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	kfree(mr);
	return 0;
}

static int hca_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
			 const struct ib_send_wr **bad_wr)
{
	*bad_wr = wr;
	return -EOPNOTSUPP;
}

static int hca_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad_wr)
{
	if (ibqp->qp_type == IB_QPT_SMI || ibqp->qp_type == IB_QPT_GSI)
		return 0;
	*bad_wr = wr;
	return -EOPNOTSUPP;
}

const struct ib_device_ops hca_object_ops = {
	.alloc_ucontext = hca_alloc_ucontext,
	.dealloc_ucontext = hca_dealloc_ucontext,
	.disassociate_ucontext = hca_disassociate_ucontext,
	.alloc_pd = hca_alloc_pd,
	.dealloc_pd = hca_dealloc_pd,
	.create_cq = HCA_CREATE_CQ,
	.destroy_cq = hca_destroy_cq,
	.poll_cq = hca_poll_cq,
	.req_notify_cq = hca_req_notify_cq,
	.create_srq = hca_create_srq,
	.destroy_srq = hca_destroy_srq,
	.create_ah = hca_create_ah,
	.create_user_ah = hca_create_ah,
	.destroy_ah = hca_destroy_ah,
	.get_dma_mr = hca_get_dma_mr,
	.reg_user_mr = hca_reg_user_mr,
	.dereg_mr = hca_dereg_mr,
	.post_send = hca_post_send,
	.post_recv = hca_post_recv,
};

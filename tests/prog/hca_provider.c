// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The user space half of tests/kmod/hca: what makes its devices known to libibverbs,
 * so that every program of verbs runs on them. Built as libsf_hca-rdmav34.so and
 * loaded by the library for
 *
 *	RDMAV_DRIVERS=/path/to/libsf_hca	in the environment, or
 *	driver /path/to/libsf_hca		in a file /etc/libibverbs.d/ANY.driver
 *
 * (without the rest of its name). It takes each device that has hca/abi in sysfs,
 * whatever its name.
 *
 * There is no data path: work requests are refused with EOPNOTSUPP, and CQs are
 * always empty.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hca_abi.h"

#define ABI_VERSION	1

/* Every work request. */
static const int refused = EOPNOTSUPP;

/* Allocate an object, have the command fill it in, and give it back if it failed. */
static void *created(void *object, int error)
{
	if (!error)
		return object;
	free(object);
	errno = error;
	return NULL;
}

static int destroyed(void *object, int error)
{
	if (!error)
		free(object);
	return error;
}

static int hca_query_device_ex(struct ibv_context *context,
			       const struct ibv_query_device_ex_input *input,
			       struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp;
	size_t resp_size = sizeof(resp);
	int error;

	error = ibv_cmd_query_device_any(context, input, attr, attr_size, &resp, &resp_size);
	if (!error)
		snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver), "%llu",
			 (unsigned long long)resp.base.fw_ver);
	return error;
}

static int hca_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
	HCA_COMMAND(ib_uverbs_query_port) cmd;

	return ibv_cmd_query_port(context, port, attr, &cmd, sizeof(cmd));
}

static struct ibv_pd *hca_alloc_pd(struct ibv_context *context)
{
	HCA_COMMAND(ib_uverbs_alloc_pd) cmd;
	struct ib_uverbs_alloc_pd_resp resp;
	struct ibv_pd *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;
	return created(pd, ibv_cmd_alloc_pd(context, pd, &cmd, sizeof(cmd), &resp, sizeof(resp)));
}

static int hca_dealloc_pd(struct ibv_pd *pd)
{
	return destroyed(pd, ibv_cmd_dealloc_pd(pd));
}

static struct ibv_mr *hca_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va,
				 int access)
{
	HCA_COMMAND(ib_uverbs_reg_mr) cmd;
	struct ib_uverbs_reg_mr_resp resp;
	struct verbs_mr *mr = calloc(1, sizeof(*mr));

	if (!mr)
		return NULL;
	return created(mr, ibv_cmd_reg_mr(pd, addr, length, hca_va, access, mr, &cmd,
					  sizeof(cmd), &resp, sizeof(resp)));
}

static int hca_dereg_mr(struct verbs_mr *mr)
{
	return destroyed(mr, ibv_cmd_dereg_mr(mr));
}

static struct ibv_cq *hca_create_cq(struct ibv_context *context, int cqe,
				    struct ibv_comp_channel *channel, int vector)
{
	HCA_COMMAND(ib_uverbs_create_cq) cmd;
	struct ib_uverbs_create_cq_resp resp;
	struct ibv_cq_ex *cq = calloc(1, sizeof(*cq));

	if (!cq)
		return NULL;
	return created(cq, ibv_cmd_create_cq(context, cqe, channel, vector, (struct ibv_cq *)cq,
					     &cmd, sizeof(cmd), &resp, sizeof(resp)));
}

static int hca_destroy_cq(struct ibv_cq *cq)
{
	return destroyed(cq, ibv_cmd_destroy_cq(cq));
}

static int hca_poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc)
{
	(void)cq;
	(void)entries;
	(void)wc;
	return 0;
}

static int hca_req_notify_cq(struct ibv_cq *cq, int solicited)
{
	(void)cq;
	(void)solicited;
	return 0;
}

static struct ibv_srq *hca_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	HCA_COMMAND(ib_uverbs_create_srq) cmd;
	struct ib_uverbs_create_srq_resp resp;
	struct ibv_srq *srq = calloc(1, sizeof(*srq));

	if (!srq)
		return NULL;
	return created(srq, ibv_cmd_create_srq(pd, srq, attr, &cmd, sizeof(cmd), &resp,
					       sizeof(resp)));
}

static int hca_destroy_srq(struct ibv_srq *srq)
{
	return destroyed(srq, ibv_cmd_destroy_srq(srq));
}

static struct ibv_ah *hca_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ib_uverbs_create_ah_resp resp;
	struct ibv_ah *ah = calloc(1, sizeof(*ah));

	if (!ah)
		return NULL;
	return created(ah, ibv_cmd_create_ah(pd, ah, attr, &resp, sizeof(resp)));
}

static int hca_destroy_ah(struct ibv_ah *ah)
{
	return destroyed(ah, ibv_cmd_destroy_ah(ah));
}

static struct ibv_qp *hca_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	HCA_COMMAND(ib_uverbs_create_qp) cmd;
	struct ib_uverbs_create_qp_resp resp;
	struct verbs_qp *qp = calloc(1, sizeof(*qp));

	if (!qp)
		return NULL;
	return created(qp, ibv_cmd_create_qp(pd, &qp->qp, attr, &cmd, sizeof(cmd), &resp,
					     sizeof(resp)));
}

static int hca_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	HCA_COMMAND(ib_uverbs_modify_qp) cmd = {};

	return ibv_cmd_modify_qp(qp, attr, mask, &cmd, sizeof(cmd));
}

static int hca_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
			struct ibv_qp_init_attr *init)
{
	HCA_COMMAND(ib_uverbs_query_qp) cmd;

	return ibv_cmd_query_qp(qp, attr, mask, init, &cmd, sizeof(cmd));
}

static int hca_destroy_qp(struct ibv_qp *qp)
{
	return destroyed(qp, ibv_cmd_destroy_qp(qp));
}

static int hca_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)qp;
	*bad = wr;
	return refused;
}

static int hca_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)qp;
	*bad = wr;
	return refused;
}

static int hca_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)srq;
	*bad = wr;
	return refused;
}

static void hca_free_context(struct ibv_context *context)
{
	struct verbs_context *verbs = verbs_get_ctx(context);

	verbs_uninit_context(verbs);
	free(verbs);
}

#define OP(op) ((void (*)(void))(op))

static const struct verbs_context_ops context_ops = {
	.op = {
		[OP_ALLOC_PD] = OP(hca_alloc_pd),
		[OP_CREATE_AH] = OP(hca_create_ah),
		[OP_CREATE_CQ] = OP(hca_create_cq),
		[OP_CREATE_QP] = OP(hca_create_qp),
		[OP_CREATE_SRQ] = OP(hca_create_srq),
		[OP_DEALLOC_PD] = OP(hca_dealloc_pd),
		[OP_DEREG_MR] = OP(hca_dereg_mr),
		[OP_DESTROY_AH] = OP(hca_destroy_ah),
		[OP_DESTROY_CQ] = OP(hca_destroy_cq),
		[OP_DESTROY_QP] = OP(hca_destroy_qp),
		[OP_DESTROY_SRQ] = OP(hca_destroy_srq),
		[OP_FREE_CONTEXT] = OP(hca_free_context),
		[OP_MODIFY_QP] = OP(hca_modify_qp),
		[OP_POLL_CQ] = OP(hca_poll_cq),
		[OP_POST_RECV] = OP(hca_post_recv),
		[OP_POST_SEND] = OP(hca_post_send),
		[OP_POST_SRQ_RECV] = OP(hca_post_srq_recv),
		[OP_QUERY_DEVICE_EX] = OP(hca_query_device_ex),
		[OP_QUERY_PORT] = OP(hca_query_port),
		[OP_QUERY_QP] = OP(hca_query_qp),
		[OP_REG_MR] = OP(hca_reg_mr),
		[OP_REQ_NOTIFY_CQ] = OP(hca_req_notify_cq),
	},
};

/* Where the library has put some of them shows whether its table is the one we know. */
static bool table_is_known(const struct ibv_context *context)
{
	return context->ops.poll_cq == hca_poll_cq &&
	       context->ops.post_send == hca_post_send &&
	       context->ops.post_srq_recv == hca_post_srq_recv &&
	       context->ops.req_notify_cq == hca_req_notify_cq;
}

static struct verbs_context *hca_alloc_context(struct ibv_device *device, int fd, void *data)
{
	HCA_COMMAND(ib_uverbs_get_context) cmd;
	struct ib_uverbs_get_context_resp resp;
	struct verbs_context *context;

	(void)data;
	context = _verbs_init_and_alloc_context(device, fd, sizeof(*context), NULL,
						RDMA_DRIVER_UNKNOWN);
	if (!context)
		return NULL;
	if (ibv_cmd_get_context(context, &cmd, sizeof(cmd), &resp, sizeof(resp)))
		goto err;
	verbs_set_ops(context, &context_ops);
	if (table_is_known(&context->context))
		return context;
	fprintf(stderr, "sf_hca: this libibverbs has other operations\n");
	errno = EPROTONOSUPPORT;
err:
	verbs_uninit_context(context);
	free(context);
	return NULL;
}

static struct verbs_device *hca_alloc_device(struct verbs_sysfs_dev *sysfs)
{
	(void)sysfs;
	return calloc(1, sizeof(struct verbs_device));
}

static void hca_uninit_device(struct verbs_device *device)
{
	free(device);
}

static bool hca_match_device(struct verbs_sysfs_dev *sysfs)
{
	char abi[8];

	return ibv_read_ibdev_sysfs_file(abi, sizeof(abi), sysfs, "hca/abi") > 0;
}

/* The library insists on a table; hca_match_device() decides. */
static const struct verbs_match_ent match_table[] = { {} };

static const struct verbs_device_ops device_ops = {
	.name = "sf_hca",
	.min_abi_version = ABI_VERSION,
	.max_abi_version = ABI_VERSION,
	.match_table = match_table,
	.match_device = hca_match_device,
	.alloc_context = hca_alloc_context,
	.alloc_device = hca_alloc_device,
	.uninit_device = hca_uninit_device,
};

static __attribute__((constructor)) void hca_register(void)
{
	verbs_register_driver_34(&device_ops);
}

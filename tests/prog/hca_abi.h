/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * What libibverbs wants of a provider, ABI 34.
 *
 * Its own header for that is not installed. This is the part that hca_provider.c
 * needs, as the library's symbols of version IBVERBS_PRIVATE_34 have it.
 */

#ifndef SF_TEST_HCA_ABI_H
#define SF_TEST_HCA_ABI_H

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct verbs_sysfs_dev;

/* The library's own part of a device; it is all zero when we hand it over. */
struct verbs_device {
	struct ibv_device device;
	uint64_t library[32];
};

/* A table of these ends with one that is all zero. */
struct verbs_match_ent {
	void *data;
	uint64_t driver_id;
	uint16_t vendor;
	uint16_t device;
	uint8_t kind;
};

struct verbs_device_ops {
	const char *name;
	uint32_t min_abi_version;
	uint32_t max_abi_version;
	const struct verbs_match_ent *match_table;
	const struct verbs_device_ops **static_providers;
	bool (*match_device)(struct verbs_sysfs_dev *sysfs);
	struct verbs_context *(*alloc_context)(struct ibv_device *device, int fd, void *data);
	struct verbs_context *(*import_context)(struct ibv_device *device, int fd);
	struct verbs_device *(*alloc_device)(struct verbs_sysfs_dev *sysfs);
	void (*uninit_device)(struct verbs_device *device);
};

/* The position of an operation among all, which are in alphabetical order. */
enum verbs_op {
	OP_ALLOC_PD = 5,
	OP_CREATE_AH = 13,
	OP_CREATE_CQ = 15,
	OP_CREATE_QP = 19,
	OP_CREATE_SRQ = 22,
	OP_DEALLOC_PD = 26,
	OP_DEREG_MR = 28,
	OP_DESTROY_AH = 29,
	OP_DESTROY_CQ = 31,
	OP_DESTROY_QP = 34,
	OP_DESTROY_SRQ = 36,
	OP_FREE_CONTEXT = 39,
	OP_MODIFY_QP = 47,
	OP_POLL_CQ = 53,
	OP_POST_RECV = 54,
	OP_POST_SEND = 55,
	OP_POST_SRQ_RECV = 57,
	OP_QUERY_DEVICE_EX = 58,
	OP_QUERY_PORT = 60,
	OP_QUERY_QP = 61,
	OP_REG_MR = 68,
	OP_REQ_NOTIFY_CQ = 69,
	VERBS_OPS = 76,
};

struct verbs_context_ops {
	void (*op[VERBS_OPS])(void);
};

struct verbs_mr {
	struct ibv_mr mr;
	uint64_t library[2];
};

struct verbs_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex qp_ex;
	};
	uint64_t library[2];
};

/* A command as the library passes it on to the kernel: a header, then its core. */
#define HCA_COMMAND(core_type)                                                                     \
	struct {                                                                                   \
		struct ib_uverbs_cmd_hdr hdr;                                                      \
		struct core_type core;                                                             \
	}

void verbs_register_driver_34(const struct verbs_device_ops *ops);
void *_verbs_init_and_alloc_context(struct ibv_device *device, int fd, size_t size,
				    struct verbs_context *offset, uint32_t driver_id);
void verbs_uninit_context(struct verbs_context *context);
void verbs_set_ops(struct verbs_context *context, const struct verbs_context_ops *ops);
int ibv_read_ibdev_sysfs_file(char *buf, size_t size, struct verbs_sysfs_dev *sysfs,
			      const char *format, ...) __attribute__((format(printf, 4, 5)));

int ibv_cmd_get_context(struct verbs_context *context, void *cmd, size_t cmd_size,
			struct ib_uverbs_get_context_resp *resp, size_t resp_size);
int ibv_cmd_query_device_any(struct ibv_context *context,
			     const struct ibv_query_device_ex_input *input,
			     struct ibv_device_attr_ex *attr, size_t attr_size,
			     struct ib_uverbs_ex_query_device_resp *resp, size_t *resp_size);
int ibv_cmd_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
		       void *cmd, size_t cmd_size);
int ibv_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd, void *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size);
int ibv_cmd_dealloc_pd(struct ibv_pd *pd);
int ibv_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va, int access,
		   struct verbs_mr *mr, void *cmd, size_t cmd_size,
		   struct ib_uverbs_reg_mr_resp *resp, size_t resp_size);
int ibv_cmd_dereg_mr(struct verbs_mr *mr);
int ibv_cmd_create_cq(struct ibv_context *context, int cqe, struct ibv_comp_channel *channel,
		      int vector, struct ibv_cq *cq, void *cmd, size_t cmd_size,
		      struct ib_uverbs_create_cq_resp *resp, size_t resp_size);
int ibv_cmd_destroy_cq(struct ibv_cq *cq);
int ibv_cmd_create_srq(struct ibv_pd *pd, struct ibv_srq *srq, struct ibv_srq_init_attr *attr,
		       void *cmd, size_t cmd_size, struct ib_uverbs_create_srq_resp *resp,
		       size_t resp_size);
int ibv_cmd_destroy_srq(struct ibv_srq *srq);
int ibv_cmd_create_qp(struct ibv_pd *pd, struct ibv_qp *qp, struct ibv_qp_init_attr *attr,
		      void *cmd, size_t cmd_size, struct ib_uverbs_create_qp_resp *resp,
		      size_t resp_size);
int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, void *cmd,
		      size_t cmd_size);
int ibv_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		     struct ibv_qp_init_attr *init, void *cmd, size_t cmd_size);
int ibv_cmd_destroy_qp(struct ibv_qp *qp);
int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah, struct ibv_ah_attr *attr,
		      struct ib_uverbs_create_ah_resp *resp, size_t resp_size);
int ibv_cmd_destroy_ah(struct ibv_ah *ah);

#endif /* SF_TEST_HCA_ABI_H */

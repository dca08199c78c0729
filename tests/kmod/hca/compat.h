/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sf_hca - where Linux 6.1 and newer kernels differ
 */
#ifndef SF_HCA_COMPAT_H
#define SF_HCA_COMPAT_H

#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

int hca_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr);

static inline int hca_create_cq_udata(struct ib_cq *cq,
				      const struct ib_cq_init_attr *attr,
				      struct ib_udata *udata)
{
	return hca_create_cq(cq, attr);
}

static inline int hca_create_cq_attrs(struct ib_cq *cq,
				      const struct ib_cq_init_attr *attr,
				      struct uverbs_attr_bundle *attrs)
{
	return hca_create_cq(cq, attr);
}

/* Since Linux 6.11 the operation has another last argument; nobody needs it. */
#define HCA_CREATE_CQ                                                         \
	__builtin_choose_expr(                                                \
		__builtin_types_compatible_p(                                 \
			typeof_member(const struct ib_device_ops, create_cq), \
			typeof(hca_create_cq_udata) *),                       \
		hca_create_cq_udata, hca_create_cq_attrs)

#endif /* SF_HCA_COMPAT_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SF_COMPAT_RDMA_RESTRACK_H
#define _SF_COMPAT_RDMA_RESTRACK_H

#include_next <rdma/restrack.h>

/*
 * rdma_restrack_count() got its third argument in Linux 6.11 and, by way of
 * stable, in the middle of 6.1.y and 6.12.y: the type tells, not the version.
 */
typedef int (*sf_compat_count2_t)(struct ib_device *dev,
				  enum rdma_restrack_type type);
typedef int (*sf_compat_count3_t)(struct ib_device *dev,
				  enum rdma_restrack_type type,
				  bool show_details);

static inline int sf_compat_count2(sf_compat_count2_t count,
				   struct ib_device *dev)
{
	return count(dev, RDMA_RESTRACK_QP);
}

static inline int sf_compat_count3(sf_compat_count3_t count,
				   struct ib_device *dev)
{
	return count(dev, RDMA_RESTRACK_QP, true);
}

/* QPs that ib_core tracks on a device, those that only drivers know too. */
#define sf_restrack_qps(dev)						\
	_Generic(&rdma_restrack_count,					\
		 sf_compat_count2_t: sf_compat_count2,			\
		 sf_compat_count3_t: sf_compat_count3)			\
	((void *)rdma_restrack_count, dev)

#endif /* _SF_COMPAT_RDMA_RESTRACK_H */

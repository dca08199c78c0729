// SPDX-License-Identifier: GPL-2.0
/* scaleFabric tests - a device that the module does not know */
#include "fake_device.h"

#include <linux/module.h>
#include <linux/slab.h>

#include "kmod/device.h"
#include "kmod/event.h"
#include "kmod/lane.h"

/* No device of a host comes near it. */
#define FAKE_INDEX 0xfa0e0000

static void device_free(void *data)
{
	struct sf_device *sdev = data;

	sf_qp_remove_all(sdev);
	rcu_barrier();
	sf_device_drop(sdev);
}

static struct ib_device *identity(struct kunit *test)
{
	struct ib_device *ibdev;

	ibdev = kunit_kzalloc(test, sizeof(*ibdev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ibdev);
	ibdev->ops.owner = THIS_MODULE;
	ibdev->ops.driver_id = RDMA_DRIVER_UNKNOWN;
	write_pnet(&ibdev->coredev.rdma_net, &init_net);
	return ibdev;
}

struct sf_device *sf_fake_device(struct kunit *test, struct ib_device *ibdev)
{
	static atomic_t count;
	struct sf_device *sdev;

	/* Freed by the last who holds it, as a real one is. */
	sdev = kzalloc(sizeof(*sdev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sdev);
	sdev->ibdev = ibdev ?: identity(test);
	sdev->index = FAKE_INDEX + atomic_inc_return(&count);
	snprintf(sdev->name, sizeof(sdev->name), "fake%x", sdev->index);
	kref_init(&sdev->memory);
	refcount_set(&sdev->uses, 1);
	init_completion(&sdev->unused);
	init_rwsem(&sdev->mode_sem);
	mutex_init(&sdev->scan_lock);
	sdev->drain_timeout = SCALEFABRIC_DRAIN_TIMEOUT_DEFAULT;
	sf_lane_setup(sdev);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, device_free, sdev));
	return sdev;
}

struct sf_qp_info sf_fake_info(u32 qpn)
{
	return (struct sf_qp_info){
		.qpn = qpn,
		.type = SCALEFABRIC_QP_TYPE_RC,
		.lane = SF_LANE_NONE,
		.event = SF_QP_NEVER,
		.result = SF_QP_NEVER,
		.kernel = true,
	};
}

struct sf_qp *sf_fake_qp_add(struct kunit *test, struct sf_device *sdev,
			     u32 qpn)
{
	struct sf_qp_info info = sf_fake_info(qpn);
	struct sf_qp *qp;

	sf_qp_lock();
	qp = sf_qp_add_locked(sdev, qpn, NULL, &info);
	sf_qp_unlock();
	KUNIT_ASSERT_NOT_NULL(test, qp);
	return qp;
}

void sf_fake_qp_remove(struct sf_qp *qp)
{
	sf_qp_lock();
	sf_qp_remove_locked(qp);
	sf_qp_unlock();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Raise an asynchronous event of a QP exactly as its driver would.
 *
 * rxe raises next to none of the eight QP events, so a test of the others
 * needs somebody who calls qp->event_handler() in the driver's place:
 *
 *	echo "rxe0 17 QP_FATAL" >/sys/module/sf_inject/parameters/raise
 *	echo "rxe0 17 COMM_EST 100 hardirq" >/sys/module/sf_inject/parameters/raise
 *
 * The words are DEVICE QPN EVENT [COUNT [CONTEXT]]. CONTEXT is process
 * (default), softirq or hardirq: drivers report from all three. All COUNT
 * events are raised in one go, on the CPU of the writer. The write returns
 * when they have been raised. QP 0 and QP 1 of port P are (P << 24 | QPN),
 * which is how ib_core numbers them.
 */

#include "raise.h"

#include <linux/module.h>
#include <rdma/restrack.h>

static int raise_on_device(struct ib_device *device, u32 qpn,
			   const struct raise *raise)
{
	struct rdma_restrack_entry *res;
	int ret;

	res = rdma_restrack_get_byid(device, RDMA_RESTRACK_QP, qpn);
	if (IS_ERR(res))
		return PTR_ERR(res);
	ret = raise_on(raise, container_of(res, struct ib_qp, res));
	rdma_restrack_put(res);
	return ret;
}

static int raise_set(const char *val, const struct kernel_param *kp)
{
	char dev_name[IB_DEVICE_NAME_MAX], event[32], context[16] = "process";
	struct ib_device *device;
	struct raise raise;
	u32 qpn, count = 1;
	int ret;

	if (sscanf(val, "%63s %u %31s %u %15s", dev_name, &qpn, event, &count,
		   context) < 3 ||
	    raise_parse(&raise, event, count, context))
		return -EINVAL;

	device = ib_device_get_by_name(dev_name, RDMA_DRIVER_UNKNOWN);
	if (!device)
		return -ENODEV;
	ret = raise_on_device(device, qpn, &raise);
	ib_device_put(device);
	return ret;
}

static const struct kernel_param_ops raise_ops = {
	.set = raise_set,
};

module_param_cb(raise, &raise_ops, NULL, 0200);
MODULE_PARM_DESC(raise, "DEVICE QPN EVENT [COUNT [process|softirq|hardirq]]");

MODULE_DESCRIPTION("Raise asynchronous events of RDMA QPs (test only)");
MODULE_LICENSE("GPL");

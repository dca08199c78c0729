// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - see, be told about and move the queue pairs of a host
 *
 * This file only starts and stops the others.
 */
#include <linux/module.h>

#include "device.h"
#include "event.h"
#include "hook.h"
#include "lane.h"
#include "netlink.h"
#include "qp.h"
#include "rebind.h"

static int __init sf_init(void)
{
	int ret;

	ret = sf_event_init();
	if (ret)
		return ret;
	ret = sf_qp_init();
	if (ret)
		goto err_event;
	ret = sf_lane_init();
	if (ret)
		goto err_qp;
	ret = sf_rebind_init();
	if (ret)
		goto err_lane;
	/* Before the devices: no QP is created between the scan and the hooks. */
	ret = sf_hook_init();
	if (ret)
		goto err_rebind;
	ret = sf_device_init();
	if (ret)
		goto err_hook;
	ret = sf_netlink_init();
	if (ret)
		goto err_device;
	return 0;

err_device:
	sf_device_exit();
err_hook:
	sf_hook_exit();
err_rebind:
	sf_rebind_exit();
err_lane:
	sf_lane_exit();
err_qp:
	sf_event_sync();
	sf_qp_exit();
err_event:
	sf_event_exit();
	return ret;
}

static void __exit sf_exit(void)
{
	sf_netlink_exit();
	sf_device_exit();
	sf_hook_exit();
	sf_rebind_exit();
	sf_lane_exit();
	/* What the hooks recorded last finds no device any more. */
	sf_event_sync();
	sf_qp_exit();
	sf_event_exit();
}

module_init(sf_init);
module_exit(sf_exit);

MODULE_AUTHOR("The scaleFabric authors");
MODULE_DESCRIPTION("See, be told about and move RDMA queue pairs");
MODULE_LICENSE("GPL");
MODULE_VERSION(SF_VERSION);
/* Its handler of all user QPs' events is watched on kernels before 6.11. */
MODULE_SOFTDEP("pre: ib_uverbs");

// SPDX-License-Identifier: GPL-2.0
/*
 * An RDMA device whose driver offers no way to move a QP: for tests of what
 * happens with a driver that has no strategy, and of hot add and remove
 * (insmod and rmmod).
 *
 * One port on Ethernet, raw packets only, no network device behind it. It has
 * no kernel verbs, so ib_core offers it only to clients that can do without
 * (ib_client.no_kverbs_req).
 */

#include <linux/err.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

static struct ib_device *plain_device;

static int plain_query_device(struct ib_device *device,
			      struct ib_device_attr *attr, struct ib_udata *udata)
{
	attr->max_qp = 1;
	attr->max_qp_wr = 1;
	attr->max_cq = 1;
	attr->max_pd = 1;
	return 0;
}

/* ib_core clears @attr first; what is not set here is not there. */
static int plain_query_port(struct ib_device *device, u32 port,
			    struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_1024;
	attr->active_width = IB_WIDTH_1X;
	attr->active_speed = IB_SPEED_SDR;
	return 0;
}

static int plain_get_port_immutable(struct ib_device *device, u32 port,
				    struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_RAW_PACKET;
	return 0;
}

static enum rdma_link_layer plain_get_link_layer(struct ib_device *device, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static const struct ib_device_ops plain_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.query_device = plain_query_device,
	.query_port = plain_query_port,
	.get_port_immutable = plain_get_port_immutable,
	.get_link_layer = plain_get_link_layer,
};

static int __init plain_init(void)
{
	struct ib_device *device;
	int ret;

	device = _ib_alloc_device(sizeof(*device));
	if (!device)
		return -ENOMEM;
	device->node_type = RDMA_NODE_IB_CA;
	device->phys_port_cnt = 1;
	device->num_comp_vectors = 1;
	ib_set_device_ops(device, &plain_ops);

	ret = ib_register_device(device, "plain%d", NULL);
	if (ret) {
		ib_dealloc_device(device);
		return ret;
	}
	plain_device = device;
	return 0;
}

static void __exit plain_exit(void)
{
	ib_unregister_device(plain_device);
	ib_dealloc_device(plain_device);
}

module_init(plain_init);
module_exit(plain_exit);

MODULE_DESCRIPTION("RDMA device without a way to move QPs (test only)");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * sf_hca - an RDMA device of several ports without hardware, for tests
 *
 * It has all that a host channel adapter shows of itself and of its QPs, by the
 * book, and nothing of what it does: there is no data path (see object.c). What
 * the book allows to go wrong can be made to.
 *
 *	/sys/module/sf_hca/parameters/add	"NAME PORTS ib|eth [OPTION...]"
 *	/sys/module/sf_hca/parameters/remove	"NAME"
 *
 * NAME is new, PORTS is 1 to 8. An OPTION is "narrow", no 64-bit port counters, or
 * on Ethernet "netdev=NAME,NAME...": the network device of port 1, port 2... in
 * the first network namespace, from whose addresses ib_core makes the GIDs. A
 * network device that leaves does so from here as well.
 *
 * "remove" unplugs the device: users that have it open are told, and need not be
 * done with it. Calls that hang go on (see step.c). Unloading the module unplugs
 * all devices, which ib_core allows for the same reason.
 *
 * Further files are in /sys/class/infiniband/NAME/hca/: see step.c (calls, fail,
 * delay, stick), drain.c (drain_ms, drained), event.c (event, fault) and ulp.c
 * (kernel_qps, kernel_events). "abi", only read, is how the provider in user
 * space knows the device. Those of a port are in port.c and counter.c.
 *
 * Whatever is written is taken as a whole or refused, with EINVAL if it is wrong.
 */
#include "hca.h"

#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/string.h>

#define ABI_VERSION 1

/* Locally administered; the second half counts devices and ports. */
#define GUID_BASE 0x02005f0000000000ULL

/* What "add" is told. */
struct request {
	char name[IB_DEVICE_NAME_MAX];
	char *netdev[HCA_PORTS_MAX];
	u32 ports;
	bool ib;
	bool narrow;
};

static LIST_HEAD(devices);
/* Protects the above, and is held while a device comes or goes. */
static DEFINE_MUTEX(devices_lock);
static bool closed;

static int hca_query_device(struct ib_device *ibdev,
			    struct ib_device_attr *attr, struct ib_udata *udata)
{
	attr->sys_image_guid = ibdev->node_guid;
	attr->fw_ver = ABI_VERSION;
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = PAGE_SIZE;
	attr->device_cap_flags = IB_DEVICE_CHANGE_PHY_PORT |
				 IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_SYS_IMAGE_GUID;
	if (to_hca(ibdev)->ib)
		attr->device_cap_flags |= IB_DEVICE_AUTO_PATH_MIG;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	attr->max_qp = HCA_QPN_LAST - HCA_QPN_FIRST + 1;
	attr->max_qp_wr = HCA_WRS;
	attr->max_send_sge = HCA_SGES;
	attr->max_recv_sge = HCA_SGES;
	attr->max_cq = INT_MAX;
	attr->max_cqe = HCA_CQES;
	attr->max_mr = INT_MAX;
	attr->max_pd = INT_MAX;
	attr->max_ah = INT_MAX;
	attr->max_srq = INT_MAX;
	attr->max_srq_wr = HCA_WRS;
	attr->max_srq_sge = HCA_SGES;
	attr->max_qp_rd_atom = HCA_RD_ATOMIC;
	attr->max_qp_init_rd_atom = HCA_RD_ATOMIC;
	attr->max_pkeys = HCA_PKEYS;
	return 0;
}

static ssize_t abi_show(struct device *dev, struct device_attribute *attr,
			char *buf)
{
	return sysfs_emit(buf, "%d\n", ABI_VERSION);
}

static DEVICE_ATTR_RO(abi);

static struct attribute *device_attrs[] = {
	&dev_attr_abi.attr,	      &dev_attr_calls.attr,
	&dev_attr_fail.attr,	      &dev_attr_delay.attr,
	&dev_attr_stick.attr,	      &dev_attr_drain_ms.attr,
	&dev_attr_drained.attr,	      &dev_attr_event.attr,
	&dev_attr_fault.attr,	      &dev_attr_kernel_qps.attr,
	&dev_attr_kernel_events.attr, NULL,
};

static const struct attribute_group device_group = {
	.name = "hca",
	.attrs = device_attrs,
};

static const struct ib_device_ops hca_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.uverbs_abi_ver = ABI_VERSION,
	.device_group = &device_group,
	.port_groups = hca_port_groups,

	.query_device = hca_query_device,
	.query_port = hca_query_port,
	.get_port_immutable = hca_get_port_immutable,
	.get_link_layer = hca_get_link_layer,
	.query_gid = hca_query_gid,
	.query_pkey = hca_query_pkey,
	.process_mad = hca_process_mad,
	.alloc_hw_port_stats = hca_alloc_hw_port_stats,
	.get_hw_stats = hca_get_hw_stats,
	.create_qp = hca_create_qp,
	.modify_qp = hca_modify_qp,
	.query_qp = hca_query_qp,
	.destroy_qp = hca_destroy_qp,

	.size_ib_ah = sizeof(struct ib_ah),
	.size_ib_cq = sizeof(struct ib_cq),
	.size_ib_pd = sizeof(struct ib_pd),
	.size_ib_srq = sizeof(struct ib_srq),
	.size_ib_ucontext = sizeof(struct ib_ucontext),
	INIT_RDMA_OBJ_SIZE(ib_qp, hca_qp, ibqp),
};

/* ib_core makes a device's GIDs from its network devices; we just forward it. */
static int hca_add_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

static int hca_del_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

static const struct ib_device_ops hca_eth_ops = {
	.add_gid = hca_add_gid,
	.del_gid = hca_del_gid,
};

bool hca_is_ours(const struct ib_device *ibdev)
{
	return ibdev->ops.owner == THIS_MODULE;
}

static int netdev_event(struct notifier_block *nb, unsigned long event,
			void *ptr)
{
	struct hca_device *hca = container_of(nb, struct hca_device, netdev_nb);
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	u32 port;

	if (event != NETDEV_UNREGISTER)
		return NOTIFY_DONE;
	rdma_for_each_port(&hca->ibdev, port)
		if (hca->netdev[port - 1] == ndev) {
			hca->netdev[port - 1] = NULL;
			ib_device_set_netdev(&hca->ibdev, NULL, port);
		}
	return NOTIFY_DONE;
}

static int netdevs_set(struct hca_device *hca, const struct request *req)
{
	struct net_device *ndev;
	int ret = 0;
	u32 port;

	rtnl_lock();
	rdma_for_each_port(&hca->ibdev, port) {
		if (!req->netdev[port - 1])
			continue;
		ndev = __dev_get_by_name(&init_net, req->netdev[port - 1]);
		ret = ndev ? ib_device_set_netdev(&hca->ibdev, ndev, port) :
			     -ENODEV;
		if (ret)
			break;
		hca->netdev[port - 1] = ndev;
	}
	rtnl_unlock();
	return ret;
}

/* Which has never been registered, or is not any more. */
static void hca_free(struct hca_device *hca)
{
	if (hca->netdev_nb.notifier_call)
		unregister_netdevice_notifier(&hca->netdev_nb);
	if (hca->wq)
		destroy_workqueue(hca->wq);
	xa_destroy(&hca->qps);
	ib_dealloc_device(&hca->ibdev);
}

static struct hca_device *hca_alloc(const struct request *req)
{
	static u32 serial;
	struct hca_device *hca;
	u64 guid;
	u32 port;

	hca = ib_alloc_device(hca_device, ibdev);
	if (!hca)
		return NULL;
	hca->ib = req->ib;
	hca->narrow = req->narrow;
	xa_init_flags(&hca->qps, XA_FLAGS_ALLOC);
	hca->next_qpn = HCA_QPN_FIRST;
	init_waitqueue_head(&hca->unref);
	init_waitqueue_head(&hca->unstick);
	spin_lock_init(&hca->lock);
	hca_ulp_setup(&hca->ulp);

	serial++;
	guid = GUID_BASE | (u64)serial << 8;
	hca->ibdev.node_type = RDMA_NODE_IB_CA;
	hca->ibdev.node_guid = cpu_to_be64(guid);
	hca->ibdev.phys_port_cnt = req->ports;
	hca->ibdev.num_comp_vectors = 1;
	strscpy(hca->ibdev.node_desc, KBUILD_MODNAME,
		sizeof(hca->ibdev.node_desc));
	ib_set_device_ops(&hca->ibdev, &hca_ops);
	ib_set_device_ops(&hca->ibdev, &hca_object_ops);
	if (!hca->ib)
		ib_set_device_ops(&hca->ibdev, &hca_eth_ops);
	rdma_for_each_port(&hca->ibdev, port)
		hca_port_init(hca, port, guid + port);
	return hca;
}

static int hca_plug(const struct request *req)
{
	struct hca_device *hca = hca_alloc(req);
	int ret = -ENOMEM;

	if (!hca)
		return ret;
	hca->wq = alloc_workqueue(KBUILD_MODNAME, WQ_UNBOUND, 0);
	if (!hca->wq)
		goto err;
	hca->netdev_nb.notifier_call = netdev_event;
	ret = register_netdevice_notifier(&hca->netdev_nb);
	if (ret) {
		hca->netdev_nb.notifier_call = NULL;
		goto err;
	}
	ret = netdevs_set(hca, req);
	if (!ret)
		ret = ib_register_device(&hca->ibdev, req->name, NULL);
	if (ret)
		goto err;
	list_add_tail(&hca->list, &devices);
	return 0;

err:
	hca_free(hca);
	return ret;
}

static void hca_unplug(struct hca_device *hca)
{
	lockdep_assert_held(&devices_lock);

	list_del(&hca->list);
	hca_step_leave(hca);
	ib_unregister_device(&hca->ibdev);
	hca_free(hca);
}

static struct hca_device *hca_find(const char *name)
{
	struct hca_device *hca;

	lockdep_assert_held(&devices_lock);

	list_for_each_entry(hca, &devices, list)
		if (!strcmp(dev_name(&hca->ibdev.dev), name))
			return hca;
	return NULL;
}

static bool name_is_ok(const char *name)
{
	return *name && strlen(name) < IB_DEVICE_NAME_MAX &&
	       !strpbrk(name, "/%") && strcmp(name, ".") && strcmp(name, "..");
}

static int parse_netdevs(struct request *req, char *list)
{
	u32 port = 0;
	char *name;

	if (req->ib)
		return -EINVAL;
	while ((name = strsep(&list, ","))) {
		if (!*name || port == req->ports)
			return -EINVAL;
		req->netdev[port++] = name;
	}
	return 0;
}

static int parse_option(struct request *req, char *word)
{
	static const char netdev[] = "netdev=";

	if (!strcmp(word, "narrow")) {
		req->narrow = true;
		return 0;
	}
	if (strstarts(word, netdev))
		return parse_netdevs(req, word + strlen(netdev));
	return -EINVAL;
}

/* @text is cut into pieces, to which @req points. */
static int parse(struct request *req, char *text)
{
	char *word, *name, *ports, *layer;
	int ret = 0;

	text = strim(text);
	name = strsep(&text, " ");
	ports = strsep(&text, " ");
	layer = strsep(&text, " ");
	if (!layer || !name_is_ok(name) || kstrtou32(ports, 10, &req->ports) ||
	    !req->ports || req->ports > HCA_PORTS_MAX)
		return -EINVAL;
	strscpy(req->name, name, sizeof(req->name));
	req->ib = !strcmp(layer, "ib");
	if (!req->ib && strcmp(layer, "eth"))
		return -EINVAL;
	while (!ret && (word = strsep(&text, " ")))
		ret = parse_option(req, word);
	return ret;
}

static int add_set(const char *val, const struct kernel_param *kp)
{
	struct request req = {};
	char *text;
	int ret;

	text = kstrdup(val, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	ret = parse(&req, text);
	if (ret)
		goto out;

	mutex_lock(&devices_lock);
	if (closed)
		ret = -ENODEV;
	else if (hca_find(req.name))
		ret = -EINVAL;
	else
		ret = hca_plug(&req);
	mutex_unlock(&devices_lock);
out:
	kfree(text);
	return ret;
}

static int remove_set(const char *val, const struct kernel_param *kp)
{
	char name[IB_DEVICE_NAME_MAX], end;
	struct hca_device *hca;
	int ret = 0;

	if (sscanf(val, "%63s %c", name, &end) != 1)
		return -EINVAL;
	mutex_lock(&devices_lock);
	hca = hca_find(name);
	if (hca)
		hca_unplug(hca);
	else
		ret = -EINVAL;
	mutex_unlock(&devices_lock);
	return ret;
}

static const struct kernel_param_ops add_ops = {
	.set = add_set,
};

static const struct kernel_param_ops remove_ops = {
	.set = remove_set,
};

module_param_cb(add, &add_ops, NULL, 0200);
MODULE_PARM_DESC(add, "NAME PORTS ib|eth [narrow] [netdev=NAME,...]");
module_param_cb(remove, &remove_ops, NULL, 0200);
MODULE_PARM_DESC(remove, "NAME");

static int __init hca_init(void)
{
	return hca_ulp_init();
}

static void __exit hca_exit(void)
{
	struct hca_device *hca, *next;

	mutex_lock(&devices_lock);
	closed = true;
	list_for_each_entry_safe(hca, next, &devices, list)
		hca_unplug(hca);
	mutex_unlock(&devices_lock);
	hca_ulp_exit();
}

module_init(hca_init);
module_exit(hca_exit);

MODULE_DESCRIPTION("RDMA device of several ports without hardware (test only)");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * sf_hca - a kernel user of the device, for QPs without a program
 *
 * It goes through ib_create_qp(), ib_modify_qp() and ib_destroy_qp() like any
 * other. Its RC and UC QPs are connected with themselves.
 *
 * Files in /sys/class/infiniband/NAME/hca/:
 *
 *	kernel_qps	"create N TYPE STATE [PORT]" creates N QPs (TYPE rc, uc or
 *			ud) and brings each to STATE, by way of the states before,
 *			on PORT (default 1); the first that fails is destroyed
 *			again and ends the write with its errno.
 *			"modify STATE" brings all to another state, "destroy"
 *			destroys all. Read: how many there are.
 *	kernel_events	read: how many events they had; written: start anew from
 *			that number
 *
 * They are destroyed when the device leaves. A signal that kills ends a write
 * between two QPs with EINTR; what was done stays.
 */
#include "hca.h"

#include <linux/kstrtox.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/ib_cache.h>

#define ULP_QKEY 0x5f5f0001
#define ULP_DEPTH 1
#define ULP_PSN 0

static void ulp_event(struct ib_event *event, void *context)
{
	struct hca_ulp *ulp = context;

	atomic64_inc(&ulp->events);
}

static struct hca_device *hca_of_ulp(struct hca_ulp *ulp)
{
	return container_of(ulp, struct hca_device, ulp);
}

static int ulp_prepare(struct hca_ulp *ulp)
{
	struct ib_device *ibdev = &hca_of_ulp(ulp)->ibdev;
	struct ib_pd *pd;
	struct ib_cq *cq;

	lockdep_assert_held(&ulp->lock);

	if (ulp->pd)
		return 0;
	pd = ib_alloc_pd(ibdev, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	cq = ib_alloc_cq_any(ibdev, ulp, ULP_DEPTH, IB_POLL_DIRECT);
	if (IS_ERR(cq)) {
		ib_dealloc_pd(pd);
		return PTR_ERR(cq);
	}
	ulp->pd = pd;
	ulp->cq = cq;
	return 0;
}

static int qp_to_init(struct ib_qp *qp, u32 port)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = port,
		.qkey = ULP_QKEY,
	};
	int mask = IB_QP_STATE | IB_QP_PORT | IB_QP_PKEY_INDEX;

	mask |= qp->qp_type == IB_QPT_UD ? IB_QP_QKEY : IB_QP_ACCESS_FLAGS;
	return ib_modify_qp(qp, &attr, mask);
}

static int qp_to_rtr(struct ib_qp *qp)
{
	struct ib_device *ibdev = qp->device;
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = qp->qp_num,
		.rq_psn = ULP_PSN,
		.max_dest_rd_atomic = 1,
	};
	int mask = IB_QP_STATE, ret;
	struct ib_port_attr port;
	union ib_gid gid;

	if (qp->qp_type != IB_QPT_UD) {
		ret = ib_query_port(ibdev, qp->port, &port) ?:
			      rdma_query_gid(ibdev, qp->port, 0, &gid);
		if (ret)
			return ret;
		attr.ah_attr.type = rdma_ah_find_type(ibdev, qp->port);
		rdma_ah_set_port_num(&attr.ah_attr, qp->port);
		rdma_ah_set_grh(&attr.ah_attr, &gid, 0, 0, 64, 0);
		rdma_ah_set_dlid(&attr.ah_attr, port.lid);
		mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
			IB_QP_RQ_PSN;
	}
	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	return ib_modify_qp(qp, &attr, mask);
}

static int qp_to_rts(struct ib_qp *qp, enum ib_qp_state from)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.sq_psn = ULP_PSN,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	int mask = IB_QP_STATE;

	if (from == IB_QPS_RTR)
		mask |= IB_QP_SQ_PSN;
	if (from == IB_QPS_RTR && qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(qp, &attr, mask);
}

static int qp_to(struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = {
		.qp_state = state,
		.en_sqd_async_notify = 1,
	};
	int mask = IB_QP_STATE;

	if (state == IB_QPS_SQD)
		mask |= IB_QP_EN_SQD_ASYNC_NOTIFY;
	return ib_modify_qp(qp, &attr, mask);
}

/* One step towards @state. */
static int qp_advance(struct ib_qp *qp, enum ib_qp_state from,
		      enum ib_qp_state state, u32 port)
{
	if (state == IB_QPS_ERR || state == IB_QPS_RESET)
		return qp_to(qp, state);
	/* The way there and back is through SQD, SQE, or RESET. */
	if ((from == IB_QPS_SQD || from == IB_QPS_SQE) && state == IB_QPS_RTS)
		return qp_to_rts(qp, from);
	if (from > state)
		return qp_to(qp, IB_QPS_RESET);
	switch (from) {
	case IB_QPS_RESET:
		return qp_to_init(qp, port);
	case IB_QPS_INIT:
		return qp_to_rtr(qp);
	case IB_QPS_RTR:
		return qp_to_rts(qp, from);
	default:
		return qp_to(qp, state);
	}
}

static int qp_bring(struct ib_qp *qp, enum ib_qp_state state, u32 port)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int ret;

	for (;;) {
		ret = ib_query_qp(qp, &attr, IB_QP_STATE, &init);
		if (ret || attr.qp_state == state)
			return ret;
		ret = qp_advance(qp, attr.qp_state, state, port);
		if (ret)
			return ret;
	}
}

/* One that cannot be destroyed stays, and counts. */
static int ulp_destroy_last(struct hca_ulp *ulp)
{
	int ret = ib_destroy_qp(xa_load(&ulp->qps, ulp->count - 1));

	if (!ret)
		xa_erase(&ulp->qps, --ulp->count);
	return ret;
}

static int ulp_create_one(struct hca_ulp *ulp, enum ib_qp_type type,
			  enum ib_qp_state state, u32 port)
{
	struct ib_qp_init_attr init = {
		.event_handler = ulp_event,
		.qp_context = ulp,
		.send_cq = ulp->cq,
		.recv_cq = ulp->cq,
		.cap = { .max_send_wr = ULP_DEPTH, .max_send_sge = 1 },
		.qp_type = type,
	};
	struct ib_qp *qp;
	int ret;

	qp = ib_create_qp(ulp->pd, &init);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	ret = xa_err(xa_store(&ulp->qps, ulp->count, qp, GFP_KERNEL));
	if (ret) {
		ib_destroy_qp(qp);
		return ret;
	}
	ulp->count++;
	ret = qp_bring(qp, state, port);
	if (ret)
		ulp_destroy_last(ulp);
	return ret;
}

static int ulp_pause(struct hca_ulp *ulp)
{
	cond_resched();
	if (READ_ONCE(hca_of_ulp(ulp)->leaving))
		return -ENODEV;
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int ulp_create(struct hca_ulp *ulp, u32 count, enum ib_qp_type type,
		      enum ib_qp_state state, u32 port)
{
	int ret = ulp_prepare(ulp);

	while (!ret && count--) {
		ret = ulp_create_one(ulp, type, state, port);
		if (!ret)
			ret = ulp_pause(ulp);
	}
	return ret;
}

static int ulp_modify(struct hca_ulp *ulp, enum ib_qp_state state)
{
	unsigned long i;
	struct ib_qp *qp;
	int ret = 0;

	lockdep_assert_held(&ulp->lock);

	xa_for_each(&ulp->qps, i, qp) {
		ret = qp_bring(qp, state, qp->port ?: 1);
		if (!ret)
			ret = ulp_pause(ulp);
		if (ret)
			break;
	}
	return ret;
}

static int ulp_destroy(struct hca_ulp *ulp)
{
	int ret;

	lockdep_assert_held(&ulp->lock);

	while (ulp->count) {
		ret = ulp_destroy_last(ulp);
		if (ret)
			return ret;
		cond_resched();
	}
	return 0;
}

static int type_find(const char *name)
{
	if (!strcmp(name, "rc"))
		return IB_QPT_RC;
	if (!strcmp(name, "uc"))
		return IB_QPT_UC;
	if (!strcmp(name, "ud"))
		return IB_QPT_UD;
	return -EINVAL;
}

static int ulp_command(struct hca_ulp *ulp, const char *text)
{
	char verb[8], type_name[4], state_name[8], end;
	u32 count, port = 1;
	int words, type, state;

	words = sscanf(text, "%7s %u %3s %7s %u %c", verb, &count, type_name,
		       state_name, &port, &end);
	if ((words == 4 || words == 5) && !strcmp(verb, "create")) {
		type = type_find(type_name);
		state = hca_qp_state(state_name);
		if (type < 0 || state < 0 || state == IB_QPS_SQE || !count ||
		    !rdma_is_port_valid(&hca_of_ulp(ulp)->ibdev, port))
			return -EINVAL;
		return ulp_create(ulp, count, type, state, port);
	}
	words = sscanf(text, "%7s %7s %c", verb, state_name, &end);
	if (words == 1 && !strcmp(verb, "destroy"))
		return ulp_destroy(ulp);
	if (words == 2 && !strcmp(verb, "modify")) {
		state = hca_qp_state(state_name);
		if (state >= 0 && state != IB_QPS_SQE)
			return ulp_modify(ulp, state);
	}
	return -EINVAL;
}

static ssize_t kernel_qps_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(hca_of_dev(dev)->ulp.count));
}

static ssize_t kernel_qps_store(struct device *dev,
				struct device_attribute *attr, const char *buf,
				size_t count)
{
	struct hca_ulp *ulp = &hca_of_dev(dev)->ulp;
	int ret = -ENODEV;

	mutex_lock(&ulp->lock);
	if (ulp->present)
		ret = ulp_command(ulp, buf);
	mutex_unlock(&ulp->lock);
	return ret ?: count;
}

DEVICE_ATTR_RW(kernel_qps);

static ssize_t kernel_events_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	s64 events = atomic64_read(&hca_of_dev(dev)->ulp.events);

	return sysfs_emit(buf, "%lld\n", events);
}

static ssize_t kernel_events_store(struct device *dev,
				   struct device_attribute *attr,
				   const char *buf, size_t count)
{
	s64 events;

	if (kstrtos64(buf, 0, &events) || events < 0)
		return -EINVAL;
	atomic64_set(&hca_of_dev(dev)->ulp.events, events);
	return count;
}

DEVICE_ATTR_RW(kernel_events);

static int ulp_add(struct ib_device *ibdev)
{
	struct hca_ulp *ulp;

	if (!hca_is_ours(ibdev))
		return -EOPNOTSUPP;
	ulp = &to_hca(ibdev)->ulp;
	mutex_lock(&ulp->lock);
	ulp->present = true;
	mutex_unlock(&ulp->lock);
	return 0;
}

static void ulp_remove(struct ib_device *ibdev, void *data)
{
	struct hca_ulp *ulp = &to_hca(ibdev)->ulp;

	mutex_lock(&ulp->lock);
	ulp->present = false;
	ulp_destroy(ulp);
	if (ulp->pd) {
		ib_free_cq(ulp->cq);
		ib_dealloc_pd(ulp->pd);
	}
	mutex_unlock(&ulp->lock);
}

static struct ib_client ulp_client = {
	.name = KBUILD_MODNAME,
	.add = ulp_add,
	.remove = ulp_remove,
};

void hca_ulp_setup(struct hca_ulp *ulp)
{
	mutex_init(&ulp->lock);
	xa_init(&ulp->qps);
}

int hca_ulp_init(void)
{
	return ib_register_client(&ulp_client);
}

void hca_ulp_exit(void)
{
	ib_unregister_client(&ulp_client);
}

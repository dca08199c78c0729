// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - probes on ib_core
 *
 * All QPs, of users and of the kernel, pass through four functions:
 *
 *	rdma_restrack_add()	the QP is complete and has its number
 *	_ib_modify_qp()		its attributes are checked and resolved
 *	ib_destroy_qp_user()
 *	__ib_qp_event_handler()	an asynchronous event, since Linux 6.11
 *
 * Before 6.11 the driver calls the handler of the QP's owner itself. There are
 * few such functions (uverbs has one for all user QPs), so each gets a probe
 * when the first QP with it turns up.
 *
 * A probe runs in the context of its function, with preemption off: it copies
 * what it sees into a record and is done. FPROBE would do too, but Debian 6.1
 * does not have it.
 */
#include "hook.h"

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <rdma/restrack.h>

#include "event.h"
#include "qp.h"
#include "rebind.h"

/* Calls that may be under way at once; destroy and modify sleep in the driver. */
#define HOOK_CALLS 512

/* How often missed probes are counted. */
#define HOOK_AUDIT_MS 1000

/* Distinct event handlers that are watched before 6.11. */
#define HOOK_HANDLERS 64

struct create_call {
	struct rdma_restrack_entry *res;
};

static int create_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct create_call *call = (void *)ri->data;

	call->res = (void *)regs_get_kernel_argument(regs, 0);
	return call->res->type != RDMA_RESTRACK_QP;
}

NOKPROBE_SYMBOL(create_entry);

static int create_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct rdma_restrack_entry *res = ((struct create_call *)ri->data)->res;
	struct ib_qp *ibqp = container_of(res, struct ib_qp, res);
	struct sf_record rec = {
		.kind = SF_RECORD_CREATE,
		.dev = ibqp->device,
		.id = sf_qp_id_of(ibqp),
		.create.qpn = ibqp->qp_num,
		.create.type = sf_qp_type(ibqp->qp_type),
		.create.port = ibqp->port,
		.create.event_handler = ibqp->event_handler,
		/* It may also have lost its number to a QP not yet gone. */
		.create.tracked = res->valid && !res->no_track,
	};

	if (rdma_is_kernel_res(res)) {
		strscpy(rec.create.comm, res->kern_name ?: "",
			sizeof(rec.create.comm));
	} else {
		strscpy(rec.create.comm, current->comm,
			sizeof(rec.create.comm));
		rec.create.pid = get_pid(task_tgid(current));
	}
	sf_event_record(&rec);
	return 0;
}

NOKPROBE_SYMBOL(create_return);

struct modify_call {
	struct ib_qp *ibqp;
	struct ib_qp_attr *attr;
	u32 mask;
};

static int modify_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct modify_call *call = (void *)ri->data;

	call->ibqp = (void *)regs_get_kernel_argument(regs, 0);
	call->ibqp = call->ibqp->real_qp;
	call->attr = (void *)regs_get_kernel_argument(regs, 1);
	call->mask = regs_get_kernel_argument(regs, 2);
	/* Our own moves are told by rebind.c. */
	return sf_rebind_is_mine(call->ibqp);
}

NOKPROBE_SYMBOL(modify_entry);

/* The attributes are the caller's, who has not gone on yet. */
static int modify_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct modify_call *call = (void *)ri->data;
	const struct ib_qp_attr *attr = call->attr;
	const struct rdma_ah_attr *ah = &attr->ah_attr;
	struct sf_record rec = {
		.kind = SF_RECORD_MODIFY,
		.dev = call->ibqp->device,
		.id = sf_qp_id_of(call->ibqp),
		.modify.mask = call->mask,
		.modify.state = attr->qp_state,
		.modify.port = attr->port_num,
		.modify.path_mtu = attr->path_mtu,
		.modify.rqpn = attr->dest_qp_num,
	};

	if ((int)regs_return_value(regs))
		return 0;

	if (call->mask & IB_QP_AV) {
		rec.modify.grh = rdma_ah_get_ah_flags(ah) & IB_AH_GRH;
		rec.modify.dgid = ah->grh.dgid;
		rec.modify.flow_label = ah->grh.flow_label;
		rec.modify.sgid_index = ah->grh.sgid_index;
		if (ah->type == RDMA_AH_ATTR_TYPE_ROCE)
			memcpy(rec.modify.dmac, ah->roce.dmac, ETH_ALEN);
		else
			rec.modify.dlid = rdma_ah_get_dlid(ah);
	}
	sf_event_record(&rec);
	return 0;
}

NOKPROBE_SYMBOL(modify_return);

struct destroy_call {
	const struct ib_device *dev;
	u32 id;
	bool tracked;
	u64 began;
};

static int destroy_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ib_qp *ibqp = (void *)regs_get_kernel_argument(regs, 0);
	struct destroy_call *call = (void *)ri->data;

	/* A handle of a shared QP; the QP itself comes here when it goes. */
	if (ibqp->real_qp != ibqp)
		return 1;
	call->dev = ibqp->device;
	call->id = sf_qp_id_of(ibqp);
	call->tracked = ibqp->res.valid && !ibqp->res.no_track;
	call->began = sf_event_order();
	return 0;
}

NOKPROBE_SYMBOL(destroy_entry);

static int destroy_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct destroy_call *call = (void *)ri->data;
	struct sf_record rec = {
		.kind = SF_RECORD_DESTROY,
		.dev = call->dev,
		.id = call->id,
		.destroy.began = call->began,
		.destroy.tracked = call->tracked,
	};

	if (!(int)regs_return_value(regs))
		sf_event_record(&rec);
	return 0;
}

NOKPROBE_SYMBOL(destroy_return);

static int event_of_ib(enum ib_event_type type)
{
	switch (type) {
	case IB_EVENT_QP_FATAL:
		return SCALEFABRIC_QP_EVENT_FATAL;
	case IB_EVENT_QP_REQ_ERR:
		return SCALEFABRIC_QP_EVENT_REQ_ERR;
	case IB_EVENT_QP_ACCESS_ERR:
		return SCALEFABRIC_QP_EVENT_ACCESS_ERR;
	case IB_EVENT_COMM_EST:
		return SCALEFABRIC_QP_EVENT_COMM_EST;
	case IB_EVENT_SQ_DRAINED:
		return SCALEFABRIC_QP_EVENT_SQ_DRAINED;
	case IB_EVENT_PATH_MIG:
		return SCALEFABRIC_QP_EVENT_PATH_MIG;
	case IB_EVENT_PATH_MIG_ERR:
		return SCALEFABRIC_QP_EVENT_PATH_MIG_ERR;
	case IB_EVENT_QP_LAST_WQE_REACHED:
		return SCALEFABRIC_QP_EVENT_LAST_WQE_REACHED;
	default:
		return -1;
	}
}

static int event_entry(struct kprobe *kp, struct pt_regs *regs)
{
	struct ib_event *event = (void *)regs_get_kernel_argument(regs, 0);
	int kind = event_of_ib(event->event);
	struct sf_record rec = { .kind = SF_RECORD_EVENT };
	struct ib_qp *ibqp;

	if (kind < 0)
		return 0;
	ibqp = event->element.qp;
	/* A shared QP's handles hear what the QP itself already told. */
	if (ibqp->real_qp != ibqp)
		return 0;
	rec.dev = ibqp->device;
	rec.id = sf_qp_id_of(ibqp);
	rec.event = kind;
	sf_event_record(&rec);
	return 0;
}

NOKPROBE_SYMBOL(event_entry);

#define HOOK_RETURN(sym, what)                                        \
	{                                                             \
		.kp.symbol_name = sym, .entry_handler = what##_entry, \
		.handler = what##_return,                             \
		.data_size = sizeof(struct what##_call),              \
		.maxactive = HOOK_CALLS,                              \
	}

static struct kretprobe hook_create =
	HOOK_RETURN("ib_core:rdma_restrack_add", create);
static struct kretprobe hook_destroy =
	HOOK_RETURN("ib_core:ib_destroy_qp_user", destroy);
/* The compiler may have inlined the first; then its two callers do. */
static struct kretprobe hook_modify[] = {
	HOOK_RETURN("ib_core:_ib_modify_qp", modify),
	HOOK_RETURN("ib_core:ib_modify_qp", modify),
	HOOK_RETURN("ib_core:ib_modify_qp_with_udata", modify),
};

static struct kprobe hook_event = {
	.symbol_name = "ib_core:__ib_qp_event_handler",
	.pre_handler = event_entry,
};

static struct kprobe hook_shared_event = {
	.symbol_name = "ib_core:__ib_shared_qp_event_handler",
	.pre_handler = event_entry,
};

static bool is_on(const struct kprobe *kp)
{
	return kp->addr;
}

/* As a module's symbol, or the kernel's own where ib_core is built in. */
static int hook_ret_on(struct kretprobe *rp)
{
	int ret = register_kretprobe(rp);

	if (ret == -ENOENT) {
		rp->kp.symbol_name = strchr(rp->kp.symbol_name, ':') + 1;
		ret = register_kretprobe(rp);
	}
	if (ret)
		rp->kp.addr = NULL;
	return ret;
}

static int hook_on(struct kprobe *kp)
{
	int ret = register_kprobe(kp);

	if (ret == -ENOENT) {
		kp->symbol_name = strchr(kp->symbol_name, ':') + 1;
		ret = register_kprobe(kp);
	}
	if (ret)
		kp->addr = NULL;
	return ret;
}

static void hook_ret_off(struct kretprobe *rp)
{
	if (is_on(&rp->kp))
		unregister_kretprobe(rp);
}

static void hook_off(struct kprobe *kp)
{
	if (is_on(kp))
		unregister_kprobe(kp);
}

/**
 * struct hook_handler - an event handler that is watched (before 6.11)
 * @list: in hook_handlers
 * @fn: the handler
 * @kp: the probe on it
 */
struct hook_handler {
	struct list_head list;
	void *fn;
	struct kprobe kp;
};

static LIST_HEAD(hook_handlers);
static unsigned int hook_handler_count;
/* Protects the list. Taken by the event worker; nests inside the table lock. */
static DEFINE_MUTEX(hook_handler_lock);

static void handler_unwatch(struct hook_handler *handler)
{
	lockdep_assert_held(&hook_handler_lock);

	unregister_kprobe(&handler->kp);
	list_del(&handler->list);
	hook_handler_count--;
	kfree(handler);
}

static void handler_watch(void *fn)
{
	struct hook_handler *handler, *next;

	lockdep_assert_held(&hook_handler_lock);

	list_for_each_entry_safe(handler, next, &hook_handlers, list) {
		if (handler->fn != fn)
			continue;
		if (!kprobe_gone(&handler->kp))
			return;
		/* Its module left; another one's handler took the place. */
		handler_unwatch(handler);
	}
	if (hook_handler_count == HOOK_HANDLERS) {
		pr_warn_once("more than %d event handlers, %ps is not watched\n",
			     HOOK_HANDLERS, fn);
		return;
	}

	handler = kzalloc(sizeof(*handler), GFP_KERNEL);
	if (!handler)
		return;
	handler->fn = fn;
	handler->kp.addr = fn;
	handler->kp.pre_handler = event_entry;
	if (register_kprobe(&handler->kp)) {
		pr_warn_once("events through %ps are not seen\n", fn);
		kfree(handler);
		return;
	}
	list_add(&handler->list, &hook_handlers);
	hook_handler_count++;
}

/* The probe may sit behind the function's landing pad (ENDBR). */
static bool is_probe_of(const struct kprobe *kp, void *fn)
{
	return is_on(kp) && (void *)kp->addr >= fn &&
	       (void *)kp->addr <= fn + 4;
}

static int hook_notice(struct notifier_block *nb, unsigned long kind,
		       void *data)
{
	const struct sf_notice *notice = data;

	if (kind != SF_NOTICE_QP_CHANGE || !notice->event_handler ||
	    is_on(&hook_event) ||
	    is_probe_of(&hook_shared_event, notice->event_handler))
		return NOTIFY_DONE;
	mutex_lock(&hook_handler_lock);
	handler_watch(notice->event_handler);
	mutex_unlock(&hook_handler_lock);
	return NOTIFY_DONE;
}

static struct notifier_block hook_nb = {
	.notifier_call = hook_notice,
};

static u64 hook_missed(void)
{
	struct hook_handler *handler;
	unsigned long missed = 0;
	size_t i;

	missed += hook_create.nmissed + hook_create.kp.nmissed;
	missed += hook_destroy.nmissed + hook_destroy.kp.nmissed;
	for (i = 0; i < ARRAY_SIZE(hook_modify); i++)
		missed += hook_modify[i].nmissed + hook_modify[i].kp.nmissed;
	missed += hook_event.nmissed + hook_shared_event.nmissed;

	mutex_lock(&hook_handler_lock);
	list_for_each_entry(handler, &hook_handlers, list)
		missed += handler->kp.nmissed;
	mutex_unlock(&hook_handler_lock);
	return missed;
}

/* A probe inside a probe, or with too many calls under way, is skipped. */
static void hook_audit_fn(struct work_struct *work)
{
	static u64 seen;
	u64 missed = hook_missed();

	if (missed > seen)
		sf_event_lose(missed - seen);
	seen = missed;
	queue_delayed_work(system_wq, to_delayed_work(work),
			   msecs_to_jiffies(HOOK_AUDIT_MS));
}

static DECLARE_DELAYED_WORK(hook_audit, hook_audit_fn);

static int hook_modify_on(void)
{
	int ret;

	ret = hook_ret_on(&hook_modify[0]);
	if (ret != -ENOENT)
		return ret;
	ret = hook_ret_on(&hook_modify[1]);
	if (ret)
		return ret;
	return hook_ret_on(&hook_modify[2]);
}

static void hook_all_off(void)
{
	struct hook_handler *handler, *next;
	size_t i;

	hook_off(&hook_event);
	hook_off(&hook_shared_event);
	hook_ret_off(&hook_create);
	for (i = 0; i < ARRAY_SIZE(hook_modify); i++)
		hook_ret_off(&hook_modify[i]);
	hook_ret_off(&hook_destroy);

	mutex_lock(&hook_handler_lock);
	list_for_each_entry_safe(handler, next, &hook_handlers, list)
		handler_unwatch(handler);
	mutex_unlock(&hook_handler_lock);
}

int sf_hook_init(void)
{
	int ret;

	/* Destroy first: what is seen to come is then seen to go. */
	ret = hook_ret_on(&hook_destroy);
	if (!ret)
		ret = hook_modify_on();
	if (!ret)
		ret = hook_ret_on(&hook_create);
	if (ret)
		goto err;

	/* Absent before 6.11, where the owners' handlers are watched. */
	ret = hook_on(&hook_event);
	if (ret && ret != -ENOENT)
		goto err;
	ret = hook_on(&hook_shared_event);
	if (ret && ret != -ENOENT)
		goto err;
	ret = sf_event_listen(&hook_nb);
	if (ret)
		goto err;

	queue_delayed_work(system_wq, &hook_audit,
			   msecs_to_jiffies(HOOK_AUDIT_MS));
	return 0;

err:
	pr_err("cannot watch ib_core: %d\n", ret);
	hook_all_off();
	return ret;
}

void sf_hook_exit(void)
{
	cancel_delayed_work_sync(&hook_audit);
	sf_event_unlisten(&hook_nb);
	hook_all_off();
}

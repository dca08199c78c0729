// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - probes on ib_core
 *
 * All QPs, of users and of the kernel, pass through three functions:
 *
 *	rdma_restrack_add()	the QP is complete and has its number
 *	_ib_modify_qp()		its attributes are checked and resolved
 *	ib_destroy_qp_user()
 *
 * Their results matter, so they get kretprobes. They run in process context,
 * where one kretprobe does not come upon another.
 *
 * Events come through the function that the driver calls for a QP. Since Linux
 * 6.11 that is one of ib_core's for all QPs, before it was the owner's own: one
 * of uverbs for all user QPs, a few more for the kernel's. So each function is
 * watched when the first QP with it turns up. That is done by ftrace and not by
 * a kprobe: an event may come in a softirq which interrupts a kretprobe, and
 * the kernel skips a kprobe within another.
 *
 * A probe copies what it sees into a record and is done. FPROBE would do too,
 * but Debian 6.1 does not have it.
 */
#include "hook.h"

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/workqueue.h>
#include <rdma/restrack.h>

#include "event.h"
#include "qp.h"
#include "rebind.h"

/* Calls that may be under way at once; destroy and modify sleep in the driver. */
#define HOOK_CALLS 512

/* How often missed probes are counted. */
#define HOOK_AUDIT_MS 1000

/* Distinct event handlers of QPs. */
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

static void event_entry(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct ib_event *event = (void *)ftrace_regs_get_argument(fregs, 0);
	int kind = event_of_ib(event->event);
	struct sf_record rec = { .kind = SF_RECORD_EVENT };
	struct ib_qp *ibqp;

	if (kind < 0)
		return;
	ibqp = event->element.qp;
	/* A shared QP's handles hear what the QP itself already told. */
	if (ibqp->real_qp != ibqp)
		return;
	rec.dev = ibqp->device;
	rec.id = sf_qp_id_of(ibqp);
	rec.event = kind;
	sf_event_record(&rec);
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

static void hook_ret_off(struct kretprobe *rp)
{
	if (is_on(&rp->kp))
		unregister_kretprobe(rp);
}

static struct ftrace_ops hook_events = {
	.func = event_entry,
	/* ftrace keeps us from recursion, in each context by itself. */
	.flags = FTRACE_OPS_FL_RECURSION,
};

static bool hook_events_on;
static void *hook_handlers[HOOK_HANDLERS];
static unsigned int hook_handler_count;
/* Protects the above. Nests inside the table lock. */
static DEFINE_MUTEX(hook_handler_lock);

static bool handler_is_watched(const void *fn)
{
	unsigned int i;

	lockdep_assert_held(&hook_handler_lock);

	for (i = 0; i < hook_handler_count; i++)
		if (hook_handlers[i] == fn)
			return true;
	return false;
}

static void handler_watch(void *fn)
{
	int ret;

	lockdep_assert_held(&hook_handler_lock);

	if (handler_is_watched(fn))
		return;
	if (hook_handler_count == HOOK_HANDLERS) {
		pr_warn_once("events through more than %d handlers: the rest is not seen\n",
			     HOOK_HANDLERS);
		return;
	}
	/* Without a filter it would be every function: filter first. */
	ret = ftrace_set_filter_ip(&hook_events, (unsigned long)fn, 0, 0);
	if (!ret && !hook_events_on) {
		ret = register_ftrace_function(&hook_events);
		hook_events_on = !ret;
	}
	if (ret)
		pr_warn("events through %ps are not seen: %d\n", fn, ret);
	/* Also when it failed: once is enough. */
	hook_handlers[hook_handler_count++] = fn;
}

static int hook_notice(struct notifier_block *nb, unsigned long kind, void *data)
{
	const struct sf_notice *notice = data;

	if (kind != SF_NOTICE_QP_CHANGE || !notice->event_handler)
		return NOTIFY_DONE;
	mutex_lock(&hook_handler_lock);
	handler_watch(notice->event_handler);
	mutex_unlock(&hook_handler_lock);
	return NOTIFY_DONE;
}

static struct notifier_block hook_nb = {
	.notifier_call = hook_notice,
};

/*
 * Forget the handlers of a module that goes: ftrace would keep the addresses in
 * our filter, and another module may get its place. An empty filter would mean
 * every function.
 */
static void handlers_forget(const struct module *mod)
{
	unsigned int i, kept = 0;

	lockdep_assert_held(&hook_handler_lock);

	for (i = 0; i < hook_handler_count; i++)
		kept += !within_module((unsigned long)hook_handlers[i], mod);
	if (kept == hook_handler_count)
		return;
	if (!kept && hook_events_on) {
		unregister_ftrace_function(&hook_events);
		hook_events_on = false;
	}
	for (i = hook_handler_count; i-- > 0;) {
		unsigned long addr = (unsigned long)hook_handlers[i];

		if (!within_module(addr, mod))
			continue;
		ftrace_set_filter_ip(&hook_events, addr, 1, 0);
		hook_handlers[i] = hook_handlers[--hook_handler_count];
	}
}

static int hook_module(struct notifier_block *nb, unsigned long state, void *data)
{
	if (state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&hook_handler_lock);
	handlers_forget(data);
	mutex_unlock(&hook_handler_lock);
	return NOTIFY_DONE;
}

static struct notifier_block hook_module_nb = {
	.notifier_call = hook_module,
};

/* Where a function of another module begins, or NULL. */
static void *hook_address(const char *symbol)
{
	/* Never armed, so taking it away asks for no memory either. */
	struct kprobe kp = {
		.symbol_name = symbol,
		.flags = KPROBE_FLAG_DISABLED,
	};
	void *addr;

	if (register_kprobe(&kp))
		return NULL;
	addr = kp.addr;
	unregister_kprobe(&kp);
	return addr;
}

static void hook_watch_symbol(const char *symbol, const char *or_symbol)
{
	void *fn = hook_address(symbol);

	if (!fn && or_symbol)
		fn = hook_address(or_symbol);
	if (!fn)
		return;
	mutex_lock(&hook_handler_lock);
	handler_watch(fn);
	mutex_unlock(&hook_handler_lock);
}

static void hook_watch_early(void)
{
	/* XRC target QPs get it after rdma_restrack_add(). */
	hook_watch_symbol("ib_core:__ib_shared_qp_event_handler", NULL);
	/* The first user QP's, so that not even its first event is missed. */
	hook_watch_symbol("ib_core:__ib_qp_event_handler",
			  "ib_uverbs:ib_uverbs_qp_event_handler");
}

static u64 hook_missed(void)
{
	unsigned long missed = 0;
	size_t i;

	missed += hook_create.nmissed + hook_create.kp.nmissed;
	missed += hook_destroy.nmissed + hook_destroy.kp.nmissed;
	for (i = 0; i < ARRAY_SIZE(hook_modify); i++)
		missed += hook_modify[i].nmissed + hook_modify[i].kp.nmissed;
	return missed;
}

/* With too many calls under way a probe is skipped. */
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

static void hook_probes_off(void)
{
	size_t i;

	hook_ret_off(&hook_create);
	for (i = 0; i < ARRAY_SIZE(hook_modify); i++)
		hook_ret_off(&hook_modify[i]);
	hook_ret_off(&hook_destroy);
}

static void hook_events_off(void)
{
	if (hook_events_on)
		unregister_ftrace_function(&hook_events);
	ftrace_free_filter(&hook_events);
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
		goto err_probes;
	ret = register_module_notifier(&hook_module_nb);
	if (ret)
		goto err_probes;
	hook_watch_early();
	ret = sf_event_listen(&hook_nb);
	if (ret)
		goto err_module;

	queue_delayed_work(system_wq, &hook_audit,
			   msecs_to_jiffies(HOOK_AUDIT_MS));
	return 0;

err_module:
	hook_events_off();
	unregister_module_notifier(&hook_module_nb);
err_probes:
	hook_probes_off();
	pr_err("cannot watch ib_core: %d\n", ret);
	return ret;
}

void sf_hook_exit(void)
{
	cancel_delayed_work_sync(&hook_audit);
	sf_event_unlisten(&hook_nb);
	unregister_module_notifier(&hook_module_nb);
	hook_events_off();
	hook_probes_off();
}

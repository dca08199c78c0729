// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - keep the QP table true
 *
 * Records tell of what happens while the module is loaded. What they cannot
 * tell is found by asking: QPs older than the module, changes whose record was
 * lost, and what a driver does by itself (it moves a QP to the error state
 * without a modify call).
 *
 * A driver may take long to answer, so it is asked without the table's lock, and
 * its answer is dropped when something younger than the question is in the table
 * by then. What is younger and not yet there has a record on its way, which
 * overwrites it. So a stale answer never stays.
 */
#include "track.h"

#include <kunit/static_stub.h>
#include <linux/etherdevice.h>
#include <linux/pid.h>
#include <linux/ratelimit.h>
#include <linux/sched/task.h>
#include <rdma/ib_cache.h>
#include <rdma/restrack.h>

#include "device.h"
#include "event.h"
#include "lane.h"
#include "qp.h"
#include "trace.h"

/* QP numbers have 24 bits. */
#define QPN_END BIT(24)

/* How often a scan looks whether it has found all. */
#define SCAN_CHECK BIT(20)

#define QUERY_MASK \
	(IB_QP_STATE | IB_QP_PORT | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN)

static bool is_connected(u8 type)
{
	switch (type) {
	case SCALEFABRIC_QP_TYPE_RC:
	case SCALEFABRIC_QP_TYPE_UC:
	case SCALEFABRIC_QP_TYPE_XRC_INI:
	case SCALEFABRIC_QP_TYPE_XRC_TGT:
		return true;
	default:
		return false;
	}
}

static void info_init(struct sf_qp_info *info, u32 qpn, u8 type, u8 port)
{
	*info = (struct sf_qp_info){
		.qpn = qpn,
		.type = type,
		.port = port,
		.lane = SF_LANE_NONE,
		.state = SCALEFABRIC_QP_STATE_RESET,
		.event = SF_QP_NEVER,
		.result = SF_QP_NEVER,
	};
}

/* A QP in RESET has neither a peer nor a path. */
static void info_set_state(struct sf_qp_info *info, u8 state)
{
	info->state = state;
	if (state == SCALEFABRIC_QP_STATE_RESET) {
		info->av = false;
		info->connected = false;
		eth_zero_addr(info->dmac);
	}
}

static bool same_gid(const union ib_gid *a, const union ib_gid *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static void info_set_av(struct sf_device *sdev, struct sf_qp_info *info,
			const struct rdma_ah_attr *ah)
{
	info->grh = rdma_ah_get_ah_flags(ah) & IB_AH_GRH;
	if (info->grh) {
		if (!same_gid(&info->dgid, &ah->grh.dgid))
			eth_zero_addr(info->dmac);
		info->dgid = ah->grh.dgid;
		info->flow_label = ah->grh.flow_label;
		info->sgid_index = ah->grh.sgid_index;
		if (rdma_query_gid(sdev->ibdev, info->port, info->sgid_index,
				   &info->sgid))
			memset(&info->sgid, 0, sizeof(info->sgid));
	}
	info->dlid = rdma_ah_get_dlid(ah);
	info->av = true;
}

/*
 * No driver says to which MAC address a path leads. Where the peer is on the same
 * device it is the device's own, and rxe knows by it that it has not to send.
 */
static void info_set_own_dmac(struct sf_device *sdev, struct sf_qp_info *info)
{
	const struct ib_gid_attr *src, *dst;
	struct net_device *ndev;

	src = rdma_get_gid_attr(sdev->ibdev, info->port, info->sgid_index);
	if (IS_ERR(src))
		return;
	dst = rdma_find_gid(sdev->ibdev, &info->dgid, src->gid_type, NULL);
	if (!IS_ERR(dst)) {
		rcu_read_lock();
		ndev = rdma_read_gid_attr_ndev_rcu(dst);
		if (!IS_ERR(ndev))
			ether_addr_copy(info->dmac, ndev->dev_addr);
		rcu_read_unlock();
		rdma_put_gid_attr(dst);
	}
	rdma_put_gid_attr(src);
}

static bool ask_driver(struct ib_qp *ibqp, struct ib_qp_attr *attr)
{
	struct ib_qp_init_attr init = {};

	memset(attr, 0, sizeof(*attr));
	return ibqp->device->ops.query_qp &&
	       !ib_query_qp(ibqp, attr, QUERY_MASK, &init) &&
	       attr->qp_state <= IB_QPS_ERR;
}

/* Some drivers do not tell the path, and a QP in ERR may never have had one. */
static bool has_path(const struct rdma_ah_attr *ah)
{
	if (rdma_ah_get_ah_flags(ah) & IB_AH_GRH)
		return !rdma_is_zero_gid(&ah->grh.dgid);
	return rdma_ah_get_dlid(ah);
}

/* Take over a driver's answer; what it does not say stays as it was. */
static void info_take(struct sf_device *sdev, struct sf_qp_info *info,
		      const struct ib_qp_attr *attr)
{
	struct rdma_ah_attr ah = attr->ah_attr;

	info_set_state(info, attr->qp_state);
	if (attr->port_num)
		info->port = attr->port_num;
	if (!is_connected(info->type) || attr->qp_state < IB_QPS_RTR)
		return;
	if (attr->path_mtu)
		info->path_mtu = attr->path_mtu;
	if (attr->dest_qp_num) {
		info->rqpn = attr->dest_qp_num;
		info->connected = true;
	}
	if (!rdma_is_port_valid(sdev->ibdev, info->port) || !has_path(&ah))
		return;
	/* A modify names ib_core's index, mlx4 answers with its hardware's. */
	if (info->av && info->grh && same_gid(&info->dgid, &ah.grh.dgid))
		ah.grh.sgid_index = info->sgid_index;
	info_set_av(sdev, info, &ah);
	if (info->grh && is_zero_ether_addr(info->dmac))
		info_set_own_dmac(sdev, info);
}

/* The QP as ib_core tracks it; the reference holds up its destruction. */
static struct ib_qp *track_get(struct sf_device *sdev, u32 id)
{
	struct rdma_restrack_entry *res;

	res = rdma_restrack_get_byid(sdev->ibdev, RDMA_RESTRACK_QP, id);
	return IS_ERR(res) ? NULL : container_of(res, struct ib_qp, res);
}

static void track_put(struct ib_qp *ibqp)
{
	rdma_restrack_put(&ibqp->res);
}

void sf_track_refresh(struct sf_qp *qp)
{
	struct sf_qp_info info;
	struct ib_qp_attr attr;
	struct ib_qp *ibqp;
	bool answered;
	u64 asked;

	ibqp = track_get(qp->sdev, qp->id);
	if (!ibqp)
		return;
	asked = sf_event_order();
	answered = ask_driver(ibqp, &attr);
	if (ibqp->port)
		attr.port_num = ibqp->port;
	track_put(ibqp);
	if (!answered)
		return;

	sf_qp_lock();
	if (qp->changed < asked) {
		sf_qp_read(qp, &info);
		info_take(qp->sdev, &info, &attr);
		sf_qp_write_locked(qp, &info);
		/* Of two that ask at once the later one has the word. */
		qp->changed = asked;
	}
	sf_qp_unlock();
}

static void tell_change(struct sf_qp *qp, u8 change, void *event_handler)
{
	struct sf_notice notice = {
		.sdev = qp->sdev,
		.qp = &qp->info,
		.pid = qp->pid,
		.change = change,
		.event_handler = event_handler,
	};

	sf_event_notify(SF_NOTICE_QP_CHANGE, &notice);
}

/* It goes from the table, for whatever reason, and those who follow it hear of it. */
static void forget_locked(struct sf_qp *qp)
{
	if (qp->removed)
		return;
	trace_sf_qp_destroy(qp->sdev, &qp->info, pid_nr(qp->pid));
	tell_change(qp, SCALEFABRIC_QP_CHANGE_DESTROYED, NULL);
	sf_qp_remove_locked(qp);
}

/* Find out who owns @ibqp; the reference to the process is the caller's. */
static struct pid *owner_of(struct ib_qp *ibqp, struct sf_qp_info *info)
{
	if (rdma_is_kernel_res(&ibqp->res)) {
		info->kernel = true;
		strscpy(info->comm, ibqp->res.kern_name ?: "",
			sizeof(info->comm));
		return NULL;
	}
	get_task_comm(info->comm, ibqp->res.task);
	return get_task_pid(ibqp->res.task, PIDTYPE_TGID);
}

static bool same_owner(struct sf_qp *qp, const struct ib_qp *ibqp)
{
	struct sf_qp_info info;
	struct pid *pid;

	sf_qp_read(qp, &info);
	if (rdma_is_kernel_res(&ibqp->res))
		return info.kernel;
	/* The process may have ended, and left its QPs to its children. */
	pid = task_tgid(ibqp->res.task);
	return !info.kernel && (!pid || qp->pid == pid);
}

/* Put a QP into the table of which no record told. */
static void adopt(struct sf_device *sdev, u32 id, struct ib_qp *ibqp)
{
	struct sf_qp *qp = NULL;
	struct sf_qp_info info;
	struct pid *pid;

	info_init(&info, ibqp->qp_num, sf_qp_type(ibqp->qp_type), ibqp->port);
	pid = owner_of(ibqp, &info);
	sf_qp_lock();
	rcu_read_lock();
	qp = sf_qp_find(sdev->ibdev, id);
	rcu_read_unlock();
	if (qp)
		put_pid(pid);
	else if (!sf_qp_add_locked(sdev, id, pid, &info))
		sf_event_lose(1);
	sf_qp_unlock();
	if (qp)
		return;

	/* Only now, so that what its owner changes meanwhile is not missed. */
	qp = sf_qp_get(sdev->ibdev, id);
	if (!qp)
		return;
	sf_track_refresh(qp);
	sf_qp_lock();
	if (!qp->removed) {
		trace_sf_qp_create(sdev, &qp->info, pid_nr(qp->pid));
		tell_change(qp, SCALEFABRIC_QP_CHANGE_CREATED,
			    ibqp->event_handler);
	}
	sf_qp_unlock();
	sf_qp_put(qp);
}

/* Return: whether ib_core tracks a QP by this number. */
static bool scan_one(struct sf_device *sdev, u32 id)
{
	struct ib_qp *ibqp = track_get(sdev, id);
	bool known = false;
	struct sf_qp *qp;

	if (!ibqp)
		return false;

	qp = sf_qp_get(sdev->ibdev, id);
	if (qp) {
		known = same_owner(qp, ibqp);
		if (!known) {
			sf_qp_lock();
			forget_locked(qp);
			sf_qp_unlock();
		}
		sf_qp_put(qp);
	}
	if (!known)
		adopt(sdev, id, ibqp);
	track_put(ibqp);
	return true;
}

static int scan_special(struct sf_device *sdev)
{
	int found = 0;
	u32 port;

	rdma_for_each_port(sdev->ibdev, port) {
		found += scan_one(sdev, sf_qp_id(0, IB_QPT_SMI, port));
		found += scan_one(sdev, sf_qp_id(1, IB_QPT_GSI, port));
	}
	return found;
}

/* All that ib_core tracks is in the table, when the records are too. */
static bool scan_complete(struct sf_device *sdev)
{
	int tracked;

	sf_event_sync();
	tracked = sf_restrack_qps(sdev->ibdev);
	return atomic_read(&sdev->qps) >= tracked;
}

/*
 * ib_core lets QPs be looked up by number, but not walked. So numbers are
 * tried upwards until as many are found as there are; that takes well under a
 * second even when the highest has all 24 bits.
 */
static void scan_missing(struct sf_device *sdev)
{
	int found, wanted = sf_restrack_qps(sdev->ibdev);
	u32 id;

	found = scan_special(sdev);
	for (id = 0; id < QPN_END && !READ_ONCE(sdev->leaving); id++) {
		if (found >= wanted || id % SCAN_CHECK == SCAN_CHECK - 1) {
			/* Twice: QPs that come and go must not deceive us. */
			if (scan_complete(sdev) && scan_complete(sdev))
				return;
			wanted = INT_MAX;
		}
		found += scan_one(sdev, id);
		cond_resched();
	}
}

/*
 * A QP that the table has and ib_core does not is either gone, its record lost
 * or about to come, or in the middle of its destruction; all the same.
 */
static void scan_stale(struct sf_device *sdev)
{
	unsigned long serial = 0;
	struct ib_qp *ibqp;
	struct sf_qp *qp;

	for (;; serial++) {
		sf_qp_lock();
		rcu_read_lock();
		qp = sf_qp_next(&serial);
		rcu_read_unlock();
		if (qp && qp->sdev == sdev) {
			ibqp = track_get(sdev, qp->id);
			if (ibqp)
				track_put(ibqp);
			else
				forget_locked(qp);
		}
		sf_qp_unlock();
		if (!qp || READ_ONCE(sdev->leaving))
			return;
		cond_resched();
	}
}

void sf_track_scan(struct sf_device *sdev)
{
	lockdep_assert_held(&sdev->scan_lock);

	sf_event_sync();
	scan_stale(sdev);
	scan_missing(sdev);
}

static struct sf_qp *find_locked(const struct sf_record *rec)
{
	struct sf_qp *qp;

	/* Under the table lock it cannot go: the RCU section is a formality. */
	rcu_read_lock();
	qp = sf_qp_find(rec->dev, rec->id);
	rcu_read_unlock();
	return qp;
}

static void apply_create(struct sf_device *sdev, const struct sf_record *rec)
{
	struct pid *pid = rec->create.pid;
	struct sf_qp *qp = find_locked(rec);
	struct sf_qp_info info;

	if (!rec->create.tracked) {
		atomic_inc(&sdev->untracked);
		put_pid(pid);
		return;
	}

	/* The forerunner's destroy is still on its way to the ring. */
	if (qp && (qp->since || qp->pid != pid)) {
		forget_locked(qp);
		qp = NULL;
	}
	if (qp) {
		/* A scan found it before its record came. */
		sf_qp_read(qp, &info);
		info.create_time = rec->time;
		sf_qp_write_locked(qp, &info);
		qp->since = rec->seq;
		put_pid(pid);
		return;
	}

	info_init(&info, rec->create.qpn, rec->create.type, rec->create.port);
	info.create_time = rec->time;
	info.kernel = !pid;
	strscpy(info.comm, rec->create.comm, sizeof(info.comm));
	qp = sf_qp_add_locked(sdev, rec->id, pid, &info);
	if (!qp) {
		sf_event_lose(1);
		return;
	}
	qp->since = rec->seq;
	trace_sf_qp_create(sdev, &qp->info, pid_nr(qp->pid));
	tell_change(qp, SCALEFABRIC_QP_CHANGE_CREATED,
		    rec->create.event_handler);
}

static void apply_modify(struct sf_device *sdev, const struct sf_record *rec)
{
	struct sf_qp *qp = find_locked(rec);
	u32 mask = rec->modify.mask;
	struct sf_qp_info info;

	if (!qp)
		return;
	qp->changed = rec->seq;
	sf_qp_read(qp, &info);
	info.modifies++;
	if (mask & IB_QP_STATE)
		info_set_state(&info, rec->modify.state);
	if (mask & IB_QP_PORT)
		info.port = rec->modify.port;
	if (mask & IB_QP_PATH_MTU)
		info.path_mtu = rec->modify.path_mtu;
	if (mask & IB_QP_DEST_QPN) {
		info.rqpn = rec->modify.rqpn;
		info.connected = true;
	}
	if (mask & IB_QP_AV) {
		struct rdma_ah_attr ah = {
			.grh.dgid = rec->modify.dgid,
			.grh.flow_label = rec->modify.flow_label,
			.grh.sgid_index = rec->modify.sgid_index,
			.ah_flags = rec->modify.grh ? IB_AH_GRH : 0,
		};

		info_set_av(sdev, &info, &ah);
		info.dlid = rec->modify.dlid;
		ether_addr_copy(info.dmac, rec->modify.dmac);
	}
	sf_qp_write_locked(qp, &info);
	trace_sf_qp_modify(sdev, &qp->info, pid_nr(qp->pid), mask);
	tell_change(qp, SCALEFABRIC_QP_CHANGE_MODIFIED, NULL);
}

static void apply_destroy(struct sf_device *sdev, const struct sf_record *rec)
{
	struct sf_qp *qp = find_locked(rec);

	if (!rec->destroy.tracked) {
		atomic_dec_if_positive(&sdev->untracked);
		return;
	}
	/* Not if another QP took over the number while this one went. */
	if (!qp || qp->since > rec->destroy.began)
		return;
	forget_locked(qp);
}

static void log_error(struct sf_device *sdev, const struct sf_qp_info *info,
		      struct pid *pid, u8 event)
{
	static DEFINE_RATELIMIT_STATE(limit, DEFAULT_RATELIMIT_INTERVAL,
				      DEFAULT_RATELIMIT_BURST);
	char peer[64] = "no peer", owner[32] = "";

	if (!sf_event_is_error(event) || !__ratelimit(&limit))
		return;
	if (info->connected && info->grh)
		snprintf(peer, sizeof(peer), "peer %u at %pI6c", info->rqpn,
			 info->dgid.raw);
	else if (info->connected)
		snprintf(peer, sizeof(peer), "peer %u at LID %u", info->rqpn,
			 info->dlid);
	if (!info->kernel)
		snprintf(owner, sizeof(owner), "pid %d ", pid_nr(pid));
	pr_warn("%s: QP %u (%s, %s, %s%s): %s\n", sdev->name, info->qpn,
		sf_qp_type_name(info->type), peer, owner, info->comm,
		sf_event_name(event));
}

static void apply_event(struct sf_device *sdev, const struct sf_record *rec)
{
	struct sf_qp *qp = find_locked(rec);
	struct sf_notice notice = {
		.sdev = sdev,
		.event = rec->event,
		.time = rec->time,
	};
	struct sf_qp_info info;

	if (qp) {
		sf_qp_read(qp, &info);
		info.event = rec->event;
		info.event_time = rec->time;
		info.events[rec->event]++;
		sf_qp_write_locked(qp, &info);
		notice.pid = qp->pid;
	} else {
		/* Better an event of an unknown QP than none. */
		info_init(&info, rec->id & (QPN_END - 1),
			  SCALEFABRIC_QP_TYPE_OTHER, 0);
	}
	notice.qp = &info;
	trace_sf_qp_event(sdev, &info, pid_nr(notice.pid), rec->event);
	log_error(sdev, &info, notice.pid, rec->event);
	sf_event_notify(SF_NOTICE_QP_EVENT, &notice);
}

/* After an error the QP is seldom in the state it was in. */
static void refresh_after_error(const struct sf_record *rec)
{
	struct sf_qp *qp = sf_qp_get(rec->dev, rec->id);

	if (!qp)
		return;
	sf_track_refresh(qp);
	sf_qp_put(qp);
}

static void (*const apply_fns[])(struct sf_device *sdev,
				 const struct sf_record *rec) = {
	[SF_RECORD_CREATE] = apply_create,
	[SF_RECORD_MODIFY] = apply_modify,
	[SF_RECORD_DESTROY] = apply_destroy,
	[SF_RECORD_EVENT] = apply_event,
};

void sf_track_apply(const struct sf_record *rec)
{
	struct sf_device *sdev;

	KUNIT_STATIC_STUB_REDIRECT(sf_track_apply, rec);

	sdev = sf_device_find(rec->dev);
	if (!sdev) {
		/* Not announced yet (the scan will find the QP), or gone. */
		if (rec->kind == SF_RECORD_CREATE)
			put_pid(rec->create.pid);
		return;
	}
	if (rec->kind == SF_RECORD_EVENT && sf_event_is_error(rec->event))
		refresh_after_error(rec);
	sf_qp_lock();
	apply_fns[rec->kind](sdev, rec);
	sf_qp_unlock();
	sf_device_put(sdev);
}

#ifdef CONFIG_SCALEFABRIC_KUNIT_TEST
#include "tests/kunit/track_kunit.c"
#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - the table of queue pairs (QPs)
 *
 * Two indices over the same entries: a hash of (device, restrack number) to
 * find one, and an array in the order of creation, so that a dump which goes on
 * in a next message neither misses nor repeats a QP, whatever comes and goes
 * between.
 *
 * Removal has two phases. sf_qp_remove_locked() takes the QP out of both
 * indices. Who may still see it: a reader in an RCU section that found it just
 * before, and a holder of a reference (a rebind, a netlink request). The last
 * reference starts the second phase, which frees it after a grace period.
 */
#include "qp.h"

#include <linux/jhash.h>
#include <linux/pid.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "device.h"
#include "lane.h"

#if !IS_ENABLED(CONFIG_DEBUG_MUTEXES) && !IS_ENABLED(CONFIG_DEBUG_SPINLOCK) && \
	!IS_ENABLED(CONFIG_DEBUG_LOCK_ALLOC) && !IS_ENABLED(CONFIG_PREEMPT_RT) && \
	!defined(__CHECKER__)
/*
 * A million QPs shall cost a quarter of a gigabyte, not more. (Sparse lays it out
 * differently.)
 */
static_assert(sizeof(struct sf_qp) <= 256);
#endif

struct qp_key {
	const struct ib_device *ibdev;
	u32 id;
};

/* After so many QPs a walk lets others have the table's lock. */
#define WALK_BREATH 256

static struct kmem_cache *qp_cache;
static struct rhashtable qp_hash;
static DEFINE_XARRAY_ALLOC(qp_order);
static u32 qp_next_serial;
static atomic_t qp_total = ATOMIC_INIT(0);
static DEFINE_MUTEX(qp_mutex);

static const struct {
	enum ib_qp_type type;
	const char *name;
} qp_types[] = {
	[SCALEFABRIC_QP_TYPE_SMI] = { IB_QPT_SMI, "SMI" },
	[SCALEFABRIC_QP_TYPE_GSI] = { IB_QPT_GSI, "GSI" },
	[SCALEFABRIC_QP_TYPE_RC] = { IB_QPT_RC, "RC" },
	[SCALEFABRIC_QP_TYPE_UC] = { IB_QPT_UC, "UC" },
	[SCALEFABRIC_QP_TYPE_UD] = { IB_QPT_UD, "UD" },
	[SCALEFABRIC_QP_TYPE_RAW_PACKET] = { IB_QPT_RAW_PACKET, "RAW_PACKET" },
	[SCALEFABRIC_QP_TYPE_XRC_INI] = { IB_QPT_XRC_INI, "XRC_INI" },
	[SCALEFABRIC_QP_TYPE_XRC_TGT] = { IB_QPT_XRC_TGT, "XRC_TGT" },
	[SCALEFABRIC_QP_TYPE_DRIVER] = { IB_QPT_DRIVER, "DRIVER" },
};

u8 sf_qp_type(enum ib_qp_type type)
{
	u8 i;

	for (i = 0; i < ARRAY_SIZE(qp_types); i++)
		if (qp_types[i].type == type)
			return i;
	return SCALEFABRIC_QP_TYPE_OTHER;
}

const char *sf_qp_type_name(u8 type)
{
	return type < ARRAY_SIZE(qp_types) ? qp_types[type].name : "OTHER";
}

static u32 qp_hash_words(const struct ib_device *ibdev, u32 id, u32 seed)
{
	u64 dev = (uintptr_t)ibdev;

	return jhash_3words(lower_32_bits(dev), upper_32_bits(dev), id, seed);
}

static u32 qp_hash_of_key(const void *data, u32 len, u32 seed)
{
	const struct qp_key *key = data;

	return qp_hash_words(key->ibdev, key->id, seed);
}

static u32 qp_hash_of_qp(const void *data, u32 len, u32 seed)
{
	const struct sf_qp *qp = data;

	return qp_hash_words(qp->sdev->ibdev, qp->id, seed);
}

static int qp_hash_differs(struct rhashtable_compare_arg *arg, const void *obj)
{
	const struct qp_key *key = arg->key;
	const struct sf_qp *qp = obj;

	return qp->id != key->id || qp->sdev->ibdev != key->ibdev;
}

static const struct rhashtable_params qp_hash_params = {
	.head_offset = offsetof(struct sf_qp, node),
	.key_len = sizeof(struct qp_key),
	.hashfn = qp_hash_of_key,
	.obj_hashfn = qp_hash_of_qp,
	.obj_cmpfn = qp_hash_differs,
	.automatic_shrinking = true,
};

void sf_qp_lock(void)
{
	mutex_lock(&qp_mutex);
}

void sf_qp_unlock(void)
{
	mutex_unlock(&qp_mutex);
}

struct sf_qp *sf_qp_find(const struct ib_device *ibdev, u32 id)
{
	struct qp_key key = { .ibdev = ibdev, .id = id };

	return rhashtable_lookup(&qp_hash, &key, qp_hash_params);
}

struct sf_qp *sf_qp_get(const struct ib_device *ibdev, u32 id)
{
	struct sf_qp *qp;

	rcu_read_lock();
	qp = sf_qp_find(ibdev, id);
	if (qp && !refcount_inc_not_zero(&qp->refs))
		qp = NULL;
	rcu_read_unlock();
	return qp;
}

static void qp_free(struct rcu_head *rcu)
{
	struct sf_qp *qp = container_of(rcu, struct sf_qp, rcu);

	put_pid(qp->pid);
	sf_device_drop(qp->sdev);
	kmem_cache_free(qp_cache, qp);
}

void sf_qp_put(struct sf_qp *qp)
{
	if (refcount_dec_and_test(&qp->refs))
		call_rcu(&qp->rcu, qp_free);
}

struct sf_qp *sf_qp_next(unsigned long *serial)
{
	return xa_find(&qp_order, serial, ULONG_MAX, XA_PRESENT);
}

void sf_qp_read(struct sf_qp *qp, struct sf_qp_info *info)
{
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&qp->seq);
		*info = qp->info;
	} while (read_seqcount_retry(&qp->seq, seq));
}

void sf_qp_write_locked(struct sf_qp *qp, struct sf_qp_info *info)
{
	u8 old;

	lockdep_assert_held(&qp_mutex);

	if (qp->removed)
		return;
	info->lane = sf_lane_of(qp->sdev, info);
	write_seqcount_begin(&qp->seq);
	old = qp->info.lane;
	qp->info = *info;
	write_seqcount_end(&qp->seq);

	if (old != info->lane) {
		sf_lane_count(qp->sdev, old, -1);
		sf_lane_count(qp->sdev, info->lane, 1);
	}
}

struct sf_qp *sf_qp_add_locked(struct sf_device *sdev, u32 id, struct pid *pid,
			       const struct sf_qp_info *info)
{
	struct sf_qp *qp;
	int ret;

	lockdep_assert_held(&qp_mutex);

	qp = kmem_cache_zalloc(qp_cache, GFP_KERNEL);
	if (!qp)
		goto err_pid;

	sf_device_hold(sdev);
	qp->sdev = sdev;
	qp->id = id;
	qp->pid = pid;
	refcount_set(&qp->refs, 1);
	seqcount_mutex_init(&qp->seq, &qp_mutex);
	mutex_init(&qp->mutex);
	qp->info = *info;
	qp->info.lane = sf_lane_of(sdev, info);

	ret = xa_alloc_cyclic(&qp_order, &qp->serial, qp, xa_limit_32b,
			      &qp_next_serial, GFP_KERNEL);
	if (ret < 0)
		goto err_free;
	ret = rhashtable_insert_fast(&qp_hash, &qp->node, qp_hash_params);
	if (ret)
		goto err_order;

	atomic_inc(&qp_total);
	atomic_inc(&sdev->qps);
	sf_lane_count(sdev, qp->info.lane, 1);
	return qp;

err_order:
	/* A walker may have seen it: free it as if it had been in the table. */
	qp->removed = true;
	xa_erase(&qp_order, qp->serial);
	sf_qp_put(qp);
	return NULL;
err_free:
	sf_device_drop(sdev);
	kmem_cache_free(qp_cache, qp);
err_pid:
	put_pid(pid);
	return NULL;
}

void sf_qp_remove_locked(struct sf_qp *qp)
{
	lockdep_assert_held(&qp_mutex);

	qp->removed = true;
	rhashtable_remove_fast(&qp_hash, &qp->node, qp_hash_params);
	xa_erase(&qp_order, qp->serial);
	sf_lane_count(qp->sdev, qp->info.lane, -1);
	atomic_dec(&qp->sdev->qps);
	atomic_dec(&qp_total);
	sf_qp_put(qp);
}

void sf_qp_remove_all(struct sf_device *sdev)
{
	unsigned long serial;
	struct sf_qp *qp;

	sf_qp_lock();
	xa_for_each(&qp_order, serial, qp)
		if (qp->sdev == sdev)
			sf_qp_remove_locked(qp);
	sf_qp_unlock();
}

void sf_qp_relane(struct sf_device *sdev)
{
	unsigned int looked = 0;
	struct sf_qp_info info;
	unsigned long serial;
	struct sf_qp *qp;

	sf_qp_lock();
	xa_for_each(&qp_order, serial, qp) {
		if (qp->sdev == sdev) {
			sf_qp_read(qp, &info);
			sf_qp_write_locked(qp, &info);
		}
		if (++looked % WALK_BREATH == 0) {
			/* The walk goes on behind @serial, whatever comes. */
			sf_qp_unlock();
			cond_resched();
			sf_qp_lock();
		}
	}
	sf_qp_unlock();
}

void sf_qp_settle(struct sf_qp *qp, u8 result, u32 label)
{
	struct sf_qp_info info;

	lockdep_assert_held(&qp->mutex);

	sf_qp_lock();
	sf_qp_read(qp, &info);
	info.result = result;
	info.flow_label = label;
	if (result == SCALEFABRIC_REBIND_RESULT_MOVED)
		info.rebinds++;
	qp->changed = sf_event_order();
	sf_qp_write_locked(qp, &info);
	sf_qp_unlock();
}

u32 sf_qp_count(void)
{
	return atomic_read(&qp_total);
}

int sf_qp_init(void)
{
	int ret;

	qp_cache = KMEM_CACHE(sf_qp, 0);
	if (!qp_cache)
		return -ENOMEM;
	ret = rhashtable_init(&qp_hash, &qp_hash_params);
	if (ret)
		kmem_cache_destroy(qp_cache);
	return ret;
}

/* All devices are gone, and with them their QPs. */
void sf_qp_exit(void)
{
	rcu_barrier();
	WARN_ON(!xa_empty(&qp_order));
	rhashtable_destroy(&qp_hash);
	kmem_cache_destroy(qp_cache);
}

#ifdef CONFIG_SCALEFABRIC_KUNIT_TEST
#include "tests/kunit/qp_kunit.c"
#endif

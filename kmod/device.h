/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scaleFabric - registry of RDMA devices
 *
 * One struct sf_device for each ib_device, from the moment ib_core announces
 * it until it takes it away.
 */
#ifndef _SF_DEVICE_H
#define _SF_DEVICE_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <uapi/linux/scalefabric.h>

#include "lane.h"

struct sf_wrap;

/**
 * struct sf_device - an RDMA device
 * @ibdev: ib_core's device. May be dereferenced while a use is held
 *	(sf_device_get()), and by ib_core's own callbacks; after that it is an
 *	identity only.
 * @index: ib_core's index, the device's key in the registry
 * @name: copy of the device's name, kept right by ib_client.rename
 * @list: in the registry; RCU, changed under its lock
 * @memory: keeps this struct (QPs hold it); freed after a grace period
 * @uses: keeps @ibdev; removal waits until it is zero
 * @unused: completed when @uses is zero
 * @mode_sem: read by who moves a QP, written by who changes @mode.
 *	Lock order: @mode_sem, then sf_qp.mutex.
 * @mode: enum scalefabric_device_mode; under @mode_sem
 * @leaving: its removal has begun; scans end
 * @gone: ib_core takes the device away; under @mode_sem
 * @wrap: the wrapped operations, not NULL in mode balance; under @mode_sem
 * @drain_timeout: milliseconds a send queue may take to drain
 * @lanes: ways out of the device
 * @ib_events: tells of ports and GIDs that change
 * @scan_lock: one scan at a time
 * @scan_work: finds QPs that no record told of
 * @scanned: the first scan is done
 * @refresh_work: asks the driver, a few QPs at a time, for what it changed by
 *	itself
 * @refresh_pos: where @refresh_work goes on; it alone
 * @qps: QPs in the table
 * @untracked: living QPs that ib_core does not track, as seen at creation
 */
struct sf_device {
	struct ib_device *ibdev;
	u32 index;
	char name[IB_DEVICE_NAME_MAX];
	struct list_head list;
	struct kref memory;
	struct rcu_head rcu;

	refcount_t uses;
	struct completion unused;

	struct rw_semaphore mode_sem;
	u8 mode;
	bool leaving;
	bool gone;
	struct sf_wrap *wrap;
	u32 drain_timeout;

	struct sf_lanes lanes;
	struct ib_event_handler ib_events;

	struct mutex scan_lock; /* one scan at a time */
	struct work_struct scan_work;
	bool scanned;
	struct delayed_work refresh_work;
	unsigned long refresh_pos;

	atomic_t qps;
	atomic_t untracked;
};

/**
 * sf_device_find - get a use of the device that belongs to an ib_device
 * @ibdev: an identity, not dereferenced
 *
 * Return: the device, to be given back by sf_device_put(), or NULL.
 */
struct sf_device *sf_device_find(const struct ib_device *ibdev);

/**
 * sf_device_next - get a use of the first device from an index on
 * @index: lowest ib_core index wanted
 *
 * Return: as sf_device_find(). Devices come in the order of their indices.
 */
struct sf_device *sf_device_next(u32 index);

/**
 * sf_device_get - get one more use, which keeps sdev->ibdev
 *
 * Return: false when the device is being removed.
 */
bool __must_check sf_device_get(struct sf_device *sdev);
void sf_device_put(struct sf_device *sdev);

/* Keep the memory alone. */
void sf_device_hold(struct sf_device *sdev);
void sf_device_drop(struct sf_device *sdev);

/* Name of the kernel module that drives the device. */
const char *sf_device_driver(const struct sf_device *sdev);

/* Compare the table with ib_core, soon. */
void sf_device_rescan_all(void);

/**
 * sf_device_sync - wait until the table has all that there was and has happened
 *
 * That is QPs older than the module, and what sf_event_sync() waits for.
 *
 * Context: may sleep, holds no lock.
 */
void sf_device_sync(void);

int __must_check sf_device_init(void);
void sf_device_exit(void);

#endif /* _SF_DEVICE_H */

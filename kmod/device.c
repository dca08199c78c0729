// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - registry of RDMA devices
 *
 * ib_core announces each device, those that are there already included, and
 * takes it away again; its pointer may be used in between. Whoever wants to
 * use it takes a use, and removal waits for all of them.
 *
 * Removal (sdev_leave()) in order: nobody finds the device any more; those
 * who hold on to its operations let go (SF_NOTICE_DEVICE_LEAVES); own work
 * stops; uses run out; its QPs leave the table. What is left is the memory,
 * held by QPs that readers still see.
 */
#include "device.h"

#include <kunit/static_stub.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "event.h"
#include "lane.h"
#include "qp.h"
#include "track.h"

/*
 * A driver's own changes are seen after QPs / REFRESH_QPS seconds at most, where QPs
 * are those of all devices.
 */
#define REFRESH_MS 1000
#define REFRESH_QPS 256

/* So many QPs are looked at for the next one, within one RCU section. */
#define REFRESH_LOOK 4096

/* Sorted by index. Readers: RCU. */
static LIST_HEAD(registry);
static DEFINE_SPINLOCK(registry_lock);

struct sf_device *sf_device_find(const struct ib_device *ibdev)
{
	struct sf_device *sdev, *found = NULL;

	KUNIT_STATIC_STUB_REDIRECT(sf_device_find, ibdev);

	rcu_read_lock();
	list_for_each_entry_rcu(sdev, &registry, list) {
		if (sdev->ibdev == ibdev && sf_device_get(sdev)) {
			found = sdev;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

struct sf_device *sf_device_next(u32 index)
{
	struct sf_device *sdev, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(sdev, &registry, list) {
		if (sdev->index >= index && sf_device_get(sdev)) {
			found = sdev;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

bool sf_device_get(struct sf_device *sdev)
{
	return refcount_inc_not_zero(&sdev->uses);
}

void sf_device_put(struct sf_device *sdev)
{
	if (refcount_dec_and_test(&sdev->uses))
		complete(&sdev->unused);
}

void sf_device_hold(struct sf_device *sdev)
{
	kref_get(&sdev->memory);
}

static void sdev_free(struct kref *kref)
{
	struct sf_device *sdev = container_of(kref, struct sf_device, memory);

	kfree_rcu(sdev, rcu);
}

void sf_device_drop(struct sf_device *sdev)
{
	kref_put(&sdev->memory, sdev_free);
}

const char *sf_device_driver(const struct sf_device *sdev)
{
	return module_name(sdev->ibdev->ops.owner);
}

static void sdev_scan_fn(struct work_struct *work)
{
	struct sf_device *sdev =
		container_of(work, struct sf_device, scan_work);

	mutex_lock(&sdev->scan_lock);
	sf_track_scan(sdev);
	mutex_unlock(&sdev->scan_lock);
	if (sdev->scanned || READ_ONCE(sdev->leaving))
		return;
	WRITE_ONCE(sdev->scanned, true);
	pr_info("%s: %d QPs, driver %s\n", sdev->name, atomic_read(&sdev->qps),
		sf_device_driver(sdev));
}

void sf_device_sync(void)
{
	struct sf_device *sdev;
	u32 index = 0;

	while ((sdev = sf_device_next(index))) {
		if (!READ_ONCE(sdev->scanned))
			flush_work(&sdev->scan_work);
		index = sdev->index + 1;
		sf_device_put(sdev);
	}
	sf_event_sync();
}

void sf_device_rescan_all(void)
{
	struct sf_device *sdev;

	KUNIT_STATIC_STUB_REDIRECT(sf_device_rescan_all);

	rcu_read_lock();
	list_for_each_entry_rcu(sdev, &registry, list) {
		/* Removal cancels the work after the last use but ours. */
		if (!sf_device_get(sdev))
			continue;
		queue_work(system_long_wq, &sdev->scan_work);
		sf_device_put(sdev);
	}
	rcu_read_unlock();
}

/* The next of this device's QPs whose state a driver may change by itself. */
static struct sf_qp *refresh_next(struct sf_device *sdev)
{
	struct sf_qp *qp = NULL;
	int i;

	rcu_read_lock();
	for (i = 0; i < REFRESH_LOOK; i++) {
		qp = sf_qp_next(&sdev->refresh_pos);
		if (!qp)
			break;
		sdev->refresh_pos++;
		if (qp->sdev == sdev &&
		    READ_ONCE(qp->info.state) >= SCALEFABRIC_QP_STATE_RTR &&
		    READ_ONCE(qp->info.state) < SCALEFABRIC_QP_STATE_ERR &&
		    refcount_inc_not_zero(&qp->refs))
			goto out;
	}
	if (!qp)
		sdev->refresh_pos = 0;
	qp = NULL;
out:
	rcu_read_unlock();
	return qp;
}

static void sdev_refresh_fn(struct work_struct *work)
{
	struct sf_device *sdev = container_of(to_delayed_work(work),
					      struct sf_device, refresh_work);
	struct sf_qp *qp;
	int i;

	for (i = 0; i < REFRESH_QPS; i++) {
		qp = refresh_next(sdev);
		if (!qp)
			break;
		sf_track_refresh(qp);
		sf_qp_put(qp);
	}
	queue_delayed_work(system_long_wq, &sdev->refresh_work,
			   msecs_to_jiffies(REFRESH_MS));
}

static void sdev_ib_event(struct ib_event_handler *handler,
			  struct ib_event *event)
{
	sf_lane_changed();
}

static void sdev_insert(struct sf_device *sdev)
{
	struct sf_device *other;

	spin_lock(&registry_lock);
	list_for_each_entry(other, &registry, list)
		if (other->index > sdev->index)
			break;
	list_add_tail_rcu(&sdev->list, &other->list);
	spin_unlock(&registry_lock);
}

static int sdev_join(struct ib_device *ibdev);
static void sdev_leave(struct ib_device *ibdev, void *data);
static void sdev_rename(struct ib_device *ibdev, void *data);

static struct ib_client sdev_client = {
	.name = KBUILD_MODNAME,
	.add = sdev_join,
	.remove = sdev_leave,
	.rename = sdev_rename,
	/* Devices without kernel verbs have QPs too. */
	.no_kverbs_req = 1,
};

static struct sf_device *sdev_alloc(struct ib_device *ibdev)
{
	struct sf_device *sdev;

	sdev = kzalloc(sizeof(*sdev), GFP_KERNEL);
	if (!sdev)
		return NULL;
	sdev->ibdev = ibdev;
	sdev->index = ibdev->index;
	strscpy(sdev->name, dev_name(&ibdev->dev), sizeof(sdev->name));
	kref_init(&sdev->memory);
	refcount_set(&sdev->uses, 1);
	init_completion(&sdev->unused);
	init_rwsem(&sdev->mode_sem);
	sdev->mode = SCALEFABRIC_DEVICE_MODE_OBSERVE;
	sdev->drain_timeout = SCALEFABRIC_DRAIN_TIMEOUT_DEFAULT;
	mutex_init(&sdev->scan_lock);
	INIT_WORK(&sdev->scan_work, sdev_scan_fn);
	INIT_DELAYED_WORK(&sdev->refresh_work, sdev_refresh_fn);
	sf_lane_setup(sdev);
	INIT_IB_EVENT_HANDLER(&sdev->ib_events, ibdev, sdev_ib_event);
	return sdev;
}

static int sdev_join(struct ib_device *ibdev)
{
	struct sf_device *sdev = sdev_alloc(ibdev);

	if (!sdev) {
		/* ib_core goes on without us and asks no second time. */
		pr_err("%s: not watched, out of memory\n",
		       dev_name(&ibdev->dev));
		return -ENOMEM;
	}
	ib_set_client_data(ibdev, &sdev_client, sdev);
	ib_register_event_handler(&sdev->ib_events);
	sf_lane_refresh(sdev);
	/*
	 * Found by records from here on; the scan adds what is older. It may take
	 * long, and ib_core lets no device come or go while we are here.
	 */
	sdev_insert(sdev);
	queue_work(system_long_wq, &sdev->scan_work);
	queue_delayed_work(system_long_wq, &sdev->refresh_work,
			   msecs_to_jiffies(REFRESH_MS));
	return 0;
}

static void sdev_leave(struct ib_device *ibdev, void *data)
{
	struct sf_device *sdev = data;
	struct sf_notice notice = { .sdev = sdev };

	WRITE_ONCE(sdev->leaving, true);
	spin_lock(&registry_lock);
	list_del_rcu(&sdev->list);
	spin_unlock(&registry_lock);
	synchronize_rcu();

	ib_unregister_event_handler(&sdev->ib_events);
	sf_event_notify(SF_NOTICE_DEVICE_LEAVES, &notice);
	cancel_delayed_work_sync(&sdev->refresh_work);
	cancel_work_sync(&sdev->scan_work);
	sf_device_put(sdev);
	wait_for_completion(&sdev->unused);

	sf_qp_remove_all(sdev);
	sf_device_drop(sdev);
}

static void sdev_rename(struct ib_device *ibdev, void *data)
{
	struct sf_device *sdev = data;

	strscpy(sdev->name, dev_name(&ibdev->dev), sizeof(sdev->name));
}

int sf_device_init(void)
{
	int ret = ib_register_client(&sdev_client);

	if (!ret)
		sf_device_sync();
	return ret;
}

void sf_device_exit(void)
{
	ib_unregister_client(&sdev_client);
}

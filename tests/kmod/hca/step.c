// SPDX-License-Identifier: GPL-2.0
/*
 * sf_hca - make a step fail, take long, or hang
 *
 * Steps are create, query and destroy; reset, init, rtr, rts, sqd, sqe and err,
 * which are modifies to that state; and av and port, which are modifies of a QP
 * in SQD that stays there. Such a modify is "port" if it changes the port, "av"
 * if it changes only the path (with the same port, which ib_uverbs always names).
 *
 * Files in /sys/class/infiniband/NAME/hca/, one line for each step when read:
 *
 *	calls	STEP N: how often it was called. Written: "STEP N".
 *	fail	STEP ERRNO N: the next N calls return that error. Written:
 *		"STEP ERRNO N", ERRNO as a positive number, N of 0 for no more.
 *	delay	STEP MS: how long it takes. Written: "STEP MS".
 *	stick	STEP 0|1: 1 is a call that does not end, like that of firmware
 *		which has died: no signal ends it, but 0 here, or unplugging.
 *
 * A call counts when it begins, and whether it will fail is decided then. When
 * the device is unplugged all that waits goes on; create, modify and query fail
 * with EIO from then on, and destroy does not fail any more.
 */
#include "hca.h"

#include <linux/device.h>
#include <linux/err.h>
#include <linux/string.h>
#include <linux/sysfs.h>

/* An hour. */
#define DELAY_MAX_MS 3600000

static const char *const step_names[HCA_STEPS] = {
	[HCA_STEP_RESET] = "reset", [HCA_STEP_INIT] = "init",
	[HCA_STEP_RTR] = "rtr",	    [HCA_STEP_RTS] = "rts",
	[HCA_STEP_SQD] = "sqd",	    [HCA_STEP_SQE] = "sqe",
	[HCA_STEP_ERR] = "err",	    [HCA_STEP_AV] = "av",
	[HCA_STEP_PORT] = "port",   [HCA_STEP_CREATE] = "create",
	[HCA_STEP_QUERY] = "query", [HCA_STEP_DESTROY] = "destroy",
};

static bool is_stuck(struct hca_device *hca, enum hca_step_id id)
{
	return READ_ONCE(hca->step[id].stick) && !READ_ONCE(hca->leaving);
}

int hca_step(struct hca_device *hca, enum hca_step_id id)
{
	struct hca_step *step = &hca->step[id];
	u32 delay_ms;
	int ret = 0;

	spin_lock(&hca->lock);
	step->calls++;
	delay_ms = step->delay_ms;
	if (step->fails) {
		step->fails--;
		ret = -step->error;
	}
	spin_unlock(&hca->lock);

	/* Idle: a hang on purpose is not to be reported as one. */
	if (delay_ms)
		wait_event_idle_timeout(hca->unstick, READ_ONCE(hca->leaving),
					msecs_to_jiffies(delay_ms));
	wait_event_idle(hca->unstick, !is_stuck(hca, id));

	if (READ_ONCE(hca->leaving))
		return id == HCA_STEP_DESTROY ? 0 : -EIO;
	return ret;
}

void hca_step_leave(struct hca_device *hca)
{
	WRITE_ONCE(hca->leaving, true);
	wake_up_all(&hca->unstick);
}

static struct hca_step *step_find(struct hca_device *hca, const char *name)
{
	int id = match_string(step_names, HCA_STEPS, name);

	return id < 0 ? NULL : &hca->step[id];
}

static ssize_t calls_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	struct hca_device *hca = hca_of_dev(dev);
	ssize_t len = 0;
	int i;

	spin_lock(&hca->lock);
	for (i = 0; i < HCA_STEPS; i++)
		len += sysfs_emit_at(buf, len, "%s %llu\n", step_names[i],
				     hca->step[i].calls);
	spin_unlock(&hca->lock);
	return len;
}

static ssize_t calls_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	struct hca_device *hca = hca_of_dev(dev);
	struct hca_step *step;
	char name[16], end;
	u64 calls;

	if (sscanf(buf, "%15s %llu %c", name, &calls, &end) != 2)
		return -EINVAL;
	step = step_find(hca, name);
	if (!step)
		return -EINVAL;
	spin_lock(&hca->lock);
	step->calls = calls;
	spin_unlock(&hca->lock);
	return count;
}

DEVICE_ATTR_RW(calls);

static ssize_t fail_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	struct hca_device *hca = hca_of_dev(dev);
	ssize_t len = 0;
	int i;

	spin_lock(&hca->lock);
	for (i = 0; i < HCA_STEPS; i++)
		len += sysfs_emit_at(buf, len, "%s %d %u\n", step_names[i],
				     hca->step[i].error, hca->step[i].fails);
	spin_unlock(&hca->lock);
	return len;
}

static ssize_t fail_store(struct device *dev, struct device_attribute *attr,
			  const char *buf, size_t count)
{
	struct hca_device *hca = hca_of_dev(dev);
	struct hca_step *step;
	char name[16], end;
	u32 error, fails;

	if (sscanf(buf, "%15s %u %u %c", name, &error, &fails, &end) != 3)
		return -EINVAL;
	step = step_find(hca, name);
	if (!step || !error || error > MAX_ERRNO)
		return -EINVAL;
	spin_lock(&hca->lock);
	step->error = error;
	step->fails = fails;
	spin_unlock(&hca->lock);
	return count;
}

DEVICE_ATTR_RW(fail);

static ssize_t delay_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	struct hca_device *hca = hca_of_dev(dev);
	ssize_t len = 0;
	int i;

	spin_lock(&hca->lock);
	for (i = 0; i < HCA_STEPS; i++)
		len += sysfs_emit_at(buf, len, "%s %u\n", step_names[i],
				     hca->step[i].delay_ms);
	spin_unlock(&hca->lock);
	return len;
}

static ssize_t delay_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	struct hca_device *hca = hca_of_dev(dev);
	struct hca_step *step;
	char name[16], end;
	u32 delay_ms;

	if (sscanf(buf, "%15s %u %c", name, &delay_ms, &end) != 2)
		return -EINVAL;
	step = step_find(hca, name);
	if (!step || delay_ms > DELAY_MAX_MS)
		return -EINVAL;
	spin_lock(&hca->lock);
	step->delay_ms = delay_ms;
	spin_unlock(&hca->lock);
	return count;
}

DEVICE_ATTR_RW(delay);

static ssize_t stick_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	struct hca_device *hca = hca_of_dev(dev);
	ssize_t len = 0;
	int i;

	for (i = 0; i < HCA_STEPS; i++)
		len += sysfs_emit_at(buf, len, "%s %d\n", step_names[i],
				     READ_ONCE(hca->step[i].stick));
	return len;
}

static ssize_t stick_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	struct hca_device *hca = hca_of_dev(dev);
	struct hca_step *step;
	char name[16], end;
	u32 stick;

	if (sscanf(buf, "%15s %u %c", name, &stick, &end) != 2 || stick > 1)
		return -EINVAL;
	step = step_find(hca, name);
	if (!step)
		return -EINVAL;
	WRITE_ONCE(step->stick, stick);
	wake_up_all(&hca->unstick);
	return count;
}

DEVICE_ATTR_RW(stick);

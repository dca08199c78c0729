/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scaleFabric - keep the QP table true
 *
 * By records of the hooks where there are any, by asking ib_core and the
 * driver where there are none: for QPs older than the module, after a loss,
 * and for what a driver changes by itself.
 */
#ifndef _SF_TRACK_H
#define _SF_TRACK_H

#include <linux/types.h>

struct sf_device;
struct sf_qp;
struct sf_record;

/**
 * sf_track_apply - bring the table up to date with a record, tell listeners
 *
 * Context: the event worker.
 */
void sf_track_apply(const struct sf_record *rec);

/**
 * sf_track_refresh - ask the driver for the present state of a QP
 * @qp: referenced
 *
 * Context: may sleep; a use of the device is held.
 */
void sf_track_refresh(struct sf_qp *qp);

/**
 * sf_track_scan - compare the table with what ib_core tracks
 * @sdev: a device of which a use is held, its scan_lock held
 *
 * Adds QPs that are missing and removes those that are no more.
 */
void sf_track_scan(struct sf_device *sdev);

#endif /* _SF_TRACK_H */

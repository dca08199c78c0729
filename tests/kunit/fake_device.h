/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scaleFabric tests - a device that the module does not know
 *
 * It is in no registry: nobody finds it, and nothing is done with it but what a
 * test does. Its QPs are in the module's one table, beside those of the host.
 */
#ifndef _SF_FAKE_DEVICE_H
#define _SF_FAKE_DEVICE_H

#include <kunit/test.h>

#include "kmod/qp.h"

struct sf_device;

/**
 * sf_fake_device - make a device for a test
 * @test: at its end the device goes, with all its QPs
 * @ibdev: the device below, or NULL for an identity without ports
 */
struct sf_device *sf_fake_device(struct kunit *test, struct ib_device *ibdev);

/* What is known of a new RC QP. */
struct sf_qp_info sf_fake_info(u32 qpn);

/* Put an RC QP into the table, as sf_qp_add_locked(). */
struct sf_qp *sf_fake_qp_add(struct kunit *test, struct sf_device *sdev,
			     u32 qpn);

/* Take it out again. */
void sf_fake_qp_remove(struct sf_qp *qp);

#endif /* _SF_FAKE_DEVICE_H */

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * The linker (--wrap) calls the functions __wrap_* instead of the transport's
 * own, which it renames to __real_*.
 */

#ifndef TEST_RECORD_H
#define TEST_RECORD_H

#include "../../userspace/lib/transport.h"

int __real_sf_transport_join(struct sf_transport *transport, uint32_t group);
int __real_sf_transport_send(struct sf_transport *transport, const void *buf, size_t len);
ssize_t __real_sf_transport_recv(struct sf_transport *transport, void *buf, size_t size);

int __wrap_sf_transport_join(struct sf_transport *transport, uint32_t group);
int __wrap_sf_transport_send(struct sf_transport *transport, const void *buf, size_t len);
ssize_t __wrap_sf_transport_recv(struct sf_transport *transport, void *buf, size_t size);

#endif /* TEST_RECORD_H */

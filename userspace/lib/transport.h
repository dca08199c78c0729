/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * What the netlink client needs of a socket. transport.c is the real one; a
 * test program links another in its place.
 */

#ifndef SF_TRANSPORT_H
#define SF_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sf_transport;

/**
 * sf_transport_open - open a generic netlink socket
 * @transport: where to put it
 *
 * Return: 0, or a negative errno of socket(), bind() or malloc().
 */
int sf_transport_open(struct sf_transport **transport);

void sf_transport_close(struct sf_transport *transport);

/**
 * sf_transport_fd - file descriptor to poll for input
 * @transport: an open transport
 */
int sf_transport_fd(const struct sf_transport *transport);

/**
 * sf_transport_join - receive the messages of a multicast group as well
 * @transport: an open transport
 * @group: number of the group
 *
 * Return: 0 or a negative errno.
 */
int sf_transport_join(struct sf_transport *transport, uint32_t group);

/**
 * sf_transport_send - send one datagram to the kernel
 * @transport: an open transport
 * @buf: one netlink message
 * @len: its length
 *
 * Return: 0 or a negative errno.
 */
int sf_transport_send(struct sf_transport *transport, const void *buf, size_t len);

/**
 * sf_transport_recv - receive one datagram of the kernel
 * @transport: an open transport
 * @buf: where to put it, aligned as struct nlmsghdr
 * @size: size of @buf
 *
 * Return: length of the datagram; -EMSGSIZE when it did not fit, -ENOBUFS when
 * the kernel had to drop messages, or another negative errno of recvmsg().
 */
ssize_t sf_transport_recv(struct sf_transport *transport, void *buf, size_t size);

/**
 * sf_transport_time - when the last datagram was received
 * @transport: an open transport
 *
 * Return: nanoseconds since the epoch.
 */
uint64_t sf_transport_time(const struct sf_transport *transport);

#endif /* SF_TRANSPORT_H */

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The netlink socket.
 */

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include <libmnl/libmnl.h>

#include "transport.h"

/* A burst of notifications waits here while the reader is busy. */
#define RECEIVE_BUFFER	(4 << 20)

struct sf_transport {
	struct mnl_socket *socket;
	uint64_t received;
};

/*
 * The options make the kernel's answers better, none is needed: a kernel that
 * does not know one still answers.
 */
static void set_options(struct mnl_socket *socket)
{
	static const int flags[] = {
		NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK,
	};
	int fd = mnl_socket_get_fd(socket), one = 1, size = RECEIVE_BUFFER;

	for (size_t i = 0; i < MNL_ARRAY_SIZE(flags); i++)
		mnl_socket_setsockopt(socket, flags[i], &one, sizeof(one));

	/* Beyond net.core.rmem_max with CAP_NET_ADMIN only. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

int sf_transport_open(struct sf_transport **transport)
{
	struct sf_transport *t;
	int err;

	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;

	t->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!t->socket)
		goto err_free;

	set_options(t->socket);
	if (mnl_socket_bind(t->socket, 0, MNL_SOCKET_AUTOPID) < 0)
		goto err_close;

	*transport = t;
	return 0;

err_close:
	err = errno;
	mnl_socket_close(t->socket);
	errno = err;
err_free:
	err = errno;
	free(t);
	return -err;
}

void sf_transport_close(struct sf_transport *t)
{
	mnl_socket_close(t->socket);
	free(t);
}

int sf_transport_fd(const struct sf_transport *t)
{
	return mnl_socket_get_fd(t->socket);
}

int sf_transport_join(struct sf_transport *t, uint32_t group)
{
	return mnl_socket_setsockopt(t->socket, NETLINK_ADD_MEMBERSHIP,
				     &group, sizeof(group)) < 0 ? -errno : 0;
}

int sf_transport_send(struct sf_transport *t, const void *buf, size_t len)
{
	return mnl_socket_sendto(t->socket, buf, len) < 0 ? -errno : 0;
}

ssize_t sf_transport_recv(struct sf_transport *t, void *buf, size_t size)
{
	struct sockaddr_nl sender = { 0 };
	struct iovec iov = { .iov_base = buf, .iov_len = size };
	struct msghdr msg = {
		.msg_name = &sender, .msg_namelen = sizeof(sender),
		.msg_iov = &iov, .msg_iovlen = 1,
	};
	struct timespec now;
	ssize_t len;

	/* Port 0 is the kernel; nobody else has a say here. */
	do {
		len = recvmsg(sf_transport_fd(t), &msg, 0);
	} while (len >= 0 && sender.nl_pid);

	if (len < 0)
		return -errno;
	if (msg.msg_flags & MSG_TRUNC)
		return -EMSGSIZE;

	clock_gettime(CLOCK_REALTIME, &now);
	t->received = now.tv_sec * 1000000000ULL + now.tv_nsec;
	return len;
}

uint64_t sf_transport_time(const struct sf_transport *t)
{
	return t->received;
}

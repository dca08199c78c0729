// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/scalefabric.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../../userspace/lib/transport.h"
#include "tape.h"

#define PUT_MAX		4096

void (*tape_sent)(const struct nlmsghdr *request);

static struct {
	const uint8_t *data;
	size_t left;
	/* What was put, in the same form. */
	uint8_t put[PUT_MAX];
	size_t n_put, next_put;
	uint32_t seq;
} tape;

struct sf_transport {
	int fd;
};

void tape_load(const uint8_t *data, size_t size)
{
	tape.data = data;
	tape.left = size;
	tape.n_put = 0;
	tape.next_put = 0;
	tape.seq = 0;
}

void tape_put(const void *datagram, size_t len)
{
	uint8_t *at = tape.put + tape.n_put;

	if (tape.n_put + 2 + len > PUT_MAX)
		abort();
	at[0] = len & 0xff;
	at[1] = len >> 8;
	memcpy(at + 2, datagram, len);
	tape.n_put += 2 + len;
}

static void put_group(struct nlmsghdr *nlh, const char *name, uint32_t id)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, id);

	mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, id);
	mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, name);
	mnl_attr_nest_end(nlh, nest);
}

void tape_put_family(void)
{
	char buf[512] __attribute__((aligned(8))) = {};
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	struct nlattr *groups;

	nlh->nlmsg_type = GENL_ID_CTRL;
	nlh->nlmsg_seq = 1;
	genl->cmd = CTRL_CMD_NEWFAMILY;
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, TAPE_FAMILY);
	groups = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
	put_group(nlh, SCALEFABRIC_MCGRP_EVENTS, 1);
	put_group(nlh, SCALEFABRIC_MCGRP_QPS, 2);
	mnl_attr_nest_end(nlh, groups);
	tape_put(buf, nlh->nlmsg_len);

	memset(buf, 0, sizeof(buf));
	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = NLMSG_ERROR;
	nlh->nlmsg_seq = 1;
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct nlmsgerr));
	tape_put(buf, nlh->nlmsg_len);
}

static bool at_end(void)
{
	return tape.next_put == tape.n_put && tape.left < 2;
}

/* The next record's number. */
static size_t next_number(void)
{
	const uint8_t *at = tape.data;

	if (tape.next_put < tape.n_put) {
		at = tape.put + tape.next_put;
		tape.next_put += 2;
	} else {
		tape.data += 2;
		tape.left -= 2;
	}
	return at[0] | at[1] << 8;
}

static const void *next_bytes(size_t *len)
{
	const uint8_t *at;

	if (tape.next_put < tape.n_put) {
		at = tape.put + tape.next_put;
		tape.next_put += *len;
		return at;
	}
	if (*len > tape.left)
		*len = tape.left;
	at = tape.data;
	tape.data += *len;
	tape.left -= *len;
	return at;
}

int sf_transport_open(struct sf_transport **transport)
{
	*transport = malloc(sizeof(**transport));
	(*transport)->fd = -1;
	return 0;
}

void sf_transport_close(struct sf_transport *t)
{
	if (t->fd >= 0)
		close(t->fd);
	free(t);
}

/* A monitor asks before it waits: at the end of the tape it is told to end. */
int sf_transport_fd(const struct sf_transport *t)
{
	if (t->fd < 0)
		((struct sf_transport *)t)->fd = eventfd(1, EFD_CLOEXEC);
	if (at_end())
		raise(SIGTERM);
	return t->fd;
}

int sf_transport_join(struct sf_transport *t, uint32_t group)
{
	(void)t;
	(void)group;
	return 0;
}

int sf_transport_send(struct sf_transport *t, const void *buf, size_t len)
{
	const struct nlmsghdr *nlh = buf;

	(void)t;
	if (len != nlh->nlmsg_len)
		abort();
	tape.seq = nlh->nlmsg_seq;
	if (tape_sent)
		tape_sent(nlh);
	return 0;
}

static void number_replies(void *buf, int len)
{
	struct nlmsghdr *nlh = buf;

	for (; mnl_nlmsg_ok(nlh, len) && nlh->nlmsg_len <= (uint32_t)len;
	     nlh = mnl_nlmsg_next(nlh, &len))
		if (nlh->nlmsg_seq == 1)
			nlh->nlmsg_seq = tape.seq;
}

ssize_t sf_transport_recv(struct sf_transport *t, void *buf, size_t size)
{
	const void *bytes;
	size_t number;

	(void)t;
	if (at_end())
		return -EIO;
	number = next_number();
	if (number > TAPE_FAIL)
		return -(int)(number - TAPE_FAIL);
	if (number > size)
		return -EMSGSIZE;
	bytes = next_bytes(&number);
	memcpy(buf, bytes, number);
	number_replies(buf, number);
	return number;
}

/* The same for every run of an input. */
uint64_t sf_transport_time(const struct sf_transport *t)
{
	(void)t;
	return UINT64_C(1764576000000000000);
}

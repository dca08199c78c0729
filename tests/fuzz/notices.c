// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "../prog/common.h"
#include "judge.h"
#include "notices.h"
#include "tally.h"

/* Of one notices_read(). */
#define READS	4

static struct mnl_socket *listener;
static uint16_t family_id;

void notices_open(const struct family *family)
{
	unsigned int i;

	family_id = family->id;
	listener = mnl_socket_open(NETLINK_GENERIC);
	if (!listener || mnl_socket_bind(listener, 0, MNL_SOCKET_AUTOPID))
		die_errno("netlink socket");
	for (i = 0; i < family->n_groups; i++)
		if (mnl_socket_setsockopt(listener, NETLINK_ADD_MEMBERSHIP,
					  (void *)&family->group[i], sizeof(family->group[i])))
			die_errno("cannot join group %u", family->group[i]);
}

static void look_at(const struct nlmsghdr *nlh)
{
	const struct spec_cmd *cmd;
	const char *problem, *attr;

	if (nlh->nlmsg_type != family_id) {
		tally_fail(NULL, "a notification of type %u", nlh->nlmsg_type);
		return;
	}
	/* Not for the pool: many are about QPs that are no more. */
	problem = judge_notice(nlh, &cmd, &attr);
	if (problem) {
		tally_fail(NULL, "a notification (%s) with %s (%s)", cmd ? cmd->name : "-", problem,
			   attr ? attr : "-");
		return;
	}
	tally_notice();
}

void notices_read(void)
{
	static char buf[65536] __attribute__((aligned(8)));
	const struct nlmsghdr *nlh;
	unsigned int i;
	ssize_t n;
	int left;

	for (i = 0; i < READS; i++) {
		n = recv(mnl_socket_get_fd(listener), buf, sizeof(buf), MSG_DONTWAIT);
		if (n < 0 && errno == ENOBUFS)
			tally_overrun();
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			tally_fail(NULL, "cannot listen: %s", strerror(errno));
		if (n < 0)
			return;
		left = n;
		for (nlh = (void *)buf; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
			look_at(nlh);
	}
}

void notices_close(void)
{
	mnl_socket_close(listener);
}

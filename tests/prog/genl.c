// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "common.h"
#include "genl.h"

#define MESSAGE_MAX	65536
#define PATIENCE_S	30

static struct mnl_socket *nl;
static uint16_t family = GENL_ID_CTRL;
static uint32_t sequence;
/* One attribute may be longer than a message. */
static char message[MESSAGE_MAX + 256] __attribute__((aligned(8)));

struct nlmsghdr *genl_start(uint8_t cmd, uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(message);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = family;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	nlh->nlmsg_seq = ++sequence;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = SCALEFABRIC_FAMILY_VERSION;
	return nlh;
}

void genl_send(const void *buf, size_t len)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (sendto(mnl_socket_get_fd(nl), buf, len, 0, (struct sockaddr *)&kernel,
		   sizeof(kernel)) < 0)
		die_errno("cannot send %zu bytes", len);
}

/* Return: whether this ends the answer; then its errno is in @error. */
static bool handle(const struct nlmsghdr *nlh, mnl_cb_t fn, void *data, int *error)
{
	if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE) {
		/* Both start with an int: -errno. */
		*error = -*(int *)mnl_nlmsg_get_payload(nlh);
		return true;
	}
	if (fn && nlh->nlmsg_type == family)
		fn(nlh, data);
	return false;
}

int genl_receive(uint32_t seq, mnl_cb_t fn, void *data)
{
	static char buf[1 << 17] __attribute__((aligned(8)));
	const struct nlmsghdr *nlh;
	int error, len;

	for (;;) {
		len = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (len < 0 && errno == EAGAIN)
			return GENL_UNANSWERED;
		if (len < 0)
			die_errno("netlink");
		for (nlh = (void *)buf; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len))
			if (nlh->nlmsg_seq == seq && handle(nlh, fn, data, &error))
				return error;
	}
}

int genl_transact(const struct nlmsghdr *nlh, mnl_cb_t fn, void *data)
{
	uint32_t seq = nlh->nlmsg_seq;

	genl_send(nlh, nlh->nlmsg_len);
	return genl_receive(seq, fn, data);
}

static int find_family_id(const struct nlattr *attr, void *data)
{
	if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
		*(uint16_t *)data = mnl_attr_get_u16(attr);
	return MNL_CB_OK;
}

static int parse_family(const struct nlmsghdr *nlh, void *data)
{
	return mnl_attr_parse(nlh, sizeof(struct genlmsghdr), find_family_id, data);
}

void genl_open(void)
{
	struct timeval patience = { .tv_sec = PATIENCE_S };
	struct nlmsghdr *nlh;
	uint16_t id = 0;

	nl = mnl_socket_open(NETLINK_GENERIC);
	if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID))
		die_errno("netlink socket");
	setsockopt(mnl_socket_get_fd(nl), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	nlh = genl_start(CTRL_CMD_GETFAMILY, 0);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, SCALEFABRIC_FAMILY_NAME);
	errno = genl_transact(nlh, parse_family, &id);
	if (!id)
		die_errno("no family \"%s\"", SCALEFABRIC_FAMILY_NAME);
	family = id;
}

void genl_close(void)
{
	mnl_socket_close(nl);
}

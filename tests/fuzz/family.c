// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/scalefabric.h>

#include "../prog/common.h"
#include "family.h"

static void take_groups(struct family *family, const struct nlattr *groups)
{
	const struct nlattr *group, *attr;

	mnl_attr_for_each_nested(group, groups)
		mnl_attr_for_each_nested(attr, group)
			if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_ID &&
			    family->n_groups < GROUPS_MAX)
				family->group[family->n_groups++] = mnl_attr_get_u32(attr);
}

static int take_reply(const struct nlmsghdr *nlh, void *data)
{
	struct family *family = data;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, GENL_HDRLEN) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			family->id = mnl_attr_get_u16(attr);
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GROUPS)
			take_groups(family, attr);
	}
	return MNL_CB_OK;
}

static void send_question(struct mnl_socket *socket)
{
	char buf[256] __attribute__((aligned(8))) = {};
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	nlh->nlmsg_type = GENL_ID_CTRL;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	genl->cmd = CTRL_CMD_GETFAMILY;
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, SCALEFABRIC_FAMILY_NAME);
	if (mnl_socket_sendto(socket, nlh, nlh->nlmsg_len) < 0)
		die_errno("cannot ask for the family");
}

void family_find(struct family *family)
{
	struct mnl_socket *socket = mnl_socket_open(NETLINK_GENERIC);
	char buf[8192] __attribute__((aligned(8)));
	int len;

	if (!socket || mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID))
		die_errno("netlink socket");
	send_question(socket);
	*family = (struct family){};
	len = mnl_socket_recvfrom(socket, buf, sizeof(buf));
	if (len < 0 || mnl_cb_run(buf, len, 0, 0, take_reply, family) < 0 || !family->id)
		die_errno("no family \"%s\"", SCALEFABRIC_FAMILY_NAME);
	mnl_socket_close(socket);
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <string.h>

#include "craft.h"

void craft_message(struct message *message, uint16_t type, uint16_t flags, uint32_t seq)
{
	mnl_nlmsg_put_header(message->buf);
	message->nlh.nlmsg_type = type;
	message->nlh.nlmsg_flags = flags;
	message->nlh.nlmsg_seq = seq;
}

static void put_genl(struct message *message, uint8_t cmd)
{
	struct genlmsghdr *genl;

	genl = mnl_nlmsg_put_extra_header(&message->nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = 1;
}

void craft_reply(struct message *message, uint8_t cmd, uint32_t seq)
{
	craft_message(message, SCRIPT_FAMILY, seq ? NLM_F_MULTI : 0, seq);
	put_genl(message, cmd);
}

void craft_send(struct script *script, const struct message *message)
{
	script_add(script, STEP_RECV, message->buf, message->nlh.nlmsg_len);
}

void craft_join(struct script *script, uint32_t group)
{
	script_add_number(script, STEP_JOIN, group);
	script_add_number(script, STEP_JOIN, GENL_ID_CTRL);
}

void craft_request(struct script *script)
{
	script_add(script, STEP_SEND, "", 0);
}

void craft_error(struct script *script, uint16_t type, int error, const char *text,
		 uint16_t attr, uint32_t value)
{
	uint16_t tlvs = text || attr ? NLM_F_ACK_TLVS : 0;
	struct nlmsgerr err = { .error = error };
	struct message message;
	size_t len = type == NLMSG_DONE ? sizeof(error) : sizeof(err);

	craft_message(&message, type, NLM_F_CAPPED | tlvs, 1);
	memcpy(mnl_nlmsg_put_extra_header(&message.nlh, len), &err, len);
	if (text)
		mnl_attr_put_strz(&message.nlh, NLMSGERR_ATTR_MSG, text);
	if (attr)
		mnl_attr_put_u32(&message.nlh, attr, value);
	craft_send(script, &message);
}

void craft_ack(struct script *script)
{
	craft_error(script, NLMSG_ERROR, 0, NULL, 0, 0);
}

void craft_done(struct script *script, uint16_t flags)
{
	struct message message;

	craft_message(&message, NLMSG_DONE, NLM_F_MULTI | flags, 1);
	mnl_nlmsg_put_extra_header(&message.nlh, sizeof(int));
	craft_send(script, &message);
}

static void put_group(struct message *message, const char *name, uint32_t id)
{
	struct nlattr *nest = mnl_attr_nest_start(&message->nlh, id);

	mnl_attr_put_u32(&message->nlh, CTRL_ATTR_MCAST_GRP_ID, id);
	mnl_attr_put_strz(&message->nlh, CTRL_ATTR_MCAST_GRP_NAME, name);
	mnl_attr_nest_end(&message->nlh, nest);
}

void craft_begin(struct script *script)
{
	struct message message;
	struct nlattr *groups;

	script_init(script);
	craft_request(script);
	craft_message(&message, GENL_ID_CTRL, 0, 1);
	put_genl(&message, CTRL_CMD_NEWFAMILY);
	mnl_attr_put_u16(&message.nlh, CTRL_ATTR_FAMILY_ID, SCRIPT_FAMILY);
	groups = mnl_attr_nest_start(&message.nlh, CTRL_ATTR_MCAST_GROUPS);
	put_group(&message, SCALEFABRIC_MCGRP_EVENTS, SCRIPT_EVENTS);
	put_group(&message, SCALEFABRIC_MCGRP_QPS, SCRIPT_QPS);
	mnl_attr_nest_end(&message.nlh, groups);
	craft_send(script, &message);
	craft_ack(script);
}

void craft_monitor(struct script *script, uint64_t lost)
{
	struct message message;

	craft_begin(script);
	craft_request(script);
	craft_reply(&message, SCALEFABRIC_CMD_INFO_GET, 1);
	mnl_attr_put_u64(&message.nlh, SCALEFABRIC_A_INFO_LOST, lost);
	craft_send(script, &message);
	craft_ack(script);
}

void craft_qp(struct message *message, uint8_t cmd, uint32_t seq, uint32_t lqpn)
{
	craft_reply(message, cmd, seq);
	mnl_attr_put_u32(&message->nlh, SCALEFABRIC_A_QP_DEV_INDEX, 0);
	mnl_attr_put_strz(&message->nlh, SCALEFABRIC_A_QP_DEV_NAME, "rxe0");
	mnl_attr_put_u32(&message->nlh, SCALEFABRIC_A_QP_LQPN, lqpn);
	mnl_attr_put_u8(&message->nlh, SCALEFABRIC_A_QP_TYPE, SCALEFABRIC_QP_TYPE_RC);
}

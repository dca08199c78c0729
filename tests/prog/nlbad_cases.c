// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <errno.h>
#include <string.h>

#include "common.h"
#include "genl.h"
#include "nlbad.h"

#define UNKNOWN_CMD	200
#define UNKNOWN_ATTR	999
#define NO_SUCH_QPN	0xfffffe

static struct nlmsghdr *qp_get(void)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_QP_GET, 0);

	mnl_attr_put_strz(nlh, SCALEFABRIC_A_QP_DEV_NAME, nlbad_device);
	return nlh;
}

static struct nlmsghdr *qp_rebind(void)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_QP_REBIND, 0);

	mnl_attr_put_strz(nlh, SCALEFABRIC_A_QP_DEV_NAME, nlbad_device);
	return nlh;
}

/* Asks for mode balance, which the rest of the message must prevent. */
static struct nlmsghdr *dev_set(void)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_DEV_SET, 0);

	mnl_attr_put_strz(nlh, SCALEFABRIC_A_DEV_NAME, nlbad_device);
	mnl_attr_put_u8(nlh, SCALEFABRIC_A_DEV_MODE, SCALEFABRIC_DEVICE_MODE_BALANCE);
	return nlh;
}

static struct genlmsghdr *genl_of(struct nlmsghdr *nlh)
{
	return mnl_nlmsg_get_payload(nlh);
}

static const struct nlmsghdr *half_genl_header(void)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_INFO_GET, 0);

	nlh->nlmsg_len = NLMSG_HDRLEN + 1;
	return nlh;
}

static const struct nlmsghdr *unknown_command(void)
{
	return genl_start(UNKNOWN_CMD, 0);
}

static const struct nlmsghdr *notification_as_request(void)
{
	return genl_start(SCALEFABRIC_CMD_QP_EVENT_NTF, 0);
}

static const struct nlmsghdr *dump_without_dump(void)
{
	return genl_start(SCALEFABRIC_CMD_INFO_GET, NLM_F_DUMP);
}

static const struct nlmsghdr *reserved_not_zero(void)
{
	struct nlmsghdr *nlh = qp_get();

	genl_of(nlh)->reserved = 1;
	return nlh;
}

static const struct nlmsghdr *attr_shorter_than_header(void)
{
	struct nlmsghdr *nlh = qp_get();
	struct nlattr *attr = mnl_nlmsg_get_payload_tail(nlh);

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_QP_LQPN, 17);
	attr->nla_len = 2;
	return nlh;
}

static const struct nlmsghdr *attr_beyond_message(void)
{
	struct nlmsghdr *nlh = qp_get();
	struct nlattr *attr = mnl_nlmsg_get_payload_tail(nlh);

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_QP_LQPN, 17);
	attr->nla_len = 4096;
	return nlh;
}

static const struct nlmsghdr *cut_in_attr(void)
{
	struct nlmsghdr *nlh = qp_get();

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_QP_LQPN, 17);
	nlh->nlmsg_len -= 2;
	return nlh;
}

static const struct nlmsghdr *bytes_after_attrs(void)
{
	struct nlmsghdr *nlh = qp_get();

	memset(mnl_nlmsg_get_payload_tail(nlh), 0xff, 3);
	nlh->nlmsg_len += 3;
	return nlh;
}

static const struct nlmsghdr *unknown_attr(void)
{
	struct nlmsghdr *nlh = qp_get();

	mnl_attr_put_u32(nlh, UNKNOWN_ATTR, 1);
	return nlh;
}

static const struct nlmsghdr *attr_of_replies(void)
{
	struct nlmsghdr *nlh = qp_get();

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_QP_RQPN, 1);
	return nlh;
}

static const struct nlmsghdr *nest_in_request(void)
{
	struct nlmsghdr *nlh = qp_get();
	struct nlattr *nest = mnl_attr_nest_start(nlh, SCALEFABRIC_A_QP_EVENTS);

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_EVENT_COUNT_COUNT, 1);
	mnl_attr_nest_end(nlh, nest);
	return nlh;
}

static const struct nlmsghdr *number_as_nest(void)
{
	struct nlmsghdr *nlh = qp_get();

	mnl_attr_put_u32(nlh, NLA_F_NESTED | SCALEFABRIC_A_QP_LQPN, 17);
	return nlh;
}

static const struct nlmsghdr *number_too_short(void)
{
	struct nlmsghdr *nlh = qp_get();

	mnl_attr_put_u16(nlh, SCALEFABRIC_A_QP_LQPN, 17);
	return nlh;
}

static const struct nlmsghdr *number_too_long(void)
{
	struct nlmsghdr *nlh = qp_get();

	mnl_attr_put_u64(nlh, SCALEFABRIC_A_QP_LQPN, 17);
	return nlh;
}

static const struct nlmsghdr *number_without_payload(void)
{
	struct nlmsghdr *nlh = qp_get();

	mnl_attr_put(nlh, SCALEFABRIC_A_QP_LQPN, 0, NULL);
	return nlh;
}

static const struct nlmsghdr *flag_with_payload(void)
{
	struct nlmsghdr *nlh = qp_get();

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_QP_LIVE, 1);
	return nlh;
}

static const struct nlmsghdr *qpn_of_25_bits(void)
{
	struct nlmsghdr *nlh = qp_get();

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_QP_LQPN, 1 << 24);
	return nlh;
}

static const struct nlmsghdr *no_such_type(void)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_QP_GET, NLM_F_DUMP);

	mnl_attr_put_u8(nlh, SCALEFABRIC_A_QP_TYPE, 200);
	return nlh;
}

static const struct nlmsghdr *no_such_state(void)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_QP_GET, NLM_F_DUMP);

	mnl_attr_put_u8(nlh, SCALEFABRIC_A_QP_STATE, SCALEFABRIC_QP_STATE_ERR + 1);
	return nlh;
}

static const struct nlmsghdr *dump_of_unknown_attr(void)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_QP_GET, NLM_F_DUMP);

	mnl_attr_put_u32(nlh, UNKNOWN_ATTR, 1);
	return nlh;
}

static const struct nlmsghdr *name_without_nul(void)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_DEV_GET, 0);

	mnl_attr_put(nlh, SCALEFABRIC_A_DEV_NAME, strlen(nlbad_device), nlbad_device);
	return nlh;
}

static const struct nlmsghdr *name_of_length(size_t len)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_DEV_GET, 0);
	struct nlattr *attr = mnl_nlmsg_get_payload_tail(nlh);

	memset(mnl_attr_get_payload(attr), 'x', len);
	((char *)mnl_attr_get_payload(attr))[len] = 0;
	attr->nla_type = SCALEFABRIC_A_DEV_NAME;
	attr->nla_len = MNL_ATTR_HDRLEN + len + 1;
	nlh->nlmsg_len += MNL_ALIGN(attr->nla_len);
	return nlh;
}

static const struct nlmsghdr *name_empty(void)
{
	return name_of_length(0);
}

static const struct nlmsghdr *name_one_too_long(void)
{
	return name_of_length(SCALEFABRIC_NAME_MAX + 1);
}

static const struct nlmsghdr *name_huge(void)
{
	return name_of_length(UINT16_MAX - 16);
}

static const struct nlmsghdr *many_unknown_attrs(void)
{
	struct nlmsghdr *nlh = qp_get();
	int i;

	for (i = 0; i < 8000; i++)
		mnl_attr_put_u32(nlh, UNKNOWN_ATTR, i);
	return nlh;
}

static const struct nlmsghdr *get_without_device(void)
{
	return genl_start(SCALEFABRIC_CMD_DEV_GET, 0);
}

static const struct nlmsghdr *get_unknown_device(void)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_DEV_GET, 0);

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_DEV_INDEX, UINT32_MAX);
	return nlh;
}

static const struct nlmsghdr *get_without_qpn(void)
{
	return qp_get();
}

static const struct nlmsghdr *get_unknown_qp(void)
{
	struct nlmsghdr *nlh = qp_get();

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_QP_LQPN, NO_SUCH_QPN);
	return nlh;
}

static const struct nlmsghdr *get_unknown_lane(void)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_LANE_GET, 0);

	mnl_attr_put_strz(nlh, SCALEFABRIC_A_LANE_DEV_NAME, nlbad_device);
	mnl_attr_put_u32(nlh, SCALEFABRIC_A_LANE_ID, UINT32_MAX);
	return nlh;
}

static const struct nlmsghdr *set_without_device(void)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_DEV_SET, 0);

	mnl_attr_put_u8(nlh, SCALEFABRIC_A_DEV_MODE, SCALEFABRIC_DEVICE_MODE_BALANCE);
	return nlh;
}

static const struct nlmsghdr *set_no_such_mode(void)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_DEV_SET, 0);

	mnl_attr_put_strz(nlh, SCALEFABRIC_A_DEV_NAME, nlbad_device);
	mnl_attr_put_u32(nlh, SCALEFABRIC_A_DEV_DRAIN_TIMEOUT, SCALEFABRIC_DRAIN_TIMEOUT_MAX);
	mnl_attr_put_u8(nlh, SCALEFABRIC_A_DEV_MODE, 7);
	return nlh;
}

static const struct nlmsghdr *set_drain_too_short(void)
{
	struct nlmsghdr *nlh = dev_set();

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_DEV_DRAIN_TIMEOUT, SCALEFABRIC_DRAIN_TIMEOUT_MIN - 1);
	return nlh;
}

static const struct nlmsghdr *set_drain_too_long(void)
{
	struct nlmsghdr *nlh = dev_set();

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_DEV_DRAIN_TIMEOUT, SCALEFABRIC_DRAIN_TIMEOUT_MAX + 1);
	return nlh;
}

static const struct nlmsghdr *set_and_unknown_attr(void)
{
	struct nlmsghdr *nlh = dev_set();

	mnl_attr_put_u32(nlh, UNKNOWN_ATTR, 1);
	return nlh;
}

static const struct nlmsghdr *set_driver(void)
{
	struct nlmsghdr *nlh = dev_set();

	mnl_attr_put_strz(nlh, SCALEFABRIC_A_DEV_DRIVER, "mlx5_ib");
	return nlh;
}

static const struct nlmsghdr *rebind_without_qpn(void)
{
	struct nlmsghdr *nlh = qp_rebind();

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_QP_LANE, 0);
	return nlh;
}

static const struct nlmsghdr *rebind_without_target(void)
{
	struct nlmsghdr *nlh = qp_rebind();

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_QP_LQPN, NO_SUCH_QPN);
	return nlh;
}

static const struct nlmsghdr *rebind_label_of_21_bits(void)
{
	struct nlmsghdr *nlh = qp_rebind();

	mnl_attr_put_u32(nlh, SCALEFABRIC_A_QP_LQPN, NO_SUCH_QPN);
	mnl_attr_put_u32(nlh, SCALEFABRIC_A_QP_FLOW_LABEL, SCALEFABRIC_FLOW_LABEL_MAX + 1);
	return nlh;
}

/* An attribute that is not there, or names nothing. */
#define MISSING	{ EINVAL }
#define BROKEN	{ EINVAL }
#define RANGE	{ ERANGE, EINVAL }

const struct bad_case bad_cases[] = {
	{ "half a generic netlink header", half_genl_header, BROKEN },
	{ "unknown command", unknown_command, { EOPNOTSUPP } },
	{ "notification sent as a request", notification_as_request, { EOPNOTSUPP } },
	{ "dump of a command without dump", dump_without_dump, { EOPNOTSUPP } },
	{ "reserved field not zero", reserved_not_zero, BROKEN },
	{ "attribute shorter than its header", attr_shorter_than_header, BROKEN },
	{ "attribute longer than the message", attr_beyond_message, BROKEN },
	{ "message cut inside an attribute", cut_in_attr, BROKEN },
	{ "bytes after the last attribute", bytes_after_attrs, BROKEN },
	{ "unknown attribute", unknown_attr, BROKEN },
	{ "attribute of replies only", attr_of_replies, BROKEN },
	{ "nest where none belongs", nest_in_request, BROKEN },
	{ "number flagged as a nest", number_as_nest, BROKEN },
	{ "number of 2 bytes for 4", number_too_short, RANGE },
	{ "number of 8 bytes for 4", number_too_long, RANGE },
	{ "number without payload", number_without_payload, RANGE },
	{ "flag with payload", flag_with_payload, RANGE },
	{ "QPN of 25 bits", qpn_of_25_bits, { ENOENT, ERANGE, EINVAL } },
	{ "QP type that is not", no_such_type, RANGE },
	{ "QP state that is not", no_such_state, RANGE },
	{ "dump with an unknown attribute", dump_of_unknown_attr, BROKEN },
	{ "name without NUL", name_without_nul, BROKEN },
	{ "empty name", name_empty, { ENODEV, EINVAL } },
	{ "name one too long", name_one_too_long, RANGE },
	{ "name of 64 KiB", name_huge, RANGE },
	{ "8000 unknown attributes", many_unknown_attrs, BROKEN },
	{ "get without device", get_without_device, MISSING },
	{ "get of an unknown device", get_unknown_device, { ENODEV } },
	{ "get without QPN", get_without_qpn, MISSING },
	{ "get of an unknown QP", get_unknown_qp, { ENOENT } },
	{ "get of an unknown lane", get_unknown_lane, { ENOENT, EINVAL } },
	{ "set without device", set_without_device, MISSING },
	{ "set of a mode that is not", set_no_such_mode, RANGE },
	{ "set of a drain timeout too short", set_drain_too_short, RANGE },
	{ "set of a drain timeout too long", set_drain_too_long, RANGE },
	{ "set with an unknown attribute", set_and_unknown_attr, BROKEN },
	{ "set of the driver", set_driver, BROKEN },
	{ "rebind without QPN", rebind_without_qpn, MISSING },
	{ "rebind to nowhere", rebind_without_target, MISSING },
	{ "rebind to a label of 21 bits", rebind_label_of_21_bits, RANGE },
};

const size_t n_bad_cases = ARRAY_SIZE(bad_cases);

// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric tests - netlink: what is accepted, and devices and lanes
 *
 * Included by kmod/netlink.c. That each command of the family takes what the contract
 * (Documentation/netlink/specs) allows, up to both ends of each range, and refuses all
 * else with the right error and a hint at the attribute; and that messages about
 * devices and lanes fit, also with everything as long as it can be.
 */
#include <kunit/test.h>

#include "tests/kunit/fake_device.h"
#include "tests/kunit/fake_hca.h"

#define CMD(name) SCALEFABRIC_CMD_##name
#define DEV(name) SCALEFABRIC_A_DEV_##name
#define LANE(name) SCALEFABRIC_A_LANE_##name
#define QP(name) SCALEFABRIC_A_QP_##name

/* What an attribute may be. */
enum rule_kind {
	REFUSED,
	NUMBER, /* 32 bits */
	RANGE,	/* 32 bits, from min to max */
	BYTE,	/* from 0 to max */
	TEXT,	/* ends, and has up to max characters */
	FLAG,
};

/**
 * struct rule - what the contract says of one attribute of a request
 * @cmd: the request
 * @attr: the attribute
 * @kind: what it may be
 * @min: see there
 * @max: see there
 */
struct rule {
	u8 cmd;
	u16 attr;
	enum rule_kind kind;
	u32 min, max;
};

/* All others are refused. */
static const struct rule rules[] = {
	{ CMD(INFO_GET), SCALEFABRIC_A_INFO_SYNC, FLAG },

	{ CMD(DEV_GET), DEV(INDEX), NUMBER },
	{ CMD(DEV_GET), DEV(NAME), TEXT, .max = 63 },

	{ CMD(DEV_SET), DEV(INDEX), NUMBER },
	{ CMD(DEV_SET), DEV(NAME), TEXT, .max = 63 },
	{ CMD(DEV_SET), DEV(MODE), BYTE,
	  .max = SCALEFABRIC_DEVICE_MODE_BALANCE },
	{ CMD(DEV_SET), DEV(DRAIN_TIMEOUT), RANGE, .min = 10, .max = 900 },

	{ CMD(LANE_GET), LANE(DEV_INDEX), NUMBER },
	{ CMD(LANE_GET), LANE(DEV_NAME), TEXT, .max = 63 },
	{ CMD(LANE_GET), LANE(ID), NUMBER },

	{ CMD(QP_GET), QP(DEV_INDEX), NUMBER },
	{ CMD(QP_GET), QP(DEV_NAME), TEXT, .max = 63 },
	{ CMD(QP_GET), QP(LQPN), NUMBER },
	{ CMD(QP_GET), QP(TYPE), BYTE, .max = SCALEFABRIC_QP_TYPE_OTHER },
	{ CMD(QP_GET), QP(STATE), BYTE, .max = SCALEFABRIC_QP_STATE_ERR },
	{ CMD(QP_GET), QP(PORT), NUMBER },
	{ CMD(QP_GET), QP(LANE), NUMBER },
	{ CMD(QP_GET), QP(PID), NUMBER },
	{ CMD(QP_GET), QP(COMM), TEXT, .max = 15 },
	{ CMD(QP_GET), QP(LIVE), FLAG },

	{ CMD(QP_REBIND), QP(DEV_INDEX), NUMBER },
	{ CMD(QP_REBIND), QP(DEV_NAME), TEXT, .max = 63 },
	{ CMD(QP_REBIND), QP(LQPN), NUMBER },
	{ CMD(QP_REBIND), QP(PORT), NUMBER },
	{ CMD(QP_REBIND), QP(LANE), NUMBER },
	/* The handler says what its range is. */
	{ CMD(QP_REBIND), QP(FLOW_LABEL), NUMBER },
};

static const struct genl_ops *ops_of(u8 cmd)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(scalefabric_nl_ops); i++)
		if (scalefabric_nl_ops[i].cmd == cmd)
			return &scalefabric_nl_ops[i];
	return NULL;
}

/* As generic netlink does it, for operations that ask for no leniency. */
static int parse(const struct genl_ops *ops, const struct nlattr *attr,
		 struct nlattr **tb, struct netlink_ext_ack *extack)
{
	return __nla_parse(tb, ops->maxattr, attr, NLA_ALIGN(attr->nla_len),
			   ops->policy, NL_VALIDATE_STRICT, extack);
}

/**
 * struct request - a request with one attribute
 * @test: the test
 * @ops: its command
 * @tb: where it is parsed to
 * @attr: the attribute, with room for 120 bytes
 */
struct request {
	struct kunit *test;
	const struct genl_ops *ops;
	struct nlattr **tb;
	struct nlattr *attr;
};

/* With @len bytes, that are already in the attribute, it is to give @ret. */
static void expect_parse(struct request *request, u16 len, int ret)
{
	struct netlink_ext_ack extack = {};
	struct nlattr *attr = request->attr;
	u16 type = attr->nla_type;

	attr->nla_len = nla_attr_size(len);
	KUNIT_EXPECT_EQ_MSG(request->test,
			    parse(request->ops, attr, request->tb, &extack),
			    ret, "command %u, attribute %u, %u bytes",
			    request->ops->cmd, type, len);
	if (!ret) {
		KUNIT_EXPECT_PTR_EQ(request->test, request->tb[type], attr);
		return;
	}
	/* The caller learns which attribute it was, and why. */
	KUNIT_EXPECT_PTR_EQ(request->test, extack.bad_attr, attr);
	KUNIT_EXPECT_NOT_NULL(request->test, extack._msg);
}

static void expect_number(struct request *request, u16 len, u32 value, int ret)
{
	memset(nla_data(request->attr), 0, 16);
	memcpy(nla_data(request->attr), &value, sizeof(value));
	expect_parse(request, len, ret);
}

/* @len characters, and @end: the NUL that ends them. */
static void expect_text(struct request *request, u16 len, bool end, int ret)
{
	memset(nla_data(request->attr), 'x', 120);
	if (end)
		((char *)nla_data(request->attr))[len] = '\0';
	expect_parse(request, len + end, ret);
}

static void check_refused(struct request *request, const struct rule *rule)
{
	expect_number(request, 0, 0, -EINVAL);
	expect_number(request, 1, 0, -EINVAL);
	expect_number(request, 4, 0, -EINVAL);
	expect_number(request, 8, 1, -EINVAL);
}

static void check_sizes(struct request *request, u16 size, u32 value)
{
	u16 len;

	for (len = 0; len <= 9; len++)
		expect_number(request, len, value, len == size ? 0 : -EINVAL);
}

static void check_number(struct request *request, const struct rule *rule)
{
	check_sizes(request, 4, 0);
	expect_number(request, 4, U32_MAX, 0);
}

static void check_range(struct request *request, const struct rule *rule)
{
	check_sizes(request, 4, rule->min);
	expect_number(request, 4, rule->max, 0);
	expect_number(request, 4, 0, -ERANGE);
	expect_number(request, 4, rule->min - 1, -ERANGE);
	expect_number(request, 4, rule->max + 1, -ERANGE);
	expect_number(request, 4, U32_MAX, -ERANGE);
}

static void check_byte(struct request *request, const struct rule *rule)
{
	check_sizes(request, 1, 0);
	expect_number(request, 1, rule->max, 0);
	expect_number(request, 1, rule->max + 1, -ERANGE);
	expect_number(request, 1, U8_MAX, -ERANGE);
}

static void check_text(struct request *request, const struct rule *rule)
{
	expect_text(request, 0, true, 0);
	expect_text(request, 1, true, 0);
	expect_text(request, rule->max, true, 0);
	expect_text(request, rule->max + 1, true, -EINVAL);
	expect_text(request, 100, true, -EINVAL);
	expect_text(request, 0, false, -EINVAL);
	expect_text(request, 1, false, -EINVAL);
	expect_text(request, rule->max, false, -EINVAL);
	expect_text(request, 100, false, -EINVAL);
}

static void check_flag(struct request *request, const struct rule *rule)
{
	expect_number(request, 0, 0, 0);
	expect_number(request, 1, 0, -ERANGE);
	expect_number(request, 4, 1, -ERANGE);
}

static void (*const checks[])(struct request *request,
			      const struct rule *rule) = {
	[REFUSED] = check_refused, [NUMBER] = check_number,
	[RANGE] = check_range,	   [BYTE] = check_byte,
	[TEXT] = check_text,	   [FLAG] = check_flag,
};

static const struct rule *rule_of(u8 cmd, u16 attr)
{
	static const struct rule refused = { .kind = REFUSED };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].cmd == cmd && rules[i].attr == attr)
			return &rules[i];
	return &refused;
}

/* Of each command each attribute that there is, and some that there are not. */
static void attributes_are_checked(struct kunit *test)
{
	struct request request = { .test = test };
	const struct rule *rule;
	u32 kept = 0;
	size_t i;
	u16 attr;

	request.tb = kunit_kcalloc(test, SCALEFABRIC_A_QP_MAX + 1,
				   sizeof(*request.tb), GFP_KERNEL);
	request.attr = kunit_kzalloc(test, nla_total_size(120), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, request.tb);
	KUNIT_ASSERT_NOT_NULL(test, request.attr);
	for (i = 0; i < ARRAY_SIZE(scalefabric_nl_ops); i++) {
		request.ops = &scalefabric_nl_ops[i];
		for (attr = 0; attr <= SCALEFABRIC_A_QP_MAX + 1; attr++) {
			rule = rule_of(request.ops->cmd, attr);
			request.attr->nla_type = attr;
			checks[rule->kind](&request, rule);
			kept += rule->kind != REFUSED;
		}
	}
	/* None of the rules was left out. */
	KUNIT_EXPECT_EQ(test, kept, ARRAY_SIZE(rules));
}

static void garbage_is_refused(struct kunit *test)
{
	struct nlattr *tb[SCALEFABRIC_A_DEV_MAX + 1];
	const struct genl_ops *ops = ops_of(CMD(DEV_SET));
	struct netlink_ext_ack extack = {};
	struct {
		struct nlattr attr;
		u32 data[2];
	} request = { { nla_attr_size(4), DEV(INDEX) } };

	/* Bytes too few for another attribute are left over. */
	KUNIT_EXPECT_EQ(test,
			__nla_parse(tb, ops->maxattr, &request.attr, 10,
				    ops->policy, NL_VALIDATE_STRICT, &extack),
			-EINVAL);
	/* It says that it is longer than the message. */
	request.attr.nla_len = 12;
	KUNIT_EXPECT_EQ(test,
			__nla_parse(tb, ops->maxattr, &request.attr, 8,
				    ops->policy, NL_VALIDATE_STRICT, &extack),
			-EINVAL);
	/* Shorter than its own head. */
	request.attr.nla_len = 2;
	KUNIT_EXPECT_EQ(test,
			__nla_parse(tb, ops->maxattr, &request.attr, 8,
				    ops->policy, NL_VALIDATE_STRICT, &extack),
			-EINVAL);
	/* An INDEX that claims to be nested. */
	request.attr.nla_len = nla_attr_size(4);
	request.attr.nla_type = DEV(INDEX) | NLA_F_NESTED;
	KUNIT_EXPECT_EQ(test,
			__nla_parse(tb, ops->maxattr, &request.attr, 8,
				    ops->policy, NL_VALIDATE_STRICT, &extack),
			-EINVAL);
}

static void operations_are_all_there(struct kunit *test)
{
	static const struct {
		u8 cmd;
		bool dump, admin;
	} commands[] = {
		{ CMD(INFO_GET), false, false },
		{ CMD(DEV_GET), true, false },
		{ CMD(DEV_SET), false, true },
		{ CMD(LANE_GET), true, false },
		{ CMD(QP_GET), true, false },
		{ CMD(QP_REBIND), false, true },
	};
	const struct genl_ops *ops;
	size_t i;

	KUNIT_EXPECT_EQ(test, sf_nl_family.n_ops, ARRAY_SIZE(commands));
	KUNIT_EXPECT_EQ(test, sf_nl_family.n_mcgrps, 2);
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		ops = ops_of(commands[i].cmd);
		KUNIT_ASSERT_NOT_NULL(test, ops);
		KUNIT_EXPECT_NOT_NULL(test, ops->doit);
		KUNIT_EXPECT_EQ(test, !!ops->dumpit, commands[i].dump);
		/* Whoever may change a device is asked for it, here first. */
		KUNIT_EXPECT_EQ(test, !!(ops->flags & GENL_UNS_ADMIN_PERM),
				commands[i].admin);
		KUNIT_EXPECT_EQ(test, ops->validate, 0);
	}
}

static struct nlattr *text_attr(struct kunit *test, u16 type, const char *text)
{
	struct nlattr *attr = kunit_kzalloc(test, 128, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, attr);
	attr->nla_type = type;
	attr->nla_len = nla_attr_size(strlen(text) + 1);
	strscpy(nla_data(attr), text, 100);
	return attr;
}

static struct nlattr *u32_attr(struct kunit *test, u16 type, u32 value)
{
	struct nlattr *attr =
		kunit_kzalloc(test, nla_total_size(4), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, attr);
	attr->nla_type = type;
	attr->nla_len = nla_attr_size(4);
	memcpy(nla_data(attr), &value, 4);
	return attr;
}

static void device_is_named_right(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct nlattr *index = u32_attr(test, DEV(INDEX), sdev->index);
	struct nlattr *other = u32_attr(test, DEV(INDEX), sdev->index + 1);
	struct nlattr *name = text_attr(test, DEV(NAME), sdev->name);
	struct nlattr *longer = text_attr(test, DEV(NAME), "fakefakefake");

#define MATCHES(index, name) \
	nl_dev_matches(sdev, &(struct sf_nl_dev_ref){ index, name })
	KUNIT_EXPECT_TRUE(test, MATCHES(NULL, NULL));
	KUNIT_EXPECT_TRUE(test, MATCHES(index, NULL));
	KUNIT_EXPECT_TRUE(test, MATCHES(NULL, name));
	KUNIT_EXPECT_TRUE(test, MATCHES(index, name));
	KUNIT_EXPECT_FALSE(test, MATCHES(other, NULL));
	KUNIT_EXPECT_FALSE(test, MATCHES(other, name));
	KUNIT_EXPECT_FALSE(test, MATCHES(index, longer));
	KUNIT_EXPECT_FALSE(test, MATCHES(NULL, longer));
#undef MATCHES
}

static void missing_device_is_explained(struct kunit *test)
{
	struct nlattr *index = u32_attr(test, DEV(INDEX), U32_MAX);
	struct nlattr *name = text_attr(test, DEV(NAME), "no such device");
	struct sf_nl_dev_ref none = {}, by_index = { index, NULL },
			     by_name = { NULL, name };
	struct netlink_ext_ack extack = {};
	struct genl_info info = { .extack = &extack };

	genl_info_net_set(&info, &init_net);
	KUNIT_EXPECT_EQ(test, PTR_ERR(sf_nl_dev_get(&info, &none)), -EINVAL);
	KUNIT_EXPECT_NOT_NULL(test, extack._msg);
	KUNIT_EXPECT_EQ(test, PTR_ERR(sf_nl_dev_get(&info, &by_index)),
			-ENODEV);
	KUNIT_EXPECT_PTR_EQ(test, extack.bad_attr, index);
	KUNIT_EXPECT_EQ(test, PTR_ERR(sf_nl_dev_get(&info, &by_name)), -ENODEV);
	KUNIT_EXPECT_PTR_EQ(test, extack.bad_attr, name);
	KUNIT_EXPECT_STREQ(test, extack._msg,
			   "no RDMA device named no such device");
}

static void free_msg(void *msg)
{
	nlmsg_free(msg);
}

static struct sk_buff *message(struct kunit *test, size_t size)
{
	struct sk_buff *msg = nlmsg_new(size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, msg);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, free_msg, msg));
	return msg;
}

/* A part that does not fit is taken back whole, and goes into the next message. */
static void longest_device_and_lane_fit(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sk_buff *msg = message(test, GENL_HDRLEN + NLMSG_GOODSIZE);
	struct sk_buff *small = message(test, 64);
	struct sf_nl_to to = {};
	struct sf_lane lane = {
		.ifindex = INT_MAX,
		.port = 0xff,
		.speed = U32_MAX,
	};
	unsigned int len;

	memset(sdev->name, 'x', sizeof(sdev->name) - 1);
	memset(lane.member, 'x', sizeof(lane.member) - 1);
	memset(lane.bond, 'x', sizeof(lane.bond) - 1);
	sdev->ibdev->ops.driver_id = RDMA_DRIVER_RXE;

	KUNIT_EXPECT_EQ(test, nl_fill_dev(msg, &to, sdev), 0);
	len = msg->len;
	KUNIT_EXPECT_GT(test, len, 0);
	KUNIT_EXPECT_EQ(test, nl_fill_lane(msg, &to, sdev, 1, &lane), 0);
	KUNIT_EXPECT_GT(test, msg->len, len);

	/* More than was asked for is there; leave as little. */
	skb_reserve(small, skb_tailroom(small) - 64);
	KUNIT_EXPECT_EQ(test, nl_fill_dev(small, &to, sdev), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, small->len, 0);
	KUNIT_EXPECT_EQ(test, nl_fill_lane(small, &to, sdev, 1, &lane),
			-EMSGSIZE);
	KUNIT_EXPECT_EQ(test, small->len, 0);
}

static struct kunit_case netlink_cases[] = {
	KUNIT_CASE(attributes_are_checked),
	KUNIT_CASE(garbage_is_refused),
	KUNIT_CASE(operations_are_all_there),
	KUNIT_CASE(device_is_named_right),
	KUNIT_CASE(missing_device_is_explained),
	KUNIT_CASE(longest_device_and_lane_fit),
	{}
};

static struct kunit_suite netlink_suite = {
	.name = "scalefabric_netlink",
	.test_cases = netlink_cases,
};

kunit_test_suite(netlink_suite);

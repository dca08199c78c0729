// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric tests - netlink: dumps of QPs, and the target of a move
 *
 * Included by kmod/netlink_qp.c. That a dump in many parts shows what is there all the
 * time exactly once and in order while QPs come and go between the parts, that what
 * narrows a dump does so, that the longest message about a QP fits, and that a target
 * of a move is taken or refused as the contract says.
 */
#include <kunit/test.h>
#include <linux/net.h>

#include "tests/kunit/fake_device.h"
#include "tests/kunit/fake_hca.h"

#define QP(name) SCALEFABRIC_A_QP_##name

static struct nlattr *number_attr(struct kunit *test, u16 type, u32 value,
				  int size)
{
	struct nlattr *attr =
		kunit_kzalloc(test, nla_total_size(4), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, attr);
	attr->nla_type = type;
	attr->nla_len = nla_attr_size(size);
	/* Little endian, as all machines with KUnit tests of ours. */
	memcpy(nla_data(attr), &value, size);
	return attr;
}

static struct nlattr *u32_attr(struct kunit *test, u16 type, u32 value)
{
	return number_attr(test, type, value, 4);
}

static struct nlattr *u8_attr(struct kunit *test, u16 type, u8 value)
{
	return number_attr(test, type, value, 1);
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

/**
 * struct dump - a dump of QPs, as netlink has it in parts
 * @attrs: what narrows it
 * @state: what generic netlink keeps of the request
 * @request: the request's header
 * @cb: what is kept between the parts
 * @sock: who asks
 */
struct dump {
	struct nlattr *attrs[SCALEFABRIC_A_QP_MAX + 1];
	struct genl_dumpit_info state;
	struct nlmsghdr request;
	struct netlink_callback cb;
	struct socket *sock;
};

static void dump_end(void *data)
{
	struct dump *dump = data;

	kfree_skb(dump->cb.skb);
	sock_release(dump->sock);
}

/* For the QPs of one device; the host's are none of our business. */
static struct dump *dump_begin(struct kunit *test, struct sf_device *sdev)
{
	struct dump *dump = kunit_kzalloc(test, sizeof(*dump), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, dump);
	KUNIT_ASSERT_EQ(test,
			sock_create_kern(&init_net, AF_NETLINK, SOCK_RAW,
					 NETLINK_GENERIC, &dump->sock),
			0);
	dump->cb.skb = alloc_skb(0, GFP_KERNEL);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, dump_end, dump));
	KUNIT_ASSERT_NOT_NULL(test, dump->cb.skb);
	dump->attrs[QP(DEV_INDEX)] = u32_attr(test, QP(DEV_INDEX), sdev->index);
	dump->state.info.attrs = dump->attrs;
	dump->cb.skb->sk = dump->sock->sk;
	dump->cb.nlh = &dump->request;
	dump->cb.data = &dump->state;
	return dump;
}

/* One part. Return: the QPs in it, whose numbers go to @qpns. */
static int dump_part(struct kunit *test, struct dump *dump, size_t size,
		     u32 *qpns)
{
	struct sk_buff *msg = alloc_skb(size, GFP_KERNEL);
	struct nlmsghdr *nlh;
	struct nlattr *attr;
	int ret, left, count = 0;

	KUNIT_ASSERT_NOT_NULL(test, msg);
	ret = scalefabric_nl_qp_get_dumpit(msg, &dump->cb);
	KUNIT_EXPECT_GE(test, ret, 0);
	nlh = (struct nlmsghdr *)msg->data;
	for (left = msg->len; nlmsg_ok(nlh, left);
	     nlh = nlmsg_next(nlh, &left)) {
		attr = nlmsg_find_attr(nlh, GENL_HDRLEN, QP(LQPN));
		if (attr)
			qpns[count++] = nla_get_u32(attr);
	}
	KUNIT_EXPECT_EQ(test, left, 0);
	kfree_skb(msg);
	return count;
}

#define DUMP_QPS 120
/* Room for a few QPs. */
#define DUMP_PART 700

static void dump_in_parts_shows_each_once(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct dump *dump = dump_begin(test, sdev);
	struct sf_qp *passing = NULL;
	u32 *qpns, i, kept = 0, parts = 0;
	int count;

	qpns = kunit_kcalloc(test, DUMP_QPS + 8, sizeof(*qpns), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, qpns);
	for (i = 0; i < DUMP_QPS; i++)
		sf_fake_qp_add(test, sdev, 1000 + i);

	do {
		count = dump_part(test, dump, DUMP_PART, qpns);
		for (i = 0; i < count; i++)
			if (qpns[i] < 1000 + DUMP_QPS)
				KUNIT_EXPECT_EQ(test, qpns[i], 1000 + kept++);
		/* Something comes and something goes before the next one. */
		if (passing)
			sf_fake_qp_remove(passing);
		passing = sf_fake_qp_add(test, sdev, 5000 + parts++);
	} while (count && parts < 2 * DUMP_QPS && kept < DUMP_QPS);
	KUNIT_EXPECT_EQ(test, kept, DUMP_QPS);
	KUNIT_EXPECT_GT(test, parts, 3);
}

static void dump_ends_and_gives_back(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct dump *dump = dump_begin(test, sdev);
	struct sf_qp *qp;
	u32 qpns[16];
	int i;

	for (i = 0; i < 5; i++)
		qp = sf_fake_qp_add(test, sdev, 10 + i);
	KUNIT_EXPECT_EQ(test, dump_part(test, dump, NLMSG_GOODSIZE, qpns), 5);
	KUNIT_EXPECT_EQ(test, qpns[0], 10);
	KUNIT_EXPECT_EQ(test, qpns[4], 14);
	KUNIT_EXPECT_EQ(test, dump_part(test, dump, NLMSG_GOODSIZE, qpns), 0);
	/* Neither a QP nor the device is held on to. */
	KUNIT_EXPECT_EQ(test, refcount_read(&qp->refs), 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&sdev->uses), 1);
}

/* Not one fits: that is an error, not the end. */
static void dump_without_room_says_so(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct dump *dump = dump_begin(test, sdev);
	struct sk_buff *msg = alloc_skb(40, GFP_KERNEL);
	struct sf_qp *qp = sf_fake_qp_add(test, sdev, 10);
	u32 qpns[4];

	KUNIT_ASSERT_NOT_NULL(test, msg);
	/* alloc_skb() rounds up; leave as little as was asked for. */
	skb_reserve(msg, skb_tailroom(msg) - 40);
	KUNIT_EXPECT_EQ(test, scalefabric_nl_qp_get_dumpit(msg, &dump->cb),
			-EMSGSIZE);
	KUNIT_EXPECT_EQ(test, msg->len, 0);
	kfree_skb(msg);
	KUNIT_EXPECT_EQ(test, refcount_read(&qp->refs), 1);
	KUNIT_EXPECT_EQ(test, dump_part(test, dump, NLMSG_GOODSIZE, qpns), 1);
}

/* A device that is going away is not shown any more. */
static void dump_leaves_out_devices_that_leave(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct dump *dump = dump_begin(test, sdev);
	u32 qpns[4];

	sf_fake_qp_add(test, sdev, 10);
	sf_device_put(sdev);
	KUNIT_EXPECT_EQ(test, dump_part(test, dump, NLMSG_GOODSIZE, qpns), 0);
	refcount_set(&sdev->uses, 1);
}

static void filters_narrow(struct kunit *test)
{
	struct nlattr **attrs = kunit_kcalloc(test, SCALEFABRIC_A_QP_MAX + 1,
					      sizeof(*attrs), GFP_KERNEL);
	struct sf_qp_info info = sf_fake_info(77);
	struct sf_qp *qp;
	size_t i;
	struct {
		struct nlattr *attr;
		bool wanted;
	} filters[] = {
		{ u32_attr(test, QP(LQPN), 77), true },
		{ u32_attr(test, QP(LQPN), 78), false },
		{ u8_attr(test, QP(TYPE), SCALEFABRIC_QP_TYPE_RC), true },
		{ u8_attr(test, QP(TYPE), SCALEFABRIC_QP_TYPE_UD), false },
		{ u8_attr(test, QP(STATE), SCALEFABRIC_QP_STATE_RTS), true },
		{ u8_attr(test, QP(STATE), SCALEFABRIC_QP_STATE_ERR), false },
		{ u32_attr(test, QP(PORT), 2), true },
		{ u32_attr(test, QP(PORT), 1), false },
		{ u32_attr(test, QP(PORT), 0), false },
		{ u32_attr(test, QP(LANE), 3), true },
		{ u32_attr(test, QP(LANE), 4), false },
		{ u32_attr(test, QP(PID), 1), false },
		{ text_attr(test, QP(COMM), "owner"), true },
		{ text_attr(test, QP(COMM), "own"), false },
		{ text_attr(test, QP(COMM), "owners"), false },
	};

	KUNIT_ASSERT_NOT_NULL(test, attrs);
	info.state = SCALEFABRIC_QP_STATE_RTS;
	info.port = 2;
	info.lane = 3;
	strscpy(info.comm, "owner", sizeof(info.comm));
	qp = sf_fake_qp_add(test, sf_fake_device(test, NULL), 77);
	KUNIT_EXPECT_TRUE(test, qp_wanted(attrs, qp, &info));
	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		attrs[nla_type(filters[i].attr)] = filters[i].attr;
		KUNIT_EXPECT_EQ_MSG(test, qp_wanted(attrs, qp, &info),
				    filters[i].wanted, "filter %zu", i);
		attrs[nla_type(filters[i].attr)] = NULL;
	}

	/* No number stands for "not known". */
	info.lane = SF_LANE_NONE;
	info.port = 0;
	attrs[QP(LANE)] = u32_attr(test, QP(LANE), SF_LANE_NONE);
	KUNIT_EXPECT_FALSE(test, qp_wanted(attrs, qp, &info));
	attrs[QP(LANE)] = NULL;
	attrs[QP(PORT)] = u32_attr(test, QP(PORT), 0);
	KUNIT_EXPECT_FALSE(test, qp_wanted(attrs, qp, &info));
}

/* All that can be said of a QP, as long as it can be. */
static struct sf_qp_info longest_info(void)
{
	struct sf_qp_info info;

	memset(&info, 0xff, sizeof(info));
	memset(info.comm, 'x', sizeof(info.comm));
	info.comm[sizeof(info.comm) - 1] = '\0';
	info.type = SCALEFABRIC_QP_TYPE_RC;
	info.state = SCALEFABRIC_QP_STATE_RTS;
	info.port = 1;
	info.lane = 0;
	info.path_mtu = IB_MTU_4096;
	info.event = SCALEFABRIC_QP_EVENT_FATAL;
	info.result = SCALEFABRIC_REBIND_RESULT_MOVED;
	info.flow_label = SCALEFABRIC_FLOW_LABEL_MAX;
	return info;
}

static void longest_qp_fits(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sf_qp_info info = longest_info();
	struct sf_qp *qp = sf_fake_qp_add(test, sdev, 5);
	struct sf_nl_to to = {};
	struct sk_buff *msg;

	memset(sdev->name, 'x', sizeof(sdev->name) - 1);
	memset(sdev->lanes.lane[0].member, 'x', IFNAMSIZ - 1);
	sdev->lanes.count = 1;
	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, msg);
	KUNIT_EXPECT_EQ(test, fill_qp(msg, &to, qp, &info), 0);
	/* And would with a port and a path more. */
	KUNIT_EXPECT_LT(test, msg->len, NLMSG_GOODSIZE / 2);
	nlmsg_free(msg);
}

/* What is not known has no attribute. */
static void unknown_is_absent(struct kunit *test)
{
	static const u16 absent[] = {
		QP(RQPN),	 QP(PORT),	QP(LANE),     QP(LANE_NAME),
		QP(SGID_INDEX),	 QP(SGID),	QP(DGID),     QP(DLID),
		QP(FLOW_LABEL),	 QP(UDP_SPORT), QP(PATH_MTU), QP(PID),
		QP(CREATE_TIME), QP(EVENTS),	QP(EVENT),    QP(EVENT_TIME),
		QP(RESULT),
	};
	static const u16 present[] = {
		QP(DEV_INDEX), QP(DEV_NAME), QP(LQPN),
		QP(TYPE),      QP(STATE),    QP(COMM),
		QP(KERNEL),    QP(MODIFIES), QP(REBINDS),
	};
	struct sf_qp *qp = sf_fake_qp_add(test, sf_fake_device(test, NULL), 5);
	struct sk_buff *msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	struct sf_nl_to to = {};
	size_t i;

	KUNIT_ASSERT_NOT_NULL(test, msg);
	KUNIT_EXPECT_EQ(test, fill_qp(msg, &to, qp, &qp->info), 0);
	for (i = 0; i < ARRAY_SIZE(absent); i++)
		KUNIT_EXPECT_NULL(test,
				  nlmsg_find_attr(nlmsg_hdr(msg), GENL_HDRLEN,
						  absent[i]));
	for (i = 0; i < ARRAY_SIZE(present); i++)
		KUNIT_EXPECT_NOT_NULL(test,
				      nlmsg_find_attr(nlmsg_hdr(msg),
						      GENL_HDRLEN, present[i]));
	nlmsg_free(msg);
}

struct target_case {
	const char *name;
	bool by_lane, by_label;
	u32 lane, label;
	int ret;
	u16 bad;
};

static const struct target_case target_cases[] = {
	{ "neither", .ret = -EINVAL },
	{ "both", .by_lane = true, .by_label = true, .ret = -EINVAL },
	{ "label 0", .by_label = true, .label = 0 },
	{ "last label", .by_label = true, .label = 0xfffff },
	{ "one too far", .by_label = true, .label = 0x100000, .ret = -ERANGE,
	  .bad = QP(FLOW_LABEL) },
	{ "far too far", .by_label = true, .label = U32_MAX, .ret = -ERANGE,
	  .bad = QP(FLOW_LABEL) },
	{ "first lane", .by_lane = true, .lane = 0 },
	{ "last lane", .by_lane = true, .lane = 1 },
	{ "no such lane", .by_lane = true, .lane = 2, .ret = -EINVAL,
	  .bad = QP(LANE) },
	{ "not its low byte", .by_lane = true, .lane = 0x100, .ret = -EINVAL,
	  .bad = QP(LANE) },
};

KUNIT_ARRAY_PARAM_DESC(target, target_cases, name);

static void target_is_checked(struct kunit *test)
{
	const struct target_case *wanted = test->param_value;
	struct nlattr *attrs[SCALEFABRIC_A_QP_MAX + 1] = {};
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct netlink_ext_ack extack = {};
	struct genl_info info = { .attrs = attrs, .extack = &extack };
	struct sf_rebind_target target = {};

	sdev->lanes.count = 2;
	if (wanted->by_lane)
		attrs[QP(LANE)] = u32_attr(test, QP(LANE), wanted->lane);
	if (wanted->by_label)
		attrs[QP(FLOW_LABEL)] =
			u32_attr(test, QP(FLOW_LABEL), wanted->label);
	KUNIT_EXPECT_EQ(test, rebind_target(&info, sdev, &target), wanted->ret);
	KUNIT_EXPECT_EQ(test, !!extack._msg, !!wanted->ret);
	if (wanted->bad)
		KUNIT_EXPECT_PTR_EQ(test, extack.bad_attr, attrs[wanted->bad]);
	if (wanted->ret)
		return;
	KUNIT_EXPECT_EQ(test, target.by_label, wanted->by_label);
	KUNIT_EXPECT_EQ(test, target.label, wanted->label);
	KUNIT_EXPECT_EQ(test, target.lane, wanted->lane);
}

/* Return: the error, or 0 where a QP was found. */
static int named_error(struct genl_info *info, struct sf_device *sdev)
{
	struct sf_qp *qp = named_qp(info, sdev);

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	sf_qp_put(qp);
	return 0;
}

static void qp_is_named_right(struct kunit *test)
{
	struct nlattr *attrs[SCALEFABRIC_A_QP_MAX + 1] = {};
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct netlink_ext_ack extack = {};
	struct genl_info info = { .attrs = attrs, .extack = &extack };
	struct sf_qp *qp = sf_fake_qp_add(test, sdev, 12), *found;

	KUNIT_EXPECT_EQ(test, named_error(&info, sdev), -EINVAL);
	KUNIT_EXPECT_NOT_NULL(test, extack._msg);

	attrs[QP(LQPN)] = u32_attr(test, QP(LQPN), 13);
	KUNIT_EXPECT_EQ(test, named_error(&info, sdev), -ENOENT);
	KUNIT_EXPECT_PTR_EQ(test, extack.bad_attr, attrs[QP(LQPN)]);

	/* ib_core's number of port 1's GSI QP is no QP number. */
	sf_fake_qp_add(test, sdev, sf_qp_id(1, IB_QPT_GSI, 1));
	attrs[QP(LQPN)] = u32_attr(test, QP(LQPN), 0x1000001);
	KUNIT_EXPECT_EQ(test, named_error(&info, sdev), -ENOENT);

	attrs[QP(LQPN)] = u32_attr(test, QP(LQPN), 12);
	found = named_qp(&info, sdev);
	KUNIT_EXPECT_PTR_EQ(test, found, qp);
	if (!IS_ERR(found))
		sf_qp_put(found);
}

/* Whatever the result, there are words for it. */
static void results_are_explained(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sf_rebind_report report = { .info = sf_fake_info(5) };
	struct sf_rebind_target target = {};
	struct netlink_ext_ack extack;
	struct genl_info info = { .extack = &extack };
	u8 result;

	for (result = 0; result <= SCALEFABRIC_REBIND_RESULT_STUCK; result++) {
		if (!sf_rebind_errno(result))
			continue;
		memset(&extack, 0, sizeof(extack));
		report.result = result;
		explain_result(&info, sdev, &target, &report);
		KUNIT_EXPECT_NOT_NULL(test, extack._msg);
	}
}

static struct kunit_case netlink_qp_cases[] = {
	KUNIT_CASE(dump_in_parts_shows_each_once),
	KUNIT_CASE(dump_ends_and_gives_back),
	KUNIT_CASE(dump_without_room_says_so),
	KUNIT_CASE(dump_leaves_out_devices_that_leave),
	KUNIT_CASE(filters_narrow),
	KUNIT_CASE(longest_qp_fits),
	KUNIT_CASE(unknown_is_absent),
	KUNIT_CASE_PARAM(target_is_checked, target_gen_params),
	KUNIT_CASE(qp_is_named_right),
	KUNIT_CASE(results_are_explained),
	{}
};

static struct kunit_suite netlink_qp_suite = {
	.name = "scalefabric_netlink_qp",
	.test_cases = netlink_qp_cases,
};

kunit_test_suite(netlink_qp_suite);

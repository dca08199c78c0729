// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric tests - which lane a QP uses
 *
 * Included by kmod/lane_probe.c. That a bond is asked with the very packet that the QP
 * would send, that only bonds which can tell are asked, that the answer becomes a lane,
 * and that a label is found if and only if one leads to the lane wanted. The bond is a
 * network device of the test's own, which keeps what it is asked; real bonds are the
 * business of tests/vm.
 */
#include <kunit/test.h>

#include "tests/kunit/fake_device.h"
#include "tests/kunit/fake_hca.h"

#define LABEL_PORTS 0x4000

static struct sf_fake_hca *test_hca;

static int probe_suite_init(struct kunit_suite *suite)
{
	test_hca = sf_fake_hca_register();
	return PTR_ERR_OR_ZERO(test_hca);
}

static void probe_suite_exit(struct kunit_suite *suite)
{
	if (!IS_ERR_OR_NULL(test_hca))
		sf_fake_hca_unregister(test_hca);
}

static int choose_by_parity(u16 sport)
{
	return sport & 1;
}

static int choose_none(u16 sport)
{
	return -1;
}

static int choose_first(u16 sport)
{
	return 0;
}

/* One source port of all leads to the second. */
static u16 rare_port;

static int choose_rarely(u16 sport)
{
	return sport == rare_port;
}

static void bond_off(void *hca)
{
	sf_fake_hca_bond(hca, -1, 0);
}

/* A device of two lanes, over a bond that chooses as it is told. */
static struct sf_device *bonded(struct kunit *test, int (*choose)(u16 sport))
{
	struct sf_device *sdev = sf_fake_device(test, &test_hca->ibdev);
	struct sf_fake_bond *bond = &test_hca->bond;
	int i;

	for (i = 0; i < 2; i++)
		sdev->lanes.lane[i] = (struct sf_lane){
			.port = 1,
			.ifindex = bond->slaves[i]->ifindex,
		};
	sdev->lanes.count = 2;
	bond->choose = choose;
	bond->asked = 0;
	sf_fake_hca_bond(test_hca, BOND_MODE_XOR, BOND_XMIT_POLICY_LAYER34);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, bond_off, test_hca));
	return sdev;
}

/* A QP between two IPv6 addresses, or two IPv4 ones. */
static struct sf_qp_info path(bool v4)
{
	static const u8 v6_gid[16] = { 0xfd, 0, 0, 0x77, [15] = 1 };
	static const u8 v4_gid[16] = { [10] = 0xff, 0xff, 10, 77, 0, 1 };
	struct sf_qp_info info = sf_fake_info(0x11);

	memcpy(info.sgid.raw, v4 ? v4_gid : v6_gid, 16);
	memcpy(info.dgid.raw, v4 ? v4_gid : v6_gid, 16);
	info.dgid.raw[15] = 2;
	info.rqpn = 0x22;
	info.flow_label = 0xabcde;
	info.port = 1;
	info.av = true;
	info.grh = true;
	info.connected = true;
	memcpy(info.dmac, "\x02\x5f\x00\x00\x00\xfe", ETH_ALEN);
	return info;
}

static u16 be16_at(const u8 *packet, int offset)
{
	return packet[offset] << 8 | packet[offset + 1];
}

static void expect_ethernet(struct kunit *test, const struct sf_fake_bond *bond,
			    u16 type)
{
	KUNIT_EXPECT_MEMEQ(test, bond->packet, "\x02\x5f\x00\x00\x00\xfe", 6);
	KUNIT_EXPECT_MEMEQ(test, bond->packet + 6, test_hca->netdev->dev_addr,
			   6);
	KUNIT_EXPECT_EQ(test, be16_at(bond->packet, 12), type);
	KUNIT_EXPECT_EQ(test, ntohs(bond->protocol), type);
	KUNIT_EXPECT_EQ(test, bond->network, 14);
}

static void expect_udp(struct kunit *test, const struct sf_fake_bond *bond,
		       int offset, u16 sport)
{
	KUNIT_EXPECT_EQ(test, bond->transport, offset);
	KUNIT_EXPECT_EQ(test, bond->len, offset + 8);
	KUNIT_EXPECT_EQ(test, be16_at(bond->packet, offset), sport);
	KUNIT_EXPECT_EQ(test, be16_at(bond->packet, offset + 2), 4791);
	KUNIT_EXPECT_EQ(test, be16_at(bond->packet, offset + 4), 8);
	KUNIT_EXPECT_EQ(test, be16_at(bond->packet, offset + 6), 0);
}

/* The source port of label 0xabcde: its upper 6 bits over its lower 14, from 0xc000. */
#define SPORT (((0xabcde & 0x3fff) ^ (0xabcde >> 14)) | 0xc000)

static void ipv4_packet_is_the_qps(struct kunit *test)
{
	const struct sf_fake_bond *bond = &test_hca->bond;
	struct sf_device *sdev = bonded(test, choose_by_parity);
	struct sf_qp_info info = path(true);

	KUNIT_EXPECT_EQ(test, sf_lane_of(sdev, &info), SPORT & 1);
	KUNIT_ASSERT_EQ(test, bond->asked, 1);
	expect_ethernet(test, bond, 0x0800);
	/* Version and header length; total length; UDP; the addresses. */
	KUNIT_EXPECT_EQ(test, bond->packet[14], 0x45);
	KUNIT_EXPECT_EQ(test, be16_at(bond->packet, 16), 28);
	KUNIT_EXPECT_EQ(test, bond->packet[23], 17);
	KUNIT_EXPECT_MEMEQ(test, bond->packet + 26, "\x0a\x4d\x00\x01", 4);
	KUNIT_EXPECT_MEMEQ(test, bond->packet + 30, "\x0a\x4d\x00\x02", 4);
	expect_udp(test, bond, 34, SPORT);
}

static void ipv6_packet_is_the_qps(struct kunit *test)
{
	const struct sf_fake_bond *bond = &test_hca->bond;
	struct sf_device *sdev = bonded(test, choose_by_parity);
	struct sf_qp_info info = path(false);

	KUNIT_EXPECT_EQ(test, sf_lane_of(sdev, &info), SPORT & 1);
	KUNIT_ASSERT_EQ(test, bond->asked, 1);
	expect_ethernet(test, bond, 0x86dd);
	/* Version and flow label; payload length; UDP; the addresses. */
	KUNIT_EXPECT_MEMEQ(test, bond->packet + 14, "\x60\x0a\xbc\xde", 4);
	KUNIT_EXPECT_EQ(test, be16_at(bond->packet, 18), 8);
	KUNIT_EXPECT_EQ(test, bond->packet[20], 17);
	KUNIT_EXPECT_MEMEQ(test, bond->packet + 22, info.sgid.raw, 16);
	KUNIT_EXPECT_MEMEQ(test, bond->packet + 38, info.dgid.raw, 16);
	expect_udp(test, bond, 54, SPORT);
}

/* Without a label the two QP numbers give the port. */
static void without_label_numbers_count(struct kunit *test)
{
	struct sf_device *sdev = bonded(test, choose_by_parity);
	struct sf_qp_info info = path(true);
	u16 sport;

	info.flow_label = 0;
	sf_lane_of(sdev, &info);
	sport = be16_at(test_hca->bond.packet, 34);
	KUNIT_EXPECT_EQ(test, sport,
			rdma_get_udp_sport(0, info.qpn, info.rqpn));
	KUNIT_EXPECT_GE(test, sport, 0xc000);
}

static const struct tell_case {
	const char *name;
	int mode;
	int policy;
	bool mac_known;
	bool tells;
} tell_cases[] = {
	{ "active-backup", BOND_MODE_ACTIVEBACKUP, BOND_XMIT_POLICY_LAYER2,
	  false, true },
	{ "round robin", BOND_MODE_ROUNDROBIN, BOND_XMIT_POLICY_LAYER34, true,
	  false },
	{ "broadcast", BOND_MODE_BROADCAST, BOND_XMIT_POLICY_LAYER34, true,
	  false },
	{ "tlb", BOND_MODE_TLB, BOND_XMIT_POLICY_LAYER34, true, false },
	{ "alb", BOND_MODE_ALB, BOND_XMIT_POLICY_LAYER34, true, false },
	{ "xor, layer 2", BOND_MODE_XOR, BOND_XMIT_POLICY_LAYER2, true, true },
	{ "xor, layer 2, no MAC", BOND_MODE_XOR, BOND_XMIT_POLICY_LAYER2, false,
	  false },
	{ "xor, layer 2+3", BOND_MODE_XOR, BOND_XMIT_POLICY_LAYER23, true,
	  true },
	{ "xor, layer 2+3, no MAC", BOND_MODE_XOR, BOND_XMIT_POLICY_LAYER23,
	  false, false },
	{ "xor, encap 2+3, no MAC", BOND_MODE_XOR, BOND_XMIT_POLICY_ENCAP23,
	  false, false },
	{ "xor, layer 3+4, no MAC", BOND_MODE_XOR, BOND_XMIT_POLICY_LAYER34,
	  false, true },
	{ "xor, encap 3+4, no MAC", BOND_MODE_XOR, BOND_XMIT_POLICY_ENCAP34,
	  false, true },
	{ "802.3ad, layer 3+4, no MAC", BOND_MODE_8023AD,
	  BOND_XMIT_POLICY_LAYER34, false, true },
	{ "802.3ad, layer 2, no MAC", BOND_MODE_8023AD, BOND_XMIT_POLICY_LAYER2,
	  false, false },
};

KUNIT_ARRAY_PARAM_DESC(tell, tell_cases, name);

static void only_bonds_that_can_tell_are_asked(struct kunit *test)
{
	const struct tell_case *bond = test->param_value;
	struct sf_device *sdev = bonded(test, choose_first);
	struct sf_qp_info info = path(true);
	u32 label;

	sf_fake_hca_bond(test_hca, bond->mode, bond->policy);
	if (!bond->mac_known)
		eth_zero_addr(info.dmac);
	KUNIT_EXPECT_EQ(test, sf_lane_of(sdev, &info),
			bond->tells ? 0 : SF_LANE_NONE);
	KUNIT_EXPECT_EQ(test, test_hca->bond.asked, bond->tells);
	KUNIT_EXPECT_EQ(test, sf_lane_label(sdev, &info, 0, &label),
			bond->tells ? 0 : -ENOENT);
}

/* Whom nobody needs to ask, and whom it makes no sense to. */
static void others_are_not_asked(struct kunit *test)
{
	struct sf_device *sdev = bonded(test, choose_first);
	struct sf_qp_info info = path(true);

	info.port = 0;
	KUNIT_EXPECT_EQ(test, sf_lane_of(sdev, &info), SF_LANE_NONE);
	info = path(true);
	info.connected = false;
	KUNIT_EXPECT_EQ(test, sf_lane_of(sdev, &info), SF_LANE_NONE);
	info = path(true);
	info.av = false;
	KUNIT_EXPECT_EQ(test, sf_lane_of(sdev, &info), SF_LANE_NONE);
	info = path(true);
	info.grh = false;
	KUNIT_EXPECT_EQ(test, sf_lane_of(sdev, &info), SF_LANE_NONE);
	info = path(true);
	info.sgid_index = 200;
	KUNIT_EXPECT_EQ(test, sf_lane_of(sdev, &info), SF_LANE_NONE);
	info = path(true);
	sf_fake_hca_bond(test_hca, -1, 0);
	KUNIT_EXPECT_EQ(test, sf_lane_of(sdev, &info), SF_LANE_NONE);
	KUNIT_EXPECT_EQ(test, test_hca->bond.asked, 0);

	/* Of one lane it is that. */
	sdev->lanes.count = 1;
	KUNIT_EXPECT_EQ(test, sf_lane_of(sdev, &info), 0);
	KUNIT_EXPECT_EQ(test, test_hca->bond.asked, 0);
}

static void answer_is_a_lane_or_none(struct kunit *test)
{
	struct sf_device *sdev = bonded(test, choose_none);
	struct sf_qp_info info = path(true);

	KUNIT_EXPECT_EQ(test, sf_lane_of(sdev, &info), SF_LANE_NONE);
	test_hca->bond.choose = choose_first;
	KUNIT_EXPECT_EQ(test, sf_lane_of(sdev, &info), 0);
	/* A member that is no lane (yet). */
	sdev->lanes.lane[0].ifindex = 1;
	KUNIT_EXPECT_EQ(test, sf_lane_of(sdev, &info), SF_LANE_NONE);
}

static void labels_lead_to_their_lane(struct kunit *test)
{
	struct sf_device *sdev = bonded(test, choose_by_parity);
	struct sf_qp_info info = path(true);
	u32 label, qpn;
	u8 lane;

	for (qpn = 0; qpn < 200; qpn++) {
		info.qpn = qpn;
		lane = qpn & 1;
		KUNIT_ASSERT_EQ(test, sf_lane_label(sdev, &info, lane, &label),
				0);
		KUNIT_ASSERT_GT(test, label, 0);
		KUNIT_ASSERT_LE(test, label, SCALEFABRIC_FLOW_LABEL_MAX);
		KUNIT_ASSERT_NE(test, label, info.flow_label);
		info.flow_label = label;
		KUNIT_ASSERT_EQ(test, sf_lane_of(sdev, &info), lane);
	}
}

static void no_label_for_lanes_out_of_reach(struct kunit *test)
{
	struct sf_device *sdev = bonded(test, choose_first);
	struct sf_qp_info info = path(true);
	u32 label = 99;

	KUNIT_EXPECT_EQ(test, sf_lane_label(sdev, &info, 1, &label), -ENOENT);
	KUNIT_EXPECT_EQ(test, sf_lane_label(sdev, &info, 7, &label), -ENOENT);
	test_hca->bond.choose = choose_none;
	KUNIT_EXPECT_EQ(test, sf_lane_label(sdev, &info, 0, &label), -ENOENT);
	sf_fake_hca_bond(test_hca, -1, 0);
	KUNIT_EXPECT_EQ(test, sf_lane_label(sdev, &info, 0, &label), -ENOENT);
	KUNIT_EXPECT_EQ(test, label, 99);
}

/* A search begins where the QP numbers say, and goes through LABEL_TRIES ports. */
static void search_goes_as_far_as_it_says(struct kunit *test)
{
	struct sf_device *sdev = bonded(test, choose_rarely);
	struct sf_qp_info info = path(true);
	u32 start = jhash_2words(info.qpn, info.rqpn, 0), label;

	label = (start + LABEL_TRIES - 1) & SCALEFABRIC_FLOW_LABEL_MAX;
	rare_port = rdma_flow_label_to_udp_sport(label);
	KUNIT_EXPECT_EQ(test, sf_lane_label(sdev, &info, 1, &label), 0);
	KUNIT_EXPECT_EQ(test, rdma_flow_label_to_udp_sport(label), rare_port);
	KUNIT_EXPECT_LE(test, test_hca->bond.asked, LABEL_TRIES);

	/* What it does not try it does not find: half of all ports further. */
	label = (start + LABEL_PORTS / 2) & SCALEFABRIC_FLOW_LABEL_MAX;
	rare_port = rdma_flow_label_to_udp_sport(label);
	KUNIT_EXPECT_EQ(test, sf_lane_label(sdev, &info, 1, &label), -ENOENT);
}

/* The QP's own label is no move, and no label at all has another meaning. */
static void own_label_and_none_are_passed_over(struct kunit *test)
{
	struct sf_device *sdev = bonded(test, choose_rarely);
	struct sf_qp_info info = path(true);
	u32 start, label;

	start = jhash_2words(info.qpn, info.rqpn, 0);
	info.flow_label = start & SCALEFABRIC_FLOW_LABEL_MAX;
	rare_port = rdma_flow_label_to_udp_sport(info.flow_label);
	if (!sf_lane_label(sdev, &info, 1, &label))
		KUNIT_EXPECT_NE(test, label, info.flow_label);

	/* A QP whose search comes by 0. */
	for (info.qpn = 0; info.qpn < 100000; info.qpn++) {
		start = jhash_2words(info.qpn, info.rqpn, 0);
		if (-start % (SCALEFABRIC_FLOW_LABEL_MAX + 1) < 100)
			break;
	}
	KUNIT_ASSERT_LT(test, info.qpn, 100000);
	rare_port = rdma_flow_label_to_udp_sport(0);
	if (!sf_lane_label(sdev, &info, 1, &label))
		KUNIT_EXPECT_NE(test, label, 0);
}

static void drivers_that_use_the_label(struct kunit *test)
{
	static const struct {
		enum rdma_driver_id driver;
		bool uses, through_netdev;
	} drivers[] = {
		{ RDMA_DRIVER_RXE, true, true },
		{ RDMA_DRIVER_MLX5, true, false },
		{ RDMA_DRIVER_HNS, true, false },
		{ RDMA_DRIVER_IRDMA, true, false },
		{ RDMA_DRIVER_MLX4, false, false },
		{ RDMA_DRIVER_SIW, false, false },
		{ RDMA_DRIVER_UNKNOWN, false, false },
	};
	struct sf_device *sdev = sf_fake_device(test, NULL);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(drivers); i++) {
		sdev->ibdev->ops.driver_id = drivers[i].driver;
		KUNIT_EXPECT_EQ(test, sf_lane_label_is_port(sdev),
				drivers[i].uses);
		KUNIT_EXPECT_EQ(test, sends_through_netdev(sdev),
				drivers[i].through_netdev);
	}
}

static struct kunit_case probe_cases[] = {
	KUNIT_CASE(ipv4_packet_is_the_qps),
	KUNIT_CASE(ipv6_packet_is_the_qps),
	KUNIT_CASE(without_label_numbers_count),
	KUNIT_CASE_PARAM(only_bonds_that_can_tell_are_asked, tell_gen_params),
	KUNIT_CASE(others_are_not_asked),
	KUNIT_CASE(answer_is_a_lane_or_none),
	KUNIT_CASE(labels_lead_to_their_lane),
	KUNIT_CASE(no_label_for_lanes_out_of_reach),
	KUNIT_CASE(search_goes_as_far_as_it_says),
	KUNIT_CASE(own_label_and_none_are_passed_over),
	KUNIT_CASE(drivers_that_use_the_label),
	{}
};

static struct kunit_suite probe_suite = {
	.name = "scalefabric_lane_probe",
	.suite_init = probe_suite_init,
	.suite_exit = probe_suite_exit,
	.test_cases = probe_cases,
};

kunit_test_suite(probe_suite);

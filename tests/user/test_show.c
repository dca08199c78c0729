// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Attributes as text, as columns and as JSON.
 */

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "../../userspace/sfnl/sfnl.h"
#include "craft.h"
#include "harness.h"

/* JSON text that must be valid and equal. */
static void check_json(const char *got, const char *expected)
{
	json_t *a = json_loads(got, 0, NULL), *b = json_loads(expected, 0, NULL);

	check(b, "the test's own JSON is wrong: %s", expected);
	check(a && json_equal(a, b), "JSON is %s, expected %s", got, expected);
	json_decref(a);
	json_decref(b);
}

/* Show a QP in each of the formats; the end of a test. */
static void expect_qp(const struct message *qp, const char *text, const char *columns,
		      const char *json, const char *name)
{
	static const char *const lines[] = { "qp show", "-s qp show", "-j qp show" };
	struct result result;
	struct script script;

	for (size_t i = 0; i < MNL_ARRAY_SIZE(lines); i++) {
		craft_begin(&script);
		craft_request(&script);
		craft_send(&script, qp);
		craft_done(&script, 0);
		result = run(&script, lines[i]);
		if (i == 2)
			check_json(result.out, json);
		else
			check_string(lines[i], result.out, i ? columns : text);
		check_string("stderr", result.err, "");
		check_number("exit status", result.status, EXIT_OK);
		result_free(&result);
		script_free(&script);
	}
	test_end("show: %s", name);
}

static void put_gid(struct message *message, uint16_t attr, const char *gid)
{
	struct in6_addr addr;

	inet_pton(AF_INET6, gid, &addr);
	mnl_attr_put(&message->nlh, attr, sizeof(addr), &addr);
}

static void test_absent(void)
{
	struct message qp;

	craft_qp(&qp, SCALEFABRIC_CMD_QP_GET, 1, 17);
	expect_qp(&qp, "link rxe0 lqpn 17 type RC\n",
		  "rxe0\t-\t17\t-\tRC\t-\t-\t-\t-\t-\t-\t-\t-\t-\n",
		  "[{\"ifindex\":0,\"ifname\":\"rxe0\",\"lqpn\":17,\"type\":\"RC\"}]",
		  "an absent attribute is not shown");
}

static void test_unknown(void)
{
	struct message qp;

	craft_qp(&qp, SCALEFABRIC_CMD_QP_GET, 1, 17);
	mnl_attr_put_u32(&qp.nlh, SCALEFABRIC_A_QP_MAX + 1, 1);
	mnl_attr_put_strz(&qp.nlh, SCALEFABRIC_A_QP_MAX + 200, "new");
	mnl_attr_put_u64(&qp.nlh, SCALEFABRIC_A_QP_PAD, 1);
	mnl_attr_put_u32(&qp.nlh, SCALEFABRIC_A_QP_RQPN, 18);
	expect_qp(&qp, "link rxe0 lqpn 17 rqpn 18 type RC\n",
		  "rxe0\t-\t17\t18\tRC\t-\t-\t-\t-\t-\t-\t-\t-\t-\n",
		  "[{\"ifindex\":0,\"ifname\":\"rxe0\",\"lqpn\":17,\"rqpn\":18,\"type\":\"RC\"}]",
		  "attributes of a newer module are skipped");
}

static void test_unknown_value(void)
{
	struct message qp;

	craft_reply(&qp, SCALEFABRIC_CMD_QP_GET, 1);
	mnl_attr_put_u8(&qp.nlh, SCALEFABRIC_A_QP_STATE, 200);
	expect_qp(&qp, "state 200\n", "-\t-\t-\t-\t-\t200\t-\t-\t-\t-\t-\t-\t-\t-\n",
		  "[{\"state\":\"200\"}]", "a value of a newer module is its number");
}

static void test_kernel_qp(void)
{
	struct message qp;

	craft_qp(&qp, SCALEFABRIC_CMD_QP_GET, 1, 1);
	mnl_attr_put_u32(&qp.nlh, SCALEFABRIC_A_QP_PORT, 2);
	mnl_attr_put_strz(&qp.nlh, SCALEFABRIC_A_QP_COMM, "nvme_rdma");
	mnl_attr_put(&qp.nlh, SCALEFABRIC_A_QP_KERNEL, 0, NULL);
	expect_qp(&qp, "link rxe0/2 lqpn 1 type RC comm [nvme_rdma]\n",
		  "rxe0\t2\t1\t-\tRC\t-\t-\t-\t-\t-\t-\t-\tnvme_rdma\x09yes\n",
		  "[{\"ifindex\":0,\"ifname\":\"rxe0\",\"lqpn\":1,\"type\":\"RC\",\"port\":2,"
		  "\"comm\":\"nvme_rdma\",\"kernel\":true}]", "a QP of the kernel");
}

static void test_all(void)
{
	struct message qp;

	craft_qp(&qp, SCALEFABRIC_CMD_QP_GET, 1, 17);
	mnl_attr_put_u32(&qp.nlh, SCALEFABRIC_A_QP_RQPN, 18);
	mnl_attr_put_u8(&qp.nlh, SCALEFABRIC_A_QP_STATE, SCALEFABRIC_QP_STATE_RTS);
	mnl_attr_put_u32(&qp.nlh, SCALEFABRIC_A_QP_PORT, 1);
	mnl_attr_put_u32(&qp.nlh, SCALEFABRIC_A_QP_LANE, 1);
	mnl_attr_put_strz(&qp.nlh, SCALEFABRIC_A_QP_LANE_NAME, "plane1");
	mnl_attr_put_u32(&qp.nlh, SCALEFABRIC_A_QP_FLOW_LABEL, 3);
	mnl_attr_put_u32(&qp.nlh, SCALEFABRIC_A_QP_UDP_SPORT, 49155);
	mnl_attr_put_u32(&qp.nlh, SCALEFABRIC_A_QP_PATH_MTU, 1024);
	mnl_attr_put_u32(&qp.nlh, SCALEFABRIC_A_QP_PID, 231);
	mnl_attr_put_strz(&qp.nlh, SCALEFABRIC_A_QP_COMM, "ib_write_bw");
	expect_qp(&qp, "link rxe0/1 lqpn 17 rqpn 18 type RC state RTS lane 1 (plane1) "
		  "flow-label 0x00003 sport 49155 mtu 1024 pid 231 comm ib_write_bw\n",
		  "rxe0\t1\t17\t18\tRC\tRTS\t1\tplane1\t3\t49155\t1024\t231\tib_write_bw\t-\n",
		  "[{\"ifindex\":0,\"ifname\":\"rxe0\",\"lqpn\":17,\"rqpn\":18,\"type\":\"RC\","
		  "\"state\":\"RTS\",\"port\":1,\"lane\":1,\"lane-name\":\"plane1\","
		  "\"flow-label\":3,\"udp-sport\":49155,\"path-mtu\":1024,\"pid\":231,"
		  "\"comm\":\"ib_write_bw\"}]", "a connected QP");
}

/* A process calls itself what it likes. */
static void test_hostile_name(void)
{
	struct message qp;

	craft_reply(&qp, SCALEFABRIC_CMD_QP_GET, 1);
	mnl_attr_put_strz(&qp.nlh, SCALEFABRIC_A_QP_COMM, "a\x1b[2J\t\\\xff\"");
	expect_qp(&qp, "comm a\\x1b[2J\\x09\\x5c\\xff\"\n",
		  "-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\ta\\x1b[2J\\x09\\x5c\\xff\"\t-\n",
		  "[{\"comm\":\"a\\\\x1b[2J\\\\x09\\\\x5c\\\\xff\\\"\"}]",
		  "a process name that is not text");

	craft_reply(&qp, SCALEFABRIC_CMD_QP_GET, 1);
	mnl_attr_put_strz(&qp.nlh, SCALEFABRIC_A_QP_COMM, "caf\xc3\xa9\n");
	expect_qp(&qp, "comm caf\\xc3\\xa9\\x0a\n",
		  "-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\tcaf\\xc3\\xa9\\x0a\t-\n",
		  "[{\"comm\":\"caf\xc3\xa9\\n\"}]", "a process name in UTF-8");
}

static void put_event(struct message *message, uint8_t event, uint32_t count)
{
	struct nlattr *nest = mnl_attr_nest_start(&message->nlh, SCALEFABRIC_A_QP_EVENTS);

	mnl_attr_put_u8(&message->nlh, SCALEFABRIC_A_EVENT_COUNT_EVENT, event);
	mnl_attr_put_u32(&message->nlh, SCALEFABRIC_A_EVENT_COUNT_COUNT, count);
	mnl_attr_put_u32(&message->nlh, SCALEFABRIC_A_EVENT_COUNT_MAX + 1, 0);
	mnl_attr_nest_end(&message->nlh, nest);
}

static void craft_details(struct message *qp)
{
	craft_reply(qp, SCALEFABRIC_CMD_QP_GET, 1);
	mnl_attr_put_u32(&qp->nlh, SCALEFABRIC_A_QP_SGID_INDEX, 1);
	put_gid(qp, SCALEFABRIC_A_QP_SGID, "::ffff:10.0.0.1");
	put_gid(qp, SCALEFABRIC_A_QP_DGID, "fe80::5054:ff:fe00:2");
	mnl_attr_put_u32(&qp->nlh, SCALEFABRIC_A_QP_DLID, 4);
	mnl_attr_put_u64(&qp->nlh, SCALEFABRIC_A_QP_CREATE_TIME, SCRIPT_TIME + 123456789);
	mnl_attr_put_u32(&qp->nlh, SCALEFABRIC_A_QP_MODIFIES, 3);
	mnl_attr_put_u32(&qp->nlh, SCALEFABRIC_A_QP_REBINDS, 2);
	put_event(qp, SCALEFABRIC_QP_EVENT_COMM_EST, 1);
	put_event(qp, SCALEFABRIC_QP_EVENT_SQ_DRAINED, 4000000000);
	put_event(qp, 77, 5);
	mnl_attr_put_u8(&qp->nlh, SCALEFABRIC_A_QP_EVENT, SCALEFABRIC_QP_EVENT_COMM_EST);
	mnl_attr_put_u64(&qp->nlh, SCALEFABRIC_A_QP_EVENT_TIME, SCRIPT_TIME);
	mnl_attr_put_u8(&qp->nlh, SCALEFABRIC_A_QP_RESULT, SCALEFABRIC_REBIND_RESULT_MOVED);
}

static void test_details(const char *line, const char *expected, bool json, const char *name)
{
	struct result result;
	struct script script;
	struct message qp;

	craft_details(&qp);
	craft_begin(&script);
	craft_request(&script);
	craft_send(&script, &qp);
	craft_done(&script, 0);
	result = run(&script, line);
	if (json)
		check_json(result.out, expected);
	else
		check_string("stdout", result.out, expected);
	result_free(&result);
	script_free(&script);
	test_end("show: %s", name);
}

#define DETAILS_JSON							\
	"[{\"sgid-index\":1,\"sgid\":\"::ffff:10.0.0.1\","		\
	"\"dgid\":\"fe80::5054:ff:fe00:2\",\"dlid\":4,"			\
	"\"create-time\":1764576000123456789,\"modifies\":3,\"rebinds\":2," \
	"\"events\":{\"comm-est\":1,\"sq-drained\":4000000000,\"77\":5}," \
	"\"event\":\"comm-est\",\"event-time\":1764576000000000000,"	\
	"\"result\":\"moved\"}]"

/* Each part of a QP's lanes is a dump of its own. */
static void craft_lane(struct script *script, uint32_t dev, uint32_t id, const char *member)
{
	struct message message;

	craft_reply(&message, SCALEFABRIC_CMD_LANE_GET, 1);
	mnl_attr_put_u32(&message.nlh, SCALEFABRIC_A_LANE_DEV_INDEX, dev);
	mnl_attr_put_u32(&message.nlh, SCALEFABRIC_A_LANE_ID, id);
	mnl_attr_put_u32(&message.nlh, SCALEFABRIC_A_LANE_PORT, id + 1);
	mnl_attr_put_strz(&message.nlh, SCALEFABRIC_A_LANE_MEMBER, member);
	craft_send(script, &message);
}

static void begin_lanes(struct script *script)
{
	craft_begin(script);
	craft_request(script);
	craft_lane(script, 0, 0, "plane0");
	craft_lane(script, 0, 1, "plane1");
	craft_lane(script, 3, 2, "plane1");
	craft_lane(script, 4, 0, "twice");
	craft_lane(script, 4, 1, "twice");
	craft_done(script, 0);
}

/* The filters that a request is expected to have, in order. */
static void expect_filter(struct script *script, uint32_t lane, uint32_t dev)
{
	struct message message;

	craft_message(&message, SCRIPT_FAMILY, NLM_F_REQUEST | NLM_F_DUMP, 0);
	*(struct genlmsghdr *)mnl_nlmsg_put_extra_header(&message.nlh, GENL_HDRLEN) =
		(struct genlmsghdr){ .cmd = SCALEFABRIC_CMD_QP_GET, .version = 1 };
	mnl_attr_put_u32(&message.nlh, SCALEFABRIC_A_QP_LANE, lane);
	mnl_attr_put_u32(&message.nlh, SCALEFABRIC_A_QP_DEV_INDEX, dev);
	script_add(script, STEP_SEND, message.buf, message.nlh.nlmsg_len);
}

static void test_lane_name(void)
{
	struct result result;
	struct script script;
	struct message qp;

	begin_lanes(&script);
	for (uint32_t i = 0; i < 2; i++) {
		expect_filter(&script, i ? 2 : 1, i ? 3 : 0);
		craft_qp(&qp, SCALEFABRIC_CMD_QP_GET, 1, 100 + i);
		craft_send(&script, &qp);
		craft_done(&script, 0);
	}
	result = run(&script, "qp show lane plane1");
	check_string("stdout", result.out,
		     "link rxe0 lqpn 100 type RC\nlink rxe0 lqpn 101 type RC\n");
	result_free(&result);
	script_free(&script);
	test_end("show: QPs of all lanes that a network device carries");
}

static void test_lane_wrong(const char *lane, const char *err, const char *name)
{
	struct result result;
	struct script script;
	char line[64];

	begin_lanes(&script);
	snprintf(line, sizeof(line), "qp show lane %s", lane);
	result = run(&script, line);
	check_string("stdout", result.out, "");
	check_string("stderr", result.err, err);
	check_number("exit status", result.status, EXIT_USAGE);
	result_free(&result);
	script_free(&script);
	test_end("show: %s", name);
}

static void test_many(void)
{
	struct result result;
	struct script script;
	struct message qp;
	json_t *list, *last;

	craft_begin(&script);
	craft_request(&script);
	for (int i = 0; i < 6000; i++) {
		craft_qp(&qp, SCALEFABRIC_CMD_QP_GET, 1, i);
		craft_send(&script, &qp);
	}
	craft_done(&script, 0);
	result = run(&script, "-j -p qp show");
	list = json_loads(result.out, 0, NULL);
	check_number("number of QPs", json_array_size(list), 6000);
	last = json_array_get(list, 5999);
	check_number("last QP", json_integer_value(json_object_get(last, "lqpn")), 5999);
	json_decref(list);
	result_free(&result);
	script_free(&script);
	test_end("show: 6000 QPs");
}

static void test_none(const char *line, const char *expected)
{
	struct result result;
	struct script script;

	craft_begin(&script);
	craft_request(&script);
	craft_done(&script, 0);
	result = run(&script, line);
	check_string("stdout", result.out, expected);
	check_number("exit status", result.status, EXIT_OK);
	result_free(&result);
	script_free(&script);
	test_end("show: nothing to show, sfnl %s", line);
}

void test_show(void)
{
	test_absent();
	test_unknown();
	test_unknown_value();
	test_kernel_qp();
	test_all();
	test_hostile_name();
	test_details("-d qp show", "sgid ::ffff:10.0.0.1 dgid fe80::5054:ff:fe00:2 sgid-index 1 "
		     "dlid 4 created 2025-12-01T08:00:00.123456 modifies 3 rebinds 2 "
		     "last-rebind moved events comm-est 1, sq-drained 4000000000, 77 5 "
		     "last-event comm-est last-event-time 2025-12-01T08:00:00.000000\n", false,
		     "details");
	test_details("qp show", "\n", false, "details are not shown unasked");
	test_details("-j qp show", DETAILS_JSON, true, "JSON has the details anyway");
	test_lane_name();
	test_lane_wrong("plane9", "Error: value \"plane9\" of \"lane\" is wrong: expected a number"
			" or a member of \"sfnl lane show\".\n", "no such lane");
	test_lane_wrong("twice", "Error: value \"twice\" of \"lane\" is ambiguous: lane 0 or 1.\n",
			"two lanes of a device with the same network device");
	test_many();
	test_none("qp show", "");
	test_none("-j qp show", "[]\n");
	test_none("dev", "");
	test_none("lane", "");
}

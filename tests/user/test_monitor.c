// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Notifications, and what was lost of them.
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "../../userspace/sfnl/sfnl.h"
#include "craft.h"
#include "harness.h"

#define AT	"[2025-12-01T08:00:00.000000] "

static void notify_event(struct script *script, uint32_t lqpn, uint64_t lost)
{
	struct message message;

	craft_qp(&message, SCALEFABRIC_CMD_QP_EVENT_NTF, 0, lqpn);
	mnl_attr_put_u32(&message.nlh, SCALEFABRIC_A_QP_PORT, 1);
	mnl_attr_put_u8(&message.nlh, SCALEFABRIC_A_QP_EVENT, SCALEFABRIC_QP_EVENT_SQ_DRAINED);
	mnl_attr_put_u64(&message.nlh, SCALEFABRIC_A_QP_EVENT_TIME, SCRIPT_TIME + 1500000);
	mnl_attr_put_u64(&message.nlh, SCALEFABRIC_A_QP_LOST, lost);
	craft_send(script, &message);
}

static void notify_rebind(struct script *script, uint32_t lqpn, uint8_t rebind, uint32_t old_lane)
{
	struct message message;

	craft_qp(&message, SCALEFABRIC_CMD_QP_REBIND_NTF, 0, lqpn);
	mnl_attr_put_u8(&message.nlh, SCALEFABRIC_A_QP_RESULT, rebind);
	mnl_attr_put_u32(&message.nlh, SCALEFABRIC_A_QP_OLD_LANE, old_lane);
	mnl_attr_put_u32(&message.nlh, SCALEFABRIC_A_QP_LANE, 1);
	mnl_attr_put_strz(&message.nlh, SCALEFABRIC_A_QP_LANE_NAME, "plane1");
	mnl_attr_put_u32(&message.nlh, SCALEFABRIC_A_QP_OLD_FLOW_LABEL, 0);
	mnl_attr_put_u32(&message.nlh, SCALEFABRIC_A_QP_FLOW_LABEL, 0xabc);
	mnl_attr_put_u64(&message.nlh, SCALEFABRIC_A_QP_WINDOW, 123456);
	mnl_attr_put_u64(&message.nlh, SCALEFABRIC_A_QP_LOST, 0);
	craft_send(script, &message);
}

static void notify_change(struct script *script, uint32_t lqpn, uint8_t change, uint64_t lost)
{
	struct message message;

	craft_qp(&message, SCALEFABRIC_CMD_QP_CHANGE_NTF, 0, lqpn);
	mnl_attr_put_u8(&message.nlh, SCALEFABRIC_A_QP_CHANGE, change);
	mnl_attr_put_u8(&message.nlh, SCALEFABRIC_A_QP_STATE, SCALEFABRIC_QP_STATE_RESET);
	mnl_attr_put_u64(&message.nlh, SCALEFABRIC_A_QP_LOST, lost);
	craft_send(script, &message);
}

/* A monitor that must end well; the end of a test. */
static void expect_lines(struct script *script, const char *line, const char *expected,
			 const char *name)
{
	struct result result = run(script, line);

	check_string("stdout", result.out, expected);
	check_string("stderr", result.err, "");
	check_number("exit status", result.status, EXIT_OK);
	result_free(&result);
	script_free(script);
	test_end("monitor: %s", name);
}

#define EVENT_LINE(n)							\
	"[2025-12-01T08:00:00.001500] event sq-drained link rxe0/1 lqpn " #n " type RC\n"

static void test_default(void)
{
	struct script script;

	craft_monitor(&script, 0);
	craft_join(&script, SCRIPT_EVENTS);
	notify_event(&script, 17, 0);
	notify_rebind(&script, 18, SCALEFABRIC_REBIND_RESULT_MOVED, 0);
	notify_rebind(&script, 19, SCALEFABRIC_REBIND_RESULT_UNCHANGED, 1);
	expect_lines(&script, "monitor",
		     EVENT_LINE(17)
		     AT "rebind moved link rxe0 lqpn 18 type RC lane 0 -> 1 (plane1) "
		     "flow-label 0x00000 -> 0x00abc window 123.4 us\n"
		     AT "rebind unchanged link rxe0 lqpn 19 type RC lane 1 (plane1) "
		     "flow-label 0x00000 -> 0x00abc window 123.4 us\n", "events and rebinds");
}

static void test_chosen(void)
{
	struct script script;

	craft_monitor(&script, 0);
	craft_join(&script, SCRIPT_EVENTS);
	notify_rebind(&script, 18, SCALEFABRIC_REBIND_RESULT_MOVED, 0);
	notify_event(&script, 17, 0);
	expect_lines(&script, "monitor event", EVENT_LINE(17), "only what was asked for");

	craft_monitor(&script, 0);
	craft_join(&script, SCRIPT_EVENTS);
	craft_join(&script, SCRIPT_QPS);
	notify_event(&script, 17, 0);
	notify_change(&script, 20, SCALEFABRIC_QP_CHANGE_CREATED, 0);
	notify_change(&script, 20, SCALEFABRIC_QP_CHANGE_DESTROYED, 0);
	expect_lines(&script, "monitor qp ev",
		     EVENT_LINE(17)
		     AT "qp created link rxe0 lqpn 20 type RC state RESET\n"
		     AT "qp destroyed link rxe0 lqpn 20 type RC state RESET\n",
		     "two groups");
}

static void test_foreign(void)
{
	struct message message;
	struct script script;

	craft_monitor(&script, 0);
	craft_join(&script, SCRIPT_EVENTS);
	craft_qp(&message, SCALEFABRIC_CMD_MAX + 1, 0, 1);
	craft_send(&script, &message);
	craft_message(&message, GENL_ID_CTRL, 0, 0);
	craft_send(&script, &message);
	notify_event(&script, 17, 0);
	expect_lines(&script, "monitor", EVENT_LINE(17),
		     "notifications of a newer module are skipped");
}

static void test_columns(void)
{
	struct script script;

	craft_monitor(&script, 40);
	craft_join(&script, SCRIPT_EVENTS);
	notify_event(&script, 17, 42);
	script_add_number(&script, STEP_FAIL, ENOBUFS);
	expect_lines(&script, "-s monitor",
		     "1764576000000000000\tlost\tmodule\t2\n"
		     "1764576000001500000\tevent\tsq-drained\trxe0\t1\t17\t-\tRC\t-\t-\t-\t-\t-\t-\t-\n"
		     "1764576000000000000\tlost\tsocket\t-\n", "columns");
}

static void test_lost(void)
{
	struct script script;

	craft_monitor(&script, 5);
	craft_join(&script, SCRIPT_EVENTS);
	notify_event(&script, 1, 5);
	notify_event(&script, 2, 17);
	notify_event(&script, 3, 17);
	notify_event(&script, 4, 18);
	expect_lines(&script, "monitor rebind event",
		     EVENT_LINE(1)
		     AT "lost 12 records in the module\n"
		     EVENT_LINE(2)
		     EVENT_LINE(3)
		     AT "lost 1 records in the module\n"
		     EVENT_LINE(4), "records that the module lost");

	craft_monitor(&script, 0);
	craft_join(&script, SCRIPT_EVENTS);
	notify_event(&script, 1, 3);
	expect_lines(&script, "monitor rebind", AT "lost 3 records in the module\n",
		     "loss told by a notification that is not shown");
}

static void test_overrun(void)
{
	struct script script;

	craft_monitor(&script, 0);
	craft_join(&script, SCRIPT_EVENTS);
	notify_event(&script, 1, 0);
	script_add_number(&script, STEP_FAIL, ENOBUFS);
	notify_event(&script, 2, 0);
	expect_lines(&script, "monitor",
		     EVENT_LINE(1) AT "lost notifications: sfnl was too slow\n" EVENT_LINE(2),
		     "receive buffer overrun is told and survived");
}

/* Each line must be JSON of its own, with these members. */
static void test_json(void)
{
	static const char *const lines[] = {
		"{\"time\":1764576000000000000,\"notification\":\"lost\","
		"\"source\":\"module\",\"records\":2}",
		"{\"time\":1764576000001500000,\"notification\":\"event\",\"ifindex\":0,"
		"\"ifname\":\"rxe0\",\"lqpn\":17,\"type\":\"RC\",\"port\":1,"
		"\"event\":\"sq-drained\",\"event-time\":1764576000001500000,\"lost\":2}",
		"{\"time\":1764576000000000000,\"notification\":\"lost\",\"source\":\"socket\"}",
	};
	struct result result;
	struct script script;
	json_t *got, *expected;
	char *line, *save;

	craft_monitor(&script, 0);
	craft_join(&script, SCRIPT_EVENTS);
	notify_event(&script, 17, 2);
	script_add_number(&script, STEP_FAIL, ENOBUFS);
	result = run(&script, "-j monitor");

	line = strtok_r(result.out, "\n", &save);
	for (size_t i = 0; i < MNL_ARRAY_SIZE(lines); i++) {
		got = line ? json_loads(line, 0, NULL) : NULL;
		expected = json_loads(lines[i], 0, NULL);
		check(got && json_equal(got, expected), "line %zu is %s, expected %s", i,
		      line ? line : "missing", lines[i]);
		json_decref(got);
		json_decref(expected);
		line = strtok_r(NULL, "\n", &save);
	}
	check(!line, "unexpected line %s", line);
	result_free(&result);
	script_free(&script);
	test_end("monitor: JSON, one object on each line");
}

/* A notification, and one that ends the monitor; the end of a test. */
static void expect_malformed(const struct message *message, size_t cut, const char *name)
{
	struct result result;
	struct script script;

	craft_monitor(&script, 0);
	craft_join(&script, SCRIPT_EVENTS);
	notify_event(&script, 1, 0);
	craft_send(&script, message);
	script.steps[script.n - 1].len -= cut;
	result = run(&script, "monitor");
	check_string("stdout", result.out, EVENT_LINE(1));
	check_string("stderr", result.err,
		     "Error: malformed message from the kernel: Bad message.\n");
	check_number("exit status", result.status, EXIT_FAILED);
	result_free(&result);
	script_free(&script);
	test_end("monitor: %s", name);
}

static void test_malformed(void)
{
	struct message message;

	craft_qp(&message, SCALEFABRIC_CMD_QP_EVENT_NTF, 0, 2);
	expect_malformed(&message, 1, "notification longer than its datagram");

	craft_reply(&message, SCALEFABRIC_CMD_QP_EVENT_NTF, 0);
	mnl_attr_put_u16(&message.nlh, SCALEFABRIC_A_QP_LQPN, 1);
	expect_malformed(&message, 0, "notification with an attribute of the wrong size");

	craft_message(&message, SCRIPT_FAMILY, 0, 0);
	expect_malformed(&message, 0, "notification without a command");
}

static void test_unloaded(void)
{
	struct message message;
	struct result result;
	struct script script;

	craft_monitor(&script, 0);
	craft_join(&script, SCRIPT_EVENTS);
	for (int i = 1; i >= 0; i--) {
		craft_message(&message, GENL_ID_CTRL, 0, 0);
		*(struct genlmsghdr *)mnl_nlmsg_put_extra_header(&message.nlh, GENL_HDRLEN) =
			(struct genlmsghdr){ .cmd = CTRL_CMD_DELFAMILY };
		mnl_attr_put_u16(&message.nlh, CTRL_ATTR_FAMILY_ID, SCRIPT_FAMILY + i);
		craft_send(&script, &message);
	}
	result = run(&script, "monitor");
	check_string("stdout", result.out, "");
	check_string("stderr", result.err,
		     "Error: scalefabric was unloaded. Load it with: modprobe scalefabric\n");
	check_number("exit status", result.status, EXIT_NO_MODULE);
	result_free(&result);
	script_free(&script);
	test_end("monitor: ends when the module does, but no other family");
}

/* The reader of a pipe goes away; run() cannot capture that. */
static void test_pipe(void)
{
	int ends[2], saved = dup(STDOUT_FILENO), status;
	char *argv[3] = { "sfnl", "monitor" };
	struct script script;

	craft_monitor(&script, 0);
	craft_join(&script, SCRIPT_EVENTS);
	notify_event(&script, 1, 0);
	notify_event(&script, 2, 0);
	script_playing = &script;

	fflush(stdout);
	check(!pipe(ends), "no pipe");
	dup2(ends[1], STDOUT_FILENO);
	close(ends[1]);
	close(ends[0]);
	status = sfnl_run(2, argv);
	dup2(saved, STDOUT_FILENO);
	close(saved);

	check_number("exit status", status, EXIT_OK);
	check(script.next < script.n, "went on without a reader");
	script_free(&script);
	test_end("monitor: ends when its reader does");
}

void test_monitor(void)
{
	test_default();
	test_chosen();
	test_foreign();
	test_columns();
	test_lost();
	test_overrun();
	test_json();
	test_malformed();
	test_unloaded();
	test_pipe();
}

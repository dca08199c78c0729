// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The client against a kernel that refuses, interrupts, loses and errs.
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/sfnl/sfnl.h"
#include "craft.h"
#include "harness.h"

/* Offset of the first attribute in a request. */
#define FIRST_ATTR	(MNL_NLMSG_HDRLEN + GENL_HDRLEN)

#define MALFORMED	"Error: malformed message from the kernel: Bad message.\n"

/* Run a script that must end without a word on stdout; the end of a test. */
static void expect_error(struct script *script, const char *line, int status, const char *err,
			 const char *name)
{
	struct result result = run(script, line);

	check_string("stdout", result.out, "");
	check_string("stderr", result.err, err);
	check_number("exit status", result.status, status);
	result_free(&result);
	script_free(script);
	test_end("client: %s", name);
}

static void expect_output(struct script *script, const char *line, const char *out,
			  const char *err, const char *name)
{
	struct result result = run(script, line);

	check_string("stdout", result.out, out);
	check_string("stderr", result.err, err);
	check_number("exit status", result.status, EXIT_OK);
	result_free(&result);
	script_free(script);
	test_end("client: %s", name);
}

static void test_no_module(void)
{
	struct script script;

	script_init(&script);
	craft_request(&script);
	craft_error(&script, NLMSG_ERROR, -ENOENT, NULL, 0, 0);
	expect_error(&script, "qp show", EXIT_NO_MODULE,
		     "Error: scalefabric is not loaded. Load it with: modprobe scalefabric\n",
		     "module not loaded");
}

static void test_no_family_id(void)
{
	struct message message;
	struct script script;

	script_init(&script);
	craft_request(&script);
	craft_message(&message, GENL_ID_CTRL, 0, 1);
	mnl_nlmsg_put_extra_header(&message.nlh, GENL_HDRLEN);
	mnl_attr_put_u32(&message.nlh, CTRL_ATTR_FAMILY_ID, SCRIPT_FAMILY);
	craft_send(&script, &message);
	expect_error(&script, "qp show", EXIT_FAILED,
		     "Error: cannot talk to the kernel: Bad message.\n", "family id of wrong size");
}

static const struct {
	const char *name, *line, *err, *text;
	uint16_t type, attr;
	uint32_t value;
	int error;
} refusals[] = {
	{
		.name = "refused with a message and the offset of an attribute",
		.line = "dev set rxe9 mode balance",
		.type = NLMSG_ERROR, .error = -ENODEV, .text = "no such RDMA device",
		.attr = NLMSGERR_ATTR_OFFS, .value = FIRST_ATTR,
		.err = "Error: no such RDMA device (argument \"dev\").\n"
		       "kernel answers: No such device\n",
	}, {
		.name = "refused for the attribute of the word that was used",
		.line = "qp rebind link rxe9/1 lqpn 17 flow-label 3",
		.type = NLMSG_ERROR, .error = -ENODEV, .text = "no such RDMA device",
		.attr = NLMSGERR_ATTR_OFFS, .value = FIRST_ATTR + 8,
		.err = "Error: no such RDMA device (argument \"link\").\n"
		       "kernel answers: No such device\n",
	}, {
		.name = "refused for an attribute that no word makes",
		.line = "qp rebind link rxe0/9 lqpn 17 flow-label 3",
		.type = NLMSG_ERROR, .error = -EINVAL, .text = "no such port",
		.attr = NLMSGERR_ATTR_OFFS, .value = FIRST_ATTR,
		.err = "Error: no such port.\nkernel answers: Invalid argument\n",
	}, {
		.name = "refused for a missing attribute",
		.line = "dev set rxe0 mode balance",
		.type = NLMSG_ERROR, .error = -EINVAL, .text = "drain timeout wanted",
		.attr = NLMSGERR_ATTR_MISS_TYPE, .value = SCALEFABRIC_A_DEV_DRAIN_TIMEOUT,
		.err = "Error: drain timeout wanted (argument \"drain-timeout\" is missing).\n"
		       "kernel answers: Invalid argument\n",
	}, {
		.name = "refused at an offset that holds no attribute",
		.line = "dev set rxe0 mode balance",
		.type = NLMSG_ERROR, .error = -EBUSY, .text = "busy",
		.attr = NLMSGERR_ATTR_OFFS, .value = FIRST_ATTR + 4,
		.err = "Error: busy.\nkernel answers: Device or resource busy\n",
	}, {
		.name = "refused with a message that would steer a terminal",
		.line = "dev set rxe9 mode balance",
		.type = NLMSG_ERROR, .error = -ENODEV, .text = "no \x1b[7mname\n",
		.err = "Error: no \\x1b[7mname\\x0a.\nkernel answers: No such device\n",
	}, {
		.name = "refused without a message",
		.line = "dev set rxe0 mode balance",
		.type = NLMSG_ERROR, .error = -EIO,
		.err = "Error: the request was refused.\nkernel answers: Input/output error\n",
	}, {
		.name = "refused for lack of a capability",
		.line = "dev set rxe0 mode balance",
		.type = NLMSG_ERROR, .error = -EPERM,
		.err = "Error: this needs CAP_NET_ADMIN.\n"
		       "kernel answers: Operation not permitted\n",
	}, {
		.name = "dump refused at its start",
		.line = "qp show state RTS",
		.type = NLMSG_ERROR, .error = -ERANGE, .text = "integer out of range",
		.attr = NLMSGERR_ATTR_OFFS, .value = FIRST_ATTR,
		.err = "Error: integer out of range (argument \"state\").\n"
		       "kernel answers: Numerical result out of range\n",
	}, {
		.name = "dump narrowed to an unknown device",
		.line = "qp show lqpn 17 link rxe9/1",
		.type = NLMSG_ERROR, .error = -ENODEV, .text = "no such RDMA device",
		.attr = NLMSGERR_ATTR_OFFS, .value = FIRST_ATTR,
		.err = "Error: no such RDMA device (argument \"link\").\n"
		       "kernel answers: No such device\n",
	}, {
		.name = "dump refused at its end",
		.line = "-j qp show lane 7",
		.type = NLMSG_DONE, .error = -EINVAL, .text = "no such lane",
		.attr = NLMSGERR_ATTR_OFFS, .value = FIRST_ATTR,
		.err = "Error: no such lane (argument \"lane\").\n"
		       "kernel answers: Invalid argument\n",
	},
};

static void test_refusals(void)
{
	struct script script;

	for (size_t i = 0; i < MNL_ARRAY_SIZE(refusals); i++) {
		craft_begin(&script);
		craft_request(&script);
		craft_error(&script, refusals[i].type, refusals[i].error, refusals[i].text,
			    refusals[i].attr, refusals[i].value);
		expect_error(&script, refusals[i].line, EXIT_REFUSED, refusals[i].err,
			     refusals[i].name);
	}
}

/* A kernel that ignores NETLINK_CAP_ACK repeats the whole request. */
static void test_uncapped(void)
{
	struct nlmsgerr err = { .error = -EINVAL };
	struct message message;
	struct script script;

	craft_begin(&script);
	craft_request(&script);
	err.msg.nlmsg_len = sizeof(err.msg) + 6;
	craft_message(&message, NLMSG_ERROR, NLM_F_ACK_TLVS, 1);
	memcpy(mnl_nlmsg_put_extra_header(&message.nlh, sizeof(err)), &err, sizeof(err));
	mnl_nlmsg_put_extra_header(&message.nlh, 6);
	mnl_attr_put_strz(&message.nlh, NLMSGERR_ATTR_MSG, "beyond");
	craft_send(&script, &message);
	expect_error(&script, "dev set rxe0 mode balance", EXIT_REFUSED,
		     "Error: beyond.\nkernel answers: Invalid argument\n",
		     "extended ack behind a repeated request");
}

static void send_qp(struct script *script, uint32_t lqpn, uint16_t flags)
{
	struct message message;

	craft_qp(&message, SCALEFABRIC_CMD_QP_GET, 1, lqpn);
	message.nlh.nlmsg_flags |= flags;
	craft_send(script, &message);
}

static void test_interrupted(void)
{
	struct script script;

	craft_begin(&script);
	craft_request(&script);
	send_qp(&script, 1, 0);
	send_qp(&script, 2, NLM_F_DUMP_INTR);
	craft_done(&script, 0);
	craft_request(&script);
	send_qp(&script, 3, 0);
	craft_done(&script, NLM_F_DUMP_INTR);
	craft_request(&script);
	send_qp(&script, 4, 0);
	craft_done(&script, 0);
	expect_output(&script, "qp show", "link rxe0 lqpn 4 type RC\n", "",
		      "interrupted dump made again");
}

static void test_never_still(void)
{
	struct script script;

	craft_begin(&script);
	for (int i = 0; i < 8; i++) {
		craft_request(&script);
		send_qp(&script, i, NLM_F_DUMP_INTR);
		craft_done(&script, 0);
	}
	expect_output(&script, "qp show", "link rxe0 lqpn 7 type RC\n",
		      "Warning: the table kept changing; an entry may be missing or shown twice.\n",
		      "dump that is always interrupted is shown with a warning");
}

/* Two messages in a datagram, and one that answers another request. */
static void test_datagrams(void)
{
	struct message first, second;
	struct script script;
	struct step *step;

	craft_begin(&script);
	craft_request(&script);
	craft_qp(&first, SCALEFABRIC_CMD_QP_GET, 1, 1);
	craft_qp(&second, SCALEFABRIC_CMD_QP_GET, 1, 2);
	step = script_add(&script, STEP_RECV, first.buf, first.nlh.nlmsg_len);
	step->buf = realloc(step->buf, step->len + second.nlh.nlmsg_len);
	memcpy(step->buf + step->len, second.buf, second.nlh.nlmsg_len);
	step->len += second.nlh.nlmsg_len;
	craft_qp(&first, SCALEFABRIC_CMD_QP_GET, 999, 3);
	craft_send(&script, &first);
	craft_message(&first, NLMSG_NOOP, 0, 1);
	craft_send(&script, &first);
	craft_done(&script, 0);
	expect_output(&script, "qp show", "link rxe0 lqpn 1 type RC\nlink rxe0 lqpn 2 type RC\n",
		      "", "datagrams of several, foreign and empty messages");
}

/* A message that ends the dump at once. */
static void test_malformed(const char *name, const struct message *message, size_t cut)
{
	struct script script;

	craft_begin(&script);
	craft_request(&script);
	send_qp(&script, 1, 0);
	craft_send(&script, message);
	script.steps[script.n - 1].len -= cut;
	expect_error(&script, "qp show", EXIT_FAILED, MALFORMED, name);
}

/* A message whose attributes are looked at when the dump is complete. */
static void test_malformed_attr(const char *name, const struct message *message)
{
	struct script script;

	craft_begin(&script);
	craft_request(&script);
	send_qp(&script, 1, 0);
	craft_send(&script, message);
	craft_done(&script, 0);
	expect_error(&script, "qp show", EXIT_FAILED, MALFORMED, name);
}

/* Ends of exchanges that are too short to say how it ended. */
static void test_malformed_ends(void)
{
	struct nlmsgerr no_errno = { .error = INT_MIN };
	struct nlmsgerr beyond = { .error = -EINVAL, .msg.nlmsg_len = 0xfefefefe };
	struct message message;

	craft_message(&message, NLMSG_DONE, NLM_F_MULTI, 1);
	test_malformed("end of a dump without a status", &message, 0);

	craft_message(&message, NLMSG_ERROR, 0, 1);
	mnl_nlmsg_put_extra_header(&message.nlh, sizeof(int));
	test_malformed("error without a request", &message, 0);

	craft_message(&message, NLMSG_ERROR, 0, 1);
	memset(mnl_nlmsg_put_extra_header(&message.nlh, sizeof(struct nlmsgerr)), 1,
	       sizeof(struct nlmsgerr));
	test_malformed("error with a positive number", &message, 0);

	craft_message(&message, NLMSG_ERROR, 0, 1);
	memcpy(mnl_nlmsg_put_extra_header(&message.nlh, sizeof(no_errno)), &no_errno,
	       sizeof(no_errno));
	test_malformed("error with a number that is no errno", &message, 0);

	craft_message(&message, NLMSG_ERROR, 0, 1);
	memcpy(mnl_nlmsg_put_extra_header(&message.nlh, sizeof(beyond)), &beyond, sizeof(beyond));
	test_malformed("error that repeats more than it holds", &message, 0);
}

/* A length that a signed comparison takes for a small one. */
static void test_huge(void)
{
	struct message message;
	struct script script;

	craft_begin(&script);
	craft_request(&script);
	craft_qp(&message, SCALEFABRIC_CMD_QP_GET, 1, 2);
	craft_send(&script, &message);
	((struct nlmsghdr *)script.steps[script.n - 1].buf)->nlmsg_len = 0x80000010;
	expect_error(&script, "qp show", EXIT_FAILED, MALFORMED, "message of 2 GB");
}

static void test_malformed_messages(void)
{
	struct message message;
	struct nlattr *attr;

	craft_message(&message, SCRIPT_FAMILY, 0, 1);
	test_malformed("message without a command", &message, 0);

	craft_message(&message, SCRIPT_FAMILY + 1, 0, 1);
	mnl_nlmsg_put_extra_header(&message.nlh, GENL_HDRLEN);
	test_malformed("message of another family", &message, 0);

	craft_qp(&message, SCALEFABRIC_CMD_QP_GET, 1, 2);
	test_malformed("message longer than its datagram", &message, 4);

	craft_reply(&message, SCALEFABRIC_CMD_QP_GET, 1);
	mnl_attr_put_u32(&message.nlh, SCALEFABRIC_A_QP_LQPN, 2);
	attr = mnl_nlmsg_get_payload_offset(&message.nlh, GENL_HDRLEN);
	attr->nla_len = 12;
	test_malformed_attr("attribute longer than its message", &message);
	attr->nla_len = 0;
	test_malformed_attr("attribute shorter than its header", &message);
}

static void test_malformed_attrs(void)
{
	struct message message;
	struct nlattr *nest;

	craft_reply(&message, SCALEFABRIC_CMD_QP_GET, 1);
	mnl_attr_put_u16(&message.nlh, SCALEFABRIC_A_QP_LQPN, 2);
	test_malformed_attr("number of the wrong size", &message);

	craft_reply(&message, SCALEFABRIC_CMD_QP_GET, 1);
	mnl_attr_put(&message.nlh, SCALEFABRIC_A_QP_COMM, 4, "comm");
	test_malformed_attr("string without an end", &message);

	craft_reply(&message, SCALEFABRIC_CMD_QP_GET, 1);
	mnl_attr_put(&message.nlh, SCALEFABRIC_A_QP_SGID, 15, "0123456789abcdef");
	test_malformed_attr("GID of 15 bytes", &message);

	craft_reply(&message, SCALEFABRIC_CMD_QP_GET, 1);
	mnl_attr_put_u8(&message.nlh, SCALEFABRIC_A_QP_KERNEL, 1);
	test_malformed_attr("flag with a value", &message);

	craft_reply(&message, SCALEFABRIC_CMD_QP_GET, 1);
	nest = mnl_attr_nest_start(&message.nlh, SCALEFABRIC_A_QP_EVENTS);
	mnl_attr_put_u8(&message.nlh, SCALEFABRIC_A_EVENT_COUNT_EVENT, 1);
	mnl_attr_nest_end(&message.nlh, nest);
	test_malformed_attr("event without a count", &message);

	craft_reply(&message, SCALEFABRIC_CMD_QP_GET, 1);
	mnl_attr_put_u32(&message.nlh, SCALEFABRIC_A_QP_LQPN, 2);
	mnl_attr_put_u8(&message.nlh, SCALEFABRIC_A_QP_LQPN, 2);
	test_malformed_attr("second copy of an attribute of the wrong size", &message);
}

static void test_receive_fails(int error, const char *err, const char *name)
{
	struct script script;

	craft_begin(&script);
	craft_request(&script);
	script_add_number(&script, STEP_FAIL, EINTR);
	send_qp(&script, 1, 0);
	script_add_number(&script, STEP_FAIL, error);
	expect_error(&script, "qp show", EXIT_FAILED, err, name);
}

void test_client(void)
{
	test_no_module();
	test_no_family_id();
	test_refusals();
	test_uncapped();
	test_interrupted();
	test_never_still();
	test_datagrams();
	test_malformed_ends();
	test_huge();
	test_malformed_messages();
	test_malformed_attrs();
	test_receive_fails(ENOBUFS, "Error: cannot receive: No buffer space available.\n",
			   "receive buffer overrun in a dump");
	test_receive_fails(EMSGSIZE, "Error: cannot receive: Message too long.\n",
			   "datagram larger than the buffer");
}

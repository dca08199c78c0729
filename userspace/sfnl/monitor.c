// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * sfnl monitor: what happens, one line each.
 */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "sfnl.h"

static const struct column event_columns[] = {
	{ .attr = SCALEFABRIC_A_QP_EVENT },
	{ .attr = SCALEFABRIC_A_QP_DEV_NAME },
	{ .attr = SCALEFABRIC_A_QP_PORT },
	{ .attr = SCALEFABRIC_A_QP_LQPN },
	{ .attr = SCALEFABRIC_A_QP_RQPN },
	{ .attr = SCALEFABRIC_A_QP_TYPE },
	{ .attr = SCALEFABRIC_A_QP_STATE },
	{ .attr = SCALEFABRIC_A_QP_LANE },
	{ .attr = SCALEFABRIC_A_QP_LANE_NAME },
	{ .attr = SCALEFABRIC_A_QP_DGID },
	{ .attr = SCALEFABRIC_A_QP_PID },
	{ .attr = SCALEFABRIC_A_QP_COMM },
	{ .attr = SCALEFABRIC_A_QP_KERNEL },
	{ .attr = SCALEFABRIC_A_QP_SGID, .detail = true },
};

static const struct column rebind_columns[] = {
	{ .attr = SCALEFABRIC_A_QP_RESULT },
	{ .attr = SCALEFABRIC_A_QP_DEV_NAME },
	{ .attr = SCALEFABRIC_A_QP_LQPN },
	{ .attr = SCALEFABRIC_A_QP_RQPN },
	{ .attr = SCALEFABRIC_A_QP_TYPE },
	{ .attr = SCALEFABRIC_A_QP_OLD_LANE },
	{ .attr = SCALEFABRIC_A_QP_LANE },
	{ .attr = SCALEFABRIC_A_QP_LANE_NAME },
	{ .attr = SCALEFABRIC_A_QP_OLD_FLOW_LABEL },
	{ .attr = SCALEFABRIC_A_QP_FLOW_LABEL },
	{ .attr = SCALEFABRIC_A_QP_UDP_SPORT },
	{ .attr = SCALEFABRIC_A_QP_WINDOW },
	{ .attr = SCALEFABRIC_A_QP_PID },
	{ .attr = SCALEFABRIC_A_QP_COMM },
	{ .attr = SCALEFABRIC_A_QP_KERNEL },
};

static const struct column change_columns[] = {
	{ .attr = SCALEFABRIC_A_QP_CHANGE },
	{ .attr = SCALEFABRIC_A_QP_DEV_NAME },
	{ .attr = SCALEFABRIC_A_QP_PORT },
	{ .attr = SCALEFABRIC_A_QP_LQPN },
	{ .attr = SCALEFABRIC_A_QP_RQPN },
	{ .attr = SCALEFABRIC_A_QP_TYPE },
	{ .attr = SCALEFABRIC_A_QP_STATE },
	{ .attr = SCALEFABRIC_A_QP_LANE },
	{ .attr = SCALEFABRIC_A_QP_LANE_NAME },
	{ .attr = SCALEFABRIC_A_QP_FLOW_LABEL },
	{ .attr = SCALEFABRIC_A_QP_UDP_SPORT },
	{ .attr = SCALEFABRIC_A_QP_PATH_MTU },
	{ .attr = SCALEFABRIC_A_QP_PID },
	{ .attr = SCALEFABRIC_A_QP_COMM },
	{ .attr = SCALEFABRIC_A_QP_KERNEL },
	{ .attr = SCALEFABRIC_A_QP_SGID, .detail = true },
	{ .attr = SCALEFABRIC_A_QP_DGID, .detail = true },
};

/**
 * struct kind - a kind of notification
 * @word: what the user asks for
 * @group: where it is sent
 * @cmd: what it is recognised by
 * @slot: set when the user asked for it
 * @view: what to show in text
 */
struct kind {
	const char *word;
	const char *group;
	uint8_t cmd;
	enum slot slot;
	struct view view;
};

static const struct kind kinds[] = {
	{
		.word = "event", .group = SCALEFABRIC_MCGRP_EVENTS,
		.cmd = SCALEFABRIC_CMD_QP_EVENT_NTF, .slot = SLOT_EVENTS,
		.view = VIEW(&qp_table, event_columns),
	},
	{
		.word = "rebind", .group = SCALEFABRIC_MCGRP_EVENTS,
		.cmd = SCALEFABRIC_CMD_QP_REBIND_NTF, .slot = SLOT_REBINDS,
		.view = VIEW(&qp_table, rebind_columns),
	},
	{
		.word = "qp", .group = SCALEFABRIC_MCGRP_QPS,
		.cmd = SCALEFABRIC_CMD_QP_CHANGE_NTF, .slot = SLOT_QPS,
		.view = VIEW(&qp_table, change_columns),
	},
};

#define N_KINDS		(sizeof(kinds) / sizeof(*kinds))
#define DEFAULT_KINDS	(NEED(SLOT_EVENTS) | NEED(SLOT_REBINDS))

/**
 * struct monitor - a monitor at work
 * @s: the run
 * @slots: kinds wanted
 * @lost: records that the module had lost when it was last heard of
 */
struct monitor {
	struct sfnl *s;
	uint32_t slots;
	uint64_t lost;
};

static void begin(struct printer *out, uint64_t time, const char *kind)
{
	char buf[VALUE_MAX];

	print_begin(out);
	if (out->brief)
		print_member(out, "time", json_integer(time), "%" PRIu64, time);
	else
		print_member(out, "time", json_integer(time), "[%s]",
			     time_text(time, buf, sizeof(buf)));
	print_member(out, "notification", json_string(kind), out->brief ? "%s" : NULL, kind);
}

/* A gap in what follows must not go unseen. */
static void show_lost(struct monitor *m, uint64_t records)
{
	struct printer *out = &m->s->out;

	begin(out, sf_client_time(m->s->client), "lost");
	print_member(out, "source", json_string("module"), out->brief ? "module" : "lost");
	print_member(out, "records", json_integer(records),
		     out->brief ? "%" PRIu64 : "%" PRIu64 " records in the module", records);
	print_end(out);
}

static void show_overrun(struct monitor *m)
{
	struct printer *out = &m->s->out;

	begin(out, sf_client_time(m->s->client), "lost");
	print_member(out, "source", json_string("socket"),
		     out->brief ? "socket\t-" : "lost notifications: sfnl was too slow");
	print_end(out);
}

static void check_lost(struct monitor *m, const struct record *rec)
{
	uint64_t lost;

	if (!rec->attrs[SCALEFABRIC_A_QP_LOST])
		return;
	lost = record_number(rec, SCALEFABRIC_A_QP_LOST);
	if (lost > m->lost)
		show_lost(m, lost - m->lost);
	m->lost = lost;
}

static const struct kind *find_kind(uint8_t cmd)
{
	for (size_t i = 0; i < N_KINDS; i++)
		if (kinds[i].cmd == cmd)
			return &kinds[i];
	return NULL;
}

static int notified(const struct nlmsghdr *nlh, void *arg)
{
	const struct kind *kind = find_kind(sf_message_cmd(nlh));
	struct monitor *m = arg;
	struct record rec;
	uint64_t time;

	if (!kind)
		return 0;
	if (record_parse(&rec, &qp_table, nlh))
		return -EBADMSG;

	check_lost(m, &rec);
	if (!(m->slots & NEED(kind->slot)))
		return 0;

	time = sf_client_time(m->s->client);
	if (rec.attrs[SCALEFABRIC_A_QP_EVENT_TIME])
		time = record_number(&rec, SCALEFABRIC_A_QP_EVENT_TIME);

	begin(&m->s->out, time, kind->word);
	print_record(&m->s->out, &kind->view, &rec);
	print_end(&m->s->out);
	return 0;
}

static int read_lost(const struct nlmsghdr *nlh, void *arg)
{
	struct monitor *m = arg;
	struct record rec;
	int err;

	err = record_parse(&rec, &info_table, nlh);
	if (!err && rec.attrs[SCALEFABRIC_A_INFO_LOST])
		m->lost = record_number(&rec, SCALEFABRIC_A_INFO_LOST);
	return err;
}

/* Before the first notification: what it says was lost is compared to this. */
static int ask_lost(struct monitor *m)
{
	struct sf_request req;

	sf_request_init(&req, SCALEFABRIC_CMD_INFO_GET);
	return sf_client_do(m->s->client, &req, read_lost, m);
}

static int join(struct monitor *m)
{
	const char *joined = "";
	int err;

	for (size_t i = 0; i < N_KINDS; i++) {
		if (!(m->slots & NEED(kinds[i].slot)) || !strcmp(kinds[i].group, joined))
			continue;
		joined = kinds[i].group;
		err = sf_client_join(m->s->client, joined);
		if (err)
			return err;
	}
	return 0;
}

/* Signals that end the monitor are read as input: no line is ever cut short. */
static int open_signals(sigset_t *old)
{
	sigset_t ends;
	int fd;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, old);
	signal(SIGPIPE, SIG_IGN);

	fd = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static void close_signals(int fd, const sigset_t *old)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) > 0)
		;
	close(fd);
	sigprocmask(SIG_SETMASK, old, NULL);
}

/* Return: false when it is time to end. */
static bool wait_input(const struct monitor *m, int signals)
{
	struct pollfd fds[] = {
		{ .fd = sf_client_fd(m->s->client), .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
		{ .fd = STDOUT_FILENO },	/* tells when the reader has gone */
	};

	while (poll(fds, sizeof(fds) / sizeof(*fds), -1) < 0)
		if (errno != EINTR)
			return false;
	return !fds[1].revents && !fds[2].revents;
}

static int listen_once(struct monitor *m)
{
	int err, status = EXIT_OK;

	err = sf_client_listen(m->s->client, notified, m);
	if (err == -ENOBUFS)
		show_overrun(m);
	else if (err == -ENODEV)
		status = sfnl_no_module("scalefabric was unloaded");
	else if (err && err != -EINTR)
		status = sfnl_status(m->s, NULL, err);

	err = print_flush(&m->s->out);
	if (err && err != -EPIPE && !status)
		status = sfnl_error(err, "cannot write the output");
	return status;
}

static int watch(struct monitor *m)
{
	int signals, status = EXIT_OK;
	sigset_t old;

	signals = open_signals(&old);
	if (signals < 0)
		return sfnl_error(signals, "cannot wait for signals");

	while (!status && wait_input(m, signals))
		status = listen_once(m);
	close_signals(signals, &old);
	return status;
}

static int monitor_run(struct sfnl *s, struct args *args)
{
	struct monitor m = { .s = s };
	int status;

	for (size_t i = 0; i < N_KINDS; i++)
		if (args->given[kinds[i].slot])
			m.slots |= NEED(kinds[i].slot);
	if (!m.slots)
		m.slots = DEFAULT_KINDS;

	s->out.lines = true;
	status = sfnl_open(s);
	if (!status)
		status = sfnl_status(s, NULL, ask_lost(&m));
	if (!status)
		status = sfnl_status(s, NULL, join(&m));
	return status ? status : watch(&m);
}

static const struct arg monitor_args[] = {
	{ .word = "qp", .slot = SLOT_QPS },
	{ .word = "event", .slot = SLOT_EVENTS },
	{ .word = "rebind", .slot = SLOT_REBINDS },
};

static const struct action monitor_actions[] = {
	{
		.command = {
			.word = "", ARGS(monitor_args), .usage = "[ qp | event | rebind ]...",
		},
		.run = monitor_run,
	},
};

const struct object monitor_object = OBJECT("monitor", monitor_actions);

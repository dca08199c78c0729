// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * A transport that plays a script of datagrams.
 */

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../../userspace/lib/transport.h"
#include "script.h"

#define DATAGRAM_MAX	65536

struct script *script_playing;

struct sf_transport {
	struct script *script;
};

void script_init(struct script *script)
{
	*script = (struct script){ .fd = -1 };
}

void script_free(struct script *script)
{
	for (size_t i = 0; i < script->n; i++)
		free(script->steps[i].buf);
	free(script->steps);
}

void script_rewind(struct script *script)
{
	script->next = 0;
	script->error[0] = '\0';
}

struct step *script_add(struct script *script, enum step_kind kind, const void *buf, size_t len)
{
	struct step *step;

	script->steps = realloc(script->steps, (script->n + 1) * sizeof(*step));
	step = &script->steps[script->n++];
	*step = (struct step){ .kind = kind, .buf = malloc(len + 1), .len = len };
	memcpy(step->buf, buf, len);
	return step;
}

void script_add_number(struct script *script, enum step_kind kind, int number)
{
	script_add(script, kind, "", 0)->number = number;
}

static void load_hex(struct step *step, const char *hex)
{
	unsigned int byte;
	int used;

	step->buf = realloc(step->buf, step->len + strlen(hex) / 2 + 1);
	for (; sscanf(hex, " %2x%n", &byte, &used) == 1; hex += used)
		step->buf[step->len++] = byte;
}

/* One line of a recording; data/README tells the format. */
static void load_line(struct script *script, const char *line, char *args, size_t size)
{
	switch (line[0]) {
	case '$':
		snprintf(args, size, "%.*s", (int)strcspn(line + 1, "\n"), line + 1);
		break;
	case '>':
		load_hex(script_add(script, STEP_SEND, "", 0), line + 1);
		break;
	case '<':
		load_hex(script_add(script, STEP_RECV, "", 0), line + 1);
		break;
	case ' ':
		load_hex(&script->steps[script->n - 1], line);
		break;
	case '!':
		script_add_number(script, STEP_FAIL, atoi(line + 1));
		break;
	case '+':
		script_add_number(script, STEP_JOIN, atoi(line + 1));
		break;
	}
}

void script_load(struct script *script, const char *path, char *args, size_t size)
{
	FILE *file = fopen(path, "r");
	char line[256];

	if (!file) {
		printf("Bail out! %s: %s\n", path, strerror(errno));
		exit(1);
	}
	while (fgets(line, sizeof(line), file))
		load_line(script, line, args, size);
	fclose(file);
}

bool script_done(const struct script *script)
{
	return !script->error[0] && script->next == script->n;
}

__attribute__((format(printf, 2, 3)))
static int deviate(struct script *script, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(script->error, sizeof(script->error), fmt, ap);
	va_end(ap);
	return -EIO;
}

static struct step *next_step(struct script *script)
{
	return script->next < script->n ? &script->steps[script->next] : NULL;
}

int sf_transport_open(struct sf_transport **transport)
{
	*transport = malloc(sizeof(**transport));
	(*transport)->script = script_playing;
	return 0;
}

void sf_transport_close(struct sf_transport *t)
{
	if (t->script->fd >= 0)
		close(t->script->fd);
	t->script->fd = -1;
	free(t);
}

/*
 * Asked for by a monitor before it waits: readable as long as the script goes
 * on, and then the monitor is told to end.
 */
int sf_transport_fd(const struct sf_transport *t)
{
	struct script *script = t->script;

	if (script->fd < 0)
		script->fd = eventfd(1, 0);
	if (!next_step(script))
		raise(SIGTERM);
	return script->fd;
}

int sf_transport_join(struct sf_transport *t, uint32_t group)
{
	struct script *script = t->script;
	struct step *step = next_step(script);

	if (!step || step->kind != STEP_JOIN || step->number != (int)group)
		return script->lenient ? 0 : deviate(script, "unexpected join of %u", group);
	script->next++;
	return 0;
}

int sf_transport_send(struct sf_transport *t, const void *buf, size_t len)
{
	struct script *script = t->script;
	struct step *step = next_step(script);
	char sent[DATAGRAM_MAX];
	struct nlmsghdr *nlh = (void *)sent;

	if (!step || step->kind != STEP_SEND)
		return deviate(script, "unexpected request");

	memcpy(sent, buf, len);
	script->seq = nlh->nlmsg_seq;
	nlh->nlmsg_seq = 0;
	nlh->nlmsg_pid = 0;
	if (!script->lenient && step->len &&
	    (step->len != len || memcmp(step->buf, sent, len)))
		return deviate(script, "step %zu: request differs", script->next);
	script->next++;
	return 0;
}

/* Replies of a script have sequence number 1, notifications have 0. */
static void number_replies(const struct script *script, void *buf, int len)
{
	struct nlmsghdr *nlh = buf;

	for (; mnl_nlmsg_ok(nlh, len) && nlh->nlmsg_len <= (uint32_t)len;
	     nlh = mnl_nlmsg_next(nlh, &len))
		if (nlh->nlmsg_seq == 1)
			nlh->nlmsg_seq = script->seq;
}

ssize_t sf_transport_recv(struct sf_transport *t, void *buf, size_t size)
{
	struct script *script = t->script;
	struct step *step = next_step(script);

	if (!step || (step->kind != STEP_RECV && step->kind != STEP_FAIL))
		return deviate(script, "nothing to receive");
	script->next++;
	if (step->kind == STEP_FAIL)
		return -step->number;
	if (step->len > size)
		return -EMSGSIZE;

	memcpy(buf, step->buf, step->len);
	number_replies(script, buf, step->len);
	return step->len;
}

uint64_t sf_transport_time(const struct sf_transport *t)
{
	(void)t;
	return SCRIPT_TIME;
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../prog/common.h"
#include "forge.h"
#include "tally.h"

/* Beyond it a failure is only counted. */
#define FAILURES_SHOWN	20
/* The kernel's own go up to 530. */
#define ERRNO_MAX	1024
/* By number. */
#define COMMANDS	256

bool tally_verbose;

static struct {
	unsigned long seed, messages, datagrams, replies, failures;
	/* Those that the specification allows, and dumps that came to their end. */
	unsigned long allowed, dumps;
	unsigned long notices, overruns;
	unsigned long ends[TALLY_ENDS];
	unsigned long kinds[FORGE_KINDS][TALLY_ENDS];
	unsigned long commands[COMMANDS][TALLY_ENDS];
	unsigned long errors[ERRNO_MAX];
	uint64_t start;
} tally;

static const char *const end_names[] = {
	[TALLY_DONE] = "accepted",
	[TALLY_REFUSED] = "refused",
	[TALLY_SKIPPED] = "skipped",
	[TALLY_ABANDONED] = "abandoned",
};

void tally_start(unsigned long seed)
{
	tally.seed = seed;
	tally.start = now_ms();
}

void tally_datagram(void)
{
	tally.datagrams++;
}

void tally_reply(void)
{
	tally.replies++;
}

void tally_notice(void)
{
	tally.notices++;
}

void tally_overrun(void)
{
	tally.overruns++;
}

static const char *command_of(const struct sent *sent)
{
	return sent->verdict.cmd ? sent->verdict.cmd->name : "no command";
}

void tally_end(const struct sent *sent, enum tally_end end, int error)
{
	tally.messages++;
	tally.ends[end]++;
	tally.kinds[sent->kind][end]++;
	if (sent->verdict.cmd)
		tally.commands[sent->verdict.cmd->cmd][end]++;
	if (!sent->verdict.forbidden && !sent->verdict.skipped)
		tally.allowed++;
	if (sent->verdict.dump && end == TALLY_DONE)
		tally.dumps++;
	if (end == TALLY_REFUSED)
		tally.errors[error < ERRNO_MAX ? error : 0]++;
	if (tally_verbose)
		printf("%lu %s%s, %s: %s%s%s\n", sent->number, command_of(sent),
		       sent->verdict.dump ? " dump" : "", forge_kind(sent->kind), end_names[end],
		       error ? ", " : "", error ? strerror(error) : "");
}

static void print_bytes(const struct sent *sent)
{
	const uint8_t *bytes = sent->bytes;
	size_t i;

	printf("  message %lu, %s, %s:", sent->number, command_of(sent), forge_kind(sent->kind));
	for (i = 0; i < sent->len; i++)
		printf("%s%02x", i % 32 ? "" : "\n    ", bytes[i]);
	putchar('\n');
}

void tally_fail(const struct sent *sent, const char *fmt, ...)
{
	va_list ap;

	if (tally.failures++ >= FAILURES_SHOWN)
		return;
	printf("FAIL (seed %lu) ", tally.seed);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (sent)
		print_bytes(sent);
	fflush(stdout);
}

unsigned long tally_failures(void)
{
	return tally.failures;
}

static void print_ends(const unsigned long *ends)
{
	unsigned int end;

	for (end = 0; end < TALLY_ENDS; end++)
		printf("%s\"%s\": %lu", end ? ", " : "", end_names[end], ends[end]);
}

static void print_row(bool first, const char *name, const unsigned long *ends)
{
	printf("%s\n  \"%s\": {", first ? "" : ",", name);
	print_ends(ends);
	putchar('}');
}

static void print_kinds(void)
{
	unsigned int i;

	printf(",\n \"commands\": {");
	for (i = 0; i < n_spec_cmds; i++)
		print_row(!i, spec_cmds[i].name, tally.commands[spec_cmds[i].cmd]);
	printf("},\n \"kinds\": {");
	for (i = 0; forge_kind(i); i++)
		print_row(!i, forge_kind(i), tally.kinds[i]);
	putchar('}');
}

static void print_errors(void)
{
	const char *comma = "";
	int i;

	printf(",\n \"errors\": {");
	for (i = 0; i < ERRNO_MAX; i++) {
		if (!tally.errors[i])
			continue;
		if (strerrorname_np(i))
			printf("%s\"%s\": %lu", comma, strerrorname_np(i), tally.errors[i]);
		else
			printf("%s\"%d\": %lu", comma, i, tally.errors[i]);
		comma = ", ";
	}
	putchar('}');
}

void tally_print(void)
{
	uint64_t ms = now_ms() - tally.start;

	printf("{\"seed\": %lu, \"messages\": %lu, \"datagrams\": %lu, \"allowed\": %lu,\n ",
	       tally.seed, tally.messages, tally.datagrams, tally.allowed);
	print_ends(tally.ends);
	printf(", \"replies\": %lu, \"dumps\": %lu,\n \"seconds\": %.1f, \"per_second\": %.0f,"
	       " \"failures\": %lu",
	       tally.replies, tally.dumps, ms / 1000.0, tally.messages * 1000.0 / (ms ? ms : 1),
	       tally.failures);
	printf(", \"notices\": %lu, \"overruns\": %lu", tally.notices, tally.overruns);
	print_kinds();
	print_errors();
	puts("}");
}

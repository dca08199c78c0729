// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

#define MAX_OPTIONS	24

static atomic_bool stop_flag;

static void vdie(int error, const char *fmt, va_list ap)
{
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, fmt, ap);
	if (error)
		fprintf(stderr, ": %s", strerror(error));
	fputc('\n', stderr);
	exit(EXIT_SETUP);
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vdie(0, fmt, ap);
	abort();
}

void die_errno(const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	va_start(ap, fmt);
	vdie(error, fmt, ap);
	abort();
}

unsigned long option_value(const char *option, const char *text, unsigned long max)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || value > max)
		die("%s: \"%s\" is not a number up to %lu", option, text, max);
	return value;
}

static void help(const char *usage, const struct opt *table)
{
	char left[40];

	printf("%s\n\n", usage);
	for (; table->name; table++) {
		snprintf(left, sizeof(left), "-%c, --%s%s%s", table->letter, table->name,
			 table->arg ? " " : "", table->arg ? table->arg : "");
		printf("  %-26s %s\n", left, table->help);
	}
	printf("  %-26s %s\n", "-h, --help", "this");
}

static void set_option(const struct opt *o)
{
	if (o->flag)
		*o->flag = true;
	if (o->string)
		*o->string = optarg;
	if (o->value)
		*o->value = option_value(o->name, optarg, o->max);
	if (o->parse)
		o->parse(optarg);
}

int parse_options(int argc, char **argv, const char *usage, const struct opt *table)
{
	struct option longs[MAX_OPTIONS + 2] = {};
	char letters[2 * MAX_OPTIONS + 2] = "h";
	const struct opt *o;
	int c, n = 0;

	for (o = table; o->name && n < MAX_OPTIONS; o++) {
		longs[n++] = (struct option){
			o->name, o->arg ? required_argument : no_argument, NULL, o->letter
		};
		strncat(letters, &o->letter, 1);
		strcat(letters, o->arg ? ":" : "");
	}
	longs[n] = (struct option){ "help", no_argument, NULL, 'h' };

	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		for (o = table; o->name && o->letter != c; o++)
			;
		if (o->name)
			set_option(o);
		else if (c == 'h')
			help(usage, table);
		if (!o->name)
			exit(c == 'h' ? 0 : EXIT_SETUP);
	}
	return optind;
}

void *zalloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		die_errno("no memory");
	return p;
}

uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static void on_signal(int sig)
{
	(void)sig;
	stop_flag = true;
}

void stop_on_signal(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	/* A vanished peer is found by its socket, not by dying of it. */
	signal(SIGPIPE, SIG_IGN);
}

bool stopped(void)
{
	return stop_flag;
}

void wait_for_stop(void)
{
	while (!stopped())
		usleep(20000);
}

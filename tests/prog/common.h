/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/* What every test program needs: options, an end with a reason, signals. */

#ifndef SF_TEST_COMMON_H
#define SF_TEST_COMMON_H

#include <stdbool.h>
#include <stdint.h>

/* Exit codes: 0 all was well, 1 what was tested went wrong, and this one. */
#define EXIT_SETUP	2

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Print "program: message[: errno text]" and leave with EXIT_SETUP. */
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
void die_errno(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* The value of an option, or die. */
unsigned long option_value(const char *option, const char *text, unsigned long max);

/* An option: fills in exactly one of the targets that are set. */
struct opt {
	char letter;
	const char *name;
	const char *arg;		/* name of the argument in the help; NULL: none */
	const char *help;
	const char **string;
	unsigned long *value;
	unsigned long max;		/* of value */
	bool *flag;
	void (*parse)(char *text);
};

/*
 * Read the options, print the help for --help; returns the index of the first
 * other argument. @table ends with an empty entry.
 */
int parse_options(int argc, char **argv, const char *usage, const struct opt *table);

void *zalloc(size_t size);

uint64_t now_ms(void);

/* SplitMix64: a test can be repeated from the seed that it printed. */
uint64_t random_next(uint64_t *state);

/* SIGTERM and SIGINT set a flag instead of ending the program. */
void stop_on_signal(void);
bool stopped(void);

/* Wait for SIGTERM or SIGINT. */
void wait_for_stop(void);

#endif /* SF_TEST_COMMON_H */

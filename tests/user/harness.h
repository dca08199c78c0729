/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Run sfnl within the test program, and say in TAP how it went.
 */

#ifndef TEST_HARNESS_H
#define TEST_HARNESS_H

#include <stdbool.h>

#include "script.h"

/**
 * struct result - a run of sfnl
 * @status: its exit status
 * @out: what it wrote to stdout
 * @err: what it wrote to stderr
 */
struct result {
	int status;
	char *out, *err;
};

/* Let the sanitizers write where run() does not catch it. */
void tests_begin(void);

/**
 * run - run sfnl
 * @script: what the kernel says; NULL when sfnl must not ask it
 * @line: the arguments, separated by blanks; '' is an empty one
 *
 * Return: the result, to be freed with result_free().
 */
struct result run(struct script *script, const char *line);

void result_free(struct result *result);

/**
 * check - a condition of the test that is running
 * @condition: must be true
 * @fmt: what to say if it is not
 */
__attribute__((format(printf, 2, 3)))
void check(bool condition, const char *fmt, ...);

void check_string(const char *what, const char *got, const char *expected);
void check_number(const char *what, long got, long expected);

/**
 * test_end - print the line of the test that was running
 * @fmt: its name
 */
__attribute__((format(printf, 1, 2)))
void test_end(const char *fmt, ...);

/* Print the plan. Return: exit status of the test program. */
int tests_end(void);

/* A file of tests/user/data; freed by the caller. */
char *data_read(const char *name);
const char *data_path(const char *name);

/* How a recording looks in each output format; freed by the caller. */
char *recording_transcript(const char *name);

/* The groups of tests. */
void test_args(void);
void test_client(void);
void test_garbage(void);
void test_monitor(void);
void test_recordings(void);
void test_show(void);

#endif /* TEST_HARNESS_H */

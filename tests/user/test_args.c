// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Words that are wrong are named, before the kernel is asked.
 */

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../../userspace/sfnl/sfnl.h"
#include "harness.h"

#define PROMPT	"$ sfnl"

static const struct {
	const char *line, *starts;
} helps[] = {
	{ "help", "Usage: sfnl [ OPTIONS ] OBJECT { COMMAND | help }\n" },
	{ "-h", "Usage: sfnl [ OPTIONS ] OBJECT { COMMAND | help }\n" },
	{ "--help dev", "Usage: sfnl [ OPTIONS ] OBJECT { COMMAND | help }\n" },
	{ "dev help", "Usage: sfnl dev show [ DEV ]\n       sfnl dev set DEV" },
	{ "dev set help", "Usage: sfnl dev set DEV [ mode { observe | balance } ]" },
	{ "lane help", "Usage: sfnl lane show [ dev DEV ]\n" },
	{ "qp help", "Usage: sfnl qp show [ dev DEV | link DEV[/PORT] ]" },
	{ "qp rebind help", "Usage: sfnl qp rebind { dev DEV | link DEV[/PORT] } lqpn N" },
	{ "monitor help", "Usage: sfnl monitor [ qp | event | rebind ]...\n" },
	{ "version help", "Usage: sfnl version\n" },
	{ "-j help", "Usage: sfnl [ OPTIONS ] OBJECT { COMMAND | help }\n" },
	{ "-j qp rebind help", "Usage: sfnl qp rebind { dev DEV | link DEV[/PORT] } lqpn N" },
	{ "-V", "sfnl " },
	{ "--version", "sfnl " },
};

static void test_wrong(const char *line, const char *error)
{
	struct result result = run(NULL, line);

	check_string("message", result.err, error);
	check_string("stdout", result.out, "");
	check_number("exit status", result.status, EXIT_USAGE);
	result_free(&result);
	test_end("wrong words: sfnl %s", line);
}

/* Lines of data/wrong-words: "$ sfnl ARGUMENT..." and then the message. */
static void test_wrong_words(void)
{
	FILE *file = fopen(data_path("wrong-words"), "r");
	char line[LINE_MAX], error[LINE_MAX];
	int n = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, PROMPT, strlen(PROMPT)) || !fgets(error, sizeof(error), file))
			continue;
		line[strcspn(line, "\n")] = '\0';
		test_wrong(line + strlen(PROMPT), error);
		n++;
	}
	if (file)
		fclose(file);
	check(n > 0, "no wrong words in data/wrong-words");
	test_end("wrong words: %d found", n);
}

static void test_help(const char *line, const char *starts)
{
	struct result result = run(NULL, line);

	check(!strncmp(result.out, starts, strlen(starts)), "help is: %s", result.out);
	check(!strstr(result.out, "\n["), "help comes with a list: %s", result.out);
	check_string("stderr", result.err, "");
	check_number("exit status", result.status, EXIT_OK);
	result_free(&result);
	test_end("help: sfnl %s", line);
}

void test_args(void)
{
	test_wrong_words();
	for (size_t i = 0; i < MNL_ARRAY_SIZE(helps); i++)
		test_help(helps[i].line, helps[i].starts);
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sanitizer/common_interface_defs.h>

#include "../../userspace/sfnl/sfnl.h"
#include "harness.h"

#define ARGS_MAX	32

static int tests, failures;
static bool failed;

void tests_begin(void)
{
	__sanitizer_set_report_fd((void *)(intptr_t)dup(STDERR_FILENO));
}

/* A file in memory in place of a standard stream, and back. */
struct capture {
	FILE *stream;
	int fd, saved, file;
};

static void capture_begin(struct capture *c, FILE *stream)
{
	c->stream = stream;
	c->fd = fileno(stream);
	fflush(stream);
	c->saved = dup(c->fd);
	c->file = memfd_create("capture", MFD_CLOEXEC);
	dup2(c->file, c->fd);
}

static char *read_all(int fd)
{
	off_t len = lseek(fd, 0, SEEK_END);
	char *buf = calloc(1, len + 1);

	if (pread(fd, buf, len, 0) != len)
		buf[0] = '\0';
	return buf;
}

static char *capture_end(struct capture *c)
{
	char *buf;

	fflush(c->stream);
	dup2(c->saved, c->fd);
	close(c->saved);
	buf = read_all(c->file);
	close(c->file);
	return buf;
}

struct result run(struct script *script, const char *line)
{
	struct capture out, err;
	struct result result;
	char *argv[ARGS_MAX] = { "sfnl" }, *words = strdup(line), *word, *save = NULL;
	struct script none;
	int argc = 1;

	for (word = strtok_r(words, " ", &save); word && argc < ARGS_MAX - 1;
	     word = strtok_r(NULL, " ", &save))
		argv[argc++] = strcmp(word, "''") ? word : "";

	script_init(&none);
	script_playing = script ? script : &none;
	capture_begin(&out, stdout);
	capture_begin(&err, stderr);
	result.status = sfnl_run(argc, argv);
	result.err = capture_end(&err);
	result.out = capture_end(&out);

	if (!script_playing->lenient)
		check(script_done(script_playing), "left the script: %s",
		      script_playing->error[0] ? script_playing->error : "not all was asked");
	free(words);
	return result;
}

void result_free(struct result *result)
{
	free(result->out);
	free(result->err);
}

void check(bool condition, const char *fmt, ...)
{
	va_list ap;

	if (condition)
		return;
	failed = true;
	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* Shows the first line that differs: outputs may be long. */
void check_string(const char *what, const char *got, const char *expected)
{
	size_t same = 0, start = 0;

	if (!strcmp(got, expected))
		return;
	for (; got[same] && got[same] == expected[same]; same++)
		if (got[same] == '\n')
			start = same + 1;

	failed = true;
	printf("# %s differs\n#      got: %.*s\n# expected: %.*s\n", what,
	       (int)strcspn(got + start, "\n"), got + start,
	       (int)strcspn(expected + start, "\n"), expected + start);
}

void check_number(const char *what, long got, long expected)
{
	check(got == expected, "%s is %ld, expected %ld", what, got, expected);
}

void test_end(const char *fmt, ...)
{
	va_list ap;

	printf("%s %d - ", failed ? "not ok" : "ok", ++tests);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);

	failures += failed;
	failed = false;
}

int tests_end(void)
{
	printf("1..%d\n", tests);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

const char *data_path(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), DATA "/%s", name);
	return path;
}

char *data_read(const char *name)
{
	FILE *file = fopen(data_path(name), "r");
	char *buf;

	if (!file)
		return strdup("");
	buf = read_all(fileno(file));
	fclose(file);
	return buf;
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <ctype.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../userspace/sfnl/sfnl.h"
#include "play.h"

/* What was written to a standard stream. */
struct stream {
	FILE *file;
	char *text;
	size_t len;
};

struct output {
	int status;
	struct stream out, err;
};

__attribute__((format(printf, 2, 3), noreturn))
static void broken(const struct output *output, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n--- status %d, stdout:\n%s--- stderr:\n%s---\n", output->status,
		output->out.text, output->err.text);
	abort();
}

static void stream_start(struct stream *stream)
{
	stream->file = open_memstream(&stream->text, &stream->len);
	if (!stream->file)
		abort();
}

void play_init(void)
{
	/* The same input is to take the same way every time. */
	json_object_seed(1);
	setenv("TZ", "UTC", 1);
	tzset();
}

static void run(struct output *output, int argc, char **argv)
{
	FILE *out = stdout, *err = stderr;

	stream_start(&output->out);
	stream_start(&output->err);
	stdout = output->out.file;
	stderr = output->err.file;
	output->status = sfnl_run(argc, argv);
	stdout = out;
	stderr = err;
	fclose(output->out.file);
	fclose(output->err.file);
}

/* What the kernel says must not steer a terminal. */
static void check_text(const struct output *output, const struct stream *stream)
{
	size_t i;

	for (i = 0; i < stream->len; i++)
		if (stream->text[i] < ' ' && stream->text[i] != '\n' && stream->text[i] != '\t')
			broken(output, "a control character in text, at %zu", i);
}

/* A list, or with a monitor an object for each line; but help is for people. */
static void check_json(const struct output *output)
{
	const char *text = output->out.text, *end = text + output->out.len;
	json_error_t error;
	json_t *value;

	if (!strncmp(text, "Usage:", strlen("Usage:"))) {
		if (strstr(text, "\n["))
			broken(output, "help and a list as well");
		return;
	}

	for (; text < end; text += error.position) {
		value = json_loadb(text, end - text, JSON_DISABLE_EOF_CHECK, &error);
		if (!value)
			broken(output, "not JSON: %s", error.text);
		json_decref(value);
		while (text + error.position < end && isspace((unsigned char)text[error.position]))
			error.position++;
	}
}

void play(int argc, char **argv, bool json, bool words)
{
	struct output output;

	run(&output, argc, argv);
	if (output.status < EXIT_OK || output.status > EXIT_FAILED)
		broken(&output, "exit status %d is not documented", output.status);
	if (output.status != EXIT_OK && !output.err.len)
		broken(&output, "failed without a word");
	if (json)
		check_json(&output);
	if (!words) {
		check_text(&output, &output.out);
		check_text(&output, &output.err);
	}
	free(output.out.text);
	free(output.err.text);
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Recordings of real runs, played again in each output format: what is shown
 * must be what data/NAME.out says. The requests must be the recorded ones.
 */

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "harness.h"

#define ARGS_MAX	256

static const char *const formats[] = { "", " -s", " -j", " -p -j" };

static void play(struct script *script, const char *format, const char *args, FILE *transcript)
{
	char line[ARGS_MAX + 16];
	struct result result;
	json_t *json;

	snprintf(line, sizeof(line), "%s%s", format, args);
	script_rewind(script);
	result = run(script, line + 1);
	fprintf(transcript, "$ sfnl%s\n%s%s", line, result.out, result.err);
	if (result.status)
		fprintf(transcript, "(exit status %d)\n", result.status);

	if (strstr(format, "-j") && *result.out) {
		json = json_loads(result.out, JSON_DISABLE_EOF_CHECK, NULL);
		check(json, "%s: not JSON", line);
		json_decref(json);
	}
	result_free(&result);
}

char *recording_transcript(const char *name)
{
	char args[ARGS_MAX] = "", file[NAME_MAX + 8], *transcript;
	struct script script;
	FILE *stream;
	size_t len;

	snprintf(file, sizeof(file), "%s.rec", name);
	script_init(&script);
	script_load(&script, data_path(file), args, sizeof(args));

	stream = open_memstream(&transcript, &len);
	fputs(RECORDING_HEADER, stream);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		play(&script, formats[i], args, stream);
	fclose(stream);
	script_free(&script);
	return transcript;
}

static void test_recording(const char *name)
{
	char file[NAME_MAX + 8], *transcript, *expected;

	transcript = recording_transcript(name);
	snprintf(file, sizeof(file), "%s.out", name);
	expected = data_read(file);
	check_string(file, transcript, expected);
	free(expected);
	free(transcript);
	test_end("recording: %s", name);
}

static int is_recording(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".rec");
}

void test_recordings(void)
{
	struct dirent **list;
	int n = scandir(data_path(""), &list, is_recording, alphasort);

	for (int i = 0; i < n; i++) {
		*strrchr(list[i]->d_name, '.') = '\0';
		test_recording(list[i]->d_name);
		free(list[i]);
	}
	check(n > 0, "no recordings in %s", data_path(""));
	if (n > 0)
		free(list);
	test_end("recordings: %d found", n);
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Recordings with damage: whatever arrives, sfnl ends by itself with a status
 * that it documents, and the sanitizers have nothing to say.
 */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/sfnl/sfnl.h"
#include "harness.h"

/* Damaged bytes of each datagram; more take longer and find no more. */
#define FLIPS	64
#define ARGS_MAX	256

static unsigned int runs;

static void play_damaged(struct script *script, const char *line)
{
	struct result result;

	script_rewind(script);
	result = run(script, line);
	check(result.status <= EXIT_FAILED, "exit status %d", result.status);
	check(result.status == EXIT_OK || *result.err, "failed without a word");
	result_free(&result);
	runs++;
}

/* Cut at every place, with the header telling the truth or the old length. */
static void truncate_step(struct script *script, struct step *step, const char *line)
{
	struct nlmsghdr *nlh = (void *)step->buf;
	uint32_t told = nlh->nlmsg_len;
	size_t len = step->len;

	for (step->len = 0; step->len < len && step->len < 512; step->len++) {
		play_damaged(script, line);
		if (step->len < sizeof(*nlh))
			continue;
		nlh->nlmsg_len = step->len;
		play_damaged(script, line);
		nlh->nlmsg_len = told;
	}
	step->len = len;
}

/* The same bytes each time: a failure can be repeated. */
static void flip_step(struct script *script, struct step *step, const char *line)
{
	char kept;
	size_t at;

	for (int i = 0; i < FLIPS; i++) {
		at = rand() % step->len;
		kept = step->buf[at];
		step->buf[at] = rand();
		play_damaged(script, line);
		step->buf[at] = kept;
	}
}

static void test_damage(const char *file)
{
	char args[ARGS_MAX] = "", line[ARGS_MAX + 8];
	struct script script;

	script_init(&script);
	script_load(&script, data_path(file), args, sizeof(args));
	script.lenient = true;
	srand(1);

	for (size_t i = 0; i < script.n; i++) {
		if (script.steps[i].kind != STEP_RECV)
			continue;
		snprintf(line, sizeof(line), "%s%s", i % 2 ? "-j" : "-d", args);
		truncate_step(&script, &script.steps[i], line);
		flip_step(&script, &script.steps[i], line);
	}
	script_free(&script);
	test_end("garbage: %s", file);
}

static int is_recording(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".rec");
}

void test_garbage(void)
{
	struct dirent **list;
	int n = scandir(data_path(""), &list, is_recording, alphasort);

	for (int i = 0; i < n; i++) {
		test_damage(list[i]->d_name);
		free(list[i]);
	}
	if (n > 0)
		free(list);
	check(runs > 1000, "only %u damaged runs", runs);
	test_end("garbage: damaged runs were many");
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * What the kernel may say to each of sfnl's commands, in each format.
 *
 * The first byte of an input chooses the format, the second the command, the rest
 * is a tape.
 */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fuzz_lines.h"
#include "play.h"
#include "tape.h"
#include "target.h"

#define ARGS_MAX	24
#define LINE_SIZE	128
/* In the first byte: the family is found, the tape starts after that. */
#define FOUND		0x10

static const char *const options[] = { "-j", "-d", "-p", "-s" };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	play_init();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t n_lines = sizeof(fuzz_lines) / sizeof(*fuzz_lines);
	char *argv[ARGS_MAX] = { "sfnl" }, line[LINE_SIZE], *word, *save;
	int argc = 1;
	size_t i;

	if (size < 2)
		return 0;
	for (i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (data[0] & 1 << i)
			argv[argc++] = (char *)options[i];
	snprintf(line, sizeof(line), "%s", fuzz_lines[data[1] % n_lines]);
	for (word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	tape_load(data + 2, size - 2);
	if (data[0] & FOUND)
		tape_put_family();
	play(argc, argv, data[0] & 1, false);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * A run of sfnl on the fuzzer's tape.
 */

#ifndef SF_FUZZ_PLAY_H
#define SF_FUZZ_PLAY_H

#include <stdbool.h>

/* Once, before the first run. */
void play_init(void);

/**
 * play - run sfnl, and hold its output against what sfnl(8) promises
 * @argc: as of main()
 * @argv: as of main()
 * @json: the output is JSON
 * @words: words of @argv may be anything, and messages repeat them
 *
 * A promise that is broken is told and ends in abort(), as a sanitizer's finding
 * does.
 */
void play(int argc, char **argv, bool json, bool words);

#endif /* SF_FUZZ_PLAY_H */

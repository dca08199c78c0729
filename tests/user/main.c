// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The tests of sfnl, in TAP; or the output of a recording, to be looked at.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "harness.h"

int main(int argc, char **argv)
{
	char *transcript;

	setenv("TZ", "UTC", 1);
	tzset();

	tests_begin();

	if (argc == 2) {
		transcript = recording_transcript(argv[1]);
		fputs(transcript, stdout);
		free(transcript);
		return 0;
	}

	test_args();
	test_client();
	test_show();
	test_monitor();
	test_recordings();
	test_garbage();
	return tests_end();
}

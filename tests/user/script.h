/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * A kernel of paper: a transport that plays a script of datagrams.
 */

#ifndef TEST_SCRIPT_H
#define TEST_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libmnl/libmnl.h>

/* First line of recordings; not to be taken for a line of this file's. */
#define RECORDING_HEADER	"# SPDX-License-Identifier\x3a BSD-2-Clause OR GPL-2.0\n"

#define SCRIPT_FAMILY	0x1f
#define SCRIPT_EVENTS	7
#define SCRIPT_QPS	8
#define SCRIPT_TIME	UINT64_C(1764576000000000000)

/**
 * enum step_kind - what happens next
 * @STEP_SEND: the tool sends this request (any request if empty)
 * @STEP_RECV: the kernel sends this datagram
 * @STEP_FAIL: receiving fails with this errno
 * @STEP_JOIN: the tool joins this group
 */
enum step_kind { STEP_SEND, STEP_RECV, STEP_FAIL, STEP_JOIN };

struct step {
	enum step_kind kind;
	char *buf;
	size_t len;
	int number;
};

/**
 * struct script - what the tool and the kernel tell each other
 * @steps: the steps, in order
 * @n: how many
 * @next: the one that is due
 * @seq: sequence number of the last request
 * @fd: what a monitor polls, or -1
 * @lenient: do not look at requests; a test of garbage only wants answers
 * @error: what went otherwise than in the script, or empty
 */
struct script {
	struct step *steps;
	size_t n, next;
	uint32_t seq;
	int fd;
	bool lenient;
	char error[256];
};

/* The script that the next sf_transport_open() plays. */
extern struct script *script_playing;

void script_init(struct script *script);
void script_free(struct script *script);

/* Play it from the start again. */
void script_rewind(struct script *script);

struct step *script_add(struct script *script, enum step_kind kind, const void *buf, size_t len);
void script_add_number(struct script *script, enum step_kind kind, int number);

/**
 * script_load - read a recording
 * @script: an empty script
 * @path: file that record.c wrote
 * @args: where to put the arguments of the run that was recorded
 * @size: size of @args
 *
 * Exits when the file cannot be read: without it there is nothing to test.
 */
void script_load(struct script *script, const char *path, char *args, size_t size);

/* All steps were made, and no other. */
bool script_done(const struct script *script);

#endif /* TEST_SCRIPT_H */

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * A transport that plays the datagrams of a fuzzer's input, whatever is asked:
 * the counterpart of tests/user/script.h, which knows what to expect.
 */

#ifndef SF_FUZZ_TAPE_H
#define SF_FUZZ_TAPE_H

#include <libmnl/libmnl.h>
#include <stddef.h>
#include <stdint.h>

/* The family's number in all that is played. */
#define TAPE_FAMILY	0x23

/**
 * tape_load - what is received from now on
 * @data: records, each a number of two bytes, low first, and what it counts. A
 *	datagram with that many bytes; from TAPE_FAIL on an error of receiving,
 *	of the errno above TAPE_FAIL, without bytes. The last may be cut short.
 *	Messages with number 1 become answers to the last request.
 * @size: size of @data
 */
void tape_load(const uint8_t *data, size_t size);

#define TAPE_FAIL	0xff00

/* One more datagram at the end, before those of tape_load(). */
void tape_put(const void *datagram, size_t len);

/* How the kernel answers who looks for the family; for the start of a tape. */
void tape_put_family(void);

/* Called with each request; it may put the answers on the tape. */
extern void (*tape_sent)(const struct nlmsghdr *request);

#endif /* SF_FUZZ_TAPE_H */

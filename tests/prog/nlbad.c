// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Send generic netlink messages to the family "scalefabric" that no sane
 * program sends. Each must be refused with an errno that fits, must leave the
 * devices as they were, and a good request must work afterwards.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "genl.h"
#include "nlbad.h"

const char *nlbad_device = "rxe0";
static unsigned long count = 20000;
static unsigned long seed;
static bool verbose;

static unsigned int failures;

static const char *describe(int error)
{
	return error == GENL_UNANSWERED ? "no answer" : strerror(error);
}

/* What the tests must not change. */
struct device_settings {
	uint8_t mode;
	uint32_t drain_timeout;
};

static int parse_setting(const struct nlattr *attr, void *data)
{
	struct device_settings *s = data;

	if (mnl_attr_get_type(attr) == SCALEFABRIC_A_DEV_MODE)
		s->mode = mnl_attr_get_u8(attr);
	if (mnl_attr_get_type(attr) == SCALEFABRIC_A_DEV_DRAIN_TIMEOUT)
		s->drain_timeout = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

static int parse_device(const struct nlmsghdr *nlh, void *data)
{
	return mnl_attr_parse(nlh, sizeof(struct genlmsghdr), parse_setting, data);
}

/* A good request, whose answer is looked at too. */
static struct device_settings read_device(void)
{
	struct device_settings settings = { .mode = UINT8_MAX };
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_DEV_GET, 0);
	int error;

	mnl_attr_put_strz(nlh, SCALEFABRIC_A_DEV_NAME, nlbad_device);
	error = genl_transact(nlh, parse_device, &settings);
	if (error || settings.mode == UINT8_MAX) {
		fprintf(stderr, "nlbad: a good request failed: %s\n", describe(error));
		exit(1);
	}
	return settings;
}

static bool expected(const struct bad_case *c, int error)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c->errors) && c->errors[i]; i++)
		if (c->errors[i] == error)
			return true;
	return false;
}

static void try_case(const struct bad_case *c)
{
	struct device_settings before = read_device(), after;
	int error = genl_transact(c->build(), NULL, NULL);

	after = read_device();
	if (verbose)
		printf("%s: %s\n", c->name, describe(error));
	if (!expected(c, error)) {
		printf("FAIL %s: %s\n", c->name, describe(error));
		failures++;
	}
	if (before.mode != after.mode || before.drain_timeout != after.drain_timeout) {
		printf("FAIL %s: the device is no longer as it was\n", c->name);
		failures++;
	}
}

/* The kernel drops these without an answer: it cannot trust the header. */
static void try_broken_headers(void)
{
	static const uint32_t lengths[] = { 0, 1, 15, 4096, UINT32_MAX };
	struct nlmsghdr *nlh;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		nlh = genl_start(SCALEFABRIC_CMD_INFO_GET, 0);
		nlh->nlmsg_len = lengths[i];
		genl_send(nlh, NLMSG_HDRLEN + GENL_HDRLEN);
		read_device();
	}
}

static void put_random_bytes(struct nlmsghdr *nlh, uint64_t *random, size_t len)
{
	char *end = mnl_nlmsg_get_payload_tail(nlh);
	size_t i;

	for (i = 0; i < len; i++)
		end[i] = random_next(random);
	nlh->nlmsg_len += len;
}

/* An attribute that exists, with a length and a value that may not. */
static void put_random_attr(struct nlmsghdr *nlh, uint64_t *random)
{
	static const uint8_t lengths[] = { 0, 1, 2, 3, 4, 4, 4, 8, 16, 64 };
	uint64_t value[8];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(value); i++)
		value[i] = random_next(random) >> (random_next(random) % 64);
	mnl_attr_put(nlh, random_next(random) % (SCALEFABRIC_A_QP_MAX + 3),
		     lengths[random_next(random) % ARRAY_SIZE(lengths)], value);
}

static void flip_bits(struct nlmsghdr *nlh, uint64_t *random)
{
	unsigned int i, n = random_next(random) % 4;
	uint8_t *payload = mnl_nlmsg_get_payload(nlh);
	size_t len = nlh->nlmsg_len - NLMSG_HDRLEN;

	for (i = 0; i < n; i++)
		payload[random_next(random) % len] ^= 1 << random_next(random) % 8;
}

static const struct nlmsghdr *build_random(uint64_t *random)
{
	uint8_t cmd = random_next(random) % (SCALEFABRIC_CMD_MAX + 2);
	struct nlmsghdr *nlh = genl_start(cmd, random_next(random) % 4 ? 0 : NLM_F_DUMP);
	unsigned int i, n = random_next(random) % 8;

	if (random_next(random) % 2)
		mnl_attr_put_strz(nlh, SCALEFABRIC_A_DEV_NAME, nlbad_device);
	for (i = 0; i < n; i++)
		put_random_attr(nlh, random);
	flip_bits(nlh, random);
	if (random_next(random) % 4 == 0)
		put_random_bytes(nlh, random, random_next(random) % 512);
	return nlh;
}

/* Some of these may be good by chance, so any answer is right. */
static void try_random(void)
{
	uint64_t random = seed;
	unsigned long i;

	for (i = 0; i < count && !stopped(); i++) {
		if (genl_transact(build_random(&random), NULL, NULL) == GENL_UNANSWERED) {
			printf("FAIL random message %lu: no answer\n", i);
			failures++;
		}
		if (i % 64 == 0)
			read_device();
	}
	read_device();
}

static const char usage[] =
	"usage: nlbad [OPTIONS]\n"
	"\n"
	"Exit code: 0 all was well, 1 a message was not refused as it should be, 2 no set-up.";

static const struct opt options[] = {
	{ 'd', "device", "NAME", "RDMA device that exists (default rxe0)",
	  .string = &nlbad_device },
	{ 'n', "count", "N", "random messages (default 20000)", .value = &count,
	  .max = UINT32_MAX },
	{ 's', "seed", "N", "of the random messages (default: from the clock)", .value = &seed,
	  .max = UINT32_MAX },
	{ 'v', "verbose", NULL, "print each answer", .flag = &verbose },
	{}
};

int main(int argc, char **argv)
{
	unsigned int i;

	seed = time(NULL) ^ getpid();
	parse_options(argc, argv, usage, options);
	stop_on_signal();
	fprintf(stderr, "nlbad: seed %lu\n", seed);
	genl_open();
	for (i = 0; i < n_bad_cases; i++)
		try_case(&bad_cases[i]);
	try_broken_headers();
	try_random();
	printf("{\"seed\": %lu, \"cases\": %zu, \"random\": %lu, \"failures\": %u}\n", seed,
	       n_bad_cases, count, failures);
	genl_close();
	return failures ? 1 : 0;
}

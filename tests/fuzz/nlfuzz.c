// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Send the family "scalefabric" generic netlink messages of all kinds, many of
 * them good, and hold what comes of each against the specification.
 *
 * What is random about a round comes from the seed and the round's number, so a
 * round is the same again as far as the host has the same devices and QPs.
 */

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "../prog/common.h"
#include "draft.h"
#include "family.h"
#include "link.h"
#include "notices.h"
#include "tally.h"

#define LINKS		6
#define BATCH_MAX	32
/* Messages between two looks at what there is. */
#define LOOK_EVERY	500

static unsigned long count = 200000;
static unsigned long seed;

static struct link *links[LINKS];

static struct link **pick_link(uint64_t *random)
{
	return &links[below(random, LINKS)];
}

/* A second dump on a socket is refused while one is under way: that, rarely. */
static void add_one(struct link *link, uint64_t *random)
{
	struct forged forged = forge(random, link_may_dump(link) || one_in(random, 16));

	link_add(link, &forged, one_in(random, 8));
}

static void add_some(struct link *link, uint64_t *random, unsigned int max)
{
	unsigned int n = 1 + below(random, max);

	while (n--)
		add_one(link, random);
}

static void round_batch(uint64_t *random)
{
	struct link *link = *pick_link(random);

	add_some(link, random, BATCH_MAX);
	link_send(link);
	link_settle(link);
}

static const struct spec_cmd *pick_dump(uint64_t *random)
{
	const struct spec_cmd *cmd;

	do {
		cmd = &spec_cmds[below(random, n_spec_cmds)];
	} while (!cmd->dump);
	return cmd;
}

static void start_dump(struct link *link, uint64_t *random)
{
	struct forged forged = forge_dump(pick_dump(random));

	link_add(link, &forged, false);
}

/* Dumps on all sockets, read in turns, with other messages in between. */
static void round_interleaved(uint64_t *random)
{
	unsigned int i;

	for (i = 0; i < LINKS; i++) {
		start_dump(links[i], random);
		link_send(links[i]);
	}
	for (i = 0; i < 4 * LINKS; i++) {
		struct link *link = *pick_link(random);

		link_receive(link, 1);
		if (one_in(random, 4)) {
			add_some(link, random, 4);
			link_send(link);
		}
	}
	for (i = 0; i < LINKS; i++)
		link_settle(links[i]);
}

/* A socket is closed while there is still something to read. */
static void round_abandoned(uint64_t *random)
{
	struct link **link = pick_link(random);

	start_dump(*link, random);
	add_some(*link, random, 4);
	link_send(*link);
	link_receive(*link, below(random, 3));
	link_close(*link);
	*link = link_open(random);
}

/* What there is now: later messages are made of it. */
static void look(void)
{
	struct forged forged;
	unsigned int i;

	for (i = 0; i < n_spec_cmds; i++) {
		if (!spec_cmds[i].dump)
			continue;
		forged = forge_dump(&spec_cmds[i]);
		link_add(links[0], &forged, false);
		link_send(links[0]);
		link_settle(links[0]);
	}
}

static void run_round(unsigned long number)
{
	uint64_t random = seed + (number << 32);

	/* The first few outputs of neighbouring states are alike. */
	random = random_next(&random);
	switch (below(&random, 16)) {
	case 0:
		round_interleaved(&random);
		break;
	case 1:
		round_abandoned(&random);
		break;
	default:
		round_batch(&random);
	}
}

static void run(void)
{
	unsigned long number, next = 0;
	uint64_t random = seed;
	unsigned int i;

	for (i = 0; i < LINKS; i++)
		links[i] = link_open(&random);
	for (number = 0; link_sent() < count && !stopped(); number++) {
		if (link_sent() >= next) {
			look();
			next = link_sent() + LOOK_EVERY;
		}
		run_round(number);
		notices_read();
	}
	for (i = 0; i < LINKS; i++)
		link_close(links[i]);
}

static const char usage[] =
	"usage: nlfuzz [OPTIONS]\n"
	"\n"
	"Print a summary in JSON; before it each message whose answer was wrong.\n"
	"Modes, drain timeouts and lanes of QPs are not left as they were.\n"
	"\n"
	"Exit code: 0 all was well, 1 a message was not answered as it should be, 2 no set-up.";

static const struct opt options[] = {
	{ 'n', "count", "N", "messages (default 200000)", .value = &count, .max = UINT32_MAX },
	{ 's', "seed", "N", "of all that is random (default: from the clock)", .value = &seed,
	  .max = UINT32_MAX },
	{ 'v', "verbose", NULL, "print how each message ended", .flag = &tally_verbose },
	{}
};

int main(int argc, char **argv)
{
	struct family family;

	seed = time(NULL) ^ getpid();
	parse_options(argc, argv, usage, options);
	stop_on_signal();
	fprintf(stderr, "nlfuzz: seed %lu\n", seed);
	family_find(&family);
	forge_init(family.id);
	link_init(family.id);
	notices_open(&family);
	tally_start(seed);
	run();
	notices_close();
	tally_print();
	return tally_failures() ? 1 : 0;
}

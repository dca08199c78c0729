// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Create, use and destroy QPs without end, in several processes and threads.
 *
 * Each thread has a number of places. A step picks a place at random: an empty
 * one gets a new QP; a QP there moves one state on (connected to itself), has
 * a few writes posted once it is in RTS, goes to ERR, or is destroyed. A QP is
 * destroyed in any state, with work in flight.
 */

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "rc.h"

#define DEPTH		8		/* writes posted to a QP in its life */
#define WRITE_SIZE	512

static const char *device;
static const char *mix = "rc,uc,ud";
static unsigned long cycles = 2000;
static unsigned long living = 32;
static unsigned long threads = 2;
static unsigned long processes = 2;
static unsigned long seed;
static unsigned long flow_label;
static bool hold;

/* Shared by all processes. */
struct totals {
	atomic_ullong started;	/* cycles that some thread has taken on */
	atomic_ullong created;
	atomic_ullong destroyed;
	atomic_ullong failed;
	atomic_ullong holding;	/* threads that are done and keep their QPs */
	atomic_ullong writes;
	atomic_ullong reached[IBV_QPS_ERR + 1];
};

struct place {
	struct ibv_qp *qp;
	enum ibv_qp_state state;
	unsigned int posted;
};

struct worker {
	pthread_t thread;
	struct rc_dev *dev;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct place *places;
	unsigned long n_places;
	uint64_t random;
	char memory[2][WRITE_SIZE];
};

static struct totals *totals;
static enum ibv_qp_type types[RC_TYPES];
static int n_types;

static void failed(const char *what, const struct ibv_qp *qp, int error)
{
	totals->failed++;
	fprintf(stderr, "qp_churn: %s QP %u: %s\n", what, qp ? qp->qp_num : 0, strerror(error));
}

static void create(struct worker *w, struct place *p)
{
	p->qp = rc_qp(w->dev, types[random_next(&w->random) % n_types], w->cq, DEPTH);
	p->state = IBV_QPS_RESET;
	p->posted = 0;
	totals->created++;
	totals->reached[IBV_QPS_RESET]++;
}

static void destroy(struct place *p)
{
	int error = ibv_destroy_qp(p->qp);

	if (error)
		failed("destroy", p->qp, error);
	p->qp = NULL;
	totals->destroyed++;
}

static void use(struct worker *w, struct place *p)
{
	if (p->qp->qp_type == IBV_QPT_UD || p->posted >= DEPTH)
		return;
	p->posted++;
	if (rc_write(p->qp, 0, w->mr, w->memory[0], WRITE_SIZE,
		     (uintptr_t)w->memory[1], w->mr->rkey))
		failed("post to", p->qp, errno);
	else
		totals->writes++;
}

/* RESET -> INIT -> RTR -> RTS; a QP in RTS writes instead. */
static void advance(struct worker *w, struct place *p)
{
	struct rc_dest to = { .gid = w->dev->gid, .qpn = p->qp->qp_num };
	struct rc_path path = { .flow_label = flow_label, .timeout = 18, .retries = 7 };
	int error = 0;

	switch (p->state) {
	case IBV_QPS_RESET:
		error = rc_init(p->qp);
		break;
	case IBV_QPS_INIT:
		error = rc_rtr(w->dev, p->qp, &to, &path);
		break;
	case IBV_QPS_RTR:
		error = rc_rts(p->qp, 0, &path);
		break;
	default:
		use(w, p);
		return;
	}
	if (error)
		failed("modify", p->qp, error);
	totals->reached[++p->state]++;
}

static void to_error(struct place *p)
{
	int error = rc_state(p->qp, IBV_QPS_ERR);

	if (error)
		failed("modify", p->qp, error);
	p->state = IBV_QPS_ERR;
	totals->reached[IBV_QPS_ERR]++;
}

static void reap(struct worker *w)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(w->cq, 1, &wc) > 0)
		if (wc.status != IBV_WC_SUCCESS && wc.status != IBV_WC_WR_FLUSH_ERR) {
			totals->failed++;
			fprintf(stderr, "qp_churn: QP %u: %s\n", wc.qp_num,
				ibv_wc_status_str(wc.status));
		}
}

/* One step in 6 destroys, so that most QPs see RTS first. */
static void step(struct worker *w)
{
	struct place *p = &w->places[random_next(&w->random) % w->n_places];
	unsigned int dice = random_next(&w->random) % 24;

	reap(w);
	if (!p->qp) {
		totals->started++;
		create(w, p);
	} else if (dice < 4) {
		destroy(p);
	} else if (dice < 5 && p->state != IBV_QPS_RESET && p->state != IBV_QPS_ERR) {
		to_error(p);
	} else if (p->state != IBV_QPS_ERR) {
		advance(w, p);
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned long i;

	while (totals->started < cycles && !stopped())
		step(w);
	totals->holding++;
	while (hold && !stopped())
		usleep(10000);
	for (i = 0; i < w->n_places; i++)
		if (w->places[i].qp)
			destroy(&w->places[i]);
	return NULL;
}

static void start_worker(struct worker *w, struct rc_dev *dev, unsigned int number)
{
	unsigned long n = threads * processes;

	w->dev = dev;
	w->random = seed + number;
	w->n_places = living / n + (number < living % n);
	w->places = zalloc(w->n_places * sizeof(*w->places));
	w->cq = rc_cq(dev, 2 * (w->n_places + 1) * DEPTH, NULL);
	w->mr = ibv_reg_mr(dev->pd, w->memory, sizeof(w->memory),
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!w->mr)
		die_errno("cannot register memory");
	if (pthread_create(&w->thread, NULL, work, w))
		die("cannot start threads");
}

static void run_process(unsigned int number)
{
	struct worker *w = zalloc(threads * sizeof(*w));
	struct rc_dev dev;
	unsigned int i;

	rc_open(&dev, device, RC_ANY_GID);
	for (i = 0; i < threads; i++)
		start_worker(&w[i], &dev, number * threads + i);
	for (i = 0; i < threads; i++) {
		pthread_join(w[i].thread, NULL);
		ibv_dereg_mr(w[i].mr);
		ibv_destroy_cq(w[i].cq);
	}
	rc_close(&dev);
}

static void parse_mix(void)
{
	char *list = strdup(mix), *word, *save;
	int i;

	for (word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		for (i = 0; i < RC_TYPES && strcmp(rc_types[i].name, word); i++)
			;
		if (i == RC_TYPES || n_types == RC_TYPES)
			die("mix: \"%s\" is none of rc, uc, ud", word);
		types[n_types++] = rc_types[i].type;
	}
	free(list);
	if (!n_types)
		die("mix: no QP type");
}

static void report(bool well)
{
	int i;

	printf("{\"seed\": %lu, \"ok\": %s, \"created\": %llu, \"destroyed\": %llu, ",
	       seed, well ? "true" : "false", totals->created, totals->destroyed);
	printf("\"writes\": %llu, \"failed\": %llu, \"reached\": {", totals->writes,
	       totals->failed);
	for (i = 0; i <= IBV_QPS_ERR; i++)
		printf("%s\"%s\": %llu", i ? ", " : "", rc_state_name(i), totals->reached[i]);
	puts("}}");
}

static const char usage[] =
	"usage: qp_churn [OPTIONS]\n"
	"\n"
	"Exit code: 0 all was well, 1 a verb failed, 2 no set-up.";

static const struct opt options[] = {
	{ 'd', "device", "NAME", "RDMA device (default: the first)", .string = &device },
	{ 'n', "cycles", "N", "QPs to create and destroy (default 2000)", .value = &cycles,
	  .max = UINT32_MAX },
	{ 'm', "living", "N", "most QPs alive at a time (default 32)", .value = &living,
	  .max = 1 << 20 },
	{ 't', "threads", "N", "per process (default 2)", .value = &threads, .max = 256 },
	{ 'P', "processes", "N", "(default 2)", .value = &processes, .max = 256 },
	{ 'x', "mix", "TYPE,...", "QP types (default rc,uc,ud)", .string = &mix },
	{ 's', "seed", "N", "of the random steps (default: from the clock)", .value = &seed,
	  .max = UINT32_MAX },
	{ 'l', "flow-label", "L", "of all QPs (default 0)", .value = &flow_label,
	  .max = 0xfffff },
	{ 'H', "hold", NULL,
	  "keep the living QPs at the end, print {\"ready\": N}, wait for SIGTERM", .flag = &hold },
	{}
};

static void pass_on_stop(const pid_t *pids)
{
	static bool passed_on;
	unsigned long i;

	for (i = 0; i < processes && stopped() && !passed_on; i++)
		kill(pids[i], SIGTERM);
	passed_on = stopped();
	usleep(20000);
}

/* The parent keeps the numbers, and passes on the wish to stop. */
static void wait_for_workers(void)
{
	while (hold && totals->holding < threads * processes && !stopped())
		usleep(10000);
	if (hold) {
		printf("{\"ready\": %llu}\n", totals->created - totals->destroyed);
		fflush(stdout);
		wait_for_stop();
	}
}

int main(int argc, char **argv)
{
	bool well = true, set_up = true;
	unsigned long i;
	pid_t *pids;
	int status;

	seed = time(NULL) ^ getpid();
	parse_options(argc, argv, usage, options);
	parse_mix();
	if (!threads || !processes || living < threads * processes)
		die("at least one living QP per thread");
	stop_on_signal();
	fprintf(stderr, "qp_churn: seed %lu\n", seed);
	totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (totals == MAP_FAILED)
		die_errno("no memory");
	pids = zalloc(processes * sizeof(*pids));
	for (i = 0; i < processes; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die_errno("cannot fork");
		if (!pids[i]) {
			run_process(i);
			exit(0);
		}
	}
	wait_for_workers();
	for (i = 0; i < processes; i++) {
		while (!waitpid(pids[i], &status, WNOHANG))
			pass_on_stop(pids);
		well &= WIFEXITED(status) && !WEXITSTATUS(status);
		set_up &= !WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SETUP;
	}
	well &= !totals->failed && totals->created == totals->destroyed;
	report(well);
	if (!set_up)
		return EXIT_SETUP;
	return well ? 0 : 1;
}

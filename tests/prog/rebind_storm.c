// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Rebind the QPs of a device as fast as the module answers, each to a random
 * flow label, whatever their owners do at the time. The answers are counted.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "genl.h"

#define MAX_QPS		4096
#define MAX_ERRNO	256

static const char *device = "rxe0";
static unsigned long count;
static unsigned long seed;

struct qps {
	unsigned int n;
	uint32_t qpn[MAX_QPS];
};

static unsigned long answers[MAX_ERRNO];

static int take_attr(const struct nlattr *attr, void *data)
{
	struct qps *qps = data;

	if (mnl_attr_get_type(attr) == SCALEFABRIC_A_QP_LQPN && qps->n < MAX_QPS)
		qps->qpn[qps->n++] = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

static int take_qp(const struct nlmsghdr *nlh, void *data)
{
	return mnl_attr_parse(nlh, sizeof(struct genlmsghdr), take_attr, data);
}

/* All connected QPs; RTS is not asked for, as the state may change anyway. */
static void find_qps(struct qps *qps)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_QP_GET, NLM_F_DUMP);

	qps->n = 0;
	mnl_attr_put_strz(nlh, SCALEFABRIC_A_QP_DEV_NAME, device);
	mnl_attr_put_u8(nlh, SCALEFABRIC_A_QP_TYPE, SCALEFABRIC_QP_TYPE_RC);
	genl_transact(nlh, take_qp, qps);
}

static void rebind(uint32_t qpn, uint32_t label)
{
	struct nlmsghdr *nlh = genl_start(SCALEFABRIC_CMD_QP_REBIND, 0);
	int error;

	mnl_attr_put_strz(nlh, SCALEFABRIC_A_QP_DEV_NAME, device);
	mnl_attr_put_u32(nlh, SCALEFABRIC_A_QP_LQPN, qpn);
	mnl_attr_put_u32(nlh, SCALEFABRIC_A_QP_FLOW_LABEL, label);
	error = genl_transact(nlh, NULL, NULL);
	if (error == GENL_UNANSWERED)
		die("no answer");
	answers[error < MAX_ERRNO ? error : 0]++;
}

static void report(void)
{
	unsigned long total = 0;
	int i;

	printf("{\"seed\": %lu, \"moved\": %lu, \"errors\": {", seed, answers[0]);
	for (i = 1; i < MAX_ERRNO; i++) {
		if (!answers[i])
			continue;
		printf("%s\"%s\": %lu", total ? ", " : "", strerrorname_np(i), answers[i]);
		total += answers[i];
	}
	puts("}}");
}

static const char usage[] =
	"usage: rebind_storm [OPTIONS]\n"
	"\n"
	"Print {\"seed\": N, \"moved\": N, \"errors\": {ERRNO: N, ...}} at the end.";

static const struct opt options[] = {
	{ 'd', "device", "NAME", "RDMA device (default rxe0)", .string = &device },
	{ 'n', "count", "N", "rebinds (default: until SIGTERM)", .value = &count,
	  .max = UINT32_MAX },
	{ 's', "seed", "N", "of the flow labels (default: from the clock)", .value = &seed,
	  .max = UINT32_MAX },
	{}
};

int main(int argc, char **argv)
{
	static struct qps qps;
	unsigned long done = 0;
	uint64_t random;
	unsigned int i;

	seed = time(NULL) ^ getpid();
	parse_options(argc, argv, usage, options);
	stop_on_signal();
	random = seed;
	genl_open();
	while (!stopped() && (!count || done < count)) {
		find_qps(&qps);
		if (!qps.n)
			usleep(1000);
		for (i = 0; i < qps.n && !stopped() && (!count || done < count); i++, done++)
			rebind(qps.qpn[i], random_next(&random) & SCALEFABRIC_FLOW_LABEL_MAX);
	}
	report();
	genl_close();
	return 0;
}

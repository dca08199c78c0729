// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Hold a large number of small QPs: they share one CQ and one SRQ.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "rc.h"

static const char *device;
static const char *type = "rc";
static unsigned long count = 10000;
static bool init;
static bool leave;

static struct ibv_srq *create_srq(struct rc_dev *dev)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 1, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(dev->pd, &attr);

	if (!srq)
		die_errno("cannot create an SRQ");
	return srq;
}

static enum ibv_qp_type type_by_name(const char *name)
{
	int i;

	for (i = 0; i < RC_TYPES; i++)
		if (!strcmp(rc_types[i].name, name))
			return rc_types[i].type;
	die("no QP type \"%s\"", name);
}

static struct ibv_qp *create(struct rc_dev *dev, struct ibv_cq *cq,
			     struct ibv_srq *srq, enum ibv_qp_type qp_type)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.qp_type = qp_type,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(dev->pd, &attr);

	if (qp && init && rc_init(qp))
		die_errno("QP %u to INIT", qp->qp_num);
	return qp;
}

static const char usage[] =
	"usage: qp_many [OPTIONS]\n"
	"\n"
	"Create QPs, print {\"ready\": N}, keep them until SIGTERM.";

static const struct opt options[] = {
	{ 'd', "device", "NAME", "RDMA device (default: the first)", .string = &device },
	{ 'n', "count", "N", "QPs (default 10000)", .value = &count, .max = 1 << 20 },
	{ 't', "type", "TYPE", "rc (default), uc or ud", .string = &type },
	{ 'i', "init", NULL, "bring them to INIT (default: leave them in RESET)",
	  .flag = &init },
	{ 'l', "leave", NULL, "end without destroying them; the kernel does", .flag = &leave },
	{}
};

int main(int argc, char **argv)
{
	struct ibv_qp **qps;
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	struct rc_dev dev;
	unsigned long i;

	parse_options(argc, argv, usage, options);
	stop_on_signal();
	rc_open(&dev, device, RC_ANY_GID);
	cq = rc_cq(&dev, 1, NULL);
	srq = create_srq(&dev);
	qps = zalloc(count * sizeof(*qps));

	for (i = 0; i < count; i++) {
		qps[i] = create(&dev, cq, srq, type_by_name(type));
		if (!qps[i])
			die_errno("cannot create QP %lu of %lu", i + 1, count);
	}
	printf("{\"ready\": %lu}\n", count);
	fflush(stdout);
	wait_for_stop();
	if (leave)
		return 0;

	for (i = 0; i < count; i++)
		if (ibv_destroy_qp(qps[i]))
			die_errno("cannot destroy a QP");
	ibv_destroy_srq(srq);
	ibv_destroy_cq(cq);
	rc_close(&dev);
	free(qps);
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * An application that drains the send queue of its own QP: it asks for the
 * SQ_DRAINED event, waits for it, prints it, brings the QP back to RTS and
 * writes on. The peer is a second QP of the same process.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "rc.h"

#define WRITE_SIZE	1024
#define PATIENCE_MS	60000

static const char *device;
static unsigned long rounds = 1;
static unsigned long writes = 16;
static unsigned long flow_label;
static bool stay;

static struct rc_dev dev;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static unsigned long posted;
static char memory[2][WRITE_SIZE];

static struct ibv_qp *create(void)
{
	struct ibv_qp *qp = rc_qp(&dev, IBV_QPT_RC, cq, writes + 1);

	if (rc_init(qp))
		die_errno("QP %u to INIT", qp->qp_num);
	return qp;
}

static void connect_to(struct ibv_qp *qp, const struct ibv_qp *peer)
{
	struct rc_dest to = { .gid = dev.gid, .qpn = peer->qp_num };
	struct rc_path path = { .flow_label = flow_label, .timeout = 18, .retries = 7 };

	if (rc_rtr(&dev, qp, &to, &path) || rc_rts(qp, 0, &path))
		die_errno("QP %u to RTS", qp->qp_num);
}

static void post(struct ibv_qp *qp)
{
	if (rc_write(qp, 0, mr, memory[0], WRITE_SIZE, (uintptr_t)memory[1], mr->rkey))
		die("QP %u takes no write", qp->qp_num);
	posted++;
}

/* Post so many writes; then all must complete, those posted earlier too. */
static void write_some(struct ibv_qp *qp, unsigned long count)
{
	uint64_t limit = now_ms() + PATIENCE_MS;
	struct ibv_wc wc;
	int n;

	while (count--)
		post(qp);
	while (posted) {
		n = ibv_poll_cq(cq, 1, &wc);
		if (n < 0 || (n && wc.status != IBV_WC_SUCCESS))
			die("write on QP %u: %s", qp->qp_num,
			    n < 0 ? "no CQ" : ibv_wc_status_str(wc.status));
		posted -= n;
		if (now_ms() > limit)
			die("%lu writes of QP %u did not complete", posted, qp->qp_num);
		if (!n)
			usleep(100);
	}
}

static void await_drained(const struct ibv_qp *qp)
{
	struct pollfd fd = { .fd = dev.ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	uint32_t qpn;

	if (poll(&fd, 1, PATIENCE_MS) != 1 || ibv_get_async_event(dev.ctx, &event)) {
		fprintf(stderr, "qp_drain: no SQ_DRAINED for QP %u\n", qp->qp_num);
		exit(1);
	}
	qpn = rc_is_qp_event(event.event_type) ? event.element.qp->qp_num : 0;
	printf("{\"event\": \"%s\", \"lqpn\": %u}\n", rc_event_name(event.event_type), qpn);
	fflush(stdout);
	ibv_ack_async_event(&event);
	if (event.event_type != IBV_EVENT_SQ_DRAINED || qpn != qp->qp_num) {
		fprintf(stderr, "qp_drain: expected SQ_DRAINED of QP %u\n", qp->qp_num);
		exit(1);
	}
}

static void drain(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ibv_qp_init_attr init;

	errno = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
	if (errno)
		die_errno("QP %u to SQD", qp->qp_num);
	/*
	 * Work posted in SQD waits for RTS. rxe needs it to find out that the
	 * queue is drained: it looks at the next WQE even where there is none,
	 * and takes what is left of an old one for work in flight.
	 */
	post(qp);
	await_drained(qp);
	/* Its own SQD must not be hidden from the owner. */
	if (ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) || attr.qp_state != IBV_QPS_SQD) {
		fprintf(stderr, "qp_drain: QP %u is not in SQD\n", qp->qp_num);
		exit(1);
	}
	errno = rc_state(qp, IBV_QPS_RTS);
	if (errno)
		die_errno("QP %u back to RTS", qp->qp_num);
}

static const char usage[] =
	"usage: qp_drain [OPTIONS]\n"
	"\n"
	"Print {\"lqpn\": N, \"rqpn\": N}, then {\"event\": ..., \"lqpn\": N} for each drain.\n"
	"Exit code: 0 all was well, 1 no or a wrong event or state, 2 something else failed.";

static const struct opt options[] = {
	{ 'd', "device", "NAME", "RDMA device (default: the first)", .string = &device },
	{ 'n', "rounds", "N", "drains (default 1)", .value = &rounds, .max = UINT32_MAX },
	{ 'w', "writes", "N", "writes before and after each drain (default 16)",
	  .value = &writes, .max = 1024 },
	{ 'l', "flow-label", "L", "of both QPs (default 0)", .value = &flow_label,
	  .max = 0xfffff },
	{ 's', "stay", NULL, "keep the QPs until SIGTERM", .flag = &stay },
	{}
};

int main(int argc, char **argv)
{
	struct ibv_qp *qp, *peer;
	unsigned long i;

	parse_options(argc, argv, usage, options);
	stop_on_signal();
	rc_open(&dev, device, RC_ANY_GID);
	cq = rc_cq(&dev, 2 * (writes + 1), NULL);
	mr = ibv_reg_mr(dev.pd, memory, sizeof(memory),
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!mr)
		die_errno("cannot register memory");
	qp = create();
	peer = create();
	connect_to(qp, peer);
	connect_to(peer, qp);
	printf("{\"lqpn\": %u, \"rqpn\": %u}\n", qp->qp_num, peer->qp_num);
	fflush(stdout);

	for (i = 0; i < rounds && !stopped(); i++) {
		write_some(qp, writes);
		drain(qp);
		write_some(qp, writes);
	}
	if (stay)
		wait_for_stop();
	ibv_destroy_qp(qp);
	ibv_destroy_qp(peer);
	ibv_dereg_mr(mr);
	ibv_destroy_cq(cq);
	rc_close(&dev);
	return 0;
}

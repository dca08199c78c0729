// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * A QP under remote control, for devices that move no data (tests/kmod/hca): reads
 * commands, one per line, does them with verbs, and answers each with a line of JSON.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "rc.h"

#define PATIENCE_MS	60000

/* All attributes but the rate limit, which libibverbs cannot query. */
#define QUERY_ALL	(2 * IBV_QP_DEST_QPN - 1)

static const char *device;
static const char *type = "rc";
static unsigned long gid_index;

static struct rc_dev dev;
static struct ibv_qp *qp;
static struct ibv_cq *cq;

static void answer(int error)
{
	if (error)
		printf("{\"errno\": \"%s\"}\n", strerrorname_np(error));
	else
		printf("{\"lqpn\": %u}\n", qp ? qp->qp_num : 0);
}

static enum ibv_qp_type qp_type(void)
{
	int i;

	for (i = 0; i < RC_TYPES; i++)
		if (!strcmp(rc_types[i].name, type))
			return rc_types[i].type;
	die("no QP type \"%s\"", type);
}

static int do_create(void)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = qp_type(),
		.cap = { .max_send_wr = 8, .max_send_sge = 2 },
	};

	if (!qp)
		qp = ibv_create_qp(dev.pd, &attr);
	return qp ? 0 : errno;
}

static int do_destroy(void)
{
	int error = ibv_destroy_qp(qp);

	if (!error)
		qp = NULL;
	return error;
}

/* A path to the own port. */
static int path_of(struct ibv_ah_attr *ah, unsigned int port, unsigned int label)
{
	struct ibv_port_attr attr;

	*ah = (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = port,
		.sl = 3,
		.grh = {
			.sgid_index = gid_index,
			.flow_label = label,
			.hop_limit = 64,
			.traffic_class = 32,
		},
	};
	if (ibv_query_port(dev.ctx, port, &attr) ||
	    ibv_query_gid(dev.ctx, port, gid_index, &ah->grh.dgid))
		return errno;
	ah->dlid = attr.lid;
	return 0;
}

static int do_init(unsigned int port)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = port,
		.qkey = RC_QKEY,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
		.pkey_index = 1,
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	mask |= qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	return ibv_modify_qp(qp, &attr, mask);
}

static int do_rtr(unsigned int port, unsigned int label)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_2048,
		.dest_qp_num = qp->qp_num,
		.rq_psn = 4711,
		.max_dest_rd_atomic = 3,
		.min_rnr_timer = 12,
	};
	int error, mask = IBV_QP_STATE;

	if (qp->qp_type != IBV_QPT_UD) {
		error = path_of(&attr.ah_attr, port, label);
		if (error)
			return error;
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	}
	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(qp, &attr, mask);
}

static int do_rts(void)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = 4712,
		.timeout = 14,
		.retry_cnt = 5,
		.rnr_retry = 6,
		.max_rd_atomic = 2,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(qp, &attr, mask);
}

static int do_sqd(unsigned int notify)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_SQD,
		.en_sqd_async_notify = notify,
	};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
}

/* A new path, and with it a new port. */
static int do_path(unsigned int port, unsigned int label)
{
	struct ibv_qp_attr attr = { .port_num = port };
	int error = path_of(&attr.ah_attr, port, label);

	return error ?: ibv_modify_qp(qp, &attr, IBV_QP_AV | IBV_QP_PORT);
}

static int do_alt(unsigned int port, unsigned int label)
{
	struct ibv_qp_attr attr = {
		.alt_port_num = port,
		.alt_timeout = 13,
		.path_mig_state = IBV_MIG_REARM,
	};
	int error = path_of(&attr.alt_ah_attr, port, label);

	return error ?: ibv_modify_qp(qp, &attr, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE);
}

/* A port that is not there has no path: ask for it nevertheless. */
static int do_port(unsigned int port)
{
	struct ibv_qp_attr attr = { .port_num = port };

	return ibv_modify_qp(qp, &attr, IBV_QP_PORT);
}

static int query(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;
	int error = ibv_query_qp(qp, &a, QUERY_ALL, &init);

	if (error)
		return error;
	printf("{\"state\": \"%s\", \"draining\": %d, \"port\": %u, \"pkey\": %u, ",
	       rc_state_name(a.qp_state), a.sq_draining, a.port_num, a.pkey_index);
	printf("\"dlid\": %u, \"label\": %u, \"sl\": %u, \"class\": %u, \"hops\": %u, ",
	       a.ah_attr.dlid, a.ah_attr.grh.flow_label, a.ah_attr.sl,
	       a.ah_attr.grh.traffic_class, a.ah_attr.grh.hop_limit);
	printf("\"alt_port\": %u, \"alt_label\": %u, \"alt_timeout\": %u, \"mig\": %u, ",
	       a.alt_port_num, a.alt_ah_attr.grh.flow_label, a.alt_timeout, a.path_mig_state);
	printf("\"mtu\": %u, \"rqpn\": %u, \"rq_psn\": %u, \"sq_psn\": %u, \"qkey\": %u, ",
	       128U << a.path_mtu, a.dest_qp_num, a.rq_psn, a.sq_psn, a.qkey);
	printf("\"access\": %u, \"rd\": %u, \"dest_rd\": %u, \"min_rnr\": %u, ",
	       a.qp_access_flags, a.max_rd_atomic, a.max_dest_rd_atomic, a.min_rnr_timer);
	printf("\"timeout\": %u, \"retry\": %u, \"rnr\": %u, \"wrs\": %u, \"sges\": %u}\n",
	       a.timeout, a.retry_cnt, a.rnr_retry, init.cap.max_send_wr,
	       init.cap.max_send_sge);
	return 0;
}

static int next_event(void)
{
	struct pollfd fd = { .fd = dev.ctx->async_fd, .events = POLLIN };
	struct ibv_async_event got;

	errno = 0;
	if (poll(&fd, 1, PATIENCE_MS) != 1 || ibv_get_async_event(dev.ctx, &got))
		return errno ?: ETIME;
	printf("{\"event\": \"%s\", \"lqpn\": %u}\n", rc_event_name(got.event_type),
	       rc_is_qp_event(got.event_type) ? got.element.qp->qp_num : 0);
	ibv_ack_async_event(&got);
	return 0;
}

/* Read all events there are, and say how many. */
static void count_events(void)
{
	struct pollfd fd = { .fd = dev.ctx->async_fd, .events = POLLIN };
	struct ibv_async_event got;
	unsigned int count = 0;

	while (poll(&fd, 1, 0) == 1 && !ibv_get_async_event(dev.ctx, &got)) {
		ibv_ack_async_event(&got);
		count++;
	}
	printf("{\"events\": %u}\n", count);
}

static int do_state(const char *name)
{
	int i;

	for (i = IBV_QPS_RESET; i <= IBV_QPS_ERR; i++)
		if (!strcmp(rc_state_name(i), name))
			return rc_state(qp, i);
	die("no command \"%s\"", name);
}

static void run(const char *line)
{
	unsigned int a = 1, b = 0;
	char verb[16];
	int error;

	if (sscanf(line, "%15s %u %u", verb, &a, &b) < 1)
		die("no command");
	if (!strcmp(verb, "count"))
		return count_events();
	if (!strcmp(verb, "event") || !strcmp(verb, "query")) {
		error = *verb == 'e' ? next_event() : query();
		if (error)
			answer(error);
		return;
	}
	if (!strcmp(verb, "create"))
		error = do_create();
	else if (!qp)
		error = EBADF;
	else if (!strcmp(verb, "init"))
		error = do_init(a);
	else if (!strcmp(verb, "rtr"))
		error = do_rtr(a, b);
	else if (!strcmp(verb, "rts"))
		error = do_rts();
	else if (!strcmp(verb, "sqd"))
		error = do_sqd(a);
	else if (!strcmp(verb, "path"))
		error = do_path(a, b);
	else if (!strcmp(verb, "alt"))
		error = do_alt(a, b);
	else if (!strcmp(verb, "port"))
		error = do_port(a);
	else if (!strcmp(verb, "destroy"))
		error = do_destroy();
	else
		error = do_state(verb);
	answer(error);
}

static const char usage[] =
	"usage: hca_qp [OPTIONS]\n"
	"\n"
	"Read commands: create, init PORT, rtr PORT LABEL, rts, sqd NOTIFY, path PORT LABEL,\n"
	"alt PORT LABEL, port PORT, RESET, RTS, SQE, ERR (to that state), destroy; answers\n"
	"{\"lqpn\": N} or {\"errno\": NAME}. query answers with the attributes, event waits\n"
	"for one and answers {\"event\": NAME, \"lqpn\": N}, count reads all there are.";

static const struct opt options[] = {
	{ 'd', "device", "NAME", "RDMA device (default: the first)", .string = &device },
	{ 't', "type", "TYPE", "rc (default), uc or ud", .string = &type },
	{ 'g', "gid", "INDEX", "of the path's GID (default 0)", .value = &gid_index, .max = 255 },
	{}
};

int main(int argc, char **argv)
{
	char line[64];

	parse_options(argc, argv, usage, options);
	rc_open(&dev, device, gid_index);
	cq = rc_cq(&dev, 16, NULL);
	setlinebuf(stdout);
	printf("{\"device\": \"%s\"}\n", ibv_get_device_name(dev.ctx->device));
	while (fgets(line, sizeof(line), stdin))
		run(line);
	if (qp)
		ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
	rc_close(&dev);
	return 0;
}

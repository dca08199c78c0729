// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Make soft-iWARP (siw) raise an error event for a QP, by doing to it what it must not
 * accept. Both ends are in this process, connected by the RDMA CM.
 *
 *	siw_err -a ADDRESS access	a write to memory that may only be read
 *	siw_err -a ADDRESS req		a read of memory beyond the end (siw does not look
 *					at rights where it reads)
 *	siw_err -a ADDRESS fatal	a message longer than the buffer for it
 *
 * Prints, as JSON, the QP that was hit and the event that libibverbs delivered for it;
 * exit code 1 if that is not the one that belongs to the deed.
 */

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#include "common.h"

#define SIZE		4096
#define SHORT		16
#define WAIT_MS		120000

static const char *address;
static const char *port = "7471";

static char target[SIZE], source[SIZE];

struct deed {
	const char *name;
	int access;	/* of the memory at the end that is hit */
	enum ibv_wr_opcode opcode;
	size_t offset;	/* in that memory */
	enum ibv_event_type event;
	const char *event_name;
};

static const struct deed deeds[] = {
	{ "access", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ, IBV_WR_RDMA_WRITE, 0,
	  IBV_EVENT_QP_ACCESS_ERR, "access-err" },
	{ "req", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ, IBV_WR_RDMA_READ, SIZE,
	  IBV_EVENT_QP_REQ_ERR, "req-err" },
	{ "fatal", IBV_ACCESS_LOCAL_WRITE, IBV_WR_SEND, 0, IBV_EVENT_QP_FATAL, "fatal" },
};

static const struct deed *find_deed(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(deeds); i++)
		if (!strcmp(deeds[i].name, name))
			return &deeds[i];
	die("no deed '%s': access, req or fatal", name);
}

static struct rdma_cm_id *create_end(int flags)
{
	struct rdma_addrinfo hints = { .ai_flags = flags, .ai_port_space = RDMA_PS_TCP };
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.sq_sig_all = 1,
	};
	struct rdma_addrinfo *info;
	struct rdma_cm_id *id;

	if (rdma_getaddrinfo(address, port, &hints, &info))
		die_errno("address %s", address);
	if (rdma_create_ep(&id, info, NULL, &attr))
		die_errno("no device answers for %s", address);
	rdma_freeaddrinfo(info);
	return id;
}

/* The client's side of the handshake, which waits for the server's. */
static void *connect_client(void *arg)
{
	struct rdma_conn_param param = { .responder_resources = 1, .initiator_depth = 1 };

	if (rdma_connect(arg, &param))
		die_errno("connect");
	return NULL;
}

static struct rdma_cm_id *accept_client(struct rdma_cm_id *listener, const struct deed *deed,
					struct ibv_mr **mr)
{
	struct rdma_conn_param param = { .responder_resources = 1, .initiator_depth = 1 };
	struct rdma_cm_id *id;

	if (rdma_get_request(listener, &id))
		die_errno("no request");
	*mr = ibv_reg_mr(id->pd, target, sizeof(target), deed->access);
	if (!*mr)
		die_errno("register the memory that is hit");
	if (rdma_post_recv(id, NULL, target, SHORT, *mr))
		die_errno("post a receive");
	if (rdma_accept(id, &param))
		die_errno("accept");
	return id;
}

static void do_deed(struct rdma_cm_id *client, const struct deed *deed,
		    const struct ibv_mr *remote)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct ibv_mr *mr = ibv_reg_mr(client->pd, source, sizeof(source), access);
	struct ibv_sge sge = { .addr = (uintptr_t)source, .length = SHORT * 4 };
	struct ibv_send_wr *bad, wr = {
		.opcode = deed->opcode,
		.sg_list = &sge,
		.num_sge = 1,
		.wr.rdma.remote_addr = (uintptr_t)target + deed->offset,
		.wr.rdma.rkey = remote->rkey,
	};

	if (!mr)
		die_errno("register the other memory");
	sge.lkey = mr->lkey;
	errno = ibv_post_send(client->qp, &wr, &bad);
	if (errno)
		die_errno("post a send");
}

/* The event of the QP that was hit. Others may come first, of the other end's QP. */
static enum ibv_event_type wait_for_event(const struct ibv_qp *qp)
{
	struct pollfd pollfd = { .fd = qp->context->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	struct ibv_qp *hit;

	for (;;) {
		if (poll(&pollfd, 1, WAIT_MS) != 1)
			die("no event for QP %u", qp->qp_num);
		if (ibv_get_async_event(qp->context, &event))
			die_errno("read an event");
		hit = event.element.qp;
		ibv_ack_async_event(&event);
		if (hit == qp)
			return event.event_type;
	}
}

static const struct opt options[] = {
	{ 'a', "address", "IP", "of an siw device of this host", .string = &address },
	{ 'p', "port", "PORT", "to listen at (7471)", .string = &port },
	{ }
};

int main(int argc, char **argv)
{
	struct rdma_cm_id *listener, *server, *client;
	const struct deed *deed;
	enum ibv_event_type got;
	struct ibv_mr *mr;
	pthread_t thread;
	int i;

	i = parse_options(argc, argv, "siw_err -a ADDRESS access|req|fatal", options);
	if (!address || i + 1 != argc)
		die("an address and one deed, see --help");
	deed = find_deed(argv[i]);

	listener = create_end(RAI_PASSIVE);
	if (rdma_listen(listener, 1))
		die_errno("listen");
	client = create_end(0);
	if (pthread_create(&thread, NULL, connect_client, client))
		die("no thread");
	server = accept_client(listener, deed, &mr);
	pthread_join(thread, NULL);

	do_deed(client, deed, mr);
	got = wait_for_event(server->qp);
	printf("{\"lqpn\": %u, \"rqpn\": %u, \"event\": \"%s\", \"as_expected\": %s}\n",
	       server->qp->qp_num, client->qp->qp_num, deed->event_name,
	       got == deed->event ? "true" : "false");
	fflush(stdout);
	wait_for_stop();
	return got == deed->event ? 0 : 1;
}

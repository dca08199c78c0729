// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"
#include "rc.h"

/* How long a client waits for its server to come up. */
#define CONNECT_PATIENCE_MS	120000

const struct rc_type rc_types[RC_TYPES] = {
	{ "rc", IBV_QPT_RC },
	{ "uc", IBV_QPT_UC },
	{ "ud", IBV_QPT_UD },
};

static struct ibv_context *open_by_name(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	if (!list)
		die_errno("no list of RDMA devices");
	for (i = 0; list[i]; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name))
			break;
	if (!list[i])
		die("no RDMA device %s", name ? name : "at all");
	ctx = ibv_open_device(list[i]);
	if (!ctx)
		die_errno("cannot open RDMA device %s", ibv_get_device_name(list[i]));
	ibv_free_device_list(list);
	return ctx;
}

static bool holds_ipv4(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, mapped, sizeof(mapped));
}

static int find_gid(struct ibv_context *ctx, int table_len)
{
	struct ibv_gid_entry entry;
	int i, found = 0;

	for (i = 0; i < table_len; i++)
		if (!ibv_query_gid_ex(ctx, RC_PORT, i, &entry, 0) &&
		    entry.gid_type == IBV_GID_TYPE_ROCE_V2 && holds_ipv4(&entry.gid))
			found = i;
	return found;
}

void rc_open(struct rc_dev *dev, const char *name, unsigned int gid_index)
{
	struct ibv_port_attr port;

	dev->ctx = open_by_name(name);
	if (ibv_query_port(dev->ctx, RC_PORT, &port))
		die_errno("cannot query port %d", RC_PORT);
	dev->mtu = port.active_mtu;
	if (gid_index == RC_ANY_GID)
		gid_index = find_gid(dev->ctx, port.gid_tbl_len);
	dev->gid_index = gid_index;
	if (ibv_query_gid(dev->ctx, RC_PORT, dev->gid_index, &dev->gid))
		die_errno("no GID at index %d", dev->gid_index);
	dev->pd = ibv_alloc_pd(dev->ctx);
	if (!dev->pd)
		die_errno("cannot allocate a PD");
}

void rc_close(struct rc_dev *dev)
{
	ibv_dealloc_pd(dev->pd);
	ibv_close_device(dev->ctx);
}

struct ibv_cq *rc_cq(struct rc_dev *dev, unsigned int depth,
		     struct ibv_comp_channel *channel)
{
	struct ibv_cq *cq = ibv_create_cq(dev->ctx, depth, NULL, channel, 0);

	if (!cq)
		die_errno("cannot create a CQ of %u entries", depth);
	return cq;
}

struct ibv_qp *rc_qp(struct rc_dev *dev, enum ibv_qp_type type,
		     struct ibv_cq *cq, unsigned int depth)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = type,
		.cap = {
			.max_send_wr = depth,
			.max_recv_wr = 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	struct ibv_qp *qp = ibv_create_qp(dev->pd, &attr);

	if (!qp)
		die_errno("cannot create a QP");
	return qp;
}

int rc_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = RC_PORT,
		.qkey = RC_QKEY,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	mask |= qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	return ibv_modify_qp(qp, &attr, mask);
}

int rc_rtr(struct rc_dev *dev, struct ibv_qp *qp, const struct rc_dest *to,
	   const struct rc_path *path)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = dev->mtu,
		.dest_qp_num = to->qpn,
		.rq_psn = to->psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.port_num = RC_PORT,
			.grh = {
				.dgid = to->gid,
				.sgid_index = dev->gid_index,
				.flow_label = path->flow_label,
				.hop_limit = 64,
			},
		},
	};
	int mask = IBV_QP_STATE;

	if (qp->qp_type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(qp, &attr, mask);
}

int rc_rts(struct ibv_qp *qp, uint32_t psn, const struct rc_path *path)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = psn,
		.timeout = path->timeout,
		.retry_cnt = path->retries,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(qp, &attr, mask);
}

int rc_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

int rc_write(struct ibv_qp *qp, uint64_t wr_id, const struct ibv_mr *mr,
	     void *from, uint32_t size, uint64_t addr, uint32_t rkey)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)from,
		.length = size,
		.lkey = mr->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = addr, .rkey = rkey },
	};

	return ibv_post_send(qp, &wr, &bad);
}

const char *rc_state_name(enum ibv_qp_state state)
{
	static const char * const names[] = {
		"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "unknown";
}

static const struct {
	const char *name;
	bool of_qp;
} events[] = {
	[IBV_EVENT_CQ_ERR]		= { "CQ_ERR", false },
	[IBV_EVENT_QP_FATAL]		= { "QP_FATAL", true },
	[IBV_EVENT_QP_REQ_ERR]		= { "QP_REQ_ERR", true },
	[IBV_EVENT_QP_ACCESS_ERR]	= { "QP_ACCESS_ERR", true },
	[IBV_EVENT_COMM_EST]		= { "COMM_EST", true },
	[IBV_EVENT_SQ_DRAINED]		= { "SQ_DRAINED", true },
	[IBV_EVENT_PATH_MIG]		= { "PATH_MIG", true },
	[IBV_EVENT_PATH_MIG_ERR]	= { "PATH_MIG_ERR", true },
	[IBV_EVENT_DEVICE_FATAL]	= { "DEVICE_FATAL", false },
	[IBV_EVENT_PORT_ACTIVE]		= { "PORT_ACTIVE", false },
	[IBV_EVENT_PORT_ERR]		= { "PORT_ERR", false },
	[IBV_EVENT_LID_CHANGE]		= { "LID_CHANGE", false },
	[IBV_EVENT_PKEY_CHANGE]		= { "PKEY_CHANGE", false },
	[IBV_EVENT_SM_CHANGE]		= { "SM_CHANGE", false },
	[IBV_EVENT_SRQ_ERR]		= { "SRQ_ERR", false },
	[IBV_EVENT_SRQ_LIMIT_REACHED]	= { "SRQ_LIMIT_REACHED", false },
	[IBV_EVENT_QP_LAST_WQE_REACHED]	= { "QP_LAST_WQE_REACHED", true },
	[IBV_EVENT_CLIENT_REREGISTER]	= { "CLIENT_REREGISTER", false },
	[IBV_EVENT_GID_CHANGE]		= { "GID_CHANGE", false },
};

const char *rc_event_name(enum ibv_event_type event)
{
	if (event >= ARRAY_SIZE(events) || !events[event].name)
		return "unknown";
	return events[event].name;
}

bool rc_is_qp_event(enum ibv_event_type event)
{
	return event < ARRAY_SIZE(events) && events[event].of_qp;
}

int tcp_accept(uint16_t port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(port) };
	int one = 1, listener, fd;

	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0)
		die_errno("socket");
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) || listen(listener, 1))
		die_errno("cannot listen on TCP port %u", port);
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		die_errno("accept");
	close(listener);
	return fd;
}

static int try_connect(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int fd;

	if (getaddrinfo(host, port, &hints, &found))
		die("no host \"%s\"", host);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0)
		die_errno("socket");
	if (connect(fd, found->ai_addr, found->ai_addrlen)) {
		close(fd);
		fd = -1;
	}
	freeaddrinfo(found);
	return fd;
}

int tcp_connect(const char *host, uint16_t port)
{
	uint64_t limit = now_ms() + CONNECT_PATIENCE_MS;
	char service[8];
	int fd;

	snprintf(service, sizeof(service), "%u", port);
	for (;;) {
		fd = try_connect(host, service);
		if (fd >= 0)
			return fd;
		if (now_ms() > limit || stopped())
			die_errno("no server at %s port %u", host, port);
		usleep(50000);
	}
}

int tcp_send(int fd, const void *buf, size_t len)
{
	return send(fd, buf, len, MSG_NOSIGNAL) == (ssize_t)len ? 0 : -1;
}

int tcp_recv(int fd, void *buf, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = recv(fd, (char *)buf + done, len - done, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		done += n;
	}
	return 0;
}

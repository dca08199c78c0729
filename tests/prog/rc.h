/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Bring up queue pairs with verbs alone, without the RDMA CM, so that a test
 * decides the flow label, and tell the other host about them over TCP.
 *
 * All of these end the program with a message when they fail, unless they
 * return an error number.
 */

#ifndef SF_TEST_RC_H
#define SF_TEST_RC_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

#define RC_PORT		1
#define RC_ANY_GID	UINT32_MAX
#define RC_QKEY		0x5f5f0001

/* The QP types of the programs, by name. */
#define RC_TYPES	3

struct rc_type {
	const char *name;
	enum ibv_qp_type type;
};

extern const struct rc_type rc_types[RC_TYPES];

struct rc_dev {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	union ibv_gid gid;
	int gid_index;
	enum ibv_mtu mtu;
};

/* What the far end must know about a QP. */
struct rc_dest {
	union ibv_gid gid;
	uint64_t addr;
	uint32_t rkey;
	uint32_t qpn;
	uint32_t psn;
};

/* How to get there. */
struct rc_path {
	uint32_t flow_label;
	uint8_t timeout;	/* 4.096 us * 2 ^ timeout */
	uint8_t retries;
};

/* RC_ANY_GID: the last RoCEv2 GID that holds an IPv4 address, or 0. */
void rc_open(struct rc_dev *dev, const char *name, unsigned int gid_index);
void rc_close(struct rc_dev *dev);

struct ibv_cq *rc_cq(struct rc_dev *dev, unsigned int depth,
		     struct ibv_comp_channel *channel);

struct ibv_qp *rc_qp(struct rc_dev *dev, enum ibv_qp_type type,
		     struct ibv_cq *cq, unsigned int depth);

/* One step each of RESET -> INIT -> RTR -> RTS for RC, UC and UD; 0 or errno. */
int rc_init(struct ibv_qp *qp);
int rc_rtr(struct rc_dev *dev, struct ibv_qp *qp, const struct rc_dest *to,
	   const struct rc_path *path);
int rc_rts(struct ibv_qp *qp, uint32_t psn, const struct rc_path *path);

int rc_state(struct ibv_qp *qp, enum ibv_qp_state state);

/* A signaled RDMA write; 0 or errno. */
int rc_write(struct ibv_qp *qp, uint64_t wr_id, const struct ibv_mr *mr,
	     void *from, uint32_t size, uint64_t addr, uint32_t rkey);

const char *rc_state_name(enum ibv_qp_state state);
const char *rc_event_name(enum ibv_event_type event);
bool rc_is_qp_event(enum ibv_event_type event);

/* TCP: the server waits for one client, the client waits for the server. */
int tcp_accept(uint16_t port);
int tcp_connect(const char *host, uint16_t port);
/* 0, or -1 when the peer is gone. */
int tcp_send(int fd, const void *buf, size_t len);
int tcp_recv(int fd, void *buf, size_t len);

#endif /* SF_TEST_RC_H */

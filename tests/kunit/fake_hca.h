/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scaleFabric tests - an RDMA device with a driver that does as it is told
 *
 * It is registered with ib_core, so all between the module and the driver is the
 * real thing: ib_core's checks, its GID table, its list of QPs, and the module's own
 * probes. Below it lies a network device of its own, which can be made to look like
 * a bond. Its QPs move as those of soft-RoCE do, of 6.1 or of 6.12, and each step can
 * be made to fail.
 */
#ifndef _SF_FAKE_HCA_H
#define _SF_FAKE_HCA_H

#include <kunit/test.h>
#include <rdma/ib_verbs.h>

struct sf_fake_qp;
struct sf_qp;

#define SF_FAKE_NEVER UINT_MAX
#define SF_FAKE_ALWAYS UINT_MAX

/* What a QP has at first, and its peer. */
#define SF_FAKE_LABEL 0x12345
#define SF_FAKE_RQPN 0x4321

/* The driver's calls that belong to a move. */
enum sf_fake_step {
	SF_FAKE_QUERY_RTS, /* a query in any state but SQD */
	SF_FAKE_AV_RTS,	   /* an address vector alone, in RTS */
	SF_FAKE_TO_SQD,
	SF_FAKE_QUERY_SQD,
	SF_FAKE_AV_SQD,
	SF_FAKE_TO_RTS,
	SF_FAKE_STEPS,
};

/**
 * struct sf_fake_plan - how a driver behaves when one of its QPs is moved
 * @av_in_rts: takes an address vector in RTS, as rxe of 6.12
 * @fail: the calls of a step that are refused: so many, from the first-th on (from 1)
 * @drain_queries: drained at this query in SQD; 0 at once, or SF_FAKE_NEVER
 * @drain_kicks: drained at this doorbell instead, unless 0
 * @die_at: the query in SQD at which the QP is found in ERR, unless 0
 * @hook_at: the query in SQD that first calls @hook, unless 0
 * @hook: whatever
 */
struct sf_fake_plan {
	bool av_in_rts;
	struct {
		unsigned int first, count;
	} fail[SF_FAKE_STEPS];
	unsigned int drain_queries;
	unsigned int drain_kicks;
	unsigned int die_at;
	unsigned int hook_at;
	void (*hook)(struct sf_fake_qp *fqp);
};

/**
 * struct sf_fake_state - what the driver has of a QP
 * @state: its state
 * @draining: in SQD, work is left
 * @raised: SQ_DRAINED events raised by the driver itself
 * @kicks: doorbells rung
 * @calls: calls of each step by the mover
 * @av: its path
 */
struct sf_fake_state {
	enum ib_qp_state state;
	bool draining;
	unsigned int raised;
	unsigned int kicks;
	unsigned int calls[SF_FAKE_STEPS];
	struct rdma_ah_attr av;
};

/**
 * struct sf_fake_qp - a QP
 * @ibqp: ib_core's
 * @plan: how its driver behaves
 * @now: what the driver has
 * @last: where to copy that when the QP is destroyed, or NULL
 * @destroy_error: what a destroy returns
 * @query_hook: called in each query of others than the mover, or NULL
 * @private: of the two hooks
 * @drained: SQ_DRAINED events that reached the owner
 * @others: other events that did
 */
struct sf_fake_qp {
	struct ib_qp ibqp;
	struct sf_fake_plan plan;
	struct sf_fake_state now;
	struct sf_fake_state *last;
	int destroy_error;
	void (*query_hook)(struct sf_fake_qp *fqp);
	void *private;
	atomic_t drained;
	atomic_t others;
};

/**
 * struct sf_fake_bond - what a bond was asked
 * @slaves: its members: of which only the ifindex counts
 * @choose: the member for a UDP source port, by number, or -1 for none
 * @asked: packets seen
 * @packet: the last one, from its Ethernet header on
 * @len: its length
 * @protocol: its skb->protocol
 * @network: offset of its network header, from its Ethernet header
 * @transport: that of its transport header
 */
struct sf_fake_bond {
	struct net_device *slaves[2];
	int (*choose)(u16 sport);
	unsigned int asked;
	u8 packet[128];
	unsigned int len;
	__be16 protocol;
	int network;
	int transport;
};

/**
 * struct sf_fake_hca - the device
 * @ibdev: ib_core's
 * @netdev: the network device below its one port
 * @pd: of all its QPs
 * @bond: of @netdev, when it looks like a bond
 */
struct sf_fake_hca {
	struct ib_device ibdev;
	struct net_device *netdev;
	struct ib_pd *pd;
	struct sf_fake_bond bond;
};

/* One at a time. Return: the device or an error pointer. */
struct sf_fake_hca *sf_fake_hca_register(void);
void sf_fake_hca_unregister(struct sf_fake_hca *hca);

/**
 * sf_fake_hca_bond - make the network device look like a bond, or no longer
 * @hca: the device
 * @mode: BOND_MODE_*, or -1
 * @policy: BOND_XMIT_POLICY_*
 */
void sf_fake_hca_bond(struct sf_fake_hca *hca, int mode, int policy);

/* A new QP, destroyed with the test if sf_fake_qp_forget() is not called. */
struct sf_fake_qp *sf_fake_qp_create(struct kunit *test,
				     struct sf_fake_hca *hca);
void sf_fake_qp_forget(struct kunit *test, struct sf_fake_qp *fqp);

/* Its owner takes it to RTS, or to ERR or SQD from there. Return: an errno. */
int sf_fake_qp_connect(struct sf_fake_qp *fqp);
int sf_fake_qp_modify(struct sf_fake_qp *fqp, enum ib_qp_state state);

/* The driver raises an event, as for something the hardware does. */
void sf_fake_qp_raise(struct sf_fake_qp *fqp, enum ib_event_type type);

/* One in RTS, and in the table. */
struct sf_fake_qp *sf_fake_qp_connected(struct kunit *test,
					struct sf_fake_hca *hca);

/* As the table has it, referenced until the end of the test. */
struct sf_qp *sf_fake_qp_in_table(struct kunit *test, struct sf_fake_qp *fqp);

/* The owner hears all events but the one SQ_DRAINED of a move, late or not. */
void sf_fake_qp_expect_events(struct kunit *test, struct sf_fake_qp *fqp);

static inline struct sf_fake_qp *sf_fake_qp_of(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct sf_fake_qp, ibqp);
}

#endif /* _SF_FAKE_HCA_H */

// SPDX-License-Identifier: GPL-2.0
/* scaleFabric tests - the owner's side of a QP of the device in fake_hca.h */
#include "fake_hca.h"

#include "kmod/event.h"
#include "kmod/qp.h"

static void owner_hears(struct ib_event *event, void *context)
{
	struct sf_fake_qp *fqp = sf_fake_qp_of(event->element.qp);

	atomic_inc(event->event == IB_EVENT_SQ_DRAINED ? &fqp->drained :
							 &fqp->others);
}

static void qp_destroy(void *data)
{
	struct sf_fake_qp *fqp = data;

	ib_destroy_qp(&fqp->ibqp);
}

struct sf_fake_qp *sf_fake_qp_create(struct kunit *test,
				     struct sf_fake_hca *hca)
{
	struct ib_qp_init_attr init = {
		.event_handler = owner_hears,
		.qp_type = IB_QPT_RC,
		.port_num = 1,
	};
	struct ib_qp *ibqp = ib_create_qp(hca->pd, &init);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ibqp);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, qp_destroy,
						  sf_fake_qp_of(ibqp)));
	return sf_fake_qp_of(ibqp);
}

void sf_fake_qp_forget(struct kunit *test, struct sf_fake_qp *fqp)
{
	kunit_remove_action(test, qp_destroy, fqp);
}

int sf_fake_qp_modify(struct sf_fake_qp *fqp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(&fqp->ibqp, &attr, IB_QP_STATE);
}

int sf_fake_qp_connect(struct sf_fake_qp *fqp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = SF_FAKE_RQPN,
		.ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE,
		.ah_attr.roce.dmac = { 0x02, 0x5f, 0, 0, 0xff, 1 },
	};
	union ib_gid dgid = {
		.raw = { 0xfd, 0, 0, 0x77, [15] = 2 },
	};
	int ret;

	rdma_ah_set_port_num(&attr.ah_attr, 1);
	rdma_ah_set_grh(&attr.ah_attr, &dgid, SF_FAKE_LABEL, 0, 64, 0);
	ret = ib_modify_qp(&fqp->ibqp, &attr,
			   IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
				   IB_QP_ACCESS_FLAGS);
	if (ret)
		return ret;
	attr.qp_state = IB_QPS_RTR;
	ret = ib_modify_qp(&fqp->ibqp, &attr,
			   IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU |
				   IB_QP_DEST_QPN | IB_QP_RQ_PSN |
				   IB_QP_MAX_DEST_RD_ATOMIC |
				   IB_QP_MIN_RNR_TIMER);
	if (ret)
		return ret;
	attr.qp_state = IB_QPS_RTS;
	return ib_modify_qp(&fqp->ibqp, &attr,
			    IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT |
				    IB_QP_RNR_RETRY | IB_QP_SQ_PSN |
				    IB_QP_MAX_QP_RD_ATOMIC);
}

struct sf_fake_qp *sf_fake_qp_connected(struct kunit *test,
					struct sf_fake_hca *hca)
{
	struct sf_fake_qp *fqp = sf_fake_qp_create(test, hca);

	KUNIT_ASSERT_EQ(test, sf_fake_qp_connect(fqp), 0);
	KUNIT_ASSERT_EQ(test, fqp->now.state, IB_QPS_RTS);
	sf_event_sync();
	return fqp;
}

static void put_qp(void *data)
{
	sf_qp_put(data);
}

struct sf_qp *sf_fake_qp_in_table(struct kunit *test, struct sf_fake_qp *fqp)
{
	struct sf_qp *qp = sf_qp_get(fqp->ibqp.device, sf_qp_id_of(&fqp->ibqp));

	KUNIT_ASSERT_NOT_NULL(test, qp);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, put_qp, qp));
	return qp;
}

/*
 * What the move has caused and the driver has not yet told must be swallowed when it
 * comes.
 */
void sf_fake_qp_expect_events(struct kunit *test, struct sf_fake_qp *fqp)
{
	bool through_sqd = fqp->now.calls[SF_FAKE_TO_SQD] &&
			   !fqp->plan.fail[SF_FAKE_TO_SQD].count;
	int due = through_sqd && !fqp->now.raised;

	KUNIT_EXPECT_EQ(test, atomic_read(&fqp->drained), 0);
	sf_fake_qp_raise(fqp, IB_EVENT_QP_FATAL);
	KUNIT_EXPECT_EQ(test, atomic_read(&fqp->others), 1);
	sf_fake_qp_raise(fqp, IB_EVENT_SQ_DRAINED);
	KUNIT_EXPECT_EQ(test, atomic_read(&fqp->drained), 1 - due);
	sf_fake_qp_raise(fqp, IB_EVENT_SQ_DRAINED);
	KUNIT_EXPECT_EQ(test, atomic_read(&fqp->drained), 2 - due);
}

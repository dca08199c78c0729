// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric - move a QP of soft-RoCE (rdma_rxe)
 *
 * rxe takes a packet's UDP source port from the address vector at the moment
 * it builds the packet, so a new address vector is all a move needs.
 *
 * Newer rxe (seen in 6.12) checks state rules only where a state is asked for,
 * and takes an address vector alone while the QP is in RTS. It writes it
 * without a lock against the sender: a packet built in between may carry wrong
 * addresses, is lost, and sent again. Unless its route has to be looked up at
 * that moment, because one has just changed: then rxe finds no route for it and
 * ends the QP (rxe_find_route()). Nothing outside of rxe can prevent that.
 *
 * Older rxe (seen in 6.1) refuses that with EINVAL before it has touched
 * anything, and wants the QP in SQD. Some of its habits need care, all in
 * drivers/infiniband/sw/rxe of 6.1:
 *
 *  - The drain may go unnoticed. complete_ack() compares PSNs before it
 *    advances its own, so only the requester sees the end (rxe_comp.c,
 *    rxe_req.c). A doorbell makes it look.
 *  - Work posted during SQD is not looked at after RTS. A doorbell, again.
 *  - RTS is refused while draining (rxe_qp_chk_attr()), which would leave no
 *    way back when the peer does not answer. The check believes the current
 *    state that the caller states, and RTS to RTS is allowed.
 *  - A timeout during the drain counts what is to be sent again as not sent
 *    (req_retry()), so the queue seems drained. The move goes on, and the
 *    retransmission takes the new path.
 */
#include "rebind.h"

/* A doorbell: no work request, but the requester runs. */
static void rxe_kick(struct ib_qp *ibqp)
{
	const struct ib_send_wr *bad;

	ibqp->device->ops.post_send(ibqp, NULL, &bad);
}

static u8 rxe_move(struct sf_rebind *rb)
{
	int ret = sf_rebind_set_path(rb);

	if (!ret)
		return SCALEFABRIC_REBIND_RESULT_MOVED;
	if (ret != -EINVAL)
		return SCALEFABRIC_REBIND_RESULT_DRIVER_ERROR;
	return sf_rebind_through_sqd(rb, rxe_kick, IB_QP_CUR_STATE);
}

const struct sf_rebind_ops sf_rebind_rxe = {
	.name = "rxe",
	.move = rxe_move,
};

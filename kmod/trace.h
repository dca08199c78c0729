/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scaleFabric - tracepoints
 *
 * Each fires in process context, in the order in which things happened, once
 * for each QP created (or found, when it is older than the module), modified
 * by its owner, destroyed, hit by an asynchronous event, or rebound. Creation
 * and destruction are balanced, but for QPs that leave with their device.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM scalefabric

#if !defined(_SF_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _SF_TRACE_H

/* clang-format off: it takes these macros for what they are not. */

#include <linux/tracepoint.h>

#include "device.h"
#include "qp.h"

#define sf_show_type(type)                                                 \
	__print_symbolic(type, { SCALEFABRIC_QP_TYPE_SMI, "SMI" },         \
			 { SCALEFABRIC_QP_TYPE_GSI, "GSI" },               \
			 { SCALEFABRIC_QP_TYPE_RC, "RC" },                 \
			 { SCALEFABRIC_QP_TYPE_UC, "UC" },                 \
			 { SCALEFABRIC_QP_TYPE_UD, "UD" },                 \
			 { SCALEFABRIC_QP_TYPE_RAW_PACKET, "RAW_PACKET" }, \
			 { SCALEFABRIC_QP_TYPE_XRC_INI, "XRC_INI" },       \
			 { SCALEFABRIC_QP_TYPE_XRC_TGT, "XRC_TGT" },       \
			 { SCALEFABRIC_QP_TYPE_DRIVER, "DRIVER" },         \
			 { SCALEFABRIC_QP_TYPE_OTHER, "OTHER" })

#define sf_show_state(state)                                             \
	__print_symbolic(state, { SCALEFABRIC_QP_STATE_RESET, "RESET" }, \
			 { SCALEFABRIC_QP_STATE_INIT, "INIT" },          \
			 { SCALEFABRIC_QP_STATE_RTR, "RTR" },            \
			 { SCALEFABRIC_QP_STATE_RTS, "RTS" },            \
			 { SCALEFABRIC_QP_STATE_SQD, "SQD" },            \
			 { SCALEFABRIC_QP_STATE_SQE, "SQE" },            \
			 { SCALEFABRIC_QP_STATE_ERR, "ERR" })

#define sf_show_event(event)                                                   \
	__print_symbolic(event, { SCALEFABRIC_QP_EVENT_FATAL, "QP_FATAL" },    \
			 { SCALEFABRIC_QP_EVENT_REQ_ERR, "QP_REQ_ERR" },       \
			 { SCALEFABRIC_QP_EVENT_ACCESS_ERR, "QP_ACCESS_ERR" }, \
			 { SCALEFABRIC_QP_EVENT_COMM_EST, "COMM_EST" },        \
			 { SCALEFABRIC_QP_EVENT_SQ_DRAINED, "SQ_DRAINED" },    \
			 { SCALEFABRIC_QP_EVENT_PATH_MIG, "PATH_MIG" },        \
			 { SCALEFABRIC_QP_EVENT_PATH_MIG_ERR,                  \
			   "PATH_MIG_ERR" },                                   \
			 { SCALEFABRIC_QP_EVENT_LAST_WQE_REACHED,              \
			   "QP_LAST_WQE_REACHED" })

#define sf_show_result(result)                                                \
	__print_symbolic(                                                     \
		result, { SCALEFABRIC_REBIND_RESULT_MOVED, "moved" },         \
		{ SCALEFABRIC_REBIND_RESULT_UNCHANGED, "unchanged" },         \
		{ SCALEFABRIC_REBIND_RESULT_NO_STRATEGY, "no-strategy" },     \
		{ SCALEFABRIC_REBIND_RESULT_LANE_DOWN, "lane-down" },         \
		{ SCALEFABRIC_REBIND_RESULT_NO_LABEL, "no-label" },           \
		{ SCALEFABRIC_REBIND_RESULT_NOT_RTS, "not-rts" },             \
		{ SCALEFABRIC_REBIND_RESULT_DRAIN_TIMEOUT, "drain-timeout" }, \
		{ SCALEFABRIC_REBIND_RESULT_OWNER, "owner" },                 \
		{ SCALEFABRIC_REBIND_RESULT_DRIVER_ERROR, "driver-error" },   \
		{ SCALEFABRIC_REBIND_RESULT_STUCK, "stuck" })

/* All events tell of one QP; lane -1 = not known. */
#define SF_QP_FIELDS					\
		__string(dev, sdev->name)		\
		__array(char, comm, TASK_COMM_LEN)	\
		__array(u8, dgid, 16)			\
		__field(u32, lqpn)			\
		__field(u32, rqpn)			\
		__field(u8, type)			\
		__field(u8, state)			\
		__field(int, lane)			\
		__field(pid_t, pid)

#define SF_QP_ASSIGN							\
		sf_assign_str(dev, sdev->name);				\
		memcpy(__entry->comm, qp->comm, TASK_COMM_LEN);		\
		memcpy(__entry->dgid, qp->dgid.raw, 16);		\
		__entry->lqpn = qp->qpn;				\
		__entry->rqpn = qp->connected ? qp->rqpn : 0;		\
		__entry->type = qp->type;				\
		__entry->state = qp->state;				\
		__entry->lane = qp->lane == SF_LANE_NONE ? -1 : qp->lane; \
		__entry->pid = pid

#define SF_QP_FORMAT "dev=%s lqpn=%u rqpn=%u type=%s state=%s lane=%d dgid=%pI6c pid=%d comm=%s"

#define SF_QP_ARGS							\
		__get_str(dev), __entry->lqpn, __entry->rqpn,		\
		sf_show_type(__entry->type),				\
		sf_show_state(__entry->state), __entry->lane,		\
		__entry->dgid, __entry->pid, __entry->comm

DECLARE_EVENT_CLASS(sf_qp_class,
	TP_PROTO(const struct sf_device *sdev, const struct sf_qp_info *qp,
		 pid_t pid),
	TP_ARGS(sdev, qp, pid),
	TP_STRUCT__entry(SF_QP_FIELDS),
	TP_fast_assign(SF_QP_ASSIGN;),
	TP_printk(SF_QP_FORMAT, SF_QP_ARGS)
);

DEFINE_EVENT(sf_qp_class, sf_qp_create,
	TP_PROTO(const struct sf_device *sdev, const struct sf_qp_info *qp,
		 pid_t pid),
	TP_ARGS(sdev, qp, pid)
);

DEFINE_EVENT(sf_qp_class, sf_qp_destroy,
	TP_PROTO(const struct sf_device *sdev, const struct sf_qp_info *qp,
		 pid_t pid),
	TP_ARGS(sdev, qp, pid)
);

TRACE_EVENT(sf_qp_modify,
	TP_PROTO(const struct sf_device *sdev, const struct sf_qp_info *qp,
		 pid_t pid, u32 mask),
	TP_ARGS(sdev, qp, pid, mask),
	TP_STRUCT__entry(
		SF_QP_FIELDS
		__field(u32, mask)
		__field(u32, flow_label)
	),
	TP_fast_assign(
		SF_QP_ASSIGN;
		__entry->mask = mask;
		__entry->flow_label = qp->flow_label;
	),
	TP_printk(SF_QP_FORMAT " mask=%#x flow_label=%#x", SF_QP_ARGS,
		  __entry->mask, __entry->flow_label)
);

TRACE_EVENT(sf_qp_event,
	TP_PROTO(const struct sf_device *sdev, const struct sf_qp_info *qp,
		 pid_t pid, u8 event),
	TP_ARGS(sdev, qp, pid, event),
	TP_STRUCT__entry(
		SF_QP_FIELDS
		__field(u8, event)
	),
	TP_fast_assign(
		SF_QP_ASSIGN;
		__entry->event = event;
	),
	TP_printk(SF_QP_FORMAT " event=%s", SF_QP_ARGS,
		  sf_show_event(__entry->event))
);

TRACE_EVENT(sf_qp_rebind,
	TP_PROTO(const struct sf_device *sdev, const struct sf_qp_info *qp,
		 pid_t pid, const struct sf_notice *notice),
	TP_ARGS(sdev, qp, pid, notice),
	TP_STRUCT__entry(
		SF_QP_FIELDS
		__field(u8, result)
		__field(int, old_lane)
		__field(u32, old_label)
		__field(u32, flow_label)
		__field(u64, window)
	),
	TP_fast_assign(
		SF_QP_ASSIGN;
		__entry->result = notice->result;
		__entry->old_lane = notice->old_lane == SF_LANE_NONE ?
					    -1 : notice->old_lane;
		__entry->old_label = notice->old_label;
		__entry->flow_label = qp->flow_label;
		__entry->window = notice->window;
	),
	TP_printk(SF_QP_FORMAT " result=%s old_lane=%d old_flow_label=%#x flow_label=%#x window_ns=%llu",
		  SF_QP_ARGS, sf_show_result(__entry->result),
		  __entry->old_lane, __entry->old_label, __entry->flow_label,
		  __entry->window)
);

#endif /* _SF_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH kmod
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * What an application sees of its own QPs: one thread queries them all the
 * time, another one reads the asynchronous events of the device.
 */

#ifndef SF_TEST_WATCH_H
#define SF_TEST_WATCH_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WATCH_STATES		(IBV_QPS_ERR + 1)
#define WATCH_MAX_EVENTS	64

struct watch_event {
	enum ibv_event_type type;
	uint32_t qpn;		/* 0: not about a QP */
};

struct watch {
	struct ibv_context *ctx;
	struct ibv_qp **qps;
	uint32_t *labels;	/* flow label that the last query of each QP showed */
	unsigned int n_qps;
	unsigned int pause_us;	/* between two queries */

	atomic_bool stop;
	pthread_t query_thread, event_thread;

	atomic_ullong failed;
	atomic_ullong label_changes;
	atomic_ullong states[WATCH_STATES];
	atomic_ullong n_events;
	atomic_ullong n_qp_events;	/* and DEVICE_FATAL */
	struct watch_event events[WATCH_MAX_EVENTS];
};

/* All QPs must be in state RTS. */
void watch_start(struct watch *w, struct ibv_context *ctx, struct ibv_qp **qps,
		 unsigned int n_qps, unsigned int pause_us);
void watch_stop(struct watch *w);

/* Queries that ended. */
uint64_t watch_queries(const struct watch *w);

/* Queries that failed or saw another state than RTS. */
uint64_t watch_bad_queries(const struct watch *w);

/* Members of a JSON object, without the braces. */
void watch_print(const struct watch *w, FILE *out);

#endif /* SF_TEST_WATCH_H */

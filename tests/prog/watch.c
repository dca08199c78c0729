// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "rc.h"
#include "watch.h"

static void query(struct watch *w, unsigned int i)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	uint32_t label;

	if (ibv_query_qp(w->qps[i], &attr, IBV_QP_STATE | IBV_QP_AV, &init) ||
	    attr.qp_state >= WATCH_STATES) {
		w->failed++;
		return;
	}
	w->states[attr.qp_state]++;
	label = attr.ah_attr.grh.flow_label;
	if (label != w->labels[i])
		w->label_changes++;
	w->labels[i] = label;
}

static void *query_loop(void *arg)
{
	struct watch *w = arg;
	unsigned int i;

	for (i = 0; !w->stop; i = (i + 1) % w->n_qps) {
		query(w, i);
		if (w->pause_us)
			usleep(w->pause_us);
		else
			sched_yield();
	}
	return NULL;
}

static void note_event(struct watch *w, const struct ibv_async_event *event)
{
	bool of_qp = rc_is_qp_event(event->event_type);
	uint64_t n = w->n_events;

	if (n < WATCH_MAX_EVENTS) {
		w->events[n].type = event->event_type;
		w->events[n].qpn = of_qp ? event->element.qp->qp_num : 0;
	}
	w->n_events++;
	if (of_qp || event->event_type == IBV_EVENT_DEVICE_FATAL)
		w->n_qp_events++;
}

static void *event_loop(void *arg)
{
	struct watch *w = arg;
	struct pollfd fd = { .fd = w->ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	/* One more look after the stop, for what came just before it. */
	do {
		poll(&fd, 1, 100);
		while (!ibv_get_async_event(w->ctx, &event)) {
			note_event(w, &event);
			ibv_ack_async_event(&event);
		}
	} while (!w->stop);
	return NULL;
}

static void read_labels(struct watch *w)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	unsigned int i;

	for (i = 0; i < w->n_qps; i++) {
		if (ibv_query_qp(w->qps[i], &attr, IBV_QP_AV, &init))
			die_errno("cannot query QP %u", w->qps[i]->qp_num);
		w->labels[i] = attr.ah_attr.grh.flow_label;
	}
}

void watch_start(struct watch *w, struct ibv_context *ctx, struct ibv_qp **qps,
		 unsigned int n_qps, unsigned int pause_us)
{
	int flags = fcntl(ctx->async_fd, F_GETFL);

	memset(w, 0, sizeof(*w));
	w->ctx = ctx;
	w->qps = qps;
	w->n_qps = n_qps;
	w->pause_us = pause_us;
	w->labels = zalloc(n_qps * sizeof(*w->labels));
	read_labels(w);
	if (flags < 0 || fcntl(ctx->async_fd, F_SETFL, flags | O_NONBLOCK))
		die_errno("cannot read the asynchronous events without blocking");
	if (pthread_create(&w->query_thread, NULL, query_loop, w) ||
	    pthread_create(&w->event_thread, NULL, event_loop, w))
		die("cannot start threads");
}

void watch_stop(struct watch *w)
{
	w->stop = true;
	pthread_join(w->query_thread, NULL);
	pthread_join(w->event_thread, NULL);
}

static uint64_t not_rts(const struct watch *w)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < WATCH_STATES; i++)
		if (i != IBV_QPS_RTS)
			sum += w->states[i];
	return sum;
}

uint64_t watch_queries(const struct watch *w)
{
	return w->failed + not_rts(w) + w->states[IBV_QPS_RTS];
}

uint64_t watch_bad_queries(const struct watch *w)
{
	return w->failed + not_rts(w);
}

static void print_states(const struct watch *w, FILE *out)
{
	const char *comma = "";
	int i;

	fputs("\"states\": {", out);
	for (i = 0; i < WATCH_STATES; i++) {
		if (!w->states[i])
			continue;
		fprintf(out, "%s\"%s\": %llu", comma, rc_state_name(i), w->states[i]);
		comma = ", ";
	}
	fputs("}, ", out);
}

static void print_events(const struct watch *w, FILE *out)
{
	uint64_t i, n = w->n_events;

	fprintf(out, "\"n_events\": %" PRIu64 ", \"qp_events\": %llu, \"events\": [",
		n, w->n_qp_events);
	for (i = 0; i < n && i < WATCH_MAX_EVENTS; i++)
		fprintf(out, "%s{\"event\": \"%s\", \"lqpn\": %u}", i ? ", " : "",
			rc_event_name(w->events[i].type), w->events[i].qpn);
	fputs("]", out);
}

void watch_print(const struct watch *w, FILE *out)
{
	fprintf(out, "\"queries\": %" PRIu64 ", \"queries_failed\": %llu, ",
		watch_queries(w), w->failed);
	fprintf(out, "\"queries_not_rts\": %" PRIu64 ", ", not_rts(w));
	fprintf(out, "\"label_changes\": %llu, ", w->label_changes);
	print_states(w, out);
	print_events(w, out);
}

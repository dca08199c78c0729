// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * An RDMA application that would notice if anybody touched its QPs: RC pairs
 * between two hosts, RDMA writes without a pause, while it queries its QPs,
 * reads its asynchronous events, and checks at the end that the peer holds
 * what was written. It reports as JSON.
 */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "rc.h"
#include "watch.h"

#define MAX_QPS		1024
#define STATUS_EVERY_MS	200

static struct {
	const char *device;
	const char *host;		/* NULL: this is the server */
	const char *status_file;
	unsigned long gid_index;
	unsigned long port;
	unsigned long n_qps;
	unsigned long depth;		/* writes in flight a QP */
	unsigned long size;		/* bytes a write */
	unsigned long query_pause_us;
	unsigned long count;		/* writes a QP; 0: until SIGTERM */
	unsigned long timeout;
	unsigned long retries;
	uint32_t labels[MAX_QPS];
	unsigned int n_labels;
} opt = {
	.gid_index = RC_ANY_GID,
	.port = 18515,
	.n_qps = 1,
	.depth = 16,
	.size = 4096,
	.timeout = 18,
	.retries = 7,
};

/* The client tells these to the server, so that they are given only once. */
struct hello {
	uint32_t n_qps;
	uint32_t depth;
	uint32_t size;
};

struct end {
	struct ibv_qp *ibqp;
	struct rc_dest local, remote;
	uint64_t posted, done;
	bool broken;
};

static struct rc_dev dev;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static struct end ends[MAX_QPS];
static struct ibv_qp *qps[MAX_QPS];
static char *memory;
static struct watch watch;

static uint64_t bad_completions;
static uint64_t bad_slots;
static enum ibv_wc_status first_bad;
static bool peer_lost;
static bool peer_ok = true;

static char *slot(unsigned int qp, uint64_t write)
{
	return memory + ((size_t)qp * opt.depth + write % opt.depth) * opt.size;
}

/* Write number @write of QP @qp; its words differ in every slot and write. */
static uint64_t pattern(unsigned int qp, uint64_t write, unsigned int word)
{
	uint64_t seed = ((uint64_t)qp << 48) + write + 1;

	return random_next(&seed) + word;
}

static void fill(unsigned int qp, uint64_t write)
{
	uint64_t *words = (uint64_t *)slot(qp, write);
	uint64_t first = pattern(qp, write, 0);
	unsigned int i;

	for (i = 0; i < opt.size / sizeof(*words); i++)
		words[i] = first + i;
}

static bool holds(unsigned int qp, uint64_t write)
{
	uint64_t *words = (uint64_t *)slot(qp, write);
	uint64_t first = pattern(qp, write, 0);
	unsigned int i;

	for (i = 0; i < opt.size / sizeof(*words); i++)
		if (words[i] != first + i)
			return false;
	return true;
}

/* Each slot of the server must hold the last write that went there. */
static void verify(unsigned int qp, uint64_t writes)
{
	uint64_t write = writes > opt.depth ? writes - opt.depth : 0;

	for (; write < writes; write++)
		if (!holds(qp, write))
			bad_slots++;
}

static void setup_memory(void)
{
	size_t size = (size_t)opt.n_qps * opt.depth * opt.size;

	memory = aligned_alloc(4096, (size + 4095) & ~4095ul);
	if (!memory)
		die_errno("no memory for %lu QPs", opt.n_qps);
	memset(memory, 0, size);
	mr = ibv_reg_mr(dev.pd, memory, size,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!mr)
		die_errno("cannot register %zu bytes", size);
}

static void setup_end(unsigned int i)
{
	struct end *e = &ends[i];

	e->ibqp = rc_qp(&dev, IBV_QPT_RC, cq, opt.depth);
	qps[i] = e->ibqp;
	errno = rc_init(e->ibqp);
	if (errno)
		die_errno("QP to INIT");
	e->local = (struct rc_dest) {
		.gid = dev.gid,
		.addr = (uintptr_t)slot(i, 0),
		.rkey = mr->rkey,
		.qpn = e->ibqp->qp_num,
		.psn = (e->ibqp->qp_num * 0x101) & 0xffffff,
	};
}

static void connect_end(unsigned int i)
{
	struct end *e = &ends[i];
	struct rc_path path = { .timeout = opt.timeout, .retries = opt.retries };

	if (opt.n_labels)
		path.flow_label = opt.labels[i % opt.n_labels];
	errno = rc_rtr(&dev, e->ibqp, &e->remote, &path);
	if (errno)
		die_errno("QP %u to RTR", e->local.qpn);
	errno = rc_rts(e->ibqp, e->local.psn, &path);
	if (errno)
		die_errno("QP %u to RTS", e->local.qpn);
}

static void exchange(int fd)
{
	unsigned int i;

	for (i = 0; i < opt.n_qps; i++)
		if (tcp_send(fd, &ends[i].local, sizeof(ends[i].local)))
			die("peer is gone");
	for (i = 0; i < opt.n_qps; i++)
		if (tcp_recv(fd, &ends[i].remote, sizeof(ends[i].remote)))
			die("peer is gone");
}

/* Both ends wait for each other, so that nobody sends to a QP before RTR. */
static void barrier(int fd)
{
	char c = 1;

	if (tcp_send(fd, &c, 1) || tcp_recv(fd, &c, 1))
		die("peer is gone");
}

static void setup(int fd)
{
	unsigned int i;

	channel = ibv_create_comp_channel(dev.ctx);
	if (!channel)
		die_errno("cannot create a completion channel");
	cq = rc_cq(&dev, opt.n_qps * (opt.depth + 1), channel);
	setup_memory();
	for (i = 0; i < opt.n_qps; i++)
		setup_end(i);
	exchange(fd);
	for (i = 0; i < opt.n_qps; i++)
		connect_end(i);
	watch_start(&watch, dev.ctx, qps, opt.n_qps, opt.query_pause_us);
	barrier(fd);
}

static void teardown(void)
{
	unsigned int i;

	for (i = 0; i < opt.n_qps; i++)
		ibv_destroy_qp(ends[i].ibqp);
	ibv_dereg_mr(mr);
	ibv_destroy_cq(cq);
	ibv_destroy_comp_channel(channel);
	rc_close(&dev);
}

static bool all_well(void)
{
	return !bad_completions && !bad_slots && !peer_lost && peer_ok &&
	       !watch_bad_queries(&watch) && !watch.n_qp_events;
}

static uint64_t total_done(void)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < opt.n_qps; i++)
		sum += ends[i].done;
	return sum;
}

static void report(FILE *out)
{
	unsigned int i;

	fprintf(out, "{\"role\": \"%s\", \"pid\": %d, \"ok\": %s, ",
		opt.host ? "client" : "server", getpid(), all_well() ? "true" : "false");
	fprintf(out, "\"writes\": %" PRIu64 ", \"bytes\": %" PRIu64 ", ",
		total_done(), total_done() * opt.size);
	fprintf(out, "\"bad_completions\": %" PRIu64 ", \"first_bad\": \"%s\", ",
		bad_completions, bad_completions ? ibv_wc_status_str(first_bad) : "");
	fprintf(out, "\"bad_slots\": %" PRIu64 ", \"peer_lost\": %s, \"peer_ok\": %s, ",
		bad_slots, peer_lost ? "true" : "false", peer_ok ? "true" : "false");
	watch_print(&watch, out);
	fputs(", \"qps\": [", out);
	for (i = 0; i < opt.n_qps; i++)
		fprintf(out, "%s{\"lqpn\": %u, \"rqpn\": %u, \"writes\": %" PRIu64 "}",
			i ? ", " : "", ends[i].local.qpn, ends[i].remote.qpn, ends[i].done);
	fputs("]}\n", out);
}

/* A reader never sees half a report: it is renamed into place. */
static void write_status(void)
{
	static uint64_t next;
	char *tmp;
	FILE *out;

	if (!opt.status_file || now_ms() < next)
		return;
	next = now_ms() + STATUS_EVERY_MS;
	if (asprintf(&tmp, "%s.new", opt.status_file) < 0)
		die_errno("no memory");
	out = fopen(tmp, "w");
	if (!out)
		die_errno("cannot write %s", tmp);
	report(out);
	if (fclose(out) || rename(tmp, opt.status_file))
		die_errno("cannot write %s", opt.status_file);
	free(tmp);
}

static bool wants_more(const struct end *e)
{
	return !e->broken && !stopped() && (!opt.count || e->posted < opt.count);
}

static void keep_full(unsigned int i)
{
	struct end *e = &ends[i];
	uint64_t offset;

	while (wants_more(e) && e->posted - e->done < opt.depth) {
		fill(i, e->posted);
		offset = slot(i, e->posted) - slot(i, 0);
		if (rc_write(e->ibqp, i, mr, slot(i, e->posted), opt.size,
			     e->remote.addr + offset, e->remote.rkey))
			die("cannot post to QP %u", e->local.qpn);
		e->posted++;
	}
}

static void complete(const struct ibv_wc *wc)
{
	struct end *e = &ends[wc->wr_id];

	if (wc->status == IBV_WC_SUCCESS) {
		e->done++;
		return;
	}
	if (!bad_completions++)
		first_bad = wc->status;
	e->broken = true;
}

static void reap(void)
{
	struct ibv_wc wc[32];
	int i, n;

	do {
		n = ibv_poll_cq(cq, ARRAY_SIZE(wc), wc);
		if (n < 0)
			die("cannot poll the CQ");
		for (i = 0; i < n; i++)
			complete(&wc[i]);
	} while (n);
}

/* Sleep until there is a completion, but not for long: there is the status. */
static void wait_for_completion(void)
{
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };
	struct ibv_cq *event_cq;
	void *context;

	if (poll(&fd, 1, STATUS_EVERY_MS) <= 0)
		return;
	if (ibv_get_cq_event(channel, &event_cq, &context))
		die_errno("no completion event");
	ibv_ack_cq_events(event_cq, 1);
	if (ibv_req_notify_cq(cq, 0))
		die_errno("cannot ask for completion events");
}

static bool busy(void)
{
	unsigned int i;

	for (i = 0; i < opt.n_qps; i++)
		if (wants_more(&ends[i]) ||
		    (!ends[i].broken && ends[i].done < ends[i].posted))
			return true;
	return false;
}

static void run_client(int fd)
{
	unsigned int i;
	char ok;

	if (ibv_req_notify_cq(cq, 0))
		die_errno("cannot ask for completion events");
	while (busy()) {
		for (i = 0; i < opt.n_qps; i++)
			keep_full(i);
		wait_for_completion();
		reap();
		write_status();
	}
	for (i = 0; i < opt.n_qps; i++)
		if (tcp_send(fd, &ends[i].done, sizeof(ends[i].done)))
			peer_lost = true;
	if (tcp_recv(fd, &ok, 1))
		peer_lost = true;
	else
		peer_ok = ok;
}

/* The memory fills by itself; wait for the client to end, then look at it. */
static void run_server(int fd)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	unsigned int i;
	char ok;

	while (poll(&in, 1, STATUS_EVERY_MS) <= 0 && !stopped())
		write_status();
	peer_lost = stopped();
	for (i = 0; i < opt.n_qps && !peer_lost; i++) {
		if (tcp_recv(fd, &ends[i].done, sizeof(ends[i].done)))
			peer_lost = true;
		else
			verify(i, ends[i].done);
	}
	ok = all_well();
	if (!peer_lost)
		tcp_send(fd, &ok, 1);
}

static int meet_peer(void)
{
	struct hello hello = { opt.n_qps, opt.depth, opt.size };
	int fd = opt.host ? tcp_connect(opt.host, opt.port) : tcp_accept(opt.port);

	if (opt.host ? tcp_send(fd, &hello, sizeof(hello)) : tcp_recv(fd, &hello, sizeof(hello)))
		die("peer is gone");
	opt.n_qps = hello.n_qps;
	opt.depth = hello.depth;
	opt.size = hello.size;
	return fd;
}

static void parse_labels(char *list)
{
	char *word, *save;

	for (word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (opt.n_labels == MAX_QPS)
			die("more than %d flow labels", MAX_QPS);
		opt.labels[opt.n_labels++] = option_value("flow-label", word, 0xfffff);
	}
}

static const char usage[] =
	"usage: qp_watch [OPTIONS]         wait for a client\n"
	"       qp_watch [OPTIONS] HOST    write to the server on HOST\n"
	"\n"
	"Exit code: 0 all was well, 1 the application noticed something, 2 no set-up.";

static const struct opt options[] = {
	{ 'd', "device", "NAME", "RDMA device (default: the first)", .string = &opt.device },
	{ 'g', "gid-index", "N", "(default: the RoCEv2 GID of an IPv4 address)",
	  .value = &opt.gid_index, .max = 255 },
	{ 't', "port", "PORT", "TCP port to meet at (default 18515)",
	  .value = &opt.port, .max = 65535 },
	{ 'q', "qps", "N", "QPs (client; default 1)", .value = &opt.n_qps, .max = MAX_QPS },
	{ 'D', "depth", "N", "writes in flight per QP (client; default 16)",
	  .value = &opt.depth, .max = 1024 },
	{ 's', "size", "BYTES", "bytes per write (client; default 4096)",
	  .value = &opt.size, .max = 1 << 24 },
	{ 'n', "count", "N", "writes per QP (client; default: until SIGTERM)",
	  .value = &opt.count, .max = UINT32_MAX },
	{ 'l', "flow-label", "L,...", "flow label of each QP of this end, repeated",
	  .parse = parse_labels },
	{ 'T', "timeout", "N", "ACK timeout, 4.096 us * 2^N (default 18)",
	  .value = &opt.timeout, .max = 31 },
	{ 'r', "retries", "N", "retries before a QP fails (default 7)",
	  .value = &opt.retries, .max = 7 },
	{ 'p', "query-pause", "US", "between two queries (default 0)",
	  .value = &opt.query_pause_us, .max = 1000000 },
	{ 'S', "status", "FILE", "keep a JSON report of the running state there",
	  .string = &opt.status_file },
	{}
};

int main(int argc, char **argv)
{
	bool well;
	int fd, first;

	first = parse_options(argc, argv, usage, options);
	opt.host = argv[first];
	if (!opt.n_qps || !opt.depth || opt.size < 8 || opt.size % 8)
		die("at least one QP and one write in flight, and a size that is a multiple of 8");
	stop_on_signal();
	rc_open(&dev, opt.device, opt.gid_index);
	fd = meet_peer();
	setup(fd);
	if (opt.host)
		run_client(fd);
	else
		run_server(fd);
	watch_stop(&watch);
	well = all_well();
	report(stdout);
	teardown();
	return well ? 0 : 1;
}

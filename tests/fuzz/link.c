// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Netlink handles a request before sendmsg() returns and goes on with a dump in
 * recvmsg(), so an answer that is not there when the socket is empty is lost.
 */

#include <errno.h>
#include <linux/genetlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../prog/common.h"
#include "judge.h"
#include "link.h"
#include "pool.h"
#include "tally.h"

#define DATAGRAMS	64		/* of one link_send() */
#define SEND_BYTES	(512 * 1024)
#define RECEIVES	16		/* datagrams read at a time */
#define RECEIVE_BYTES	(80 * 1024)	/* more than any message, which an error may repeat */
#define WAITING		1024		/* messages that wait, a power of two */
#define RECEIVE_BUFFER	(16 << 20)
/* For an answer that is no longer expected. */
#define PATIENCE_MS	10000

/**
 * struct waiting - a message whose answer is not complete
 * @sent: the message; no bytes: the place is free
 * @seq: its sequence number
 * @replies: messages of the family so far
 */
struct waiting {
	struct sent sent;
	uint32_t seq;
	unsigned int replies;
};

struct link {
	int fd;
	struct mnl_socket *socket;
	bool explains;		/* refusals come with a text */
	uint32_t seq;
	unsigned int dumps;	/* under way, */
	bool adds_dump;		/* and about to be sent */
	unsigned int n;		/* datagrams to send */
	size_t bytes;		/* of them */
	struct iovec out[DATAGRAMS];
	unsigned int kinds[DATAGRAMS];
	struct waiting waiting[WAITING];
};

static uint16_t family;
static unsigned long messages;

/* Shared by all links, as they take turns. */
static char send_buf[SEND_BYTES] __attribute__((aligned(8)));
static char receive_buf[RECEIVES][RECEIVE_BYTES] __attribute__((aligned(8)));

void link_init(uint16_t number)
{
	family = number;
}

unsigned long link_sent(void)
{
	return messages;
}

static void set_option(struct link *link, int option)
{
	int one = 1;

	mnl_socket_setsockopt(link->socket, option, &one, sizeof(one));
}

struct link *link_open(uint64_t *random)
{
	struct link *link = zalloc(sizeof(*link));
	int size = RECEIVE_BUFFER;

	link->socket = mnl_socket_open(NETLINK_GENERIC);
	if (!link->socket || mnl_socket_bind(link->socket, 0, MNL_SOCKET_AUTOPID))
		die_errno("netlink socket");
	link->fd = mnl_socket_get_fd(link->socket);
	if (setsockopt(link->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		die_errno("cannot have a receive buffer of %d bytes", size);
	link->explains = random_next(random) % 4;
	if (link->explains)
		set_option(link, NETLINK_EXT_ACK);
	if (random_next(random) % 2)
		set_option(link, NETLINK_CAP_ACK);
	if (random_next(random) % 2)
		set_option(link, NETLINK_GET_STRICT_CHK);
	link->seq = random_next(random);
	return link;
}

static void forget(struct link *link, struct waiting *w)
{
	if (w->sent.verdict.dump)
		link->dumps--;
	free(w->sent.bytes);
	w->sent.bytes = NULL;
}

void link_close(struct link *link)
{
	struct waiting *w;

	for (w = link->waiting; w < link->waiting + WAITING; w++) {
		if (!w->sent.bytes)
			continue;
		tally_end(&w->sent, TALLY_ABANDONED, 0);
		forget(link, w);
	}
	mnl_socket_close(link->socket);
	free(link);
}

bool link_may_dump(const struct link *link)
{
	return !link->dumps && !link->adds_dump;
}

void link_add(struct link *link, const struct forged *forged, bool join)
{
	struct iovec *last;
	size_t len;

	join = join && link->n;
	if (link->bytes + forged->len + NLMSG_ALIGNTO > sizeof(send_buf) ||
	    (!join && link->n == DATAGRAMS))
		return;
	if (join) {
		last = &link->out[link->n - 1];
		/* Netlink looks for the next message where the last one's padding ends. */
		len = NLMSG_ALIGN(last->iov_len);
		memset((char *)last->iov_base + last->iov_len, 0, len - last->iov_len);
		memcpy((char *)last->iov_base + len, forged->nlh, forged->len);
		last->iov_len = len + forged->len;
	} else {
		last = &link->out[link->n];
		last->iov_base = send_buf + link->bytes;
		last->iov_len = forged->len;
		memcpy(last->iov_base, forged->nlh, forged->len);
		link->kinds[link->n++] = forged->kind;
	}
	link->adds_dump |= (forged->nlh->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	link->bytes = NLMSG_ALIGN((char *)last->iov_base + last->iov_len - send_buf);
}

/* A message goes to our family or to none. */
static void keep_off_others(struct nlmsghdr *nlh)
{
	if (nlh->nlmsg_type >= GENL_MIN_ID && nlh->nlmsg_type <= GENL_MAX_ID)
		nlh->nlmsg_type = family;
}

static void expect(struct link *link, struct nlmsghdr *nlh, unsigned int kind)
{
	uint32_t seq = ++link->seq;
	struct waiting *w = &link->waiting[seq % WAITING];

	if (w->sent.bytes)
		die("more than %d messages wait", WAITING);
	keep_off_others(nlh);
	nlh->nlmsg_seq = seq;
	*w = (struct waiting){
		.sent = { .number = messages++, .kind = kind, .len = nlh->nlmsg_len },
		.seq = seq,
	};
	w->sent.verdict = judge_request(nlh, family);
	w->sent.bytes = zalloc(nlh->nlmsg_len);
	memcpy(w->sent.bytes, nlh, nlh->nlmsg_len);
	if (w->sent.verdict.dump)
		link->dumps++;
}

/* The messages of a datagram, as netlink will find them: whatever looks like one. */
static void expect_all(struct link *link, const struct iovec *datagram, unsigned int kind)
{
	char *at = datagram->iov_base;
	size_t left = datagram->iov_len, len;
	struct nlmsghdr *nlh;

	for (; left >= NLMSG_HDRLEN; at += len, left -= len) {
		nlh = (void *)at;
		if (nlh->nlmsg_len < NLMSG_HDRLEN || nlh->nlmsg_len > left)
			break;
		expect(link, nlh, kind);
		len = NLMSG_ALIGN(nlh->nlmsg_len);
		if (len > left)
			len = left;
	}
	tally_datagram();
}

void link_send(struct link *link)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct mmsghdr headers[DATAGRAMS] = {};
	unsigned int i;
	int done;

	for (i = 0; i < link->n; i++) {
		expect_all(link, &link->out[i], link->kinds[i]);
		headers[i].msg_hdr = (struct msghdr){
			.msg_name = &kernel,
			.msg_namelen = sizeof(kernel),
			.msg_iov = &link->out[i],
			.msg_iovlen = 1,
		};
	}
	for (i = 0; i < link->n; i += done) {
		done = sendmmsg(link->fd, headers + i, link->n - i, 0);
		if (done < 0)
			die_errno("cannot send %zu bytes", link->out[i].iov_len);
	}
	link->adds_dump = false;
	link->n = 0;
	link->bytes = 0;
}

/* The text of an error, or NULL. */
static const char *explanation(const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	size_t skip = sizeof(*err);
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return NULL;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip = sizeof(int) + NLMSG_ALIGN(err->msg.nlmsg_len);
	mnl_attr_for_each(attr, nlh, skip)
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG)
			return mnl_attr_get_str(attr);
	return NULL;
}

/* Every refusal of the family's own says why, the specification promises. */
static void check_refusal(struct link *link, const struct waiting *w, const struct nlmsghdr *nlh,
			  int error)
{
	const struct verdict *v = &w->sent.verdict;
	bool busy = error == EBUSY && v->dump;

	if (v->skipped)
		tally_fail(&w->sent, "refused (%s), though it is no request", strerror(error));
	else if (v->certain && !busy)
		tally_fail(&w->sent, "refused (%s), though nothing is wrong with it",
			   strerror(error));
	else if (!v->forbidden && !busy && error != ENOMEM && link->explains &&
		 nlh->nlmsg_type == NLMSG_ERROR && !explanation(nlh))
		tally_fail(&w->sent, "refused (%s) without a reason", strerror(error));
	if (w->replies && !v->dump)
		tally_fail(&w->sent, "refused (%s) after a reply", strerror(error));
}

static void check_success(const struct waiting *w, const struct nlmsghdr *nlh)
{
	const struct verdict *v = &w->sent.verdict;

	if (v->forbidden)
		tally_fail(&w->sent, "accepted with %s (%s)", v->forbidden,
			   v->attr ? v->attr : "-");
	else if (v->dump != (nlh->nlmsg_type == NLMSG_DONE))
		tally_fail(&w->sent, "the end of another kind of request");
	else if (!v->dump && w->replies != v->replies)
		tally_fail(&w->sent, "accepted with %u replies, not %u", w->replies, v->replies);
}

static void take_end(struct link *link, struct waiting *w, const struct nlmsghdr *nlh)
{
	int error = *(const int *)mnl_nlmsg_get_payload(nlh);

	if (error > 0 || error < -4095)
		tally_fail(&w->sent, "answered with error %d, which is none", error);
	else if (error)
		check_refusal(link, w, nlh, -error);
	else
		check_success(w, nlh);
	tally_end(&w->sent,
		  error			  ? TALLY_REFUSED :
		  w->sent.verdict.skipped ? TALLY_SKIPPED :
					    TALLY_DONE,
		  abs(error));
	forget(link, w);
}

static void take_reply(struct waiting *w, const struct nlmsghdr *nlh)
{
	const struct verdict *v = &w->sent.verdict;
	const char *problem, *attr;

	w->replies++;
	tally_reply();
	if (!v->cmd) {
		tally_fail(&w->sent, "a reply to what is no command");
		return;
	}
	problem = judge_reply(nlh, v->cmd, &attr);
	if (problem)
		tally_fail(&w->sent, "a reply with %s (%s)", problem, attr ? attr : "-");
	else
		pool_feed(v->cmd->set, nlh);
}

static void take_message(struct link *link, const struct nlmsghdr *nlh)
{
	struct waiting *w = &link->waiting[nlh->nlmsg_seq % WAITING];

	if (!w->sent.bytes || w->seq != nlh->nlmsg_seq)
		tally_fail(NULL, "an answer (type %u) to no message", nlh->nlmsg_type);
	else if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE)
		take_end(link, w, nlh);
	else if (nlh->nlmsg_type == family)
		take_reply(w, nlh);
	else
		tally_fail(&w->sent, "an answer of type %u", nlh->nlmsg_type);
}

static void take_datagram(struct link *link, const struct mmsghdr *header)
{
	const struct nlmsghdr *nlh = header->msg_hdr.msg_iov->iov_base;
	int left = header->msg_len;

	if (header->msg_hdr.msg_flags & MSG_TRUNC)
		tally_fail(NULL, "a datagram of more than %d bytes", RECEIVE_BYTES);
	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
		take_message(link, nlh);
	if (left)
		tally_fail(NULL, "%d bytes after the messages of a datagram", left);
}

unsigned int link_receive(struct link *link, unsigned int max)
{
	struct mmsghdr headers[RECEIVES] = {};
	struct iovec in[RECEIVES];
	int i, n;

	if (max > RECEIVES)
		max = RECEIVES;
	for (i = 0; i < (int)max; i++) {
		in[i] = (struct iovec){ receive_buf[i], RECEIVE_BYTES };
		headers[i].msg_hdr.msg_iov = &in[i];
		headers[i].msg_hdr.msg_iovlen = 1;
	}
	n = recvmmsg(link->fd, headers, max, MSG_DONTWAIT, NULL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0) {
		tally_fail(NULL, "cannot receive: %s", strerror(errno));
		return 0;
	}
	for (i = 0; i < n; i++)
		take_datagram(link, &headers[i]);
	return n;
}

/* Must there still come something? */
static bool due(const struct waiting *w)
{
	const struct verdict *v = &w->sent.verdict;

	if (v->skipped)
		return v->ack;
	return v->forbidden || v->dump || v->ack || w->replies < v->replies;
}

static bool any_due(const struct link *link)
{
	const struct waiting *w;

	for (w = link->waiting; w < link->waiting + WAITING; w++)
		if (w->sent.bytes && due(w))
			return true;
	return false;
}

/* Those that were not to be acknowledged have succeeded if nothing came. */
static void settle(struct link *link, struct waiting *w)
{
	if (due(w))
		tally_fail(&w->sent, "no answer");
	else if (w->replies > w->sent.verdict.replies)
		tally_fail(&w->sent, "%u replies", w->replies);
	tally_end(&w->sent, w->sent.verdict.skipped ? TALLY_SKIPPED : TALLY_DONE, 0);
	forget(link, w);
}

void link_settle(struct link *link)
{
	struct pollfd input = { .fd = link->fd, .events = POLLIN };
	struct waiting *w;

	do {
		while (link_receive(link, RECEIVES))
			;
	} while (any_due(link) && poll(&input, 1, PATIENCE_MS) > 0);
	for (w = link->waiting; w < link->waiting + WAITING; w++)
		if (w->sent.bytes)
			settle(link, w);
}

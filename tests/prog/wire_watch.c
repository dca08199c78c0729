// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * See on which network devices the RoCEv2 packets of which QP leave: the
 * witness of a rebind who knows nothing of the module.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"

#define ROCE_PORT	4791
#define MAX_DEVICES	8
#define MAX_FLOWS	4096

/* The part of a base transport header that is looked at. */
struct bth {
	uint8_t opcode;
	uint8_t flags;
	uint16_t pkey;
	uint32_t qpn;		/* and 8 bits above */
};

struct flow {
	int device;
	uint16_t sport;
	uint32_t rqpn;
	unsigned long packets;
};

static const char *names[MAX_DEVICES];
static int n_devices;
static struct flow flows[MAX_FLOWS];
static int n_flows;
static unsigned long count = 200;
static unsigned long limit_ms = 10000;

static int open_device(const char *name)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int fd;

	addr.sll_ifindex = if_nametoindex(name);
	if (!addr.sll_ifindex)
		die_errno("network device %s", name);
	fd = socket(AF_PACKET, SOCK_DGRAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die_errno("packets of %s", name);
	return fd;
}

static void note(int device, uint16_t sport, uint32_t rqpn)
{
	struct flow *flow;

	for (flow = flows; flow < flows + n_flows; flow++)
		if (flow->device == device && flow->sport == sport && flow->rqpn == rqpn)
			break;
	if (flow == flows + n_flows) {
		if (n_flows == MAX_FLOWS)
			die("more than %d flows", MAX_FLOWS);
		*flow = (struct flow){ device, sport, rqpn, 0 };
		n_flows++;
	}
	flow->packets++;
}

/* Return: whether it was a RoCEv2 packet over IPv4 that leaves. */
static bool take(int fd, int device)
{
	struct {
		struct iphdr ip;
		struct udphdr udp;
		struct bth bth;
	} packet;
	struct sockaddr_ll from;
	socklen_t len = sizeof(from);
	ssize_t n;

	n = recvfrom(fd, &packet, sizeof(packet), 0, (struct sockaddr *)&from, &len);
	if (n < (ssize_t)sizeof(packet) || from.sll_pkttype != PACKET_OUTGOING)
		return false;
	if (packet.ip.version != 4 || packet.ip.ihl != 5 || packet.ip.protocol != IPPROTO_UDP ||
	    ntohs(packet.udp.dest) != ROCE_PORT)
		return false;
	note(device, ntohs(packet.udp.source), ntohl(packet.bth.qpn) & 0xffffff);
	return true;
}

static unsigned long watch(struct pollfd *fds)
{
	uint64_t end = now_ms() + limit_ms;
	unsigned long seen = 0;
	int i;

	while (seen < count && !stopped() && now_ms() < end) {
		if (poll(fds, n_devices, 100) <= 0)
			continue;
		for (i = 0; i < n_devices; i++)
			if (fds[i].revents)
				seen += take(fds[i].fd, i);
	}
	return seen;
}

static void report(unsigned long seen)
{
	const struct flow *flow;

	printf("{\"packets\": %lu, \"flows\": [", seen);
	for (flow = flows; flow < flows + n_flows; flow++)
		printf("%s{\"dev\": \"%s\", \"sport\": %u, \"rqpn\": %u, \"packets\": %lu}",
		       flow == flows ? "" : ", ", names[flow->device], flow->sport,
		       flow->rqpn, flow->packets);
	puts("]}");
}

static const char usage[] =
	"usage: wire_watch [OPTIONS] DEV...\n"
	"\n"
	"Count the RoCEv2 packets that leave over each network device, by UDP source port and\n"
	"destination QP, until so many have been seen or the time is over.";

static const struct opt options[] = {
	{ 'n', "count", "N", "packets to see (default 200)", .value = &count, .max = UINT32_MAX },
	{ 't', "time", "MS", "but no longer than that (default 10000)", .value = &limit_ms,
	  .max = UINT32_MAX },
	{}
};

int main(int argc, char **argv)
{
	struct pollfd fds[MAX_DEVICES];
	int i, first;

	first = parse_options(argc, argv, usage, options);
	stop_on_signal();
	for (i = first; i < argc && n_devices < MAX_DEVICES; i++, n_devices++) {
		names[n_devices] = argv[i];
		fds[n_devices] = (struct pollfd){ open_device(argv[i]), POLLIN, 0 };
	}
	if (!n_devices)
		die("no network device given");
	report(watch(fds));
	return 0;
}

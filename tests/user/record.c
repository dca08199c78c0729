// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * sfnl that writes down what it and the kernel tell each other, see data/README.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libmnl/libmnl.h>

#include "../../userspace/sfnl/sfnl.h"
#include "record.h"
#include "script.h"

#define BYTES_PER_LINE	32

static FILE *file;

/* What differs from run to run is left out: 1 stands for the request's number. */
static void normalise(struct nlmsghdr *nlh, int len, bool request)
{
	for (; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len)) {
		nlh->nlmsg_seq = !request && nlh->nlmsg_seq ? 1 : 0;
		nlh->nlmsg_pid = 0;
	}
}

static void write_hex(char direction, const void *buf, size_t len)
{
	unsigned char *copy = malloc(len);

	memcpy(copy, buf, len);
	normalise((void *)copy, len, direction == '>');
	for (size_t i = 0; i < len; i++) {
		if (i % BYTES_PER_LINE == 0)
			fprintf(file, "%s%c ", i ? "\n" : "", i ? ' ' : direction);
		fprintf(file, "%02x", copy[i]);
	}
	fputc('\n', file);
	free(copy);
}

int __wrap_sf_transport_join(struct sf_transport *transport, uint32_t group)
{
	fprintf(file, "+ %u\n", group);
	return __real_sf_transport_join(transport, group);
}

int __wrap_sf_transport_send(struct sf_transport *transport, const void *buf, size_t len)
{
	write_hex('>', buf, len);
	return __real_sf_transport_send(transport, buf, len);
}

ssize_t __wrap_sf_transport_recv(struct sf_transport *transport, void *buf, size_t size)
{
	ssize_t len = __real_sf_transport_recv(transport, buf, size);

	if (len < 0)
		fprintf(file, "! %zd\n", -len);
	else
		write_hex('<', buf, len);
	return len;
}

int main(int argc, char **argv)
{
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: sfnl-record FILE ARGUMENT-OF-SFNL...\n");
		return 1;
	}
	file = fopen(argv[1], "w");
	if (!file) {
		perror(argv[1]);
		return 1;
	}
	setlinebuf(file);
	fputs(RECORDING_HEADER "$", file);
	for (int i = 2; i < argc; i++)
		fprintf(file, " %s", argv[i]);
	fputc('\n', file);

	argv[1] = argv[0];
	status = sfnl_run(argc - 1, argv + 1);
	return fclose(file) ? 1 : status;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Netlink client of the scalefabric module: requests, dumps, notifications.
 *
 * A client is used by one thread at a time.
 */

#ifndef SF_CLIENT_H
#define SF_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/scalefabric.h>

struct sf_client;

/**
 * struct sf_error - why the last call of a client failed
 * @code: the negative errno that the call returned
 * @kernel: the module (or netlink in front of it) refused the request;
 *   otherwise the request was not sent or the answer not understood
 * @attr: attribute of the request at fault, SCALEFABRIC_A_*; 0 if not told
 * @missing: the request lacks @attr
 * @message: what the kernel, or the client, has to say; may be empty
 */
struct sf_error {
	int code;
	bool kernel;
	uint16_t attr;
	bool missing;
	char message[256];
};

/**
 * struct sf_request - a request under construction
 * @nlh: add attributes with mnl_attr_put_*()
 * @buf: room for them
 *
 * Every request of the family fits: the longest, all filters of qp-get, takes
 * less than 200 bytes.
 */
struct sf_request {
	union {
		struct nlmsghdr nlh;
		char buf[512];
	};
};

/**
 * typedef sf_message_fn - called for each message received
 * @nlh: the message; sf_message_cmd() and sf_message_attrs() take it apart
 * @arg: argument of the caller
 *
 * Return: 0, or a negative errno that ends the call and is returned by it.
 */
typedef int (*sf_message_fn)(const struct nlmsghdr *nlh, void *arg);

/**
 * sf_client_open - connect to the module
 * @client: where to put the client
 *
 * Return: 0; -ENOENT when the module is not loaded, -EBADMSG when the answer
 * was not understood, -ENOMEM, or a negative errno of the socket.
 */
int sf_client_open(struct sf_client **client);

/**
 * sf_client_close - disconnect and free
 * @client: a client or NULL
 */
void sf_client_close(struct sf_client *client);

/**
 * sf_client_error - why the last call failed
 * @client: the client; only meaningful after a call that returned an error
 */
const struct sf_error *sf_client_error(const struct sf_client *client);

/**
 * sf_request_init - start a request
 * @req: the request
 * @cmd: SCALEFABRIC_CMD_*
 */
void sf_request_init(struct sf_request *req, uint8_t cmd);

/**
 * sf_client_do - make a request and wait until the kernel has done it
 * @client: the client; must not have joined a group
 * @req: the request
 * @fn: called with the reply, if there is one; may be NULL
 * @arg: argument of @fn
 *
 * Return: 0; the error of the request (see the spec's operation) or of @fn;
 * -EBADMSG when the answer was not understood; an errno of the socket.
 */
int sf_client_do(struct sf_client *client, struct sf_request *req,
		 sf_message_fn fn, void *arg);

/**
 * sf_client_dump - make a request that is answered with many messages
 * @client: the client; must not have joined a group
 * @req: the request
 * @fn: called for each message, after all of them were received
 * @arg: argument of @fn
 *
 * A dump that the kernel marks as interrupted by a change is made again, a few
 * times. The messages of a failed or repeated dump are never seen by @fn.
 *
 * Return: 0; 1 when the last try was interrupted as well: @fn has got it, and
 * it may miss an entry or hold one twice; or an error as sf_client_do().
 */
int sf_client_dump(struct sf_client *client, struct sf_request *req,
		   sf_message_fn fn, void *arg);

/**
 * sf_client_join - be told about what happens
 * @client: the client
 * @group: SCALEFABRIC_MCGRP_*
 *
 * Return: 0; -ENOENT when the module has no such group; an errno of the socket.
 */
int sf_client_join(struct sf_client *client, const char *group);

/**
 * sf_client_fd - file descriptor to poll for notifications
 * @client: the client
 */
int sf_client_fd(const struct sf_client *client);

/**
 * sf_client_listen - receive notifications
 * @client: a client that has joined a group
 * @fn: called for each notification that arrived together
 * @arg: argument of @fn
 *
 * Return: 0; -ENOBUFS when the kernel had to drop notifications because the
 * reader was too slow (more will follow, call again); -ENODEV when the module
 * was unloaded (nothing will follow); -EINTR; the error of @fn; -EBADMSG when a
 * notification was not understood; an errno of the socket.
 */
int sf_client_listen(struct sf_client *client, sf_message_fn fn, void *arg);

/**
 * sf_client_time - when the last message was received
 * @client: the client
 *
 * Return: nanoseconds since the epoch.
 */
uint64_t sf_client_time(const struct sf_client *client);

/**
 * sf_message_cmd - command of a message
 * @nlh: a message given to an sf_message_fn
 *
 * Return: SCALEFABRIC_CMD_*.
 */
uint8_t sf_message_cmd(const struct nlmsghdr *nlh);

/**
 * sf_message_attrs - find the attributes of a message
 * @nlh: a message given to an sf_message_fn
 * @attrs: array of @max + 1 entries, filled by attribute type; NULL if absent,
 *   the first one of a kind that comes more than once
 * @max: highest type wanted; others (of a newer module) are skipped
 *
 * Return: 0, or -EBADMSG when an attribute runs over the end of the message.
 */
int sf_message_attrs(const struct nlmsghdr *nlh, const struct nlattr **attrs,
		     uint16_t max);

#endif /* SF_CLIENT_H */

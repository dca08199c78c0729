// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Netlink client of the scalefabric module.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "transport.h"

/* The kernel fills up to 32 KB for a reader that offers that much. */
#define BUFFER_SIZE	65536
#define GROUPS_MAX	8
/* As the kernel has it. */
#define ERRNO_MAX	4095
/* Tries to dump a table that keeps changing. */
#define DUMP_TRIES	8

struct group {
	char name[GENL_NAMSIZ];
	uint32_t id;
};

struct sf_client {
	struct sf_transport *transport;
	uint16_t family;
	uint32_t seq;
	struct group groups[GROUPS_MAX];
	size_t n_groups;
	struct sf_error error;
	char *buf;
};

/* The messages of a dump, one after the other. */
struct store {
	char *buf;
	size_t len, size;
};

/* A request on its way. */
struct exchange {
	struct sf_client *client;
	const struct nlmsghdr *request;
	sf_message_fn fn;
	void *arg;
	bool interrupted;
};

/* What a message means for the exchange it belongs to, if no error. */
enum { DONE, MORE };

__attribute__((format(printf, 3, 4)))
static int fail(struct sf_client *client, int code, const char *fmt, ...)
{
	va_list ap;

	client->error = (struct sf_error){ .code = code };
	va_start(ap, fmt);
	vsnprintf(client->error.message, sizeof(client->error.message), fmt, ap);
	va_end(ap);
	return code;
}

static int fail_malformed(struct sf_client *client)
{
	return fail(client, -EBADMSG, "malformed message from the kernel");
}

static int attrs_parse(const void *start, int len, const struct nlattr **attrs, uint16_t max)
{
	const struct nlattr *attr = start;
	uint16_t type;

	memset(attrs, 0, (max + 1) * sizeof(*attrs));
	while (mnl_attr_ok(attr, len)) {
		type = mnl_attr_get_type(attr);
		if (type <= max && !attrs[type])
			attrs[type] = attr;
		len -= MNL_ALIGN(attr->nla_len);
		attr = mnl_attr_next(attr);
	}
	return len > 0 ? -EBADMSG : 0;
}

static const char *attr_string(const struct nlattr *attr)
{
	if (!attr || mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
		return NULL;
	return mnl_attr_get_str(attr);
}

static bool attr_u32(const struct nlattr *attr, uint32_t *value)
{
	if (!attr || mnl_attr_validate(attr, MNL_TYPE_U32) < 0)
		return false;
	*value = mnl_attr_get_u32(attr);
	return true;
}

/* The kernel tells the attribute at fault by its offset in the request. */
static uint16_t attr_at(const struct nlmsghdr *request, uint32_t offset)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, request, GENL_HDRLEN)
		if ((const char *)attr - (const char *)request == offset)
			return mnl_attr_get_type(attr);
	return 0;
}

static void read_extack(struct sf_error *error, const struct nlmsghdr *request,
			const void *start, size_t len)
{
	const struct nlattr *attrs[NLMSGERR_ATTR_MAX + 1];
	const char *message;
	uint32_t value;

	if (attrs_parse(start, len, attrs, NLMSGERR_ATTR_MAX))
		return;

	message = attr_string(attrs[NLMSGERR_ATTR_MSG]);
	if (message)
		snprintf(error->message, sizeof(error->message), "%s", message);

	if (attr_u32(attrs[NLMSGERR_ATTR_OFFS], &value))
		error->attr = attr_at(request, value);
	if (!error->attr && attr_u32(attrs[NLMSGERR_ATTR_MISS_TYPE], &value)) {
		error->attr = value;
		error->missing = true;
	}
}

/*
 * The end of an exchange: NLMSG_ERROR (where error 0 is the ack), or the
 * NLMSG_DONE of a dump. Both start with the error and may end with an extended
 * ack; NLMSG_ERROR repeats the request, or its header, in between.
 */
static int read_end(struct exchange *x, const struct nlmsghdr *nlh)
{
	struct sf_client *client = x->client;
	const char *payload = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh), skip = sizeof(int);
	const struct nlmsgerr *err = (const void *)payload;

	if (nlh->nlmsg_type == NLMSG_ERROR) {
		if (len < sizeof(*err))
			return fail_malformed(client);
		skip = sizeof(*err);
		if (!(nlh->nlmsg_flags & NLM_F_CAPPED) && err->error)
			skip = sizeof(int) + MNL_ALIGN(err->msg.nlmsg_len);
	}
	if (len < skip || err->error > 0 || err->error < -ERRNO_MAX)
		return fail_malformed(client);
	if (!err->error)
		return DONE;

	client->error = (struct sf_error){ .code = err->error, .kernel = true };
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		read_extack(&client->error, x->request, payload + skip, len - skip);
	return err->error;
}

static int deliver(struct sf_client *client, const struct nlmsghdr *nlh,
		   sf_message_fn fn, void *arg)
{
	int err;

	if (!fn)
		return 0;
	err = fn(nlh, arg);
	if (err == -EBADMSG)
		return fail_malformed(client);
	return err ? fail(client, err, "cannot use a message") : 0;
}

/* mnl_nlmsg_ok() takes a length of 2 GB or more for a negative, small one. */
static bool message_ok(const struct nlmsghdr *nlh, int left)
{
	return mnl_nlmsg_ok(nlh, left) && nlh->nlmsg_len <= (uint32_t)left;
}

/* One message of the datagram that came while the exchange goes on. */
static int read_message(struct exchange *x, const struct nlmsghdr *nlh)
{
	int err;

	if (nlh->nlmsg_seq != x->request->nlmsg_seq)
		return MORE;
	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		x->interrupted = true;

	switch (nlh->nlmsg_type) {
	case NLMSG_ERROR:
	case NLMSG_DONE:
		return read_end(x, nlh);
	case NLMSG_NOOP:
		return MORE;
	}

	if (nlh->nlmsg_type != x->request->nlmsg_type ||
	    mnl_nlmsg_get_payload_len(nlh) < GENL_HDRLEN)
		return fail_malformed(x->client);

	err = deliver(x->client, nlh, x->fn, x->arg);
	return err ? err : MORE;
}

/* Receive until the kernel has ended the exchange. */
static int receive_reply(struct exchange *x)
{
	struct sf_client *client = x->client;
	const struct nlmsghdr *nlh;
	int left, ret = MORE;

	while (ret == MORE) {
		do {
			left = sf_transport_recv(client->transport, client->buf, BUFFER_SIZE);
		} while (left == -EINTR);
		if (left < 0)
			return fail(client, left, "cannot receive");

		nlh = (const void *)client->buf;
		while (ret == MORE && message_ok(nlh, left)) {
			ret = read_message(x, nlh);
			nlh = mnl_nlmsg_next(nlh, &left);
		}
		if (ret == MORE && left > 0)
			return fail_malformed(client);
	}
	return ret;
}

static int exchange(struct exchange *x, struct nlmsghdr *request, uint16_t type,
		    uint16_t flags)
{
	struct sf_client *client = x->client;
	int err;

	request->nlmsg_type = type;
	request->nlmsg_flags = NLM_F_REQUEST | flags;
	request->nlmsg_seq = ++client->seq;
	x->request = request;
	x->interrupted = false;

	err = sf_transport_send(client->transport, request, request->nlmsg_len);
	if (err)
		return fail(client, err, "cannot send");
	return receive_reply(x);
}

static int read_groups(struct sf_client *client, const struct nlattr *nest)
{
	const struct nlattr *attrs[CTRL_ATTR_MCAST_GRP_MAX + 1];
	const struct nlattr *entry;
	struct group *group;
	const char *name;

	mnl_attr_for_each_nested(entry, nest) {
		group = &client->groups[client->n_groups];
		if (client->n_groups == GROUPS_MAX)
			break;
		if (attrs_parse(mnl_attr_get_payload(entry), mnl_attr_get_payload_len(entry),
				attrs, CTRL_ATTR_MCAST_GRP_MAX))
			return -EBADMSG;
		name = attr_string(attrs[CTRL_ATTR_MCAST_GRP_NAME]);
		if (!name || !attr_u32(attrs[CTRL_ATTR_MCAST_GRP_ID], &group->id))
			return -EBADMSG;
		snprintf(group->name, sizeof(group->name), "%s", name);
		client->n_groups++;
	}
	return 0;
}

static int read_family(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attrs[CTRL_ATTR_MAX + 1];
	struct sf_client *client = arg;

	if (sf_message_attrs(nlh, attrs, CTRL_ATTR_MAX) ||
	    !attrs[CTRL_ATTR_FAMILY_ID] ||
	    mnl_attr_validate(attrs[CTRL_ATTR_FAMILY_ID], MNL_TYPE_U16) < 0)
		return -EBADMSG;

	client->family = mnl_attr_get_u16(attrs[CTRL_ATTR_FAMILY_ID]);
	if (attrs[CTRL_ATTR_MCAST_GROUPS])
		return read_groups(client, attrs[CTRL_ATTR_MCAST_GROUPS]);
	return 0;
}

static int resolve_family(struct sf_client *client)
{
	struct exchange x = { .client = client, .fn = read_family, .arg = client };
	struct sf_request req;
	int err;

	sf_request_init(&req, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(&req.nlh, CTRL_ATTR_FAMILY_NAME, SCALEFABRIC_FAMILY_NAME);
	err = exchange(&x, &req.nlh, GENL_ID_CTRL, NLM_F_ACK);
	if (err)
		return err;
	return client->family ? 0 : -EBADMSG;
}

int sf_client_open(struct sf_client **client)
{
	struct sf_client *c;
	int err;

	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;

	c->buf = malloc(BUFFER_SIZE);
	err = c->buf ? sf_transport_open(&c->transport) : -ENOMEM;
	if (!err)
		err = resolve_family(c);
	if (err) {
		sf_client_close(c);
		c = NULL;
	}
	*client = c;
	return err;
}

void sf_client_close(struct sf_client *client)
{
	if (!client)
		return;
	if (client->transport)
		sf_transport_close(client->transport);
	free(client->buf);
	free(client);
}

const struct sf_error *sf_client_error(const struct sf_client *client)
{
	return &client->error;
}

void sf_request_init(struct sf_request *req, uint8_t cmd)
{
	struct genlmsghdr *genl;

	/* libmnl does not clear what it skips to align attributes. */
	memset(req, 0, sizeof(*req));
	mnl_nlmsg_put_header(req->buf);
	genl = mnl_nlmsg_put_extra_header(&req->nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = SCALEFABRIC_FAMILY_VERSION;
}

int sf_client_do(struct sf_client *client, struct sf_request *req,
		 sf_message_fn fn, void *arg)
{
	struct exchange x = { .client = client, .fn = fn, .arg = arg };

	return exchange(&x, &req->nlh, client->family, NLM_F_ACK);
}

static int store_message(const struct nlmsghdr *nlh, void *arg)
{
	struct store *store = arg;
	size_t len = MNL_ALIGN(nlh->nlmsg_len), size;
	char *buf;

	if (store->len + len > store->size) {
		size = 2 * store->size + BUFFER_SIZE;
		buf = realloc(store->buf, size);
		if (!buf)
			return -ENOMEM;
		store->buf = buf;
		store->size = size;
	}
	memcpy(store->buf + store->len, nlh, nlh->nlmsg_len);
	store->len += len;
	return 0;
}

static int deliver_store(struct sf_client *client, const struct store *store,
			 sf_message_fn fn, void *arg)
{
	const struct nlmsghdr *nlh;
	size_t pos;
	int err;

	for (pos = 0; pos < store->len; pos += MNL_ALIGN(nlh->nlmsg_len)) {
		nlh = (const void *)(store->buf + pos);
		err = deliver(client, nlh, fn, arg);
		if (err)
			return err;
	}
	return 0;
}

int sf_client_dump(struct sf_client *client, struct sf_request *req,
		   sf_message_fn fn, void *arg)
{
	struct store store = { 0 };
	struct exchange x = { .client = client, .fn = store_message, .arg = &store };
	int err, tries = 0;

	do {
		store.len = 0;
		err = exchange(&x, &req->nlh, client->family, NLM_F_DUMP);
	} while (!err && x.interrupted && ++tries < DUMP_TRIES);

	if (!err)
		err = deliver_store(client, &store, fn, arg);
	free(store.buf);
	return err ? err : x.interrupted;
}

int sf_client_join(struct sf_client *client, const char *group)
{
	int err = -ENOENT;

	for (size_t i = 0; i < client->n_groups; i++)
		if (!strcmp(client->groups[i].name, group))
			err = sf_transport_join(client->transport, client->groups[i].id);
	/* Generic netlink tells there when a family goes. */
	if (!err)
		err = sf_transport_join(client->transport, GENL_ID_CTRL);
	return err ? fail(client, err, "cannot join group %s", group) : 0;
}

int sf_client_fd(const struct sf_client *client)
{
	return sf_transport_fd(client->transport);
}

static bool is_farewell(const struct sf_client *client, const struct nlmsghdr *nlh)
{
	const struct nlattr *attrs[CTRL_ATTR_MAX + 1];
	const struct nlattr *id;

	if (nlh->nlmsg_type != GENL_ID_CTRL || mnl_nlmsg_get_payload_len(nlh) < GENL_HDRLEN ||
	    sf_message_cmd(nlh) != CTRL_CMD_DELFAMILY ||
	    sf_message_attrs(nlh, attrs, CTRL_ATTR_MAX))
		return false;
	id = attrs[CTRL_ATTR_FAMILY_ID];
	return id && !mnl_attr_validate(id, MNL_TYPE_U16) &&
	       mnl_attr_get_u16(id) == client->family;
}

int sf_client_listen(struct sf_client *client, sf_message_fn fn, void *arg)
{
	const struct nlmsghdr *nlh = (const void *)client->buf;
	int left, err;

	left = sf_transport_recv(client->transport, client->buf, BUFFER_SIZE);
	if (left < 0)
		return fail(client, left, "cannot receive");

	for (; message_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
		if (is_farewell(client, nlh))
			return fail(client, -ENODEV, "the module was unloaded");
		if (nlh->nlmsg_type != client->family)
			continue;
		if (mnl_nlmsg_get_payload_len(nlh) < GENL_HDRLEN)
			return fail_malformed(client);
		err = deliver(client, nlh, fn, arg);
		if (err)
			return err;
	}
	return left > 0 ? fail_malformed(client) : 0;
}

uint64_t sf_client_time(const struct sf_client *client)
{
	return sf_transport_time(client->transport);
}

uint8_t sf_message_cmd(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);

	return genl->cmd;
}

int sf_message_attrs(const struct nlmsghdr *nlh, const struct nlattr **attrs,
		     uint16_t max)
{
	return attrs_parse(mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN),
			   mnl_nlmsg_get_payload_len(nlh) - GENL_HDRLEN, attrs, max);
}

/* SPDX-License-Identifier: GPL-2.0 */
/* scaleFabric - what the netlink handlers share, for netlink*.c only */
#ifndef _SF_NETLINK_MSG_H
#define _SF_NETLINK_MSG_H

#include <net/genetlink.h>
#include <uapi/linux/scalefabric.h>

struct sf_device;
struct sf_notice;
struct sf_qp_info;

extern struct genl_family sf_nl_family;

/**
 * struct sf_nl_dev_ref - how a request names a device
 * @index: attribute with the index, or NULL
 * @name: attribute with the name, or NULL
 */
struct sf_nl_dev_ref {
	const struct nlattr *index;
	const struct nlattr *name;
};

/* The first device from @index on that @net may see, with a use; or NULL. */
struct sf_device *sf_nl_dev_next(const struct net *net, u32 index,
				 const struct sf_nl_dev_ref *ref);

/* The one device that a request names, with a use, or an error pointer. */
struct sf_device *sf_nl_dev_get(struct genl_info *info,
				const struct sf_nl_dev_ref *ref);

/* Like sf_nl_dev_get(), for a caller who wants to change something. */
struct sf_device *sf_nl_dev_get_admin(struct sk_buff *skb,
				      struct genl_info *info,
				      const struct sf_nl_dev_ref *ref);

/* Whom a message is for: a reply, a part of a dump, or (all 0) listeners. */
struct sf_nl_to {
	u32 portid;
	u32 seq;
	int flags;
};

struct sf_nl_to sf_nl_to_reply(const struct genl_info *info);
struct sf_nl_to sf_nl_to_dump(const struct netlink_callback *cb);

/* Begin a message; NULL when it does not fit. */
void *sf_nl_put(struct sk_buff *msg, const struct sf_nl_to *to, u8 cmd);

/* End it, or take it back when @err. Return: @err. */
int sf_nl_end(struct sk_buff *msg, void *hdr, int err);

/* Attributes by which all messages about a QP tell which one it is. */
int sf_nl_put_qp_name(struct sk_buff *msg, const struct sf_device *sdev,
		      const struct sf_qp_info *qp);
/*
 * Its owner; @pid as the receiver's namespace sees it, 0 = not at all, and then only
 * the @host learns the name too.
 */
int sf_nl_put_qp_owner(struct sk_buff *msg, const struct sf_qp_info *qp,
		       pid_t pid, bool host);
/* State, port and lane. */
int sf_nl_put_qp_place(struct sk_buff *msg, struct sf_device *sdev,
		       const struct sf_qp_info *qp);
/* Peer, GIDs. */
int sf_nl_put_qp_peer(struct sk_buff *msg, const struct sf_qp_info *qp);
/* Flow label and what follows from it, path MTU. */
int sf_nl_put_qp_path(struct sk_buff *msg, struct sf_device *sdev,
		      const struct sf_qp_info *qp);
/* A lane with its name. */
int sf_nl_put_qp_lane(struct sk_buff *msg, struct sf_device *sdev, u8 lane);

int __must_check sf_nl_notify_init(void);
void sf_nl_notify_exit(void);

#endif /* _SF_NETLINK_MSG_H */

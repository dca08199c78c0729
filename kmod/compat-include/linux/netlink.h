/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SF_COMPAT_LINUX_NETLINK_H
#define _SF_COMPAT_LINUX_NETLINK_H

#include <linux/version.h>
#include_next <linux/netlink.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#include <linux/atomic.h>
#include <linux/kernel.h>

/*
 * Until 6.3 an extended ACK keeps a pointer only, so a formatted message needs
 * memory that outlives the handler: the ACK is built after it, by genl_rcv() and
 * so before the family can be unregistered. A ring of buffers is long enough that
 * none is written again while its message waits for the few instructions to the
 * ACK; if ever it were, the text (still terminated) would be another request's.
 */
#define SF_COMPAT_MSG_BUFS 64
#define SF_COMPAT_MSG_LEN 160

struct sf_compat_msgs {
	atomic_t next;
	char buf[SF_COMPAT_MSG_BUFS][SF_COMPAT_MSG_LEN];
};

#define NL_SET_ERR_MSG_FMT(extack, fmt, args...) do {			\
	static struct sf_compat_msgs __msgs;				\
	unsigned int __i = atomic_inc_return(&__msgs.next);		\
	char *__buf = __msgs.buf[__i % SF_COMPAT_MSG_BUFS];		\
									\
	scnprintf(__buf, SF_COMPAT_MSG_LEN, fmt, ##args);		\
	if (extack)							\
		(extack)->_msg = __buf;					\
} while (0)

#define NL_SET_ERR_MSG_ATTR_FMT(extack, attr, fmt, args...) do {	\
	NL_SET_ERR_MSG_FMT(extack, fmt, ##args);			\
	NL_SET_BAD_ATTR(extack, attr);					\
} while (0)
#endif

#endif /* _SF_COMPAT_LINUX_NETLINK_H */

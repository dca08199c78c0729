/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SF_COMPAT_NET_GENETLINK_H
#define _SF_COMPAT_NET_GENETLINK_H

#include <linux/version.h>
#include_next <net/genetlink.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
/* Since 6.6 a dump's attributes are in a struct genl_info of its own. */
static inline const struct genl_dumpit_info *
genl_info_dump(struct netlink_callback *cb)
{
	return genl_dumpit_info(cb);
}
#endif

#endif /* _SF_COMPAT_NET_GENETLINK_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* scaleFabric - the generic netlink family, see Documentation/netlink/specs */
#ifndef _SF_NETLINK_H
#define _SF_NETLINK_H

int __must_check sf_netlink_init(void);
void sf_netlink_exit(void);

#endif /* _SF_NETLINK_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SF_COMPAT_LINUX_TRACEPOINT_H
#define _SF_COMPAT_LINUX_TRACEPOINT_H

#include <linux/version.h>
#include_next <linux/tracepoint.h>

/* Since 6.10 __string() remembers its source. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define sf_assign_str(dst, src) __assign_str(dst, src)
#else
#define sf_assign_str(dst, src) __assign_str(dst)
#endif

#endif /* _SF_COMPAT_LINUX_TRACEPOINT_H */

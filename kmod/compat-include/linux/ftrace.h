/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SF_COMPAT_LINUX_FTRACE_H
#define _SF_COMPAT_LINUX_FTRACE_H

#include <linux/version.h>
#include_next <linux/ftrace.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define ftrace_regs_get_argument(fregs, n) \
	regs_get_kernel_argument(&(fregs)->regs, n)
#endif

#endif /* _SF_COMPAT_LINUX_FTRACE_H */

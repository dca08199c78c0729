/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SF_COMPAT_KUNIT_STATIC_STUB_H
#define _SF_COMPAT_KUNIT_STATIC_STUB_H

/* Since 6.3; without our own tests nothing of it shall be left in the module. */
#ifdef CONFIG_SCALEFABRIC_KUNIT_TEST
#include_next <kunit/static_stub.h>
#else
#define KUNIT_STATIC_STUB_REDIRECT(real_fn_name, args...) do {} while (0)
#endif

#endif /* _SF_COMPAT_KUNIT_STATIC_STUB_H */

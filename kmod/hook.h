/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scaleFabric - probes on ib_core
 *
 * They only watch. What they see goes to event.h.
 */
#ifndef _SF_HOOK_H
#define _SF_HOOK_H

int __must_check sf_hook_init(void);
void sf_hook_exit(void);

#endif /* _SF_HOOK_H */

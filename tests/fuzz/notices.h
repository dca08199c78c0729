/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * A listener to all that the family tells unasked. It reads too slowly on purpose:
 * when much happens its socket overflows, which must harm nobody.
 */

#ifndef SF_FUZZ_NOTICES_H
#define SF_FUZZ_NOTICES_H

#include "family.h"

void notices_open(const struct family *family);

/* Look at some of those that came. */
void notices_read(void);

void notices_close(void);

#endif /* SF_FUZZ_NOTICES_H */

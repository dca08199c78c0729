/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Values that were seen in the family's replies, by set and type: names of
 * devices, numbers of QPs, and so on. What is made of them gets far.
 */

#ifndef SF_FUZZ_POOL_H
#define SF_FUZZ_POOL_H

#include <libmnl/libmnl.h>

#include "spec.h"

#define POOL_VALUE_MAX	64

struct pool_value {
	uint8_t len;
	uint8_t bytes[POOL_VALUE_MAX];
};

/* Keep the values of a reply; the oldest ones make room. */
void pool_feed(const struct spec_set *set, const struct nlmsghdr *nlh);

/* One of the values, @pick chooses; NULL if none was seen. */
const struct pool_value *pool_take(const struct spec_set *set, uint16_t type, uint64_t pick);

#endif /* SF_FUZZ_POOL_H */

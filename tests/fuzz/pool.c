// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include <linux/genetlink.h>
#include <string.h>

#include "../prog/common.h"
#include "pool.h"

#define SETS_MAX	16
/* As many QPs as live at a time under a test's load. */
#define VALUES_MAX	32

struct values {
	unsigned int n, next;
	struct pool_value value[VALUES_MAX];
};

static struct {
	const struct spec_set *set;
	struct values *values[SPEC_TYPES];
} pools[SETS_MAX];

static struct values *values_of(const struct spec_set *set, uint16_t type)
{
	unsigned int i;

	for (i = 0; i < SETS_MAX - 1 && pools[i].set && pools[i].set != set; i++)
		;
	pools[i].set = set;
	if (!pools[i].values[type])
		pools[i].values[type] = zalloc(sizeof(struct values));
	return pools[i].values[type];
}

static bool known(const struct values *values, const void *bytes, size_t len)
{
	unsigned int i;

	for (i = 0; i < values->n; i++)
		if (values->value[i].len == len && !memcmp(values->value[i].bytes, bytes, len))
			return true;
	return false;
}

static void keep(struct values *values, const struct nlattr *attr)
{
	size_t len = mnl_attr_get_payload_len(attr);
	struct pool_value *value;

	if (len > POOL_VALUE_MAX || known(values, mnl_attr_get_payload(attr), len))
		return;
	value = &values->value[values->next];
	values->next = (values->next + 1) % VALUES_MAX;
	if (values->n < VALUES_MAX)
		values->n++;
	value->len = len;
	memcpy(value->bytes, mnl_attr_get_payload(attr), len);
}

void pool_feed(const struct spec_set *set, const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;
	uint16_t type;

	mnl_attr_for_each(attr, nlh, GENL_HDRLEN) {
		type = mnl_attr_get_type(attr);
		if (type && type <= set->max)
			keep(values_of(set, type), attr);
	}
}

const struct pool_value *pool_take(const struct spec_set *set, uint16_t type, uint64_t pick)
{
	const struct values *values = values_of(set, type);

	return values->n ? &values->value[pick % values->n] : NULL;
}

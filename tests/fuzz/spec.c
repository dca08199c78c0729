// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * How to find one's way in the table, and what the specification tells in words
 * only.
 */

#include <linux/scalefabric.h>

#include "spec.h"

const struct spec_cmd *spec_find(uint8_t cmd)
{
	unsigned int i;

	for (i = 0; i < n_spec_cmds; i++)
		if (spec_cmds[i].cmd == cmd)
			return &spec_cmds[i];
	return NULL;
}

const struct spec_attr *spec_attr(const struct spec_set *set, uint16_t type)
{
	return type && type <= set->max ? &set->attrs[type] : NULL;
}

bool spec_lists(const uint16_t *list, uint16_t type)
{
	for (; list && *list; list++)
		if (*list == type)
			return true;
	return false;
}

size_t spec_size(enum spec_kind kind)
{
	switch (kind) {
	case SPEC_U8:
		return sizeof(uint8_t);
	case SPEC_U16:
		return sizeof(uint16_t);
	case SPEC_U32:
		return sizeof(uint32_t);
	case SPEC_U64:
		return sizeof(uint64_t);
	default:
		return 0;
	}
}

#define DEV_OF_DEV	{ SCALEFABRIC_A_DEV_INDEX, SCALEFABRIC_A_DEV_NAME }
#define DEV_OF_LANE	{ SCALEFABRIC_A_LANE_DEV_INDEX, SCALEFABRIC_A_LANE_DEV_NAME }
#define DEV_OF_QP	{ SCALEFABRIC_A_QP_DEV_INDEX, SCALEFABRIC_A_QP_DEV_NAME }
#define SETTINGS	{ SCALEFABRIC_A_DEV_MODE, SCALEFABRIC_A_DEV_DRAIN_TIMEOUT }
#define TARGETS		{ SCALEFABRIC_A_QP_LANE, SCALEFABRIC_A_QP_FLOW_LABEL }

const struct spec_need spec_needs[] = {
	{ SCALEFABRIC_CMD_DEV_GET, DEV_OF_DEV, false },
	{ SCALEFABRIC_CMD_DEV_SET, DEV_OF_DEV, false },
	{ SCALEFABRIC_CMD_DEV_SET, SETTINGS, false },
	{ SCALEFABRIC_CMD_LANE_GET, DEV_OF_LANE, false },
	{ SCALEFABRIC_CMD_LANE_GET, { SCALEFABRIC_A_LANE_ID }, false },
	{ SCALEFABRIC_CMD_QP_GET, DEV_OF_QP, false },
	{ SCALEFABRIC_CMD_QP_GET, { SCALEFABRIC_A_QP_LQPN }, false },
	{ SCALEFABRIC_CMD_QP_REBIND, DEV_OF_QP, false },
	{ SCALEFABRIC_CMD_QP_REBIND, { SCALEFABRIC_A_QP_LQPN }, false },
	{ SCALEFABRIC_CMD_QP_REBIND, TARGETS, true },
};

const unsigned int n_spec_needs = sizeof(spec_needs) / sizeof(*spec_needs);

const struct spec_bound spec_bounds[] = {
	{ SCALEFABRIC_CMD_QP_REBIND, SCALEFABRIC_A_QP_FLOW_LABEL, SCALEFABRIC_FLOW_LABEL_MAX },
	/* A QP number has 24 bits: there is no QP beyond. */
	{ SCALEFABRIC_CMD_QP_GET, SCALEFABRIC_A_QP_LQPN, 0xffffff },
	{ SCALEFABRIC_CMD_QP_REBIND, SCALEFABRIC_A_QP_LQPN, 0xffffff },
};

const unsigned int n_spec_bounds = sizeof(spec_bounds) / sizeof(*spec_bounds);

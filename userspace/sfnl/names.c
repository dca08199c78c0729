// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The words of the contract's enums. QP types and states are spelled as rdma(8)
 * spells them, all else as the netlink specification does.
 */

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <linux/scalefabric.h>

#include "names.h"

#define NAMES(array)	{ .name = (array), .n = sizeof(array) / sizeof(*(array)) }

static const char *const device_mode_name[] = {
	[SCALEFABRIC_DEVICE_MODE_OBSERVE] = "observe",
	[SCALEFABRIC_DEVICE_MODE_BALANCE] = "balance",
};

const struct names device_modes = NAMES(device_mode_name);

static const char *const lane_state_name[] = {
	[SCALEFABRIC_LANE_STATE_UP] = "up",
	[SCALEFABRIC_LANE_STATE_DOWN] = "down",
	[SCALEFABRIC_LANE_STATE_ABSENT] = "absent",
};

const struct names lane_states = NAMES(lane_state_name);

static const char *const link_layer_name[] = {
	[SCALEFABRIC_LINK_LAYER_UNKNOWN] = "unknown",
	[SCALEFABRIC_LINK_LAYER_INFINIBAND] = "infiniband",
	[SCALEFABRIC_LINK_LAYER_ETHERNET] = "ethernet",
};

const struct names link_layers = NAMES(link_layer_name);

static const char *const qp_type_name[] = {
	[SCALEFABRIC_QP_TYPE_SMI] = "SMI",
	[SCALEFABRIC_QP_TYPE_GSI] = "GSI",
	[SCALEFABRIC_QP_TYPE_RC] = "RC",
	[SCALEFABRIC_QP_TYPE_UC] = "UC",
	[SCALEFABRIC_QP_TYPE_UD] = "UD",
	[SCALEFABRIC_QP_TYPE_RAW_PACKET] = "RAW_PACKET",
	[SCALEFABRIC_QP_TYPE_XRC_INI] = "XRC_INI",
	[SCALEFABRIC_QP_TYPE_XRC_TGT] = "XRC_TGT",
	[SCALEFABRIC_QP_TYPE_DRIVER] = "DRIVER",
	[SCALEFABRIC_QP_TYPE_OTHER] = "OTHER",
};

const struct names qp_types = NAMES(qp_type_name);

static const char *const qp_state_name[] = {
	[SCALEFABRIC_QP_STATE_RESET] = "RESET",
	[SCALEFABRIC_QP_STATE_INIT] = "INIT",
	[SCALEFABRIC_QP_STATE_RTR] = "RTR",
	[SCALEFABRIC_QP_STATE_RTS] = "RTS",
	[SCALEFABRIC_QP_STATE_SQD] = "SQD",
	[SCALEFABRIC_QP_STATE_SQE] = "SQE",
	[SCALEFABRIC_QP_STATE_ERR] = "ERR",
};

const struct names qp_states = NAMES(qp_state_name);

static const char *const qp_event_name[] = {
	[SCALEFABRIC_QP_EVENT_FATAL] = "fatal",
	[SCALEFABRIC_QP_EVENT_REQ_ERR] = "req-err",
	[SCALEFABRIC_QP_EVENT_ACCESS_ERR] = "access-err",
	[SCALEFABRIC_QP_EVENT_COMM_EST] = "comm-est",
	[SCALEFABRIC_QP_EVENT_SQ_DRAINED] = "sq-drained",
	[SCALEFABRIC_QP_EVENT_PATH_MIG] = "path-mig",
	[SCALEFABRIC_QP_EVENT_PATH_MIG_ERR] = "path-mig-err",
	[SCALEFABRIC_QP_EVENT_LAST_WQE_REACHED] = "last-wqe-reached",
};

const struct names qp_events = NAMES(qp_event_name);

static const char *const qp_change_name[] = {
	[SCALEFABRIC_QP_CHANGE_CREATED] = "created",
	[SCALEFABRIC_QP_CHANGE_MODIFIED] = "modified",
	[SCALEFABRIC_QP_CHANGE_DESTROYED] = "destroyed",
};

const struct names qp_changes = NAMES(qp_change_name);

static const char *const rebind_result_name[] = {
	[SCALEFABRIC_REBIND_RESULT_MOVED] = "moved",
	[SCALEFABRIC_REBIND_RESULT_UNCHANGED] = "unchanged",
	[SCALEFABRIC_REBIND_RESULT_NO_STRATEGY] = "no-strategy",
	[SCALEFABRIC_REBIND_RESULT_LANE_DOWN] = "lane-down",
	[SCALEFABRIC_REBIND_RESULT_NO_LABEL] = "no-label",
	[SCALEFABRIC_REBIND_RESULT_NOT_RTS] = "not-rts",
	[SCALEFABRIC_REBIND_RESULT_DRAIN_TIMEOUT] = "drain-timeout",
	[SCALEFABRIC_REBIND_RESULT_OWNER] = "owner",
	[SCALEFABRIC_REBIND_RESULT_DRIVER_ERROR] = "driver-error",
	[SCALEFABRIC_REBIND_RESULT_STUCK] = "stuck",
};

const struct names rebind_results = NAMES(rebind_result_name);

/* RC, rc; RAW_PACKET, raw-packet: rdma(8) and the specification differ. */
static char fold(char c)
{
	return c == '-' ? '_' : tolower((unsigned char)c);
}

static bool starts_with(const char *name, const char *word)
{
	while (*word && fold(*name) == fold(*word))
		name++, word++;
	return !*word;
}

int names_find(const struct names *names, const char *word)
{
	int found = NAME_UNKNOWN;

	if (!*word)
		return NAME_UNKNOWN;

	for (size_t i = 0; i < names->n; i++) {
		if (!starts_with(names->name[i], word))
			continue;
		if (strlen(names->name[i]) == strlen(word))
			return i;
		found = found == NAME_UNKNOWN ? (int)i : NAME_AMBIGUOUS;
	}
	return found;
}

const char *names_list(const struct names *names, const char *prefix, char *buf, size_t size)
{
	size_t left = 0, len = 0;

	for (size_t i = 0; i < names->n; i++)
		left += starts_with(names->name[i], prefix);

	buf[0] = '\0';
	for (size_t i = 0; i < names->n && len < size; i++) {
		if (!starts_with(names->name[i], prefix))
			continue;
		left--;
		len += snprintf(buf + len, size - len, "%s%s", names->name[i],
				left == 0 ? "" : left == 1 ? " or " : ", ");
	}
	return buf;
}

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The attributes of a QP, as qp and monitor show them.
 */

#include <inttypes.h>

#include "sfnl.h"

static void text_link(FILE *file, const struct record *rec, uint16_t attr)
{
	link_text(file, rec, attr, SCALEFABRIC_A_QP_PORT);
}

/* 1 (plane1), or 0 -> 1 (plane1) */
static void text_lane(FILE *file, const struct record *rec, uint16_t attr)
{
	uint64_t lane = record_number(rec, attr);

	if (rec->attrs[SCALEFABRIC_A_QP_OLD_LANE] &&
	    record_number(rec, SCALEFABRIC_A_QP_OLD_LANE) != lane)
		fprintf(file, "%" PRIu64 " -> ", record_number(rec, SCALEFABRIC_A_QP_OLD_LANE));
	fprintf(file, "%" PRIu64, lane);
	if (rec->attrs[SCALEFABRIC_A_QP_LANE_NAME]) {
		fputs(" (", file);
		string_text(file, rec, SCALEFABRIC_A_QP_LANE_NAME);
		fputc(')', file);
	}
}

static void text_flow_label(FILE *file, const struct record *rec, uint16_t attr)
{
	uint64_t label = record_number(rec, attr);

	if (rec->attrs[SCALEFABRIC_A_QP_OLD_FLOW_LABEL] &&
	    record_number(rec, SCALEFABRIC_A_QP_OLD_FLOW_LABEL) != label)
		fprintf(file, "0x%05" PRIx64 " -> ",
			record_number(rec, SCALEFABRIC_A_QP_OLD_FLOW_LABEL));
	fprintf(file, "0x%05" PRIx64, label);
}

static void text_comm(FILE *file, const struct record *rec, uint16_t attr)
{
	bool kernel = rec->attrs[SCALEFABRIC_A_QP_KERNEL];

	if (kernel)
		fputc('[', file);
	string_text(file, rec, attr);
	if (kernel)
		fputc(']', file);
}

static void text_microseconds(FILE *file, const struct record *rec, uint16_t attr)
{
	uint64_t ns = record_number(rec, attr);

	fprintf(file, "%" PRIu64 ".%" PRIu64, ns / 1000, ns % 1000 / 100);
}

/* Each type of event that happened has an attribute of its own. */
static bool event_parse(const struct nlattr *attr, const struct nlattr **parts)
{
	const struct nlattr *part;

	parts[SCALEFABRIC_A_EVENT_COUNT_EVENT] = NULL;
	parts[SCALEFABRIC_A_EVENT_COUNT_COUNT] = NULL;
	mnl_attr_for_each_nested(part, attr)
		if (mnl_attr_get_type(part) <= SCALEFABRIC_A_EVENT_COUNT_COUNT)
			parts[mnl_attr_get_type(part)] = part;

	return parts[SCALEFABRIC_A_EVENT_COUNT_EVENT] &&
	       parts[SCALEFABRIC_A_EVENT_COUNT_COUNT] &&
	       !mnl_attr_validate(parts[SCALEFABRIC_A_EVENT_COUNT_EVENT], MNL_TYPE_U8) &&
	       !mnl_attr_validate(parts[SCALEFABRIC_A_EVENT_COUNT_COUNT], MNL_TYPE_U32);
}

static bool event_valid(const struct nlattr *attr)
{
	const struct nlattr *parts[SCALEFABRIC_A_EVENT_COUNT_MAX + 1];

	return event_parse(attr, parts);
}

static const char *event_read(const struct nlattr *attr, char *buf, size_t size, uint32_t *count)
{
	const struct nlattr *parts[SCALEFABRIC_A_EVENT_COUNT_MAX + 1];

	event_parse(attr, parts);
	*count = mnl_attr_get_u32(parts[SCALEFABRIC_A_EVENT_COUNT_COUNT]);
	return name_of(&qp_events, mnl_attr_get_u8(parts[SCALEFABRIC_A_EVENT_COUNT_EVENT]),
		       buf, size);
}

static void text_events(FILE *file, const struct record *rec, uint16_t type)
{
	const struct nlattr *attr;
	const char *sep = "";
	char buf[VALUE_MAX];
	uint32_t count;

	mnl_attr_for_each(attr, rec->nlh, GENL_HDRLEN) {
		if (mnl_attr_get_type(attr) != type)
			continue;
		fprintf(file, "%s%s ", sep, event_read(attr, buf, sizeof(buf), &count));
		fprintf(file, "%" PRIu32, count);
		sep = ", ";
	}
}

static json_t *json_events(const struct record *rec, uint16_t type)
{
	json_t *events = json_object();
	const struct nlattr *attr;
	char buf[VALUE_MAX];
	const char *name;
	uint32_t count;

	mnl_attr_for_each(attr, rec->nlh, GENL_HDRLEN) {
		if (mnl_attr_get_type(attr) != type)
			continue;
		name = event_read(attr, buf, sizeof(buf), &count);
		if (json_object_set_new(events, name, json_integer(count))) {
			json_decref(events);
			return NULL;
		}
	}
	return events;
}

static const struct format format_link = {
	.type = MNL_TYPE_NUL_STRING, .text = text_link, .json = string_json,
};

static const struct format format_lane = {
	.type = MNL_TYPE_U32, .text = text_lane, .json = number_json,
};

static const struct format format_flow_label = {
	.type = MNL_TYPE_U32, .text = text_flow_label, .json = number_json,
};

static const struct format format_comm = {
	.type = MNL_TYPE_NUL_STRING, .text = text_comm, .json = string_json,
};

static const struct format format_microseconds = {
	.type = MNL_TYPE_U64, .text = text_microseconds, .json = number_json,
};

static const struct format format_events = {
	.type = MNL_TYPE_NESTED, .valid = event_valid,
	.text = text_events, .json = json_events,
};

static const struct field qp_fields[] = {
	[SCALEFABRIC_A_QP_DEV_INDEX] = {
		.key = "ifindex", .format = &format_u32,
	},
	[SCALEFABRIC_A_QP_DEV_NAME] = {
		.word = "link", .key = "ifname", .format = &format_link,
	},
	[SCALEFABRIC_A_QP_LQPN] = {
		.word = "lqpn", .key = "lqpn", .format = &format_u32,
	},
	[SCALEFABRIC_A_QP_RQPN] = {
		.word = "rqpn", .key = "rqpn", .format = &format_u32,
	},
	[SCALEFABRIC_A_QP_TYPE] = {
		.word = "type", .key = "type", .format = &format_name, .names = &qp_types,
	},
	[SCALEFABRIC_A_QP_STATE] = {
		.word = "state", .key = "state", .format = &format_name, .names = &qp_states,
	},
	[SCALEFABRIC_A_QP_PORT] = {
		.key = "port", .format = &format_u32,
	},
	[SCALEFABRIC_A_QP_LANE] = {
		.word = "lane", .key = "lane", .format = &format_lane,
	},
	[SCALEFABRIC_A_QP_LANE_NAME] = {
		.key = "lane-name", .format = &format_string,
	},
	[SCALEFABRIC_A_QP_SGID_INDEX] = {
		.word = "sgid-index", .key = "sgid-index", .format = &format_u32,
	},
	[SCALEFABRIC_A_QP_SGID] = {
		.word = "sgid", .key = "sgid", .format = &format_gid,
	},
	[SCALEFABRIC_A_QP_DGID] = {
		.word = "dgid", .key = "dgid", .format = &format_gid,
	},
	[SCALEFABRIC_A_QP_DLID] = {
		.word = "dlid", .key = "dlid", .format = &format_u32,
	},
	[SCALEFABRIC_A_QP_FLOW_LABEL] = {
		.word = "flow-label", .key = "flow-label", .format = &format_flow_label,
	},
	[SCALEFABRIC_A_QP_UDP_SPORT] = {
		.word = "sport", .key = "udp-sport", .format = &format_u32,
	},
	[SCALEFABRIC_A_QP_PATH_MTU] = {
		.word = "mtu", .key = "path-mtu", .format = &format_u32,
	},
	[SCALEFABRIC_A_QP_PID] = {
		.word = "pid", .key = "pid", .format = &format_u32,
	},
	[SCALEFABRIC_A_QP_COMM] = {
		.word = "comm", .key = "comm", .format = &format_comm,
	},
	[SCALEFABRIC_A_QP_KERNEL] = {
		.key = "kernel", .format = &format_flag,
	},
	[SCALEFABRIC_A_QP_CREATE_TIME] = {
		.word = "created", .key = "create-time", .format = &format_time,
	},
	[SCALEFABRIC_A_QP_MODIFIES] = {
		.word = "modifies", .key = "modifies", .format = &format_u32,
	},
	[SCALEFABRIC_A_QP_REBINDS] = {
		.word = "rebinds", .key = "rebinds", .format = &format_u32,
	},
	[SCALEFABRIC_A_QP_EVENTS] = {
		.word = "events", .key = "events", .format = &format_events,
	},
	[SCALEFABRIC_A_QP_EVENT] = {
		.word = "event", .key = "event", .format = &format_name, .names = &qp_events,
	},
	[SCALEFABRIC_A_QP_EVENT_TIME] = {
		.word = "event-time", .key = "event-time", .format = &format_time,
	},
	[SCALEFABRIC_A_QP_LOST] = {
		.key = "lost", .format = &format_u64,
	},
	[SCALEFABRIC_A_QP_CHANGE] = {
		.word = "qp", .key = "change", .format = &format_name, .names = &qp_changes,
	},
	[SCALEFABRIC_A_QP_RESULT] = {
		.word = "rebind", .key = "result", .format = &format_name, .names = &rebind_results,
	},
	[SCALEFABRIC_A_QP_OLD_LANE] = {
		.key = "old-lane", .format = &format_u32,
	},
	[SCALEFABRIC_A_QP_OLD_FLOW_LABEL] = {
		.key = "old-flow-label", .format = &format_u32,
	},
	[SCALEFABRIC_A_QP_WINDOW] = {
		.word = "window", .key = "window", .format = &format_microseconds, .unit = "us",
	},
};

const struct table qp_table = {
	.fields = qp_fields, .max = SCALEFABRIC_A_QP_WINDOW,
};

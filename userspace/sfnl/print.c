// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * From netlink attributes to text and JSON.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../lib/client.h"
#include "print.h"

#define NSEC_PER_SEC	UINT64_C(1000000000)

static uint64_t number(const struct nlattr *attr)
{
	switch (mnl_attr_get_payload_len(attr)) {
	case sizeof(uint8_t):
		return mnl_attr_get_u8(attr);
	case sizeof(uint32_t):
		return mnl_attr_get_u32(attr);
	default:
		return mnl_attr_get_u64(attr);
	}
}

uint64_t record_number(const struct record *rec, uint16_t attr)
{
	return number(rec->attrs[attr]);
}

const char *record_string(const struct record *rec, uint16_t attr)
{
	return mnl_attr_get_str(rec->attrs[attr]);
}

const char *name_of(const struct names *names, uint64_t value, char *buf, size_t size)
{
	if (value < names->n)
		return names->name[value];
	snprintf(buf, size, "%" PRIu64, value);
	return buf;
}

void number_text(FILE *file, const struct record *rec, uint16_t attr)
{
	fprintf(file, "%" PRIu64, record_number(rec, attr));
}

json_t *number_json(const struct record *rec, uint16_t attr)
{
	return json_integer(record_number(rec, attr));
}

static void text_name(FILE *file, const struct record *rec, uint16_t attr)
{
	const struct names *names = rec->table->fields[attr].names;
	char buf[VALUE_MAX];

	fputs(name_of(names, record_number(rec, attr), buf, sizeof(buf)), file);
}

static json_t *json_name(const struct record *rec, uint16_t attr)
{
	const struct names *names = rec->table->fields[attr].names;
	char buf[VALUE_MAX];

	return json_string(name_of(names, record_number(rec, attr), buf, sizeof(buf)));
}

void print_escaped(FILE *file, const char *string)
{
	for (const unsigned char *c = (const void *)string; *c; c++)
		fprintf(file, *c < ' ' || *c > '~' || *c == '\\' ? "\\x%02x" : "%c", *c);
}

void string_text(FILE *file, const struct record *rec, uint16_t attr)
{
	print_escaped(file, record_string(rec, attr));
}

/* JSON holds UTF-8 only; what is not is escaped as in text. */
json_t *string_json(const struct record *rec, uint16_t attr)
{
	json_t *value = json_string(record_string(rec, attr));
	char *buf = NULL;
	size_t len;
	FILE *file;

	if (value)
		return value;

	file = open_memstream(&buf, &len);
	if (!file)
		return NULL;
	print_escaped(file, record_string(rec, attr));
	if (!fclose(file))
		value = json_string(buf);
	free(buf);
	return value;
}

void link_text(FILE *file, const struct record *rec, uint16_t name, uint16_t port)
{
	string_text(file, rec, name);
	if (rec->attrs[port])
		fprintf(file, "/%" PRIu64, record_number(rec, port));
}

static void text_flag(FILE *file, const struct record *rec, uint16_t attr)
{
	(void)file;
	(void)rec;
	(void)attr;
}

static json_t *json_flag(const struct record *rec, uint16_t attr)
{
	(void)rec;
	(void)attr;
	return json_true();
}

static const char *gid(const struct record *rec, uint16_t attr, char *buf)
{
	return inet_ntop(AF_INET6, mnl_attr_get_payload(rec->attrs[attr]), buf, VALUE_MAX);
}

static void text_gid(FILE *file, const struct record *rec, uint16_t attr)
{
	char buf[VALUE_MAX];

	fputs(gid(rec, attr, buf), file);
}

static json_t *json_gid(const struct record *rec, uint16_t attr)
{
	char buf[VALUE_MAX];

	return json_string(gid(rec, attr, buf));
}

const char *time_text(uint64_t ns, char *buf, size_t size)
{
	time_t seconds = ns / NSEC_PER_SEC;
	struct tm tm;
	size_t len;

	len = strftime(buf, size, "%Y-%m-%dT%H:%M:%S", localtime_r(&seconds, &tm));
	snprintf(buf + len, size - len, ".%06" PRIu64, ns % NSEC_PER_SEC / 1000);
	return buf;
}

static void text_time(FILE *file, const struct record *rec, uint16_t attr)
{
	char buf[VALUE_MAX];

	fputs(time_text(record_number(rec, attr), buf, sizeof(buf)), file);
}

const struct format format_u32 = {
	.type = MNL_TYPE_U32, .text = number_text, .json = number_json,
};

const struct format format_u64 = {
	.type = MNL_TYPE_U64, .text = number_text, .json = number_json,
};

const struct format format_name = {
	.type = MNL_TYPE_U8, .text = text_name, .json = json_name,
};

const struct format format_string = {
	.type = MNL_TYPE_NUL_STRING, .text = string_text, .json = string_json,
};

const struct format format_flag = {
	.type = MNL_TYPE_FLAG, .text = text_flag, .json = json_flag,
};

const struct format format_gid = {
	.type = MNL_TYPE_BINARY, .size = sizeof(struct in6_addr),
	.text = text_gid, .json = json_gid,
};

const struct format format_time = {
	.type = MNL_TYPE_U64, .text = text_time, .json = number_json,
};

static bool valid(const struct nlattr *attr, const struct format *format)
{
	int err = format->size ? mnl_attr_validate2(attr, format->type, format->size) :
				 mnl_attr_validate(attr, format->type);

	return !err && (!format->valid || format->valid(attr));
}

int record_parse(struct record *rec, const struct table *table, const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;
	uint16_t type;

	rec->table = table;
	rec->nlh = nlh;
	if (sf_message_attrs(nlh, rec->attrs, table->max))
		return -EBADMSG;

	mnl_attr_for_each(attr, nlh, GENL_HDRLEN) {
		type = mnl_attr_get_type(attr);
		if (type <= table->max && table->fields[type].format &&
		    !valid(attr, table->fields[type].format))
			return -EBADMSG;
	}
	return 0;
}

int print_init(struct printer *p)
{
	if (p->json)
		p->list = json_array();
	else
		p->text = open_memstream(&p->buf, &p->len);
	return p->list || p->text ? 0 : -ENOMEM;
}

void print_free(struct printer *p)
{
	json_decref(p->list);
	if (p->text)
		fclose(p->text);
	free(p->buf);
}

void print_begin(struct printer *p)
{
	p->first = true;
	if (!p->json)
		return;
	p->entry = json_object();
	if (json_array_append_new(p->list, p->entry))
		p->failed = true;
}

static void separate(struct printer *p)
{
	if (!p->first)
		fputc(p->brief ? '\t' : ' ', p->text);
	p->first = false;
}

static void add(struct printer *p, const char *key, json_t *value)
{
	if (json_object_set_new(p->entry, key, value))
		p->failed = true;
}

void print_member(struct printer *p, const char *key, json_t *value, const char *fmt, ...)
{
	va_list ap;

	if (p->json) {
		add(p, key, value);
		return;
	}
	json_decref(value);
	if (!fmt)
		return;
	separate(p);
	va_start(ap, fmt);
	vfprintf(p->text, fmt, ap);
	va_end(ap);
}

static void record_json(struct printer *p, const struct record *rec)
{
	const struct field *field = rec->table->fields;

	for (uint16_t attr = 0; attr <= rec->table->max; attr++, field++)
		if (rec->attrs[attr] && field->format)
			add(p, field->key, field->format->json(rec, attr));
}

/* Scripts get what JSON has, so that both agree on units and words. */
static void brief_value(struct printer *p, const struct record *rec, uint16_t attr)
{
	const struct format *format = rec->table->fields[attr].format;
	json_t *value;
	char *dump;

	if (format->type == MNL_TYPE_NUL_STRING) {
		string_text(p->text, rec, attr);
		return;
	}

	value = format->json(rec, attr);
	dump = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	if (!dump)
		p->failed = true;
	else if (json_is_true(value))
		fputs("yes", p->text);
	else
		fputs(json_is_string(value) ? json_string_value(value) : dump, p->text);
	free(dump);
	json_decref(value);
}

static void text_value(struct printer *p, const struct record *rec, const struct column *column)
{
	const struct field *field = &rec->table->fields[column->attr];
	const char *word = column->word ? column->word : field->word;

	if (!word)
		return;
	separate(p);
	if (*word)
		fprintf(p->text, "%s ", word);
	field->format->text(p->text, rec, column->attr);
	if (field->unit)
		fprintf(p->text, " %s", field->unit);
}

static void print_column(struct printer *p, const struct record *rec, const struct column *column)
{
	bool present = rec->attrs[column->attr];

	if (column->detail && !p->details)
		return;

	if (!p->brief) {
		if (present)
			text_value(p, rec, column);
		return;
	}

	separate(p);
	if (present)
		brief_value(p, rec, column->attr);
	else
		fputc('-', p->text);
}

void print_record(struct printer *p, const struct view *view, const struct record *rec)
{
	if (p->json) {
		record_json(p, rec);
		return;
	}
	for (size_t i = 0; i < view->n; i++)
		print_column(p, rec, &view->columns[i]);
}

void print_end(struct printer *p)
{
	if (!p->json)
		fputc('\n', p->text);
}

int print_message(struct printer *p, const struct view *view, const struct nlmsghdr *nlh)
{
	struct record rec;
	int err;

	err = record_parse(&rec, view->table, nlh);
	if (err)
		return err;
	print_begin(p);
	print_record(p, view, &rec);
	print_end(p);
	return 0;
}

static int dump_json(const struct printer *p, const json_t *value)
{
	if (json_dumpf(value, stdout, p->pretty ? JSON_INDENT(4) : JSON_COMPACT) < 0)
		return -EIO;
	return putchar('\n') == EOF ? -EIO : 0;
}

static int flush_json(struct printer *p)
{
	json_t *entry;
	size_t i;
	int err = 0;

	if (p->lines) {
		json_array_foreach(p->list, i, entry)
			err = err ? err : dump_json(p, entry);
	} else {
		err = dump_json(p, p->list);
	}
	json_array_clear(p->list);
	return err;
}

static int flush_text(struct printer *p)
{
	int err = 0;

	if (fflush(p->text))
		return -ENOMEM;
	if (fwrite(p->buf, 1, p->len, stdout) != p->len)
		err = -EIO;
	rewind(p->text);
	return err;
}

int print_flush(struct printer *p)
{
	int err;

	if (p->failed || (p->text && ferror(p->text)))
		return -ENOMEM;

	errno = 0;
	err = p->json ? flush_json(p) : flush_text(p);
	if (fflush(stdout))
		err = -EIO;
	return err && errno ? -errno : err;
}

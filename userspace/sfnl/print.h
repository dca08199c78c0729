/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * From netlink attributes to text and JSON, driven by tables.
 *
 * An object has one table that tells, for each attribute, what it is called and
 * how it is formatted. JSON shows all attributes of a message that the table
 * knows. Text shows a choice of them, in an order of its own: a view.
 */

#ifndef SFNL_PRINT_H
#define SFNL_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>
#include <libmnl/libmnl.h>

#include "names.h"

#define RECORD_ATTRS	64
/* Room for any value in text that is not a string. */
#define VALUE_MAX	64

struct record;

/**
 * struct format - how the values of attributes look
 * @type: what the attribute must hold to be believed
 * @size: its exact length, for MNL_TYPE_BINARY
 * @valid: more conditions, or NULL
 * @text: write the value for people
 * @json: the value for programs; NULL when out of memory
 */
struct format {
	enum mnl_attr_data_type type;
	size_t size;
	bool (*valid)(const struct nlattr *attr);
	void (*text)(FILE *file, const struct record *rec, uint16_t attr);
	json_t *(*json)(const struct record *rec, uint16_t attr);
};

/**
 * struct field - what an attribute is
 * @word: precedes the value in text; "" for the bare value, NULL when another
 *   attribute's value tells it too
 * @key: key in JSON
 * @unit: follows the value in text, or NULL
 * @format: how the value looks
 * @names: names of the values, for format_name
 */
struct field {
	const char *word;
	const char *key;
	const char *unit;
	const struct format *format;
	const struct names *names;
};

/**
 * struct table - the attributes of an object
 * @fields: indexed by attribute type; entries without format are never shown
 * @max: highest attribute type
 */
struct table {
	const struct field *fields;
	uint16_t max;
};

/**
 * struct column - a place in a view
 * @attr: attribute type
 * @detail: shown on request (-d) only
 * @word: instead of the field's word, unless NULL
 */
struct column {
	uint16_t attr;
	bool detail;
	const char *word;
};

/**
 * struct view - what a kind of message shows in text, and in which order
 * @table: the attributes of the object
 * @columns: those shown; details follow all others
 * @n: how many
 */
struct view {
	const struct table *table;
	const struct column *columns;
	size_t n;
};

#define VIEW(t, c)	{ .table = (t), .columns = (c), .n = sizeof(c) / sizeof(*(c)) }

/**
 * struct record - a message taken apart
 * @table: what its attributes are
 * @nlh: the message
 * @attrs: by attribute type; NULL if absent
 */
struct record {
	const struct table *table;
	const struct nlmsghdr *nlh;
	const struct nlattr *attrs[RECORD_ATTRS];
};

/**
 * struct printer - collects the output of a command
 * @json: JSON instead of text
 * @pretty: JSON on several lines
 * @details: views with their details
 * @brief: text for scripts: values only, separated by tabs
 * @lines: JSON entries one after the other, not as a list
 * @list: the entries shown so far, for @json
 * @entry: the entry being shown, for @json
 * @text: what was shown so far, without @json
 * @buf: memory of @text
 * @len: its length
 * @first: the next value is the first of its line
 * @failed: no memory for some of it
 *
 * Nothing reaches stdout before print_flush(), so that a command that fails
 * half way has not shown half of the truth.
 */
struct printer {
	bool json, pretty, details, brief, lines;
	json_t *list, *entry;
	FILE *text;
	char *buf;
	size_t len;
	bool first, failed;
};

extern const struct format format_u32;
extern const struct format format_u64;
extern const struct format format_name;
extern const struct format format_string;
extern const struct format format_flag;
extern const struct format format_gid;
extern const struct format format_time;

/* What the formats above are made of. */
void number_text(FILE *file, const struct record *rec, uint16_t attr);
json_t *number_json(const struct record *rec, uint16_t attr);
void string_text(FILE *file, const struct record *rec, uint16_t attr);
json_t *string_json(const struct record *rec, uint16_t attr);

/* A device's name and, if known, its port: NAME/PORT as in rdma(8). */
void link_text(FILE *file, const struct record *rec, uint16_t name, uint16_t port);

/**
 * record_parse - take a message apart
 * @rec: the result; points into the message
 * @table: the attributes of its object
 * @nlh: the message
 *
 * Return: 0; -EBADMSG when the message or an attribute in it is malformed.
 */
int record_parse(struct record *rec, const struct table *table, const struct nlmsghdr *nlh);

uint64_t record_number(const struct record *rec, uint16_t attr);
const char *record_string(const struct record *rec, uint16_t attr);

/**
 * name_of - name of an enum's value
 * @names: the names
 * @value: the value; a newer module may have more of them
 * @buf: room for a number
 * @size: size of @buf
 *
 * Return: the name, or the number in @buf.
 */
const char *name_of(const struct names *names, uint64_t value, char *buf, size_t size);

/* Write a string that somebody else chose: keeps a terminal safe. */
void print_escaped(FILE *file, const char *string);

/**
 * time_text - nanoseconds since the epoch as local time
 * @ns: the time
 * @buf: room for the text
 * @size: size of @buf, VALUE_MAX at least
 *
 * Return: @buf.
 */
const char *time_text(uint64_t ns, char *buf, size_t size);

/**
 * print_init - prepare a printer whose options are set
 * @p: the printer
 *
 * Return: 0 or -ENOMEM.
 */
int print_init(struct printer *p);

void print_free(struct printer *p);

/**
 * print_begin - start an entry
 * @p: the printer
 */
void print_begin(struct printer *p);

/**
 * print_member - show a value that is not an attribute
 * @p: the printer
 * @key: key in JSON
 * @value: value in JSON; taken over
 * @fmt: how to show it in text, as printf(); NULL to show it in JSON only
 */
__attribute__((format(printf, 4, 5)))
void print_member(struct printer *p, const char *key, json_t *value, const char *fmt, ...);

/**
 * print_record - show the attributes of a message
 * @p: the printer
 * @view: which of them to show in text
 * @rec: the message
 */
void print_record(struct printer *p, const struct view *view, const struct record *rec);

/**
 * print_end - end an entry
 * @p: the printer
 */
void print_end(struct printer *p);

/**
 * print_message - show a message as an entry
 * @p: the printer
 * @view: what to show in text
 * @nlh: the message
 *
 * Return: 0 or -EBADMSG.
 */
int print_message(struct printer *p, const struct view *view, const struct nlmsghdr *nlh);

/**
 * print_flush - write what was collected to stdout
 * @p: the printer
 *
 * Return: 0 or a negative errno.
 */
int print_flush(struct printer *p);

#endif /* SFNL_PRINT_H */

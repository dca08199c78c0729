/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * The netlink specification as a table. gen-spec writes it from the YAML file;
 * nothing here comes from the module's own code.
 */

#ifndef SF_FUZZ_SPEC_H
#define SF_FUZZ_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of attributes are below this; gen-spec has it checked. */
#define SPEC_TYPES	64

enum spec_kind {
	SPEC_NONE, /* there is no such attribute */
	SPEC_FLAG,
	SPEC_U8,
	SPEC_U16,
	SPEC_U32,
	SPEC_U64,
	SPEC_STRING,
	SPEC_BINARY,
	SPEC_NEST,
	SPEC_PAD,
};

struct spec_set;

/**
 * struct spec_attr - an attribute of a set
 * @name: as in the specification
 * @kind: what it holds
 * @min: least value of a number, least length of anything else
 * @max: the same for the greatest; NUL at the end of strings does not count
 * @nested: the set within, for SPEC_NEST
 */
struct spec_attr {
	const char *name;
	enum spec_kind kind;
	uint64_t min, max;
	const struct spec_set *nested;
};

/**
 * struct spec_set - a set of attributes
 * @name: as in the specification
 * @attrs: by type, from 1
 * @max: greatest type
 */
struct spec_set {
	const char *name;
	const struct spec_attr *attrs;
	uint16_t max;
};

/**
 * struct spec_cmd - a command
 * @name: as in the specification
 * @cmd: its number
 * @set: what its attributes belong to
 * @request: types of the attributes of a request, ends with 0; NULL for a
 *	notification
 * @reply: those of its reply; NULL when there is none but the ACK
 * @event: those of the notification; NULL when it is none
 * @dump: it can be dumped, with the same attributes
 */
struct spec_cmd {
	const char *name;
	uint8_t cmd;
	const struct spec_set *set;
	const uint16_t *request;
	const uint16_t *reply;
	const uint16_t *event;
	bool dump;
};

extern const struct spec_cmd spec_cmds[];
extern const unsigned int n_spec_cmds;

/* The command of that number, or NULL. */
const struct spec_cmd *spec_find(uint8_t cmd);

/* An attribute of a set, or NULL. */
const struct spec_attr *spec_attr(const struct spec_set *set, uint16_t type);

/* Is a type in a list that ends with 0? */
bool spec_lists(const uint16_t *list, uint16_t type);

/* Size of a number's payload; 0 for anything that is no number. */
size_t spec_size(enum spec_kind kind);

/**
 * struct spec_need - what a command's text asks for, beyond the table
 * @cmd: the command, when it is no dump
 * @types: a request has one of these at least, exactly one if @exclusive
 * @exclusive: see there
 */
struct spec_need {
	uint8_t cmd;
	uint16_t types[3];
	bool exclusive;
};

extern const struct spec_need spec_needs[];
extern const unsigned int n_spec_needs;

/**
 * struct spec_bound - a limit that is told in an attribute's or command's text
 * @cmd: the command
 * @type: the attribute, a 32-bit number
 * @max: greatest value
 */
struct spec_bound {
	uint8_t cmd;
	uint16_t type;
	uint32_t max;
};

extern const struct spec_bound spec_bounds[];
extern const unsigned int n_spec_bounds;

#endif /* SF_FUZZ_SPEC_H */

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * From words to netlink attributes, driven by tables.
 */

#ifndef SFNL_ARGS_H
#define SFNL_ARGS_H

#include <stddef.h>
#include <stdint.h>

#include "../lib/client.h"
#include "names.h"

struct args;

/* What an argument settles: each is settled once, by one of its words. */
enum slot {
	SLOT_DEV, SLOT_MODE, SLOT_DRAIN_TIMEOUT,
	SLOT_LQPN, SLOT_PID, SLOT_COMM, SLOT_STATE, SLOT_TYPE, SLOT_LANE,
	SLOT_QPS, SLOT_EVENTS, SLOT_REBINDS,
	SLOTS
};

#define NEED(slot)	(1U << (slot))

/**
 * struct arg - an argument of a command
 * @word: announces it
 * @expect: what may follow, for error messages; unless @names tells it
 * @parse: takes the word that follows; NULL when none does
 * @names: words that may follow, for arg_name()
 * @min: least value, for arg_number()
 * @max: greatest value, for arg_number(), or length, for arg_string()
 * @attr: attribute of the request that takes the value
 * @slot: what it settles
 * @first: @word may be left out when the argument comes first
 */
struct arg {
	const char *word;
	const char *expect;
	int (*parse)(struct args *args, const struct arg *arg, const char *value);
	const struct names *names;
	uint32_t min, max;
	uint16_t attr;
	enum slot slot;
	bool first;
};

/**
 * struct command - something that can be done with an object
 * @word: what the user types; "" when the object has one command only
 * @usage: the arguments, for people
 * @args: the arguments
 * @n_args: how many
 * @need: slots that must be settled, NEED() each
 * @need_any: slots of which one at least must be settled
 * @cmd: the netlink command that the arguments go into
 */
struct command {
	const char *word;
	const char *usage;
	const struct arg *args;
	size_t n_args;
	uint32_t need, need_any;
	uint8_t cmd;
};

/**
 * struct args - the arguments of a command that was given
 * @command: the command
 * @req: the request, with an attribute for each argument
 * @given: the argument that settled a slot, or NULL
 * @value: the word that came with it
 * @lane: a lane's name, which is not in @req yet; or NULL
 */
struct args {
	const struct command *command;
	struct sf_request req;
	const struct arg *given[SLOTS];
	const char *value[SLOTS];
	const char *lane;
};

/* Parsers of values. Return: 0 or -EINVAL, without a message. */
int arg_number(struct args *args, const struct arg *arg, const char *value);
int arg_string(struct args *args, const struct arg *arg, const char *value);
int arg_name(struct args *args, const struct arg *arg, const char *value);

/**
 * args_parse - fill in the request of a command
 * @args: the result
 * @command: the command
 * @argc: number of words left
 * @argv: the words left
 *
 * Return: 0, or EXIT_USAGE after the error was told.
 */
int args_parse(struct args *args, const struct command *command, int argc, char **argv);

/**
 * args_word - the word behind an attribute of the request
 * @args: the arguments
 * @attr: the attribute
 *
 * Return: the word of the argument, or NULL when no argument makes it.
 */
const char *args_word(const struct args *args, uint16_t attr);

/**
 * number_parse - read a number, decimal or hexadecimal (0x)
 * @word: the word
 * @min: least value
 * @max: greatest value
 * @value: where to put it
 *
 * Return: 0 or -EINVAL.
 */
int number_parse(const char *word, uint32_t min, uint32_t max, uint32_t *value);

/**
 * usage_error - tell that a word is wrong
 * @fmt: format of the message, without "Error: ", dot and new line
 *
 * Return: EXIT_USAGE.
 */
__attribute__((format(printf, 1, 2)))
int usage_error(const char *fmt, ...);

/**
 * names_pick - find a word, or tell what was expected
 * @names: list of words
 * @word: what the user typed
 * @what: what the words are, such as "object"
 *
 * Return: index of the word, or -1 after the error was told.
 */
int names_pick(const struct names *names, const char *word, const char *what);

#endif /* SFNL_ARGS_H */

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Words: the names of an enum's values, and how a user's word is looked up.
 */

#ifndef SFNL_NAMES_H
#define SFNL_NAMES_H

#include <stddef.h>

/**
 * struct names - a list of words
 * @name: the words; in the order of the enum's values where they name one
 * @n: how many
 */
struct names {
	const char *const *name;
	size_t n;
};

extern const struct names device_modes;
extern const struct names lane_states;
extern const struct names link_layers;
extern const struct names qp_types;
extern const struct names qp_states;
extern const struct names qp_events;
extern const struct names qp_changes;
extern const struct names rebind_results;

/* What names_find() returns instead of an index. */
enum { NAME_UNKNOWN = -1, NAME_AMBIGUOUS = -2 };

/**
 * names_find - find a word or its only completion, in any case
 * @names: list of words
 * @word: what the user typed
 *
 * Return: index of the word in the list, NAME_UNKNOWN or NAME_AMBIGUOUS.
 */
int names_find(const struct names *names, const char *word);

/**
 * names_list - write words as "a, b or c"
 * @names: list of words
 * @prefix: only the words that start with it; "" for all
 * @buf: where to write
 * @size: size of @buf
 *
 * Return: @buf.
 */
const char *names_list(const struct names *names, const char *prefix, char *buf, size_t size);

#endif /* SFNL_NAMES_H */

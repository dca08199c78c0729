// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * From words to netlink attributes.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "sfnl.h"

#define WORDS_MAX	16
#define LIST_MAX	512

int usage_error(const char *fmt, ...)
{
	va_list ap;

	fputs("Error: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs(".\n", stderr);
	return EXIT_USAGE;
}

int names_pick(const struct names *names, const char *word, const char *what)
{
	int i = names_find(names, word);
	char list[LIST_MAX];

	if (i == NAME_AMBIGUOUS)
		usage_error("%s \"%s\" is ambiguous: %s", what, word,
			    names_list(names, word, list, sizeof(list)));
	if (i == NAME_UNKNOWN)
		usage_error("%s \"%s\" is unknown: expected %s", what, word,
			    names_list(names, "", list, sizeof(list)));
	return i < 0 ? -1 : i;
}

int number_parse(const char *word, uint32_t min, uint32_t max, uint32_t *value)
{
	bool hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	unsigned long long number;
	char *end;

	/* strtoull() would take signs and leading space as well. */
	if (hex)
		word += 2;
	if (strspn(word, hex ? "0123456789abcdefABCDEF" : "0123456789") == 0)
		return -EINVAL;

	errno = 0;
	number = strtoull(word, &end, hex ? 16 : 10);
	if (errno || *end || number < min || number > max)
		return -EINVAL;
	*value = number;
	return 0;
}

int arg_number(struct args *args, const struct arg *arg, const char *value)
{
	uint32_t number;

	if (number_parse(value, arg->min, arg->max, &number))
		return -EINVAL;
	mnl_attr_put_u32(&args->req.nlh, arg->attr, number);
	return 0;
}

int arg_string(struct args *args, const struct arg *arg, const char *value)
{
	if (!*value || strlen(value) > arg->max)
		return -EINVAL;
	mnl_attr_put_strz(&args->req.nlh, arg->attr, value);
	return 0;
}

int arg_name(struct args *args, const struct arg *arg, const char *value)
{
	int i = names_find(arg->names, value);

	if (i < 0)
		return -EINVAL;
	mnl_attr_put_u8(&args->req.nlh, arg->attr, i);
	return 0;
}

static const char *expected(const struct arg *arg, char *buf, size_t size)
{
	return arg->names ? names_list(arg->names, "", buf, size) : arg->expect;
}

/* The words of the arguments that settle one of some slots. */
static struct names arg_words(const struct command *command, uint32_t slots, const char **words)
{
	struct names names = { .name = words };

	for (size_t i = 0; i < command->n_args; i++)
		if (slots & NEED(command->args[i].slot))
			words[names.n++] = command->args[i].word;
	return names;
}

static const struct arg *find_arg(const struct command *command, const char *word)
{
	const char *words[WORDS_MAX];
	struct names names = arg_words(command, -1, words);
	int i;

	if (!names.n) {
		usage_error("argument \"%s\" is unknown: expected none", word);
		return NULL;
	}
	i = names_pick(&names, word, "argument");
	return i < 0 ? NULL : &command->args[i];
}

/*
 * Is the first word a value whose argument goes without saying? Only the full
 * words of arguments are not, as a device may be called anything else.
 */
static bool is_bare(const struct command *command, const char *word)
{
	for (size_t i = 0; i < command->n_args; i++)
		if (!strcmp(command->args[i].word, word))
			return false;
	return command->n_args && command->args[0].first && *word != '-';
}

static int take(struct args *args, const struct arg *arg, const char *value)
{
	const struct arg *given = args->given[arg->slot];
	char list[LIST_MAX];

	if (given == arg)
		return usage_error("argument \"%s\" is given twice", arg->word);
	if (given)
		return usage_error("argument \"%s\" is wrong: \"%s\" was given already",
				   arg->word, given->word);

	args->given[arg->slot] = arg;
	args->value[arg->slot] = value;
	if (!arg->parse)
		return 0;

	if (!value)
		return usage_error("argument \"%s\" is incomplete: expected %s", arg->word,
				   expected(arg, list, sizeof(list)));
	if (arg->parse(args, arg, value))
		return usage_error("value \"%s\" of \"%s\" is wrong: expected %s", value,
				   arg->word, expected(arg, list, sizeof(list)));
	return 0;
}

static int check_needed(const struct args *args)
{
	const struct command *command = args->command;
	const char *words[WORDS_MAX];
	uint32_t slots = 0, missing;
	struct names names;
	char list[LIST_MAX];

	for (int i = 0; i < SLOTS; i++)
		if (args->given[i])
			slots |= NEED(i);

	missing = command->need & ~slots;
	if (missing)
		missing &= -missing;
	else if (!(slots & command->need_any))
		missing = command->need_any;
	if (!missing)
		return 0;

	names = arg_words(command, missing, words);
	return usage_error("an argument is missing: expected %s",
			   names_list(&names, "", list, sizeof(list)));
}

int args_parse(struct args *args, const struct command *command, int argc, char **argv)
{
	const struct arg *arg;
	const char *value;
	bool bare;
	int err;

	*args = (struct args){ .command = command };
	sf_request_init(&args->req, command->cmd);

	for (int i = 0; i < argc; i++) {
		bare = i == 0 && is_bare(command, argv[i]);
		arg = bare ? &command->args[0] : find_arg(command, argv[i]);
		if (!arg)
			return EXIT_USAGE;

		value = NULL;
		if (bare)
			value = argv[i];
		else if (arg->parse && i + 1 < argc)
			value = argv[++i];
		err = take(args, arg, value);
		if (err)
			return err;
	}
	return check_needed(args);
}

const char *args_word(const struct args *args, uint16_t attr)
{
	for (int i = 0; i < SLOTS; i++)
		if (args->given[i] && args->given[i]->attr == attr)
			return args->given[i]->word;
	for (size_t i = 0; i < args->command->n_args; i++)
		if (args->command->args[i].attr == attr)
			return args->command->args[i].word;
	return NULL;
}

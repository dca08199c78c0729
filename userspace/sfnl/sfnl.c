// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Options, objects, commands, and how they end.
 */

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "sfnl.h"

#define WORDS_MAX	16

static const struct object *const objects[] = {
	&dev_object, &lane_object, &qp_object, &monitor_object, &version_object,
};

#define N_OBJECTS	(sizeof(objects) / sizeof(*objects))

static const char usage[] =
	"Usage: sfnl [ OPTIONS ] OBJECT { COMMAND | help }\n"
	"where  OBJECT := { dev | lane | qp | monitor | version | help }\n"
	"       OPTIONS := { -V[ersion] | -d[etails] | -j[son] | -p[retty] | -s[hort] }\n";

int sfnl_error(int err, const char *what)
{
	fprintf(stderr, "Error: %s: %s.\n", what, strerror(-err));
	return EXIT_FAILED;
}

/* The kernel's own words, then what they mean to a program. */
static int tell_refusal(const struct args *args, const struct sf_error *error)
{
	const char *word = args && error->attr ? args_word(args, error->attr) : NULL;

	fputs("Error: ", stderr);
	/* They may repeat a name, which is not to steer a terminal. */
	if (error->message[0])
		print_escaped(stderr, error->message);
	else if (error->code == -EPERM)
		fputs("this needs CAP_NET_ADMIN", stderr);
	else
		fputs("the request was refused", stderr);

	if (word)
		fprintf(stderr, " (argument \"%s\"%s)", word, error->missing ? " is missing" : "");
	fprintf(stderr, ".\nkernel answers: %s\n", strerror(-error->code));
	return EXIT_REFUSED;
}

int sfnl_status(struct sfnl *s, const struct args *args, int ret)
{
	const struct sf_error *error = sf_client_error(s->client);

	if (ret > 0)
		fputs("Warning: the table kept changing; an entry may be missing or shown twice.\n",
		      stderr);
	if (ret >= 0)
		return EXIT_OK;
	return error->kernel ? tell_refusal(args, error) : sfnl_error(ret, error->message);
}

int sfnl_no_module(const char *what)
{
	fprintf(stderr, "Error: %s. Load it with: modprobe scalefabric\n", what);
	return EXIT_NO_MODULE;
}

int sfnl_open(struct sfnl *s)
{
	int err;

	err = sf_client_open(&s->client);
	if (err == -ENOENT)
		return sfnl_no_module("scalefabric is not loaded");
	return err ? sfnl_error(err, "cannot talk to the kernel") : EXIT_OK;
}

/* Requests of all objects name the device by the same type of attribute. */
static_assert((int)SCALEFABRIC_A_DEV_NAME == (int)SCALEFABRIC_A_LANE_DEV_NAME &&
	      (int)SCALEFABRIC_A_DEV_NAME == (int)SCALEFABRIC_A_QP_DEV_NAME,
	      "the device's name has one type");

const char *sfnl_device(const struct args *args)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, &args->req.nlh, GENL_HDRLEN)
		if (mnl_attr_get_type(attr) == SCALEFABRIC_A_DEV_NAME)
			return mnl_attr_get_str(attr);
	return NULL;
}

/* A dump narrowed to a device that does not exist is empty, and no error. */
static int check_device(struct sfnl *s, const struct args *args)
{
	struct sf_request req;

	if (!args->given[SLOT_DEV])
		return EXIT_OK;
	sf_request_init(&req, SCALEFABRIC_CMD_DEV_GET);
	mnl_attr_put_strz(&req.nlh, SCALEFABRIC_A_DEV_NAME, sfnl_device(args));
	return sfnl_status(s, args, sf_client_do(s->client, &req, NULL, NULL));
}

struct show {
	struct printer *out;
	const struct view *view;
};

static int show_message(const struct nlmsghdr *nlh, void *arg)
{
	struct show *show = arg;

	return print_message(show->out, show->view, nlh);
}

int sfnl_show(struct sfnl *s, struct args *args, const struct view *view)
{
	struct show show = { .out = &s->out, .view = view };
	int status;

	status = check_device(s, args);
	if (status)
		return status;
	return sfnl_status(s, args, sf_client_dump(s->client, &args->req, show_message, &show));
}

int sfnl_do(struct sfnl *s, struct args *args, const struct view *view)
{
	struct show show = { .out = &s->out, .view = view };

	return sfnl_status(s, args, sf_client_do(s->client, &args->req, show_message, &show));
}

static void help_command(const char *start, const char *object, const struct command *command)
{
	int indent;

	indent = printf("%s sfnl %s%s%s", start, object, *command->word ? " " : "", command->word);
	if (*command->usage)
		indent += printf(" ");
	for (const char *c = command->usage; *c; c++) {
		putchar(*c);
		if (*c == '\n')
			printf("%*s", indent, "");
	}
	putchar('\n');
}

static int help(struct sfnl *s, const char *object, const struct action *actions, size_t n)
{
	s->out.lines = true;	/* shows help, not a list of nothing as well */
	for (size_t i = 0; i < n; i++)
		help_command(i ? "      " : "Usage:", object, &actions[i].command);
	return EXIT_OK;
}

static bool is_help(int argc, char **argv)
{
	return argc && !strcmp(argv[0], "help");
}

static int run_action(struct sfnl *s, const char *object, const struct action *action,
		      int argc, char **argv)
{
	struct args args;
	int status;

	if (is_help(argc, argv))
		return help(s, object, action, 1);

	status = args_parse(&args, &action->command, argc, argv);
	return status ? status : action->run(s, &args);
}

static int run_object(struct sfnl *s, const struct object *object, int argc, char **argv)
{
	const char *words[WORDS_MAX];
	struct names names = { .name = words };
	int i = 0;

	if (is_help(argc, argv))
		return help(s, object->word, object->actions, object->n);
	if (!*object->actions[0].command.word)
		return run_action(s, object->word, object->actions, argc, argv);

	for (; names.n < object->n; names.n++)
		words[names.n] = object->actions[names.n].command.word;
	words[names.n++] = "help";

	if (argc) {
		i = names_pick(&names, *argv++, "command");
		argc--;
	}
	if (i < 0)
		return EXIT_USAGE;
	if ((size_t)i == object->n)
		return help(s, object->word, object->actions, object->n);
	return run_action(s, object->word, &object->actions[i], argc, argv);
}

static int run(struct sfnl *s, int argc, char **argv)
{
	const char *words[WORDS_MAX];
	struct names names = { .name = words };
	char list[128];
	int i;

	for (; names.n < N_OBJECTS; names.n++)
		words[names.n] = objects[names.n]->word;
	words[names.n++] = "help";

	if (!argc)
		return usage_error("an object is missing: expected %s",
				   names_list(&names, "", list, sizeof(list)));

	i = names_pick(&names, argv[0], "object");
	if (i < 0)
		return EXIT_USAGE;
	if ((size_t)i == N_OBJECTS) {
		s->out.lines = true;
		fputs(usage, stdout);
		return EXIT_OK;
	}
	return run_object(s, objects[i], argc - 1, argv + 1);
}

static int finish(struct sfnl *s, int status)
{
	int err;

	if (status == EXIT_OK) {
		err = print_flush(&s->out);
		if (err)
			status = sfnl_error(err, "cannot write the output");
	}
	print_free(&s->out);
	sf_client_close(s->client);
	return status;
}

static int wrong_option(const char *word)
{
	char letter[] = { '-', optopt, '\0' };

	/* The word may hold good letters too. */
	return usage_error("option \"%s\" is unknown: expected -V, -h, -d, -j, -p or -s",
			   strncmp(word, "--", 2) ? letter : word);
}

/* Return: true to go on, or false when *status is the end of it. */
static bool read_options(struct printer *out, int argc, char **argv, int *status)
{
	static const struct option options[] = {
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ "details", no_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ "pretty", no_argument, NULL, 'p' },
		{ "short", no_argument, NULL, 's' },
		{ }
	};
	int opt;

	optind = 0;	/* glibc: forget an earlier argv */
	opterr = 0;
	*status = EXIT_OK;
	while ((opt = getopt_long(argc, argv, "+Vhdjps", options, NULL)) != -1) {
		switch (opt) {
		case 'V':
			puts("sfnl " VERSION);
			return false;
		case 'h':
			fputs(usage, stdout);
			return false;
		case 'd':
			out->details = true;
			break;
		case 'j':
			out->json = true;
			break;
		case 'p':
			out->pretty = true;
			break;
		case 's':
			out->brief = true;
			break;
		default:
			*status = wrong_option(argv[optind - 1]);
			return false;
		}
	}
	return true;
}

int sfnl_run(int argc, char **argv)
{
	struct sfnl s = { 0 };
	int status;

	if (!read_options(&s.out, argc, argv, &status))
		return status;
	if (print_init(&s.out))
		return sfnl_error(-ENOMEM, "cannot start");

	return finish(&s, run(&s, argc - optind, argv + optind));
}

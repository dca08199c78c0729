/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * What the objects of sfnl share.
 */

#ifndef SFNL_H
#define SFNL_H

#include "../lib/client.h"
#include "args.h"
#include "print.h"

/* Exit statuses, see sfnl(8). */
enum {
	EXIT_OK,
	EXIT_USAGE,		/* a word is wrong or missing */
	EXIT_NO_MODULE,		/* scalefabric is not loaded */
	EXIT_REFUSED,		/* the kernel refused the request */
	EXIT_FAILED,		/* anything else */
};

/**
 * struct sfnl - a run of the tool
 * @out: its output
 * @client: connection to the module, once a command has opened it
 */
struct sfnl {
	struct printer out;
	struct sf_client *client;
};

/**
 * struct action - a command and what does it
 * @command: its words
 * @run: does it; returns an exit status after it has told the error
 */
struct action {
	struct command command;
	int (*run)(struct sfnl *s, struct args *args);
};

/**
 * struct object - a kind of thing that sfnl knows
 * @word: what the user types
 * @actions: what can be done with it; the first is the default
 * @n: how many
 */
struct object {
	const char *word;
	const struct action *actions;
	size_t n;
};

#define OBJECT(w, a)	{ .word = (w), .actions = (a), .n = sizeof(a) / sizeof(*(a)) }
#define ARGS(a)		.args = (a), .n_args = sizeof(a) / sizeof(*(a))

extern const struct object dev_object;
extern const struct object lane_object;
extern const struct object qp_object;
extern const struct object monitor_object;
extern const struct object version_object;

extern const struct table info_table;
extern const struct table qp_table;

/**
 * sfnl_run - the whole tool
 * @argc: as of main()
 * @argv: as of main()
 *
 * Return: exit status.
 */
int sfnl_run(int argc, char **argv);

/**
 * sfnl_open - connect to the module
 * @s: the run
 *
 * Return: exit status; not EXIT_OK after the error was told.
 */
int sfnl_open(struct sfnl *s);

/**
 * sfnl_no_module - tell that there is no module, and what to do
 * @what: how that came
 *
 * Return: EXIT_NO_MODULE.
 */
int sfnl_no_module(const char *what);

/**
 * sfnl_status - make an exit status of a client call's result
 * @s: the run
 * @args: the arguments of the request
 * @ret: what the call returned
 *
 * Return: exit status; not EXIT_OK after the error was told.
 */
int sfnl_status(struct sfnl *s, const struct args *args, int ret);

/**
 * sfnl_error - tell that something failed
 * @err: negative errno
 * @what: what was tried
 *
 * Return: EXIT_FAILED.
 */
int sfnl_error(int err, const char *what);

/**
 * sfnl_device - the device that the arguments name
 * @args: the arguments
 *
 * Return: its name or NULL.
 */
const char *sfnl_device(const struct args *args);

/**
 * sfnl_show - make the request of a dump and show its entries
 * @s: the run, connected
 * @args: the arguments, with the request
 * @view: what to show in text
 *
 * Return: exit status; EXIT_REFUSED if the device in the arguments is unknown.
 */
int sfnl_show(struct sfnl *s, struct args *args, const struct view *view);

/**
 * sfnl_do - make a request and show the reply, if there is one
 * @s: the run, connected
 * @args: the arguments, with the request
 * @view: what to show in text
 *
 * Return: exit status.
 */
int sfnl_do(struct sfnl *s, struct args *args, const struct view *view);

/**
 * struct lane_ref - a lane of a device
 * @dev: index of the device
 * @lane: number of the lane
 */
struct lane_ref {
	uint32_t dev, lane;
};

/**
 * lane_resolve - find the lanes behind a network device's name
 * @s: the run, connected
 * @args: arguments with a lane's name and maybe a device
 * @refs: where to put an allocated array, one entry for each device
 * @n: where to put their number
 *
 * Return: exit status; not EXIT_OK after the error was told.
 */
int lane_resolve(struct sfnl *s, const struct args *args, struct lane_ref **refs, size_t *n);

#endif /* SFNL_H */

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a command may reach. */
#include "cli/confine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/pager.h"
#include "run/sandbox.h"
#include "store/query.h"
#include "store/store.h"

static bool is_output(const struct option *o)
{
	static const char *const names[] = { "output",     "write",
					     "truth",      "findings-log",
					     "csv-output", "slurm",
					     "kubernetes", NULL };

	for (size_t i = 0; names[i]; i++)
		if (!strcmp(names[i], o->name))
			return true;
	return false;
}

static bool rewrites(const struct args *a)
{
	bool may = a->command->rewrites && args_has(a, "force");

	return (may || a->command->imports) && !args_has(a, "output");
}

/* FILE, and that of NAME=FILE. */
static void keep_input(const char *path)
{
	const char *equals = strchr(path, '=');

	outfile_input(path);
	if (equals)
		outfile_input(equals + 1);
}

/* Those in folders are kept when they are read. */
void confine_writes(const struct args *a)
{
	for (size_t i = rewrites(a); i < a->n_operands; i++)
		keep_input(a->operands[i]);
	for (size_t i = 0; i < a->n_given; i++)
		if (a->given[i].option->complete == COMPLETE_FILE &&
		    !is_output(a->given[i].option))
			keep_input(a->given[i].value);
	if (args_has(a, "force") || (a->command->imports && rewrites(a)))
		outfile_force();
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

void confine_folder_of(struct sandbox *s, const char *path,
		       enum sandbox_access how)
{
	size_t n = strlen(path);
	char *folder;

	while (n && path[n - 1] == '/')
		n--;
	while (n && path[n - 1] != '/')
		n--;
	folder = n ? strndup(path, n) : strdup(".");
	if (folder)
		sandbox_allow(s, folder, how);
	free(folder);
}

void confine_output(struct sandbox *s, const char *path)
{
	if (!path || !strcmp(path, "-"))
		return;
	if (is_folder(path) || outfile_is_stream(path))
		sandbox_allow(s, path, SANDBOX_WRITES);
	else
		confine_folder_of(s, path, SANDBOX_WRITES);
}

static bool allow_beside(struct sandbox *s, const char *path, const char *end)
{
	char *name;
	bool found;

	if (asprintf(&name, "%s%s", path, end) < 0)
		return false;
	found = !access(name, F_OK);
	if (found)
		sandbox_allow(s, name, SANDBOX_WRITES);
	free(name);
	return found;
}

/* Who reads a database with a log writes to the index of the log, and makes it
 * when it is not there. */
void confine_database(struct sandbox *s, const char *path, bool shared)
{
	const bool log = allow_beside(s, path, "-wal");
	const bool index = allow_beside(s, path, "-shm");

	sandbox_allow(s, path, SANDBOX_READS);
	if (shared || (store_has_log(path) && !(log && index)))
		confine_folder_of(s, path, SANDBOX_WRITES);
}

/* Where SQLite sorts what does not fit its memory: as it looks for it. */
static void allow_sorting(struct sandbox *s)
{
	const char *const folders[] = { getenv("SQLITE_TMPDIR"),
					getenv("TMPDIR"),
					"/var/tmp",
					"/usr/tmp",
					"/tmp",
					"." };

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (folders[i] && is_folder(folders[i]) &&
		    !access(folders[i], W_OK | X_OK)) {
			sandbox_allow(s, folders[i], SANDBOX_WRITES);
			return;
		}
}

/* Queries of the user's. */
static void allow_queries(void *ctx, const char *folder)
{
	sandbox_allow(ctx, folder, SANDBOX_READS);
}

/* FILE, and that of NAME=FILE. */
static void allow_input(struct sandbox *s, const char *path)
{
	const char *equals = strchr(path, '=');

	if (store_is_ours(path))
		confine_database(s, path, false);
	else
		sandbox_allow(s, path, SANDBOX_READS);
	if (equals)
		sandbox_allow(s, equals + 1, SANDBOX_READS);
}

static void allow_named(struct sandbox *s, const struct args *a)
{
	for (size_t i = 0; i < a->n_operands; i++)
		allow_input(s, a->operands[i]);
	if (rewrites(a))
		confine_folder_of(s, a->operands[0], SANDBOX_WRITES);
	for (size_t i = 0; i < a->n_given; i++) {
		const struct arg *g = &a->given[i];

		if (is_output(g->option))
			confine_output(s, g->value);
		else if (g->option->complete == COMPLETE_FILE)
			allow_input(s, g->value);
	}
	/* a default name, and what has none, are of this folder */
	if ((a->command == &cmd_analyze || a->command == &cmd_merge ||
	     args_has(a, "local")) &&
	    (!args_has(a, "output") || args_has(a, "anonymize") ||
	     args_has(a, "anonymize-key")))
		sandbox_allow(s, ".", SANDBOX_WRITES);
	allow_sorting(s);
	(void)catalogue_folders(allow_queries, s);
}

/* Recordings are wherever the database says; it may be one that is written. */
void confine_here(struct sandbox *s, const char *database)
{
	sandbox_allow(s, "/", SANDBOX_READS);
	sandbox_allow(s, ".", SANDBOX_WRITES);
	if (store_is_ours(database))
		confine_database(s, database, true);
}

static void enter(struct sandbox *s, bool verbose)
{
	struct sandbox_report r;

	sandbox_enter(s, &r);
	sandbox_fini(s);
	if (verbose && r.lacking)
		fprintf(stderr, "fabscope: confined in part: %s\n", r.text);
}

void confine(const struct args *a)
{
	struct sandbox s = { .needs = SANDBOX_FILES };
	static bool confined;

	/* what a command calls of the others has what it has */
	if (confined || a->command->confine == CONFINE_NOT ||
	    args_has(a, "listen"))
		return;
	if (a->command->confine == CONFINE_NAMED ||
	    a->command->confine == CONFINE_PLAN)
		pager_prepare();
	confined = true;
	if (args_has(a, "local"))
		s.needs |= SANDBOX_PROCESSES;
	if (args_has(a, "filter"))
		s.needs |= SANDBOX_RESOLVE;
	allow_named(&s, a);
	if (a->command->confine == CONFINE_PLAN)
		confine_folder_of(&s, a->operands[0], SANDBOX_WRITES);
	if (a->command->confine == CONFINE_READS ||
	    a->command->confine == CONFINE_PLAN || args_has(a, "plot"))
		sandbox_allow(&s, "/", SANDBOX_READS);
	if (a->command->confine == CONFINE_HERE)
		confine_here(&s, a->operands[0]);
	enter(&s, args_has(a, "verbose"));
}

/* Nobody owns nothing: SQLite then reads the log's index of others, and makes
 * one of its own in memory where there is none. */
int confine_serving(const char *database, struct err *err)
{
	struct sandbox s = { .needs = SANDBOX_SERVE };
	const bool root = !geteuid();

	if (!command_confined)
		return 0;
	if (sandbox_nobody(err))
		return -1;
	if (root)
		confine_folder_of(&s, database, SANDBOX_READS);
	else
		confine_database(&s, database, true);
	enter(&s, false);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * All questions there are, sorted by name. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store_int.h"

enum {
	FILE_MAX = 1 << 20, /* bytes of a query file */
	FILES_MAX = 10000,  /* of a folder */
};

struct catalogue {
	struct query **q;
	size_t n;
	bool failed; /* no memory */
};

static int by_name(const void *a, const void *b)
{
	const struct query *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Takes |q|, of which nobody has the name. */
static void put_new(struct catalogue *c, struct query *q)
{
	struct query **more = NULL;

	if (q)
		more = reallocarray(c->q, c->n + 1, sizeof(struct query *));
	if (!more) {
		query_free(q);
		c->failed = true;
		return;
	}
	c->q = more;
	c->q[c->n++] = q;
}

/* ... which replaces one of the same name. */
static void put(struct catalogue *c, struct query *q)
{
	for (size_t i = 0; q && i < c->n; i++) {
		if (!strcmp(c->q[i]->name, q->name)) {
			query_free(c->q[i]);
			c->q[i] = q;
			return;
		}
	}
	put_new(c, q);
}

static void put_broken(struct catalogue *c, const char *name,
		       const char *origin, int error)
{
	struct query *q = query_new(name, origin, "-- cannot be read\n");

	if (q && asprintf(&q->broken, "%s: %s", origin, strerror(error)) < 0) {
		q->broken = NULL;
		query_free(q);
		q = NULL;
	}
	put(c, q);
}

/* --- those of the program --- */

/* The name of a query in the file |path|; NULL: it is none.  Where people ask
 * or views look, the room is not part of it. */
static const char *builtin_name(const char *path)
{
	static const struct {
		const char *folder;
		size_t cut;
	} rooms[] = {
		{ "queries/ask/", 12 },
		{ "queries/export/", 15 },
		{ "queries/", 8 },
	};

	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
		if (!strncmp(path, rooms[i].folder, strlen(rooms[i].folder)))
			return path + rooms[i].cut;
	return NULL;
}

static void put_builtins(struct catalogue *c)
{
	for (const struct builtin *b = store_builtins; b->name; b++) {
		const char *path = builtin_name(b->name);
		struct query *q;
		char *name;

		if (!path)
			continue;
		name = strndup(path, strlen(path) - 4);
		q = name ? query_new(name, NULL, b->text) : NULL;
		free(name);
		/* a step of derive.c that is more than one statement */
		if (q && query_in(q, "derive") && !q->into)
			query_free(q);
		else
			put_new(c, q);
	}
}

/* --- those of the user --- */

static char *read_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *text = NULL;
	ssize_t n;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st))
		goto out;
	errno = S_ISREG(st.st_mode) ? EFBIG : EINVAL;
	if (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
		goto out;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		goto out;
	n = read(fd, text, (size_t)st.st_size);
	text[n > 0 ? n : 0] = 0;
out:
	close(fd);
	return text;
}

static void put_file(struct catalogue *c, const char *path, const char *name)
{
	char *text = read_text(path);

	if (text)
		put(c, query_new(name, path, text));
	else
		put_broken(c, name, path, errno);
	free(text);
}

/* Without an opening comment its name is its question. */
static void put_plain_file(struct catalogue *c, const char *path)
{
	char *text = read_text(path), *headed = NULL;

	if (!text)
		put_broken(c, path, path, errno);
	else if (!strncmp(text, "--", 2))
		put(c, query_new(path, path, text));
	else if (asprintf(&headed, "-- %s\n%s", path, text) < 0)
		c->failed = true;
	else
		put(c, query_new(path, path, headed));
	free(headed);
	free(text);
}

static int is_query(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 4 && *d->d_name != '.' && !strcmp(d->d_name + n - 4, ".sql");
}

/* |prefix| is "" or "findings/". */
static void put_folder(struct catalogue *c, const char *folder,
		       const char *prefix)
{
	struct dirent **list = NULL;
	int n = scandir(folder, &list, is_query, alphasort);

	for (int i = 0; i < n; i++) {
		char *path = NULL, *name = NULL;
		int length = (int)strlen(list[i]->d_name) - 4;

		if (i < FILES_MAX &&
		    asprintf(&path, "%s/%s", folder, list[i]->d_name) >= 0 &&
		    asprintf(&name, "%s%.*s", prefix, length,
			     list[i]->d_name) >= 0)
			put_file(c, path, name);
		free(path);
		free(name);
		free(list[i]);
	}
	free(list);
	/* a folder nobody made is no mistake */
	if (n < 0 && errno != ENOENT && errno != ENOTDIR)
		put_broken(c, folder, folder, errno);
}

static void put_tree(void *ctx, const char *folder)
{
	struct catalogue *c = ctx;
	char *findings;

	put_folder(c, folder, "");
	if (asprintf(&findings, "%s/findings", folder) < 0) {
		c->failed = true;
		return;
	}
	put_folder(c, findings, "findings/");
	free(findings);
}

static bool in_home(catalogue_folder_fn *each, void *ctx)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	char *folder = NULL;
	int n = 0;

	if (data && *data == '/')
		n = asprintf(&folder, "%s/fabscope/queries", data);
	else if (home && *home == '/')
		n = asprintf(&folder, "%s/.local/share/fabscope/queries", home);
	if (n < 0)
		return false;
	if (folder)
		each(ctx, folder);
	free(folder);
	return true;
}

/* The first folder of the list comes last. */
static bool in_environment(catalogue_folder_fn *each, void *ctx)
{
	const char *list = getenv("FABSCOPE_QUERIES");
	char *copy = strdup(list ? list : ""), *colon;

	if (!copy)
		return false;
	while ((colon = strrchr(copy, ':'))) {
		if (colon[1])
			each(ctx, colon + 1);
		*colon = 0;
	}
	if (*copy)
		each(ctx, copy);
	free(copy);
	return true;
}

bool catalogue_folders(catalogue_folder_fn *each, void *ctx)
{
	return in_home(each, ctx) && in_environment(each, ctx);
}

/* --- the whole --- */

enum { LEVELS = 3, USED_NAME = 64 };

/* The next name of |at|, which goes on behind it; false: there is none. */
static bool next_used(const char **at, char name[static USED_NAME])
{
	int n;

	if (!*at || sscanf(*at, "%63s%n", name, &n) != 1)
		return false;
	*at += n;
	return true;
}

/* The first that |q| uses and that is not of a level below |level|, in |name|;
 * false: there is none. */
static bool too_high(const struct catalogue *c, const struct query *q,
		     int level, char name[static USED_NAME])
{
	const char *at = q->uses;

	while (next_used(&at, name)) {
		const struct query *part = catalogue_find(c, name);

		if (!part || part->level >= level ||
		    (part->uses && !part->level))
			return true;
	}
	return false;
}

static void put_together(struct catalogue *c, struct query *q, int level)
{
	const char *at = q->uses;
	char name[USED_NAME];

	while (next_used(&at, name))
		c->failed |= query_use(q, catalogue_find(c, name)) != 0;
	q->level = level;
}

static void refuse(struct catalogue *c, struct query *q, const char *name)
{
	if (q->broken)
		return;
	if (asprintf(&q->broken, "%s: uses %s, which %s",
		     q->origin ? q->origin : q->name, name,
		     catalogue_find(c, name) ? "uses too many others"
					     : "does not exist") < 0) {
		q->broken = NULL;
		c->failed = true;
	}
}

/* Those that use others, now that it is known which those are. */
static void put_levels(struct catalogue *c)
{
	char name[USED_NAME];

	for (int level = 1; level <= LEVELS; level++)
		for (size_t i = 0; i < c->n; i++)
			if (c->q[i]->uses && !c->q[i]->level &&
			    !too_high(c, c->q[i], level, name))
				put_together(c, c->q[i], level);
	for (size_t i = 0; i < c->n; i++)
		if (c->q[i]->uses && !c->q[i]->level &&
		    too_high(c, c->q[i], LEVELS, name))
			refuse(c, c->q[i], name);
}

static struct catalogue *sorted(struct catalogue *c)
{
	put_levels(c);
	if (c->failed) {
		catalogue_free(c);
		return NULL;
	}
	if (c->n)
		qsort(c->q, c->n, sizeof(struct query *), by_name);
	return c;
}

struct catalogue *catalogue_builtin(void)
{
	struct catalogue *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	put_builtins(c);
	return sorted(c);
}

static struct catalogue *everything(const char *more)
{
	struct catalogue *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	put_builtins(c);
	c->failed |= !catalogue_folders(put_tree, c);
	if (more)
		put_plain_file(c, more);
	return sorted(c);
}

struct catalogue *catalogue_new(void)
{
	return everything(NULL);
}

struct catalogue *catalogue_with(const char *path)
{
	return everything(path);
}

void catalogue_free(struct catalogue *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		query_free(c->q[i]);
	free(c->q);
	free(c);
}

size_t catalogue_size(const struct catalogue *c)
{
	return c->n;
}

size_t catalogue_count(const struct catalogue *c, const char *folder)
{
	size_t n = 0;

	for (size_t i = 0; i < catalogue_size(c); i++)
		n += query_in(catalogue_at(c, i), folder);
	return n;
}

const struct query *catalogue_at(const struct catalogue *c, size_t i)
{
	return i < c->n ? c->q[i] : NULL;
}

const struct query *catalogue_find(const struct catalogue *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->q[i]->name, name))
			return c->q[i];
	return NULL;
}

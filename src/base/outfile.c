/* SPDX-License-Identifier: GPL-2.0-or-later
 * A file that appears under its final name only when it is complete. */
#define _GNU_SOURCE
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tempname.h"

struct outfile {
	char *path;
	char *temp;
	dev_t dev; /* of the folder */
	ino_t folder;
	outfile_replaceable *may;
	const char *what; /* that is */
	bool replaces;    /* something that may go had the name at the start */
	bool done;
	bool counted; /* in all.open */
};

/* ---- what may be replaced ------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	char **path;
	size_t n, room;
	int open; /* outfiles that have a temporary file */
	bool force;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

void outfile_force(void)
{
	all.force = true;
}

static bool is_input(const struct stat *st)
{
	struct stat in;
	bool found = false;

	pthread_mutex_lock(&all.lock);
	for (size_t i = 0; i < all.n && !found; i++)
		found = !stat(all.path[i], &in) && in.st_dev == st->st_dev &&
			in.st_ino == st->st_ino;
	pthread_mutex_unlock(&all.lock);
	return found;
}

void outfile_input(const char *path)
{
	struct stat st;
	char **more;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	/* One that is there twice does no harm; to look for it would, when a
	 * folder has very many. */
	pthread_mutex_lock(&all.lock);
	if (all.n == all.room) {
		more = reallocarray(all.path, 2 * all.room + 16, sizeof *more);
		all.path = more ? more : all.path;
		all.room = more ? 2 * all.room + 16 : all.room;
	}
	if (all.n < all.room) {
		all.path[all.n] = strdup(path);
		all.n += all.path[all.n] != NULL;
	}
	pthread_mutex_unlock(&all.lock);
}

static int refuse(const struct outfile *o, struct err *err)
{
	if (!o->what)
		return err_set(err, ERR_EXISTS, "%s: exists; not overwritten",
			       o->path);
	return err_set(err, ERR_EXISTS,
		       "%s: exists and is not a %s; not overwritten", o->path,
		       o->what);
}

/* 1: there is one and it may go, 0: the name is free, -1: hands off. */
static int name_state(const struct outfile *o, struct err *err)
{
	struct stat st;

	if (lstat(o->path, &st)) {
		if (errno == ENOENT)
			return 0;
		return err_errno(err, "%s", o->path);
	}
	/* what the link points at counts, a link to nothing is foreign */
	if (stat(o->path, &st))
		return err_errno(err, "%s: is a dangling symbolic link",
				 o->path);
	if (S_ISDIR(st.st_mode))
		return err_set(err, ERR_EXISTS, "%s: is a folder", o->path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_EXISTS, "%s: is not a regular file",
			       o->path);
	if (is_input(&st))
		return err_set(err, ERR_EXISTS,
			       "%s: is read here; not overwritten", o->path);
	if (!all.force && (!o->may || !o->may(o->path)))
		return refuse(o, err);
	return 1;
}

/* ---- what a signal handler takes away ------------------------------- */

/* A list of shelves that only grows: a handler may look at any time. */
static struct shelf {
	_Atomic(char *) held[64];
	_Atomic(struct shelf *) next;
} first_shelf;

enum { SHELF = sizeof first_shelf.held / sizeof *first_shelf.held };

/* Replaces |is| by |by| in one place of |s|. */
static bool shelve(struct shelf *s, char *is, char *by)
{
	for (size_t i = 0; i < SHELF; i++) {
		char *old = is;

		if (atomic_compare_exchange_strong(&s->held[i], &old, by))
			return true;
	}
	return false;
}

/* Without memory the file is not taken away. */
static struct shelf *shelf_behind(struct shelf *s)
{
	struct shelf *none = NULL, *more = atomic_load(&s->next);

	if (more)
		return more;
	more = calloc(1, sizeof *more);
	if (more && !atomic_compare_exchange_strong(&s->next, &none, more)) {
		free(more);
		more = none;
	}
	return more;
}

static void hold(char *name)
{
	struct shelf *s = &first_shelf;

	while (s && !shelve(s, NULL, name))
		s = shelf_behind(s);
}

static void release(char *name)
{
	struct shelf *s = &first_shelf;

	while (s && !shelve(s, name, NULL))
		s = atomic_load(&s->next);
}

bool outfile_abandon(void)
{
	bool any = false;

	for (struct shelf *s = &first_shelf; s; s = atomic_load(&s->next))
		for (size_t i = 0; i < SHELF; i++) {
			const char *name = atomic_load(&s->held[i]);

			if (name && !unlink(name))
				any = true;
		}
	return any;
}

/* ---- the temporary file --------------------------------------------- */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static char *folder_of(const char *path)
{
	size_t n = (size_t)(last_part(path) - path);

	return n ? strndup(path, n) : strdup(".");
}

static void find_folder(struct outfile *o)
{
	char *name = folder_of(o->path);
	struct stat st;

	if (name && !stat(name, &st)) {
		o->dev = st.st_dev;
		o->folder = st.st_ino;
	}
	free(name);
}

/* What killed runs left in the folder goes; where thousands of files are made
 * at once, with the first: to look through all of them for each would take
 * time by the square of their number. */
static void sweep(const struct outfile *o)
{
	static dev_t dev;
	static ino_t folder;
	bool again;

	pthread_mutex_lock(&all.lock);
	again = all.open && dev == o->dev && folder == o->folder;
	dev = o->dev;
	folder = o->folder;
	pthread_mutex_unlock(&all.lock);
	if (!again)
		tempname_sweep(o->path);
}

static void count_open(int more)
{
	pthread_mutex_lock(&all.lock);
	all.open += more;
	pthread_mutex_unlock(&all.lock);
}

static void forget_temp(struct outfile *o)
{
	if (o->temp)
		release(o->temp);
	free(o->temp);
	o->temp = NULL;
}

enum { ATTEMPTS = 100 }; /* names left behind by killed runs of this pid */

static int create_temp(struct outfile *o, struct err *err)
{
	static atomic_uint next;

	find_folder(o);
	sweep(o);
	for (unsigned i = 0; i < ATTEMPTS; i++) {
		int fd;

		o->temp = tempname_new(o->path, atomic_fetch_add(&next, 1));
		if (!o->temp)
			return err_set(err, ERR_MEMORY, "out of memory");
		hold(o->temp);
		fd = open(o->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0) {
			close(fd);
			count_open(1);
			o->counted = true;
			return 0;
		}
		forget_temp(o);
		if (errno != EEXIST)
			break;
	}
	return err_errno(err, "%s: cannot create a file in its folder",
			 o->path);
}

struct outfile *outfile_begin(const char *path, outfile_replaceable *may,
			      const char *what, struct err *err)
{
	struct outfile *o = calloc(1, sizeof *o);
	int state;

	if (!o || !(o->path = strdup(path))) {
		err_set(err, ERR_MEMORY, "out of memory");
		goto fail;
	}
	o->may = may;
	o->what = what;
	if (!*path) {
		err_set(err, ERR_USAGE, "the name of the file is empty");
		goto fail;
	}
	state = name_state(o, err);
	if (state < 0)
		goto fail;
	o->replaces = state > 0;
	if (!create_temp(o, err))
		return o;
fail:
	outfile_free(o);
	return NULL;
}

const char *outfile_temp(const struct outfile *o)
{
	return o->temp;
}

/* Like rename(2), but never over something that has the name. */
static int rename_new(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	return rename(from, to); /* a file system without the careful form */
}

/* Where others may write in the folder, they may have put a link in its place,
 * which is not to have the name. */
static bool is_file(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode);
}

/* The name may have been taken while we were working, and between the look and
 * the rename: then it is looked at again. */
static int move(const struct outfile *o, struct err *err)
{
	enum { LOOKS_MAX = 16 };
	int rc = -1;

	if (!is_file(o->temp))
		return err_set(err, ERR_IO,
			       "%s: the file was removed or replaced while it "
			       "was being written",
			       o->path);
	for (int i = 0; rc && i < LOOKS_MAX; i++) {
		int state = name_state(o, err);

		if (state < 0)
			return -1;
		if (state > 0 || o->replaces)
			rc = rename(o->temp, o->path);
		else
			rc = rename_new(o->temp, o->path);
		if (rc && errno != EEXIST)
			break;
	}
	if (rc)
		return err_errno(
			err, "%s: cannot rename the finished file to this name",
			o->path);
	return 0;
}

/* What a rename makes visible must be on the disk before it: else a crash of
 * the machine could leave the final name with half of the content. */
static int sync_content(const struct outfile *o, struct err *err)
{
	int fd = open(o->temp, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return err_errno(err, "%s: cannot finish", o->path);
	rc = fsync(fd);
	/* there are file systems that know nothing to do */
	if (rc && errno != EINVAL && errno != ENOSYS)
		err_errno(err, "%s: cannot write", o->path);
	else
		rc = 0;
	close(fd);
	return rc;
}

/* The name itself; where that cannot be asked for it is known later. */
static void sync_folder(const struct outfile *o)
{
	char *folder = folder_of(o->path);
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		(void)fsync(fd);
		close(fd);
	}
	free(folder);
}

int outfile_commit(struct outfile *o, struct err *err)
{
	if (sync_content(o, err) || move(o, err))
		return -1;
	o->done = true;
	sync_folder(o);
	return 0;
}

int outfile_publish(struct outfile *o, struct err *err)
{
	if (move(o, err))
		return -1;
	o->done = true;
	return 0;
}

int outfile_compare(const struct outfile *a, const struct outfile *b)
{
	if (a->dev != b->dev)
		return a->dev < b->dev ? -1 : 1;
	if (a->folder != b->folder)
		return a->folder < b->folder ? -1 : 1;
	return strcmp(last_part(a->path), last_part(b->path));
}

const char *outfile_path(const struct outfile *o)
{
	return o->path;
}

void outfile_rename_error(const struct outfile *o, struct err *err)
{
	struct err e = *err;
	size_t n = strlen(o->temp);

	if (!strncmp(e.text, o->temp, n))
		err_set(err, e.code, "%s%s", o->path, e.text + n);
}

bool outfile_is_stream(const char *path)
{
	struct stat st;

	return !strcmp(path, "-") ||
	       (!stat(path, &st) && !S_ISREG(st.st_mode) &&
		!S_ISDIR(st.st_mode));
}

void outfile_free(struct outfile *o)
{
	if (!o)
		return;
	if (o->temp && !o->done)
		unlink(o->temp);
	forget_temp(o);
	count_open(-o->counted);
	free(o->path);
	free(o);
}

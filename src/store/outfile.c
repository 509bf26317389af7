/* SPDX-License-Identifier: GPL-2.0-or-later
 * A file that appears under its final name only when it is complete. */
#define _GNU_SOURCE
#include "store/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct outfile {
	char *path;
	char *temp;
	outfile_replaceable *may;
	bool replaces; /* something that may go had the name at the start */
	bool done;
};

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
		return err_errno(err, "%s: is a link that leads nowhere",
				 o->path);
	if (S_ISDIR(st.st_mode))
		return err_set(err, ERR_EXISTS, "%s: is a folder", o->path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_EXISTS, "%s: is not a regular file",
			       o->path);
	if (!o->may(o->path))
		return err_set(err, ERR_EXISTS,
			       "%s: exists and is not a fabscope database; "
			       "not overwritten",
			       o->path);
	return 1;
}

/* A name of its own length, so that a long final name is no obstacle. */
static char *temp_name(const char *path, unsigned attempt)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;
	char *name;

	if (asprintf(&name, "%.*s.fabscope-%ld-%u.tmp", folder, path,
		     (long)getpid(), attempt) < 0)
		return NULL;
	return name;
}

enum { ATTEMPTS = 100 }; /* names left behind by killed runs of this pid */

static int create_temp(struct outfile *o, struct err *err)
{
	for (unsigned i = 0; i < ATTEMPTS; i++) {
		int fd;

		free(o->temp);
		o->temp = temp_name(o->path, i);
		if (!o->temp)
			return err_set(err, ERR_MEMORY, "out of memory");
		fd = open(o->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0) {
			close(fd);
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	err_errno(err, "%s: cannot create a file in its folder", o->path);
	free(o->temp);
	o->temp = NULL;
	return -1;
}

struct outfile *outfile_begin(const char *path, outfile_replaceable *may,
			      struct err *err)
{
	struct outfile *o = calloc(1, sizeof *o);
	int state;

	if (!o || !(o->path = strdup(path))) {
		err_set(err, ERR_MEMORY, "out of memory");
		goto fail;
	}
	o->may = may;
	if (!*path) {
		err_set(err, ERR_USAGE, "the name of the database is empty");
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

/* The name may have been taken while we were working. */
static int move(const struct outfile *o, struct err *err)
{
	int state = name_state(o, err), rc;

	if (state < 0)
		return -1;
	if (state > 0 || o->replaces)
		rc = rename(o->temp, o->path);
	else
		rc = rename_new(o->temp, o->path);
	if (rc)
		return err_errno(err,
				 "%s: the finished file cannot get this name",
				 o->path);
	return 0;
}

int outfile_commit(struct outfile *o, struct err *err)
{
	if (move(o, err))
		return -1;
	o->done = true;
	return 0;
}

void outfile_free(struct outfile *o)
{
	if (!o)
		return;
	if (o->temp && !o->done)
		unlink(o->temp);
	free(o->temp);
	free(o->path);
	free(o);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A file that appears under its final name only when it is complete.
 *
 * Until outfile_commit() it has another name in the same folder (tempname.h),
 * so that the last step is a rename, which cannot stop half way. */
#ifndef FABSCOPE_BASE_OUTFILE_H
#define FABSCOPE_BASE_OUTFILE_H

#include <stdbool.h>

#include "base/err.h"

struct outfile;

/* |path| is read by this program: while there is such a file, nothing is
 * written over it, by whatever name, path or link. */
void outfile_input(const char *path);

/* From now on any file may be replaced, except what is read. */
void outfile_force(void);

/* May the file that has this name already be replaced?  NULL: none may. */
typedef bool outfile_replaceable(const char *path);

/* Creates the empty temporary file.  NULL and |err|: something that may not
 * be replaced has the name, or the folder does not take a new file.  |what| is
 * what may be replaced, in words ("fabscope database"). */
struct outfile *outfile_begin(const char *path, outfile_replaceable *may,
			      const char *what, struct err *err);

const char *outfile_temp(const struct outfile *o);

/* The name it is to have, as given. */
const char *outfile_path(const struct outfile *o);

/* An order in which two that are to have the same name are equal, however the
 * path to it is written. */
int outfile_compare(const struct outfile *a, const struct outfile *b);

/* Gives the file its final name when its content has reached the disk.  -1: it
 * does not have it, and what had the name before still has it. */
int outfile_commit(struct outfile *o, struct err *err);

/* The same for what can be made again: it does not wait for the disk. */
int outfile_publish(struct outfile *o, struct err *err);

/* What writers say in |err| of the temporary name is said of the final one. */
void outfile_rename_error(const struct outfile *o, struct err *err);

/* Removes the temporary file unless it was committed.  NULL is fine. */
void outfile_free(struct outfile *o);

/* Removes all temporary files, for a signal handler that ends the program;
 * nothing else may be done with an outfile after it.  Were there any? */
bool outfile_abandon(void);

/* Standard output ("-"), a pipe, a terminal, /dev/null: there is nothing to be
 * replaced, and no outfile to be made. */
bool outfile_is_stream(const char *path);

#endif

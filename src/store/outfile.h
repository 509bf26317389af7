/* SPDX-License-Identifier: GPL-2.0-or-later
 * A file that appears under its final name only when it is complete.
 *
 * Until outfile_commit() it has another name in the same folder (tempname.h),
 * so that the last step is a rename, which cannot stop half way. */
#ifndef FABSCOPE_STORE_OUTFILE_H
#define FABSCOPE_STORE_OUTFILE_H

#include <stdbool.h>

#include "base/err.h"

struct outfile;

/* May the file that has this name already be replaced? */
typedef bool outfile_replaceable(const char *path);

/* Creates the empty temporary file.  NULL and |err|: something that may not
 * be replaced has the name, or the folder does not take a new file.  |what| is
 * what may be replaced, in words ("fabscope database"). */
struct outfile *outfile_begin(const char *path, outfile_replaceable *may,
			      const char *what, struct err *err);

const char *outfile_temp(const struct outfile *o);

/* Gives the file its final name when its content has reached the disk.  -1: it
 * does not have it, and what had the name before still has it. */
int outfile_commit(struct outfile *o, struct err *err);

/* Removes the temporary file unless it was committed.  NULL is fine. */
void outfile_free(struct outfile *o);

/* Removes all temporary files, for a signal handler that ends the program;
 * nothing else may be done with an outfile after it. */
void outfile_abandon(void);

#endif

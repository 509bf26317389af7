/* SPDX-License-Identifier: GPL-2.0-or-later
 * The files of one run: all of them appear, complete, or none. */
#ifndef FABSCOPE_SIMULATE_PRODUCTS_H
#define FABSCOPE_SIMULATE_PRODUCTS_H

#include <stddef.h>

struct err;
struct outfile;

struct products {
	struct outfile **file;
	size_t n, cap;
};

/* The name to write to in place of |path|, which has it at the end; a stream
 * (outfile_is_stream()) is written to as it is.  NULL and |err|: no file can be
 * made there. */
const char *products_add(struct products *all, const char *path,
			 struct err *err);

/* Gives all of them their names; with |rc| -1 none, and then |err| speaks of
 * final names.  Frees; returns -1 when they are not there. */
int products_finish(struct products *all, int rc, struct err *err);

#endif

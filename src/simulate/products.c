/* SPDX-License-Identifier: GPL-2.0-or-later
 * The files of one run: all of them appear, complete, or none. */
#include "simulate/products.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/outfile.h"
#include "simulate/mem.h"

/* What a run makes can be made again: a capture by the comment it begins with,
 * and the truth. */
static bool is_ours(const char *path)
{
	static const char truth[] = "{\"truth_version\":";
	static const char comment[] = "fabscope simulate";
	enum { COMMENT = 28 };
	char head[COMMENT + sizeof comment] = "";
	FILE *f = fopen(path, "re");

	if (f) {
		if (fread(head, 1, sizeof head - 1, f) < COMMENT)
			*head = 0;
		fclose(f);
	}
	return !strncmp(head, truth, sizeof truth - 1) ||
	       !memcmp(head + COMMENT, comment, sizeof comment - 1);
}

const char *products_add(struct products *all, const char *path,
			 struct err *err)
{
	struct outfile *o;

	if (outfile_is_stream(path))
		return path;
	o = outfile_begin(path, is_ours, "file of fabscope simulate", err);
	if (!o)
		return NULL;
	all->file = mem_room(all->file, all->n, &all->cap, sizeof(*all->file));
	all->file[all->n++] = o;
	return outfile_temp(o);
}

static int by_name(const void *a, const void *b)
{
	return outfile_compare(*(struct outfile *const *)a,
			       *(struct outfile *const *)b);
}

/* Else one would replace the other. */
static int check_names(struct products *all, struct err *err)
{
	if (all->n)
		qsort(all->file, all->n, sizeof(*all->file), by_name);
	for (size_t i = 1; i < all->n; i++)
		if (!outfile_compare(all->file[i - 1], all->file[i]))
			return err_set(err, ERR_USAGE,
				       "%s: two files of this run would have "
				       "this name",
				       outfile_path(all->file[i]));
	return 0;
}

int products_finish(struct products *all, int rc, struct err *err)
{
	if (!rc)
		rc = check_names(all, err);
	for (size_t i = 0; i < all->n; i++) {
		if (rc && err)
			outfile_rename_error(all->file[i], err);
		else if (!rc)
			rc = outfile_publish(all->file[i], err);
		outfile_free(all->file[i]);
	}
	free(all->file);
	*all = (struct products) { 0 };
	return rc;
}

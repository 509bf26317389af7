/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two results side by side: what changed, and what of it is more than noise.
 * Nothing is computed here. */
#ifndef FABSCOPE_VIEWS_DIFF_H
#define FABSCOPE_VIEWS_DIFF_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

struct store;

struct diff_options {
	const char *a, *b; /* names of the two, for the reader */
	bool all;          /* also what did not change */
};

/* |s| is from store_compare().  For people. */
int diff_print(struct store *s, const struct diff_options *o, FILE *out,
	       struct err *err);

/* For programs: docs/diff.schema.json. */
int diff_json(struct store *s, const struct diff_options *o, FILE *out,
	      struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The whole answer of one query, kept, for views that look at it twice. */
#ifndef FABSCOPE_VIEWS_ROWS_H
#define FABSCOPE_VIEWS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/query.h"

struct store;

struct rows {
	const struct query *query; /* the catalogue's */
	struct query_column *columns;
	size_t n_columns;
	struct query_value *cells; /* row by row */
	size_t n_rows, room;
	size_t most, left_out; /* rows kept at most, and rows not kept */
	bool failed;           /* out of memory */
};

/* Asks the question |name| of |c|.  Each row is kept: the queries of a view
 * bound their answers themselves.  rows_fini() is right after either result. */
int rows_ask(struct rows *r, struct store *s, const struct catalogue *c,
	     const char *name, const char *const *params, struct err *err);
/* Keeps the first |most| rows and counts the others. */
int rows_ask_most(struct rows *r, struct store *s, const struct catalogue *c,
		  const char *name, const char *const *params, size_t most,
		  struct err *err);
void rows_fini(struct rows *r);

/* Keeps only these |n| rows: which of |r|, in ascending order. */
void rows_keep(struct rows *r, const size_t *kept, size_t n);

/* Empties |r|, and keeps in it what comes. */
struct query_sink rows_sink(struct rows *r);

/* The cell of column |name|; a NULL value where there is no such column. */
const struct query_value *rows_at(const struct rows *r, size_t row,
				  const char *name);

/* The same with a default for NULL. */
const char *rows_text(const struct rows *r, size_t row, const char *name);
int64_t rows_int(const struct rows *r, size_t row, const char *name,
		 int64_t otherwise);
double rows_real(const struct rows *r, size_t row, const char *name,
		 double otherwise);

#endif

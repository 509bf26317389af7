/* SPDX-License-Identifier: GPL-2.0-or-later
 * Answers kept in memory. */
#include "views/rows.h"

#include <stdlib.h>
#include <string.h>

static int fail(struct rows *r)
{
	r->failed = true;
	return 1; /* ends the query */
}

static int keep_columns(void *ctx, const struct query_column *columns, size_t n)
{
	struct rows *r = ctx;
	size_t i;

	r->columns = calloc(n ? n : 1, sizeof *r->columns);
	if (!r->columns)
		return fail(r);
	for (i = 0; i < n; i++) {
		r->columns[i].name = strdup(columns[i].name);
		r->columns[i].unit = columns[i].unit;
		if (!r->columns[i].name)
			return fail(r);
		r->n_columns++;
	}
	return 0;
}

static int grow(struct rows *r)
{
	size_t room = r->room ? 2 * r->room : 16;
	struct query_value *cells;

	cells = reallocarray(r->cells, room * r->n_columns, sizeof *cells);
	if (!cells)
		return -1;
	r->cells = cells;
	r->room = room;
	return 0;
}

static int keep_row(void *ctx, const struct query_value *values, size_t n)
{
	struct rows *r = ctx;
	struct query_value *to;
	size_t i;

	if (r->n_rows == r->most) {
		r->left_out++;
		return 0;
	}
	if (r->n_rows == r->room && grow(r) < 0)
		return fail(r);
	to = r->cells + r->n_rows * r->n_columns;
	for (i = 0; i < n; i++) {
		to[i] = values[i];
		to[i].text = NULL;
	}
	r->n_rows++;
	for (i = 0; i < n; i++) {
		if (values[i].type != VALUE_TEXT)
			continue;
		to[i].text = strdup(values[i].text);
		if (!to[i].text)
			return fail(r);
	}
	return 0;
}

struct query_sink rows_sink(struct rows *r)
{
	*r = (struct rows) { .most = SIZE_MAX };
	return (struct query_sink) { r, keep_columns, keep_row };
}

int rows_ask_most(struct rows *r, struct store *s, const struct catalogue *c,
		  const char *name, const char *const *params, size_t most,
		  struct err *err)
{
	const struct query_sink sink = rows_sink(r);

	*r = (struct rows) { .query = catalogue_find(c, name), .most = most };
	if (!r->query)
		return err_set(err, ERR_INTERNAL, "there is no query \"%s\"",
			       name);
	if (query_run(s, r->query, params, &sink, err) < 0)
		return -1;
	if (r->failed)
		return err_set(err, ERR_MEMORY, "out of memory");
	return 0;
}

int rows_ask(struct rows *r, struct store *s, const struct catalogue *c,
	     const char *name, const char *const *params, struct err *err)
{
	return rows_ask_most(r, s, c, name, params, SIZE_MAX, err);
}

static void free_text(const char *text)
{
	union {
		const char *shown;
		char *owned;
	} u = { text };

	free(u.owned);
}

static void swap_rows(struct rows *r, size_t a, size_t b)
{
	size_t i;

	for (i = 0; i < r->n_columns; i++) {
		struct query_value *x = &r->cells[a * r->n_columns + i];
		struct query_value *y = &r->cells[b * r->n_columns + i];
		struct query_value t = *x;

		*x = *y;
		*y = t;
	}
}

void rows_keep(struct rows *r, const size_t *kept, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (kept[i] != i)
			swap_rows(r, i, kept[i]);
	for (i = n * r->n_columns; i < r->n_rows * r->n_columns; i++)
		free_text(r->cells[i].text);
	r->n_rows = n;
}

void rows_fini(struct rows *r)
{
	size_t i;

	for (i = 0; i < r->n_rows * r->n_columns; i++)
		free_text(r->cells[i].text);
	for (i = 0; i < r->n_columns; i++)
		free(r->columns[i].name);
	free(r->cells);
	free(r->columns);
	*r = (struct rows) { 0 };
}

const struct query_value *rows_at(const struct rows *r, size_t row,
				  const char *name)
{
	static const struct query_value null = { .type = VALUE_NULL };
	size_t i;

	for (i = 0; i < r->n_columns && row < r->n_rows; i++)
		if (!strcmp(r->columns[i].name, name))
			return &r->cells[row * r->n_columns + i];
	return &null;
}

const char *rows_text(const struct rows *r, size_t row, const char *name)
{
	const struct query_value *v = rows_at(r, row, name);

	return v->type == VALUE_TEXT ? v->text : "";
}

int64_t rows_int(const struct rows *r, size_t row, const char *name,
		 int64_t otherwise)
{
	const struct query_value *v = rows_at(r, row, name);

	return v->type == VALUE_INT ? v->i : otherwise;
}

double rows_real(const struct rows *r, size_t row, const char *name,
		 double otherwise)
{
	const struct query_value *v = rows_at(r, row, name);

	switch (v->type) {
	case VALUE_INT:
		return (double)v->i;
	case VALUE_REAL:
		return v->r;
	default:
		return otherwise;
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Filtering and sorting lists that are not kept whole. */
#include "tui/gather.h"

#include <stdlib.h>
#include <string.h>

/* ---- one row --------------------------------------------------------- */

bool gather_cells_init(struct gather_cells *c, size_t columns)
{
	c->bufs = calloc(columns + 1, sizeof *c->bufs);
	c->shown = calloc(columns + 1, sizeof *c->shown);
	return c->bufs && c->shown;
}

void gather_cells_fini(struct gather_cells *c)
{
	free(c->bufs);
	free(c->shown);
	*c = (struct gather_cells) { 0 };
}

bool gather_fits(struct gather_cells *c, const struct filter *f,
		 const struct query_column *columns,
		 const struct query_value *values, size_t n, int64_t origin_ns)
{
	const struct format_options how = {
		.human = true,
		.uet = format_is_uet(columns, values, n),
		.origin_ns = origin_ns,
	};
	size_t i;

	if (!f->n_terms)
		return true;
	for (i = 0; i < n; i++)
		c->shown[i] = format_value(&values[i], columns[i].unit, &how,
					   c->bufs[i]);
	return filter_fits(f, columns, values, n, c->shown, origin_ns);
}

/* ---- the order ------------------------------------------------------- */

static int order_values(const struct query_value *a,
			const struct query_value *b)
{
	double x, y;

	if (a->type == VALUE_TEXT || b->type == VALUE_TEXT)
		return strcmp(a->type == VALUE_TEXT ? a->text : "",
			      b->type == VALUE_TEXT ? b->text : "");
	if (a->type == VALUE_INT && b->type == VALUE_INT)
		return (a->i > b->i) - (a->i < b->i);
	x = a->type == VALUE_REAL ? a->r : (double)a->i;
	y = b->type == VALUE_REAL ? b->r : (double)b->i;
	return (x > y) - (x < y);
}

int gather_order(const struct rows *r, size_t x, size_t y, size_t column,
		 int sign)
{
	const struct query_value *v = &r->cells[x * r->n_columns + column];
	const struct query_value *w = &r->cells[y * r->n_columns + column];
	int order;

	if (v->type == VALUE_NULL || w->type == VALUE_NULL)
		order = (v->type == VALUE_NULL) - (w->type == VALUE_NULL);
	else
		order = sign * order_values(v, w);
	return order ? order : (x > y) - (x < y);
}

/* ---- all rows -------------------------------------------------------- */

struct gathering {
	const struct gather *g;
	struct gathered *n;
	struct rows *r;
	struct query_sink keep; /* into |r| */
	struct filter filter;
	struct gather_cells cells;
	long column; /* sorted by; -1: not */
	bool failed;
};

static int by_column(const void *a, const void *b, void *ctx)
{
	const struct gathering *t = ctx;
	const size_t *x = a, *y = b;

	return gather_order(t->r, *x, *y, (size_t)t->column,
			    t->g->down ? -1 : 1);
}

static int by_place(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Of all rows kept so far only the first |most| stay, in the order of the
 * answer. */
static void cut(struct gathering *t)
{
	size_t n = t->r->n_rows, most = t->g->most, i;
	size_t *order;

	if (n <= most)
		return;
	order = calloc(n, sizeof *order);
	t->failed |= !order;
	for (i = 0; order && i < n; i++)
		order[i] = i;
	if (order) {
		qsort_r(order, n, sizeof *order, by_column, t);
		qsort(order, most, sizeof *order, by_place);
		rows_keep(t->r, order, most);
	}
	free(order);
}

static int on_head(void *ctx, const struct query_column *columns, size_t n)
{
	struct gathering *t = ctx;
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(columns[i].name, t->g->sort))
			t->column = (long)i;
	t->failed = !gather_cells_init(&t->cells, n);
	return t->failed || t->keep.head(t->keep.ctx, columns, n);
}

static int on_row(void *ctx, const struct query_value *values, size_t n)
{
	struct gathering *t = ctx;

	t->n->seen++;
	if (!gather_fits(&t->cells, &t->filter, t->r->columns, values, n,
			 t->g->origin_ns))
		return 0;
	t->n->fit++;
	if (t->column < 0 && t->r->n_rows >= t->g->most)
		return 0;
	if (t->r->n_rows >= 2 * t->g->most)
		cut(t);
	return t->failed || t->keep.row(t->keep.ctx, values, n);
}

int gather_rows(struct rows *r, struct store *s, const struct catalogue *c,
		const char *name, const char *const *params,
		const struct gather *g, struct gathered *n, struct err *err)
{
	const struct query *q = catalogue_find(c, name);
	struct gathering t = { .g = g, .n = n, .r = r, .column = -1 };
	struct query_sink sink = { &t, on_head, on_row };
	int rc;

	if (!g->most || !q)
		return rows_ask(r, s, c, name, params, err);
	t.keep = rows_sink(r);
	r->query = q;
	filter_set(&t.filter, g->filter);
	t.filter.inverse = g->inverse;
	rc = query_run(s, q, params, &sink, err);
	if (!rc && t.column >= 0)
		cut(&t);
	gather_cells_fini(&t.cells);
	if (!rc && (t.failed || r->failed))
		return err_set(err, ERR_MEMORY, "out of memory");
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Rows and columns of a pane. */
#include "tui/pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/format.h"
#include "tui/gather.h"

enum {
	MEASURED = 2000, /* rows that say how wide a column is */
	WIDEST = 100,
	COLUMNS_MAX = 64, /* bits of |hidden| */
};

void pane_init(struct pane *p, const struct pane_spec *spec)
{
	*p = (struct pane) { .spec = spec, .sort = -1, .text_of = SIZE_MAX };
}

static void free_answer(struct pane *p)
{
	rows_fini(&p->rows);
	packets_fini(&p->packets);
	free(p->order);
	free(p->widths);
	free(p->shown);
	free(p->text);
	p->order = p->shown = NULL;
	p->widths = NULL;
	p->text = NULL;
	p->text_of = SIZE_MAX;
	p->n_order = p->n_shown = 0;
}

void pane_fini(struct pane *p)
{
	free_answer(p);
	free(p->asked);
	*p = (struct pane) { 0 };
}

bool pane_is_list(const struct pane *p)
{
	return p->spec->shape == SHAPE_LIST || p->spec->shape == SHAPE_LADDER;
}

static const struct query_value *cell(const struct pane *p, size_t row,
				      size_t column)
{
	return &p->rows.cells[row * p->rows.n_columns + column];
}

const char *pane_cell_in(const struct pane *p, size_t row, size_t column,
			 int64_t origin_ns, size_t columns, char *buf)
{
	const struct format_options how = {
		.human = true,
		.ascii = !term_utf8(),
		.bars = columns,
		.uet = format_is_uet(p->rows.columns, cell(p, row, 0),
				     p->rows.n_columns),
		.origin_ns = origin_ns,
	};

	return format_value(cell(p, row, column), p->rows.columns[column].unit,
			    &how, buf);
}

const char *pane_cell(const struct pane *p, size_t row, size_t column,
		      int64_t origin_ns, char *buf)
{
	return pane_cell_in(p, row, column, origin_ns, 0, buf);
}

static int find_column(const struct pane *p, const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < p->rows.n_columns; i++)
		if (strlen(p->rows.columns[i].name) == n &&
		    !memcmp(p->rows.columns[i].name, name, n))
			return (int)i;
	return -1;
}

/* ---- columns --------------------------------------------------------- */

static bool is_hidden(const struct pane *p, size_t column)
{
	return column < COLUMNS_MAX && p->hidden >> column & 1;
}

static void add_column(struct pane *p, int column)
{
	size_t i;

	if (column < 0 || is_hidden(p, (size_t)column))
		return;
	for (i = 0; i < p->n_order; i++)
		if (p->order[i] == (size_t)column)
			return;
	p->order[p->n_order++] = (size_t)column;
}

static bool any_known(const struct pane *p, int column)
{
	size_t row;

	for (row = 0; column >= 0 && row < p->rows.n_rows; row++)
		if (cell(p, row, (size_t)column)->type != VALUE_NULL)
			return true;
	return false;
}

/* A word of |columns|: its column, -1 where it is not to be drawn. */
static int column_named(const struct pane *p, const char *word, size_t n)
{
	bool optional = n > 1 && word[n - 1] == '?';
	int column = find_column(p, word, n - optional);

	return optional && !any_known(p, column) ? -1 : column;
}

void pane_columns(struct pane *p)
{
	const char *at = p->spec->columns ? p->spec->columns : "";
	size_t i, n;

	free(p->order);
	p->n_order = 0;
	p->order = calloc(p->rows.n_columns + 1, sizeof *p->order);
	if (!p->order)
		return;
	for (; *(at += strspn(at, " ")); at += n) {
		n = strcspn(at, " ");
		add_column(p, column_named(p, at, n));
	}
	/* a query of the user's need not have the columns of ours */
	for (i = 0; i < p->rows.n_columns; i++)
		if (p->all_columns || !p->spec->columns || !p->n_order)
			add_column(p, (int)i);
	if (p->column >= p->n_order)
		p->column = p->n_order ? p->n_order - 1 : 0;
	if (p->left > p->column)
		p->left = p->column;
}

void pane_widen(struct pane *p, size_t row, int64_t origin_ns)
{
	char buf[FORMAT_CELL];

	for (size_t i = 0; i < p->rows.n_columns; i++) {
		int w = term_columns(pane_cell(p, row, i, origin_ns, buf));

		if (w > p->widths[i])
			p->widths[i] = w < WIDEST ? w : WIDEST;
	}
}

static void measure(struct pane *p, int64_t origin_ns)
{
	size_t rows = p->rows.n_rows < MEASURED ? p->rows.n_rows : MEASURED;
	char buf[FORMAT_CELL];

	free(p->widths);
	p->widths = calloc(p->rows.n_columns + 1, sizeof *p->widths);
	for (size_t i = 0; p->widths && i < p->rows.n_columns; i++) {
		format_head(p->rows.columns[i].name, buf);
		p->widths[i] =
			term_columns(buf) + (p->sort == (int)i); /* its arrow */
	}
	for (size_t r = 0; p->widths && r < rows; r++)
		pane_widen(p, r, origin_ns);
}

/* ---- rows ------------------------------------------------------------ */

struct sorting {
	const struct pane *pane;
	size_t column;
	int sign;
};

static int by_column(const void *a, const void *b, void *ctx)
{
	const struct sorting *s = ctx;
	const size_t *x = a, *y = b;

	return gather_order(&s->pane->rows, *x, *y, s->column, s->sign);
}

static void pick_rows(struct pane *p, const struct filter *f, int64_t origin_ns)
{
	size_t n = p->rows.n_columns, i;
	struct gather_cells cells;
	bool room = gather_cells_init(&cells, n);

	free(p->shown);
	p->n_shown = 0;
	p->shown = calloc(p->rows.n_rows + 1, sizeof *p->shown);
	for (i = 0; room && p->shown && i < p->rows.n_rows; i++)
		if (!pane_is_list(p) ||
		    gather_fits(&cells, f, p->rows.columns, cell(p, i, 0), n,
				origin_ns))
			p->shown[p->n_shown++] = i;
	gather_cells_fini(&cells);
}

void pane_arrange(struct pane *p, const struct filter *f, int64_t origin_ns)
{
	struct sorting s = { .pane = p };

	measure(p, origin_ns);
	pick_rows(p, f, origin_ns);
	if (p->shown && p->sort >= 0 && (size_t)p->sort < p->rows.n_columns) {
		s.column = (size_t)p->sort;
		s.sign = p->down ? -1 : 1;
		qsort_r(p->shown, p->n_shown, sizeof *p->shown, by_column, &s);
	}
	if (p->cursor >= p->n_shown)
		p->cursor = p->n_shown ? p->n_shown - 1 : 0;
}

static void sort_as_configured(struct pane *p)
{
	const char *name = p->spec->sort;

	if (p->sort_given || !name)
		return;
	p->down = *name == '-';
	name += p->down;
	p->sort = find_column(p, name, strlen(name));
}

/* ---- the cursor ------------------------------------------------------ */

bool pane_row(const struct pane *p, size_t *row)
{
	if (!p->n_shown || p->cursor >= p->n_shown)
		return false;
	*row = p->shown[p->cursor];
	return true;
}

int64_t pane_selects(const struct pane *p, const char *what)
{
	const char *at = p->spec->selects ? p->spec->selects : "";
	size_t n = strlen(what), length, row;
	int column;

	if (!pane_row(p, &row))
		return 0;
	for (; *(at += strspn(at, " ")); at += length) {
		length = strcspn(at, " ");
		if (strncmp(at, what, n) != 0 || at[n] != '=')
			continue;
		column = find_column(p, at + n + 1, length - n - 1);
		if (column >= 0 &&
		    cell(p, row, (size_t)column)->type == VALUE_INT)
			return cell(p, row, (size_t)column)->i;
	}
	return 0;
}

void pane_move(struct pane *p, long by)
{
	long at = (long)p->cursor + by;

	if (at >= (long)p->n_shown)
		at = (long)p->n_shown - 1;
	p->cursor = at < 0 ? 0 : (size_t)at;
}

void pane_choose(struct pane *p, const char *what, int64_t id)
{
	size_t before = p->cursor;

	for (p->cursor = 0; p->cursor < p->n_shown; p->cursor++)
		if (pane_selects(p, what) == id)
			return;
	p->cursor = before;
}

/* The key of a row: all that it selects. */
static void identity(const struct pane *p, int64_t id[3])
{
	id[0] = pane_selects(p, "flow");
	id[1] = pane_selects(p, "finding");
	id[2] = pane_selects(p, "frame");
}

static void find_again(struct pane *p, const int64_t id[3], size_t before)
{
	int64_t now[3];

	for (p->cursor = 0; p->cursor < p->n_shown; p->cursor++) {
		identity(p, now);
		if (!memcmp(now, id, sizeof now))
			return;
	}
	p->cursor = before < p->n_shown ? before
		    : p->n_shown        ? p->n_shown - 1
					: 0;
}

void pane_answer(struct pane *p, struct rows *rows, struct packets *packets,
		 const struct filter *f, int64_t origin_ns)
{
	bool again = p->answered && p->cursor > 0;
	size_t before = p->cursor;
	int64_t id[3];

	identity(p, id);
	free_answer(p);
	p->rows = *rows;
	p->packets = *packets;
	*rows = (struct rows) { 0 };
	*packets = (struct packets) { 0 };
	p->answered = true;
	*p->why = 0;
	p->err.code = ERR_NONE;
	sort_as_configured(p);
	pane_columns(p);
	pane_arrange(p, f, origin_ns);
	if (again && (id[0] || id[1] || id[2]))
		find_again(p, id, before);
}

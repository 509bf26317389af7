/* SPDX-License-Identifier: GPL-2.0-or-later
 * The rows of a list that is longer than what is kept of it: filtered and
 * sorted as a whole while the query runs, and only the first of these kept. */
#ifndef FABSCOPE_TUI_GATHER_H
#define FABSCOPE_TUI_GATHER_H

#include "store/format.h"
#include "tui/filter.h"
#include "views/rows.h"

struct gather {
	size_t most;              /* rows kept; 0: all, as they come */
	char filter[FILTER_TEXT]; /* as typed */
	bool inverse;
	char sort[FORMAT_CELL]; /* name of a column, or "" */
	bool down;
	int64_t origin_ns;
};

/* Rows there were, and how many of them fit the filter. */
struct gathered {
	size_t seen, fit;
};

/* As rows_ask(), with what |g| says. */
int gather_rows(struct rows *r, struct store *s, const struct catalogue *c,
		const char *name, const char *const *params,
		const struct gather *g, struct gathered *n, struct err *err);

/* Before < 0, after > 0: rows |x| and |y| by |column|, |sign| -1: the largest
 * first.  What is not known comes last either way; equals keep their order. */
int gather_order(const struct rows *r, size_t x, size_t y, size_t column,
		 int sign);

/* Cells as they are shown, for a filter: memory of one row. */
struct gather_cells {
	char (*bufs)[FORMAT_CELL];
	const char **shown;
};

bool gather_cells_init(struct gather_cells *c, size_t columns);
void gather_cells_fini(struct gather_cells *c);

/* Does a row fit? */
bool gather_fits(struct gather_cells *c, const struct filter *f,
		 const struct query_column *columns,
		 const struct query_value *values, size_t n, int64_t origin_ns);

#endif

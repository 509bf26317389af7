/* SPDX-License-Identifier: GPL-2.0-or-later
 * Steps of time: load and trouble, and lanes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "store/format.h"
#include "tui/draw.h"

enum {
	CHART_LABEL = 9,
	CHART_MOST = 12, /* "36.4 Gb/s" at the right end */
	LANE_LABEL = 34,
	LANE_LABEL_NARROW = 24,
	NARROW = 100,
	STEPS_MIN = 10,
};

static int label_width(const struct pane_spec *p, int w)
{
	if (p->shape == SHAPE_CHART)
		return CHART_LABEL;
	return w < NARROW ? LANE_LABEL_NARROW : LANE_LABEL;
}

int draw_steps(const struct pane_spec *p, int w)
{
	int n = w - label_width(p, w) -
		(p->shape == SHAPE_CHART ? CHART_MOST : 1);

	return n < STEPS_MIN ? STEPS_MIN : n;
}

static int column_of(const struct rows *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->n_columns; i++)
		if (!strcmp(r->columns[i].name, name))
			return (int)i;
	return -1;
}

static double figure(const struct rows *r, size_t row, int column)
{
	const struct query_value *v;

	if (column < 0)
		return 0;
	v = &r->cells[row * r->n_columns + (size_t)column];
	return v->type == VALUE_INT    ? (double)v->i
	       : v->type == VALUE_REAL ? v->r
				       : 0;
}

static double largest(const struct rows *r, int column)
{
	double most = 0;
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		most = fmax(most, figure(r, i, column));
	return most;
}

static bool is_steps(const struct drawing *d, const struct rows *r)
{
	return (int)r->n_rows <= draw_steps(d->pane->spec, d->box.w);
}

/* ---- chart ----------------------------------------------------------- */

/* What has a lane of its own, the gravest first. */
static const struct lane {
	const char *column, *label;
	enum role role;
} lanes[] = {
	{ "lost", "lost", ROLE_CRITICAL },
	{ "retransmitted", "resent", ROLE_WARNING },
	{ "naks", "NAK", ROLE_WARNING },
	{ "paused_ns", "paused", ROLE_CRITICAL },
	{ "ce", "CE", ROLE_INFO },
	{ "cnp", "CNP", ROLE_INFO },
};

static void draw_bars(const struct drawing *d, int y, int h)
{
	const struct rows *r = &d->pane->rows;
	int column = column_of(r, "rate_bps"), line;
	double most = largest(r, column);
	char text[UNITS_TEXT];
	size_t i;

	for (i = 0; i < r->n_rows && most > 0; i++) {
		double v = figure(r, i, column);
		int eighths = (int)(v / most * h * TERM_LEVELS + 0.5);

		if (v > 0 && !eighths)
			eighths = 1; /* something is not nothing */
		for (line = 0; line < h && eighths > 0; line++) {
			term_put(y + h - 1 - line,
				 d->box.x + CHART_LABEL + (int)i, 1, ROLE_LOAD,
				 term_level(eighths));
			eighths -= TERM_LEVELS;
		}
	}
	term_put(y, d->box.x + 1, CHART_LABEL - 1, ROLE_DIM, "load");
	term_put(y, d->box.x + d->box.w - CHART_MOST + 1, CHART_MOST - 1,
		 ROLE_TEXT, units_rate(most, text));
}

/* A lane's largest step, as its column has it. */
static void draw_most(const struct drawing *d, int y, int column, double most)
{
	const struct rows *r = &d->pane->rows;
	const struct query_value v = { .type = VALUE_INT, .i = (int64_t)most };
	const struct format_options how = { .human = true };
	char buf[FORMAT_CELL];

	term_put(y, d->box.x + d->box.w - CHART_MOST + 1, CHART_MOST - 1,
		 ROLE_TEXT,
		 format_value(&v, r->columns[column].unit, &how, buf));
}

/* On a logarithmic scale: one loss beside a thousand is still seen. */
static void draw_lane(const struct drawing *d, int y, const struct lane *l)
{
	const struct rows *r = &d->pane->rows;
	int column = column_of(r, l->column);
	double most = largest(r, column), v;
	size_t i;

	term_put(y, d->box.x + 1, CHART_LABEL - 1, l->role, l->label);
	for (i = 0; i < r->n_rows; i++) {
		v = figure(r, i, column);
		if (v > 0)
			term_put(y, d->box.x + CHART_LABEL + (int)i, 1, l->role,
				 term_level(1 +
					    (int)(7 * log1p(v) / log1p(most))));
	}
	draw_most(d, y, column, most);
}

static void draw_marks(const struct drawing *d, int y)
{
	const struct rows *r = &d->pane->rows;
	int column = column_of(r, "findings");
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		if (figure(r, i, column) > 0)
			term_put(y, d->box.x + CHART_LABEL + (int)i, 1,
				 draw_role(rows_text(r, i, "gravity")),
				 term_glyph(GLYPH_MARK));
	term_put(y, d->box.x + 1, CHART_LABEL - 1, ROLE_DIM, "findings");
}

/* Where step |i| begins, or the last one ends. */
static int64_t step_ns(const struct rows *r, size_t i)
{
	if (i < r->n_rows)
		return rows_int(r, i, "start_ns", 0);
	return rows_int(r, r->n_rows - 1, "start_ns", 0) +
	       rows_int(r, r->n_rows - 1, "width_ns", 0);
}

void draw_chart(const struct drawing *d)
{
	const struct rows *r = &d->pane->rows;
	const struct box *b = &d->box;
	int y = b->y + b->h - 1, left, any = 0;
	size_t i;

	if (!is_steps(d, r))
		return; /* the window has shrunk: a new answer is coming */
	draw_axis(y--, b->x + CHART_LABEL, (int)r->n_rows, step_ns(r, 0),
		  step_ns(r, r->n_rows), d->origin_ns);
	if (b->h > 4 && largest(r, column_of(r, "findings")) > 0)
		draw_marks(d, y--);
	left = y - b->y + 1;
	for (i = 0; i < sizeof lanes / sizeof lanes[0]; i++)
		any += largest(r, column_of(r, lanes[i].column)) > 0;
	any = any < left - 2 ? any : left - 2;
	for (i = 0; i < sizeof lanes / sizeof lanes[0] && any > 0; i++)
		if (largest(r, column_of(r, lanes[i].column)) > 0)
			draw_lane(d, y - --any, &lanes[i]), left--;
	if (left > 0)
		draw_bars(d, b->y, left);
}

/* ---- lanes ----------------------------------------------------------- */

static void draw_shares(const struct drawing *d, size_t first, size_t end,
			int y, int label)
{
	const struct rows *r = &d->pane->rows;
	int most = draw_steps(d->pane->spec, d->box.w);
	size_t i;

	term_put(y, d->box.x + 1, label - 2, ROLE_TEXT,
		 rows_text(r, first, "lane"));
	for (i = first; i < end; i++) {
		int64_t step = rows_int(r, i, "step", 0);
		double share = rows_real(r, i, "share", 0);

		if (step >= 0 && step < most)
			term_put(y, d->box.x + label + (int)step, 1,
				 !d->pane->spec->alarm ? ROLE_LOAD
				 : share > 0.5         ? ROLE_CRITICAL
				 : share > 0.1         ? ROLE_WARNING
						       : ROLE_GOOD,
				 term_shade(share));
	}
}

/* The span the steps cut up, by any of them. */
static void lanes_axis(const struct drawing *d, int y, int label)
{
	const struct rows *r = &d->pane->rows;
	int n = draw_steps(d->pane->spec, d->box.w);
	int64_t width = rows_int(r, 0, "width_ns", 0);
	int64_t from = rows_int(r, 0, "start_ns", 0) -
		       rows_int(r, 0, "step", 0) * width;

	draw_axis(y, d->box.x + label, n, from, from + n * width, d->origin_ns);
}

void draw_lanes(const struct drawing *d)
{
	struct pane *p = d->pane;
	const struct rows *r = &p->rows;
	int label = label_width(p->spec, d->box.w), y = d->box.y;
	size_t first, end, lane = 0;

	for (first = 0; first < r->n_rows; first = end, lane++) {
		const char *name = rows_text(r, first, "lane");

		for (end = first + 1; end < r->n_rows &&
				      !strcmp(rows_text(r, end, "lane"), name);
		     end++)
			;
		if (lane < p->top || y >= d->box.y + d->box.h - 1)
			continue;
		draw_shares(d, first, end, y++, label);
	}
	if (p->top >= lane)
		p->top = lane ? lane - 1 : 0;
	lanes_axis(d, d->box.y + d->box.h - 1, label);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Steps of time: load and problems, and lanes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clamp.h"
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

static bool is_known(const struct rows *r, size_t row, int column)
{
	return r->cells[row * r->n_columns + (size_t)column].type != VALUE_NULL;
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

/* What is drawn as bars: the first of which anything is known. */
static const struct bars {
	const char *column, *label;
} bars[] = {
	{ "rate_bps", "load" },
	{ "goodput_bps", "goodput" },
	{ "received_bps", "arrived" },
	{ "credit_granted", "granted" },
};

/* How tall a step of a lane is. */
enum scale {
	SCALE_LOG, /* counts: one loss beside a thousand is still seen */
	SCALE_LINEAR,
};

/* What has a lane of its own, the gravest first. */
static const struct lane {
	const char *column, *label;
	enum role role;
	enum scale scale;
	bool known; /* by somebody: where nobody did, nothing is known */
} lanes[] = {
	{ "lost", "lost", ROLE_CRITICAL, SCALE_LOG, false },
	{ "retransmitted", "retx", ROLE_WARNING, SCALE_LOG, false },
	{ "naks", "NAK", ROLE_WARNING, SCALE_LOG, false },
	{ "paused_ns", "paused", ROLE_CRITICAL, SCALE_LOG, false },
	{ "ce", "CE", ROLE_INFO, SCALE_LOG, false },
	{ "cnp", "CNP", ROLE_INFO, SCALE_LOG, false },
	{ "credit_wait_ns", "starved", ROLE_CRITICAL, SCALE_LINEAR, true },
	{ "trimmed", "trimmed", ROLE_WARNING, SCALE_LOG, true },
	{ "marked", "marked", ROLE_INFO, SCALE_LOG, true },
	{ "penalty_max", "penalty", ROLE_INFO, SCALE_LINEAR, true },
	{ "credit_backlog_max", "backlog", ROLE_INFO, SCALE_LINEAR, true },
	{ "credit_granted", "granted", ROLE_LOAD, SCALE_LINEAR, true },
	{ "service_max_ns", "stay", ROLE_INFO, SCALE_LINEAR, true },
	{ "ooo_max", "reorder", ROLE_DIM, SCALE_LINEAR, true },
};

static bool any_known(const struct rows *r, int column)
{
	size_t i;

	for (i = 0; column >= 0 && i < r->n_rows; i++)
		if (is_known(r, i, column))
			return true;
	return false;
}

/* NULL: of none anything is known. */
static const struct bars *bars_of(const struct rows *r)
{
	size_t i;

	for (i = 0; i < sizeof bars / sizeof bars[0]; i++)
		if (any_known(r, column_of(r, bars[i].column)))
			return &bars[i];
	return NULL;
}

/* The largest step, as its column has it. */
static void draw_most(const struct drawing *d, int y, int column, double most)
{
	const struct rows *r = &d->pane->rows;
	const struct query_value v = { .type = VALUE_INT,
				       .i = clamp_real(most) };
	const struct format_options how = { .human = true };
	char buf[FORMAT_CELL];

	term_put(y, d->box.x + d->box.w - CHART_MOST + 1, CHART_MOST - 1,
		 ROLE_TEXT,
		 format_value(&v, r->columns[column].unit, &how, buf));
}

static void draw_bars(const struct drawing *d, const struct bars *b, int y,
		      int h)
{
	const struct rows *r = &d->pane->rows;
	int column = column_of(r, b->column), line;
	double most = largest(r, column);
	size_t i;

	for (i = 0; i < r->n_rows; i++) {
		double v = figure(r, i, column);
		int eighths =
			most > 0 ? (int)(v / most * h * TERM_LEVELS + 0.5) : 0;

		if (v > 0 && !eighths)
			eighths = 1; /* something is not nothing */
		if (!is_known(r, i, column))
			term_put(y + h - 1, d->box.x + CHART_LABEL + (int)i, 1,
				 ROLE_DIM, "-");
		for (line = 0; line < h && eighths > 0; line++) {
			term_put(y + h - 1 - line,
				 d->box.x + CHART_LABEL + (int)i, 1, ROLE_LOAD,
				 term_level(eighths));
			eighths -= TERM_LEVELS;
		}
	}
	term_put(y, d->box.x + 1, CHART_LABEL - 1, ROLE_DIM, b->label);
	draw_most(d, y, column, most);
}
static bool has_lane(const struct rows *r, const struct lane *l,
		     const struct bars *b)
{
	return (!b || strcmp(l->column, b->column) != 0) &&
	       largest(r, column_of(r, l->column)) > 0;
}

static double height(enum scale scale, double v, double most)
{
	return scale == SCALE_LOG ? log1p(v) / log1p(most) : v / most;
}

static void draw_lane(const struct drawing *d, int y, const struct lane *l)
{
	const struct rows *r = &d->pane->rows;
	int column = column_of(r, l->column), x = d->box.x + CHART_LABEL;
	double most = largest(r, column), v;
	size_t i;

	term_put(y, d->box.x + 1, CHART_LABEL - 1, l->role, l->label);
	for (i = 0; i < r->n_rows; i++) {
		v = figure(r, i, column);
		if (v > 0)
			term_put(y, x + (int)i, 1, l->role,
				 term_level(1 + (int)(7 * height(l->scale, v,
								 most))));
		else if (l->known && !is_known(r, i, column))
			term_put(y, x + (int)i, 1, ROLE_DIM, "-");
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
	return clamp_add(rows_int(r, r->n_rows - 1, "start_ns", 0),
			 rows_int(r, r->n_rows - 1, "width_ns", 0));
}

void draw_chart(const struct drawing *d)
{
	const struct rows *r = &d->pane->rows;
	const struct bars *load = bars_of(r);
	const struct box *b = &d->box;
	int y = b->y + b->h - 1, left, any = 0, most;
	size_t i;

	if (!is_steps(d, r))
		return; /* the window has shrunk: a new answer is coming */
	draw_axis(y--, b->x + CHART_LABEL, (int)r->n_rows, step_ns(r, 0),
		  step_ns(r, r->n_rows), d->origin_ns);
	if (b->h > 4 && largest(r, column_of(r, "findings")) > 0)
		draw_marks(d, y--);
	left = y - b->y + 1;
	for (i = 0; i < sizeof lanes / sizeof lanes[0]; i++)
		any += has_lane(r, &lanes[i], load);
	most = load ? left - 2 : left;
	any = any < most ? any : most;
	for (i = 0; i < sizeof lanes / sizeof lanes[0] && any > 0; i++)
		if (has_lane(r, &lanes[i], load))
			draw_lane(d, y - --any, &lanes[i]), left--;
	if (load && left > 0)
		draw_bars(d, load, b->y, left);
	else if (left > 0)
		term_put(b->y, b->x + 2, b->w - 4, ROLE_DIM,
			 "over time its load is not known");
}

/* ---- lanes ----------------------------------------------------------- */

/* Lanes differ at both ends of their names: one too long loses its middle. */
static const char *without_middle(const char *name, int w,
				  char buf[static FORMAT_CELL])
{
	size_t n = strlen(name);
	int columns = term_columns(name), begin = (w - 1) / 2;

	if (columns <= w || (size_t)columns != n || w >= FORMAT_CELL)
		return name;
	snprintf(buf, FORMAT_CELL, "%.*s%s%s", begin, name,
		 term_glyph(GLYPH_MORE), name + n - (size_t)(w - 1 - begin));
	return buf;
}

static void draw_shares(const struct drawing *d, size_t first, size_t end,
			int y, int label)
{
	const struct rows *r = &d->pane->rows;
	int most = draw_steps(d->pane->spec, d->box.w);
	char name[FORMAT_CELL];
	size_t i;

	term_put(y, d->box.x + 1, label - 2, ROLE_TEXT,
		 without_middle(rows_text(r, first, "lane"), label - 2, name));
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
	int64_t from = clamp_sub(rows_int(r, 0, "start_ns", 0),
				 clamp_mul(rows_int(r, 0, "step", 0), width));

	draw_axis(y, d->box.x + label, n, from,
		  clamp_add(from, clamp_mul(n, width)), d->origin_ns);
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

/* SPDX-License-Identifier: GPL-2.0-or-later
 * PSNs over time: time to the right, numbers upwards.
 *
 *	 1,791  |                          .      <x    messages as they were
 *	        |              .     .x           sent, gaps between them, and
 *	     0  |..  .ox                          what had problems
 *	 CNP    |        *                        what has no number: a lane
 *	 data   |-------------------------         when the flow sent at all
 *	 220 Mb |  #       #      #                what has another scale: a
 *	   rate | ####    ###    ###               panel of bars, the highest of
 *	      0 |######  #####  ####               each column */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/units.h"
#include "store/format.h"
#include "tui/draw.h"

enum { LABEL = 12, KINDS = 10, LANES = 3, PANELS = 5, PANEL_LEAST = 2 };

/* In the order they are drawn: the gravest last, over the others. */
static const struct mark {
	const char *kind;
	enum glyph glyph;
	enum role role;
} marks[KINDS] = {
	{ "ACK", GLYPH_LINE, ROLE_GOOD },
	{ "SACK", GLYPH_LINE, ROLE_DIM },
	{ "sent", GLYPH_DASH, ROLE_LOAD },
	{ "reordered", GLYPH_RING, ROLE_DIM },
	{ "retransmitted", GLYPH_RING, ROLE_INFO },
	{ "gap", GLYPH_CROSS, ROLE_WARNING },
	{ "not captured", GLYPH_CROSS, ROLE_DIM },
	{ "NAK", GLYPH_LEFT, ROLE_WARNING },
	{ "trimmed", GLYPH_DOWN, ROLE_WARNING },
	{ "lost", GLYPH_CROSS, ROLE_CRITICAL },
};
/* What has no number; the last: when the flow sent, drawn or not. */
static const struct mark lanes[LANES] = {
	{ "CE", GLYPH_MARK, ROLE_INFO },
	{ "CNP", GLYPH_MARK, ROLE_INFO },
	{ "data", GLYPH_DASH, ROLE_LOAD },
};

static const struct panel {
	const char *kind;
	enum query_unit unit;
} panels[PANELS] = {
	{ "throughput", UNIT_RATE },    { "in flight", UNIT_BYTES },
	{ "ACK delay", UNIT_DURATION }, { "credits", UNIT_COUNT },
	{ "granted", UNIT_COUNT },
};

/* What is shown, and where. */
struct plot {
	const struct rows *r;
	struct box box;      /* of the marks alone */
	int64_t from, to;    /* ns */
	int64_t least, most; /* numbers */
};

static int across(const struct plot *p, int64_t ns)
{
	double part = (double)clamp_sub(ns, p->from) /
		      (double)clamp_sub(p->to, p->from);

	return part <= 0   ? 0
	       : part >= 1 ? p->box.w - 1
			   : (int)(part * p->box.w);
}

static int up(const struct plot *p, int64_t number)
{
	double part = (double)clamp_sub(number, p->least) /
		      ((double)clamp_sub(p->most, p->least) + 1);

	return p->box.h - 1 -
	       (part <= 0   ? 0
		: part >= 1 ? p->box.h - 1
			    : (int)(part * p->box.h));
}

static int64_t end_of(const struct rows *r, size_t row, const char *name,
		      int64_t begin)
{
	int64_t end = rows_int(r, row, name, begin);

	return end < begin ? begin : end;
}

static const struct mark *mark_of(const struct rows *r, size_t row)
{
	const char *kind = rows_text(r, row, "kind");
	size_t i;

	for (i = 0; i < KINDS; i++)
		if (!strcmp(kind, marks[i].kind))
			return &marks[i];
	return NULL;
}

static bool measure(struct plot *p)
{
	size_t i;

	p->least = INT64_MAX;
	p->most = INT64_MIN;
	for (i = 0; i < p->r->n_rows; i++) {
		int64_t n = rows_int(p->r, i, "number", INT64_MIN), end;

		if (n == INT64_MIN || !mark_of(p->r, i))
			continue;
		end = end_of(p->r, i, "end_number", n);
		p->least = n < p->least ? n : p->least;
		p->most = end > p->most ? end : p->most;
	}
	return p->least <= p->most;
}

/* From the begin to the end of a row, a mark in each column; upwards where it
 * has one only. */
static void draw_row(const struct plot *p, size_t row, const struct mark *m)
{
	int64_t ns = rows_int(p->r, row, "ns", 0);
	int64_t number = rows_int(p->r, row, "number", 0);
	int x0 = across(p, ns), x1 = across(p, end_of(p->r, row, "end_ns", ns));
	int y0 = up(p, number);
	int y1 = up(p, end_of(p->r, row, "end_number", number)), x;

	for (int y = y1; x0 == x1 && y < y0; y++)
		term_put(p->box.y + y, p->box.x + x0, 1, m->role,
			 term_glyph(m->glyph));
	for (x = x0; x <= x1; x++) {
		int y = x1 > x0 ? y0 + (y1 - y0) * (x - x0) / (x1 - x0) : y0;

		term_put(p->box.y + y, p->box.x + x, 1, m->role,
			 term_glyph(m->glyph));
	}
}

static void draw_marks(const struct plot *p)
{
	size_t m, i;

	for (m = 0; m < KINDS; m++)
		for (i = 0; i < p->r->n_rows; i++)
			if (mark_of(p->r, i) == &marks[m])
				draw_row(p, i, &marks[m]);
}

/* One lane, if anything is in it; returns the line above. */
static int draw_lane(const struct plot *p, int y, const struct mark *m)
{
	bool any = false;
	size_t i;
	int x, last;

	for (i = 0; i < p->r->n_rows; i++) {
		if (strcmp(rows_text(p->r, i, "kind"), m->kind) != 0)
			continue;
		any = true;
		x = across(p, rows_int(p->r, i, "ns", 0));
		last = across(p, clamp_sub(rows_int(p->r, i, "end_ns", 0), 1));
		do
			term_put(y, p->box.x + x, 1, m->role,
				 term_glyph(m->glyph));
		while (++x <= last);
	}
	if (any)
		term_put(y, p->box.x - LABEL + 1, LABEL - 2, m->role, m->kind);
	return any ? y - 1 : y;
}

static void draw_numbers(const struct plot *p)
{
	char text[UNITS_TEXT];

	term_right(p->box.y, p->box.x - LABEL, LABEL - 1, ROLE_DIM,
		   units_count((uint64_t)(p->most - p->least), text));
	if (p->box.h > 1)
		term_right(p->box.y + p->box.h - 1, p->box.x - LABEL, LABEL - 1,
			   ROLE_DIM, "0");
}

/* ---- panels ---------------------------------------------------------- */

static int64_t largest(const struct rows *r, const struct panel *k)
{
	int64_t most = 0, n;
	size_t i;

	for (i = 0; i < r->n_rows; i++) {
		n = rows_int(r, i, "end_number", 0);
		if (n > most && !strcmp(rows_text(r, i, "kind"), k->kind))
			most = n;
	}
	return most;
}

/* The highest number of |k| in each of |w| columns. */
static void heights(const struct plot *p, const struct panel *k, int64_t *most)
{
	for (size_t i = 0; i < p->r->n_rows; i++) {
		int64_t ns = rows_int(p->r, i, "ns", 0);
		int64_t n = rows_int(p->r, i, "end_number", 0);
		int x = across(p, ns), last;

		if (strcmp(rows_text(p->r, i, "kind"), k->kind) != 0)
			continue;
		last = across(p,
			      clamp_sub(end_of(p->r, i, "end_ns", ns + 1), 1));
		do
			most[x] = n > most[x] ? n : most[x];
		while (++x <= last);
	}
}

/* Its name and its scale, at the left of |h| lines. */
static void draw_scale(const struct plot *p, const struct panel *k, int y,
		       int h, int64_t most)
{
	const struct query_value v = { .type = VALUE_INT, .i = most };
	const struct format_options how = { .human = true };
	char text[FORMAT_CELL];
	int x = p->box.x - LABEL;

	term_right(y, x, LABEL - 1, ROLE_DIM,
		   format_value(&v, k->unit, &how, text));
	term_right(y + 1, x, LABEL - 1, ROLE_LOAD, k->kind);
	if (h > PANEL_LEAST)
		term_right(y + h - 1, x, LABEL - 1, ROLE_DIM, "0");
}

static void draw_panel(const struct plot *p, const struct panel *k, int y,
		       int h, int64_t top)
{
	int64_t *most = calloc((size_t)p->box.w, sizeof *most);

	draw_scale(p, k, y, h, top);
	if (most)
		heights(p, k, most);
	for (int x = 0; most && x < p->box.w; x++) {
		int eighths =
			(int)((double)most[x] / (double)top * h * TERM_LEVELS +
			      0.5);

		if (most[x] > 0 && !eighths)
			eighths = 1; /* something is not nothing */
		for (int line = h - 1; eighths > 0; line--) {
			term_put(y + line, p->box.x + x, 1, ROLE_LOAD,
				 term_level(eighths));
			eighths -= TERM_LEVELS;
		}
	}
	free(most);
}

/* Those that have something, in the lower half; returns the line above. */
static int draw_panels(const struct plot *p, int y)
{
	int64_t tops[PANELS];
	int n = 0, room = y - p->box.y + 1, h;

	for (size_t i = 0; i < PANELS; i++)
		n += (tops[i] = largest(p->r, &panels[i])) > 0;
	if (!n)
		return y;
	h = (room + 1) / (2 * n);
	h = h < PANEL_LEAST ? PANEL_LEAST : h;
	for (size_t i = PANELS; i-- > 0 && y - h > p->box.y;) {
		if (!tops[i])
			continue;
		y -= h;
		draw_panel(p, &panels[i], y + 1, h, tops[i]);
	}
	return y;
}

/* Not every message is stored, and not every stored one drawn. */
static int draw_share(const struct plot *p, int y, int x, int w)
{
	char drawn[UNITS_TEXT], all[UNITS_TEXT], text[80];
	int64_t n = 0, of = 0, messages;
	size_t i;
	int columns;

	for (i = 0; i < p->r->n_rows; i++) {
		n += !strcmp(rows_text(p->r, i, "kind"), "sent");
		messages = rows_int(p->r, i, "messages", 0);
		of = messages > of ? messages : of;
	}
	if (n >= of)
		return 0;
	snprintf(text, sizeof text, "a sample: %s of %s messages",
		 units_count((uint64_t)n, drawn),
		 units_count((uint64_t)of, all));
	columns = term_columns(text);
	if (columns + 2 > w)
		return 0;
	term_put(y, x + w - columns, columns, ROLE_DIM, text);
	return columns + 2;
}

/* Which mark is which, as far as there is room and such a thing. */
static void draw_legend(const struct plot *p, int y, int x, int w)
{
	bool there[KINDS] = { false };
	const struct mark *m;
	size_t i;
	int at = x;

	for (i = 0; i < p->r->n_rows; i++)
		if ((m = mark_of(p->r, i)))
			there[m - marks] = true;
	for (i = 0; i < KINDS; i++) {
		int n = term_columns(marks[i].kind) + 4;

		if (!there[i] || at + n > x + w)
			continue;
		term_printf(y, at, n, marks[i].role, "%s %s",
			    term_glyph(marks[i].glyph), marks[i].kind);
		at += n;
	}
}

/* Not zoomed: the time of the flow, maybe a small part of the capture. */
static void fit_flow(struct plot *p)
{
	int64_t from = p->to, to = p->from, ns, end;

	for (size_t i = 0; i < p->r->n_rows; i++) {
		ns = rows_int(p->r, i, "ns", p->to);
		end = rows_int(p->r, i, "end_ns", ns);
		from = ns < from ? ns : from;
		to = end > to ? end : to;
		to = ns > to ? ns : to;
	}
	if (from >= to)
		return;
	p->from = from > p->from ? from : p->from;
	p->to = to < p->to ? to : p->to;
}

void draw_scatter(const struct drawing *d)
{
	const struct box *b = &d->box;
	struct plot p = {
		.r = &d->pane->rows,
		.box = { b->y + 1, b->x + LABEL, b->h - 2, b->w - LABEL - 1 },
		.from = d->span.from,
		.to = d->span.to > d->span.from ? d->span.to : d->span.from + 1
	};
	int y = b->y + b->h - 1;
	size_t i;

	if (!d->pane->of_span)
		fit_flow(&p);
	draw_axis(y--, p.box.x, p.box.w, p.from, p.to, d->origin_ns);
	for (i = 0; i < LANES && y > b->y + 2; i++)
		y = draw_lane(&p, y, &lanes[i]);
	y = draw_panels(&p, y);
	p.box.h = y - p.box.y + 1;
	if (p.box.h < 1 || !measure(&p))
		return;
	draw_legend(&p, b->y, p.box.x,
		    p.box.w - draw_share(&p, b->y, p.box.x, p.box.w));
	draw_numbers(&p);
	draw_marks(&p);
}

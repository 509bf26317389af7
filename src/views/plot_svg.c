/* SPDX-License-Identifier: GPL-2.0-or-later
 * The picture of a flow.
 *
 * A panel is a row of panels[], a series one of series_of[].  Each series is
 * one path of vertical strokes, one for each run of numbers in a column, so
 * that the file has a bounded size.  The group of a panel has the ranges of its
 * axes as data-... attributes. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "views/plot.h"
#include "views/sequence.h"

enum {
	LEFT = 100,
	RIGHT = 30,
	TOP = 58,
	GAP = 44, /* above a panel: its title and legend */
	ROW = 16, /* more of it, where one line has not room for the legend */
	BOTTOM = 56,
	WIDTH = LEFT + SEQUENCE_COLUMNS + RIGHT,
	TICKS = 10, /* at most, of an axis */
	MAX_IN_PANEL = 10,
	SPARSE = 8,      /* columns, of which one is in use */
	SPARSE_MORE = 3, /* px */
};

static char *count_text(int64_t v, char buf[static UNITS_TEXT])
{
	return units_count((uint64_t)v, buf);
}

static char *bytes_text(int64_t v, char buf[static UNITS_TEXT])
{
	return units_bytes((double)v, buf);
}

static char *rate_text(int64_t v, char buf[static UNITS_TEXT])
{
	return units_rate((double)v, buf);
}

/* In the order in which they are drawn. */
static const struct series {
	enum sequence_series series;
	const char *name;
	const char *color;
	int least; /* height of a stroke at least, px */
	bool held; /* it stays what it was last */
} series_of[] = {
	{ SERIES_SENT, "sent", "#2f6fbb", 2, false },
	{ SERIES_SACKED, "acknowledged by SACK", "#8fbc5a", 3, false },
	{ SERIES_ACKED, "acknowledged", "#3b8f3b", 2, true },
	{ SERIES_LATE, "lower than one before, first seen here", "#b07d00", 4,
	  false },
	{ SERIES_AGAIN, "retransmitted", "#c85a00", 4, false },
	{ SERIES_REORDERED, "reordering", "#8a5cc2", 5, false },
	{ SERIES_NAK, "NAK or NACK", "#c2185b", 6, false },
	{ SERIES_TRIMMED, "trimming", "#7a4a2a", 6, false },
	{ SERIES_LOST, "loss event", "#d00000", 7, false },
	{ SERIES_RESPONSE, "sent", "#2f6fbb", 2, false },
	{ SERIES_RESPONSE_AGAIN, "retransmitted or late", "#c85a00", 4, false },
	{ SERIES_FLIGHT, "payload in flight", "#2f6fbb", 2, true },
	{ SERIES_DELAY, "packet to its ACK", "#2f6fbb", 3, false },
	{ SERIES_CREDIT, "credits in an ACK", "#3b8f3b", 3, true },
	{ SERIES_GRANTED, "credit granted", "#3b8f3b", 3, true },
	{ SERIES_CE, "CE marked", "#b07d00", 10, false },
	{ SERIES_CNP, "CNP", "#8a5cc2", 10, false },
};

struct panel {
	const char *id, *title;
	int height;
	bool from_zero;
	char *(*text)(int64_t v, char buf[static UNITS_TEXT]);
	/* drawn when the first has anything; ends with SERIES_KINDS */
	enum sequence_series series[MAX_IN_PANEL];
};

#define END SERIES_KINDS
static const struct panel panels[] = {
	{ "requests",
	  "PSN, from the first one on",
	  380,
	  false,
	  count_text,
	  { SERIES_SENT, SERIES_SACKED, SERIES_ACKED, SERIES_LATE, SERIES_AGAIN,
	    SERIES_REORDERED, SERIES_NAK, SERIES_TRIMMED, SERIES_LOST, END } },
	{ "responses",
	  "PSN of READ and ATOMIC responses, from the first one on",
	  300,
	  false,
	  count_text,
	  { SERIES_RESPONSE, SERIES_RESPONSE_AGAIN, END } },
	{ "ce", "CE marks", 12, true, NULL, { SERIES_CE, END } },
	{ "cnp", "CNPs to the sender", 12, true, NULL, { SERIES_CNP, END } },
	{ "flight",
	  "Payload sent and not acknowledged, at the capture point",
	  120,
	  true,
	  bytes_text,
	  { SERIES_FLIGHT, END } },
	{ "delay",
	  "Delay from a packet to its ACK, at the capture point",
	  120,
	  true,
	  units_ns,
	  { SERIES_DELAY, END } },
	{ "window",
	  "Window: messages beyond the acknowledged ones that the receiver has "
	  "credits for",
	  120,
	  true,
	  count_text,
	  { SERIES_CREDIT, END } },
	{ "credit",
	  "Window: credit granted since the first grant (its unit is not "
	  "published)",
	  120,
	  true,
	  count_text,
	  { SERIES_GRANTED, END } },
};
enum { PANELS = sizeof panels / sizeof panels[0], THROUGHPUT = 120 };

struct svg {
	FILE *out;
	const struct sequence *s;
	const struct plot_text *t;
	int y; /* where the next panel begins */
};

static void text(FILE *out, const char *s)
{
	char *clean = text_printable(s);

	for (const char *c = clean; c && *c; c++)
		switch (*c) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		default:
			putc(*c, out);
		}
	free(clean);
}

/* ---- axes ----------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten, so that |span| has no more than |ticks|. */
static int64_t step_for(int64_t span, int ticks)
{
	double least = (double)span / ticks;
	double ten = pow(10, floor(log10(least < 1 ? 1 : least)));

	for (int i = 0; i < 3; i++) {
		double step = ten * (int[]) { 1, 2, 5 }[i];

		if (step >= least)
			return (int64_t)step;
	}
	return (int64_t)(ten * 10);
}

static double x_of(const struct svg *g, int64_t ns)
{
	return LEFT + (double)(ns - g->t->from_ns) /
			      ((double)(g->t->to_ns - g->t->from_ns) + 1) *
			      SEQUENCE_COLUMNS;
}

static double y_of(const struct sequence_run *range, int height, int64_t v)
{
	double span = (double)(range->high - range->low);

	return height - (span > 0 ? (double)(v - range->low) / span : 0.5) *
				(double)height;
}

static void time_lines(const struct svg *g, int height)
{
	int64_t span = g->t->to_ns - g->t->from_ns;
	int64_t step = step_for(span, TICKS);

	for (int64_t ns = 0; ns <= span; ns += step)
		fprintf(g->out,
			"<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" "
			"y2=\"%d\"/>\n",
			x_of(g, g->t->from_ns + ns),
			x_of(g, g->t->from_ns + ns), height);
}

static void value_lines(const struct svg *g, const struct panel *p,
			const struct sequence_run *range)
{
	char buf[UNITS_TEXT];
	int64_t step = step_for(range->high - range->low, p->height / 28);
	int64_t v = range->low;

	if (v % step)
		v += v > 0 ? step - v % step : -(v % step);
	for (; v <= range->high; v += step) {
		double y = y_of(range, p->height, v);

		fprintf(g->out,
			"<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
			"y2=\"%.1f\"/>\n<text class=\"value\" x=\"%d\" "
			"y=\"%.1f\">%s</text>\n",
			LEFT, LEFT + SEQUENCE_COLUMNS, y, y, LEFT - 8, y + 4,
			p->text(v, buf));
	}
}

static void time_axis(struct svg *g)
{
	char buf[UNITS_TEXT];
	int64_t span = g->t->to_ns - g->t->from_ns;
	int64_t step = step_for(span, TICKS);

	for (int64_t ns = 0; ns <= span; ns += step)
		fprintf(g->out,
			"<text class=\"time\" x=\"%.1f\" y=\"%d\">%s</text>\n",
			x_of(g, g->t->from_ns + ns), g->y + 18,
			ns ? units_ns(ns, buf) : "0");
	fprintf(g->out,
		"<text class=\"time\" x=\"%d\" y=\"%d\">Time since %s of the "
		"capture</text>\n",
		LEFT + SEQUENCE_COLUMNS / 2, g->y + 40,
		units_offset(g->t->from_ns - g->t->origin_ns, buf));
}

/* ---- panels --------------------------------------------------------- */

static const struct series *look_of(enum sequence_series series)
{
	const struct series *s = series_of;

	while (s->series != series)
		s++;
	return s;
}

/* Columns that have few neighbors: flows of single packets.  A mark of two
 * pixels there is not seen. */
static bool is_sparse(const struct svg *g, const struct series *look)
{
	size_t n = 0;

	for (size_t i = 0; i < SEQUENCE_COLUMNS; i++)
		n += sequence_cell(g->s, look->series, i)->n > 0;
	return n * SPARSE < SEQUENCE_COLUMNS;
}

static void stroke(const struct svg *g, int least, double low, double high)
{
	double more = (least - (low - high)) / 2;

	if (more > 0) {
		low += more;
		high -= more;
	}
	fprintf(g->out, "%.1fV%.1f", low, high);
}

static void strokes(const struct svg *g, const struct series *look,
		    const struct sequence_run *range, int height)
{
	bool sparse = !look->held && is_sparse(g, look);
	int least = look->least + (sparse ? SPARSE_MORE : 0);
	double held = -1;

	fprintf(g->out,
		"<path class=\"series\" stroke=\"%s\" stroke-width=\"%s\" "
		"d=\"",
		look->color,
		sparse            ? "4"
		: look->least > 2 ? "2.5"
				  : "1.5");
	for (size_t i = 0; i < SEQUENCE_COLUMNS; i++) {
		const struct sequence_cell *c =
			sequence_cell(g->s, look->series, i);

		if (c->n && held >= 0)
			fprintf(g->out, "H%zu.5", LEFT + i);
		for (unsigned k = 0; k < c->n; k++) {
			fprintf(g->out, "M%zu.5 ", LEFT + i);
			stroke(g, least, y_of(range, height, c->runs[k].low),
			       y_of(range, height, c->runs[k].high));
		}
		if (c->n && look->held) {
			held = y_of(range, height, c->last);
			fprintf(g->out, "M%zu.5 %.1f", LEFT + i, held);
		}
	}
	if (held >= 0)
		fprintf(g->out, "H%d", LEFT + SEQUENCE_COLUMNS);
	fputs("\"/>\n", g->out);
}

/* The names of those series that have something, written where |y| is not 0;
 * returns the lines that they need. */
static int legend(const struct svg *g, const struct panel *p, int y)
{
	char count[UNITS_TEXT];
	int x = LEFT, lines = 1;

	for (const enum sequence_series *k = p->series; *k != END; k++) {
		const struct series *look = look_of(*k);
		uint64_t n = sequence_count(g->s, *k);
		int wide;

		if (!n)
			continue;
		units_count(n, count);
		wide = 40 + (int)(strlen(look->name) + strlen(count)) * 7;
		if (x > LEFT && x + wide > WIDTH) {
			x = LEFT;
			lines++;
		}
		if (y)
			fprintf(g->out,
				"<rect x=\"%d\" y=\"%d\" width=\"10\" "
				"height=\"10\" fill=\"%s\"/>\n<text "
				"x=\"%d\" y=\"%d\">%s (%s)</text>\n",
				x, y + (lines - 1) * ROW - 9, look->color,
				x + 14, y + (lines - 1) * ROW, look->name,
				count);
		x += wide;
	}
	return lines;
}

/* The legend has so many lines more than one. */
static void panel_begin(struct svg *g, const char *id, const char *title,
			int height, int more, const struct sequence_run *range)
{
	g->y += more * ROW;
	fprintf(g->out,
		"<g id=\"%s\" transform=\"translate(0 %d)\" "
		"data-low=\"%lld\" data-high=\"%lld\">\n"
		"<text class=\"title\" x=\"%d\" y=\"%d\">%s</text>\n"
		"<rect class=\"frame\" x=\"%d\" y=\"0\" width=\"%d\" "
		"height=\"%d\"/>\n",
		id, g->y, (long long)range->low, (long long)range->high, LEFT,
		-22 - more * ROW, title, LEFT, SEQUENCE_COLUMNS, height);
	time_lines(g, height);
}

static void panel_end(struct svg *g, int height)
{
	fputs("</g>\n", g->out);
	g->y += height + GAP;
}

static void widen(struct sequence_run *range, const struct sequence_run *by)
{
	if (by->low < range->low)
		range->low = by->low;
	if (by->high > range->high)
		range->high = by->high;
}

/* The highest value is not on the frame. */
static void leave_room(struct sequence_run *range)
{
	range->high += (range->high - range->low + 15) / 16;
}

static void panel(struct svg *g, const struct panel *p)
{
	struct sequence_run range, r;
	int more;

	if (!sequence_range(g->s, p->series[0], &range))
		return;
	more = legend(g, p, 0) - 1;
	for (const enum sequence_series *k = p->series; *k != END; k++)
		if (sequence_range(g->s, *k, &r))
			widen(&range, &r);
	if (p->from_zero)
		range.low = 0;
	if (p->text)
		leave_room(&range);
	panel_begin(g, p->id, p->title, p->height, more, &range);
	if (p->text)
		value_lines(g, p, &range);
	for (size_t i = 0; i < sizeof series_of / sizeof series_of[0]; i++)
		for (const enum sequence_series *k = p->series; *k != END; k++)
			if (*k == series_of[i].series &&
			    sequence_count(g->s, *k))
				strokes(g, &series_of[i], &range, p->height);
	legend(g, p, -6 - more * ROW);
	panel_end(g, p->height);
}

static void throughput(struct svg *g)
{
	const struct panel p = { .height = THROUGHPUT, .text = rate_text };
	struct sequence_run range = { 0, 0 };
	char title[96], buf[UNITS_TEXT];

	for (size_t i = 0; i < SEQUENCE_BINS; i++)
		widen(&range,
		      &(struct sequence_run) { 0, sequence_rate(g->s, i) });
	leave_room(&range);
	snprintf(title, sizeof title, "Throughput on the wire, %s a step",
		 units_ns(sequence_bin_ns(g->s), buf));
	panel_begin(g, "throughput", title, THROUGHPUT, 0, &range);
	value_lines(g, &p, &range);
	fprintf(g->out, "<path class=\"rate\" d=\"M%d %d", LEFT, THROUGHPUT);
	for (size_t i = 0; i < SEQUENCE_BINS; i++)
		fprintf(g->out, "V%.1fH%zu",
			y_of(&range, THROUGHPUT, sequence_rate(g->s, i)),
			LEFT + (i + 1) * SEQUENCE_COLUMNS / SEQUENCE_BINS);
	fprintf(g->out, "V%dZ\"/>\n", THROUGHPUT);
	panel_end(g, THROUGHPUT);
}

/* ---- the whole ------------------------------------------------------ */

static const char style[] =
	"<style>\n"
	"svg{background:#fff;color:#222}\n"
	"text{font:12px system-ui,sans-serif;fill:currentColor}\n"
	".name{font-size:16px;font-weight:600}\n"
	".title{font-weight:600}\n"
	".value{text-anchor:end}.time{text-anchor:middle}\n"
	".grid{stroke:currentColor;stroke-opacity:.12}\n"
	".frame{fill:none;stroke:currentColor;stroke-opacity:.4}\n"
	".series{fill:none}.rate{fill:#2f6fbb;fill-opacity:.35;stroke:#2f6fbb}"
	"\n"
	"@media(prefers-color-scheme:dark){"
	"svg{background:#16181c;color:#ddd}}\n"
	"</style>\n";

static int height_of(const struct svg *g)
{
	struct sequence_run r;
	int height = TOP + THROUGHPUT + GAP + BOTTOM;

	for (size_t i = 0; i < PANELS; i++)
		if (sequence_range(g->s, panels[i].series[0], &r))
			height += panels[i].height + GAP +
				  (legend(g, &panels[i], 0) - 1) * ROW;
	return height;
}

void plot_svg(FILE *out, const struct sequence *s, const struct plot_text *t)
{
	struct svg g = { .out = out, .s = s, .t = t, .y = TOP + GAP };
	int height = height_of(&g);

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
		"data-from-ns=\"%lld\" data-to-ns=\"%lld\" "
		"data-first-psn=\"%lld\" "
		"data-first-response=\"%lld\">\n<title>",
		WIDTH, height, WIDTH, height, (long long)t->from_ns,
		(long long)t->to_ns, (long long)sequence_base(s, false),
		(long long)sequence_base(s, true));
	text(out, t->flow);
	fprintf(out, "</title>\n%s<text class=\"name\" x=\"%d\" y=\"28\">",
		style, LEFT);
	text(out, t->flow);
	fprintf(out, "</text>\n<text x=\"%d\" y=\"48\">Seen at ", LEFT);
	text(out, t->tap);
	fputs("</text>\n", out);
	for (size_t i = 0; i < PANELS; i++)
		panel(&g, &panels[i]);
	throughput(&g);
	g.y -= GAP;
	time_axis(&g);
	fputs("</svg>\n", out);
}

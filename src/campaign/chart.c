/* SPDX-License-Identifier: GPL-2.0-or-later
 * A chart, as SVG.  Each series is a group with its values as data-...
 * attributes, so that a reader, or a test, can take them from the picture. */
#include "campaign/chart.h"

#include <math.h>

#include "views/report_page.h"

enum {
	WIDTH = 820,
	HEIGHT = 300,
	LEFT = 80,
	RIGHT = 20,
	TOP = 34,
	BOTTOM = 54,
	LEGEND = 18, /* a line of it */
	Y_TICKS = 6
};

static const char *const colors[CHART_SERIES] = { "#3b7cc4", "#c8651b",
						  "#3f9a4d", "#b03a6f",
						  "#8a63c2", "#8c7a1e",
						  "#2f9b9b", "#7d7d7d" };

static double y_most(const struct chart *c)
{
	double most = 0;

	for (size_t i = 0; i < c->n_series && i < CHART_SERIES; i++)
		for (size_t k = 0; k < c->series[i].n; k++) {
			const struct chart_point *p = &c->series[i].points[k];

			most = fmax(most, fmax(p->y, p->high));
		}
	return most > 0 ? most : 1;
}

/* 1, 2 or 5 times a power of ten. */
static double step_for(double span)
{
	double ten = pow(10, floor(log10(span / Y_TICKS)));
	double least = span / Y_TICKS;

	for (int i = 0; i < 3; i++)
		if (ten * (int[]) { 1, 2, 5 }[i] >= least)
			return ten * (int[]) { 1, 2, 5 }[i];
	return ten * 10;
}

/* The axis ends with a line above all values. */
static double axis_top(const struct chart *c)
{
	double most = y_most(c), step = step_for(most);

	return ceil(most / step - 1e-9) * step;
}

static double x_of(const struct chart *c, double x)
{
	double span = c->x_high - c->x_low;

	return LEFT + (span > 0 ? (x - c->x_low) / span : 0.5) *
			      (WIDTH - LEFT - RIGHT);
}

static double y_of(double top, double y)
{
	return TOP + (1 - y / top) * (HEIGHT - TOP - BOTTOM);
}

static void axes(struct page *p, const struct chart *c, double top)
{
	double step = step_for(y_most(c));

	/* to |top|, which is so many of them */
	for (double v = 0; v <= top * 1.0001; v += step)
		html_raw(p,
			 "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" "
			 "stroke=\"currentColor\" stroke-opacity=\".15\"/>"
			 "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g"
			 "</text>\n",
			 LEFT, WIDTH - RIGHT, y_of(top, v), y_of(top, v),
			 LEFT - 8, y_of(top, v) + 4, v);
	for (size_t i = 0; i < c->n_ticks; i++) {
		html_raw(p, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
			 x_of(c, c->ticks[i].at), HEIGHT - BOTTOM + 18);
		html_text(p, c->ticks[i].label);
		html_raw(p, "</text>\n");
	}
	html_raw(p, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
		 (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14);
	html_text(p, c->x_title);
	html_raw(p, "</text>\n<text x=\"%d\" y=\"20\" font-weight=\"600\">",
		 LEFT);
	html_text(p, c->title);
	if (*c->unit) {
		html_raw(p, ", ");
		html_text(p, c->unit);
	}
	html_raw(p, "</text>\n");
}

static void whisker(struct page *p, double x, double low, double high)
{
	html_raw(p,
		 "<path d=\"M%.1f %.1fV%.1fM%.1f %.1fh8M%.1f %.1fh8\" "
		 "stroke=\"currentColor\" fill=\"none\"/>\n",
		 x, low, high, x - 4, low, x - 4, high);
}

static void bar(struct page *p, double x, double width, double top, double y,
		const char *color)
{
	html_raw(p,
		 "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		 "fill=\"%s\"/>\n",
		 x - width / 2, y_of(top, y), width,
		 HEIGHT - BOTTOM - y_of(top, y), color);
}

static void points(struct page *p, const struct chart *c, size_t i, double top)
{
	const struct chart_series *s = &c->series[i];
	size_t n = c->n_series < CHART_SERIES ? c->n_series : CHART_SERIES;
	double room = (WIDTH - LEFT - RIGHT) /
		      (c->x_high - c->x_low > 0 ? c->x_high - c->x_low : 1);
	double width = fmin(room * 0.8 / (double)n, 60);

	for (size_t k = 0; k < s->n; k++) {
		const struct chart_point *v = &s->points[k];
		double x = x_of(c, v->x);

		if (c->kind == CHART_BARS) {
			x += ((double)i - (double)(n - 1) / 2) * width;
			bar(p, x, width * 0.9, top, v->y, colors[i]);
		} else if (c->kind != CHART_PLAIN && !s->line) {
			html_raw(p,
				 "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" "
				 "fill=\"%s\"/>\n",
				 x, y_of(top, v->y), colors[i]);
		}
		if (v->low < v->high)
			whisker(p, x, y_of(top, v->low), y_of(top, v->high));
	}
}

/* A bar that is missing is not one of height 0. */
static void unknown_bars(struct page *p, const struct chart *c)
{
	for (size_t t = 0; t < c->n_ticks; t++) {
		bool known = false;

		for (size_t i = 0; i < c->n_series; i++)
			for (size_t k = 0; k < c->series[i].n && !known; k++)
				known = c->series[i].points[k].x ==
					c->ticks[t].at;
		if (!known)
			html_raw(p,
				 "<text x=\"%.1f\" y=\"%d\" "
				 "text-anchor=\"middle\">n/a</text>\n",
				 x_of(c, c->ticks[t].at), HEIGHT - BOTTOM - 6);
	}
}

static void series(struct page *p, const struct chart *c, size_t i, double top)
{
	const struct chart_series *s = &c->series[i];

	html_raw(p, "<g class=\"series\" data-name=\"");
	html_text(p, s->name);
	html_raw(p, "\" data-values=\"");
	for (size_t k = 0; k < s->n; k++)
		html_raw(p, "%s%.6g,%.9g", k ? " " : "", s->points[k].x,
			 s->points[k].y);
	html_raw(p, "\">\n");
	if (c->kind == CHART_LINES || c->kind == CHART_PLAIN || s->line) {
		html_raw(p,
			 "<polyline fill=\"none\" stroke=\"%s\" "
			 "stroke-width=\"2\" points=\"",
			 colors[i]);
		for (size_t k = 0; k < s->n; k++)
			html_raw(p, "%.1f,%.1f ", x_of(c, s->points[k].x),
				 y_of(top, s->points[k].y));
		html_raw(p, "\"/>\n");
	}
	points(p, c, i, top);
	html_raw(p, "</g>\n");
}

static void legend(struct page *p, const struct chart *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int y = HEIGHT + LEGEND * (int)i;

		html_raw(p,
			 "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" "
			 "fill=\"%s\"/><text x=\"%d\" y=\"%d\">",
			 LEFT, y, colors[i], LEFT + 16, y + 9);
		html_text(p, c->series[i].name);
		html_raw(p, "</text>\n");
	}
	if (c->n_series > n)
		html_raw(p,
			 "<text x=\"%d\" y=\"%d\">and %zu more, in the table"
			 "</text>\n",
			 LEFT, HEIGHT + LEGEND * (int)n + 9, c->n_series - n);
}

void chart_draw(struct page *p, const struct chart *c)
{
	size_t n = c->n_series < CHART_SERIES ? c->n_series : CHART_SERIES;
	/* one series of all runs needs no name */
	size_t named = c->n_series > 1 ? n : 0;
	int height = HEIGHT + LEGEND * (int)(named + (c->n_series > n)) + 6;
	double top = axis_top(c);

	html_raw(p,
		 "<figure id=\"%s\"><svg xmlns=\"http://www.w3.org/2000/svg\" "
		 "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
		 "role=\"img\" font-size=\"12\" fill=\"currentColor\" "
		 "font-family=\"sans-serif\"><title>",
		 c->id, WIDTH, height, WIDTH, height);
	html_text(p, c->title);
	html_raw(p, "</title>\n");
	axes(p, c, top);
	for (size_t i = 0; i < n; i++)
		series(p, c, i, top);
	if (c->kind == CHART_BARS)
		unknown_bars(p, c);
	if (named)
		legend(p, c, named);
	html_raw(p, "</svg></figure>\n");
}

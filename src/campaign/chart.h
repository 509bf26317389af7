/* SPDX-License-Identifier: GPL-2.0-or-later
 * A chart of a campaign, drawn as SVG into the page: no script. */
#ifndef FABSCOPE_CAMPAIGN_CHART_H
#define FABSCOPE_CAMPAIGN_CHART_H

#include <stdbool.h>
#include <stddef.h>

struct page;

enum chart_kind {
	CHART_LINES,
	CHART_BARS, /* x counts categories from 0 */
	CHART_DOTS,
	CHART_PLAIN /* lines without marks */
};

struct chart_point {
	double x, y;
	double low, high; /* of an interval, when low < high */
};

struct chart_series {
	const char *name; /* may be hostile */
	const struct chart_point *points;
	size_t n;
	bool line; /* of dots: these two points are a line */
};

struct chart_tick {
	double at;
	const char *label; /* may be hostile */
};

struct chart {
	const char *id, *title, *x_title, *unit;
	enum chart_kind kind;
	double x_low, x_high;
	const struct chart_tick *ticks;
	size_t n_ticks;
	const struct chart_series *series;
	size_t n_series; /* those beyond CHART_SERIES are only counted */
};

enum { CHART_SERIES = 8 };

void chart_draw(struct page *p, const struct chart *c);

#endif

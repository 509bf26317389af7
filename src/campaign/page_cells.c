/* SPDX-License-Identifier: GPL-2.0-or-later
 * The charts of a test. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/chart.h"
#include "campaign/page_int.h"

enum { NAME_SIZE = 256 };

void page_cell_name(char *to, size_t size, const struct campaign_cells *all,
		    const struct campaign_run *r, enum campaign_param but)
{
	size_t n = 0;

	*to = 0;
	for (size_t i = 0; i < CAMPAIGN_PARAMS && n < size; i++)
		if (i != but && all->varied[i])
			n += (size_t)snprintf(
				to + n, size - n, "%s%s %s", n ? ", " : "",
				campaign_params[i].title,
				r->params[i].text ? r->params[i].text
						  : "not given");
	if (!*to)
		snprintf(to, size, "all runs");
}

/* ---- a metric over a parameter */

struct drawing {
	struct chart_series *series;
	struct chart_point *points;
	struct chart_tick *ticks;
	const struct campaign_run **at; /* one with the x of each tick */
	char (*names)[NAME_SIZE];
	struct chart chart;
};

static void drawing_fini(struct drawing *d)
{
	free(d->series);
	free(d->points);
	free(d->ticks);
	free(d->at);
	free(d->names);
}

static int drawing_init(struct drawing *d, size_t n)
{
	*d = (struct drawing) { 0 };
	d->series = calloc(n + 1, sizeof *d->series);
	d->points = calloc(n + 1, sizeof *d->points);
	d->ticks = calloc(n + 1, sizeof *d->ticks);
	d->at = calloc(n + 1, sizeof *d->at);
	d->names = calloc(n + 1, sizeof *d->names);
	if (d->series && d->points && d->ticks && d->at && d->names)
		return 0;
	drawing_fini(d);
	return -1;
}

static bool same_x(const struct campaign_run *a, const struct campaign_run *b,
		   enum campaign_param x)
{
	const char *ta = a->params[x].text, *tb = b->params[x].text;

	if (!ta || !tb)
		return ta == tb;
	if (campaign_params[x].kind == KIND_WORD)
		return !strcmp(ta, tb);
	return a->params[x].number == b->params[x].number;
}

static int by_number(const void *a, const void *b, void *ctx)
{
	const enum campaign_param x = *(const enum campaign_param *)ctx;
	const struct campaign_cell *ca = a, *cb = b;
	double na = ca->runs[0]->params[x].number;
	double nb = cb->runs[0]->params[x].number;

	return (na > nb) - (na < nb);
}

/* The values of x, in their order, as ticks 0, 1, 2... */
static int find_ticks(struct drawing *d, const struct campaign_cells *all,
		      enum campaign_param x)
{
	struct campaign_cell *cells = calloc(all->n + 1, sizeof *cells);
	size_t n = 0;

	if (!cells)
		return -1;
	memcpy(cells, all->cells, all->n * sizeof *cells);
	if (campaign_params[x].kind != KIND_WORD)
		qsort_r(cells, all->n, sizeof *cells, by_number, &x);
	for (size_t i = 0; i < all->n; i++) {
		const struct campaign_run *r = cells[i].runs[0];
		size_t k;

		for (k = 0; k < n; k++)
			if (same_x(d->at[k], r, x))
				break;
		if (k < n)
			continue;
		d->ticks[n].at = (double)n;
		d->ticks[n].label =
			r->params[x].text ? r->params[x].text : "not given";
		d->at[n++] = r;
	}
	free(cells);
	d->chart.ticks = d->ticks;
	d->chart.n_ticks = n;
	return 0;
}

static double tick_of(const struct drawing *d, const struct campaign_run *r,
		      enum campaign_param x)
{
	size_t i = 0;

	while (i < d->chart.n_ticks && !same_x(d->at[i], r, x))
		i++;
	return (double)i;
}

static void put_points(struct drawing *d, const struct campaign_cells *all,
		       enum campaign_param x, enum campaign_metric m)
{
	size_t n = 0, points = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct campaign_run *r = all->cells[i].runs[0];
		struct summary s;

		if (!campaign_summary(&all->cells[i], m, &s))
			continue;
		/* cells are sorted by all but x: a series is in a row */
		page_cell_name(d->names[n], NAME_SIZE, all, r, x);
		if (!n || strcmp(d->names[n], d->names[n - 1]) != 0) {
			d->series[n].name = d->names[n];
			d->series[n++].points = &d->points[points];
		}
		d->points[points++] = (struct chart_point) {
			.x = tick_of(d, r, x),
			.y = s.median,
			.low = s.coverage > 0 ? s.low : 0,
			.high = s.coverage > 0 ? s.high : 0,
		};
		d->series[n - 1].n++;
	}
	d->chart.series = d->series;
	d->chart.n_series = n;
}

static void chart_id(char to[static 32], const char *what, const char *section)
{
	snprintf(to, 32, "%s-%s", what, section);
	for (char *c = to; *c; c++)
		if (*c == '.')
			*c = '-';
}

int page_chart(struct page *p, const struct campaign_test *t,
	       const struct campaign_cells *all)
{
	enum campaign_metric m = t->metrics[0];
	char id[32];
	struct drawing d;

	if (drawing_init(&d, all->n))
		return -1;
	if (find_ticks(&d, all, t->x)) {
		drawing_fini(&d);
		return -1;
	}
	put_points(&d, all, t->x, m);
	chart_id(id, "chart", t->section);
	d.chart.id = id;
	d.chart.title = campaign_metric_title(m);
	d.chart.unit = campaign_metric_unit(m);
	d.chart.x_title = campaign_params[t->x].title;
	/* with one x there is nothing to connect */
	d.chart.kind = t->plot == PLOT_BARS || d.chart.n_ticks == 1
			       ? CHART_BARS
			       : CHART_LINES;
	d.chart.x_low = -0.5;
	d.chart.x_high = (double)d.chart.n_ticks - 0.5;
	if (d.chart.n_series)
		chart_draw(p, &d.chart);
	drawing_fini(&d);
	return 0;
}

/* ---- a metric over the hours */

struct hours {
	double *x, *y;
	struct chart_point *points;
	size_t n;
};

static void hours_fini(struct hours *h)
{
	free(h->x);
	free(h->y);
	free(h->points);
}

static int hours_of(struct hours *h, const struct campaign_cell *c,
		    enum campaign_metric m)
{
	*h = (struct hours) { .x = calloc(c->n_runs + 1, sizeof *h->x),
			      .y = calloc(c->n_runs + 1, sizeof *h->y),
			      .points = calloc(c->n_runs + 3,
					       sizeof *h->points) };
	if (!h->x || !h->y || !h->points) {
		hours_fini(h);
		return -1;
	}
	for (size_t i = 0; i < c->n_runs; i++) {
		const struct campaign_run *r = c->runs[i];

		if (isnan(r->metric[m]) || isnan(r->hour))
			continue;
		h->x[h->n] = r->hour;
		h->y[h->n] = r->metric[m];
		h->points[h->n] = (struct chart_point) { .x = r->hour,
							 .y = r->metric[m] };
		h->n++;
	}
	return 0;
}

static double median_of(const double *v, size_t n)
{
	double *copy = malloc((n + 1) * sizeof *copy);
	struct summary s = { 0 };

	if (copy) {
		memcpy(copy, v, n * sizeof *v);
		summarize(copy, n, &s);
	}
	free(copy);
	return s.median;
}

static void hour_ticks(struct chart *c, struct chart_tick ticks[static 5],
		       char labels[static 5][16])
{
	for (size_t i = 0; i < 5; i++) {
		ticks[i].at = c->x_low + (c->x_high - c->x_low) * (double)i / 4;
		snprintf(labels[i], 16, "%.3g h", ticks[i].at);
		ticks[i].label = labels[i];
	}
	c->ticks = ticks;
	c->n_ticks = 5;
}

static void draw_hours(struct page *p, const struct campaign_test *t,
		       const struct hours *h, enum campaign_metric m,
		       const struct trend *trend, const char *id)
{
	double x = median_of(h->x, h->n), y = median_of(h->y, h->n);
	struct chart_point line[2];
	struct chart_series series[2] = {
		{ .name = "a run", .points = h->points, .n = h->n },
		{ .name = "trend", .points = line, .n = 2, .line = true },
	};
	struct chart_tick ticks[5];
	char labels[5][16];
	struct chart c = { .id = id,
			   .title = campaign_metric_title(m),
			   .unit = campaign_metrics[m].unit,
			   .x_title = "Hours since the begin of the test",
			   .kind = CHART_DOTS,
			   .x_low = h->x[0],
			   .x_high = h->x[0],
			   .series = series,
			   .n_series = 2 };

	(void)t;
	for (size_t i = 0; i < h->n; i++) {
		c.x_low = fmin(c.x_low, h->x[i]);
		c.x_high = fmax(c.x_high, h->x[i]);
	}
	for (size_t i = 0; i < 2; i++) {
		line[i] = (struct chart_point) { .x = i ? c.x_high : c.x_low };
		line[i].y = y + trend->slope * (line[i].x - x);
	}
	hour_ticks(&c, ticks, labels);
	chart_draw(p, &c);
}

static void say_trend(struct page *p, const struct trend *t,
		      enum campaign_metric m)
{
	const char *unit = campaign_metrics[m].unit;

	html_raw(p, "<p>Drift: %.4g %s an hour over %zu runs", t->slope, unit,
		 t->n);
	if (!t->interval)
		html_raw(p, "; too few for an interval.</p>\n");
	else
		html_raw(p, " (95 %% interval %.4g to %.4g): %s.</p>\n", t->low,
			 t->high,
			 t->low > 0 || t->high < 0
				 ? "statistically significant"
				 : "not statistically significant");
}

int page_hours(struct page *p, const struct campaign_test *t,
	       const struct campaign_cells *all, enum campaign_metric m)
{
	for (size_t i = 0; i < all->n; i++) {
		char id[32], name[NAME_SIZE];
		struct hours h;
		struct trend trend;

		if (hours_of(&h, &all->cells[i], m))
			return -1;
		if (trend_of(h.x, h.y, h.n, &trend)) {
			snprintf(id, sizeof id, "hours-%u-%zu", (unsigned)m, i);
			page_cell_name(name, sizeof name, all,
				       all->cells[i].runs[0], CAMPAIGN_PARAMS);
			html_raw(p, "<h4>");
			html_text(p, campaign_metric_title(m));
			html_raw(p, ": ");
			html_text(p, name);
			html_raw(p, "</h4>\n");
			draw_hours(p, t, &h, m, &trend, id);
			say_trend(p, &trend, m);
		}
		hours_fini(&h);
	}
	return 0;
}

/* ---- distributions */

struct pool {
	struct campaign_step *steps; /* ascending, each once */
	size_t n;
	int64_t samples;
};

static int by_step(const void *a, const void *b)
{
	const struct campaign_step *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static int pool_of(struct pool *to, const struct campaign_cell *c)
{
	size_t room = 1, n = 0;

	*to = (struct pool) { 0 };
	for (size_t i = 0; i < c->n_runs; i++)
		room += c->runs[i]->n_steps;
	to->steps = calloc(room, sizeof *to->steps);
	if (!to->steps)
		return -1;
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i]->n_steps; k++)
			to->steps[n++] = c->runs[i]->steps[k];
	qsort(to->steps, n, sizeof *to->steps, by_step);
	for (size_t i = 0; i < n; i++) {
		struct campaign_step *last =
			to->n ? &to->steps[to->n - 1] : NULL;

		to->samples += to->steps[i].n;
		if (last && last->from_ns == to->steps[i].from_ns)
			last->n += to->steps[i].n;
		else
			to->steps[to->n++] = to->steps[i];
	}
	return 0;
}

/* Within its step a sample may be anywhere: the middle stands for all. */
static double middle_us(const struct campaign_step *s)
{
	return ((double)s->from_ns + (double)s->to_ns) / 2e3;
}

static double percentile(const struct pool *pool, double share)
{
	int64_t upto = 0;

	for (size_t i = 0; i < pool->n; i++) {
		upto += pool->steps[i].n;
		if ((double)upto >= share * (double)pool->samples)
			return middle_us(&pool->steps[i]);
	}
	return NAN;
}

static void delay_row(struct page *p, const char *name, const struct pool *pool,
		      const struct campaign_cell *c)
{
	static const double shares[] = { 0.5, 0.95, 0.99, 0.999 };
	struct summary s;

	html_raw(p, "<tr><td>");
	html_text(p, name);
	html_raw(p, "</td><td class=\"n\">%zu</td><td class=\"n\">%lld</td>",
		 c->n_runs, (long long)pool->samples);
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		html_raw(p, "<td class=\"n\">%.4g</td>",
			 percentile(pool, shares[i]));
	if (campaign_summary(c, METRIC_DELAY_P99, &s))
		html_raw(p, "<td class=\"n\">%.4g to %.4g</td></tr>\n", s.least,
			 s.most);
	else
		html_raw(p, "<td>n/a</td></tr>\n");
}

static size_t curve(struct chart_point *to, const struct pool *pool)
{
	int64_t upto = 0;
	size_t n = 0;

	for (size_t i = 0; i < pool->n; i++) {
		upto += pool->steps[i].n;
		to[n++] = (struct chart_point) {
			.x = log10(fmax(middle_us(&pool->steps[i]), 1e-3)),
			.y = (double)upto / (double)pool->samples,
		};
	}
	return n;
}

static void draw_curve(struct page *p, const struct campaign_test *t,
		       struct drawing *d, size_t n)
{
	char id[32], labels[16][16];
	struct chart_tick ticks[16];
	struct chart *c = &d->chart;

	c->x_low = INFINITY;
	c->x_high = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		c->x_low = fmin(c->x_low, d->series[i].points[0].x);
		c->x_high = fmax(c->x_high,
				 d->series[i].points[d->series[i].n - 1].x);
	}
	c->x_low = floor(c->x_low);
	c->x_high = fmax(ceil(c->x_high), c->x_low + 1);
	for (double x = c->x_low; x <= c->x_high && c->n_ticks < 16; x++) {
		snprintf(labels[c->n_ticks], 16, "%.4g us", pow(10, x));
		ticks[c->n_ticks] =
			(struct chart_tick) { .at = x,
					      .label = labels[c->n_ticks] };
		c->n_ticks++;
	}
	chart_id(id, "cdf", t->section);
	c->id = id;
	c->title = "Cumulative distribution of one-way delays";
	c->unit = "share of packets";
	c->x_title = "One-way delay (logarithmic)";
	c->kind = CHART_PLAIN;
	c->ticks = ticks;
	c->series = d->series;
	c->n_series = n;
	chart_draw(p, c);
}

static void delay_head(struct page *p)
{
	html_raw(p,
		 "<h4>One-way delay, samples of all runs pooled</h4>\n"
		 "<p>Percentiles are within a sixteenth of their value.</p>\n"
		 "<div class=\"scroll\"><table class=\"pooled\"><thead><tr>"
		 "<th>Runs with</th><th>Runs</th><th>Samples</th>"
		 "<th>P50, us</th><th>P95, us</th><th>P99, us</th>"
		 "<th>P99.9, us</th><th>P99 of single runs, us</th></tr>"
		 "</thead><tbody>\n");
}

int page_delays(struct page *p, const struct campaign_test *t,
		const struct campaign_cells *all)
{
	struct chart_point **curves = calloc(all->n + 1, sizeof *curves);
	struct drawing d;
	size_t n = 0;
	int rc = -1;

	if (!curves || drawing_init(&d, all->n)) {
		free(curves);
		return -1;
	}
	for (size_t i = 0; i < all->n; i++) {
		struct pool pool;

		if (pool_of(&pool, &all->cells[i]))
			goto out;
		curves[n] = calloc(pool.n + 1, sizeof **curves);
		if (pool.samples && curves[n]) {
			if (!n)
				delay_head(p);
			page_cell_name(d.names[n], NAME_SIZE, all,
				       all->cells[i].runs[0], CAMPAIGN_PARAMS);
			delay_row(p, d.names[n], &pool, &all->cells[i]);
			d.series[n] =
				(struct chart_series) { .name = d.names[n],
							.points = curves[n],
							.n = curve(curves[n],
								   &pool) };
			n++;
		} else {
			free(curves[n]);
			curves[n] = NULL;
		}
		free(pool.steps);
	}
	if (n) {
		html_raw(p, "</tbody></table></div>\n");
		draw_curve(p, t, &d, n);
	}
	rc = 0;
out:
	for (size_t i = 0; i <= all->n; i++)
		free(curves[i]);
	free(curves);
	drawing_fini(&d);
	return rc;
}

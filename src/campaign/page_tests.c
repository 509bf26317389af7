/* SPDX-License-Identifier: GPL-2.0-or-later
 * One test of the draft: its table, its charts, its factors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/page_int.h"

static bool is_collective(const struct campaign_test *t)
{
	return t->section[0] == '9' || !strcmp(t->section, "6.6");
}

/* Its value stands in the table: it differs, or the draft asks for it. */
static bool shown(const struct campaign_test *t,
		  const struct campaign_cells *all, size_t param)
{
	return all->varied[param] || (param == t->x && all->given[param]) ||
	       (param == PARAM_ALGORITHM && is_collective(t));
}

static void cell_text(struct page *p, const char *text)
{
	html_raw(p, "<td>");
	html_text(p, text ? text : "not given");
	html_raw(p, "</td>");
}

static void head(struct page *p, const struct campaign_test *t,
		 const struct campaign_cells *all)
{
	html_raw(p, "<div class=\"scroll\"><table id=\"table-%s\"><thead><tr>",
		 t->section);
	for (size_t i = 0; i < CAMPAIGN_PARAMS; i++)
		if (shown(t, all, i))
			html_raw(p, "<th>%s</th>", campaign_params[i].title);
	html_raw(p, "<th>Runs</th><th>Confidence</th>");
	for (size_t m = 0; m < t->n_metrics; m++) {
		const char *unit = campaign_metric_unit(t->metrics[m]);

		html_raw(p, "<th>%s%s%s</th>",
			 campaign_metric_title(t->metrics[m]),
			 *unit ? ", " : "", unit);
	}
	html_raw(p, "</tr></thead><tbody>\n");
}

/* Four digits, and no exponent for what has more. */
static void number(struct page *p, double v)
{
	html_raw(p, fabs(v) < 1e4 ? "%.4g" : "%.0f", v);
}

static void metric_cell(struct page *p, const struct campaign_cell *c,
			enum campaign_metric m)
{
	struct summary s;

	if (!campaign_summary(c, m, &s)) {
		html_raw(p, "<td class=\"n\">n/a</td>");
		return;
	}
	html_raw(p, "<td class=\"n\">");
	number(p, s.median);
	if (s.coverage > 0) {
		html_raw(p, " [");
		number(p, s.low);
		html_raw(p, ", ");
		number(p, s.high);
		html_raw(p, "]");
	}
	if (s.n < c->n_runs)
		html_raw(p, " of %zu", s.n);
	html_raw(p, "</td>");
}

/* Of the intervals in a row; 0: it has none.  A metric that fewer runs have
 * says so. */
static double coverage_of(const struct campaign_test *t,
			  const struct campaign_cell *c)
{
	struct summary s, most = { .n = 0 };

	for (size_t m = 0; m < t->n_metrics; m++)
		if (campaign_summary(c, t->metrics[m], &s) && s.n > most.n)
			most = s;
	return most.n ? most.coverage : 0;
}

static void row(struct page *p, const struct campaign_test *t,
		const struct campaign_cells *all, const struct campaign_cell *c)
{
	double coverage = coverage_of(t, c);

	html_raw(p, "<tr>");
	for (size_t i = 0; i < CAMPAIGN_PARAMS; i++)
		if (shown(t, all, i))
			cell_text(p, c->runs[0]->params[i].text);
	html_raw(p, "<td class=\"n\">%zu</td>", c->n_runs);
	if (coverage > 0)
		html_raw(p, "<td class=\"n\">%.1f %%</td>", 100 * coverage);
	else
		html_raw(p, "<td class=\"n\">none</td>");
	for (size_t m = 0; m < t->n_metrics; m++)
		metric_cell(p, c, t->metrics[m]);
	html_raw(p, "</tr>\n");
}

/* What is the same in all runs is said once. */
static void constants(struct page *p, const struct campaign_test *t,
		      const struct campaign_cells *all)
{
	bool any = false;

	for (size_t i = 0; i < CAMPAIGN_PARAMS; i++) {
		if (!all->given[i] || shown(t, all, i))
			continue;
		html_raw(p, "%s%s ", any ? ", " : "<p>In all runs: ",
			 campaign_params[i].title);
		html_text(p, all->cells[0].runs[0]->params[i].text);
		any = true;
	}
	if (any)
		html_raw(p, ".</p>\n");
}

static void begin_missing(struct page *p, bool *any)
{
	html_raw(p, "%s<li>", *any ? "" : "<ul class=\"missing\">\n");
	*any = true;
}

static void end_missing(struct page *p, const struct campaign_cell *c,
			enum campaign_metric m)
{
	html_raw(p, ": n/a, needs ");
	html_text(p, campaign_missing(c, m));
	html_raw(p, "</li>\n");
}

/* No cell has |m|, and all for the same reason. */
static bool is_same(const struct campaign_cells *all, enum campaign_metric m)
{
	struct summary s;

	for (size_t i = 0; i < all->n; i++)
		if (campaign_summary(&all->cells[i], m, &s) ||
		    strcmp(campaign_missing(&all->cells[i], m),
			   campaign_missing(&all->cells[0], m)) != 0)
			return false;
	return true;
}

/* Metric |m| of all cells, and those after it that need the same, in one
 * line. */
static void missing_in_all(struct page *p, const struct campaign_test *t,
			   const struct campaign_cells *all, size_t m,
			   bool *any)
{
	const struct campaign_cell *c = &all->cells[0];
	const char *needs = campaign_missing(c, t->metrics[m]);
	size_t first = 0;

	while (!is_same(all, t->metrics[first]) ||
	       strcmp(campaign_missing(c, t->metrics[first]), needs) != 0)
		first++;
	if (first < m)
		return; /* is in that line */
	begin_missing(p, any);
	for (size_t k = m; k < t->n_metrics; k++)
		if (is_same(all, t->metrics[k]) &&
		    !strcmp(campaign_missing(c, t->metrics[k]), needs))
			html_raw(p, "%s%s", k > m ? ", " : "",
				 campaign_metric_title(t->metrics[k]));
	end_missing(p, c, t->metrics[m]);
}

static void missing_in_some(struct page *p, const struct campaign_cells *all,
			    enum campaign_metric m, bool *any)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct campaign_cell *c = &all->cells[i];
		struct summary s;
		char name[256];

		if (campaign_summary(c, m, &s))
			continue;
		page_cell_name(name, sizeof name, all, c->runs[0],
			       CAMPAIGN_PARAMS);
		begin_missing(p, any);
		html_raw(p, "%s", campaign_metric_title(m));
		if (*name) {
			html_raw(p, " of ");
			html_text(p, name);
		}
		end_missing(p, c, m);
	}
}

/* What has no value in some runs or in any, and what it needs. */
static void unknown(struct page *p, const struct campaign_test *t,
		    const struct campaign_cells *all)
{
	bool any = false;

	for (size_t m = 0; m < t->n_metrics; m++)
		if (is_same(all, t->metrics[m]))
			missing_in_all(p, t, all, m, &any);
		else
			missing_in_some(p, all, t->metrics[m], &any);
	if (any)
		html_raw(p, "</ul>\n");
}

static void factors(struct page *p, const struct campaign_test *t,
		    const struct campaign_cells *all)
{
	bool any = false;

	for (size_t i = 0; t->factor && i < all->n; i++) {
		struct campaign_ratio r;
		char name[256];

		if (!campaign_factor_of(all, &all->cells[i], t->factor,
					t->metrics[0], &r))
			continue;
		if (!any)
			html_raw(p,
				 "<h4>%s: %s</h4>\n<div class=\"scroll\">"
				 "<table class=\"factors\"><thead><tr><th>Runs "
				 "with</th><th>Ratio of medians</th><th>"
				 "Interval</th><th>Confidence, at least</th>"
				 "</tr></thead><tbody>\n",
				 t->factor->title,
				 campaign_metric_title(t->metrics[0]));
		any = true;
		page_cell_name(name, sizeof name, all, all->cells[i].runs[0],
			       CAMPAIGN_PARAMS);
		html_raw(p, "<tr>");
		cell_text(p, name);
		html_raw(p, "<td class=\"n\">%.4g</td>", r.value);
		if (r.coverage > 0)
			html_raw(p,
				 "<td class=\"n\">%.4g to %.4g</td>"
				 "<td class=\"n\">%.1f %%</td></tr>\n",
				 r.low, r.high, 100 * r.coverage);
		else
			html_raw(p, "<td>none</td><td>none</td></tr>\n");
	}
	if (any)
		html_raw(p, "</tbody></table></div>\n");
}

/* Stability, as section 12.1 of the draft asks for it. */
static int soak(struct page *p, const struct campaign_test *t,
		const struct campaign_cells *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct summary s;

		if (campaign_summary(&all->cells[i], METRIC_JCT_RATIO, &s) &&
		    s.n > 1)
			html_raw(p,
				 "<p>Standard deviation of the JCT ratio: "
				 "%.4g over %zu runs.</p>\n",
				 s.deviation, s.n);
	}
	for (size_t m = 0; m < t->n_metrics; m++)
		if (page_hours(p, t, all, t->metrics[m]))
			return -1;
	return 0;
}

int page_test(struct page *p, const struct campaign *c, size_t test)
{
	const struct campaign_test *t = &campaign_tests[test];
	struct campaign_cells all;
	int rc = 0;

	if (campaign_cells(c, test, &all))
		return -1;
	if (all.n) {
		html_raw(p, "<section id=\"test-%s\"><h3>%s %s</h3>\n",
			 t->section, t->section, t->title);
		constants(p, t, &all);
		head(p, t, &all);
		for (size_t i = 0; i < all.n; i++)
			row(p, t, &all, &all.cells[i]);
		html_raw(p, "</tbody></table></div>\n");
		unknown(p, t, &all);
		if (t->plot == PLOT_LINES || t->plot == PLOT_BARS)
			rc = page_chart(p, t, &all);
		if (!rc && t->plot == PLOT_HOURS)
			rc = soak(p, t, &all);
		factors(p, t, &all);
		if (!rc && t->latency)
			rc = page_delays(p, t, &all);
		html_raw(p, "</section>\n");
	}
	campaign_cells_free(&all);
	return rc;
}

/* ---- 12.2 */

static const double LEAK_BYTES_AN_HOUR = 1e6;

static void process_row(struct page *p, const struct campaign *c, size_t first,
			double *x, double *y)
{
	const char *process = c->samples[first].process;
	double slope;
	size_t n = 0;

	for (size_t i = first; i < c->n_samples; i++) {
		if (strcmp(c->samples[i].process, process) != 0)
			continue;
		x[n] = c->samples[i].hour;
		y[n++] = c->samples[i].bytes;
	}
	html_raw(p, "<tr>");
	cell_text(p, process);
	html_raw(p, "<td class=\"n\">%zu</td>", n);
	if (!least_squares(x, y, n, &slope))
		html_raw(p, "<td>n/a</td><td>needs two hours or more</td>");
	else
		html_raw(p, "<td class=\"n\">%.4g</td><td>%s</td>",
			 /* whole bytes: what is left of sums is none */
			 fabs(slope) < 1 ? 0 : slope / 1e6,
			 slope > LEAK_BYTES_AN_HOUR
				 ? "above 1 MB an hour: investigate"
				 : "");
	html_raw(p, "</tr>\n");
}

/* Is it the process of one of |n| samples? */
static bool is_of(const struct campaign *c, const size_t *first, size_t n,
		  const char *process)
{
	for (size_t k = 0; k < n; k++)
		if (!strcmp(c->samples[first[k]].process, process))
			return true;
	return false;
}

int page_memory(struct page *p, const struct campaign *c)
{
	enum { PROCESSES = 64 };
	double *x = calloc(c->n_samples + 1, sizeof *x);
	double *y = calloc(c->n_samples + 1, sizeof *y);
	size_t first[PROCESSES], shown_rows = 0, left = 0;

	if (x && y && c->n_samples) {
		html_raw(p,
			 "<section id=\"test-12.2\"><h3>12.2 Resource leak "
			 "detection</h3>\n<p>Slope by least squares.  1 MB an "
			 "hour is the draft's trigger to investigate, not a "
			 "limit.</p>\n<div class=\"scroll\"><table "
			 "id=\"table-12.2\"><thead><tr><th>Process</th><th>"
			 "Samples</th><th>Slope, MB an hour</th><th></th></tr>"
			 "</thead><tbody>\n");
		for (size_t i = 0; i < c->n_samples; i++) {
			if (shown_rows == PROCESSES) {
				left = c->n_samples - i;
				break;
			}
			if (is_of(c, first, shown_rows, c->samples[i].process))
				continue;
			process_row(p, c, i, x, y);
			first[shown_rows++] = i;
		}
		html_raw(p, "</tbody></table></div>\n");
		if (left)
			html_raw(p,
				 "<p>More than 64 processes: the last %zu "
				 "samples have others.</p>\n",
				 left);
		html_raw(p, "</section>\n");
	}
	free(x);
	free(y);
	return x && y ? 0 : -1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Anomalies, repeatability and comparability: parts 6 to 8 of the report. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "campaign/page_int.h"

/* ---- 6 anomalies */

static void item(struct page *p, const char *run)
{
	html_raw(p, "<li>");
	html_text(p, run);
	html_raw(p, ": ");
}

/* Is any of the flows of the transport that is given? */
static bool is_as_given(const struct campaign_run *r)
{
	const char *given = r->params[PARAM_TRANSPORT].text;
	bool uet = false, other = false;

	for (const char *t = r->transports; t && *t;
	     t += strcspn(t, ","), t += *t == ',')
		*(strncmp(t, "UET", 3) ? &other : &uet) = true;
	if (!given || (!uet && !other))
		return true;
	return strcasecmp(given, "uet") ? other : uet;
}

static void run_anomalies(struct page *p, const struct campaign_run *r)
{
	if (!is_as_given(r)) {
		item(p, r->name);
		html_raw(p, "is given as ");
		html_text(p, r->params[PARAM_TRANSPORT].text);
		html_raw(p, "; the transport of its packets is ");
		html_text(p, r->transports);
		html_raw(p, "</li>\n");
	}
	if (r->damaged > 0) {
		item(p, r->name);
		html_raw(p,
			 "%lld stretches of its files could not be read"
			 "</li>\n",
			 (long long)r->damaged);
	}
	if (r->answer &&
	    (!strcmp(r->answer, "network") || !strcmp(r->answer, "host") ||
	     !strcmp(r->answer, "both"))) {
		item(p, r->name);
		html_raw(p, "lost time to the %s: ",
			 strcmp(r->answer, "both") ? r->answer
						   : "network and to hosts");
		html_text(p, r->reason);
		html_raw(p, "</li>\n");
	}
}

static void outliers(struct page *p, const struct campaign_test *t,
		     const struct campaign_cell *c)
{
	for (size_t m = 0; m < t->n_metrics; m++) {
		struct summary s;

		if (!campaign_summary(c, t->metrics[m], &s))
			continue;
		for (size_t i = 0; i < c->n_runs; i++) {
			const struct campaign_run *r = c->runs[i];

			if (!campaign_outlier(c, t->metrics[m], r))
				continue;
			html_raw(p, "<li class=\"outlier\">");
			html_text(p, r->name);
			html_raw(p,
				 ": outlier in %s, %s: %.4g %s, the median "
				 "of %zu runs is %.4g; not left out</li>\n",
				 t->section,
				 campaign_metric_title(t->metrics[m]),
				 r->metric[t->metrics[m]],
				 campaign_metrics[t->metrics[m]].unit, s.n,
				 s.median);
		}
	}
}

/* Where the draft asks for more than there is. */
static void shortfall(struct page *p, const struct campaign_test *t,
		      const struct campaign_cells *all)
{
	size_t few = 0, least = SIZE_MAX, cells = 0, unverified = 0;
	int64_t iterations = INT64_MAX;

	for (size_t i = 0; i < all->n; i++) {
		const struct campaign_cell *c = &all->cells[i];

		if (c->n_runs < t->repetitions) {
			few++;
			least = c->n_runs < least ? c->n_runs : least;
		}
		unverified += !c->runs[0]->params[PARAM_ALGORITHM].text;
		for (size_t k = 0; k < c->n_runs; k++)
			if (c->runs[k]->iterations < iterations)
				iterations = c->runs[k]->iterations;
		cells++;
	}
	if (few)
		html_raw(p,
			 "<li>%s: the draft asks for %zu repetitions; %zu of "
			 "%zu rows have fewer, the least %zu</li>\n",
			 t->section, t->repetitions, few, cells, least);
	if (t->iterations && iterations < (int64_t)t->iterations)
		html_raw(p,
			 "<li>%s: the draft asks for %zu iterations; a run has "
			 "%lld that were identified</li>\n",
			 t->section, t->iterations, (long long)iterations);
	if (unverified && (t->section[0] == '9' || !strcmp(t->section, "6.6")))
		html_raw(p,
			 "<li>%s: the algorithm is not given for %zu of %zu "
			 "rows; without it the draft calls a result "
			 "incomplete</li>\n",
			 t->section, unverified, cells);
}

int page_anomalies(struct page *p, const struct campaign *c)
{
	html_raw(p, "<h2 id=\"anomalies\">6 Anomalies</h2>\n<ul>\n");
	for (size_t i = 0; i < c->n_runs; i++)
		run_anomalies(p, &c->runs[i]);
	for (size_t t = 0; t < campaign_n_tests; t++) {
		struct campaign_cells all;

		if (campaign_cells(c, t, &all))
			return -1;
		if (all.n)
			shortfall(p, &campaign_tests[t], &all);
		for (size_t i = 0; i < all.n; i++)
			outliers(p, &campaign_tests[t], &all.cells[i]);
		campaign_cells_free(&all);
	}
	html_raw(p, "<li>Measured from packets at the capture points: rates "
		    "are those that were offered, there was no binary search "
		    "for the highest without loss.  JCT is from the "
		    "first packet of the job; for the JCT ratio the "
		    "computation before it is added as C.</li>\n</ul>\n");
	return 0;
}

/* ---- 7 repeatability */

static void repeated(struct page *p, const struct campaign_test *t,
		     const struct campaign_cells *all)
{
	for (size_t i = 0; i < all->n; i++) {
		char name[256];
		struct summary s;

		if (!campaign_summary(&all->cells[i], t->metrics[0], &s))
			continue;
		page_cell_name(name, sizeof name, all, all->cells[i].runs[0],
			       CAMPAIGN_PARAMS);
		html_raw(p, "<tr><td>%s %s</td><td>", t->section,
			 campaign_metric_title(t->metrics[0]));
		html_text(p, name);
		html_raw(p, "</td><td class=\"n\">%zu</td>", s.n);
		if (s.n > 1 && s.mean > 0)
			html_raw(p, "<td class=\"n\">%.2f %%</td></tr>\n",
				 100 * s.deviation / s.mean);
		else
			html_raw(p, "<td class=\"n\">n/a</td></tr>\n");
	}
}

int page_repeatability(struct page *p, const struct campaign *c)
{
	html_raw(p,
		 "<h2 id=\"repeatability\">7 Repeatability</h2>\n<div "
		 "class=\"scroll\"><table id=\"cv\"><thead><tr><th>Primary "
		 "metric</th><th>Runs with</th><th>Runs</th><th>Coefficient of "
		 "variation</th></tr></thead><tbody>\n");
	for (size_t t = 0; t < campaign_n_tests; t++) {
		struct campaign_cells all;

		if (campaign_cells(c, t, &all))
			return -1;
		repeated(p, &campaign_tests[t], &all);
		campaign_cells_free(&all);
	}
	html_raw(p, "</tbody></table></div>\n");
	return 0;
}

/* ---- 8 comparability */

/* Table "Comparability Set" of section 3.2.3. */
static const struct {
	const char *title;
	enum campaign_param param; /* or CAMPAIGN_PARAMS and a fact */
	enum campaign_sheet fact;
} comparable[] = {
	{ "Accelerators", PARAM_ACCELERATORS, 0 },
	{ "Accelerators per node", CAMPAIGN_PARAMS, SHEET_PER_NODE },
	{ "Placement and rail mapping", CAMPAIGN_PARAMS, SHEET_PLACEMENT },
	{ "B_acc", CAMPAIGN_PARAMS, SHEET_RATE },
	{ "Leaf oversubscription", CAMPAIGN_PARAMS, SHEET_OVERSUBSCRIPTION },
	{ "Collective", PARAM_COLLECTIVE, 0 },
	{ "Message size", PARAM_SIZE, 0 },
	{ "Transport", PARAM_TRANSPORT, 0 },
	{ "Transport service", PARAM_SERVICE, 0 },
	{ "Load balancing", PARAM_BALANCE, 0 },
};

/* The different values of a parameter in the runs of a DUT, as a list. */
static void values_of(const struct campaign *c, const struct campaign_dut *d,
		      enum campaign_param param, char *to, size_t size)
{
	size_t n = 0;

	*to = 0;
	for (size_t i = 0; i < c->n_runs && n < size; i++) {
		const char *text = c->runs[i].params[param].text;
		bool there = false;

		if (campaign_dut_of(c, &c->runs[i]) != d)
			continue;
		for (size_t k = 0; k < i && !there; k++)
			there = campaign_dut_of(c, &c->runs[k]) == d &&
				!strcmp(c->runs[k].params[param].text
						? c->runs[k].params[param].text
						: "",
					text ? text : "");
		if (!there)
			n += (size_t)snprintf(to + n, size - n, "%s%s",
					      n ? ", " : "",
					      text ? text : "not given");
	}
}

static void comparable_row(struct page *p, const struct campaign *c, size_t i)
{
	char first[512] = "", text[512];
	bool same = true;

	html_raw(p, "<tr><td>%s</td>", comparable[i].title);
	for (size_t d = 0; d < c->n_duts; d++) {
		const char *fact;

		if (comparable[i].param < CAMPAIGN_PARAMS) {
			values_of(c, &c->duts[d], comparable[i].param, text,
				  sizeof text);
		} else {
			fact = c->duts[d].facts[comparable[i].fact];
			snprintf(text, sizeof text, "%s",
				 fact ? fact : "not given");
		}
		if (!d)
			memcpy(first, text, sizeof first);
		same &= !strcmp(first, text);
		html_raw(p, "<td>");
		html_text(p, text);
		html_raw(p, "</td>");
	}
	same &= strcmp(first, "not given") != 0;
	html_raw(p, "<td>%s</td></tr>\n",
		 same ? "the same" : "differs, or is not known");
}

void page_comparability(struct page *p, const struct campaign *c)
{
	if (c->n_duts < 2)
		return;
	html_raw(p, "<h2 id=\"comparability\">8 Comparability</h2>\n<p>Where a "
		    "parameter differs, results stand side by side and are not "
		    "one comparison (section 3.2.3 of the draft).  Switching "
		    "capacity divides no value here.</p>\n<div "
		    "class=\"scroll\"><table id=\"comparable\"><thead><tr><th>"
		    "Parameter</th>");
	for (size_t d = 0; d < c->n_duts; d++) {
		html_raw(p, "<th>");
		html_text(p, *c->duts[d].name ? c->duts[d].name : "DUT");
		html_raw(p, "</th>");
	}
	html_raw(p, "<th></th></tr></thead><tbody>\n");
	for (size_t i = 0; i < sizeof comparable / sizeof *comparable; i++)
		comparable_row(p, c, i);
	html_raw(p, "</tbody></table></div>\n");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The report of a campaign as one page, in the parts of section 13 of the
 * draft.  It needs no script and loads nothing. */
#include <math.h>

#include "campaign/page_int.h"
#include "views/export.h"
#include "views/kpi.h"

static void begin(struct page *p, const struct campaign *c)
{
	const struct report_asset *css = report_asset("report.css");

	html_raw(p,
		 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
		 "charset=\"utf-8\">\n<meta name=\"viewport\" "
		 "content=\"width=device-width, initial-scale=1\">\n<meta "
		 "http-equiv=\"Content-Security-Policy\" content=\"default-src "
		 "'none'; base-uri 'none'; form-action 'none'; style-src "
		 "'%s'\">\n<title>",
		 css->hash);
	html_text(p, c->title ? c->title : "Benchmark campaign");
	html_raw(p, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n",
		 css->text);
	html_raw(p, "<h1>");
	html_text(p, c->title ? c->title : "Benchmark campaign");
	html_raw(p,
		 "</h1>\n<p>%zu runs, reported as " BMWG_DRAFT
		 " asks for it (an individual Internet-Draft, work in "
		 "progress).  It sets no limits, and neither does this "
		 "report.</p>\n",
		 c->n_runs);
	if (c->notes) {
		html_raw(p, "<p>");
		html_text(p, c->notes);
		html_raw(p, "</p>\n");
	}
}

/* ---- 1 to 4: what the operator says */

static void fact_row(struct page *p, const struct campaign *c, size_t fact)
{
	html_raw(p, "<tr><th scope=\"row\">%s</th>",
		 campaign_sheet[fact].title);
	for (size_t d = 0; d < c->n_duts; d++) {
		const char *text = c->duts[d].facts[fact];

		html_raw(p, "<td class=\"long\">");
		html_text(p, text ? text : "not given");
		html_raw(p, "</td>");
	}
	if (!c->n_duts)
		html_raw(p, "<td>not given</td>");
	html_raw(p, "</tr>\n");
}

static void sheet(struct page *p, const struct campaign *c)
{
	static const char *const parts[] = { "DUT identification",
					     "Test topology",
					     "Test configuration",
					     "Host configuration" };

	for (int part = 1; part <= 4; part++) {
		html_raw(p,
			 "<h2 id=\"part-%d\">%d %s</h2>\n<div "
			 "class=\"scroll\"><table>",
			 part, part, parts[part - 1]);
		if (c->n_duts > 1) {
			html_raw(p, "<thead><tr><th></th>");
			for (size_t d = 0; d < c->n_duts; d++) {
				html_raw(p, "<th>");
				html_text(p, c->duts[d].name);
				html_raw(p, "</th>");
			}
			html_raw(p, "</tr></thead>");
		}
		html_raw(p, "<tbody>\n");
		for (size_t i = 0; i < CAMPAIGN_SHEET; i++)
			if (campaign_sheet[i].part == part)
				fact_row(p, c, i);
		html_raw(p, "</tbody></table></div>\n");
	}
}

/* ---- 5 results */

static void method(struct page *p)
{
	html_raw(p,
		 "<p>Each value is the median of its runs.  [a, b] is its "
		 "confidence interval, from the order of the values alone: the "
		 "median lies there with the confidence that the row has, at "
		 "least 95 %% from six runs on; below that, [a, b] are the "
		 "smallest and the largest value and the confidence is what "
		 "that is worth.  Outliers (modified z-score above 3.5, of "
		 "five runs or more) are listed under anomalies and not left "
		 "out.  Whiskers of charts are the intervals.</p>\n");
}

static int results(struct page *p, const struct campaign *c)
{
	bool any = false;

	html_raw(p, "<h2 id=\"results\">5 Test results</h2>\n");
	method(p);
	for (size_t t = 0; t < campaign_n_tests; t++)
		if (page_test(p, c, t))
			return -1;
	if (page_memory(p, c))
		return -1;
	for (size_t t = 0; t < campaign_n_tests; t++) {
		bool there = false;

		for (size_t i = 0; i < c->n_runs && !there; i++)
			there = c->runs[i].tests >> t & 1;
		if (there)
			continue;
		html_raw(p, "%s%s %s",
			 any ? ", " : "<p>Not run: ", campaign_tests[t].section,
			 campaign_tests[t].title);
		any = true;
	}
	if (any)
		html_raw(p, ".</p>\n");
	return 0;
}

/* ---- the runs */

static void run_row(struct page *p, const struct campaign_run *r)
{
	html_raw(p, "<tr><td>");
	html_text(p, r->name);
	html_raw(p, "</td><td>");
	for (size_t t = 0, n = 0; t < campaign_n_tests; t++)
		if (r->tests >> t & 1)
			html_raw(p, "%s%s", n++ ? ", " : "",
				 campaign_tests[t].section);
	html_raw(p, "</td><td>");
	for (size_t i = 0, n = 0; i < CAMPAIGN_PARAMS; i++) {
		if (!r->params[i].text)
			continue;
		html_raw(p, "%s%s ", n++ ? ", " : "", campaign_params[i].title);
		html_text(p, r->params[i].text);
	}
	html_raw(p, "</td><td class=\"n\">");
	if (r->repetition)
		html_raw(p, "%lld", (long long)r->repetition);
	html_raw(p, "</td><td>");
	html_text(p, r->answer ? r->answer : "");
	html_raw(p, "</td></tr>\n");
}

static void runs(struct page *p, const struct campaign *c)
{
	html_raw(p, "<h2 id=\"runs\">Runs</h2>\n<div class=\"scroll\"><table>"
		    "<thead><tr><th>Run</th><th>Tests</th><th>Made with</th>"
		    "<th>Repetition</th><th>Was it the network?</th></tr>"
		    "</thead><tbody>\n");
	for (size_t i = 0; i < c->n_runs; i++)
		run_row(p, &c->runs[i]);
	html_raw(p, "</tbody></table></div>\n");
}

static int write_page(void *ctx, FILE *out, struct err *err)
{
	const struct campaign *c = ctx;
	struct page p = { .out = out };
	int rc;

	begin(&p, c);
	sheet(&p, c);
	rc = results(&p, c);
	if (!rc)
		rc = page_anomalies(&p, c);
	if (!rc)
		rc = page_repeatability(&p, c);
	page_comparability(&p, c);
	runs(&p, c);
	html_raw(&p, "</main>\n</body>\n</html>\n");
	if (rc || p.failed)
		return err_set(err, ERR_MEMORY, "out of memory");
	return 0;
}

int campaign_page(struct campaign *c, const char *path, struct err *err)
{
	return export_into(path, write_page, c, err);
}

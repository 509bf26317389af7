/* SPDX-License-Identifier: GPL-2.0-or-later
 * What comes first in a report: the verdict, what it rests on, the findings,
 * and what was not observable. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "store/store.h"
#include "views/report_page.h"
#include "views/verdict.h"

/* ---- small parts ---------------------------------------------------- */

static void fact(struct page *p, const char *term, const char *text)
{
	html_raw(p, "<div><dt>%s</dt><dd>", term);
	html_text(p, text);
	html_raw(p, "</dd></div>\n");
}

static void value_fact(struct page *p, const char *term, const struct rows *r,
		       const char *column, enum query_unit unit)
{
	const struct query_value *v;

	if (!r->n_rows)
		return;
	v = rows_at(r, 0, column);
	if (v->type == VALUE_NULL)
		return;
	html_raw(p, "<div><dt>%s</dt><dd>", term);
	html_value(p, v, unit);
	html_raw(p, "</dd></div>\n");
}

/* A severity as a class of the page; a foreign one is none. */
static const char *severity_class(const char *severity)
{
	static const char *const known[] = { "critical", "warning", "info",
					     "ok" };

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (!strcmp(known[i], severity))
			return known[i];
	return "none";
}

/* The colors of a verdict are those of severities. */
static const char *verdict_class(const char *verdict)
{
	static const char *const known[][2] = {
		{ "network", "critical" },
		{ "both", "critical" },
		{ "host", "warning" },
		{ "nothing-wrong", "ok" },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (!strcmp(known[i][0], verdict))
			return known[i][1];
	return "none";
}

static void badge(struct page *p, const char *severity)
{
	html_raw(p, "<span class=\"badge %s\">", severity_class(severity));
	html_text(p, severity);
	html_raw(p, "</span>");
}

/* ---- the verdict ---------------------------------------------------- */

static void when(struct page *p)
{
	const struct rows *t = &p->answers.of[ANSWER_TOTALS];
	int64_t first = rows_int(t, 0, "first_ns", 0), length;
	char from[UNITS_TEXT], to[UNITS_TEXT];

	if (rows_at(t, 0, "first_ns")->type != VALUE_INT ||
	    __builtin_sub_overflow(rows_int(t, 0, "last_ns", first), first,
				   &length))
		return;
	fact(p, "First packet", units_utc(first, from));
	fact(p, "Duration", units_ns(length, to));
}

static void totals(struct page *p)
{
	const struct rows *t = &p->answers.of[ANSWER_TOTALS];
	const struct rows *a = &p->answers.of[ANSWER_ANSWER];

	html_raw(p, "<dl class=\"facts\">\n");
	when(p);
	value_fact(p, "Time lost", a, "excess_ns", UNIT_DURATION);
	value_fact(p, "Of unknown cause", a, "unknown_ns", UNIT_DURATION);
	value_fact(p, "Began at", a, "root", UNIT_TEXT);
	value_fact(p, "Congested", a, "place", UNIT_TEXT);
	value_fact(p, "Port", a, "place_at", UNIT_TEXT);
	value_fact(p, "Packets", t, "packets", UNIT_COUNT);
	value_fact(p, "Flows", t, "flows", UNIT_COUNT);
	value_fact(p, "Capture points", t, "taps", UNIT_COUNT);
	value_fact(p, "Findings", t, "findings", UNIT_COUNT);
	value_fact(p, "Critical", t, "critical", UNIT_COUNT);
	value_fact(p, "Warnings", t, "warnings", UNIT_COUNT);
	html_raw(p, "</dl>\n");
}

static void captures(struct page *p)
{
	const struct rows *c = &p->answers.of[ANSWER_CAPTURES];
	size_t i;

	html_raw(p, "<p class=\"captures\">Of ");
	for (i = 0; i < c->n_rows && i < 5; i++) {
		html_raw(p, "%s<b>", i ? ", " : "");
		html_text(p, rows_text(c, i, "path"));
		html_raw(p, "</b>");
	}
	if (i < c->n_rows)
		html_raw(p, " and %zu more", c->n_rows - i);
	html_raw(p, "</p>\n");
}

static void rests_on(struct page *p)
{
	html_raw(p, "<h2 id=\"rests-on\">What the verdict rests on</h2>\n"
		    "<p>How much of the traffic was seen in both directions, "
		    "and how much of it was not captured. A packet that "
		    "was not captured is not lost in the network, and is not "
		    "counted "
		    "as such.</p>\n");
	html_table(p, "rests-on", "Coverage of each capture point",
		   &p->answers.of[ANSWER_TAPS],
		   "name packets flows connected_flows flows_both expected "
		   "checked capture_missing missing_share dropped_reported "
		   "mirror_seq_lost mirror_duplicates low_confidence",
		   100);
	html_source(p, "verdict/taps", NULL);
	if (p->answers.of[ANSWER_DAMAGE].n_rows) {
		html_table(p, "corrupted-ranges",
			   "Parts of files that are unreadable",
			   &p->answers.of[ANSWER_DAMAGE], NULL, 50);
		html_source(p, "corrupted-ranges", NULL);
	}
}

/* The words of `fabscope analyze`, to be copied into a ticket. */
static void as_text(struct page *p)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	struct err err;

	if (!out) {
		p->failed = true;
		return;
	}
	if (verdict_print(p->store, "fabscope", VERDICT_ALL, out, &err) < 0)
		p->failed = true;
	if (fclose(out) || !text) {
		p->failed = true;
		free(text);
		return;
	}
	html_raw(p, "<details class=\"plain\"><summary>The same as plain "
		    "text</summary><pre>");
	for (char *line = text, *end; *line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = 0;
		else
			end = line + strlen(line);
		html_text(p, line);
		html_raw(p, "\n");
	}
	html_raw(p, "</pre></details>\n");
	free(text);
}

void report_verdict(struct page *p)
{
	const struct rows *a = &p->answers.of[ANSWER_ANSWER];

	html_raw(p,
		 "<header class=\"verdict %s\">\n<p class=\"kicker\">Verdict "
		 "of fabscope</p>\n<h1>",
		 verdict_class(rows_text(a, 0, "verdict")));
	html_text(p, rows_text(a, 0, "line"));
	html_raw(p, "</h1>\n");
	if (a->n_rows > 2)
		html_table(p, "answer",
			   "Was it the network? Of each job and "
			   "of slow iterations",
			   a,
			   "job iteration line total_ns network_ns host_ns "
			   "unknown_ns root place? place_at?",
			   20);
	captures(p);
	totals(p);
	html_source(p, "answer", NULL);
	html_source(p, "verdict/findings", NULL);
	html_source(p, "verdict/totals", NULL);
	html_raw(p, "</header>\n");
	rests_on(p);
	as_text(p);
}

/* ---- findings ------------------------------------------------------- */

static void term(struct page *p, const char *name, const char *text)
{
	if (!*text)
		return;
	html_raw(p, "<dt>%s</dt><dd>", name);
	html_text(p, text);
	html_raw(p, "</dd>\n");
}

static void value_term(struct page *p, const char *name, const struct rows *r,
		       size_t i, const char *column, enum query_unit unit)
{
	const struct query_value *v = rows_at(r, i, column);

	if (v->type == VALUE_NULL)
		return;
	html_raw(p, "<dt>%s</dt><dd>", name);
	html_value(p, v, unit);
	html_raw(p, "</dd>\n");
}

static void moments(struct page *p, const struct rows *r, size_t i)
{
	const struct query_value *first = rows_at(r, i, "first_ns");
	char utc[UNITS_TEXT];

	if (first->type != VALUE_INT)
		return;
	html_raw(p, "<dt>When</dt><dd>");
	html_value(p, first, UNIT_TIME);
	html_raw(p, " to ");
	html_value(p, rows_at(r, i, "last_ns"), UNIT_TIME);
	html_raw(p, " (from ");
	html_text(p, units_utc(first->i, utc));
	html_raw(p, ")</dd>\n");
}

/* The query a finding names, of the database as the reader calls it. */
static void commands(struct page *p, const struct rows *r, size_t i)
{
	static const char generic[] = "fabscope query DB ";
	const char *query = rows_text(r, i, "query");
	int64_t id = rows_int(r, i, "id", 0);
	size_t n = sizeof generic - 1;

	html_raw(p, "<dt>Details</dt><dd><code>");
	if (!strncmp(query, generic, n)) {
		html_raw(p, "fabscope query ");
		html_text(p, p->database);
		html_raw(p, " ");
		html_text(p, query + n);
		html_raw(p, "</code><br><code>");
	}
	html_raw(p, "fabscope slice ");
	html_text(p, p->database);
	html_raw(p,
		 " finding:%" PRId64 " -w finding-%" PRId64
		 ".pcapng</code></dd>\n",
		 id, id);
}

static void finding(struct page *p, const struct rows *r, size_t i)
{
	const struct query_value *job = rows_at(r, i, "job_ns");
	const struct query_value *cost =
		job->type == VALUE_INT ? job : rows_at(r, i, "cost_ns");
	const char *severity = rows_text(r, i, "severity");

	html_raw(p,
		 "<details class=\"finding %s\" id=\"finding-%" PRId64 "\" "
		 "data-weight=\"%zu\" data-cost=\"%" PRId64
		 "\" data-first=\"%" PRId64 "\" open>\n<summary>",
		 severity_class(severity), rows_int(r, i, "id", 0), i,
		 rows_int(r, i, "cost_ns", 0),
		 rows_int(r, i, "first_ns", p->origin_ns));
	badge(p, severity);
	html_raw(p, "<h3>");
	html_text(p, rows_text(r, i, "title"));
	html_raw(p, "</h3>");
	if (cost->type == VALUE_INT && cost->i > 0) {
		html_raw(p, "<span class=\"cost\">");
		html_value(p, cost, UNIT_DURATION);
		html_raw(p, "</span>");
	}
	html_raw(p, "</summary>\n<p>");
	html_text(p, rows_text(r, i, "detail"));
	html_raw(p, "</p>\n<dl>\n");
	moments(p, r, i);
	term(p, "Flows", rows_text(r, i, "who"));
	term(p, "Capture point", rows_text(r, i, "tap"));
	term(p, "Place", rows_text(r, i, "place"));
	value_term(p, "Job time lost", r, i, "job_ns", UNIT_DURATION);
	value_term(p, "Summed over flows", r, i, "cost_ns", UNIT_DURATION);
	value_term(p, "Confidence", r, i, "confidence", UNIT_SHARE);
	term(p, "Frames", rows_text(r, i, "frames"));
	term(p, "Action", rows_text(r, i, "action"));
	term(p, "Rule", rows_text(r, i, "rule"));
	commands(p, r, i);
	html_raw(p, "</dl></details>\n");
}

void report_findings(struct page *p)
{
	const struct rows *r = &p->answers.of[ANSWER_FINDINGS];
	int64_t all_of =
		rows_int(&p->answers.of[ANSWER_TOTALS], 0, "findings", 0);

	if (!r->n_rows)
		return;
	html_raw(p, "<h2 id=\"findings\">What was found, in order of "
		    "weight</h2>\n<div class=\"findings\">\n");
	for (size_t i = 0; i < r->n_rows; i++)
		finding(p, r, i);
	html_raw(p, "</div>\n");
	if ((int64_t)r->n_rows < all_of)
		html_more(p, (uint64_t)all_of - r->n_rows);
	html_source(p, "verdict/findings", NULL);
}

/* ---- what was not observable ----------------------------------------- */

void report_unseen(struct page *p)
{
	const struct rows *u = &p->answers.of[ANSWER_UNSEEN];
	const struct rows *l = &p->answers.of[ANSWER_ROW_LIMITS];

	html_raw(p, "<h2 id=\"unseen\">Not observable, and why</h2>\n");
	if (u->n_rows) {
		html_table(p, "unseen",
			   "Not observable at this capture point, or in part",
			   u, NULL, 50);
		html_source(p, "verdict/not-observable", NULL);
	} else {
		html_raw(p, "<p>Nothing that fabscope looks for was out of "
			    "sight.</p>\n");
	}
	if (l->n_rows) {
		html_table(p, "left-out", "Row limits", l, NULL, 50);
		html_source(p, "verdict/row-limits", NULL);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the parts of a report share: the page being written, and its sections.
 *
 * A section is one row of report_sections[]: a question, how its answer is
 * drawn, which columns the table has.  To add one is to add a row. */
#ifndef FABSCOPE_VIEWS_REPORT_PAGE_H
#define FABSCOPE_VIEWS_REPORT_PAGE_H

#include <stdint.h>
#include <stdio.h>

#include "views/answers.h"
#include "views/report.h"
#include "views/rows.h"

struct store;

/* A part of the page that is made when fabscope is built: style or script. */
struct report_asset {
	const char *name;
	const char *text;
	const char *hash; /* "sha256-...", for the Content-Security-Policy */
};
extern const struct report_asset report_assets[]; /* ends with a NULL name */

const struct report_asset *report_asset(const char *name);

struct report_section {
	const char *id; /* anchor, and member of the data */
	const char *title;
	const char *chapter; /* opens one of this title; NULL: goes on */
	const char *query;
	const char *const *params; /* as rows_ask(); NULL: none */
	const char *columns; /* of the table, by spaces; NULL all, "" no table,
			    * "dst_qp?" where any row has it */
	const char *draw;    /* how the script draws it; NULL not */
	const char *matrix;  /* a picture of traffic between these; NULL none */
	const char *about;   /* what the reader should know of it */
	const char *empty;   /* said when there is no row; NULL: left out */
	size_t keep;         /* at most so many rows */
};

extern const struct report_section report_sections[];
extern const size_t report_n_sections;

struct report_plot {
	int64_t flow; /* flow.id */
	char *svg;
	size_t length;
};

struct page {
	FILE *out;
	struct store *store;
	int64_t origin_ns;
	char *database;    /* its name as a word of a command */
	const char *title; /* given, or NULL */
	struct answers answers;
	struct rows *rows; /* of each section */
	struct report_plot plots[REPORT_PLOTS];
	size_t n_plots;
	bool failed; /* out of memory */
};

/* ---- report_html.c: text that cannot become markup */

void html_text(struct page *p, const char *text);
/* The shape of the page; %s of |format| must be ours or escaped. */
void html_raw(struct page *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* One value with its unit; times as distance from the first packet. */
void html_value(struct page *p, const struct query_value *v,
		enum query_unit unit);
/* "and N more", unless that is 0. */
void html_more(struct page *p, uint64_t n);
/* How many columns of |r| are in |shown|? */
size_t html_columns(const struct rows *r, const char *shown);
/* Table of the columns |shown| (NULL all) and the first |most| rows. */
void html_table(struct page *p, const char *id, const char *caption,
		const struct rows *r, const char *shown, size_t most);
/* The command that asks the question behind a part of the page. */
void html_source(struct page *p, const char *query, const char *const *params);

/* ---- report_verdict.c: what comes first */

void report_verdict(struct page *p);
void report_findings(struct page *p);
void report_unseen(struct page *p);

/* ---- report_plots.c: flows packet by packet */

/* Before the page is begun: a capture may be missing. */
int report_plots_draw(struct page *p, struct store *names,
		      const struct report_options *o, struct err *err);
void report_plots(struct page *p);
/* The traffic matrix |r| between each |by|. */
void report_matrix(struct page *p, const struct rows *r, const char *by);

/* ---- report_data.c: the answers, for the script */

int report_data(struct page *p);

#endif

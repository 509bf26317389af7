/* SPDX-License-Identifier: GPL-2.0-or-later
 * The parts of a campaign's page. */
#ifndef FABSCOPE_CAMPAIGN_PAGE_INT_H
#define FABSCOPE_CAMPAIGN_PAGE_INT_H

#include "campaign/campaign.h"
#include "views/report_page.h"

/* ---- page_tests.c: section 5 of a report */

/* Returns -1 without memory. */
int page_test(struct page *p, const struct campaign *c, size_t test);
int page_memory(struct page *p, const struct campaign *c);

/* ---- page_cells.c: what tables and charts share */

/* "RoCEv2, ecmp, 64K": the parameters that differ in |all|, but for |but|. */
void page_cell_name(char *to, size_t size, const struct campaign_cells *all,
		    const struct campaign_run *r, enum campaign_param but);
/* A chart of the test's first metric over its parameter. */
int page_chart(struct page *p, const struct campaign_test *t,
	       const struct campaign_cells *all);
/* Where each run is at its hour, and the trend. */
int page_hours(struct page *p, const struct campaign_test *t,
	       const struct campaign_cells *all, enum campaign_metric m);
/* Percentiles, and their curve, of the delays of all repetitions. */
int page_delays(struct page *p, const struct campaign_test *t,
		const struct campaign_cells *all);

/* ---- page_end.c: sections 6 to 8 */

int page_anomalies(struct page *p, const struct campaign *c);
int page_repeatability(struct page *p, const struct campaign *c);
void page_comparability(struct page *p, const struct campaign *c);

#endif

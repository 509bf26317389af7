/* SPDX-License-Identifier: GPL-2.0-or-later
 * Repetitions of the same measurement, together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "campaign/campaign.h"

/* ---- order */

static int compare_values(enum campaign_param p, const struct campaign_value *a,
			  const struct campaign_value *b)
{
	if (!a->text || !b->text)
		return (a->text != NULL) - (b->text != NULL);
	if (campaign_params[p].kind == KIND_WORD)
		return strcasecmp(a->text, b->text);
	return (a->number > b->number) - (a->number < b->number);
}

/* By all parameters, |x| last. */
static int compare_runs(const void *a, const void *b, void *ctx)
{
	const struct campaign_run *const *ra = a, *const *rb = b;
	const enum campaign_param x = *(const enum campaign_param *)ctx;

	for (size_t i = 0; i <= CAMPAIGN_PARAMS; i++) {
		enum campaign_param p =
			i == CAMPAIGN_PARAMS ? x : (enum campaign_param)i;
		int order;

		if (p == x && i < CAMPAIGN_PARAMS)
			continue;
		order = compare_values(p, &(*ra)->params[p], &(*rb)->params[p]);
		if (order)
			return order;
	}
	return (*ra > *rb) - (*ra < *rb); /* as in the file */
}

bool campaign_alike(const struct campaign_run *a, const struct campaign_run *b,
		    enum campaign_param but)
{
	for (size_t i = 0; i < CAMPAIGN_PARAMS; i++)
		if (i != but && compare_values((enum campaign_param)i,
					       &a->params[i], &b->params[i]))
			return false;
	return true;
}

static void look_at_params(struct campaign_cells *to)
{
	for (size_t i = 0; i < to->n; i++)
		for (size_t p = 0; p < CAMPAIGN_PARAMS; p++) {
			const struct campaign_value *v =
				&to->cells[i].runs[0]->params[p];

			to->given[p] |= v->text != NULL;
			to->varied[p] |=
				compare_values(
					(enum campaign_param)p, v,
					&to->cells[0].runs[0]->params[p]) != 0;
		}
}

int campaign_cells(const struct campaign *c, size_t test,
		   struct campaign_cells *to)
{
	const struct campaign_run **runs;
	enum campaign_param x = campaign_tests[test].x;
	size_t n = 0;

	*to = (struct campaign_cells) { 0 };
	runs = calloc(c->n_runs + 1, sizeof *runs);
	to->cells = calloc(c->n_runs + 1, sizeof *to->cells);
	if (!runs || !to->cells) {
		free(runs);
		campaign_cells_free(to);
		return -1;
	}
	for (size_t i = 0; i < c->n_runs; i++)
		if (c->runs[i].tests >> test & 1)
			runs[n++] = &c->runs[i];
	to->cells[0].runs = runs; /* all of them: freed with it */
	qsort_r(runs, n, sizeof *runs, compare_runs, &x);
	for (size_t i = 0; i < n; i++) {
		struct campaign_cell *last =
			to->n ? &to->cells[to->n - 1] : NULL;

		if (!last ||
		    !campaign_alike(last->runs[0], runs[i], CAMPAIGN_PARAMS))
			to->cells[to->n++].runs = &runs[i];
		to->cells[to->n - 1].n_runs++;
	}
	look_at_params(to);
	return 0;
}

void campaign_cells_free(struct campaign_cells *c)
{
	if (c->cells)
		free(c->cells[0].runs);
	free(c->cells);
	*c = (struct campaign_cells) { 0 };
}

/* ---- values */

size_t campaign_values(const struct campaign_cell *c, enum campaign_metric m,
		       double *v)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_runs; i++)
		if (!isnan(c->runs[i]->metric[m]))
			v[n++] = c->runs[i]->metric[m];
	return n;
}

bool campaign_summary(const struct campaign_cell *c, enum campaign_metric m,
		      struct summary *s)
{
	double *v = malloc((c->n_runs + 1) * sizeof *v);

	*s = (struct summary) { 0 };
	if (!v)
		return false;
	summarize(v, campaign_values(c, m, v), s);
	free(v);
	return s->n > 0;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

bool campaign_outlier(const struct campaign_cell *c, enum campaign_metric m,
		      const struct campaign_run *r)
{
	double *v = malloc((c->n_runs + 1) * sizeof *v);
	bool yes = false;

	if (v && !isnan(r->metric[m])) {
		size_t n = campaign_values(c, m, v);

		qsort(v, n, sizeof *v, by_value);
		yes = outlies(v, n, r->metric[m]);
	}
	free(v);
	return yes;
}

const char *campaign_missing(const struct campaign_cell *c,
			     enum campaign_metric m)
{
	for (size_t i = 0; i < c->n_runs; i++)
		if (isnan(c->runs[i]->metric[m]))
			return c->runs[i]->missing[m] ? c->runs[i]->missing[m]
						      : "not known";
	return NULL;
}

static const struct campaign_cell *baseline_of(const struct campaign_cells *all,
					       const struct campaign_cell *cell,
					       const struct campaign_factor *f)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct campaign_run *r = all->cells[i].runs[0];
		const char *text = r->params[f->param].text;

		if (text && !strcasecmp(text, f->baseline) &&
		    campaign_alike(r, cell->runs[0], f->param))
			return &all->cells[i];
	}
	return NULL;
}

bool campaign_factor_of(const struct campaign_cells *all,
			const struct campaign_cell *cell,
			const struct campaign_factor *f, enum campaign_metric m,
			struct campaign_ratio *r)
{
	const struct campaign_cell *base = baseline_of(all, cell, f);
	struct summary a, b;

	if (!base || base == cell || !campaign_summary(cell, m, &a) ||
	    !campaign_summary(base, m, &b) || !(b.low > 0))
		return false;
	*r = (struct campaign_ratio) { .value = a.median / b.median };
	if (a.coverage <= 0 || b.coverage <= 0)
		return true;
	r->low = a.low / b.high;
	r->high = a.high / b.low;
	/* both intervals hold at once at least so often (Bonferroni) */
	r->coverage = a.coverage + b.coverage - 1;
	if (r->coverage < 0)
		r->coverage = 0;
	return true;
}

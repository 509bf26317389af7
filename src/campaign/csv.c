/* SPDX-License-Identifier: GPL-2.0-or-later
 * A campaign as CSV (RFC 4180): a row for each metric of each cell, and one for
 * each of each run. */
#include <math.h>
#include <string.h>

#include "campaign/campaign.h"
#include "views/export.h"

static void text(FILE *out, const char *s)
{
	if (!s)
		return;
	if (!s[strcspn(s, ",\"\r\n")]) {
		fputs(s, out);
		return;
	}
	putc('"', out);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', out);
		putc(*s, out);
	}
	putc('"', out);
}

static void field(FILE *out, const char *s)
{
	putc(',', out);
	text(out, s);
}

static void number(FILE *out, double v)
{
	putc(',', out);
	if (!isnan(v))
		fprintf(out, "%.12g", v);
}

static void head(FILE *out)
{
	fputs("scope,test", out);
	for (size_t i = 0; i < CAMPAIGN_PARAMS; i++)
		field(out, campaign_params[i].key);
	fputs(",run,repetition,hour,metric,unit,runs,value,ci_low,ci_high,"
	      "ci_coverage,mean,std_deviation,cv,min,max,outliers,missing\r\n",
	      out);
}

static void begin(FILE *out, const char *scope, const struct campaign_test *t,
		  const struct campaign_run *r)
{
	fprintf(out, "%s,%s", scope, t->section);
	for (size_t i = 0; i < CAMPAIGN_PARAMS; i++)
		field(out, r->params[i].text);
}

static void outliers(FILE *out, const struct campaign_cell *c,
		     enum campaign_metric m)
{
	char names[4096] = "";
	size_t n = 0;

	for (size_t i = 0; i < c->n_runs && n < sizeof names - 64; i++)
		if (campaign_outlier(c, m, c->runs[i]))
			n += (size_t)snprintf(names + n, sizeof names - n,
					      "%s%s", n ? "; " : "",
					      c->runs[i]->name);
	field(out, names);
}

static void cell(FILE *out, const struct campaign_test *t,
		 const struct campaign_cell *c, enum campaign_metric m)
{
	struct summary s;
	bool known = campaign_summary(c, m, &s);
	const double values[] = {
		s.median,
		s.coverage > 0 ? s.low : NAN,
		s.coverage > 0 ? s.high : NAN,
		s.coverage > 0 ? s.coverage : NAN,
		s.mean,
		s.n > 1 ? s.deviation : NAN,
		s.n > 1 && s.mean > 0 ? s.deviation / s.mean : NAN,
		s.least,
		s.most,
	};

	begin(out, "cell", t, c->runs[0]);
	fputs(",,,", out);
	field(out, campaign_metric_title(m));
	field(out, campaign_metrics[m].unit);
	number(out, (double)s.n);
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		number(out, known ? values[i] : NAN);
	outliers(out, c, m);
	field(out, campaign_missing(c, m));
	fputs("\r\n", out);
}

static void run(FILE *out, const struct campaign_test *t,
		const struct campaign_run *r, enum campaign_metric m)
{
	begin(out, "run", t, r);
	field(out, r->name);
	number(out, r->repetition ? (double)r->repetition : NAN);
	number(out, r->hour);
	field(out, campaign_metric_title(m));
	field(out, campaign_metrics[m].unit);
	fputs(",1", out);
	number(out, r->metric[m]);
	fputs(",,,,,,,,,", out);
	field(out, isnan(r->metric[m]) ? r->missing[m] : NULL);
	fputs("\r\n", out);
}

static int write_csv(void *ctx, FILE *out, struct err *err)
{
	const struct campaign *c = ctx;

	head(out);
	for (size_t t = 0; t < campaign_n_tests; t++) {
		const struct campaign_test *test = &campaign_tests[t];
		struct campaign_cells all;

		if (campaign_cells(c, t, &all))
			return err_set(err, ERR_MEMORY, "out of memory");
		for (size_t i = 0; i < all.n; i++)
			for (size_t m = 0; m < test->n_metrics; m++) {
				const struct campaign_cell *k = &all.cells[i];

				cell(out, test, k, test->metrics[m]);
				for (size_t j = 0; j < k->n_runs; j++)
					run(out, test, k->runs[j],
					    test->metrics[m]);
			}
		campaign_cells_free(&all);
	}
	return 0;
}

int campaign_csv(struct campaign *c, const char *path, struct err *err)
{
	return export_into(path, write_csv, c, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A result database as OpenMetrics text. */
#include "views/metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "base/text.h"
#include "store/query.h"
#include "views/export.h"
#include "views/rows.h"

enum { NAME = 96 };

/* One metric while its samples are written. */
struct metric {
	FILE *out;
	const struct rows *rows;
	char name[NAME]; /* of its samples */
	bool counter;
	uint64_t left_out;
	bool failed; /* out of memory */
};

static void begin(struct metric *m, const struct query *q)
{
	static const char total[] = "-total";
	const char *base = strrchr(q->name, '/') + 1;
	size_t n = strlen(base), tail = sizeof total - 1;

	m->counter = n > tail && !strcmp(base + n - tail, total);
	snprintf(m->name, sizeof m->name, "fabscope_%s", base);
	for (char *c = m->name; *c; c++)
		if (*c == '-')
			*c = '_';
}

/* In quotes, as label values and help texts are escaped. */
static void text(struct metric *m, const char *s)
{
	char *valid = text_valid(s);

	if (!valid) {
		m->failed = true;
		return;
	}
	for (const char *c = valid; *c; c++) {
		if (*c == '\n')
			fputs("\\n", m->out);
		else if (*c == '"' || *c == '\\')
			fprintf(m->out, "\\%c", *c);
		else
			putc(*c, m->out);
	}
	free(valid);
}

/* A family is named without the "_total" of its samples. */
static void head(struct metric *m, const char *help)
{
	int n = (int)strlen(m->name) -
		(m->counter ? (int)sizeof "_total" - 1 : 0);

	fprintf(m->out, "# TYPE %.*s %s\n# HELP %.*s ", n, m->name,
		m->counter ? "counter" : "gauge", n, m->name);
	text(m, help);
	putc('\n', m->out);
}

static void label(struct metric *m, const char *name,
		  const struct query_value *v, bool first)
{
	fprintf(m->out, "%c%s=\"", first ? '{' : ',', name);
	if (v->type == VALUE_INT)
		fprintf(m->out, "%" PRId64, v->i);
	else if (v->type == VALUE_REAL)
		fprintf(m->out, "%.17g", v->r);
	else if (v->type == VALUE_TEXT)
		text(m, v->text);
	putc('"', m->out);
}

static void number(FILE *out, const struct query_value *v)
{
	if (v->type == VALUE_INT)
		fprintf(out, " %" PRId64 "\n", v->i);
	else
		fprintf(out, " %.17g\n", v->r);
}

/* No number, no sample. */
static bool has_value(const struct query_value *v)
{
	return v->type == VALUE_INT ||
	       (v->type == VALUE_REAL && isfinite(v->r));
}

static void sample(struct metric *m, size_t row)
{
	const struct rows *r = m->rows;
	const struct query_value *value = rows_at(r, row, "value");
	bool first = true;

	if (!has_value(value))
		return;
	fputs(m->name, m->out);
	for (size_t i = 0; i < r->n_columns; i++) {
		if (!strcmp(r->columns[i].name, "value"))
			continue;
		label(m, r->columns[i].name, &r->cells[row * r->n_columns + i],
		      first);
		first = false;
	}
	if (!first)
		putc('}', m->out);
	number(m->out, value);
}

static int write_metric(struct store *s, const struct catalogue *c,
			const struct query *q, FILE *out, uint64_t *left_out,
			struct err *err)
{
	struct rows rows;
	struct metric m = { .out = out, .rows = &rows };
	int rc = rows_ask(&rows, s, c, q->name, NULL, err);

	if (!rc) {
		begin(&m, q);
		head(&m, q->question);
		for (size_t i = 0; i < rows.n_rows && i < METRICS_SAMPLES; i++)
			sample(&m, i);
		if (rows.n_rows > METRICS_SAMPLES)
			*left_out += rows.n_rows - METRICS_SAMPLES;
	}
	rows_fini(&rows);
	if (m.failed)
		return err_set(err, ERR_MEMORY, "out of memory");
	return rc;
}

int metrics_write(struct store *s, FILE *out, struct err *err)
{
	struct catalogue *c = catalogue_builtin();
	uint64_t left_out = 0;
	int rc = 0;

	if (!c)
		return err_set(err, ERR_MEMORY, "out of memory");
	progress_phase("writing metrics", 0, catalogue_count(c, "metrics"));
	for (size_t i = 0; i < catalogue_size(c) && !rc; i++) {
		if (!query_in(catalogue_at(c, i), "metrics"))
			continue;
		rc = write_metric(s, c, catalogue_at(c, i), out, &left_out,
				  err);
		progress_step();
	}
	catalogue_free(c);
	if (!rc)
		fprintf(out,
			"# TYPE fabscope_samples_not_exported gauge\n"
			"# HELP fabscope_samples_not_exported Samples that are "
			"not "
			"here: a metric has at most %d.\n"
			"fabscope_samples_not_exported %" PRIu64 "\n# EOF\n",
			METRICS_SAMPLES, left_out);
	return rc;
}

static int write_all(void *ctx, FILE *out, struct err *err)
{
	return metrics_write(ctx, out, err);
}

int export_openmetrics(struct store *s, const struct export_options *o,
		       struct err *err)
{
	return export_into(o->path, write_all, s, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Answers of queries: what all formats have in common. */
#include "store/format.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clamp.h"
#include "base/units.h"
#include "base/words.h"
#include "store/format_int.h"

static const struct {
	const char *name;
	const struct format_ops *ops;
} kinds[] = {
	[FORMAT_TABLE] = { "table", &format_table_ops },
	[FORMAT_CSV] = { "csv", &format_csv_ops },
	[FORMAT_JSON] = { "json", &format_json_ops },
	[FORMAT_JSONL] = { "jsonl", &format_jsonl_ops },
};

int format_by_name(const char *name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (!strcmp(name, kinds[i].name))
			return (int)i;
	return -1;
}

struct format *format_new(FILE *out, const struct format_options *o)
{
	struct format *f = calloc(1, sizeof *f);

	if (!f)
		return NULL;
	f->out = out;
	f->o = *o;
	f->ops = kinds[o->kind].ops;
	return f;
}

static void free_columns(struct format *f)
{
	for (size_t i = 0; i < f->n_columns; i++)
		free(f->columns[i].name);
	free(f->columns);
	f->columns = NULL;
	f->n_columns = 0;
}

static int on_head(void *ctx, const struct query_column *columns, size_t n)
{
	struct format *f = ctx;

	free_columns(f);
	f->columns = calloc(n, sizeof *f->columns);
	if (!f->columns)
		goto fail;
	for (; f->n_columns < n; f->n_columns++) {
		struct query_column *c = &f->columns[f->n_columns];

		c->unit = columns[f->n_columns].unit;
		c->name = strdup(columns[f->n_columns].name);
		if (!c->name)
			goto fail;
	}
	return f->ops->head(f);
fail:
	f->failed = true;
	return -1;
}

static int on_row(void *ctx, const struct query_value *values, size_t n)
{
	struct format *f = ctx;
	int stop;

	if (n != f->n_columns)
		return -1;
	stop = f->ops->row(f, values);
	f->rows++;
	return stop || f->failed || ferror(f->out);
}

struct query_sink format_sink(struct format *f)
{
	return (struct query_sink) { .ctx = f, .head = on_head, .row = on_row };
}

int format_end(struct format *f, struct err *err)
{
	int rc = 0;

	f->ops->end(f);
	if (f->failed)
		rc = err_set(err, ERR_MEMORY, "out of memory");
	else if (fflush(f->out) || ferror(f->out))
		rc = err_errno(err, "cannot write the result");
	free_columns(f);
	free(f);
	return rc;
}

/* --- one value --- */

char *format_share(double share, char buf[static FORMAT_CELL])
{
	double p = share * 100, a = fabs(p);
	int decimals = a >= 99.95 ? 0 : a >= 9.95 ? 1 : a >= 0.01 ? 2 : 4;

	if (a > 99 && a < 100) {
		/* all but is not all */
		decimals = a < 99.95 ? 1 : a < 99.995 ? 2 : a < 99.9995 ? 3 : 4;
		p = a < 99.9999 ? p : copysign(99.9999, p);
	}
	if (!isfinite(p))
		snprintf(buf, FORMAT_CELL, "-");
	else if (p == 0)
		snprintf(buf, FORMAT_CELL, "0 %%");
	else if (a < 0.0001)
		snprintf(buf, FORMAT_CELL, "%s0.0001 %%", p > 0 ? "< " : "> -");
	else
		snprintf(buf, FORMAT_CELL, "%.*f %%", decimals, p);
	return buf;
}

static void count(int64_t n, char *buf)
{
	if (n >= 0)
		units_count((uint64_t)n, buf);
	else /* a file may say so */
		snprintf(buf, FORMAT_CELL, "%" PRId64, n);
}

static void moment(int64_t ns, const struct format_options *o, char *buf)
{
	int64_t distance;

	if (o->origin_ns &&
	    !__builtin_sub_overflow(ns, o->origin_ns, &distance))
		units_offset(distance, buf);
	else
		units_utc(ns, buf);
}

static const char *human(const struct query_value *v, enum query_unit unit,
			 const struct format_options *o, char *buf)
{
	switch (unit) {
	case UNIT_COUNT:
		count(v->i, buf);
		break;
	case UNIT_FLAG:
		return v->i ? "yes" : "no";
	case UNIT_TIME:
		moment(v->i, o, buf);
		break;
	case UNIT_DURATION:
		units_ns(v->i, buf);
		break;
	case UNIT_BYTES:
		units_bytes((double)v->i, buf);
		break;
	case UNIT_RATE:
		units_rate((double)v->i, buf);
		break;
	case UNIT_SHARE:
		format_share((double)v->i, buf);
		break;
	case UNIT_HEX:
		snprintf(buf, FORMAT_CELL, "0x%06" PRIx64, (uint64_t)v->i);
		break;
	case UNIT_HEX16:
		snprintf(buf, FORMAT_CELL, "0x%04" PRIx64, (uint64_t)v->i);
		break;
	default:
		snprintf(buf, FORMAT_CELL, "%" PRId64, v->i);
		break;
	}
	return buf;
}

/* Above it %g would write 3.07e+07. */
static const double REAL_MAX_PLAIN = 1e6;

/* What is not counted but computed has the same unit. */
static const char *human_real(double r, enum query_unit unit,
			      const struct format_options *o, char *buf)
{
	const struct query_value whole = { .type = VALUE_INT,
					   .i = clamp_real(r) };
	bool fits = fabs(r) < (double)INT64_MAX;

	if (unit == UNIT_SHARE)
		return format_share(r, buf);
	if (unit == UNIT_RATE)
		return units_rate(r, buf);
	if (unit == UNIT_BYTES)
		return units_bytes(r, buf);
	if (fits && (unit == UNIT_DURATION || unit == UNIT_TIME))
		return human(&whole, unit, o, buf);
	if (fits && fabs(r) >= REAL_MAX_PLAIN)
		return human(&whole, UNIT_COUNT, o, buf);
	snprintf(buf, FORMAT_CELL, "%.6g", r);
	return buf;
}

/* Each number of the array |json| as a bar, the largest the highest; neighbors
 * share one where fewer bars are wanted.  What is no such array, or has more
 * numbers than there is room for, stays as it is. */
static const char *sparkline(const char *json, const struct format_options *o,
			     char *buf)
{
	static const char *const bars[2][9] = {
		{ " ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585",
		  "\u2586", "\u2587", "\u2588" },
		{ " ", ".", ".", ":", ":", "|", "|", "#", "#" },
	};
	enum { MOST = (FORMAT_CELL - 1) / 3 };
	double v[MOST], most = 0;
	size_t n = 0, at = 0, n_bars;
	const char *s = json;
	char *end;

	for (; n < MOST && (*s == '[' || *s == ','); s = end) {
		v[n] = strtod(s + 1, &end);
		if (end == s + 1 || !isfinite(v[n]))
			return json;
		most = v[n] > most ? v[n] : most;
		n++;
	}
	if (strcmp(s, "]") != 0)
		return json;
	n_bars = o->bars && o->bars < n ? o->bars : n;
	for (size_t i = 0; i < n_bars; i++) {
		double highest = 0, level;

		for (size_t k = i * n / n_bars; k < (i + 1) * n / n_bars; k++)
			highest = v[k] > highest ? v[k] : highest;
		level = most > 0 ? ceil(highest / most * 8) : 0;
		at += (size_t)snprintf(buf + at, FORMAT_CELL - at, "%s",
				       bars[o->ascii][(size_t)level]);
	}
	return buf;
}

bool format_is_uet(const struct query_column *columns,
		   const struct query_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(columns[i].name, "spdcid") &&
		    values[i].type != VALUE_NULL)
			return true;
	return false;
}

const char *format_value(const struct query_value *v, enum query_unit unit,
			 const struct format_options *o,
			 char buf[static FORMAT_CELL])
{
	switch (v->type) {
	case VALUE_TEXT:
		if (o->human && unit == UNIT_SPARK)
			return sparkline(v->text, o, buf);
		if (o->human && unit == UNIT_REASON)
			return words_of_reason(v->text, buf);
		if (!o->human || unit != UNIT_WORD)
			return v->text;
		return o->uet ? words_of_uet(v->text, buf)
			      : words_of(v->text, buf);
	case VALUE_INT:
		if (o->human)
			return human(v, unit, o, buf);
		snprintf(buf, FORMAT_CELL, "%" PRId64, v->i);
		return buf;
	case VALUE_REAL:
		if (o->human)
			return human_real(v->r, unit, o, buf);
		snprintf(buf, FORMAT_CELL, "%.6g", v->r);
		return buf;
	default:
		return "-";
	}
}

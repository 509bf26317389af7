/* SPDX-License-Identifier: GPL-2.0-or-later
 * The answers, once, as JSON for the script of the page.
 *
 * Column by column: {"v": [...]} plain values, {"d": [...]} each the distance
 * from the one before, {"t": [...], "i": [...]} texts that come again and which
 * of them it is.  Times are ns from the first packet: such numbers are exact
 * in a script for a hundred days.  The characters "<", ">" and "&" are written
 * as escapes, so that the text cannot end the element it stands in. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/clamp.h"
#include "base/text.h"
#include "base/units.h"
#include "store/format.h"
#include "views/report_page.h"

static const struct query_value *cell(const struct rows *r, size_t row,
				      size_t column)
{
	return &r->cells[row * r->n_columns + column];
}

static json_t *text_value(const struct rows *r, size_t row, size_t column)
{
	const struct format_options how = {
		.human = true,
		.uet = format_is_uet(r->columns, cell(r, row, 0), r->n_columns)
	};
	enum query_unit unit = r->columns[column].unit;
	char buf[FORMAT_CELL];
	char *clean = text_printable(
		format_value(cell(r, row, column), unit, &how, buf));
	json_t *v = clean ? json_string(clean) : NULL;

	free(clean);
	return v;
}

static json_t *value(const struct page *p, const struct rows *r, size_t row,
		     size_t column)
{
	const struct query_value *v = cell(r, row, column);
	enum query_unit unit = r->columns[column].unit;
	int64_t distance;
	json_t *real;

	switch (v->type) {
	case VALUE_INT:
		if (unit == UNIT_TIME &&
		    !__builtin_sub_overflow(v->i, p->origin_ns, &distance))
			return json_integer(distance);
		return json_integer(v->i);
	case VALUE_REAL:
		real = json_real(v->r);
		return real ? real : json_null(); /* not a number */
	case VALUE_TEXT:
		return text_value(r, row, column);
	default:
		return json_null();
	}
}

static json_t *plain(const struct page *p, const struct rows *r, size_t column)
{
	json_t *a = json_array(), *o = json_object();

	for (size_t i = 0; i < r->n_rows; i++)
		json_array_append_new(a, value(p, r, i, column));
	json_object_set_new(o, "v", a);
	return o;
}

/* ---- times ---------------------------------------------------------- */

/* Numbers up to here are exact in a script; a sum that went beyond would not
 * come back to where it was. */
#define EXACT (INT64_C(1) << 53)

static bool all_exact(const struct page *p, const struct rows *r, size_t column)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct query_value *v = cell(r, i, column);
		int64_t ns;

		if (v->type != VALUE_INT ||
		    __builtin_sub_overflow(v->i, p->origin_ns, &ns) ||
		    ns >= EXACT || ns <= -EXACT)
			return false;
	}
	return r->n_rows > 0;
}

static json_t *distances(const struct page *p, const struct rows *r,
			 size_t column)
{
	json_t *a = json_array(), *o = json_object();
	int64_t last = p->origin_ns;

	for (size_t i = 0; i < r->n_rows; i++) {
		int64_t ns = cell(r, i, column)->i;

		json_array_append_new(a, json_integer(ns - last));
		last = ns;
	}
	json_object_set_new(o, "d", a);
	return o;
}

/* ---- texts ---------------------------------------------------------- */

/* No column of numbers, that is; there may be holes. */
static bool all_texts(const struct rows *r, size_t column)
{
	for (size_t i = 0; i < r->n_rows; i++)
		if (cell(r, i, column)->type != VALUE_TEXT &&
		    cell(r, i, column)->type != VALUE_NULL)
			return false;
	return true;
}

/* Which entry of |texts| a cell is; makes a new one. */
static json_t *index_of(json_t *seen, json_t *texts, const struct rows *r,
			size_t row, size_t column)
{
	json_t *v = text_value(r, row, column), *known;
	const char *clean = json_string_value(v);

	if (!clean)
		return json_null();
	known = json_object_get(seen, clean);
	if (!known) {
		known = json_integer((json_int_t)json_array_size(texts));
		json_object_set_new(seen, clean, known);
		json_array_append(texts, v);
	}
	json_decref(v);
	return json_incref(known);
}

static json_t *dictionary(const struct rows *r, size_t column)
{
	json_t *seen = json_object(), *texts = json_array();
	json_t *which = json_array(), *o = json_object();

	for (size_t i = 0; i < r->n_rows; i++) {
		const struct query_value *v = cell(r, i, column);

		json_array_append_new(
			which, v->type == VALUE_TEXT
				       ? index_of(seen, texts, r, i, column)
				       : json_null());
	}
	json_decref(seen);
	json_object_set_new(o, "t", texts);
	json_object_set_new(o, "i", which);
	return o;
}

static json_t *column_data(const struct page *p, const struct rows *r,
			   size_t column)
{
	enum query_unit unit = r->columns[column].unit;

	if (unit == UNIT_TIME && all_exact(p, r, column))
		return distances(p, r, column);
	if (all_texts(r, column))
		return dictionary(r, column);
	return plain(p, r, column);
}

/* ---- the document --------------------------------------------------- */

static json_t *section(const struct page *p, const struct report_section *sec,
		       const struct rows *r)
{
	json_t *o = json_object(), *columns = json_array();

	for (size_t i = 0; i < r->n_columns; i++) {
		json_t *c = column_data(p, r, i);

		json_object_set_new(c, "name", json_string(r->columns[i].name));
		json_object_set_new(
			c, "unit",
			json_string(query_unit_names[r->columns[i].unit]));
		json_array_append_new(columns, c);
	}
	json_object_set_new(o, "query", json_string(sec->query));
	json_object_set_new(o, "draw",
			    sec->draw ? json_string(sec->draw) : json_null());
	json_object_set_new(o, "rows", json_integer((json_int_t)r->n_rows));
	json_object_set_new(o, "left_out",
			    json_integer((json_int_t)r->left_out));
	json_object_set_new(o, "columns", columns);
	return o;
}

static json_t *document(const struct page *p)
{
	const struct rows *totals = &p->answers.of[ANSWER_TOTALS];
	json_t *o = json_object(), *sections = json_object();
	char first[UNITS_TEXT];

	for (size_t i = 0; i < report_n_sections; i++)
		if (p->rows[i].n_rows)
			json_object_set_new(
				sections, report_sections[i].id,
				section(p, &report_sections[i], &p->rows[i]));
	json_object_set_new(o, "format", json_string("fabscope-report"));
	json_object_set_new(o, "version", json_integer(1));
	json_object_set_new(o, "first",
			    json_string(units_utc(p->origin_ns, first)));
	json_object_set_new(
		o, "length_ns",
		json_integer(
			clamp_sub(rows_int(totals, 0, "last_ns", p->origin_ns),
				  p->origin_ns)));
	json_object_set_new(o, "sections", sections);
	return o;
}

static int put(const char *text, size_t n, void *ctx)
{
	FILE *out = ctx;

	for (size_t i = 0; i < n; i++)
		if (strchr("<>&", text[i]) && text[i])
			fprintf(out, "\\u%04x", (unsigned)text[i]);
		else
			putc(text[i], out);
	return 0;
}

int report_data(struct page *p)
{
	json_t *o = document(p);
	int rc;

	html_raw(p, "<script type=\"application/json\" id=\"data\">\n");
	rc = json_dump_callback(o, put, p->out,
				JSON_COMPACT | JSON_ENSURE_ASCII |
					JSON_REAL_PRECISION(9));
	html_raw(p, "\n</script>\n");
	json_decref(o);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Answers as CSV (RFC 4180) and as JSON (RFC 8259).
 *
 * CSV: NULL is an empty field, the empty string is "".  JSON: an array of one
 * object per row, one row per line; text that is no UTF-8 gets U+FFFD; a column
 * of unit json is part of the document.  JSON lines: the same objects, each in
 * a record that says of what it is and in which version. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/text.h"
#include "store/format_int.h"
#include "store/store_int.h"

/* The shortest form that reads back as the same number. */
static void write_real(FILE *out, double r)
{
	char buf[32];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, sizeof buf, "%.*g", digits, r);
		if (strtod(buf, NULL) == r)
			break;
	}
	fputs(buf, out);
}

/* --- CSV --- */

static void csv_text(FILE *out, const char *s)
{
	if (*s && !strpbrk(s, "\",\r\n") && *s != ' ' &&
	    s[strlen(s) - 1] != ' ') {
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

static void csv_value(FILE *out, const struct query_value *v)
{
	if (v->type == VALUE_INT)
		fprintf(out, "%" PRId64, v->i);
	else if (v->type == VALUE_REAL && isfinite(v->r))
		write_real(out, v->r);
	else if (v->type == VALUE_TEXT)
		csv_text(out, v->text);
}

static int csv_head(struct format *f)
{
	for (size_t i = 0; i < f->n_columns; i++) {
		if (i)
			putc(',', f->out);
		csv_text(f->out, f->columns[i].name);
	}
	fputs("\r\n", f->out);
	return 0;
}

static int csv_row(struct format *f, const struct query_value *values)
{
	for (size_t i = 0; i < f->n_columns; i++) {
		if (i)
			putc(',', f->out);
		csv_value(f->out, &values[i]);
	}
	fputs("\r\n", f->out);
	return 0;
}

static void csv_end(struct format *f)
{
	(void)f;
}

const struct format_ops format_csv_ops = { csv_head, csv_row, csv_end };

/* --- JSON --- */

static void json_text(struct format *f, const char *text)
{
	char *valid = text_valid(text);

	if (!valid) {
		f->failed = true;
		return;
	}
	putc('"', f->out);
	for (const char *s = valid; *s; s++) {
		if (*s == '"' || *s == '\\')
			putc('\\', f->out);
		if ((unsigned char)*s < 0x20)
			fprintf(f->out, "\\u%04x", (unsigned)*s);
		else
			putc(*s, f->out);
	}
	putc('"', f->out);
	free(valid);
}

/* A database may hold anything: what is no JSON stays a text. */
static bool is_json(const char *text)
{
	json_t *j = json_loads(text, JSON_DECODE_ANY, NULL);

	json_decref(j);
	return j != NULL;
}

/* Line breaks are between the tokens only, and may be blanks. */
static void json_nested(FILE *out, const char *text)
{
	for (; *text; text++)
		putc((unsigned char)*text < ' ' ? ' ' : *text, out);
}

static void json_value(struct format *f, const struct query_value *v,
		       enum query_unit unit)
{
	if (v->type == VALUE_TEXT &&
	    (unit == UNIT_JSON || unit == UNIT_SPARK) && is_json(v->text))
		json_nested(f->out, v->text);
	else if (v->type == VALUE_INT)
		fprintf(f->out, "%" PRId64, v->i);
	else if (v->type == VALUE_REAL && isfinite(v->r))
		write_real(f->out, v->r);
	else if (v->type == VALUE_TEXT)
		json_text(f, v->text);
	else
		fputs("null", f->out);
}

static int json_head(struct format *f)
{
	(void)f;
	return 0;
}

static void json_object_of(struct format *f, const struct query_value *values)
{
	putc('{', f->out);
	for (size_t i = 0; i < f->n_columns; i++) {
		if (i)
			fputs(", ", f->out);
		json_text(f, f->columns[i].name);
		fputs(": ", f->out);
		json_value(f, &values[i], f->columns[i].unit);
	}
	putc('}', f->out);
}

static int json_row(struct format *f, const struct query_value *values)
{
	fputs(f->rows ? ",\n" : "[\n", f->out);
	json_object_of(f, values);
	return 0;
}

static void json_end(struct format *f)
{
	fputs(f->rows ? "\n]\n" : "[]\n", f->out);
}

const struct format_ops format_json_ops = { json_head, json_row, json_end };

/* --- JSON lines --- */

static int jsonl_row(struct format *f, const struct query_value *values)
{
	fprintf(f->out,
		"{\"format\": \"fabscope-record\", \"version\": %d, "
		"\"schema\": %d, \"of\": ",
		FORMAT_RECORD_VERSION, STORE_SCHEMA);
	json_text(f, f->o.record ? f->o.record : "");
	fputs(", \"row\": ", f->out);
	json_object_of(f, values);
	fputs("}\n", f->out);
	return 0;
}

static void jsonl_end(struct format *f)
{
	(void)f;
}

const struct format_ops format_jsonl_ops = { json_head, jsonl_row, jsonl_end };

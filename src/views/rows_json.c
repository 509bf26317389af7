/* SPDX-License-Identifier: GPL-2.0-or-later
 * From cells to JSON values. */
#include "views/rows_json.h"

#include <stdlib.h>

#include "base/text.h"

json_t *rows_json_text(const char *text)
{
	char *valid = text_valid(text);
	json_t *v = valid ? json_string(valid) : NULL;

	free(valid);
	return v;
}

/* JSON inside a database may be anything: what is none becomes null. */
static json_t *nested_value(const char *text)
{
	json_t *v = json_loads(text, JSON_DECODE_ANY, NULL);

	return v ? v : json_null();
}

static json_t *value(const struct query_value *v, enum query_unit unit)
{
	json_t *real;

	switch (v->type) {
	case VALUE_INT:
		if (unit == UNIT_FLAG)
			return json_boolean(v->i != 0);
		return json_integer(v->i);
	case VALUE_REAL:
		real = json_real(v->r);
		return real ? real : json_null(); /* not a number */
	case VALUE_TEXT:
		return unit == UNIT_JSON || unit == UNIT_SPARK
			       ? nested_value(v->text)
			       : rows_json_text(v->text);
	default:
		return json_null();
	}
}

json_t *rows_json_object(const struct rows *r, size_t row)
{
	const struct query_value *cells = r->cells + row * r->n_columns;
	json_t *o = json_object();
	size_t i;

	for (i = 0; i < r->n_columns; i++)
		json_object_set_new(o, r->columns[i].name,
				    value(&cells[i], r->columns[i].unit));
	return o;
}

json_t *rows_json_array(const struct rows *r)
{
	json_t *a = json_array();
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		json_array_append_new(a, rows_json_object(r, i));
	return a;
}

int rows_json_print(json_t *document, FILE *out, struct err *err)
{
	int rc = 0;

	/* a write that fails is reported when stdout is flushed */
	if (json_dumpf(document, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) <
		    0 &&
	    !ferror(out))
		rc = err_set(err, ERR_MEMORY, "out of memory");
	fputc('\n', out);
	json_decref(document);
	return rc;
}

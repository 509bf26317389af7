/* SPDX-License-Identifier: GPL-2.0-or-later
 * The verdict for programs: docs/analyze.schema.json. */
#include <stdlib.h>

#include <jansson.h>

#include "base/text.h"
#include "store/store.h"
#include "views/answers.h"
#include "views/verdict.h"

/* A change of meaning needs a new version; new members do not. */
enum { DOCUMENT_VERSION = 1 };

static json_t *text_value(const char *text)
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
		return unit == UNIT_JSON ? nested_value(v->text)
					 : text_value(v->text);
	default:
		return json_null();
	}
}

static json_t *row_object(const struct rows *r, size_t row)
{
	const struct query_value *cells = r->cells + row * r->n_columns;
	json_t *o = json_object();
	size_t i;

	for (i = 0; i < r->n_columns; i++)
		json_object_set_new(o, r->columns[i].name,
				    value(&cells[i], r->columns[i].unit));
	return o;
}

static json_t *rows_array(const struct rows *r)
{
	json_t *a = json_array();
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		json_array_append_new(a, row_object(r, i));
	return a;
}

static json_t *document(const struct answers *a, const char *database)
{
	static const struct {
		const char *member;
		bool single;
	} members[] = {
#define X(id, query, member, single) { member, single },
		ANSWERS(X)
#undef X
	};
	const struct rows *findings = &a->of[ANSWER_FINDINGS];
	json_t *o = json_object();
	size_t i;

	json_object_set_new(o, "format", json_string("fabscope-verdict"));
	json_object_set_new(o, "version", json_integer(DOCUMENT_VERSION));
	json_object_set_new(o, "database", text_value(database));
	json_object_set_new(
		o, "verdict",
		findings->n_rows ? text_value(rows_text(findings, 0, "title"))
				 : json_null());
	for (i = 0; i < ANSWER_COUNT; i++)
		json_object_set_new(o, members[i].member,
				    members[i].single ? row_object(&a->of[i], 0)
						      : rows_array(&a->of[i]));
	return o;
}

int verdict_json(struct store *s, FILE *out, struct err *err)
{
	struct answers a;
	json_t *o;
	int rc = answers_load(&a, s, err);

	if (!rc) {
		o = document(&a, store_path(s));
		/* a write that fails is told when stdout is flushed */
		if (json_dumpf(o, out,
			       JSON_INDENT(2) | JSON_REAL_PRECISION(9)) < 0 &&
		    !ferror(out))
			rc = err_set(err, ERR_MEMORY, "out of memory");
		fputc('\n', out);
		json_decref(o);
	}
	answers_fini(&a);
	return rc;
}

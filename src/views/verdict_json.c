/* SPDX-License-Identifier: GPL-2.0-or-later
 * The verdict for programs: docs/analyze.schema.json. */
#include <jansson.h>

#include "store/store.h"
#include "views/answers.h"
#include "views/rows_json.h"
#include "views/verdict.h"

/* A change of meaning needs a new version; new members do not. */
enum { DOCUMENT_VERSION = 2 };

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
	const struct rows *answer = &a->of[ANSWER_ANSWER];
	json_t *o = json_object();
	size_t i;

	json_object_set_new(o, "format", json_string("fabscope-verdict"));
	json_object_set_new(o, "version", json_integer(DOCUMENT_VERSION));
	json_object_set_new(o, "database", rows_json_text(database));
	json_object_set_new(
		o, "verdict",
		answer->n_rows ? rows_json_text(rows_text(answer, 0, "line"))
			       : json_null());
	for (i = 0; i < ANSWER_COUNT; i++)
		json_object_set_new(o, members[i].member,
				    members[i].single
					    ? rows_json_object(&a->of[i], 0)
					    : rows_json_array(&a->of[i]));
	return o;
}

int verdict_json(struct store *s, FILE *out, struct err *err)
{
	struct answers a;
	int rc = answers_load(&a, s, err);

	if (!rc)
		rc = rows_json_print(document(&a, store_path(s)), out, err);
	answers_fini(&a);
	return rc;
}

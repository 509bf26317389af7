/* SPDX-License-Identifier: GPL-2.0-or-later
 * Asking the queries of a verdict. */
#include "views/answers.h"

int answers_load(struct answers *a, struct store *s, struct err *err)
{
	static const char *const queries[] = {
#define X(id, query, member, single) query,
		ANSWERS(X)
#undef X
	};
	size_t i;

	*a = (struct answers) { .catalogue = catalogue_builtin() };
	if (!a->catalogue)
		return err_set(err, ERR_MEMORY, "out of memory");
	for (i = 0; i < ANSWER_COUNT; i++)
		if (rows_ask(&a->of[i], s, a->catalogue, queries[i], NULL,
			     err) < 0)
			return -1;
	return 0;
}

void answers_fini(struct answers *a)
{
	size_t i;

	for (i = 0; i < ANSWER_COUNT; i++)
		rows_fini(&a->of[i]);
	catalogue_free(a->catalogue);
	a->catalogue = NULL;
}

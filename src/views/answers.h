/* SPDX-License-Identifier: GPL-2.0-or-later
 * All answers a verdict is made of. */
#ifndef FABSCOPE_VIEWS_ANSWERS_H
#define FABSCOPE_VIEWS_ANSWERS_H

#include "base/err.h"
#include "views/rows.h"

/* One row per query: identifier, its name, its member in the JSON document,
 * whether that is one object for the only row or an array of them. */
#define ANSWERS(X)                                                   \
	X(ANSWER, "answer", "answer", false)                         \
	X(TOTALS, "verdict/totals", "totals", true)                  \
	X(CAPTURES, "captures", "captures", false)                   \
	X(DAMAGE, "corrupted-ranges", "corrupted_ranges", false)     \
	X(TAPS, "verdict/taps", "taps", false)                       \
	X(JOBS, "verdict/jobs", "jobs", false)                       \
	X(FINDINGS, "verdict/findings", "findings", false)           \
	X(UNSEEN, "verdict/not-observable", "not_observable", false) \
	X(ROW_LIMITS, "verdict/row-limits", "row_limits", false)     \
	X(META, "verdict/meta", "meta", false)

enum answer {
#define X(id, query, member, single) ANSWER_##id,
	ANSWERS(X)
#undef X
		ANSWER_COUNT
};

struct answers {
	struct catalogue *catalogue;
	struct rows of[ANSWER_COUNT];
};

/* answers_fini() is right after either result. */
int answers_load(struct answers *a, struct store *s, struct err *err);
void answers_fini(struct answers *a);

#endif

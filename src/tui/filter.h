/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which rows of a list are wanted.
 *
 *	10.9.0.1 -ack         rows with the first word and without the second
 *	lost>0 recovery_ns>=5ms transport=RC
 *
 * All terms must hold.  A word is looked for in every cell as it is shown,
 * without regard to case.  A term with an operator (= != < <= > >=, and ~ for
 * "contains") is about one column, whose unit says how its value is written; a
 * list without that column passes it over.  Columns are called by their names
 * or by their heads ("time_lost>5ms"), whatever the case. */
#ifndef FABSCOPE_TUI_FILTER_H
#define FABSCOPE_TUI_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/query.h"

enum { FILTER_TEXT = 256, FILTER_TERMS = 32 };

enum filter_op {
	FILTER_WORD,
	FILTER_NE,
	FILTER_LE,
	FILTER_GE,
	FILTER_EQ,
	FILTER_LT,
	FILTER_GT,
	FILTER_HAS
};

struct filter_term {
	enum filter_op op;
	bool without;       /* -word */
	const char *column; /* in |words| */
	const char *value;
};

struct filter {
	char text[FILTER_TEXT]; /* as typed; "": everything */
	bool inverse;           /* rows that do not fit */
	char words[FILTER_TEXT];
	struct filter_term terms[FILTER_TERMS];
	size_t n_terms;
};

/* Anything is a filter; what is too long is cut. */
void filter_set(struct filter *f, const char *text);

/* Can the value of |t| be one of a column of |unit|?  A text fits texts, and
 * NULL everything. */
bool filter_value_fits(const struct filter_term *t, enum query_unit unit,
		       int64_t origin_ns);

/* One row; |shown| are its cells as text. */
bool filter_fits(const struct filter *f, const struct query_column *columns,
		 const struct query_value *values, size_t n,
		 const char *const *shown, int64_t origin_ns);

#endif

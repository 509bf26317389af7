/* SPDX-License-Identifier: GPL-2.0-or-later
 * The verdict on a capture: for people, and for programs.
 *
 * Both show the same queries (answers.h), so that every number here is the
 * number `fabscope query` gives. */
#ifndef FABSCOPE_VIEWS_VERDICT_H
#define FABSCOPE_VIEWS_VERDICT_H

#include <stdio.h>

#include "base/err.h"

struct store;

enum verdict_detail {
	VERDICT_BRIEF, /* the answer, and a line per finding */
	VERDICT_USUAL, /* findings, a line each for what was captured and what
			* was not observable; shortened to fit a screen */
	VERDICT_ALL,
};

/* The answer, findings by cost, capture and quality, what was not observable.
 * |program| is how the reader calls us, for the commands to go on with. */
int verdict_print(struct store *s, const char *program,
		  enum verdict_detail detail, FILE *out, struct err *err);

/* One document, docs/analyze.schema.json. */
int verdict_json(struct store *s, FILE *out, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The verdict for people: what its parts share. */
#ifndef FABSCOPE_VIEWS_VERDICT_INT_H
#define FABSCOPE_VIEWS_VERDICT_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"
#include "views/answers.h"
#include "views/text_writer.h"
#include "views/verdict.h"

enum {
	VERDICT_SHOWN = 5, /* captures, taps and damages in full */
	VERDICT_LABEL = 2, /* columns */
	VERDICT_INDENT = 15,
	VERDICT_SCREEN = 22, /* lines: of 24, less two with a prompt */
	VERDICT_DETAIL = 2,  /* lines of a shortened finding's detail */
	VERDICT_NOTES = 3,   /* consequences and notes of the shortest form */
	VERDICT_KINDS = 2,   /* of findings that are named, fit or not */
};

/* How much is left out so that the rest fits a screen. */
enum verdict_length {
	VERDICT_FULL,
	VERDICT_SHORTENED, /* jobs and notes in a line each */
	VERDICT_SHORTEST,  /* all jobs together, the first notes */
	VERDICT_GROUPED,   /* the first finding, the others by kind */
};

struct verdict_view {
	struct text_writer text_writer;
	enum verdict_detail detail;
	enum verdict_length length;
	size_t kinds; /* of findings below the first, when grouped */
	const struct answers *answers;
	int64_t origin_ns;
	const char *program;
	const char *database;
};

/* Databases come from anywhere: times in them may be any number. */
int64_t verdict_distance(int64_t from, int64_t to);

/* A count of row |i|, as people read it. */
const char *verdict_count(const struct rows *r, size_t i, const char *name,
			  char buf[static UNITS_TEXT]);

/* That |r| has more rows than are shown, and which query has all. */
void verdict_more(struct verdict_view *v, const struct rows *r,
		  const char *query);

/* What was captured, what of it could not be read, and each capture point. */
void verdict_captures(struct verdict_view *v);

/* Where loss is ruled out packet by packet. */
void verdict_lossless(struct verdict_view *v);

/* All captures in one line; enough where nothing is wrong with them. */
bool verdict_is_good(const struct verdict_view *v);
void verdict_quality(struct verdict_view *v);

/* What was not observable, and why; only its names; rows that were not
 * stored. */
void verdict_unseen(struct verdict_view *v);
void verdict_unseen_names(struct verdict_view *v);
void verdict_row_limits(struct verdict_view *v);

/* Whether a packet is RoCE or Ultra Ethernet. */
bool verdict_has_transport(const struct verdict_view *v);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The verdict for people: what was not observable, or not stored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "views/answers.h"
#include "views/text_writer.h"
#include "views/verdict_int.h"

/* ---- and why --------------------------------------------------------- */

void verdict_unseen(struct verdict_view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_UNSEEN];
	size_t i;

	if (!r->n_rows)
		return;
	fputc('\n', v->text_writer.out);
	writer_style(&v->text_writer, TEXT_BOLD);
	fputs("Not observable at this capture point\n", v->text_writer.out);
	writer_style(&v->text_writer, TEXT_PLAIN);
	for (i = 0; i < r->n_rows; i++) {
		const char *taps = rows_text(r, i, "taps");
		char what[WORDS_TEXT];

		writer_printf(&v->text_writer, VERDICT_LABEL,
			      words_of(rows_text(r, i, "what"), what),
			      VERDICT_INDENT, "%s%s%s%s%s",
			      strcmp(rows_text(r, i, "verdict"), "no")
				      ? "in part: "
				      : "",
			      rows_text(r, i, "why"), *taps ? " (at " : "",
			      taps, *taps ? ")" : "");
	}
}

/* That messages are a sample is no news: those rows have no meaning. */
void verdict_row_limits(struct verdict_view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_ROW_LIMITS];
	char stored[UNITS_TEXT], missing[UNITS_TEXT];
	const char *label = "Row limit";

	for (size_t i = 0; i < r->n_rows; i++) {
		const char *means = rows_text(r, i, "means");
		bool some = rows_int(r, i, "stored", 0) > 0;

		if (!*means)
			continue;
		if (*label)
			fputc('\n', v->text_writer.out);
		writer_printf(&v->text_writer, 0, label, VERDICT_INDENT,
			      "table %s: %s%s%s rows not stored: %s",
			      rows_text(r, i, "table_name"),
			      some ? verdict_count(r, i, "stored", stored) : "",
			      some ? " rows stored, " : "",
			      verdict_count(r, i, "not_stored", missing),
			      means);
		label = "";
	}
}

/* ---- their names ----------------------------------------------------- */

/* Not observable at one capture point, and in part at another. */
static bool is_elsewhere(const struct rows *r, size_t row)
{
	for (size_t i = row + 1; i < r->n_rows; i++)
		if (!strcmp(rows_text(r, i, "what"),
			    rows_text(r, row, "what")) &&
		    strcmp(rows_text(r, i, "verdict"),
			   rows_text(r, row, "verdict")) != 0)
			return true;
	return false;
}

/* The capture points at which |row| is not observable, where all others show
 * it; NULL: at every one, or for several reasons. */
static const char *unseen_taps(const struct rows *r, size_t row)
{
	const char *what = rows_text(r, row, "what");
	const char *taps = rows_text(r, row, "taps");
	size_t i, reasons = 0;

	for (i = 0; i < r->n_rows; i++)
		reasons += !strcmp(rows_text(r, i, "what"), what);
	return *taps && reasons == 1 ? taps : NULL;
}

static const char in_part[] = "in part";

/* Where row |i| is listed: "" at every capture point, "t1, t2" at these; NULL:
 * its kind is listed with another row. */
static const char *unseen_group(const struct rows *r, size_t i)
{
	const char *taps = unseen_taps(r, i);

	if (i &&
	    !strcmp(rows_text(r, i, "what"), rows_text(r, i - 1, "what")) &&
	    !strcmp(rows_text(r, i, "verdict"), rows_text(r, i - 1, "verdict")))
		return NULL;
	if (strcmp(rows_text(r, i, "verdict"), "no") != 0)
		return in_part;
	return is_elsewhere(r, i) ? NULL : taps ? taps : "";
}

/* Whether a row before |i| is listed in |group|. */
static bool is_listed(const struct rows *r, size_t i, const char *group)
{
	while (i--) {
		const char *other = unseen_group(r, i);

		if (other && !strcmp(other, group))
			return true;
	}
	return false;
}

/* "; at t1: ACKs, loss" */
static void list_group(const struct rows *r, const char *group, FILE *out)
{
	char name[WORDS_TEXT];
	const char *before = ftell(out) ? "; " : "";

	for (size_t i = 0; i < r->n_rows; i++) {
		const char *of = unseen_group(r, i);

		if (!of || strcmp(of, group) != 0)
			continue;
		if (*before == ',' || !*group)
			fputs(before, out);
		else
			fprintf(out, "%s%s%s: ", before,
				group == in_part ? "" : "at ", group);
		fputs(words_of(rows_text(r, i, "what"), name), out);
		before = ", ";
	}
}

/* Names of kinds, those first that are not observable anywhere. */
static void list_unseen(struct verdict_view *v, FILE *out)
{
	const struct rows *r = &v->answers->of[ANSWER_UNSEEN];

	list_group(r, "", out);
	for (size_t i = 0; i < r->n_rows; i++) {
		const char *group = unseen_group(r, i);

		if (group && *group && !is_listed(r, i, group))
			list_group(r, group, out);
	}
}

void verdict_unseen_names(struct verdict_view *v)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (out)
		list_unseen(v, out);
	if (!out || fclose(out) || !text)
		fputs("out of memory\n", v->text_writer.out);
	else if (*text)
		writer_printf(&v->text_writer, 0, "Not observable",
			      VERDICT_INDENT,
			      v->length == VERDICT_FULL ? "%s (-v: why)"
							: "%s (-v: all)",
			      text);
	free(text);
}

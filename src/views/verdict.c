/* SPDX-License-Identifier: GPL-2.0-or-later
 * The verdict for people.
 *
 * In this order: the answer, what was found, how good the capture is, what is
 * not observable.  Nothing is computed here. */
#include "views/verdict.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "base/words.h"
#include "store/store.h"
#include "views/answers.h"
#include "views/text_writer.h"
#include "views/verdict_int.h"

enum {
	BRIEF_INDENT = 13,
	DEPTH = 4, /* of consequences shown */
};

int64_t verdict_distance(int64_t from, int64_t to)
{
	int64_t d;

	if (__builtin_sub_overflow(to, from, &d))
		return to < from ? INT64_MIN : INT64_MAX;
	return d;
}

void verdict_more(struct verdict_view *v, const struct rows *r,
		  const char *query)
{
	char n[UNITS_TEXT];

	if (r->n_rows > VERDICT_SHOWN)
		writer_command(&v->text_writer, VERDICT_LABEL, "",
			       VERDICT_INDENT, "and %s more: %s query %s %s",
			       units_count(r->n_rows - VERDICT_SHOWN, n),
			       v->program, v->database, query);
}

const char *verdict_count(const struct rows *r, size_t i, const char *name,
			  char buf[static UNITS_TEXT])
{
	return units_count((uint64_t)rows_int(r, i, name, 0), buf);
}

static void show_optional(struct verdict_view *v, const char *label,
			  const char *text)
{
	if (*text)
		writer_text(&v->text_writer, VERDICT_LABEL, label,
			    VERDICT_INDENT, text);
}

/* ---- the answer ----------------------------------------------------- */

static enum writer_style style_of_verdict(const char *verdict)
{
	static const struct {
		const char *verdict;
		enum writer_style style;
	} styles[] = {
		{ "network", TEXT_RED },
		{ "host", TEXT_YELLOW },
		{ "both", TEXT_RED },
		{ "nothing-wrong", TEXT_GREEN },
	};

	for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++)
		if (!strcmp(verdict, styles[i].verdict))
			return styles[i].style;
	return TEXT_BOLD;
}

/* What the answer is about, where it is not all of the input. */
static void show_interrupted(struct verdict_view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_META];

	for (size_t i = 0; i < r->n_rows; i++)
		if (!strcmp(rows_text(r, i, "key"), "interrupted"))
			writer_printf(&v->text_writer, 0, "", 0,
				      "Interrupted: this is about the first "
				      "%s %% of the input.",
				      rows_text(r, i, "value"));
}

static void show_answer(struct verdict_view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_ANSWER];

	if (!r->n_rows)
		return;
	writer_style(&v->text_writer,
		     style_of_verdict(rows_text(r, 0, "verdict")));
	writer_text(&v->text_writer, 0, "", 0, rows_text(r, 0, "line"));
	writer_style(&v->text_writer, TEXT_PLAIN);
	show_interrupted(v);
}

/* ---- jobs ----------------------------------------------------------- */

/* Whether the answer for the capture, above, is that for |job|. */
static bool is_above(const struct verdict_view *v, int64_t job)
{
	char name[UNITS_TEXT];

	snprintf(name, sizeof name, "job %" PRId64 ": ", job);
	return strstr(rows_text(&v->answers->of[ANSWER_ANSWER], 0, "line"),
		      name);
}

/* "Undetermined (54 %)" */
static const char *job_verdict(const struct verdict_view *v,
			       const struct rows *r, size_t i, int *n)
{
	const char *line = is_above(v, rows_int(r, i, "job", 0))
				   ? "the answer above"
				   : rows_text(r, i, "line");

	*n = (int)strcspn(line, ":");
	return line;
}

/* "2: 3 ranks, 8 iterations: Undetermined (54 %)" */
static void show_job_briefly(struct verdict_view *v, const struct rows *r,
			     size_t i)
{
	int64_t iterations = rows_int(r, i, "iterations", -1);
	char ranks[UNITS_PLURAL], of[UNITS_PLURAL] = "no iterations";
	const char *line;
	int n;

	line = job_verdict(v, r, i, &n);
	if (iterations >= 0)
		units_plural(iterations, "iteration", of);
	writer_printf(&v->text_writer, VERDICT_LABEL, "Job", VERDICT_INDENT,
		      "%" PRId64 ": %s, %s: %.*s", rows_int(r, i, "job", 0),
		      units_plural(rows_int(r, i, "ranks", 0), "rank", ranks),
		      of, n, line);
}

/* "1: the answer above; 2 and 3: Undetermined (54 %)" */
static void list_jobs(const struct verdict_view *v, const struct rows *r,
		      FILE *out)
{
	for (size_t i = 0; i < r->n_rows && i < VERDICT_SHOWN; i++) {
		bool last = i + 1 == r->n_rows || i + 1 == VERDICT_SHOWN;
		int n, m = 0;
		const char *line = job_verdict(v, r, i, &n);
		const char *next = last ? "" : job_verdict(v, r, i + 1, &m);

		fprintf(out, "%" PRId64, rows_int(r, i, "job", 0));
		if (n == m && !memcmp(line, next, (size_t)n))
			fputs(", ", out);
		else
			fprintf(out, ": %.*s%s", n, line, last ? "" : "; ");
	}
}

static void show_jobs_together(struct verdict_view *v, const struct rows *r)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (out)
		list_jobs(v, r, out);
	show_optional(v, "Jobs",
		      !out || fclose(out) || !text ? "out of memory" : text);
	free(text);
}

static void show_job(struct verdict_view *v, const struct rows *r, size_t i)
{
	int64_t job = rows_int(r, i, "job", 0);
	char jct[UNITS_TEXT], comm[UNITS_TEXT];
	char ranks[UNITS_PLURAL], iterations[UNITS_PLURAL];
	const char *pattern = rows_text(r, i, "pattern");
	const char *groups = rows_text(r, i, "groups");
	const char *about = rows_text(r, i, "about");

	units_plural(rows_int(r, i, "ranks", 0), "rank", ranks);
	if (rows_int(r, i, "iterations", -1) < 0)
		writer_printf(&v->text_writer, VERDICT_LABEL, "Job",
			      VERDICT_INDENT,
			      "%" PRId64 ": %s, no iterations%s%s", job, ranks,
			      *about ? ", " : "", about);
	else
		writer_printf(
			&v->text_writer, VERDICT_LABEL, "Job", VERDICT_INDENT,
			"%" PRId64 ": %s, %s in %s, %s of it "
			"communicating%s%s%s%s%s%s",
			job, ranks,
			units_plural(rows_int(r, i, "iterations", 0),
				     "iteration", iterations),
			units_ns(rows_int(r, i, "jct_ns", 0), jct),
			units_ns(rows_int(r, i, "comm_ns", 0), comm),
			*pattern ? ", traffic pattern " : "", pattern,
			*groups ? ", " : "", groups, *about ? ", " : "", about);
	show_optional(v, "",
		      is_above(v, job) ? "the answer above"
				       : rows_text(r, i, "line"));
	if (v->detail == VERDICT_ALL && *rows_text(r, i, "causes"))
		writer_printf(&v->text_writer, VERDICT_LABEL, "",
			      VERDICT_INDENT, "Time: %s",
			      rows_text(r, i, "causes"));
}

static void show_jobs(struct verdict_view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_JOBS];

	if (v->length >= VERDICT_SHORTEST && r->n_rows > 1)
		show_jobs_together(v, r);
	for (size_t i = 0; i < r->n_rows && i < VERDICT_SHOWN; i++)
		if (v->length == VERDICT_FULL)
			show_job(v, r, i);
		else if (v->length == VERDICT_SHORTENED)
			show_job_briefly(v, r, i);
	verdict_more(v, r, "answer");
}

/* ---- what was found ------------------------------------------------- */

static enum writer_style style_of(const char *severity)
{
	static const struct {
		const char *severity;
		enum writer_style style;
	} styles[] = {
		{ "critical", TEXT_RED },
		{ "warning", TEXT_YELLOW },
		{ "info", TEXT_CYAN },
		{ "ok", TEXT_GREEN },
	};

	for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++)
		if (!strcmp(severity, styles[i].severity))
			return styles[i].style;
	return TEXT_BOLD;
}

/* When it was, and the frames to look at: the costliest first. */
static void show_when(struct verdict_view *v, const struct rows *r, size_t i)
{
	int64_t first = rows_int(r, i, "first_ns", INT64_MIN);
	int64_t last = rows_int(r, i, "last_ns", first);
	const char *frames = rows_text(r, i, "frames");
	char from[UNITS_TEXT], to[UNITS_TEXT], utc[UNITS_TEXT];

	if (first == INT64_MIN) {
		show_optional(v, "Frames", frames);
		return;
	}
	units_offset(verdict_distance(v->origin_ns, first), from);
	units_offset(verdict_distance(v->origin_ns, last), to);
	if (v->detail == VERDICT_ALL) {
		writer_printf(&v->text_writer, VERDICT_LABEL, "When",
			      VERDICT_INDENT, "%s to %s (from %s)", from, to,
			      units_utc(first, utc));
		show_optional(v, "Frames", frames);
		return;
	}
	writer_printf(&v->text_writer, VERDICT_LABEL, "When", VERDICT_INDENT,
		      "%s to %s%s%s", from, to,
		      !*frames              ? ""
		      : strchr(frames, ',') ? ", frames "
					    : ", frame ",
		      frames);
}

/* "fabscope query DB losses", with the names the reader has for both. */
static void show_query(struct verdict_view *v, const char *query)
{
	static const char generic[] = "fabscope query DB ";
	size_t n = sizeof generic - 1;

	if (strncmp(query, generic, n) != 0)
		show_optional(v, "Details", query);
	else
		writer_command(&v->text_writer, VERDICT_LABEL, "Details",
			       VERDICT_INDENT, "%s query %s %s", v->program,
			       v->database, query + n);
}

/* One command, unless all is asked for. */
static void show_commands(struct verdict_view *v, const struct rows *r,
			  size_t i)
{
	const char *query = rows_text(r, i, "query");
	int64_t id = rows_int(r, i, "id", 0);

	show_query(v, query);
	if (*query && v->detail != VERDICT_ALL)
		return;
	if (*rows_text(r, i, "frames") || rows_int(r, i, "flow_id", 0))
		writer_command(&v->text_writer, VERDICT_LABEL,
			       *query ? "" : "Details", VERDICT_INDENT,
			       "%s slice %s finding:%" PRId64
			       " -w finding-%" PRId64 ".pcapng",
			       v->program, v->database, id, id);
}

/* The time lost and the confidence in it, or what is known of the two. */
static void show_cost(struct verdict_view *v, const struct rows *r, size_t i)
{
	int64_t job = rows_int(r, i, "job_ns", -1);
	int64_t flows = rows_int(r, i, "cost_ns", 0);
	double confidence = rows_real(r, i, "confidence", -1);
	char job_text[UNITS_TEXT] = "", flows_text[UNITS_TEXT] = "";
	char sure[32] = "", of[64] = " of job time";
	size_t jobs = v->answers->of[ANSWER_JOBS].n_rows;
	bool both;

	if (job > 0)
		units_ns(job, job_text);
	else if (!job)
		strcpy(job_text, "no job time");
	if (flows > 0)
		units_ns(flows, flows_text);
	both = *job_text && *flows_text && strcmp(job_text, flows_text) != 0 &&
	       v->length < VERDICT_SHORTEST;
	if (jobs > 1 && job > 0)
		snprintf(of, sizeof of, " summed over %zu jobs", jobs);
	if (confidence >= 0)
		snprintf(sure, sizeof sure, "confidence %.0f %%",
			 100 * confidence);
	if (*job_text)
		writer_printf(&v->text_writer, VERDICT_LABEL, "Time lost",
			      VERDICT_INDENT, "%s%s%s%s%s%s%s", job_text,
			      job ? of : "", both ? " (" : "",
			      both ? flows_text : "",
			      both ? " summed over flows)" : "",
			      *sure ? ", " : "", sure);
	else if (*flows_text)
		writer_printf(&v->text_writer, VERDICT_LABEL, "Time lost",
			      VERDICT_INDENT, "%s, summed over flows%s%s",
			      flows_text, *sure ? ", " : "", sure);
	else if (*sure)
		writer_printf(&v->text_writer, VERDICT_LABEL, "Confidence",
			      VERDICT_INDENT, "%.0f %%", 100 * confidence);
}

/* |title| stands behind the severity of |i|. */
static void show_head(struct verdict_view *v, const struct rows *r, size_t i,
		      int at, bool line, const char *title)
{
	const char *severity = rows_text(r, i, "severity");
	char number[32];

	snprintf(number, sizeof number, "%" PRId64 " %s",
		 rows_int(r, i, "id", 0), severity);
	writer_style(&v->text_writer, style_of(severity));
	(line ? writer_line : writer_text)(&v->text_writer, at, number,
					   at + VERDICT_INDENT, title);
	writer_style(&v->text_writer, TEXT_PLAIN);
}

/* What needs something done is printed in full, and notes beside it only by
 * name. */
static bool is_note(const struct verdict_view *v, const struct rows *r,
		    size_t i)
{
	if (v->detail == VERDICT_ALL ||
	    strcmp(rows_text(r, i, "severity"), "info") != 0)
		return false;
	if (v->length != VERDICT_FULL && i)
		return true;
	for (i = 0; i < r->n_rows; i++)
		if (!strcmp(rows_text(r, i, "severity"), "critical") ||
		    !strcmp(rows_text(r, i, "severity"), "warning"))
			return true;
	return false;
}

/* A consequence stands below its cause. */
static int indent_of(const struct rows *r, size_t i)
{
	int64_t depth = rows_int(r, i, "depth", 0);

	return VERDICT_LABEL * (int)(depth < DEPTH ? depth : DEPTH);
}

/* In one line: what can be done about it is said of its cause. */
static void show_consequence(struct verdict_view *v, const struct rows *r,
			     size_t i)
{
	show_head(v, r, i, indent_of(r, i), v->length != VERDICT_FULL,
		  rows_text(r, i, "title"));
}

/* The sentences that fit the lines of a shortened text, the first anyway. */
static void show_sentences(struct verdict_view *v, const char *label,
			   const char *text)
{
	size_t room = (size_t)(v->text_writer.width - VERDICT_INDENT) *
		      VERDICT_DETAIL;
	const char *end = text;

	for (const char *s = text; (s = strstr(s, ". ")); s += 2)
		if (end == text || (size_t)(s + 1 - text) <= room)
			end = s + 1;
	if (end == text || strlen(text) <= room)
		show_optional(v, label, text);
	else
		writer_printf(&v->text_writer, VERDICT_LABEL, label,
			      VERDICT_INDENT, "%.*s", (int)(end - text), text);
}

static void show_finding(struct verdict_view *v, const struct rows *r, size_t i)
{
	fputc('\n', v->text_writer.out);
	show_head(v, r, i, 0, false, rows_text(r, i, "title"));
	(v->length == VERDICT_FULL ? show_optional : show_sentences)(
		v, "", rows_text(r, i, "detail"));
	show_when(v, r, i);
	if (v->detail == VERDICT_ALL ||
	    !strstr(rows_text(r, i, "title"), rows_text(r, i, "who")))
		show_optional(v, "Flows", rows_text(r, i, "who"));
	show_cost(v, r, i);
	show_optional(v, "Place", rows_text(r, i, "place"));
	(v->length >= VERDICT_SHORTEST ? show_sentences : show_optional)(
		v, "Action", rows_text(r, i, "action"));
	show_commands(v, r, i);
}

/* ---- findings by kind ------------------------------------------------ */

/* Whether |i| stands for all findings of its rule. */
static bool is_first_of_kind(const struct rows *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(rows_text(r, k, "rule"), rows_text(r, i, "rule")))
			return false;
	return true;
}

/* "3, 7": the findings of the rule of |i| after it; the time of jobs that they
 * cost. */
static size_t list_kind(const struct rows *r, size_t i, FILE *out,
			int64_t *job_ns)
{
	size_t n = 0;

	*job_ns = 0;
	for (size_t k = i + 1; k < r->n_rows; k++) {
		if (strcmp(rows_text(r, k, "rule"), rows_text(r, i, "rule")) !=
		    0)
			continue;
		fprintf(out, "%s%" PRId64, n++ ? ", " : "",
			rows_int(r, k, "id", 0));
		if (__builtin_add_overflow(*job_ns, rows_int(r, k, "job_ns", 0),
					   job_ns))
			*job_ns = INT64_MAX;
	}
	return n;
}

/* "... (1.99 ms of job time; findings 3, 7 of the same kind: 1.26 ms)"; of the
 * first, which is in full, "findings 4, 6: 470 us". */
static size_t write_kind(const struct rows *r, size_t i, FILE *out)
{
	int64_t job_ns, kind_ns;
	char job[UNITS_TEXT], kind[UNITS_TEXT], *ids = NULL;
	size_t size, n;
	FILE *list = open_memstream(&ids, &size);

	if (!list)
		return 0;
	n = list_kind(r, i, list, &kind_ns);
	fclose(list);
	job_ns = rows_int(r, i, "depth", 0) ? 0 : rows_int(r, i, "job_ns", 0);
	if (i)
		fputs(rows_text(r, i, "title"), out);
	if (i && job_ns > 0)
		fprintf(out, " (%s of job time%s", units_ns(job_ns, job),
			n ? "; " : ")");
	else if (i && n)
		fputs(" (", out);
	if (n)
		fprintf(out, "finding%s %s%s%s%s%s", n > 1 ? "s" : "",
			ids ? ids : "", i ? " of the same kind" : "",
			kind_ns > 0 ? ": " : "",
			kind_ns > 0 ? units_ns(kind_ns, kind) : "",
			i ? ")" : "");
	free(ids);
	return n;
}

/* How many findings that names beside |i|. */
static size_t show_kind(struct verdict_view *v, const struct rows *r, size_t i)
{
	char *text = NULL;
	size_t size, n = 0;
	FILE *out = open_memstream(&text, &size);

	if (out)
		n = write_kind(r, i, out);
	if (!out || fclose(out) || !text)
		fputs("out of memory\n", v->text_writer.out);
	else if (i)
		show_head(v, r, i, indent_of(r, i), indent_of(r, i) > 0, text);
	else
		show_optional(v, "Same kind", text);
	free(text);
	return n;
}

/* What is not the first finding, and more than a note. */
static bool is_kind(const struct rows *r, size_t i)
{
	return i && strcmp(rows_text(r, i, "severity"), "info") != 0 &&
	       strcmp(rows_text(r, i, "severity"), "ok") != 0 &&
	       is_first_of_kind(r, i);
}

/* The first in full, then as many kinds as there is room for.  How many
 * findings are neither shown nor named. */
static size_t show_grouped(struct verdict_view *v, const struct rows *r)
{
	size_t kinds = 0, named = r->n_rows > 0;
	bool below = true;

	if (!r->n_rows)
		return 0;
	show_finding(v, r, 0);
	named += show_kind(v, r, 0);
	for (size_t i = 1; i < r->n_rows; i++) {
		if (!is_kind(r, i) || kinds++ >= v->kinds)
			continue;
		if (below && !indent_of(r, i))
			fputc('\n', v->text_writer.out);
		below = below && indent_of(r, i);
		named += 1 + show_kind(v, r, i);
	}
	return r->n_rows - named;
}

/* ---- one finding after the other -------------------------------------- */

/* Of what takes a line each: notes, and in the shortest form consequences. */
static bool is_left_out(const struct verdict_view *v, const struct rows *r,
			size_t i, size_t lines)
{
	if (v->length == VERDICT_FULL || !i)
		return false;
	if (v->length == VERDICT_SHORTEST)
		return (rows_int(r, i, "depth", 0) > 0 || is_note(v, r, i)) &&
		       lines >= VERDICT_NOTES;
	return !rows_int(r, i, "depth", 0) &&
	       !strcmp(rows_text(r, i, "severity"), "info") &&
	       lines >= VERDICT_SHOWN;
}

/* Whether a note before |i| names it as one of its kind. */
static bool is_named(const struct verdict_view *v, const struct rows *r,
		     size_t i)
{
	size_t k = 0;

	if (v->length == VERDICT_FULL)
		return false;
	while (strcmp(rows_text(r, k, "rule"), rows_text(r, i, "rule")) != 0)
		k++;
	return k < i && !strcmp(rows_text(r, k, "severity"), "info") &&
	       !rows_int(r, k, "depth", 0);
}

/* How many are neither shown nor named. */
static size_t show_each(struct verdict_view *v, const struct rows *r)
{
	size_t lines = 0, named = 0;
	bool in_full = true;

	for (size_t i = 0; i < r->n_rows; i++) {
		bool below = rows_int(r, i, "depth", 0) > 0;
		bool note = is_note(v, r, i);

		if (is_named(v, r, i) || is_left_out(v, r, i, lines))
			continue;
		named++;
		if (!below && !note)
			show_finding(v, r, i);
		else if (!below && in_full && v->length == VERDICT_FULL)
			fputc('\n', v->text_writer.out);
		in_full = (!below && !note) || (in_full && below);
		if (below || (note && v->length == VERDICT_FULL))
			show_consequence(v, r, i);
		else if (v->length != VERDICT_FULL &&
			 !strcmp(rows_text(r, i, "severity"), "info"))
			named += show_kind(v, r, i);
		lines += (below || note) &&
			 (v->length == VERDICT_SHORTEST || !below);
	}
	return r->n_rows - named;
}

static void show_findings(struct verdict_view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_FINDINGS];
	int64_t all =
		rows_int(&v->answers->of[ANSWER_TOTALS], 0, "findings", 0);
	int64_t more = all - (int64_t)r->n_rows;
	char text[UNITS_TEXT];

	more += (int64_t)(v->length == VERDICT_GROUPED ? show_grouped(v, r)
						       : show_each(v, r));
	if (more > 0)
		writer_printf(&v->text_writer, 0, "", VERDICT_INDENT,
			      "and %s more finding%s%s",
			      units_count((uint64_t)more, text),
			      more > 1 ? "s" : "",
			      v->length == VERDICT_FULL ? "" : " (-v: all)");
	if (all)
		return;
	fputc('\n', v->text_writer.out);
	writer_text(&v->text_writer, 0, "Findings", VERDICT_INDENT,
		    "none: see the answer above.");
}

/* ---- the usual length ----------------------------------------------- */

static void show_usual(struct verdict_view *v)
{
	show_answer(v);
	if (v->answers->of[ANSWER_JOBS].n_rows > 1) {
		if (v->length == VERDICT_FULL)
			fputc('\n', v->text_writer.out);
		show_jobs(v);
	}
	show_findings(v);
	if (verdict_is_good(v)) {
		verdict_quality(v);
	} else {
		fputc('\n', v->text_writer.out);
		verdict_captures(v);
	}
	if (verdict_has_transport(v))
		verdict_unseen_names(v);
	verdict_row_limits(v);
}

static void show_all(struct verdict_view *v)
{
	show_answer(v);
	fputc('\n', v->text_writer.out);
	verdict_captures(v);
	verdict_lossless(v);
	show_jobs(v);
	show_findings(v);
	verdict_unseen(v);
	verdict_row_limits(v);
	fputc('\n', v->text_writer.out);
}

static void show_brief(struct verdict_view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_FINDINGS];

	show_answer(v);
	if (r->n_rows)
		fputc('\n', v->text_writer.out);
	for (size_t i = 0; i < r->n_rows; i++) {
		const char *severity = rows_text(r, i, "severity");
		char number[32];

		snprintf(number, sizeof number, "%" PRId64 " %s",
			 rows_int(r, i, "id", 0), severity);
		writer_style(&v->text_writer, style_of(severity));
		writer_line(&v->text_writer, 0, number, BRIEF_INDENT,
			    rows_text(r, i, "title"));
		writer_style(&v->text_writer, TEXT_PLAIN);
	}
}

static void show(struct verdict_view *v)
{
	static void (*const lengths[])(struct verdict_view *) = {
		[VERDICT_BRIEF] = show_brief,
		[VERDICT_USUAL] = show_usual,
		[VERDICT_ALL] = show_all,
	};

	lengths[v->detail](v);
	if (v->detail == VERDICT_BRIEF)
		return;
	writer_command(&v->text_writer, 0, "Database", VERDICT_INDENT, "%s",
		       v->database);
}

/* Whether what show() prints fits a screen; pipes get what terminals get. */
static bool fits(struct verdict_view *v)
{
	char *text = NULL;
	size_t n, rows = 0, begin = 0;
	struct text_writer real = v->text_writer;
	size_t width = (size_t)v->text_writer.width;

	v->text_writer.out = open_memstream(&text, &n);
	v->text_writer.terminal = true;
	v->text_writer.color = false;
	if (v->text_writer.out) {
		show(v);
		fclose(v->text_writer.out);
	}
	v->text_writer = real;
	for (size_t i = 0; text && i < n; i++)
		if (text[i] == '\n') {
			rows += 1 + (i - begin) / (width + 1);
			begin = i + 1;
		}
	free(text);
	return rows <= VERDICT_SCREEN;
}

/* As little is left out as makes it fit.  Where nothing does, the kinds of
 * findings that are named anyway. */
static void shorten(struct verdict_view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_FINDINGS];

	for (v->length = VERDICT_FULL; v->length < VERDICT_GROUPED; v->length++)
		if (fits(v))
			return;
	for (size_t i = 0; i < r->n_rows; i++)
		v->kinds += is_kind(r, i);
	while (v->kinds > VERDICT_KINDS && !fits(v))
		v->kinds--;
}

int verdict_print(struct store *s, const char *program,
		  enum verdict_detail detail, FILE *out, struct err *err)
{
	struct answers answers;
	struct verdict_view v = { .answers = &answers,
				  .detail = detail,
				  .origin_ns = store_origin_ns(s),
				  .program = program };
	char *database = text_shell(store_path(s));
	int rc = database ? answers_load(&answers, s, err)
			  : err_set(err, ERR_MEMORY, "out of memory");

	if (!rc) {
		v.database = database;
		writer_init(&v.text_writer, out);
		if (detail == VERDICT_USUAL)
			shorten(&v);
		show(&v);
	}
	if (database)
		answers_fini(&answers);
	free(database);
	return rc;
}

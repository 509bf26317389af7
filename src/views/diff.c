/* SPDX-License-Identifier: GPL-2.0-or-later
 * How one result differs from another. */
#include "views/diff.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/progress.h"
#include "base/units.h"
#include "base/words.h"
#include "store/query.h"
#include "store/store.h"
#include "views/rows.h"
#include "views/rows_json.h"
#include "views/text_writer.h"

enum {
	DOCUMENT_VERSION = 2, /* a change of meaning needs a new one */
	LABEL = 2,            /* columns */
	INDENT = 16,
	SHOWN = 20, /* rows of a list */
};

/* One row per query: identifier, its name, its member in the document. */
#define PARTS(X)                                          \
	X(SUMMARY, "diff/summary", "summary")             \
	X(ANSWERS, "diff/answers", "answers")             \
	X(QUALITY, "diff/comparability", "comparability") \
	X(TESTS, "diff/tests", "tests")                   \
	X(FINDINGS, "diff/findings", "findings")          \
	X(KPIS, "diff/kpis", "kpis")                      \
	X(FLOWS, "diff/flows", "flows")

enum part {
#define X(id, query, member) PART_##id,
	PARTS(X)
#undef X
		PART_COUNT
};

struct diff {
	struct text_writer text_writer;
	const struct diff_options *options;
	struct catalogue *catalogue;
	struct rows of[PART_COUNT];
	size_t found; /* findings that appeared, disappeared or changed */
};

static int load(struct diff *d, struct store *s, struct err *err)
{
	static const char *const queries[] = {
#define X(id, query, member) query,
		PARTS(X)
#undef X
	};

	d->catalogue = catalogue_builtin();
	if (!d->catalogue)
		return err_set(err, ERR_MEMORY, "out of memory");
	progress_phase("testing differences", 0, PART_COUNT);
	for (size_t i = 0; i < PART_COUNT; i++) {
		if (rows_ask(&d->of[i], s, d->catalogue, queries[i], NULL,
			     err) < 0)
			return -1;
		progress_step();
	}
	progress_end();
	return 0;
}

static void unload(struct diff *d)
{
	for (size_t i = 0; i < PART_COUNT; i++)
		rows_fini(&d->of[i]);
	catalogue_free(d->catalogue);
}

static bool is_null(const struct rows *r, size_t i, const char *name)
{
	return rows_at(r, i, name)->type == VALUE_NULL;
}

static bool verdict_is(const struct rows *r, size_t i, const char *verdict)
{
	return !strcmp(rows_text(r, i, "verdict"), verdict);
}

static const char *or_none(const struct rows *r, size_t i, const char *name)
{
	return is_null(r, i, name) ? "-" : rows_text(r, i, name);
}

static void heading(struct diff *d, const char *text)
{
	fputc('\n', d->text_writer.out);
	writer_style(&d->text_writer, TEXT_BOLD);
	writer_text(&d->text_writer, 0, "", 0, text);
	writer_style(&d->text_writer, TEXT_PLAIN);
}

static void and_more(struct diff *d, size_t n)
{
	if (n > SHOWN)
		writer_printf(&d->text_writer, LABEL, "", INDENT,
			      "and %zu more: --json has all", n - SHOWN);
}

/* "12.4", "1250000", "-" */
static char *number(const struct rows *r, size_t i, const char *name,
		    char buf[static 32])
{
	double x = rows_real(r, i, name, NAN);

	if (isnan(x))
		snprintf(buf, 32, "-");
	else
		snprintf(buf, 32, fabs(x) >= 1000 ? "%.0f" : "%.4g", x);
	return buf;
}

/* "+25 %", "" when it has no sense */
static char *change(const struct rows *r, size_t i, char buf[static 32])
{
	double x = 100 * rows_real(r, i, "change", NAN);

	if (isnan(x))
		snprintf(buf, 32, "%s", "");
	else
		snprintf(buf, 32,
			 fabs(x) < 99.5 ? " (%+.2g %%)" : " (%+.0f %%)", x);
	return buf;
}

/* --- what can be compared --- */

static void show_quality(struct diff *d)
{
	const struct rows *r = &d->of[PART_QUALITY];

	heading(d, "What is compared");
	for (size_t i = 0; i < r->n_rows; i++) {
		const char *remark = rows_text(r, i, "remark");

		if (!*remark && i >= 2 && !d->options->all)
			continue;
		writer_printf(&d->text_writer, LABEL, rows_text(r, i, "what"),
			      28, "%s | %s%s%s", or_none(r, i, "a"),
			      or_none(r, i, "b"), *remark ? ": " : "", remark);
	}
}

static void show_flows(struct diff *d)
{
	const struct rows *r = &d->of[PART_FLOWS];

	for (size_t i = 0; i < r->n_rows; i++) {
		const char *by = rows_text(r, i, "matched_by");

		writer_printf(
			&d->text_writer, LABEL, rows_text(r, i, "transport"),
			28, "flows %" PRId64 ", pairs of hosts %" PRId64 "%s",
			rows_int(r, i, "flows", 0), rows_int(r, i, "ways", 0),
			!strcmp(by, "number")
				? ", matched by address and QP or PDC"
			: !strcmp(by, "role")       ? ", matched by role"
			: by[strlen(by) - 1] == 'a' ? ", only in A"
						    : ", only in B");
	}
}

/* --- what differs --- */

static void show_verdict(struct diff *d)
{
	const struct rows *r = &d->of[PART_SUMMARY];
	int64_t different = rows_int(r, 0, "different", 0);
	char more[UNITS_PLURAL];

	heading(d, "Verdict");
	size_t answers = 0;

	for (size_t i = 0; i < d->of[PART_ANSWERS].n_rows; i++)
		answers += verdict_is(&d->of[PART_ANSWERS], i, "different");
	if (rows_int(r, 0, "identical", 0) && !answers)
		writer_text(&d->text_writer, 0, "", LABEL,
			    "No difference: all that is compared is the same.");
	else if (!different && !d->found && !answers)
		writer_printf(
			&d->text_writer, 0, "", LABEL,
			"No statistically significant difference, by %" PRId64
			" tests.",
			rows_int(r, 0, "tests", 0));
	else
		writer_printf(&d->text_writer, 0, "", LABEL,
			      "%zu answer%s different; %" PRId64 " of %" PRId64
			      " tests statistically significant; %zu finding%s "
			      "appeared, disappeared or changed.",
			      answers, answers == 1 ? " is" : "s are",
			      different, rows_int(r, 0, "tests", 0), d->found,
			      d->found == 1 ? "" : "s");
	if (rows_int(r, 0, "cannot_tell", 0))
		writer_printf(&d->text_writer, 0, "", LABEL,
			      "%s could not be made: fewer than 8 values on "
			      "one side.",
			      units_plural(rows_int(r, 0, "cannot_tell", 0),
					   "more test", more));
}

/* A time, where there is one: of two databases one may lack the job. */
static const char *time_of(const struct rows *r, size_t i, const char *name,
			   char buf[static UNITS_TEXT])
{
	return is_null(r, i, name) ? "-"
				   : units_ns(rows_int(r, i, name, 0), buf);
}

/* Less is no other work. */
static const double WORK_DIFFERS = 0.005;

/* The time of B is that for the work of A: what it took, where it did more or
 * less. */
static void show_work(struct diff *d, const struct rows *r, size_t i)
{
	double work = rows_real(r, i, "work", 1);
	char whole[UNITS_TEXT];

	if (fabs(work - 1) >= WORK_DIFFERS)
		writer_printf(&d->text_writer, LABEL, "", INDENT,
			      "for the same work: B did %.3g times the work of "
			      "A, in %s",
			      work, time_of(r, i, "b_whole_ns", whole));
}

/* The answers, and which cause grew. */
static void show_answers(struct diff *d)
{
	const struct rows *r = &d->of[PART_ANSWERS];
	char a[UNITS_TEXT], b[UNITS_TEXT], by[32];
	char one[WORDS_TEXT], two[WORDS_TEXT];

	heading(d, "Was it the network?");
	for (size_t i = 0; i < r->n_rows && i < SHOWN; i++) {
		writer_printf(&d->text_writer, LABEL,
			      rows_text(r, i, "verdict"), INDENT,
			      "%s: %s -> %s, %s -> %s%s",
			      rows_text(r, i, "subject"),
			      words_of(or_none(r, i, "a_verdict"), one),
			      words_of(or_none(r, i, "b_verdict"), two),
			      time_of(r, i, "a_total_ns", a),
			      time_of(r, i, "b_total_ns", b), change(r, i, by));
		show_work(d, r, i);
		if (verdict_is(r, i, "same"))
			continue;
		writer_printf(&d->text_writer, LABEL, "", INDENT,
			      "most of the change: %s (%s), %s -> %s",
			      words_of(rows_text(r, i, "cause"), one),
			      rows_text(r, i, "side"), time_of(r, i, "a_ns", a),
			      time_of(r, i, "b_ns", b));
	}
}

static void show_test(struct diff *d, const struct rows *r, size_t i)
{
	char a[32], b[32], by[32];
	const char *better = rows_text(r, i, "better");
	const char *subject = rows_text(r, i, "subject");
	const char *tail = rows_text(r, i, "tail");

	writer_printf(
		&d->text_writer, LABEL, rows_text(r, i, "verdict"), INDENT,
		"%s%s%s: %s -> %s %s%s, %" PRId64 " and %" PRId64 " values%s%s",
		rows_text(r, i, "metric"), *subject ? ", " : "", subject,
		number(r, i, "a_median", a), number(r, i, "b_median", b),
		rows_text(r, i, "unit"), change(r, i, by),
		rows_int(r, i, "a_n", 0), rows_int(r, i, "b_n", 0),
		*tail == 'a'   ? ", slowest far slower in A"
		: *tail == 'b' ? ", slowest far slower in B"
			       : "",
		*better == 'a'   ? ": A is better"
		: *better == 'b' ? ": B is better"
				 : "");
}

static void show_tests(struct diff *d)
{
	const struct rows *r = &d->of[PART_TESTS];
	size_t n = 0;

	heading(d, "Measured many times: medians of A and B");
	for (size_t i = 0; i < r->n_rows; i++)
		if ((d->options->all || verdict_is(r, i, "different")) &&
		    (++n <= SHOWN || d->options->all))
			show_test(d, r, i);
	if (!n)
		writer_text(&d->text_writer, 0, "", LABEL,
			    "no statistically significant difference");
	if (!d->options->all)
		and_more(d, n);
}

static bool is_news(const struct rows *r, size_t i)
{
	return verdict_is(r, i, "appeared") ||
	       verdict_is(r, i, "disappeared") || verdict_is(r, i, "changed");
}

static void show_finding(struct diff *d, const struct rows *r, size_t i)
{
	char p[32] = "";

	if (!is_null(r, i, "p"))
		snprintf(p, sizeof p, " (p = %.2g)", rows_real(r, i, "p", 0));
	writer_printf(&d->text_writer, LABEL, rows_text(r, i, "verdict"),
		      INDENT, "%s: %s%s", rows_text(r, i, "severity"),
		      rows_text(r, i, is_null(r, i, "b") ? "a" : "b"), p);
	if (!is_null(r, i, "a") && !is_null(r, i, "b") &&
	    !verdict_is(r, i, "same"))
		writer_printf(&d->text_writer, LABEL, "", INDENT, "was: %s",
			      rows_text(r, i, "a"));
}

static void show_findings(struct diff *d)
{
	const struct rows *r = &d->of[PART_FINDINGS];
	size_t n = 0;

	heading(d, "Findings");
	for (size_t i = 0; i < r->n_rows; i++)
		if ((d->options->all || !verdict_is(r, i, "same")) &&
		    (++n <= SHOWN || d->options->all))
			show_finding(d, r, i);
	if (!n)
		writer_text(&d->text_writer, 0, "", LABEL, "the same in both");
	if (!d->options->all)
		and_more(d, n);
}

static void show_kpis(struct diff *d)
{
	const struct rows *r = &d->of[PART_KPIS];
	size_t n = 0;

	heading(d, "KPIs");
	for (size_t i = 0; i < r->n_rows; i++) {
		char a[32], b[32], by[32];
		const char *why = rows_text(r, i, "why");

		if (verdict_is(r, i, "same") && !d->options->all)
			continue;
		n++;
		writer_printf(&d->text_writer, LABEL,
			      rows_text(r, i, "verdict"), INDENT,
			      "%s: %s -> %s %s%s%s%s", rows_text(r, i, "name"),
			      number(r, i, "a", a), number(r, i, "b", b),
			      rows_text(r, i, "unit"), change(r, i, by),
			      *why ? "; " : "", why);
	}
	if (!n)
		writer_text(&d->text_writer, 0, "", LABEL, "the same in both");
}

static void count_news(struct diff *d)
{
	const struct rows *r = &d->of[PART_FINDINGS];

	for (size_t i = 0; i < r->n_rows; i++)
		d->found += is_news(r, i);
}

int diff_print(struct store *s, const struct diff_options *o, FILE *out,
	       struct err *err)
{
	struct diff d = { .options = o };
	int rc = load(&d, s, err);

	if (!rc) {
		count_news(&d);
		writer_init(&d.text_writer, out);
		writer_text(&d.text_writer, 0, "A", 4, o->a);
		writer_text(&d.text_writer, 0, "B", 4, o->b);
		show_quality(&d);
		show_flows(&d);
		show_verdict(&d);
		show_answers(&d);
		show_tests(&d);
		show_findings(&d);
		show_kpis(&d);
	}
	unload(&d);
	return rc;
}

int diff_json(struct store *s, const struct diff_options *o, FILE *out,
	      struct err *err)
{
	static const char *const members[] = {
#define X(id, query, member) member,
		PARTS(X)
#undef X
	};
	struct diff d = { .options = o };
	int rc = load(&d, s, err);

	if (!rc) {
		json_t *doc = json_object();

		json_object_set_new(doc, "format",
				    json_string("fabscope-diff"));
		json_object_set_new(doc, "version",
				    json_integer(DOCUMENT_VERSION));
		json_object_set_new(doc, "a", rows_json_text(o->a));
		json_object_set_new(doc, "b", rows_json_text(o->b));
		json_object_set_new(doc, members[PART_SUMMARY],
				    rows_json_object(&d.of[PART_SUMMARY], 0));
		for (size_t i = PART_SUMMARY + 1; i < PART_COUNT; i++)
			json_object_set_new(doc, members[i],
					    rows_json_array(&d.of[i]));
		rc = rows_json_print(doc, out, err);
	}
	unload(&d);
	return rc;
}

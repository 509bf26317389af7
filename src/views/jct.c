/* SPDX-License-Identifier: GPL-2.0-or-later
 * Jobs: how long they took, what it went to, what it could have been.  Every
 * number is the answer of a query. */
#include "views/jct.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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
	INDENT = 22,
};

/* One row per query: identifier, its name, its member in the document. */
#define PARTS(X)                                        \
	X(ANSWER, "answer", "answer")                   \
	X(JOBS, "jct", "jobs")                          \
	X(CAUSES, "job-causes", "causes")               \
	X(WORST, "worst-phases", "worst_phases")        \
	X(RANKS, "stragglers", "ranks")                 \
	X(INTERFERENCE, "interference", "interference") \
	X(DOUBTS, "job-ambiguity", "ambiguity")         \
	X(RECORDS, "record-causes", "records")          \
	X(SLOW, "slow-collectives", "slow_collectives")

enum part {
#define X(id, query, member) PART_##id,
	PARTS(X)
#undef X
		PART_COUNT
};

struct jct {
	struct text_writer text_writer;
	struct catalogue *catalogue;
	struct rows of[PART_COUNT];
	int64_t job; /* the one that is shown */
};

static int load(struct jct *j, struct store *s, const char *const *params,
		struct err *err)
{
	static const char *const queries[] = {
#define X(id, query, member) query,
		PARTS(X)
#undef X
	};
	static const char *const few[] = { "limit=3", NULL };

	j->catalogue = catalogue_builtin();
	if (!j->catalogue)
		return err_set(err, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < PART_COUNT; i++) {
		const char *const *p = i == PART_JOBS ? params
				       : i == PART_WORST || i == PART_SLOW
					       ? few
					       : NULL;

		if (rows_ask(&j->of[i], s, j->catalogue, queries[i], p, err) <
		    0)
			return -1;
	}
	return 0;
}

static void unload(struct jct *j)
{
	for (size_t i = 0; i < PART_COUNT; i++)
		rows_fini(&j->of[i]);
	catalogue_free(j->catalogue);
}

/* ---- cells as people read them ---- */

static const char *ns_of(const struct rows *r, size_t i, const char *name,
			 char buf[static UNITS_TEXT])
{
	return units_ns(rows_int(r, i, name, 0), buf);
}

static bool has(const struct rows *r, size_t i, const char *name)
{
	return rows_at(r, i, name)->type != VALUE_NULL;
}

static bool ours(const struct jct *j, const struct rows *r, size_t i)
{
	return rows_int(r, i, "job", 0) == j->job;
}

/* ---- one job ---- */

static void show_shape(struct jct *j, const struct rows *r, size_t i)
{
	char rate[UNITS_TEXT];

	if (has(r, i, "pattern"))
		writer_printf(&j->text_writer, LABEL, "Pattern", INDENT,
			      "%s (confidence %.0f %%)",
			      rows_text(r, i, "pattern"),
			      100 * rows_real(r, i, "pattern_confidence", 0));
	else
		writer_text(&j->text_writer, LABEL, "Pattern", INDENT,
			    has(r, i, "groups") ? "several" : "not recognized");
	if (has(r, i, "collective"))
		writer_printf(
			&j->text_writer, LABEL, "Collective", INDENT,
			"%s (confidence %.0f %%)",
			rows_text(r, i, "collective"),
			100 * rows_real(r, i, "collective_confidence", 0));
	if (has(r, i, "groups"))
		writer_text(&j->text_writer, LABEL, "Groups", INDENT,
			    rows_text(r, i, "groups"));
	if (has(r, i, "layout"))
		writer_printf(
			&j->text_writer, LABEL, "Layout", INDENT,
			"%s (confidence %.0f %%): %lld rails in step, each on "
			"hosts of its own",
			rows_text(r, i, "layout"),
			100 * rows_real(r, i, "layout_confidence", 0),
			(long long)rows_int(r, i, "rails", 0));
	if (has(r, i, "busbw_bps"))
		writer_printf(&j->text_writer, LABEL, "Bandwidth", INDENT,
			      "%s: %s",
			      units_rate(rows_real(r, i, "busbw_bps", 0), rate),
			      rows_text(r, i, "busbw_label"));
}

/* Where a figure is from, for people. */
static const char *source_of(const struct rows *r, size_t i, const char *column)
{
	const char *source = rows_text(r, i, column);

	return !strcmp(source, "seen")   ? "observed"
	       : !strcmp(source, "link") ? "as configured"
					 : source;
}

/* Without C and S of the user it is an estimate, and called so. */
static void show_ratio(struct jct *j, const struct rows *r, size_t i)
{
	char c[UNITS_TEXT], s[UNITS_TEXT], rate[UNITS_TEXT], roof[UNITS_TEXT];
	bool given = has(r, i, "jct_ratio");

	if (!given && !has(r, i, "jct_ratio_estimated")) {
		writer_text(&j->text_writer, LABEL, "JCT ratio", INDENT,
			    "n/a - needs compute time, bytes and link speed");
		return;
	}
	writer_printf(
		&j->text_writer, LABEL, "JCT ratio", INDENT,
		"%.2f%s; roofline %s: compute time %s (%s), %s sent by a rank "
		"per iteration (%s), link speed %s (%s)",
		rows_real(r, i, given ? "jct_ratio" : "jct_ratio_estimated", 0),
		given ? "" : " (estimated)", ns_of(r, i, "roofline_ns", roof),
		ns_of(r, i, "compute_ns", c), rows_text(r, i, "compute_source"),
		units_bytes(rows_real(r, i, "rank_bytes", 0), s),
		source_of(r, i, "bytes_source"),
		units_rate(rows_real(r, i, "rate_bps", 0), rate),
		source_of(r, i, "rate_source"));
	writer_printf(&j->text_writer, LABEL, "Communication", INDENT,
		      "%.2f times what the links need",
		      rows_real(r, i, "comm_ratio", 0));
}

/* Classes of answer_share as people call them: "late ranks or queueing". */
static const char *classes_of(const struct rows *r, size_t i,
			      const char *column, char buf[static WORDS_TEXT])
{
	return words_of(rows_text(r, i, column), buf);
}

static void show_causes(struct jct *j)
{
	const struct rows *r = &j->of[PART_CAUSES];
	char ns[UNITS_TEXT], without[UNITS_TEXT], worst[UNITS_TEXT];
	char buf[WORDS_TEXT];
	const char *label;

	for (size_t i = 0; i < r->n_rows; i++) {
		double gain = rows_real(r, i, "gain_ns", 0);

		/* "0.0 %, 1 ns" is left to the query and the JSON */
		if (!ours(j, r, i) || rows_real(r, i, "share", 0) < 0.0005)
			continue;
		label = classes_of(r, i, "class", buf);
		if (gain <= 0) {
			writer_printf(&j->text_writer, LABEL, label, INDENT,
				      "%.1f %%, %s",
				      100 * rows_real(r, i, "share", 0),
				      ns_of(r, i, "time_ns", ns));
			continue;
		}
		writer_printf(
			&j->text_writer, LABEL, label, INDENT,
			"%.1f %%, %s (%s); without it %s%s%s%s%s",
			100 * rows_real(r, i, "share", 0),
			ns_of(r, i, "time_ns", ns), rows_text(r, i, "side"),
			ns_of(r, i, "jct_without_ns", without),
			has(r, i, "worst_host") ? "; most for " : "",
			rows_text(r, i, "worst_host"),
			has(r, i, "worst_host") ? ", " : "",
			has(r, i, "worst_host") ? ns_of(r, i, "worst_ns", worst)
						: "");
	}
}

static void show_worst(struct jct *j)
{
	const struct rows *r = &j->of[PART_WORST];
	char ns[UNITS_TEXT], cause[UNITS_TEXT], class[WORDS_TEXT];

	for (size_t i = 0; i < r->n_rows; i++) {
		if (!ours(j, r, i))
			continue;
		writer_printf(&j->text_writer, LABEL, "Longest", INDENT,
			      "iteration %" PRId64 ", %s%s%s%s%s%s%s%s",
			      rows_int(r, i, "iteration", 0),
			      ns_of(r, i, "length_ns", ns),
			      rows_int(r, i, "slow", 0) ? ", slow" : "",
			      has(r, i, "cause") ? ": " : "",
			      classes_of(r, i, "cause", class),
			      has(r, i, "cause") ? " " : "",
			      has(r, i, "cause")
				      ? ns_of(r, i, "cause_ns", cause)
				      : "",
			      has(r, i, "host") ? " for " : "",
			      rows_text(r, i, "host"));
	}
}

/* Are these ranks NICs of one server? */
static bool same_server(const struct rows *r, size_t i, size_t k)
{
	return rows_int(r, i, "job", 0) == rows_int(r, k, "job", 0) &&
	       has(r, i, "server") && has(r, k, "server") &&
	       !strcmp(rows_text(r, i, "server"), rows_text(r, k, "server"));
}

/* A straggler of this job, and not another NIC of a server shown before. */
static bool is_straggler(const struct jct *j, size_t i)
{
	const struct rows *r = &j->of[PART_RANKS];

	if (!ours(j, r, i) || !rows_int(r, i, "straggler", 0))
		return false;
	for (size_t k = 0; k < i; k++)
		if (ours(j, r, k) && rows_int(r, k, "straggler", 0) &&
		    same_server(r, i, k))
			return false;
	return true;
}

/* "server2 (10.0.0.3, 10.0.0.4)", or "10.0.0.3 (rank 2)"; to be freed. */
static char *straggler_text(const struct rows *r, size_t i)
{
	char *text = NULL;
	size_t n, nics = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	for (size_t k = i; k < r->n_rows; k++)
		if (k == i ||
		    (rows_int(r, k, "straggler", 0) && same_server(r, i, k)))
			nics++;
	if (nics == 1)
		fprintf(f, "%s (rank %" PRId64, rows_text(r, i, "host"),
			rows_int(r, i, "rank", 0));
	else
		fprintf(f, "%s (%s", rows_text(r, i, "server"),
			rows_text(r, i, "host"));
	for (size_t k = i + 1; nics > 1 && k < r->n_rows; k++)
		if (rows_int(r, k, "straggler", 0) && same_server(r, i, k))
			fprintf(f, ", %s", rows_text(r, k, "host"));
	fputc(')', f);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* NICs of a server are late together: with the longest sum of them. */
static void show_stragglers(struct jct *j)
{
	const struct rows *r = &j->of[PART_RANKS];
	char ns[UNITS_TEXT], phases[UNITS_PLURAL];
	size_t n = 0;

	for (size_t i = 0; i < r->n_rows; i++) {
		char *who;

		if (!is_straggler(j, i))
			continue;
		n++;
		who = straggler_text(r, i);
		writer_printf(&j->text_writer, LABEL, "Straggler", INDENT,
			      "%s: late by itself in %" PRId64
			      " of %s, %s in all",
			      who ? who : rows_text(r, i, "host"),
			      rows_int(r, i, "late_phases", 0),
			      units_plural(rows_int(r, i, "phases", 0), "phase",
					   phases),
			      ns_of(r, i, "late_ns", ns));
		free(who);
	}
	if (!n)
		writer_text(&j->text_writer, LABEL, "Straggler", INDENT,
			    "none");
}

static void show_others(struct jct *j)
{
	const struct rows *r = &j->of[PART_INTERFERENCE];
	const struct rows *d = &j->of[PART_DOUBTS];
	char ns[UNITS_TEXT], factor[32] = "", classes[WORDS_TEXT];

	for (size_t i = 0; i < r->n_rows; i++) {
		if (!ours(j, r, i))
			continue;
		if (has(r, i, "factor"))
			snprintf(factor, sizeof factor, " %.3g",
				 rows_real(r, i, "factor", 0));
		else
			factor[0] = 0;
		writer_printf(&j->text_writer, LABEL, "Other job", INDENT,
			      "job %" PRId64 ": %s%s (%" PRId64
			      " phases with it, %" PRId64 " without)",
			      rows_int(r, i, "other", 0),
			      rows_text(r, i, "label"), factor,
			      rows_int(r, i, "phases_with", 0),
			      rows_int(r, i, "phases_without", 0));
	}
	for (size_t i = 0; i < d->n_rows; i++)
		if (ours(j, d, i))
			writer_printf(&j->text_writer, LABEL, "Ambiguous",
				      INDENT, "%s, %s (%.1f %%): %s",
				      classes_of(d, i, "classes", classes),
				      ns_of(d, i, "time_ns", ns),
				      100 * rows_real(d, i, "share", 0),
				      rows_text(d, i, "why"));
}

/* What the job recorded itself: a line for each kind of operation, with what
 * took at least a twentieth of its time. */
static void show_records(struct jct *j)
{
	const struct rows *r = &j->of[PART_RECORDS];
	char class[WORDS_TEXT];
	char text[256] = "", ns[UNITS_TEXT];
	size_t k = 0;

	for (size_t i = 0; i < r->n_rows; i++) {
		const char *op = rows_text(r, i, "op");
		bool last = i + 1 == r->n_rows || !ours(j, r, i + 1) ||
			    strcmp(op, rows_text(r, i + 1, "op")) != 0;

		if (!ours(j, r, i))
			continue;
		if (rows_real(r, i, "share", 0) >= 0.05 && k < sizeof text - 1)
			k += (size_t)snprintf(
				text + k, sizeof text - k, "%s%s %.1f %%",
				k ? ", " : "", classes_of(r, i, "class", class),
				100 * rows_real(r, i, "share", 0));
		if (!last)
			continue;
		writer_printf(&j->text_writer, LABEL, "Recorded", INDENT,
			      "%s, %" PRId64 " by rank: %s", op,
			      rows_int(r, i, "operations", 0), text);
		k = 0;
		text[0] = 0;
	}
	r = &j->of[PART_SLOW];
	for (size_t i = 0; i < r->n_rows; i++)
		if (ours(j, r, i) && has(r, i, "class"))
			writer_printf(&j->text_writer, LABEL, "Slow", INDENT,
				      "%s %" PRId64 ", %s: %s %.1f %%, for %s",
				      rows_text(r, i, "op"),
				      rows_int(r, i, "seq", 0),
				      ns_of(r, i, "exec_ns", ns),
				      classes_of(r, i, "class", class),
				      100 * rows_real(r, i, "share", 0),
				      rows_text(r, i, "host"));
}

/* The answer of a job, and of what its time was made. */
static void show_answer(struct jct *j)
{
	const struct rows *r = &j->of[PART_ANSWER];

	for (size_t i = 0; i < r->n_rows; i++)
		if (has(r, i, "job") && !has(r, i, "iteration") &&
		    ours(j, r, i))
			writer_text(&j->text_writer, LABEL, "Answer", INDENT,
				    rows_text(r, i, "line"));
}

static void show_job(struct jct *j, const struct rows *r, size_t i)
{
	char jct[UNITS_TEXT], comm[UNITS_TEXT], p50[UNITS_TEXT];
	char ranks[UNITS_PLURAL], servers[UNITS_PLURAL];

	j->job = rows_int(r, i, "job", 0);
	writer_style(&j->text_writer, TEXT_BOLD);
	writer_printf(&j->text_writer, 0, "Job", INDENT,
		      "%" PRId64 ": %s%s%s, %" PRId64 " of them captured whole",
		      j->job,
		      units_plural(rows_int(r, i, "ranks", 0), "rank", ranks),
		      has(r, i, "servers") ? ", NICs of " : "",
		      has(r, i, "servers")
			      ? units_plural(rows_int(r, i, "servers", 0),
					     "server", servers)
			      : "",
		      rows_int(r, i, "ranks_tapped", 0));
	writer_style(&j->text_writer, TEXT_PLAIN);
	if (has(r, i, "uet_job_id"))
		writer_printf(&j->text_writer, LABEL, "JobID", INDENT,
			      "%" PRId64, rows_int(r, i, "uet_job_id", 0));
	show_answer(j);
	if (!has(r, i, "iterations")) {
		writer_printf(&j->text_writer, LABEL, "Iterations", INDENT,
			      "not identifiable: %s",
			      rows_text(r, i, "why_not"));
		show_records(j);
		return;
	}
	writer_printf(&j->text_writer, LABEL, "Iterations", INDENT,
		      "%" PRId64 " (confidence %.0f %%)%s",
		      rows_int(r, i, "iterations", 0),
		      100 * rows_real(r, i, "confidence", 0),
		      rows_int(r, i, "whole", 1)
			      ? ""
			      : "; only of a part of the capture");
	writer_printf(&j->text_writer, LABEL, "JCT", INDENT,
		      "%s, %s of it communicating; median phase %s",
		      ns_of(r, i, "jct_ns", jct), ns_of(r, i, "comm_ns", comm),
		      ns_of(r, i, "phase_p50_ns", p50));
	show_shape(j, r, i);
	show_ratio(j, r, i);
	show_causes(j);
	show_worst(j);
	show_stragglers(j);
	show_others(j);
	show_records(j);
}

int jct_print(struct store *s, const char *program, const char *const *params,
	      FILE *out, struct err *err)
{
	struct jct j = { 0 };
	int rc = load(&j, s, params, err);
	const struct rows *r = &j.of[PART_JOBS];
	char *database = text_shell(store_path(s));

	if (!rc) {
		writer_init(&j.text_writer, out);
		for (size_t i = 0; i < r->n_rows; i++) {
			if (i)
				fputc('\n', out);
			show_job(&j, r, i);
		}
		if (!r->n_rows)
			writer_text(&j.text_writer, 0, "Jobs", INDENT,
				    "none: there is no data between hosts");
		else if (database)
			writer_command(&j.text_writer, LABEL, "Details", INDENT,
				       "%s query %s worst-phases", program,
				       database);
	}
	free(database);
	unload(&j);
	return rc;
}

int jct_json(struct store *s, const char *const *params, FILE *out,
	     struct err *err)
{
	static const char *const members[] = {
#define X(id, query, member) member,
		PARTS(X)
#undef X
	};
	struct jct j = { 0 };
	int rc = load(&j, s, params, err);

	if (!rc) {
		json_t *o = json_object();

		json_object_set_new(o, "format", json_string("fabscope-jct"));
		json_object_set_new(o, "version",
				    json_integer(DOCUMENT_VERSION));
		json_object_set_new(o, "database",
				    rows_json_text(store_path(s)));
		for (size_t i = 0; i < PART_COUNT; i++)
			json_object_set_new(o, members[i],
					    rows_json_array(&j.of[i]));
		rc = rows_json_print(o, out, err);
	}
	unload(&j);
	return rc;
}

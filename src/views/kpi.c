/* SPDX-License-Identifier: GPL-2.0-or-later
 * A BMWG report: what was measured, the results, what was odd, how repeatable
 * it is. */
#include "views/kpi.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "store/query.h"
#include "store/store.h"
#include "views/rows.h"
#include "views/rows_json.h"
#include "views/text_writer.h"

enum {
	DOCUMENT_VERSION = 2, /* a change of meaning needs a new one */
	LABEL = 2,            /* columns */
	INDENT = 36,
	ANOMALIES = 20, /* shown */
};

/* One row per query: identifier, its name, its member in the document. */
#define PARTS(X)                                          \
	X(ANSWER, "answer", "answer")                     \
	X(SETUP, "benchmark-setup", "setup")              \
	X(KPIS, "kpis", "results")                        \
	X(FINDINGS, "verdict/findings", "findings")       \
	X(DAMAGE, "corrupted-ranges", "corrupted_ranges") \
	X(UNSEEN, "verdict/not-observable", "not_observable")

enum part {
#define X(id, query, member) PART_##id,
	PARTS(X)
#undef X
		PART_COUNT
};

struct report {
	struct text_writer text_writer;
	struct catalogue *catalogue;
	struct rows of[PART_COUNT];
};

static int load(struct report *r, struct store *s, struct err *err)
{
	static const char *const queries[] = {
#define X(id, query, member) query,
		PARTS(X)
#undef X
	};

	r->catalogue = catalogue_builtin();
	if (!r->catalogue)
		return err_set(err, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < PART_COUNT; i++)
		if (rows_ask(&r->of[i], s, r->catalogue, queries[i], NULL,
			     err) < 0)
			return -1;
	return 0;
}

static void unload(struct report *r)
{
	for (size_t i = 0; i < PART_COUNT; i++)
		rows_fini(&r->of[i]);
	catalogue_free(r->catalogue);
}

static bool is_null(const struct rows *r, size_t i, const char *name)
{
	return rows_at(r, i, name)->type == VALUE_NULL;
}

static void heading(struct report *r, const char *text)
{
	fputc('\n', r->text_writer.out);
	writer_style(&r->text_writer, TEXT_BOLD);
	writer_text(&r->text_writer, 0, "", 0, text);
	writer_style(&r->text_writer, TEXT_PLAIN);
}

/* A name that is too long has a line of its own. */
static const char *label(struct report *r, const char *name)
{
	if (strlen(name) < INDENT - LABEL)
		return name;
	writer_text(&r->text_writer, 0, "", LABEL, name);
	return "";
}

/* 1 to 4: what was measured. */
static void show_setup(struct report *r)
{
	const struct rows *q = &r->of[PART_SETUP];
	const char *part = "";

	for (size_t i = 0; i < q->n_rows; i++) {
		const char *now = rows_text(q, i, "part");
		const char *item;

		if (strcmp(now, part))
			heading(r, now);
		part = now;
		item = label(r, rows_text(q, i, "item"));
		if (is_null(q, i, "value"))
			writer_printf(&r->text_writer, LABEL, item, INDENT,
				      "n/a - needs %s",
				      rows_text(q, i, "missing"));
		else
			writer_text(&r->text_writer, LABEL, item, INDENT,
				    rows_text(q, i, "value"));
	}
}

/* As many digits as mean something: 97.4, 0.00123, 1250000. */
/* A class of table kpi in words: what a figure is made of. */
static const char *needs(const char *class)
{
	static const struct {
		const char *class, *words;
	} classes[] = {
		{ "1T", "from one capture point" },
		{ "NT", "from several capture points" },
		{ "TEL", "from telemetry" },
		{ "EXT", "from outside the capture" },
		{ "NO", "not from a capture" },
	};

	for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
		if (!strcmp(class, classes[i].class))
			return classes[i].words;
	return class;
}

static void show_value(struct report *r, const struct rows *q, size_t i)
{
	double value = rows_real(q, i, "value", 0);
	int digits = fabs(value) >= 1000 ? 0 : 4;
	const char *note = rows_text(q, i, "note");
	const char *unit = rows_text(q, i, "unit");
	int unit_length = (int)strlen(unit);
	char number[64];

	/* 1 link, 2 links; "ms" and "us" are no plurals */
	if (value == 1 && unit_length > 3 && unit[unit_length - 1] == 's')
		unit_length--;

	if (digits)
		snprintf(number, sizeof number, "%.*g", digits, value);
	else
		snprintf(number, sizeof number, "%.0f", value);
	writer_printf(&r->text_writer, LABEL, label(r, rows_text(q, i, "name")),
		      INDENT, "%s %.*s (%s, %.0f %% confidence%s%s)", number,
		      unit_length, unit, needs(rows_text(q, i, "class")),
		      100 * rows_real(q, i, "confidence", 0), *note ? "; " : "",
		      note);
}

static void show_kpi(struct report *r, const struct rows *q, size_t i)
{
	if (!is_null(q, i, "value")) {
		show_value(r, q, i);
		return;
	}
	writer_printf(&r->text_writer, LABEL, label(r, rows_text(q, i, "name")),
		      INDENT, "n/a - needs %s (%s)", rows_text(q, i, "missing"),
		      needs(rows_text(q, i, "class")));
}

/* 5: the sections before 13, or 7: section 13. */
static void show_kpis(struct report *r, bool repeatability)
{
	const struct rows *q = &r->of[PART_KPIS];
	const char *section = "";

	for (size_t i = 0; i < q->n_rows; i++) {
		const char *now = rows_text(q, i, "section");

		if (!strncmp(now, "13.", 3) != repeatability)
			continue;
		if (!repeatability && strcmp(now, section))
			writer_printf(&r->text_writer, 0, "", 0, "%s %s", now,
				      rows_text(q, i, "title"));
		section = now;
		show_kpi(r, q, i);
	}
}

/* 6: findings that weigh something, damage, what was not observable. */
static void show_findings(struct report *r, const char *program,
			  const char *database)
{
	const struct rows *q = &r->of[PART_FINDINGS];
	size_t n = 0;

	for (size_t i = 0; i < q->n_rows; i++) {
		const char *severity = rows_text(q, i, "severity");

		if (strcmp(severity, "critical") && strcmp(severity, "warning"))
			continue;
		if (++n <= ANOMALIES)
			writer_text(&r->text_writer, LABEL, severity, INDENT,
				    rows_text(q, i, "title"));
	}
	if (!n)
		writer_text(&r->text_writer, LABEL, "Findings", INDENT,
			    "none of weight");
	else if (n > ANOMALIES)
		writer_command(&r->text_writer, LABEL, "", INDENT,
			       "and %zu more: %s query %s findings",
			       n - ANOMALIES, program, database);
}

static void show_anomalies(struct report *r, const char *program,
			   const char *database)
{
	const struct rows *ranges = &r->of[PART_DAMAGE];
	const struct rows *unseen = &r->of[PART_UNSEEN];
	char parts[UNITS_PLURAL];

	show_findings(r, program, database);
	if (ranges->n_rows)
		writer_command(
			&r->text_writer, LABEL, "Corrupted", INDENT,
			"%s skipped: %s query %s corrupted-ranges",
			units_plural((int64_t)ranges->n_rows, "part", parts),
			program, database);
	for (size_t i = 0; i < unseen->n_rows; i++)
		if (!strcmp(rows_text(unseen, i, "verdict"), "no"))
			writer_printf(&r->text_writer, LABEL, "Not observable",
				      INDENT, "%s: %s",
				      rows_text(unseen, i, "what"),
				      rows_text(unseen, i, "why"));
}

int kpi_print(struct store *s, const char *program, FILE *out, struct err *err)
{
	struct report r = { 0 };
	int rc = load(&r, s, err);

	if (!rc) {
		writer_init(&r.text_writer, out);
		writer_text(&r.text_writer, 0, "Format", INDENT, BMWG_DRAFT);
		writer_text(&r.text_writer, 0, "Result", INDENT, store_path(s));
		writer_text(&r.text_writer, 0, "Was it the network?", INDENT,
			    rows_text(&r.of[PART_ANSWER], 0, "line"));
		show_setup(&r);
		heading(&r, "5 Test results");
		show_kpis(&r, false);
		heading(&r, "6 Anomalies");
		show_anomalies(&r, program, store_path(s));
		heading(&r, "7 Repeatability");
		show_kpis(&r, true);
	}
	unload(&r);
	return rc;
}

int kpi_json(struct store *s, FILE *out, struct err *err)
{
	static const char *const members[] = {
#define X(id, query, member) member,
		PARTS(X)
#undef X
	};
	struct report r = { 0 };
	int rc = load(&r, s, err);

	if (!rc) {
		json_t *o = json_object();

		json_object_set_new(o, "format", json_string("fabscope-kpi"));
		json_object_set_new(o, "version",
				    json_integer(DOCUMENT_VERSION));
		json_object_set_new(o, "draft", json_string(BMWG_DRAFT));
		json_object_set_new(o, "database",
				    rows_json_text(store_path(s)));
		for (size_t i = 0; i < PART_COUNT; i++)
			json_object_set_new(o, members[i],
					    rows_json_array(&r.of[i]));
		rc = rows_json_print(o, out, err);
	}
	unload(&r);
	return rc;
}

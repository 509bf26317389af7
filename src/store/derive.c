/* SPDX-License-Identifier: GPL-2.0-or-later
 * From facts to verdicts: what store_commit does before the file gets its
 * name.
 *
 * The steps are the files of queries/derive and the functions of |in_c|, in
 * the order of their numbers:
 *
 *	10	links: balance, storms, segments
 *	20	flows: sums, which are one and the same, coverage, fairness
 *	30	what the job logged, by the clock of the capture
 *	40	jobs and where their time went
 *	50	what went wrong: occurrences, which make incidents
 *	60	what is not observable from here; was it the network?
 *	70	what devices and hosts counted and logged, against the packets
 *	80	the draft's KPIs
 *	90	findings; which is the cause of which
 *
 * A file whose comment says "into TABLE" is a query whose rows go there, column
 * by column; any other is a script.  Queries and scripts that say "needs TABLE"
 * are left out where that has no rows; scripts may say "needs TABLE or TABLE".
 */
#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "store/brief.h"
#include "store/flow_sum.h"
#include "store/kept.h"
#include "store/phase.h"
#include "store/store_int.h"

/* Of pages of the database. */
enum { CACHE_KIB = 8192, FLOWS_A_KIB = 4 };

/* The rows of one query on their way into a table. */
struct filler {
	struct store *s;
	const struct query *q;
	const char *table;
	sqlite3_stmt *from, *to;
};

static int copy_row(struct filler *f, struct err *err)
{
	int n = sqlite3_column_count(f->from);

	/* A text that there was no memory for would be bound as NULL, and so
	 * would one that is longer than texts may be. */
	for (int i = 0; i < n; i++)
		if (sqlite3_bind_value(f->to, i + 1,
				       sqlite3_column_value(f->from, i)))
			return query_error(f->s, f->q, err);
	if (sqlite3_step(f->to) != SQLITE_DONE)
		return query_error(f->s, f->q, err);
	sqlite3_reset(f->to);
	return 0;
}

/* A column the table does not have makes it fail. */
static int begin_rows(struct filler *f, struct err *err)
{
	const char *names[STORE_COLUMNS];
	int n = sqlite3_column_count(f->from);

	if (n > STORE_COLUMNS)
		return err_set(err, ERR_USAGE, "%s: too many columns",
			       f->q->name);
	for (int i = 0; i < n; i++)
		names[i] = sqlite3_column_name(f->from, i);
	f->to = db_insert(f->s, f->table, names, n, f->q->name, err);
	return f->to ? 0 : -1;
}

/* Most questions have no answer: then nothing is prepared for any.  Columns of
 * users' are looked at all the same. */
static int copy_rows(struct filler *f, struct err *err)
{
	int rc;

	if (f->q->origin && begin_rows(f, err))
		return -1;
	while ((rc = sqlite3_step(f->from)) == SQLITE_ROW)
		if ((!f->to && begin_rows(f, err)) || copy_row(f, err))
			return -1;
	return rc == SQLITE_DONE ? 0 : query_error(f->s, f->q, err);
}

static bool has_rows(struct store *s, const char *table, int length)
{
	char sql[96];

	snprintf(sql, sizeof sql, "SELECT EXISTS(SELECT 1 FROM %.*s)", length,
		 table);
	return db_integer(s, sql, 0);
}

static int fill(struct store *s, const struct query *q, const char *table,
		struct err *err)
{
	struct filler f = { .s = s, .q = q, .table = table };
	int rc = -1;

	if (q->needs && !q->origin &&
	    !has_rows(s, q->needs, (int)strlen(q->needs))) {
		progress_step();
		return 0;
	}
	f.from = query_prepare(s, q, err);
	if (f.from && !query_bind(s, q, f.from, NULL, err))
		rc = copy_rows(&f, err);
	sqlite3_finalize(f.from);
	sqlite3_finalize(f.to);
	progress_step();
	return rc;
}

/* --- findings of users --- */

/* A rule file that does not work must be seen, and must not cost the
 * analysis. */
static int report_broken(struct store *s, const struct query *q,
			 const struct err *why, struct err *err)
{
	static const char sql[] =
		"INSERT INTO temp.finding(rule, severity, title, detail,"
		" action) VALUES(?1, 'info', 'A rule of yours could not be"
		" applied', ?2, 'Correct the file or remove it.')";
	sqlite3_stmt *stmt = db_prepare(s, sql, "findings", err);
	int rc;

	if (!stmt)
		return -1;
	sqlite3_bind_text(stmt, 1, strchr(q->name, '/') + 1, -1, SQLITE_STATIC);
	sqlite3_bind_text(stmt, 2, why->text, -1, SQLITE_STATIC);
	rc = sqlite3_step(stmt) == SQLITE_DONE ? 0 : db_error(s, err, "write");
	sqlite3_finalize(stmt);
	return rc;
}

static int drop_rows_after(struct store *s, int64_t rowid, struct err *err)
{
	char sql[96];

	snprintf(sql, sizeof sql, "DELETE FROM temp.finding WHERE rowid > %lld",
		 (long long)rowid);
	return db_run(s, sql, err);
}

static int fill_users(struct store *s, const struct query *q, const char *table,
		      struct err *err)
{
	int64_t before =
		db_integer(s, "SELECT max(rowid) FROM temp.finding", 0);
	struct err why = { 0 };
	int rc;

	query_start(s);
	rc = fill(s, q, table, &why);
	sqlite3_progress_handler(s->db, 0, NULL, NULL);
	if (!rc)
		return 0;
	if (drop_rows_after(s, before, err))
		return -1;
	return report_broken(s, q, &why, err);
}

/* --- the steps --- */

/* Findings get the name of their query, unless they say otherwise. */
static int name_rule(struct store *s, const struct query *q, struct err *err)
{
	sqlite3_stmt *stmt = db_prepare(s,
					"UPDATE temp.finding SET rule = ?1"
					" WHERE rule IS NULL",
					"findings", err);
	int rc;

	if (!stmt)
		return -1;
	sqlite3_bind_text(stmt, 1, strchr(q->name, '/') + 1, -1, SQLITE_STATIC);
	rc = sqlite3_step(stmt) == SQLITE_DONE ? 0 : db_error(s, err, "write");
	sqlite3_finalize(stmt);
	return rc;
}

static int fill_findings(struct store *s, const struct catalogue *c, bool last,
			 struct err *err)
{
	for (size_t i = 0; i < catalogue_size(c); i++) {
		const struct query *q = catalogue_at(c, i);
		int before = sqlite3_total_changes(s->db);
		int rc;

		if (!query_in(q, "findings") || q->last != last)
			continue;
		rc = q->origin ? fill_users(s, q, "temp.finding", err)
			       : fill(s, q, "temp.finding", err);
		/* mostly there are none */
		if (!rc && sqlite3_total_changes(s->db) != before)
			rc = name_rule(s, q, err);
		if (rc)
			return -1;
	}
	return 0;
}

static int find(struct store *s, const struct catalogue *c, struct err *err)
{
	progress_phase("findings", 0, catalogue_count(c, "findings"));
	return fill_findings(s, c, false, err) || fill_findings(s, c, true, err)
		       ? -1
		       : 0;
}

/* One step, in C: |run| or |ask|. */
struct in_c {
	const char *number;
	int (*run)(struct store *s, struct err *err);
	int (*ask)(struct store *s, const struct catalogue *c, struct err *err);
};

static const struct in_c in_c[] = {
	{ .number = "20", .run = store_flow_sum },
	{ .number = "24", .run = store_fairness },
	{ .number = "30", .run = store_align },
	{ .number = "41", .run = phase_flows },
	{ .number = "42", .run = phase_derive },
	{ .number = "52", .run = store_live_gate },
	{ .number = "70", .run = store_meanings },
	{ .number = "90", .ask = find },
};

enum { IN_C = sizeof in_c / sizeof *in_c };

static const char folder[] = "queries/derive/";

static bool is_step(const struct builtin *b)
{
	return !strncmp(b->name, folder, sizeof folder - 1);
}

static const char *number(const struct builtin *b)
{
	return b->name + sizeof folder - 1;
}

/* For the progress line. */
static uint64_t count_steps(void)
{
	uint64_t n = IN_C;

	for (const struct builtin *b = store_builtins; b->name; b++)
		n += is_step(b);
	return n;
}

static int step_in_c(struct store *s, const struct catalogue *c,
		     const struct in_c *step, struct err *err)
{
	int rc = step->run ? step->run(s, err) : step->ask(s, c, err);

	progress_step();
	return rc;
}

/* Has one of the tables of |line|, "TABLE or TABLE", rows? */
static bool has_any(struct store *s, const char *line)
{
	static const char or [] = " or ";
	size_t length = strcspn(line, " \n");

	if (has_rows(s, line, (int)length))
		return true;
	line += length;
	return !strncmp(line, or, sizeof or -1) &&
	       has_any(s, line + sizeof or -1);
}

/* Does what the comment that |sql| begins with needs have rows? */
static bool has_needs(struct store *s, const char *sql)
{
	static const char word[] = "-- needs ";

	for (; !strncmp(sql, "--", 2); sql += strcspn(sql, "\n") + 1)
		if (!strncmp(sql, word, sizeof word - 1))
			return has_any(s, sql + sizeof word - 1);
	return true;
}

static int step_in_sql(struct store *s, const struct catalogue *c,
		       const struct builtin *b, struct err *err)
{
	const char *path = b->name + strlen("queries/");
	const struct query *q;
	char name[128];
	int rc;

	snprintf(name, sizeof name, "%.*s", (int)(strlen(path) - 4), path);
	q = catalogue_find(c, name);
	if (q)
		return fill(s, q, q->into, err);
	rc = has_needs(s, b->text) ? db_run(s, b->text, err) : 0;
	progress_step();
	return rc;
}

/* Peers of flows are looked up at random.  Whoever tracked the flows had more
 * memory for each than its row takes, and has given it back; live, it has not.
 */
static int widen_cache(struct store *s, struct err *err)
{
	int64_t flows = db_integer(s, "SELECT max(id) FROM flow", 0);
	char sql[64];

	snprintf(sql, sizeof sql, "PRAGMA cache_size = -%lld",
		 (long long)(CACHE_KIB + flows / FLOWS_A_KIB));
	return db_run(s, sql, err);
}

static int begin(struct store *s, struct err *err)
{
	if (!s->live &&
	    (widen_cache(s, err) || db_run(s, builtin_text("index.sql"), err)))
		return -1;
	return store_flow_begin(s, err);
}

int store_derive(struct store *s, struct err *err)
{
	struct catalogue *c = catalogue_new();
	int rc, next = 0;

	if (!c)
		return err_set(err, ERR_MEMORY, "out of memory");
	progress_phase("deriving", 0, count_steps());
	rc = begin(s, err);
	for (const struct builtin *b = store_builtins; !rc && b->name; b++) {
		if (!is_step(b))
			continue;
		while (!rc && next < IN_C &&
		       strcmp(in_c[next].number, number(b)) < 0)
			rc = step_in_c(s, c, &in_c[next++], err);
		if (!rc)
			rc = step_in_sql(s, c, b, err);
	}
	phase_flows_free(s);
	brief_free(s->briefs, s);
	s->briefs = NULL;
	kept_free(s);
	catalogue_free(c);
	return rc;
}

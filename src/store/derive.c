/* SPDX-License-Identifier: GPL-2.0-or-later
 * From facts to verdicts: what store_commit does before the file gets its
 * name.
 *
 *	facts -> facts           less what sprayed flows cannot tell
 *	      -> balance         how parallel links share their load
 *	      -> flow_sum        flows of a tap and kind added up
 *	      -> twin            flows that several places saw
 *	      -> coverage        how much of the traffic the verdicts rest on
 *	      -> service         all flows of a transport added up
 *	      -> segment         delays, as far as the clocks allow
 *	      -> job_log         clocks of hosts, and their collectives
 *	      -> storm           which pauses came from which, and whom they hit
 *	      -> occurrence      what went wrong, one row each; temporary
 *	         (dedup)         less what several places saw and one tells best
 *	         -> incident     the same grouped by kind, place and hosts
 *	            -> finding   the same in sentences, in order of weight;
 *	                         root.sql: which is the cause of which
 *	      -> observability   what is not observable from here
 *	      -> answer          was it the network?
 *	      -> counted         what others counted, and whose it is
 *	         -> counter_check the same against the packets
 *	      -> qp_error        why queue pairs stopped, and who logged it
 *	      -> job_note        what the job says, against the packets
 *	      -> audit           thresholds and classes, by configuration
 *	      -> fairness        rates side by side
 *	         -> convergence  how long until they were even
 *	            -> kpi       the draft's numbers
 *
 * Each arrow is a folder of queries whose rows go into the table of that
 * name, column by column; withdraw.sql, balance.sql, storm.sql, dedup.sql,
 * incident.sql, answer.sql and root.sql need more than one statement. */
#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "store/fold.h"
#include "store/phase.h"
#include "store/store_int.h"

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
static int copy_rows(struct filler *f, struct err *err)
{
	const char *names[STORE_COLUMNS];
	int n = sqlite3_column_count(f->from), rc;

	if (n > STORE_COLUMNS)
		return err_set(err, ERR_USAGE, "%s: too many columns",
			       f->q->name);
	for (int i = 0; i < n; i++)
		names[i] = sqlite3_column_name(f->from, i);
	f->to = db_insert(f->s, f->table, names, n, f->q->name, err);
	if (!f->to)
		return -1;
	while ((rc = sqlite3_step(f->from)) == SQLITE_ROW)
		if (copy_row(f, err))
			return -1;
	return rc == SQLITE_DONE ? 0 : query_error(f->s, f->q, err);
}

static int fill(struct store *s, const struct query *q, const char *table,
		struct err *err)
{
	struct filler f = { .s = s, .q = q, .table = table };
	int rc = -1;

	f.from = query_prepare(s, q, err);
	if (f.from && !query_bind(s, q, f.from, NULL, err))
		rc = query_in(q, "sum") ? store_fold(s, q, f.from, table, err)
					: copy_rows(&f, err);
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

/* For the progress line: how many queries there are until the findings. */
static uint64_t count_derived(const struct catalogue *c)
{
	static const char *const folders[] = {
		"sum",           "same-flow",   "coverage",     "service",
		"convergence",   "attribution", "interference", "incident",
		"observability", "ambiguity",   "kpi",
	};
	uint64_t n = 0;

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		n += catalogue_count(c, folders[i]);
	return n;
}

static int fill_folder(struct store *s, const struct catalogue *c,
		       const char *folder, const char *table, bool last,
		       struct err *err)
{
	bool findings = !strcmp(folder, "findings");

	if (findings && !last)
		progress_phase("findings", 0, catalogue_count(c, folder));
	for (size_t i = 0; i < catalogue_size(c); i++) {
		const struct query *q = catalogue_at(c, i);
		int rc;

		if (!query_in(q, folder) || q->last != last)
			continue;
		rc = q->origin ? fill_users(s, q, table, err)
			       : fill(s, q, table, err);
		if (rc || (findings && name_rule(s, q, err)))
			return -1;
	}
	return 0;
}

/* A KPI has a value and a confidence, or says what would be needed. */
static const char kpi_rule[] =
	"UPDATE kpi SET missing = NULL, confidence = round(confidence, 3)"
	" WHERE value IS NOT NULL;"
	"UPDATE kpi SET confidence = NULL, note = NULL, samples = NULL"
	" WHERE value IS NULL;";

static const char phase_over[] = "DROP TABLE temp.attribution;"
				 "DROP TABLE temp.phase_flow_in;"
				 "DROP TABLE temp.phase_flow_same;"
				 "DROP TABLE temp.phase_link;"
				 "DROP TABLE temp.phase_flow_asks";

int store_derive(struct store *s, struct err *err)
{
	struct catalogue *c = catalogue_new();
	int rc = -1;

	if (!c)
		return err_set(err, ERR_MEMORY, "out of memory");
	progress_phase("deriving", 0, count_derived(c));
	if ((s->live || !db_run(s, builtin_text("index.sql"), err)) &&
	    !db_run(s, builtin_text("withdraw.sql"), err) &&
	    !db_run(s, builtin_text("segment.sql"), err) &&
	    !db_run(s, builtin_text("storm.sql"), err) &&
	    !db_run(s, builtin_text("balance.sql"), err) &&
	    !fill_folder(s, c, "sum", "flow_sum", false, err) &&
	    !fill_folder(s, c, "same-flow", "same_flow", false, err) &&
	    !fill_folder(s, c, "coverage", "coverage", false, err) &&
	    !fill_folder(s, c, "service", "service", false, err) &&
	    !store_fairness(s, err) &&
	    !fill_folder(s, c, "convergence", "convergence", false, err) &&
	    !store_align(s, err) &&
	    !db_run(s, builtin_text("phase.sql"), err) &&
	    !fill_folder(s, c, "attribution", "temp.attribution", false, err) &&
	    !phase_derive(s, err) &&
	    !db_run(s, builtin_text("rails.sql"), err) &&
	    !db_run(s, builtin_text("collective.sql"), err) &&
	    !fill_folder(s, c, "interference", "interference", false, err) &&
	    !db_run(s, builtin_text("scratch.sql"), err) &&
	    !fill_folder(s, c, "incident", "temp.occurrence", false, err) &&
	    !store_live_gate(s, err) &&
	    !db_run(s, builtin_text("dedup.sql"), err) &&
	    !db_run(s, builtin_text("incident.sql"), err) &&
	    !fill_folder(s, c, "observability", "observability", false, err) &&
	    !fill_folder(s, c, "ambiguity", "phase_ambiguity", false, err) &&
	    !db_run(s, builtin_text("answer.sql"), err) &&
	    !db_run(s, phase_over, err) && !store_weigh_evidence(s, err) &&
	    !db_run(s, builtin_text("qp_error.sql"), err) &&
	    !db_run(s, builtin_text("job_note.sql"), err) &&
	    !db_run(s, builtin_text("audit.sql"), err) &&
	    !fill_folder(s, c, "kpi", "kpi", false, err) &&
	    !fill_folder(s, c, "kpi", "kpi", true, err) &&
	    !db_run(s, kpi_rule, err) &&
	    !fill_folder(s, c, "findings", "temp.finding", false, err) &&
	    !fill_folder(s, c, "findings", "temp.finding", true, err))
		rc = db_run(s, builtin_text("root.sql"), err);
	catalogue_free(c);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a job wrote, into the database, and its clocks against the capture's.
 *
 * Whose record it is: the address given with the file; the name of the host,
 * if that is an address or a name of the topology file; another record of the
 * same rank that is known.  It is not guessed from times: in a collective all
 * ranks look alike. */
#include <stdlib.h>
#include <string.h>

#include "joblog/fit.h"
#include "joblog/joblog.h"
#include "store/store_int.h"

/* --- rows --- */

static void bind_text(sqlite3_stmt *q, int at, const char *text)
{
	if (*text)
		sqlite3_bind_text(q, at, text, -1, SQLITE_STATIC);
}

static void bind_known(sqlite3_stmt *q, int at, int64_t v)
{
	if (v != JOBLOG_UNKNOWN)
		sqlite3_bind_int64(q, at, v);
}

static int step_row(struct store *s, sqlite3_stmt *q, struct err *err)
{
	int rc = sqlite3_step(q) == SQLITE_DONE ? 0 : db_error(s, err, "write");

	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	return rc;
}

static int stream_row(struct store *s, sqlite3_stmt *q,
		      const struct joblog_stream *l, struct err *err)
{
	bind_text(q, 1, l->path);
	bind_text(q, 2, l->format);
	bind_text(q, 3, l->version);
	bind_text(q, 4, l->host);
	bind_text(q, 5, l->communicator);
	bind_text(q, 6, l->name);
	bind_known(q, 7, l->rank);
	bind_known(q, 8, l->ranks);
	sqlite3_bind_int64(q, 9, (int64_t)l->ops);
	sqlite3_bind_int64(q, 10, (int64_t)l->skipped);
	sqlite3_bind_int64(q, 11, (int64_t)l->unknown);
	sqlite3_bind_int64(q, 12, (int64_t)l->dropped);
	bind_text(q, 13, l->address);
	return step_row(s, q, err);
}

static int op_row(struct store *s, sqlite3_stmt *q, const struct joblog_op *o,
		  struct err *err)
{
	sqlite3_bind_int64(q, 1, (int64_t)o->stream + 1);
	bind_known(q, 2, o->seq);
	bind_text(q, 3, o->op);
	bind_known(q, 4, o->bytes);
	bind_text(q, 5, o->state);
	bind_known(q, 6, o->begin_ns);
	bind_known(q, 7, o->end_ns);
	bind_known(q, 8, o->exec_ns);
	bind_known(q, 9, o->busbw_bps);
	return step_row(s, q, err);
}

int store_job_log(struct store *s, const struct joblog *j, struct err *err)
{
	sqlite3_stmt *log = db_prepare(
		s,
		"INSERT INTO job_log(path, format, version, host,"
		" communicator, name, rank, ranks, operations, skipped,"
		" unknown_members, dropped, address, address_by)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
		" ?13, iif(?13 IS NULL, NULL, 'given'))",
		"write", err);
	sqlite3_stmt *op =
		db_prepare(s,
			   "INSERT INTO collective(job_log_id, seq, op, bytes,"
			   " state, begin_ns, end_ns, exec_ns, busbw_bps)"
			   " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
			   "write", err);
	int rc = log && op ? 0 : -1;

	for (size_t i = 0; !rc && i < j->n_streams; i++)
		rc = stream_row(s, log, &j->streams[i], err);
	for (size_t i = 0; !rc && i < j->n_ops; i++)
		rc = op_row(s, op, &j->ops[i], err);
	sqlite3_finalize(log);
	sqlite3_finalize(op);
	return rc;
}

/* --- clocks --- */

enum { READ_MAX = 200000 };

/* Logs are longer than captures: only what may be of that time, if clocks are
 * right to a minute; else all. */
static const char record_sql[] =
	"WITH t AS (SELECT min(first_ns) - 60000000000 AS a,"
	" max(last_ns) + 60000000000 AS b FROM tap WHERE packets > 0),"
	" o AS (SELECT begin_ns, end_ns, end_ns >= t.a AND begin_ns <= t.b"
	" AS near FROM collective, t WHERE job_log_id = ?1"
	" AND begin_ns IS NOT NULL AND end_ns IS NOT NULL)"
	" SELECT begin_ns, end_ns FROM o WHERE near = (SELECT max(near) FROM o)"
	" ORDER BY 1";

/* Of what it gets only data counts: descriptors (CTS) of 64 octets or so come
 * as soon as its neighbours are ready. */
static const char packets_sql[] =
	"SELECT CASE WHEN f.src = ?1 THEN b.first_ns ELSE b.last_ns END"
	" FROM flow f JOIN burst b ON b.flow_id = f.id"
	" WHERE f.src = ?1 OR (f.dst = ?1 AND b.bytes > 512 * b.psns)"
	" ORDER BY 1";

static int load_record(struct store *s, int64_t id, struct span *to, size_t *n,
		       struct err *err)
{
	sqlite3_stmt *q = db_prepare(s, record_sql, "clocks", err);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	for (*n = 0; *n < READ_MAX && sqlite3_step(q) == SQLITE_ROW; ++*n)
		to[*n] = (struct span) { sqlite3_column_int64(q, 0),
					 sqlite3_column_int64(q, 1) };
	sqlite3_finalize(q);
	return 0;
}

static int load_packets(struct store *s, const char *address, int64_t *to,
			size_t *n, struct err *err)
{
	sqlite3_stmt *q = db_prepare(s, packets_sql, "clocks", err);

	if (!q)
		return -1;
	sqlite3_bind_text(q, 1, address, -1, SQLITE_STATIC);
	for (*n = 0; *n < READ_MAX && sqlite3_step(q) == SQLITE_ROW; ++*n)
		to[*n] = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return 0;
}

static int write_fit(struct store *s, int64_t id, const struct fit *fit,
		     const char *why_not, struct err *err)
{
	sqlite3_stmt *q =
		db_prepare(s,
			   "UPDATE job_log SET offset_ns = ?2, error_ns = ?3,"
			   " bursts = ?4, bursts_inside = ?5, aligned_by ="
			   " iif(?2 IS NULL, NULL, 'packets'), why_not = ?6"
			   " WHERE id = ?1",
			   "clocks", err);
	int rc;

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	if (why_not) {
		sqlite3_bind_text(q, 6, why_not, -1, SQLITE_STATIC);
	} else {
		sqlite3_bind_int64(q, 2, fit->offset);
		sqlite3_bind_int64(q, 3, fit->error);
		sqlite3_bind_int64(q, 4, (int64_t)fit->packets);
		sqlite3_bind_int64(q, 5, (int64_t)fit->inside);
	}
	rc = step_row(s, q, err);
	sqlite3_finalize(q);
	return rc;
}

struct clocks {
	struct store *s;
	struct span *record;
	int64_t *packets;
};

static int align_one(struct clocks *c, int64_t id, const char *address,
		     struct err *err)
{
	size_t n_record, n_packets;
	struct fit fit;
	const char *why;

	if (load_record(c->s, id, c->record, &n_record, err) ||
	    load_packets(c->s, address, c->packets, &n_packets, err))
		return -1;
	why = fit_find(c->record, n_record, c->packets, n_packets, &fit);
	return write_fit(c->s, id, &fit, why, err);
}

/* Whose a record is, as far as that is said somewhere. */
static const char whose_sql[] =
	"UPDATE job_log SET address = host, address_by = 'host'"
	" WHERE address IS NULL AND (host IN (SELECT src FROM flow)"
	" OR host IN (SELECT dst FROM flow));"
	"UPDATE job_log SET address = v.address, address_by = 'topology'"
	" FROM (SELECT node, min(address) AS address FROM node_address"
	" WHERE address IN (SELECT src FROM flow UNION SELECT dst FROM flow)"
	" GROUP BY node) v"
	" WHERE job_log.address IS NULL AND (v.node = job_log.host OR"
	" job_log.host LIKE v.node || '.%');";

static const char rank_sql[] =
	"UPDATE job_log SET address = v.address, address_by = 'rank'"
	" FROM (SELECT rank, ranks, min(address) AS address FROM job_log"
	" WHERE address IS NOT NULL AND rank IS NOT NULL AND ranks IS NOT NULL"
	" GROUP BY rank, ranks HAVING count(DISTINCT address) = 1) v"
	" WHERE job_log.address IS NULL AND v.rank = job_log.rank"
	" AND v.ranks = job_log.ranks;";

static const char unknown_sql[] =
	"UPDATE job_log SET why_not = 'which host of the capture wrote it is"
	" not known: give --job-log ADDRESS=FILE, or a topology file with"
	" the names of hosts' WHERE address IS NULL";

static int align_each(struct clocks *c, struct err *err)
{
	sqlite3_stmt *q = db_prepare(c->s,
				     "SELECT id, address FROM job_log"
				     " WHERE address IS NOT NULL",
				     "clocks", err);
	int rc = q ? 0 : -1;

	while (!rc && sqlite3_step(q) == SQLITE_ROW)
		rc = align_one(c, sqlite3_column_int64(q, 0),
			       (const char *)sqlite3_column_text(q, 1), err);
	sqlite3_finalize(q);
	return rc;
}

static int align_all(struct clocks *c, struct err *err)
{
	if (db_run(c->s, whose_sql, err) || db_run(c->s, rank_sql, err) ||
	    db_run(c->s, unknown_sql, err) || align_each(c, err))
		return -1;
	return db_run(c->s, builtin_text("align.sql"), err);
}

int store_align(struct store *s, struct err *err)
{
	struct clocks c = { .s = s };
	int rc;

	if (!db_integer(s, "SELECT count(*) FROM job_log", 0))
		return 0;
	c.record = calloc(READ_MAX, sizeof *c.record);
	c.packets = calloc(READ_MAX, sizeof *c.packets);
	rc = c.record && c.packets ? align_all(&c, err)
				   : err_set(err, ERR_MEMORY, "out of memory");
	free(c.record);
	free(c.packets);
	return rc;
}

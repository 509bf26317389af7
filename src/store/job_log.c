/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a job wrote, into the database. */
#include <string.h>

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

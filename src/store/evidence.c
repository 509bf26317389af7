/* SPDX-License-Identifier: GPL-2.0-or-later
 * What others counted, into the database. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence.h"
#include "store/store_int.h"

static void bind_text(sqlite3_stmt *q, int at, const char *text)
{
	if (text && *text)
		sqlite3_bind_text(q, at, text, -1, SQLITE_STATIC);
}

static int step_row(struct store *s, sqlite3_stmt *q, struct err *err)
{
	int rc = sqlite3_step(q) == SQLITE_DONE ? 0 : db_error(s, err, "write");

	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	return rc;
}

static int source_row(struct store *s, sqlite3_stmt *q,
		      const struct evidence_source *e, struct err *err)
{
	static const char *const by[] = { [DEVICE_GIVEN] = "given",
					  [DEVICE_CONTENT] = "content",
					  [DEVICE_PATH] = "path" };

	char digest[17];

	snprintf(digest, sizeof digest, "%016llx",
		 (unsigned long long)e->digest);
	bind_text(q, 1, e->path);
	bind_text(q, 2, e->kind);
	bind_text(q, 3, e->device);
	if (*e->device)
		bind_text(q, 4, by[e->device_by]);
	bind_text(q, 5, e->port);
	bind_text(q, 6, e->mac);
	bind_text(q, 7, e->address);
	sqlite3_bind_int64(q, 8, (int64_t)e->readings);
	bind_text(q, 9, digest);
	return step_row(s, q, err);
}

static int reading_row(struct store *s, sqlite3_stmt *q, int64_t source,
		       const struct evidence_reading *r, struct err *err)
{
	static const char *const moments[] = { [MOMENT_UNKNOWN] = "",
					       [MOMENT_BEFORE] = "before",
					       [MOMENT_AFTER] = "after" };
	const struct evidence_meaning *m = evidence_meaning(r->meaning);

	sqlite3_bind_int64(q, 1, source);
	bind_text(q, 2, r->name);
	bind_text(q, 3, m ? m->name : NULL);
	if (r->priority >= 0)
		sqlite3_bind_int(q, 4, r->priority);
	if (r->at_ns != EVIDENCE_UNKNOWN)
		sqlite3_bind_int64(q, 5, r->at_ns);
	bind_text(q, 6, moments[r->moment]);
	sqlite3_bind_int64(q, 7, r->value);
	return step_row(s, q, err);
}

static int error_row(struct store *s, sqlite3_stmt *q, int64_t source,
		     const struct evidence *e, const struct evidence_error *r,
		     struct err *err)
{
	const int64_t numbers[] = { r->vendor, r->qpn, r->remote_qpn };

	sqlite3_bind_int64(q, 1, source);
	sqlite3_bind_int64(q, 2, r->line);
	if (r->at_ns != EVIDENCE_UNKNOWN)
		sqlite3_bind_int64(q, 3, r->at_ns);
	bind_text(q, 4, evidence_error_name(r->status));
	sqlite3_bind_int(q, 5, r->status);
	sqlite3_bind_int(q, 6, r->responder);
	for (int i = 0; i < 3; i++)
		if (numbers[i] >= 0)
			sqlite3_bind_int64(q, 7 + i, numbers[i]);
	bind_text(q, 10, *r->local ? r->local : e->sources[r->source].address);
	bind_text(q, 11, *r->remote ? r->remote : r->peer);
	return step_row(s, q, err);
}

/* What meanings are counted in, for queries/derive/71-evidence.sql. */
int store_meanings(struct store *s, struct err *err)
{
	static const char make[] =
		"CREATE TABLE temp.meaning(name TEXT PRIMARY KEY, unit TEXT,"
		" text TEXT, gauge INTEGER, of_device INTEGER)";
	static const char *const columns[] = { "name", "unit", "text", "gauge",
					       "of_device" };
	const struct evidence_meaning *m;
	sqlite3_stmt *q;
	int rc = 0;

	if (db_run(s, make, err))
		return -1;
	q = db_insert(s, "temp.meaning", columns, 5, "write", err);
	if (!q)
		return -1;
	for (int i = 0; !rc && (m = evidence_meaning(i)); i++) {
		bind_text(q, 1, m->name);
		bind_text(q, 2, m->unit);
		bind_text(q, 3, m->text);
		sqlite3_bind_int(q, 4, m->gauge);
		sqlite3_bind_int(q, 5, evidence_of_device(i));
		rc = step_row(s, q, err);
	}
	sqlite3_finalize(q);
	return rc;
}

/* What an earlier import had.  A file is the same when its name, with that of
 * its folder, and its bytes are; else one of the same path has changed, and
 * what it said goes. */
static const char known[] = "CREATE TEMP TABLE known AS SELECT path, digest, id"
			    " FROM main.evidence_source;"
			    "CREATE INDEX temp.known_path ON known(path);"
			    "CREATE INDEX temp.known_digest ON known(digest);"
			    "CREATE TEMP TABLE outdated(path TEXT PRIMARY KEY)";

static const char forget[] =
	"DELETE FROM job_note WHERE source_id IN (SELECT id FROM"
	" evidence_source WHERE path IN (SELECT path FROM temp.outdated)"
	" AND id <= (SELECT max(id) FROM temp.known));"
	"DELETE FROM sampled WHERE source_id IN (SELECT id FROM"
	" evidence_source WHERE path IN (SELECT path FROM temp.outdated)"
	" AND id <= (SELECT max(id) FROM temp.known));"
	"DELETE FROM setting WHERE source_id IN (SELECT id FROM"
	" evidence_source WHERE path IN (SELECT path FROM temp.outdated)"
	" AND id <= (SELECT max(id) FROM temp.known));"
	"DELETE FROM counter WHERE source_id IN (SELECT id FROM"
	" evidence_source WHERE path IN (SELECT path FROM temp.outdated)"
	" AND id <= (SELECT max(id) FROM temp.known));"
	"DELETE FROM error_log WHERE source_id IN (SELECT id FROM"
	" evidence_source WHERE path IN (SELECT path FROM temp.outdated)"
	" AND id <= (SELECT max(id) FROM temp.known));"
	"DELETE FROM evidence_source WHERE path IN (SELECT path FROM"
	" temp.outdated) AND id <= (SELECT max(id) FROM temp.known);"
	"DROP TABLE temp.known; DROP TABLE temp.outdated";

/* The last two parts of a path: what the name of a file says is in them. */
static const char *tail(const char *path)
{
	const char *at = path + strlen(path);

	for (int slashes = 0; at > path; at--)
		if (at[-1] == '/' && ++slashes == 2)
			break;
	return at;
}

struct importing {
	struct store *s;
	sqlite3_stmt *same, *changed;
	int64_t *ids; /* of the rows of the sources; 0 known already */
};

static bool known_already(struct importing *m, const struct evidence_source *e)
{
	char digest[17];
	bool found = false;

	snprintf(digest, sizeof digest, "%016llx",
		 (unsigned long long)e->digest);
	bind_text(m->same, 1, digest);
	while (!found && sqlite3_step(m->same) == SQLITE_ROW)
		found = !strcmp(
			tail((const char *)sqlite3_column_text(m->same, 0)),
			tail(e->path));
	sqlite3_reset(m->same);
	return found;
}

static int put_sources(struct importing *m, const struct evidence *e,
		       struct err *err)
{
	static const char *const names[] = {
		"path", "kind",         "device",   "device_by", "port",
		"mac",  "said_address", "readings", "digest"
	};
	sqlite3_stmt *to =
		db_insert(m->s, "evidence_source", names, 9, "write", err);
	int rc = to ? 0 : -1;

	for (size_t i = 0; !rc && i < e->n_sources; i++) {
		if (known_already(m, &e->sources[i]))
			continue;
		bind_text(m->changed, 1, e->sources[i].path);
		rc = step_row(m->s, m->changed, err);
		if (!rc)
			rc = source_row(m->s, to, &e->sources[i], err);
		m->ids[i] = sqlite3_last_insert_rowid(m->s->db);
	}
	sqlite3_finalize(to);
	return rc;
}

static int put_rows(struct importing *m, const struct evidence *e,
		    struct err *err)
{
	static const char *const reading[] = { "source_id", "name",  "meaning",
					       "priority",  "at_ns", "moment",
					       "value" };
	static const char *const error[] = {
		"source_id",  "line",      "ns",     "error",
		"status",     "responder", "vendor", "qpn",
		"remote_qpn", "address",   "remote"
	};
	sqlite3_stmt *in = db_insert(m->s, "counter", reading, 7, "write", err);
	sqlite3_stmt *log =
		db_insert(m->s, "error_log", error, 11, "write", err);
	int rc = in && log ? 0 : -1;

	for (size_t i = 0; !rc && i < e->n_readings; i++) {
		int64_t id = m->ids[e->readings[i].source];

		if (id)
			rc = reading_row(m->s, in, id, &e->readings[i], err);
	}
	for (size_t i = 0; !rc && i < e->n_errors; i++) {
		int64_t id = m->ids[e->errors[i].source];

		if (id)
			rc = error_row(m->s, log, id, e, &e->errors[i], err);
	}
	sqlite3_finalize(in);
	sqlite3_finalize(log);
	return rc;
}

static int put_settings(struct importing *m, const struct evidence *e,
			struct err *err)
{
	static const char *const names[] = { "source_id", "name", "number",
					     "value" };
	sqlite3_stmt *q = db_insert(m->s, "setting", names, 4, "write", err);
	int rc = q ? 0 : -1;

	for (size_t i = 0; !rc && i < e->n_settings; i++) {
		const struct evidence_setting *x = &e->settings[i];

		if (!m->ids[x->source])
			continue;
		sqlite3_bind_int64(q, 1, m->ids[x->source]);
		bind_text(q, 2, evidence_setting_name(x->id));
		if (x->number >= 0)
			sqlite3_bind_int(q, 3, x->number);
		sqlite3_bind_int64(q, 4, x->value);
		rc = step_row(m->s, q, err);
	}
	sqlite3_finalize(q);
	return rc;
}

static int sample_row(struct store *s, sqlite3_stmt *q, int64_t source,
		      const struct evidence_sample *x, struct err *err)
{
	const int64_t numbers[] = { x->dst_qp,           x->psn,
				    (int64_t)x->samples, (int64_t)x->estimated,
				    x->first_ns,         x->last_ns };

	sqlite3_bind_int64(q, 1, source);
	sqlite3_bind_int(q, 2, x->dropped);
	bind_text(q, 3, x->src);
	bind_text(q, 4, x->dst);
	for (int i = 0; i < 6; i++)
		if (numbers[i] >= 0)
			sqlite3_bind_int64(q, 5 + i, numbers[i]);
	if (x->input)
		sqlite3_bind_int64(q, 11, x->input);
	if (x->output)
		sqlite3_bind_int64(q, 12, x->output);
	bind_text(q, 13, x->reason);
	return step_row(s, q, err);
}

static int put_samples(struct importing *m, const struct evidence *e,
		       struct err *err)
{
	static const char *const names[] = {
		"source_id", "dropped", "src",       "dst",      "dst_qp",
		"psn",       "samples", "estimated", "first_ns", "last_ns",
		"input",     "output",  "reason"
	};
	sqlite3_stmt *q = db_insert(m->s, "sampled", names, 13, "write", err);
	int rc = q ? 0 : -1;

	for (size_t i = 0; !rc && i < e->n_samples; i++) {
		int64_t id = m->ids[e->samples[i].source];

		if (id)
			rc = sample_row(m->s, q, id, &e->samples[i], err);
	}
	sqlite3_finalize(q);
	return rc;
}

static int note_row(struct store *s, sqlite3_stmt *q, int64_t source,
		    const struct evidence_note *n, struct err *err)
{
	static const char *const kinds[] = { [NOTE_STEP] = "step",
					     [NOTE_SLURM] = "slurm",
					     [NOTE_RAS] = "ras",
					     [NOTE_QP] = "requests" };
	const int64_t numbers[] = { n->number, n->first_ns, n->last_ns,
				    n->length_ns };
	const int64_t counts[] = { n->qpn, n->count, n->bytes };

	sqlite3_bind_int64(q, 1, source);
	if (n->line)
		sqlite3_bind_int64(q, 2, n->line);
	bind_text(q, 3, kinds[n->kind]);
	bind_text(q, 4, n->name);
	bind_text(q, 5, n->state);
	for (int i = 0; i < 4; i++)
		if (numbers[i] >= 0)
			sqlite3_bind_int64(q, 6 + i, numbers[i]);
	/* NaN becomes NULL */
	sqlite3_bind_double(q, 10, n->rate);
	sqlite3_bind_double(q, 11, n->loss);
	for (int i = 0; i < 3; i++)
		if (counts[i] >= 0)
			sqlite3_bind_int64(q, 12 + i, counts[i]);
	return step_row(s, q, err);
}

static int put_notes(struct importing *m, const struct evidence *e,
		     struct err *err)
{
	static const char *const names[] = {
		"source_id", "line",     "kind",    "name",      "state",
		"number",    "first_ns", "last_ns", "length_ns", "rate",
		"loss",      "qpn",      "count",   "bytes"
	};
	sqlite3_stmt *q = db_insert(m->s, "job_note", names, 14, "write", err);
	int rc = q ? 0 : -1;

	for (size_t i = 0; !rc && i < e->n_notes; i++) {
		int64_t id = m->ids[e->notes[i].source];

		if (id)
			rc = note_row(m->s, q, id, &e->notes[i], err);
	}
	sqlite3_finalize(q);
	return rc;
}

int store_evidence(struct store *s, const struct evidence *e, struct err *err)
{
	struct importing m = { .s = s };
	char skipped[24];
	int rc;

	m.ids = calloc(e->n_sources + 1, sizeof *m.ids);
	if (!m.ids)
		return err_set(err, ERR_MEMORY, "out of memory");
	rc = db_run(s, known, err);
	if (!rc) {
		m.same = db_prepare(s,
				    "SELECT path FROM temp.known WHERE digest "
				    "= ?1",
				    "write", err);
		m.changed =
			db_prepare(s,
				   "INSERT OR IGNORE INTO temp.outdated SELECT "
				   "path FROM temp.known WHERE path = ?1",
				   "write", err);
		rc = m.same && m.changed ? put_sources(&m, e, err) : -1;
	}
	if (!rc)
		rc = put_rows(&m, e, err);
	if (!rc)
		rc = put_settings(&m, e, err);
	if (!rc)
		rc = put_samples(&m, e, err);
	if (!rc)
		rc = put_notes(&m, e, err);
	sqlite3_finalize(m.same);
	sqlite3_finalize(m.changed);
	free(m.ids);
	if (!rc)
		rc = db_run(s, forget, err);
	snprintf(skipped, sizeof skipped, "%llu",
		 (unsigned long long)(e->skipped + e->dropped));
	store_meta(s, "evidence_skipped", skipped);
	return rc;
}

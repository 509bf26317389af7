/* SPDX-License-Identifier: GPL-2.0-or-later
 * The result database of an analysis that goes on. */
#include "store/live.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store_int.h"

static const char pragmas[] = "PRAGMA journal_mode = WAL;"
			      "PRAGMA synchronous = NORMAL;"
			      "PRAGMA temp_store = MEMORY;"
			      "PRAGMA journal_size_limit = 67108864;"
			      "PRAGMA cache_size = -16384;";

/* How a table of facts is read: rows go in as they are found and are final
 * up to a mark.  All that is neither here nor in |kept| is derived. */
static const char *const marked[] = {
	"event",        "message",     "recovery",
	"cm",           "cnp",         "pause",
	"storm",        "stall",       "lldp",
	"hop",          "path",        "csig",
	"bin",          "cnp_pacing",  "entropy",
	"pause_sender", "paused_flow", "telemetry_packet",
	"tss",          "cc_bin",      "telemetry_bin",
	"burst",        "judge_flow",  "judge_recovery",
	"judge_fill",   "ending",
};

/* Rewritten by key, or looked after by live.sql. */
static const char *const kept[] = {
	"meta",        "capture",    "corrupted_range",
	"tap",         "flow",       "congestion",
	"pdc",         "nack",       "link_change",
	"flow_tap",    "uec_credit", "uec_credit_bin",
	"nvme_tcp",    "node",       "node_address",
	"node_port",   "link",       "live_status",
	"live_epoch",  "live_log",   "capture_drop",
	"finding_log", "recording",  "recording_tap",
	"history",     "retention",  "live_mark",
	"row_limit",   "srv6_path",  "mrc",
	"sheet",
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool listed(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

/* The first error is kept; then nothing more is done. */
static void failed(struct store *s)
{
	if (s->state == STORE_FAILED)
		return;
	db_error(s, &s->err, "cannot write");
	s->state = STORE_FAILED;
}

static bool run(struct store *s, const char *sql)
{
	if (s->state != STORE_WRITING)
		return false;
	if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return true;
	failed(s);
	return false;
}

/* The part of live.sql behind "-- @name". */
static bool run_section(struct store *s, const char *name)
{
	const char *text = builtin_text("live.sql"), *end;
	char head[32], *sql;
	bool ok;

	snprintf(head, sizeof head, "-- @%s\n", name);
	text = strstr(text, head) + strlen(head);
	end = strstr(text, "-- @");
	sql = sqlite3_mprintf(
		"%.*s", end ? (int)(end - text) : (int)strlen(text), text);
	ok = sql && run(s, sql);
	sqlite3_free(sql);
	return ok;
}

/* "i" integer, FACT_UNKNOWN is NULL; "s" text, NULL is NULL. */
static int64_t put(struct store *s, const char *sql, const char *types, ...)
{
	sqlite3_stmt *stmt = NULL;
	va_list ap;

	if (s->state != STORE_WRITING)
		return 0;
	if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK) {
		failed(s);
		return 0;
	}
	va_start(ap, types);
	for (int i = 1; *types; types++, i++) {
		if (*types == 's') {
			sqlite3_bind_text(stmt, i, va_arg(ap, const char *), -1,
					  SQLITE_TRANSIENT);
			continue;
		}
		int64_t v = va_arg(ap, int64_t);

		if (v != FACT_UNKNOWN)
			sqlite3_bind_int64(stmt, i, v);
	}
	va_end(ap);
	if (sqlite3_step(stmt) != SQLITE_DONE &&
	    sqlite3_errcode(s->db) != SQLITE_ROW)
		failed(s);
	sqlite3_finalize(stmt);
	return sqlite3_last_insert_rowid(s->db);
}

/* ---- open ---- */

/* Readers that may not write need the log and its index to be there.  When
 * nobody has them open as we close, all of the log goes into the database and
 * an empty one stays. */
static int keep_log(struct store *s)
{
	int on = 1;

	return sqlite3_file_control(s->db, "main", SQLITE_FCNTL_PERSIST_WAL,
				    &on);
}

static int prepare(struct store *s, struct err *err)
{
	for (int i = 0; i < ROW_KINDS; i++) {
		char *sql = row_insert_sql((enum row_kind)i), *replace;

		replace = sql ? sqlite3_mprintf("INSERT OR REPLACE%s",
						sql + strlen("INSERT"))
			      : NULL;
		sqlite3_free(sql);
		if (!replace)
			return err_set(err, ERR_MEMORY, "out of memory");
		s->insert[i] = db_prepare(s, replace, "database", err);
		sqlite3_free(replace);
		if (!s->insert[i])
			return -1;
	}
	return 0;
}

/* An empty database that is one of ours from the first moment on: the log that
 * WAL mode keeps apart would hide its head. */
static int create(struct store *s, struct err *err)
{
	if (db_create(s, s->path, err))
		return -1;
	/* Who looks for it may have found it already, and be reading. */
	sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
	return db_run(s, "PRAGMA page_size = 4096; BEGIN EXCLUSIVE", err) ||
			       db_run(s, builtin_text("schema.sql"), err) ||
			       db_run(s, builtin_text("index.sql"), err) ||
			       db_run(s, "COMMIT", err)
		       ? -1
		       : 0;
}

static int reopen(struct store *s, struct err *err)
{
	char *name = db_file_name(s->path);
	int rc;

	if (!name)
		return err_set(err, ERR_MEMORY, "out of memory");
	rc = sqlite3_open_v2(name, &s->db,
			     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	sqlite3_free(name);
	if (rc != SQLITE_OK)
		return db_error(s, err, "cannot open");
	sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
	return 0;
}

static int connect(struct store *s, bool is_new, struct err *err)
{
	if ((is_new ? create(s, err) : reopen(s, err)) ||
	    db_run(s, pragmas, err))
		return -1;
	if (keep_log(s) != SQLITE_OK || db_functions(s->db) != SQLITE_OK)
		return db_error(s, err, "database");
	return db_run(s, "BEGIN IMMEDIATE", err) || prepare(s, err) ? -1 : 0;
}

/* ---- what was provisional ---- */

static void drop_behind_marks(struct store *s)
{
	char sql[160];

	for (size_t i = 0; i < COUNT(marked); i++) {
		snprintf(sql, sizeof sql,
			 "DELETE FROM %s WHERE rowid > ifnull((SELECT row FROM"
			 " live_mark WHERE table_name = '%s'), 0)",
			 marked[i], marked[i]);
		run(s, sql);
	}
}

static void drop_derived(struct store *s)
{
	static const char list[] =
		"SELECT name FROM sqlite_schema WHERE type = 'table'"
		" AND name NOT LIKE 'sqlite~_%' ESCAPE '~'";
	sqlite3_stmt *stmt = db_prepare(s, list, "database", &s->err);
	char sql[160];

	if (!stmt) {
		failed(s);
		return;
	}
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);

		if (listed(marked, COUNT(marked), name) ||
		    listed(kept, COUNT(kept), name))
			continue;
		snprintf(sql, sizeof sql, "DELETE FROM \"%s\"", name);
		run(s, sql);
	}
	sqlite3_finalize(stmt);
}

static void set_marks(struct store *s)
{
	char sql[160];

	for (size_t i = 0; i < COUNT(marked); i++) {
		snprintf(sql, sizeof sql,
			 "INSERT OR REPLACE INTO live_mark(table_name, row)"
			 " SELECT '%s', ifnull(max(rowid), 0) FROM %s",
			 marked[i], marked[i]);
		run(s, sql);
	}
}

static struct store *open_live(const char *path, bool is_new, struct err *err)
{
	struct store *s = calloc(1, sizeof *s);

	if (!s || !(s->path = strdup(path))) {
		free(s);
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	s->limit_s = 60;
	s->live = true;
	if (!connect(s, is_new, err)) {
		run_section(s, "create");
		if (s->state == STORE_WRITING)
			return s;
		*err = s->err;
	}
	store_free(s);
	return NULL;
}

struct store *store_live_open(const char *path, struct err *err)
{
	struct store *s = open_live(path, false, err);

	if (!s)
		return NULL;
	drop_behind_marks(s);
	run_section(s, "begin");
	drop_derived(s);
	if (s->state == STORE_WRITING)
		return s;
	*err = s->err;
	store_free(s);
	return NULL;
}

struct store *store_live_begin(const char *path, struct err *err)
{
	struct stat st;
	bool is_new = stat(path, &st) || !st.st_size;
	struct store *s = is_new ? NULL : store_open(path, err);

	if (!is_new && !s)
		return NULL;
	store_free(s);
	s = open_live(path, is_new, err);
	/* What the run before said at last is final now, and what follows from
	 * it stands until the first refresh. */
	if (s) {
		set_marks(s);
		run_section(s, "seal");
	}
	return s;
}

/* Flows from now on are open: another statement writes them. */
void store_live_provisional(struct store *s)
{
	static const char values[] = ") VALUES(";
	char *sql = row_insert_sql(ROW_flow), *open = NULL, *at;

	set_marks(s);
	run(s, "DELETE FROM row_limit");
	at = sql ? strstr(sql, values) : NULL;
	if (at)
		open = sqlite3_mprintf("INSERT OR REPLACE%.*s, open%.*s, 1)",
				       (int)(at - sql - 6), sql + 6,
				       (int)strlen(at) - 1, at);
	sqlite3_free(sql);
	sqlite3_finalize(s->insert[ROW_flow]);
	s->insert[ROW_flow] =
		open ? db_prepare(s, open, "database", &s->err) : NULL;
	sqlite3_free(open);
	memset(&s->bound[ROW_flow], 0, sizeof s->bound[ROW_flow]);
	if (!s->insert[ROW_flow])
		failed(s);
}

/* ---- the end of a refresh ---- */

int store_live_gate(struct store *s, struct err *err)
{
	if (!s->live || run_section(s, "gate"))
		return 0;
	*err = s->err;
	return -1;
}

enum { HISTORY_NS_DOUBLINGS = 19 }; /* of the finest bin: 52 s */

/* When the refresh before this one was: after a full disk long ago. */
static int64_t refreshed_before(struct store *s, int64_t ns)
{
	char sql[128];

	snprintf(sql, sizeof sql,
		 "SELECT ns FROM live_status WHERE ns < %lld"
		 " ORDER BY id DESC LIMIT 1",
		 (long long)ns);
	return db_integer(s, sql, 0);
}

static void remember(struct store *s, int64_t ns)
{
	const int64_t width = INT64_C(100000) << HISTORY_NS_DOUBLINGS;
	int64_t since = refreshed_before(s, ns) / width * width - 2 * width;

	run(s, "CREATE TEMP TABLE refresh(ns INTEGER, since_ns INTEGER,"
	       " width_ns INTEGER)");
	put(s, "INSERT INTO temp.refresh VALUES(?1, ?2, ?3)", "iii", ns, since,
	    width);
	run_section(s, "log");
	run_section(s, "history");
}

int store_live_derive(struct store *s, int64_t ns, struct err *err)
{
	if (s->state == STORE_WRITING && store_derive(s, &s->err))
		s->state = STORE_FAILED;
	remember(s, ns);
	if (s->starved)
		failed(s);
	if (s->state == STORE_WRITING)
		return 0;
	*err = s->err;
	return -1;
}

int store_live_close(struct store *s, struct err *err)
{
	int rc = 0;

	if (s->state == STORE_FAILED) {
		*err = s->err;
		rc = -1;
	} else if (db_run(s, "COMMIT", err)) {
		rc = -1;
	}
	store_free(s);
	return rc;
}

void store_live_end(const char *path)
{
	struct store s = { .path = (char *)(uintptr_t)path };

	if (!reopen(&s, NULL))
		(void)db_run(&s, "PRAGMA journal_mode = DELETE", NULL);
	sqlite3_close(s.db);
}

/* ---- from one run to the next ---- */

int64_t store_live_tap(struct store *s, const char *name)
{
	sqlite3_stmt *stmt = db_prepare(s, "SELECT id FROM tap WHERE name = ?1",
					"tap", NULL);
	int64_t id = 0;

	if (stmt) {
		sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
		if (sqlite3_step(stmt) == SQLITE_ROW)
			id = sqlite3_column_int64(stmt, 0);
	}
	sqlite3_finalize(stmt);
	return id ? id : put(s, "INSERT INTO tap(name) VALUES(?1)", "s", name);
}

uint64_t store_live_dropped(struct store *s, int64_t tap)
{
	char sql[96];

	snprintf(sql, sizeof sql,
		 "SELECT dropped_reported FROM tap WHERE id = %lld",
		 (long long)tap);
	return (uint64_t)db_integer(s, sql, 0);
}

/* Counters of a tap, and of its capture, which go on from run to run. */
static const char *const tap_counters[] = {
	"packets",
	"received_reported",
	"mirror_duplicates",
	"timestamp_regressions",
	"packets_roce",
	"packets_cnp",
	"packets_uet",
	"packets_not_uet",
	"packets_uet_unnamed",
	"packets_pfc",
	"packets_pause",
	"packets_lldp",
	"packets_other",
	"truncated",
	"malformed",
	"fragments",
	"unknown_opcodes",
	"reserved_set",
	"mirror_seq_lost",
	"icrc_good",
	"icrc_bad",
	"icrc_unchecked",
	"ect",
	"ce",
};
static const char *const capture_counters[] = { "packets", "bytes" };

_Static_assert(COUNT(tap_counters) + COUNT(capture_counters) + 1 ==
		       LIVE_COUNTERS,
	       "there is no room for them");

static void counted(struct store *s, const char *table, const char *column,
		    int64_t id, int64_t *value)
{
	char sql[128];

	snprintf(sql, sizeof sql, "SELECT %s FROM %s WHERE id = %lld", column,
		 table, (long long)id);
	*value = db_integer(s, sql, 0);
}

void store_live_counted(struct store *s, int64_t tap, struct live_counted *c)
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT(tap_counters); i++)
		counted(s, "tap", tap_counters[i], tap, &c->value[n++]);
	for (size_t i = 0; i < COUNT(capture_counters); i++)
		counted(s, "capture", capture_counters[i], tap, &c->value[n++]);
	counted(s, "tap", "first_ns", tap, &c->value[n]);
}

/* NULL, which is unknown, stays where nothing was counted before. */
static void add_counted(struct store *s, const char *table,
			const char *const *column, size_t n, int64_t id,
			const int64_t *value)
{
	char sql[128];

	for (size_t i = 0; i < n; i++) {
		if (!value[i])
			continue;
		snprintf(sql, sizeof sql,
			 "UPDATE %s SET %s = ifnull(%s, 0) + ?2 WHERE id = ?1",
			 table, column[i], column[i]);
		put(s, sql, "ii", id, value[i]);
	}
}

void store_live_add(struct store *s, int64_t tap, const struct live_counted *c)
{
	const int64_t *of_capture = &c->value[COUNT(tap_counters)];
	int64_t first = of_capture[COUNT(capture_counters)];

	add_counted(s, "tap", tap_counters, COUNT(tap_counters), tap, c->value);
	add_counted(s, "capture", capture_counters, COUNT(capture_counters),
		    tap, of_capture);
	if (!first)
		return;
	put(s, "UPDATE tap SET first_ns = ?2 WHERE id = ?1", "ii", tap, first);
	put(s, "UPDATE capture SET first_ns = ?2 WHERE id = ?1", "ii", tap,
	    first);
}

int64_t store_live_taps(struct store *s)
{
	return db_integer(s, "SELECT max(id) FROM tap", 0);
}

uint32_t store_live_last_flow(struct store *s)
{
	return (uint32_t)db_integer(s, "SELECT max(id) FROM flow", 0);
}

bool store_live_cap(struct store *s, unsigned i, const char **table,
		    uint64_t *dropped)
{
	static char name[64];
	sqlite3_stmt *stmt =
		db_prepare(s,
			   "SELECT table_name, not_stored FROM row_limit"
			   " ORDER BY 1 LIMIT 1 OFFSET ?1",
			   "row_limit", NULL);
	bool any = false;

	if (stmt) {
		sqlite3_bind_int(stmt, 1, (int)i);
		any = sqlite3_step(stmt) == SQLITE_ROW;
	}
	if (any) {
		snprintf(name, sizeof name, "%s",
			 (const char *)sqlite3_column_text(stmt, 0));
		*table = name;
		*dropped = (uint64_t)sqlite3_column_int64(stmt, 1);
	}
	sqlite3_finalize(stmt);
	return any;
}

/* ---- rows that only live has ---- */

void store_live_epoch(struct store *s, int64_t ns, const char *why,
		      const char *version, const char *detail)
{
	if (!why) {
		put(s,
		    "UPDATE live_epoch SET last_ns = ?1"
		    " WHERE id = (SELECT max(id) FROM live_epoch)",
		    "i", ns);
		return;
	}
	put(s,
	    "INSERT INTO live_epoch(first_ns, last_ns, why, version, detail)"
	    " VALUES(?1, ?1, ?2, ?3, ?4)",
	    "isss", ns, why, version, detail);
}

void store_live_log(struct store *s, const struct live_line *l)
{
	put(s,
	    "INSERT INTO live_log(ns, level, tap_id, text)"
	    " VALUES(?1, ?2, ?3, ?4)",
	    "isis", l->ns, l->warning ? "warning" : "info",
	    l->tap_id ? l->tap_id : FACT_UNKNOWN, l->text);
}

void store_live_status(struct store *s, const struct live_status *l)
{
	put(s,
	    "INSERT INTO live_status(ns, tap_id, state, received, bytes,"
	    " dropped_kernel, dropped_interface, dropped_own, lag_ns,"
	    " buffered, refresh_ns)"
	    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
	    "iisiiiiiiii", l->ns, l->tap_id, l->state, (int64_t)l->received,
	    (int64_t)l->bytes, l->dropped_kernel, l->dropped_interface,
	    (int64_t)l->dropped_own, l->lag_ns, (int64_t)l->buffered,
	    l->refresh_ns);
}

void store_live_drops(struct store *s, const struct live_drops *b)
{
	put(s,
	    "INSERT INTO capture_drop(tap_id, first_ns, last_ns, packets, who)"
	    " VALUES(?1, ?2, ?3, ?4, ?5)",
	    "iiiis", b->tap_id, b->first_ns, b->last_ns, b->packets, b->who);
}

int64_t store_live_recording(struct store *s, const struct live_recording *r,
			     const struct live_frames *taps, size_t n)
{
	int64_t id;

	/* What was said of it while it was written, even if somebody removed
	 * it since. */
	put(s,
	    "DELETE FROM recording_tap WHERE recording_id IN"
	    " (SELECT id FROM recording WHERE path = ?1"
	    " AND (state = 'open' OR kind = 'ring' AND first_ns = ?2))",
	    "si", r->path, r->first_ns);
	put(s,
	    "DELETE FROM recording WHERE path = ?1"
	    " AND (state = 'open' OR first_ns = ?2)",
	    "si", r->path, r->first_ns);
	put(s, "UPDATE recording SET state = 'gone' WHERE path = ?1", "s",
	    r->path);
	id = put(s,
		 "INSERT INTO recording(kind, path, state, first_ns, last_ns,"
		 " packets, bytes, missed)"
		 " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
		 "sssiiiii", r->kind, r->path, r->state, r->first_ns,
		 r->last_ns, (int64_t)r->packets, (int64_t)r->bytes,
		 (int64_t)r->missed);
	for (size_t i = 0; i < n; i++)
		put(s,
		    "INSERT OR REPLACE INTO recording_tap"
		    " VALUES(?1, ?2, ?3, ?4)",
		    "iiii", id, taps[i].tap_id, (int64_t)taps[i].first,
		    (int64_t)taps[i].last);
	return id;
}

int64_t store_live_new_finding(struct store *s, int64_t after)
{
	char sql[256];

	snprintf(sql, sizeof sql,
		 "SELECT min(id) FROM finding_log WHERE id > %lld"
		 " AND ended_ns IS NULL AND recording_id IS NULL"
		 " AND severity IN ('critical', 'warning')"
		 " AND seen_last_ns = (SELECT ns FROM temp.refresh)",
		 (long long)after);
	return db_integer(s, sql, 0);
}

int64_t store_live_last_recording(struct store *s, int64_t since)
{
	char sql[160];

	snprintf(sql, sizeof sql,
		 "SELECT max(id) FROM recording WHERE kind = 'finding'"
		 " AND state = 'complete' AND last_ns > %lld",
		 (long long)since);
	return db_integer(s, sql, 0);
}

bool store_live_oldest_recording(struct store *s, uint32_t most, char *path,
				 size_t size)
{
	static const char sql[] =
		"SELECT min(id), path FROM recording WHERE kind = 'finding'"
		" AND state = 'complete' HAVING count(*) > ?1";
	sqlite3_stmt *stmt = db_prepare(s, sql, "recording", NULL);
	int64_t id = 0;

	if (stmt) {
		sqlite3_bind_int64(stmt, 1, most);
		if (sqlite3_step(stmt) == SQLITE_ROW &&
		    sqlite3_column_type(stmt, 1) == SQLITE_TEXT) {
			id = sqlite3_column_int64(stmt, 0);
			snprintf(path, size, "%s",
				 (const char *)sqlite3_column_text(stmt, 1));
		}
	}
	sqlite3_finalize(stmt);
	if (id)
		put(s, "UPDATE recording SET state = 'gone' WHERE id = ?1", "i",
		    id);
	return id && s->state == STORE_WRITING;
}

void store_live_recorded(struct store *s, int64_t finding, int64_t recording)
{
	put(s, "UPDATE finding_log SET recording_id = ?2 WHERE id = ?1", "ii",
	    finding, recording);
}

/* ---- what is let go of ---- */

/* A row goes when this is before the limit. */
static const struct {
	const char *table, *time;
	bool history; /* kept for days */
} ages[] = {
	{ "event", "ns", false },
	{ "message", "last_ns", false },
	{ "recovery", "last_ns", false },
	{ "cm", "ns", false },
	{ "ending", "last_ns", false },
	{ "cnp", "ns", false },
	{ "pause", "first_ns", false },
	{ "storm", "last_ns", false },
	{ "stall", "last_ns", false },
	{ "lldp", "last_ns", false },
	{ "bin", "start_ns + width_ns", false },
	{ "burst", "last_ns", false },
	{ "cc_bin", "start_ns + width_ns", false },
	{ "flow", "last_ns", false },
	{ "capture_drop", "last_ns", false },
	{ "uec_credit_bin", "start_ns + width_ns", false },
	{ "nvme_tcp", "last_ns", false },
	{ "telemetry_bin", "start_ns + width_ns", false },
	{ "live_status", "ns", false },
	{ "history", "start_ns", true },
	{ "live_log", "ns", true },
	{ "live_epoch", "last_ns", true },
	{ "finding_log", "ended_ns", true },
};

enum { RECORDINGS_GONE = 1000 }; /* rows about files that were */

/* Facts about flows go with them. */
static const char *const of_flows[] = {
	"congestion", "pdc",
	"nack",       "link_change",
	"flow_tap",   "paused_flow",
	"hop",        "path",
	"csig",       "telemetry_packet",
	"judge_flow", "judge_recovery",
	"judge_fill", "ending",
	"srv6_path",  "mrc",
};

static void note_retention(struct store *s, const char *table, int64_t keep,
			   int64_t dropped, int64_t limit)
{
	put(s,
	    "INSERT INTO retention VALUES(?1, ?2, ?3, ?4)"
	    " ON CONFLICT(table_name) DO UPDATE"
	    " SET keep_ns = excluded.keep_ns,"
	    " dropped = dropped + excluded.dropped,"
	    " oldest_ns = excluded.oldest_ns",
	    "siii", table, keep, dropped, limit);
}

static int64_t drop_rows(struct store *s, const char *sql)
{
	return run(s, sql) ? sqlite3_changes(s->db) : 0;
}

static void drop_old(struct store *s, size_t i, const struct live_limits *l,
		     int64_t now)
{
	int64_t keep = ages[i].history ? l->history_ns : l->keep_ns;
	int64_t gone;
	char sql[256];

	snprintf(sql, sizeof sql, "DELETE FROM %s WHERE %s < %lld",
		 ages[i].table, ages[i].time, (long long)(now - keep));
	gone = drop_rows(s, sql);
	if (listed(marked, COUNT(marked), ages[i].table)) {
		snprintf(sql, sizeof sql,
			 "DELETE FROM %s WHERE rowid <="
			 " (SELECT max(rowid) FROM %s) - %lld",
			 ages[i].table, ages[i].table, (long long)l->rows);
		gone += drop_rows(s, sql);
	}
	if (gone)
		note_retention(s, ages[i].table, keep, gone, now - keep);
}

/* Files that somebody removed, we by the limits of the row of files or anybody
 * else: the rows stay for a while. */
static void look_for_recordings(struct store *s)
{
	sqlite3_stmt *stmt = db_prepare(s,
					"SELECT id, path FROM recording"
					" WHERE state <> 'gone'",
					"recording", NULL);
	char sql[128];

	while (stmt && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *path = (const char *)sqlite3_column_text(stmt, 1);

		if (!path || !access(path, F_OK) || errno != ENOENT)
			continue;
		put(s, "UPDATE recording SET state = 'gone' WHERE id = ?1", "i",
		    (int64_t)sqlite3_column_int64(stmt, 0));
	}
	sqlite3_finalize(stmt);
	snprintf(sql, sizeof sql,
		 "DELETE FROM recording WHERE state = 'gone' AND id <="
		 " (SELECT max(id) FROM recording) - %d",
		 RECORDINGS_GONE);
	run(s, sql);
	run(s, "DELETE FROM recording_tap WHERE recording_id NOT IN"
	       " (SELECT id FROM recording)");
}

void store_live_retain(struct store *s, const struct live_limits *l,
		       int64_t now)
{
	char sql[256];

	for (size_t i = 0; i < COUNT(ages); i++)
		drop_old(s, i, l, now);
	snprintf(sql, sizeof sql,
		 "DELETE FROM flow WHERE id IN (SELECT id FROM flow"
		 " ORDER BY last_ns DESC LIMIT -1 OFFSET %lld)",
		 (long long)l->rows);
	note_retention(s, "flow", l->keep_ns, drop_rows(s, sql),
		       now - l->keep_ns);
	for (size_t i = 0; i < COUNT(of_flows); i++) {
		snprintf(sql, sizeof sql,
			 "DELETE FROM %s WHERE flow_id NOT IN"
			 " (SELECT id FROM flow)",
			 of_flows[i]);
		run(s, sql);
	}
	run(s, "DELETE FROM bin WHERE scope = 'flow' AND scope_id NOT IN"
	       " (SELECT id FROM flow)");
	look_for_recordings(s);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing the result database.
 *
 * All rows are one transaction without a journal in a file nobody knows yet:
 * when anything fails the file is thrown away, so there is nothing to roll
 * back.  The first error is kept, later rows are ignored, and store_commit
 * tells. */
#define _GNU_SOURCE /* asprintf() */
#include "store/store.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/names.h"
#include "capture/capture.h"
#include "store/append.h"
#include "store/brief.h"
#include "store/flow_sum.h"
#include "store/kept.h"
#include "store/store_int.h"

static const char pragmas[] = "PRAGMA journal_mode = OFF;"
			      "PRAGMA synchronous = OFF;"
			      "PRAGMA locking_mode = EXCLUSIVE;"
			      "PRAGMA temp_store = MEMORY;"
			      "PRAGMA temp.secure_delete = OFF;"
			      "PRAGMA page_size = 16384;"
			      "PRAGMA cache_size = -8192;";

static int open_file(struct store *s, struct err *err)
{
	/* SQLite's name for a file that is deleted when it is closed is "" */
	const char *nameless =
		strcmp(s->path, STORE_PRIVATE) != 0 ? s->path : "";

	if (s->file)
		return db_create(s, outfile_temp(s->file), err);
	if (sqlite3_open_v2(nameless, &s->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				    SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK)
		return db_error(s, err, "cannot create");
	return 0;
}

int store_begin_rows(struct store *s, bool create, struct err *err)
{
	if ((!create && store_defend(s, err)) || db_run(s, pragmas, err) ||
	    db_run(s, "BEGIN", err) ||
	    (create && db_run(s, builtin_text("schema.sql"), err)))
		return -1;
	if (db_functions(s->db) != SQLITE_OK)
		return db_error(s, err, "database");
	return 0;
}

void store_alone(void)
{
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
#ifdef STORE_HEAP
	db_heap();
#endif
}

/* What is left of a database that had the name, SQLite would take for changes
 * of the new one. */
static int no_logs_of_another(const char *path, struct err *err)
{
	static const char *const logs[] = { "-journal", "-wal" };
	char *name;
	bool there;

	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		if (asprintf(&name, "%s%s", path, logs[i]) < 0)
			return err_set(err, ERR_MEMORY, "out of memory");
		there = !access(name, F_OK);
		free(name);
		if (there)
			return err_set(err, ERR_EXISTS,
				       "%s%s: belongs to another database of "
				       "this name, which is in use or was left "
				       "by a run that was killed; remove both, "
				       "or take another name",
				       path, logs[i]);
	}
	return 0;
}

struct store *store_begin(const char *path, struct err *err)
{
	struct store *s = calloc(1, sizeof *s);

	if (!s || !(s->path = strdup(path))) {
		err_set(err, ERR_MEMORY, "out of memory");
		goto fail;
	}
	s->limit_s = 60;
	if (strcmp(path, ":memory:") && strcmp(path, STORE_PRIVATE)) {
		if (no_logs_of_another(path, err))
			goto fail;
		s->file = outfile_begin(path, store_is_ours,
					"fabscope database", err);
		if (!s->file)
			goto fail;
	}
	if (!open_file(s, err))
		return s;
fail:
	store_free(s);
	return NULL;
}

struct store *store_create(const char *path, struct err *err)
{
	struct store *s = store_begin(path, err);

	if (!s || !store_begin_rows(s, true, err))
		return s;
	store_free(s);
	return NULL;
}

/* --- rows --- */

/* Most kinds of rows a capture does not have. */
static sqlite3_stmt *inserter(struct store *s, enum row_kind kind)
{
	char *sql;

	if (s->insert[kind])
		return s->insert[kind];
	sql = row_insert_sql(kind);
	if (sql)
		s->insert[kind] = db_prepare(s, sql, "database", &s->err);
	else
		err_set(&s->err, ERR_MEMORY, "out of memory");
	sqlite3_free(sql);
	if (!s->insert[kind])
		s->state = STORE_FAILED;
	return s->insert[kind];
}

static void insert_one(struct store *s, enum row_kind kind, int64_t id,
		       const void *fact)
{
	sqlite3_stmt *stmt;
	struct row_scratch texts;

	if (s->state != STORE_WRITING || !(stmt = inserter(s, kind)))
		return;
	row_bind(kind, id, fact, stmt, &texts, &s->bound[kind]);
	if (sqlite3_step(stmt) != SQLITE_DONE) {
		db_error(s, &s->err, "cannot write");
		s->state = STORE_FAILED;
	}
	sqlite3_reset(stmt);
}

/* Most tables have so few rows that preparing what appends them takes longer
 * than inserting them. */
static bool are_many(struct store *s, enum row_kind kind)
{
	enum { MANY = 100 };

	if (s->inserted[kind] > MANY)
		return s->append[kind];
	if (s->inserted[kind]++ < MANY)
		return false;
	s->append[kind] = append_new(s, kind, &s->err);
	if (s->err.text[0])
		s->state = STORE_FAILED;
	return s->append[kind];
}

static void insert(struct store *s, enum row_kind kind, int64_t id,
		   const void *fact)
{
	int rc = 1;

	if (s->state != STORE_WRITING)
		return;
	if (are_many(s, kind))
		rc = append_row(s->append[kind], id, fact, &s->err);
	if (rc < 0)
		s->state = STORE_FAILED;
	else if (rc > 0)
		insert_one(s, kind, id, fact);
}

#define FACT(name, table)                                             \
	static void on_##name(void *ctx, const struct fact_##name *f) \
	{                                                             \
		insert(ctx, ROW_##name, 0, f);                        \
	}
#include "flow/core/facts.def"

static void keep(struct store *s, enum kept_kind kind, const void *fact)
{
	if (s->state != STORE_WRITING || kept_add(s, kind, fact))
		return;
	err_set(&s->err, ERR_MEMORY, "out of memory");
	s->state = STORE_FAILED;
}

static void on_burst_kept(void *ctx, const struct fact_burst *f)
{
	on_burst(ctx, f);
	keep(ctx, KEPT_BURST, f);
}

static void on_bin_kept(void *ctx, const struct fact_bin *f)
{
	on_bin(ctx, f);
	if (f->scope == BIN_FLOW)
		keep(ctx, KEPT_BIN, f);
}

static void on_cnp_kept(void *ctx, const struct fact_cnp *f)
{
	struct kept_cnp k = { f->flow, f->ns, FACT_UNKNOWN };

	on_cnp(ctx, f);
	if (f->reaction == REACTION_REACTED)
		k.rate_bps = f->rate_before_bps;
	if (f->flow)
		keep(ctx, KEPT_CNP, &k);
}

static void on_latency_or_delay(void *ctx, const struct fact_latency *f)
{
	if (f->segment)
		insert(ctx, ROW_segment_delay, 0, f);
	else
		on_latency(ctx, f);
}

static void on_flow_and_sum(void *ctx, const struct fact_flow *f)
{
	struct store *s = ctx;

	on_flow(ctx, f);
	if (s->state == STORE_WRITING && flow_sum_add(s, f, &s->err))
		s->state = STORE_FAILED;
}

static void on_capped(void *ctx, const char *table, uint64_t dropped)
{
	struct row_pair row = { .key = table, .number = dropped };

	if (dropped)
		insert(ctx, ROW_cap, 0, &row);
}

struct flow_sink store_sink(struct store *s)
{
	struct flow_sink k = {
		.ctx = s,
		.capped = on_capped,
#define FACT(name, table) .name = on_##name,
#include "flow/core/facts.def"
	};

	k.burst = on_burst_kept;
	k.bin = on_bin_kept;
	k.cnp = on_cnp_kept;
	k.latency = on_latency_or_delay;
	k.flow = on_flow_and_sum;
	return k;
}

void store_capture(struct store *s, size_t index, const struct capture_file *f)
{
	uint64_t kept = f->damage_count < CAPTURE_DAMAGE_KEPT
				? f->damage_count
				: CAPTURE_DAMAGE_KEPT;

	insert(s, ROW_capture, (int64_t)index + 1, f);
	for (uint64_t i = 0; i < kept; i++)
		insert(s, ROW_damage, (int64_t)index + 1, &f->damage[i]);
}

void store_tap(struct store *s, size_t index, const struct capture_tap *t)
{
	insert(s, ROW_capture_tap, (int64_t)index + 1, t);
}

void store_half(struct store *s, size_t index, const struct fact_half *h)
{
	insert(s, ROW_tap_half, (int64_t)index + 1, h);
}

void store_clock(struct store *s, const struct fact_clock *c)
{
	insert(s, ROW_clock, 0, c);
}

/* The first tap of each name that a member of a group may have. */
static void name_taps(struct names *x, const struct topology *t,
		      const char *const *taps, size_t n_taps)
{
	char text[TOPOLOGY_LINK_TEXT];

	for (size_t k = 0; k < n_taps; k++) {
		const struct topology_tap *tap = topology_tap(t, taps[k]);

		names_add(x, taps[k], k);
		for (int i = 0; i < TOPOLOGY_ARROWS; i++)
			if (topology_link_text(tap, topology_arrows[i], text))
				names_add(x, text, k);
	}
}

static void group_rows(struct store *s, int64_t id,
		       const struct topology_group *g, struct names *taps)
{
	const struct row_group group = { g->name, "topology", g->n_members };

	insert(s, ROW_link_group, id, &group);
	for (size_t i = 0; i < g->n_members; i++) {
		size_t tap = names_find(taps, g->members[i]);
		struct row_member m = { g->members[i],
					tap != NAMES_NONE ? (int64_t)tap + 1
							  : -1 };

		insert(s, ROW_link_member, id, &m);
	}
}

static void node_rows(struct store *s, const struct topology_node *n)
{
	insert(s, ROW_node, 0, n);
	for (size_t i = 0; i < n->n_addr; i++) {
		const struct row_address a = { n->addr[i], n->name };

		insert(s, ROW_node_address, 0, &a);
	}
}

void store_topology(struct store *s, const struct topology *t,
		    const char *const *taps, size_t n_taps)
{
	struct names by_name = { 0 };
	char bits[16];

	snprintf(bits, sizeof bits, "%u", t->numbers.csig_port_bits);
	if (t->numbers.csig_port_bits)
		store_meta(s, "csig_port_bits", bits);
	for (size_t i = 0; i < t->n_nodes; i++)
		node_rows(s, &t->nodes[i]);
	for (size_t i = 0; i < t->n_ports; i++)
		insert(s, ROW_node_port, 0, &t->ports[i]);
	for (size_t i = 0; i < t->sheet.n; i++)
		insert(s, ROW_sheet, 0, &t->sheet.facts[i]);
	for (size_t i = 0; i < t->n_links; i++)
		insert(s, ROW_link, 0, &t->links[i]);
	for (size_t k = 0; k < n_taps; k++) {
		const struct topology_tap *tap = topology_tap(t, taps[k]);

		if (tap)
			insert(s, ROW_tap_link, (int64_t)k + 1, tap);
	}
	if (t->n_groups)
		name_taps(&by_name, t, taps, n_taps);
	for (size_t i = 0; i < t->n_groups; i++)
		group_rows(s, (int64_t)i + 1, &t->groups[i], &by_name);
	names_fini(&by_name);
}

void store_meta(struct store *s, const char *key, const char *value)
{
	struct row_pair row = { .key = key, .text = value };

	insert(s, ROW_meta, 0, &row);
}

/* --- the end --- */

static void finalize_rows(struct store *s)
{
	for (int i = 0; i < ROW_KINDS; i++) {
		sqlite3_finalize(s->insert[i]);
		s->insert[i] = NULL;
		if (s->append[i] && s->state == STORE_WRITING &&
		    append_flush(s->append[i], &s->err))
			s->state = STORE_FAILED;
		append_free(s->append[i]);
		s->append[i] = NULL;
	}
}

/* From here on it is read, by us and maybe by others: reading once with the
 * normal mode is what gives the exclusive lock back. */
static const char share[] = "PRAGMA query_only = ON;"
			    "PRAGMA locking_mode = NORMAL;"
			    "SELECT count(*) FROM meta";

static int seal(struct store *s, struct err *err)
{
	if (s->starved)
		return db_error(s, err, "database");
	if (db_run(s, "COMMIT", err) || append_end(s, err) ||
	    db_run(s, share, err))
		return -1;
	return s->file ? outfile_commit(s->file, err) : 0;
}

int store_seal(struct store *s, struct err *err)
{
	bool failed = s->state == STORE_FAILED;

	finalize_rows(s);
	if (failed && err)
		*err = s->err;
	if (!failed && !seal(s, err)) {
		s->state = STORE_READING;
		return 0;
	}
	s->state = STORE_FAILED;
	return -1;
}

int store_commit(struct store *s, struct err *err)
{
	assert(s->state != STORE_READING);
	finalize_rows(s);
	if (s->state == STORE_FAILED || !store_derive(s, err))
		return store_seal(s, err);
	s->state = STORE_FAILED;
	return -1;
}

void store_free(struct store *s)
{
	if (!s)
		return;
	finalize_rows(s);
	sqlite3_close(s->db);
	outfile_free(s->file);
	flow_sum_free(s->flow_sum);
	brief_free(s->briefs, NULL);
	kept_free(s);
	free(s->path);
	free(s);
}

int store_snapshot(struct store *s, struct err *err)
{
	/* ends when the database is closed */
	return db_run(s, "BEGIN", err);
}

const char *store_path(const struct store *s)
{
	return s->path;
}

int64_t store_origin_ns(struct store *s)
{
	return db_integer(s, "SELECT min(first_ns) FROM capture", 0);
}

void store_time_limit(struct store *s, double seconds)
{
	s->limit_s = seconds;
}

void store_watch(struct store *s, bool (*stop)(void *ctx), void *ctx)
{
	s->stop = stop;
	s->stop_ctx = ctx;
}

int64_t store_version(struct store *s)
{
	return db_integer(s, "PRAGMA data_version", -1);
}

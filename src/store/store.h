/* SPDX-License-Identifier: GPL-2.0-or-later
 * The result database.  The one module that knows SQLite.
 *
 * Writing: store_create, store_* rows in any order, store_commit (which runs
 * the finding queries and renames the file to its final name), store_free.
 * A store freed without commit leaves nothing behind.
 * Reading: store_open (defensive: foreign files are not trusted), queries. */
#ifndef FABSCOPE_STORE_STORE_H
#define FABSCOPE_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/topology.h"
#include "flow/core/fact.h"

struct store;
struct capture_file;
struct capture_tap;
struct evidence;
struct joblog;

/* Nobody else in this process uses SQLite: what it allocates need not be added
 * up, under a lock.  Before any other call. */
void store_alone(void);

/* Refuses (ERR_EXISTS) when |path| exists and is not a fabscope database.
 * Writes beside |path|.  ":memory:" keeps it in memory, STORE_PRIVATE in a file
 * without a name that goes with the store. */
#define STORE_PRIVATE ":private:"
struct store *store_create(const char *path, struct err *err);

/* A sink whose rows go into |s|.  Errors are kept and reported by commit. */
struct flow_sink store_sink(struct store *s);

/* Ids in the database are index + 1. */
void store_capture(struct store *s, size_t index, const struct capture_file *f);
void store_tap(struct store *s, size_t index, const struct capture_tap *t);

/* Another tap shows the other direction of its link, or seems to: behind
 * store_tap(). */
void store_half(struct store *s, size_t index, const struct fact_half *h);

/* How the clock of a tap goes; the rows of a tap in their order. */
void store_clock(struct store *s, const struct fact_clock *c);

/* What the topology file says: call it behind store_tap() of all taps, with
 * their names in |taps|. */
void store_topology(struct store *s, const struct topology *t,
		    const char *const *taps, size_t n_taps);

/* What a job wrote of its collectives; commit finds out what its clocks are. */
int store_job_log(struct store *s, const struct joblog *j, struct err *err);

/* What others counted; commit finds out whose it is, and compares. */
int store_evidence(struct store *s, const struct evidence *e, struct err *err);

/* key/value facts about the analysis: program version, options, ... */
void store_meta(struct store *s, const char *key, const char *value);

/* Fills observability, runs queries/findings, renames.  -1: nothing is left
 * under the final name that was not there before. */
int store_commit(struct store *s, struct err *err);

/* Does the file call itself a fabscope database? */
bool store_is_ours(const char *path);

/* Is it one of ours that is written while it is read?  Its readers then write
 * to the index of its log, which is beside it. */
bool store_has_log(const char *path);

/* Read-only.  ERR_FORMAT when it is not a fabscope database, was written by
 * another schema version, or its tables are not what they should be. */
struct store *store_open(const char *path, struct err *err);
void store_free(struct store *s); /* NULL is fine */

/* From now on all queries see the database as it is, although a live analysis
 * goes on writing it. */
int store_snapshot(struct store *s, struct err *err);

/* A database in memory in which the queries of the folder diff answer how |b|
 * differs from |a|.  Both may be freed before it.  NULL and |err|. */
struct store *store_compare(struct store *a, struct store *b, struct err *err);

/* As given to store_create or store_open. */
const char *store_path(const struct store *s);

/* First packet of all captures, 0 when there is none. */
int64_t store_origin_ns(struct store *s);

/* A query of a store that was opened or committed is stopped when it has used
 * so much processor time.  Default 60 s; 0: never. */
void store_time_limit(struct store *s, double seconds);

/* |stop| is asked every 100 us or so of a running query, in the thread that
 * runs it; true ends the query with an error.  NULL: nobody is asked. */
void store_watch(struct store *s, bool (*stop)(void *ctx), void *ctx);

/* Another number when somebody else has changed the database meanwhile; -1 when
 * it cannot be read. */
int64_t store_version(struct store *s);

#endif

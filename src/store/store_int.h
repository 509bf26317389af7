/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of this folder share.  Nobody else sees sqlite3. */
#ifndef FABSCOPE_STORE_STORE_INT_H
#define FABSCOPE_STORE_STORE_INT_H

#include <sqlite3.h>

#include "base/builtin.h"
#include "base/outfile.h"
#include "store/query.h"
#include "store/row.h"
#include "store/store.h"

#if SQLITE_VERSION_NUMBER < 3039000
#error "SQLite 3.39 or newer is needed (HAVING without GROUP BY, JSON)"
#endif

/* Of a derived table, at most. */
enum { STORE_COLUMNS = 64 };

/* PRAGMA application_id and user_version of schema.sql: "fabs". */
enum { STORE_APPLICATION = 0x66616273, STORE_SCHEMA = 5 };

/* So long another process is waited for that has locked the database. */
enum { STORE_BUSY_MS = 2000 };

enum store_state {
	STORE_WRITING, /* rows may come */
	STORE_READING, /* committed, or opened */
	STORE_FAILED,  /* see err */
};

/* kept.h */
enum kept_kind { KEPT_BURST, KEPT_BIN, KEPT_CNP, KEPT_KINDS };
struct kept {
	void *facts; /* struct fact_burst, of flows fact_bin, kept_cnp */
	size_t n, room;
};

struct store {
	sqlite3 *db;
	char *path;           /* as given by the user */
	struct outfile *file; /* NULL: in memory, or reading */
	enum store_state state;
	bool live;      /* live.c */
	bool starved;   /* a number is not known for lack of memory */
	struct err err; /* why it failed */
	struct flow_sum *flow_sum;        /* of the rows so far */
	struct briefs *briefs;            /* of their flows */
	struct phase_seen *seen;          /* phase_flows.c */
	struct kept kept[KEPT_KINDS];     /* kept.h */
	uint8_t inserted[ROW_KINDS];      /* rows, until there are many */
	struct append *append[ROW_KINDS]; /* then: append.c, where it can */
	bool attached;                    /* what that has in memory */
	sqlite3_stmt *insert[ROW_KINDS];
	struct row_bound bound[ROW_KINDS]; /* to them */
	double limit_s;          /* processor time of one query, 0 none */
	double deadline_s;       /* of the one that runs */
	bool (*stop)(void *ctx); /* is it unwanted by now?  NULL: no */
	void *stop_ctx;
};

/* The last complaint of SQLite as "PATH: |doing|: reason".  Returns -1. */
int db_error(struct store *s, struct err *err, const char *doing);

/* |path| so that SQLite takes it for a file, for sqlite3_free(). */
char *db_file_name(const char *path);

/* Opens the new or empty file |path| to be written, but no link: who may write
 * in the folder may have put one there. */
int db_create(struct store *s, const char *path, struct err *err);

/* Runs every statement of |sql|. */
int db_run(struct store *s, const char *sql, struct err *err);

/* NULL and |err|.  |doing| is for the message. */
sqlite3_stmt *db_prepare(struct store *s, const char *sql, const char *doing,
			 struct err *err);

/* Column of the row at hand; NULL is FACT_UNKNOWN, and so PHASE_UNKNOWN. */
int64_t db_number(sqlite3_stmt *q, int column);

/* "INSERT INTO |table|(a,b,...) VALUES(?1,?2,...)" with the |n| |columns|. */
sqlite3_stmt *db_insert(struct store *s, const char *table,
			const char *const *columns, int n, const char *doing,
			struct err *err);

/* The first column of the first row; |otherwise| when there is none or it is
 * NULL, or on any error. */
int64_t db_integer(struct store *s, const char *sql, int64_t otherwise);

/* SQL functions of the shipped queries: functions.c. */
int db_functions(sqlite3 *db);
int db_balance(sqlite3 *db);    /* balance.c, called by the former */
int db_statistics(sqlite3 *db); /* statistics.c, likewise */

void db_heap(void);          /* heap.c; before any other call of SQLite */
int db_overlap(sqlite3 *db); /* overlap.c, likewise */
int db_why(sqlite3 *db);
int db_sum(sqlite3 *db); /* sum.c, likewise */

/* Compiles |sql| so that it can read tables and nothing else.  Exactly one
 * statement.  NULL and |err|. */
sqlite3_stmt *query_prepare(struct store *s, const struct query *q,
			    struct err *err);

/* Binds the defaults and |params| (may be NULL). */
int query_bind(struct store *s, const struct query *q, sqlite3_stmt *stmt,
	       const char *const *params, struct err *err);

/* Starts the clock of the time limit. */
void query_start(struct store *s);

/* Says why a step of |q| failed.  Returns -1. */
int query_error(struct store *s, const struct query *q, struct err *err);

/* The two halves of store_create(): the file, ... */
struct store *store_begin(const char *path, struct err *err);
/* ... and the rows; |create|: of a database that is empty so far. */
int store_begin_rows(struct store *s, bool create, struct err *err);

/* open.c: nothing that the schema of a foreign file brings along may act. */
int store_defend(struct store *s, struct err *err);

/* Ends the writing: from here on the store is read.  What is derived must be
 * there; indices are made. */
int store_seal(struct store *s, struct err *err);

/* Is there a row for it in anonymous.def? */
bool store_is_classified(const char *table, const char *column);

/* The |i|th column of |table| that holds JSON; NULL: no more. */
const char *store_json_column(const char *table, size_t i);

/* The clocks of job logs, and the packets of their collectives: job_log.c. */
int store_align(struct store *s, struct err *err);

/* How evenly congested flows shared what they had: fairness.c. */
int store_fairness(struct store *s, struct err *err);

/* What counters mean, in the table temp.meaning: evidence.c. */
int store_meanings(struct store *s, struct err *err);

/* What follows from the facts: indices, coverage, incidents, observability,
 * findings. */
int store_derive(struct store *s, struct err *err);

/* live.c: problems of times in which the capture dropped packets are none. */
int store_live_gate(struct store *s, struct err *err);

/* Text files that are part of the program: "schema.sql",
 * "queries/ask/losses.sql", sorted by name; the last has a NULL name. */
extern const struct builtin store_builtins[];

const char *builtin_text(const char *name); /* must exist */

#endif

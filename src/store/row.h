/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts as rows: every column is written once. */
#ifndef FABSCOPE_STORE_ROW_H
#define FABSCOPE_STORE_ROW_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/core/fact.h"

enum row_kind {
#define ROW(name, table, key) ROW_##name,
#include "store/rows.def"
	ROW_KINDS
};

/* meta and cap have no fact of their own. */
struct row_pair {
	const char *key;
	const char *text; /* meta */
	uint64_t number;  /* cap */
};

struct row_address {
	struct addr addr;
	const char *node;
};

struct row_group {
	const char *name, *source;
	uint64_t members; /* 0 unknown */
};

struct row_member {
	const char *member;
	int64_t tap_id; /* negative: not tapped */
};

/* The other way, of a kind whose columns are numbers: the row at which |stmt|
 * stands, of "SELECT ..." by row_select_sql(), into |fact|. */
char *row_select_sql(enum row_kind kind, const char *rest);
void row_read(enum row_kind kind, sqlite3_stmt *stmt, void *fact);

struct column;
struct column_list;

const struct column_list *row_columns(enum row_kind kind);
const char *row_table(enum row_kind kind);

/* Does a row take the place of another with the same key? */
bool row_replaces(enum row_kind kind);

/* "INSERT INTO ..." for sqlite3_free. */
char *row_insert_sql(enum row_kind kind);

/* |n| of a flow, unless it is encrypted: then FACT_UNKNOWN. */
int64_t row_readable(const struct fact_flow *f, uint64_t n);

/* Texts made for a row: bound where they lie, so that none can get lost for
 * want of memory. */
enum { ROW_SCRATCH = 16, ROW_TEXT = 64 };
struct row_scratch {
	unsigned n;
	char text[ROW_SCRATCH][ROW_TEXT];
};

/* What goes into a column. */
enum row_type {
	ROW_NULL,
	ROW_INTEGER,
	ROW_REAL,
	ROW_STRING,
	ROW_NAME, /* a text that never changes */
};

struct row_value {
	enum row_type type;
	union {
		int64_t i;
		double r;
		const char *text;
	};
};

/* Of |c|; texts are in the fact or in |s|. */
struct row_value row_value(const struct column *c, int64_t id, const void *fact,
			   struct row_scratch *s);

/* What a statement was bound to last: most of it is as in the row before.  All
 * zeros: nothing. */
enum { ROW_COLUMNS = 96 };
struct row_bound {
	int n;
	struct row_value value[ROW_COLUMNS];
};

/* Binds the columns of |fact| to a statement of row_insert_sql(); |s| stays
 * until it has been stepped, |b| as long as the statement.  |id| is for the
 * kinds whose fact does not know it: capture, damage (of its capture), tap. */
void row_bind(enum row_kind kind, int64_t id, const void *fact,
	      sqlite3_stmt *stmt, struct row_scratch *s, struct row_bound *b);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The catalogue of questions, and asking one.
 *
 * A question is one .sql file whose opening comment says what it asks, which
 * parameters it takes and what its columns mean (queries/README.md).  The
 * shipped ones are part of the program.  Files in the folders of
 * $FABSCOPE_QUERIES (separated by colons) and in
 * $XDG_DATA_HOME/fabscope/queries (~/.local/share/fabscope/queries) are added
 * and win over a shipped one of the same name. */
#ifndef FABSCOPE_STORE_QUERY_H
#define FABSCOPE_STORE_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct store;

/* What the numbers of a column or a parameter are. */
enum query_unit {
	UNIT_TEXT,
	UNIT_WORD,   /* a name of a closed list: people read words_of() it */
	UNIT_REASON, /* "R4: why"; people read words_of_reason() */
	UNIT_ID,     /* of a row of another table */
	UNIT_COUNT,
	UNIT_REAL,
	UNIT_SHARE,    /* 0..1 */
	UNIT_FLAG,     /* 0, 1 */
	UNIT_TIME,     /* ns since the epoch */
	UNIT_DURATION, /* ns */
	UNIT_BYTES,
	UNIT_RATE,  /* bit/s */
	UNIT_HEX,   /* QP numbers and the like */
	UNIT_HEX16, /* PDC ids: 16 bits */
	UNIT_JSON,
	UNIT_SPARK, /* a JSON array of numbers: people see a small chart */
	UNIT_KINDS
};
extern const char *const query_unit_names[UNIT_KINDS];

/* Written from the left, and sorted from A on. */
static inline bool query_unit_is_text(enum query_unit unit)
{
	return unit == UNIT_TEXT || unit == UNIT_WORD || unit == UNIT_REASON ||
	       unit == UNIT_JSON || unit == UNIT_SPARK;
}

struct query_param {
	char *name;
	enum query_unit unit;
	char *value;   /* default as text; NULL is SQL's NULL */
	bool required; /* no default */
	char *help;
};

struct query_column {
	char *name;
	enum query_unit unit;
	char *help;
};

struct query {
	char *name;     /* "losses", "findings/loss-upstream" */
	char *origin;   /* its file, NULL when part of the program */
	char *question; /* one line */
	char *notes;    /* more lines, may be "" */
	char *example;  /* a command line with DB for the database, or NULL */
	char *sql;      /* the whole file, and what it is made with */
	char *uses;     /* names of queries it uses as tables, or NULL; |sql|
			 * has them once |level| is not 0 */
	char *broken;   /* why it cannot be used, NULL when it can */
	bool last;      /* a finding that judges the other findings */
	char *into;     /* the table that its rows go into, or NULL */
	char *needs;    /* while this table is empty it has no rows, or NULL */
	int level;      /* 0 uses none, 1 such queries, 2 those: see |uses| */
	struct query_param *params;
	size_t n_params;
	struct query_column *columns;
	size_t n_columns;
};

/* Reads the header of |text|.  Never fails for bad text: see |broken|.  NULL
 * without memory. */
struct query *query_new(const char *name, const char *origin, const char *text);
void query_free(struct query *q); /* NULL is fine */

/* Puts the SQL of |part| before that of |q|, which can use it as a table of the
 * same name (with _ for - and /).  -1 without memory. */
int query_use(struct query *q, const struct query *part);

struct catalogue;

/* All questions by name.  NULL only without memory; a folder or file that
 * cannot be read is an entry with |broken| set. */
struct catalogue *catalogue_new(void);
/* The shipped ones only. */
struct catalogue *catalogue_builtin(void);
/* All, and the file |path| under this name; plain SQL will do for it. */
struct catalogue *catalogue_with(const char *path);
void catalogue_free(struct catalogue *c); /* NULL is fine */

/* Folders of queries of the user's, whether there or not: those of a later one
 * win.  False: out of memory. */
typedef void catalogue_folder_fn(void *ctx, const char *folder);
bool catalogue_folders(catalogue_folder_fn *each, void *ctx);

size_t catalogue_size(const struct catalogue *c);
/* Those of one folder. */
size_t catalogue_count(const struct catalogue *c, const char *folder);
const struct query *catalogue_at(const struct catalogue *c, size_t i);
const struct query *catalogue_find(const struct catalogue *c,
				   const char *name); /* NULL: no such */

/* Is |q| in |folder| ("findings")?  "" holds those to be asked by hand. */
bool query_in(const struct query *q, const char *folder);

/* One cell; valid during the call of row() only. */
struct query_value {
	enum { VALUE_NULL, VALUE_INT, VALUE_REAL, VALUE_TEXT } type;
	int64_t i;
	double r;
	const char *text; /* VALUE_TEXT: NUL-terminated */
	size_t length;
};

/* Where answers go.  Non-zero from either function ends the query early,
 * which is no error. */
struct query_sink {
	void *ctx;
	int (*head)(void *ctx, const struct query_column *columns, size_t n);
	int (*row)(void *ctx, const struct query_value *values, size_t n);
};

/* Asks |q| with |params| ("K=V", NULL-terminated; NULL for none).  Columns the
 * header does not name are handed over as text.  -1 and |err| for an unknown
 * parameter, a bad value, a query that writes, or a corrupted database. */
int query_run(struct store *s, const struct query *q, const char *const *params,
	      const struct query_sink *sink, struct err *err);

/* Does |params| name a flow, an incident or another row that is not there?
 * Then |err| says which there are. */
bool query_absent(struct store *s, const struct query *q,
		  const char *const *params, struct err *err);

/* For tests: writes into |why| which of the tables that grow with the capture
 * |q| reads from end to end without saying so ("flow" and a comment "scan").
 * 0 when it does not, 1 when it does, -1 when it does not even compile. */
int query_unmarked_scan(struct store *s, const struct query *q, char *why,
			size_t size);

#endif

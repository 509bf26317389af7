/* SPDX-License-Identifier: GPL-2.0-or-later
 * Rows that C asks for once more while all is derived, as they came: reading
 * one back takes SQLite 2,000 instructions. */
#ifndef FABSCOPE_STORE_KEPT_H
#define FABSCOPE_STORE_KEPT_H

#include "store/store_int.h"

/* What is kept of a CNP. */
struct kept_cnp {
	int64_t flow, ns;
	int64_t rate_bps; /* before; FACT_UNKNOWN: it slowed nobody down */
};

/* None while others may change rows, as live.  False: no memory. */
bool kept_add(struct store *s, enum kept_kind kind, const void *fact);

/* Rows of other runs were not kept: then |sql| is asked, and |read| makes a
 * fact of each row.  Whatever they come from, |take| gets them in order and
 * returns false when there is no memory.  None is kept any more.  -1 and
 * |err|. */
struct kept_use {
	const char *sql;
	void (*read)(sqlite3_stmt *q, void *fact);
	bool (*take)(void *ctx, const void *fact);
	void *ctx;
};
int kept_use(struct store *s, enum kept_kind kind, const struct kept_use *u,
	     struct err *err);

void kept_free(struct store *s);

#endif

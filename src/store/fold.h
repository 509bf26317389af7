/* SPDX-License-Identifier: GPL-2.0-or-later
 * Adds up the rows of a query: derive.c. */
#ifndef FABSCOPE_STORE_FOLD_H
#define FABSCOPE_STORE_FOLD_H

#include "store/store_int.h"

/* The rows of |from|, which answers |q|, added up into |table|.  There may be
 * several rows of a kind: who reads them adds up again.  -1 and |err|. */
int store_fold(struct store *s, const struct query *q, sqlite3_stmt *from,
	       const char *table, struct err *err);

#endif

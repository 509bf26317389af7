/* SPDX-License-Identifier: GPL-2.0-or-later
 * Many rows at the end of a table.
 *
 * An INSERT of a row of table flow takes 20,000 instructions, most of them to
 * bind 84 columns and to look at each four times.  So rows are written here as
 * SQLite would write them (https://sqlite.org/fileformat2.html) to the few
 * pages of a database in memory, and copied from there when it is full: INSERT
 * ... SELECT * FROM another table with the same columns does so without looking
 * into them.  What is in the database is the same. */
#ifndef FABSCOPE_STORE_APPEND_H
#define FABSCOPE_STORE_APPEND_H

#include "store/row.h"
#include "store/store.h"

struct append;

/* For the rows of |kind| from now on, which nobody else may insert until
 * append_free(); those that are new get their ids as in an INSERT.  NULL with
 * |err| clear: the table is none that it works for. */
struct append *append_new(struct store *s, enum row_kind kind, struct err *err);

/* ... one of which is |fact|.  -1 and |err|; 1: it is too long, and must be
 * inserted before the next. */
int append_row(struct append *a, int64_t id, const void *fact, struct err *err);

/* To be seen in the table from here on. */
int append_flush(struct append *a, struct err *err);
void append_free(struct append *a);

/* When nothing is appended any more, and no transaction is open. */
int append_end(struct store *s, struct err *err);

#endif

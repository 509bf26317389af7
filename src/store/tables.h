/* SPDX-License-Identifier: GPL-2.0-or-later
 * The tables of a result database as questions: all rows of one. */
#ifndef FABSCOPE_STORE_TABLES_H
#define FABSCOPE_STORE_TABLES_H

#include <stdbool.h>

struct query;

enum { TABLE_NAME = 64 };

/* The name of the next table in the order of schema.sql, |at| being NULL
 * before the first; false: no more. */
bool table_next(const char **at, char name[static TABLE_NAME]);

/* Is there a table |name|? */
bool table_exists(const char *name);

/* The question for all rows of table |name|, which exists.  NULL without
 * memory. */
struct query *table_query(const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The tables of a result database as questions. */
#include "store/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

bool table_next(const char **at, char name[static TABLE_NAME])
{
	static const char head[] = "\nCREATE TABLE ";
	const char *next = strstr(*at ? *at : builtin_text("schema.sql"), head);

	if (!next)
		return false;
	*at = next + sizeof head - 1;
	snprintf(name, TABLE_NAME, "%.*s", (int)strcspn(*at, "("), *at);
	return true;
}

bool table_exists(const char *name)
{
	char have[TABLE_NAME];

	for (const char *at = NULL; table_next(&at, have);)
		if (!strcmp(have, name))
			return true;
	return false;
}

/* What is JSON inside is said once, where it is said what a column holds. */
struct query *table_query(const char *name)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	struct query *q = NULL;
	const char *column;
	char *sql;

	sqlite3_str_appendf(text, "-- What is in table %s?\n", name);
	for (size_t i = 0; (column = store_json_column(name, i)); i++)
		sqlite3_str_appendf(text, "-- column %s json  JSON\n", column);
	sqlite3_str_appendf(text, "SELECT * FROM \"%w\"\n", name);
	sql = sqlite3_str_finish(text);
	if (sql)
		q = query_new(name, NULL, sql);
	sqlite3_free(sql);
	return q;
}

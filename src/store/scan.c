/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which tables does a query read from end to end?
 *
 * Speed is a property of queries: reading a table that grows with the capture
 * without an index must be on purpose, which is written in the SQL as a comment
 * "scan" behind its name.  SQLite's plan says what it will do.  The index
 * flow_troubled holds few flows: reading it whole is its purpose. */
#include <stdio.h>
#include <string.h>

#include "store/store_int.h"

static const char *const growing[] = { "flow",     "event", "message",
				       "recovery", "bin",   "incident_flow",
				       "cm" };

static bool is_marked(const char *sql, const char *table)
{
	char name[64];

	snprintf(name, sizeof name, "%s /*scan*/", table);
	return strstr(sql, name);
}

/* The plan names tables by their alias: find what it stands for. */
static bool is_scan_of(const char *detail, const char *sql, const char *table)
{
	char alias[64] = "", pair[160];

	if (sscanf(detail, "SCAN %63s", alias) != 1)
		return false;
	if (!strcmp(alias, table))
		return true;
	snprintf(pair, sizeof pair, " %s %s", table, alias);
	if (strstr(sql, pair))
		return true;
	snprintf(pair, sizeof pair, " %s /*scan*/ %s", table, alias);
	return strstr(sql, pair);
}

static bool is_offence(const char *detail, const char *sql)
{
	if (strstr(detail, "AUTOMATIC"))
		return true;
	for (size_t i = 0; i < sizeof growing / sizeof growing[0]; i++)
		if (is_scan_of(detail, sql, growing[i]) &&
		    !strstr(detail, "flow_troubled") &&
		    !is_marked(sql, growing[i]))
			return true;
	return false;
}

int query_unmarked_scan(struct store *s, const struct query *q, char *why,
			size_t size)
{
	char *sql = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", q->sql);
	sqlite3_stmt *stmt = NULL;
	int result = 0;

	if (!sql || sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL)) {
		snprintf(why, size, "%s", sqlite3_errmsg(s->db));
		result = -1;
	}
	while (!result && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *detail = (const char *)sqlite3_column_text(stmt, 3);

		if (detail && is_offence(detail, q->sql)) {
			snprintf(why, size, "%s", detail);
			result = 1;
		}
	}
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	return result;
}

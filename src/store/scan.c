/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which tables does a query read from end to end?
 *
 * Speed is a property of queries: reading a table that grows with the capture
 * without an index must be on purpose, which is written in the SQL as a comment
 * "scan" behind its name.  SQLite's plan says what it will do.  The index
 * flow_is_recovering holds few flows: reading it whole is its purpose. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "store/store_int.h"

#define MARK "/*scan*/"

static const char *const growing[] = { "flow",     "event", "message",
				       "recovery", "bin",   "incident_flow",
				       "cm" };

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Behind |table| in |sql| stands its alias, or nothing; then maybe the
 * comment.  Calls |match| with the alias (|n| 0: none) of each place. */
static bool any_use(const char *sql, const char *table,
		    bool (*match)(const char *alias, size_t n, const char *rest,
				  const char *want),
		    const char *want)
{
	size_t length = strlen(table);

	for (const char *at = sql; (at = strstr(at, table)); at += length) {
		const char *alias = at + length;
		size_t n = 0;

		if ((at > sql && is_name(at[-1])) || is_name(*alias))
			continue;
		alias += strspn(alias, " ");
		if (!strncmp(alias, MARK, sizeof MARK - 1))
			alias += sizeof MARK - 1;
		alias += strspn(alias, " ");
		while (is_name(alias[n]))
			n++;
		if (match(alias, n, at + length, want))
			return true;
	}
	return false;
}

static bool has_alias(const char *alias, size_t n, const char *rest,
		      const char *want)
{
	(void)rest;
	return n == strlen(want) && !memcmp(alias, want, n);
}

/* "TABLE MARK" or "TABLE ALIAS MARK" */
static bool has_mark(const char *alias, size_t n, const char *rest,
		     const char *want)
{
	(void)want;
	rest += strspn(rest, " ");
	if (!strncmp(rest, MARK, sizeof MARK - 1))
		return true;
	alias += n;
	alias += strspn(alias, " ");
	return !strncmp(alias, MARK, sizeof MARK - 1);
}

/* The plan names tables by their alias, if they have one: "SCAN f",
 * "SEARCH f USING AUTOMATIC INDEX ..." (made for this query alone, from a full
 * scan). */
static bool is_scan_of(const char *detail, const char *sql, const char *table)
{
	char name[64];

	if (sscanf(detail, "SCAN %63s", name) != 1 &&
	    (!strstr(detail, " AUTOMATIC ") ||
	     sscanf(detail, "SEARCH %63s", name) != 1))
		return false;
	return !strcmp(name, table) || any_use(sql, table, has_alias, name);
}

static bool is_offence(const char *detail, const char *sql)
{
	for (size_t i = 0; i < sizeof growing / sizeof growing[0]; i++)
		if (is_scan_of(detail, sql, growing[i]) &&
		    !strstr(detail, "flow_troubled") &&
		    (strstr(detail, " AUTOMATIC ") ||
		     !any_use(sql, growing[i], has_mark, NULL)))
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

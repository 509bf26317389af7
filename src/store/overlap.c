/* SPDX-License-Identifier: GPL-2.0-or-later
 * An SQL function over stretches of time:
 *
 *	most_at_once(begin, end)
 *		how many of them there were at one time, at most: both
 *		ends belong to it; NULL of none
 *
 * A stretch without a begin or an end, or that ends before it begins, is
 * none. */
#include <stdlib.h>

#include "base/sort.h"
#include "store/store_int.h"

struct stretches {
	int64_t *at; /* begin and end of each */
	size_t n, room;
	int64_t last_begin, first_end;
	bool failed;
};

static void note(struct stretches *s, int64_t begin, int64_t end)
{
	if (!s->n || begin > s->last_begin)
		s->last_begin = begin;
	if (!s->n || end < s->first_end)
		s->first_end = end;
	s->at[2 * s->n] = begin;
	s->at[2 * s->n + 1] = end;
	s->n++;
}

static void step(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct stretches *s = sqlite3_aggregate_context(c, sizeof *s);

	(void)n;
	if (!s || s->failed || sqlite3_value_type(v[0]) == SQLITE_NULL ||
	    sqlite3_value_type(v[1]) == SQLITE_NULL ||
	    sqlite3_value_int64(v[1]) < sqlite3_value_int64(v[0]))
		return;
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		int64_t *more = realloc(s->at, 2 * room * sizeof *more);

		if (!more) {
			s->failed = true;
			return;
		}
		s->at = more;
		s->room = room;
	}
	note(s, sqlite3_value_int64(v[0]), sqlite3_value_int64(v[1]));
}

/* Begins, all of them in order, then ends: how many more of the former than of
 * the latter have been at any time? */
static int64_t most(const int64_t *begin, const int64_t *end, size_t n)
{
	size_t over = 0, found = 0;

	for (size_t i = 0; i < n; i++) {
		while (over < n && end[over] < begin[i])
			over++;
		if (i + 1 - over > found)
			found = i + 1 - over;
	}
	return (int64_t)found;
}

static void final(sqlite3_context *c)
{
	struct stretches *s = sqlite3_aggregate_context(c, 0);
	int64_t *apart = NULL;

	if (!s || (!s->n && !s->failed))
		return;
	if (!s->failed && s->last_begin <= s->first_end) {
		/* All of them, as of a job's contexts: nothing to sort. */
		sqlite3_result_int64(c, (int64_t)s->n);
		free(s->at);
		return;
	}
	if (!s->failed)
		apart = malloc(2 * s->n * sizeof *apart);
	if (apart) {
		for (size_t i = 0; i < s->n; i++) {
			apart[i] = s->at[2 * i];
			apart[s->n + i] = s->at[2 * i + 1];
		}
		sort_int64(apart, s->n);
		sort_int64(apart + s->n, s->n);
		sqlite3_result_int64(c, most(apart, apart + s->n, s->n));
	} else {
		sqlite3_result_error_nomem(c);
	}
	free(apart);
	free(s->at);
}

int db_overlap(sqlite3 *db)
{
	return sqlite3_create_function(db, "most_at_once", 2,
				       SQLITE_UTF8 | SQLITE_DETERMINISTIC |
					       SQLITE_INNOCUOUS,
				       NULL, NULL, step, final);
}

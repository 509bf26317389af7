/* SPDX-License-Identifier: GPL-2.0-or-later
 * Words that are alike. */
#include "base/guess.h"

#include <string.h>

enum { LETTERS_A_MISTAKE = 3 };

struct guess guess_begin(const char *word, size_t length)
{
	/* one mistake in three letters; swapped neighbors count as one */
	return (struct guess) { .word = word,
				.length = length,
				.distance = length / LETTERS_A_MISTAKE + 1 };
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Are the letters before |i| of |a| and |j| of |b| each other's? */
static bool swapped(const char *a, const char *b, size_t i, size_t j)
{
	return i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
}

/* Letters to insert, remove, replace or swap to make |b| of |a|. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t rows[3][GUESS_LONGEST + 1] = { { 0 } };

	for (size_t j = 0; j <= m; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = rows[i % 3], *before = rows[(i + 2) % 3];

		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = least(before[j], now[j - 1]) + 1;
			now[j] = least(now[j],
				       before[j - 1] + (a[i - 1] != b[j - 1]));
			if (swapped(a, b, i, j))
				now[j] = least(now[j],
					       rows[(i + 1) % 3][j - 2] + 1);
		}
	}
	return rows[n % 3][m];
}

void guess_offer(struct guess *g, const char *candidate)
{
	size_t m = strlen(candidate), part = strcspn(candidate, "_-"), d;
	bool of_part = false;

	if (!g->length || g->length > GUESS_LONGEST || m > GUESS_LONGEST)
		return;
	/* the beginning of a longer word is one mistake */
	d = g->length > 1 && m > g->length &&
			    !memcmp(candidate, g->word, g->length)
		    ? 1
		    : distance(g->word, g->length, candidate, m);
	/* so is the first part of several, with its mistakes */
	if (part > 2 && part < m) {
		size_t p = distance(g->word, g->length, candidate, part);

		of_part = p < d;
		d = least(d, p);
	}
	if (d > g->distance || (d == g->distance && (of_part || !g->part)))
		return;
	g->distance = d;
	g->part = of_part;
	memcpy(g->best, candidate, m + 1);
}

int guess_error(const struct guess *g, const char *what, const char *else_see,
		struct err *err)
{
	if (*g->best)
		return err_set(err, ERR_USAGE,
			       "no %s \"%.*s\"; did you mean \"%s\"?", what,
			       (int)g->length, g->word, g->best);
	return err_set(err, ERR_USAGE, "no %s \"%.*s\"%s", what, (int)g->length,
		       g->word, else_see);
}

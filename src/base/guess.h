/* SPDX-License-Identifier: GPL-2.0-or-later
 * Did you mean: the known word that is most like a mistyped one. */
#ifndef FABSCOPE_BASE_GUESS_H
#define FABSCOPE_BASE_GUESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { GUESS_LONGEST = 48 };

struct guess {
	const char *word;
	size_t length;                /* of |word| */
	char best[GUESS_LONGEST + 1]; /* "": none is like it */
	size_t distance; /* of |best|: letters to change, move or leave out */
	bool part;       /* that is only of its first part */
};

struct guess guess_begin(const char *word, size_t length);
void guess_offer(struct guess *g, const char *candidate);

/* "no WHAT "word"; did you mean "best"?", or without a guess |else_see|. */
int guess_error(const struct guess *g, const char *what, const char *else_see,
		struct err *err);

#endif

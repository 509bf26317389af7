/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sorting by a number: digit by digit, the lowest first. */
#include "base/sort.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT = 11, DIGITS = 1 << DIGIT };

/* Whatever an element is made of. */
typedef uint64_t __attribute__((may_alias)) word;

struct elements {
	word *v;
	size_t n, words; /* words: of an element */
	size_t at;       /* of them, the number */
};

static const word *element(const struct elements *e, size_t i)
{
	return e->v + i * e->words;
}

static int64_t number(const struct elements *e, size_t i)
{
	return (int64_t)element(e, i)[e->at];
}

static bool in_order(const struct elements *e, int64_t *least, int64_t *most)
{
	bool order = true;

	*least = *most = number(e, 0);
	for (size_t i = 1; i < e->n; i++) {
		int64_t v = number(e, i);

		order = order && v >= *most;
		*least = v < *least ? v : *least;
		*most = v > *most ? v : *most;
	}
	return order;
}

/* The digit |shift| bits up, counted from the least number. */
static size_t digit(const struct elements *e, size_t i, int64_t least,
		    unsigned shift)
{
	uint64_t v = (uint64_t)number(e, i) - (uint64_t)least;

	return (v >> shift) % DIGITS;
}

static inline __attribute__((always_inline)) void
scatter_words(const struct elements *from, struct elements *to, int64_t least,
	      unsigned shift, size_t words)
{
	size_t start[DIGITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < from->n; i++)
		start[digit(from, i, least, shift)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t n = start[d];

		start[d] = sum;
		sum += n;
	}
	for (size_t i = 0; i < from->n; i++) {
		size_t at = start[digit(from, i, least, shift)]++;
		const word *x = from->v + i * words;
		word *y = to->v + at * words;

		for (size_t w = 0; w < words; w++)
			y[w] = x[w];
	}
}

/* Short elements are copied without a loop. */
static void scatter(const struct elements *from, struct elements *to,
		    int64_t least, unsigned shift)
{
	switch (from->words) {
	case 2:
		scatter_words(from, to, least, shift, 2);
		break;
	case 3:
		scatter_words(from, to, least, shift, 3);
		break;
	default:
		scatter_words(from, to, least, shift, from->words);
	}
}

/* Short arrays: each element back to its place. */
static void insert(struct elements *e, word *one)
{
	size_t size = e->words * sizeof *one;

	for (size_t i = 1; i < e->n; i++) {
		int64_t v = number(e, i);
		size_t k = i;

		while (k && number(e, k - 1) > v)
			k--;
		if (k == i)
			continue;
		memcpy(one, element(e, i), size);
		memmove(e->v + (k + 1) * e->words, element(e, k),
			(i - k) * size);
		memcpy(e->v + k * e->words, one, size);
	}
}

bool sort_by_number(void *v, size_t n, size_t size, size_t offset)
{
	enum { SHORT = 64 };
	struct elements e = { v, n, size / sizeof *e.v, offset / sizeof *e.v };
	struct elements other = e;
	int64_t least, most;
	uint64_t span;

	assert(size % sizeof *e.v == 0 && offset % sizeof *e.v == 0);
	if (n < 2 || in_order(&e, &least, &most))
		return true;
	other.v = malloc((n <= SHORT ? 1 : n) * size);
	if (!other.v)
		return false;
	if (n <= SHORT) {
		insert(&e, other.v);
		free(other.v);
		return true;
	}
	span = (uint64_t)most - (uint64_t)least;
	for (unsigned shift = 0; shift < 64 && span >> shift; shift += DIGIT) {
		struct elements from = e;

		scatter(&e, &other, least, shift);
		e = other;
		other = from;
	}
	if (e.v != v) {
		memcpy(v, e.v, n * size);
		other.v = e.v;
	}
	free(other.v);
	return true;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void sort_int64(int64_t *v, size_t n)
{
	qsort(v, n, sizeof *v, by_value);
}

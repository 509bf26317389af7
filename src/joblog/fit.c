/* SPDX-License-Identifier: GPL-2.0-or-later
 * The offset that most packets agree on: a sweep over where each begins and
 * ends to lie inside of an operation. */
#include "joblog/fit.h"

#include <stdlib.h>

/* At this offset one packet more lies inside, or one less. */
struct turn {
	int64_t at;
	int by;
};

struct search {
	struct turn *turn;
	size_t n;
};

/* Less before more at the same offset: intervals are half open. */
static int by_offset(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->by - y->by;
}

static size_t thinned(size_t i, size_t n, size_t most)
{
	return n <= most ? i : i * n / most;
}

static size_t at_most(size_t n, size_t most)
{
	return n < most ? n : most;
}

/* Offsets at which |packet| lies in |op|; false for times that are centuries
 * apart. */
static bool offsets(const struct span *op, int64_t packet, int64_t *low,
		    int64_t *high)
{
	return !__builtin_sub_overflow(packet, op->end, low) &&
	       !__builtin_sub_overflow(packet, op->begin, high) &&
	       *low<*high && * low> INT64_MIN / 4 && *high < INT64_MAX / 4;
}

/* The operations of one packet: intervals that touch are one, so that it counts
 * once.  Later operations have lower offsets. */
static void add_packet(struct search *s, const struct span *record, size_t n,
		       int64_t packet)
{
	int64_t low, high, from = 0, to = 0;
	bool open = false;

	for (size_t i = at_most(n, FIT_OPS_MAX); i-- > 0;) {
		if (!offsets(&record[thinned(i, n, FIT_OPS_MAX)], packet, &low,
			     &high))
			continue;
		if (open && low <= to && high >= from) {
			from = low < from ? low : from;
			to = high > to ? high : to;
			continue;
		}
		if (open) {
			s->turn[s->n++] = (struct turn) { from, 1 };
			s->turn[s->n++] = (struct turn) { to, -1 };
		}
		open = true;
		from = low;
		to = high;
	}
	if (open) {
		s->turn[s->n++] = (struct turn) { from, 1 };
		s->turn[s->n++] = (struct turn) { to, -1 };
	}
}

/* Where most packets lie inside, and it touches not [|not_from|, |not_to|]: how
 * many, and from where to where. */
static size_t most_inside(const struct search *s, int64_t not_from,
			  int64_t not_to, int64_t *from, int64_t *to)
{
	long now = 0, most = 0;

	for (size_t i = 0; i + 1 < s->n; i++) {
		now += s->turn[i].by;
		if (now <= most || s->turn[i].at == s->turn[i + 1].at ||
		    (s->turn[i].at <= not_to && s->turn[i + 1].at >= not_from))
			continue;
		most = now;
		*from = s->turn[i].at;
		*to = s->turn[i + 1].at;
	}
	return (size_t)most;
}

static const char *judge(struct search *s, struct fit *fit)
{
	int64_t from = 0, to = 0, ignored, width;

	qsort(s->turn, s->n, sizeof *s->turn, by_offset);
	fit->inside = most_inside(s, INT64_MAX, INT64_MIN, &from, &to);
	width = to - from;
	fit->offset = from + width / 2;
	fit->error = width / 2 + 1;
	/* beside it others agree nearly as well: not another answer */
	fit->elsewhere = most_inside(s, from - 2 * width, to + 2 * width,
				     &ignored, &ignored);
	if (fit->inside * 10 < fit->packets * 8)
		return "its operations and the packets of its host do not "
		       "belong together";
	if (fit->elsewhere * 50 >= fit->inside * 49)
		return "its operations are alike: the packets fit in several "
		       "places";
	return NULL;
}

const char *fit_find(const struct span *record, size_t n_record,
		     const int64_t *packets, size_t n_packets, struct fit *fit)
{
	size_t n = at_most(n_packets, FIT_PACKETS_MAX);
	struct search s = { 0 };
	const char *why;

	if (n < FIT_PACKETS_MIN)
		return "there are too few packets of its host";
	if (!n_record)
		return "it does not say when operations began and ended";
	s.turn = calloc(2 * n * at_most(n_record, FIT_OPS_MAX), sizeof *s.turn);
	if (!s.turn)
		return "out of memory";
	for (size_t i = 0; i < n; i++)
		add_packet(&s, record, n_record,
			   packets[thinned(i, n_packets, FIT_PACKETS_MAX)]);
	*fit = (struct fit) { .packets = n };
	why = judge(&s, fit);
	free(s.turn);
	return why;
}

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
	int64_t low, high; /* offsets looked at */
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

/* From |low| to |high| one packet more lies inside. */
static void add_turns(struct search *s, int64_t low, int64_t high)
{
	low = low > s->low ? low : s->low;
	high = high < s->high ? high : s->high;
	if (low >= high)
		return;
	s->turn[s->n++] = (struct turn) { low, 1 };
	s->turn[s->n++] = (struct turn) { high, -1 };
}

/* The operations of one packet: intervals that touch are one, so that it counts
 * once.  Later operations have lower offsets. */
static void add_packet(struct search *s, const struct span *record, size_t n,
		       int64_t packet)
{
	int64_t low, high, from = 0, to = 0;
	bool open = false;

	for (size_t i = n; i-- > 0;) {
		if (!offsets(&record[i], packet, &low, &high))
			continue;
		if (open && low <= to && high >= from) {
			from = low < from ? low : from;
			to = high > to ? high : to;
			continue;
		}
		if (open)
			add_turns(s, from, to);
		open = true;
		from = low;
		to = high;
	}
	if (open)
		add_turns(s, from, to);
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

/* Around |at|: where no fewer than |least| lie inside. */
static void region(const struct search *s, int64_t at, long least,
		   int64_t *from, int64_t *to)
{
	long now = 0;
	bool open = false;

	*from = *to = at;
	for (size_t i = 0; i < s->n; i++) {
		now += s->turn[i].by;
		if (i + 1 < s->n && s->turn[i + 1].at == s->turn[i].at)
			continue;
		if (open)
			*to = s->turn[i].at;
		if (open && now<least && * to> at)
			return;
		if (!open && now >= least)
			*from = s->turn[i].at;
		open = now >= least;
	}
}

/* As many packets as lie outside may lie inside by chance, and one in fifty, or
 * one, whatever there is: without them. */
static long surely(const struct fit *fit, long inside)
{
	return 2 * inside - (long)fit->packets - inside / 50 - 1;
}

/* |from|..|to| and what is like it between |low| and |high|. */
static void all_like_it(const struct search *s, long least, int64_t low,
			int64_t high, int64_t *from, int64_t *to)
{
	long now = 0;

	for (size_t i = 0; i + 1 < s->n; i++) {
		now += s->turn[i].by;
		if (now < least || s->turn[i + 1].at <= low ||
		    s->turn[i].at >= high)
			continue;
		if (s->turn[i].at < *from)
			*from = s->turn[i].at;
		if (s->turn[i + 1].at > *to)
			*to = s->turn[i + 1].at;
	}
}

static long inside_at(const struct search *s, int64_t at)
{
	long now = 0;

	for (size_t i = 0; i < s->n && s->turn[i].at <= at; i++)
		now += s->turn[i].by;
	return now;
}

/* The clock as it is: how far it may be off, when nearly as many packets lie
 * inside as at best. */
static bool fits_as_it_is(const struct search *s, struct fit *fit)
{
	long now = inside_at(s, 0);
	int64_t from, to;

	if (now * 50 < (long)fit->inside * 49)
		return false;
	region(s, 0, surely(fit, now), &from, &to);
	fit->offset = 0;
	fit->error = (-from > to ? -from : to) + 1;
	fit->inside = (size_t)now;
	fit->own = true;
	return true;
}

static void best(struct search *s, struct fit *fit, int64_t *from, int64_t *to)
{
	qsort(s->turn, s->n, sizeof *s->turn, by_offset);
	fit->inside = most_inside(s, INT64_MAX, INT64_MIN, from, to);
	region(s, *from, surely(fit, (long)fit->inside), from, to);
	fit->offset = *from + (*to - *from) / 2;
	fit->error = (*to - *from) / 2 + 1;
}

/* The clock of a host may be off by half a century, and so may its records. */
static int64_t moved(int64_t at, int64_t by)
{
	int64_t sum;

	if (__builtin_add_overflow(at, by, &sum))
		return by < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static bool most_are_inside(const struct fit *fit)
{
	return fit->inside * 10 >= fit->packets * 8;
}

static const char *judge(struct search *s, struct fit *fit)
{
	int64_t from = 0, to = 0, ignored, width, low, high;

	best(s, fit, &from, &to);
	width = to - from;
	low = moved(from, -2 * width);
	high = moved(to, 2 * width);
	/* beside it others agree nearly as well: not another answer */
	fit->elsewhere = most_inside(s, low, high, &ignored, &ignored);
	if (!most_are_inside(fit))
		return "its operations and the packets of its host do not "
		       "belong together";
	if (fit->elsewhere * 50 < fit->inside * 49) {
		all_like_it(s, surely(fit, (long)fit->inside), low, high, &from,
			    &to);
		fit->offset = from + (to - from) / 2;
		fit->error = (to - from) / 2 + 1;
	} else if (!fits_as_it_is(s, fit))
		return "its operations are alike: the packets fit in several "
		       "places";
	return NULL;
}

/* Every packet against every operation. */
static bool load(struct search *s, const struct span *record, size_t n_record,
		 const int64_t *packets, size_t n_packets, struct fit *fit)
{
	size_t n = at_most(n_packets, FIT_PACKETS_MAX);

	*fit = (struct fit) { .packets = n };
	s->turn = calloc(2 * n * n_record + 1, sizeof *s->turn);
	for (size_t i = 0; s->turn && i < n; i++)
		add_packet(s, record, n_record,
			   packets[thinned(i, n_packets, FIT_PACKETS_MAX)]);
	return s->turn;
}

/* The first operation of |n| that begins at |ns| or later. */
static size_t first_from(const struct span *record, size_t n, int64_t ns)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (record[mid].begin < ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const char *fit_find(const struct span *record, size_t n_record,
		     const int64_t *packets, size_t n_packets, struct fit *fit)
{
	struct search s = { .low = INT64_MIN, .high = INT64_MAX };
	size_t from = 0;
	const char *why;

	if (n_packets < FIT_PACKETS_MIN)
		return "there are too few packets of its host";
	if (!n_record)
		return "it does not say when operations began and ended";
	if (n_record > FIT_OPS_MAX) {
		from = first_from(record, n_record, packets[n_packets / 2]);
		from = from > FIT_OPS_MAX / 2 ? from - FIT_OPS_MAX / 2 : 0;
		from = at_most(from, n_record - FIT_OPS_MAX);
		n_record = FIT_OPS_MAX;
	}
	why = load(&s, record + from, n_record, packets, n_packets, fit)
		      ? judge(&s, fit)
		      : "out of memory";
	free(s.turn);
	return why;
}

bool fit_near(const struct span *record, size_t n_record,
	      const int64_t *packets, size_t n_packets, int64_t low,
	      int64_t high, struct fit *fit)
{
	struct search s = { .low = low, .high = high };
	int64_t first, last, from = 0, to = 0;
	size_t a, b;
	bool ok;

	if (!n_packets || low >= high ||
	    __builtin_sub_overflow(packets[0], high, &first) ||
	    __builtin_sub_overflow(packets[n_packets - 1], low, &last))
		return false;
	a = first_from(record, n_record, first);
	b = first_from(record, n_record, last);
	a -= at_most(a, 8); /* those that began before and have not ended */
	b = at_most(b, a + FIT_OPS_MAX);
	ok = load(&s, record + a, b - a, packets, n_packets, fit);
	if (ok) {
		best(&s, fit, &from, &to);
		fit->elsewhere = most_inside(&s, from, to, &first, &last);
	}
	free(s.turn);
	return ok && most_are_inside(fit) && from < to &&
	       (long)fit->elsewhere < surely(fit, (long)fit->inside);
}

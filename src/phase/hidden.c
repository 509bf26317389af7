/* SPDX-License-Identifier: GPL-2.0-or-later
 * Communication that is hidden behind computing.
 *
 * Where a rank computes one layer while the data of the next is gathered, it is
 * computing that begins the next phase, and a phase that takes longer costs
 * nothing while that goes on.  So begins are followed: where phases that are
 * longer than others of their kind do not let the next begin later, no more is
 * lost in one than the next begins later than usual. */
#include <stdlib.h>

#include "phase/path_int.h"

enum {
	KINDS = 24, /* phases of a step, at most */
	STEPS = 4,  /* of each kind, at least */
	VOTES = 4,  /* phases that show it, at least */
	USUAL = 4,  /* one in so many is below what is usual ... */
	FEW = 10, /* ... one in so many is shorter than what others need: ranks
		     * that fall out of step make more and more longer */
};

/* A phase is longer by that part of the time to the next, at least. */
static const double LONGER = 0.01;
/* ... and the next begins later by less than that part of it; than behind the
 * shortest, of which there are few to compare with. */
static const double LESS = 0.25, HALF = 0.5;
/* Of the time to the next: what a phase seems to lose that another did not, and
 * was as long. */
static const double MUCH = 0.05;

/* From the begin of phase |i| to that of the next. */
static int64_t to_next(const struct job *j, size_t i)
{
	return j->bursts[i + 1].from - j->bursts[i].from;
}

/* ... and to that behind the next: a rank that is done late may be late
 * then. */
static int64_t to_second(const struct job *j, size_t i)
{
	return i + 2 < j->n_bursts ? j->bursts[i + 2].from - j->bursts[i].from
				   : 2 * to_next(j, i);
}

static int64_t length(const struct job *j, size_t i)
{
	return j->bursts[i].to - j->bursts[i].from;
}

/* How much the times between begins differ from those |lag| phases before, in
 * the middle; |v| has room for all. */
static int64_t differ(const struct job *j, size_t n, size_t lag, int64_t *v)
{
	for (size_t i = lag; i < n; i++)
		v[i - lag] = llabs(to_next(j, i) - to_next(j, i - lag));
	return phase_median(v, n - lag);
}

/* After how many phases the times between begins repeat: the fewest that are as
 * good as any, but for twice that. */
static size_t repeat_after(const struct job *j, size_t n, int64_t *v)
{
	int64_t best = PHASE_FAR, by[KINDS + 1];
	size_t most = 0;

	for (size_t lag = 1; lag <= KINDS && lag * STEPS <= n; lag++) {
		by[lag] = differ(j, n, lag, v);
		best = by[lag] < best ? by[lag] : best;
		most = lag;
	}
	for (size_t lag = 1; lag <= most; lag++)
		if (by[lag] <= 2 * best + j->grain)
			return lag;
	return 0;
}

/* Of phases |kind|, |kind| + |kinds| ... below |n|: one in |part| is below. */
static int64_t least(const struct job *j, size_t n, size_t kind, size_t kinds,
		     int64_t (*of)(const struct job *j, size_t i), size_t part,
		     int64_t *v)
{
	size_t k = 0;

	for (size_t i = kind; i < n; i += kinds)
		v[k++] = of(j, i);
	phase_median(v, k);
	return v[(k - 1) / part];
}

/* What is usual of them. */
static int64_t usual(const struct job *j, size_t n, size_t kind, size_t kinds,
		     int64_t (*of)(const struct job *j, size_t i), int64_t *v)
{
	return least(j, n, kind, kinds, of, USUAL, v);
}

/* How long it usually takes to the begins behind one of a kind. */
struct begins {
	int64_t next, second;
};

/* How much later than usual another phase begins behind phase |i|. */
static int64_t later(const struct job *j, size_t i, struct begins of)
{
	int64_t next = to_next(j, i) - of.next;
	int64_t second = to_second(j, i) - of.second;

	return next > second ? next : second;
}

/* How long it takes, at least, to the begins behind phases of a kind that are
 * no longer than |length_ns|. */
static struct begins behind_short(const struct job *j, size_t n, size_t kind,
				  size_t kinds, int64_t length_ns)
{
	struct begins of = { PHASE_FAR, PHASE_FAR };

	for (size_t i = kind; i < n; i += kinds) {
		if (length(j, i) > length_ns)
			continue;
		of.next = to_next(j, i) < of.next ? to_next(j, i) : of.next;
		of.second = to_second(j, i) < of.second ? to_second(j, i)
							: of.second;
	}
	return of;
}

/* Do phases of this kind that are longer than |part| of all let those behind
 * begin no later? */
static bool is_hidden(const struct job *j, size_t n, size_t kind, size_t kinds,
		      size_t part, int64_t *v)
{
	int64_t shortest = least(j, n, kind, kinds, length, part, v);
	struct begins usually = {
		usual(j, n, kind, kinds, to_next, v),
		usual(j, n, kind, kinds, to_second, v),
	};
	struct begins of = part == USUAL
				   ? usually
				   : behind_short(j, n, kind, kinds, shortest);
	double less = part == USUAL ? LESS : HALF;
	size_t all = 0, hidden = 0;

	for (size_t i = kind; i < n; i += kinds) {
		int64_t longer = length(j, i) - shortest;

		if (j->bursts[i].cut || longer <= j->grain ||
		    (double)longer < LONGER * (double)usually.next)
			continue;
		all++;
		hidden += !phase_touches(j, i + 1) &&
			  (double)later(j, i, of) < less * (double)longer;
	}
	return hidden >= VOTES && 2 * hidden > all;
}

/* Was the time of |c| in phase |i| not needed, and may something have hidden
 * it?  Not that of a rank that is late in all phases: longer ones say nothing
 * of that. */
static bool may_hide(const struct settled *s, size_t i, const struct cell *c)
{
	return !path_is_needed(c->share) && c->share != SHARE_NIC &&
	       !(s->late[i].always && c->share == SHARE_LATE);
}

/* Such time of phase |i|, in the silence before it or not. */
static int64_t lost(const struct settled *s, size_t i, bool gap)
{
	int64_t late = s->late[i].always ? 0 : s->late[i].ns;
	int64_t sum = gap ? 0 : s->unsure[i] + s->later[i].ns + late;

	for (size_t k = s->begin[i]; k < s->end[i]; k++)
		if (s->cells[k].gap == gap && may_hide(s, i, &s->cells[k]))
			sum += s->cells[k].ns;
	return sum;
}

/* So much of |ns|, as |back| is of |of|, was needed. */
static void give_back(int64_t *ns, double part, int64_t *needed)
{
	int64_t less = (int64_t)((double)*ns * part);

	*ns -= less;
	*needed += less;
}

static void back(struct settled *s, size_t i, bool gap, double part)
{
	int64_t *needed = &s->back[i][gap];

	for (size_t k = s->begin[i]; k < s->end[i]; k++)
		if (s->cells[k].gap == gap && may_hide(s, i, &s->cells[k]))
			give_back(&s->cells[k].ns, part, needed);
	if (gap)
		return;
	give_back(&s->unsure[i], part, needed);
	give_back(&s->later[i].ns, part, needed);
	if (!s->late[i].always)
		give_back(&s->late[i].ns, part, needed);
}

/* Of phase |i| and the silence behind it. */
static int64_t lost_until_next(const struct settled *s, size_t i)
{
	return lost(s, i, false) + lost(s, i + 1, true);
}

/* Does another begin as soon behind most phases of this kind that lost much as
 * behind those that lost least, which is |*little|?  Then they needed what they
 * seemed to lose beyond that. */
static bool costs_nothing(const struct settled *s, const struct job *j,
			  size_t n, size_t kind, size_t kinds, int64_t *v,
			  int64_t *little)
{
	size_t k = 0, all = 0, hidden = 0;
	int64_t usually;

	for (size_t i = kind; i < n; i += kinds)
		if (!j->bursts[i].cut)
			v[k++] = lost_until_next(s, i);
	if (!k)
		return false;
	phase_median(v, k);
	*little = v[(k - 1) / USUAL];
	k = 0;
	for (size_t i = kind; i < n; i += kinds)
		if (!j->bursts[i].cut &&
		    (double)(lost_until_next(s, i) - *little) <=
			    LONGER * (double)to_next(j, i))
			v[k++] = to_next(j, i);
	if (k < VOTES)
		return false;
	usually = phase_median(v, k);
	for (size_t i = kind; i < n; i += kinds) {
		double of = (double)(lost_until_next(s, i) - *little);

		if (j->bursts[i].cut || of <= MUCH * (double)usually)
			continue;
		all++;
		hidden += (double)(to_next(j, i) - usually) < LESS * of;
	}
	return hidden >= VOTES && 2 * hidden > all;
}

bool hidden_phases(struct settled *s, const struct job *j)
{
	size_t n = j->n_bursts ? j->n_bursts - 1 : 0, kinds;
	int64_t *v = calloc(n + 1, sizeof *v);

	kinds = v ? repeat_after(j, n, v) : 0;
	for (size_t kind = 0; kind < kinds; kind++) {
		struct begins begins = {
			usual(j, n, kind, kinds, to_next, v),
			usual(j, n, kind, kinds, to_second, v),
		};
		int64_t little = 0;

		/* One or two may be short by chance. */
		if (!is_hidden(j, n, kind, kinds, USUAL, v) &&
		    (n <= 2 * FEW * kinds ||
		     !is_hidden(j, n, kind, kinds, FEW, v)) &&
		    !costs_nothing(s, j, n, kind, kinds, v, &little))
			continue;
		for (size_t i = kind; i < n; i += kinds) {
			int64_t most = later(j, i, begins);
			int64_t of = lost_until_next(s, i);
			double part;

			most = (most > 0 ? most : 0) + little;
			if (of <= most)
				continue;
			part = (double)(of - most) / (double)of;
			back(s, i, false, part);
			back(s, i + 1, true, part);
		}
	}
	free(v);
	return v;
}

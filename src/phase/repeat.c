/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which phases are iterations: whether they repeat in bytes and in time. */
#include <math.h>
#include <stdlib.h>

#include "phase/phase_int.h"

enum {
	PERIODS = 5,
	LAG_MAX = 8, /* phases in an iteration */
	BINS_MAX = 4096,
	LARGE = 1 << 20, /* bytes in a phase of two ranks, at least */
	TURN_NS = 1000,  /* a host takes that to go on, where it is not seen */
};

/* By how much bytes and intervals of iterations differ from each other. */
static const double SAME = 0.05, REGULAR = 0.35, CUT = 0.8;
/* Whoever is late at times is not as many times as late as others compute. */
static const double LONG = 8;
/* A rank may be ahead by a part of a phase, but never by more. */
static const double AHEAD = 0.25;

bool phase_single_steps(const struct job *j, size_t n)
{
	uint64_t messages = 0;

	if (j->row.ranks_tapped == j->n_ranks)
		return false;
	for (uint32_t r = 0; r < j->n_ranks; r++)
		for (uint32_t i = 1; i < j->ranks[r].n_out; i++)
			if (j->in->flows[j->ranks[r].out[i]].dst !=
			    j->in->flows[j->ranks[r].out[0]].dst)
				return false;
	for (size_t f = 0; f < j->in->n_flows; f++)
		messages += j->in->flows[f].messages;
	return 2 * messages <= 3 * n * j->in->n_flows;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median_bytes(const struct job *j)
{
	uint64_t *v = calloc(j->n_bursts + 1, sizeof *v), m;

	if (!v)
		return 0;
	for (size_t i = 0; i < j->n_bursts; i++)
		v[i] = j->bursts[i].bytes;
	qsort(v, j->n_bursts, sizeof *v, by_number);
	m = v[j->n_bursts / 2];
	free(v);
	return m;
}

/* The first and the last may be cut off by the capture. */
static void find_cut(struct job *j)
{
	double usual = (double)median_bytes(j);
	struct burst *first = &j->bursts[0];
	struct burst *last = &j->bursts[j->n_bursts - 1];

	first->cut = (double)first->bytes < CUT * usual;
	last->cut = (double)last->bytes < CUT * usual;
}

/* How much phases differ from those |lag| later. */
static double difference(const struct job *j, size_t lag)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i + lag < j->n_bursts; i++) {
		const struct burst *a = &j->bursts[i], *b = a + lag;
		double x = (double)a->bytes, y = (double)b->bytes;

		if (a->cut || b->cut)
			continue;
		sum += fabs(x - y) / fmax(x, y);
		n++;
	}
	return n ? sum / (double)n : 1;
}

/* How far the sum of phases strays from so many times their mean, in phases. */
static double drift(const struct job *j)
{
	size_t first = j->bursts[0].cut, n = j->n_bursts - first;
	double sum = 0, mean = 0, most = 0;

	n -= j->bursts[j->n_bursts - 1].cut;
	for (size_t i = 0; i < n; i++)
		mean += (double)j->bursts[first + i].bytes / (double)n;
	for (size_t i = 0; i < n; i++) {
		sum += (double)j->bursts[first + i].bytes;
		most = fmax(most, fabs(sum - (double)(i + 1) * mean));
	}
	return mean > 0 ? most / mean : 1;
}

/* Phases in an iteration; 0: their bytes do not repeat. */
static size_t repetition(const struct job *j)
{
	if (difference(j, 1) <= AHEAD && drift(j) <= AHEAD)
		return 1;
	for (size_t lag = 1; lag <= LAG_MAX && lag * PERIODS <= j->n_bursts;
	     lag++)
		if (difference(j, lag) <= SAME)
			return lag;
	return 0;
}

static int64_t silence_before(const struct job *j, size_t i)
{
	return j->bursts[i].from - j->bursts[i - 1].to;
}

/* Is the silence before each |lag|-th phase, and no other, a long one? */
static bool silent_each(const struct job *j, size_t lag)
{
	int64_t least = INT64_MAX, most = TURN_NS;

	for (size_t i = 1; i < j->n_bursts; i++) {
		int64_t ns = silence_before(j, i);

		if (i % lag)
			most = ns > most ? ns : most;
		else
			least = ns < least ? ns : least;
	}
	return (double)least >= LONG * (double)most;
}

/* Phases that carry as much as each other may be parts of an iteration: then
 * ranks compute before the first of them only. */
static size_t parts(const struct job *j)
{
	for (size_t lag = 2; lag <= LAG_MAX && lag * PERIODS <= j->n_bursts;
	     lag++)
		if (silent_each(j, lag))
			return lag;
	return 1;
}

/* From begin to begin of every |lag|-th phase: median, and in |deviation| that
 * of the intervals as a share of it. */
static int64_t interval_of(const struct job *j, size_t lag, double *deviation)
{
	int64_t *v = calloc(j->n_bursts + 1, sizeof *v);
	int64_t middle = 0;
	size_t n = 0;

	*deviation = 1;
	if (!v)
		return 0;
	for (size_t i = 0; i + lag < j->n_bursts; i++)
		if (!j->bursts[i].cut && !j->bursts[i + lag].cut)
			v[n++] = j->bursts[i + lag].from - j->bursts[i].from;
	if (n)
		middle = phase_median(v, n);
	if (middle > 0)
		*deviation =
			(double)phase_deviation(v, n, middle) / (double)middle;
	free(v);
	return middle;
}

/* Bytes of |a| into bins from |start| on. */
static void into_bins(const struct phase_activity *a, int64_t start,
		      int64_t width, double *x, size_t n)
{
	double span = (double)(a->sent - a->from) + 1;

	for (int64_t t = a->from; t <= a->sent;) {
		size_t i = (size_t)((t - start) / width);
		int64_t end = start + (int64_t)(i + 1) * width;

		if (t < start || i >= n)
			return;
		if (end > a->sent + 1)
			end = a->sent + 1;
		x[i] += (double)a->bytes * (double)(end - t) / span;
		t = end;
	}
}

/* Of the bytes of all flows, in bins an eighth of |about| wide. */
static void autocorrelate(struct job *j, int64_t about)
{
	const struct phase_input *in = j->in;
	int64_t start = j->bursts[0].from, width = about / 8;
	int64_t span = j->bursts[j->n_bursts - 1].to - start;
	double *x;
	size_t n, lag;

	if (width < 1 || span <= 0)
		return;
	n = span / width >= BINS_MAX ? BINS_MAX : (size_t)(span / width) + 1;
	x = calloc(n, sizeof *x);
	if (!x)
		return;
	for (size_t f = 0; f < in->n_flows; f++)
		for (size_t a = 0; a < in->flows[f].n; a++)
			into_bins(&in->flows[f].a[a], start, width, x, n);
	lag = phase_period(x, n, &j->row.period_peak);
	if (lag)
		j->row.period_ns = (int64_t)lag * width;
	free(x);
}

/* Storage is written to, answers are sent: no rank passes on what it gets. */
static bool one_way(const struct job *j)
{
	for (uint32_t r = 0; r < j->n_ranks; r++)
		if (j->ranks[r].bytes_out && j->ranks[r].bytes_in)
			return false;
	return true;
}

static const char *too_few(const struct job *j)
{
	if (one_way(j))
		return j->n_ranks == 2
			       ? "data goes from one host to one other only"
			       : "no host both sends and receives data";
	if (j->n_bursts == 1)
		return "the ranks are never idle at the same time, so no "
		       "end of a phase is observable";
	return "there are fewer than five bursts of data";
}

static void number(struct job *j, size_t lag)
{
	size_t whole = j->bursts[0].cut;

	for (size_t i = 0; i < j->n_bursts; i++)
		j->bursts[i].iteration = (int64_t)(i / lag);
	whole = j->n_bursts - whole - j->bursts[j->n_bursts - 1].cut;
	j->row.iterations = (int64_t)(whole / lag);
}

void phase_repeats(struct job *j)
{
	double deviation = 1, peak;
	int64_t about;
	size_t lag;

	if (j->n_bursts < PERIODS || one_way(j)) {
		j->row.why_not = too_few(j);
		return;
	}
	if (j->n_ranks == 2 && median_bytes(j) < LARGE) {
		j->row.why_not = "two hosts exchange messages too small for a "
				 "collective";
		return;
	}
	find_cut(j);
	lag = repetition(j);
	if (lag == 1)
		lag = parts(j);
	about = interval_of(j, lag ? lag : 1, &deviation);
	autocorrelate(j, about);
	peak = j->row.period_peak;
	/* What goes wrong in them makes those that are in step irregular. */
	if (peak < 0.5 && (!lag || (deviation > REGULAR && !j->in_step))) {
		j->row.why_not =
			lag ? "the bursts of data come at irregular intervals"
			    : "the bursts of data differ and do not recur";
		return;
	}
	if (phase_single_steps(j, j->n_bursts)) {
		j->row.why_not = "one message follows another, and whether "
				 "each is an iteration or a step of one is "
				 "ambiguous";
		return;
	}
	if (!lag) {
		j->row.why_not = "the bursts of data differ, and it is not "
				 "observable which of them are an iteration";
		return;
	}
	number(j, lag);
	if (j->row.iterations < PERIODS) {
		j->row.iterations = PHASE_UNKNOWN;
		j->row.why_not = "there are fewer than five whole periods";
		return;
	}
	j->row.confidence =
		0.5 + 0.25 * fmin(1, peak) +
		0.2 * fmax(0, 1 - deviation) * (difference(j, lag) <= SAME);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Phases: where all ranks fall silent, and all have sent equal shares of their
 * work.
 *
 * A late rank makes the others wait in the middle of a phase, perhaps longer
 * than they compute between two.  What tells these idle times apart is the
 * barrier: at the end of a phase each flow has carried the same share of what
 * it carries in all, in the middle some are ahead. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "phase/phase_int.h"

enum {
	ABOVE = 4, /* idle times that end a phase, at least */
	PERIODS = 5,
	PARTS_MAX = 8, /* of the smallest phase: tried */
	TOGETHER = 24, /* phases that overlap, at most */
	ENDS = 3,      /* where the whole phases may begin and end: tried */
	KINDS = 6,     /* of idle times: tried */
};

/* Parts of an iteration by which flows may differ at a barrier. */
static const double UNEVEN = 0.003;
/* ... and bytes of equal pieces from each other. */
static const double SAME = 0.05;
/* Bytes of the flows of a job that are in step, at least. */
static const double WHOLE = 0.9;
static const size_t CELLS_MAX = (size_t)1 << 22;

/* Stretches in which at least one flow is under way. */
static struct interval *busy_of(const struct phase_input *in, size_t *n)
{
	size_t all = 0, k = 0;
	struct interval *v;

	for (size_t i = 0; i < in->n_flows; i++)
		all += in->flows[i].n;
	v = calloc(all + 1, sizeof *v);
	if (!v)
		return NULL;
	for (size_t i = 0; i < in->n_flows; i++)
		for (size_t a = 0; a < in->flows[i].n; a++)
			v[k++] =
				(struct interval) { in->flows[i].a[a].from,
						    in->flows[i].a[a].over, 0 };
	if (!sort_by(struct interval, v, k, from)) {
		free(v);
		return NULL;
	}
	*n = 0;
	for (size_t i = 0; i < k; i++) {
		if (*n && v[i].from <= v[*n - 1].to) {
			if (v[i].to > v[*n - 1].to)
				v[*n - 1].to = v[i].to;
			continue;
		}
		v[(*n)++] = v[i];
	}
	return v;
}

/* The first of |n| that begins at |ns| or later. */
static size_t seek(const struct interval *v, size_t n, int64_t ns)
{
	return search_below(struct interval, v, n, from, ns);
}

/* Idle times in which flows are in the middle of a message end no phase: its
 * rate is cut, or all wait for answers at the same time, say.  Where the
 * capture misses the end of a message, it only looks like that: one flow of
 * which it misses packets is not enough, most are. */
static bool join_inside(const struct phase_input *in, struct interval *v,
			size_t *n)
{
	int64_t *turn = calloc(*n + 1, sizeof *turn);
	size_t k = 0;
	int64_t inside = 0, one = (int64_t)in->n_flows + 1;

	if (!turn)
		return false;
	for (size_t f = 0; f < in->n_flows; f++)
		for (size_t i = 0; i + 1 < in->flows[f].n; i++) {
			const struct phase_activity *a = &in->flows[f].a[i];
			int64_t weight = in->flows[f].whole ? one : 2;

			if (!a->inside)
				continue;
			turn[seek(v, *n, a->over)] += weight;
			turn[seek(v, *n, a[1].from + 1)] -= weight;
		}
	for (size_t i = 0; i < *n; i++) {
		inside += turn[i];
		if (i && inside >= one)
			v[k].to = v[i].to;
		else
			v[i ? ++k : 0] = v[i];
	}
	*n = *n ? k + 1 : 0;
	free(turn);
	return true;
}

/* Joins what shorter idle times than |threshold| separate. */
static size_t join(struct interval *v, size_t n, int64_t threshold)
{
	size_t k = 0;

	for (size_t i = 1; i < n; i++)
		if (v[i].from - v[k].to < threshold)
			v[k].to = v[i].to;
		else
			v[++k] = v[i];
	return n ? k + 1 : 0;
}

static int64_t *silences(const struct interval *v, size_t n)
{
	int64_t *idle = calloc(n + 1, sizeof *idle);

	for (size_t i = 1; idle && i < n; i++)
		idle[i - 1] = v[i].from - v[i - 1].to;
	return idle;
}

/* ---- the barrier ---- */

/* What flow |f| carried in interval |i|, in cells[f * n + i], summed up. */
static void carried(const struct phase_flow *f, const struct interval *v,
		    size_t n, double *cells)
{
	bool numbered = false;
	size_t i = 0;
	double sum = 0;

	/* PSNs count what the capture misses too. */
	for (size_t a = 0; a < f->n; a++)
		numbered = numbered || f->a[a].psns;
	for (size_t a = 0; a < f->n; a++) {
		while (i + 1 < n && f->a[a].from > v[i].to)
			cells[i++] = sum;
		sum += numbered ? (double)f->a[a].psns : (double)f->a[a].bytes;
	}
	while (i < n)
		cells[i++] = sum;
}

/* Is every flow as far as every other behind interval |i|, counted from |a| to
 * |b|?  Its part of its way there, first and last of all flows. */
static bool even(const double *cells, size_t n, size_t flows, size_t i,
		 size_t a, size_t b)
{
	double low = 1, high = 0;

	for (size_t f = 0; f < flows; f++) {
		const double *c = cells + f * n;
		double begin = a ? c[a - 1] : 0;
		double way = c[b] - begin;
		double part = way > 0 ? (c[i] - begin) / way : 0.5;

		if (way <= 0)
			continue;
		low = fmin(low, part);
		high = fmax(high, part);
	}
	return high - low <= UNEVEN / (double)(b - a + 1);
}

static size_t count_even(const double *cells, size_t n, size_t flows, size_t a,
			 size_t b)
{
	size_t k = 0;

	for (size_t i = a; i < b; i++)
		k += even(cells, n, flows, i, a, b);
	return k;
}

/* Joins the intervals that no barrier ends.  The capture may begin and end
 * inside a phase: that what is most even is taken for whole. */
static size_t join_uneven(struct interval *v, size_t n, const double *cells,
			  size_t flows)
{
	size_t best = 0, first = 0, last = n - 1, k = 0;

	for (size_t a = 0; a < ENDS && a + PERIODS < n; a++)
		for (size_t b = n; b + ENDS > n && b > a + PERIODS; b--) {
			size_t c = count_even(cells, n, flows, a, b - 1);

			if (c <= best)
				continue;
			best = c;
			first = a;
			last = b - 1;
		}
	if (best < ABOVE)
		return n;
	for (size_t i = 1; i < n; i++) {
		size_t before = i - 1; /* does a phase end behind it? */
		bool end = before + 1 == first || before == last ||
			   (before >= first && before < last &&
			    even(cells, n, flows, before, first, last)) ||
			   before + 1 < first || before > last;

		if (end)
			v[++k] = v[i];
		else
			v[k].to = v[i].to;
	}
	return k + 1;
}

/* Flows that carry next to nothing say nothing about barriers. */
static size_t fill_cells(const struct phase_input *in, const struct interval *v,
			 size_t n, double *cells)
{
	uint64_t most = 0;
	size_t k = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t f = 0; f < in->n_flows; f++) {
			uint64_t sum = 0;

			for (size_t a = 0; a < in->flows[f].n; a++)
				sum += in->flows[f].a[a].bytes;
			if (!pass)
				most = sum > most ? sum : most;
			else if (sum > most / 50)
				carried(&in->flows[f], v, n, cells + n * k++);
		}
	return k;
}

static bool barriers(struct job *j, struct interval *v, size_t *n)
{
	const struct phase_input *in = j->in;
	double *cells;

	if (*n <= PERIODS || *n * in->n_flows > CELLS_MAX)
		return true;
	cells = calloc(*n * in->n_flows, sizeof *cells);
	if (!cells)
		return false;
	*n = join_uneven(v, *n, cells, fill_cells(in, v, *n, cells));
	free(cells);
	return true;
}

/* ---- phases that overlap ---- */

/* When |f| had brought |part| of what it carries in from..to. */
static int64_t part_over(const struct phase_flow *f, int64_t from, int64_t to,
			 double part)
{
	double sum = 0, want, all = 0;
	size_t a = 0, first;

	while (a < f->n && f->a[a].from < from)
		a++;
	first = a;
	for (; a < f->n && f->a[a].from < to; a++)
		all += (double)f->a[a].bytes;
	want = part * all * 0.9999;
	for (a = first; a < f->n && f->a[a].from < to; a++) {
		double b = (double)f->a[a].bytes;

		if (b > 0 && sum + b >= want)
			return f->a[a].came +
			       (int64_t)((want - sum) / b *
					 (double)(f->a[a].arrived -
						  f->a[a].came));
		sum += b;
	}
	return from;
}

/* Where the |part| of a phase ends: when the last flow has brought it. */
static int64_t all_over(const struct job *j, const struct interval *v,
			double part)
{
	int64_t last = v->from;

	for (size_t f = 0; f < j->in->n_flows; f++) {
		int64_t ns = part_over(&j->in->flows[f], v->from, v->to, part);

		last = ns > last ? ns : last;
	}
	return last < v->to ? last : v->to;
}

/* |bytes| in units of |unit|; 0: no whole number of them. */
static size_t multiple(double bytes, double unit)
{
	double m = floor(bytes / unit + 0.5);

	return m >= 1 && m <= TOGETHER &&
			       fabs(bytes - m * unit) <= SAME / 4 * unit
		       ? (size_t)m
		       : 0;
}

/* The largest part of the smallest phase of which all are multiples: 0 when
 * there is none, or they are all the same. */
static double unit_of(const double *bytes, size_t n)
{
	double least = 0;

	for (size_t i = 0; i < n; i++)
		if (!least || bytes[i] < least)
			least = bytes[i];
	for (size_t d = 1; least > 0 && d <= PARTS_MAX; d++) {
		size_t fit = 0, more = 0;

		for (size_t i = 0; i < n; i++) {
			size_t m = multiple(bytes[i], least / (double)d);

			fit += m > 0;
			more += m > 1;
		}
		if (fit == n)
			return more ? least / (double)d : 0;
	}
	return 0;
}

/* Most are one phase: else what looks like a part is a piece of a phase that
 * fell silent once, and not the whole of another. */
static bool usual(const double *bytes, size_t n, double unit)
{
	size_t single = 0;

	for (size_t i = 0; i < n; i++)
		single += multiple(bytes[i], unit) == 1;
	return 2 * single >= n;
}

/* Parts |v| into |m| equal ones of |unit| bytes, |w|. */
static size_t part_evenly(const struct job *j, const struct interval *v,
			  size_t m, double unit, struct interval *w)
{
	int64_t from = v->from;

	for (size_t p = 1; p <= m; p++) {
		int64_t to =
			p == m ? v->to : all_over(j, v, (double)p / (double)m);

		w[p - 1] = (struct interval) { from, to, m > 1 ? unit : 0 };
		from = to;
	}
	return m;
}

/* Where a rank was stalled, others have gone on to the next iteration before
 * it was done, and no silence is between the two.  What is a multiple of the
 * others then is so many phases. */
static struct interval *part_phases(const struct job *j, struct interval *v,
				    size_t *n, const double *bytes)
{
	double unit = unit_of(bytes, *n);
	struct interval *w;
	size_t k = 0, all = 0;

	if (unit <= 0 || !usual(bytes, *n, unit))
		return v;
	for (size_t i = 0; i < *n; i++)
		all += multiple(bytes[i], unit);
	w = calloc(all + 1, sizeof *w);
	if (!w)
		return v;
	for (size_t i = 0; i < *n; i++)
		k += part_evenly(j, &v[i], multiple(bytes[i], unit), unit,
				 &w[k]);
	free(v);
	*n = k;
	return w;
}

/* Bytes of a PSN of |f|; 0: it has none. */
static double per_number(const struct phase_flow *f)
{
	double bytes = 0, psns = 0;

	for (size_t a = 0; a < f->n; a++) {
		bytes += (double)f->a[a].bytes;
		psns += (double)f->a[a].psns;
	}
	return psns > 0 ? bytes / psns : 0;
}

/* The last interval from |i| on that does not begin after |ns|, else |i|.  Of
 * thousands a flow may be in a few. */
static size_t interval_at(const struct interval *v, size_t n, size_t i,
			  int64_t ns)
{
	size_t end = n;

	while (i + 1 < end) {
		size_t middle = i + (end - i) / 2;

		if (v[middle].from <= ns)
			i = middle;
		else
			end = middle;
	}
	return i;
}

/* Bytes of all flows in each interval: as they were seen, or by packet
 * numbers, which count what the capture misses too. */
static double *bytes_in_each(const struct job *j, const struct interval *v,
			     size_t n, bool seen)
{
	double *bytes = calloc(n + 1, sizeof *bytes);

	for (size_t f = 0; bytes && f < j->in->n_flows; f++) {
		const struct phase_flow *g = &j->in->flows[f];
		double per = seen ? 0 : per_number(g);
		size_t i = 0;

		for (size_t a = 0; a < g->n; a++) {
			i = interval_at(v, n, i, g->a[a].from);
			bytes[i] += per > 0 ? per * (double)g->a[a].psns
					    : (double)g->a[a].bytes;
		}
	}
	return bytes;
}

/* ---- kinds of silence ---- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Are all pieces of a size?  The first and the last may be cut. */
static bool equal_pieces(double *bytes, size_t n)
{
	if (n < PERIODS)
		return false;
	qsort(bytes + 1, n - 2, sizeof *bytes, by_size);
	return bytes[n - 2] - bytes[1] <= SAME * bytes[n - 2] &&
	       bytes[0] <= (1 + SAME) * bytes[n - 2] &&
	       bytes[n - 1] <= (1 + SAME) * bytes[n - 2];
}

static bool are_equal(const struct job *j, const struct interval *v, size_t n)
{
	double *bytes = bytes_in_each(j, v, n, false);
	bool equal = bytes && equal_pieces(bytes, n);

	free(bytes);
	return equal;
}

static bool parts_equally(const struct job *j, const struct interval *v,
			  size_t n, int64_t threshold)
{
	struct interval *w = calloc(n + 1, sizeof *w);
	bool equal = false;
	size_t k;

	if (w) {
		memcpy(w, v, n * sizeof *w);
		k = join(w, n, threshold);
		equal = !phase_single_steps(j, k) && are_equal(j, w, k);
	}
	free(w);
	return equal;
}

/* The silence that ends phases: that above the widest gap between lengths of
 * silence that parts the data into equal pieces; if none does, above the
 * widest of all.  0: there is one kind of silence only. */
static int64_t threshold_of(const struct job *j, const struct interval *v,
			    size_t n)
{
	int64_t *idle = silences(v, n), at[KINDS];
	size_t k = 0, i = 0;

	if (idle && n > 1)
		k = phase_idle_thresholds(idle, n - 1, ABOVE, at, KINDS);
	while (i < k && !parts_equally(j, v, n, at[i]))
		i++;
	free(idle);
	return k ? at[i < k ? i : 0] : 0;
}

/* ---- all of it ---- */

static bool sum_up(struct job *j, const struct interval *v, size_t n)
{
	double *bytes = bytes_in_each(j, v, n, true);

	j->bursts = calloc(n + 1, sizeof *j->bursts);
	for (size_t i = 0; bytes && j->bursts && i < n; i++)
		j->bursts[i] = (struct burst) {
			.from = v[i].from,
			.to = v[i].to,
			.bytes = (uint64_t)(v[i].bytes > 0 ? v[i].bytes
							   : bytes[i])
		};
	free(bytes);
	j->n_bursts = n;
	return bytes && j->bursts;
}

static struct interval *overlaps(const struct job *j, struct interval *v,
				 size_t *n)
{
	double *bytes = bytes_in_each(j, v, *n, false);

	if (bytes && *n > 1 && *n * 2 * j->in->n_flows < CELLS_MAX)
		v = part_phases(j, v, n, bytes);
	free(bytes);
	return v;
}

/* Joins what no barrier parts.  A packet that the capture misses at the end of
 * a piece looks like a flow that is behind: pieces that were equal before and
 * are not behind that were right. */
static bool join_barriers(struct job *j, struct interval *v, size_t *n)
{
	struct interval *was = calloc(*n + 1, sizeof *was);
	size_t n_was = *n;
	bool ok;

	if (!was)
		return false;
	memcpy(was, v, *n * sizeof *was);
	ok = barriers(j, v, n);
	if (ok && *n != n_was && are_equal(j, was, n_was) &&
	    !are_equal(j, v, *n)) {
		memcpy(v, was, n_was * sizeof *was);
		*n = n_was;
	}
	free(was);
	return ok;
}

/* ---- steps ---- */

/* Steps of |flows|, or, if there are more of these, and more certain ones, of
 * all that goes from one host to another. */
static bool steps_of(const struct phase_flow **flows, size_t n,
		     struct phase_steps *s)
{
	struct phase_steps of = { 0 };
	struct phase_turns t;
	bool ok = phase_steps(flows, n, s) && phase_turns(flows, n, &t);

	if (!ok)
		return false;
	for (size_t i = 0; i < t.n; i++)
		flows[i] = &t.flows[i];
	if (t.n)
		ok = phase_steps(flows, t.n, &of);
	if (ok && of.sure && of.share >= WHOLE &&
	    (of.n > s->n || s->share < WHOLE)) {
		struct phase_steps less = *s;

		*s = of;
		of = less;
	}
	phase_steps_free(&of);
	phase_turns_free(&t);
	return ok;
}

static bool find_steps(const struct job *j, struct phase_steps *s)
{
	const struct phase_flow **flows =
		calloc(j->in->n_flows + 1, sizeof *flows);
	bool ok;

	*s = (struct phase_steps) { 0 };
	for (size_t i = 0; flows && i < j->in->n_flows; i++)
		flows[i] = &j->in->flows[i];
	ok = flows && steps_of(flows, j->in->n_flows, s);
	if (s->share < WHOLE)
		s->n = 0;
	free(flows);
	return ok;
}

/* What lies before and behind the steps is cut. */
static struct interval *intervals_of(const struct job *j,
				     const struct phase_steps *s, size_t *n)
{
	struct interval *v = calloc(s->n + 2, sizeof *v);
	size_t n_busy;
	struct interval *busy = v ? busy_of(j->in, &n_busy) : NULL;

	*n = 0;
	if (!busy) {
		free(v);
		return NULL;
	}
	if (s->first < s->from[0])
		v[(*n)++] = (struct interval) { s->first, s->from[0], 0 };
	for (size_t i = 0; i < s->n; i++) {
		int64_t from = *n && s->from[i] < v[*n - 1].to ? v[*n - 1].to
							       : s->from[i];

		v[(*n)++] = (struct interval) {
			from, s->to[i] > from ? s->to[i] : from, 0
		};
	}
	phase_part_at_silences(busy, n_busy, v, *n);
	free(busy);
	if (s->last > v[*n - 1].to) {
		v[*n] = (struct interval) { v[*n - 1].to, s->last, 0 };
		++*n;
	}
	return v;
}

static bool ask(struct job *j, const struct interval *v, size_t n)
{
	free(j->bursts);
	j->bursts = NULL;
	j->row.iterations = j->row.period_ns = PHASE_UNKNOWN;
	j->row.period_peak = 0;
	j->row.why_not = NULL;
	if (!v || !sum_up(j, v, n))
		return false;
	if (n)
		phase_repeats(j);
	return true;
}

static bool ask_steps(struct job *j, const struct phase_steps *s)
{
	struct interval *v;
	size_t n;
	bool ok;

	if (!s->n)
		return true;
	v = intervals_of(j, s, &n);
	j->in_step = s->sure && j->n_ranks > 2;
	ok = ask(j, v, n);
	j->in_step = false;
	free(v);
	return ok;
}

static bool ask_silences(struct job *j)
{
	struct interval *v;
	int64_t threshold;
	bool ok = false;
	size_t n;

	v = busy_of(j->in, &n);
	if (!v || !join_inside(j->in, v, &n)) {
		free(v);
		return false;
	}
	threshold = threshold_of(j, v, n);
	if (threshold) {
		j->row.idle_threshold_ns = threshold;
		n = join(v, n, threshold);
	}
	if (join_barriers(j, v, &n)) {
		v = overlaps(j, v, &n);
		ok = ask(j, v, n);
	}
	free(v);
	return ok;
}

/* Round a ring of n ranks goes what takes n - 1 messages at least.  Without a
 * silence nothing tells once round from twice. */
static bool part_of_ring(const struct job *j, const struct phase_steps *s)
{
	uint64_t messages = 0, least = s->n * (j->n_ranks - 1);
	uint32_t next = NO_RANK;

	for (uint32_t r = 0; r < j->n_ranks; r++) {
		const struct rank *k = &j->ranks[r];

		next = k->n_out ? j->in->flows[k->out[0]].dst : NO_RANK;
		for (uint32_t i = 0; i < k->n_out; i++) {
			if (j->in->flows[k->out[i]].dst != next)
				return false;
			messages += j->in->flows[k->out[i]].messages;
		}
	}
	return j->n_ranks > 2 && (!s->sure || messages % (least * j->n_ranks));
}

bool phase_ask_again(struct job *j, const struct interval *v, size_t n)
{
	struct phase_job row = j->row;
	struct burst *bursts = j->bursts;
	size_t was = j->n_bursts;
	bool ok;

	j->bursts = NULL;
	ok = ask(j, v, n);
	if (ok && j->row.iterations == PHASE_UNKNOWN) {
		free(j->bursts);
		j->bursts = bursts;
		j->n_bursts = was;
		j->row = row;
	} else {
		free(bursts);
	}
	return ok;
}

static bool ask_steps_again(struct job *j, const struct phase_steps *s)
{
	struct interval *v;
	size_t n;
	bool ok;

	v = intervals_of(j, s, &n);
	ok = phase_ask_again(j, v, n);
	free(v);
	return ok;
}

/* Joins the pieces of each round. */
static bool join_rounds(const struct job *j, struct interval *v, size_t *n)
{
	int64_t *to = calloc(*n + 1, sizeof *to);
	bool *begins = calloc(*n + 1, sizeof *begins), are = false;
	size_t k = 0;

	for (size_t i = 0; to && i < *n; i++)
		to[i] = v[i].to;
	if (to && begins)
		are = phase_rounds(j, to, *n, begins);
	for (size_t i = 1; are && i < *n; i++)
		if (begins[i])
			v[++k] = v[i];
		else
			v[k].to = v[i].to;
	if (are)
		*n = k + 1;
	free(to);
	free(begins);
	return are;
}

/* What idle times showed may be parts of rounds; or, where the first lacks
 * something, begin in their middle: the shortest that part whole rounds then
 * tell. */
static bool ask_rounds(struct job *j)
{
	bool lacks = j->n_bursts && j->bursts[0].cut;
	int64_t at[KINDS + 1] = { 0 }, *idle;
	struct interval *v, *w;
	size_t n = 0, m, kinds = 0;
	bool ok;

	v = busy_of(j->in, &n);
	w = calloc(n + 1, sizeof *w);
	idle = v && join_inside(j->in, v, &n) ? silences(v, n) : NULL;
	ok = idle && w;
	if (ok && n > PERIODS && n * j->in->n_flows < CELLS_MAX)
		kinds = 1 +
			phase_idle_thresholds(idle, n - 1, ABOVE, at, KINDS);
	if (lacks)
		sort_int64(at, kinds);
	for (size_t i = 0; i < kinds; i++) {
		memcpy(w, v, n * sizeof *w);
		m = join(w, n, at[i]);
		if (!join_rounds(j, w, &m))
			continue;
		j->in_step = true;
		ok = phase_ask_again(j, w, m);
		j->in_step = false;
		break;
	}
	free(idle);
	free(w);
	free(v);
	return ok;
}

/* Steps that may be parts of steps are less likely than phases that idle times
 * of some kind separate, unless there are more of these. */
bool find_phases(struct job *j)
{
	struct phase_steps s;
	bool ok, sure = false;

	j->row.iterations = j->row.period_ns = PHASE_UNKNOWN;
	j->row.idle_threshold_ns = PHASE_UNKNOWN;
	ok = find_steps(j, &s);
	if (s.n && part_of_ring(j, &s))
		s.n = 0;
	if (ok && s.sure) {
		ok = ask_steps(j, &s);
		sure = j->row.iterations != PHASE_UNKNOWN;
	}
	if (ok && j->row.iterations == PHASE_UNKNOWN)
		ok = ask_silences(j);
	if (ok && s.n && !s.sure &&
	    (j->row.iterations == PHASE_UNKNOWN || j->n_bursts > s.n + 2))
		ok = ask_steps_again(j, &s);
	if (ok && !sure &&
	    (j->row.iterations == PHASE_UNKNOWN || j->bursts[0].cut ||
	     (int64_t)j->n_bursts > j->row.iterations + 2))
		ok = ask_rounds(j);
	if (ok && j->row.iterations != PHASE_UNKNOWN)
		ok = phase_begin_anew(j) && phase_skip_cut(j);
	phase_steps_free(&s);
	return ok;
}

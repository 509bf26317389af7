/* SPDX-License-Identifier: GPL-2.0-or-later
 * Steps: a job does the same work again and again, so each of its flows carries
 * the same share of all it carries in each step, and no flow is in a step
 * before all others are done with the one before.
 *
 * That needs no silence of all ranks, and holds whatever shapes a step is made
 * of: batches that go down a pipeline and back, all to all among experts, a
 * ring of replicas.  Flows of another job, of storage, of requests and their
 * answers do not fit, and show as such. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "phase/phase.h"

enum {
	STEPS_MIN = 5,
	STEPS_MAX = 4096,
	TRIED_MAX = 64, /* numbers of steps */
	ENDS_MAX = 5,   /* where the whole steps may begin, and end: tried */
};

/* Share of the largest flow below which a flow says nothing of steps, and of a
 * step below which a stretch of data says nothing of its begin: such ask for
 * data, or confirm. */
static const double SMALL = 0.02;
/* Where a share ends, and what a stretch of data carries in the mean. */
static const double UNEVEN_STEP = 0.02, UNEVEN_STRETCH = 0.1;
/* Of all steps: that do not fit, at most; of one: it may overlap the next. */
static const double MISFITS = 0.1, AHEAD = 0.25;
/* Shorter steps that overlap by so much are steps all the same. */
static const double FAR_AHEAD = 0.75;
/* Of the bytes in the best set of flows: those in one with more steps.  Of all
 * bytes: those of a set that is looked at. */
static const double NEARLY = 0.95, SOME = 0.25;
/* Of the longest silence between steps: that between shorter ones. */
static const double SILENT = 0.4;
/* Bytes in step for which no other window is looked for. */
static const double WHOLE = 0.9;

/* A flow in a window of time. */
struct track {
	const struct phase_flow *flow;
	size_t place, first, end; /* in the caller's list; activities */
	double bytes, psns;
	/* Both summed up to each activity from |first| on, and behind the
	 * last: whole numbers, and so exact. */
	double *bytes_to, *psns_to;
};

/* Steps of some flows, by number; PHASE_UNKNOWN: not known of this one. */
struct shares {
	size_t n;
	int64_t *any, *begin, *end; /* first data, first that counts, arrival */
};

struct search {
	struct track *tracks; /* most bytes first */
	size_t n_tracks;
	size_t most; /* steps: stretches of data in any flow, or STEPS_MAX */
	int64_t from, to;
	double *weight; /* by number of steps: bytes of flows that fit */
	double *sums;   /* of all tracks */
	struct shares own, all;
	bool *in; /* by track */
	double best_bytes;
	bool sure;
};

/* So many steps: bytes of the flows that have them. */
struct attempt {
	size_t n;
	size_t lead;         /* the flow that the others are in step with */
	double bytes, ahead; /* by which of a step they may overlap the next */
	int64_t silence;
};

static bool shares_init(struct shares *s, size_t most)
{
	s->any = calloc(3 * most + 1, sizeof *s->any);
	s->begin = s->any + most;
	s->end = s->begin + most;
	return s->any;
}

static void shares_clear(struct shares *s, size_t n)
{
	s->n = n;
	for (size_t k = 0; k < n; k++)
		s->any[k] = s->begin[k] = s->end[k] = PHASE_UNKNOWN;
}

/* ---- one flow ---- */

/* When |a| had come, but for what came behind |over|: more of its flow may have
 * been sent meanwhile. */
static int64_t came_by(const struct phase_activity *a, int64_t over)
{
	return a->arrived < over ? a->arrived : over;
}

/* Share |k| is what activities |from| to |to| carry: from when it has carried
 * the least that counts, to when it has less left.  (Not: from the first one
 * that carries so much.  All may be smaller.)  What a stretch carries in the
 * mean counts, however many of them are a share: a silence is no longer than it
 * is. */
static void note_share(const struct track *t, size_t k, size_t from, size_t to,
		       struct shares *s)
{
	const struct phase_activity *a = t->flow->a;
	double least = fmin(SMALL * t->bytes / (double)s->n,
			    t->bytes / (double)(t->end - t->first));
	double sum = 0;

	if (from == to)
		return;
	s->any[k] = a[from].from;
	for (size_t i = from; i < to && s->begin[k] == PHASE_UNKNOWN; i++)
		if ((sum += (double)a[i].bytes) >= least)
			s->begin[k] = a[i].from;
	sum = 0;
	for (size_t i = to; i > from && s->end[k] == PHASE_UNKNOWN; i--)
		/* What is all retransmitted has no bytes of its own; and behind
		 * the last step there is nothing that may begin in its end. */
		if ((sum += (double)a[i - 1].bytes) >= least ||
		    !a[i - 1].bytes || k + 1 == s->n)
			s->end[k] = came_by(&a[i - 1], a[to - 1].over);
}

/* From |i| on the first of the sums that is not nearer to |end| than the one
 * behind it, of |n| + 1 that never fall. */
static size_t nearest(const double *sum, size_t i, size_t n, double end)
{
	size_t low = i, step = 1;

	/* |low|: not beyond |end|, or |i| */
	while (low + step <= n && sum[low + step] <= end) {
		low += step;
		step *= 2;
	}
	for (; step; step /= 2)
		if (low + step <= n && sum[low + step] <= end)
			low += step;
	while (low < n && fabs(sum[low + 1] - end) <= fabs(sum[low] - end))
		low++;
	return low;
}

/* Do stretches of data end where each of |n| equal shares ends?  |s|, when it
 * is not NULL, gets when each began and was there. */
static bool fits(const struct track *t, size_t n, bool numbered,
		 struct shares *s)
{
	const struct phase_activity *a = t->flow->a + t->first;
	const double *sum = numbered ? t->psns_to : t->bytes_to;
	double all = numbered ? t->psns : t->bytes, unit = all / (double)n;
	size_t most = t->end - t->first, i = 0, from = 0, misfits = 0;
	double near =
		fmin(UNEVEN_STEP * unit, UNEVEN_STRETCH * all / (double)most);
	bool known = true;

	if (s)
		shares_clear(s, n);
	for (size_t k = 1; k <= n; k++) {
		double end = (double)k * unit;
		bool fit;

		i = nearest(sum, i, most, end);
		fit = fabs(sum[i] - end) <= near &&
		      (k == n || !i || !a[i - 1].inside);
		misfits += !fit;
		if ((double)misfits > 1 + MISFITS * (double)k)
			return false;
		if (s && fit && known)
			note_share(t, k - 1, t->first + from, t->first + i, s);
		known = fit;
		from = i;
	}
	return (double)misfits <= MISFITS * (double)n;
}

/* PSNs count what the capture misses too. */
static bool fits_somehow(const struct track *t, size_t n, struct shares *s)
{
	return (t->psns > 0 && fits(t, n, true, s)) || fits(t, n, false, s);
}

/* ---- all flows ---- */

static int by_bytes(const void *a, const void *b)
{
	const struct track *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

/* |sums|: room for them. */
static struct track track_of(const struct phase_flow *f, size_t place,
			     const struct search *s, double *sums)
{
	struct track t = { .flow = f,
			   .place = place,
			   .bytes_to = sums,
			   .psns_to = sums + f->n + 1 };
	size_t k = 0;

	while (t.first < f->n && f->a[t.first].from < s->from)
		t.first++;
	for (t.end = t.first; t.end < f->n && f->a[t.end].from < s->to;
	     t.end++) {
		t.bytes_to[k] = t.bytes;
		t.psns_to[k++] = t.psns;
		t.bytes += (double)f->a[t.end].bytes;
		t.psns += (double)f->a[t.end].psns;
	}
	t.bytes_to[k] = t.bytes;
	t.psns_to[k] = t.psns;
	return t;
}

static void follow(struct search *s, const struct phase_flow *const *flows,
		   size_t n)
{
	double *sums = s->sums;

	for (size_t i = 0; i < n; i++) {
		s->tracks[i] = track_of(flows[i], i, s, sums);
		sums += 2 * (flows[i]->n + 1);
	}
	qsort(s->tracks, n, sizeof *s->tracks, by_bytes);
	s->n_tracks = n;
	while (s->n_tracks &&
	       (s->tracks[s->n_tracks - 1].bytes <= 0 ||
		s->tracks[s->n_tracks - 1].bytes < SMALL * s->tracks[0].bytes))
		s->n_tracks--;
}

/* Most numbers of steps are refused after a few stretches of data. */
static void weigh(struct search *s)
{
	memset(s->weight, 0, (s->most + 1) * sizeof *s->weight);
	for (size_t i = 0; i < s->n_tracks; i++) {
		const struct track *t = &s->tracks[i];
		size_t most = t->end - t->first;

		for (size_t n = STEPS_MIN; n <= most && n <= s->most; n++)
			if (fits_somehow(t, n, NULL))
				s->weight[n] += t->bytes;
	}
}

static bool later(int64_t end, int64_t begin, int64_t slack)
{
	return end != PHASE_UNKNOWN && begin != PHASE_UNKNOWN &&
	       end - begin > slack;
}

static bool in_step(const struct shares *all, const struct shares *own,
		    int64_t slack)
{
	size_t misfits = 0;

	for (size_t k = 0; k + 1 < all->n; k++)
		misfits += later(own->end[k], all->begin[k + 1], slack) ||
			   later(all->end[k], own->begin[k + 1], slack);
	return (double)misfits <= MISFITS * (double)all->n;
}

static void take_earlier(int64_t *to, int64_t ns)
{
	if (ns != PHASE_UNKNOWN && (*to == PHASE_UNKNOWN || ns < *to))
		*to = ns;
}

static void add_shares(struct shares *to, const struct shares *s)
{
	for (size_t k = 0; k < to->n; k++) {
		take_earlier(&to->any[k], s->any[k]);
		take_earlier(&to->begin[k], s->begin[k]);
		if (s->end[k] > to->end[k])
			to->end[k] = s->end[k];
	}
}

/* The flows that are in step with |lead|, or the largest one, that has |n|
 * steps: their bytes. */
static double gather(struct search *s, size_t n, double ahead, size_t lead)
{
	int64_t slack =
		(int64_t)(ahead * (double)(s->to - s->from) / (double)n);
	double bytes = 0;

	shares_clear(&s->all, n);
	for (size_t turn = 0; turn < s->n_tracks; turn++) {
		size_t i = turn > lead ? turn : turn ? turn - 1 : lead;

		s->in[i] = fits_somehow(&s->tracks[i], n, &s->own) &&
			   in_step(&s->all, &s->own, slack);
		if (!s->in[i])
			continue;
		add_shares(&s->all, &s->own);
		bytes += s->tracks[i].bytes;
	}
	for (size_t k = 0; k < n; k++)
		if (s->all.any[k] == PHASE_UNKNOWN ||
		    s->all.end[k] == PHASE_UNKNOWN)
			return 0;
	return bytes;
}

/* The silence between two steps of |all|, or how far they overlap: three in
 * four are longer.  (Half of them are, where each second one is inside of a
 * step.)  |gap|: room for all. */
static int64_t silence_of(const struct shares *all, int64_t *gap)
{
	size_t k = 0;

	for (size_t i = 0; i + 1 < all->n; i++)
		if (all->end[i] != PHASE_UNKNOWN &&
		    all->begin[i + 1] != PHASE_UNKNOWN)
			gap[k++] = all->begin[i + 1] - all->end[i];
	if (k)
		phase_median(gap, k); /* sorts */
	return k ? gap[k / 4] : 0;
}

/* Numbers of steps that are worth a look, most first. */
static size_t try_all(struct search *s, struct attempt *v)
{
	double some = 0, most = 0;
	size_t k = 0;

	for (size_t i = 0; i < s->n_tracks; i++)
		some += SOME * s->tracks[i].bytes;
	for (size_t n = s->most; n >= STEPS_MIN && k < TRIED_MAX; n--) {
		if (s->weight[n] < some || s->weight[n] < NEARLY * most)
			continue;
		v[k] = (struct attempt) { .n = n,
					  .bytes = gather(s, n, AHEAD, 0),
					  .ahead = AHEAD };
		v[k].silence = silence_of(&s->all, s->own.any);
		most = fmax(most, v[k++].bytes);
	}
	return k;
}

/* Does every host send to one or two others only?  Those in a ring do. */
static bool is_round(const struct search *s)
{
	uint32_t hosts = 0, *peer;
	bool is = true;

	for (size_t i = 0; i < s->n_tracks; i++)
		hosts = s->tracks[i].flow->src >= hosts
				? s->tracks[i].flow->src + 1
				: hosts;
	peer = malloc(2 * (size_t)hosts * sizeof *peer + 1);
	if (!peer)
		return true;
	memset(peer, 0xff, 2 * (size_t)hosts * sizeof *peer);
	for (size_t i = 0; i < s->n_tracks && is; i++) {
		uint32_t *p = &peer[2 * (size_t)s->tracks[i].flow->src];
		uint32_t dst = s->tracks[i].flow->dst;

		if (p[0] == UINT32_MAX)
			p[0] = dst;
		else if (p[0] != dst && p[1] == UINT32_MAX)
			p[1] = dst;
		is = p[0] == dst || p[1] == dst;
	}
	free(peer);
	return is;
}

/* Where |n| steps overlap, they may be several each, which overlap more. */
static bool may_be_more(struct search *s, size_t n, double bytes)
{
	for (size_t m = 2 * n; m <= s->most; m += n)
		if (s->weight[m] >= NEARLY * bytes &&
		    gather(s, m, FAR_AHEAD, 0) >= NEARLY * bytes)
			return true;
	return false;
}

/* The flow that is silent the longest between |n| steps of its own. */
static size_t most_silent(struct search *s, size_t n)
{
	int64_t most = INT64_MIN;
	size_t lead = 0;

	for (size_t i = 0; i < s->n_tracks; i++) {
		int64_t ns;

		if (!fits_somehow(&s->tracks[i], n, &s->own))
			continue;
		ns = silence_of(&s->own, s->all.any);
		if (ns > most) {
			most = ns;
			lead = i;
		}
	}
	return lead;
}

/* What one flow repairs makes it late for the others' next step: where some
 * are silent between steps, the others have as many that overlap. */
static void take_late(struct search *s, struct attempt *v, double most)
{
	struct attempt late = { .n = v->n, .ahead = FAR_AHEAD };

	if (v->bytes >= NEARLY * most || s->weight[v->n] < NEARLY * most)
		return;
	late.lead = most_silent(s, v->n);
	late.bytes = gather(s, v->n, AHEAD, late.lead);
	late.silence = silence_of(&s->all, s->own.any);
	if (late.bytes <= 0 || late.silence <= 0)
		return;
	late.bytes = gather(s, v->n, FAR_AHEAD, late.lead);
	if (late.bytes >= NEARLY * most)
		*v = late;
}

/* Several steps look like one.  Those of a ring are made of parts that look
 * like steps, too: the shortest that all ranks are silent between are right. */
static void choose(struct search *s)
{
	struct attempt v[TRIED_MAX];
	size_t k = try_all(s, v), best = k;
	double most = 0, longest = 0;
	bool round = is_round(s);

	for (size_t i = 0; i < k; i++)
		most = fmax(most, v[i].bytes);
	for (size_t i = 0; i < k; i++)
		take_late(s, &v[i], most);
	for (size_t i = 0; i < k; i++)
		if (v[i].bytes >= NEARLY * most)
			longest = fmax(longest, (double)v[i].silence);
	for (size_t i = k; i-- > 0;)
		if (v[i].bytes > 0 && v[i].bytes >= NEARLY * most &&
		    (longest <= 0 || !round ||
		     (double)v[i].silence >= SILENT * longest))
			best = i;
	s->sure = best < k && (v[best].silence > 0 || !round);
	if (best < k && v[best].silence <= 0 &&
	    may_be_more(s, v[best].n, v[best].bytes))
		best = k;
	s->best_bytes =
		best < k ? gather(s, v[best].n, v[best].ahead, v[best].lead)
			 : 0;
}

static bool search_init(struct search *s, const struct phase_flow *const *flows,
			size_t n)
{
	size_t all = 1;

	for (size_t i = 0; i < n; i++) {
		all += 2 * (flows[i]->n + 1);
		if (flows[i]->n > s->most)
			s->most = flows[i]->n;
	}
	if (s->most > STEPS_MAX)
		s->most = STEPS_MAX;
	s->sums = malloc(all * sizeof *s->sums);
	s->tracks = calloc(n + 1, sizeof *s->tracks);
	s->in = calloc(n + 1, sizeof *s->in);
	s->weight = calloc(s->most + 1, sizeof *s->weight);
	return shares_init(&s->own, s->most) && shares_init(&s->all, s->most) &&
	       s->tracks && s->in && s->weight && s->sums;
}

static void search_fini(struct search *s)
{
	free(s->tracks);
	free(s->in);
	free(s->weight);
	free(s->sums);
	free(s->own.any);
	free(s->all.any);
}

static bool give_steps(const struct search *s, size_t n,
		       struct phase_steps *out)
{
	double all = 0;

	*out = (struct phase_steps) { .n = s->best_bytes > 0 ? s->all.n : 0 };
	out->from = calloc(2 * out->n + 1, sizeof *out->from);
	out->in = calloc(n + 1, sizeof *out->in);
	if (!out->from || !out->in) {
		phase_steps_free(out);
		return false;
	}
	out->to = out->from + out->n;
	memcpy(out->from, s->all.any, out->n * sizeof *out->from);
	memcpy(out->to, s->all.end, out->n * sizeof *out->to);
	for (size_t i = 0; i < s->n_tracks; i++) {
		all += s->tracks[i].bytes;
		out->in[s->tracks[i].place] = out->n && s->in[i];
	}
	out->sure = s->sure;
	out->share = all > 0 ? s->best_bytes / all : 0;
	return true;
}

/* ---- windows ---- */

/* The capture may begin and end inside of a step.  Steps then begin behind one
 * of the widest idle times of all flows, and end before one. */
struct window {
	int64_t from, to;
};

struct ends {
	int64_t ns[ENDS_MAX], silence[ENDS_MAX];
	size_t n;
};

/* The first is the end of all data; the others by their silence. */
static void note_end(struct ends *e, int64_t ns, int64_t silence)
{
	size_t i = e->n < ENDS_MAX ? e->n++ : ENDS_MAX - 1;

	if (i + 1 == ENDS_MAX && e->n == ENDS_MAX && e->silence[i] >= silence)
		return;
	for (; i > 1 && e->silence[i - 1] < silence; i--) {
		e->ns[i] = e->ns[i - 1];
		e->silence[i] = e->silence[i - 1];
	}
	e->ns[i] = ns;
	e->silence[i] = silence;
}

/* All data, in order of time. */
static struct window *all_data(const struct phase_flow *const *flows, size_t n,
			       size_t *k)
{
	struct window *v;
	size_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += flows[i]->n;
	v = calloc(all + 1, sizeof *v);
	*k = 0;
	for (size_t i = 0; v && i < n; i++)
		for (size_t a = 0; a < flows[i]->n; a++)
			v[(*k)++] = (struct window) { flows[i]->a[a].from,
						      flows[i]->a[a].over };
	if (v && !sort_by(struct window, v, *k, from)) {
		free(v);
		v = NULL;
	}
	return v;
}

static void find_ends(const struct window *v, size_t n, struct ends *first,
		      struct ends *last)
{
	int64_t over = v[0].to, middle;

	for (size_t i = 1; i < n; i++)
		over = v[i].to > over ? v[i].to : over;
	*first = (struct ends) { { v[0].from }, { INT64_MAX }, 1 };
	*last = (struct ends) { { over + 1 }, { INT64_MAX }, 1 };
	middle = v[0].from + (over - v[0].from) / 2;
	over = v[0].to;
	for (size_t i = 1; i < n; i++) {
		if (v[i].from > over)
			note_end(v[i].from < middle ? first : last, v[i].from,
				 v[i].from - over);
		over = v[i].to > over ? v[i].to : over;
	}
}

static int by_length(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	return (x->to - x->from < y->to - y->from) -
	       (x->to - x->from > y->to - y->from);
}

static size_t find_windows(const struct phase_flow *const *flows, size_t n,
			   struct window *w, bool *failed)
{
	struct ends first, last;
	size_t k, windows = 0;
	struct window *v = all_data(flows, n, &k);

	*failed = !v;
	if (v && k) {
		find_ends(v, k, &first, &last);
		for (size_t a = 0; a < first.n; a++)
			for (size_t b = 0; b < last.n; b++)
				w[windows++] = (struct window) { first.ns[a],
								 last.ns[b] };
		qsort(w, windows, sizeof *w, by_length);
	}
	free(v);
	return windows;
}

bool phase_steps(const struct phase_flow *const *flows, size_t n,
		 struct phase_steps *out)
{
	struct window w[ENDS_MAX * ENDS_MAX];
	struct search s = { 0 };
	bool failed, ok = search_init(&s, flows, n);
	size_t windows = find_windows(flows, n, w, &failed);

	ok = ok && !failed;
	*out = (struct phase_steps) { 0 };
	for (size_t i = 0; ok && i < windows && out->share < WHOLE; i++) {
		phase_steps_free(out);
		s.from = w[i].from;
		s.to = w[i].to;
		s.best_bytes = 0;
		follow(&s, flows, n);
		weigh(&s);
		choose(&s);
		ok = give_steps(&s, n, out);
	}
	if (ok && windows) {
		out->first = w[0].from;
		out->last = w[0].to - 1;
	}
	search_fini(&s);
	return ok;
}

void phase_steps_free(struct phase_steps *s)
{
	free(s->from);
	free(s->in);
	*s = (struct phase_steps) { 0 };
}

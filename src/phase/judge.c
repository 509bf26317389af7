/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a flow did at each moment: evidence of others, its silences, and how
 * fast it sent (reference 7.6). */
#include <math.h>
#include <stdlib.h>

#include "phase/phase_int.h"

enum {
	REACT_NS = 10 * 1000, /* of a sender to an ACK, when nothing is known */
	SLACK_NS = 2 * 1000,
	TRANSIT_NS = 25 * 1000, /* from sender to arrival, at ease */
	SAMPLE = 4,             /* packets that have a rate, at least */
	SIDE_MAX = 256,         /* flows of a host that are compared */
	BEFORE_MAX = 64,        /* stretches that tell how fast a sender was */
	BEFORE_LEAST = 4,
	RECOVER_NS = 100 * 1000 * 1000, /* from a CNP back to full rate */
};

static const double FULL = 0.93, FAST = 0.9, EXPLAINS = 0.8;

static double rate(double bytes, int64_t ns)
{
	return ns > 0 ? bytes * 8e9 / (double)ns : 0;
}

/* The first activity that is not over at |ns|. */
static size_t seek(const struct phase_flow *f, int64_t ns)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (f->a[mid].sent < ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

double judge_bytes(const struct phase_input *in, const uint32_t *flows,
		   size_t n, int64_t from, int64_t to)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		const struct phase_flow *f = &in->flows[flows[i]];

		for (size_t k = seek(f, from); k < f->n && f->a[k].from < to;
		     k++) {
			const struct phase_activity *a = &f->a[k];
			int64_t x = a->from > from ? a->from : from;
			int64_t y = a->sent < to ? a->sent : to;
			double span = (double)(a->sent - a->from) + 1;

			sum += f->wire * (double)a->bytes *
			       ((double)(y - x) + 1) / span;
		}
	}
	return sum;
}

/* Of the flows of |r| those to the same host as |f|. */
static double pair_bytes(const struct job *j, const struct rank *r,
			 const struct phase_flow *f, int64_t from, int64_t to)
{
	double sum = 0;

	for (uint32_t i = 0; i < r->n_out; i++)
		if (j->in->flows[r->out[i]].dst == f->dst)
			sum += judge_bytes(j->in, &r->out[i], 1, from, to);
	return sum;
}

/* The last packet takes time too. */
static int64_t length(const struct phase_activity *a)
{
	int64_t ns = a->sent - a->from;

	return a->psns > 1 ? ns + ns / (int64_t)(a->psns - 1) : ns;
}

/* Since when a sender is slower than it was before, as it was told to. */
struct cut {
	int64_t ns;    /* PHASE_UNKNOWN: it is not */
	size_t next;   /* CNP */
	double before; /* payload bit/s */
};

static bool has_rate(const struct phase_activity *a)
{
	return a->sent > a->from && (!a->psns || a->psns >= SAMPLE);
}

static int by_rate(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* How fast |f| was before it was first told to slow down, three times of four;
 * or, without a link to compare with, what its reaction to a CNP shows.  0:
 * nothing tells. */
static double before_cut(const struct job *j, const struct phase_flow *f)
{
	double v[BEFORE_MAX];
	size_t n = 0;

	for (size_t k = f->n_cnps ? seek(f, f->cnps[0]) : 0;
	     k-- > 0 && n < BEFORE_MAX;)
		if (has_rate(&f->a[k]))
			v[n++] = rate((double)f->a[k].bytes, length(&f->a[k]));
	if (n < BEFORE_LEAST)
		return j->link > 0 ? 0 : f->cut_rate;
	qsort(v, n, sizeof *v, by_rate);
	return v[n / 4];
}

/* All that |r| sends meanwhile. */
static double sends(const struct job *j, const struct rank *r,
		    const struct phase_activity *a)
{
	return rate(judge_bytes(j->in, r->out, r->n_out, a->from, a->sent),
		    length(a));
}

/* A cut that has no rate to compare with is told by the link: where neither the
 * pair nor its host fills it. */
static struct judged judge(const struct job *j, const struct phase_flow *f,
			   const struct phase_activity *a, struct cut *cut)
{
	const struct rank *s = &j->ranks[j->rank_of[f->src]];
	const struct rank *d = &j->ranks[j->rank_of[f->dst]];
	bool known = j->link > 0 && s->n_out <= SIDE_MAX && d->n_in <= SIDE_MAX;
	struct judged v = { CLASS_WIRE, CLASS_WIRE, false, 0 };
	double pair = 0, all, own;

	for (; cut->next < f->n_cnps && f->cnps[cut->next] < a->sent;
	     cut->next++)
		cut->ns = f->cnps[cut->next];
	v.cut = cut->ns != PHASE_UNKNOWN;
	if (a->over - a->sent > TRANSIT_NS) {
		all = known ? judge_bytes(j->in, d->in, d->n_in, a->sent,
					  a->over)
			    : 0;
		v.tail = rate(all, a->over - a->sent) >= FULL * j->link && known
				 ? CLASS_SHARED
				 : CLASS_UNKNOWN;
	}
	if (!has_rate(a))
		return v;
	own = rate((double)a->bytes, length(a));
	if (known)
		pair = rate(pair_bytes(j, s, f, a->from, a->sent), length(a));
	v.cut = v.cut && a->from - cut->ns < RECOVER_NS &&
		(cut->before > 0 ? own < FAST * cut->before
				 : known && pair < FAST * j->link &&
					   sends(j, s, a) < FULL * j->link);
	if (v.cut) {
		v.busy = CLASS_RATE_CUT;
		v.lost = (float)(1 - (cut->before > 0 ? own / cut->before
						      : pair / j->link));
		return v;
	}
	cut->ns = PHASE_UNKNOWN;
	if (!known) {
		v.busy = CLASS_UNKNOWN;
		return v;
	}
	if (pair >= FAST * j->link)
		return v;
	all = fmax(rate(judge_bytes(j->in, d->in, d->n_in, a->from, a->sent),
			length(a)),
		   sends(j, s, a));
	v.busy = all >= FULL * j->link ? CLASS_SHARED : CLASS_UNKNOWN;
	v.lost = (float)(1 - pair / j->link);
	return v;
}

/* The fastest that two hosts were, in at least 32 packets: what a link can do
 * where nobody says. */
static double fastest(const struct job *j)
{
	double best = 0;

	for (size_t i = 0; i < j->in->n_flows; i++) {
		const struct phase_flow *f = &j->in->flows[i];
		const struct rank *r = &j->ranks[j->rank_of[f->src]];

		for (size_t k = 0; k < f->n && r->n_out <= SIDE_MAX; k++)
			if (f->a[k].psns >= 32 && f->a[k].sent > f->a[k].from)
				best = fmax(best, rate(pair_bytes(j, r, f,
								  f->a[k].from,
								  f->a[k].sent),
						       length(&f->a[k])));
	}
	return best;
}

static void judge_flow(struct job *j, size_t i)
{
	const struct phase_flow *f = &j->in->flows[i];
	struct cut cut = { .ns = PHASE_UNKNOWN, .before = before_cut(j, f) };

	for (size_t k = 0; k < f->n; k++)
		j->judged[i][k] = judge(j, f, &f->a[k], &cut);
}

bool judge_activities(struct job *j)
{
	const struct phase_input *in = j->in;

	j->link = (double)in->link_bps;
	j->row.rate_source = "link";
	if (!in->link_bps) {
		j->link = fastest(j);
		j->row.rate_source = "seen";
	}
	j->row.rate_bps = j->link > 0 ? (int64_t)j->link : PHASE_UNKNOWN;
	if (j->link <= 0)
		j->row.rate_source = NULL;
	for (size_t i = 0; i < in->n_flows; i++) {
		j->judged[i] = calloc(in->flows[i].n + 1, sizeof **j->judged);
		if (!j->judged[i])
			return false;
		judge_flow(j, i);
	}
	return true;
}

/* ---- spans ---- */

static void add(struct job *j, int64_t from, int64_t to, enum phase_class c)
{
	struct phase_span *s;

	if (from >= to)
		return;
	if (j->n_spans == j->room_spans) {
		size_t room = j->room_spans ? 2 * j->room_spans : 64;

		s = reallocarray(j->spans, room, sizeof *s);
		if (!s) {
			j->failed = true;
			return;
		}
		j->spans = s;
		j->room_spans = room;
	}
	j->spans[j->n_spans++] = (struct phase_span) { from, to, c };
}

/* Evidence of |f| that lies in from..to; pauses only, or all but pauses. */
static int64_t evidence(struct job *j, uint32_t f, int64_t from, int64_t to,
			bool pauses, bool count)
{
	const struct phase_flow *g = &j->in->flows[f];
	int64_t sum = 0, reached = from;

	for (size_t i = j->evidence[f];
	     i < g->n_evidence && g->evidence[i].from < to; i++) {
		struct phase_span e = g->evidence[i];

		if ((e.class <= CLASS_PAUSED) != pauses || e.to <= from)
			continue;
		e.from = e.from > from ? e.from : from;
		e.to = e.to < to ? e.to : to;
		if (e.to > reached) {
			sum += e.to - (e.from > reached ? e.from : reached);
			reached = e.to;
		}
		if (!count)
			add(j, e.from, e.to, e.class);
	}
	return sum;
}

/* What its receiver asked for came late; was it paused on its way?  A pause of
 * it explains the silence when it covers it. */
static void cts_wait(struct job *j, const struct phase_flow *g, int64_t from,
		     int64_t to)
{
	int64_t sum = 0, reached = from;
	size_t first = j->n_spans;

	add(j, from, to, CLASS_CTS_WAIT);
	for (size_t i = 0; i < g->n_held && g->held[i].from < to; i++) {
		int64_t a = g->held[i].from, b = g->held[i].to;

		a = a > reached ? a : reached;
		b = b < to ? b : to;
		if (a >= b)
			continue;
		add(j, a, b, CLASS_PAUSED);
		sum += b - a;
		reached = b;
	}
	if ((double)sum < EXPLAINS * (double)(to - from) && !j->failed)
		j->n_spans = first + 1;
}

/* What came at |ns| in the silence before |a|: did the sender go on at once? */
static bool resumed(const struct phase_flow *g, const struct phase_activity *a,
		    int64_t ns)
{
	int64_t react = g->rtt_s > 0 ? g->rtt_s : REACT_NS;

	return ns != PHASE_UNKNOWN && ns >= a->from - react - SLACK_NS;
}

/* Silence of |f| before activity |k|, or behind its last.  A pause explains it
 * when it covers it. */
static void silence(struct job *j, uint32_t f, size_t k, int64_t from,
		    int64_t to)
{
	const struct phase_flow *g = &j->in->flows[f];
	const struct phase_activity *before = k ? &g->a[k - 1] : NULL;

	if (from >= to)
		return;
	if ((double)evidence(j, f, from, to, true, true) >=
	    EXPLAINS * (double)(to - from))
		evidence(j, f, from, to, true, false);
	/* Receivers may ask for more than the next: it was that which was
	 * waited for if the sender went on at once. */
	if (before && k < g->n && resumed(g, &g->a[k], before->granted))
		add(j, from, before->granted < to ? before->granted : to,
		    CLASS_CREDIT_WAIT);
	if (before && k < g->n && g->driven && before->asked > from &&
	    resumed(g, &g->a[k], before->asked))
		cts_wait(j, g, from, before->asked < to ? before->asked : to);
	if (before && k < g->n && resumed(g, &g->a[k], before->acked))
		add(j, from, to, CLASS_ACK_WAIT);
	if (before && k < g->n && before->inside)
		add(j, from, to,
		    k < g->n && j->judged[f][k].cut ? CLASS_RATE_CUT
						    : CLASS_UNKNOWN);
	else
		add(j, from, to, CLASS_SENDER_WAIT);
}

void judge_spans(struct job *j, uint32_t f, int64_t from, int64_t to)
{
	const struct phase_flow *g = &j->in->flows[f];
	int64_t at = from;
	size_t k = j->cursor[f];

	j->n_spans = 0;
	evidence(j, f, from, to, false, false);
	if (k && g->a[k - 1].over > from)
		k--;
	while (k < g->n && g->a[k].over <= from)
		k++;
	for (; k < g->n && g->a[k].from < to; k++) {
		const struct phase_activity *a = &g->a[k];

		silence(j, f, k, at, a->from);
		evidence(j, f, a->from > from ? a->from : from,
			 a->over < to ? a->over : to, true, false);
		add(j, a->from, a->sent, j->judged[f][k].busy);
		add(j, a->sent, a->over, j->judged[f][k].tail);
		at = a->over > at ? a->over : at;
	}
	silence(j, f, k, at, to);
}

size_t judge_end(const struct job *j, uint32_t f, int64_t to)
{
	const struct phase_flow *g = &j->in->flows[f];
	size_t k = j->cursor[f];

	while (k < g->n && g->a[k].from < to)
		k++;
	return k;
}

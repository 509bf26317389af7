/* SPDX-License-Identifier: GPL-2.0-or-later
 * What held up a phase at each moment: from what ended last back to what it
 * waited for, and so on to the begin.
 *
 * In a ring each rank passes on what it gets: before it can send octet X it
 * must have received X.  Elsewhere what arrived last before a rank began to
 * send is what it waited for; ranks of an all-to-all wait for nobody. */
#include <stdlib.h>

#include "phase/phase_int.h"

enum { CELLS = 512, SLACK_NS = 1000, SLACK = 4, COMPLAINT_NS = 10000 };

/* Where the walk stands: flow, activity, time. */
struct place {
	uint32_t flow;
	size_t k;
	int64_t ns;
};

struct cell {
	uint32_t flow;
	enum phase_class class;
	int64_t time;
	double lost;
};

struct walk {
	struct job *j;
	const struct burst *b;
	struct cell cells[CELLS];
	size_t n;
	uint32_t flow; /* of the pieces that come */
};

static double share_lost(const struct walk *w, const struct phase_span *p)
{
	const struct phase_flow *f = &w->j->in->flows[w->flow];
	size_t k = w->j->cursor[w->flow];

	if (p->class == CLASS_WIRE)
		return 0;
	if (p->class != CLASS_RATE_CUT && p->class != CLASS_SHARED &&
	    p->class != CLASS_UNKNOWN)
		return 1;
	for (k -= k > 0; k < f->n && f->a[k].from <= p->from; k++)
		if (p->from < f->a[k].sent)
			return w->j->judged[w->flow][k].lost > 0
				       ? (double)w->j->judged[w->flow][k].lost
				       : 0;
	return 1;
}

static void piece(void *ctx, const struct phase_span *p)
{
	struct walk *w = ctx;
	size_t i = 0;

	while (i < w->n &&
	       (w->cells[i].flow != w->flow || w->cells[i].class != p->class))
		i++;
	if (i == w->n && w->n < CELLS)
		w->cells[w->n++] = (struct cell) { w->flow, p->class, 0, 0 };
	if (i == CELLS) {
		/* So many flows in one phase: the rest is one row. */
		i = CELLS - 1;
		w->cells[i].class = CLASS_UNKNOWN;
	}
	w->cells[i].time += p->to - p->from;
	w->cells[i].lost += share_lost(w, p) * (double)(p->to - p->from);
}

static void pieces(struct walk *w, uint32_t flow, int64_t from, int64_t to)
{
	struct job *j = w->j;

	w->flow = flow;
	judge_spans(j, flow, from, to);
	if (!phase_split(j->spans, j->n_spans, from, to, piece, w))
		j->failed = true;
}

static bool is_ring(const struct walk *w)
{
	return w->b->pattern == PATTERN_RING ||
	       w->b->pattern == PATTERN_DOUBLE_RING ||
	       w->b->pattern == PATTERN_EXCHANGE;
}

/* The rank whose data rank |r| passes on to |dst|; NO_RANK unknown. */
static uint32_t feeder(const struct job *j, const struct walk *w, uint32_t r,
		       uint32_t dst)
{
	const struct rank *a = &j->ranks[r];

	if (w->b->pattern == PATTERN_EXCHANGE)
		return dst;
	return a->next == dst ? a->before : a->next;
}

/* Packet numbers count what the capture misses too; answers to READs have none
 * of their own. */
static uint64_t amount(const struct phase_activity *a)
{
	return a->psns ? a->psns : a->bytes;
}

/* How much rank |r| had sent to |dst| by |ns|, as far as that is over. */
static uint64_t passed_on(const struct walk *w, uint32_t r, uint32_t dst,
			  int64_t ns)
{
	const struct job *j = w->j;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < j->ranks[r].n_out; i++) {
		uint32_t f = j->ranks[r].out[i];
		const struct phase_flow *g = &j->in->flows[f];

		if (j->rank_of[g->dst] != dst)
			continue;
		for (size_t k = j->base[f]; k < g->n && g->a[k].sent <= ns; k++)
			sum += amount(&g->a[k]);
	}
	return sum;
}

/* When activity |k| of |g| had brought |need| of its octets.  What was sent
 * again to bring them stands behind it. */
static struct place reached(const struct phase_flow *g, uint32_t flow, size_t k,
			    uint64_t need)
{
	const struct phase_activity *a = &g->a[k];
	double part = (double)need / (double)amount(a);
	int64_t t = a->arrived;
	/* What was not acknowledged may have been lost with the rest. */
	bool doubtful = a->arrived > a->sent && a->unacked != PHASE_UNKNOWN &&
			(int64_t)need + a->unacked > (int64_t)amount(a);

	if (need < amount(a) && !doubtful)
		t = a->from + (int64_t)(part * (double)(a->sent - a->from));
	while (k + 1 < g->n && !g->a[k + 1].bytes && g->a[k + 1].from < t)
		k++;
	return (struct place) { flow, k, t };
}

/* What is still not acknowledged after a silence has not been taken: it is the
 * activity behind which it is that brought it.  Before that silence the sender
 * may have paused for moments, and gone on. */
static struct place taken(const struct phase_flow *g, struct place p,
			  uint64_t sum, uint64_t want, int64_t ns)
{
	size_t by = p.k;

	for (size_t k = p.k;
	     k + 1 < g->n && g->a[k + 1].from < ns && g->a[k].unacked > 0 &&
	     (int64_t)sum - g->a[k].unacked < (int64_t)want;
	     sum += amount(&g->a[++k]))
		if (g->a[k + 1].from - g->a[k].sent >= COMPLAINT_NS)
			by = g->a[k].arrived < g->a[k + 1].from ? k + 1 : k;
	if (by == p.k && g->a[by].arrived <= p.ns)
		return p;
	return (struct place) { p.flow, by, g->a[by].arrived };
}

/* When rank |r| had got |need| from |src|: each flow of the pair its
 * part.  False: not by |ns|. */
static bool got(const struct walk *w, uint32_t r, uint32_t src, uint64_t need,
		int64_t ns, struct place *p)
{
	const struct job *j = w->j;
	uint32_t flows = 0;
	uint64_t all = 0;

	for (uint32_t i = 0; i < j->ranks[r].n_in; i++)
		flows += j->rank_of[j->in->flows[j->ranks[r].in[i]].src] == src;
	if (!flows)
		return false;
	p->ns = w->b->from;
	p->flow = NO_RANK;
	for (uint32_t i = 0; i < j->ranks[r].n_in; i++) {
		uint32_t f = j->ranks[r].in[i];
		const struct phase_flow *g = &j->in->flows[f];
		uint64_t want = need / flows, sum = 0;

		if (j->rank_of[g->src] != src)
			continue;
		for (size_t k = j->base[f];
		     k < g->n && g->a[k].from < ns && sum < want; k++) {
			struct place at;

			if (!amount(&g->a[k]))
				continue;
			at = reached(g, f, k, want - sum);
			sum += amount(&g->a[k]);
			if (sum >= want)
				at = taken(g, at, sum, want, ns);
			/* It was there by then: the rank went on. */
			at.ns = at.ns < ns ? at.ns : ns;
			if (at.ns >= p->ns && g->a[at.k].from < at.ns)
				*p = at;
		}
		all += sum < want ? sum : want;
	}
	return all + SLACK >= need && p->flow != NO_RANK;
}

/* The later of two, before |ns|. */
static void later(struct place *best, uint32_t flow, size_t k, int64_t from,
		  int64_t t, int64_t ns)
{
	if (t > ns + SLACK_NS || from >= ns)
		return;
	if (t > ns)
		t = ns;
	if (best->flow == NO_RANK || t > best->ns)
		*best = (struct place) { flow, k, t };
}

/* What rank |r| had sent itself before |ns|: one after the other. */
static void own(const struct walk *w, uint32_t r, int64_t ns,
		struct place *best)
{
	const struct job *j = w->j;

	for (uint32_t i = 0; i < j->ranks[r].n_out; i++) {
		uint32_t f = j->ranks[r].out[i];
		const struct phase_flow *g = &j->in->flows[f];

		for (size_t k = j->cursor[f]; k < g->n && g->a[k].from < ns;
		     k++)
			later(best, f, k, g->a[k].from, g->a[k].sent, ns);
	}
}

/* What had come to rank |r|; what still comes may be what was waited for. */
static void input(const struct walk *w, uint32_t r, int64_t ns,
		  struct place *best)
{
	const struct job *j = w->j;

	for (uint32_t i = 0; i < j->ranks[r].n_in; i++) {
		uint32_t f = j->ranks[r].in[i];
		const struct phase_flow *g = &j->in->flows[f];

		for (size_t k = j->cursor[f]; k < g->n && g->a[k].from < ns;
		     k++)
			later(best, f, k, g->a[k].from,
			      g->a[k].over < ns ? g->a[k].over : ns, ns);
	}
}

/* Is |f| repairing something when it begins to send at |ns|? */
static bool repairs(const struct walk *w, uint32_t f, int64_t ns)
{
	const struct phase_flow *g = &w->j->in->flows[f];

	for (size_t i = w->j->evidence[f];
	     i < g->n_evidence && g->evidence[i].from < ns; i++)
		if (g->evidence[i].class > CLASS_PAUSED &&
		    g->evidence[i].class <= CLASS_RNR_WAIT &&
		    g->evidence[i].to >= ns)
			return true;
	return false;
}

/* What came before the begin of activity |at|. */
static struct place trigger(const struct walk *w, struct place at)
{
	const struct phase_flow *f = &w->j->in->flows[at.flow];
	uint32_t r = w->j->rank_of[f->src], dst = w->j->rank_of[f->dst];
	struct place best = { NO_RANK, 0, w->b->from }, in = best;
	uint32_t from;
	uint64_t x;

	/* A place further back in the same flow always helps. */
	if (at.k && f->a[at.k - 1].sent > w->b->from)
		later(&best, at.flow, at.k - 1, f->a[at.k - 1].from,
		      f->a[at.k - 1].sent, at.ns);
	if (best.flow != NO_RANK && repairs(w, at.flow, at.ns))
		return best;
	if (w->b->pattern == PATTERN_ALL_TO_ALL) {
		own(w, r, at.ns, &best);
		return best;
	}
	if (!is_ring(w)) {
		own(w, r, at.ns, &best);
		input(w, r, at.ns, &best);
		return best;
	}
	from = feeder(w->j, w, r, dst);
	x = passed_on(w, r, dst, at.ns);
	if (x && from != NO_RANK && got(w, r, from, x, at.ns, &in))
		later(&best, in.flow, in.k,
		      w->j->in->flows[in.flow].a[in.k].from, in.ns, at.ns);
	return best;
}

/* What ended last. */
static struct place finish(const struct walk *w)
{
	const struct job *j = w->j;
	struct place p = { NO_RANK, 0, 0 };

	for (uint32_t f = 0; f < j->in->n_flows; f++) {
		size_t end = judge_end(j, f, w->b->to);
		int64_t over = end > j->cursor[f]
				       ? j->in->flows[f].a[end - 1].over
				       : 0;

		if (end > j->cursor[f] && (p.flow == NO_RANK || over > p.ns))
			p = (struct place) { f, end - 1, over };
	}
	/* Where phases overlap, what ends last may reach into the next. */
	if (p.flow != NO_RANK && p.ns > w->b->to)
		p.ns = w->b->to;
	return p;
}

/* Is it the receiver that is waited for? */
static bool is_receivers(enum phase_class c)
{
	return c == CLASS_CTS_WAIT || c == CLASS_RNR_WAIT ||
	       c == CLASS_CREDIT_WAIT;
}

static uint32_t waited_for(const struct walk *w, const struct cell *c)
{
	const struct phase_flow *f = &w->j->in->flows[c->flow];

	return w->j->rank_of[is_receivers(c->class) ? f->dst : f->src];
}

static void tell_phase(const struct walk *w, int64_t id,
		       const struct phase_sink *s)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct cell *c = &w->cells[i];
		struct phase_time_row row = {
			.phase = id,
			.flow = w->j->in->flows[c->flow].id,
			.rank = waited_for(w, c),
			.class = c->class,
			.time_ns = c->time,
			.lost_ns = (int64_t)c->lost,
		};

		s->phase_time(s->ctx, &row);
	}
}

static void tell_window(const struct walk *w, int64_t id,
			const struct phase_sink *s)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct cell *c = &w->cells[i];
		struct phase_window_row row = {
			.window = id,
			.job = w->j->row.id,
			.flow = w->j->in->flows[c->flow].id,
			.rank = waited_for(w, c),
			.class = c->class,
			.time_ns = c->time,
			.lost_ns = (int64_t)c->lost,
		};

		s->window(s->ctx, &row);
	}
}

/* From |at| back to the begin. */
static void follow(struct walk *w, struct place at)
{
	struct job *j = w->j;
	const struct burst *b = w->b;

	while (at.flow != NO_RANK && at.ns > b->from) {
		int64_t from = j->in->flows[at.flow].a[at.k].from;
		struct place next;

		from = from > b->from ? from : b->from;
		pieces(w, at.flow, from, at.ns);
		at.ns = from;
		next = trigger(w, at);
		if (next.ns < b->from)
			next.ns = b->from;
		pieces(w, at.flow, next.ns, at.ns);
		at = next;
	}
}

static struct walk *walk_new(struct job *j, const struct burst *b)
{
	struct walk *w = calloc(1, sizeof *w);

	if (!w) {
		j->failed = true;
		return NULL;
	}
	w->j = j;
	w->b = b;
	return w;
}

void walk_phase(struct job *j, const struct burst *b, int64_t id,
		const struct phase_sink *sink)
{
	struct walk *w = walk_new(j, b);
	struct place at;

	if (!w)
		return;
	at = finish(w);
	if (at.flow != NO_RANK && at.ns < b->to)
		pieces(w, at.flow, at.ns, b->to);
	follow(w, at);
	tell_phase(w, id, sink);
	free(w);
}

/* What of |flows| of a rank was there last, of what began before the end; of
 * what it sends, that it has been sent. */
static void last_of(const struct walk *w, const uint32_t *flows, uint32_t n,
		    bool out, struct place *p)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct phase_flow *f = &w->j->in->flows[flows[i]];
		size_t end = judge_end(w->j, flows[i], w->b->to);
		int64_t ns;

		if (end == w->j->cursor[flows[i]])
			continue;
		ns = out ? f->a[end - 1].sent : f->a[end - 1].arrived;
		ns = ns < w->b->to ? ns : w->b->to;
		if (p->flow == NO_RANK || ns > p->ns)
			*p = (struct place) { flows[i], end - 1, ns };
	}
}

/* The operation ended when the last was there, or later: as late as it has to
 * for its length. */
static void place_window(struct burst *b, int64_t last, int64_t length)
{
	if (length < 0 || length >= b->to - b->from)
		return;
	b->to = last > b->from + length ? last : b->from + length;
	b->from = b->to - length;
}

void walk_window(struct job *j, const struct phase_window *win,
		 enum phase_pattern pattern, const struct phase_sink *sink)
{
	struct burst b = { .from = win->from,
			   .to = win->to,
			   .pattern = pattern };
	struct walk *w = walk_new(j, &b);
	const struct rank *r = &j->ranks[j->rank_of[win->host]];
	struct place at = { NO_RANK, 0, 0 };

	if (!w)
		return;
	last_of(w, r->in, r->n_in, false, &at);
	last_of(w, r->out, r->n_out, true, &at);
	if (at.flow != NO_RANK && at.ns > b.from) {
		place_window(&b, at.ns, win->length);
		/* It had all, and had sent all: what is left is its own. */
		w->flow = r->n_out ? r->out[0] : at.flow;
		if (at.ns < b.to)
			piece(w, &(struct phase_span) { at.ns, b.to,
							CLASS_SENDER_WAIT });
		follow(w, at);
		tell_window(w, win->id, sink);
	}
	free(w);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What one stretch of a flow was spent on, as amounts of time.
 *
 * First comes what is needed: bytes at the speed of the link, the shortest
 * delay of the way.  What is left goes to evidence (pause, loss, credit), then
 * to links of hosts that were busy, then to the queue that the delay between
 * two places shows.  Nothing is measured in microseconds: a delay is long
 * against the shortest of its own way, a sender slow against its link and the
 * other senders of the job. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "phase/path_int.h"

enum {
	REACT_NS = 10 * 1000, /* of a sender, when nothing is known */
	SLACK_NS = 2 * 1000,
	STALLED = 16, /* round trips: waits for more than its own work */
};

/* A delay above the shortest by this part of it is no more than noise, and so
 * is a rate above that part of another. */
static const double NOISE = 0.25, SLOW = 0.9;
/* A stretch of data is slower than what is typical below that part of it. */
static const double LESS = 0.75;
/* Messages, as their lengths differ. */
static const double SEVERAL = 1.5;

/* What evidence means on the critical path. */
static const enum phase_share of_class[PHASE_CLASS_COUNT] = {
	[CLASS_PAUSED_HOST] = SHARE_PAUSE_HOST,
	[CLASS_PAUSED_NET] = SHARE_PAUSE_NET,
	[CLASS_PAUSED] = SHARE_PAUSE,
	[CLASS_ADAPTER] = SHARE_ADAPTER,
	[CLASS_DETECTION] = SHARE_LOSS,
	[CLASS_TIMEOUT] = SHARE_LOSS,
	[CLASS_REPLAY] = SHARE_LOSS,
	[CLASS_LINK] = SHARE_LINK,
	[CLASS_TRIMMED] = SHARE_TRIMMED,
	[CLASS_REORDER] = SHARE_REORDER,
	[CLASS_EITHER] = SHARE_EITHER,
	[CLASS_ACKS] = SHARE_ACKS,
	[CLASS_EARLY] = SHARE_EARLY,
	[CLASS_TIMER] = SHARE_TIMER,
	[CLASS_REPAIR] = SHARE_REPAIR,
	[CLASS_RNR_WAIT] = SHARE_RECEIVER,
	[CLASS_CREDIT_WAIT] = SHARE_RECEIVER,
};

enum phase_share piece_share(enum phase_class c)
{
	return of_class[c];
}

/* ---- amounts ---- */

/* Charges at most |ns| of |*left| to |s|. */
static void charge(struct path_time *t, int64_t *left, enum phase_share s,
		   double ns)
{
	int64_t n = ns >= (double)*left ? *left : ns > 0 ? (int64_t)ns : 0;

	t->ns[s] += n;
	*left -= n;
}

/* The first of |n| spans, which are in order and apart, that ends behind
 * |ns|. */
static size_t seek(const struct phase_span *v, size_t n, int64_t ns)
{
	return search_below(struct phase_span, v, n, to, ns + 1);
}

/* How much of from..to |n| spans cover. */
static int64_t covered(const struct phase_span *v, size_t n, int64_t from,
		       int64_t to)
{
	int64_t sum = 0;

	for (size_t i = seek(v, n, from); i < n && v[i].from < to; i++)
		sum += (v[i].to < to ? v[i].to : to) -
		       (v[i].from > from ? v[i].from : from);
	return sum;
}

int64_t path_halted(const struct path_facts *p, uint32_t host, int64_t from,
		    int64_t to, bool surely)
{
	const struct phase_host *h = &p->j->in->hosts[host];
	int64_t sum = 0;

	if (!p->halts)
		return 0;
	for (size_t i = seek(h->halts, h->n_halts, from);
	     i < h->n_halts && h->halts[i].from < to; i++)
		if (!surely || !h->halts[i].replays)
			sum += covered(&h->halts[i], 1, from, to);
	return sum;
}

bool path_has_evidence(const struct path_facts *p, uint32_t f, int64_t from,
		       int64_t to)
{
	size_t i = p->first[f];

	return covered(p->spans + i, p->first[f + 1] - i, from, to);
}

/* |ns| of from..to in a queue while somebody sends pauses most of the time:
 * packets that are held stand in the way of others, too.  Beside pauses that
 * may come from a host it may be what these left. */
static enum phase_share queue(const struct path_facts *p, uint32_t host,
			      int64_t from, int64_t to, double ns)
{
	const struct phase_input *in = p->j->in;

	/* Time stamps may say that it came before it was sent. */
	if (to <= from)
		return path_held(p, host, SHARE_QUEUE);
	if (2 * (double)path_halted(p, host, from, to, false) > ns)
		return p->j->drains[host] ? SHARE_DRAIN : SHARE_HELD;
	return covered(in->host_pauses, in->n_host_pauses, from, to) >
			       (to - from) / 2
		       ? SHARE_PAUSE_HOST
	       : covered(in->net_pauses, in->n_net_pauses, from, to) >
			       (to - from) / 2
		       ? SHARE_PAUSE_NET
	       : covered(in->open_pauses, in->n_open_pauses, from, to)
		       ? SHARE_PAUSE
		       : path_held(p, host, SHARE_QUEUE);
}

/* At most |ns| of |*left| was queued for |host|, from |from| to |to|: first
 * what its pauses had left there. */
static void take_queue(const struct path_facts *p, uint32_t host, int64_t from,
		       int64_t to, double ns, int64_t *left,
		       struct path_time *t)
{
	int64_t before = *left;

	charge(t, left, SHARE_PAUSE_HOST,
	       fmin(ns, path_left_by_pauses(p, host, from)));
	ns -= (double)(before - *left);
	charge(t, left, queue(p, host, from, to, ns), ns);
}

/* The same of what activity |a| of flow |f| waited on its way. */
static void take_queued(const struct path_facts *p, uint32_t f,
			const struct phase_activity *a, double ns,
			int64_t *left, struct path_time *t)
{
	if (path_full_link(p, f, a->sent, a->there))
		charge(t, left, SHARE_SHARED, ns);
	else
		take_queue(p, p->j->in->flows[f].dst, a->sent + p->least[f],
			   a->there, ns, left, t);
}

/* What a flow is slower by because of marks. */
static void take_cut(const struct path_facts *p, uint32_t f, double ns,
		     int64_t *left, struct path_time *t)
{
	ns = fmin(ns, (double)*left);
	charge(t, left, SHARE_PAUSE_HOST, ns * p->cut_by_host[f]);
	charge(t, left, SHARE_UNKNOWN, ns * p->cut_unknown[f]);
	charge(t, left, SHARE_CUT,
	       ns * (1 - p->cut_by_host[f] - p->cut_unknown[f]));
}

/* What |s| means in from..to: what switches pause would come no sooner over a
 * link that is full meanwhile. */
static enum phase_share evident(const struct path_facts *p, uint32_t f,
				const struct phase_span *s, int64_t from,
				int64_t to)
{
	bool paused = s->class == CLASS_PAUSED_NET || s->class == CLASS_PAUSED;

	return paused && (path_full_link(p, f, from, to) ||
			  path_full_link(p, f, s->from, s->to))
		       ? SHARE_SHARED
		       : of_class[s->class];
}

/* Evidence of flow |f| in from..to, at most |*left| of it.  Returns what the
 * last of it is, SHARE_UNKNOWN: there is none. */
static enum phase_share take_evidence(const struct path_facts *p, uint32_t f,
				      int64_t from, int64_t to, int64_t *left,
				      struct path_time *t)
{
	size_t end = p->first[f + 1];
	size_t low = p->first[f] +
		     seek(p->spans + p->first[f], end - p->first[f], from);
	enum phase_share last = SHARE_UNKNOWN;

	for (; low < end && p->spans[low].from < to && *left; low++) {
		const struct phase_span *s = &p->spans[low];
		int64_t a = s->from > from ? s->from : from;
		int64_t b = s->to < to ? s->to : to;

		last = evident(p, f, s, from, to);
		charge(t, left, last, (double)(b - a));
	}
	return last;
}

static double per_byte(double bps)
{
	return bps > 0 ? 8e9 / bps : 0;
}

static double host_ns(const struct path_facts *p, uint32_t host)
{
	return per_byte(phase_link(p->j, host));
}

/* At the speed of the slower one of both ends. */
static double flow_ns(const struct path_facts *p, uint32_t f)
{
	return per_byte(phase_link_of(p->j, &p->j->in->flows[f]));
}

/* Time for which the link of |host| was busy with others than |mine| bytes:
 * with those of the job, of other jobs. */
static void busy(const struct path_facts *p, uint32_t host, bool in,
		 int64_t from, int64_t to, double mine, double *own,
		 double *others)
{
	const struct phase_input *i = p->j->in;
	uint32_t there = i->in_all ? i->in_all[host] : host;
	double job = loads_between(p->own, host, in, from, to);
	double all = i->all ? loads_between(i->all, there, in, from, to) : 0;

	*own = fmax(0, job - mine) * host_ns(p, host);
	*others = fmax(0, all - job) * host_ns(p, host);
}

double path_busy(const struct path_facts *p, uint32_t host, int64_t from,
		 int64_t to)
{
	double own, others;

	busy(p, host, true, from, to, 0, &own, &others);
	return own + others;
}

double path_busy_in(const struct path_facts *p, uint32_t host, int64_t from,
		    int64_t to)
{
	double own, others;

	busy(p, host, true, from, to, 0, &own, &others);
	return own;
}

/* Did nothing of |a| wait on its way, so that it waited for its sender's link
 * only? */
static bool unqueued(const struct path_facts *p, uint32_t f,
		     const struct phase_activity *a)
{
	return p->j->in->flows[f].far && p->least[f] != PHASE_UNKNOWN &&
	       !piece_queued(p, f, a);
}

/* As above, of both ends of flow |f|, as far as they are seen, while it brought
 * |mine| bytes or waited to.  What its sender sent took its time there, and
 * takes none at the link of its receiver, unless that is slower. */
static void busy_ends(const struct path_facts *p, uint32_t f,
		      struct phase_span near, struct phase_span far,
		      double mine, double *own, double *others)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	double o = 0, t = 0;

	*own = *others = 0;
	if (g->src_seen) {
		busy(p, g->src, false, near.from, near.to, mine, own, others);
		if (host_ns(p, g->dst) <= host_ns(p, g->src))
			mine = loads_between(p->pairs, p->pair[f], true,
					     far.from, far.to);
	}
	if (g->dst_seen)
		busy(p, g->dst, true, far.from, far.to, mine, &o, &t);
	*own += o;
	*others += t;
}

/* Is |ns| as long as the shortest way, and an error of clocks? */
static bool no_longer(const struct path_facts *p, uint32_t f, int64_t ns)
{
	int64_t more = ns - p->least[f];

	return more <= path_delay_error(p, f) || more <= p->noise[f];
}

int64_t piece_queued(const struct path_facts *p, uint32_t f,
		     const struct phase_activity *a)
{
	int64_t q = a->there - a->sent, at_begin = a->came - a->from;

	if (p->least[f] == PHASE_UNKNOWN)
		return 0;
	if (p->j->in->flows[f].far && at_begin > q)
		q = at_begin;
	return no_longer(p, f, q) ? 0 : q - p->least[f];
}

/* The same of the acknowledgement of |a|, on its way back from the last tap. */
static int64_t queued_back(const struct path_facts *p, uint32_t f,
			   const struct phase_activity *a)
{
	int64_t more;

	if (a->returned == PHASE_UNKNOWN || p->back[f] == PHASE_UNKNOWN)
		return 0;
	more = a->acked - a->returned - p->back[f];
	return more <= path_delay_error(p, f) ||
			       (double)more <= NOISE * (double)p->back[f]
		       ? 0
		       : more;
}

bool piece_had_room(const struct path_facts *p, uint32_t f,
		    const struct phase_activity *a)
{
	return !p->credit[f] && a->unacked != PHASE_UNKNOWN &&
	       2 * a->unacked <= p->open;
}

/* ---- sending ---- */

/* Did flow |f| send activity |k|, but for what else its link carried, at
 * |rate|: more slowly than is typical of the job, and with less under way? */
static bool slower_than_typical(const struct path_facts *p, uint32_t f,
				size_t k, double rate)
{
	return phase_has_rate(&p->j->in->flows[f].a[k]) &&
	       p->least[f] != PHASE_UNKNOWN && rate < LESS * p->typical &&
	       rate * (double)p->least[f] < LESS * p->typical_open;
}

/* Is |a| several short messages of flow |f|?  What lies between them may be
 * what their sender waited for. */
static bool several_messages(const struct path_facts *p, uint32_t f,
			     const struct phase_activity *a)
{
	enum { SHORT = 32 }; /* packets */
	double one = p->message[f];

	return one > 0 && (double)a->bytes > SEVERAL * one &&
	       one * (double)a->psns < SHORT * (double)a->bytes;
}

/* Why a sender that had work was slower than its link, where no queue shows. */
static enum phase_share slow_sender(const struct path_facts *p, uint32_t f,
				    size_t k, double rate)
{
	const struct phase_flow *g = &p->j->in->flows[f];

	/* All of its kind are as slow, or have as much under way. */
	if ((p->best[f] >= SLOW * p->usual ||
	     path_under_way(p, f) >= SLOW * p->most) &&
	    !slower_than_typical(p, f, k, rate))
		return p->usual > 0 ? SHARE_TURN : SHARE_UNKNOWN;
	if (several_messages(p, f, &g->a[k]))
		return SHARE_TURN;
	return g->far && flow_ns(p, f) > 0 ? SHARE_NIC : SHARE_UNKNOWN;
}

/* How long the sender of flow |f| takes for |mine| bytes on the wire without
 * CNPs; where nobody saw it, as long as its link. */
static double without_cnps(const struct path_facts *p, uint32_t f, double mine)
{
	double payload = mine / p->j->in->flows[f].wire;

	return fmax(mine * flow_ns(p, f),
		    p->j->uncut[f] > 0 ? payload * 8e9 / p->j->uncut[f] : 0);
}

/* The |*left| that activity |k| took beyond |mine| bytes of it.  A window that
 * opens a queue of |q| later than without one is no more than
 * q / (round trip + q) of the time slower. */
static void take_slow(const struct path_facts *p, uint32_t f, size_t k,
		      double mine, int64_t *left, struct path_time *t)
{
	double wire = mine * flow_ns(p, f), took = wire + (double)*left;
	const struct phase_flow *g = &p->j->in->flows[f];
	double q = (double)piece_queued(p, f, &g->a[k]);
	double round =
		p->round[f] ? (double)p->round[f] : 2 * (double)p->least[f];
	enum phase_share rest;

	if (p->j->cut[f][k])
		take_cut(p, f, took - without_cnps(p, f, mine), left, t);
	if (!g->src_seen) {
		charge(t, left, SHARE_UNKNOWN, (double)*left);
		return;
	}
	rest = q > NOISE * round
		       ? SHARE_UNKNOWN
		       : slow_sender(p, f, k, took > 0 ? mine / took : 0);
	if (q > 0 && g->far && flow_ns(p, f) > 0)
		take_queued(p, f, &g->a[k], (double)*left * q / (round + q),
			    left, t);
	else if (q > 0)
		charge(t, left,
		       flow_ns(p, f) <= 0 ? SHARE_UNKNOWN : SHARE_LATE_ACK,
		       (double)*left * q / (round + q));
	if (rest == SHARE_NIC && p->typical > 0)
		charge(t, left, SHARE_TURN, mine / p->typical - wire);
	if (rest == SHARE_NIC)
		charge(t, left, SHARE_UNKNOWN, (double)g->near_step);
	charge(t, left, rest, (double)*left);
}

/* When about that came to the last tap which was sent from |from| to |to|, a
 * part of |a|. */
static struct phase_span came_of(const struct phase_activity *a, int64_t from,
				 int64_t to)
{
	double span = (double)(a->sent > a->from ? a->sent - a->from : 1);
	double came = (double)(a->there - a->came) / span;

	return (struct phase_span) {
		.from = a->came + (int64_t)(came * (double)(from - a->from)),
		.to = to >= a->sent
			      ? a->there
			      : a->came + (int64_t)(came *
						    (double)(to - a->from)),
	};
}

void piece_sending(const struct path_facts *p, uint32_t f, size_t k,
		   int64_t from, int64_t to, struct path_time *t)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	const struct phase_activity *a = &g->a[k];
	double span = (double)(a->sent > a->from ? a->sent - a->from : 1);
	double mine = g->wire * (double)a->bytes * (double)(to - from) / span;
	int64_t left = to - from;
	double own, others;

	if (left <= 0)
		return;
	charge(t, &left, SHARE_WIRE, mine * flow_ns(p, f));
	/* What may be the error of two time stamps is nobody's. */
	if (left <= p->grain)
		charge(t, &left, SHARE_WIRE, (double)left);
	if (g->src_seen && unqueued(p, f, a))
		busy(p, g->src, false, from, to, mine, &own, &others);
	else
		busy_ends(p, f, (struct phase_span) { .from = from, .to = to },
			  came_of(a, from, to), mine, &own, &others);
	charge(t, &left, SHARE_NIC, path_nic_ns(p, g->src, from, to));
	/* A link that carries the job's own data all the while costs nothing
	 * beyond that, whatever else goes on. */
	charge(t, &left, SHARE_SHARED, own);
	take_evidence(p, f, from, to, &left, t);
	charge(t, &left, SHARE_BEHIND, others);
	take_slow(p, f, k, mine, &left, t);
}

/* ---- on its way ---- */

/* Time that the link of the receiver of flow |f| was busy with what others of
 * the job sent.  What its own sender sent before took its time there. */
static double by_others(const struct path_facts *p, uint32_t f, int64_t from,
			int64_t to)
{
	uint32_t dst = p->j->in->flows[f].dst;

	return host_ns(p, dst) *
	       fmax(0, loads_between(p->own, dst, true, from, to) -
			       loads_between(p->pairs, p->pair[f], true, from,
					     to));
}

/* The same for activity |a|, which was sent by |from|.  It waited as well for
 * what came before that, unless its sender had paused as long. */
static double ahead(const struct path_facts *p, uint32_t f,
		    const struct phase_activity *a, int64_t from, int64_t to)
{
	double wire =
		p->j->in->flows[f].wire * (double)a->bytes * flow_ns(p, f);
	double paused = fmax(0, (double)(a->sent - a->from) - wire);

	return by_others(p, f, from, to) +
	       fmax(0, by_others(p, f, a->came, from) - paused);
}

/* A receiver's link that is slower than that of its sender: its own data waits
 * there behind what that sent before. */
static double behind_own(const struct path_facts *p, uint32_t f, int64_t from,
			 int64_t to)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	double ns = host_ns(p, g->dst);

	return ns > host_ns(p, g->src)
		       ? ns * loads_between(p->pairs, p->pair[f], true, from,
					    to)
		       : 0;
}

/* How fast the receiver's link is nobody knows: was it busy all the while with
 * what others of the job sent? */
static bool may_be_own(const struct path_facts *p, uint32_t f,
		       const struct phase_activity *a)
{
	const struct phase_flow *g = &p->j->in->flows[f];

	return host_ns(p, g->dst) <= 0 && g->dst_seen &&
	       loads_between(p->own, g->dst, true, a->from, a->there) -
			       loads_between(p->pairs, p->pair[f], true,
					     a->from, a->there) >
		       g->wire * (double)a->bytes;
}

void piece_transit(const struct path_facts *p, uint32_t f, size_t k,
		   int64_t from, int64_t to, struct path_time *t)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	const struct phase_activity *a = &g->a[k];
	int64_t left = to - from;
	int64_t on_way = (a->there < to ? a->there : to) - from;
	double own, others, least = (double)p->least[f];
	enum phase_share repair, rest;
	int64_t standing = p->full[f] ? 0 : p->standing[f], full, late;
	bool shortest;

	if (left <= 0)
		return;
	if (p->least[f] == PHASE_UNKNOWN) {
		piece_rest(p, f, from, to, SHARE_UNKNOWN, t);
		return;
	}
	if (p->j->drains[g->dst] && to > a->there) {
		int64_t at = a->there > from ? a->there : from;

		piece_rest(p, f, at, to, SHARE_DRAIN, t);
		to = at;
		left = to - from;
		if (left <= 0)
			return;
	}
	/* The last packet itself has to pass. */
	shortest = no_longer(p, f, left);
	charge(t, &left, SHARE_WAY, least - (double)standing);
	charge(t, &left, SHARE_STANDING, (double)standing);
	if (shortest)
		charge(t, &left, SHARE_WAY, (double)left);
	late = left;
	if (path_full_link(p, f, from, a->there))
		charge(t, &left, SHARE_SHARED, (double)on_way);
	on_way -= late - left;
	repair = take_evidence(p, f, from, to, &left, t);
	on_way = repair == SHARE_UNKNOWN ? left : on_way - (int64_t)least;
	late = left;
	charge(t, &left, SHARE_PAUSE_HOST,
	       fmin((double)on_way,
		    path_left_by_pauses(p, g->dst, from + p->least[f])));
	on_way -= late - left;
	if (g->dst_seen && left) {
		int64_t end = a->there > to ? to : a->there;

		busy(p, g->dst, true, from, end, 0, &own, &others);
		charge(t, &left, SHARE_WIRE, behind_own(p, f, from, end));
		charge(t, &left, SHARE_SHARED, ahead(p, f, a, from, end));
		charge(t, &left, SHARE_BEHIND, others);
	}
	rest = !g->far ? SHARE_LATE_ACK
	       : may_be_own(p, f, a)
		       ? SHARE_UNKNOWN
		       : queue(p, g->dst, from, to, (double)on_way);
	if (p->full[f] && rest == SHARE_QUEUE && on_way > 0) {
		full = p->standing[f] < on_way ? p->standing[f] : on_way;
		on_way -= full;
		charge(t, &left, SHARE_FULL, (double)full);
	}
	charge(t, &left, rest, (double)on_way);
	/* It had come, and was of no use before it was repaired. */
	charge(t, &left, repair, (double)left);
}

/* What the acknowledgement of activity |k| took longer than its way: it was
 * queued, what its receiver sent stood in its way, or that held it back. */
static void take_late_ack(const struct path_facts *p, uint32_t f, size_t k,
			  int64_t *left, struct path_time *t)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	const struct phase_activity *a = &g->a[k];
	double own, others;

	if (a->returned == PHASE_UNKNOWN || !g->dst_seen) {
		charge(t, left, SHARE_LATE_ACK, (double)*left);
		return;
	}
	if (p->back[f] != PHASE_UNKNOWN)
		take_queue(p, g->src, a->returned + p->back[f], a->acked,
			   (double)queued_back(p, f, a), left, t);
	busy(p, g->dst, false, a->there, a->returned, 0, &own, &others);
	charge(t, left, SHARE_SHARED, own);
	charge(t, left, SHARE_BEHIND, others);
	charge(t, left, p->j->drains[g->dst] ? SHARE_DRAIN : SHARE_HELD_ACK,
	       (double)*left);
}

void piece_back(const struct path_facts *p, uint32_t f, size_t k, int64_t from,
		int64_t to, struct path_time *t)
{
	int64_t way = 0, left;

	if (p->least[f] != PHASE_UNKNOWN && p->round[f] > p->least[f])
		way = (int64_t)((1 + NOISE) *
				(double)(p->round[f] - p->least[f]));
	if (way > to - from)
		way = to - from;
	piece_rest(p, f, from, from + way, SHARE_WAY, t);
	left = to - from - way;
	take_evidence(p, f, from + way, to, &left, t);
	if (p->j->in->flows[f].a[k].acked == to)
		take_late_ack(p, f, k, &left, t);
	charge(t, &left, SHARE_LATE_ACK, (double)left);
}

/* ---- silent ---- */

/* Did the sender of activity |k| go on at once when |ns| came? */
static bool resumed(const struct phase_flow *g, size_t k, int64_t ns)
{
	int64_t react = g->rtt_s > 0 ? g->rtt_s : REACT_NS;

	return ns != PHASE_UNKNOWN && ns >= g->a[k].from - react - SLACK_NS;
}

bool piece_granted(const struct path_facts *p, uint32_t f, size_t k,
		   int64_t from)
{
	const struct phase_flow *g = &p->j->in->flows[f];

	int64_t granted = k ? g->a[k - 1].granted : PHASE_UNKNOWN;

	return granted > from &&
	       (resumed(g, k, granted) ||
		granted >= g->a[k].from - p->reacts - SLACK_NS);
}

int64_t piece_wanted(const struct path_facts *p, uint32_t f, size_t k,
		     int64_t from)
{
	int64_t wanted = p->j->in->flows[f].a[k - 1].wanted;

	return wanted > from ? wanted : from;
}

/* Had it room as well when it stopped behind activity |k| - 1?  What was not
 * acknowledged when that began may not have been then. */
static bool stopped_with_room(const struct path_facts *p, uint32_t f, size_t k)
{
	const struct phase_activity *a = &p->j->in->flows[f].a[k - 1];
	int64_t open =
		k > 1 && a[-1].unacked != PHASE_UNKNOWN ? a[-1].unacked : 0;

	return piece_had_room(p, f, a) &&
	       2 * (open + (int64_t)a->psns) <= p->open;
}

enum phase_share piece_receiver(const struct path_facts *p, uint32_t f)
{
	return p->j->in->hosts[p->j->in->flows[f].dst].link ? SHARE_RECEIVER
							    : SHARE_UNKNOWN;
}

void piece_silence(const struct path_facts *p, uint32_t f, size_t k,
		   int64_t from, int64_t to, struct path_time *t)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	const struct phase_activity *before = &g->a[k - 1];
	int64_t left = to - from;
	int64_t q = piece_queued(p, f, before);
	struct phase_span silence = { .from = from, .to = to };
	bool granted = piece_granted(p, f, k, from);
	bool room = before->inside && g->src_seen && g->far && !q &&
		    stopped_with_room(p, f, k);
	double own = 0, others = 0;

	if (left <= 0)
		return;
	/* Who has room, and sees no queue, does not wait for the far end. */
	if (room && !granted)
		busy(p, g->src, false, from, to, 0, &own, &others);
	else if (before->inside || granted)
		busy_ends(p, f, silence, silence, 0, &own, &others);
	charge(t, &left, SHARE_SHARED, own);
	take_evidence(p, f, from, to, &left, t);
	charge(t, &left, SHARE_BEHIND, others);
	if (granted) {
		/* Credit comes as fast as the receiver's link has room. */
		charge(t, &left, SHARE_WAY,
		       (1 + NOISE) * (p->round[f] && p->round[f] < p->credit[f]
					      ? (double)p->round[f]
					      : (double)p->credit[f]));
		charge(t, &left,
		       others > NOISE * (double)(to - from)
			       ? SHARE_LATE_ACK
			       : piece_receiver(p, f),
		       (double)left);
	} else if (resumed(g, k, before->acked) &&
		   !(before->inside && piece_had_room(p, f, before))) {
		/* It waited for an acknowledgement: there and back. */
		charge(t, &left, SHARE_WAY, (1 + NOISE) * (double)p->round[f]);
		if (g->far && q)
			take_queued(p, f, before, (double)q, &left, t);
		else
			charge(t, &left, SHARE_LATE_ACK, (double)q);
		take_late_ack(p, f, k - 1, &left, t);
	}
	if (before->inside && p->j->cut[f][k])
		take_cut(p, f, (double)left, &left, t);
	charge(t, &left,
	       !before->inside ? SHARE_TURN
	       : room && 2 * left > p->round[f] &&
			       left < STALLED * p->round[f] &&
			       left > g->near_step
		       ? SHARE_NIC
		       : SHARE_UNKNOWN,
	       (double)left);
}

void piece_rest(const struct path_facts *p, uint32_t f, int64_t from,
		int64_t to, enum phase_share rest, struct path_time *t)
{
	int64_t left = to - from;

	if (left <= 0)
		return;
	take_evidence(p, f, from, to, &left, t);
	charge(t, &left, rest, (double)left);
}

static void asked(const struct path_facts *p, uint32_t f, int64_t from,
		  int64_t to, enum phase_share rest, struct path_time *t)
{
	const struct phase_flow *g = &p->j->in->flows[f];

	for (size_t i = seek(g->held, g->n_held, from);
	     i < g->n_held && g->held[i].from < to && from < to; i++) {
		int64_t at = g->held[i].from > from ? g->held[i].from : from;
		int64_t end = g->held[i].to < to ? g->held[i].to : to;

		piece_rest(p, f, from, at, rest, t);
		piece_rest(p, f, at, end, of_class[g->held[i].class], t);
		from = end > from ? end : from;
	}
	piece_rest(p, f, from, to, rest, t);
}

int64_t piece_busy_to(const struct path_facts *p, uint32_t f, int64_t from,
		      int64_t to)
{
	if (!p->j->in->flows[f].src_seen || from >= to)
		return 0;
	return (int64_t)(loads_between(p->pairs, p->pair[f], false, from, to) *
			 host_ns(p, p->j->in->flows[f].src));
}

/* How long the link of |host| was busy without a break with data of the job
 * when something was sent at |to|, since |from| at most: what waits in a queue
 * waits no longer. */
static double busy_until(const struct path_facts *p, uint32_t host,
			 int64_t from, int64_t to)
{
	int64_t low = 0, high = to > from ? to - from : 0, ns = high;
	double most = 0;

	while (high - low > p->grain) {
		double own, others;

		busy(p, host, false, to - ns, to, 0, &own, &others);
		if (own >= SLOW * (double)ns) {
			most = own;
			low = ns;
		} else {
			high = ns;
		}
		ns = low + (high - low) / 2;
		if (ns == low)
			break;
	}
	return most;
}

/* What asks is sent behind the data of its host, and what was asked for behind
 * other data: nobody is late for as long as that takes on its link. */
static double busy_asking(const struct path_facts *p, uint32_t f, int64_t from,
			  int64_t asked, int64_t to)
{
	const struct phase_flow *g = &p->j->in->flows[f];

	asked = asked < from ? from : asked > to ? to : asked;
	return (g->dst_seen ? busy_until(p, g->dst, from, asked) : 0) +
	       (g->src_seen ? busy_until(p, g->src, asked, to) : 0);
}

/* Small messages are not followed: what one announces or asks for is late where
 * it waited on the link of its receiver, |host|, behind data of others, which
 * stalled data of the job at most so long. */
static double behind_others(const struct path_facts *p, uint32_t host,
			    int64_t from, int64_t to)
{
	double own, others;

	if (from >= to)
		return 0;
	busy(p, host, true, from, to, 0, &own, &others);
	return fmin(others, (double)p->queued_in[host]);
}

void piece_asked(const struct path_facts *p, uint32_t f, int64_t from,
		 int64_t at, int64_t to, enum phase_share rest,
		 struct path_time *t)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	int64_t asked_at = at < from ? from : at > to ? to : at;
	struct path_time late = { { 0 } };
	int64_t left;

	asked(p, f, from, to, rest, &late);
	left = late.ns[rest];
	late.ns[rest] = 0;
	charge(&late, &left, SHARE_ASKING, busy_asking(p, f, from, at, to));
	/* Whether this one was, nobody looked. */
	if (at > from)
		charge(&late, &left, SHARE_UNKNOWN, (double)g->held_up);
	charge(&late, &left, SHARE_UNKNOWN,
	       behind_others(p, g->dst, from, asked_at) +
		       behind_others(p, g->src, asked_at, to));
	charge(&late, &left, rest, (double)left);
	for (unsigned s = 0; s < SHARE_COUNT; s++)
		t->ns[s] += late.ns[s];
}

void piece_held(const struct path_facts *p, uint32_t f, int64_t from,
		int64_t to, struct path_time *t)
{
	asked(p, f, from, to, SHARE_UNKNOWN, t);
}

/* ---- all of a flow ---- */

/* Flow |f| is silent before activity |k|, or behind its last. */
static void piece_idle(const struct path_facts *p, uint32_t f, size_t k,
		       int64_t from, int64_t to, struct path_time *t)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	const struct phase_activity *before = k ? &g->a[k - 1] : NULL;

	if (from >= to)
		return;
	if (before && k < g->n && g->driven && before->asked > from &&
	    before->asked < to && resumed(g, k, before->asked)) {
		asked(p, f, from, before->asked, piece_receiver(p, f), t);
		piece_rest(p, f, before->asked, to, SHARE_TURN, t);
	} else if (before && k < g->n &&
		   (before->inside || resumed(g, k, before->acked) ||
		    resumed(g, k, before->granted))) {
		piece_silence(p, f, k, from, to, t);
	} else {
		piece_rest(p, f, from, to, SHARE_IDLE, t);
	}
}

void piece_flow(const struct path_facts *p, uint32_t f, int64_t from,
		int64_t to, struct path_time *t)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	size_t k =
		search_below(struct phase_activity, g->a, g->n, over, from + 1);
	int64_t at = from;

	for (; k < g->n && g->a[k].from < to; k++) {
		const int64_t ends[] = { g->a[k].from, g->a[k].sent,
					 g->a[k].over };

		for (int i = 0; i < 3; i++) {
			int64_t end = ends[i] < to ? ends[i] : to;

			if (end <= at)
				continue;
			(i == 0   ? piece_idle
			 : i == 1 ? piece_sending
				  : piece_transit)(p, f, k, at, end, t);
			at = end;
		}
	}
	piece_idle(p, f, k, at, to, t);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What let each message begin.
 *
 * Something came about at its host before it: data arrived, or an ACK of what
 * the host sent.  Which of the latest such things it was, one message does not
 * tell, but all of its flow together do: in a ring transfer n goes out after
 * transfer n - 1 came in from the other side, every time; other things come
 * about before it now and then.  So each message votes for all that happened
 * shortly before it, by flow, kind and distance in number (a habit), and what
 * has most votes and had happened is the cause; how long it was ago is what
 * the host took.
 *
 * A message that began while another of its flow was not over was waiting for
 * that one: it has no vote, but the habits of its flow.
 *
 * A host that sent nothing for long began an iteration: when all of the one
 * before was done, and it had computed.  How long that takes is what mostly
 * lies between such a begin and something before it; all that came about until
 * then, since the begin before, counts: what came last need not come last under
 * other settings, and what comes while it computes is of the next iteration.
 * But ACKs do not where some hosts went on without: nobody waits for them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "whatif/whatif_int.h"

enum {
	SLACK = 2000, /* ns: the next message of a busy flow follows so soon;
			* clocks of taps and paths to them differ as much */
	LATELY = 6,   /* things before a message that it votes for */
	HABITS = 32,  /* different ones that are counted, a flow */
	IDLE = 20000, /* ns: a host that waits so long was computing */
	EARLIER = 32, /* things before a begin that are looked at */
	STEADY = 16,  /* times the variance: no accident */
	MODES = 4,    /* lags of begins that a host may have */
	MOSTLY = 10,  /* all but one in so many */
	SELDOM = 20,  /* one in so many is an accident */
	FEW = 3,      /* less than one in so many is no habit of a host */
	SLOWER = 4,   /* times the mean gap: from packet to packet at the end */
	NONE = UINT32_MAX
};

struct happened {
	int64_t at;
	uint32_t node, send;
	bool acked;
};

/* Message n of a flow follows message n + |shift| of flow |of|, or its ACK. */
struct habit {
	uint32_t of;
	bool acked;
	int64_t shift;
	uint32_t votes;
	double ago;    /* ns, sum: how long before */
	double square; /* of these, sum */
	bool regular;  /* nearly as many votes as any */
};

/* A host began again after a long time. */
struct begin {
	int64_t at;
	int64_t before;  /* that of the one before it */
	uint32_t number; /* iterations before the next one */
	uint32_t send;   /* the first of those that it sent then */
};

/* So long before a begin something came about. */
struct lag {
	int64_t ns, at;
	uint32_t send; /* that began */
	bool acked;
};

struct causing {
	struct wi_world *w;
	struct happened *all; /* by node, then time */
	size_t *from;         /* by node, and one more */
	uint32_t *turn;       /* of each send in its flow */
	uint32_t *start;      /* of each flow in |order|, and one more */
	uint32_t *order;      /* sends by flow, then time */
	bool *overlaps; /* flows of which a message began before the ACK of the
			 * one before it */
	struct habit (*habits)[HABITS]; /* by flow; most votes first */
	struct begin *begins;           /* by node: the last */
	uint32_t *n_begins;             /* by node: with that of the capture */
	bool *quiet; /* sends before which their host sent nothing for long */
	int64_t *ready; /* for these: when it had what it needed; -1 */
	int64_t *since; /* when the host sent something before */
	struct lag *lags;
	size_t n_lags;
	size_t *mine;     /* by node, and two more: where in |sent| */
	uint32_t *sent;   /* sends by node, then time */
	uint32_t *starts; /* the quiet ones, by node, then time */
	size_t n_starts;
	uint32_t *seen; /* per send: lags in the window */
	/* Begins; those of hosts that had not the ACK of what they sent last,
	 * those without one of what they sent before that, and those without
	 * one of their own flow. */
	uint32_t n_begun, without_last, without_other, without_own;
};

static bool allocate(struct causing *c)
{
	const struct wi_world *w = c->w;

	c->all = calloc(2 * w->n_sends + 1, sizeof *c->all);
	c->from = calloc(w->n_nodes + 2, sizeof *c->from);
	c->turn = calloc(w->n_sends + 1, sizeof *c->turn);
	c->start = calloc(w->n_flows + 2, sizeof *c->start);
	c->order = calloc(w->n_sends + 1, sizeof *c->order);
	c->habits = calloc(w->n_flows + 1, sizeof *c->habits);
	c->begins = calloc(w->n_nodes + 1, sizeof *c->begins);
	c->n_begins = calloc(w->n_nodes + 1, sizeof *c->n_begins);
	if (!c->n_begins)
		return false;
	c->quiet = calloc(w->n_sends + 1, sizeof *c->quiet);
	c->ready = calloc(w->n_sends + 1, sizeof *c->ready);
	c->lags = calloc(EARLIER * (w->n_sends + 1), sizeof *c->lags);
	c->since = calloc(w->n_sends + 1, sizeof *c->since);
	if (!c->since)
		return false;
	c->overlaps = calloc(w->n_flows + 1, sizeof *c->overlaps);
	c->seen = calloc(w->n_sends + 1, sizeof *c->seen);
	c->starts = calloc(w->n_sends + 1, sizeof *c->starts);
	c->mine = calloc(w->n_nodes + 3, sizeof *c->mine);
	c->sent = calloc(w->n_sends + 1, sizeof *c->sent);
	if (!c->overlaps || !c->mine || !c->sent || !c->starts || !c->quiet ||
	    !c->ready || !c->lags || !c->seen)
		return false;
	return c->all && c->from && c->turn && c->start && c->order &&
	       c->habits && c->begins;
}

static int by_place(const void *a, const void *b)
{
	const struct happened *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->send > y->send) - (x->send < y->send);
}

static void list_events(struct causing *c)
{
	const struct wi_world *w = c->w;
	size_t n = 0;

	for (uint32_t k = 0; k < w->n_sends; k++) {
		const struct wi_send *s = &w->sends[k];

		c->all[n++] = (struct happened) { s->last, wi_receiver(w, s), k,
						  false };
		if (s->completed >= 0 && strcmp(s->op, "read") != 0)
			c->all[n++] =
				(struct happened) { s->completed,
						    wi_sender(w, s), k, true };
	}
	qsort(c->all, n, sizeof *c->all, by_place);
	for (size_t i = 0; i < n; i++)
		c->from[c->all[i].node + 1]++;
	for (size_t i = 0; i < w->n_nodes; i++)
		c->from[i + 1] += c->from[i];
}

/* Sends by the node that sends them, in order of time. */
static void list_nodes(struct causing *c)
{
	const struct wi_world *w = c->w;

	for (size_t k = 0; k < w->n_sends; k++)
		c->mine[wi_sender(w, &w->sends[k]) + 2]++;
	for (size_t i = 0; i < w->n_nodes; i++)
		c->mine[i + 2] += c->mine[i + 1];
	for (uint32_t k = 0; k < w->n_sends; k++)
		c->sent[c->mine[wi_sender(w, &w->sends[k]) + 1]++] = k;
}

static void list_flows(struct causing *c)
{
	const struct wi_world *w = c->w;

	for (size_t k = 0; k < w->n_sends; k++)
		c->turn[k] = c->start[w->sends[k].flow + 1]++;
	for (size_t i = 0; i < w->n_flows; i++)
		c->start[i + 1] += c->start[i];
	for (uint32_t k = 0; k < w->n_sends; k++) {
		const struct wi_send *s = &w->sends[k];
		uint32_t at = c->start[s->flow] + c->turn[k];
		int64_t done =
			c->turn[k] ? w->sends[c->order[at - 1]].completed : 0;

		c->order[at] = k;
		c->overlaps[s->flow] |= done < 0 || done > s->first;
	}
}

/* The one before it in its flow, or NONE. */
static uint32_t before(const struct causing *c, uint32_t k)
{
	uint32_t at = c->start[c->w->sends[k].flow] + c->turn[k];

	return c->turn[k] ? c->order[at - 1] : NONE;
}

/* Its sender was through with it; a READ is one packet there. */
static int64_t gone(const struct wi_send *s)
{
	return strcmp(s->op, "read") ? s->last : s->first;
}

/* So soon the packet behind |s| comes.  A sender that CNPs slow down waits
 * between packets, and between messages as well. */
static int64_t slack_of(const struct wi_world *w, const struct wi_send *s)
{
	const struct wi_flow *f = &w->flows[s->flow];
	int64_t packets = f->pmtu ? (int64_t)(s->bytes / f->pmtu) : 0;
	int64_t gap = f->reacts && packets > 1
			      ? SLOWER * (gone(s) - s->first) / packets
			      : 0;

	return gap > SLACK ? gap : SLACK;
}

static bool is_queued(const struct causing *c, uint32_t k)
{
	const struct wi_world *w = c->w;
	uint32_t p = before(c, k);

	return p != NONE &&
	       w->sends[k].first <=
		       gone(&w->sends[p]) + slack_of(w, &w->sends[p]);
}

/* Behind the latest thing at the host of |k| that may have let it begin.  What
 * happened at the same time is of messages before it: where a clock stands
 * still, all of them have one time, and no others are to be passed over. */
static size_t lately(const struct causing *c, uint32_t k)
{
	const struct wi_send *s = &c->w->sends[k];
	uint32_t node = wi_sender(c->w, s);
	size_t from = c->from[node], to = c->from[node + 1];

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (c->all[mid].at < s->first ||
		    (c->all[mid].at == s->first && c->all[mid].send < k))
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static bool add(struct wi_send *s, uint32_t of, bool acked)
{
	if (!s->after) {
		s->after = calloc(CAUSES, sizeof *s->after);
		s->acked = calloc(CAUSES, sizeof *s->acked);
		if (!s->after || !s->acked)
			return false;
	}
	if (s->n_after < CAUSES) {
		s->after[s->n_after] = of;
		s->acked[s->n_after++] = acked;
	}
	return true;
}

static void vote(struct causing *c, uint32_t k, const struct happened *e)
{
	const struct wi_send *s = &c->w->sends[k];
	uint32_t flow = c->w->sends[e->send].flow;
	int64_t shift = (int64_t)c->turn[e->send] - c->turn[k];
	struct habit *h = c->habits[s->flow];

	for (int i = 0; i < HABITS; i++) {
		if (h[i].votes && (h[i].of != flow || h[i].shift != shift ||
				   h[i].acked != e->acked))
			continue;
		h[i].of = flow;
		h[i].shift = shift;
		h[i].acked = e->acked;
		h[i].votes++;
		h[i].ago += (double)(s->first - e->at);
		h[i].square +=
			(double)(s->first - e->at) * (double)(s->first - e->at);
		return;
	}
}

static void vote_all(struct causing *c, uint32_t k)
{
	size_t at = lately(c, k),
	       first = c->from[wi_sender(c->w, &c->w->sends[k])];

	for (int i = 0; i < LATELY && at > first; i++)
		if (c->all[--at].send < k)
			vote(c, k, &c->all[at]);
}

/* Of those that are nearly always there the latest comes first. */
static int by_weight(const void *a, const void *b)
{
	const struct habit *x = a, *y = b;
	double ago;

	if (x->regular != y->regular)
		return x->regular ? -1 : 1;
	if (!x->regular)
		return (x->votes < y->votes) - (x->votes > y->votes);
	ago = x->ago / x->votes - y->ago / y->votes;
	return (ago > 0) - (ago < 0);
}

static void weigh(struct habit h[static HABITS])
{
	uint32_t most = 0;

	for (int i = 0; i < HABITS; i++)
		most = h[i].votes > most ? h[i].votes : most;
	for (int i = 0; i < HABITS; i++)
		h[i].regular = h[i].votes > 1 && h[i].votes > most * 7 / 10;
	qsort(h, HABITS, sizeof *h, by_weight);
}

/* When what |h| says of |k| happened; -1 it had not. */
static int64_t happened(const struct causing *c, uint32_t k,
			const struct habit *h, uint32_t *of)
{
	int64_t turn = c->turn[k] + h->shift, at;

	if (turn < 0 || turn >= c->start[h->of + 1] - c->start[h->of])
		return -1;
	*of = c->order[c->start[h->of] + turn];
	at = h->acked ? c->w->sends[*of].completed : c->w->sends[*of].last;
	return *of < k && at <= c->w->sends[k].first + SLACK ? at : -1;
}

/* Where each iteration of the host of |k| has as many messages of |flow|: the
 * last of those that are done when it begins for the |number|th time. */
static uint32_t last_of(const struct causing *c, uint32_t flow, uint32_t number,
			uint32_t begins)
{
	uint32_t all = c->start[flow + 1] - c->start[flow];

	return all && all % begins == 0
		       ? c->order[c->start[flow] + all / begins * number - 1]
		       : NONE;
}

/* |of| is the last thing that the host of |k| sent before it. */
static bool is_last(const struct causing *c, uint32_t k, uint32_t of)
{
	return c->w->sends[of].first >= c->since[k] - SLACK;
}

static bool is_own(const struct causing *c, uint32_t k, uint32_t of)
{
	return c->w->sends[of].flow == c->w->sends[k].flow;
}

/* Do hosts wait for the ACK of |of| before they begin with |k|?  Queue pairs
 * may do so each for itself. */
static bool is_awaited(const struct causing *c, uint32_t k, uint32_t of)
{
	uint32_t n = is_own(c, k, of)    ? c->without_own
		     : is_last(c, k, of) ? c->without_last
					 : c->without_other;

	return n < 2 || n < c->n_begun / SELDOM;
}

/* All that came in at the host of |k| in its iteration before, and that what it
 * sent was there; what came later, while it computed, is of what follows.  Of a
 * host that is faster some came before this one began. */
static bool add_all(struct causing *c, uint32_t k, int64_t until, bool counted)
{
	struct wi_send *s = &c->w->sends[k];
	uint32_t node = wi_sender(c->w, s);
	const struct begin *b = &c->begins[node];

	for (size_t at = lately(c, k); at-- > c->from[node];) {
		const struct happened *e = &c->all[at];
		uint32_t last = last_of(c, c->w->sends[e->send].flow, b->number,
					c->n_begins[node]);
		bool fits = !counted || last == NONE || last == e->send;

		if (e->at < b->before || s->n_after == CAUSES)
			break;
		if (e->at < b->at && (!counted || last != e->send))
			continue;
		if (e->send < k && e->at <= until && fits &&
		    (!e->acked || is_awaited(c, k, e->send)) &&
		    !add(s, e->send, e->acked))
			return false;
	}
	return true;
}

/* Variance of how long before it came about. */
static double varies(const struct habit *h)
{
	double mean = h->ago / h->votes;

	return h->square / h->votes - mean * mean;
}

/* The first habit of this kind that had come about; NULL none. */
static const struct habit *by_habit(const struct causing *c, uint32_t k,
				    bool acked, uint32_t *of, int64_t *at)
{
	const struct habit *h = c->habits[c->w->sends[k].flow];

	for (int i = 0; i < HABITS && h[i].regular; i++) {
		if (h[i].acked != acked)
			continue;
		*at = happened(c, k, &h[i], of);
		if (*at >= 0)
			return &h[i];
	}
	*at = -1;
	return NULL;
}

static int64_t by_time(const struct causing *c, uint32_t k, bool *acked,
		       uint32_t *of)
{
	size_t at = lately(c, k);
	size_t first = c->from[wi_sender(c->w, &c->w->sends[k])];

	while (at-- > first)
		if (c->all[at].send < k) {
			*of = c->all[at].send;
			*acked = c->all[at].acked;
			return c->all[at].at;
		}
	return -1;
}

/* ---- begins of iterations ---- */

/* |s| goes out at the ACK of |o|, the one that its host sent before it. */
static bool is_next(const struct wi_send *s, const struct wi_send *o)
{
	return o->completed <= s->first && o->completed >= s->first - SLACK;
}

/* What was sent before may still be under way: a host computes meanwhile.  But
 * one that goes on at its ACK had only waited for that. */
static void find_quiet(struct causing *c)
{
	for (uint32_t k = 0; k < c->w->n_sends; k++)
		c->ready[k] = -1;
	for (size_t i = 0; i < c->w->n_nodes; i++) {
		const struct wi_send *o = NULL;

		for (size_t at = c->mine[i]; at < c->mine[i + 1]; at++) {
			uint32_t k = c->sent[at];
			const struct wi_send *s = &c->w->sends[k];

			c->since[k] = o ? o->first : 0;
			c->quiet[k] = s->first > c->since[k] + IDLE &&
				      !(o && is_next(s, o));
			o = s;
		}
	}
}

/* What its host had sent before |k|, from |from| to |to| of its sends. */
static void count_without(struct causing *c, uint32_t k, size_t from, size_t to)
{
	bool last = false, other = false, own = false;

	for (; from < to; from++) {
		uint32_t of = c->sent[from];

		if (c->w->sends[of].completed <= c->ready[k] + SLACK)
			continue;
		own |= is_own(c, k, of);
		last |= !is_own(c, k, of) && is_last(c, k, of);
		other |= !is_own(c, k, of) && !is_last(c, k, of);
	}
	c->n_begun++;
	c->without_last += last;
	c->without_other += other;
	c->without_own += own;
}

static void count_begins(struct causing *c)
{
	for (size_t i = 0; i < c->w->n_nodes; i++) {
		size_t from = c->mine[i];

		for (size_t at = from; at < c->mine[i + 1]; at++) {
			uint32_t k = c->sent[at];

			if (!c->quiet[k])
				continue;
			c->n_begins[i]++;
			count_without(c, k, from, at);
			from = at;
		}
	}
}

/* Of the starts from |from| to |to|, which are of one node. */
static void list_lags(struct causing *c, size_t from, size_t to)
{
	c->n_lags = 0;
	for (; from < to; from++) {
		uint32_t k = c->starts[from];
		const struct wi_send *s = &c->w->sends[k];
		size_t at = lately(c, k), first = c->from[wi_sender(c->w, s)];

		if (c->ready[k] >= 0)
			continue;
		for (int i = 0; i < EARLIER && at > first; i++)
			/* the last of them went out at an event, too */
			if (c->all[--at].send < k &&
			    c->all[at].at >= c->since[k] - SLACK)
				c->lags[c->n_lags++] =
					(struct lag) { s->first - c->all[at].at,
						       c->all[at].at, k,
						       c->all[at].acked };
	}
}

static int by_lag(const void *a, const void *b)
{
	const struct lag *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* Lags that are alike, of at least |enough| sends: the shortest, from |*begin|
 * to |*end|.  With |enough| 0: of how many they are at most. */
static uint32_t alike(struct causing *c, uint32_t enough, size_t *begin,
		      size_t *end)
{
	uint32_t here = 0, most = 0;
	bool found = false;

	for (size_t from = 0, to = 0; from < c->n_lags; from++) {
		int64_t limit = c->lags[from].ns + c->lags[from].ns / 10 + 500;

		for (; to < c->n_lags && c->lags[to].ns <= limit; to++)
			here += !c->seen[c->lags[to].send]++;
		most = here > most ? here : most;
		if (enough && !found && here >= enough) {
			found = true;
			*begin = from;
			*end = to;
		}
		here -= !--c->seen[c->lags[from].send];
	}
	return most;
}

/* Of how many sends are these lags: those of ACKs, of data, or of both? */
static uint32_t sends_of(struct causing *c, size_t begin, size_t end, bool acks,
			 bool data)
{
	uint32_t n = 0;

	for (size_t i = begin; i < end; i++)
		if (c->lags[i].acked ? acks : data)
			n += !c->seen[c->lags[i].send]++;
	for (size_t i = begin; i < end; i++)
		c->seen[c->lags[i].send] = 0;
	return n;
}

/* What these needed was there at the latest of those lags, of so many sends; if
 * nearly all waited for an ACK, or for data, the other kind is an accident. */
static uint32_t find_latest(struct causing *c, size_t begin, size_t end)
{
	uint32_t n = sends_of(c, begin, end, true, true);
	uint32_t most = n * (MOSTLY - 1) / MOSTLY;
	bool acks = sends_of(c, begin, end, true, false) >= most;
	bool data = sends_of(c, begin, end, false, true) >= most;

	while (end-- > begin)
		if (acks == data || c->lags[end].acked == acks)
			c->ready[c->lags[end].send] = c->lags[end].at;
	return n;
}

static double apart(int64_t a, int64_t b)
{
	return fabs(log((double)(a + 1) / (double)(b + 1)));
}

/* Begins whose lags are like no other's: those nearest to a mode. */
static void find_nearest(struct causing *c, const int64_t *mode, int n)
{
	for (size_t i = 0; i < c->n_lags; i++) {
		const struct lag *l = &c->lags[i];
		int64_t *ready = &c->ready[l->send];
		int64_t found = c->w->sends[l->send].first - *ready;
		double here = INFINITY, there = INFINITY;

		for (int k = 0; k < n; k++) {
			here = fmin(here, apart(l->ns, mode[k]));
			there = fmin(there, apart(found, mode[k]));
		}
		if (*ready < 0 || here < there)
			*ready = l->at;
	}
}

/* What comes too soon for computing begins no iteration. */
static void find_ready(struct causing *c, size_t from, size_t to)
{
	int64_t mode[MODES];
	size_t left = to - from;
	bool computes = false;

	for (int i = 0; i < MODES; i++) {
		size_t begin = 0, end = 0;
		uint32_t most;

		list_lags(c, from, to);
		if (!c->n_lags)
			return;
		qsort(c->lags, c->n_lags, sizeof *c->lags, by_lag);
		most = alike(c, 0, NULL, NULL);
		if (!computes && most < left / FEW)
			return; /* by accident: each flow has its own times */
		if (i && most == 1) {
			find_nearest(c, mode, i);
			return;
		}
		alike(c, most - most / 5, &begin, &end);
		mode[i] = c->lags[begin].ns;
		computes |= mode[i] >= IDLE;
		left -= find_latest(c, begin, end);
	}
}

/* The send at |at|, of a node whose sends end at |end|, was not waiting for one
 * of its flow; or it was, but what goes with it was not. */
static bool is_begin(const struct causing *c, size_t at, size_t end)
{
	uint32_t k = c->sent[at];
	const struct wi_send *s = &c->w->sends[k];

	if (!c->quiet[k] || c->ready[k] < 0 || s->first - c->ready[k] < IDLE)
		return false;
	for (; at < end; at++) {
		if (c->w->sends[c->sent[at]].first > s->first + SLACK)
			return false;
		if (!is_queued(c, c->sent[at]))
			return true;
	}
	return false;
}

static void find_begins(struct causing *c)
{
	find_quiet(c);
	for (size_t i = 0; i < c->w->n_nodes; i++) {
		size_t from = c->n_starts;

		for (size_t at = c->mine[i]; at < c->mine[i + 1]; at++)
			if (c->quiet[c->sent[at]])
				c->starts[c->n_starts++] = c->sent[at];
		find_ready(c, from, c->n_starts);
	}
	for (size_t i = 0; i < c->w->n_nodes; i++)
		c->n_begins[i] = c->begins[i].number = 1;
	for (size_t i = 0; i < c->w->n_nodes; i++)
		for (size_t at = c->mine[i]; at < c->mine[i + 1]; at++)
			c->quiet[c->sent[at]] = is_begin(c, at, c->mine[i + 1]);
	count_begins(c);
}

/* When the last of what |k| waits for came about; -1 nothing. */
static int64_t latest(const struct causing *c, uint32_t k)
{
	const struct wi_send *s = &c->w->sends[k];
	int64_t at = -1;

	for (uint32_t i = 0; i < s->n_after; i++) {
		const struct wi_send *o = &c->w->sends[s->after[i]];
		int64_t t = s->acked[i] ? o->completed : o->last;

		at = t > at ? t : at;
	}
	return at;
}

/* That at which it was ready is one, where counts say nothing. */
static bool add_ready(struct causing *c, uint32_t k)
{
	for (size_t at = lately(c, k); at-- > 0;) {
		const struct happened *e = &c->all[at];

		if (e->node != wi_sender(c->w, &c->w->sends[k]) ||
		    e->at < c->ready[k])
			break;
		if (e->at == c->ready[k] && e->send < k)
			return add(&c->w->sends[k], e->send, e->acked);
	}
	return true;
}

/* |k| begins an iteration, or goes out with what does. */
static bool begins(struct causing *c, uint32_t k)
{
	struct wi_send *s = &c->w->sends[k];
	struct begin *b = &c->begins[wi_sender(c->w, s)];
	const struct wi_send *o = &c->w->sends[b->send];
	int64_t at;

	if (c->quiet[k]) {
		/* where begins were overlooked the count is wrong */
		if (!add_all(c, k, c->ready[k], true) ||
		    (latest(c, k) < c->ready[k] - IDLE && !add_ready(c, k)))
			return false;
		/* it was ready at an ACK, and hosts do not wait for these */
		at = latest(c, k);
		s->wait = s->first - (at < 0 ? c->ready[k] : at);
		*b = (struct begin) { s->first, b->at, b->number + 1, k };
		return true;
	}
	s->n_after = 0;
	s->wait = o->wait + (is_queued(c, k) ? 0 : s->first - o->first);
	for (uint32_t i = 0; i < o->n_after; i++)
		if (!add(s, o->after[i], o->acked[i]))
			return false;
	return true;
}

/* Its host has just begun, and nothing came about since. */
static bool is_of_begin(const struct causing *c, uint32_t k)
{
	const struct wi_send *s = &c->w->sends[k];
	const struct begin *b = &c->begins[wi_sender(c->w, s)];

	return b->at && s->first <= b->at + IDLE && s->wait >= s->first - b->at;
}

/* It stood behind another one of its flow, which sends as many messages in each
 * iteration, and is the first of the iteration that its host began last. */
static bool is_held_back(const struct causing *c, uint32_t k)
{
	const struct wi_send *s = &c->w->sends[k];
	uint32_t node = wi_sender(c->w, s), begun = c->begins[node].number;
	uint32_t all = c->start[s->flow + 1] - c->start[s->flow];
	uint32_t per = all / c->n_begins[node];

	return is_queued(c, k) && begun > 1 && per &&
	       all % c->n_begins[node] == 0 && c->turn[k] == per * (begun - 1);
}

/* Behind another one of its flow, of which none shows what it waits for: it is
 * posted at the latest of what came about since that one began, or with it. */
static bool as_before(struct causing *c, uint32_t k)
{
	const struct wi_send *o = &c->w->sends[before(c, k)];
	struct wi_send *s = &c->w->sends[k];
	bool acked = false;
	uint32_t of = 0;
	int64_t at = by_time(c, k, &acked, &of);

	if (at > o->first) {
		s->wait = s->first - at < SLACK ? s->first - at : SLACK;
		return add(s, of, acked);
	}
	s->wait = o->wait;
	for (uint32_t i = 0; i < o->n_after; i++)
		if (!add(s, o->after[i], o->acked[i]))
			return false;
	return true;
}

/* A message that stood behind another one would have gone out before, as those
 * of its flow do that did not. */
static int64_t usual_wait(const struct habit *h, int64_t wait)
{
	int64_t usual = (int64_t)(h->ago / h->votes);

	return usual < wait ? usual : wait;
}

/* Its host never begins anything at regular times, and each message of its flow
 * goes out after the ACK of the one before it. */
static bool is_alone(const struct causing *c, uint32_t k)
{
	const struct wi_send *s = &c->w->sends[k];

	return c->n_begins[wi_sender(c->w, s)] == 1 && c->turn[k] &&
	       !c->overlaps[s->flow];
}

static bool say(struct causing *c, uint32_t k)
{
	struct wi_send *s = &c->w->sends[k];
	uint32_t got = 0, ack = 0;
	const struct habit *x, *y;
	int64_t data, acks, at;
	bool acked = false;

	if (c->quiet[k] || is_held_back(c, k))
		return begins(c, k);
	if (is_alone(c, k)) {
		got = before(c, k);
		s->wait = s->first - c->w->sends[got].completed;
		return add(s, got, true);
	}
	x = by_habit(c, k, false, &got, &data);
	y = by_habit(c, k, true, &ack, &acks);
	/* what is always as long before is more than what is before */
	if (x && y && STEADY * varies(x) < varies(y))
		acks = -1;
	else if (x && y && STEADY * varies(y) < varies(x))
		data = -1;
	if (data >= 0 && !add(s, got, false))
		return false;
	if (acks >= 0 && !add(s, ack, true))
		return false;
	at = data > acks ? data : acks;
	if (at < 0 && is_queued(c, k))
		return as_before(c, k);
	if (at < 0) {
		at = by_time(c, k, &acked, &got);
		if (at >= 0 && !add(s, got, acked))
			return false;
	}
	s->wait = at < 0 ? s->first : s->first > at ? s->first - at : 0;
	if (is_queued(c, k))
		s->wait = usual_wait(at == data ? x : y, s->wait);
	return is_of_begin(c, k) && !is_queued(c, k) ? begins(c, k) : true;
}

static bool all(struct causing *c)
{
	list_events(c);
	list_flows(c);
	list_nodes(c);
	find_begins(c);
	for (uint32_t k = 0; k < c->w->n_sends; k++)
		if (!c->quiet[k] && !is_queued(c, k))
			vote_all(c, k);
	for (size_t i = 0; i < c->w->n_flows; i++)
		weigh(c->habits[i]);
	for (uint32_t k = 0; k < c->w->n_sends; k++)
		if (!say(c, k))
			return false;
	return true;
}

/* What a message waited for passed the capture point before it was through the
 * host's link and NIC, and the message after it left: together as long as an
 * ACK takes, here as in the model (scenario.c). */
static void without_link(struct wi_world *w)
{
	for (size_t k = 0; k < w->n_sends; k++) {
		struct wi_send *s = &w->sends[k];
		int64_t away = w->nodes[wi_sender(w, s)].answer_ns;

		if (s->n_after)
			s->wait = s->wait > away ? s->wait - away : 0;
	}
}

int wi_causes(struct wi_world *w, struct err *err)
{
	struct causing c = { .w = w };
	bool done = allocate(&c) && all(&c);

	if (done)
		without_link(w);

	free(c.all);
	free(c.from);
	free(c.turn);
	free(c.start);
	free(c.order);
	free(c.overlaps);
	free(c.habits);
	free(c.begins);
	free(c.n_begins);
	free(c.quiet);
	free(c.ready);
	free(c.since);
	free(c.lags);
	free(c.seen);
	free(c.starts);
	free(c.mine);
	free(c.sent);
	return done ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

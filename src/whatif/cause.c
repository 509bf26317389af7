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
 * A host that begins an iteration (begin.c) waits for all that came about since
 * the begin before, until it was ready: what came last need not come last under
 * other settings, and what comes while it computes is of the next iteration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "whatif/cause_int.h"

enum {
	LATELY = 6,  /* things before a message that it votes for */
	STEADY = 16, /* times the variance: no accident */
	SELDOM = 20, /* one in so many is an accident */
	SLOWER = 4,  /* times the mean gap: from packet to packet at the end */
	NONE = UINT32_MAX
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
	c->prompt = calloc(w->n_flows + 1, sizeof *c->prompt);
	c->ahead = calloc(w->n_sends + 1, sizeof *c->ahead);
	if (!c->prompt || !c->ahead)
		return false;
	c->tried = calloc(KINDS * (w->n_sends + 1), sizeof *c->tried);
	c->fits = calloc(KINDS * (w->n_jobs + 1), sizeof *c->fits);
	if (!c->tried || !c->fits)
		return false;
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

bool wi_is_queued(const struct causing *c, uint32_t k)
{
	const struct wi_world *w = c->w;
	uint32_t p = before(c, k);

	return p != NONE &&
	       w->sends[k].first <=
		       gone(&w->sends[p]) + slack_of(w, &w->sends[p]);
}

size_t wi_lately(const struct causing *c, uint32_t k)
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
	size_t at = wi_lately(c, k),
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

bool wi_is_last(const struct causing *c, uint32_t k, uint32_t of)
{
	return c->w->sends[of].first >= c->since[k] - SLACK;
}

bool wi_is_own(const struct causing *c, uint32_t k, uint32_t of)
{
	return c->w->sends[of].flow == c->w->sends[k].flow;
}

/* Do hosts wait for the ACK of |of| before they begin with |k|?  Queue pairs
 * may do so each for itself. */
static bool is_awaited(const struct causing *c, uint32_t k, uint32_t of)
{
	uint32_t n = wi_is_own(c, k, of)    ? c->without_own
		     : wi_is_last(c, k, of) ? c->without_last
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

	for (size_t at = wi_lately(c, k); at-- > c->from[node];) {
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
	size_t at = wi_lately(c, k);
	size_t first = c->from[wi_sender(c->w, &c->w->sends[k])];

	while (at-- > first)
		if (c->all[at].send < k) {
			*of = c->all[at].send;
			*acked = c->all[at].acked;
			return c->all[at].at;
		}
	return -1;
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
	for (size_t at = wi_lately(c, k); at-- > 0;) {
		const struct happened *e = &c->all[at];

		if (e->node != wi_sender(c->w, &c->w->sends[k]) ||
		    e->at < c->ready[k])
			break;
		if (e->at == c->ready[k] && e->send < k)
			return add(&c->w->sends[k], e->send, e->acked);
	}
	return true;
}

/* Its flow was slowed down by CNPs, and mostly begins with its host: after a
 * cut of the rate a NIC may hold back the next packet for much longer than
 * packets of the message before it were apart. */
static bool is_paced(const struct causing *c, uint32_t k)
{
	const struct wi_send *s = &c->w->sends[k];
	uint32_t node = wi_sender(c->w, s);

	return c->w->flows[s->flow].slowed &&
	       s->first > c->begins[node].at + IDLE &&
	       2 * c->prompt[s->flow] > c->n_begins[node];
}

/* It stood behind another one of its flow, or its NIC held it back; its flow
 * sends as many messages in each iteration, and it is the first of the
 * iteration that its host began last. */
static bool is_held_back(const struct causing *c, uint32_t k)
{
	uint32_t node = wi_sender(c->w, &c->w->sends[k]);
	uint32_t begun = c->begins[node].number;

	return (wi_is_queued(c, k) || is_paced(c, k)) && begun > 1 &&
	       wi_is_first(c, k, begun);
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
	s->wait = o->wait + (is_held_back(c, k) ? 0 : s->first - o->first);
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

/* How long the first packet of |s| takes onto the link of its host.  The
 * request for a READ carries nothing. */
static int64_t first_ns(const struct wi_world *w, const struct wi_send *s)
{
	uint64_t pmtu = w->flows[s->flow].pmtu;
	double bytes = (double)(s->bytes < pmtu ? s->bytes : pmtu);

	if (!strcmp(s->op, "read"))
		bytes = 0;
	return wi_onto_link(ACK_BYTES + bytes, w->nodes[wi_sender(w, s)].bps);
}

/* Nearly all messages of its flow go out as soon as the same data comes in: no
 * accident. */
static bool is_passed_on(const struct causing *c, uint32_t k)
{
	const struct wi_send *s = &c->w->sends[k];
	const struct habit *h = c->habits[s->flow];
	uint32_t all = c->start[s->flow + 1] - c->start[s->flow];
	int64_t at_once = c->w->nodes[wi_sender(c->w, s)].answer_ns +
			  first_ns(c->w, s) + SLACK;

	for (int i = 0; i < HABITS && h[i].regular; i++)
		if (!h[i].acked && h[i].votes * MOSTLY >= all * (MOSTLY - 1) &&
		    h[i].ago <= (double)at_once * h[i].votes)
			return true;
	return false;
}

/* Its host never begins anything at regular times, and each message of its flow
 * goes out after the ACK of the one before it. */
static bool is_alone(const struct causing *c, uint32_t k)
{
	const struct wi_send *s = &c->w->sends[k];

	return c->n_begins[wi_sender(c->w, s)] == 1 && c->turn[k] &&
	       !c->overlaps[s->flow] && !is_passed_on(c, k);
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
	if (at < 0 && wi_is_queued(c, k))
		return as_before(c, k);
	if (at < 0) {
		at = by_time(c, k, &acked, &got);
		if (at >= 0 && !add(s, got, acked))
			return false;
	}
	s->wait = at < 0 ? s->first : s->first > at ? s->first - at : 0;
	if (wi_is_queued(c, k))
		s->wait = usual_wait(at == data ? x : y, s->wait);
	return is_of_begin(c, k) && !wi_is_queued(c, k) ? begins(c, k) : true;
}

static bool all(struct causing *c)
{
	list_events(c);
	list_flows(c);
	list_nodes(c);
	wi_find_begins(c);
	for (uint32_t k = 0; k < c->w->n_sends; k++)
		if (!c->quiet[k] && !wi_is_queued(c, k))
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
 * ACK takes, here as in the model (scenario.c), and its first packet takes
 * longer onto the link than an ACK.  What is left of less than an ACK is a
 * difference of headers: the message goes out before the ACK of what it waits
 * for. */
static void without_link(struct wi_world *w)
{
	for (size_t k = 0; k < w->n_sends; k++) {
		struct wi_send *s = &w->sends[k];
		int64_t away = w->nodes[wi_sender(w, s)].answer_ns;

		away += first_ns(w, s);
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
	free(c.tried);
	free(c.prompt);
	free(c.ahead);
	free(c.fits);
	free(c.since);
	free(c.lags);
	free(c.seen);
	free(c.starts);
	free(c.mine);
	free(c.sent);
	return done ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where hosts begin iterations.
 *
 * A host that sent nothing for long began one: when what it waits for was
 * there, and it had computed.  How long that takes is what mostly lies between
 * such a begin and something before it.  Hosts may wait for data, for ACKs of
 * what they sent, or for both: what they wait for is what makes these times
 * most alike. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "whatif/cause_int.h"

enum {
	MODES = 4, /* lags of begins that a host may have */
	FEW = 3,   /* less than one in so many is no habit of a host */
};

/* |s| goes out at the ACK of |o|, the one that its host sent before it. */
static bool is_next(const struct wi_send *s, const struct wi_send *o)
{
	return o->completed <= s->first && o->completed >= s->first - SLACK;
}

/* What was sent before may still be under way: a host computes meanwhile.  But
 * one that goes on at its ACK had only waited for that. */
static void find_quiet(struct causing *c)
{
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
		own |= wi_is_own(c, k, of);
		last |= !wi_is_own(c, k, of) && wi_is_last(c, k, of);
		other |= !wi_is_own(c, k, of) && !wi_is_last(c, k, of);
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

/* So many messages of the flow of |k| its host sends in each iteration; 0 it is
 * not always as many. */
static uint32_t per_begin(const struct causing *c, uint32_t k)
{
	const struct wi_send *s = &c->w->sends[k];
	uint32_t all = c->start[s->flow + 1] - c->start[s->flow];
	uint32_t begins = c->n_begins[wi_sender(c->w, s)];

	return all % begins ? 0 : all / begins;
}

bool wi_is_first(const struct causing *c, uint32_t k, uint32_t number)
{
	uint32_t per = per_begin(c, k);

	return per && c->turn[k] == per * (number - 1);
}

/* In how many iterations flows begin with their host. */
static void count_prompt(struct causing *c)
{
	for (size_t i = 0; i < c->w->n_nodes; i++) {
		uint32_t number = 1;
		int64_t begun = -1;

		for (size_t at = c->mine[i]; at < c->mine[i + 1]; at++) {
			uint32_t k = c->sent[at];
			const struct wi_send *s = &c->w->sends[k];

			number += c->quiet[k];
			if (c->quiet[k] || begun < 0)
				begun = s->first;
			if (s->first <= begun + IDLE &&
			    wi_is_first(c, k, number))
				c->prompt[s->flow]++;
		}
	}
}

/* Of the starts from |from| to |to|, which are of one node. */
static void list_lags(struct causing *c, size_t from, size_t to,
		      enum awaits kind)
{
	c->n_lags = 0;
	for (; from < to; from++) {
		uint32_t k = c->starts[from];
		const struct wi_send *s = &c->w->sends[k];
		size_t at = wi_lately(c, k),
		       first = c->from[wi_sender(c->w, s)];

		if (c->ready[k] >= 0)
			continue;
		for (int i = 0; i < EARLIER && at > first; i++)
			/* the last of them went out at an event, too */
			if (c->all[--at].send < k &&
			    c->all[at].at >= c->since[k] - SLACK &&
			    kind != (c->all[at].acked ? DATA : ACKS))
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

/* What these needed was there at the latest of those lags; if nearly all waited
 * for an ACK, or for data, the other kind is an accident.  How much they vary
 * goes into |fit|, where a host was computing. */
static uint32_t find_latest(struct causing *c, size_t begin, size_t end,
			    struct fit *fit)
{
	uint32_t all = sends_of(c, begin, end, true, true);
	uint32_t most = all * (MOSTLY - 1) / MOSTLY;
	bool acks = sends_of(c, begin, end, true, false) >= most;
	bool data = sends_of(c, begin, end, false, true) >= most;
	bool computes = c->lags[begin].ns >= IDLE;
	double n = 0, sum = 0, square = 0;

	for (size_t i = begin; i < end; i++) {
		const struct lag *l = &c->lags[i];

		if ((acks != data && l->acked != acks) || c->seen[l->send]++)
			continue;
		c->ready[l->send] = l->at;
		n++;
		sum += (double)l->ns;
		square += (double)l->ns * (double)l->ns;
	}
	for (size_t i = begin; i < end; i++)
		c->seen[c->lags[i].send] = 0;
	if (computes && n > 0) {
		fit->n += n;
		fit->square += square - sum * sum / n;
	}
	return all;
}

/* |l|: its send went out as soon as this had come in. */
static bool is_at_once(const struct causing *c, const struct lag *l)
{
	uint32_t node = wi_sender(c->w, &c->w->sends[l->send]);

	return l->ns <= c->w->nodes[node].answer_ns + SLACK;
}

/* From |ns| to the nearest mode, as a ratio's logarithm. */
static double to_mode(int64_t ns, const int64_t *mode, int n)
{
	double least = INFINITY;

	for (int k = 0; k < n; k++)
		least = fmin(least, fabs(log((double)(ns + 1) /
					     (double)(mode[k] + 1))));
	return least;
}

/* Begins whose lags are like no other's: those nearest to a mode.  Where the
 * nearest is less than half of it, or more than twice, and something came in
 * just before, the host was only waiting for that. */
static void find_nearest(struct causing *c, const int64_t *mode, int n)
{
	for (size_t i = 0; i < c->n_lags; i++) {
		const struct lag *l = &c->lags[i];
		int64_t *ready = &c->ready[l->send];
		int64_t found = c->w->sends[l->send].first - *ready;

		if (*ready < 0 ||
		    to_mode(l->ns, mode, n) < to_mode(found, mode, n))
			*ready = l->at;
	}
	for (size_t i = c->n_lags; i-- > 0;) {
		const struct lag *l = &c->lags[i];
		int64_t *ready = &c->ready[l->send];
		int64_t found = c->w->sends[l->send].first - *ready;

		if (is_at_once(c, l) && to_mode(found, mode, n) > log(2))
			*ready = l->at;
	}
}

/* What comes too soon for computing begins no iteration. */
static void find_ready(struct causing *c, size_t from, size_t to,
		       enum awaits kind, struct fit *fit)
{
	int64_t mode[MODES];
	bool computes = false;
	size_t left = 0;

	for (size_t i = from; i < to; i++)
		left += c->ready[c->starts[i]] < 0;
	for (int i = 0; i < MODES; i++) {
		size_t begin = 0, end = 0;
		uint32_t most;

		list_lags(c, from, to, kind);
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
		left -= find_latest(c, begin, end, fit);
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
		if (!wi_is_queued(c, c->sent[at]))
			return true;
	}
	return false;
}

/* Starts of the host at |from|, in |starts|, are of this one of |jobs|; those
 * of none come last. */
static size_t job_of(const struct causing *c, size_t from)
{
	int64_t id = c->w->sends[c->starts[from]].job;
	size_t j = 0;

	while (j < c->w->n_jobs && c->w->jobs[j] != id)
		j++;
	return j;
}

/* As if the hosts of each job waited for |kind|.  What went out at once does so
 * whatever begins wait for. */
static void try_kind(struct causing *c, enum awaits kind)
{
	int64_t *tried = c->tried + kind * c->w->n_sends;
	size_t from = 0;

	for (uint32_t k = 0; k < c->w->n_sends; k++)
		if (kind == BOTH || c->w->sends[k].first - c->ready[k] >= IDLE)
			c->ready[k] = -1;
	while (from < c->n_starts) {
		uint32_t node = wi_sender(c->w, &c->w->sends[c->starts[from]]);
		size_t to = from;

		while (to < c->n_starts &&
		       wi_sender(c->w, &c->w->sends[c->starts[to]]) == node)
			to++;
		find_ready(c, from, to, kind,
			   &c->fits[job_of(c, from) * KINDS + kind]);
		from = to;
	}
	memcpy(tried, c->ready, c->w->n_sends * sizeof *tried);
}

/* Computing takes as long each time, and what is not waited for comes when it
 * comes: what hosts wait for is what makes their times most alike. */
static enum awaits most_alike(const struct fit fit[static KINDS])
{
	enum awaits best = BOTH;

	for (enum awaits k = DATA; k < KINDS; k++)
		if (fit[k].n * MOSTLY >= fit[best].n * (MOSTLY - 1) &&
		    fit[k].square * fit[best].n < fit[best].square * fit[k].n)
			best = k;
	return best;
}

static void find_all_ready(struct causing *c)
{
	for (enum awaits k = BOTH; k < KINDS; k++) {
		memcpy(c->ready, c->tried, c->w->n_sends * sizeof *c->ready);
		try_kind(c, k);
	}
	for (size_t i = 0; i < c->n_starts; i++) {
		uint32_t k = c->starts[i];
		enum awaits kind = most_alike(&c->fits[job_of(c, i) * KINDS]);
		int64_t ready = c->tried[kind * c->w->n_sends + k];

		/* this one was not seen to come in after what it sent last */
		c->ready[k] = ready < 0 || c->w->sends[k].first - ready < IDLE
				      ? c->tried[k]
				      : ready;
	}
}

/* A host begins with all flows that it begins with.  Where most of them have
 * sent as many messages already, and this one was slowed down by CNPs, its NIC
 * held it back. */
static void drop_late(struct causing *c, size_t node)
{
	size_t from = c->mine[node], to = c->mine[node + 1], gone = from;
	uint32_t flows = 0;

	for (size_t at = from; at < to; at++) {
		c->ahead[c->turn[c->sent[at]]] = 0;
		flows += !c->turn[c->sent[at]];
	}
	for (size_t at = from; at < to; at++) {
		uint32_t k = c->sent[at];
		const struct wi_send *s = &c->w->sends[k];

		while (c->w->sends[c->sent[gone]].first < s->first - IDLE)
			c->ahead[c->turn[c->sent[gone++]]]++;
		c->quiet[k] &= !c->w->flows[s->flow].slowed ||
			       2 * c->ahead[c->turn[k]] < flows;
	}
}

void wi_find_begins(struct causing *c)
{
	find_quiet(c);
	for (size_t i = 0; i < c->w->n_nodes; i++)
		for (size_t at = c->mine[i]; at < c->mine[i + 1]; at++)
			if (c->quiet[c->sent[at]])
				c->starts[c->n_starts++] = c->sent[at];
	find_all_ready(c);
	for (size_t i = 0; i < c->w->n_nodes; i++)
		c->n_begins[i] = c->begins[i].number = 1;
	for (size_t i = 0; i < c->w->n_nodes; i++) {
		for (size_t at = c->mine[i]; at < c->mine[i + 1]; at++)
			c->quiet[c->sent[at]] = is_begin(c, at, c->mine[i + 1]);
		drop_late(c, i);
	}
	count_begins(c);
	count_prompt(c);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What senders make of CNPs: rates before and after.
 *
 * A sample of where the flow stands is taken with every eighth data packet;
 * the last twelve are a window.  A CNP opens a round: the window before it,
 * then, once its effect can have come round, the window after it.  CNPs
 * meanwhile belong to the same round.
 *
 * Cuts get small when they come often (alpha decays) and are made good in the
 * time of a few timers, so one CNP without effect proves little.  "None" is
 * said only where CNPs come too densely for that, and only where the rate at
 * this point is the sender's: behind the place that marks, a queue in front of
 * the tap sees to it that what passes stays the same for a while. */
#include <string.h>

#include "flow/congestion/congestion.h"
#include "flow/link/pause.h"

enum {
	REACT_NS = 20 * 1000,       /* a sender may take so long at least */
	REST_NS = 500 * 1000,       /* without CNPs: the burst is over */
	RECOVER_NS = 100 * 1000,    /* cuts this far apart may be made good */
	DRAIN_NS = 5 * 1000 * 1000, /* 64 MB at 100 Gb/s */
	GIVE_UP_NS = 100 * 1000 * 1000,
	IDLE = 5,  /* times the usual gap: not backlogged */
	MANY = 20, /* CNPs, of which something must be left */
	LATE_LEAST = 3,
	LOOK_BACK = SAMPLE_EVERY * (WINDOW + 1),
};

/* Percent. */
enum { REACTED = 80, UNCHANGED = 95, OWN_LINK = 90 };

static const char idle[] = "the sender was idle for a part of the time";
static const char few[] = "too few packets";
static const char recovering[] = "overlaps a recovery or an RNR NAK";
static const char paused[] = "overlaps a pause";
static const char shared[] = "the marking queue is upstream and shared";
static const char between[] = "the change is too small";
static const char slowed[] = "earlier CNPs of the burst had reduced the rate";
static const char recovered[] = "the rate may have recovered within the window";
static const char draining[] = "a queue upstream of the tap may be draining";
static const char unknown_before[] = "the rate before the burst is not known";

/* ---- samples ---- */

static struct rate_sample *sample_at(struct congestion *c, uint32_t back)
{
	return &c->samples[(c->n_samples - 1 - back) % SAMPLES];
}

static bool disturbed(const struct flow *f, struct congestion *c)
{
	bool yes = f->recovery || f->retransmitted != c->retransmitted ||
		   f->rnr_nak != c->refused;

	c->retransmitted = f->retransmitted;
	c->refused = f->rnr_nak;
	return yes;
}

/* Since the sample before. */
static bool was_paused(const struct engine *e, const struct congestion *c,
		       const struct packet *p)
{
	return e->stall_after != STALL_NEVER && c->sample_ns &&
	       stall_paused(e, p, c->sample_ns) > 0;
}

static void take_sample(struct congestion *c, struct rate_sample s)
{
	s.gap = c->gap;
	s.bytes = c->bytes;
	c->samples[c->n_samples++ % SAMPLES] = s;
	c->sample_ns = s.ns;
	c->gap = 0;
}

/* The usual time between two samples. */
static int64_t median(struct congestion *c, unsigned n)
{
	int64_t v[WINDOW];

	for (unsigned i = 0; i < n; i++) {
		int64_t d = sample_at(c, i)->ns - sample_at(c, i + 1)->ns;
		unsigned k = i;

		for (; k && v[k - 1] > d; k--)
			v[k] = v[k - 1];
		v[k] = d;
	}
	return v[n / 2];
}

static struct rate_window window(struct congestion *c, unsigned n)
{
	struct rate_window w = { 0 };
	struct rate_sample *to, *from;
	int64_t gap = 0;

	if (n > WINDOW)
		n = WINDOW;
	if (c->n_samples < n + 1)
		n = c->n_samples ? c->n_samples - 1 : 0;
	if (n < WINDOW_LEAST)
		return w;
	to = sample_at(c, 0);
	from = sample_at(c, n);
	if (to->ns <= from->ns)
		return w;
	for (unsigned i = 0; i < n; i++) {
		const struct rate_sample *s = sample_at(c, i);

		gap = s->gap > gap ? s->gap : gap;
		w.disturbed |= s->disturbed;
		w.paused |= s->paused;
	}
	w.ns = to->ns - from->ns;
	w.bytes = to->bytes - from->bytes;
	w.all = from->all ? to->all - from->all : 0;
	w.bps = (int64_t)((double)w.bytes * 8e9 / (double)w.ns);
	w.backlogged = gap <= IDLE * median(c, n);
	return w;
}

/* ---- before the first mark ---- */

static const struct recent_packet *
before(struct engine *e, const struct flow *f, bool responses, uint32_t psn)
{
	const struct recent_packet *r = NULL;

	while ((r = recent_find(&e->recent, recent_of_flow(f->index, responses),
				psn, r)))
		if (e->op[r->opcode] & (IS_REQUEST | IS_DATA))
			return r;
	return NULL;
}

void reaction_look_back(struct engine *e, struct flow *f, struct congestion *c,
			bool responses, uint32_t psn)
{
	const struct recent_packet *r[LOOK_BACK];
	unsigned n = 0;

	while (n < LOOK_BACK &&
	       (r[n] = before(e, f, responses, (psn - 1 - n) & 0xffffff)) &&
	       (!n || r[n]->ns <= r[n - 1]->ns))
		n++;
	while (n--) {
		if (c->packets && r[n]->ns - c->last_ns > c->gap)
			c->gap = r[n]->ns - c->last_ns;
		c->last_ns = r[n]->ns;
		c->bytes += r[n]->wire_len;
		if (++c->packets % SAMPLE_EVERY == 0)
			take_sample(c, (struct rate_sample) {
					       .ns = r[n]->ns,
					       .disturbed = f->recovery });
	}
	disturbed(f, c);
}

/* ---- verdicts ---- */

/* Marked before it came here: then what passes is what a queue lets through. */
static const char *behind_queue(const struct congestion *c,
				const struct rate_window *w)
{
	if (!c->fact.marks)
		return NULL;
	if (!w->all || w->bytes * 100 < w->all * OWN_LINK)
		return shared;
	if (c->last_ns - c->burst.first < DRAIN_NS)
		return draining;
	return NULL;
}

/* Why nothing can be said of these windows; NULL: something can. */
static const char *unusable(const struct rate_window *before,
			    const struct rate_window *after)
{
	if (!before->ns || !after->ns)
		return few;
	if (before->disturbed || after->disturbed)
		return recovering;
	if (before->paused || after->paused)
		return paused;
	return before->backlogged && after->backlogged ? NULL : idle;
}

static enum cnp_reaction judge(const struct congestion *c,
			       const struct rate_window *before,
			       const struct rate_window *after,
			       const char **why)
{
	int64_t start = c->burst.bps;

	*why = unusable(before, after);
	if (*why)
		return REACTION_INCONCLUSIVE;
	if (after->bps <= before->bps / 100 * REACTED)
		return REACTION_REACTED;
	if (!start)
		*why = unknown_before;
	else if (after->bps < before->bps / 100 * UNCHANGED)
		*why = between;
	else if (after->bps <= start / 100 * REACTED)
		*why = slowed;
	else if (after->ns > RECOVER_NS * (int64_t)c->round.cnps)
		*why = recovered;
	else
		*why = behind_queue(c, after);
	return *why ? REACTION_INCONCLUSIVE : REACTION_NONE;
}

/* After many CNPs in a row hardly anything should be left of the rate before
 * the first of them that could be measured, nor of the highest ever. */
static void burst_end(struct congestion *c)
{
	struct burst *b = &c->burst;
	bool dense = b->last - b->first <= RECOVER_NS * (int64_t)b->cnps;

	if (dense && b->bps && b->late >= LATE_LEAST &&
	    b->late_low > b->bps / 100 * REACTED &&
	    b->late_low > c->peak_bps / 2 && b->cnps > c->fact.ignored)
		c->fact.ignored = b->cnps;
	*b = (struct burst) { 0 };
}

static void note_rates(struct congestion *c, const struct rate_window *before,
		       const struct rate_window *after)
{
	struct fact_congestion *o = &c->fact;

	if (before->ns && o->rate_start_bps == FACT_UNKNOWN)
		o->rate_start_bps = before->bps;
	if (!after->ns)
		return;
	if (o->rate_low_bps == FACT_UNKNOWN || after->bps < o->rate_low_bps)
		o->rate_low_bps = after->bps;
	o->rate_end_bps = after->bps;
}

static void count(struct congestion *c, enum cnp_reaction r, const char *why,
		  const struct rate_window *after)
{
	struct burst *b = &c->burst;

	c->fact.reacted += r == REACTION_REACTED;
	c->fact.not_reacted += r == REACTION_NONE;
	c->fact.inconclusive += r == REACTION_INCONCLUSIVE;
	c->fact.shared |= why == shared;
	if (c->round.before_cnps < MANY || unusable(&c->round.before, after) ||
	    behind_queue(c, after))
		return;
	if (!b->late++ || after->bps < b->late_low)
		b->late_low = after->bps;
}

static void close_round(struct engine *e, struct flow *f, struct congestion *c)
{
	struct round *r = &c->round;
	struct fact_cnp *row = &r->cnp;
	struct rate_window after = { 0 };
	const char *why = NULL;

	if (r->begun)
		after = window(c, r->samples);
	r->open = false;
	row->reaction = judge(c, &r->before, &after, &why);
	count(c, row->reaction, why, &after);
	note_rates(c, &r->before, &after);
	if (r->before.ns) {
		row->rate_before_bps = r->before.bps;
		row->window_before_ns = r->before.ns;
	}
	if (after.ns) {
		row->rate_after_bps = after.bps;
		row->window_after_ns = after.ns;
	}
	if (!row->detail)
		row->detail = why;
	emit_cnp(e, f, row);
}

/* ---- in ---- */

/* A sample was taken: does it begin or end the window of a round? */
static void follow_round(struct engine *e, struct flow *f, struct congestion *c)
{
	struct round *r = &c->round;
	const struct rate_sample *s = sample_at(c, 0);

	if (s->ns < r->from)
		return;
	if (!r->begun) {
		r->begun = true;
		r->samples = 0;
		return;
	}
	if (++r->samples >= WINDOW || s->ns - r->from > GIVE_UP_NS)
		close_round(e, f, c);
}

void reaction_sample(struct engine *e, struct flow *f, struct congestion *c,
		     int64_t ns, uint32_t tap, bool held)
{
	take_sample(c, (struct rate_sample) { .ns = ns,
					      .all = tap_bytes(e, tap),
					      .disturbed = disturbed(f, c),
					      .paused = held });
	if (c->round.open)
		follow_round(e, f, c);
}

void reaction_packet(struct engine *e, struct flow *f, struct congestion *c,
		     const struct packet *p)
{
	if (reaction_count(c, p->ns, p->wire_len))
		reaction_sample(e, f, c, p->ns, p->tap, was_paused(e, c, p));
}

static void open_round(struct flow *f, struct congestion *c,
		       const struct fact_cnp *row)
{
	struct rate_window w = window(c, WINDOW);
	int64_t react = f->rtt_s > REACT_NS ? f->rtt_s : REACT_NS;

	/* It had stopped by itself. */
	if (w.ns && row->ns - c->last_ns > w.ns / WINDOW_LEAST)
		w.backlogged = false;
	c->round = (struct round) {
		.open = true,
		.from = row->ns + react,
		.before = w,
		.before_cnps = c->burst.cnps,
		.cnp = *row,
	};
	if (!c->burst.bps && c->burst.cnps < MANY && w.backlogged &&
	    !w.disturbed && !w.paused)
		c->burst.bps = w.bps;
	if (w.bps > c->peak_bps)
		c->peak_bps = w.bps;
}

void reaction_cnp(struct engine *e, struct flow *f, struct congestion *c,
		  const struct fact_cnp *row)
{
	if (c->round.open && row->ns - c->round.from > GIVE_UP_NS)
		close_round(e, f, c);
	if (c->burst.cnps && row->ns - c->burst.last > REST_NS)
		burst_end(c);
	if (c->round.open)
		emit_cnp(e, f, row);
	else
		open_round(f, c, row);
	if (!c->burst.cnps++)
		c->burst.first = row->ns;
	c->burst.last = row->ns;
	c->round.cnps++;
}

void reaction_finish(struct engine *e, struct flow *f, struct congestion *c)
{
	if (c->round.open)
		close_round(e, f, c);
	burst_end(c);
}

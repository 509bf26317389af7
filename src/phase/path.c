/* SPDX-License-Identifier: GPL-2.0-or-later
 * The critical path of a job, conserved: from what arrived last back to what
 * it waited for, and so on to the begin.  Every nanosecond has one class.
 *
 * A rank sends because something came to it, because it had sent what was
 * before, because its receiver asked, or because it was done computing.  Of
 * these the latest is what it waited for; how long it took from there to the
 * first packet is compared with how long it usually takes.  A rank that
 * begins a phase by itself is late by what it takes longer than the others do
 * from the end of the phase before. */
#include <stdlib.h>

#include "base/search.h"
#include "phase/path_int.h"

enum { SENT_MAX = 64 }; /* of what a flow sent before: looked at, at most */

static const double NOISE = 0.25;

/* Flow |f| from its activity |k| up to |to|; |gap|: before the phase. */
static void along(struct path *p, uint32_t f, size_t k, int64_t from,
		  int64_t to, bool gap)
{
	const struct phase_activity *a = &p->j->in->flows[f].a[k];
	struct path_time t = { { 0 } };
	int64_t sent = a->sent < from ? from : a->sent > to ? to : a->sent;
	int64_t there = a->arrived < sent ? sent
			: a->arrived > to ? to
					  : a->arrived;
	uint32_t r = p->j->rank_of[p->j->in->flows[f].src];

	piece_sending(&p->facts, f, k, from, sent, &t);
	piece_transit(&p->facts, f, k, sent, there, &t);
	piece_back(&p->facts, f, k, there, to, &t);
	for (unsigned s = 0; s < SHARE_COUNT; s++)
		cells_give(p, f, r, gap, s, t.ns[s]);
}

/* Nobody can tell who was slow where one phase is all there is to compare. */
static enum phase_share asked_late(const struct path *p)
{
	return p->late == SHARE_IDLE ? SHARE_UNKNOWN : SHARE_RECEIVER;
}

/* Its receiver asks for all of |g|, and when it did for activity |k|, the
 * first, was not seen. */
static bool never_asked(const struct phase_flow *g, size_t k)
{
	return !k && g->driven && g->asked == PHASE_UNKNOWN;
}

/* Where rank |rank| and the others computed in step from |from| on, what these
 * took is usual, if that is more than |usual|. */
static int64_t usual_in_step(const struct path *p, uint32_t rank, int64_t from,
			     int64_t to, int64_t usual)
{
	int64_t others = path_began_in_step(p, rank, from, to);

	if (others == PHASE_UNKNOWN || others - from < usual)
		return usual;
	return others < to ? others - from : to - from;
}

/* The time from what activity |e| waited for to its first packet: what is
 * usual is needed, the rest is |late|, as far as both ends are seen. */
static void lag(struct path *p, const struct event *e, uint32_t rank,
		int64_t from, int64_t to, bool seen, enum phase_share late)
{
	const struct phase_flow *g = &p->j->in->flows[e->flow];
	int64_t asked =
		p->j->rank_of[g->dst] == rank ? phase_asked(g, e->k) : from;
	struct path_time t = { { 0 } };
	int64_t usual = path_usual_lag(p, e->flow, e->k), ns = to - from;

	seen &= !never_asked(g, e->k);
	if (ns > p->computes && piece_granted(&p->facts, e->flow, e->k, from)) {
		to = path_charge_credit(p, e, rank, from, to);
		ns = to - from;
		if (!ns)
			return;
	}
	if (late == SHARE_LATE)
		usual = path_usual_of_first(p, e, rank, from, usual);
	if (late == asked_late(p))
		usual = path_asks_usual(p, e, rank,
					asked > from && asked < to ? to - asked
								   : 0);
	else if (late == SHARE_LATE && !path_in_time(p, usual, ns))
		usual = usual_in_step(p, rank, from, to, usual);

	if (path_in_time(p, usual, ns))
		usual = ns;
	if (usual > p->computes) {
		piece_rest(&p->facts, e->flow, from, from + p->facts.reacts,
			   SHARE_TURN, &t);
		piece_rest(&p->facts, e->flow, from + p->facts.reacts,
			   from + usual, SHARE_COMPUTE, &t);
	} else {
		piece_rest(&p->facts, e->flow, from, from + usual, SHARE_TURN,
			   &t);
	}
	piece_asked(&p->facts, e->flow, from + usual, asked, to,
		    seen ? late : SHARE_UNKNOWN, &t);
	if (asked > from && t.ns[SHARE_ASKING])
		cells_part(p, from);
	silence_note(&p->silences, e->flow, rank, to, t.ns[SHARE_IDLE]);
	cells_give_time(p, e->flow, rank, &t);
}

/* Rank |r| asked late at the begin of a phase, at |at|: it began late itself,
 * it was stalled by the end of the phase before, it took no longer than ranks
 * take to begin, or nobody knows why. */
static enum phase_share why_asked_late(const struct path *p, uint32_t r,
				       int64_t at)
{
	if (path_late_by(p, r))
		return SHARE_LATE;
	if (path_began_late(p, r))
		return SHARE_UNKNOWN;
	if (p->start &&
	    (p->start[p->phase * p->j->n_ranks + r] != PHASE_UNKNOWN ||
	     path_idle_since_any(p, r, at) <= path_computes_for(p)))
		return SHARE_COMPUTE;
	return asked_late(p);
}

/* Was something on its way to rank |r| while that seemed to be late?  It may
 * have waited for the first part of it. */
static bool expects(const struct path *p, uint32_t r, int64_t ns)
{
	const struct event *next = path_earliest(&p->in[r], ns);

	return next && path_activity(p, next)->came < ns;
}

/* Rank |r| could not compute before the acknowledgement of what it had sent,
 * |e|, which was behind the end of the phase before: all was there by then. */
static void before_begin(struct path *p, uint32_t r, const struct event *e)
{
	struct path_time t = { { 0 } };

	if (e->ns <= p->before || e->ns > p->from ||
	    e->ns != path_activity(p, e)->acked ||
	    p->j->rank_of[p->j->in->flows[e->flow].src] != r)
		return;
	piece_back(&p->facts, e->flow, e->k, p->before, e->ns, &t);
	for (unsigned s = 0; s < SHARE_COUNT; s++)
		cells_give(p, e->flow, r, true, s, t.ns[s]);
}

/* Activity |e| began at |at|, later than |since|: when it could have, had the
 * credit come at once that it waited for.  What lies before |from| is of the
 * silence before the phase. */
static int64_t without_credit(struct path *p, const struct event *e,
			      uint32_t rank, int64_t since, int64_t from,
			      int64_t at)
{
	struct path_time before = { { 0 } }, t = { { 0 } };
	int64_t wanted;

	if (since >= at || !piece_granted(&p->facts, e->flow, e->k, since))
		return at;
	wanted = piece_wanted(&p->facts, e->flow, e->k, since);
	if (wanted < from) {
		piece_silence(&p->facts, e->flow, e->k, wanted, from, &before);
		for (unsigned s = 0; s < SHARE_COUNT; s++)
			cells_give(p, e->flow, rank, true, s, before.ns[s]);
	}
	piece_silence(&p->facts, e->flow, e->k, wanted > from ? wanted : from,
		      at, &t);
	cells_give_time(p, e->flow, rank, &t);
	return wanted;
}

/* The sender of activity |*e| began by itself: computing, or |late|, which is
 * |who|.  True: what released it lies in this phase, |*e|. */
static bool began_by_itself(struct path *p, uint32_t who, enum phase_share late,
			    struct event *e)
{
	const struct phase_flow *g = &p->j->in->flows[e->flow];
	uint32_t f = e->flow, r = p->j->rank_of[g->src];
	int64_t at = g->a[e->k].from;
	size_t i = p->phase * p->j->n_ranks + r;
	/* What a rank waited for is seen at its own link. */
	bool seen = who == r ? g->src_seen : g->dst_seen;
	enum phase_share over_is =
		seen && !never_asked(g, e->k) ? late : SHARE_UNKNOWN;
	int64_t took = p->start ? p->start[i] : PHASE_UNKNOWN;
	int64_t over = 0, from = p->from, late_from;
	struct path_time t = { { 0 } };
	bool released = took != PHASE_UNKNOWN && p->release[i].ns > p->from &&
			p->release[i].ns < at;

	if (took != PHASE_UNKNOWN)
		over = who == r ? path_late_by(p, r) : path_began_late(p, r);
	/* Who sent to others before was not late: who asked late was. */
	if (who != r && path_late_by(p, who) > over && took != PHASE_UNKNOWN &&
	    p->first[i] < at)
		over = path_late_by(p, who);
	/* The others of the first phase are all there is to compare with. */
	if (p->late == SHARE_LATE && took == PHASE_UNKNOWN &&
	    at - p->from > 2 * p->turn)
		over = at - p->from;
	if (released)
		from = p->release[i].ns;
	else
		path_leave(p, who);
	if (over > at - (released ? from : p->before))
		over = at - (released ? from : p->before);
	late_from = at - over;
	if (who == r)
		at = without_credit(p, e, r, late_from, from, at);
	if (late_from < from) {
		cells_give(p, f, who, true, over_is,
			   (at < from ? at : from) - late_from);
		late_from = at < from ? at : from;
	}
	if (over_is == SHARE_LATE && who == r && took != PHASE_UNKNOWN) {
		int64_t busy = path_would_wait(p, f, late_from, at);

		cells_give(p, f, r, false, SHARE_SHARED, busy);
		at -= busy;
	}
	if (took != PHASE_UNKNOWN && who == r &&
	    !path_repaired_between(p, r, at - took, at))
		p->late_alone[r] += at - late_from;
	if (!released && took != PHASE_UNKNOWN)
		before_begin(p, who, &p->release[i]);
	piece_rest(&p->facts, f, from, late_from,
		   seen ? SHARE_COMPUTE : SHARE_UNKNOWN, &t);
	piece_asked(&p->facts, f, late_from,
		    who == r ? late_from : phase_asked(g, e->k), at, over_is,
		    &t);
	cells_give_time(p, f, who, &t);
	if (released)
		*e = p->release[i];
	return released;
}

/* Is flow |f| repairing something when it begins to send at |ns|? */
static bool repairs(const struct path *p, uint32_t f, int64_t ns)
{
	enum phase_class c = path_evidence_at(p, f, ns);

	return c > CLASS_PAUSED && c < CLASS_CREDIT_WAIT;
}

/* Does rank |r| begin this phase by itself at |ns|?  |got| came last. */
static bool by_itself(const struct path *p, uint32_t r, int64_t ns,
		      const struct event *got)
{
	int64_t first = p->start ? p->first[p->phase * p->j->n_ranks + r]
				 : PHASE_UNKNOWN;

	if (!got || got->ns < p->from)
		return true;
	/* In the operation of a rank others begin when they send at first. */
	if (!p->start)
		return p->late == SHARE_LATE &&
		       path_self_starting(p->pattern) &&
		       path_earliest(&p->out[r], p->from)->ns >= ns;
	if (first == PHASE_UNKNOWN || first > ns)
		return false;
	if (p->pattern == PATTERN_ALL_TO_ALL)
		return true;
	return (p->start[p->phase * p->j->n_ranks + r] != PHASE_UNKNOWN ||
		(!p->phase && !p->j->bursts[0].cut &&
		 path_self_starting(p->pattern))) &&
	       (got->ns <= first ||
		(ns <= first && path_self_starting(p->pattern)));
}

/* Did activity |e| follow |got| as it usually does? */
static bool is_usual(const struct path *p, const struct event *e,
		     const struct event *got)
{
	int64_t usual = path_usual_lag(p, e->flow, e->k);

	return got && got->ns > p->from &&
	       (double)(path_activity(p, e)->from - got->ns) <=
		       (1 + NOISE) * (double)usual;
}

/* The activity before |e| that carried data of its flow; NULL: none.  One that
 * only asked for data is none, and one that only repeated what was lost is. */
static const struct phase_activity *data_before(const struct path *p,
						const struct event *e)
{
	const struct phase_activity *a = path_activity(p, e);

	for (size_t n = 0; n < SENT_MAX && n < e->k; n++)
		if (!(--a)->bytes || !path_is_small(&p->facts, e->flow, a) ||
		    a->inside)
			return a;
	return NULL;
}

/* Does activity |a| begin when |before| is acknowledged? */
static bool at_ack(const struct path *p, const struct phase_activity *a,
		   const struct phase_activity *before)
{
	return before->acked != PHASE_UNKNOWN &&
	       before->acked >= a->from - p->quick;
}

/* The flow of activity |e| was silent from |from| until that, or repaired what
 * was lost: what nothing explains is no turn if it took longer than one. */
static void silent(struct path *p, const struct event *e, uint32_t rank,
		   int64_t from)
{
	struct path_time t = { { 0 } };
	int64_t usual = p->turn > p->computes ? p->turn : p->computes;

	piece_silence(&p->facts, e->flow, e->k, from, path_activity(p, e)->from,
		      &t);
	if (!path_in_time(p, usual, t.ns[SHARE_TURN])) {
		t.ns[SHARE_UNKNOWN] += t.ns[SHARE_TURN] - usual;
		t.ns[SHARE_TURN] = usual;
	}
	cells_give_time(p, e->flow, rank, &t);
}

/* From |before| to activity |e| of the same flow.  Who has room for more waits
 * for no acknowledgement: a stage of a pipeline computes until then, and a
 * response to a READ, which has no PSN of its own, is not acknowledged. */
static void go_on(struct path *p, const struct event *e, uint32_t rank,
		  const struct phase_activity *before)
{
	const struct phase_activity *a = path_activity(p, e);

	if (!at_ack(p, a, before) ||
	    (piece_had_room(&p->facts, e->flow, before) &&
	     (p->pattern == PATTERN_PIPELINE ||
	      (!before->psns &&
	       path_in_time(p, path_usual_lag(p, e->flow, e->k),
			    a->from - before->sent))))) {
		lag(p, e, rank, before->sent, a->from,
		    p->j->in->flows[e->flow].src_seen, p->late);
		return;
	}
	silent(p, e, rank, before->sent);
}

/* Did rank |r| begin or ask for activity |*e| at |at| later than usual behind
 * |since|, but as long as usual behind a repair of its own, or at once, as what
 * it sends had no room before?  Then it waited for that, which is |*e| from
 * here on. */
static bool after_repair(struct path *p, struct event *e, uint32_t r,
			 int64_t at, int64_t since)
{
	const int64_t usual = path_usual_lag(p, e->flow, e->k);
	const int64_t middle = p->start ? p->middle[p->phase] : 0;
	uint32_t src = p->j->rank_of[p->j->in->flows[e->flow].src];
	struct event own;

	since = since > p->from ? since : p->from;
	if (!path_repaired(p, r) || path_in_time(p, usual, at - since))
		return false;
	if (!(usual > 0 &&
	      path_repaired_before(p, r, at, since, usual, &own)) &&
	    !(middle > 0 &&
	      path_repaired_before(p, r, at, since, middle, &own)) &&
	    !(r == src && path_repaired_until(p, r, at, since, &own)))
		return false;
	lag(p, e, r, own.ns, path_activity(p, e)->from,
	    p->j->in->flows[e->flow].src_seen, p->late);
	*e = own;
	return true;
}

/* Had the receiver of activity |e| done nothing in this phase before it asked,
 * or nothing but what came with |e|?  |in| came last to it, if |any|. */
static bool asks_first(const struct path *p, const struct event *e, bool any,
		       const struct event *in)
{
	return !any || in->ns < p->from ||
	       path_activity(p, in)->from >= path_activity(p, e)->from;
}

/* Some hosts ask for the next data when the last has come and what they send
 * has begun.  Had rank |r| begun to send, |own|, as long before |at| as hosts
 * usually ask, and not got anything, |in|, that late?  |e| is asked for.  Not
 * without phases: nobody knows whether it began to send late itself. */
static bool asks_when_sending(const struct path *p, const struct event *e,
			      uint32_t r, int64_t at, const struct event *in,
			      struct event *own)
{
	int64_t usual = path_asks_usual(p, e, r, 0);
	const struct event *last = path_latest(&p->out[r], at);
	const struct event *after = path_asked_after(p, e);

	if (after && p->j->rank_of[p->j->in->flows[after->flow].src] == r &&
	    after->ns > in->ns && after->ns > p->from) {
		*own = *after;
		return true;
	}
	if (!last || last->ns <= in->ns || last->ns <= p->from ||
	    !path_in_time(p, usual, at - last->ns) ||
	    path_in_time(p, usual, at - in->ns))
		return false;
	*own = *last;
	return true;
}

/* Activity |e| waited for its receiver to ask for it: back to what that had
 * waited for; false as below. */
static bool back_to_receiver(struct path *p, struct event *e)
{
	const struct phase_flow *g = &p->j->in->flows[e->flow];
	int64_t asked = phase_asked(g, e->k), from = g->a[e->k].from;
	int64_t at = asked - path_way_back(&p->facts, e->flow);
	uint32_t dst = p->j->rank_of[g->dst];
	struct event in, own;
	bool any = path_idle_before(p, dst, at, &in), first;
	int64_t idle = any ? at - in.ns : 0, over;

	if (after_repair(p, e, dst, asked, any ? in.ns : p->from))
		return true;
	if (p->start && any && in.ns > p->from && !path_asks_later(p, e) &&
	    asks_when_sending(p, e, dst, at, &in, &own)) {
		lag(p, e, dst, own.ns, from, g->src_seen && g->dst_seen,
		    SHARE_UNKNOWN);
		*e = own;
		return true;
	}
	over = path_asks_late(p, e, at, idle);
	first = asks_first(p, e, any, &in);
	/* What it did meanwhile did not make it ask later. */
	if (over > idle && !first && idle) {
		any = path_idle_before(p, dst, at - over, &in);
		first = asks_first(p, e, any, &in);
	} else if (over > idle && !first) {
		over = 0;
	}
	if (over)
		from = path_charge_ask(p, e, over, first);
	if (over && first) {
		path_leave(p, dst);
		return false;
	}
	if (first) {
		enum phase_share why = why_asked_late(p, dst, at);

		/* A small message may be more than a credit. */
		if (!g->driven && why == SHARE_RECEIVER)
			why = SHARE_UNKNOWN;
		return began_by_itself(p, dst, why, e);
	}
	/* A repair of what it got may have made it ask late; a READ that is
	 * lost is requested again itself. */
	lag(p, e, dst, in.ns, from,
	    g->src_seen && g->dst_seen &&
		    !(g->driven && g->a[e->k].psns && path_repaired(p, dst)),
	    g->driven ? asked_late(p) : p->late);
	*e = in;
	return true;
}

/* Where the sender of activity |*e| said by a few bytes, on any queue pair,
 * that there is data, its receiver asked for that then (READ), and could not
 * have before: back to these bytes.  False: there were none. */
static bool step_to_announcement(struct path *p, struct event *e)
{
	const struct phase_flow *g = &p->j->in->flows[e->flow];
	uint32_t r = p->j->rank_of[g->dst];
	int64_t from = g->a[e->k].from;
	struct event said, in;

	if (!g->driven || g->a[e->k].psns || !g->a[e->k].bytes ||
	    !path_is_asked_for(p, e->flow, e->k) ||
	    !path_announced(p, e, &said) || said.ns <= p->from)
		return false;
	if (path_before_asking(p, e->flow, phase_asked(g, e->k), &in) &&
	    in.ns > said.ns)
		return false;
	lag(p, e, r, said.ns, from, g->src_seen && g->dst_seen, asked_late(p));
	*e = said;
	return true;
}

/* Where its receiver gave word to the sender of activity |*e|, which had done
 * nothing since |got| and |before|, to go on: back to that word.  |at_once|:
 * only if it gave that as soon as something had come to it.  False: it gave
 * none. */
static bool step_to_word(struct path *p, struct event *e,
			 const struct event *got,
			 const struct phase_activity *before, bool at_once)
{
	const struct phase_flow *g = &p->j->in->flows[e->flow];
	int64_t from = g->a[e->k].from, since = p->from, given;
	const struct event *came;
	struct event said;

	if (got && got->ns <= from && got->ns > since)
		since = got->ns;
	if (before && before->sent > since)
		since = before->sent;
	if (!path_got_word(p, e->flow, e->k, since, &said))
		return false;
	given = path_activity(p, &said)->from;
	came = path_latest(&p->in[p->j->rank_of[g->dst]], given);
	if (at_once &&
	    !(came && came->ns > p->from && given - came->ns <= p->answers))
		return false;
	lag(p, e, p->j->rank_of[g->src], said.ns, from, g->src_seen, p->late);
	*e = said;
	return true;
}

/* Its sender, which is rank |r|, began activity |*e| at once when something of
 * its own was over, which it sent since |got| and |before|, and long behind
 * these: to one after the other.  That may be so in all phases where ranks pass
 * nothing on.  Back to that. */
static bool step_to_own(struct path *p, struct event *e, uint32_t r,
			const struct event *got,
			const struct phase_activity *before)
{
	int64_t from = path_activity(p, e)->from, since = p->from;
	struct event own;

	if (got && got->ns <= from && got->ns > since)
		since = got->ns;
	if (before && before->sent > since)
		since = before->sent;
	if (!path_sent_before(p, r, from, &own) || own.ns <= since)
		return false;
	if (path_in_time(p, path_usual_lag(p, e->flow, e->k), from - since)
		    ? p->pattern != PATTERN_NONE ||
			      from - own.ns > p->answers ||
			      from - since <= p->computes
		    : !path_in_time(p, p->turn, from - own.ns))
		return false;
	lag(p, e, r, own.ns, from, p->j->in->flows[e->flow].src_seen, p->late);
	*e = own;
	return true;
}

/* Activity |*e| only repeats what its receiver had read |before|: that waited
 * for it until then, and asked for it again.  Back to what was before. */
static bool read_again(struct path *p, struct event *e,
		       const struct phase_activity *before)
{
	const struct phase_flow *g = &p->j->in->flows[e->flow];
	const struct phase_activity *a = &g->a[e->k];
	struct path_time t = { { 0 } };

	if (!before || !g->driven || a->bytes || a->psns || before->psns)
		return false;
	piece_rest(&p->facts, e->flow,
		   before->sent > p->from ? before->sent : p->from, a->from,
		   SHARE_TIMER, &t);
	cells_give_time(p, e->flow, p->j->rank_of[g->src], &t);
	*e = (struct event) { before->sent, e->flow, (size_t)(before - g->a) };
	return true;
}

/* Back from the begin of activity |e| to what it waited for; false: that is
 * the begin of the phase. */
static bool step_back(struct path *p, struct event *e)
{
	const struct phase_flow *g = &p->j->in->flows[e->flow];
	const struct phase_activity *a = &g->a[e->k];
	const struct phase_activity *before = data_before(p, e);
	uint32_t r = p->j->rank_of[g->src];
	const struct event *got = path_came_last(p, e->flow, a->from), *came;
	struct event own;

	if (read_again(p, e, before) || step_to_announcement(p, e) ||
	    path_step_to_work(p, e, r))
		return true;
	/* In the middle of a message only its own flow delayed it. */
	if (before && (before->inside || repairs(p, e->flow, a->from))) {
		silent(p, e, r,
		       before->sent > p->from ? before->sent : p->from);
		*e = (struct event) { before->sent, e->flow,
				      (size_t)(before - g->a) };
		return true;
	}
	if (before && before->sent < p->from)
		before = NULL;
	if (step_to_word(p, e, got, before, true))
		return true;
	came = got;
	got = path_waited_for(p, e, r, got, before);
	if (!before && path_until_first_word(p, e, got))
		return began_by_itself(p, p->j->rank_of[g->dst], SHARE_LATE, e);
	/* Its receiver had not asked for it: what did that wait for? */
	if (path_is_asked_for(p, e->flow, e->k) &&
	    (p->pattern == PATTERN_ALL_TO_ALL ||
	     path_may_ask_late(p, p->j->rank_of[g->dst]) ||
	     path_late_place(p, e) || by_itself(p, r, a->from, got) ||
	     !is_usual(p, e, got) || path_asked_since(p, e, got)) &&
	    (!got || (!g->driven && got->ns > a->from) ||
	     phase_asked(g, e->k) > got->ns) &&
	    (!before || phase_asked(g, e->k) > before->sent))
		return back_to_receiver(p, e);
	if (step_to_word(p, e, came, before, false) ||
	    step_to_own(p, e, r, got, before))
		return true;
	/* To one after the other. */
	if (p->pattern == PATTERN_ALL_TO_ALL &&
	    path_sent_before(p, r, a->from, &own) &&
	    (!before || path_activity(p, &own)->sent > before->sent) &&
	    (path_in_time(p, path_usual_lag(p, e->flow, e->k),
			  a->from - own.ns) ||
	     !(got && got->ns > own.ns && is_usual(p, e, got)))) {
		if (after_repair(p, e, r, a->from, own.ns))
			return true;
		lag(p, e, r, own.ns, a->from, g->src_seen, p->late);
		*e = own;
		return true;
	}
	if (before && (!got || before->sent > got->ns)
		    ? after_repair(p, e, r, a->from, before->sent)
		    : after_repair(p, e, r, a->from, got ? got->ns : p->from))
		return true;
	if (by_itself(p, r, a->from, got) && !before)
		return began_by_itself(p, r, SHARE_LATE, e);
	if (before && (!got || got->ns <= before->sent ||
		       p->pattern == PATTERN_ALL_TO_ALL)) {
		go_on(p, e, r, before);
		*e = (struct event) { before->sent, e->flow,
				      (size_t)(before - g->a) };
		return true;
	}
	if (!got || got->ns < p->from)
		return began_by_itself(p, r, SHARE_LATE, e);
	lag(p, e, r, got->ns, a->from,
	    g->src_seen && p->j->in->flows[got->flow].dst_seen &&
		    !expects(p, r, a->from),
	    p->late);
	*e = *got;
	if (e->ns > a->from)
		e->ns = a->from;
	return true;
}

void path_follow(struct path *p, struct event e)
{
	while (e.ns > p->from) {
		int64_t begun = path_activity(p, &e)->from;
		int64_t from = begun > p->from ? begun : p->from;

		along(p, e.flow, e.k, from, e.ns, false);
		p->j->row.stamp_ns += path_delay_error(&p->facts, e.flow);
		/* What was not over yet took the silence before as well. */
		if (begun < p->from && p->before < p->from)
			along(p, e.flow, e.k,
			      begun > p->before ? begun : p->before, p->from,
			      true);
		if (from == p->from || !step_back(p, &e))
			return;
	}
}

/* ---- rows ---- */

static void emit_shares(const struct path *p, const struct cell *cells,
			size_t n, int64_t phase, const struct phase_sink *s)
{
	for (size_t i = 0; i < n; i++) {
		const struct cell *c = &cells[i];
		struct phase_share_row row = {
			.job = p->j->row.id,
			.phase = phase,
			.share = c->share,
			.gap = c->gap,
			.flow = c->flow == NO_RANK
					? PHASE_UNKNOWN
					: p->j->in->flows[c->flow].id,
			.rank = c->rank == NO_RANK ? PHASE_UNKNOWN : c->rank,
			.other = PHASE_UNKNOWN,
			.time_ns = c->ns,
		};

		if (c->ns)
			s->share(s->ctx, &row);
	}
}

/* The flow that was over last in the phase, be it with copies only, which
 * nothing follows from; |otherwise|: none is over behind |ns|. */
static uint32_t over_last(const struct path *p, int64_t ns, uint32_t otherwise)
{
	for (uint32_t f = 0; f < p->j->in->n_flows; f++) {
		const struct phase_flow *g = &p->j->in->flows[f];
		size_t k = search_below(struct phase_activity, g->a, g->n, from,
					p->to);

		if (!k || g->a[k - 1].over <= ns)
			continue;
		ns = g->a[k - 1].over;
		otherwise = f;
	}
	return otherwise;
}

/* From the last arrival |e| to the end of the phase: the last acknowledgement,
 * and what was repaired until then. */
static void ending(struct path *p, const struct event *e)
{
	int64_t ns = p->to - e->ns, round;
	struct path_time t = { { 0 } };
	uint32_t f;

	if (path_in_time(p, p->turn, ns)) {
		cells_give(p, e->flow, NO_RANK, false, SHARE_TURN, ns);
		return;
	}
	f = over_last(p, e->ns, e->flow);
	round = p->facts.round[f] > ns ? ns : p->facts.round[f];
	piece_rest(&p->facts, f, e->ns, p->to - round, SHARE_UNKNOWN, &t);
	piece_rest(&p->facts, f, p->to - round, p->to, SHARE_TURN, &t);
	cells_give_time(p, f, p->j->rank_of[p->j->in->flows[f].src], &t);
}

static void one(struct path *p)
{
	struct event last;
	bool any;

	p->n_cells = 0;
	p->part_to = p->to;
	p->busiest = 0;
	any = path_enter(p, &last);
	if (!any && (any = path_ends(p, &last)))
		ending(p, &last);
	if (any) {
		path_follow(p, last);
	} else {
		cells_give(p, NO_RANK, NO_RANK, false, SHARE_UNKNOWN,
			   p->to - p->from);
	}
	if (p->pattern == PATTERN_ALL_TO_ALL)
		cells_limit_shared(p);
	path_doubt_late(p);
	path_stand_still(p);
	cells_balance_work(p);
	path_rest_of_gap(p);
}

static void emit_all(const struct path *p, int64_t first_id,
		     const struct phase_sink *s)
{
	const struct settled *a = &p->all;

	for (size_t i = 0; i < a->phases; i++) {
		emit_shares(p, a->cells + a->begin[i], a->end[i] - a->begin[i],
			    first_id + (int64_t)i, s);
		for (int gap = 0; gap < 2; gap++) {
			struct cell back = { NO_RANK, NO_RANK, SHARE_NEEDED,
					     gap, a->back[i][gap] };

			emit_shares(p, &back, 1, first_id + (int64_t)i, s);
		}
		emit_shares(p,
			    &(struct cell) { NO_RANK, NO_RANK, SHARE_UNKNOWN,
					     false, a->unsure[i] },
			    1, first_id + (int64_t)i, s);
		emit_shares(p,
			    &(struct cell) { NO_RANK, a->late[i].rank,
					     SHARE_LATE, false, a->late[i].ns },
			    1, first_id + (int64_t)i, s);
		emit_shares(p,
			    &(struct cell) { NO_RANK, a->later[i].rank,
					     SHARE_LATER, false,
					     a->later[i].ns },
			    1, first_id + (int64_t)i, s);
	}
}

static bool every(struct path *p, int64_t first_id, const struct phase_sink *s)
{
	const struct job *j = p->j;
	struct slow_to_pass slow;
	bool kept = true;

	p->start = p->starts;
	p->late = SHARE_LATE;
	if (!path_slow_to_pass(p, &slow) || !settle_new(&p->all, j->n_bursts) ||
	    !work_find(p))
		return false;
	for (size_t i = j->n_bursts; kept && i--;) {
		p->phase = i;
		p->from = j->bursts[i].from;
		p->to = j->bursts[i].to;
		p->before = i ? j->bursts[i - 1].to : p->from;
		p->pattern = phase_pattern_of(j, i);
		one(p);
		for (uint32_t r = 0; r < j->n_ranks; r++)
			p->all.repaired[i] |= path_repaired(p, r);
		kept = settle_keep(&p->all, i, p->cells, p->n_cells);
	}
	if (!kept || !settle(&p->all, j, path_kinds(j)))
		return false;
	late_phases(&p->all, j, p->lateness, path_kinds(j));
	if (slow.rank != NO_RANK && !late_to_pass(&p->all, j, &slow))
		return false;
	if (!hidden_phases(&p->all, j))
		return false;
	emit_all(p, first_id, s);
	return true;
}

/* Without phases nobody knows who is late, and who computes. */
static bool whole(struct path *p, const struct phase_sink *s)
{
	p->start = NULL;
	p->late = SHARE_IDLE;
	p->from = p->before = p->j->row.first_ns;
	p->to = p->j->row.last_ns;
	p->pattern = PATTERN_NONE;
	if (p->from == PHASE_UNKNOWN)
		return true;
	one(p);
	if (!silence_judge(p))
		return false;
	emit_shares(p, p->cells, p->n_cells, PHASE_UNKNOWN, s);
	return true;
}

bool path_job(struct path *p, int64_t first_id, const struct lateness *late,
	      const struct phase_sink *s)
{
	p->lateness = late;
	if (p->j->row.iterations != PHASE_UNKNOWN)
		return every(p, first_id, s);
	return whole(p, s);
}

struct path *path_new(struct job *j)
{
	struct path *p = calloc(1, sizeof *p);
	size_t n = (size_t)j->n_ranks + 1;

	if (!p)
		return NULL;
	p->j = j;
	p->enter.ns = PHASE_UNKNOWN;
	p->in = calloc(n, sizeof *p->in);
	p->out = calloc(n, sizeof *p->out);
	p->late_of = calloc(n, sizeof *p->late_of);
	p->late_alone = calloc(n, sizeof *p->late_alone);
	p->repairs = calloc((j->n_bursts + 1) * n, sizeof *p->repairs);
	p->waits = calloc(2 * n, sizeof *p->waits);
	p->ends = calloc(n, sizeof *p->ends);
	if (p->in && p->out && p->late_of && p->late_alone && p->repairs &&
	    p->waits && p->ends && path_facts_init(&p->facts, j) &&
	    path_stills(p) && path_events(p))
		return p;
	path_free(p);
	return NULL;
}

void path_free(struct path *p)
{
	if (!p)
		return;
	path_facts_fini(&p->facts);
	free(p->in);
	free(p->out);
	free(p->late_of);
	free(p->late_alone);
	free(p->repairs);
	free(p->events);
	free(p->work);
	free(p->stages);
	free(p->lags);
	free(p->asks);
	free(p->asked);
	free(p->ask_place);
	free(p->placed);
	free(p->first_lag);
	free(p->follows);
	free(p->worked);
	free(p->later);
	free(p->release);
	free(p->waits);
	free(p->ends);
	free(p->first);
	free(p->first_of);
	free(p->starts);
	free(p->awaited);
	free(p->usual);
	free(p->tolerance);
	free(p->middle);
	free(p->gap);
	free(p->carried);
	free(p->in_step);
	free(p->silences.s);
	free(p->stills);
	settle_free(&p->all);
	free(p);
}

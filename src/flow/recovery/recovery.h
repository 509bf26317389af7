/* SPDX-License-Identifier: GPL-2.0-or-later
 * Replays: what triggered them, what was lost, what they cost.
 *
 * A recovery opens with the first packet the sender repeats and stays open
 * until it has caught up and the receiver has answered, because several rules
 * can only be distinguished by what the receiver acknowledges meanwhile.  What
 * was observed of it (evidence.h) then waits until the flow is handed out:
 * verdicts rest on what the whole flow has shown, not on what came first. */
#ifndef FABSCOPE_FLOW_RECOVERY_RECOVERY_H
#define FABSCOPE_FLOW_RECOVERY_RECOVERY_H

#include "flow/core/flow.h"
#include "flow/core/tuning.h"
#include "flow/recovery/decide.h"

/* What the repetition of a READ request tells: which response was missing, and
 * where; |lost_max| 0: nothing. */
struct reread {
	enum recovery_trigger trigger;
	enum recovery_cause cause;
	uint32_t lost_min, lost_max;
	int64_t lost_ns;
};

/* What made the sender step back to |p|: R10, R14, R16 of docs/rules.md. */
enum recovery_trigger recovery_trigger(const struct engine *e,
				       const struct flow *f,
				       const struct packet *p,
				       int64_t silence_ns);

/* Is |p| of the replay for a NAK, and behind the packet that it named? */
bool recovery_head_missing(const struct flow *f, const struct packet *p);

/* Its receiver was not ready before, and the capture misses packets: what
 * looks like a timer may be the answer to an RNR NAK that is not here. */
bool recovery_rnr_missed(const struct flow *f);

void recovery_start(struct engine *e, struct flow *f, const struct packet *p,
		    enum recovery_trigger trigger, int64_t silence_ns);

/* The same for a READ request: the response side knows why. */
void recovery_reread(struct engine *e, struct flow *f, const struct packet *p,
		     const struct reread *r, int64_t silence_ns);

/* One copy, and the sender goes on where it was: a packet of a coming replay
 * that overtook it.  No recovery after all. */
bool recovery_stray(struct flow *f);

/* The sender went silent in the middle of a replay and goes on where the
 * receiver stands: the rest of that replay was lost on its way here. */
bool recovery_stalled(const struct flow *f, const struct packet *p,
		      int64_t silence_ns);
void recovery_sender_stalled(struct engine *e, struct flow *f,
			     const struct packet *p, int64_t silence_ns);

/* What looked like a late packet was the head of a replay. */
void recovery_from_late(struct engine *e, struct flow *f,
			const struct packet *p);

/* One packet retransmitted.  |hole|: the one that it fills, of those that were
 * not seen here, or of an earlier replay; or NULL. */
void recovery_copy(struct engine *e, struct flow *f, const struct packet *p,
		   const struct gap *hole);

void recovery_caught_up(struct engine *e, struct flow *f, int64_t ns);

/* New data before everything was replayed.  True when the rest of the replay
 * must be taken for missing, false when this sender repeats selectively. */
bool recovery_resumed(struct engine *e, struct flow *f, int64_t ns);

void recovery_new_data(struct engine *e, struct flow *f);
void recovery_acked(struct engine *e, struct flow *f, uint32_t una, int64_t ns);
/* The same acknowledgement again: also of a flow that has recovered, or never
 * had to. */
void recovery_reacked(struct engine *e, struct flow *f, uint32_t una,
		      int64_t ns);
/* Does the receiver of |f| send the same ACK again and again though nothing was
 * retransmitted?  Then that shows no duplicate. */
void recovery_forget_reacks(const struct engine *e, struct flow *f);
void recovery_close(struct engine *e, struct flow *f);

/* A sequence error NAK or RNR NAK for |f|'s request |psn| is seen. */
void recovery_nak(struct engine *e, struct flow *f, uint32_t psn, int64_t ns,
		  uint64_t frame);
/* The same once more: by the receiver, or by the mirror. */
void recovery_nak_again(struct recovery_state *t, uint32_t psn, int64_t ns);
void recovery_rnr(struct engine *e, struct flow *f, uint32_t psn, int64_t ns,
		  uint64_t frame, int64_t wait_ns);

/* What was observed of a recovery that is over, until it is decided about. */
void recovery_keep(struct engine *e, struct flow *f, const struct evidence *ev);
/* No packet of |f| is to come: what its recoveries prove of the path. */
void recovery_prove(struct engine *e, struct flow *f);
/* observed.c: what is known of it, with the statistics of the flow: bits. */
uint64_t recovery_observed(const struct engine *e, const struct flow *f,
			   struct evidence *ev);
/* May |psn| have been sent before the capture began? */
bool recovery_perhaps_before(const struct flow *f, uint32_t psn);
/* Did it come no later than others, of any flow between its hosts, whose place
 * in the order of sending is known?  It need not be a copy then, unless its
 * identification says so. */
bool recovery_perhaps_late(const struct flow *f, int64_t took);
/* So many packets come late here that copies and originals of a replay are
 * mixed: what nothing asked for is no evidence. */
bool recovery_much_reordered(const struct flow *f);
/* How probable is it that what is missing at |tap| was lost, and not only not
 * captured? */
double recovery_hole_is_loss(const struct engine *e, uint32_t tap);
/* So probable it is at a mirror that misses as good as nothing. */
#define HOLES_ARE_LOSSES 0.98
/* What nobody missed by name counts as lost, for certain, where no more than
 * one hole in ten is one of the capture. */
#define HOLE_COUNTS_AS_LOSS 0.9
/* Did the capture drop packets meanwhile? */
bool recovery_among_drops(const struct engine *e, const struct flow *f,
			  const struct evidence *ev);
/* What a retransmission is called, by enum recovery_trigger. */
extern const enum event_kind recovery_resend_kind[];
/* The row of it, without its counts. */
struct fact_recovery recovery_row(const struct flow *f,
				  const struct evidence *ev, uint64_t bits,
				  const struct decision *d);
/* Decides about all recoveries that are over, by what is known now. */
void recovery_decide(struct engine *e, struct flow *f);
/* The same in the end, when nothing more is to be learnt of the flow: what it
 * is decided from is handed out as well. */
void recovery_judge(struct engine *e, struct flow *f);
/* judge.c: hands it out. */
void judge_emit(struct engine *e, struct flow *f);
/* Did the capture drop packets between a hole and what filled it? */
bool recovery_fill_among_drops(const struct engine *e, const struct flow *f,
			       const struct evidence *ev,
			       const struct fill *fill);
/* Likewise, for good, if the last one is so old that no more is to be learnt of
 * it, and there are too many to decide about all of them again and again. */
void recovery_decide_old(struct engine *e, struct flow *f);
/* The same of RoCE's replays; returns how many fills are done with. */
uint32_t recovery_decide_replays(struct engine *e, struct flow *f);
void recovery_forget(struct engine *e, struct flow *f);

/* Enough reordering is proven on this flow, or the two directions are so far
 * apart here that it could not be, that a NAK alone is no proof of a loss: R26.
 */
bool recovery_reorders(const struct flow *f);
/* The same of the responses to |f|, which no NAK speaks of. */
bool recovery_responses_reorder(const struct flow *f);

/* A NAK that got no answer before the end. */
void recovery_unanswered(struct engine *e, struct flow *f);

/* No sender takes longer to react to a NAK. */
int64_t recovery_reaction_bound(const struct flow *f);

/* A response has a PSN of the other direction. */
enum { BAD_RESPONSE = 1 << 24 };

/* Was a corrupted frame with this PSN seen, on the flow or on none? */
bool recovery_is_bad(const struct engine *e, const struct recovery_state *t,
		     uint32_t psn, int64_t now);

/* |psn|, which the packet in |frame| asked for once more, arrived although it
 * was not retransmitted: |why|. */
void recovery_moot(struct flow *f, uint32_t psn, int64_t ns, uint64_t frame,
		   const char *why);

/* stop.c: |f| goes on with |p| after an idle time. */
void recovery_stop(struct flow *f, const struct packet *p);
/* All that are kept, when the flow is known as a whole. */
void recovery_tell_stops(struct engine *e, struct flow *f);
/* verdict.c: another one; NULL: no room. */
struct stop *recovery_new_stop(struct flow *f);

/* |fill| was never seen here before the sender repeated it. */
void recovery_fill_event(struct engine *e, struct flow *f,
			 const struct fill *fill);

/* ---- refill.c ---- */

/* |r| is a response of |g|. */
void recovery_refill(struct engine *e, struct flow *g, const struct refill *r);
/* What was requested again from the middle of a READ begins with a First. */
void recovery_first_again(struct flow *g);
/* The original |p| of a response of |g| came late: since |f| had requested it
 * again, or even behind the retransmission. */
void recovery_late_response(struct engine *e, struct flow *f, struct flow *g,
			    const struct packet *p);
/* Those that were originals ... */
void recovery_late_refills(struct engine *e, struct flow *g);
/* ... and all others. */
void recovery_tell_refills(struct engine *e, struct flow *g);
/* Before it is decided about the requests of |f|, which the responses of |g|
 * are to: may these be reordered, here or further on, or slower than its timer?
 */
void recovery_responses_late(const struct engine *e, const struct flow *f,
			     const struct flow *g);
/* Those of |f| that responses which jumped asked for. */
void recovery_tell_implied(struct engine *e, struct flow *f);

/* ---- verdict.c ---- */

/* Packets of |f| may be reordered beyond this place: so many were there or on
 * the way back; 0 none.  |recoveries| of what they request, or are. */
uint32_t recovery_reorders_elsewhere(const struct engine *e,
				     const struct flow *f, uint32_t recoveries);

/* NULL: no memory. */
struct pending *recovery_pending(struct flow *f);
extern const char RECOVERY_NOT_COPIED[], RECOVERY_LATE_OR_COPY[];

/* |psn| was seen once more, and nothing asked for it: if it was called lost,
 * that is taken back. */
bool recovery_late_original(struct flow *f, uint32_t psn, int64_t ns);

/* |p|, the original of a packet of Ultra Ethernet, came after its
 * retransmission had been acknowledged: is that one kept? */
bool recovery_kept_original(struct flow *f, const struct packet *p);

/* Recovery |number| that is kept of |f| was none: what filled its hole, the |n|
 * fills from |at| on, was no retransmission.  In the end, when this was said of
 * all. */
void recovery_was_late(struct engine *e, struct flow *f, uint32_t number,
		       uint32_t at, uint32_t n);
void recovery_forget_late(struct engine *e, struct flow *f);
/* How late its packets were is known of the other flows of its hosts too. */
void recovery_note_late(struct engine *e, const struct flow *f);
/* verdict.c: another fill of |w|?  False: no room. */
bool recovery_room_for_fill(struct pending *w);

/* The timer may have run out before this one. */
bool recovery_may_be_timer(const struct flow *f, int64_t silence_ns);

/* A corrupted frame was seen that belongs to no flow. */
void recovery_orphan(struct engine *e, const struct packet *p);

/* A packet with a bad ICRC was seen: its receiver will discard it. */
void recovery_bad_icrc(struct flow *f, uint32_t psn);

#endif

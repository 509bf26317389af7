/* SPDX-License-Identifier: GPL-2.0-or-later
 * Responses that were requested again: what is known of them when their flow is
 * known as a whole. */
#include "base/mem.h"
#include "flow/recovery/recovery.h"

void recovery_refill(struct engine *e, struct flow *g, const struct refill *r)
{
	struct pending *w = recovery_pending(g);

	if (r->by_name)
		tap_asked_for(e, r->tap);
	if (!w)
		return;
	if (w->n_refills == FILLS_MOST)
		recovery_tell_refills(e, g);
	if (mem_grow(&w->refill, w->n_refills, &w->refills_room, 4, sizeof *r))
		w->refill[w->n_refills++] = *r;
}

void recovery_first_again(struct flow *g)
{
	struct pending *w = recovery_pending(g);

	if (w)
		w->first_again = true;
}

/* ---- originals ---- */

static void tell_late(struct engine *e, struct flow *g, const struct refill *r)
{
	g->retransmitted--;
	g->retransmitted_bytes -= r->payload;
	g->reordered++;
	g->reorder_events++;
	if (r->late_ns > g->late_max)
		g->late_max = r->late_ns;
	emit_event(e, g,
		   &(struct fact_event) {
			   .ns = r->ns,
			   .frame = r->frame,
			   .tap = r->tap,
			   .kind = EVENT_REORDER,
			   .psn = r->psn,
			   .count = 1,
			   .value = FACT_UNKNOWN,
			   .confidence = 0.95,
			   .detail = "R1: response reordered, requested again "
				     "meanwhile" });
}

/* The last recovery of |f| that began with |psn|, or NULL. */
static struct evidence *began_with(struct flow *f, uint32_t psn)
{
	struct pending *w = f->pending;

	if (f->recovery && f->recovery->ep.active &&
	    f->recovery->ep.ev.psn == psn)
		return &f->recovery->ep.ev;
	for (uint32_t i = w ? w->n : 0, k = 0; i > 0 && k < HELD_MAX; k++)
		if (w->ev[--i].psn == psn)
			return &w->ev[i];
	return NULL;
}

void recovery_late_response(struct engine *e, struct flow *f, struct flow *g,
			    const struct packet *p)
{
	struct evidence *ev = f ? began_with(f, p->psn) : NULL;
	struct pending *w = g->pending;
	uint32_t i = w ? w->n_refills : 0;

	if (ev && (ev->bits & V(RESPONSE_HOLE))) {
		ev->bits &= ~V(RESPONSE_HOLE);
		if (ev->trigger != TRIGGER_TIMEOUT)
			ev->bits = (ev->bits & ~V(RESPONSE)) | V(PASSED_OVER);
		ev->lost_min = ev->lost_max = 0;
	}
	while (i > 0 &&
	       (w->refill[i - 1].psn != p->psn || w->refill[i - 1].most))
		i--;
	if (!i)
		return;
	tell_late(e, g, &w->refill[i - 1]);
	w->n_refills--;
	for (; i <= w->n_refills; i++)
		w->refill[i - 1] = w->refill[i];
}

/* This responder begins what is requested again with another opcode. */
void recovery_late_refills(struct engine *e, struct flow *g)
{
	struct pending *w = g->pending;
	uint32_t n = 0;

	if (!w || !w->first_again)
		return;
	for (uint32_t i = 0; i < w->n_refills; i++) {
		if (w->refill[i].middle)
			tell_late(e, g, &w->refill[i]);
		else
			w->refill[n++] = w->refill[i];
	}
	w->n_refills = n;
}

/* May the network beyond reorder responses of |g|?  It was seen to reorder what
 * goes the same way. */
static bool reorders_beyond(const struct engine *e, const struct flow *g)
{
	const struct route_pair *r = &e->routes[g->route / 2];
	unsigned way = g->route & 1;

	return r->reorders[way] ||
	       recovery_reorders_elsewhere(e, g, r->recoveries[!way]);
}

/* The requester may not have received yet what jumped here: its timer is
 * perhaps shorter than the way. */
static void forget_jump(struct evidence *ev)
{
	if (ev->trigger != TRIGGER_IMPLIED_NAK)
		return;
	ev->trigger = TRIGGER_UNKNOWN;
	ev->bits &= ~V(RESPONSE_SEEN);
	ev->lost_min = 0;
}

void recovery_responses_late(const struct engine *e, const struct flow *f,
			     const struct flow *g)
{
	const struct pending *w = f->pending;
	bool beyond = reorders_beyond(e, g);

	for (uint32_t i = 0; i < w->n; i++) {
		struct evidence *ev = &w->ev[i];

		if (!(ev->bits & V(RESPONSE)))
			continue;
		if (beyond)
			ev->bits |= V(REORDERS_BEYOND);
		if (recovery_perhaps_late(g, ev->first_ns - ev->lost_ns))
			ev->bits |= V(MAY_BE_LATE);
		if (!f->ever_in_time)
			forget_jump(ev);
	}
}

void recovery_tell_implied(struct engine *e, struct flow *f)
{
	const struct pending *w = f->pending;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct evidence *ev = &w->ev[i];

		if (ev->trigger != TRIGGER_IMPLIED_NAK)
			continue;
		f->implied++;
		emit_event(e, f,
			   &(struct fact_event) {
				   .ns = ev->first_ns,
				   .frame = ev->frame_first,
				   .tap = ev->tap,
				   .kind = EVENT_IMPLIED_NAK,
				   .psn = ev->psn,
				   .count = 1,
				   .value = FACT_UNKNOWN,
				   .confidence = 0.99,
				   .detail = "R16: requested again after "
					     "responses jumped" });
	}
}

/* ---- the others ---- */

/* The requester asks again for all from the first one that it misses: only of
 * that one it is known that it did not arrive. */
static void tell_missing(struct engine *e, struct flow *g,
			 const struct refill *r)
{
	double likely = r->by_name ? 1 : recovery_hole_is_loss(e, r->tap);
	bool late = recovery_perhaps_late(g, r->late_ns);
	bool lost = likely >= HOLE_COUNTS_AS_LOSS && !late;

	if (r->corrupted) {
		g->corrupted++;
		return;
	}
	if (lost)
		g->lost_up++;
	else
		g->unresolved++;
	emit_event(e, g,
		   &(struct fact_event) {
			   .ns = r->ns,
			   .frame = r->frame,
			   .tap = r->tap,
			   .kind = lost ? EVENT_LOSS_UPSTREAM
					: EVENT_UNRESOLVED_GAP,
			   .psn = r->psn,
			   .count = 1,
			   .value = FACT_UNKNOWN,
			   .confidence = lost ? 0.95 * likely : 0.5,
			   .detail = lost   ? "R16: response missing, "
					      "requested again"
				     : late ? RECOVERY_LATE_OR_COPY
					    : RECOVERY_NOT_COPIED });
}

/* One that was seen here did not arrive, or came after later ones: a timer
 * waits longer than that. */
static void tell_seen(struct engine *e, struct flow *g, const struct refill *r)
{
	const struct flow *f = flow_peer(e, g);
	bool sure = r->by_timer || !f ||
		    !(recovery_responses_reorder(f) || reorders_beyond(e, g));

	g->r4_max += r->most;
	/* Nor need a timer shorter than the way wait for it. */
	if (f && !f->ever_in_time && !r->by_timer)
		return;
	g->r4_min += sure;
	emit_event(e, g,
		   &(struct fact_event) {
			   .ns = r->ns,
			   .frame = r->frame,
			   .tap = r->tap,
			   .kind = EVENT_LOSS_DOWNSTREAM,
			   .psn = r->psn,
			   .count = 1,
			   .value = r->most,
			   .confidence = sure ? 0.9 : 0.4,
			   .detail = sure ? "R16: response seen, requested "
					    "again"
					  : "R16: lost or reordered "
					    "downstream" });
}

void recovery_tell_refills(struct engine *e, struct flow *g)
{
	struct pending *w = g->pending;

	recovery_late_refills(e, g);
	for (uint32_t i = 0; i < w->n_refills; i++) {
		if (w->refill[i].most)
			tell_seen(e, g, &w->refill[i]);
		else
			tell_missing(e, g, &w->refill[i]);
	}
	w->n_refills = 0;
}

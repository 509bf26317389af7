/* SPDX-License-Identifier: GPL-2.0-or-later
 * NAKs after which nothing is retransmitted, as the packet had only been late:
 * for how long did the sender send nothing after them?
 *
 * That alone is no evidence, as it may have had nothing to send.  Where it is
 * seen to stop for as long without a NAK as well, nothing is reported.  Where
 * it goes on as long after each NAK, however long it had been silent before, it
 * waited for that, or for an ACK that came with it.  Whether that is as long as
 * senders take to react to a NAK is known when the capture is known as a whole:
 * 41-attribution/nak-stall.sql. */
#include <stdlib.h>

#include "base/clamp.h"
#include "base/mem.h"
#include "base/sort.h"
#include "flow/recovery/recovery.h"

/* |f| sends |p|, the next new packet, after an idle time longer than a round
 * trip; only looked at while NAKs come. */
void recovery_stop(struct flow *f, const struct packet *p)
{
	const struct pending_nak *n = &f->recovery->nak;
	int64_t said_ns = n->more ? n->more_ns : n->ns;
	bool naked = n->valid && said_ns > f->last_req_ns;
	bool moot = n->acked && n->orig_seen && !n->orig_late && !n->copied &&
		    !n->retransmitted && !n->bad_icrc;
	struct stop *s;

	if (!n->valid || !f->rtt_r || p->ns - f->last_req_ns <= f->rtt_r ||
	    (naked && !moot))
		return;
	s = recovery_new_stop(f);
	if (s)
		*s = (struct stop) { .from_ns = f->last_req_ns,
				     .to_ns = p->ns,
				     .nak_ns = naked ? said_ns : 0,
				     .frame = n->frame,
				     .psn = n->psn };
}

static int64_t length(const struct stop *s)
{
	return s->to_ns - s->from_ns;
}

/* The shortest stop with a NAK, and how late a NAK came in one; false: too
 * few. */
static bool with_naks(const struct pending *w, int64_t *least, int64_t *latest)
{
	uint32_t n = 0;

	*least = *latest = 0;
	for (uint32_t i = 0; i < w->n_stops; i++) {
		const struct stop *s = &w->stop[i];

		if (!s->nak_ns)
			continue;
		if (!n++ || length(s) < *least)
			*least = length(s);
		if (s->nak_ns - s->from_ns > *latest)
			*latest = s->nak_ns - s->from_ns;
	}
	return n >= STOPS_MIN;
}

/* The median of the stops in which a NAK could have come, and none did; 0: too
 * few.  |room|: for all. */
static int64_t usual_stop(const struct pending *w, int64_t latest,
			  int64_t *room)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->n_stops; i++)
		if (!w->stop[i].nak_ns && length(&w->stop[i]) > latest)
			room[n++] = length(&w->stop[i]);
	if (n < CONTROLS_MIN)
		return 0;
	sort_int64(room, n);
	return room[n / 2];
}

static void widen(int64_t range[2], int64_t v)
{
	if (v < range[0])
		range[0] = v;
	if (v > range[1])
		range[1] = v;
}

/* Are they far more alike from their NAKs on than up to these? */
static bool by_naks(const struct pending *w)
{
	int64_t before[2] = { INT64_MAX, 0 }, after[2] = { INT64_MAX, 0 };

	for (uint32_t i = 0; i < w->n_stops; i++) {
		const struct stop *s = &w->stop[i];

		if (!s->nak_ns)
			continue;
		widen(before, s->nak_ns - s->from_ns);
		widen(after, s->to_ns - s->nak_ns);
	}
	return clamp_mul(STOPS_ALIKE, after[1] - after[0]) <
	       before[1] - before[0];
}

static void tell_stop(struct engine *e, struct flow *f, const struct stop *s,
		      bool timed)
{
	emit_event(e, f,
		   &(struct fact_event) {
			   .ns = s->nak_ns,
			   .frame = s->frame,
			   .tap = f->tap,
			   .kind = EVENT_NAK_STALL,
			   .psn = s->psn,
			   .count = 1,
			   .value = s->to_ns - s->nak_ns,
			   .confidence = timed ? 0.9 : 0.5,
			   .detail = timed ? "R28: NAKed, though it was only "
					     "late: nothing was sent for as "
					     "long after each NAK"
					   : "R28: NAKed, though it was only "
					     "late: nothing was sent for a "
					     "while" });
}

void recovery_tell_stops(struct engine *e, struct flow *f)
{
	struct pending *w = f->pending;
	int64_t least, latest, *room;
	bool stops, timed;

	if (!w || !with_naks(w, &least, &latest))
		return;
	room = mem_malloc(w->n_stops * sizeof *room);
	stops = room && STOP_TIMES * usual_stop(w, latest, room) < least;
	free(room);
	timed = by_naks(w);
	for (uint32_t i = 0; stops && i < w->n_stops; i++)
		if (w->stop[i].nak_ns)
			tell_stop(e, f, &w->stop[i], timed);
	w->n_stops = 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Recoveries that were none: originals that came late. */
#include "base/clamp.h"
#include "flow/core/serial.h"
#include "flow/recovery/recovery.h"

enum {
	/* An original that comes later behind its copy is not looked for: no
	 * paths are of so different a length. */
	BEHIND_COPY_NS = 1000 * 1000,
};

/* One of several: the others are reported in two pieces. */
static void take_from(struct pending *w, struct fill *fill, uint32_t psn)
{
	uint32_t before = (uint32_t)psn_diff(psn, fill->psn);
	uint32_t behind = fill->n - before - 1;
	uint32_t i = (uint32_t)(fill - w->fill);

	if (!before) {
		fill->psn = psn_add(psn, 1);
		fill->n = behind;
		return;
	}
	fill->n = before;
	if (!behind || !recovery_room_for_fill(w))
		return;
	for (uint32_t k = w->n_fills++; k > i + 1; k--)
		w->fill[k] = w->fill[k - 1];
	w->fill[i + 1] = w->fill[i];
	w->fill[i + 1].psn = psn_add(psn, 1);
	w->fill[i + 1].n = behind;
}

bool recovery_late_original(struct flow *f, uint32_t psn, int64_t ns)
{
	struct pending *w = f->pending;
	struct evidence *ev;

	for (uint32_t i = w ? w->n_fills : 0; i > 0; i--) {
		struct fill *fill = &w->fill[i - 1];
		int32_t at = psn_diff(psn, fill->psn);
		uint32_t number = fill->record - w->first;

		if (ns - fill->ns > BEHIND_COPY_NS)
			break;
		if (at < 0 || at >= (int32_t)fill->n)
			continue;
		if (fill->again) {
			take_from(w, fill, psn);
			return false;
		}
		ev = number < w->n ? &w->ev[number] : &f->recovery->ep.ev;
		ev->fills -= ev->fills > 0;
		ev->repeats++;
		if (psn == ev->psn)
			ev->bits |= V(COPY_FIRST);
		take_from(w, fill, psn);
		return true;
	}
	return false;
}

bool recovery_kept_original(struct flow *f, const struct packet *p)
{
	struct pending *w = f->pending;

	for (uint32_t i = w ? w->n : 0; i > 0; i--) {
		struct evidence *ev = &w->ev[i - 1];

		if (p->ns - ev->last_ns > BEHIND_COPY_NS)
			break;
		if (ev->psn != p->psn || !(ev->bits & V(FILLED)))
			continue;
		ev->bits = (ev->bits & ~V(FILLED)) | V(COPY_FIRST);
		ev->orig_ns = p->ns;
		ev->orig_frame = p->frame;
		return true;
	}
	return false;
}

/* ---- as another capture point knows ---- */

/* Where the other direction is not known, copies may look late. */
void recovery_note_late(struct engine *e, const struct flow *f)
{
	int64_t *most = &e->routes[f->route / 2].late_ns[f->route & 1];

	if (f->paired && f->late_max > *most)
		*most = f->late_max;
}

static void tell_late(struct engine *e, struct flow *f, uint32_t tap,
		      const struct fill *fill)
{
	f->reordered += fill->n;
	f->reorder_events++;
	if (fill->ns - fill->since_ns > f->late_max)
		f->late_max = fill->ns - fill->since_ns;
	emit_event(e, f,
		   &(struct fact_event) {
			   .ns = fill->ns,
			   .frame = fill->frame,
			   .tap = tap,
			   .kind = EVENT_REORDER,
			   .psn = fill->psn,
			   .count = fill->n,
			   .value = FACT_UNKNOWN,
			   .confidence = 0.95,
			   .detail = "R1: reordered: another capture point saw "
				     "it once" });
}

/* The shortest reaction, without those that were none. */
static void renew_reaction(struct flow *f)
{
	const struct pending *w = f->pending;

	f->rtt_s = 0;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct evidence *ev = &w->ev[i];
		int64_t took = clamp_sub(ev->first_ns, ev->detect_ns);

		if (ev->trigger == TRIGGER_NAK && ev->fills + ev->repeats &&
		    took > 0 && (!f->rtt_s || took < f->rtt_s))
			f->rtt_s = took;
	}
}

void recovery_was_late(struct engine *e, struct flow *f, uint32_t number,
		       uint32_t at, uint32_t n)
{
	struct pending *w = f->pending;
	struct evidence *ev = &w->ev[number];

	for (uint32_t i = at; i < at + n; i++)
		tell_late(e, f, ev->tap, &w->fill[i]);
	f->retransmitted -= ev->fills;
	f->retransmitted_bytes -= ev->bytes;
	f->timeouts -= ev->trigger == TRIGGER_TIMEOUT && f->timeouts;
	f->recoveries--;
	f->recovery_ns -=
		ev->end_ns > ev->lost_ns ? ev->end_ns - ev->lost_ns : 0;
	ev->fills = 0;
	ev->bits |= V(SENT_BEFORE);
}

void recovery_forget_late(struct engine *e, struct flow *f)
{
	struct pending *w = f->pending;
	uint32_t n = 0, fills = 0;

	for (uint32_t i = 0, at = 0; i < w->n; i++) {
		bool none = (w->ev[i].bits & V(SENT_BEFORE)) &&
			    !w->ev[i].fills && !w->ev[i].repeats;

		for (; at < w->n_fills && w->fill[at].record == i; at++) {
			w->fill[fills] = w->fill[at];
			w->fill[fills].record = n;
			fills += !none;
		}
		if (!none)
			w->ev[n++] = w->ev[i];
	}
	if (n == w->n)
		return;
	e->n_pending -= w->n - n;
	w->n = n;
	w->n_fills = fills;
	recovery_note_late(e, f);
	renew_reaction(f);
}

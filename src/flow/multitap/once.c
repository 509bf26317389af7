/* SPDX-License-Identifier: GPL-2.0-or-later
 * What came late here, and no retransmission: another capture point saw it
 * once, and in its place. */
#include "flow/core/serial.h"
#include "flow/multitap/multitap.h"
#include "flow/recovery/recovery.h"

/* May |ev| be of a retransmission of [psn, end)?  What was retransmitted of a
 * longer range is not known one by one. */
static bool may_be_of(const struct evidence *ev, uint32_t psn, uint32_t end)
{
	uint32_t to =
		ev->fills + ev->repeats == 1 ? psn_add(ev->psn, 1) : ev->high;

	return psn_diff(ev->psn, end) < 0 && psn_diff(to, psn) > 0;
}

/* |q|, which is closed, has all of |fill|, and none of it twice or out of
 * order.  What left its path is not seen there when it is retransmitted: it
 * also has the last that came to |f|. */
static bool saw_once(const struct engine *e, const struct flow *q,
		     const struct flow *f, const struct fill *fill)
{
	uint32_t psn = fill->psn, end = psn_add(psn, fill->n), known = 0;
	const struct pending *w = q->pending;

	if (q->missing || q->unresolved || !q->req_valid ||
	    psn_diff(psn, q->initial) < 0 || psn_diff(end, q->nxt) > 0 ||
	    psn_diff(f->nxt, q->nxt) > 0 ||
	    recovery_hole_is_loss(e, q->tap) < HOLES_ARE_LOSSES ||
	    drops_between(e, q->place, q->first_ns, q->last_ns))
		return false;
	if (!q->retransmitted)
		return true;
	if (!w || w->first)
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		if (may_be_of(&w->ev[i], psn, end))
			return false;
		known += w->ev[i].fills + w->ev[i].repeats;
	}
	return known == q->retransmitted;
}

static bool saw_fill_once(const struct engine *e, const struct flow *f,
			  const struct tap_path *w, const struct fill *fill)
{
	for (unsigned i = 0; i < w->n; i++) {
		const struct slot *s = &w->s[i];
		const struct flow *q = flow_at(e, s->flow);

		if (q != f && q->id == s->id &&
		    w->shared[f->tap_path_slot][i] && saw_once(e, q, f, fill))
			return true;
	}
	return false;
}

/* Nothing of recovery |ev|, with |n| fills, passed twice here, and all of it
 * once elsewhere. */
static bool was_late(const struct engine *e, const struct flow *f,
		     const struct tap_path *w, const struct evidence *ev,
		     const struct fill *fill, uint32_t n)
{
	uint32_t known = 0;

	if (!ev->fills || ev->repeats)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!saw_fill_once(e, f, w, &fill[i]))
			return false;
		known += fill[i].n;
	}
	return known == ev->fills;
}

void multitap_once(struct engine *e, struct flow *f)
{
	const struct pending *of = f->pending;
	const struct tap_path *w;

	if (!e->multitap || !of || of->first || !f->tap_path ||
	    f->tap_path == NO_TAP_PATH || flow_is_uet(f) || !f->req_valid)
		return;
	w = e->multitap->tap_paths[f->tap_path - 1];
	if (w->s[f->tap_path_slot].id != f->id)
		return;
	for (uint32_t i = 0, at = 0, n; i < of->n; i++, at += n) {
		for (n = 0;
		     at + n < of->n_fills && of->fill[at + n].record == i;)
			n++;
		if (n && was_late(e, f, w, &of->ev[i], &of->fill[at], n))
			recovery_was_late(e, f, i, at, n);
	}
	recovery_forget_late(e, f);
}

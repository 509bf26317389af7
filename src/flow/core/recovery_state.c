/* SPDX-License-Identifier: GPL-2.0-or-later
 * The memory of the slow path: only flows that are recovering have it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "flow/core/flow.h"
#include "flow/core/serial.h"

struct recovery_state *recovery_state_get(struct flow *f)
{
	if (!f->recovery) {
		f->recovery = mem_calloc(1, sizeof *f->recovery);
		if (f->recovery) {
			f->recovery->cur = f->nxt;
			f->recovery->rcur = f->rnxt;
		}
	}
	return f->recovery;
}

static bool pending(const struct pending_nak *n)
{
	return n->valid && (!n->retransmitted || n->more);
}

/* What was under way at the last replay is not acknowledged: whether the
 * receiver discarded it while it missed another packet may be asked yet. */
static bool may_be_named(const struct flow *f)
{
	const struct recovery_state *t = f->recovery;

	return t->nak.valid && f->paired && psn_diff(t->high, f->una) > 0;
}

void recovery_state_release(struct flow *f)
{
	struct recovery_state *t = f->recovery;

	if (!t || t->settling || t->anew.n || t->rhole || t->gaps.n ||
	    t->rgaps.n || t->ep.active || t->late.valid || t->bad_n ||
	    pending(&t->nak) || pending(&t->rnr) || t->cur != f->nxt ||
	    t->rcur != f->rnxt || may_be_named(f))
		return;
	recovery_state_free(f);
}

void recovery_state_free(struct flow *f)
{
	if (!f->recovery)
		return;
	gaps_free(&f->recovery->gaps);
	gaps_free(&f->recovery->rgaps);
	free(f->recovery->anew.p);
	free(f->recovery);
	f->recovery = NULL;
}

bool request_seen(const struct flow *f, uint32_t psn)
{
	return f->req_valid && psn_diff(psn, f->nxt) < 0 &&
	       psn_diff(psn, f->first) >= 0 &&
	       !(f->recovery && gaps_find(&f->recovery->gaps, psn));
}

bool before_capture(const struct flow *f, uint32_t psn)
{
	const struct gap *g = gaps_find(&f->recovery->gaps, psn);

	return psn_diff(psn, f->first) < 0 || (g && g->before);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The memory of the slow path: only flows that are in trouble have it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "flow/core/flow.h"
#include "flow/core/serial.h"

struct trouble *trouble_get(struct flow *f)
{
	if (!f->trouble) {
		f->trouble = mem_calloc(1, sizeof *f->trouble);
		if (f->trouble) {
			f->trouble->cur = f->nxt;
			f->trouble->rcur = f->rnxt;
		}
	}
	return f->trouble;
}

static bool pending(const struct pending_nak *n)
{
	return n->valid && (!n->resent || n->more);
}

void trouble_settle(struct flow *f)
{
	struct trouble *t = f->trouble;

	if (!t || t->settling || t->anew.n || t->rhole || t->gaps.n ||
	    t->rgaps.n || t->ep.active || t->late.valid || t->bad_n ||
	    pending(&t->nak) || pending(&t->rnr) || t->cur != f->nxt ||
	    t->rcur != f->rnxt)
		return;
	trouble_free(f);
}

void trouble_free(struct flow *f)
{
	if (!f->trouble)
		return;
	gaps_free(&f->trouble->gaps);
	gaps_free(&f->trouble->rgaps);
	free(f->trouble->anew.p);
	free(f->trouble);
	f->trouble = NULL;
}

bool request_seen(const struct flow *f, uint32_t psn)
{
	return f->req_valid && psn_diff(psn, f->nxt) < 0 &&
	       psn_diff(psn, f->first) >= 0 &&
	       !(f->trouble && gaps_find(&f->trouble->gaps, psn));
}

bool before_capture(const struct flow *f, uint32_t psn)
{
	const struct gap *g = gaps_find(&f->trouble->gaps, psn);

	return psn_diff(psn, f->first) < 0 || (g && g->before);
}

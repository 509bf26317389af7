/* SPDX-License-Identifier: GPL-2.0-or-later
 * Responses out of order: what a requester takes for a NAK (R16).  Looked for
 * when it has repeated a request, among the packets that are remembered. */
#include "flow/core/skipped.h"

#include "flow/core/serial.h"

enum { RESPONSES_NEAR = 16 };

static bool before(const struct recent_packet *a, const struct recent_packet *b)
{
	return a->ns < b->ns ||
	       (a->ns == b->ns && a->tap == b->tap && a->frame < b->frame);
}

const struct recent_packet *skipped_late(const struct engine *e,
					 const struct flow *f, uint32_t first,
					 uint32_t psn, int64_t since)
{
	const struct flow *g = f->paired ? flow_peer(e, f) : NULL;
	uint32_t at = psn_add(psn, RESPONSES_NEAR);
	const struct recent_packet *soonest = NULL;

	if (!g || !g->rsp_valid)
		return NULL;
	for (unsigned n = 0; n <= 2 * RESPONSES_NEAR; n++) {
		const struct recent_packet *r = recent_response_of(e, g, at);

		if (psn_diff(at, first) < 0)
			break;
		if (r && soonest && psn_diff(at, psn) <= 0 &&
		    (e->op[r->opcode] & IS_DATA) && before(soonest, r))
			return soonest;
		if (r && r->ns > since && (!soonest || before(r, soonest)))
			soonest = r;
		at = psn_add(at, PSN_MASK);
	}
	return NULL;
}

bool skipped_open(const struct engine *e, const struct flow *f, uint32_t psn,
		  int64_t since)
{
	const struct flow *g = f->paired ? flow_peer(e, f) : NULL;
	const struct gaps *l = g && g->recovery ? &g->recovery->rgaps : NULL;

	for (unsigned i = 0; l && i < l->n; i++)
		if (psn_diff(l->g[i].start, psn) <= 0 && l->g[i].ns > since)
			return true;
	return false;
}

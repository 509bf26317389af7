/* SPDX-License-Identifier: GPL-2.0-or-later
 * What every data packet of UET does, on the short path and elsewhere. */
#ifndef FABSCOPE_FLOW_FASTPATH_UET_NEXT_H
#define FABSCOPE_FLOW_FASTPATH_UET_NEXT_H

#include "flow/uet/serial.h"
#include "flow/uet/uet.h"
#include "wire/wire.h"

/* Everything before |nxt| exists now. */
static inline void uet_reach(struct flow *f, uint32_t nxt)
{
	uint32_t old = f->nxt;

	f->covered += nxt - old;
	f->nxt = nxt;
	/* An old mark must not become a future one by the wrap. */
	if ((old ^ nxt) >> 20 && f->uet.una_valid &&
	    psn32_diff(nxt, f->una) > 1 << 30)
		f->una = nxt - (1 << 30);
}

static inline void uet_recent_note(struct engine *e, const struct flow *f,
				   const struct packet *p, bool copy)
{
	/* IP identifications are always 0: the entropy value instead. */
	recent_put(&e->recent, uet_key(f), f->index, p, p->sport, p->uet.type,
		   copy);
}

enum { UET_TIMING_NS = 10 * 1000 * 1000 };

/* One packet at a time is timed until its own answer comes. */
static inline void uet_time_this(struct flow *f, const struct packet *p)
{
	if ((p->uet.flags & (UET_AR | UET_RETX)) != UET_AR)
		return;
	if (f->ack_req_ns && p->ns - f->ack_req_ns < UET_TIMING_NS)
		return;
	f->ack_req_ns = p->ns;
	f->ack_req_psn = p->psn;
}

#endif

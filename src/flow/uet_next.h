/* SPDX-License-Identifier: GPL-2.0-or-later
 * What every data packet of UET does, on the short path and elsewhere. */
#ifndef FABSCOPE_FLOW_UET_NEXT_H
#define FABSCOPE_FLOW_UET_NEXT_H

#include "flow/uet.h"
#include "flow/uet_serial.h"
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
	recent_put(&e->recent, f->route, f->index, p, p->sport, p->uet.type,
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

/* The first packet of its PSN, part of |m|, but for what its PSN says. */
static inline void uet_message_more(struct uet_message *m,
				    const struct uet_part *p)
{
	if (p->flags & (UET_SOM | UET_EOM)) {
		m->som |= !!(p->flags & UET_SOM);
		m->eom |= !!(p->flags & UET_EOM);
	}
	m->packets++;
	m->last_ns = p->ns;
	if (p->length > m->length)
		m->length = p->length;
	if (m->op != MESSAGE_READ)
		m->have += p->payload;
	/* Operands are its payload, and its length is not known to count
	 * them all.  Of a rendezvous only what goes ahead is part of it: the
	 * target READs the rest. */
	if (m->op == MESSAGE_ATOMIC || p->opcode == SES_RENDEZVOUS_SEND ||
	    p->opcode == SES_RENDEZVOUS_TSEND)
		m->length = m->have;
}

#endif

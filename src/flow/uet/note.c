/* SPDX-License-Identifier: GPL-2.0-or-later
 * What each packet of Ultra Ethernet was, for who looks at packets: note.c. */
#include "flow/uet/serial.h"
#include "flow/uet/uet.h"
#include "wire/wire.h"

/* The request of RUDI that a response of |f| names; they are not paired. */
static const struct recent_packet *
rudi_request(const struct engine *e, const struct flow *f, uint32_t id)
{
	const struct recent_packet *r = NULL;

	while ((r = recent_find(&e->recent, recent_of_route(f->route ^ 1), id,
				r)))
		if (r->opcode == PDS_RUDI_REQ)
			return r;
	return NULL;
}

/* The packet that an answer of |f| names; |g| sent it. */
static const struct recent_packet *answered(const struct engine *e,
					    const struct flow *f,
					    const struct flow *g,
					    const struct packet *p)
{
	if (p->uet.flags & UET_PROBE)
		return NULL;
	if (p->uet.flags & UET_RUDI || f->transport == FLOW_UET_RUDI)
		return rudi_request(e, f, p->psn);
	return g ? uet_recent(e, g, p->psn, !(p->uet.flags & UET_RETX)) : NULL;
}

void uet_note_before(struct engine *e, const struct flow *f,
		     const struct packet *p)
{
	struct note_mark *m = &e->note;
	const struct flow *g = f->paired ? flow_peer(e, f) : NULL;
	const struct recent_packet *r = NULL;

	m->seen = f->uet.begun && uet_was_seen(f, p->psn);
	m->message = m->position = FACT_UNKNOWN;
	if (!f->uet.begun || !(p->uet.flags & UET_PDS))
		return;
	if (uet_takes_number(p))
		r = uet_recent(e, f, p->psn, false);
	else if (g && g->uet.begun && !(p->uet.flags & UET_PROBE))
		/* It may be complete with this answer, and forgotten. */
		uet_message_place(g, p->psn, &m->message, &m->position);
	m->about = r ? r->frame : 0;
	m->about_ns = r ? r->ns : 0;
}

enum note_kind uet_note_kind(const struct note_mark *m, const struct flow *f,
			     const struct packet *p)
{
	/* Disorder is no gap here, and nothing late. */
	if (f->retransmitted != m->retransmitted)
		return m->seen ? NOTE_RETRANSMISSION
			       : NOTE_RETRANSMISSION_OF_MISSING;
	if (f->duplicates != m->duplicates)
		return NOTE_DUPLICATE;
	if (f->requests == m->requests)
		return NOTE_RESPONSE;
	return uet_takes_number(p) ? NOTE_NEW : NOTE_NOT_TRACKED;
}

/* Counted from where the PDC began, where that is known. */
static void place(const struct flow *space, const struct packet *p,
		  struct fact_note *n)
{
	n->space = space->id;
	if (space->uet.start_known && space->transport != FLOW_UET_RUDI)
		n->psn = p->psn - space->uet.sender->start_psn;
}

static void answer(struct engine *e, const struct flow *f, const struct flow *g,
		   const struct packet *p, struct fact_note *n)
{
	const struct recent_packet *r = answered(e, f, g, p);

	if (r) {
		n->about = r->frame;
		n->since_ns = p->ns - r->ns;
	}
	if (!g || !g->uet.begun || p->uet.flags & (UET_PROBE | UET_RUDI))
		return;
	place(g, p, n);
	n->message = e->note.message;
	n->position = e->note.position;
}

void uet_note_after(struct engine *e, const struct flow *f,
		    const struct packet *p, struct fact_note *n)
{
	const struct flow *g = f->paired ? flow_peer(e, f) : NULL;

	if (!f->uet.begun || n->kind == NOTE_NOT_TRACKED ||
	    !(p->uet.flags & UET_PDS))
		return;
	if (n->kind == NOTE_RESPONSE) {
		answer(e, f, g, p, n);
		return;
	}
	place(f, p, n);
	uet_message_place(f, p->psn, &n->message, &n->position);
	if (n->kind == NOTE_RETRANSMISSION ||
	    n->kind == NOTE_RETRANSMISSION_OF_MISSING)
		n->trigger = uet_trigger(f, p->psn);
}

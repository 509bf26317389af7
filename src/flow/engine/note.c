/* SPDX-License-Identifier: GPL-2.0-or-later
 * What each packet was, for who looks at packets.
 *
 * Found from outside: the flow before and after its packet went through the
 * machines.  So they need not know that somebody asks, and nobody who does not
 * ask pays. */
#include "flow/core/flow.h"
#include "flow/core/serial.h"
#include "flow/engine/internal.h"
#include "flow/link/pause.h"
#include "flow/recovery/recovery.h"
#include "flow/uet/uet.h"

/* The packet of |f| that went by with |psn|, requests with requests. */
static const struct recent_packet *earlier(const struct engine *e,
					   const struct flow *f, uint32_t psn,
					   bool request)
{
	return recent_find(&e->recent, recent_of_flow(f->index, !request), psn,
			   NULL);
}

/* An answer without a PSN of its own, and a READ response, are about the
 * request; a request is about its own first copy. */
static const struct recent_packet *
about(const struct engine *e, const struct flow *f, const struct packet *p)
{
	const struct flow *g = flow_peer(e, f);
	const struct recent_packet *r;

	if (!(e->op[p->opcode] & IS_RESPONSE))
		return earlier(e, f, p->psn, true);
	if (e->op[p->opcode] & IS_DATA) {
		r = earlier(e, f, p->psn, false);
		if (r)
			return r;
	}
	return g && f->paired ? earlier(e, g, p->psn, true) : NULL;
}

void note_before(struct engine *e, const struct flow *f, const struct packet *p)
{
	const struct recent_packet *r = NULL;

	if (p->kind == PACKET_ROCE)
		r = about(e, f, p);
	e->note = (struct note_mark) {
		.id = f->id,
		.nxt = f->nxt,
		.rnxt = f->rnxt,
		.req_valid = f->req_valid,
		.rsp_valid = f->rsp_valid,
		.retransmitted = f->retransmitted,
		.mirror_dups = f->mirror_dups,
		.duplicates = f->duplicates,
		.icrc_bad = f->icrc_bad,
		.requests = f->requests,
		.seen = p->kind != PACKET_UET && request_seen(f, p->psn),
		.about = r ? r->frame : 0,
		.about_ns = r ? r->ns : 0,
	};
	if (p->kind == PACKET_UET)
		uet_note_before(e, f, p);
}

/* Of a packet that owns its PSN; |end| is where its space stood, |holes| what
 * is missing in it now. */
static enum note_kind in_space(const struct note_mark *m, const struct flow *f,
			       const struct packet *p, bool begun, uint32_t end,
			       struct gaps *holes, uint32_t *missing)
{
	const struct gap *g;
	int32_t d = psn_diff(p->psn, end);

	if (f->retransmitted != m->retransmitted)
		return m->seen || m->about ? NOTE_RETRANSMISSION
					   : NOTE_RETRANSMISSION_OF_MISSING;
	if (!begun || d == 0)
		return NOTE_NEW;
	if (d < 0)
		return NOTE_OUT_OF_ORDER;
	/* A READ of unknown length leaves no hole behind. */
	g = holes ? gaps_find(holes, psn_add(p->psn, PSN_MASK)) : NULL;
	if (!g)
		return NOTE_NEW;
	*missing = (uint32_t)psn_diff(g->end, g->start);
	return NOTE_GAP;
}

/* Of a packet that is held until it is known of which connection it is: as long
 * as nothing tells otherwise, of the same. */
static enum note_kind of_held(const struct note_mark *m,
			      const struct recovery_state *t,
			      const struct packet *p, uint32_t *missing)
{
	const struct reconnect *r = &t->anew;
	int32_t d = psn_diff(p->psn, m->nxt);
	int32_t ahead = r->n < 2 ? d : psn_diff(p->psn, r->p[r->n - 2].psn) - 1;

	if (m->seen || m->about)
		return NOTE_RETRANSMISSION;
	if (d < 0)
		return NOTE_RETRANSMISSION_OF_MISSING;
	if (ahead <= 0)
		return NOTE_NEW;
	*missing = (uint32_t)ahead;
	return NOTE_GAP;
}

/* What made the sender of |f| step back. */
static enum recovery_trigger trigger_of(const struct engine *e,
					const struct flow *f)
{
	const struct recovery_state *t = f->recovery;

	if (t->ep.active)
		return t->ep.ev.trigger;
	if (t->anew.n && psn_diff(t->anew.p->psn, f->nxt) < 0)
		return recovery_trigger(e, f, t->anew.p,
					t->anew.p->ns - f->last_req_ns);
	return TRIGGER_UNKNOWN;
}

static enum note_kind kind_of(const struct engine *e, const struct flow *f,
			      const struct packet *p, uint32_t *missing)
{
	const struct note_mark *m = &e->note;
	struct recovery_state *t = f->recovery;
	uint8_t op = e->op[p->opcode];

	if (p->kind == PACKET_CNP)
		return NOTE_CNP;
	if (m->id != f->id)
		return NOTE_NEW; /* of another connection */
	if (f->icrc_bad != m->icrc_bad && f->icrc_good)
		return NOTE_CORRUPTED;
	if (f->mirror_dups != m->mirror_dups)
		return NOTE_MIRROR_DUPLICATE;
	if (p->kind == PACKET_UET)
		return f->uet.begun ? uet_note_kind(m, f, p) : NOTE_NOT_TRACKED;
	if (!(op & IS_KNOWN) ||
	    (f->transport != FLOW_RC && f->transport != FLOW_UC &&
	     f->transport != FLOW_XRC))
		return NOTE_NOT_TRACKED;
	if ((op & IS_RESPONSE) && !(op & IS_DATA))
		return f->duplicates != m->duplicates ? NOTE_DUPLICATE
						      : NOTE_RESPONSE;
	if (f->duplicates != m->duplicates &&
	    f->retransmitted == m->retransmitted)
		return NOTE_DUPLICATE;
	if (op & IS_RESPONSE)
		return in_space(m, f, p, m->rsp_valid, m->rnxt,
				t ? &t->rgaps : NULL, missing);
	if (t && t->anew.n)
		return of_held(m, t, p, missing);
	return in_space(m, f, p, m->req_valid, m->nxt, t ? &t->gaps : NULL,
			missing);
}

static bool holds(const struct message *m, uint32_t psn)
{
	return psn_diff(psn, m->psn_first) >= 0 &&
	       psn_diff(psn, m->psn_last) <= 0;
}

/* The message of |f| that |psn| belongs to. */
static void place(const struct flow *f, uint32_t psn, struct fact_note *n)
{
	const struct message_ring *r = &f->out;
	const struct message *m = &f->open;

	if (f->messages + f->in_message && holds(m, psn)) {
		n->message = (int64_t)f->messages + f->in_message;
		n->position = psn_diff(psn, m->psn_first);
		return;
	}
	for (unsigned back = 0; back < r->n; back++) {
		m = &r->m[(r->head + r->n - 1u - back) % r->room];
		if (!holds(m, psn) || back >= f->messages)
			continue;
		n->message = (int64_t)(f->messages - back);
		n->position = psn_diff(psn, m->psn_first);
		return;
	}
}

/* The port that |p| goes to has sent PFC pause: in which frame, and since
 * when. */
static void paused(const struct engine *e, const struct packet *p,
		   struct fact_note *n)
{
	const struct pauser *port = pause_port(e, p->tap, p->dst_mac);
	struct priority priority;
	const struct lane *l;

	if (!port)
		return;
	priority = priority_at(e, port, p->pcp, p->tos);
	l = lane_if_paused(port->lane[priority.number], p->ns);
	if (!l)
		l = lane_if_paused(port->lane[LANE_GLOBAL], p->ns);
	if (!l)
		return;
	n->pause_frame = l->frame;
	n->pause_since_ns = p->ns - l->from;
}

void note_after(struct engine *e, const struct flow *f, const struct packet *p)
{
	const struct note_mark *m = &e->note;
	bool uet = p->kind == PACKET_UET;
	bool response = !uet && (e->op[p->opcode] & IS_RESPONSE);
	const struct flow *g = flow_peer(e, f);
	const struct flow *space = !response ? f : g && f->paired ? g : NULL;
	struct fact_note n = {
		.ns = p->ns,
		.frame = p->frame,
		.tap = p->tap,
		.flow = f->id,
		.peer = g && f->paired ? g->id : 0,
		.psn = FACT_UNKNOWN,
		.message = FACT_UNKNOWN,
		.position = FACT_UNKNOWN,
		.since_ns = FACT_UNKNOWN,
		.pause_since_ns = FACT_UNKNOWN,
	};

	n.kind = kind_of(e, f, p, &n.missing);
	if ((n.kind == NOTE_RETRANSMISSION ||
	     n.kind == NOTE_RETRANSMISSION_OF_MISSING) &&
	    space && space->recovery)
		n.trigger = trigger_of(e, space);
	if (e->stall_after != STALL_NEVER)
		paused(e, p, &n);
	if (uet) {
		uet_note_after(e, f, p, &n);
	} else if (n.kind != NOTE_CNP && n.kind != NOTE_NOT_TRACKED && space &&
		   space->req_valid) {
		n.space = space->id;
		n.psn = (p->psn - space->initial) & PSN_MASK;
		place(space, p->psn, &n);
	}
	if (m->about && !n.about && m->id == f->id &&
	    n.kind != NOTE_CORRUPTED) {
		n.about = m->about;
		n.since_ns = p->ns - m->about_ns;
	}
	e->sink.note(e->sink.ctx, &n);
}

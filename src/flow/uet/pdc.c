/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packet delivery contexts: from SYN to close, and which two directions are
 * one (uet.md 6.1, 6.2, 6.7). */
#include "flow/uet/serial.h"
#include "flow/uet/uet.h"
#include "wire/wire.h"

/* What moves a context from one state to another. */
enum pdc_event {
	ON_SYN,
	ON_TRAFFIC, /* a packet that knows both PDC ids, or an answer */
	ON_CLOSE_ASKED,
	ON_CLOSE,
	ON_CLOSED,
	ON_REFUSED_NORMAL,
	ON_REFUSED,
	PDC_EVENTS
};

#define KEEP PDC_UNKNOWN

static const uint8_t after[PDC_STATES][PDC_EVENTS] = {
	[PDC_UNKNOWN] = { [ON_SYN] = PDC_SYN_SENT,
			  [ON_TRAFFIC] = PDC_ESTABLISHED,
			  [ON_CLOSE_ASKED] = PDC_QUIESCING,
			  [ON_CLOSE] = PDC_CLOSE_WAIT,
			  [ON_CLOSED] = PDC_CLOSED,
			  [ON_REFUSED_NORMAL] = PDC_CLOSED,
			  [ON_REFUSED] = PDC_ERROR },
	[PDC_SYN_SENT] = { [ON_TRAFFIC] = PDC_ESTABLISHED,
			   [ON_CLOSE_ASKED] = PDC_QUIESCING,
			   [ON_CLOSE] = PDC_CLOSE_WAIT,
			   [ON_CLOSED] = PDC_CLOSED,
			   [ON_REFUSED_NORMAL] = PDC_CLOSED,
			   [ON_REFUSED] = PDC_ERROR },
	[PDC_ESTABLISHED] = { [ON_CLOSE_ASKED] = PDC_QUIESCING,
			      [ON_CLOSE] = PDC_CLOSE_WAIT,
			      [ON_CLOSED] = PDC_CLOSED,
			      [ON_REFUSED_NORMAL] = PDC_CLOSED,
			      [ON_REFUSED] = PDC_ERROR },
	[PDC_QUIESCING] = { [ON_CLOSE] = PDC_CLOSE_WAIT,
			    [ON_CLOSED] = PDC_CLOSED,
			    [ON_REFUSED_NORMAL] = PDC_CLOSED,
			    [ON_REFUSED] = PDC_ERROR },
	[PDC_CLOSE_WAIT] = { [ON_CLOSED] = PDC_CLOSED,
			     [ON_REFUSED_NORMAL] = PDC_CLOSED,
			     [ON_REFUSED] = PDC_ERROR },
};

static void move(struct flow *f, enum pdc_event event)
{
	uint8_t next = after[f->uet.state][event];

	if (next != KEEP)
		f->uet.state = next;
}

static void move_both(struct engine *e, struct flow *f, enum pdc_event event)
{
	struct flow *g = flow_peer(e, f);

	move(f, event);
	if (g && g->uet.begun)
		move(g, event);
}

/* ---- pairing ---- */

static void same_service(struct flow *f, struct flow *g)
{
	/* What only answers does not say which service it answers. */
	if (!f->requests)
		f->transport = g->transport;
	else if (!g->requests)
		g->transport = f->transport;
}

static void join(struct flow *f, struct flow *g)
{
	flow_join(f, g, PAIRING_PDCID, 0.99F);
	f->uet.dpdcid = (uint16_t)g->dst_qp;
	g->uet.dpdcid = (uint16_t)f->dst_qp;
	f->peer_id = g->id;
	g->peer_id = f->id;
	f->uet.was_paired = g->uet.was_paired = true;
	f->uet.target |= g->uet.initiator;
	g->uet.target |= f->uet.initiator;
	same_service(f, g);
}

static void part(struct engine *e, struct flow *f)
{
	struct flow *g = flow_peer(e, f);

	if (!g)
		return;
	/* What was seen of both stays true of both. */
	f->peer = g->peer = NO_FLOW;
}

/* Everything anew from |p| on, which has been counted. */
static bool incarnate(struct engine *e, struct flow *f, const struct packet *p,
		      const char *why)
{
	bool answer = (p->uet.type >= PDS_ACK && p->uet.type <= PDS_NACK) ||
		      p->uet.type == PDS_NACK_CCX;

	if (e->next_id - e->o.first_id >= e->o.max_flows)
		return true; /* too many to tell each of them */
	f->requests -= !answer;
	f->responses -= answer;
	flow_new_epoch(e, f, p, 1, why);
	f->paired = false;
	f->pairing = PAIRING_NONE;
	f->requests = !answer;
	f->responses = answer;
	/* Without state it is counted and no more. */
	f->died = !uet_start(e, f, p);
	return !f->died;
}

/* A target's number serves another context: its peer has another number than
 * |was|, or is a later one with the same. */
static bool answers_anew(const struct flow *f, const struct flow *g,
			 uint16_t was)
{
	return f->uet.was_paired && !f->uet.initiator &&
	       (was != g->dst_qp || g->first_ns > f->first_ns);
}

struct flow *pdc_pair(struct engine *e, struct flow *f, const struct packet *p)
{
	struct uet_dir *u = &f->uet;
	uint16_t id = p->uet.dpdcid, was = u->dpdcid;
	struct flow *g;

	/* A target without a context has no number to be known by. */
	if ((p->uet.flags & UET_SYN) || !id || !p->uet.spdcid ||
	    !uet_has_pdc(f))
		return flow_peer(e, f);
	if (f->paired && id == u->dpdcid) {
		g = flow_peer(e, f);
		if (g) {
			same_service(f, g);
			return g;
		}
	}
	if (u->sought && id == u->dpdcid)
		return NULL; /* looked for before; g looks for us now */
	u->sought = true;
	u->dpdcid = id;
	part(e, f);
	g = uet_reverse(e, p, f->place, id);
	if (!g || !g->uet.begun || g == f || g->peer != NO_FLOW)
		return NULL;
	if (answers_anew(f, g, was) &&
	    !incarnate(e, f, p, "its peer is a new context"))
		return NULL;
	join(f, g);
	return g;
}

/* ---- incarnations ---- */

static void renew(struct engine *e, struct flow *f, const struct packet *p,
		  const char *why)
{
	struct flow *g = flow_peer(e, f);

	part(e, f);
	if (g && g->uet.begun)
		g->uet.sought = false; /* it is to look again */
	if (e->next_id >= e->o.max_flows) {
		/* Too many to tell each of them. */
		e->limit[LIMIT_FLOW].left_out++;
		uet_flush_rest(e, f);
		f->req_valid = false;
		f->uet.start_known = f->uet.una_valid = false;
		return;
	}
	incarnate(e, f, p, why);
}

/* Nothing of |p| fits what was sent with its PSN. */
static bool is_other(const struct flow *f, const struct packet *p)
{
	const struct uet_dir *u = &f->uet;

	return (uet_is_request(p) && f->transport != uet_kind(p)) ||
	       (p->uet.flags & UET_JOB && f->jobs == 1 &&
		u->job != p->uet.job_id) ||
	       uet_message_is_other(f, p);
}

/* |p|, a SYN, names the PSN that the context began with: is it one of another
 * that takes the same numbers?  A context is closed when all that it sent is
 * answered; before, what repeats a PSN is a copy, flagged or not, unless no
 * timer is as long, or it repeats something else. */
static bool begins_alike(const struct engine *e, const struct flow *f,
			 const struct packet *p)
{
	const struct uet_dir *u = &f->uet;
	int64_t closed = u->sender->fact.closed_ns;
	bool known =
		uet_was_seen(f, p->psn) || psn32_diff(p->psn, f->first) < 0;

	if (!uet_takes_number(p) || (closed == FACT_UNKNOWN && !known))
		return false;
	if (p->uet.flags & UET_RETX)
		return closed != FACT_UNKNOWN &&
		       p->ns - closed > UET_DOUBLING_NS;
	if (!uet_sent_anew(e, f, p))
		return false; /* doubled by the mirror or on the way */
	return closed != FACT_UNKNOWN || u->state == PDC_CLOSED ||
	       u->state == PDC_ERROR || p->ns - f->last_req_ns > UET_TIMER_NS ||
	       is_other(f, p);
}

bool pdc_is_new(struct engine *e, struct flow *f, const struct packet *p)
{
	const struct uet_dir *u = &f->uet;
	bool syn = p->uet.flags & UET_SYN;
	uint32_t start = p->uet.type == PDS_CP ? p->uet.cp.start_psn
					       : p->uet.req.start_psn;

	/* What takes no number says nothing by the one it has. */
	if (!syn && (u->state != PDC_CLOSED || !uet_takes_number(p)))
		return false;
	if (syn && !u->start_known && !f->req_valid)
		return false;
	if (syn && u->start_known && start == u->sender->start_psn) {
		if (!begins_alike(e, f, p))
			return false;
		renew(e, f, p, "SYN with the same starting PSN, used again");
		return true;
	}
	if (syn && !u->start_known && u->state != PDC_CLOSED &&
	    f->nxt - start < 1 << 12)
		return false; /* the capture began after its first packets */
	if (!syn && f->nxt - p->psn < 1 << 20)
		return false; /* copies of what was closed */
	renew(e, f, p,
	      syn ? "SYN with another starting PSN"
		  : "used again after it was closed");
	return true;
}

/* ---- the ways of a context ---- */

static void note_syn(struct flow *f, const struct packet *p, uint32_t start)
{
	struct uet_dir *u = &f->uet;

	u->initiator = true;
	if (!u->start_known) {
		u->start_known = true;
		u->sender->start_psn = start;
		u->sender->fact.opened_ns = p->ns;
	}
}

void pdc_request(struct flow *f, const struct packet *p)
{
	struct uet_dir *u = &f->uet;

	if (!(p->uet.flags & UET_SYN)) {
		move(f, ON_TRAFFIC);
		return;
	}
	note_syn(f, p, p->uet.req.start_psn);
	move(f, ON_SYN);
	if (!u->answered) {
		u->sender->fact.syn_packets++;
		u->sender->fact.syn_bytes += p->payload;
		if (u->sender->fact.syn_bytes < p->payload)
			u->sender->fact.syn_bytes = UINT32_MAX;
	}
}

void pdc_answer(struct engine *e, struct flow *f, const struct packet *p,
		uint32_t ack_psn)
{
	struct uet_dir *u = &f->uet;

	if (!u->answered && u->sender->fact.opened_ns != FACT_UNKNOWN &&
	    u->sender->start_psn == f->first)
		u->sender->fact.handshake_ns =
			p->ns - u->sender->fact.opened_ns;
	u->answered = true;
	move(f, ON_TRAFFIC);
	if (p->uet.flags & UET_REQ_CLOSE)
		move_both(e, f, ON_CLOSE_ASKED);
	if (u->close_sent &&
	    (ack_psn == u->sender->close_psn ||
	     uet_acked(f, u->sender->close_psn)) &&
	    u->state != PDC_CLOSED) {
		u->sender->fact.closed_ns = p->ns;
		move_both(e, f, ON_CLOSED);
	}
}

void pdc_control(struct engine *e, struct flow *f, const struct packet *p)
{
	struct uet_dir *u = &f->uet;

	if (p->uet.flags & UET_SYN) {
		note_syn(f, p, p->uet.cp.start_psn);
		move(f, ON_SYN);
	} else {
		move(f, ON_TRAFFIC);
	}
	switch (p->uet.next) {
	case CP_CLOSE:
		u->close_sent = true;
		u->sender->close_psn = p->psn;
		move_both(e, f, ON_CLOSE);
		break;
	case CP_CLOSE_REQ:
		move_both(e, f, ON_CLOSE_ASKED);
		break;
	case CP_ACK_REQ:
		u->sender->fact.ack_requests++;
		break;
	case CP_PROBE:
		u->sender->fact.probes++;
		break;
	case CP_CLEAR:
	case CP_CLEAR_REQ:
		u->sender->fact.clears++;
		break;
	default:
		break;
	}
}

void pdc_refused(struct engine *e, struct flow *f, bool fatal)
{
	move_both(e, f, fatal ? ON_REFUSED : ON_REFUSED_NORMAL);
}

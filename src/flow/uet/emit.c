/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts of UET flows, beside what every flow has. */
#include "flow/uet/uet.h"

enum { EV_BITS = 512 };

/* At least so many values: two that share a bit count once.  The table of
 * entropy values has them exactly, but for all contexts of two hosts. */
static int64_t entropy_values(const struct flow *f)
{
	int64_t set = 0;

	for (unsigned i = 0; i < EV_BITS / 64; i++)
		set += __builtin_popcountll(f->evs[i]);
	return set ? set : FACT_UNKNOWN;
}

/* What one that only answered sent: nothing.  Answers take the entropy values
 * of what they answer. */
static const struct uet_sender *sender(const struct flow *f)
{
	static const struct uet_sender none = {
		.fact = { .opened_ns = FACT_UNKNOWN,
			  .closed_ns = FACT_UNKNOWN,
			  .handshake_ns = FACT_UNKNOWN },
	};

	return f->uet.sender ? f->uet.sender : &none;
}

static int64_t unflagged(const struct uet_sender *s)
{
	return s->recovery ? s->recovery->unflagged : 0;
}

static enum pdc_role role(const struct uet_dir *u)
{
	if (u->initiator)
		return PDC_INITIATOR;
	return u->target ? PDC_TARGET : PDC_ROLE_UNKNOWN;
}

/* Whoever only answered has nothing of its own: the state is that of its peer,
 * which is reported.  Nearly half of all directions are such. */
static bool peer_tells(const struct flow *f)
{
	return !f->uet.sender && (f->peer != NO_FLOW || f->peer_id);
}

static void emit_pdc(struct engine *e, struct flow *f)
{
	const struct uet_dir *u = &f->uet;
	const struct uet_sender *s = sender(f);
	const struct uet_books *b = &s->fact;
	struct fact_pdc o = {
		.flow = f->id,
		.role = role(u),
		.state = u->state,
		.start_psn = u->start_known ? s->start_psn : FACT_UNKNOWN,
		.opened_ns = b->opened_ns,
		.closed_ns = b->closed_ns,
		.handshake_ns = b->handshake_ns,
		.syn_packets = b->syn_packets,
		.syn_bytes = b->syn_bytes,
		.jobs = f->jobs,
		.entropy_values = entropy_values(f),
		.acks = s->acks,
		.acks_cc = s->acks - b->acks_plain,
		.marked = b->marked,
		.nacks = s->nacks ? s->nacks->total : 0,
		.errors = b->errors,
		.probes = b->probes,
		.ack_requests = b->ack_requests,
		.clears = b->clears,
		.trimmed_upstream = b->trimmed_upstream,
		.trimmed_downstream = b->trimmed_downstream,
		.trimmed_lasthop = b->trimmed_lasthop,
		.late_behind = b->late_behind,
		.late_behind_max_ns = s->behind_max,
		.retx_unset = uet_has_pdc(f) ? unflagged(s) : FACT_UNKNOWN,
	};

	if (!e->sink.pdc || peer_tells(f))
		return;
	uet_cc_emit(f, &o);
	e->sink.pdc(e->sink.ctx, &o);
}

static void emit_nacks(struct engine *e, struct flow *f)
{
	struct uet_nacks *n = sender(f)->nacks;

	if (!e->sink.nack || !n)
		return;
	for (unsigned i = 0; i < n->n; i++) {
		n->by[i].flow = f->id;
		e->sink.nack(e->sink.ctx, &n->by[i]);
	}
}

/* No PSNs, but what is asked twice and what answers it are known. */
void uet_verdicts(const struct flow *f, struct fact_flow *o)
{
	o->retransmitted = f->retransmitted;
	o->retransmitted_bytes = (int64_t)f->retransmitted_bytes;
	o->duplicates = f->duplicates;
	o->recoveries = f->recoveries;
	o->recovery_ns = f->recovery_ns;
	if (!f->paired)
		return;
	o->timeouts = f->timeouts;
	o->spurious = f->spurious;
	o->ack_lost = f->ack_lost;
}

void uet_emit(struct engine *e, struct flow *f, struct fact_flow *o)
{
	const struct uet_dir *u = &f->uet;
	const struct uet_books *b = &sender(f)->fact;

	o->dst_qp = o->src_qp = FACT_UNKNOWN;
	if (!o->peer)
		o->peer = f->peer_id;
	if (uet_has_pdc(f) && f->dst_qp)
		o->spdcid = f->dst_qp;
	if (u->dpdcid)
		o->dpdcid = u->dpdcid;
	if (u->job_known)
		o->job_id = u->job;
	o->udp_sports = entropy_values(f);
	if (o->udp_sports > UINT8_MAX)
		o->udp_sports = UINT8_MAX;
	o->trimmed = (int64_t)b->trimmed_upstream + b->trimmed_downstream;
	if (!f->paired && !b->trimmed_upstream)
		o->trimmed = FACT_UNKNOWN; /* behind the tap: not visible */
	emit_pdc(e, f);
	emit_nacks(e, f);
}

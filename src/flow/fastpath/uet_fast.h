/* SPDX-License-Identifier: GPL-2.0-or-later
 * The short path of Ultra Ethernet: the next data request of an established
 * PDC on which all is in order.  Like fast.h, and of the same parts. */
#ifndef FABSCOPE_FLOW_FASTPATH_UET_FAST_H
#define FABSCOPE_FLOW_FASTPATH_UET_FAST_H

#include "decode/plain_uet.h"
#include "flow/fastpath/fast.h"
#include "flow/fastpath/uet_next.h"
#include "flow/uet/ev.h"

/* uet_number(), at once for what is of a context. */
static inline uint32_t uet_fast_number(const struct packet *p, uint32_t *aux)
{
	const uint32_t alone = 1u << PDS_TSS | 1u << PDS_RUDI_REQ |
			       1u << PDS_RUDI_RESP | 1u << PDS_UUD_REQ;

	if (p->uet.flags & (UET_TSS | UET_RUDI) ||
	    alone >> p->uet.type % 32 & 1)
		return uet_number(p, aux);
	*aux = UET_AUX_PDC;
	return p->uet.spdcid;
}

/* A request with data, read whole, without anything uncommon about it.  It
 * changes nothing in the PDC's state but the PSN. */
static inline bool uet_fast_kind(const struct packet *p)
{
	const uint32_t read =
		UET_PDS | UET_REQUEST | UET_MESSAGE | UET_JOB | UET_SES;
	const uint32_t odd =
		UET_SYN | UET_RETX | UET_TRIMMED | UET_TSS | UET_IE;
	const uint32_t link =
		PACKET_STACK | PACKET_CSIG | PACKET_MIRROR_SEQ | PACKET_SRV6;

	return p->status == PACKET_OK && p->kind == PACKET_UET &&
	       !(p->flags & link) && (p->uet.flags & (read | odd)) == read &&
	       (p->uet.type == PDS_RUD_REQ || p->uet.type == PDS_ROD_REQ) &&
	       (PLAIN_UET_OPS >> p->uet.opcode & 1);
}

/* Together they are account_usual(), but the source port is an entropy value,
 * and nobody looks for stalls: uet_engine_usual().  The first stays true of
 * packets with the same head: a flow's service never changes. */
static inline bool uet_service_usual(const struct flow *f,
				     const struct packet *p)
{
	return service_of(p) == f->service[!p->payload];
}

static inline bool uet_account_usual(const struct flow *f,
				     const struct packet *p)
{
	return (uint16_t)p->tap == f->last_tap;
}

static inline bool uet_context_usual(const struct flow *f,
				     const struct packet *p)
{
	const struct uet_dir *u = &f->uet;

	return u->state == PDC_ESTABLISHED && f->peer != NO_FLOW &&
	       f->requests && u->dpdcid == p->uet.dpdcid && u->job_known &&
	       u->job == p->uet.job_id &&
	       (f->transport == FLOW_UET_ROD) == (p->uet.type == PDS_ROD_REQ);
}

/* The next PSN, and none before it in question. */
static inline bool uet_psn_usual(const struct flow *f, const struct packet *p)
{
	const struct uet_dir *u = &f->uet;

	return f->req_valid && p->psn == f->nxt && u->seen.low == p->psn &&
	       !u->seen.n && !u->acked_holes && !u->pending;
}

/* Nobody else waits for it.  Unlike RoCE, it does not tell whether a sniffer of
 * a host made the capture. */
static inline __attribute__((always_inline)) bool
uet_engine_usual(const struct engine *e, const struct packet *p)
{
	const struct bins *s = p->tap < e->n_taps ? e->taps[p->tap].bins : NULL;

	return s && p->ns >= s->from && p->ns < s->to && !e->each &&
	       e->stall_after == STALL_NEVER;
}

static inline bool uet_fast_now(const struct engine *e, const struct flow *f,
				const struct packet *p)
{
	return p->icrc_status != ICRC_BAD && uet_psn_usual(f, p) &&
	       uet_account_usual(f, p) && uet_engine_usual(e, p);
}

static inline bool uet_fast_fits(const struct engine *e, const struct flow *f,
				 const struct packet *p)
{
	return uet_fast_kind(p) && f->uet.begun && uet_context_usual(f, p) &&
	       uet_service_usual(f, p) && uet_fast_now(e, f, p);
}

/* The same of a packet with the head of one whose context and service were
 * usual, and the former was |context|, of |transport|. */
static inline bool uet_fast_like(const struct engine *e, const struct flow *f,
				 const struct packet *p, uint64_t context,
				 uint8_t transport)
{
	return f->uet.context == context && f->peer != NO_FLOW &&
	       f->transport == transport && uet_fast_now(e, f, p);
}

/* The message that the packet before was part of goes on with |p|. */
static inline bool uet_message_goes_on(struct flow *f, const struct packet *p)
{
	struct uet_dir *u = &f->uet;

	if (!u->running || u->run_next != p->psn ||
	    u->run_id != p->uet.message_id || u->run_length != p->uet.length ||
	    p->uet.flags & (UET_SOM | UET_EOM))
		return false;
	u->run_next++;
	u->run_have += p->payload;
	return true;
}

static inline void uet_message_next(struct engine *e, struct flow *f,
				    const struct packet *p)
{
	if (!uet_message_goes_on(f, p))
		uet_message_begin(e, f, uet_part_of(p));
}

/* What every packet does. */
static inline __attribute__((always_inline)) void
uet_count(struct engine *e, struct flow *f, const struct packet *p,
	  struct uet_ev_spot ev)
{
	struct tap_state *t = &e->taps[p->tap];

	e->now = p->ns;
	e->order = p->order;
	tap_count(t, p, 1);
	t->ecn[p->tos & 3]++;
	tap_load(t->bins->current, p, 1);
	account_count(f, p, 1);
	if (f->watched || (p->tos & 3) == ECN_CE)
		congestion_usual(e, f, p);
	f->last_ns = p->ns;
	f->icrc_good += p->icrc_status == ICRC_GOOD;
	uet_ev_count(e, ev, p);
}

static inline void uet_fast_take(struct engine *e, struct flow *f,
				 const struct packet *p, struct uet_ev_spot ev)
{
	uet_count(e, f, p, ev);
	uet_ev_value(f, ev);
	burst_data(e, f, f->last_req_ns, p);
	f->requests++;
	uet_reach(f, p->psn + 1);
	f->uet.seen.low++;
	uet_recent_note(e, f, p, false);
	uet_message_next(e, f, p);
	f->last_req_ns = p->ns; /* till now it was of the packet before */
	uet_time_this(f, p);
	f->unique_payload += p->payload;
}

/* |f|, which |p| is probably of, is here: what it will touch beside. */
PREFETCHES uet_prefetch(const struct engine *e, const struct flow *f,
			const struct packet *p)
{
	const struct uet_sender *s;

	if (!flow_is_uet(f) || !f->uet.begun)
		return;
	s = f->uet.sender;
	__builtin_prefetch(uet_ev_of(e, f, p).line, 1);
	if (s && !(p->uet.flags & UET_RESPONSE) &&
	    (!f->uet.running || p->uet.flags & (UET_SOM | UET_EOM)))
		__builtin_prefetch(&s->msgs, 1);
}

/* What |p| answers, the peer of |f|, is here as well. */
PREFETCHES uet_prefetch_answered(const struct engine *e, const struct flow *f,
				 const struct packet *p)
{
	const struct uet_sender *s;

	if (!(p->uet.flags & UET_RESPONSE) || f->peer == NO_FLOW)
		return;
	f = flow_at(e, f->peer);
	s = flow_is_uet(f) ? f->uet.sender : NULL;
	if (s) {
		__builtin_prefetch(s, 1);
		__builtin_prefetch(&s->msgs, 1);
	}
}

/* ---- the same of an answer ---- */

static inline bool uet_answer_kind(const struct packet *p)
{
	const uint32_t read =
		UET_PDS | UET_RESPONSE | UET_MESSAGE | UET_JOB | UET_SES;
	const uint32_t odd = UET_PROBE | UET_TRIMMED | UET_TSS | UET_EPSN |
			     UET_REQ_CLEAR | UET_REQ_CLOSE;
	const uint32_t link =
		PACKET_STACK | PACKET_CSIG | PACKET_MIRROR_SEQ | PACKET_SRV6;

	return p->status == PACKET_OK && p->kind == PACKET_UET &&
	       !(p->flags & link) && (p->uet.flags & (read | odd)) == read &&
	       !p->payload && p->uet.return_code <= SES_RC_OK &&
	       (p->uet.type == PDS_ACK || p->uet.type == PDS_ACK_CC);
}

static inline bool uet_answer_now(const struct engine *e, const struct flow *g,
				  const struct packet *p)
{
	const struct uet_dir *u = &g->uet;

	return u->begun && p->icrc_status != ICRC_BAD && g->paired &&
	       g->peer != NO_FLOW && u->dpdcid == p->uet.dpdcid &&
	       g->transport == flow_at(e, g->peer)->transport &&
	       (!p->uet.job_id || (u->job_known && u->job == p->uet.job_id)) &&
	       uet_account_usual(g, p) && uet_engine_usual(e, p);
}

static inline bool uet_answer_fits(const struct engine *e, const struct flow *g,
				   const struct packet *p)
{
	return uet_answer_kind(p) && uet_service_usual(g, p) &&
	       uet_answer_now(e, g, p);
}

static inline void uet_answer_take(struct engine *e, struct flow *g,
				   const struct packet *p,
				   struct uet_ev_spot ev)
{
	uet_count(e, g, p, ev);
	g->responses++;
	uet_ack(e, g, p);
}

#endif

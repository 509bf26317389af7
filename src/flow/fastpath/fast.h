/* SPDX-License-Identifier: GPL-2.0-or-later
 * The short path: the next request of a flow on which all is in order, or an
 * answer that comes as they always came.
 *
 * Everything that the machines would do to such a packet, inline and in one
 * piece; its parts are what the machines themselves use, so nothing is said
 * twice.  fast_fits() first: it changes nothing.  |p| may live in registers:
 * nothing here takes its address out of the function. */
#ifndef FABSCOPE_FLOW_FASTPATH_FAST_H
#define FABSCOPE_FLOW_FASTPATH_FAST_H

#include "flow/congestion/congestion.h"
#include "flow/core/burst.h"
#include "flow/core/flow.h"
#include "flow/core/serial.h"
#include "flow/core/tap.h"
#include "flow/link/pause.h"
#include "flow/roce/roce.h"

/* A function that does nothing but fetch lines has no effect that a compiler
 * knows of: GCC leaves calls of it out, so there must be none. */
#define PREFETCHES static inline __attribute__((always_inline)) void

/* ---- the flow's books ---- */

/* Nothing about |p| differs from what the flow's packets always were. */
static inline bool account_usual(const struct engine *e, const struct flow *f,
				 const struct packet *p)
{
	return (uint16_t)p->tap == f->last_tap &&
	       p->ns - f->last_ns <= e->stall_after &&
	       service_of(p) == f->service[!p->payload] &&
	       p->sport == f->last_sport;
}

/* |n| packets like |p|. */
static inline void account_count(struct flow *f, const struct packet *p,
				 uint32_t n)
{
	f->packets += n;
	f->bytes += (uint64_t)n * p->wire_len;
	f->payload += (uint64_t)n * p->payload;
	(p->payload ? f->ecn_data : f->ecn_bare)[p->tos & 3] += n;
}

/* ---- the request PSN space ---- */

static inline void request_advance(struct flow *f, uint32_t nxt)
{
	uint32_t old = f->nxt;

	f->nxt = nxt;
	f->covered += (nxt - old) & PSN_MASK;
	if ((old ^ nxt) >> 20)
		request_drag_marks(f);
}

/* A step up, or a small one down: packets that overtook each other on the way
 * here were counted up all the same.  Of numbers by chance half are neither. */
static inline bool ip_id_counts(uint16_t before, uint16_t now)
{
	int16_t step = (int16_t)(uint16_t)(now - before);

	return step > 0 || (step < 0 && step > -1024);
}

static inline __attribute__((always_inline)) void
note_ip_id(struct flow *f, const struct packet *p)
{
	/* The same once more, as from a mirror, tells nothing. */
	if (p->ip_id != f->last_ip_id) {
		if (f->ip_total == 255) {
			f->ip_total /= 2;
			f->ip_up /= 2;
		}
		f->ip_total++;
		f->ip_up += ip_id_counts(f->last_ip_id, p->ip_id);
		f->last_ip_id = p->ip_id;
	}
	if (!f->has_ip_id || (int16_t)(uint16_t)(p->ip_id - f->max_ip_id) > 0)
		f->max_ip_id = p->ip_id;
	f->has_ip_id = true;
}

/* New data, behind the message's part of it. */
static inline __attribute__((always_inline)) void
request_noted(struct engine *e, struct flow *f, const struct packet *p,
	      unsigned op)
{
	recent_request(e, f, p, false);
	note_ip_id(f, p);
	f->ids_skipped = false;
	/* Its line is not here. */
	if (f->credit_blocked)
		f->credit_rqe += (op & IS_RQE) != 0;
	if (p->flags & PACKET_ACKREQ) {
		f->ack_req_psn = p->psn;
		f->ack_req_ns = p->ns;
	}
	f->last_req_ns = p->ns;
}

/* ---- messages ---- */

/* By operation, the low five bits of the opcode; SEND elsewhere. */
static inline uint8_t message_op(uint8_t opcode)
{
	static const uint8_t op_of[32] = {
		[0x06] = MESSAGE_WRITE,        [0x07] = MESSAGE_WRITE,
		[0x08] = MESSAGE_WRITE,        [0x09] = MESSAGE_WRITE,
		[0x0a] = MESSAGE_WRITE,        [0x0b] = MESSAGE_WRITE,
		[0x0c] = MESSAGE_READ,         [0x13] = MESSAGE_ATOMIC,
		[0x14] = MESSAGE_ATOMIC,       [0x1c] = MESSAGE_FLUSH,
		[0x1d] = MESSAGE_ATOMIC_WRITE,
	};

	return op_of[opcode & 0x1f];
}

static inline void message_start(struct flow *f, const struct packet *p,
				 uint32_t psn)
{
	bool reth = p->flags & PACKET_HAS_RETH;

	f->in_message = true;
	f->open = (struct message) {
		.first_ns = p->ns,
		.op = message_op(p->opcode),
		.psn_first = psn,
		.bytes = reth ? p->dma_len : 0,
	};
	f->open.by_payload =
		!reth && (f->open.op == MESSAGE_SEND ||
			  (wire_opcode(p->opcode)->does & OP_STARTS));
}

/* One more packet of the open message. */
static inline void message_take(struct flow *f, const struct packet *p,
				uint32_t span)
{
	f->open.last_ns = p->ns;
	f->open.psn_last = psn_add(p->psn, span - 1);
	f->open.open_end = f->span_unknown;
	if (f->open.by_payload)
		f->open.bytes += p->payload;
}

/* ---- all of it ---- */

static inline bool tap_usual(const struct tap_state *t, const struct packet *p)
{
	return t->mac_total >= TAP_SNIFFER_LOOKS && t->bins &&
	       p->ns >= t->bins->from && p->ns < t->bins->to;
}

/* RoCE without anything uncommon about it but what the opcode means. */
static inline bool fast_plain(const struct packet *p)
{
	const uint32_t odd = PACKET_STACK | PACKET_CSIG | PACKET_MIRROR_SEQ |
			     PACKET_HAS_CM | PACKET_RESERVED_SET | PACKET_SRV6;

	return p->status == PACKET_OK && p->kind == PACKET_ROCE &&
	       !(p->flags & odd);
}

/* What |p| is: a request of one PSN ... */
static inline bool fast_kind(const struct engine *e, const struct packet *p)
{
	const unsigned what = IS_REQUEST | IS_KNOWN | IS_READ;

	return fast_plain(p) &&
	       (e->op[p->opcode] & what) == (IS_REQUEST | IS_KNOWN);
}

/* ... or an answer of any kind. */
static inline bool fast_answer_kind(const struct engine *e,
				    const struct packet *p)
{
	const unsigned what = IS_RESPONSE | IS_KNOWN;

	return fast_plain(p) && (e->op[p->opcode] & what) == what;
}

/* The next, in or at the start of a message. */
static inline bool request_usual(const struct flow *f, const struct packet *p,
				 unsigned op)
{
	return f->req_valid && p->psn == f->nxt && !f->recovery &&
	       !(op & IS_START) == f->in_message &&
	       (f->pmtu || (op & IS_END)) && f->transport != FLOW_UD &&
	       f->transport != FLOW_DC && f->transport != FLOW_VENDOR &&
	       f->transport != FLOW_MRC;
}

/* Nobody else waits for it. */
static inline bool engine_usual(const struct engine *e, const struct packet *p)
{
	return e->stall_after == STALL_NEVER && !e->each &&
	       p->tap < e->n_taps && tap_usual(&e->taps[p->tap], p);
}

/* Of what fast_kind() let pass. */
static inline bool fast_now(const struct engine *e, const struct flow *f,
			    const struct packet *p)
{
	return p->icrc_status != ICRC_BAD &&
	       request_usual(f, p, e->op[p->opcode]) &&
	       account_usual(e, f, p) && engine_usual(e, p);
}

static inline bool fast_fits(const struct engine *e, const struct flow *f,
			     const struct packet *p)
{
	return fast_kind(e, p) && fast_now(e, f, p);
}

/* The books of the tap and of the flow. */
static inline void fast_books(struct engine *e, struct flow *f,
			      const struct packet *p)
{
	struct tap_state *t = &e->taps[p->tap];

	e->now = p->ns;
	e->order = p->order;
	tap_count(t, p, 1);
	tap_count_roce(t, p, 1);
	tap_load(t->bins->current, p, 1);
	account_count(f, p, 1);
	if ((f->watched || (p->tos & 3) == ECN_CE) &&
	    (e->op[p->opcode] & (IS_REQUEST | IS_DATA)))
		congestion_usual(e, f, p);
	f->last_ns = p->ns;
	f->icrc_good += p->icrc_status == ICRC_GOOD;
}

static inline __attribute__((always_inline)) void
fast_take(struct engine *e, struct flow *f, const struct packet *p)
{
	unsigned op = e->op[p->opcode];

	fast_books(e, f, p);
	burst_data(e, f, f->last_req_ns, p);
	f->requests++;
	f->span_unknown = false;
	request_advance(f, psn_add(p->psn, 1));
	f->unique_payload += p->payload;
	if (!p->payload)
		burst_bare(f, 1);
	if (op & IS_START)
		message_start(f, p, p->psn);
	message_take(f, p, 1);
	if (op & IS_END)
		message_end(e, f);
	request_noted(e, f, p, op);
}

/* ---- more of the same ---- */

/* Requests in the middle of a message, as long as each other and right behind
 * each other, after the first of which fast_take() took.  What they only count
 * is added up at their end. */
struct fast_run {
	struct tap_state *t;
	uint64_t tap_bytes; /* before */
	int64_t from, to;   /* when they may pass */
	uint32_t n;
};

/* Do packets like |p| make one? */
static inline bool fast_run_usual(const struct engine *e,
				  const struct packet *p)
{
	return !(e->op[p->opcode] & (IS_START | IS_END)) &&
	       p->icrc_status == ICRC_UNCHECKABLE && (p->tos & 3) != ECN_CE;
}

static inline struct fast_run
fast_run_begin(struct engine *e, const struct flow *f, const struct packet *p)
{
	struct tap_state *t = &e->taps[p->tap];
	int64_t to = t->bins->to < f->bin_end ? t->bins->to : f->bin_end;

	return (struct fast_run) { t, t->bytes, t->bins->from, to, 0 };
}

/* Does one with this PSN, at |ns|, follow |p|? */
static inline bool fast_run_next(const struct engine *e,
				 const struct fast_run *r,
				 const struct packet *p, uint32_t psn,
				 int64_t ns)
{
	return psn == psn_add(p->psn, 1) && ns >= r->from && ns < r->to &&
	       ns - p->ns <= e->burst_step;
}

static inline __attribute__((always_inline)) void
fast_run_take(struct engine *e, struct flow *f, struct fast_run *r,
	      const struct packet *p)
{
	e->now = p->ns;
	e->order = p->order;
	r->t->bytes += p->wire_len; /* a sample of the rate needs it now */
	r->n++;
	if (f->watched)
		congestion_usual(e, f, p);
	request_advance(f, psn_add(p->psn, 1));
	request_noted(e, f, p, e->op[p->opcode]);
}

/* |p| is the last of them. */
static inline void fast_run_end(struct flow *f, const struct fast_run *r,
				const struct packet *p)
{
	r->t->bytes = r->tap_bytes;
	r->t->data_ns = p->ns;
	tap_count(r->t, p, r->n);
	tap_count_roce(r->t, p, r->n);
	tap_load(r->t->bins->current, p, r->n);
	account_count(f, p, r->n);
	f->last_ns = p->ns;
	f->requests += r->n;
	f->unique_payload += (uint64_t)r->n * p->payload;
	f->open.last_ns = p->ns;
	f->open.psn_last = p->psn;
	if (f->open.by_payload)
		f->open.bytes += (uint64_t)r->n * p->payload;
}

/* Transports of RoCE whose packets are numbered in one sequence. */
static inline bool numbered(const struct flow *f)
{
	return f->transport == FLOW_RC || f->transport == FLOW_UC ||
	       f->transport == FLOW_XRC;
}

/* An answer, of what fast_answer_kind() let pass: what it says is for
 * response_packet(). */
static inline bool fast_answer_now(const struct engine *e, const struct flow *f,
				   const struct packet *p)
{
	return p->icrc_status != ICRC_BAD && numbered(f) &&
	       account_usual(e, f, p) && engine_usual(e, p);
}

static inline void fast_answer(struct engine *e, struct flow *f,
			       const struct packet *p)
{
	fast_books(e, f, p);
	response_packet(e, f, p);
}

#endif

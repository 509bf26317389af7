/* SPDX-License-Identifier: GPL-2.0-or-later
 * Messages: from First/Only to Last/Only in request PSN order, then until
 * acknowledged or answered. */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/core/flow.h"
#include "flow/core/serial.h"
#include "flow/fastpath/fast.h"
#include "flow/roce/roce.h"

enum {
	RING_MAX = 128,
	UNPAIRED_MAX = 4, /* perhaps nothing will acknowledge them; but: */
	WENT_ON_NS = 10 * 1000 * 1000,
};

/* Complete only by a response of their own. */
static bool answered_by_data(uint8_t op)
{
	return op >= MESSAGE_READ;
}

static struct message *at(const struct message_ring *r, unsigned i)
{
	return &r->m[(r->head + i) % r->room];
}

static bool grow(struct message_ring *r)
{
	uint16_t room = r->room ? (uint16_t)(r->room * 2) : 4;
	struct message *m;

	if (room > RING_MAX)
		return false;
	m = mem_malloc(room * sizeof *m);
	if (!m)
		return false;
	for (unsigned i = 0; i < r->n; i++)
		m[i] = *at(r, i);
	free(r->m);
	*r = (struct message_ring) { .m = m, .n = r->n, .room = room };
	return true;
}

static bool holes(const struct gaps *l, const struct message *m)
{
	return gaps_overlap(l, m->psn_first, psn_add(m->psn_last, 1));
}

/* Part of the request, or of the answer, has not been seen. */
static bool cut_by_gap(const struct engine *e, const struct flow *f,
		       const struct message *m)
{
	const struct flow *g = flow_peer(e, f);

	if (f->recovery && holes(&f->recovery->gaps, m))
		return true;
	return answered_by_data(m->op) && g && g->recovery &&
	       holes(&g->recovery->rgaps, m);
}

/* ---- the end of a message ---- */

static void complete(struct engine *e, struct flow *f, struct message *m,
		     int64_t ns)
{
	bool whole = !m->gap && !m->headless && !cut_by_gap(e, f, m);
	enum message_status s = m->gap || cut_by_gap(e, f, m)
					? MESSAGE_CAPTURE_GAP
				: m->headless ? MESSAGE_CUT
					      : MESSAGE_COMPLETE;

	if (whole) {
		message_row(e, f, m, s, ns);
		message_latency(e, f, m, ns - m->first_ns);
		f->completed++;
	} else {
		f->incomplete++;
		message_row(e, f, m, s, FACT_UNKNOWN);
	}
}

/* R18: an answer was skipped, and nothing after it says that the requester
 * had it all the same: it will have to ask again. */
static void implied_nak(struct engine *e, struct flow *f,
			const struct message *m)
{
	if (!m->skipped || f->last_req_ns > m->skipped_ns + WENT_ON_NS)
		return;
	f->implied++;
	emit_event(e, f,
		   &(struct fact_event) { .ns = m->skipped_ns,
					  .tap = f->tap,
					  .kind = EVENT_IMPLIED_NAK,
					  .psn = m->psn_first,
					  .count = 1,
					  .value = FACT_UNKNOWN,
					  .confidence = 0.5,
					  .detail =
						  "R18: a later response came "
						  "first" });
}

static void unfinished(struct engine *e, struct flow *f, struct message *m,
		       bool died)
{
	enum message_status s = MESSAGE_UNACKED;

	implied_nak(e, f, m);
	if (m->gap || cut_by_gap(e, f, m))
		s = MESSAGE_CAPTURE_GAP;
	else if (died)
		s = MESSAGE_QP_ERROR;
	else if (f->transport == FLOW_UC || !f->paired)
		s = MESSAGE_UNACKED;
	else
		s = MESSAGE_CUT;
	if (s != MESSAGE_UNACKED)
		f->incomplete++;
	message_row(e, f, m, s, FACT_UNKNOWN);
}

/* ---- in ---- */

static void push(struct engine *e, struct flow *f, const struct message *m)
{
	struct message_ring *r = &f->out;

	if (!f->paired && r->n >= UNPAIRED_MAX)
		e->unpaired_messages++;
	if ((!f->paired && r->n >= UNPAIRED_MAX &&
	     e->unpaired_messages > UNPAIRED_ALL) ||
	    (r->n == r->room && !grow(r))) {
		if (!r->room)
			return;
		/* Nothing acknowledges this stream, or far too late. */
		unfinished(e, f, at(r, 0), false);
		r->head = (uint16_t)((r->head + 1) % r->room);
		r->n--;
	}
	*at(r, r->n) = *m;
	r->n++;
	/* Two directions merged into one mirror may pass in either order. */
	if (psn_diff(f->una, m->psn_last) > 0)
		message_acked(e, f, f->una, m->last_ns);
}

void message_end(struct engine *e, struct flow *f)
{
	f->in_message = false;
	f->messages++;
	if (f->recovery && (f->recovery->ep.active || f->recovery->gaps.n))
		f->open.slow = true;
	if (f->transport == FLOW_RC || f->transport == FLOW_XRC)
		push(e, f, &f->open);
	else if (f->open.gap || cut_by_gap(e, f, &f->open)) {
		f->incomplete++;
		message_row(e, f, &f->open, MESSAGE_CAPTURE_GAP, FACT_UNKNOWN);
	} else
		message_row(e, f, &f->open, MESSAGE_UNACKED, FACT_UNKNOWN);
}

void message_packet(struct engine *e, struct flow *f, const struct packet *p,
		    uint32_t span)
{
	uint8_t op = e->op[p->opcode];

	if (op & IS_START) {
		if (f->in_message) {
			/* Its last packet is missing. */
			f->open.psn_last = psn_add(p->psn, PSN_MASK);
			f->open.gap = f->transport != FLOW_RC &&
				      f->transport != FLOW_XRC;
			message_end(e, f);
		}
		message_start(f, p, p->psn);
	} else if (!f->in_message) {
		/* The first packet is missing: begun before the capture, or
		 * inside the hole that ends here. */
		uint32_t from = p->psn;

		if (f->recovery && f->recovery->gaps.n)
			from = f->recovery->gaps.g[f->recovery->gaps.n - 1]
				       .start;
		message_start(f, p, from);
		f->open.headless = p->psn == f->first;
	}
	message_take(f, p, span);
	if (op & IS_END)
		message_end(e, f);
}

static uint16_t pmtu_for(uint32_t length, uint32_t packets)
{
	for (uint16_t mtu = 256; mtu <= 4096; mtu *= 2)
		if (length / mtu + (length % mtu != 0) == packets)
			return mtu;
	return 0;
}

/* The next request ends a READ of unknown length, unless one between the two is
 * missing or late: of the path MTU two have to say the same. */
void message_span(struct flow *f, uint32_t psn)
{
	struct message *m;
	uint16_t mtu;

	if (!f->out.n)
		return;
	m = at(&f->out, f->out.n - 1u);
	if (!m->open_end || psn_diff(psn, m->psn_first) <= 0)
		return;
	m->psn_last = psn_add(psn, PSN_MASK);
	m->open_end = false;
	if (m->by_payload)
		return;
	mtu = pmtu_for((uint32_t)m->bytes,
		       (uint32_t)psn_diff(psn, m->psn_first));
	if (mtu == f->pmtu_guess)
		f->pmtu = mtu;
	f->pmtu_guess = mtu;
}

/* The last READ is of unknown length, and no path MTU lets it end before |p|,
 * one more: with what it asks for less, |p| is its rest. */
void message_reread(struct flow *f, const struct packet *p)
{
	const struct message *m = f->out.n ? at(&f->out, f->out.n - 1u) : NULL;
	uint32_t sent = m ? (uint32_t)psn_diff(p->psn, m->psn_first) : 0;
	uint32_t mtu;

	if (!m || !m->open_end || m->by_payload || !sent ||
	    sent > PSN_MASK / 2 || p->dma_len >= m->bytes ||
	    pmtu_for((uint32_t)m->bytes, sent))
		return;
	mtu = ((uint32_t)m->bytes - p->dma_len) / sent;
	if (pmtu_for((uint32_t)m->bytes - p->dma_len, sent) == mtu && mtu)
		message_pmtu(f, (uint16_t)mtu);
}

bool message_within(const struct flow *f, uint32_t psn)
{
	for (unsigned i = f->out.n; i-- > 0;) {
		const struct message *m = at(&f->out, i);

		if (psn_diff(psn, m->psn_first) > 0 &&
		    psn_diff(psn, m->psn_last) <= 0)
			return true;
	}
	return false;
}

/* Behind the last PSN of message |i|: a READ of unknown length ends where the
 * next message begins, or where its responses are. */
static uint32_t end_of(const struct flow *f, unsigned i)
{
	const struct message *m = at(&f->out, i);

	if (!m->open_end)
		return psn_add(m->psn_last, 1);
	if (i + 1u < f->out.n)
		return at(&f->out, i + 1)->psn_first;
	return f->in_message ? f->open.psn_first : f->nxt;
}

uint32_t message_left(const struct flow *f, uint32_t psn)
{
	for (unsigned i = f->out.n; i-- > 0;) {
		const struct message *m = at(&f->out, i);
		uint32_t end = end_of(f, i);

		if (psn_diff(psn, m->psn_first) >= 0 && psn_diff(psn, end) < 0)
			return (uint32_t)psn_diff(end, psn);
	}
	return 1;
}

void message_pmtu(struct flow *f, uint16_t pmtu)
{
	f->pmtu = pmtu;
	for (unsigned i = 0; i < f->out.n; i++) {
		struct message *m = at(&f->out, i);
		uint32_t n = (uint32_t)(m->bytes / pmtu + !!(m->bytes % pmtu));

		if (!m->open_end || !n)
			continue;
		m->open_end = false;
		m->psn_last = psn_add(m->psn_first, n - 1);
		if (i + 1u == f->out.n && f->span_unknown &&
		    psn_diff(psn_add(m->psn_last, 1), f->nxt) > 0) {
			f->span_unknown = false;
			request_extend(f, psn_add(m->psn_last, 1));
		}
	}
}

/* The last packet of a message came late: is it one that had been taken for
 * the middle of a longer one? */
static bool split(struct message *m, uint32_t psn)
{
	if (psn_diff(psn, m->psn_first) < 0 || psn_diff(psn, m->psn_last) >= 0)
		return false;
	m->psn_first = psn_add(psn, 1);
	return true;
}

/* A whole message that had been missing, of which |p| with |span| PSNs is the
 * last packet: in its place among the others. */
static void insert(struct engine *e, struct flow *f, const struct packet *p,
		   uint32_t span)
{
	bool whole = f->fill_ns && psn_diff(p->psn, f->fill_psn) >= 0 &&
		     psn_diff(p->psn, f->fill_psn) < 1 << 16;
	struct message m = {
		.first_ns = whole ? f->fill_ns : p->ns,
		.last_ns = p->ns,
		.op = message_op(p->opcode),
		.psn_first = whole ? f->fill_psn : p->psn,
		.psn_last = psn_add(p->psn, span - 1),
		.bytes = p->flags & PACKET_HAS_RETH ? p->dma_len : p->payload,
		.open_end = span > 1 && !f->pmtu,
		.slow = true,
	};

	f->fill_ns = 0;
	if (f->transport != FLOW_RC && f->transport != FLOW_XRC)
		return;
	push(e, f, &m);
	for (unsigned i = f->out.n; i > 1; i--) {
		struct message *a = at(&f->out, i - 2);
		struct message *b = at(&f->out, i - 1), t = *a;

		if (psn_diff(a->psn_last, b->psn_last) < 0)
			break;
		*a = *b;
		*b = t;
	}
}

void message_filled(struct engine *e, struct flow *f, const struct packet *p,
		    uint32_t span)
{
	if (e->op[p->opcode] & IS_START) {
		f->fill_psn = p->psn;
		f->fill_ns = p->ns;
	}
	if (!(e->op[p->opcode] & IS_END))
		return;
	for (unsigned i = 0; i < f->out.n; i++) {
		struct message *m = at(&f->out, i);

		if (m->psn_last == p->psn)
			return; /* counted when its successor began */
		if (split(m, p->psn))
			break;
	}
	if (f->in_message)
		split(&f->open, p->psn);
	f->messages++;
	insert(e, f, p, span);
}

/* ---- out ---- */

static void drop_done(struct flow *f)
{
	struct message_ring *r = &f->out;

	while (r->n && at(r, 0)->done) {
		r->head = (uint16_t)((r->head + 1) % r->room);
		r->n--;
	}
}

void message_acked(struct engine *e, struct flow *f, uint32_t una, int64_t ns)
{
	struct message_ring *r = &f->out;

	for (unsigned i = 0; i < r->n; i++) {
		struct message *m = at(r, i);

		if (psn_diff(m->psn_last, una) >= 0)
			break;
		if (m->done || answered_by_data(m->op))
			continue;
		complete(e, f, m, ns);
		m->done = true;
	}
	drop_done(f);
}

void message_skipped(struct flow *f, const struct flow *g, uint32_t psn,
		     int64_t ns)
{
	for (unsigned i = 0; i < f->out.n; i++) {
		struct message *m = at(&f->out, i);

		if (psn_diff(m->psn_last, psn) >= 0)
			break;
		if (m->done || m->skipped || !answered_by_data(m->op) ||
		    (g->rsp_valid && psn_diff(g->rnxt, m->psn_last) > 0))
			continue;
		m->skipped = true;
		m->skipped_ns = ns;
	}
}

void message_read_done(struct engine *e, struct flow *f, uint32_t psn_last,
		       int64_t ns)
{
	struct message_ring *r = &f->out;

	for (unsigned i = 0; i < r->n; i++) {
		struct message *m = at(r, i);

		if (psn_diff(m->psn_first, psn_last) > 0)
			break;
		if (m->done || !answered_by_data(m->op) ||
		    (psn_last != m->psn_last && !m->open_end))
			continue;
		m->psn_last = psn_last;
		/* The requester will ask again for what is missing. */
		if (cut_by_gap(e, f, m))
			break;
		complete(e, f, m, ns);
		m->done = true;
		break;
	}
	drop_done(f);
}

bool message_read_range(const struct flow *f, uint32_t *from, uint32_t *to)
{
	for (unsigned i = 0; i < f->out.n; i++) {
		const struct message *m = at(&f->out, i);
		uint32_t a = psn_max(*from, m->psn_first);
		uint32_t b = psn_min(*to, end_of(f, i));

		if (m->done || !answered_by_data(m->op) || psn_diff(b, a) <= 0)
			continue;
		*from = a;
		*to = b;
		return true;
	}
	return false;
}

void message_finish(struct engine *e, struct flow *f, bool died)
{
	struct message_ring *r = &f->out;

	if (f->in_message) {
		f->in_message = false;
		f->incomplete++;
		message_row(e, f, &f->open,
			    died ? MESSAGE_QP_ERROR : MESSAGE_CUT,
			    FACT_UNKNOWN);
	}
	for (; r->n; r->n--) {
		if (!at(r, 0)->done)
			unfinished(e, f, at(r, 0), died);
		r->head = (uint16_t)((r->head + 1) % r->room);
	}
}

void message_free(struct flow *f)
{
	free(f->out.m);
	f->out = (struct message_ring) { 0 };
}

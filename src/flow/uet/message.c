/* SPDX-License-Identifier: GPL-2.0-or-later
 * Messages of UET: by message id, from SOM to EOM in any order, until all of
 * their PSNs are acknowledged or, for what asks for data, until the data are
 * there (uet.md 6.8). */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/fastpath/uet_next.h"
#include "flow/uet/uet.h"
#include "wire/wire.h"

enum { MESSAGES_MAX = 128, NO_MESSAGE = 0xff };

static bool is_deferrable(uint8_t opcode)
{
	return opcode == SES_DEFERRABLE_SEND || opcode == SES_DEFERRABLE_TSEND;
}

static bool is_rendezvous(uint8_t opcode)
{
	return opcode == SES_RENDEZVOUS_SEND || opcode == SES_RENDEZVOUS_TSEND;
}

/* Of a form that has no message id. */
static bool is_single(const struct uet_part *p)
{
	return !(p->flags & UET_MESSAGE);
}

/* The snaplen cut its SES header behind what names its message, whose length is
 * not known then. */
static bool is_cut(const struct uet_part *p)
{
	const uint32_t read = UET_REQUEST | UET_JOB | UET_SES | UET_TRIMMED;

	return (p->flags & read) == (UET_REQUEST | UET_JOB);
}

/* By SES opcode. */
static uint8_t op_of(uint8_t opcode)
{
	static const uint8_t ops[] = {
		[SES_NO_OP] = NO_MESSAGE,
		[SES_WRITE] = MESSAGE_WRITE,
		[SES_READ] = MESSAGE_READ,
		[SES_ATOMIC] = MESSAGE_ATOMIC,
		[SES_FETCHING_ATOMIC] = MESSAGE_ATOMIC,
		[SES_SEND] = MESSAGE_SEND,
		[SES_RENDEZVOUS_SEND] = MESSAGE_SEND,
		[SES_DATAGRAM_SEND] = MESSAGE_SEND,
		[SES_DEFERRABLE_SEND] = MESSAGE_SEND,
		[SES_TAGGED_SEND] = MESSAGE_SEND,
		[SES_RENDEZVOUS_TSEND] = MESSAGE_SEND,
		[SES_DEFERRABLE_TSEND] = MESSAGE_SEND,
		[SES_DEFERRABLE_RTR] = NO_MESSAGE,
		[SES_TSEND_ATOMIC] = MESSAGE_ATOMIC,
		[SES_TSEND_FETCH_ATOMIC] = MESSAGE_ATOMIC,
		[SES_MSG_ERROR] = NO_MESSAGE,
		[SES_SYNC_WRITE] = MESSAGE_WRITE,
		[SES_SYNC_ATOMIC] = MESSAGE_ATOMIC,
	};

	return opcode < sizeof ops ? ops[opcode] : NO_MESSAGE;
}

/* Its packets are its data, and all of them. */
static bool is_plain(const struct uet_part *p)
{
	uint8_t op = op_of(p->opcode);

	return (op == MESSAGE_SEND || op == MESSAGE_WRITE) && !is_single(p) &&
	       !is_rendezvous(p->opcode);
}

static bool grow(struct uet_messages *r)
{
	unsigned room = r->room ? 2u * r->room : 1;
	struct uet_message *m;

	if (room > MESSAGES_MAX)
		return false;
	m = mem_malloc(room * sizeof *m);
	if (!m)
		return false;
	for (unsigned i = 0; i + 1 < r->n; i++)
		m[i] = *uet_message_at(r, i);
	free(r->m);
	r->m = m;
	r->head = 0;
	r->room = (uint16_t)room;
	return true;
}

/* ---- the end of a message ---- */

static struct message row_of(const struct uet_message *m)
{
	return (struct message) { .first_ns = m->first_ns,
				  .last_ns = m->last_ns,
				  .bytes = m->length,
				  .psn_first = m->psn_first,
				  .psn_last = m->psn_last,
				  .op = m->op,
				  .slow = m->slow };
}

static void report_uet_message(struct engine *e, struct flow *f,
			       const struct uet_message *m,
			       enum message_status s, int64_t done)
{
	const struct message row = row_of(m);

	message_row(e, f, &row, s, done);
}

/* Some do not mark the last packet of a READ, if it is the first as well; what
 * was asked for is whole when it is there. */
static bool is_whole(const struct uet_message *m)
{
	return m->som && (m->eom || m->op == MESSAGE_READ) &&
	       (m->cut ? m->packets ==
				 (uint16_t)(m->psn_last - m->psn_first + 1)
		       : m->have >= m->length);
}

static void end(struct flow *f, struct uet_message *m)
{
	m->done = true;
	uet_run_end(f);
}

void uet_run_end(struct flow *f)
{
	uet_messages(f);
	f->uet.running = false;
}

/* From |p|, which has been taken, on. */
static void run_begin(struct flow *f, const struct uet_part *p)
{
	const struct uet_message *m = &uet_messages(f)->newest;

	f->uet.running = m->plain && !m->done && m->id == p->id &&
			 m->psn_last == p->psn && m->length == p->length;
	f->uet.run_next = p->psn + 1;
	f->uet.run_have = m->have;
	f->uet.run_length = m->length;
	f->uet.run_id = m->id;
}

/* All of it is acknowledged, or its data came. */
static void complete(struct engine *e, struct flow *f, struct uet_message *m,
		     int64_t ns)
{
	const struct message row = row_of(m);

	end(f, m);
	if (!is_whole(m)) {
		f->incomplete++;
		report_uet_message(e, f, m,
				   m->som ? MESSAGE_CAPTURE_GAP : MESSAGE_CUT,
				   FACT_UNKNOWN);
		return;
	}
	f->completed++;
	report_uet_message(e, f, m, MESSAGE_COMPLETE, ns);
	message_latency(e, f, &row, ns - m->first_ns);
}

static void pop(const struct engine *e, struct uet_messages *r)
{
	while (r->n && uet_message_at(r, 0)->done) {
		r->head++; /* wraps where the ring does */
		r->n--;
	}
	/* Of very many contexts few need more than one at a time. */
	if (r->n <= 1 && r->m && e->n_flows >= ENGINE_MANY_FLOWS) {
		free(r->m);
		r->m = NULL;
		r->room = 0;
	}
}

/* All of them, over holes of others before them. */
static bool all_acked(const struct flow *f, const struct uet_message *m)
{
	uint32_t psn = m->psn_first;

	if (psn32_diff(m->psn_last, f->una) < 0)
		return f->uet.una_valid;
	/* Of a deferrable one the answer may not have come yet. */
	if (!(f->uet.sacked || f->uet.by_name) || !m->som ||
	    m->have < m->length || m->deferrable ||
	    m->psn_last - m->psn_first >= SACK_BITS)
		return false;
	while (psn != m->psn_last && uet_acked(f, psn))
		psn++;
	return psn == m->psn_last && uet_acked(f, psn);
}

/* Its sender retransmitted it without an ACK, and closed the context. */
static bool given_up(const struct flow *f, const struct uet_message *m)
{
	return f->paired && f->uet.close_sent && !all_acked(f, m) &&
	       pending_psns_unanswered(f, m->psn_first, m->psn_last);
}

static void unfinished(struct engine *e, struct flow *f, struct uet_message *m)
{
	enum message_status s = MESSAGE_UNACKED;

	if (m->done)
		return;
	end(f, m);
	if (f->died)
		s = MESSAGE_QP_ERROR;
	else if (given_up(f, m))
		s = MESSAGE_ABORTED;
	else if (!is_whole(m))
		s = MESSAGE_CUT;
	else if (f->uet.state == PDC_CLOSED && f->paired)
		s = MESSAGE_LOST;
	f->incomplete += s != MESSAGE_UNACKED;
	report_uet_message(e, f, m, s, FACT_UNKNOWN);
}

/* Its sender ends it early. */
static void abort_message(struct engine *e, struct flow *f,
			  struct uet_message *m)
{
	end(f, m);
	f->incomplete++;
	report_uet_message(e, f, m, MESSAGE_ABORTED, FACT_UNKNOWN);
	pop(e, uet_messages(f));
}

bool uet_in_message(const struct flow *f)
{
	struct uet_messages *r = uet_messages(f);

	if (!r)
		return false;
	for (unsigned i = 0; i < r->n; i++)
		if (!uet_message_at(r, i)->done && !uet_message_at(r, i)->eom)
			return true;
	return false;
}

void uet_message_finish(struct engine *e, struct flow *f)
{
	struct uet_messages *r = uet_messages(f);

	if (!r)
		return;
	for (unsigned i = 0; i < r->n; i++)
		unfinished(e, f, uet_message_at(r, i));
	r->n = r->head = 0;
	uet_run_end(f);
}

/* ---- its packets ---- */

static struct uet_message *find(struct uet_messages *r,
				const struct uet_part *p)
{
	for (unsigned i = r->n; i-- > 0;) {
		struct uet_message *m = uet_message_at(r, i);

		if (!m->done && m->single == is_single(p) &&
		    (m->single ? m->psn_first == p->psn : m->id == p->id))
			return m;
	}
	return NULL;
}

static struct uet_message *add(struct engine *e, struct flow *f,
			       const struct uet_part *p)
{
	struct uet_messages *r = uet_messages(f);
	struct uet_message *m;

	if (r->n > r->room && !grow(r)) {
		/* The oldest is given up: it counts as it is. */
		unfinished(e, f, uet_message_at(r, 0));
		pop(e, r);
	}
	m = &r->newest;
	if (r->n++)
		*uet_message_at(r, r->n - 2u) = *m;
	*m = (struct uet_message) {
		.first_ns = p->ns,
		.last_ns = p->ns,
		.psn_first = p->psn,
		.psn_last = p->psn,
		.id = p->id,
		.op = op_of(p->opcode),
		.single = is_single(p),
		.deferrable = is_deferrable(p->opcode),
		.fetches = p->opcode == SES_FETCHING_ATOMIC ||
			   p->opcode == SES_TSEND_FETCH_ATOMIC,
		.plain = is_plain(p),
	};
	f->messages++;
	return m;
}

void uet_message_deferred(const struct flow *f, const struct packet *p)
{
	const struct uet_part part = uet_part_of(p);
	struct uet_message *m = find(uet_messages(f), &part);

	if (m && m->deferrable)
		m->deferred = true;
}

/* It is sent anew, from its first byte on, and is the same message. */
static bool restarts(const struct uet_message *m, const struct uet_part *p)
{
	return m->deferred && is_deferrable(p->opcode) &&
	       psn32_diff(p->psn, m->psn_last) > 0 &&
	       (p->flags & UET_SOM || is_whole(m));
}

/* Of a message that is here already?  An id that begins once more, before
 * anything said that the message of that name was over, is another's. */
static struct uet_message *part_so_far(const struct flow *f,
				       const struct uet_part *p, bool first)
{
	struct uet_message *m = find(uet_messages(f), p);

	if (m && first && restarts(m, p)) {
		m->deferred = m->som = m->eom = false;
		m->packets = 0;
		m->have = 0;
	}
	if (m && first && m->som && p->flags & UET_SOM &&
	    m->psn_first != p->psn)
		return NULL;
	return m;
}

static void add_message_part(struct uet_message *m, const struct uet_part *p)
{
	uint32_t have = m->have;

	if (psn32_diff(p->psn, m->psn_first) < 0)
		m->psn_first = p->psn;
	if (psn32_diff(p->psn, m->psn_last) > 0)
		m->psn_last = p->psn;
	if (p->flags & (UET_SOM | UET_EOM)) {
		m->som |= !!(p->flags & UET_SOM);
		m->eom |= !!(p->flags & UET_EOM);
	}
	m->packets++;
	m->last_ns = p->ns;
	if (p->length > m->length)
		m->length = p->length;
	m->cut |= !m->length && is_cut(p);
	m->have += p->payload;
	if (m->op == MESSAGE_READ)
		m->have = have; /* what it fetches comes the other way */
	/* Operands are its payload, and its length is not known to count
	 * them all.  Of a rendezvous only what goes ahead is part of it: the
	 * target READs the rest. */
	if (m->op == MESSAGE_ATOMIC || is_rendezvous(p->opcode) || m->cut)
		m->length = m->have;
}

void uet_message_packet(struct engine *e, struct flow *f, struct uet_part p,
			bool first)
{
	struct uet_message *m;

	uet_run_end(f);
	if (!(p.flags & UET_SES) && !is_cut(&p))
		return;
	if (uet_more_follows(p.flags) && p.payload > f->payload_max &&
	    p.payload <= UINT16_MAX)
		f->payload_max = (uint16_t)p.payload;
	if (op_of(p.opcode) == NO_MESSAGE) {
		m = p.opcode == SES_MSG_ERROR ? find(uet_messages(f), &p)
					      : NULL;
		if (m)
			abort_message(e, f, m);
		return;
	}
	m = part_so_far(f, &p, first);
	if (!m && first)
		m = add(e, f, &p);
	if (m && first)
		add_message_part(m, &p);
	else if (m)
		m->slow = true;
	if (m && (p.flags & UET_IE))
		abort_message(e, f, m);
}

void uet_message_begin(struct engine *e, struct flow *f, struct uet_part p)
{
	uet_message_packet(e, f, p, true);
	run_begin(f, &p);
}

void uet_message_place(const struct flow *f, uint32_t psn, int64_t *message,
		       int64_t *position)
{
	struct uet_messages *r = uet_messages(f);

	if (!r)
		return;
	for (unsigned i = r->n; i-- > 0;) {
		const struct uet_message *m = uet_message_at(r, i);

		if (psn32_diff(psn, m->psn_first) < 0 ||
		    psn32_diff(psn, m->psn_last) > 0)
			continue;
		*message = (int64_t)f->messages - (r->n - 1 - (int64_t)i);
		/* The first of a message is known by its SOM alone. */
		if (m->som)
			*position = psn32_diff(psn, m->psn_first);
		return;
	}
}

bool uet_message_is_other(const struct flow *f, const struct packet *p)
{
	struct uet_messages *r = uet_messages(f);

	if (!r || !(p->uet.flags & UET_MESSAGE))
		return false;
	for (unsigned i = 0; i < r->n; i++) {
		const struct uet_message *m = uet_message_at(r, i);

		if (m->psn_first == p->psn || m->psn_last == p->psn)
			return !m->single && m->id != p->uet.message_id;
	}
	return false;
}

/* One that is its only packet: by an answer to it, or over it. */
static bool alone_acked(const struct flow *f, const struct uet_message *m,
			uint32_t ack_psn)
{
	return m->psn_first == ack_psn ||
	       (!m->deferrable && uet_acked(f, m->psn_first));
}

void uet_message_acked(struct engine *e, struct flow *f, uint32_t ack_psn,
		       int64_t ns)
{
	struct uet_messages *r = uet_messages(f);

	for (unsigned i = 0; i < r->n; i++) {
		struct uet_message *m = uet_message_at(r, i);
		bool alone = m->psn_first == m->psn_last && m->som && m->eom;

		if (m->done || m->deferred || m->fetches ||
		    m->op == MESSAGE_READ)
			continue;
		if ((alone && alone_acked(f, m, ack_psn)) ||
		    (m->eom && all_acked(f, m)))
			complete(e, f, m, ns);
	}
	pop(e, r);
}

void uet_message_data(struct engine *e, struct flow *f, const struct packet *p,
		      uint16_t id)
{
	struct uet_messages *r = uet_messages(f);
	bool small = p->uet.next == SES_RESPONSE_DATA_SMALL;

	if (!r)
		return;
	for (unsigned i = 0; i < r->n; i++) {
		struct uet_message *m = uet_message_at(r, i);

		if (m->done || (m->op != MESSAGE_READ && !m->fetches))
			continue;
		if (small ? psn32_diff(p->uet.offset, m->psn_first) < 0 ||
				    psn32_diff(p->uet.offset, m->psn_last) > 0
			  : m->id != id)
			continue;
		if (m->op == MESSAGE_READ)
			m->have += p->payload;
		m->fetches = false;
		if (is_whole(m))
			complete(e, f, m, p->ns);
		break;
	}
	pop(e, r);
}

/* Packet ids are in no order: only a message of one packet is known by its own,
 * every other by its message id. */
static struct uet_message *asked_for(struct uet_messages *r,
				     const struct packet *p)
{
	uint16_t id = p->uet.next == SES_RESPONSE_DATA ? p->uet.read_message_id
						       : p->uet.message_id;

	for (unsigned i = r->n; i-- > 0;) {
		struct uet_message *m = uet_message_at(r, i);

		if (!m->done &&
		    (m->single || m->packets == 1 ? m->psn_first == p->psn
						  : m->id == id))
			return m;
	}
	return NULL;
}

void uet_message_answered(struct engine *e, struct flow *f,
			  const struct packet *p)
{
	struct uet_messages *r = uet_messages(f);
	struct uet_message *m = asked_for(r, p);

	if (!m)
		return;
	m->answered++;
	if (m->op == MESSAGE_READ)
		m->have += p->payload;
	if (is_whole(m) && m->answered >= m->packets)
		complete(e, f, m, p->ns);
	pop(e, r);
}

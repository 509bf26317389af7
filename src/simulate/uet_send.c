/* SPDX-License-Identifier: GPL-2.0-or-later
 * The sending side of a PDC direction.
 *
 * What is to go again goes first.  RUD repeats packet by packet: those that a
 * NACK names, those below a wide hole in the SACK, those whose time is up.
 * ROD does go-back-N.  RUDI repeats until
 * there is a response; UUD never does. */
#include <string.h>

#include "simulate/mem.h"
#include "simulate/port.h"
#include "simulate/qp.h"
#include "simulate/uet.h"
#include "simulate/work.h"
#include "wire/wire.h"

enum { SYN_OFFSET_MOST = 0xfff };

static enum service mode(const struct pdc_dir *l)
{
	return l->from->config.service;
}

struct sent *dir_sent(struct pdc_dir *l, uint64_t psn)
{
	return &l->sent[psn - l->start];
}

/* --- packets -------------------------------------------------------------- */

static void fill_ids(const struct pdc_dir *l, const struct qp *from,
		     struct uet_head *u)
{
	int end = from != l->pdc->q;

	u->spdcid = l->pdc->id[end];
	u->dpdcid = l->pdc->id[!end];
}

struct pkt *uet_packet(struct sim *s, struct pdc_dir *l, struct qp *from,
		       enum pkt_class class, uint8_t type, uint64_t psn)
{
	struct pkt *p = qp_packet(s, from, class, 0, psn);
	struct pdc *c = l->pdc;

	p->stream = c->pdc_dir[from != c->q].stream;
	p->pdc_dir = l;
	p->uet.type = type;
	p->uet.job = l->from->config.uet.job;
	p->sport = c->ev;
	p->prio = s->host.uet_prio;
	p->dscp = s->host.uet_control_dscp;
	p->ecn = MARK_NOT;
	fill_ids(l, from, &p->uet);
	return p;
}

void uet_send_now(struct sim *s, struct qp *from, struct pkt *p)
{
	nic_dress(s, from->host, p);
	port_send(s, host_port(from), p);
}

static uint16_t entropy(struct pdc_dir *l)
{
	uint32_t evs = l->from->config.uet.evs;
	uint16_t ev = l->pdc->ev;

	if (mode(l) != SERVE_ROD && evs > 1)
		ev = (uint16_t)(ev + rng_below(&l->pdc->rng, evs));
	truth_entropy(l->stream->uet, ev);
	return ev;
}

static void note_message(struct sim *s, struct pdc_dir *l, struct sent *t,
			 uint64_t psn)
{
	struct message *m = t->msg->m;

	if (t->kind == SENT_READ_DATA || t->kind == SENT_RTR)
		return;
	if (m->first < 0) {
		m->stream = l->stream;
		m->first = s->now;
		m->psn_first = psn;
		l->stream->messages++;
		if (!l->stream->work)
			l->stream->work = m->work;
	}
	if (fill_ends(t)) {
		m->last = s->now;
		m->psn_last = psn;
	}
}

static void fill_flags(struct pdc_dir *l, const struct sent *t, struct pkt *p,
		       bool again)
{
	struct uet_head *u = &p->uet;
	const struct pdc *c = l->pdc;

	if (again)
		u->flags |= UET_RETX;
	if (mode(l) >= SERVE_RUDI)
		return;
	if (again || p->last || t->kind != SENT_DATA ||
	    l->next - l->una >= l->from->config.window ||
	    !cc_room(l, l->from->config.mtu))
		u->flags |= UET_AR;
	if (!c->known && !dir_is_return(l)) {
		u->flags |= UET_SYN;
		u->dpdcid = (uint16_t)(p->psn - l->start);
		l->stream->uet->syns++;
	}
	if (t->kind == SENT_CLOSE && mode(l) == SERVE_ROD)
		u->flags |= UET_ISROD;
	u->clear = l->cleared = l->una - 1;
}

static struct pkt *transmit(struct sim *s, struct pdc_dir *l, uint64_t psn,
			    bool again)
{
	struct sent *t = dir_sent(l, psn);
	enum pkt_class class =
		t->kind == SENT_CLOSE ? PKT_CONTROL : PKT_REQUEST;
	struct pkt *p = uet_packet(s, l, l->from, class, fill_type(l, t), psn);

	t->at = s->now;
	t->tries++;
	if (t->kind == SENT_CLOSE) {
		p->uet.next = CP_CLOSE;
		p->copy = (uint16_t)(t->tries - 1);
	} else {
		p->prio = l->from->config.prio;
		p->dscp = again ? s->host.uet_rtx_dscp : s->host.uet_dscp;
		p->ecn = l->from->config.ecn ? MARK_ECT0 : MARK_NOT;
		p->sport = entropy(l);
		p->message = t->msg->m;
		fill_message(l, t, p);
		cc_sent(s, l, p->payload);
		cc_fill_request(l, p);
		if (!again)
			note_message(s, l, t, psn);
		l->in_flight += p->payload;
	}
	fill_flags(l, t, p, again);
	if (again) {
		p->trigger = t->why;
		p->recovery = t->recovery;
		if (p->recovery) {
			p->recovery->packets++;
			p->recovery->bytes += p->payload;
		}
	}
	l->spoke = s->now;
	if (l->from->config.uet.probe)
		ask_arm(s, l);
	if (mode(l) != SERVE_UUD)
		dir_arm(s, l);
	return p;
}

/* Bytes of payload. */
static uint32_t data(uint8_t kind, uint32_t len)
{
	return kind == SENT_DATA || kind == SENT_READ_DATA ? len : 0;
}

static uint32_t weight(const struct sent *t)
{
	return data(t->kind, t->len);
}

/* --- what is new ---------------------------------------------------------- */

static struct sent *add(struct pdc_dir *l, uint8_t kind, struct umsg *m,
			uint32_t offset, uint32_t len)
{
	struct sent *t;

	l->sent = mem_room(l->sent, l->n_sent, &l->cap_sent, sizeof *l->sent);
	t = &l->sent[l->n_sent++];
	*t = (struct sent) {
		.msg = m,
		.kind = kind,
		.offset = offset,
		.len = len,
		.round = m ? m->round : 0,
	};
	l->next++;
	return t;
}

void dir_owe(struct sim *s, struct pdc_dir *l, enum sent_kind kind,
	     struct umsg *m, uint32_t offset, uint32_t len)
{
	l->owed = mem_room(l->owed, l->n_owed, &l->cap_owed, sizeof *l->owed);
	l->owed[l->n_owed++] = (struct owed) { m, offset, len, (uint8_t)kind };
	nic_ready(s, l->from, LINE_DATA);
}

static uint32_t part(const struct pdc_dir *l, const struct umsg *m)
{
	uint64_t left = m->ahead - (uint64_t)m->assigned * l->from->config.mtu;

	return left < l->from->config.mtu ? (uint32_t)left
					  : l->from->config.mtu;
}

/* Everything asked for is done: the context may be closed. */
static bool may_close(const struct pdc_dir *l)
{
	const struct pdc *c = l->pdc;
	const struct uet *u = c->q->uet;
	uint32_t most = c->q->config.uet.close_after;

	return mode(l) < SERVE_RUDI && !c->closing && c->known &&
	       (u->ending || (most && c->messages >= most)) &&
	       l->una == l->next && !c->undone;
}

static void new_answer(struct pdc_dir *l)
{
	struct owed o = l->owed[0];

	memmove(l->owed, l->owed + 1, --l->n_owed * sizeof *l->owed);
	add(l, o.kind, o.msg, o.offset, o.len);
}

static void new_request(struct pdc_dir *l, uint32_t len)
{
	struct uet *u = l->from->uet;
	struct umsg *m = u->head;

	if (!m->assigned && !m->round) {
		l->pdc->messages++;
		l->pdc->undone++;
	}
	add(l, m->m->op == MSG_READ ? SENT_READ : SENT_DATA, m,
	    m->assigned * l->from->config.mtu, len);
	if (++m->assigned == m->packets) {
		u->head = m->next;
		if (!u->head)
			u->tail = NULL;
	}
}

/* Is there anything new to send?  |*bytes|: the credit that takes. */
static bool has_new(struct sim *s, const struct pdc_dir *l, uint32_t *bytes)
{
	const struct umsg *m = l->from->uet->head;

	if (l->n_owed) {
		*bytes = data(l->owed[0].kind, l->owed[0].len);
		return true;
	}
	if (dir_is_return(l) || !m ||
	    (!m->assigned && !m->round && !uet_context(s, l->from, false)))
		return false;
	*bytes = part(l, m);
	return true;
}

static bool window_open(const struct pdc_dir *l)
{
	if (mode(l) == SERVE_UUD)
		return true;
	if (!l->pdc->known && !dir_is_return(l) &&
	    l->next - l->start > SYN_OFFSET_MOST)
		return false;
	return l->next - l->una < l->from->config.window;
}

/* At the target, since CLOSE came. */
bool dir_over(const struct pdc_dir *l)
{
	return l->pdc->closed || (dir_is_return(l) && l->pdc->target_closed);
}

bool dir_pending(const struct pdc_dir *l)
{
	const struct umsg *m = l->from->uet->head;

	if (dir_over(l))
		return false;
	return l->n_again || (window_open(l) && cc_room(l, 1) &&
			      (l->n_owed || (!dir_is_return(l) && m != NULL)));
}

/* The next new packet, or false. */
static bool add_new(struct sim *s, struct pdc_dir *l)
{
	bool open = window_open(l);
	uint32_t bytes;

	if (open && !dir_is_return(l) && may_close(l)) {
		l->pdc->closing = true;
		add(l, SENT_CLOSE, NULL, 0, 0);
		return true;
	}
	if (!has_new(s, l, &bytes))
		return false;
	if (!cc_room(l, bytes)) { /* it lacks credit, window or not */
		cc_waits(s, l, bytes, open);
		return false;
	}
	if (!open)
		return false;
	if (l->n_owed)
		new_answer(l);
	else
		new_request(l, bytes);
	return true;
}

struct pkt *dir_next(struct sim *s, struct pdc_dir *l)
{
	struct pkt *p;
	uint64_t psn;

	if (dir_over(l))
		return NULL;
	while (l->n_again) {
		struct sent *t;

		psn = l->again[0];
		t = dir_sent(l, psn);
		if (t->again && !t->acked && t->kind != SENT_CLOSE &&
		    !cc_room(l, t->len) && l->in_flight) {
			cc_waits(s, l, t->len, true);
			return NULL;
		}
		memmove(l->again, l->again + 1,
			--l->n_again * sizeof *l->again);
		if (!t->again || t->acked)
			continue;
		t->again = false;
		return transmit(s, l, psn, true);
	}
	if (!add_new(s, l))
		return NULL;
	p = transmit(s, l, l->next - 1, false);
	if (mode(l) == SERVE_UUD)
		dir_acknowledged(s, l, l->next - 1);
	return p;
}

/* --- again ---------------------------------------------------------------- */

static void put_again(struct pdc_dir *l, uint64_t psn, enum pkt_trigger why,
		      struct recovery *recovery)
{
	struct sent *t = dir_sent(l, psn);

	if (t->acked || t->again)
		return;
	t->again = true;
	t->why = (uint8_t)why;
	t->recovery = recovery;
	l->in_flight -= weight(t);
	l->again =
		mem_room(l->again, l->n_again, &l->cap_again, sizeof *l->again);
	l->again[l->n_again++] = psn;
}

void dir_repeat(struct sim *s, struct pdc_dir *l, uint64_t psn,
		enum pkt_trigger why, bool busy)
{
	struct recovery *r = NULL;
	struct sent *t = dir_sent(l, psn);

	if (t->acked || t->again)
		return;
	if (t->kind != SENT_CLOSE)
		r = truth_recovery(s, l->stream, why, psn, psn + 1, busy);
	put_again(l, psn, why, r);
	nic_ready(s, l->from, LINE_DATA);
}

void dir_go_back(struct sim *s, struct pdc_dir *l, enum pkt_trigger why)
{
	struct recovery *r;

	if (l->una == l->next || dir_sent(l, l->una)->again)
		return;
	r = truth_recovery(s, l->stream, why, l->una, l->next, false);
	l->n_again = 0;
	for (uint64_t psn = l->una; psn < l->next; psn++) {
		struct sent *t = dir_sent(l, psn);

		if (t->again) { /* in order, and so at the end again */
			t->again = false;
			l->in_flight += weight(t);
		}
		put_again(l, psn, why, r);
	}
	nic_ready(s, l->from, LINE_DATA);
}

/* Its own time is up, or, of a packet that waits for its turn, was. */
static bool overdue(const struct sim *s, const struct pdc_dir *l,
		    const struct sent *t)
{
	return !t->acked && !t->again &&
	       s->now - t->at >= l->from->config.timeout;
}

static void timed_out(struct sim *s, struct pdc_dir *l, uint64_t psn)
{
	struct sent *t = dir_sent(l, psn);

	if (t->tries > l->from->config.retries) {
		uet_failed(s, l->pdc);
		return;
	}
	l->stream->timeouts++;
	truth_event(s, TRUTH_TIMEOUT, l->stream, psn)->value = t->tries;
	if (mode(l) == SERVE_ROD && t->kind != SENT_CLOSE)
		dir_go_back(s, l, TRIG_TIMEOUT);
	else
		dir_repeat(s, l, psn, TRIG_TIMEOUT, false);
}

static void expired(struct sim *s, void *object, uint64_t argument)
{
	struct pdc_dir *l = object;
	int64_t patience = l->from->config.timeout;

	(void)argument;
	l->timer = false;
	for (uint64_t psn = l->una; psn < l->next && !dir_over(l); psn++)
		if (overdue(s, l, dir_sent(l, psn)))
			timed_out(s, l, psn);
	if (dir_over(l))
		return;
	if (l->starved >= 0 && s->now - l->starved >= patience)
		cc_beg(s, l);
	if (l->una < l->next || l->starved >= 0)
		dir_arm(s, l);
}

/* When the oldest packet's time is up. */
void dir_arm(struct sim *s, struct pdc_dir *l)
{
	int64_t oldest = l->starved >= 0 ? l->starved : s->now;
	int64_t patience = l->from->config.timeout;

	if (l->timer)
		return;
	for (uint64_t psn = l->una; psn < l->next; psn++) {
		const struct sent *t = dir_sent(l, psn);

		if (!t->acked && !t->again && t->at < oldest)
			oldest = t->at;
	}
	l->timer = true;
	if (s->now - oldest >= patience) /* it was dealt with just now */
		oldest = s->now;
	events_add(&s->events, oldest + patience, expired, l, 0);
}

/* --- done ----------------------------------------------------------------- */

/* What it was part of. */
static void done(struct sim *s, struct pdc_dir *l, const struct sent *t)
{
	struct umsg *m = t->msg;

	if (t->kind == SENT_CLOSE) {
		uet_closed(s, l->pdc);
	} else if (t->kind == SENT_READ_DATA && m->rest_of) {
		m->rest_of->given++;
		uet_completed(s, l, m->rest_of);
	} else if (t->kind != SENT_READ_DATA && t->kind != SENT_RTR &&
		   t->round == m->round) {
		m->acked++;
		uet_completed(s, l, m);
	}
}

void dir_acknowledged(struct sim *s, struct pdc_dir *l, uint64_t psn)
{
	struct sent *t = dir_sent(l, psn);

	if (t->acked)
		return;
	t->acked = true;
	if (!t->again)
		l->in_flight -= weight(t);
	if (t->recovery && t->recovery->caught_up < 0)
		t->recovery->caught_up = s->now;
	if (psn >= l->top_acked)
		l->top_acked = psn + 1;
	while (l->una < l->next && dir_sent(l, l->una)->acked)
		l->una++;
	done(s, l, t);
}

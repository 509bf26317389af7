/* SPDX-License-Identifier: GPL-2.0-or-later
 * Asking for the state of things instead of sending again.
 *
 * A sender that neither sent nor heard anything for |probe| sends a PROBE: the
 * ACK that answers it says what the receiver has (CACK, SACK).  What was sent
 * before and is not there goes again; of what is there but was never answered,
 * the answer is asked for with ACK_REQ.  The timers run on all the while. */
#include "simulate/qp.h"
#include "simulate/uet.h"
#include "wire/wire.h"

enum { SACK_BITS = 64, AT_ONCE = 8, SERVICE_UNKNOWN = 0xffff };
enum { NEGOTIATED = 0x0001e240 }; /* nobody knows what it means */

static struct pkt *control(struct sim *s, struct pdc_dir *l, struct qp *from,
			   uint8_t type, uint64_t psn)
{
	struct pkt *p = uet_packet(s, l, from, PKT_CONTROL, PDS_CP, psn);

	p->uet.next = type;
	if (l->from->config.service == SERVE_ROD)
		p->uet.flags |= UET_ISROD;
	return p;
}

/* --- PROBE ---------------------------------------------------------------- */

static void probe(struct sim *s, struct pdc_dir *l)
{
	struct pkt *p = control(s, l, l->from, CP_PROBE, l->una);

	p->uet.opaque = ++l->opaque;
	p->uet.clear = l->una; /* the SACK's base */
	p->uet.word = l->una & UINT32_MAX;
	l->probed = s->now;
	p->stream->uet->probes++;
	truth_event(s, TRUTH_PROBE, l->stream, l->una)->value = l->opaque;
	uet_send_now(s, l->from, p);
}

static int64_t last_word(const struct pdc_dir *l)
{
	int64_t last = l->heard > l->spoke ? l->heard : l->spoke;

	return l->probed > last ? l->probed : last;
}

static void silent(struct sim *s, void *object, uint64_t argument)
{
	struct pdc_dir *l = object;
	int64_t patience = l->from->config.uet.probe;

	(void)argument;
	l->probe_timer = false;
	if (dir_over(l) || l->una == l->next)
		return;
	/* A PROBE cannot open a context. */
	if (s->now - last_word(l) >= patience &&
	    (l->pdc->known || dir_is_return(l)))
		probe(s, l);
	ask_arm(s, l);
}

void ask_arm(struct sim *s, struct pdc_dir *l)
{
	int64_t at = last_word(l) + l->from->config.uet.probe;

	if (l->probe_timer)
		return;
	l->probe_timer = true;
	if (at <= s->now) /* there is no context yet to ask in */
		at = s->now + l->from->config.uet.probe;
	events_add(&s->events, at, silent, l, 0);
}

/* The receiver's side. */
void ask_take_probe(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	struct pkt *a = uet_packet(s, l, dir_to(l), PKT_ACK, PDS_ACK_CC, 0);
	struct uet_head *u = &a->uet;

	a->sport = p->sport;
	u->flags = UET_P | (hold_wants_clear(l) ? UET_REQ_CLEAR : 0);
	a->stream->uet->clear_flags += hold_wants_clear(l);
	u->opaque = p->uet.opaque;
	u->cack = hold_cack(l);
	a->psn = u->cack;
	u->mpr = (uint8_t)((l->from->config.window + 127) / 128);
	dir_fill_sack(l, u, p->uet.clear);
	if (l->from->config.uet.cc != UET_CC_NONE)
		cc_fill_ack(l, a, s->host.turnaround);
	else
		u->cc_state = SERVICE_UNKNOWN; /* no count of disorder */
	uet_send_now(s, dir_to(l), a);
}

/* --- and what its answer brings about ------------------------------------- */

static void ask_one(struct sim *s, struct pdc_dir *l, uint64_t psn)
{
	struct pkt *p = control(s, l, l->from, CP_ACK_REQ, psn);
	const struct sent *t = dir_sent(l, psn);

	p->uet.word = t->msg ? t->msg->id : 0;
	p->stream->uet->ack_reqs++;
	truth_event(s, TRUTH_ACK_REQ, l->stream, psn);
	uet_send_now(s, l->from, p);
}

/* Sent before the PROBE, which came when all was silent: by now it would be
 * there.  |end|: the SACK says nothing from there on. */
static void look_for_missing(struct sim *s, struct pdc_dir *l, uint64_t end)
{
	unsigned asked = 0;

	for (uint64_t x = l->una; x < l->next && x < end; x++) {
		const struct sent *t = dir_sent(l, x);

		if (t->acked || t->again || t->at >= l->probed)
			continue;
		if (t->arrived) {
			if (asked++ < AT_ONCE)
				ask_one(s, l, x);
		} else if (l->from->config.service == SERVE_ROD) {
			dir_go_back(s, l, TRIG_SACK);
			return;
		} else {
			dir_repeat(s, l, x, TRIG_SACK, false);
		}
	}
}

void ask_take_probed(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	uint64_t before = l->in_flight;

	truth_event(s, TRUTH_PROBED, l->stream, p->uet.cack)->value =
		p->uet.opaque;
	dir_hear(s, l, p);
	if (l->pdc->closed)
		return;
	if (before > l->in_flight)
		cc_acknowledged(l, (uint32_t)(before - l->in_flight), false);
	if (p->uet.opaque == l->opaque)
		look_for_missing(s, l, p->uet.sack_base + SACK_BITS);
	if (p->uet.flags & UET_REQ_CLEAR)
		hold_clear(s, l, false);
}

void ask_take_ack_req(struct sim *s, struct pdc_dir *l, const struct pkt *p)
{
	struct pkt to = *p;

	if (!dir_has(l, p->psn)) {
		dir_refuse(s, l, p, NACK_PKT_NOT_RCVD);
		return;
	}
	to.class = dir_sent(l, p->psn)->kind == SENT_CLOSE ? PKT_CONTROL
							   : PKT_REQUEST;
	dir_acknowledge(s, l, &to);
}

/* --- NEGOTIATION ---------------------------------------------------------- */

/* Each end sends one, the target when it gets the initiator's. */
void ask_negotiate(struct sim *s, struct pdc_dir *l, struct qp *from)
{
	struct pkt *p = control(s, l, from, CP_NEGOTIATION, 0);

	p->uet.word = NEGOTIATED;
	p->stream->uet->negotiations++;
	uet_send_now(s, from, p);
}

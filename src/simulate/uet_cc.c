/* SPDX-License-Identifier: GPL-2.0-or-later
 * Congestion control of UET, in a simple form of what the specification has.
 *
 * NSCC, at the sender: a window in bytes.  Each ACK is one of four cases, by
 * its mark (M) and by the delay over the least round trip:
 *
 *                  little delay              much delay
 *      no mark     grow: a packet a window   leave it
 *      mark        shrink a little           shrink by the delay, once a
 *                                            round trip, to half at most
 *
 * A packet refused as trimmed takes its bytes off the window.
 *
 * RCCC, at the receiver: a sender may send |unsolicited| bytes, and then what
 * it has been granted.  Its requests say how much it would like in all; the
 * receiver's NIC grants a quantum to each that wants more, in turn, at the
 * speed of its link.  Counters only grow, so a lost CREDIT does no harm, and a
 * sender that waits too long asks. */
#include "simulate/qp.h"
#include "simulate/uet.h"
#include "wire/wire.h"

enum { QUANTUM = 16384, SERVICE_UNIT_NS = 128 };

static const struct uet_config *config(const struct pdc_dir *l)
{
	return &l->from->config.uet;
}

bool cc_room(const struct pdc_dir *l, uint32_t bytes)
{
	switch (config(l)->cc) {
	case UET_CC_NSCC:
		return !l->in_flight ||
		       (double)(l->in_flight + bytes) <= l->window;
	case UET_CC_RCCC:
		return l->sent_bytes + bytes <=
		       config(l)->unsolicited + l->granted;
	case UET_CC_NONE:
		break;
	}
	return true;
}

/* A wait ends with the credit for what waits, or when something goes without
 * (a copy, with nothing under way). */
static void fed(const struct sim *s, struct pdc_dir *l)
{
	if (l->starved < 0)
		return;
	l->stream->uet->starved += (uint64_t)(s->now - l->starved);
	l->starved = -1;
}

void cc_sent(struct sim *s, struct pdc_dir *l, uint32_t bytes)
{
	l->sent_bytes += bytes;
	fed(s, l);
}

/* --- NSCC ----------------------------------------------------------------- */

static void limit(struct pdc_dir *l)
{
	double most = (double)l->from->config.window * l->from->config.mtu;

	if (l->window < l->from->config.mtu)
		l->window = l->from->config.mtu;
	if (l->window > most)
		l->window = most;
}

void cc_acknowledged(struct pdc_dir *l, uint32_t bytes, bool marked)
{
	int64_t delay = l->rtt - l->rtt_min, target = config(l)->delay;
	double much = (double)(delay - target) / (double)(l->rtt + 1);

	if (config(l)->cc != UET_CC_NSCC)
		return;
	if (!marked && delay <= target)
		l->window += (double)l->from->config.mtu * bytes / l->window;
	else if (marked && delay <= target)
		l->window -= (double)bytes / 8;
	else if (marked && l->una >= l->cut_until) {
		l->window *= 1 - (much < 0.5 ? much : 0.5);
		l->cut_until = l->next;
	}
	limit(l);
}

void cc_refused(struct pdc_dir *l, uint32_t bytes)
{
	if (config(l)->cc != UET_CC_NSCC)
		return;
	l->window -= bytes;
	limit(l);
}

/* --- RCCC ----------------------------------------------------------------- */

static uint64_t backlog(const struct pdc_dir *l)
{
	uint64_t bytes = 0;

	for (const struct umsg *m = l->from->uet->head; m && !dir_is_return(l);
	     m = m->next)
		bytes += m->ahead - (uint64_t)m->assigned * l->from->config.mtu;
	for (size_t i = 0; i < l->n_owed; i++)
		if (l->owed[i].kind == SENT_READ_DATA)
			bytes += l->owed[i].len;
	for (size_t i = 0; i < l->n_again; i++)
		bytes += l->sent[l->again[i] - l->start].len;
	return bytes;
}

/* In credits: all that it would like, what needs none left out. */
static uint32_t target(const struct pdc_dir *l)
{
	uint64_t all = l->sent_bytes + backlog(l);

	if (all <= config(l)->unsolicited)
		return 0;
	all -= config(l)->unsolicited;
	return (uint32_t)((all + UET_CREDIT - 1) / UET_CREDIT);
}

/* Nothing that goes tells the receiver, so this does. */
void cc_beg(struct sim *s, struct pdc_dir *l)
{
	struct pkt *p = uet_packet(s, l, l->from, PKT_CONTROL, PDS_CP, 0);

	p->uet.next = CP_CREDIT_REQ;
	p->uet.credit_target = l->credit_known = target(l);
	uet_send_now(s, l->from, p);
}

void cc_waits(struct sim *s, struct pdc_dir *l, uint32_t bytes, bool asks)
{
	if (config(l)->cc != UET_CC_RCCC)
		return;
	if (l->starved < 0)
		l->starved = s->now;
	l->starved_for = bytes;
	if (!asks)
		return;
	if (l->pdc->id[1] && target(l) > l->credit_known)
		cc_beg(s, l);
	dir_arm(s, l);
}

void cc_fill_request(struct pdc_dir *l, struct pkt *p)
{
	if (config(l)->cc == UET_CC_RCCC)
		p->uet.credit_target = l->credit_known = target(l);
}

/* A quantum's time on the link, and a little more for its headers. */
static int64_t pace(const struct nic *n)
{
	return wire_ps(QUANTUM, n->host->node.ports[0]->bps) * 21 / 20;
}

static void grant(struct sim *s, void *object, uint64_t argument)
{
	struct nic *n = object;
	struct pdc_dir *l = n->wants;
	struct pkt *p;

	(void)argument;
	n->wants = l->after;
	if (!n->wants)
		n->wants_end = NULL;
	l->in_line = false;
	l->given += QUANTUM;
	if (l->given > l->wanted)
		l->given =
			(l->wanted + UET_CREDIT - 1) / UET_CREDIT * UET_CREDIT;
	p = uet_packet(s, l, dir_to(l), PKT_CONTROL, PDS_CP, 0);
	p->uet.next = CP_CREDIT;
	p->uet.credit_target = (uint32_t)(l->given / UET_CREDIT);
	uet_send_now(s, dir_to(l), p);
	cc_wanted(s, l, l->wanted);
	n->granting = n->wants != NULL;
	if (n->granting)
		sim_after(s, pace(n), grant, n, 0);
}

void cc_wanted(struct sim *s, struct pdc_dir *l, uint64_t bytes)
{
	struct nic *n = dir_to(l)->host->nic;

	if (config(l)->cc != UET_CC_RCCC)
		return;
	if (bytes > l->wanted)
		l->wanted = bytes;
	if (l->wanted <= l->given || l->in_line)
		return;
	l->in_line = true;
	l->after = NULL;
	if (n->wants_end)
		n->wants_end->after = l;
	else
		n->wants = l;
	n->wants_end = l;
	if (!n->granting) {
		n->granting = true;
		sim_after(s, pace(n), grant, n, 0);
	}
}

void cc_granted(struct sim *s, struct pdc_dir *l, uint64_t bytes)
{
	if (bytes <= l->granted)
		return;
	l->granted = bytes;
	l->stream->uet->credits = bytes;
	if (cc_room(l, l->starved_for))
		fed(s, l);
	nic_ready(s, l->from, LINE_DATA);
}

/* --- in ACKs -------------------------------------------------------------- */

static uint64_t nscc_state(const struct pdc_dir *l, int64_t turnaround)
{
	uint64_t service =
		(uint64_t)(turnaround / PS_PER_NS / SERVICE_UNIT_NS) + 1;
	uint64_t received = (l->bytes + UET_CREDIT - 1) / UET_CREDIT;

	return service << 48 | (received & 0xffffff) << 16 |
	       (l->out_of_order & 0xffff);
}

void cc_fill_ack(const struct pdc_dir *l, struct pkt *p, int64_t turnaround)
{
	struct uet_head *u = &p->uet;

	u->cc_type = config(l)->cc == UET_CC_RCCC ? CC_CREDIT : CC_NSCC;
	u->credit_target = (uint32_t)(l->given / UET_CREDIT);
	u->cc_state = u->cc_type == CC_NSCC
			      ? nscc_state(l, turnaround)
			      : (uint64_t)(u->credit_target & 0xffffff) << 40 |
					(l->out_of_order & 0xffff);
}

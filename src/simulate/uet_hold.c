/* SPDX-License-Identifier: GPL-2.0-or-later
 * Responses whose delivery is guaranteed: the target keeps them, to be
 * retransmitted when they are asked for, until CLEAR_PSN says that they have
 * arrived.
 *
 * As long as it keeps one its CACK stays before that one's PSN; ACK_PSN and
 * SACK go on.  With |clear_at| of them kept its ACKs ask for a clear, which the
 * next request brings, or a CLEAR where none is to be sent.  Who hears nothing
 * for a timeout asks by CLEAR_REQ. */
#include "simulate/qp.h"
#include "simulate/uet.h"
#include "wire/wire.h"

/* --- the receiver of |l| -------------------------------------------------- */

static bool guarantees(const struct pdc_dir *l)
{
	return l->from->config.service < SERVE_RUDI &&
	       l->from->config.uet.gtd != UET_GTD_NONE;
}

bool hold_is_due(const struct pdc_dir *l, const struct sent *t)
{
	if (!guarantees(l) || !t->msg)
		return false;
	if (l->from->config.uet.gtd == UET_GTD_ALL)
		return t->kind == SENT_RTR || fill_inline(l, t) ||
		       (t->kind == SENT_DATA && !uet_fetches(t->msg));
	return t->deferred || (t->kind == SENT_DATA && fill_inline(l, t));
}

/* Never too little for what comes before all that are kept: as long as it is
 * missing none of them can be cleared. */
bool hold_room(const struct pdc_dir *l, uint64_t psn)
{
	return l->held < l->from->config.uet.held || psn < l->held_from;
}

bool hold_wants_clear(const struct pdc_dir *l)
{
	return l->held >= l->from->config.uet.clear_at;
}

/* The highest one kept. */
static uint64_t newest(const struct pdc_dir *l)
{
	uint64_t psn = l->top - 1;

	while (l->got[psn - l->start] != GOT_AND_HOLD)
		psn--;
	return psn;
}

static void beg(struct sim *s, struct pdc_dir *l)
{
	struct pkt *p = uet_packet(s, l, dir_to(l), PKT_CONTROL, PDS_CP, 0);

	p->uet.next = CP_CLEAR_REQ;
	p->uet.clear = newest(l);
	p->uet.word = p->uet.clear & UINT32_MAX;
	p->stream->uet->clear_reqs++;
	truth_event(s, TRUTH_CLEAR_REQ, l->stream, p->uet.clear)->value =
		l->held;
	uet_send_now(s, dir_to(l), p);
}

static void expired(struct sim *s, void *object, uint64_t argument)
{
	struct pdc_dir *l = object;
	int64_t patience = l->from->config.timeout;

	(void)argument;
	l->held_timer = false;
	if (!hold_wants_clear(l) || l->pdc->closed || l->pdc->target_closed)
		return;
	if (s->now - l->held_reported_ns >= patience) {
		beg(s, l);
		l->held_reported_ns = s->now;
	}
	l->held_timer = true;
	events_add(&s->events, l->held_reported_ns + patience, expired, l, 0);
}

void hold_keep(struct sim *s, struct pdc_dir *l, uint64_t psn)
{
	struct uet_truth *u = l->stream->uet;

	l->got[psn - l->start] = GOT_AND_HOLD;
	if (psn < l->held_from || !l->held)
		l->held_from = psn;
	u->held++;
	if (++l->held > u->held_most)
		u->held_most = l->held;
	truth_event(s, TRUTH_HOLD, l->stream, psn)->value = l->held;
	if (!hold_wants_clear(l))
		return;
	l->held_reported_ns = s->now; /* the ACK that goes now does */
	if (l->held_timer)
		return;
	l->held_timer = true;
	sim_after(s, l->from->config.timeout, expired, l, 0);
}

/* Where all are kept each is named by an ACK of its own. */
bool hold_release(struct sim *s, struct pdc_dir *l, uint64_t clear)
{
	uint32_t n = 0;
	bool on;

	for (uint64_t x = l->held_from; l->held && x <= clear && x < l->top;
	     x++) {
		if (l->got[x - l->start] != GOT_AND_HOLD)
			continue;
		l->got[x - l->start] = GOT_IT;
		l->held--;
		n++;
	}
	if (!n)
		return false;
	truth_event(s, TRUTH_RELEASE, l->stream, clear)->value = n;
	while (l->held && l->got[l->held_from - l->start] != GOT_AND_HOLD)
		l->held_from++;
	on = l->held_back && l->from->config.uet.gtd != UET_GTD_ALL;
	l->held_back = false;
	return on;
}

uint64_t hold_cack(struct pdc_dir *l)
{
	if (!l->held || l->held_from >= l->expected)
		return l->expected - 1;
	/* That of the newest alone is named by its ACK. */
	l->held_back |= l->expected - l->held_from > 1;
	return l->held_from - 1;
}

/* --- its sender ----------------------------------------------------------- */

/* May the response to |t| be kept?  Then a SACK that has it is not enough. */
bool hold_waits(const struct pdc_dir *l, const struct sent *t)
{
	if (!guarantees(l) || !t->msg)
		return false;
	return hold_is_due(l, t) ||
	       (t->kind == SENT_DATA && t->msg->m->op == MSG_DEFERRABLE);
}

/* |asked|: by CLEAR_REQ, which may mean that a CLEAR was lost. */
void hold_clear(struct sim *s, struct pdc_dir *l, bool asked)
{
	uint64_t clear = l->una - 1;
	struct pkt *p;

	if (!asked && (clear <= l->cleared || dir_pending(l)))
		return;
	p = uet_packet(s, l, l->from, PKT_CONTROL, PDS_CP, 0);
	p->uet.next = CP_CLEAR;
	p->uet.clear = l->cleared = clear;
	p->uet.word = clear & UINT32_MAX;
	p->stream->uet->clears++;
	truth_event(s, TRUTH_CLEAR, l->stream, clear);
	uet_send_now(s, l->from, p);
}

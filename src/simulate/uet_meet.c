/* SPDX-License-Identifier: GPL-2.0-or-later
 * Messages that it takes both ends to send.
 *
 * Rendezvous: |eager| bytes go ahead; when the target has them it READs the
 * rest, in the same context and in its own PSN space, as one message.
 *
 * Deferrable: a target that has no buffer says so in its response to the first
 * packet it gets (and keeps that response: nothing else tells), and throws the
 * message away.  The initiator sends no more of it.  When there is a buffer the
 * target says DEFERRABLE_RTR, and the message begins again under its old id,
 * with both tokens. */
#include "simulate/qp.h"
#include "simulate/uet.h"

/* --- rendezvous ----------------------------------------------------------- */

void meet_rest(struct sim *s, struct pdc_dir *l, struct umsg *m)
{
	struct pdc_dir *back = dir_back(l);
	uint64_t rest = m->m->bytes - m->ahead;
	uint32_t mtu = l->from->config.mtu;
	struct umsg *r = uet_message(s, back->from, MSG_READ, rest);

	r->rest_of = m;
	r->m->rest_of = m->id;
	for (uint64_t at = 0; at < rest; at += mtu)
		dir_owe(s, back, SENT_READ, r, (uint32_t)at,
			rest - at < mtu ? (uint32_t)(rest - at) : mtu);
}

/* --- deferrable sends: the target ----------------------------------------- */

void meet_look(struct pdc_dir *l, struct sent *t)
{
	const struct uet_config *c = &l->from->config.uet;
	struct umsg *m = t->msg;

	if (t->kind != SENT_DATA || m->m->op != MSG_DEFERRABLE || m->looked ||
	    t->round != m->round)
		return;
	m->looked = true;
	if (m->round || !c->defer_every || ++l->deferrables % c->defer_every)
		return;
	m->deferred = t->deferred = true;
}

static void buffer_there(struct sim *s, void *object, uint64_t argument)
{
	struct pdc_dir *l = object;
	struct umsg *m = (struct umsg *)(uintptr_t)argument;

	dir_owe(s, dir_back(l), SENT_RTR, m, 0, 0);
}

void meet_deferred(struct sim *s, struct pdc_dir *l, struct sent *t)
{
	truth_event(s, TRUTH_DEFER, l->stream, l->expected)->value = t->msg->id;
	sim_after(s, l->from->config.uet.defer_for, buffer_there, l,
		  (uintptr_t)t->msg);
}

/* --- and the initiator ---------------------------------------------------- */

void meet_reported(struct sim *s, struct pdc_dir *l, struct sent *t)
{
	struct umsg *m = t->msg;

	(void)s;
	if (!m || t->round != m->round)
		return; /* it has begun again since */
	m->waiting = true;
	uet_leave(l->from->uet, m);
}

void meet_restart(struct sim *s, struct pdc_dir *l, struct umsg *m)
{
	m->round++;
	m->m->restarts++;
	m->assigned = m->acked = m->got = 0;
	m->looked = m->deferred = m->waiting = false;
	truth_event(s, TRUTH_RESTART, l->stream, l->next)->value = m->id;
	uet_begin_again(l->from->uet, m);
	nic_ready(s, l->from, LINE_DATA);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A small RUD context that plays by the rules, and a tap in the middle. */
#include "uet_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/wire.h"

enum {
	WINDOW = 32,
	QUEUE = 4096,
	PSNS = 1024,
	GAP = 2 * US,
	LEG = 10 * US,
	DELAY = 25 * US, /* of a packet that is overtaken */
	TURN = 3 * US,
	TIMER = 4 * MS,
};

enum where { AT_TAP_TO_B, AT_B, AT_TAP_TO_A, AT_A };

struct hop {
	int64_t ns;
	uint64_t order;
	enum where where;
	uint32_t i; /* which message: PSN - START_PSN */
	bool retransmitted, trimmed, nack;
	uint32_t cack; /* as a count */
	uint64_t sack;
};

struct model {
	struct context *c;
	const struct uet_faults *faults;
	struct uet_truth t;
	struct hop queue[QUEUE];
	size_t n;
	uint64_t order;
	int64_t now, next_send;
	uint32_t total, nxt, una;
	int64_t timer[PSNS]; /* A: when it is sent again; 0 acknowledged */
	bool again[PSNS];    /* A: refused, to be sent again now */
	bool got[PSNS];      /* B */
	bool behind[PSNS];   /* a copy was lost behind the tap */
	uint32_t cack;       /* B: got before here */
	uint32_t dice;
};

static bool chance(struct model *m, uint32_t of_10000)
{
	m->dice = m->dice * 1664525 + 1013904223;
	return (m->dice >> 8) % 10000 < of_10000;
}

static void push(struct model *m, struct hop h, int64_t delay)
{
	assert_true(m->n < QUEUE);
	h.ns = m->now + delay;
	h.order = m->order++;
	m->queue[m->n++] = h;
}

static size_t earliest(const struct model *m)
{
	size_t best = 0;

	for (size_t i = 1; i < m->n; i++) {
		const struct hop *a = &m->queue[i], *b = &m->queue[best];

		if (a->ns < b->ns || (a->ns == b->ns && a->order < b->order))
			best = i;
	}
	return best;
}

/* ---- A ---- */

static void send_one(struct model *m, uint32_t i, bool retransmitted)
{
	struct hop h = { .where = AT_TAP_TO_B,
			 .i = i,
			 .retransmitted = retransmitted };

	m->t.sent++;
	m->t.retransmitted += retransmitted;
	m->timer[i] = m->now + TIMER;
	m->again[i] = false;
	m->next_send = m->now + GAP;
	if (chance(m, m->faults->lost_before)) {
		m->t.lost_before++;
		m->t.firsts_before += !retransmitted;
		return;
	}
	if (chance(m, m->faults->trim_before)) {
		m->t.trimmed_before++;
		h.trimmed = true;
	}
	if (chance(m, m->faults->late_before)) {
		m->t.late_before++;
		push(m, h, LEG + DELAY);
		return;
	}
	push(m, h, LEG);
}

static void a_hears(struct model *m, const struct hop *h)
{
	answered(m->c);
	if (h->nack) {
		m->again[h->i] = m->timer[h->i] != 0;
		return;
	}
	for (uint32_t i = m->una; i < m->nxt; i++)
		if (i < h->cack || (i - h->cack < 64 && i >= h->cack &&
				    h->sack >> (i - h->cack) & 1))
			m->timer[i] = 0;
	while (m->una < m->nxt && !m->timer[m->una])
		m->una++;
}

/* What A does next: send again what was refused or timed out, or go on. */
static bool next_copy(const struct model *m, uint32_t *which, int64_t *when)
{
	*when = INT64_MAX;
	for (uint32_t i = m->una; i < m->nxt; i++) {
		int64_t at = m->again[i] ? m->now : m->timer[i];

		if (m->timer[i] && at < *when) {
			*when = at;
			*which = i;
		}
	}
	return *when != INT64_MAX;
}

/* ---- B ---- */

static void answer(struct model *m, uint32_t i, bool nack)
{
	struct hop h = {
		.where = AT_TAP_TO_A, .i = i, .nack = nack, .cack = m->cack
	};

	for (uint32_t k = 0; k < 64 && m->cack + k < m->total; k++)
		h.sack |= (uint64_t)m->got[m->cack + k] << k;
	if (chance(m, m->faults->answer_before))
		return;
	push(m, h, TURN + LEG);
}

static void b_hears(struct model *m, const struct hop *h)
{
	if (h->trimmed) {
		answer(m, h->i, true);
		return;
	}
	m->t.duplicates += m->got[h->i];
	m->got[h->i] = true;
	while (m->cack < m->total && m->got[m->cack])
		m->cack++;
	answer(m, h->i, false);
}

/* ---- the tap ---- */

static void capture_request(struct model *m, const struct hop *h)
{
	const uint32_t psn = m->c->start + h->i;

	m->c->ev++;
	if (h->trimmed)
		send_trimmed(m->c, psn);
	else if (h->retransmitted)
		resend_psn(m->c, psn);
	else
		send_psn(m->c, psn);
	if (h->retransmitted)
		last_packet(m->c->scene)->uet.flags |= UET_RETX;
	m->t.retransmitted_seen += h->retransmitted;
}

static void capture_answer(struct model *m, const struct hop *h)
{
	const uint32_t psn = m->c->start + h->i;
	/* the bitmap's first bit is CACK's own */
	const uint64_t bits = h->sack << 1 | 1;

	if (h->nack)
		refuse(m->c, psn, NACK_TRIMMED);
	else
		sack(m->c, m->c->start + h->cack - 1, psn, bits);
}

static void tap_sees(struct model *m, struct hop h)
{
	const bool to_b = h.where == AT_TAP_TO_B;

	m->c->scene->now = m->now - m->c->scene->step;
	if (chance(m, m->faults->missed))
		++*(to_b ? &m->t.missed_requests : &m->t.missed_answers);
	else if (to_b)
		capture_request(m, &h);
	else
		capture_answer(m, &h);
	if (!to_b && chance(m, m->faults->answer_behind))
		return;
	if (to_b && chance(m, m->faults->lost_behind)) {
		m->t.lost_behind++;
		m->t.psns_behind += !m->behind[h.i];
		m->behind[h.i] = true;
		return;
	}
	h.where = to_b ? AT_B : AT_A;
	if (to_b && !h.trimmed && chance(m, m->faults->trim_behind)) {
		m->t.trimmed_behind++;
		h.trimmed = true;
	}
	if (to_b && chance(m, m->faults->late_behind)) {
		m->t.late_behind++;
		push(m, h, LEG + DELAY);
		return;
	}
	push(m, h, LEG);
}

static void arrive(struct model *m)
{
	size_t at = earliest(m);
	struct hop h = m->queue[at];

	m->queue[at] = m->queue[--m->n];
	m->now = h.ns;
	if (h.where == AT_TAP_TO_B || h.where == AT_TAP_TO_A)
		tap_sees(m, h);
	else if (h.where == AT_B)
		b_hears(m, &h);
	else
		a_hears(m, &h);
}

static void step_once(struct model *m)
{
	int64_t arrival = m->n ? m->queue[earliest(m)].ns : INT64_MAX;
	int64_t send = INT64_MAX, copy;
	uint32_t which = 0;

	if (m->nxt < m->total && m->nxt - m->una < WINDOW)
		send = m->next_send > m->now ? m->next_send : m->now;
	if (next_copy(m, &which, &copy) && copy < m->next_send)
		copy = m->next_send;
	if (arrival <= send && arrival <= copy) {
		arrive(m);
	} else if (copy <= send) {
		m->now = copy;
		m->t.timeouts += !m->again[which];
		send_one(m, which, true);
	} else {
		m->now = send;
		send_one(m, m->nxt++, false);
	}
}

struct uet_truth uet_model_play(struct context *c, uint32_t messages,
				const struct uet_faults *faults, uint32_t seed)
{
	struct model *m = calloc(1, sizeof *m);
	struct uet_truth t;

	assert_non_null(m);
	assert_true(messages < PSNS);
	*m = (struct model) { .c = c,
			      .faults = faults,
			      .now = c->scene->now,
			      .total = messages,
			      .dice = seed * 2654435761u + 1 };
	while (m->una < m->total)
		step_once(m);
	while (m->n)
		arrive(m);
	t = m->t;
	free(m);
	return t;
}

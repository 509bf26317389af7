/* SPDX-License-Identifier: GPL-2.0-or-later
 * A small RC connection that plays by the rules, and a tap in the middle. */
#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
	WINDOW = 32,
	QUEUE = 4096,
	GAP = 2 * US,    /* between two packets of a sender */
	LEG = 10 * US,   /* host - tap, one way */
	DELAY = 25 * US, /* of a packet that is overtaken */
	TURN = 3 * US,   /* of a host */
	TIMER = 4 * MS,
};

enum where { AT_TAP_TO_B, AT_B, AT_TAP_TO_A, AT_A };

/* A packet on its way, or rather its next arrival. */
struct hop {
	int64_t ns;
	uint64_t order; /* among equal times */
	enum where where;
	uint32_t psn;
	uint16_t ip_id;
	uint8_t syndrome;
	bool retransmitted, missed;
};

struct model {
	struct pair *p;
	const struct model_faults *faults;
	struct model_truth t;
	struct hop queue[QUEUE];
	size_t n;
	uint64_t order;
	int64_t now, next_send, progress;
	uint32_t first, end;    /* PSNs to deliver */
	uint32_t una, nxt, cur; /* A */
	uint32_t expected;      /* B */
	bool complained;
	uint32_t dice;
	uint32_t last_nak;
};

static bool chance(struct model *m, uint32_t of_10000)
{
	m->dice = m->dice * 1664525 + 1013904223;
	return (m->dice >> 8) % 10000 < of_10000;
}

static int32_t after(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

static void push(struct model *m, struct hop h, int64_t delay)
{
	assert_true(m->n < QUEUE);
	h.ns = m->now + delay;
	h.order = m->order++;
	m->queue[m->n++] = h;
}

static struct hop pop(struct model *m)
{
	size_t best = 0;
	struct hop h;

	for (size_t i = 1; i < m->n; i++) {
		const struct hop *a = &m->queue[i], *b = &m->queue[best];

		if (a->ns < b->ns || (a->ns == b->ns && a->order < b->order))
			best = i;
	}
	h = m->queue[best];
	m->queue[best] = m->queue[--m->n];
	return h;
}

/* ---- A ---- */

static void send_one(struct model *m)
{
	struct hop h = { .where = AT_TAP_TO_B,
			 .psn = m->cur,
			 .ip_id = reordered(m->p),
			 .retransmitted = after(m->cur, m->nxt) < 0 };

	m->t.sent++;
	m->t.retransmitted += h.retransmitted;
	if (after(m->cur, m->nxt) >= 0)
		m->nxt = (m->cur + 1) & 0xffffff;
	m->cur = (m->cur + 1) & 0xffffff;
	m->next_send = m->now + GAP;
	/* sent, so its message counts whether or not the tap sees it */
	ends_before(m->p, h.psn);
	if (chance(m, m->faults->lost_before)) {
		m->t.lost_before++;
		return;
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
	const bool is_nak = h->syndrome == 0x60;
	const uint32_t una = is_nak ? h->psn : (h->psn + 1) & 0xffffff;

	if (after(una, m->una) > 0) {
		m->una = una;
		m->progress = m->now;
		if (after(m->cur, una) < 0)
			m->cur = una;
	}
	if (is_nak && h->psn == m->una) {
		m->cur = h->psn;
		m->progress = m->now;
		m->next_send = m->now + TURN;
	}
}

/* ---- B ---- */

static void answer_from_b(struct model *m, uint32_t psn, uint8_t syndrome)
{
	struct hop h = { .where = AT_TAP_TO_A,
			 .psn = psn & 0xffffff,
			 .syndrome = syndrome };

	if (chance(m, m->faults->answer_before)) {
		m->t.answers_lost++;
		return;
	}
	push(m, h, TURN + LEG);
}

static void b_hears(struct model *m, const struct hop *h)
{
	const int32_t d = after(h->psn, m->expected);

	if (d == 0) {
		m->expected = (m->expected + 1) & 0xffffff;
		m->complained = false;
		answer_from_b(m, h->psn, 0x1f);
	} else if (d < 0) {
		m->t.duplicates++;
		answer_from_b(m, m->expected - 1, 0x1f);
	} else if (!m->complained) {
		m->complained = true;
		answer_from_b(m, m->expected, 0x60);
	}
}

/* ---- the tap ---- */

static void tap_sees(struct model *m, struct hop h)
{
	struct scene *s = m->p->scene;
	const bool to_b = h.where == AT_TAP_TO_B;
	const bool missed = chance(m, m->faults->missed);

	s->now = m->now - s->step;
	if (missed && to_b)
		m->t.missed_requests++;
	else if (missed)
		m->t.missed_answers++;
	else if (to_b)
		late(m->p, h.psn, h.ip_id);
	else
		nak_code(m->p, h.psn, h.syndrome);
	if (!missed && !to_b && h.syndrome != 0x60)
		last_packet(s)->msn = after(m->expected, m->first);
	if (to_b && h.retransmitted && !missed)
		m->t.retransmitted_seen++;
	if (!to_b && h.syndrome == 0x60 && h.psn != m->last_nak) {
		m->t.distinct_naks++;
		m->last_nak = h.psn;
	}
	h.missed = missed;
	if (!to_b && chance(m, m->faults->answer_behind)) {
		m->t.answers_lost++;
		return;
	}
	if (to_b && chance(m, m->faults->lost_behind)) {
		m->t.lost_behind++;
		m->t.missed_and_lost_behind += missed;
		return;
	}
	h.where = to_b ? AT_B : AT_A;
	if (to_b && chance(m, m->faults->late_behind)) {
		m->t.late_behind++;
		push(m, h, LEG + DELAY);
		return;
	}
	push(m, h, LEG);
}

static void arrive(struct model *m, struct hop h)
{
	switch (h.where) {
	case AT_TAP_TO_B:
	case AT_TAP_TO_A:
		tap_sees(m, h);
		break;
	case AT_B:
		b_hears(m, &h);
		break;
	case AT_A:
		a_hears(m, &h);
		break;
	}
}

static bool may_send(const struct model *m)
{
	return after(m->cur, m->end) < 0 && after(m->cur, m->una) < WINDOW;
}

/* The next thing to happen is the earliest of arrival, send and timer. */
static void step_once(struct model *m)
{
	int64_t arrival = INT64_MAX, send = INT64_MAX;
	const int64_t timer = m->progress + TIMER;

	for (size_t i = 0; i < m->n; i++)
		if (m->queue[i].ns < arrival)
			arrival = m->queue[i].ns;
	if (may_send(m))
		send = m->next_send > m->now ? m->next_send : m->now;
	if (arrival <= send && arrival <= timer) {
		struct hop h = pop(m);

		m->now = h.ns;
		arrive(m, h);
	} else if (send <= timer) {
		m->now = send;
		if (m->cur == m->una)
			m->progress = m->now;
		send_one(m);
	} else {
		m->now = timer;
		m->progress = timer;
		m->t.timeouts++;
		m->cur = m->una;
	}
}

struct model_truth model_play(struct pair *p, uint32_t first, uint32_t messages,
			      const struct model_faults *faults, uint32_t seed)
{
	struct model *m = calloc(1, sizeof *m);
	struct model_truth t;

	assert_non_null(m);
	*m = (struct model) { .p = p,
			      .faults = faults,
			      .now = p->scene->now,
			      .progress = p->scene->now,
			      .first = first,
			      .end = (first + messages) & 0xffffff,
			      .una = first,
			      .nxt = first,
			      .cur = first,
			      .expected = first,
			      .last_nak = UINT32_MAX,
			      .dice = seed * 2654435761u + 1 };
	while (after(m->una, m->end) < 0)
		step_once(m);
	while (m->n) { /* what is still on its way */
		struct hop h = pop(m);

		m->now = h.ns;
		arrive(m, h);
	}
	t = m->t;
	free(m);
	return t;
}

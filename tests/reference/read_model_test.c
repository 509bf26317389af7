/* SPDX-License-Identifier: GPL-2.0-or-later
 * READs with known truth: a requester that asks again for what is missing, a
 * responder that answers in order, a tap in the middle.  What must hold for
 * every seed is that no loss is told that was not, and none on the other
 * side of the tap or in the other direction. */
#include <stdlib.h>

#include "scene.h"
#include "seeds.h"

enum {
	READS = 40,
	SPAN = 8,        /* packets per READ */
	OUTSTANDING = 3, /* READs */
	QUEUE = 4096,
	GAP = 2 * US,
	LEG = 10 * US,
	TIMER = 4 * MS,
};

/* Chances out of 10000: of responses, of requests, of what the tap misses. */
struct faults {
	uint32_t lost_before, lost_behind;
	uint32_t request_before, request_behind;
	uint32_t missed;
};

struct truth {
	uint32_t lost_before, lost_behind, request_before, request_behind;
	uint32_t missed_requests, missed_responses;
	uint32_t rounds, timeouts;
	uint32_t requests_seen;
};

/* A request or a response of |n| or one packets on its way. */
struct hop {
	int64_t ns;
	uint64_t order;
	bool response, at_tap, nak;
	uint32_t psn, n; /* a request asks for n packets */
};

struct model {
	struct pair *p;
	const struct faults *faults;
	struct truth t;
	struct hop queue[QUEUE];
	size_t n;
	uint64_t order;
	int64_t now, b_free, progress;
	uint32_t first, want, asked, end, dice;
	uint32_t b_expected;
	bool asked_again, b_complained;
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

static void push(struct model *m, struct hop h, int64_t ns)
{
	assert_true(m->n < QUEUE);
	h.ns = ns;
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

static void ask(struct model *m, uint32_t psn, uint32_t n)
{
	struct hop h = { .at_tap = true, .psn = psn & 0xffffff, .n = n };

	if (chance(m, m->faults->request_before))
		m->t.request_before++;
	else
		push(m, h, m->now + LEG);
}

static uint32_t read_of(const struct model *m, uint32_t psn)
{
	uint32_t k = (uint32_t)after(psn, m->first) / SPAN;

	return (m->first + k * SPAN) & 0xffffff;
}

/* What is missing of the first READ, then the others in full. */
static void ask_again(struct model *m)
{
	uint32_t next = (read_of(m, m->want) + SPAN) & 0xffffff;

	m->t.rounds++;
	m->asked_again = true;
	m->progress = m->now;
	ask(m, m->want, (uint32_t)after(next, m->want));
	for (; after(next, m->asked) < 0; next = (next + SPAN) & 0xffffff) {
		m->now += GAP;
		ask(m, next, SPAN);
	}
}

static void ask_more(struct model *m)
{
	while (after(m->asked, m->end) < 0 &&
	       after(m->asked, m->want) < OUTSTANDING * SPAN) {
		if (m->asked == m->want)
			m->progress = m->now;
		ask(m, m->asked, SPAN);
		m->asked = (m->asked + SPAN) & 0xffffff;
		m->now += GAP;
	}
}

static void a_hears(struct model *m, const struct hop *h)
{
	int32_t d = after(h->psn, m->want);

	if (h->nak) {
		if (!m->asked_again)
			ask_again(m);
	} else if (d == 0) {
		m->want = (m->want + 1) & 0xffffff;
		m->asked_again = false;
		m->progress = m->now;
		if (read_of(m, m->want) == m->want)
			ask_more(m);
	} else if (d > 0 && !m->asked_again) {
		ask_again(m);
	}
}

/* ---- B and the tap ---- */

/* A request ahead of the expected PSN is refused once, like a WRITE. */
static bool b_takes(struct model *m, const struct hop *h, int64_t at)
{
	struct hop nak = { .response = true,
			   .at_tap = true,
			   .nak = true,
			   .psn = m->b_expected };
	int32_t d = after(h->psn, m->b_expected);

	if (d > 0 && !m->b_complained) {
		m->b_complained = true;
		push(m, nak, at + LEG);
	}
	if (d == 0) {
		m->b_expected = (m->b_expected + h->n) & 0xffffff;
		m->b_complained = false;
	}
	return d <= 0;
}

static void b_hears(struct model *m, const struct hop *h)
{
	int64_t at = m->b_free > m->now ? m->b_free : m->now;

	if (!b_takes(m, h, at))
		return;

	for (uint32_t k = 0; k < h->n; k++) {
		struct hop r = { .response = true,
				 .at_tap = true,
				 .psn = (h->psn + k) & 0xffffff,
				 .n = h->n };

		at += GAP;
		if (chance(m, m->faults->lost_before))
			m->t.lost_before++;
		else
			push(m, r, at + LEG);
	}
	m->b_free = at;
}

static void show(struct model *m, const struct hop *h)
{
	struct scene *s = m->p->scene;
	uint32_t base = read_of(m, h->psn);

	s->now = m->now - s->step;
	if (h->nak) {
		nak(m->p, h->psn);
		return;
	}
	if (h->response) {
		read_response(m->p, base, SPAN, (uint32_t)after(h->psn, base));
		return;
	}
	m->t.requests_seen++;
	read_request(m->p, h->psn, h->n);
}

static void tap_sees(struct model *m, struct hop h)
{
	if (!chance(m, m->faults->missed))
		show(m, &h);
	else if (h.response)
		m->t.missed_responses++;
	else
		m->t.missed_requests++;
	if (h.response && !h.nak && chance(m, m->faults->lost_behind)) {
		m->t.lost_behind++;
		return;
	}
	if (!h.response && chance(m, m->faults->request_behind)) {
		m->t.request_behind++;
		return;
	}
	h.at_tap = false;
	push(m, h, m->now + LEG);
}

static void step_once(struct model *m)
{
	const int64_t timer = m->progress + TIMER;
	struct hop h;
	size_t i;

	if (!m->n || m->queue[i = earliest(m)].ns > timer) {
		m->now = timer;
		m->t.timeouts++;
		ask_again(m);
		return;
	}
	h = m->queue[i];
	m->queue[i] = m->queue[--m->n];
	if (h.ns > m->now)
		m->now = h.ns;
	if (h.at_tap)
		tap_sees(m, h);
	else if (h.response)
		a_hears(m, &h);
	else
		b_hears(m, &h);
}

struct play {
	struct scene *scene;
	struct pair p;
	struct truth t;
	struct record *r;
	const struct fact_flow *f, *g; /* requests, responses */
};

static struct play play(const struct faults *faults, uint32_t seed)
{
	struct play x = { .scene = scene_new() };
	struct model *m = calloc(1, sizeof *m);
	uint32_t first = (seed * 0x3701 + 3) & 0xffffff;

	assert_non_null(m);
	x.scene->step = US;
	x.p = usual(x.scene);
	write_message(&x.p, (first - 3) & 0xffffff, 3);
	pause_ns(x.scene, REACT);
	ack(&x.p, (first - 1) & 0xffffff);
	pause_ns(x.scene, MS);
	*m = (struct model) { .p = &x.p,
			      .faults = faults,
			      .now = x.scene->now,
			      .progress = x.scene->now,
			      .first = first,
			      .want = first,
			      .b_expected = first,
			      .asked = first,
			      .end = (first + READS * SPAN) & 0xffffff,
			      .dice = seed * 2654435761u + 1 };
	ask_more(m);
	while (after(m->want, m->end) < 0)
		step_once(m);
	x.t = m->t;
	free(m);
	scene_sort(x.scene);
	x.r = scene_run(x.scene, NULL);
	x.f = flow_of(x.r, &x.p);
	x.g = reverse_of(x.r, &x.p);
	return x;
}

static void play_and_judge(const void *faults, uint32_t seed, judge_fn *judge)
{
	struct play x = play(faults, seed);

	judge(&x, seed);
	scene_free(x.scene);
}

/* Nothing may be said against the requests. */
static void judge_requests_innocent(const struct play *x, uint32_t seed)
{
	HOLDS(seed, x->f->lost_upstream == 0);
	HOLDS(seed, x->f->lost_downstream_min == 0);
	HOLDS(seed, x->f->reordered == 0);
	HOLDS(seed, x->g->reordered == 0);
}

static void judge_clean(const struct play *x, uint32_t seed)
{
	judge_requests_innocent(x, seed);
	HOLDS(seed, x->t.rounds == 0);
	HOLDS(seed, x->r->n_recoveries == 0);
	HOLDS(seed, x->g->lost_upstream == 0);
	HOLDS(seed, x->g->lost_downstream_max == 0);
	HOLDS(seed, x->g->capture_missing + x->f->capture_missing == 0);
	HOLDS(seed, x->f->retransmitted == 0);
	HOLDS(seed, x->f->messages_completed == READS + 1);
	HOLDS(seed, x->g->goodput_bytes == READS * SPAN * PMTU);
}

static void reads_without_trouble(void **state)
{
	const struct faults none = { 0 };

	(void)state;
	for_every_seed(&none, judge_clean);
}

static void judge_missed(const struct play *x, uint32_t seed)
{
	judge_requests_innocent(x, seed);
	HOLDS(seed, x->t.rounds == 0);
	HOLDS(seed, x->r->n_recoveries == 0);
	HOLDS(seed, x->g->lost_upstream == 0);
	HOLDS(seed, x->g->lost_downstream_min == 0);
	HOLDS(seed, x->f->retransmitted == 0);
	HOLDS(seed, x->f->timeouts + x->g->timeouts == 0);
	HOLDS(seed, x->g->capture_missing <= x->t.missed_responses);
	/* a READ request that was missed is a hole of all its PSNs */
	HOLDS(seed, x->f->capture_missing <= x->t.missed_requests * SPAN);
}

static void the_tap_misses_some(void **state)
{
	const struct faults faults = { .missed = 200 };

	(void)state;
	for_every_seed(&faults, judge_missed);
}

static void judge_before(const struct play *x, uint32_t seed)
{
	judge_requests_innocent(x, seed);
	HOLDS(seed, x->g->lost_upstream <= x->t.lost_before);
	HOLDS(seed,
	      x->g->lost_upstream > 0 || x->t.rounds == 0 || x->t.timeouts > 0);
	HOLDS(seed, x->g->lost_downstream_min == 0);
	HOLDS(seed, x->g->capture_missing == 0);
	HOLDS(seed, x->f->capture_missing == 0);
}

static void responses_lost_before_the_tap(void **state)
{
	const struct faults faults = { .lost_before = 100 };

	(void)state;
	for_every_seed(&faults, judge_before);
}

static void judge_behind(const struct play *x, uint32_t seed)
{
	judge_requests_innocent(x, seed);
	HOLDS(seed, x->g->lost_upstream == 0);
	HOLDS(seed, x->g->lost_downstream_min <= x->t.lost_behind);
	HOLDS(seed, x->g->lost_downstream_min > 0 || x->t.rounds == 0);
	HOLDS(seed, x->g->lost_downstream_max >= x->g->lost_downstream_min);
	HOLDS(seed, x->g->capture_missing == 0);
	HOLDS(seed, x->f->capture_missing == 0);
}

static void responses_lost_behind_the_tap(void **state)
{
	const struct faults faults = { .lost_behind = 100 };

	(void)state;
	for_every_seed(&faults, judge_behind);
}

static void judge_request_behind(const struct play *x, uint32_t seed)
{
	HOLDS(seed, x->f->lost_upstream == 0);
	HOLDS(seed, x->g->lost_upstream == 0);
	HOLDS(seed, x->g->lost_downstream_min == 0);
	HOLDS(seed, x->f->lost_downstream_min <= x->t.request_behind);
	HOLDS(seed, x->f->capture_missing == 0);
	HOLDS(seed, x->g->capture_missing == 0);
}

/* The READ never reaches b, which says so or stays silent. */
static void requests_lost_behind_the_tap(void **state)
{
	const struct faults faults = { .request_behind = 300 };

	(void)state;
	for_every_seed(&faults, judge_request_behind);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_without_trouble),
		cmocka_unit_test(the_tap_misses_some),
		cmocka_unit_test(responses_lost_before_the_tap),
		cmocka_unit_test(responses_lost_behind_the_tap),
		cmocka_unit_test(requests_lost_behind_the_tap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What must hold of a RUD context for every seed of the model: nothing is lost
 * that was not lost, nothing on the other side of the tap, nothing twice. */
#include "seeds.h"
#include "uet_model.h"

struct play {
	struct scene *scene;
	struct context c;
	struct uet_truth t;
	struct record *r;
	const struct fact_flow *f;
	const struct fact_pdc *p;
};

static struct play play(const struct uet_faults *faults, uint32_t seed)
{
	struct play x = { .scene = scene_new() };

	x.scene->step = US;
	/* some of them wrap */
	x.c = context(x.scene, UINT32_MAX - seed);
	/* the capture was running before */
	x.c.id_a = 0x99;
	send_psn(&x.c, 1);
	pause_ns(x.scene, 2 * MS);
	x.c.id_a = 0x12;
	x.t = uet_model_play(&x.c, MESSAGES, faults, seed);
	x.r = scene_run(x.scene, NULL);
	x.f = context_flow(x.r, &x.c);
	x.p = context_pdc(x.r, &x.c);
	return x;
}

static void play_and_judge(const void *faults, uint32_t seed, judge_fn *judge)
{
	struct play x = play(faults, seed);

	judge(&x, seed);
	scene_free(x.scene);
}

static void judge_clean(const struct play *x, uint32_t seed)
{
	HOLDS(seed, x->t.sent == MESSAGES);
	HOLDS(seed, x->r->n_recoveries == 0);
	HOLDS(seed, x->r->n_events == 0);
	HOLDS_NOTHING_LOST(seed, x->f);
	HOLDS(seed, x->f->reordered == 0);
	HOLDS(seed, x->f->messages_completed == MESSAGES);
	HOLDS(seed, x->f->expected == MESSAGES);
}

static void nothing_happens(void **state)
{
	const struct uet_faults none = { 0 };

	(void)state;
	for_every_seed(&none, judge_clean);
}

static void judge_missed(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	HOLDS(seed, f->lost_upstream == 0);
	HOLDS(seed, f->lost_downstream_max == 0);
	HOLDS(seed, f->retransmitted == 0);
	HOLDS(seed, f->reordered == 0);
	HOLDS(seed, x->r->n_recoveries == 0);
	/* the first ones are before the capture, the last ones unknown */
	HOLDS(seed, f->capture_missing <= x->t.missed_requests);
	HOLDS(seed,
	      f->capture_missing + f->unresolved + 3 >= x->t.missed_requests);
}

/* A capture with capture loss only gives no loss verdict. */
static void the_tap_misses_some(void **state)
{
	const struct uet_faults faults = { .missed = 200 };

	(void)state;
	for_every_seed(&faults, judge_missed);
}

static void judge_before(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	HOLDS(seed, f->lost_upstream == x->t.firsts_before);
	HOLDS(seed, f->lost_downstream_min == 0);
	HOLDS(seed, f->capture_missing == 0);
	HOLDS(seed, f->unresolved == 0);
	HOLDS(seed, f->reordered == 0);
	HOLDS(seed, f->retransmitted == x->t.retransmitted_seen);
	HOLDS(seed, f->messages_completed == MESSAGES);
}

static void losses_before_the_tap(void **state)
{
	const struct uet_faults faults = { .lost_before = 150 };

	(void)state;
	for_every_seed(&faults, judge_before);
}

static void judge_behind(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	HOLDS(seed, f->lost_upstream == 0);
	HOLDS(seed, f->lost_downstream_min <= x->t.lost_behind);
	/* the last of all shows no hole in a SACK */
	HOLDS(seed, f->lost_downstream_min + 2 >= x->t.psns_behind);
	HOLDS(seed, f->lost_downstream_max >= x->t.lost_behind);
	HOLDS(seed, f->capture_missing == 0);
	HOLDS(seed, f->unresolved == 0);
	HOLDS(seed, f->reordered == 0);
	HOLDS(seed, f->spurious == 0);
	HOLDS(seed, f->retransmitted == x->t.retransmitted);
	HOLDS(seed, f->messages_completed == MESSAGES);
}

static void losses_behind_the_tap(void **state)
{
	const struct uet_faults faults = { .lost_behind = 150 };

	(void)state;
	for_every_seed(&faults, judge_behind);
}

static void judge_trimmed(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	HOLDS_NOTHING_LOST(seed, f);
	HOLDS(seed, x->p->trimmed_upstream == x->t.trimmed_before);
	/* one NACK each, but a PSN trimmed on both sides counts before */
	HOLDS(seed, x->p->trimmed_downstream <= x->t.trimmed_behind);
	HOLDS(seed, x->p->nacks == x->t.trimmed_before + x->t.trimmed_behind);
	HOLDS(seed, f->retransmitted == x->t.retransmitted);
	HOLDS(seed, f->timeouts == 0);
	HOLDS(seed, f->messages_completed == MESSAGES);
}

static void trimmed_on_both_sides(void **state)
{
	const struct uet_faults faults = { .trim_before = 150,
					   .trim_behind = 150 };

	(void)state;
	for_every_seed(&faults, judge_trimmed);
}

static void judge_answers(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	HOLDS(seed, x->t.duplicates == x->t.retransmitted);
	HOLDS(seed, f->lost_upstream == 0);
	HOLDS(seed, f->lost_downstream_min == 0);
	HOLDS(seed, f->capture_missing == 0);
	HOLDS(seed, f->retransmitted == x->t.retransmitted);
	HOLDS(seed, f->spurious <= x->t.retransmitted);
}

/* Nearly all answers die, so that timers fire though all data arrive. */
static void answers_lost_behind_the_tap(void **state)
{
	const struct uet_faults faults = { .answer_behind = 9000 };

	(void)state;
	for_every_seed(&faults, judge_answers);
}

static void answers_lost_before_the_tap(void **state)
{
	const struct uet_faults faults = { .answer_before = 9000 };

	(void)state;
	for_every_seed(&faults, judge_answers);
}

static void judge_late(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	HOLDS(seed, x->t.retransmitted == 0);
	HOLDS_NOTHING_LOST(seed, f);
	HOLDS(seed, f->retransmitted == 0);
	HOLDS(seed, x->r->n_events == 0);
	HOLDS(seed, (uint32_t)f->reordered <= x->t.late_before);
	HOLDS(seed, x->p->late_behind <= x->t.late_behind);
	HOLDS(seed, f->messages_completed == MESSAGES);
}

/* Overtaken everywhere: how RUD works, and no event. */
static void packets_late_on_both_sides(void **state)
{
	const struct uet_faults faults = { .late_before = 1500,
					   .late_behind = 1500 };

	(void)state;
	for_every_seed(&faults, judge_late);
}

static void judge_mixed(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	/* missed here and lost behind looks like lost before (U9) */
	HOLDS(seed,
	      f->lost_upstream <= x->t.lost_before + x->t.missed_requests);
	/* trimmed there, and the NACK was lost */
	HOLDS(seed, f->lost_downstream_min <= x->t.lost_behind +
						      x->t.lost_before +
						      x->t.trimmed_behind);
	HOLDS(seed, f->retransmitted <= x->t.retransmitted_seen);
	HOLDS(seed, f->capture_missing <= x->t.missed_requests);
	HOLDS(seed, x->p->trimmed_upstream <= x->t.trimmed_before);
	HOLDS(seed, f->packets == x->t.sent - x->t.lost_before -
					  x->t.missed_requests);
}

static void everything_at_once(void **state)
{
	const struct uet_faults faults = { .lost_before = 80,
					   .lost_behind = 80,
					   .late_before = 100,
					   .late_behind = 100,
					   .trim_before = 50,
					   .trim_behind = 50,
					   .answer_before = 300,
					   .answer_behind = 300,
					   .missed = 100 };

	(void)state;
	for_every_seed(&faults, judge_mixed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_happens),
		cmocka_unit_test(the_tap_misses_some),
		cmocka_unit_test(losses_before_the_tap),
		cmocka_unit_test(losses_behind_the_tap),
		cmocka_unit_test(trimmed_on_both_sides),
		cmocka_unit_test(answers_lost_behind_the_tap),
		cmocka_unit_test(answers_lost_before_the_tap),
		cmocka_unit_test(packets_late_on_both_sides),
		cmocka_unit_test(everything_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

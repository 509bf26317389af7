/* SPDX-License-Identifier: GPL-2.0-or-later
 * What must hold for every seed of the model: nothing is lost that was not
 * lost, nothing on the other side of the tap, nothing twice. */
#include "model.h"
#include "seeds.h"

struct play {
	struct scene *scene;
	struct pair p;
	struct model_truth t;
	struct record *r;
	const struct fact_flow *f;
};

static struct play play(const struct model_faults *faults, uint32_t seed)
{
	struct play x = { .scene = scene_new() };

	x.scene->step = US;
	x.p = usual(x.scene);
	x.t = model_play(&x.p, seed * 0x3701 & 0xffffff, MESSAGES, faults,
			 seed);
	x.r = scene_run(x.scene, NULL);
	x.f = flow_of(x.r, &x.p);
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
	HOLDS_NOTHING_LOST(seed, x->f);
	HOLDS(seed, x->f->reordered == 0);
	HOLDS(seed, x->f->messages_completed == MESSAGES);
}

static void nothing_happens(void **state)
{
	const struct model_faults none = { 0 };

	(void)state;
	for_every_seed(&none, judge_clean);
}

static void judge_missed(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	HOLDS(seed, f->lost_upstream == 0);
	HOLDS(seed, f->lost_downstream_min == 0);
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
	const struct model_faults faults = { .missed = 200 };

	(void)state;
	for_every_seed(&faults, judge_missed);
}

static void judge_before(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	HOLDS(seed, f->lost_upstream <= x->t.lost_before);
	HOLDS(seed, (f->lost_upstream > 0) == (x->t.lost_before > 0) ||
			    x->t.distinct_naks == 0);
	HOLDS(seed, f->lost_downstream_min == 0);
	HOLDS(seed, f->capture_missing == 0);
	HOLDS(seed, f->unresolved == 0);
	HOLDS(seed, f->reordered == 0);
	/* where nothing followed the lost one, its first copy looks new */
	HOLDS(seed, f->retransmitted <= x->t.retransmitted_seen);
	HOLDS(seed,
	      f->retransmitted + x->t.lost_before >= x->t.retransmitted_seen);
	HOLDS(seed, f->messages_completed == MESSAGES);
}

static void losses_before_the_tap(void **state)
{
	const struct model_faults faults = { .lost_before = 150 };

	(void)state;
	for_every_seed(&faults, judge_before);
}

static void judge_behind(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	HOLDS(seed, f->lost_upstream == 0);
	HOLDS(seed, f->lost_downstream_min <= x->t.lost_behind);
	HOLDS(seed, f->lost_downstream_min >= x->t.distinct_naks);
	HOLDS(seed, f->lost_downstream_max >= f->lost_downstream_min);
	HOLDS(seed,
	      f->lost_downstream_max >= x->t.lost_behind || x->t.timeouts > 0);
	HOLDS(seed, f->capture_missing == 0);
	HOLDS(seed, f->unresolved == 0);
	HOLDS(seed, f->reordered == 0);
	/* everything sent passed the tap */
	HOLDS(seed, f->retransmitted == x->t.retransmitted);
	HOLDS(seed, f->messages_completed == MESSAGES);
}

static void losses_behind_the_tap(void **state)
{
	const struct model_faults faults = { .lost_behind = 150 };

	(void)state;
	for_every_seed(&faults, judge_behind);
}

static void judge_answers(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	HOLDS(seed, x->t.duplicates == x->t.retransmitted);
	HOLDS(seed, f->lost_upstream == 0);
	HOLDS(seed, f->lost_downstream_min == 0);
	HOLDS(seed, f->capture_missing == 0);
	HOLDS(seed, f->retransmitted == x->t.retransmitted);
	/* every copy was a duplicate to b */
	HOLDS(seed, f->spurious <= x->t.retransmitted);
	HOLDS(seed, f->timeouts == x->t.timeouts);
}

/* Nearly all answers die, so that timers fire though all data arrive. */
static void answers_lost_behind_the_tap(void **state)
{
	const struct model_faults faults = { .answer_behind = 8500 };

	(void)state;
	for_every_seed(&faults, judge_answers);
}

static void judge_late_before(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	HOLDS(seed, f->lost_upstream == 0);
	HOLDS(seed, f->lost_downstream_min == 0);
	HOLDS(seed, f->capture_missing == 0);
	HOLDS(seed, f->unresolved == 0);
	HOLDS(seed, f->retransmitted == x->t.retransmitted);
	HOLDS(seed, (f->reordered > 0) == (x->t.late_before > 0) ||
			    x->t.retransmitted > 0);
}

/* Nothing is lost, but a strict receiver asks again for what came late. */
static void packets_late_before_the_tap(void **state)
{
	const struct model_faults faults = { .late_before = 60 };

	(void)state;
	for_every_seed(&faults, judge_late_before);
}

static void judge_late_behind(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	HOLDS(seed, f->lost_upstream == 0);
	HOLDS(seed, f->capture_missing == 0);
	HOLDS(seed, f->unresolved == 0);
	HOLDS(seed, f->reordered == 0);
	HOLDS(seed, f->retransmitted == x->t.retransmitted);
	/* never more than the receiver complained of */
	HOLDS(seed, f->lost_downstream_min <= x->t.distinct_naks);
}

static void packets_late_behind_the_tap(void **state)
{
	const struct model_faults faults = { .late_behind = 60 };

	(void)state;
	for_every_seed(&faults, judge_late_behind);
}

static void judge_mixed(const struct play *x, uint32_t seed)
{
	const struct fact_flow *f = x->f;

	/* missed here and lost behind looks like lost before (R3) */
	HOLDS(seed,
	      f->lost_upstream <= x->t.lost_before + x->t.missed_requests);
	HOLDS(seed,
	      f->lost_downstream_min <= x->t.lost_behind + x->t.lost_before);
	HOLDS(seed, f->retransmitted <= x->t.retransmitted_seen);
	HOLDS(seed, f->capture_missing <= x->t.missed_requests);
	HOLDS(seed, f->packets == x->t.sent - x->t.lost_before -
					  x->t.missed_requests);
}

static void everything_at_once(void **state)
{
	const struct model_faults faults = { .lost_before = 80,
					     .lost_behind = 80,
					     .late_before = 20,
					     .late_behind = 20,
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
		cmocka_unit_test(answers_lost_behind_the_tap),
		cmocka_unit_test(packets_late_before_the_tap),
		cmocka_unit_test(packets_late_behind_the_tap),
		cmocka_unit_test(everything_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

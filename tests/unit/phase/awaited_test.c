/* SPDX-License-Identifier: GPL-2.0-or-later
 * Who begins when its receiver asks is late because that is: the ring of
 * ring.h, in which receivers ask for the first data of each iteration. */
#include "ring.h"

enum { LATE = 80 * US, WAY = 1 * US };

/* Rank 1 begins each iteration late, and so it asks rank 0 as late, |WAY|
 * before that begins.  The link of rank 3 is not captured: of the three others
 * two begin late, and one is in time. */
static struct heard *both_late(struct world *w, bool asks)
{
	for (int i = 1; i < ROUNDS; i++) {
		w->late[1][i] = LATE;
		w->late[0][i] = LATE + WAY;
	}
	play(w);
	for (int i = 1; asks && i < ROUNDS; i++)
		w->a[0][i * STEPS - 1].asked = w->a[0][i * STEPS].from - WAY;
	w->flows[0].driven = asks;
	w->hosts[3].link = false;
	return hear(w);
}

static void who_is_asked_late_does_not_make_that_usual(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h = both_late(w, true);

	(void)state;
	/* Others begin within 2 us of what is usual, or along the path of
	 * rank 0, which waited for what asked, too. */
	assert_in_range(h->rank[1], (ROUNDS - 1) * (LATE - 2 * US),
			(ROUNDS - 1) * (LATE + WAY));
	assert_int_equal(of_side(h, "host"), h->rank[1]);
	assert_int_equal(of_side(h, "network"), 0);
	free(h);
	free(w);
}

/* The links of ranks 0 and 3 are not captured.  Rank 1 begins iteration 4 late,
 * and asks rank 0 as late; what it sends itself was asked for |before| that. */
static struct heard *asked_late_itself(struct world *w, int64_t before)
{
	w->late[1][4] = LATE;
	w->late[0][4] = LATE + WAY;
	play(w);
	for (int i = 1; i < ROUNDS; i++) {
		w->a[0][i * STEPS - 1].asked = w->a[0][i * STEPS].from - WAY;
		w->a[1][i * STEPS - 1].asked = w->a[1][i * STEPS].from - WAY;
	}
	w->a[1][4 * STEPS - 1].asked = w->a[1][4 * STEPS].from - before;
	w->flows[0].driven = w->flows[1].driven = true;
	w->hosts[0].link = w->hosts[3].link = false;
	return hear(w);
}

static void who_was_asked_late_is_not_late(void **state)
{
	static const struct {
		int64_t before;
		bool late;
	} cases[] = { { WAY, false }, { LATE, true } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h = asked_late_itself(w, cases[i].before);

		assert_int_equal(h->rank[1] > LATE / 2, cases[i].late);
		assert_int_equal(of_side(h, "unknown") > LATE / 2,
				 !cases[i].late);
		free(h);
		free(w);
	}
}

/* Most of those that are seen have more to do. */
static void who_begins_by_itself_does(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h = both_late(w, false);

	(void)state;
	assert_int_equal(of_side(h, "host"), 0);
	free(h);
	free(w);
}

/* Rank 1 begins iteration 4 late, on a queue pair of its own from then on, for
 * which rank 2 |asks| that long before; PHASE_UNKNOWN: that was not seen. */
static struct heard *late_on_another(struct world *w, bool asks, int64_t before)
{
	struct phase_flow *other = &w->flows[RANKS];

	w->late[1][4] = LATE;
	play(w);
	*other = w->flows[1];
	other->id = RANKS + 1;
	other->a += (size_t)4 * STEPS;
	other->n -= (size_t)4 * STEPS;
	other->driven = asks;
	if (before != PHASE_UNKNOWN)
		other->asked = other->a[0].from - before;
	w->flows[1].n = (size_t)4 * STEPS;
	w->in.n_flows = RANKS + 1;
	w->other.bytes = 1; /* its load counts */
	return hear(w);
}

static void the_first_data_may_have_been_asked_for_late(void **state)
{
	static const struct {
		bool asks;
		int64_t before;
		const char *side, *not ;
		int64_t least;
		bool late; /* rank 1 */
	} cases[] = {
		{ false, PHASE_UNKNOWN, "host", "unknown", LATE - 2 * US,
		  true },
		{ true, PHASE_UNKNOWN, "unknown", "host", LATE - 2 * US,
		  false },
		{ true, LATE + 20 * US, "host", "unknown", LATE - 2 * US,
		  true },
		/* Rank 2 sends its own chunk first. */
		{ true, WAY, "host", "unknown", LATE - 25 * US, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h =
			late_on_another(w, cases[i].asks, cases[i].before);

		assert_in_range(of_side(h, cases[i].side), cases[i].least,
				LATE + 2 * US);
		assert_int_equal(of_side(h, cases[i].not ), 0);
		assert_int_equal(h->rank[1] > LATE / 2, cases[i].late);
		free(h);
		free(w);
	}
}

/* Rank 1 begins iteration 4 late, while the link to it is full of data of
 * others; elsewhere such data held up that of the job by no more than
 * |HELD|. */
static void what_it_waited_for_may_have_been_queued(void **state)
{
	enum { HELD = 30 * US };
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;
	int64_t at;

	(void)state;
	w->late[1][4] = LATE;
	w->queued[0][1] = HELD;
	play(w);
	at = w->a[1][(size_t)4 * STEPS].from;
	w->other = (struct phase_activity) { .from = at - LATE,
					     .sent = at,
					     .over = at,
					     .arrived = at,
					     .came = at - LATE,
					     .there = at,
					     .bytes = (uint64_t)LATE * 10,
					     .psns = 200,
					     .acked = PHASE_UNKNOWN,
					     .asked = PHASE_UNKNOWN,
					     .unacked = PHASE_UNKNOWN,
					     .returned = PHASE_UNKNOWN,
					     .granted = PHASE_UNKNOWN };
	w->flows[RANKS].a = &w->other;
	w->flows[RANKS].n = 1;
	w->flows[RANKS].dst_seen = true;
	h = hear(w);
	assert_int_equal(of_side(h, "network"), HELD); /* elsewhere */
	assert_in_range(of_side(h, "host"), LATE - HELD - 2 * US,
			LATE - HELD + 2 * US);
	free(h);
	free(w);
}

/* All receivers ask for the next data as soon as the last has come, but rank 1
 * asks rank 0 |LATE| inside each iteration; what asks waited on its way for up
 * to |held|. */
static struct heard *asks_late_each_time(struct world *w, int64_t held)
{
	for (int k = 0; k < ROUNDS * STEPS; k++)
		w->waits[0][k] = k % STEPS ? LATE : 0;
	play(w);
	for (int r = 0; r < RANKS; r++) {
		struct phase_flow *g = &w->flows[r];

		g->driven = true;
		for (size_t k = 1; k < g->n; k++)
			g->a[k - 1].asked = r || k % STEPS == 0
						    ? g->a[k - 1].there + WAY
						    : g->a[k].from - WAY;
	}
	w->flows[0].held_up = held;
	return hear(w);
}

static void what_asks_may_have_waited_on_its_way(void **state)
{
	/* twice an iteration; what others take to ask is none of it */
	enum { TIMES = 2 * ROUNDS };
	int64_t host[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h = asks_late_each_time(w, i * LATE / 2);

		host[i] = of_side(h, "host");
		assert_int_equal(of_side(h, "unknown"), host[0] - host[i]);
		assert_int_equal(of_side(h, "network"), 0);
		free(h);
		free(w);
	}
	assert_in_range(host[0], TIMES * (LATE - 20 * US), TIMES * LATE);
	assert_int_equal(host[1], host[0] - TIMES * LATE / 2);
	assert_int_equal(host[2], 0);
}

/* Rank 1 begins step |step| of iteration 4 twice |LATE|, when credit had come
 * 1 us before, which it had wanted for |wanted|; PHASE_UNKNOWN: that was not
 * seen. */
static struct heard *granted_late(int step, int64_t wanted)
{
	struct world *w = calloc(1, sizeof *w);
	int at = 4 * STEPS + step;
	struct phase_activity *before = &w->a[1][at - 1];
	struct heard *h;

	w->waits[1][at] = 2 * LATE;
	play(w);
	before->granted = before[1].from - 1 * US;
	/* 3 us is how soon credit may be there. */
	w->a[1][1].granted = w->a[1][1].sent + 3 * US;
	w->a[1][1].wanted = PHASE_UNKNOWN;
	before->wanted = wanted == PHASE_UNKNOWN ? PHASE_UNKNOWN
						 : before[1].from - wanted;
	h = hear(w);
	free(w);
	return h;
}

static void who_wants_credit_late_is_late(void **state)
{
	(void)state;
	for (int step = 0; step < 2; step++) {
		struct heard *h = granted_late(step, 6 * US);

		assert_in_range(h->share[SHARE_RECEIVER], 0, 6 * US);
		/* What came last to it came in the meantime. */
		assert_in_range(h->rank[1], LATE, 2 * LATE);
		free(h);
	}
}

static void who_has_wanted_credit_for_long_is_not(void **state)
{
	static const int64_t since[] = { 2 * LATE, PHASE_UNKNOWN };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct heard *h = granted_late(i / 2, since[i % 2]);

		assert_in_range(h->share[SHARE_RECEIVER], LATE, 2 * LATE);
		assert_int_equal(h->rank[1], 0);
		free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_asked_late_does_not_make_that_usual),
		cmocka_unit_test(who_was_asked_late_is_not_late),
		cmocka_unit_test(who_begins_by_itself_does),
		cmocka_unit_test(the_first_data_may_have_been_asked_for_late),
		cmocka_unit_test(what_asks_may_have_waited_on_its_way),
		cmocka_unit_test(what_it_waited_for_may_have_been_queued),
		cmocka_unit_test(who_wants_credit_late_is_late),
		cmocka_unit_test(who_has_wanted_credit_for_long_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

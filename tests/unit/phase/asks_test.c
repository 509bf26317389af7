/* SPDX-License-Identifier: GPL-2.0-or-later
 * Who asks for data later than others, by vectors worked out by hand.
 *
 * In a ring of five ranks each gets a message at 100 us, 200 us, ... and asks
 * for the next 300 ns later, on the queue pair by which it could send to the
 * rank before it; some rank takes longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "phase/path_int.h"

enum { RANKS = 5, TURNS = 16, US = 1000, LATE = 7 * US, FOREVER = 1000 * US };

struct fixture {
	struct phase_activity data[RANKS][TURNS], small[RANKS][TURNS];
	struct phase_flow flows[2 * RANKS];
	struct event got[RANKS][TURNS], sent[RANKS][TURNS];
	struct events in[RANKS], out[RANKS];
	uint64_t small_is[2 * RANKS];
	int64_t back[2 * RANKS]; /* all 0 */
	int64_t least[2 * RANKS];
	double message[2 * RANKS];
	int32_t repairs[RANKS];
	int64_t stages[RANKS];
};

/* How long all take, at least, and so much longer each second time. */
static int64_t at_once = 300, slow_each_2nd;

/* By how much rank |who| is said to ask later when it was idle for |idle|.
 * |late| each: that of all ranks, of each |nth| request only.  |busy|: when it
 * asks late, it has just sent something.  |like|: ranks below that do as much,
 * 0: all.  |repaired|: rank 0 got data again. */
struct asked {
	uint32_t who, nth;
	bool busy;
	uint64_t bytes_of_0;
	int64_t idle;
	uint32_t like;
	bool repaired;
	int64_t stage;     /* what each rank computes, in a pipeline */
	bool when_sending; /* it begins to send when it asks */
};

/* What rank |r| gets from the one before it, and when it asks for more. */
static void play(struct fixture *x, uint32_t r, const int64_t late[RANKS],
		 const struct asked *of)
{
	uint32_t before = (r + RANKS - 1) % RANKS;

	for (size_t k = 0; k < TURNS; k++) {
		int64_t at = (int64_t)(k + 1) * 100 * US;
		int64_t more = k % of->nth ? 0 : late[r];
		int64_t slow = k % 2 ? slow_each_2nd : 0;
		struct phase_activity *a = &x->data[r][k];

		a->bytes = 4096;
		a->from = at - 20 * US;
		a->sent = a->arrived =
			of->busy && late[before] && k % of->nth == 0
				? at + late[before]
				: at - 10 * US;
		x->got[r][k] = (struct event) { at, r, k };
		x->small[r][k].bytes = 32;
		x->small[r][k].from = at + at_once + more + slow;
		x->sent[before][k] = (struct event) {
			of->when_sending ? at + late[before] : a->from, r, k
		};
	}
	x->message[r] = 4096;
}

static int64_t asks(const int64_t late[RANKS], struct asked of)
{
	struct fixture *x = calloc(1, sizeof *x);
	struct burst burst = { .from = 0, .to = 10000 * US };
	struct phase_input in = { .flows = x->flows, .n_flows = 2 * RANKS };
	struct rank ranks[RANKS] = { { 0 } };
	uint32_t rank_of[RANKS];
	struct job j = { .in = &in,
			 .ranks = ranks,
			 .n_ranks = RANKS,
			 .rank_of = rank_of,
			 .bursts = &burst,
			 .n_bursts = 1 };
	struct path *p = calloc(1, sizeof *p);
	int64_t by;

	for (uint32_t r = 0; r < RANKS; r++) {
		uint32_t before = (r + RANKS - 1) % RANKS;

		rank_of[r] = r;
		ranks[r] = (struct rank) { .host = r,
					   .bytes_out = 1000,
					   .bytes_in = 1000 };
		x->flows[r] = (struct phase_flow) {
			.src = before, .dst = r, .a = x->data[r], .n = TURNS
		};
		x->flows[RANKS + r] = (struct phase_flow) {
			.src = r, .dst = before, .a = x->small[r], .n = TURNS
		};
		x->small_is[r] = x->small_is[RANKS + r] = 64;
		play(x, r, late, &of);
		x->in[r] = (struct events) { x->got[r], TURNS };
		x->out[before] = (struct events) { x->sent[before], TURNS };
	}
	ranks[0].bytes_in = of.bytes_of_0;
	for (uint32_t r = of.like ? of.like : RANKS; r < RANKS; r++)
		ranks[r].bytes_in = 2000 * (r + 1);
	x->repairs[0] = of.repaired;
	p->repairs = x->repairs;
	p->pattern = of.stage ? PATTERN_PIPELINE : PATTERN_RING;
	for (uint32_t r = 0; r < RANKS; r++)
		x->stages[r] = of.stage;
	p->stages = x->stages;
	p->j = &j;
	p->in = x->in;
	p->out = x->out;
	p->facts.small = x->small_is;
	p->facts.back = p->facts.asking = x->back;
	p->facts.least = x->least;
	p->facts.message = x->message;
	p->computes = 2 * US;
	assert_true(path_asks(p));
	by = path_asks_late(p,
			    &(struct event) { .flow = of.who, .k = TURNS - 1 },
			    TURNS * 100 * US + of.idle, of.idle);
	free(p->asks);
	free(p->placed);
	free(p);
	free(x);
	return by;
}

/* Of each request, of each |nth|. */
static int64_t each(const int64_t late[RANKS], uint32_t who)
{
	return asks(late, (struct asked) { .who = who,
					   .nth = 1,
					   .bytes_of_0 = 1000,
					   .idle = late[who] + at_once });
}

static int64_t some(const int64_t late[RANKS], uint32_t nth, int64_t idle)
{
	return asks(late, (struct asked) { .nth = nth,
					   .bytes_of_0 = 1000,
					   .idle = idle });
}

static void who_never_asks_as_soon_is_late(void **state)
{
	static const int64_t one[RANKS] = { LATE, 0, 10, 0, 10 };

	(void)state;
	/* others: 300 and 310, the middle of four is 305 */
	assert_int_equal(each(one, 0), LATE - 5);
	assert_int_equal(each(one, 2), 0);
	/* it has more to do than others */
	assert_int_equal(asks(one, (struct asked) { .nth = 1,
						    .bytes_of_0 = 1200,
						    .idle = FOREVER }),
			 0);
}

/* Each second time, when it had been idle; or too seldom to be usual; or it had
 * to send something first. */
static void who_often_asks_late_is_late_then(void **state)
{
	static const int64_t one[RANKS] = { LATE, 0, 10, 0, 10 };

	(void)state;
	assert_int_equal(some(one, 2, FOREVER), LATE - 5);
	assert_int_equal(some(one, 2, 305 + 100), 100);
	assert_int_equal(some(one, 2, 300), 0);
	assert_int_equal(some(one, 8, FOREVER), 0);
	assert_int_equal(asks(one, (struct asked) { .nth = 2,
						    .busy = true,
						    .bytes_of_0 = 1000,
						    .idle = FOREVER }),
			 0);
}

/* One that does as much is enough where all the others ask at once; where they
 * take longer than a host that polls, three have to do as much. */
static void where_all_ask_at_once_one_is_like_it(void **state)
{
	static const int64_t one[RANKS] = { LATE, 0, 10, 0, 10 };
	struct asked of = {
		.nth = 1, .bytes_of_0 = 1000, .idle = LATE + 300, .like = 2
	};

	(void)state;
	assert_int_equal(asks(one, of), LATE - 5);
	/* nobody does as much */
	of.like = 1;
	assert_int_equal(asks(one, of), 0);
	of.like = 2;
	at_once = 8 * US + 1;
	of.idle = LATE + at_once;
	assert_int_equal(asks(one, of), 0);
	at_once = 300;
}

/* A stage that computes for 5 us before it asks is late by what is beyond. */
static void a_stage_computes_before_it_asks(void **state)
{
	static const int64_t one[RANKS] = { LATE, 0, 10, 0, 10 };
	static const int64_t two[RANKS] = { LATE, 0, 10, LATE, 10 };
	struct asked of = { .nth = 1,
			    .bytes_of_0 = 1000,
			    .idle = LATE + 300,
			    .stage = 5 * US };

	(void)state;
	assert_int_equal(asks(one, of), LATE + 300 - 5 * US);
	of.stage = LATE + 300;
	assert_int_equal(asks(one, of), 0);
	/* it asks before it has computed that */
	of.stage = 9 * US;
	assert_int_equal(asks(one, of), LATE - 5);
	/* another stage does so as well, and may have the same to do */
	of.stage = 1;
	assert_int_equal(asks(one, of), LATE - 5);
	assert_int_equal(asks(two, of), 0);
	/* others in a ring: 300, 310, 310 and 7300 */
	of.stage = 0;
	assert_int_equal(asks(two, of), LATE - 10);
}

static void what_was_repaired_says_nothing(void **state)
{
	static const int64_t one[RANKS] = { LATE, 0, 10, 0, 10 };

	(void)state;
	assert_int_equal(asks(one, (struct asked) { .nth = 1,
						    .bytes_of_0 = 1000,
						    .idle = LATE + 300,
						    .repaired = true }),
			 0);
}

/* Its latest asks are as late as those of others: each of all takes 20 us for
 * every second, and rank 0 takes 7 us for the others. */
static void who_computes_as_others_do_is_not_late_then(void **state)
{
	static const int64_t one[RANKS] = { LATE, 0, 10, 0, 10 };

	(void)state;
	slow_each_2nd = 20 * US;
	assert_int_equal(some(one, 1, LATE + 300), LATE - 5);
	assert_int_equal(some(one, 1, LATE + 300 + 20 * US), LATE - 5);
	slow_each_2nd = 70 * US;
	assert_int_equal(some(one, 1, LATE + 300), LATE - 5);
	assert_int_equal(some(one, 1, LATE + 300 + 70 * US), 0);
	slow_each_2nd = 0;
}

/* Some hosts ask for more when the last has come and what they send has begun:
 * rank 0 begins to send 300 ns before it asks. */
static void who_asks_when_it_sends_may_have_waited_for_that(void **state)
{
	static const int64_t one[RANKS] = { LATE, 0, 10, 0, 10 };
	struct asked of = { .nth = 1,
			    .bytes_of_0 = 1000,
			    .idle = LATE + 300,
			    .when_sending = true };

	(void)state;
	assert_int_equal(asks(one, of), 0);
}

static void what_is_within_the_others_is_not_late(void **state)
{
	/* less than what is computing, and than six times their distance */
	static const int64_t little[RANKS] = { 1900, 0, 10, 0, 10 };
	static const int64_t apart[RANKS] = { LATE, 0, 2000, 0, 2000 };
	static const int64_t one[RANKS] = { LATE, 0, 10, 0, 10 };

	(void)state;
	assert_int_equal(each(little, 0), 0);
	assert_int_equal(each(apart, 0), 0);
	/* 7 us are 9.7 % of 72 us */
	at_once = 72 * US;
	assert_int_equal(each(one, 0), 0);
	at_once = 60 * US;
	assert_int_equal(each(one, 0), LATE - 5);
	at_once = 300;
}

/* |n| messages, each asked for |took| before it begins. */
static bool asked_just_then(size_t n, int64_t took, int64_t last)
{
	struct phase_activity a[TURNS + 1] = { { 0 } };
	struct phase_flow flow = { .driven = true, .a = a, .n = n + 1 };
	struct phase_input in = { .flows = &flow, .n_flows = 1 };
	struct rank rank = { 0 };
	uint32_t rank_of[] = { 0 };
	struct job j = { .in = &in, .ranks = &rank, .rank_of = rank_of };
	struct path *p = calloc(1, sizeof *p);
	bool is;

	for (size_t k = 0; k <= n; k++) {
		a[k].from = (int64_t)k * 100 * US;
		a[k].asked =
			(int64_t)(k + 1) * 100 * US - (k + 1 < n ? took : last);
	}
	p->facts.j = p->j = &j;
	p->quick = 100;
	assert_true(path_answers(p));
	is = path_is_asked_for(p, 0, n);
	free(p);
	return is;
}

static void who_answers_takes_as_long_as_usual(void **state)
{
	(void)state;
	assert_true(asked_just_then(TURNS, 1700, 1700));
	assert_true(asked_just_then(TURNS, 1700, 3400));
	assert_false(asked_just_then(TURNS, 1700, 3401));
	/* too few to be usual; all compute first */
	assert_false(asked_just_then(7, 1700, 1700));
	assert_false(asked_just_then(TURNS, 40 * US, 40 * US));
	/* as quick as any host */
	assert_true(asked_just_then(TURNS, 40 * US, 100));
	assert_false(asked_just_then(TURNS, 20, 101));
}

/* Of five ranks each asks three times at each of two places: 6 us after what
 * came at the first, where all compute, and at once at the second, but rank 0
 * |LATE| there. */
static void who_asks_late_at_one_place_is_late_there(void **state)
{
	enum { PLACES = 2, TIMES = 3 };
	struct placed_ask v[PLACES * RANKS * TIMES];
	struct phase_flow flows[] = { { .dst = 0 }, { .dst = 1 } };
	struct phase_input in = { .flows = flows, .n_flows = 2 };
	uint32_t rank_of[] = { 0, 1 };
	struct job j = { .in = &in, .rank_of = rank_of };
	size_t first_lag[] = { 0, PLACES };
	int64_t place[] = { 1, 2, 1, 2 };
	struct path *p = calloc(1, sizeof *p);
	size_t n = 0;

	(void)state;
	for (uint32_t r = 0; r < RANKS; r++)
		for (int i = 0; i < PLACES * TIMES; i++)
			v[n++] = (struct placed_ask) {
				.place = 1 + i % PLACES,
				.rank = r,
				.took = i % PLACES ? (r ? 300 : LATE) : 6 * US
			};
	flows[0].n = flows[1].n = PLACES;
	p->j = &j;
	p->computes = 2 * US;
	p->pattern = PATTERN_RING;
	p->first_lag = first_lag;
	p->ask_place = place;
	assert_true(path_late_places(p, v, n));
	assert_int_equal(p->n_placed, 2);
	assert_int_equal(p->placed[1].took, LATE);
	assert_int_equal(p->placed[1].others, 300);
	/* so nobody computes at the second */
	assert_true(p->compute_and_ask);
	assert_ptr_equal(path_late_place(p, &(struct event) { 0, 0, 1 }),
			 &p->placed[1]);
	assert_null(path_late_place(p, &(struct event) { 0, 0, 0 }));
	assert_null(path_late_place(p, &(struct event) { 0, 1, 1 }));
	/* a stage that is late there alone may have more to do */
	p->pattern = PATTERN_PIPELINE;
	assert_null(path_late_place(p, &(struct event) { 0, 0, 1 }));
	/* what all take at a place is usual there */
	assert_int_equal(path_usual_place(p, &(struct event) { 0, 1, 0 }),
			 6 * US);
	assert_int_equal(path_usual_place(p, &(struct event) { 0, 0, 1 }), 300);
	free(p->placed);
	free(p);
}

/* Two ranks; the second gets |n| messages, asks for the next |asks| later and
 * gets that |answers| behind; the adapters acknowledge within |acks|.  Returns
 * how soon hosts are said to react. */
static int64_t reacts(int64_t acks, int64_t asks, int64_t answers)
{
	struct phase_activity a[TURNS] = { { 0 } };
	struct phase_flow flow = { .dst = 1,
				   .driven = true,
				   .dst_seen = true,
				   .rtt_r = acks,
				   .a = a,
				   .n = TURNS,
				   .asked = PHASE_UNKNOWN };
	struct phase_input in = { .flows = &flow, .n_flows = 1 };
	struct event got[TURNS], sent[TURNS];
	struct events to[2] = { { NULL, 0 }, { got, TURNS } };
	struct events of[2] = { { sent, TURNS }, { NULL, 0 } };
	uint32_t rank_of[] = { 0, 1 };
	uint64_t small[] = { 64 };
	int64_t back[] = { 0 };
	struct job j = { .in = &in, .n_ranks = 2, .rank_of = rank_of };
	struct path *p = calloc(1, sizeof *p);
	int64_t at = 0;

	for (size_t k = 0; k < TURNS; k++) {
		a[k] = (struct phase_activity) { .from = at,
						 .sent = at,
						 .arrived = at + 1 * US,
						 .bytes = 4096,
						 .psns = 1 };
		sent[k] = (struct event) { at, 0, k };
		got[k] = (struct event) { at + 1 * US, 0, k };
		a[k].asked = got[k].ns + asks;
		at = a[k].asked + answers;
	}
	p->j = &j;
	p->facts.j = &j;
	p->in = to;
	p->out = of;
	p->facts.small = small;
	p->facts.back = p->facts.asking = p->facts.least = back;
	assert_true(path_reacts(p));
	at = p->facts.reacts;
	free(p);
	return at;
}

static void what_hosts_ask_says_how_soon_they_react(void **state)
{
	(void)state;
	/* adapters hold ACKs back, and hosts ask at once */
	assert_int_equal(reacts(6 * US, 600, 700), 600);
	/* adapters are quicker than hosts that answer */
	assert_int_equal(reacts(2, 600, 700), 700);
	/* hosts that compute before they send say nothing */
	assert_int_equal(reacts(200, 600, 40 * US), 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_never_asks_as_soon_is_late),
		cmocka_unit_test(who_often_asks_late_is_late_then),
		cmocka_unit_test(where_all_ask_at_once_one_is_like_it),
		cmocka_unit_test(a_stage_computes_before_it_asks),
		cmocka_unit_test(what_was_repaired_says_nothing),
		cmocka_unit_test(who_computes_as_others_do_is_not_late_then),
		cmocka_unit_test(
			who_asks_when_it_sends_may_have_waited_for_that),
		cmocka_unit_test(what_is_within_the_others_is_not_late),
		cmocka_unit_test(who_answers_takes_as_long_as_usual),
		cmocka_unit_test(who_asks_late_at_one_place_is_late_there),
		cmocka_unit_test(what_hosts_ask_says_how_soon_they_react),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

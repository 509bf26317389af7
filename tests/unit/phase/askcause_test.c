/* SPDX-License-Identifier: GPL-2.0-or-later
 * What hosts had waited for when they asked for data, by a vector worked out by
 * hand.
 *
 * In a ring of five ranks, six messages a phase, each rank asks for the next
 * message 40 us after it has begun to send the one before, and 50 us later in
 * the middle of the phase, where all of them compute.  Rank 0 asks 20 us later
 * each second time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "phase/path_int.h"

enum {
	RANKS = 5,
	PHASES = 4,
	EACH = 6,
	ALL = PHASES * EACH,
	US = 1000,
	TOOK = 40 * US,
	LATE = 20 * US,
	COMPUTES = 50 * US,
	MIDDLE = 3
};

struct fixture {
	struct phase_activity a[RANKS][ALL];
	struct phase_flow flows[RANKS];
	struct event got[RANKS][ALL], sent[RANKS][ALL];
	struct events in[RANKS], out[RANKS];
	struct burst bursts[PHASES];
	struct rank ranks[RANKS];
	uint32_t rank_of[RANKS], of_out[RANKS], of_in[RANKS];
	uint64_t small[RANKS];
	int64_t none[RANKS];
	double message[RANKS];
	int32_t repairs[PHASES * RANKS];
	size_t first_lag[RANKS];
	struct phase_input input;
	struct job j;
	struct path p;
};

static bool is_late(size_t k)
{
	return (k / EACH + k) % 2;
}

/* Message |k| of the flow of rank |r| begins; no two ranks are in step. */
static int64_t begins(uint32_t r, size_t k)
{
	return (int64_t)(k / EACH) * 10000 * US +
	       (int64_t)(k % EACH) * 200 * US +
	       (int64_t)((k * k * 3 + r * r * 5 + k * r * 2) % 13) * US / 2;
}

/* Rank |r|, which sends flow r and gets the one before that. */
static void play(struct fixture *x, uint32_t r)
{
	uint32_t before = (r + RANKS - 1) % RANKS;

	for (size_t k = 0; k < ALL; k++) {
		struct phase_activity *a = &x->a[r][k];

		a->bytes = 4096;
		a->psns = 1;
		a->from = a->came = begins(r, k);
		a->sent = a->from + 5 * US;
		a->arrived = a->there = a->over = a->from + 8 * US;
		a->acked = PHASE_UNKNOWN;
		x->sent[r][k] = (struct event) { a->from, r, k };
		x->got[(r + 1) % RANKS][k] =
			(struct event) { a->arrived, r, k };
	}
	/* It asks for message k + 1 of the flow before. */
	for (size_t k = 0; k < ALL; k++)
		x->a[before][k].asked =
			(k + 1) % EACH == 0
				? PHASE_UNKNOWN
				: begins(r, k) + TOOK +
					  ((k + 1) % EACH == MIDDLE ? COMPUTES
								    : 0) +
					  (!r && is_late(k + 1) ? LATE : 0);
	x->flows[before].dst = r;
	x->flows[r].src = r;
	x->flows[r].driven = true;
	x->flows[r].asked = PHASE_UNKNOWN;
	x->flows[r].a = x->a[r];
	x->flows[r].n = ALL;
	x->of_out[r] = r;
	x->of_in[r] = before;
	x->ranks[r] = (struct rank) { .host = r,
				      .out = &x->of_out[r],
				      .in = &x->of_in[r],
				      .n_out = 1,
				      .n_in = 1,
				      .bytes_out = 1000,
				      .bytes_in = 1000 };
	x->rank_of[r] = r;
	x->small[r] = 64;
	x->message[r] = 4096;
	x->first_lag[r] = (size_t)r * ALL;
	x->in[r] = (struct events) { x->got[r], ALL };
	x->out[r] = (struct events) { x->sent[r], ALL };
}

static struct fixture *make(void)
{
	struct fixture *x = calloc(1, sizeof *x);
	struct path *p = &x->p;

	for (uint32_t r = 0; r < RANKS; r++)
		play(x, r);
	for (int i = 0; i < PHASES; i++) {
		x->bursts[i].from = (int64_t)i * 10000 * US;
		x->bursts[i].to = x->bursts[i].from + 1500 * US;
	}
	x->input = (struct phase_input) { .flows = x->flows, .n_flows = RANKS };
	x->j = (struct job) { .in = &x->input,
			      .ranks = x->ranks,
			      .n_ranks = RANKS,
			      .rank_of = x->rank_of,
			      .bursts = x->bursts,
			      .n_bursts = PHASES };
	x->j.row.iterations = x->j.row.phases = PHASES;
	p->j = &x->j;
	p->facts.j = &x->j;
	p->in = x->in;
	p->out = x->out;
	p->facts.small = x->small;
	p->facts.back = p->facts.asking = p->facts.least = x->none;
	p->facts.message = x->message;
	p->first_lag = x->first_lag;
	p->repairs = x->repairs;
	p->computes = 2 * US;
	p->turn = TOOK;
	assert_true(path_ask_causes(p));
	assert_true(path_asks(p));
	return x;
}

static void done(struct fixture *x)
{
	free(x->p.asked);
	free(x->p.asks);
	free(x->p.placed);
	free(x);
}

/* What rank |r| asks for is the flow of the one before. */
static struct event asked_by(uint32_t r, size_t k)
{
	return (struct event) { 0, (r + RANKS - 1) % RANKS, k };
}

static void who_asks_later_than_it_could_is_late(void **state)
{
	struct fixture *x = make();

	(void)state;
	for (size_t k = 0; k < ALL; k++)
		for (uint32_t r = 0; r < RANKS; r++) {
			struct event e = asked_by(r, k);
			const struct ask_cause *is =
				&x->p.asked[x->first_lag[e.flow] + k];
			bool late;

			/* how ranks begin a phase is not known by that */
			if (!(k % EACH)) {
				assert_int_equal(is->late, PHASE_UNKNOWN);
				continue;
			}
			/* Something else may have come as late as that by
			 * chance; that all compute is nobody's lateness. */
			late = !r && is_late(k);
			assert_true(late == (is->late > LATE / 2));
			assert_true(late == (path_asks_later(&x->p, &e) > 0));
		}
	done(x);
}

static void who_asks_in_time_had_waited_for_its_cause(void **state)
{
	struct fixture *x = make();
	struct event e = asked_by(1, 2);
	const struct event *after = path_asked_after(&x->p, &e);

	(void)state;
	/* rank 1 had begun the message before */
	assert_non_null(after);
	assert_int_equal(after->flow, 1);
	assert_int_equal(after->k, 1);
	assert_int_equal(after->ns, begins(1, 1));
	assert_int_equal(x->p.asked[x->first_lag[e.flow] + e.k].took, TOOK);
	/* of who is late often nobody knows */
	e = asked_by(0, 2);
	assert_null(path_asked_after(&x->p, &e));
	done(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_asks_later_than_it_could_is_late),
		cmocka_unit_test(who_asks_in_time_had_waited_for_its_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

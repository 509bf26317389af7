/* SPDX-License-Identifier: GPL-2.0-or-later
 * A pipeline of four stages by vectors worked out by hand.
 *
 * Three micro-batches go down the chain and back, and each stage works 10 us
 * on each.  Without any network that is 100 us from the first packet to the
 * last: two stages down, three micro-batches there and back in the last, two
 * stages up, and whatever the links take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "phase/phase.h"

#define US 1000

enum { RANKS = 4, MICRO = 3, ROUNDS = 10, BYTES = 100000, FLOWS = 6 };

struct world {
	struct phase_activity a[FLOWS][ROUNDS * MICRO];
	struct phase_flow flows[FLOWS];
	struct phase_host hosts[RANKS];
	int64_t sends, way; /* how long a micro-batch does */
	int64_t at, end;
	int64_t begins[ROUNDS]; /* later than usual */
	int rounds;
	int64_t done[RANKS], link[RANKS];
};

struct heard {
	struct phase_job job;
	int64_t compute, wire, other; /* inside phases */
	int64_t unknown;              /* before them */
};

static struct phase_flow *flow_of(struct world *w, uint32_t src, uint32_t dst)
{
	struct phase_flow *g = &w->flows[dst > src ? src : 2 + src];

	g->id = 1 + (g - w->flows);
	g->src = src;
	g->dst = dst;
	g->a = w->a[g - w->flows];
	return g;
}

/* One that is ready at |ns|; returns when it is there. */
static int64_t send_on(struct world *w, uint32_t src, uint32_t dst, int64_t ns)
{
	struct phase_flow *g = flow_of(w, src, dst);
	int64_t from = ns > w->link[src] ? ns : w->link[src];
	int64_t sent = from + w->sends, there = sent + w->way;

	g->a[g->n++] = (struct phase_activity) {
		.from = from,
		.sent = sent,
		.came = from + w->way,
		.there = there,
		.arrived = there,
		.over = there,
		.bytes = BYTES,
		.psns = 25,
		.acked = PHASE_UNKNOWN,
		.asked = PHASE_UNKNOWN,
		.unacked = PHASE_UNKNOWN,
		.returned = PHASE_UNKNOWN,
		.granted = PHASE_UNKNOWN,
	};
	w->link[src] = sent;
	w->end = there > w->end ? there : w->end;
	return there;
}

/* Rank |r| works on what came at |ns|; returns when it is done. */
static int64_t work(struct world *w, uint32_t r, int64_t ns)
{
	w->done[r] = (ns > w->done[r] ? ns : w->done[r]) + 10 * US;
	return w->done[r];
}

static void one_round(struct world *w)
{
	int64_t came[MICRO], ns;

	for (uint32_t m = 0; m < MICRO; m++)
		came[m] = w->at;
	for (uint32_t r = 0; r < RANKS; r++)
		for (uint32_t m = 0; m < MICRO; m++) {
			ns = work(w, r, came[m]);
			if (r + 1 < RANKS)
				came[m] = send_on(w, r, r + 1, ns);
		}
	for (uint32_t r = RANKS - 1; r > 0; r--)
		for (uint32_t m = 0; m < MICRO; m++)
			came[m] = send_on(w, r, r - 1, work(w, r, came[m]));
	w->at = w->end + 200 * US + w->begins[w->rounds++];
}

/* Sums go to rank 1, and from there to all. */
static void one_sum(struct world *w)
{
	int64_t left = send_on(w, 0, 1, w->at);
	int64_t right = send_on(w, 2, 1, send_on(w, 3, 2, w->at));
	int64_t all = left > right ? left : right;

	send_on(w, 1, 0, all);
	send_on(w, 2, 3, send_on(w, 1, 2, all));
	w->at = w->end + 200 * US;
}

static void hear_job(void *ctx, const struct phase_job *row)
{
	((struct heard *)ctx)->job = *row;
}

static void hear_share(void *ctx, const struct phase_share_row *row)
{
	struct heard *h = ctx;
	const char *class = phase_share_classes[row->share];

	if (row->gap && !strcmp(class, "unknown"))
		h->unknown += row->time_ns;
	if (row->gap)
		return;
	*(!strcmp(class, "compute") ? &h->compute
	  : !strcmp(class, "wire")  ? &h->wire
				    : &h->other) += row->time_ns;
}

#define IGNORES(name, row)                        \
	static void name(void *ctx, const row *r) \
	{                                         \
		(void)ctx;                        \
		(void)r;                          \
	}
IGNORES(hear_rank, struct phase_rank)
IGNORES(hear_phase, struct phase)
IGNORES(hear_phase_rank, struct phase_rank_row)
IGNORES(hear_flow, struct phase_flow_row)
IGNORES(hear_group, struct phase_group)

static struct heard hear(struct world *w, void (*round)(struct world *))
{
	struct heard h = { 0 };
	const struct phase_sink sink = {
		.ctx = &h,
		.job = hear_job,
		.rank = hear_rank,
		.phase = hear_phase,
		.phase_rank = hear_phase_rank,
		.phase_flow = hear_flow,
		.group = hear_group,
		.share = hear_share,
	};
	struct phase_input in = {
		.flows = w->flows,
		.n_flows = FLOWS,
		.hosts = w->hosts,
		.n_hosts = RANKS,
		.link_bps = (uint64_t)(8e9 * BYTES / (double)w->sends),
		.job = 1,
		.uet_job = PHASE_UNKNOWN,
		.whole = true,
	};
	int64_t next = 1;

	w->at = 1000 * US;
	for (int i = 0; i < ROUNDS; i++)
		round(w);
	for (int f = 0; f < FLOWS; f++) {
		struct phase_flow *g = &w->flows[f];

		g->wire = 1;
		g->messages = g->n;
		g->far = g->src_seen = g->dst_seen = true;
	}
	for (int i = 0; i < RANKS; i++)
		w->hosts[i] = (struct phase_host) { .rail = -1, .link = true };
	in.first_ns = 1000 * US;
	in.last_ns = w->end;
	assert_true(phase_job(&in, &sink, &next));
	return h;
}

static void about(int64_t ns, int64_t us)
{
	assert_in_range(ns, us * US * 98 / 100, us * US * 102 / 100);
}

static void stages_compute_between_fast_links(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard h;

	(void)state;
	w->sends = w->way = US;
	h = hear(w, one_round);
	assert_int_equal(h.job.pattern, PATTERN_PIPELINE);
	about(h.compute, 100 * ROUNDS);
	about(h.wire, 6 * 2 * ROUNDS);
	assert_int_equal(h.other, 0);
	free(w);
}

/* The path leads along the links, which are busy for three times as long as a
 * stage works. */
static void stages_compute_while_links_are_busy(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard h;

	(void)state;
	w->sends = 30 * US;
	w->way = US;
	h = hear(w, one_round);
	assert_int_equal(h.job.pattern, PATTERN_PIPELINE);
	about(h.compute, 100 * ROUNDS);
	about(h.compute + h.wire,
	      (w->end - 1010 * US) / US - (ROUNDS - 1) * 210);
	assert_int_equal(h.other, 0);
	free(w);
}

static void a_chain_that_begins_at_both_ends_is_a_tree(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard h;

	(void)state;
	w->sends = w->way = 10 * US;
	h = hear(w, one_sum);
	assert_int_equal(h.job.pattern, PATTERN_TREE);
	free(w);
}

/* The first stage begins 300 us later in seven of nine iterations: more work,
 * or a host that is late.  Two show that the work can be done sooner. */
static void what_is_usual_may_be_late(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard h;

	(void)state;
	w->sends = w->way = US;
	for (int i = 2; i < ROUNDS; i++)
		w->begins[i] = 300 * US;
	h = hear(w, one_round);
	about(h.unknown, 300 * (ROUNDS - 3));
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stages_compute_between_fast_links),
		cmocka_unit_test(stages_compute_while_links_are_busy),
		cmocka_unit_test(what_is_usual_may_be_late),
		cmocka_unit_test(a_chain_that_begins_at_both_ends_is_a_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

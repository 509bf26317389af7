/* SPDX-License-Identifier: GPL-2.0-or-later
 * Phases by vectors worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "phase/phase_int.h"

#define US 1000

/* ---- silences, periods ---- */

static void two_kinds_of_silence_are_told_apart(void **state)
{
	int64_t v[] = { 300000, 11000, 295000, 10000, 305000, 12000, 310000 };
	int64_t at[4];

	(void)state;
	/* widest gap: 12 us to 295; its middle by logarithm is 59.4 */
	assert_int_equal(phase_idle_thresholds(v, 7, 4, at, 4), 1);
	assert_int_equal(at[0], 59497);
}

static void one_kind_of_silence_has_no_threshold(void **state)
{
	int64_t same[] = { 300000, 310000, 305000, 295000 };
	int64_t pause[] = { 300000, 310000, 305000, 295000, 320000, 100000000 };
	int64_t moments[] = { 1, 1900, 20, 300, 2000, 7, 1500, 1800 };
	int64_t at[4];

	(void)state;
	assert_int_equal(phase_idle_thresholds(same, 4, 4, at, 4), 0);
	/* one long silence is no kind */
	assert_int_equal(phase_idle_thresholds(pause, 6, 4, at, 4), 0);
	/* nor are moments in which nobody happens to send */
	assert_int_equal(phase_idle_thresholds(moments, 8, 4, at, 4), 0);
}

static void kinds_of_silence_come_widest_first(void **state)
{
	int64_t v[] = { 4000,   8000,   100000, 101000,
			200000, 201000, 202000, 203000 };
	int64_t at[2];

	(void)state;
	/* 8 us to 100, 4 to 8, and 101 to 200: for two there is room */
	assert_int_equal(phase_idle_thresholds(v, 8, 4, at, 2), 2);
	assert_int_equal(at[0], 28284);
	assert_int_equal(at[1], 5656);
}

static void a_period_is_found(void **state)
{
	double x[40] = { 0 }, peak;

	(void)state;
	for (int i = 0; i < 40; i += 4)
		x[i] = 1;
	assert_int_equal(phase_period(x, 40, &peak), 4);
	assert_true(peak > 0.99);
}

static void what_has_no_period_has_no_peak(void **state)
{
	double x[200], peak;
	uint32_t r = 1;

	(void)state;
	for (int i = 0; i < 200; i++) {
		r = r * 1664525 + 1013904223;
		x[i] = r >> 31;
	}
	phase_period(x, 200, &peak);
	assert_true(peak < 0.5);
}

static void medians(void **state)
{
	int64_t v[] = { 5, 1, 9, 3 }, w[] = { 5, 1, 9, 3 };

	(void)state;
	assert_int_equal(phase_median(v, 4), 4);
	assert_int_equal(phase_middle(v, 4), 4);
	assert_int_equal(phase_middle(v, 3), 3);
	/* distances from 4: 1 3 5 1; without the last, 3 1 1 */
	assert_int_equal(phase_deviation(w, 4, 4), 2);
	assert_int_equal(phase_spread(v, 4, 4), 2);
	assert_int_equal(phase_spread(v, 3, 4), 1);
	assert_int_equal(phase_spread(v, 2, 4), 2);
}

/* ---- shapes ---- */

static void shape_is(const uint64_t *m, size_t n, enum phase_pattern expected)
{
	uint32_t order[16];
	double sure;

	assert_int_equal(phase_shape(m, n, &sure, order), expected);
	assert_true((sure > 0.5) == (expected != PATTERN_NONE));
}

static void shapes_are_recognised(void **state)
{
	/* 0 > 2 > 1 > 3 > 0 */
	static const uint64_t ring[] = { 0, 0, 9, 0, 0, 0, 0, 9,
					 0, 9, 0, 0, 9, 0, 0, 0 };
	static const uint64_t twice[] = { 0, 0, 9, 9, 0, 0, 9, 9,
					  9, 9, 0, 0, 9, 9, 0, 0 };
	static const uint64_t all[] = { 0, 9, 9, 9, 9, 0, 9, 9,
					9, 8, 0, 9, 9, 9, 9, 0 };
	static const uint64_t from[] = { 0, 9, 9, 9, 0, 0, 0, 0,
					 0, 0, 0, 0, 0, 0, 0, 0 };
	static const uint64_t to[] = { 0, 0, 0, 0, 9, 0, 0, 0,
				       9, 0, 0, 0, 9, 0, 0, 0 };
	static const uint64_t line[] = { 0, 9, 0, 0, 9, 0, 9, 0,
					 0, 9, 0, 9, 0, 0, 9, 0 };
	static const uint64_t pair[] = { 0, 9, 9, 0 };
	static const uint64_t odd[] = { 0, 9, 1, 0, 5, 0, 0, 0,
					0, 7, 0, 0, 0, 3, 0, 0 };
	uint64_t tree[49] = { 0 }, trees[49] = { 0 };
	uint64_t grid[64] = { 0 };

	(void)state;
	for (int i = 1; i < 7; i++)
		tree[i * 7 + (i - 1) / 2] = tree[(i - 1) / 2 * 7 + i] = 9;
	shape_is(ring, 4, PATTERN_RING);
	shape_is(twice, 4, PATTERN_DOUBLE_RING);
	shape_is(all, 4, PATTERN_ALL_TO_ALL);
	shape_is(from, 4, PATTERN_BROADCAST);
	shape_is(to, 4, PATTERN_REDUCE);
	shape_is(line, 4, PATTERN_PIPELINE);
	shape_is(pair, 2, PATTERN_EXCHANGE);
	shape_is(odd, 4, PATTERN_NONE);
	shape_is(tree, 7, PATTERN_TREE);
	for (int i = 0; i < 49; i++)
		trees[i] = tree[i] + tree[48 - i];
	shape_is(trees, 7, PATTERN_TREE);
	/* two pipelines of four, and twice as much between them */
	for (int i = 0; i < 8; i++) {
		if (i % 4 < 3)
			grid[i * 8 + i + 1] = grid[(i + 1) * 8 + i] = 9;
		grid[i * 8 + (i + 4) % 8] = 18;
	}
	shape_is(grid, 8, PATTERN_NONE);
}

/* ---- a ring of four, three steps an iteration, worked out by hand ----
 *
 * 100 kB take 10 us at 80 Gb/s and have arrived 2 us later; 8 us after that
 * the rank passes them on.  An iteration is 12 + 8 + 12 + 8 + 12 = 52 us, then
 * 200 us of silence. */

enum { RANKS = 4, STEPS = 3, ROUNDS = 8, CHUNK = 100000 };

struct stage {
	struct phase_activity a[RANKS][ROUNDS * STEPS];
	struct phase_flow flows[RANKS];
	struct phase_host hosts[RANKS];
	int64_t late[RANKS]; /* of each iteration */
	struct phase_input in;
};

static void play(struct stage *s, int64_t origin)
{
	for (int i = 0; i < ROUNDS; i++)
		for (int k = 0; k < STEPS; k++)
			for (int r = 0; r < RANKS; r++) {
				struct phase_activity *a =
					&s->a[r][i * STEPS + k];
				int64_t at = origin + i * 252 * US + s->late[r];
				const struct phase_activity *in =
					k ? &s->a[(r + 3) % 4]
						 [i * STEPS + k - 1]
					  : NULL;

				if (k && a[-1].sent > at)
					at = a[-1].sent;
				if (in && in->arrived + 8 * US > at)
					at = in->arrived + 8 * US;
				*a = (struct phase_activity) {
					.from = at,
					.sent = at + 10 * US,
					.over = at + 12 * US,
					.arrived = at + 12 * US,
					.came = at + 2 * US,
					.there = at + 12 * US,
					.bytes = CHUNK,
					.psns = 25,
					.acked = PHASE_UNKNOWN,
					.asked = PHASE_UNKNOWN,
					.unacked = PHASE_UNKNOWN,
					.returned = PHASE_UNKNOWN,
					.granted = PHASE_UNKNOWN,
				};
			}
	for (int r = 0; r < RANKS; r++) {
		s->flows[r] = (struct phase_flow) { .id = r + 1,
						    .src = (uint32_t)r,
						    .dst = (r + 1) % 4u,
						    .wire = 1,
						    .far = true,
						    .src_seen = true,
						    .dst_seen = true,
						    .a = s->a[r],
						    .n = ROUNDS * STEPS };
		s->hosts[r] = (struct phase_host) { .rail = -1, .link = true };
	}
	s->in = (struct phase_input) { .flows = s->flows,
				       .n_flows = RANKS,
				       .hosts = s->hosts,
				       .n_hosts = RANKS,
				       .first_ns = origin,
				       .last_ns = origin + ROUNDS * 252 * US,
				       .link_bps = 80000000000,
				       .job = 1,
				       .uet_job = PHASE_UNKNOWN,
				       .whole = true };
}

struct heard {
	struct phase_job job;
	struct phase phase[ROUNDS];
	struct phase_rank rank[RANKS];
	size_t phases;
	int64_t time[ROUNDS][SHARE_COUNT], flow[ROUNDS][RANKS + 1];
	int64_t late[RANKS]; /* that a rank was */
	/* of windows 0 and 1: all, by class, and lateness by rank */
	int64_t window[2], window_share[2][SHARE_COUNT];
	int64_t window_late[2][RANKS];
	int64_t shares;
};

static void hear_job(void *ctx, const struct phase_job *row)
{
	((struct heard *)ctx)->job = *row;
}

static void hear_rank(void *ctx, const struct phase_rank *row)
{
	((struct heard *)ctx)->rank[row->rank] = *row;
}

static void hear_phase(void *ctx, const struct phase *row)
{
	struct heard *h = ctx;

	assert_true(h->phases < ROUNDS);
	h->phase[h->phases++] = *row;
}

static void hear_phase_rank(void *ctx, const struct phase_rank_row *row)
{
	(void)ctx;
	assert_true(row->rank < RANKS);
}

static void hear_flow(void *ctx, const struct phase_flow_row *row)
{
	((struct heard *)ctx)->flow[row->phase - 1][row->flow] += row->time_ns;
}

static void hear_window(void *ctx, const struct phase_window_row *row)
{
	struct heard *h = ctx;

	assert_in_range(row->window, 0, 1);
	assert_int_equal(row->job, 1);
	h->window[row->window] += row->time_ns;
	h->window_share[row->window][row->share] += row->time_ns;
	if (row->share == SHARE_LATE)
		h->window_late[row->window][row->rank] += row->time_ns;
}

static void hear_group(void *ctx, const struct phase_group *row)
{
	(void)ctx;
	(void)row;
}

static void hear_share(void *ctx, const struct phase_share_row *row)
{
	struct heard *h = ctx;

	h->shares += row->time_ns;
	if (row->share == SHARE_LATE)
		h->late[row->rank] += row->time_ns;
	if (!row->gap && row->phase != PHASE_UNKNOWN)
		h->time[row->phase - 1][row->share] += row->time_ns;
}

static struct heard *hear(const struct phase_input *in)
{
	struct heard *h = calloc(1, sizeof *h);
	const struct phase_sink sink = {
		.ctx = h,
		.job = hear_job,
		.rank = hear_rank,
		.phase = hear_phase,
		.phase_rank = hear_phase_rank,
		.phase_flow = hear_flow,
		.group = hear_group,
		.share = hear_share,
		.window = hear_window,
	};
	int64_t next = 1;

	assert_true(phase_job(in, &sink, &next));
	for (size_t i = 0; i < h->phases; i++) {
		int64_t length = h->phase[i].last_ns - h->phase[i].first_ns;
		int64_t sum = 0;

		for (unsigned c = 0; c < SHARE_COUNT; c++)
			sum += h->time[i][c];
		assert_int_equal(sum, length);
		for (int f = 1; f <= RANKS; f++)
			assert_int_equal(h->flow[i][f], length);
		h->shares -= length + (i ? h->phase[i].gap_ns : 0);
	}
	if (!h->phases && h->job.first_ns != PHASE_UNKNOWN)
		h->shares -= h->job.last_ns - h->job.first_ns;
	assert_int_equal(h->shares, 0);
	return h;
}

static void a_ring_is_followed(void **state)
{
	struct stage *s = calloc(1, sizeof *s);
	struct heard *h;

	(void)state;
	play(s, 1000 * US);
	h = hear(&s->in);
	assert_int_equal(h->job.iterations, ROUNDS);
	assert_int_equal(h->job.pattern, PATTERN_RING);
	assert_int_equal(h->job.phase_p50_ns, 52 * US);
	assert_int_equal(h->job.compute_ns, 200 * US);
	assert_int_equal(h->job.comm_ns, ROUNDS * 52 * US);
	assert_int_equal(h->job.jct_ns, (ROUNDS - 1) * 252 * US + 52 * US);
	assert_int_equal(h->job.rank_bytes, 3 * CHUNK);
	/* 300 kB in 52 us */
	assert_int_equal(h->job.busbw_p50_bps / 1000000, 46153);
	/* three messages of 10 us, and 2 us until each is there */
	assert_int_equal(h->time[0][SHARE_WIRE], 30 * US);
	assert_int_equal(h->time[0][SHARE_WAY], 6 * US);
	assert_int_equal(h->time[0][SHARE_TURN], 16 * US);
	for (int r = 0; r < RANKS; r++)
		assert_false(h->rank[r].straggler);
	free(h);
	free(s);
}

static void a_late_rank_is_named(void **state)
{
	struct stage *s = calloc(1, sizeof *s);
	struct heard *h;

	(void)state;
	s->late[2] = 70 * US;
	play(s, 0);
	h = hear(&s->in);
	assert_int_equal(h->job.iterations, ROUNDS);
	for (int r = 0; r < RANKS; r++)
		assert_int_equal(h->rank[r].straggler, r == 2);
	assert_int_equal(h->rank[2].residual_ns, 70 * US);
	assert_int_equal(h->phase[3].late_rank, 2);
	assert_true(h->late[2] >= ROUNDS * 70 * US);
	free(h);
	free(s);
}

static void a_pause_is_taken_first(void **state)
{
	struct stage *s = calloc(1, sizeof *s);
	/* of what is on the way to rank 1, step 2 of iteration 1 */
	const struct phase_span e = { 252 * US + 43 * US, 252 * US + 48 * US,
				      CLASS_PAUSED, false };
	struct heard *h;

	(void)state;
	play(s, 0);
	for (int r = 0; r < RANKS; r++) {
		struct phase_activity *a = &s->a[r][2 * STEPS - 1];

		a->sent += 5 * US;
		a->over = a->arrived = a->there += 5 * US;
		s->flows[r].evidence = &e;
		s->flows[r].n_evidence = 1;
	}
	h = hear(&s->in);
	assert_int_equal(h->time[1][SHARE_PAUSE], 5 * US);
	assert_int_equal(h->time[1][SHARE_WIRE], 30 * US);
	assert_int_equal(h->time[0][SHARE_PAUSE], 0);
	free(h);
	free(s);
}

/* ---- what ranks recorded ---- */

/* Rank 1 has got all 52 us behind the begin of iteration 1; it recorded that it
 * took 55 us, and began somewhere in 5 us.  Rank 2 begins 70 us late. */
static void what_a_rank_recorded_is_followed(void **state)
{
	struct stage *s = calloc(1, sizeof *s);
	struct phase_window w[2] = { { .id = 0,
				       .host = 1,
				       .from = 252 * US - 2 * US,
				       .to = 252 * US + 58 * US,
				       .length = 55 * US },
				     { .id = 1,
				       .host = 0,
				       .from = 504 * US,
				       .to = 504 * US + 130 * US,
				       .length = 130 * US } };
	struct heard *h;

	(void)state;
	play(s, 0);
	s->in.windows = w;
	s->in.n_windows = 1;
	h = hear(&s->in);
	assert_int_equal(h->window[0], 55 * US);
	assert_int_equal(h->window_share[0][SHARE_WIRE], 30 * US);
	/* 8 us twice before it passes on, and what is left */
	assert_int_equal(h->window_share[0][SHARE_TURN], 16 * US);
	/* it began 2 us into its time, and had all 1 us before the end */
	assert_int_equal(h->window_share[0][SHARE_COMPUTE], 2 * US);
	assert_int_equal(h->window_share[0][SHARE_IDLE], 1 * US);
	free(h);
	/* without iterations too */
	for (int f = 0; f < RANKS; f++) {
		s->flows[f].a += STEPS;
		s->flows[f].n = STEPS;
	}
	h = hear(&s->in);
	assert_int_equal(h->job.iterations, PHASE_UNKNOWN);
	assert_int_equal(h->window[0], 55 * US);
	assert_int_equal(h->window_share[0][SHARE_WIRE], 30 * US);
	free(h);
	/* all wait for rank 2 */
	s->late[2] = 70 * US;
	play(s, 0);
	s->in.windows = w;
	s->in.n_windows = 2;
	h = hear(&s->in);
	assert_int_equal(h->window[1], 130 * US);
	assert_int_equal(h->window_late[1][2], 70 * US);
	/* rank 3 and rank 0 pass on; what is left is its own */
	assert_int_equal(h->window_share[1][SHARE_TURN], 16 * US);
	assert_int_equal(h->window_share[1][SHARE_IDLE], 10 * US);
	free(h);
	free(s);
}

/* All stop at once in the middle of a message, as where little may be under
 * way: that is no end of anything. */
static void inside_of_messages_nothing_ends(void **state)
{
	struct stage *s = calloc(1, sizeof *s);
	struct heard *h;

	(void)state;
	play(s, 0);
	for (int f = 0; f < RANKS; f++)
		for (int k = 0; k < ROUNDS * STEPS; k++)
			s->a[f][k].inside = true;
	h = hear(&s->in);
	assert_int_equal(h->job.iterations, PHASE_UNKNOWN);
	free(h);
	for (int f = 0; f < RANKS; f++)
		for (int k = 0; k < ROUNDS; k++)
			s->a[f][k * STEPS + STEPS - 1].inside = false;
	h = hear(&s->in);
	assert_int_equal(h->job.iterations, ROUNDS);
	free(h);
	/* one alone, unless the capture may miss the end of its messages */
	for (int whole = 0; whole < 2; whole++) {
		s->flows[0].whole = whole;
		for (int k = 0; k < ROUNDS; k++)
			s->a[0][k * STEPS + STEPS - 1].inside = true;
		h = hear(&s->in);
		assert_int_equal(h->job.iterations,
				 whole ? PHASE_UNKNOWN : ROUNDS);
		free(h);
	}
	free(s);
}

/* ---- what has no iterations ---- */

static void not_identifiable(struct stage *s)
{
	struct heard *h = hear(&s->in);

	assert_int_equal(h->job.iterations, PHASE_UNKNOWN);
	assert_non_null(h->job.why_not);
	assert_int_equal(h->phases, 0);
	free(h);
}

static void nothing_is_guessed(void **state)
{
	struct stage *s = calloc(1, sizeof *s);
	uint32_t r = 3;

	(void)state;
	/* one burst */
	play(s, 0);
	for (int f = 0; f < RANKS; f++)
		s->flows[f].n = STEPS;
	not_identifiable(s);
	/* one packet */
	for (int f = 0; f < RANKS; f++)
		s->flows[f].n = 0;
	s->flows[0].n = 1;
	s->a[0][0].sent = s->a[0][0].over = s->a[0][0].arrived =
		s->a[0][0].from;
	not_identifiable(s);
	/* storage: bytes and times by chance, over years */
	play(s, -((int64_t)1 << 61));
	for (int f = 0; f < RANKS; f++) {
		int64_t at = -((int64_t)1 << 61);

		for (int k = 0; k < ROUNDS * STEPS; k++) {
			struct phase_activity *a = &s->a[f][k];

			r = r * 1664525 + 1013904223;
			at += (int64_t)(r >> 8) << (r % 31);
			a->from = at;
			a->sent = a->over = a->arrived = at + 10 * US;
			at += 10 * US;
			a->psns = 1 + r % 100000;
			a->bytes = 100 * a->psns;
		}
	}
	not_identifiable(s);
	free(s);
}

static void all_of(struct stage *s, uint64_t bytes, uint64_t psns)
{
	for (int f = 0; f < RANKS; f++)
		for (int k = 0; k < ROUNDS * STEPS; k++) {
			s->a[f][k].bytes = bytes;
			s->a[f][k].psns = psns;
		}
}

static void a_barrier_is_no_job(void **state)
{
	struct stage *s = calloc(1, sizeof *s);
	struct heard *h;

	(void)state;
	play(s, 0);
	all_of(s, 64, 1);
	not_identifiable(s);
	all_of(s, 64, 0); /* a response to a READ */
	not_identifiable(s);
	all_of(s, 128, 2);
	not_identifiable(s);
	all_of(s, 65, 1);
	h = hear(&s->in);
	assert_int_equal(h->job.iterations, ROUNDS);
	free(h);
	free(s);
}

/* ---- jobs ---- */

static const struct phase_host hosts[6]; /* of no known server */

static void flows_that_lead_in_are_no_part_of_a_job(void **state)
{
	/* a ring of 0 1 2, a pair 3 4, and 5 that sends to 0 */
	static const uint32_t ends[][2] = { { 0, 1 }, { 1, 2 }, { 2, 0 },
					    { 3, 4 }, { 4, 3 }, { 5, 0 } };
	struct phase_activity a = { .bytes = 100 };
	struct phase_flow flows[6];
	int64_t uet[6];
	uint32_t job[6];

	(void)state;
	for (int i = 0; i < 6; i++) {
		flows[i] = (struct phase_flow) {
			.src = ends[i][0], .dst = ends[i][1], .a = &a, .n = 1
		};
		uet[i] = PHASE_UNKNOWN;
	}
	assert_int_equal(phase_jobs(flows, 6, hosts, 6, uet, job), 3);
	assert_int_equal(job[0], 0);
	assert_int_equal(job[1], 0);
	assert_int_equal(job[2], 0);
	assert_int_equal(job[3], 1);
	assert_int_equal(job[4], 1);
	assert_int_equal(job[5], 2);
	/* a JobID decides where there is one */
	uet[3] = 7;
	uet[5] = 7;
	assert_int_equal(phase_jobs(flows, 6, hosts, 6, uet, job), 3);
	assert_int_equal(job[3], job[5]);
}

enum { TURNS = 20 };

/* Data in step |from|, and each |every| on, below |to|. */
static struct phase_flow in_steps(uint32_t src, uint32_t dst, int from, int to,
				  int every, struct phase_activity *a)
{
	struct phase_flow f = { .src = src, .dst = dst, .a = a };

	for (int i = from; i < to; i += every) {
		int64_t at = 100 * (int64_t)US * i + 5 * US;

		a[f.n++] = (struct phase_activity) { .from = at,
						     .sent = at + 10 * US,
						     .over = at + 10 * US,
						     .arrived = at + 10 * US,
						     .came = at,
						     .there = at + 10 * US,
						     .bytes = 100000,
						     .psns = 100 };
	}
	return f;
}

/* A ring of 0 1 2, whose host 0 also sends to 2. */
static size_t ring_and(int from, int to, int every, uint32_t job[static 4])
{
	static struct phase_activity a[4][TURNS];
	int64_t uet[4] = { PHASE_UNKNOWN, PHASE_UNKNOWN, PHASE_UNKNOWN,
			   PHASE_UNKNOWN };
	struct phase_flow f[4];

	for (uint32_t i = 0; i < 3; i++)
		f[i] = in_steps(i, (i + 1) % 3, 0, TURNS, 1, a[i]);
	f[3] = in_steps(0, 2, from, to, every, a[3]);
	return phase_jobs(f, 4, hosts, 3, uet, job);
}

static void what_is_not_in_step_is_another_job(void **state)
{
	uint32_t job[4];

	(void)state;
	assert_int_equal(ring_and(4, 7, 1, job), 2);
	assert_int_equal(job[0], 0);
	assert_int_equal(job[1], 0);
	assert_int_equal(job[2], 0);
	assert_int_equal(job[3], 1);
	/* what recurs is of the job: in each step, in each fourth */
	assert_int_equal(ring_and(0, TURNS, 1, job), 1);
	assert_int_equal(ring_and(3, TURNS, 4, job), 1);
}

/* One message a step, in it, between two or in the next. */
static void what_keeps_up_is_of_the_job(void **state)
{
	static const int late[] = { 5, 60, 112, 5, 95, 108, 60, 5, 115, 30 };
	static struct phase_activity a[4][TURNS];
	struct phase_flow f[4];
	const struct phase_flow *flows[4];
	uint32_t index[4] = { 0, 1, 2, 3 };
	int64_t from[10], to[10];
	bool in[4] = { true, true, true, false }, apart[4] = { false };
	uint8_t ends[3];
	struct phase_part part = {
		.flows = flows,
		.index = index,
		.n = 4,
		.steps = { .n = 10,
			   .from = from,
			   .to = to,
			   .in = in,
			   .share = 0.75 },
	};

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		f[i] = in_steps(i, (i + 1) % 3, 0, 10, 1, a[i]);
	f[3] = in_steps(0, 2, 0, 10, 1, a[3]);
	for (int i = 0; i < 10; i++) {
		from[i] = 100 * (int64_t)US * i + 5 * US;
		to[i] = from[i] + 50 * US;
		a[3][i].from += late[i] * US;
		a[3][i].sent += late[i] * US;
	}
	for (int i = 0; i < 4; i++)
		flows[i] = &f[i];
	f[3].messages = 10;
	assert_true(phase_apart(&part, ends, apart));
	assert_false(apart[3]);
	/* another number of messages is of other steps */
	f[3].messages = 9;
	assert_true(phase_apart(&part, ends, apart));
	assert_true(apart[3]);
	/* two behind, where somebody has not ended the first of these either */
	f[3].messages = 10;
	for (int i = 0; i < 9; i++) {
		a[3][i].from = (i < 7 ? 100 * i + 10 : 930) * US;
		a[3][i].sent = a[3][i].from + 10 * US;
	}
	assert_true(phase_apart(&part, ends, apart));
	assert_true(apart[3]);
	to[7] = to[8] = from[9] + 30 * US;
	assert_true(phase_apart(&part, ends, apart));
	assert_false(apart[3]);
}

/* Without the flow that is out of step nothing would go round. */
static void a_ring_is_not_torn(void **state)
{
	static struct phase_activity a[3][TURNS];
	int64_t uet[3] = { PHASE_UNKNOWN, PHASE_UNKNOWN, PHASE_UNKNOWN };
	struct phase_flow f[3];
	uint32_t job[3];

	(void)state;
	f[0] = in_steps(0, 1, 0, TURNS, 1, a[0]);
	f[1] = in_steps(1, 2, 0, TURNS, 1, a[1]);
	f[2] = in_steps(2, 0, 0, 9, 1, a[2]);
	assert_int_equal(phase_jobs(f, 3, hosts, 3, uet, job), 1);
}

enum { LONG = 40 };

/* Two rings of three in 0 1 2 and 3 4 5, NICs of the |servers|: how many jobs?
 * |next| moves the begins of both to the next step. */
static size_t rings_of(void (*next)(int step, int64_t begin[static 2]),
		       const struct phase_host *servers)
{
	static struct phase_activity a[6][LONG];
	int64_t uet[6], begin[2] = { 5 * US, 6 * US };
	uint32_t job[6];
	struct phase_flow f[6];

	for (uint32_t i = 0; i < 6; i++) {
		f[i] = (struct phase_flow) { .src = i,
					     .dst = i / 3 * 3 + (i + 1) % 3,
					     .a = a[i] };
		uet[i] = PHASE_UNKNOWN;
	}
	for (int k = 0; k < LONG; k++) {
		for (uint32_t i = 0; i < 6; i++) {
			int64_t at = begin[i / 3];

			f[i].a[f[i].n++] =
				(struct phase_activity) { .from = at,
							  .sent = at + 10 * US,
							  .over = at + 10 * US,
							  .arrived =
								  at + 10 * US,
							  .came = at,
							  .there = at + 10 * US,
							  .bytes = 100000,
							  .psns = 100 };
		}
		next(k, begin);
	}
	return phase_jobs(f, 6, servers, 6, uet, job);
}

static size_t two_rings(void (*next)(int step, int64_t begin[static 2]))
{
	return rings_of(next, hosts);
}

/* A sequence without a period: -2 to 2. */
static int64_t noise(int step)
{
	return (step * step * 7 + step / 3 * 11) % 5 - 2;
}

static void wait_for_each_other(int step, int64_t begin[static 2])
{
	int64_t both = (begin[0] > begin[1] ? begin[0] : begin[1]) + 100 * US;

	/* what one is longer by, both are */
	begin[0] = both + (2 + noise(step)) * US;
	begin[1] = both + (3 + noise(step)) * US;
}

static void each_by_itself(int step, int64_t begin[static 2])
{
	begin[0] += (100 + 2 * noise(step)) * US;
	begin[1] += (100 + 2 * noise(step + 17)) * US;
}

static void like_clocks(int step, int64_t begin[static 2])
{
	int64_t long_one = step % 4 ? 0 : 20;

	begin[0] += (100 + long_one) * US;
	begin[1] += (100 + long_one) * US;
}

/* The first sends three at a time. */
static void one_in_threes(int step, int64_t begin[static 2])
{
	begin[0] += (step % 3 == 2 ? 276 : 12) * US;
	begin[1] += 100 * US;
}

static void half_behind(int step, int64_t begin[static 2])
{
	begin[0] += 100 * US;
	begin[1] += (step ? 100 : 2000) * US;
}

static void rails_wait_for_each_other(void **state)
{
	(void)state;
	assert_int_equal(two_rings(wait_for_each_other), 1);
	/* begin together at first, then apart by what each had */
	assert_int_equal(two_rings(each_by_itself), 2);
	/* no step shows whether one would have waited for the other */
	assert_int_equal(two_rings(like_clocks), 2);
}

/* The second ring is the other NICs of the servers of the first, or one server
 * has none in it. */
static void rails_of_servers_are_in_step(void **state)
{
	static const struct phase_host same[6] = {
		{ .server = 1 }, { .server = 2 }, { .server = 3 },
		{ .server = 3 }, { .server = 1 }, { .server = 2 },
	};
	static const struct phase_host other[6] = {
		{ .server = 1 }, { .server = 2 }, { .server = 3 },
		{ .server = 4 }, { .server = 1 }, { .server = 2 },
	};

	(void)state;
	assert_int_equal(rings_of(like_clocks, same), 1);
	assert_int_equal(rings_of(like_clocks, other), 2);
	/* as much data between the same two times, but no step in common */
	assert_int_equal(rings_of(one_in_threes, same), 1);
	assert_int_equal(rings_of(one_in_threes, other), 2);
	/* the second begins when the first has done half */
	assert_int_equal(rings_of(half_behind, same), 2);
}

/* Two rings in one matrix; and what has a ring and a pair. */
static void parts_have_one_shape_or_none(void **state)
{
	static const uint32_t part[6] = { 0, 1, 0, 1, 0, 1 };
	static const uint32_t uneven[5] = { 0, 0, 0, 1, 1 };
	uint64_t m[36] = { 0 }, k[25] = { 0 };
	uint32_t order[6];
	double sure;

	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		m[i * 6 + (i + 2) % 6] = 1000;
	assert_int_equal(phase_shape_in_parts(m, 6, part, 2, &sure, order),
			 PATTERN_RING);
	assert_true(sure > 0.9);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(order[i], (i + 2) % 6);
	for (uint32_t i = 0; i < 3; i++)
		k[i * 5 + (i + 1) % 3] = 1000;
	k[3 * 5 + 4] = k[4 * 5 + 3] = 1000;
	assert_int_equal(phase_shape_in_parts(k, 5, uneven, 2, &sure, order),
			 PATTERN_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_kinds_of_silence_are_told_apart),
		cmocka_unit_test(one_kind_of_silence_has_no_threshold),
		cmocka_unit_test(kinds_of_silence_come_widest_first),
		cmocka_unit_test(a_period_is_found),
		cmocka_unit_test(what_has_no_period_has_no_peak),
		cmocka_unit_test(medians),
		cmocka_unit_test(shapes_are_recognised),
		cmocka_unit_test(a_ring_is_followed),
		cmocka_unit_test(a_late_rank_is_named),
		cmocka_unit_test(a_pause_is_taken_first),
		cmocka_unit_test(what_a_rank_recorded_is_followed),
		cmocka_unit_test(inside_of_messages_nothing_ends),
		cmocka_unit_test(nothing_is_guessed),
		cmocka_unit_test(a_barrier_is_no_job),
		cmocka_unit_test(flows_that_lead_in_are_no_part_of_a_job),
		cmocka_unit_test(what_is_not_in_step_is_another_job),
		cmocka_unit_test(what_keeps_up_is_of_the_job),
		cmocka_unit_test(a_ring_is_not_torn),
		cmocka_unit_test(rails_wait_for_each_other),
		cmocka_unit_test(rails_of_servers_are_in_step),
		cmocka_unit_test(parts_have_one_shape_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

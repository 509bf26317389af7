/* SPDX-License-Identifier: GPL-2.0-or-later
 * The ring that tests do something to. */
#include "ring.h"

#include "sink.h"

static void make(struct world *w, int r, int k)
{
	struct phase_activity *a = &w->a[r][k];
	const struct phase_activity *in = k ? &w->a[(r + 3) % 4][k - 1] : NULL;
	int64_t at = 1000 * US, takes = 10 * US + w->slow[r][k];

	if (in)
		at = in->arrived;
	if (k && a[-1].sent > at)
		at = a[-1].sent;
	if (k)
		at += w->waits[r][k] +
		      (k % STEPS ? 8 * US : 200 * US + w->late[r][k / STEPS]);
	*a = (struct phase_activity) {
		.from = at,
		.sent = at + takes,
		.came = at + 2 * US,
		.there = at + takes + 2 * US + w->queued[r][k],
		.bytes = CHUNK,
		.psns = 25,
		.acked = PHASE_UNKNOWN,
		.asked = PHASE_UNKNOWN,
		.unacked = PHASE_UNKNOWN,
		.returned = PHASE_UNKNOWN,
		.granted = PHASE_UNKNOWN,
	};
	a->over = a->arrived = a->there;
}

void play(struct world *w)
{
	for (int k = 0; k < ROUNDS * STEPS; k++)
		for (int r = 0; r < RANKS; r++)
			make(w, r, k);
	for (int r = 0; r < RANKS; r++)
		w->flows[r] = (struct phase_flow) { .id = r + 1,
						    .src = (uint32_t)r,
						    .dst = (r + 1) % 4u,
						    .wire = 1,
						    .messages = ROUNDS * STEPS,
						    .far = true,
						    .src_seen = true,
						    .dst_seen = true,
						    .a = w->a[r],
						    .n = ROUNDS * STEPS,
						    .asked = PHASE_UNKNOWN };
	w->flows[RANKS] = (struct phase_flow) {
		.id = RANKS + 1, .src = RANKS, .dst = 1, .wire = 1, .far = true
	};
	for (int h = 0; h <= RANKS; h++)
		w->hosts[h] = (struct phase_host) { .rail = -1, .link = true };
	w->in = (struct phase_input) {
		.flows = w->flows,
		.n_flows = RANKS,
		.hosts = w->hosts,
		.n_hosts = RANKS + 1,
		.first_ns = 1000 * US,
		.last_ns = w->a[3][ROUNDS * STEPS - 1].arrived,
		.link_bps = 80000000000,
		.job = 1,
		.uet_job = PHASE_UNKNOWN,
		.whole = true
	};
}

static void hear_job(void *ctx, const struct phase_job *row)
{
	((struct heard *)ctx)->job = *row;
}

static void hear_phase(void *ctx, const struct phase *row)
{
	struct heard *h = ctx;

	assert_true(h->phases < 2 * ROUNDS);
	h->phase[h->phases++] = *row;
}

static void hear_share(void *ctx, const struct phase_share_row *row)
{
	struct heard *h = ctx;

	assert_true(row->time_ns > 0);
	if (row->phase == PHASE_UNKNOWN)
		h->whole += row->time_ns;
	else
		h->sum[row->phase - 1][row->gap] += row->time_ns;
	h->share[row->share] += row->time_ns;
	if (row->share == SHARE_LATE)
		h->rank[row->rank] += row->time_ns;
}

static void rank_row(void *ctx, const struct phase_rank *row)
{
	((struct heard *)ctx)->straggler[row->rank] = row->straggler;
}

struct heard *hear(struct world *w)
{
	struct heard *h = calloc(1, sizeof *h);
	struct phase_sink sink = deaf_sink(h);
	size_t n = w->in.n_flows + (w->other.bytes > 0);
	struct loads *all;
	int64_t next = 1;

	sink.job = hear_job;
	sink.rank = rank_row;
	sink.phase = hear_phase;
	sink.share = hear_share;
	all = loads_new(w->flows, n, RANKS + 1);
	w->in.all = all;
	assert_true(phase_job(&w->in, &sink, &next));
	for (size_t i = 0; i < h->phases; i++) {
		const struct phase *p = &h->phase[i];

		assert_int_equal(h->sum[i][0], p->last_ns - p->first_ns);
		assert_int_equal(h->sum[i][1], i ? p->gap_ns : 0);
	}
	if (!h->phases)
		assert_int_equal(h->whole, h->job.last_ns - h->job.first_ns);
	loads_free(all);
	return h;
}

int64_t of_side(const struct heard *h, const char *side)
{
	int64_t sum = 0;

	for (unsigned s = 0; s < SHARE_COUNT; s++)
		if (!strcmp(phase_share_sides[s], side))
			sum += h->share[s];
	return sum;
}

void nothing_was_wrong(const struct heard *h)
{
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "host"), 0);
	assert_int_equal(of_side(h, "unknown"), 0);
}

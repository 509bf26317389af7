/* SPDX-License-Identifier: GPL-2.0-or-later
 * The critical path by vectors worked out by hand.
 *
 * A ring of four, three steps an iteration: 100 kB take 10 us at 80 Gb/s and
 * need 2 us to the next rank, which passes them on 8 us later.  An iteration is
 * 12 + 8 + 12 + 8 + 12 = 52 us, and 200 us behind its end a rank begins the
 * next.  What is done to one of them is all that differs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "phase/phase.h"

#define US 1000

enum { RANKS = 4, STEPS = 3, ROUNDS = 8, CHUNK = 100000 };

struct world {
	struct phase_activity a[RANKS][ROUNDS * STEPS];
	struct phase_flow flows[RANKS + 1]; /* and one of another job */
	struct phase_host hosts[RANKS + 1];
	struct phase_activity other;
	int64_t late[RANKS][ROUNDS];
	int64_t slow[RANKS][ROUNDS * STEPS];   /* longer to send */
	int64_t queued[RANKS][ROUNDS * STEPS]; /* longer on its way */
	int64_t waits[RANKS][ROUNDS * STEPS];  /* longer to begin */
	struct phase_input in;
};

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

static void play(struct world *w)
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
						    .n = ROUNDS * STEPS };
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

/* ---- what is said of it ---- */

struct heard {
	struct phase_job job;
	struct phase phase[ROUNDS];
	size_t phases;
	/* by phase, inside and before it; and without phases */
	int64_t sum[ROUNDS][2], whole;
	int64_t share[SHARE_COUNT];
	int64_t rank[RANKS];   /* that a host was late */
	bool straggler[RANKS]; /* ... again and again */
};

static void hear_job(void *ctx, const struct phase_job *row)
{
	((struct heard *)ctx)->job = *row;
}

static void hear_phase(void *ctx, const struct phase *row)
{
	struct heard *h = ctx;

	assert_true(h->phases < ROUNDS);
	h->phase[h->phases++] = *row;
}

static void hear_group(void *ctx, const struct phase_group *row)
{
	(void)ctx;
	(void)row;
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

static void phase_rank_row(void *ctx, const struct phase_rank_row *row)
{
	(void)ctx;
	(void)row;
}

static void flow_row(void *ctx, const struct phase_flow_row *row)
{
	(void)ctx;
	(void)row;
}

static struct heard *hear(struct world *w)
{
	struct heard *h = calloc(1, sizeof *h);
	const struct phase_sink sink = {
		.ctx = h,
		.job = hear_job,
		.rank = rank_row,
		.phase = hear_phase,
		.phase_rank = phase_rank_row,
		.phase_flow = flow_row,
		.group = hear_group,
		.share = hear_share,
	};
	struct loads *all =
		loads_new(w->flows, RANKS + (w->other.bytes > 0), RANKS + 1);
	int64_t next = 1;

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

static int64_t of_side(const struct heard *h, const char *side)
{
	int64_t sum = 0;

	for (unsigned s = 0; s < SHARE_COUNT; s++)
		if (!strcmp(phase_share_sides[s], side))
			sum += h->share[s];
	return sum;
}

static void nothing_was_wrong(const struct heard *h)
{
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "host"), 0);
	assert_int_equal(of_side(h, "unknown"), 0);
}

/* ---- the vectors ---- */

static void a_clean_ring_needs_all_its_time(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	play(w);
	h = hear(w);
	assert_int_equal(h->job.iterations, ROUNDS);
	nothing_was_wrong(h);
	assert_int_equal(h->share[SHARE_WIRE], ROUNDS * 3 * 10 * US);
	assert_int_equal(h->share[SHARE_WAY], ROUNDS * 3 * 2 * US);
	assert_int_equal(h->share[SHARE_TURN], ROUNDS * 2 * 8 * US);
	assert_int_equal(h->share[SHARE_COMPUTE], (ROUNDS - 1) * 200 * US);
	free(h);
	free(w);
}

static void a_rank_that_begins_late_is_named(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	w->late[2][3] = 70 * US;
	play(w);
	h = hear(w);
	assert_int_equal(h->share[SHARE_LATE], 70 * US);
	assert_int_equal(h->rank[2], 70 * US);
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "unknown"), 0);
	free(h);
	free(w);
}

/* Each rank begins an iteration 200 us, and |more| of rank 1 in the sixth,
 * behind the acknowledgement of its last step. */
static void acknowledge(struct world *w, int64_t more)
{
	w->late[1][5] += more;
	play(w);
	for (int r = 0; r < RANKS; r++)
		for (int i = 1; i < ROUNDS; i++)
			w->a[r][i * STEPS - 1].acked =
				w->a[r][i * STEPS].from - 200 * US -
				(r == 1 && i == 5 ? more : 0);
}

static void acknowledged_at_times(struct world *w, int64_t most, int64_t more)
{
	for (int r = 0; r < RANKS; r++)
		for (int i = 1; i < ROUNDS; i++)
			w->late[r][i] = (r * 3 + i * 5) % 8 * 5 * US;
	w->late[1][5] = most;
	acknowledge(w, more);
}

/* It comes up to 35 us behind all that the rank got: nobody is late, but for
 * the one that takes 50 us more. */
static void a_rank_may_wait_for_its_acknowledgement(void **state)
{
	(void)state;
	for (int64_t more = 0; more <= 50 * US; more += 50 * US) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		acknowledged_at_times(w, 35 * US, more);
		h = hear(w);
		assert_int_equal(of_side(h, "host"), more);
		assert_int_equal(h->rank[1], more);
		free(h);
		free(w);
	}
}

/* The one that rank 1 waits for longest was held back by its receiver, as the
 * others were, or it was 30 us longer on its way back than these. */
static void an_acknowledgement_is_held_back_or_queued(void **state)
{
	(void)state;
	for (int queued = 0; queued < 2; queued++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		acknowledged_at_times(w, 60 * US, 0);
		for (int r = 0; r < RANKS; r++)
			for (int i = 1; i < ROUNDS; i++) {
				struct phase_activity *a =
					&w->a[r][i * STEPS - 1];

				a->unacked = 0;
				a->returned = a->acked - 2 * US;
			}
		w->a[1][5 * STEPS - 1].returned -= queued ? 30 * US : 0;
		h = hear(w);
		assert_int_equal(of_side(h, "host"), 0);
		assert_int_equal(of_side(h, "network"), queued ? 30 * US : 0);
		free(h);
		free(w);
	}
}

/* That of rank 2 comes always 30 us later.  Without it that is a straggler. */
static void who_waits_for_it_is_no_straggler(void **state)
{
	(void)state;
	for (int acks = 0; acks < 2; acks++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		for (int i = 1; i < ROUNDS; i++)
			w->late[2][i] = 30 * US;
		if (acks)
			acknowledge(w, 0);
		else
			play(w);
		h = hear(w);
		for (int r = 0; r < RANKS; r++)
			assert_int_equal(h->straggler[r], r == 2 && !acks);
		assert_int_equal(of_side(h, "host") > 0, !acks);
		free(h);
		free(w);
	}
}

/* The packets of one step come 30 us later, and everybody waits for them. */
static void a_queue_shows_in_the_delay(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	w->queued[0][4 * STEPS + 2] = 30 * US;
	play(w);
	h = hear(w);
	assert_int_equal(h->share[SHARE_QUEUE], 30 * US);
	assert_int_equal(of_side(h, "host"), 0);
	assert_int_equal(of_side(h, "unknown"), 0);
	free(h);
	free(w);
}

/* Time stamps in microseconds: one of a delay is by chance, two are not.  With
 * finer ones (an odd nanosecond) one is a queue, too. */
static void the_grain_of_time_stamps_is_no_queue(void **state)
{
	static const struct {
		int64_t queued, by, said;
	} vectors[] = { { US, 0, 0 }, { 2 * US, 0, 2 * US }, { US, 1, US } };

	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		w->queued[0][4 * STEPS + 2] = vectors[i].queued;
		w->late[0][1] = vectors[i].by;
		play(w);
		h = hear(w);
		assert_in_range(h->share[SHARE_QUEUE],
				vectors[i].said - vectors[i].by,
				vectors[i].said);
		free(h);
		free(w);
	}
}

/* When something came that other data passed just before is an estimate, which
 * says nothing of the grain of stamps. */
static void an_estimate_has_no_grain(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	w->queued[0][4 * STEPS + 2] = US;
	play(w);
	w->a[1][3].came += 333;
	w->a[1][3].guessed = true;
	h = hear(w);
	assert_int_equal(h->share[SHARE_QUEUE], 0);
	free(h);
	free(w);
}

static void one_packet(struct phase_activity *a, int64_t at)
{
	a->from = a->sent = at - 2 * US;
	a->came = a->there = a->arrived = a->over = at;
	a->bytes = 4000;
	a->psns = 1;
}

/* Messages of one packet, of three ranks to one: 4000 bytes each 400 ns are
 * 80 Gb/s; nine of them and one back are an iteration.  |four|: that back has
 * four packets in 10 us, 12.8 Gb/s.  |later|: the last of the fifth is so much
 * longer on its way. */
static struct heard *one_packet_each(bool four, int64_t later)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;
	int64_t at = 1000 * US + 1;

	play(w);
	for (int k = 0; k < 8 * 9; k++) {
		struct phase_activity *a = &w->a[k % 3][k / 3];

		at += k == 5 * 9 - 1 ? later : 0;
		one_packet(a, at);
		if (k == 5 * 9 - 1)
			a->from = a->sent = at - 2 * US - later;
		if (k % 9 == 8) {
			struct phase_activity *back = &w->a[3][k / 9];

			one_packet(back, at += 20 * US);
			back->from -= four ? 10 * US : 0;
			back->came -= four ? 10 * US : 0;
			back->psns = four ? 4 : 1;
			back->bytes *= back->psns;
		}
		at += k % 9 == 8 ? 200 * US : 400;
	}
	for (int r = 0; r < RANKS; r++)
		w->flows[r].dst = r < 3 ? 3 : 0;
	w->flows[3].n = 8;
	w->in.last_ns = at;
	w->in.link_bps = 0;
	h = hear(w);
	assert_int_equal(h->job.iterations, 8);
	free(w);
	return h;
}

/* It can carry what it did, but for a fifth that may be an error. */
static void a_link_can_carry_what_it_did(void **state)
{
	struct heard *h;

	(void)state;
	h = one_packet_each(true, 0);
	assert_int_equal(h->job.rate_bps, 64000000000);
	assert_string_equal(h->job.rate_source, "seen");
	free(h);
}

/* Rank 0 sends 100 kB to each of the others at once: 75 packets of 4 kB, the
 * first and the last 30 us apart.  So 296 kB passed its link in that time, of
 * which no flow had more than a third. */
static void flows_that_fill_a_link_together(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	play(w);
	for (int r = 0; r < RANKS; r++) {
		w->flows[r].src = r == 3;
		w->flows[r].dst = r == 3 ? 0 : (uint32_t)r + 1;
		w->flows[r].n = ROUNDS;
		for (int k = 0; k < ROUNDS; k++) {
			struct phase_activity *a = &w->a[r][k];

			a->from = (1000 + 300 * k + (r == 3 ? 60 : 0)) * US + 1;
			a->sent = a->from + 30 * US;
			a->came = a->from + 2 * US;
			a->there = a->arrived = a->over = a->sent + 2 * US;
		}
	}
	w->in.last_ns = w->a[3][ROUNDS - 1].over;
	w->in.link_bps = 0;
	h = hear(w);
	assert_int_equal(h->job.rate_bps, 296000 * 8 / 30.0 * 1e6);
	free(h);
	free(w);
}

/* In each step of the path one microsecond, where stamps are no finer. */
static void what_the_grain_of_time_stamps_may_hide(void **state)
{
	(void)state;
	for (int fine = 0; fine < 2; fine++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		play(w);
		w->a[1][3].came += fine ? 333 : 0;
		h = hear(w);
		assert_int_equal(h->job.stamp_ns,
				 fine ? 0 : ROUNDS * STEPS * US);
		free(h);
		free(w);
	}
}

/* Of a link of unknown rate nobody knows for how long it was busy. */
static void nobody_knows_what_a_packet_waited_for(void **state)
{
	struct heard *h;

	(void)state;
	h = one_packet_each(false, 5 * US);
	assert_int_equal(h->job.rate_bps, PHASE_UNKNOWN);
	assert_int_equal(h->share[SHARE_QUEUE], 0);
	assert_int_equal(h->share[SHARE_UNKNOWN], 5 * US);
	free(h);
}

/* Without a second tap the same may be its receiver. */
static void a_late_acknowledgement_is_ambiguous(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	w->queued[0][4 * STEPS + 2] = 30 * US;
	play(w);
	for (int r = 0; r < RANKS; r++) {
		w->flows[r].far = w->flows[r].dst_seen = false;
		for (int k = 0; k < ROUNDS * STEPS; k++)
			w->a[r][k].acked = w->a[r][k].arrived;
	}
	h = hear(w);
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "host"), 0);
	assert_int_equal(h->share[SHARE_LATE_ACK], 30 * US);
	free(h);
	free(w);
}

/* Meanwhile another job sends 240 kB to rank 1: 24 us of its link. */
static void another_job_at_the_link_of_a_host(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	w->queued[0][4 * STEPS + 2] = 30 * US;
	play(w);
	w->other = w->a[0][4 * STEPS + 2];
	w->other.came = w->other.from = w->other.sent;
	w->other.sent = w->other.there;
	w->other.bytes = 240000;
	w->flows[RANKS].a = &w->other;
	w->flows[RANKS].n = 1;
	h = hear(w);
	/* It came in 32 us, of which this waits 30. */
	assert_in_range(h->share[SHARE_BEHIND], 23 * US, 24 * US);
	assert_int_equal(h->share[SHARE_BEHIND] + h->share[SHARE_QUEUE],
			 30 * US);
	free(h);
	free(w);
}

static void a_pause_belongs_to_who_began_it(void **state)
{
	static const struct {
		enum phase_class class;
		enum phase_share share;
	} sides[] = { { CLASS_PAUSED_HOST, SHARE_PAUSE_HOST },
		      { CLASS_PAUSED_NET, SHARE_PAUSE_NET },
		      { CLASS_PAUSED, SHARE_PAUSE },
		      { CLASS_TIMEOUT, SHARE_LOSS },
		      { CLASS_REPAIR, SHARE_REPAIR },
		      { CLASS_RNR_WAIT, SHARE_RECEIVER } };

	(void)state;
	for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
		struct world *w = calloc(1, sizeof *w);
		struct phase_span e;
		struct heard *h;

		w->queued[0][4 * STEPS + 2] = 30 * US;
		play(w);
		e.from = w->a[0][4 * STEPS + 2].sent + 2 * US;
		e.to = e.from + 25 * US;
		e.class = sides[i].class;
		w->flows[0].evidence = &e;
		w->flows[0].n_evidence = 1;
		h = hear(w);
		assert_int_equal(h->share[sides[i].share], 25 * US);
		assert_int_equal(h->share[SHARE_QUEUE], 5 * US);
		free(h);
		free(w);
	}
}

/* A host pauses the fabric for 20 of these 30 us: they stand behind that. */
static void a_queue_behind_a_pause_is_that_hosts(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct phase_span pause;
	struct heard *h;

	(void)state;
	w->queued[0][4 * STEPS + 2] = 30 * US;
	play(w);
	pause.from = w->a[0][4 * STEPS + 2].sent + 2 * US;
	pause.to = pause.from + 20 * US;
	w->in.host_pauses = &pause;
	w->in.n_host_pauses = 1;
	h = hear(w);
	assert_int_equal(h->share[SHARE_PAUSE_HOST], 30 * US);
	assert_int_equal(of_side(h, "network"), 0);
	free(h);
	/* for 10 us: too little to say so */
	pause.to = pause.from + 10 * US;
	h = hear(w);
	assert_int_equal(h->share[SHARE_PAUSE_HOST], 0);
	assert_int_equal(h->share[SHARE_QUEUE], 30 * US);
	free(h);
	free(w);
}

/* Somebody pauses for 5 of these 30 us, and it may be for a host. */
static void a_queue_beside_a_pause_of_nobody_knows_whom(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct phase_span pause;
	struct heard *h;

	(void)state;
	w->queued[0][4 * STEPS + 2] = 30 * US;
	play(w);
	pause.from = w->a[0][4 * STEPS + 2].sent + 2 * US;
	pause.to = pause.from + 5 * US;
	w->in.open_pauses = &pause;
	w->in.n_open_pauses = 1;
	h = hear(w);
	assert_int_equal(h->share[SHARE_PAUSE], 30 * US);
	assert_int_equal(of_side(h, "network"), 0);
	assert_int_equal(of_side(h, "host"), 0);
	free(h);
	free(w);
}

/* It came in time, was refused for 25 us and was of use 5 us later. */
static void behind_a_repair_nothing_is_queued(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct phase_activity *a = &w->a[0][4 * STEPS + 2];
	struct phase_span e = { .class = CLASS_RNR_WAIT };
	struct heard *h;

	(void)state;
	w->queued[0][4 * STEPS + 2] = 30 * US;
	play(w);
	a->there = a->sent + 2 * US;
	e.from = a->there;
	e.to = e.from + 25 * US;
	w->flows[0].evidence = &e;
	w->flows[0].n_evidence = 1;
	h = hear(w);
	assert_int_equal(h->share[SHARE_RECEIVER], 30 * US);
	assert_int_equal(of_side(h, "network"), 0);
	free(h);
	free(w);
}

/* A delay that is a guess is not the shortest there is. */
static void the_shortest_delay_was_seen(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct phase_activity *a = &w->a[2][5];
	struct heard *h;

	(void)state;
	play(w);
	a->came = a->from + US / 2;
	a->guessed = true;
	h = hear(w);
	nothing_was_wrong(h);
	free(h);
	/* it is one where it was seen: all others were longer */
	a->guessed = false;
	h = hear(w);
	assert_true(h->share[SHARE_QUEUE] > 0);
	free(h);
	free(w);
}

/* Rank 1 takes twice the time of its link for each step. */
static void a_slow_sender_is_its_host(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	for (int k = 0; k < ROUNDS * STEPS; k++)
		w->slow[1][k] = 10 * US;
	play(w);
	h = hear(w);
	/* It is on the path once in every iteration. */
	assert_int_equal(h->share[SHARE_NIC], ROUNDS * 10 * US);
	assert_int_equal(of_side(h, "network"), 0);
	free(h);
	free(w);
}

/* Its packets wait for 1 us as well, a quarter of a round trip of 4 us: a
 * window that opens 1 us later is 1/5 of the time slower. */
static void a_short_queue_makes_no_sender_slow(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	for (int k = 0; k < ROUNDS * STEPS; k++) {
		w->slow[1][k] = 10 * US;
		w->queued[1][k] = k % STEPS ? 1 * US : 0;
	}
	play(w);
	h = hear(w);
	assert_true(h->share[SHARE_NIC] >= ROUNDS * 8 * US);
	assert_true(of_side(h, "network") <= ROUNDS * 3 * US);
	free(h);
	free(w);
}

/* Where all are as slow, so it is made. */
static void if_all_are_slow_nobody_is(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	for (int r = 0; r < RANKS; r++)
		for (int k = 0; k < ROUNDS * STEPS; k++)
			w->slow[r][k] = 10 * US;
	play(w);
	h = hear(w);
	nothing_was_wrong(h);
	free(h);
	free(w);
}

static void without_iterations_it_adds_up_too(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	w->queued[0][1] = 30 * US;
	w->queued[0][2] = 20 * US; /* which comes behind it */
	play(w);
	for (int r = 0; r < RANKS; r++)
		w->flows[r].n = w->flows[r].messages = STEPS;
	h = hear(w);
	assert_int_equal(h->job.iterations, PHASE_UNKNOWN);
	assert_int_equal(of_side(h, "host"), 0);
	free(h);
	/* one packet, and none */
	for (int r = 0; r < RANKS; r++)
		w->flows[r].n = 0;
	w->flows[0].n = 1;
	free(hear(w));
	free(w);
}

/* In the middle of a message, 8 packets of 25, a sender stops for 30 us.
 * Others have 32 PSNs under way: it had room for more, unless |open| of its
 * PSNs were not acknowledged when it began those 8.  For 2 us they still come
 * in. */
static void who_stops_without_room_is_no_host(void **state)
{
	static const struct {
		int64_t open, host, unknown;
	} vectors[] = { { 0, 28 * US, 0 }, { 14, 0, 28 * US } };
	enum { AT = 4 * STEPS + 2, ALL = ROUNDS * STEPS };

	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		struct world *w = calloc(1, sizeof *w);
		struct phase_activity a[ALL + 1];
		struct heard *h;

		w->slow[0][AT] = 30 * US;
		play(w);
		memcpy(a, w->a[0], (AT + 1) * sizeof *a);
		memcpy(a + AT + 1, w->a[0] + AT, (ALL - AT) * sizeof *a);
		a[AT].sent = a[AT].from + 3200;
		a[AT].over = a[AT].arrived = a[AT].there = a[AT].sent + 2 * US;
		a[AT].bytes = 32000;
		a[AT].psns = 8;
		a[AT].inside = true;
		a[AT].unacked = 4;
		a[AT - 1].unacked = vectors[i].open;
		a[0].unacked = 32;
		a[AT + 1].from += 3200 + 30 * US;
		a[AT + 1].came += 3200 + 30 * US;
		a[AT + 1].bytes -= 32000;
		a[AT + 1].psns -= 8;
		w->flows[0].a = a;
		w->flows[0].n = ALL + 1;
		h = hear(w);
		assert_int_equal(h->share[SHARE_NIC], vectors[i].host);
		assert_int_equal(h->share[SHARE_UNKNOWN], vectors[i].unknown);
		free(h);
		free(w);
	}
}

/* Rank 0 begins the second step of the sixth iteration 80 us late, 1 us behind
 * what rank 1 sends back in each: 32 bytes, in a flow that carried data before.
 * By them rank 1 asks for that data: then rank 1 is late. */
static void who_is_asked_late_is_not_late(void **state)
{
	(void)state;
	for (int asks = 0; asks < 2; asks++) {
		struct world *w = calloc(1, sizeof *w);
		struct phase_activity back[ROUNDS];
		struct heard *h;

		w->waits[0][5 * STEPS + 1] = 80 * US;
		play(w);
		for (int i = 0; i < ROUNDS; i++) {
			struct phase_activity *a = &w->a[0][i * STEPS + 1];
			struct phase_activity *b = &back[i];

			*b = w->a[1][0];
			if (!i)
				continue;
			b->came = b->there = a->from - 1 * US;
			b->from = b->sent = b->came - 2 * US;
			b->over = b->arrived = b->there;
			b->bytes = 32;
			b->psns = 1;
			if (asks)
				a[-1].asked = b->came;
		}
		w->flows[RANKS] = w->flows[1];
		w->flows[RANKS].id = RANKS + 1;
		w->flows[RANKS].dst = 0;
		w->flows[RANKS].a = back;
		w->flows[RANKS].n = w->flows[RANKS].messages = ROUNDS;
		w->in.n_flows = RANKS + 1;
		h = hear(w);
		assert_int_equal(h->job.iterations, ROUNDS);
		assert_int_equal(h->rank[!asks], 0);
		assert_true(h->rank[asks] > 0);
		free(h);
		free(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_ring_needs_all_its_time),
		cmocka_unit_test(a_rank_that_begins_late_is_named),
		cmocka_unit_test(a_rank_may_wait_for_its_acknowledgement),
		cmocka_unit_test(an_acknowledgement_is_held_back_or_queued),
		cmocka_unit_test(who_waits_for_it_is_no_straggler),
		cmocka_unit_test(a_queue_shows_in_the_delay),
		cmocka_unit_test(the_grain_of_time_stamps_is_no_queue),
		cmocka_unit_test(an_estimate_has_no_grain),
		cmocka_unit_test(a_link_can_carry_what_it_did),
		cmocka_unit_test(flows_that_fill_a_link_together),
		cmocka_unit_test(what_the_grain_of_time_stamps_may_hide),
		cmocka_unit_test(nobody_knows_what_a_packet_waited_for),
		cmocka_unit_test(a_late_acknowledgement_is_ambiguous),
		cmocka_unit_test(another_job_at_the_link_of_a_host),
		cmocka_unit_test(a_pause_belongs_to_who_began_it),
		cmocka_unit_test(a_queue_behind_a_pause_is_that_hosts),
		cmocka_unit_test(a_queue_beside_a_pause_of_nobody_knows_whom),
		cmocka_unit_test(behind_a_repair_nothing_is_queued),
		cmocka_unit_test(the_shortest_delay_was_seen),
		cmocka_unit_test(a_slow_sender_is_its_host),
		cmocka_unit_test(a_short_queue_makes_no_sender_slow),
		cmocka_unit_test(if_all_are_slow_nobody_is),
		cmocka_unit_test(who_stops_without_room_is_no_host),
		cmocka_unit_test(who_is_asked_late_is_not_late),
		cmocka_unit_test(without_iterations_it_adds_up_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

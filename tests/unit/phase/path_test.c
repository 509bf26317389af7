/* SPDX-License-Identifier: GPL-2.0-or-later
 * The critical path of a ring by vectors worked out by hand. */
#include "ring.h"

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

/* Each tap stamps in steps: by so much a delay may be wrong at either end, and
 * one that is longer by more is queued. */
static void steps_of_time_stamps_are_no_queue(void **state)
{
	static const struct {
		int64_t near, far, queued, said;
	} vectors[] = {
		{ 0, 0, 9 * US, 9 * US },
		{ 5 * US, 5 * US, 9 * US, 0 },
		{ 10 * US, 0, 9 * US, 0 },
		{ 0, 10 * US, 9 * US, 0 },
		{ 4 * US, 4 * US, 9 * US, 9 * US },
		{ 10 * US, 10 * US, 30 * US, 30 * US },
	};

	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		w->queued[0][4 * STEPS + 2] = vectors[i].queued;
		play(w);
		for (size_t f = 0; f < RANKS; f++) {
			w->flows[f].near_step = vectors[i].near;
			w->flows[f].far_step = vectors[i].far;
		}
		h = hear(w);
		assert_int_equal(h->share[SHARE_QUEUE], vectors[i].said);
		assert_int_equal(of_side(h, "host"), 0);
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

/* In the middle of a message its sender is paused for 20 us.  What it had sent
 * comes slowly meanwhile, and has had its time. */
static void what_comes_in_a_pause_was_sent_before(void **state)
{
	enum { AT = 4 * STEPS + 2, ALL = ROUNDS * STEPS };
	struct world *w = calloc(1, sizeof *w);
	struct phase_activity a[ALL + 1];
	struct phase_span e = { .class = CLASS_PAUSED_NET };
	struct heard *h;

	(void)state;
	w->slow[0][AT] = 20 * US;
	play(w);
	memcpy(a, w->a[0], (AT + 1) * sizeof *a);
	memcpy(a + AT + 1, w->a[0] + AT, (ALL - AT) * sizeof *a);
	e.from = a[AT].sent = a[AT].from + 5 * US;
	e.to = a[AT + 1].from = e.from + 20 * US;
	a[AT].over = a[AT].arrived = a[AT].there = a[AT].sent + 12 * US;
	a[AT + 1].came = a[AT + 1].from + 2 * US;
	a[AT].bytes = a[AT + 1].bytes = CHUNK / 2;
	a[AT].psns = 12;
	a[AT + 1].psns -= 12;
	a[AT].inside = true;
	w->flows[0].a = a;
	w->flows[0].n = ALL + 1;
	w->flows[0].evidence = &e;
	w->flows[0].n_evidence = 1;
	h = hear(w);
	assert_int_equal(h->share[SHARE_PAUSE_NET], 20 * US);
	assert_int_equal(of_side(h, "network"), 20 * US);
	free(h);
	free(w);
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

/* A single packet of 1500 bytes is 1.5 us sooner there than one of 4000: it
 * passes each switch sooner, and that makes no queue of the others.  One of
 * 4000 would. */
static void a_small_packet_has_a_shorter_way(void **state)
{
	(void)state;
	for (int small = 0; small < 2; small++) {
		struct world *w = calloc(1, sizeof *w);
		struct phase_activity *a = &w->a[2][5];
		struct heard *h;

		play(w);
		a->came = a->from + US / 2;
		a->bytes = small ? 1500 : 4000;
		a->psns = 1;
		h = hear(w);
		assert_int_equal(h->job.iterations, ROUNDS);
		assert_int_equal(h->share[SHARE_QUEUE] > 0, !small);
		free(h);
		free(w);
	}
}

/* Responses to READs have no PSNs: of one that is alone the length is known. */
static void a_small_response_has_a_shorter_way(void **state)
{
	(void)state;
	for (int small = 0; small < 2; small++) {
		struct world *w = calloc(1, sizeof *w);
		struct phase_activity *a = &w->a[2][5];
		struct heard *h;

		play(w);
		for (int k = 0; k < ROUNDS * STEPS; k++)
			w->a[2][k].psns = 0;
		a[3].bytes = 4000;
		a[3].sent = a[3].from;
		a->came = a->from + US / 2;
		a->sent = a->from;
		a->bytes = small ? 1500 : 4000;
		h = hear(w);
		assert_int_equal(h->share[SHARE_QUEUE] + h->share[SHARE_HELD] >
					 0,
				 !small);
		free(h);
		free(w);
	}
}

/* Rank 1 takes twice the time of its link for each step. */
static void a_slow_sender_is_its_host(void **state)
{
	/* Always, but in the first iteration, in the sixth only: it is on the
	 * path once in every iteration. */
	static const struct {
		int from, to;
	} slow[] = { { 0, ROUNDS }, { 1, ROUNDS }, { 5, 6 } };

	(void)state;
	for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
		struct world *w = calloc(1, sizeof *w);
		int n = slow[i].to - slow[i].from;
		struct heard *h;

		for (int k = slow[i].from * STEPS; k < slow[i].to * STEPS; k++)
			w->slow[1][k] = 10 * US;
		play(w);
		h = hear(w);
		assert_int_equal(h->share[SHARE_NIC], n * 10 * US);
		assert_int_equal(of_side(h, "network"), 0);
		free(h);
		free(w);
	}
}

/* Its packets wait for 1 us as well, a quarter of a round trip of 4 us: a
 * window that opens 1 us later is 1/5 of the time slower. */
/* The second stretch of each iteration takes twice as long.  Each is three
 * messages of eight packets, or of eighty: between short ones all may have
 * waited for something. */
static void who_sends_short_messages_is_not_slow(void **state)
{
	(void)state;
	for (uint64_t packets = 25; packets <= 250; packets *= 10) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		for (int r = 0; r < RANKS; r++)
			for (int k = 1; k < ROUNDS * STEPS; k += STEPS)
				w->slow[r][k] = 10 * US;
		play(w);
		for (int r = 0; r < RANKS; r++) {
			w->flows[r].messages = 3 * ROUNDS * STEPS;
			for (int k = 0; k < ROUNDS * STEPS; k++)
				w->a[r][k].psns = packets;
		}
		h = hear(w);
		assert_int_equal(h->share[SHARE_NIC] > 0, packets > 100);
		free(h);
		free(w);
	}
}

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
 * in, which matters to nobody who has room. */
static void who_stops_without_room_is_no_host(void **state)
{
	static const struct {
		int64_t open, host, unknown;
	} vectors[] = { { 0, 30 * US, 0 }, { 14, 0, 30 * US } };
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

/* The last packet of a message comes 40 us behind the others, and then the next
 * rank passes it on: the wait is that of the message, but for what is usual
 * from one to the next, and no rank was late, however small the packet is. */
static void a_part_of_a_message_is_not_small(void **state)
{
	enum { AT = 4 * STEPS, ALL = ROUNDS * STEPS, LAST = 400 };
	struct world *w = calloc(1, sizeof *w);
	struct phase_activity a[ALL + 1];
	struct heard *h;

	(void)state;
	w->slow[0][AT] = 40 * US;
	play(w);
	memcpy(a, w->a[0], (AT + 1) * sizeof *a);
	memcpy(a + AT + 1, w->a[0] + AT, (ALL - AT) * sizeof *a);
	a[AT].sent -= 40 * US;
	a[AT].over = a[AT].arrived = a[AT].there -= 40 * US;
	a[AT].bytes -= LAST;
	a[AT].psns -= 1;
	a[AT].inside = true;
	a[AT + 1].from = a[AT + 1].sent;
	a[AT + 1].came = a[AT + 1].there;
	a[AT + 1].bytes = LAST;
	a[AT + 1].psns = 1;
	w->flows[0].a = a;
	w->flows[0].n = ALL + 1;
	h = hear(w);
	assert_int_equal(h->share[SHARE_LATE], 0);
	assert_in_range(h->share[SHARE_UNKNOWN] + h->share[SHARE_NIC] +
				h->share[SHARE_LATE_ACK],
			37 * US, 40 * US);
	free(h);
	free(w);
}

/* A flow from rank 1 to rank 0 of a short message 1 us before each activity of
 * rank 0's first step: with |asks|, what requests its data. */
static void requests(struct world *w, struct phase_activity *back, bool asks)
{
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
}

/* Rank 0 begins the second step of the sixth iteration 80 us late, 1 us behind
 * what rank 1 sends back in each: 32 bytes, in a flow that carried data before.
 * By them rank 1 asks for that data: then rank 1 is late, unless its own link
 * is not captured, where it may have waited for something. */
static void who_is_asked_late_is_not_late(void **state)
{
	static const struct {
		bool asks, seen;
		int late; /* rank; -1: nobody */
	} worlds[] = { { false, true, 0 },
		       { true, true, 1 },
		       { true, false, -1 } };

	(void)state;
	for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
		struct world *w = calloc(1, sizeof *w);
		struct phase_activity back[ROUNDS];
		struct heard *h;

		w->waits[0][5 * STEPS + 1] = 80 * US;
		play(w);
		requests(w, back, worlds[i].asks);
		w->in.n_flows = RANKS + 1;
		w->flows[0].dst_seen = worlds[i].seen;
		h = hear(w);
		assert_int_equal(h->job.iterations, ROUNDS);
		for (int r = 0; r < 2; r++)
			assert_int_equal(h->rank[r] > 0, r == worlds[i].late);
		free(h);
		free(w);
	}
}

/* As above, and meanwhile rank 1 has 40 us of other data to send, behind which
 * what asks has to wait: it is late by that much less.  So it is by 30 us for
 * which its path may have queued what asks; these are nobody's. */
static void what_asks_waits_behind_other_data(void **state)
{
	int64_t late[3];

	(void)state;
	for (int busy = 0; busy < 3; busy++) {
		struct world *w = calloc(1, sizeof *w);
		struct phase_activity back[ROUNDS], more;
		struct heard *h;

		w->waits[0][5 * STEPS + 1] = 80 * US;
		play(w);
		requests(w, back, true);
		more = w->a[0][5 * STEPS + 1];
		more.from -= 42 * US;
		more.sent = more.from + 40 * US;
		more.came = more.from + 2 * US;
		more.there = more.over = more.arrived = more.sent + 2 * US;
		more.bytes = 4 * CHUNK;
		w->flows[RANKS + 1] = w->flows[1];
		w->flows[RANKS + 1].id = RANKS + 2;
		w->flows[RANKS + 1].a = &more;
		w->flows[RANKS + 1].n = w->flows[RANKS + 1].messages = 1;
		w->in.n_flows = RANKS + 1 + (busy == 1);
		w->flows[0].held_up = busy == 2 ? 30 * US : 0;
		h = hear(w);
		assert_int_equal(h->job.iterations, ROUNDS);
		/* 32 bytes themselves take 3 ns. */
		assert_int_equal(h->share[SHARE_ASKING],
				 busy == 1 ? 40 * US + 3 : 0);
		assert_int_equal(h->share[SHARE_UNKNOWN],
				 busy == 2 ? 30 * US : 0);
		late[busy] = h->rank[1];
		free(h);
		free(w);
	}
	assert_int_equal(late[0] - late[1], 40 * US + 3);
	assert_int_equal(late[0] - late[2], 30 * US);
}

/* Adapters acknowledge within 1.3 us.  The first step of the sixth iteration is
 * 80 us longer on its way to rank 1, and that passes it on half a microsecond
 * later, sooner than hosts seem to react: still it had nothing to send before.
 * All of it takes 72.5 us longer. */
static void who_has_nothing_else_waits_for_what_comes(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	w->queued[0][5 * STEPS] = 80 * US;
	w->waits[1][5 * STEPS + 1] = -7500;
	play(w);
	for (int r = 0; r < RANKS; r++)
		w->flows[r].rtt_r = 1300;
	h = hear(w);
	assert_int_equal(h->job.iterations, ROUNDS);
	assert_int_equal(h->share[SHARE_QUEUE], 72500);
	assert_int_equal(of_side(h, "host"), 0);
	free(h);
	free(w);
}

/* The tap at rank 0 sees the others begin 20 us sooner behind what it sees them
 * get, as both are seen where they are not.  Only where all links are captured
 * is rank 0 late by that, in one iteration of two. */
static void who_is_seen_elsewhere_begins_at_other_times(void **state)
{
	(void)state;
	for (int all = 0; all < 2; all++) {
		struct world *w = calloc(1, sizeof *w);
		struct heard *h;

		for (int r = 1; r < RANKS; r++)
			for (int i = 0; i < ROUNDS; i++)
				w->late[r][i] = -20 * US;
		play(w);
		for (int r = 1; !all && r < RANKS; r++)
			w->hosts[r].link = false;
		h = hear(w);
		assert_int_equal(h->job.iterations, ROUNDS);
		assert_int_equal(h->rank[0] > 0, all);
		free(h);
		free(w);
	}
}

/* Before each iteration a rank waits for 8 bytes of the one before it, on a
 * queue pair of their own, and begins 1 us later.  Once they take 80 us longer:
 * they are no host's. */
static void a_barrier_may_be_queued(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct phase_activity own[RANKS][ROUNDS];
	struct heard *h;

	(void)state;
	w->late[3][5] = 80 * US;
	play(w);
	for (int r = 0; r < RANKS; r++) {
		struct phase_flow *f = &w->flows[RANKS + r];

		for (int i = 0; i < ROUNDS; i++) {
			struct phase_activity *b = &own[r][i];

			*b = w->a[(r + 1) % RANKS][i * STEPS];
			b->came = b->there = b->from - 1 * US;
			b->over = b->arrived = b->there;
			b->from = b->sent = b->there - 2 * US;
			b->bytes = 8;
			b->psns = 1;
		}
		*f = w->flows[r];
		f->id = (uint32_t)(RANKS + r + 1);
		f->a = own[r];
		f->n = f->messages = ROUNDS;
	}
	own[2][5].from -= 80 * US;
	own[2][5].sent -= 80 * US;
	w->in.n_flows = 2 * RANKS;
	w->in.first_ns -= 3 * US;
	h = hear(w);
	assert_int_equal(h->share[SHARE_QUEUE], 80 * US);
	assert_int_equal(of_side(h, "host"), 0);
	free(h);
	free(w);
}

/* A chain of four ranks passes data on in the microsecond in which it came.
 * 30 us that the first step of the sixth iteration is longer on its way are no
 * host's: that its next begins in that microsecond, too, does not say that it
 * began by itself. */
static void who_begins_as_something_comes_may_have_waited(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct heard *h;

	(void)state;
	play(w);
	for (int r = 0; r < RANKS - 1; r++) {
		w->flows[r].n = w->flows[r].messages = ROUNDS;
		for (int i = 0; i < ROUNDS; i++) {
			struct phase_activity *a = &w->a[r][i];

			a->from = r ? w->a[r - 1][i].arrived
				    : (1000 + 300 * i) * US;
			a->sent = a->from + 10 * US;
			a->came = a->from + 2 * US;
			a->there = a->sent + 2 * US;
			a->there += r == 0 && i == 5 ? 30 * US : 0;
			a->arrived = a->over = a->there;
		}
	}
	w->in.n_flows = RANKS - 1;
	w->in.last_ns = w->a[RANKS - 2][ROUNDS - 1].over;
	h = hear(w);
	assert_int_equal(h->job.iterations, ROUNDS);
	assert_int_equal(h->share[SHARE_QUEUE], 30 * US);
	assert_int_equal(h->share[SHARE_WIRE], ROUNDS * 3 * 10 * US);
	assert_int_equal(of_side(h, "host"), 0);
	assert_int_equal(of_side(h, "unknown"), 0);
	free(h);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_ring_needs_all_its_time),
		cmocka_unit_test(a_rank_that_begins_late_is_named),
		cmocka_unit_test(a_queue_shows_in_the_delay),
		cmocka_unit_test(the_grain_of_time_stamps_is_no_queue),
		cmocka_unit_test(steps_of_time_stamps_are_no_queue),
		cmocka_unit_test(an_estimate_has_no_grain),
		cmocka_unit_test(what_the_grain_of_time_stamps_may_hide),
		cmocka_unit_test(another_job_at_the_link_of_a_host),
		cmocka_unit_test(a_pause_belongs_to_who_began_it),
		cmocka_unit_test(what_comes_in_a_pause_was_sent_before),
		cmocka_unit_test(a_queue_behind_a_pause_is_that_hosts),
		cmocka_unit_test(a_queue_beside_a_pause_of_nobody_knows_whom),
		cmocka_unit_test(behind_a_repair_nothing_is_queued),
		cmocka_unit_test(the_shortest_delay_was_seen),
		cmocka_unit_test(a_small_packet_has_a_shorter_way),
		cmocka_unit_test(a_small_response_has_a_shorter_way),
		cmocka_unit_test(a_slow_sender_is_its_host),
		cmocka_unit_test(who_sends_short_messages_is_not_slow),
		cmocka_unit_test(a_short_queue_makes_no_sender_slow),
		cmocka_unit_test(if_all_are_slow_nobody_is),
		cmocka_unit_test(who_stops_without_room_is_no_host),
		cmocka_unit_test(a_part_of_a_message_is_not_small),
		cmocka_unit_test(who_is_asked_late_is_not_late),
		cmocka_unit_test(what_asks_waits_behind_other_data),
		cmocka_unit_test(who_has_nothing_else_waits_for_what_comes),
		cmocka_unit_test(who_is_seen_elsewhere_begins_at_other_times),
		cmocka_unit_test(who_begins_as_something_comes_may_have_waited),
		cmocka_unit_test(a_barrier_may_be_queued),
		cmocka_unit_test(without_iterations_it_adds_up_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

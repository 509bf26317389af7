/* SPDX-License-Identifier: GPL-2.0-or-later
 * When a port was stopped while data waited for it: vectors worked out by hand.
 *
 * Host 0 sends 32 packets of 1000 bytes to host 2 back to back, at the 8 Gb/s
 * of all links, 2 us away.  Of these 16 pass the link of host 2 at once and 16
 * when 20 us are over in which nothing did: from 18 to 38 us. */
#include "ring.h"

enum { HOSTS = 4, FLOWS = 2, PASSAGES = 40, BYTES = 1000, PACKET = 1000 };

struct stop {
	struct phase_flow flows[FLOWS];
	struct phase_host hosts[HOSTS];
	struct phase_passage seen[PASSAGES];
	size_t n;
	struct phase_span *spans;
};

/* |packets| of flow |f|, sent at |sent| and on, passed from |from| on. */
static void pass(struct stop *s, size_t f, int64_t sent, int64_t from,
		 int64_t packets)
{
	s->seen[s->n++] = (struct phase_passage) {
		.flow = f,
		.from = from,
		.to = from + (packets - 1) * PACKET,
		.sent = sent,
		.longest = from - sent,
		.shortest = from - sent,
		.bytes = (uint64_t)packets * BYTES,
		.psns = (uint64_t)packets,
	};
}

/* Flow 0 is to host 2, flow 1 from host 1 to 3. */
static void made(struct stop *s)
{
	*s = (struct stop) { .n = 0 };
	for (uint32_t f = 0; f < FLOWS; f++)
		s->flows[f] = (struct phase_flow) { .id = f + 1,
						    .src = f,
						    .dst = 2 + f,
						    .far = true,
						    .src_seen = true,
						    .dst_seen = true,
						    .wire = 1 };
	for (int h = 0; h < HOSTS; h++)
		s->hosts[h].bps = 8000000000;
	pass(s, 0, 0, 2 * US, 16);
}

static void look(struct stop *s)
{
	free(s->spans);
	assert_true(phase_halts(s->flows, FLOWS, s->seen, s->n, s->hosts, HOSTS,
				&s->spans));
	assert_int_equal(s->hosts[0].n_halts + s->hosts[1].n_halts, 0);
}

static void what_stops_all_is_no_queue(void **state)
{
	struct stop s;

	(void)state;
	made(&s);
	pass(&s, 0, 16 * US, 38 * US, 16);
	look(&s);
	assert_int_equal(s.hosts[2].n_halts, 1);
	/* the last of the 16 passed at 17 us, the next could have at 18 */
	assert_int_equal(s.hosts[2].halts[0].from, 18 * US);
	assert_int_equal(s.hosts[2].halts[0].to, 38 * US);
	/* Of what is not stopped meanwhile nothing is known by that. */
	pass(&s, 1, 20 * US, 22 * US, 16);
	look(&s);
	assert_int_equal(s.hosts[2].n_halts, 1);
	assert_int_equal(s.hosts[3].n_halts, 0);
	free(s.spans);
}

/* Others that have waited half as long pass: our data may be behind them in one
 * queue.  A tenth of what a link carries in that time may be so, and is needed:
 * 2 packets. */
static void behind_others_it_may_be_a_queue(void **state)
{
	struct stop s;

	(void)state;
	for (int packets = 1; packets <= 3; packets += 2) {
		made(&s);
		pass(&s, 0, 16 * US, 38 * US, 16);
		pass(&s, 1, 0, 2 * US, 1);
		pass(&s, 1, 14 * US, 28 * US, packets);
		look(&s);
		assert_int_equal(s.hosts[2].n_halts, packets == 1);
		free(s.spans);
	}
}

/* ... and so it may if the sender of others is not seen. */
static void what_others_waited_may_not_be_known(void **state)
{
	struct phase_activity a = { .from = 20 * US,
				    .sent = 30 * US,
				    .bytes = 10 * BYTES };
	struct stop s;

	(void)state;
	made(&s);
	pass(&s, 0, 16 * US, 38 * US, 16);
	s.flows[1].far = false;
	s.flows[1].a = &a;
	s.flows[1].n = 1;
	look(&s);
	assert_int_equal(s.hosts[2].n_halts, 0);
	free(s.spans);
}

/* A thin link lets one packet through every 8 us; one of half the speed lets
 * them through without a break, or, behind one, not as fast. */
static void a_thin_link_stops_nothing(void **state)
{
	struct stop s;

	(void)state;
	made(&s);
	for (int i = 0; i < 16; i++)
		pass(&s, 0, (16 + i) * US, (26 + 8 * i) * US, 1);
	look(&s);
	assert_int_equal(s.hosts[2].n_halts, 0);
	free(s.spans);
	made(&s);
	pass(&s, 0, 16 * US, 38 * US, 16);
	s.seen[1].to += 15 * PACKET;
	look(&s);
	assert_int_equal(s.hosts[2].n_halts, 0);
	free(s.spans);
}

/* No link is so thin that nothing comes while its receiver's could carry 50 of
 * the longest packets, 205 us here, however few go on then. */
static void so_long_nothing_but_a_stop_is(void **state)
{
	struct stop s;

	(void)state;
	for (int64_t us = 150; us <= 250; us += 100) {
		made(&s);
		pass(&s, 0, 16 * US, (18 + us) * US, 2);
		look(&s);
		assert_int_equal(s.hosts[2].n_halts, us > 205);
		free(s.spans);
	}
}

/* What is sent later does not wait before. */
static void what_was_not_sent_does_not_wait(void **state)
{
	struct stop s;

	(void)state;
	made(&s);
	pass(&s, 0, 36 * US, 38 * US, 16);
	look(&s);
	assert_int_equal(s.hosts[2].n_halts, 0);
	/* since 26 us */
	s.seen[1].sent = 24 * US;
	s.seen[1].longest = s.seen[1].shortest = 14 * US;
	look(&s);
	assert_int_equal(s.hosts[2].n_halts, 1);
	assert_int_equal(s.hosts[2].halts[0].from, 26 * US);
	free(s.spans);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_stops_all_is_no_queue),
		cmocka_unit_test(behind_others_it_may_be_a_queue),
		cmocka_unit_test(what_others_waited_may_not_be_known),
		cmocka_unit_test(a_thin_link_stops_nothing),
		cmocka_unit_test(so_long_nothing_but_a_stop_is),
		cmocka_unit_test(what_was_not_sent_does_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

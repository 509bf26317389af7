/* SPDX-License-Identifier: GPL-2.0-or-later
 * Late, retransmitted, or a mirror's duplicate, where all IP identifications
 * are 0.  Two stories look the same at the receiver; the sender's capture point
 * tells one from the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/packet.h"
#include "flow/core/engine.h"
#include "wire/wire.h"

enum {
	US = 1000,
	SENDER = 0,
	RECEIVER = 1,
	WAY_NS = 5 * US, /* from tap to tap */
	LATE = 40,       /* the PSN that comes late, behind |NEXT| */
	NEXT = 42,
	END = 80,
	NAK_SEQ = 0x60,
	RNR_640_US = 0x2c,
};

struct said {
	uint32_t events[EVENT_KIND_COUNT], recoveries, by_rnr;
	struct fact_flow at[2]; /* of the data, by tap */
};

static void on_event(void *ctx, const struct fact_event *e)
{
	struct said *s = ctx;

	s->events[e->kind] += e->count ? e->count : 1;
}

static void on_recovery(void *ctx, const struct fact_recovery *r)
{
	struct said *s = ctx;

	s->recoveries++;
	s->by_rnr += r->trigger == TRIGGER_RNR;
}

static void on_flow(void *ctx, const struct fact_flow *f)
{
	struct said *s = ctx;

	if (f->dst_qp == 0x11 && f->tap < 2)
		s->at[f->tap] = *f;
}

static const uint8_t A[4] = { 10, 0, 0, 1 }, B[4] = { 10, 0, 0, 2 };

static struct packet data(uint32_t psn, uint32_t tap, int64_t ns)
{
	return (struct packet) { .src = addr_from_v4(A),
				 .dst = addr_from_v4(B),
				 .dst_qp = 0x11,
				 .psn = psn,
				 .tap = tap,
				 .ns = ns,
				 .frame = (uint64_t)ns,
				 .wire_len = 1082,
				 .payload = 1024,
				 .ttl = (uint8_t)(64 - tap),
				 .tos = 2,
				 .sport = 50000,
				 .vlan = 0xffff,
				 .pcp = 0xff,
				 .opcode = psn % 4 == 0   ? RC_WRITE_FIRST
					   : psn % 4 == 3 ? RC_WRITE_LAST
							  : RC_WRITE_MIDDLE,
				 .kind = PACKET_ROCE,
				 .status = PACKET_OK };
}

static struct packet answer(uint32_t psn, uint8_t syndrome, uint32_t tap,
			    int64_t ns)
{
	struct packet p = data(psn, tap, ns);

	p.src = addr_from_v4(B);
	p.dst = addr_from_v4(A);
	p.dst_qp = 0x22;
	p.payload = 0;
	p.wire_len = 66;
	p.ttl = (uint8_t)(63 + tap);
	p.opcode = RC_ACK;
	p.syndrome = syndrome;
	p.msn = (psn + 1) / 4;
	p.flags = PACKET_HAS_AETH;
	return p;
}

static void feed(struct engine *e, struct packet p)
{
	engine_feed(e, &p, 1);
}

/* |sender|: its capture point is there too. */
static void pass(struct engine *e, bool sender, uint32_t psn, int64_t ns)
{
	if (sender)
		feed(e, data(psn, SENDER, ns));
	feed(e, data(psn, RECEIVER, ns + WAY_NS));
	if (psn % 4 == 3) {
		feed(e, answer(psn, 0x1f, RECEIVER, ns + WAY_NS + US));
		if (sender)
			feed(e, answer(psn, 0x1f, SENDER, ns + 2 * WAY_NS));
	}
}

/* Another connection of the two hosts, at the receiver: one packet of it comes
 * 10 us behind the next one, and no NAK came between. */
static void late_of_another(struct engine *e)
{
	int64_t ns = US / 2;

	for (uint32_t psn = 0; psn < END; psn++, ns += 50 * US) {
		struct packet p = data(psn, RECEIVER, ns);

		if (psn == LATE)
			continue;
		p.dst_qp++;
		p.sport++;
		feed(e, p);
		if (psn == LATE + 1) {
			p = data(LATE, RECEIVER, ns + 10 * US);
			p.dst_qp++;
			p.sport++;
			feed(e, p);
		}
		if (psn % 4 != 3)
			continue;
		p = answer(psn, 0x1f, RECEIVER, ns + 11 * US);
		p.dst_qp++;
		p.sport++;
		feed(e, p);
	}
}

/* One packet each 50 us.  LATE is missing when NEXT comes, a NAK names it, and
 * it comes 20 us later; |lost|: for the sender has sent it once more. */
struct plot {
	bool sender, lost, another;
	bool doubled; /* by the receiver's mirror: all behind it */
	bool leaves;  /* from the NAK on all take another link */
};

static struct said story(struct plot plot)
{
	struct said s = { 0 };
	struct engine *e =
		engine_new(&(struct engine_options) { .several = true },
			   &(struct flow_sink) { .ctx = &s,
						 .event = on_event,
						 .recovery = on_recovery,
						 .flow = on_flow });
	int64_t ns = END * 60 * US;

	if (plot.another)
		late_of_another(e);
	for (uint32_t psn = 0; psn < END; psn++, ns += 50 * US) {
		if (psn == LATE && plot.sender)
			feed(e, data(psn, SENDER, ns));
		if (psn == LATE)
			continue;
		pass(e, plot.sender && !(plot.leaves && psn >= NEXT), psn, ns);
		if (plot.doubled && psn >= NEXT)
			feed(e, data(psn, RECEIVER, ns + WAY_NS + US / 5));
		if (psn != NEXT - 1)
			continue;
		feed(e, answer(LATE, NAK_SEQ, RECEIVER, ns + WAY_NS + US));
		if (plot.sender && !plot.leaves)
			feed(e, answer(LATE, NAK_SEQ, SENDER, ns + 2 * WAY_NS));
		if (plot.sender && plot.lost && !plot.leaves)
			feed(e, data(LATE, SENDER, ns + 3 * WAY_NS));
		feed(e, data(LATE, RECEIVER, ns + 4 * WAY_NS));
	}
	engine_finish(e);
	engine_free(e);
	return s;
}

static void the_sender_sent_it_once(void **state)
{
	struct said s = story((struct plot) { .sender = true });

	(void)state;
	assert_int_equal(s.events[EVENT_NAK_SEQ], 2);
	assert_int_equal(s.events[EVENT_LOSS_UPSTREAM], 0);
	assert_int_equal(s.events[EVENT_RETRANSMIT_NAK], 0);
	assert_int_equal(s.at[RECEIVER].reordered, 1);
	assert_int_equal(s.at[RECEIVER].retransmitted, 0);
	assert_int_equal(s.at[RECEIVER].lost_upstream, 0);
	assert_int_equal(s.at[RECEIVER].reorder_late_ns_max, 15 * US);
	assert_int_equal(s.recoveries, 0);
}

static void the_sender_sent_it_twice(void **state)
{
	struct said s = story((struct plot) { .sender = true, .lost = true });

	(void)state;
	assert_int_equal(s.at[RECEIVER].lost_upstream, 1);
	assert_int_equal(s.at[RECEIVER].retransmitted, 1);
	assert_int_equal(s.at[RECEIVER].reordered, 0);
	assert_int_equal(s.at[SENDER].retransmitted, 1);
	assert_int_equal(s.recoveries, 2);
}

/* It was lost, and from then on both directions take another link than that of
 * the sender's capture point, which saw it once, too. */
static void what_leaves_the_path_was_not_late(void **state)
{
	struct said s = story(
		(struct plot) { .sender = true, .lost = true, .leaves = true });

	(void)state;
	assert_int_equal(s.at[RECEIVER].reordered, 0);
	assert_int_equal(s.at[RECEIVER].lost_upstream, 1);
	assert_int_equal(s.at[RECEIVER].retransmitted, 1);
}

/* Here the two look the same, and nothing else says that packets come late. */
static void alone_it_is_lost(void **state)
{
	struct said s = story((struct plot) { .lost = true });

	(void)state;
	assert_int_equal(s.at[RECEIVER].lost_upstream, 1);
}

/* ... but where packets of the two hosts come as late, it is not known. */
static void as_late_as_others_it_may_be(void **state)
{
	struct said s = story((struct plot) { .another = true });

	(void)state;
	assert_int_equal(s.at[RECEIVER].lost_upstream, 0);
	assert_int_equal(s.at[RECEIVER].unresolved, 1);
}

/* A replay does not come to what was first sent after it began. */
static void what_follows_the_replay_was_doubled(void **state)
{
	struct said s = story((struct plot) { .lost = true, .doubled = true });

	(void)state;
	assert_int_equal(s.at[RECEIVER].retransmitted, 1);
	assert_int_equal(s.at[RECEIVER].duplicates +
				 s.at[RECEIVER].mirror_duplicates,
			 END - NEXT);
	assert_int_equal(s.recoveries, 1);
}

/* |times| the receiver is not ready for the one message of 4 packets; at its
 * mirror the first packet comes once more behind the NAK, if |doubled|. */
static struct said refused(unsigned times, bool another, bool doubled)
{
	struct said s = { 0 };
	struct engine *e =
		engine_new(&(struct engine_options) { .several = true },
			   &(struct flow_sink) { .ctx = &s,
						 .event = on_event,
						 .recovery = on_recovery,
						 .flow = on_flow });
	int64_t ns = END * 60 * US;

	if (another)
		late_of_another(e);
	for (unsigned n = 0; n <= times; n++, ns += 650 * US)
		for (uint32_t psn = 0; psn < 4; psn++) {
			feed(e, data(psn, RECEIVER, ns + psn * US));
			if (n == times || psn)
				continue;
			feed(e, answer(0, RNR_640_US, RECEIVER, ns + US / 5));
			if (doubled)
				feed(e, data(0, RECEIVER, ns + US / 2));
		}
	feed(e, answer(3, 0x1f, RECEIVER, ns - 640 * US));
	engine_finish(e);
	engine_free(e);
	return s;
}

/* A sender waits as long as the RNR NAK says. */
static void a_duplicate_is_no_answer_to_an_rnr_nak(void **state)
{
	for (unsigned doubled = 0; doubled < 2; doubled++) {
		struct said s = refused(1, false, doubled);

		(void)state;
		assert_int_equal(s.recoveries, 1);
		assert_int_equal(s.by_rnr, 1);
		assert_int_equal(s.at[RECEIVER].retransmitted, 4);
		assert_int_equal(s.at[RECEIVER].timeouts, 0);
	}
}

/* It takes three answers to know whose they are, and then each NAK is of the
 * replay that followed it. */
static void rnr_naks_before_the_pairing(void **state)
{
	struct said s = refused(3, true, false);

	(void)state;
	assert_int_equal(s.at[RECEIVER].rnr_nak, 3);
	assert_int_equal(s.recoveries, 3);
	assert_int_equal(s.by_rnr, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sender_sent_it_once),
		cmocka_unit_test(the_sender_sent_it_twice),
		cmocka_unit_test(what_leaves_the_path_was_not_late),
		cmocka_unit_test(alone_it_is_lost),
		cmocka_unit_test(as_late_as_others_it_may_be),
		cmocka_unit_test(what_follows_the_replay_was_doubled),
		cmocka_unit_test(a_duplicate_is_no_answer_to_an_rnr_nak),
		cmocka_unit_test(rnr_naks_before_the_pairing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

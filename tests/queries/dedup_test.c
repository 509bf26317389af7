/* SPDX-License-Identifier: GPL-2.0-or-later
 * What three places of capture on one way saw is told once, by the one that
 * knows it best. */
#include <stdio.h>
#include <stdlib.h>

#include "flow/core/fact.h"
#include "said.h"

enum { TAPS = 3, CORRUPT = 5, RECOVERY_TAP = 15, EVENT_TAP = 2, WHY_ID = 0 };

/* Three taps, a flow at each of them; |way|: known to be one flow. */
static void three_taps(struct lab *l, struct fact_flow f, bool way)
{
	static char names[TAPS][3] = { "pa", "pb", "pc" };

	lab_begin(l);
	lab_one_tap(l);
	for (uint32_t i = 0; i < TAPS; i++) {
		struct capture_tap t = good_tap();
		struct fact_tap ft = good_fact_tap(i);
		struct fact_flow at = f;

		t.name = names[i];
		if (i) {
			store_tap(l->s, i, &t);
			l->sink.tap(l->sink.ctx, &ft);
		}
		at.id = 2 * i + 1;
		at.tap = i;
		lab_pair(l, &at);
		if (way)
			l->sink.tap_path(l->sink.ctx,
					 &(struct fact_tap_path) {
						 .tap_path = 1,
						 .hop = (uint8_t)(i + 1),
						 .flow = at.id,
						 .tap = i,
						 .ttl = (uint8_t)(64 - i),
					 });
	}
}

static struct fact_recovery at_tap(uint32_t tap, enum recovery_cause cause)
{
	struct fact_recovery r = recovery(2 * tap + 1, cause, TRIGGER_NAK);

	r.tap = tap;
	return r;
}

static void all_tell(struct lab *l, enum recovery_cause cause, bool way)
{
	three_taps(l, good_flow(1, 1, 2, 0x11), way);
	for (uint32_t i = 0; i < TAPS; i++)
		hand_recovery(l, at_tap(i, cause));
	lab_reopen(l);
}

#define WHO  "10.0.0.1 > 10.0.0.2, QP 0x000011 at "
#define UP   "packet lost between the sender and this capture point: " WHO
#define DOWN "packet lost between this capture point and the receiver: " WHO
#define READ                                                      \
	"packet lost between the sender and this capture point: " \
	"10.0.0.2 > 10.0.0.1, QP 0x000012 at "
#define WRONG \
	"packets corrupted between the sender and this capture point: " WHO

static void before_all_is_told_by_the_first(void **state)
{
	struct lab l;

	(void)state;
	all_tell(&l, CAUSE_LOSS_UPSTREAM, true);
	expect(&l, NULL, "warning 1 " UP "pa\n");
	expect_in(&l, 1, "detail", " Also seen at pb, pc; counted once.");
	lab_rows(&l, "SELECT count(*) FROM recovery", "3\n");
	lab_rows(&l, "SELECT also FROM incident", "pb, pc\n");
	lab_end(&l);
}

static void behind_all_is_told_by_the_last(void **state)
{
	struct lab l;

	(void)state;
	all_tell(&l, CAUSE_LOSS_DOWNSTREAM, true);
	expect(&l, NULL, "warning 1 " DOWN "pc\n");
	expect_in(&l, 1, "detail", " Also seen at pa, pb; counted once.");
	lab_end(&l);
}

/* Two flows of the same hosts and numbers that are not known to be one. */
static void without_a_way_each_tells_its_own(void **state)
{
	struct lab l;

	(void)state;
	all_tell(&l, CAUSE_LOSS_UPSTREAM, false);
	expect(&l, NULL,
	       "warning 1 " UP "pa\n"
	       "warning 1 " UP "pb\n"
	       "warning 1 " UP "pc\n");
	lab_end(&l);
}

static void another_packet_is_another_loss(void **state)
{
	struct fact_recovery r;
	struct lab l;

	(void)state;
	three_taps(&l, good_flow(1, 1, 2, 0x11), true);
	hand_recovery(&l, at_tap(0, CAUSE_LOSS_UPSTREAM));
	r = at_tap(1, CAUSE_LOSS_UPSTREAM);
	r.psn = 800;
	hand_recovery(&l, r);
	/* the same number, long after: the numbers came round */
	r = at_tap(2, CAUSE_LOSS_UPSTREAM);
	r.first_ns += 2000 * MS;
	r.detect_ns += 2000 * MS;
	r.resend_ns += 2000 * MS;
	r.last_ns += 2000 * MS;
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning 1 " UP "pa\n"
	       "warning 1 " UP "pb\n"
	       "warning 1 " UP "pc\n");
	lab_end(&l);
}

/* Two more were lost between pa and pb: pa cannot speak for that. */
static void who_saw_more_speaks_for_himself(void **state)
{
	struct fact_recovery r;
	struct lab l;

	(void)state;
	three_taps(&l, good_flow(1, 1, 2, 0x11), true);
	hand_recovery(&l, at_tap(0, CAUSE_LOSS_UPSTREAM));
	r = at_tap(1, CAUSE_LOSS_UPSTREAM);
	r.lost_min = r.lost_max = 3;
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning 1 " UP "pa\n"
	       "warning 3 packets lost between the sender and this capture "
	       "point: " WHO "pb\n");
	lab_end(&l);
}

/* The same three packets in other pieces, followed from pa to pb: all that pb
 * counts was lost before pa, or where it counts more, not all of it. */
static void other_pieces_are_told_once(void **state)
{
	struct lab l;

	(void)state;
	for (uint64_t missed = 0; missed < 2; missed++) {
		struct fact_recovery r = at_tap(0, CAUSE_LOSS_UPSTREAM);
		struct fact_segment_flow f = { .segment = 1,
					       .flow = 1,
					       .to_flow = 3 };

		three_taps(&l, good_flow(1, 1, 2, 0x11), true);
		f.n.missed_to = missed;
		l.sink.segment_flow(l.sink.ctx, &f);
		r.lost_min = r.lost_max = 3;
		hand_recovery(&l, r);
		r = at_tap(1, CAUSE_LOSS_UPSTREAM);
		hand_recovery(&l, r);
		r.psn = 800;
		r.lost_min = r.lost_max = 2;
		hand_recovery(&l, r);
		lab_reopen(&l);
		expect(&l, NULL,
		       missed ? "warning 2 packets lost between the sender and "
				"this capture point: " WHO "pb\n"
				"warning 3 packets lost between the sender and "
				"this capture point: " WHO "pa\n"
			      : "warning 3 packets lost between the sender and "
				"this capture point: " WHO "pa\n");
		lab_end(&l);
	}
}

/* A capture that misses packets may have missed this one. */
static void who_misses_packets_does_not_speak_for_others(void **state)
{
	struct fact_flow hurt = good_flow(7, 3, 4, 0x33);
	struct lab l;

	(void)state;
	three_taps(&l, good_flow(1, 1, 2, 0x11), true);
	hurt.capture_missing = 1;
	lab_pair(&l, &hurt); /* at pa */
	for (uint32_t i = 0; i < TAPS; i++)
		hand_recovery(&l, at_tap(i, CAUSE_LOSS_UPSTREAM));
	lab_reopen(&l);
	found(&l, "loss-upstream", "1 " UP "pb\n");
	lab_end(&l);
}

/* "Lost or late" where the next place knows that it was late. */
static void who_knows_speaks_for_who_does_not(void **state)
{
	struct fact_recovery r;
	struct lab l;

	(void)state;
	three_taps(&l, good_flow(1, 1, 2, 0x11), true);
	r = at_tap(0, CAUSE_LOSS_OR_REORDER);
	r.confidence = 0.4;
	hand_recovery(&l, r);
	r = at_tap(1, CAUSE_REORDER);
	r.lost_min = r.lost_max = 0;
	r.rule = "R26";
	hand_recovery(&l, r);
	r = at_tap(2, CAUSE_LOSS_OR_REORDER);
	r.confidence = 0.4;
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning Reordering between this capture point and the receiver "
	       "made it send NAKs once: " WHO "pb\n");
	lab_end(&l);
}

/* It was sent again, and only one of them knows why. */
static void who_can_explain_speaks_for_all(void **state)
{
	struct fact_recovery r;
	struct lab l;

	(void)state;
	three_taps(&l, good_flow(1, 1, 2, 0x11), true);
	for (uint32_t i = 0; i < TAPS; i++) {
		r = at_tap(i, i == 1 ? CAUSE_COLLATERAL : CAUSE_UNKNOWN);
		r.lost_min = r.lost_max = 0;
		r.trigger = TRIGGER_UNKNOWN;
		hand_recovery(&l, r);
		r.psn = 900; /* and this one nobody knows */
		r.cause = CAUSE_UNKNOWN;
		hand_recovery(&l, r);
	}
	lab_reopen(&l);
	found(&l, "retransmissions-unexplained",
	      "20 packets retransmitted, and the capture does not show "
	      "why: " WHO "pc\n");
	lab_end(&l);
}

/* The numbers in a column of what |query| answers, of equal neighbors one. */
static void numbers_are(struct lab *l, const char *query, int column,
			const char *param, const char *want)
{
	char *have = lab_ask(l, query, (const char *[]) { param, NULL });
	char numbers[32] = "";
	size_t n = 0;

	for (char *line = strchr(have, '\n') + 1; *line;
	     line = strchr(line, '\n') + 1) {
		const char *at = line;

		for (int i = 0; i < column; i++)
			at = strchr(at, ',') + 1;
		if (!n || numbers[n - 2] != *at)
			n += (size_t)snprintf(numbers + n, sizeof numbers - n,
					      "%.1s\n", at);
	}
	assert_string_equal(numbers, want);
	free(have);
}

/* Where its ACKs are seen it was a timeout of unknown cause, and elsewhere not
 * even that is known: one finding.  Long after, it is another one. */
static void a_timeout_explains_who_knows_less(void **state)
{
	struct fact_recovery r;
	struct lab l;

	(void)state;
	three_taps(&l, good_flow(1, 1, 2, 0x11), true);
	for (uint32_t i = 0; i < TAPS; i++) {
		r = at_tap(i, CAUSE_UNKNOWN);
		r.lost_min = r.lost_max = 0;
		r.trigger = i == 1 ? TRIGGER_TIMEOUT : TRIGGER_UNKNOWN;
		r.rule = i == 1 ? "R11 or R12" : "R1 or R3";
		r.evidence = 1;
		r.first_ns += i == 2 ? 2000 * MS : 0;
		r.last_ns += i == 2 ? 2000 * MS : 0;
		hand_recovery(&l, r);
	}
	lab_reopen(&l);
	lab_rows(&l,
		 "SELECT rule, who FROM finding JOIN incident i"
		 " ON i.id = incident_id ORDER BY rule",
		 "retransmissions-unexplained|" WHO "pc\n"
		 "unanswered|" WHO "pb\n");
	numbers_are(&l, "recoveries", RECOVERY_TAP, NULL, "1\n2\n3\n");
	numbers_are(&l, "recoveries", RECOVERY_TAP, "once=1", "2\n3\n");
	numbers_are(&l, "why", WHY_ID, NULL, "1\n2\n3\n");
	numbers_are(&l, "why", WHY_ID, "once=1", "2\n3\n");
	lab_end(&l);
}

/* Answers of a READ come from where its requests go to. */
static void answers_are_told_from_their_sender(void **state)
{
	struct lab l;

	(void)state;
	three_taps(&l, good_flow(1, 1, 2, 0x11), true);
	for (uint32_t i = 0; i < TAPS; i++) {
		struct fact_recovery r = at_tap(i, CAUSE_LOSS_UPSTREAM);

		r.trigger = TRIGGER_IMPLIED_NAK;
		r.rule = "R16";
		hand_recovery(&l, r);
	}
	lab_reopen(&l);
	expect(&l, NULL, "warning 1 " READ "pc\n");
	lab_end(&l);
}

/* What is counted by flow is the same only when it is as many. */
static void damage(struct lab *l, uint64_t more)
{
	struct fact_flow f = good_flow(5, 1, 2, 0x11);
	struct fact_event e = { .ns = T0 + 2 * MS,
				.kind = EVENT_ICRC_BAD,
				.psn = 7,
				.count = 1,
				.confidence = 0.99,
				.detail = "R5" };

	f.icrc_good = 990;
	f.icrc_bad = CORRUPT;
	three_taps(l, f, true);
	if (more) { /* a fourth place, at the end of the way */
		struct capture_tap t = good_tap();
		struct fact_tap ft = good_fact_tap(TAPS);
		static char pd[] = "pd";

		t.name = pd;
		store_tap(l->s, TAPS, &t);
		l->sink.tap(l->sink.ctx, &ft);
		f.id = 2 * TAPS + 1;
		f.tap = TAPS;
		f.icrc_bad += more;
		lab_pair(l, &f);
		l->sink.tap_path(l->sink.ctx,
				 &(struct fact_tap_path) { .tap_path = 1,
							   .hop = TAPS + 1,
							   .flow = f.id,
							   .tap = TAPS,
							   .ttl = 60 });
	}
	for (uint32_t i = 0; i < TAPS + (more > 0); i++)
		for (uint32_t k = 0; k < 3; k++) {
			e.flow = 2 * i + 1;
			e.tap = i;
			e.frame = 100 * i + k + 1;
			l->sink.event(l->sink.ctx, &e);
		}
	lab_reopen(l);
}

static void damage_is_told_once(void **state)
{
	struct lab l;

	(void)state;
	damage(&l, 0);
	found(&l, "corruption", "5 " WRONG "pa\n");
	lab_rows(&l,
		 "SELECT count(DISTINCT json_extract(value, '$.tap')), count(*)"
		 " FROM finding, json_each(evidence, '$.frames')"
		 " WHERE rule = 'corruption'",
		 "1|3\n");
	numbers_are(&l, "events", EVENT_TAP, NULL, "1\n2\n3\n");
	numbers_are(&l, "events", EVENT_TAP, "once=1", "1\n");
	lab_end(&l);
	damage(&l, 2);
	found(&l, "corruption",
	      "5 " WRONG "pa\n"
	      "7 " WRONG "pd\n");
	lab_end(&l);
}

/* The cut is seen, and clears nobody; told once, where most of it was seen. */
static void encrypted_packets_are_trimmed_too(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_tss t = { .src = host(1),
			      .ssi = FACT_UNKNOWN,
			      .packets = 1000,
			      .trimmed = 20 };
	struct capture_tap pb = good_tap();
	struct fact_tap ft = good_fact_tap(1);
	static char name[] = "pb";
	struct lab l;

	(void)state;
	f.transport = FLOW_UET_TSS;
	f.visibility = VISIBLE_FWD;
	lab_begin(&l);
	lab_one_tap(&l);
	pb.name = name;
	store_tap(l.s, 1, &pb);
	l.sink.tap(l.sink.ctx, &ft);
	l.sink.flow(l.sink.ctx, &f);
	l.sink.tss(l.sink.ctx, &t);
	t.tap = 1;
	t.trimmed = 50;
	l.sink.tss(l.sink.ctx, &t);
	lab_reopen(&l);
	found(&l, "trimming-encrypted",
	      "50 encrypted packets trimmed upstream of this capture point: "
	      "from 10.0.0.1 at pb\n");
	lab_rows(&l, "SELECT verdict FROM answer", "undetermined\n");
	lab_end(&l);
}

/* Behind the queue the retransmissions come in another order, and another of
 * them is the first: far off, too, if no more came trimmed to the second than
 * went whole past the first.  More of them are another trimming. */
static void trimmed_in_another_order_is_told_once(void **state)
{
	const struct {
		uint32_t later, packets;
	} all[] = { { 3, 20 }, { 21, 20 }, { 39, 20 }, { 21, 21 } };
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	f.transport = FLOW_UET_RUD;
	f.dst_qp = FACT_UNKNOWN;
	f.spdcid = 0x12;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct fact_recovery a = at_tap(0, CAUSE_TRIMMED_DOWNSTREAM);
		struct fact_recovery b = at_tap(1, CAUSE_TRIMMED_UPSTREAM);
		bool same = all[i].packets == 20;

		three_taps(&l, f, true);
		b.psn += all[i].later;
		b.psn += all[i].packets - a.retransmitted_packets;
		b.retransmitted_packets = all[i].packets;
		hand_recovery(&l, a);
		hand_recovery(&l, b);
		lab_reopen(&l);
		found(&l, "trimming",
		      same ? "20 packets trimmed between the taps pa and "
			     "pb: "
			     "10.0.0.1 > 10.0.0.2, PDC 0x0012\n"
			   : "20 packets trimmed between this capture point "
			     "and the receiver: 10.0.0.1 > 10.0.0.2, PDC "
			     "0x0012 at pa\n"
			     "21 packets trimmed upstream of this capture "
			     "point: 10.0.0.1 > 10.0.0.2, PDC 0x0012 at "
			     "pb\n");
		numbers_are(&l, "recoveries", RECOVERY_TAP, "once=1",
			    same ? "1\n" : "1\n2\n");
		lab_end(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_all_is_told_by_the_first),
		cmocka_unit_test(behind_all_is_told_by_the_last),
		cmocka_unit_test(without_a_way_each_tells_its_own),
		cmocka_unit_test(another_packet_is_another_loss),
		cmocka_unit_test(who_saw_more_speaks_for_himself),
		cmocka_unit_test(other_pieces_are_told_once),
		cmocka_unit_test(who_misses_packets_does_not_speak_for_others),
		cmocka_unit_test(who_knows_speaks_for_who_does_not),
		cmocka_unit_test(who_can_explain_speaks_for_all),
		cmocka_unit_test(a_timeout_explains_who_knows_less),
		cmocka_unit_test(answers_are_told_from_their_sender),
		cmocka_unit_test(damage_is_told_once),
		cmocka_unit_test(encrypted_packets_are_trimmed_too),
		cmocka_unit_test(trimmed_in_another_order_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

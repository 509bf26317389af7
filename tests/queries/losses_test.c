/* SPDX-License-Identifier: GPL-2.0-or-later
 * Losses and reordering by hand, and the verdicts an engineer would draw. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow/recovery/decide.h"
#include "said.h"

/* --- losses --- */

static void loss_upstream(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.lost_upstream = 1;
	f.retransmitted = 20;
	f.recoveries = 1;
	lab_pair(&l, &f);
	hand_recovery(&l, recovery(1, CAUSE_LOSS_UPSTREAM, TRIGGER_NAK));
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning 1 packet lost between the sender and this capture "
	       "point: 10.0.0.1 > 10.0.0.2, QP 0x000011\n");
	expect_detail(&l, 1, "detail",
		      "The packet was not seen here; the receiver sent a NAK "
		      "and it was retransmitted (1 recovery). That is "
		      "0.10 % of what these flows sent. 20 packets (21.6 kB) "
		      "retransmitted.");
	expect_detail(&l, 1, "cost_ns", "100000");
	expect_detail(&l, 1, "flow_id", "1");
	expect_detail(&l, 1, "first_ns", "1795219200001000000");
	expect_in(&l, 1, "evidence", "\"frames\":[{\"tap\":1,\"frame\":700}]");
	expect_in(&l, 1, "evidence",
		  "\"query\":\"fabscope query DB recoveries"
		  " --param incident=1\"");
	lab_end(&l);
}

static void loss_that_costs_much_is_critical(void **state)
{
	struct fact_recovery r =
		recovery(1, CAUSE_LOSS_DOWNSTREAM, TRIGGER_NAK);
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	r.last_ns = r.first_ns + 10 * MS;
	r.lost_max = 12;
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, NULL,
	       "critical At least 1 packet lost between this capture point and "
	       "the receiver: 10.0.0.1 > 10.0.0.2, QP 0x000011\n");
	expect_in(&l, 1, "detail", "Between 1 and 12 were lost.");
	lab_end(&l);
}

/* What need not have been lost at all is not told as lost. */
static void loss_that_may_be_none_says_so(void **state)
{
	struct fact_recovery r =
		recovery(1, CAUSE_LOSS_DOWNSTREAM, TRIGGER_NAK);
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	r.lost_min = 0;
	r.lost_max = 12;
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning Up to 12 packets, perhaps none, lost between this "
	       "capture point and the receiver: 10.0.0.1 > 10.0.0.2, QP "
	       "0x000011\n");
	lab_end(&l);
}

/* reference 3.5.5 */
static void capture_loss_lowers_the_confidence_of_loss(void **state)
{
	struct fact_recovery r = recovery(1, CAUSE_LOSS_UPSTREAM, TRIGGER_NAK);
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.lost_upstream = 1;
	f.capture_missing = 20;
	lab_pair(&l, &f);
	r.last_ns = r.first_ns + 50 * MS; /* would be critical */
	r.lost_min = r.lost_max = 10;
	hand_recovery(&l, r);
	lab_reopen(&l);
	/* of 20 that were sent again it may have missed 2: at_most(20, 1000,
	 * 20) */
	expect(&l, NULL,
	       "warning LOW CONFIDENCE: At least 8 packets lost between the "
	       "sender and this capture point: 10.0.0.1 > 10.0.0.2, "
	       "QP 0x000011\n"
	       "warning 2.00 % of the packets not captured at tap pa\n");
	expect_in(&l, 1, "detail",
		  "LOW CONFIDENCE: 2.00 % of the packets were not captured");
	expect_in(&l, 1, "detail", "10 were not seen here before their");
	lab_end(&l);
}

/* One in fifty is missing in the capture: this one may be one of them. */
static void what_may_only_be_missing_has_no_place(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.lost_upstream = 1;
	f.capture_missing = 20;
	lab_pair(&l, &f);
	hand_recovery(&l, recovery(1, CAUSE_LOSS_UPSTREAM, TRIGGER_NAK));
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning LOW CONFIDENCE: Packets lost and retransmitted, "
	       "once; where "
	       "they were lost is not observable: 10.0.0.1 > 10.0.0.2, "
	       "QP 0x000011\n"
	       "warning 2.00 % of the packets not captured at tap pa\n");
	lab_end(&l);
}

/* Ten times more missing than lost is enough, however few they are. */
static void ten_ghosts_for_one_loss_is_low_confidence(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.expected = 1000000;
	f.lost_upstream = 1;
	f.capture_missing = 11;
	lab_pair(&l, &f);
	hand_recovery(&l, recovery(1, CAUSE_LOSS_UPSTREAM, TRIGGER_NAK));
	lab_reopen(&l);
	expect(&l, "warning",
	       "warning LOW CONFIDENCE: 1 packet lost between the sender and "
	       "this capture point: 10.0.0.1 > 10.0.0.2, QP 0x000011\n");
	lab_end(&l);
}

static void timeout_names_the_tail(void **state)
{
	struct fact_recovery r =
		recovery(1, CAUSE_LOSS_DOWNSTREAM, TRIGGER_TIMEOUT);
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	r.silence_ns = 67 * MS;
	r.last_ns = r.first_ns + 68 * MS;
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, NULL,
	       "critical 1 packet lost between this capture point and the "
	       "receiver, recovered only by RTO: 10.0.0.1 > 10.0.0.2, "
	       "QP 0x000011\n");
	expect_in(&l, 1, "detail", "once, up to 67.0 ms.");
	lab_end(&l);
}

/* The receiver did ask. */
static void a_nak_that_came_by_is_told(void **state)
{
	struct fact_recovery r =
		recovery(1, CAUSE_LOSS_DOWNSTREAM, TRIGGER_TIMEOUT);
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	r.silence_ns = 67 * MS;
	r.last_ns = r.first_ns + 68 * MS;
	r.frame_detect = 690;
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, NULL,
	       "critical 1 packet lost between this capture point and the "
	       "receiver, recovered only by RTO: 10.0.0.1 > 10.0.0.2, "
	       "QP 0x000011\n");
	expect_in(&l, 1, "detail",
		  "1 NAK was seen at this capture point and no retransmission "
		  "followed it");
	lab_end(&l);
}

/* Timeouts of |n| flows from 10.0.0.1 to 10.0.0.2, each |lost| packets, the
 * i-th later by |step|. */
static void hand_timeouts(struct lab *l, uint32_t n, uint32_t lost,
			  int64_t step)
{
	for (uint32_t i = 0; i < n; i++) {
		struct fact_flow f = good_flow(2 * i + 1, 1, 2, 0x100 + i);
		struct fact_recovery r = recovery(
			2 * i + 1, CAUSE_LOSS_DOWNSTREAM, TRIGGER_TIMEOUT);

		f.last_ns = T0 + 900 * MS;
		lab_pair(l, &f);
		r.lost_min = r.lost_max = lost;
		r.silence_ns = 60 * MS;
		r.first_ns += i * step;
		r.resend_ns = r.first_ns + 60 * MS;
		r.last_ns = r.first_ns + 62 * MS;
		hand_recovery(l, r);
	}
}

/* All flows at once: a path was gone.  No second finding for the same. */
static void outage_of_all_flows(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	hand_timeouts(&l, 3, 10, 5 * MS);
	lab_reopen(&l);
	expect(&l, NULL,
	       "critical Outage between this capture point and "
	       "the receiver for up to 60.0 ms: 10.0.0.1 > 10.0.0.2, 3 "
	       "flows\n");
	expect_in(&l, 1, "detail", "at least 30 packets");
	lab_end(&l);
}

static void timeouts_that_are_no_outage(void **state)
{
	static const struct {
		uint32_t lost;
		int64_t step;
		bool bystander;
	} cases[] = {
		{ 1, 5 * MS, false },    /* single packets: by chance */
		{ 10, 100 * MS, false }, /* one after the other */
		{ 10, 5 * MS, true },    /* another flow got through */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct fact_flow f = good_flow(99, 1, 2, 0x99);
		char want[200];
		struct lab l;

		lab_begin(&l);
		lab_one_tap(&l);
		hand_timeouts(&l, 3, cases[i].lost, cases[i].step);
		f.last_ns = T0 + 900 * MS;
		if (cases[i].bystander)
			lab_pair(&l, &f);
		lab_reopen(&l);
		snprintf(want, sizeof want,
			 "critical %u packets lost between this capture point "
			 "and the receiver, recovered only by RTO: 10.0.0.1 > "
			 "10.0.0.2, 3 flows\n",
			 3 * cases[i].lost);
		expect(&l, NULL, want);
		lab_end(&l);
	}
}

/* R17: the timer of a READ, too, waits for what travels the other way. */
static void lost_read_answer_by_timeout(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_recovery r =
		recovery(1, CAUSE_LOSS_UPSTREAM, TRIGGER_TIMEOUT);
	struct fact_flow back = good_flow(2, 2, 1, 0x12);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	/* the loss is counted where the answers travel */
	f.peer = 2;
	back.peer = 1;
	back.lost_upstream = 1;
	l.sink.flow(l.sink.ctx, &f);
	l.sink.flow(l.sink.ctx, &back);
	r.rule = "R17";
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning At least 1 packet lost between the sender and this "
	       "capture point, recovered only by RTO: 10.0.0.2 > 10.0.0.1, QP "
	       "0x000012\n");
	lab_end(&l);
}

/* R16: what was lost is an answer; it travelled the other way. */
static void lost_read_answer_is_told_from_its_sender(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	hand_recovery(&l,
		      recovery(1, CAUSE_LOSS_UPSTREAM, TRIGGER_IMPLIED_NAK));
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning 1 packet lost between the sender and this capture "
	       "point: 10.0.0.2 > 10.0.0.1, QP 0x000012\n");
	lab_end(&l);
}

/* R26 */
static void loss_or_reorder_is_not_called_loss(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	hand_recovery(&l, recovery(1, CAUSE_LOSS_OR_REORDER, TRIGGER_NAK));
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning Packets lost or reordered between this capture point "
	       "and the receiver, once: 10.0.0.1 > 10.0.0.2, "
	       "QP 0x000011\n");
	lab_end(&l);
}

static void unrecovered_loss_is_told(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.lost_upstream = 3;
	lab_pair(&l, &f);
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning 3 packets lost and not retransmitted while the capture "
	       "ran: 10.0.0.1 > 10.0.0.2, QP 0x000011\n");
	lab_end(&l);
}

/* R26 proves it for what is behind the tap, R2 for what is before it. */
static void reordering_is_told_from_its_side(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_recovery r = recovery(1, CAUSE_REORDER, TRIGGER_NAK);
	struct lab l;

	(void)state;
	r.lost_min = r.lost_max = 0;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	r.rule = "R2";
	hand_recovery(&l, r);
	r.rule = "R26";
	r.psn = 600;
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning Reordering upstream of this capture point made "
	       "receivers "
	       "send NAKs once: 10.0.0.1 > 10.0.0.2, QP 0x000011\n"
	       "warning Reordering between this capture point and the receiver "
	       "made it send NAKs once: 10.0.0.1 > 10.0.0.2, "
	       "QP 0x000011\n");
	lab_end(&l);
}

/* R11 or R12: something was lost, but not necessarily data. */
static void silence_is_not_called_loss(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct fact_recovery r = recovery(1, CAUSE_UNKNOWN, TRIGGER_TIMEOUT);
	struct lab l;

	(void)state;
	r.lost_min = 0;
	r.silence_ns = 67 * MS;
	r.rule = "R11 or R12: the data or its ACK was lost";
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	hand_recovery(&l, r);
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning No ACK before the retransmission timeout "
	       "(RTO), once: 10.0.0.1 > 10.0.0.2, QP 0x000011\n");
	expect_in(&l, 1, "detail", "after up to 67.0 ms of silence");
	expect_in(&l, 1, "detail", "The packets or their ACKs were");
	lab_end(&l);
}

/* Two hosts that send to each other 12 times, each 100 kB; |both| of their
 * links are captured. */
static void exchange(struct lab *l, bool both)
{
	struct capture_tap t = good_tap();
	struct fact_tap ft = good_fact_tap(1);
	static char pb[] = "pb";

	lab_begin(l);
	lab_one_tap(l);
	t.name = pb;
	if (both) {
		store_tap(l->s, 1, &t);
		l->sink.tap(l->sink.ctx, &ft);
	}
	for (uint32_t i = 0; i < (both ? 4 : 2); i++) {
		uint8_t src = (uint8_t)(i % 2 + 1);
		struct fact_flow f = good_flow(i + 1, src, 3 - src, 0x10 + src);

		f.tap = i / 2;
		f.visibility = VISIBLE_BOTH;
		f.goodput_bytes = f.payload_bytes = 12 * 100000;
		l->sink.flow(l->sink.ctx, &f);
		for (int k = 0; k < 12; k++) {
			int64_t at = T0 + 200 * US * k + 2 * US * (i / 2);
			struct fact_burst b = {
				.flow = i + 1,
				.first_ns = at,
				.last_ns = at + 10 * US,
				.bytes = 100000,
				.psns = 25,
				.acked_ns = FACT_UNKNOWN,
				.asked_ns = FACT_UNKNOWN,
				.unacked = FACT_UNKNOWN,
				.granted_ns = FACT_UNKNOWN,
			};

			l->sink.burst(l->sink.ctx, &b);
		}
	}
}

/* No advice to capture where there is a capture. */
static void who_captures_everywhere_need_not_be_told(void **state)
{
	(void)state;
	for (int both = 0; both < 2; both++) {
		struct fact_recovery r =
			recovery(1, CAUSE_UNKNOWN, TRIGGER_TIMEOUT);
		struct lab l;

		r.lost_min = 0;
		r.silence_ns = 67 * MS;
		r.rule = "R11 or R12: the data or its ACK was lost";
		exchange(&l, both);
		hand_recovery(&l, r);
		lab_reopen(&l);
		lab_rows(&l, "SELECT ranks_tapped, ranks FROM job", "2|2\n");
		if (both)
			lab_rows(&l,
				 "SELECT action FROM finding "
				 "WHERE rule = 'unanswered'",
				 "The links of all hosts are captured: "
				 "\"fabscope query DB segments\" shows which "
				 "of them saw which packets. Look at the drop "
				 "counters between here and 10.0.0.2, in both "
				 "directions.\n");
		else
			lab_rows(&l,
				 "SELECT action FROM finding "
				 "WHERE rule = 'unanswered'",
				 "Capture at the link of 10.0.0.2 as well "
				 "(--tap), or look at the drop counters "
				 "between here and there, in both "
				 "directions.\n");
		lab_end(&l);
	}
}

/* M1: what passed one tap and not the next. */
static void loss_between_taps_is_located(void **state)
{
	struct capture_tap t = good_tap();
	struct fact_tap ft = good_fact_tap(1);
	struct fact_recovery r;
	struct lab l;
	static char pb[] = "pb";

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	t.name = pb;
	store_tap(l.s, 1, &t);
	l.sink.tap(l.sink.ctx, &ft);
	for (uint32_t i = 0; i < 2; i++) {
		struct fact_flow f = good_flow(2 * i + 1, 1, 2, 0x11);

		f.tap = i;
		lab_pair(&l, &f);
		r = recovery(2 * i + 1,
			     i ? CAUSE_LOSS_UPSTREAM : CAUSE_LOSS_DOWNSTREAM,
			     TRIGGER_NAK);
		r.tap = i;
		hand_recovery(&l, r);
		/* another loss before both: not between them */
		r.cause = CAUSE_LOSS_UPSTREAM;
		r.psn = 800;
		hand_recovery(&l, r);
	}
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning 1 packet lost between the sender and this capture "
	       "point: 10.0.0.1 > 10.0.0.2, QP 0x000011 at pa\n"
	       "warning 1 packet lost between the sender and this capture "
	       "point: 10.0.0.1 > 10.0.0.2, QP 0x000011 at pb\n"
	       "warning 1 packet lost between the taps pa and pb: "
	       "10.0.0.1 > 10.0.0.2, QP 0x000011\n");
	expect_in(&l, 3, "detail", "They were seen at pa and not at pb; ");
	expect_in(&l, 3, "detail", "20 packets (21.6 kB) retransmitted.");
	lab_end(&l);
}

/* What may have been lost behind one tap came late to the next. */
static void reordering_between_taps_is_no_loss(void **state)
{
	struct capture_tap t = good_tap();
	struct fact_tap ft = good_fact_tap(1);
	struct fact_recovery r;
	struct lab l;
	static char pb[] = "pb";

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	t.name = pb;
	store_tap(l.s, 1, &t);
	l.sink.tap(l.sink.ctx, &ft);
	for (uint32_t i = 0; i < 2; i++) {
		struct fact_flow f = good_flow(2 * i + 1, 1, 2, 0x11);

		f.tap = i;
		lab_pair(&l, &f);
		r = recovery(2 * i + 1,
			     i ? CAUSE_REORDER : CAUSE_LOSS_OR_REORDER,
			     TRIGGER_NAK);
		r.tap = i;
		r.rule = i ? "R2" : "R26: lost or reordered downstream";
		hand_recovery(&l, r);
	}
	lab_reopen(&l);
	expect(&l, NULL,
	       "warning Reordering upstream of this capture point made "
	       "receivers "
	       "send NAKs once: 10.0.0.1 > 10.0.0.2, QP 0x000011 at pb\n");
	lab_end(&l);
}

/* The same timer retransmitted packets that may have been lost as well, or one
 * long before did: the packet that asks for the ACK may be among the former. */
static void no_early_timer_where_the_request_for_the_ACK_was_lost(void **state)
{
	struct fact_flow f = good_flow(1, 1, 9, 0x11);

	(void)state;
	f.transport = FLOW_UET_RUD;
	f.retransmitted = 9;
	for (int apart = 0; apart < 2; apart++) {
		struct fact_recovery r =
			recovery(1, CAUSE_COLLATERAL, TRIGGER_TIMEOUT);
		struct fact_recovery o =
			recovery(1, CAUSE_UNKNOWN, TRIGGER_TIMEOUT);
		struct lab l;

		lab_begin(&l);
		lab_one_tap(&l);
		r.rule = "U15";
		r.silence_ns = 20 * MS;
		o.rule = "U21";
		o.lost_min = 0;
		o.lost_max = 2;
		o.resend_ns = r.resend_ns + (apart ? 15 * MS : 20 * US);
		lab_pair(&l, &f);
		hand_recovery(&l, r);
		hand_recovery(&l, o);
		lab_reopen(&l);
		found(&l, "early-retransmissions",
		      apart ? "RTO expired once before the ACK arrived\n" : "");
		lab_end(&l);
	}
}

/* Nothing else remains than that the ACK was slower than the timer. */
static void a_timer_that_is_too_short_is_told(void **state)
{
	struct fact_recovery r = recovery(1, CAUSE_ACK_LOSS, TRIGGER_TIMEOUT);
	struct fact_flow f = good_flow(1, 1, 9, 0x11);
	struct lab l;

	(void)state;
	r.rule = "R11: the ACK was late, not lost";
	r.remaining = H(ACK_LATE);
	r.silence_ns = 20 * MS;
	f.rtt_receiver_ns = 5 * MS + 1;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	hand_recovery(&l, r);
	lab_reopen(&l);
	found(&l, "early-retransmissions",
	      "RTO expired once before the ACK arrived\n");
	found(&l, "ack-loss", "");
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loss_upstream),
		cmocka_unit_test(loss_that_costs_much_is_critical),
		cmocka_unit_test(loss_that_may_be_none_says_so),
		cmocka_unit_test(capture_loss_lowers_the_confidence_of_loss),
		cmocka_unit_test(what_may_only_be_missing_has_no_place),
		cmocka_unit_test(ten_ghosts_for_one_loss_is_low_confidence),
		cmocka_unit_test(timeout_names_the_tail),
		cmocka_unit_test(a_nak_that_came_by_is_told),
		cmocka_unit_test(outage_of_all_flows),
		cmocka_unit_test(timeouts_that_are_no_outage),
		cmocka_unit_test(lost_read_answer_by_timeout),
		cmocka_unit_test(lost_read_answer_is_told_from_its_sender),
		cmocka_unit_test(loss_or_reorder_is_not_called_loss),
		cmocka_unit_test(unrecovered_loss_is_told),
		cmocka_unit_test(reordering_is_told_from_its_side),
		cmocka_unit_test(silence_is_not_called_loss),
		cmocka_unit_test(who_captures_everywhere_need_not_be_told),
		cmocka_unit_test(loss_between_taps_is_located),
		cmocka_unit_test(reordering_between_taps_is_no_loss),
		cmocka_unit_test(
			no_early_timer_where_the_request_for_the_ACK_was_lost),
		cmocka_unit_test(a_timer_that_is_too_short_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

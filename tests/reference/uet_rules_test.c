/* SPDX-License-Identifier: GPL-2.0-or-later
 * The decision table for Ultra Ethernet (docs/rules.md, U1 to U25), each row
 * as the smallest story that fulfils it, counted by hand; U11 to U16, of what
 * the receiver missed or had, are in uet_behind_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uet_scene.h"
#include "wire/wire.h"

static void in_order_is_clean(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_run(&c, START + 1, START + 40);
	settle(&c, START + 40);

	struct record *r = scene_run(s, NULL);

	EXPECT_CLEAN(r);
	EXPECT(context_flow(r, &c), .up = 0);
	assert_int_equal(context_flow(r, &c)->expected, 41);
	assert_int_equal(context_flow(r, &c)->messages_completed, 41);
	assert_int_equal(context_flow(r, &c)->transport, FLOW_UET_RUD);
	assert_int_equal(context_flow(r, &c)->dpdcid, 0x34);
	assert_int_equal(context_flow(r, &c)->job_id, 200);
	assert_int_equal(context_flow(r, &c)->dst_qp, FACT_UNKNOWN);
	assert_int_equal(context_pdc(r, &c)->state, PDC_ESTABLISHED);
	assert_int_equal(context_pdc(r, &c)->start_psn, START);
}

/* Through one link of several: who asked for it may have passed the other. */
static void one_link_of_several_tells_of_no_timer(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	for (uint32_t psn = START + 1; psn <= START + 90; psn++)
		if (psn % 3)
			SEND(&c, psn);
	pause_ns(s, REACT);
	cack(&c, START + 80, START + 80);
	pause_ns(s, SECOND);
	resend_psn(&c, START + 79); /* acknowledged long before */
	pause_ns(s, SECOND);
	resend_psn(&c, START + 88);
	settle(&c, START + 90);

	const struct fact_flow *f = context_flow(scene_run(s, NULL), &c);

	assert_true(f->spray_suspect);
	assert_int_equal(f->retransmitted, 2);
	assert_int_equal(f->timeouts, FACT_UNKNOWN);
	assert_int_equal(f->ack_lost, FACT_UNKNOWN);
}

/* One timer, and all that waits is sent again: what never came here, and what
 * passed. */
static void rule_U9_and_U21_by_one_timer(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);
	struct record *r;

	SEND(&c, START + 2, START + 3);
	pause_ns(s, SECOND);
	for (uint32_t psn = START + 1; psn <= START + 3; psn++)
		resend_psn(&c, psn);
	settle(&c, START + 3);
	SEND(&c, START + 4);
	pause_ns(s, SECOND);
	resend_psn(&c, START + 4);
	settle(&c, START + 4);

	r = scene_run(s, NULL);
	EXPECT(context_flow(r, &c), .up = 1, .down_max = 3, .retransmitted = 4,
	       .timeouts = 2);
	assert_int_equal(r->n_recoveries, 3);
}

static void rule_U1_RUD_disorder_is_no_trouble(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	c.spray = true;
	SEND(&c, START + 3, START + 2, START + 1, START + 4);
	settle(&c, START + 4);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .reordered = 2, .extent = 2);
	assert_int_equal(r->n_events, 0);
	assert_int_equal(r->n_recoveries, 0);
	assert_int_equal(context_flow(r, &c)->udp_sports, 5);
}

static void rule_U1_ROD_disorder_is_told(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	c.ordered = true;
	SEND(&c, START, START + 2, START + 1);
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .reordered = 1, .extent = 1);
	assert_int_equal(events_of(r, EVENT_REORDER), 1);
	assert_int_equal(context_flow(r, &c)->transport, FLOW_UET_ROD);
}

static void rule_U2_original_after_its_copy(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 2);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_RCVR_INFER_LOSS);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	SEND(&c, START + 1); /* it had only been slow */
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .reordered = 1, .extent = 1,
	       .retransmitted = 1, .spurious = 1);
	only_rule(r, "U2", TRIGGER_NAK, CAUSE_REORDER);
}

/* Its copy was faster by so much that nothing was open any more. */
static void rule_U2_original_long_after_its_copy(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 2);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_RCVR_INFER_LOSS);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	pause_ns(s, REACT);
	cack(&c, START + 2, START + 2);
	pause_ns(s, 200 * US);
	SEND(&c, START + 3);
	pause_ns(s, REACT);
	cack(&c, START + 3, START + 3);
	SEND(&c, START + 1);
	settle(&c, START + 3);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .reordered = 1, .extent = 2,
	       .retransmitted = 1, .spurious = 1);
	only_rule(r, "U2", TRIGGER_NAK, CAUSE_REORDER);
}

static void rule_U3_acknowledged_and_never_seen(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1, START + 4);
	settle(&c, START + 4);
	SEND(&c, START + 5);
	settle(&c, START + 5);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .missing = 2);
	assert_int_equal(events_of(r, EVENT_CAPTURE_MISSING), 1);
	assert_int_equal(first_event(r, EVENT_CAPTURE_MISSING)->psn, START + 2);
	assert_int_equal(first_event(r, EVENT_CAPTURE_MISSING)->count, 2);
	assert_int_equal(r->n_recoveries, 0);
}

static void rule_U3_acknowledged_beyond_all_that_was_seen(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	settle(&c, START + 4);
	SEND(&c, START + 5);
	settle(&c, START + 5);

	EXPECT(context_flow(scene_run(s, NULL), &c), .missing = 3);
}

static void rule_U3_a_copy_of_what_was_acknowledged_unseen(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 2);
	pause_ns(s, REACT);
	cack(&c, START + 2, START + 2);
	resend_psn(&c, START + 1);
	pause_ns(s, SECOND);

	EXPECT(context_flow(scene_run(s, NULL), &c), .missing = 1,
	       .retransmitted = 1, .spurious = ANY, .timeouts = ANY);
}

/* The capture begins inside a context: what is missing may have passed. */
static void rule_U3_not_where_the_capture_broke_in(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	answered(&c);
	SEND(&c, START + 1, START + 3, START + 4);
	pause_ns(s, REACT);
	cack(&c, START + 4, START + 4);
	pause_ns(s, SECOND);

	EXPECT(context_flow(scene_run(s, NULL), &c), .unresolved = 1);
}

static void rule_U4_a_hole_without_any_answer(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	SEND(&c, START, START + 2);
	pause_ns(s, SECOND);
	SEND(&c, START + 3);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .unresolved = 1, .down_min = NOT_OR_0,
	       .down_max = NOT_OR_0, .missing = NOT_OR_0, .spurious = NOT_OR_0,
	       .timeouts = NOT_OR_0);
	assert_int_equal(context_flow(r, &c)->visibility, VISIBLE_FWD);
}

static void a_hole_at_the_very_end_is_no_verdict(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1, START + 3);

	EXPECT(context_flow(scene_run(s, NULL), &c), .unresolved = 0);
}

static void rule_U5_trimmed_before_the_tap(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	send_trimmed(&c, START + 1);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_TRIMMED);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .retransmitted = 1);
	only_rule(r, "U5", TRIGGER_NAK, CAUSE_TRIMMED_UPSTREAM);
	assert_int_equal(context_flow(r, &c)->trimmed, 1);
	assert_int_equal(context_pdc(r, &c)->trimmed_upstream, 1);
	assert_int_equal(context_pdc(r, &c)->trimmed_downstream, 0);
}

/* The cut is inside the payload, where no length tells of it. */
static void rule_U5_the_CRC_was_cut_off_as_well(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	last_packet(s)->icrc_status = ICRC_BAD;
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_TRIMMED);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .retransmitted = 1);
	only_rule(r, "U5", TRIGGER_NAK, CAUSE_TRIMMED_UPSTREAM);
	assert_int_equal(context_pdc(r, &c)->trimmed_upstream, 1);
	assert_int_equal(context_pdc(r, &c)->trimmed_downstream, 0);
}

static void rule_U6_trimmed_behind_the_tap(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_TRIMMED_LASTHOP);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .retransmitted = 1);
	only_rule(r, "U6", TRIGGER_NAK, CAUSE_TRIMMED_DOWNSTREAM);
	assert_int_equal(context_pdc(r, &c)->trimmed_downstream, 1);
	assert_int_equal(context_pdc(r, &c)->trimmed_lasthop, 1);
	assert_int_equal(r->n_nacks, 1);
	assert_int_equal(r->nacks[0].code, NACK_TRIMMED_LASTHOP);
	assert_int_equal(r->nacks[0].retransmitted, 1);
	assert_int_equal(r->nacks[0].react_min_ns, REACT + s->step);
}

static void rule_U6_trimmed_and_not_captured(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 2);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_TRIMMED);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .retransmitted = 1, .missing = 1);
	only_rule(r, "U6", TRIGGER_NAK, CAUSE_TRIMMED);
}

static void rule_U7_refused_for_want_of_room(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_NO_SES_MSG_AVAIL);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .retransmitted = 1);
	only_rule(r, "U7", TRIGGER_RNR, CAUSE_RNR);
	assert_int_equal(context_flow(r, &c)->rnr_nak, 1);
	assert_int_equal(first_event(r, EVENT_RNR_NAK)->value,
			 NACK_NO_SES_MSG_AVAIL);
}

static void rule_U8_lost_before_the_tap_and_missed_there(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 2, START + 3);
	pause_ns(s, REACT);
	sack(&c, START, START + 3, 0xd);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 1);
	settle(&c, START + 3);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .up = 1, .retransmitted = 1);
	only_rule(r, "U8", TRIGGER_IMPLIED_NAK, CAUSE_LOSS_UPSTREAM);
	assert_int_equal(first_event(r, EVENT_LOSS_UPSTREAM)->psn, START + 1);
}

/* The retransmission of the first is lost before the tap as well, and so it is
 * the last to come: all the same they begin with it. */
static void rule_U8_several_begin_with_the_lowest(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 3, START + 4, START + 5);
	pause_ns(s, REACT);
	sack(&c, START, START + 5, 0x39);
	pause_ns(s, REACT);
	resend_psn(&c, START + 2);
	pause_ns(s, REACT);
	sack(&c, START, START + 5, 0x3d);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	settle(&c, START + 5);

	struct record *r = scene_run(s, NULL);

	only_rule(r, "U8", TRIGGER_IMPLIED_NAK, CAUSE_LOSS_UPSTREAM);
	assert_int_equal(first_event(r, EVENT_LOSS_UPSTREAM)->psn, START + 1);
	assert_int_equal(first_event(r, EVENT_LOSS_UPSTREAM)->count, 2);
}

static void rule_U9_lost_before_the_tap_and_timed_out(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 2);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 1);
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .up = 1, .retransmitted = 1, .timeouts = 1);
	only_rule(r, "U9", TRIGGER_TIMEOUT, CAUSE_LOSS_UPSTREAM);
}

/* Nothing followed it: only the flag of the copy tells that it was lost. */
static void rule_U9_the_last_packet_lost_before_the_tap(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);

	EXPECT(context_flow(scene_run(s, NULL), &c), .up = 1,
	       .retransmitted = 1, .timeouts = 1);
}

static void rule_U10_the_receiver_never_got_it(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1, START + 2);
	pause_ns(s, 10 * MS);
	refuse(&c, START + 1, NACK_PKT_NOT_RCVD);
	pause_ns(s, REACT);
	resend_psn(&c, START + 1);
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_min = 1, .down_max = 1,
	       .retransmitted = 1);
	only_rule(r, "U10", TRIGGER_NAK, CAUSE_LOSS_DOWNSTREAM);
}

static void rule_U17_damaged_before_the_tap(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	last_packet(s)->icrc_status = ICRC_BAD;
	SEND(&c, START + 2);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 1);
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .corrupted = 1, .retransmitted = 1,
	       .timeouts = 1);
	only_rule(r, "U17", TRIGGER_TIMEOUT, CAUSE_CORRUPTION);
}

static void rule_U18_the_mirror_doubles(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	duplicate(s, 5 * US);
	last_packet(s)->ttl--;
	SEND(&c, START + 2);
	duplicate(s, 5 * US);
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .up = 0);
	assert_int_equal(context_flow(r, &c)->mirror_duplicates, 1);
	assert_int_equal(context_flow(r, &c)->duplicates, 1);
	assert_int_equal(r->n_recoveries, 0);
}

/* A sender that does not set the flag: another entropy value gives it away. */
static void a_copy_without_the_flag(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	pause_ns(s, 5 * MS);
	c.ev++;
	SEND(&c, START + 1);
	settle(&c, START + 1);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .retransmitted = 1, .down_max = 1,
	       .timeouts = 1);
	assert_int_equal(context_pdc(r, &c)->retx_unset, 1);
}

/* What it says of itself, what the mirror doubles and what comes late are no
 * such copies. */
static void copies_without_the_flag_are_counted(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	c.spray = true;
	SEND(&c, START + 2, START + 1, START + 3, START + 4, START + 5);
	duplicate(s, 5 * US);
	last_packet(s)->ttl--;
	pause_ns(s, 5 * MS);
	SEND(&c, START + 2, START + 4);
	resend_psn(&c, START + 3);
	settle(&c, START + 5);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(context_flow(r, &c)->retransmitted, 3);
	assert_int_equal(context_flow(r, &c)->mirror_duplicates, 1);
	assert_int_equal(context_flow(r, &c)->reordered, 1);
	assert_int_equal(context_pdc(r, &c)->retx_unset, 2);
}

static void rule_U19_the_context_is_refused(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	pause_ns(s, REACT);
	refuse(&c, START + 1, NACK_INV_DPDCID);
	last_packet(s)->uet.spdcid = 0; /* it has none to name */

	struct record *r = scene_run(s, NULL);

	assert_int_equal(context_flow(r, &c)->nak_fatal, 1);
	assert_int_equal(context_pdc(r, &c)->state, PDC_ERROR);
	assert_int_equal(first_event(r, EVENT_NAK_FATAL)->value,
			 NACK_INV_DPDCID);
	EXPECT(context_flow(r, &c), .up = 0);
}

static void rule_U20_a_response_says_error(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	pause_ns(s, REACT);
	cack(&c, START + 1, START + 1);
	last_packet(s)->uet.return_code = SES_RC_BAD_MKEY;

	struct record *r = scene_run(s, NULL);

	assert_int_equal(context_pdc(r, &c)->errors, 1);
	assert_int_equal(first_event(r, EVENT_RESPONSE_ERROR)->value,
			 SES_RC_BAD_MKEY);
}

static void rule_U21_the_data_or_its_answer(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_max = 1, .retransmitted = 1,
	       .timeouts = 1);
	only_rule(r, "U21", TRIGGER_TIMEOUT, CAUSE_UNKNOWN);
}

static void rule_U22_never_answered(void **state)
{
	struct scene *s = *state;
	struct context c = open_context(s);

	SEND(&c, START + 1);
	for (int i = 0; i < 3; i++) {
		pause_ns(s, 10 * MS);
		resend_psn(&c, START + 1);
	}

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .down_max = 4, .retransmitted = 3,
	       .timeouts = 1);
	only_rule(r, "U22", TRIGGER_TIMEOUT, CAUSE_UNKNOWN);
	assert_int_equal(only_recovery(r)->retransmitted_packets, 3);
}

/* The capture begins after the original. */
static void rule_U23_sent_before_the_capture(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	answered(&c);
	SEND(&c, START + 7);
	pause_ns(s, REACT);
	cack(&c, START + 5, START + 7);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 6);
	settle(&c, START + 7);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .retransmitted = 1, .timeouts = ANY);
	assert_string_equal(only_recovery(r)->rule, "U23");
}

/* Its first packets seen are copies, at the begin of the capture: nobody lost
 * them, and no timer is told. */
/* Copies of what was sent before the capture, and new data between them. */
static void rule_U23_before_the_first_original(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	answered(&c);
	resend_psn(&c, START + 1);
	pause_ns(s, REACT);
	cack(&c, START + 1, START + 1);
	SEND(&c, START + 5);
	pause_ns(s, 10 * MS);
	resend_psn(&c, START + 2);
	pause_ns(s, REACT);
	cack(&c, START + 5, START + 2);
	pause_ns(s, SECOND);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .retransmitted = 2);
	assert_int_equal(r->n_recoveries, 2);
	assert_string_equal(r->recoveries[0].rule, "U23");
	assert_string_equal(r->recoveries[1].rule, "U23");
}

/* A timer that has doubled several times is longer than that of a first
 * packet. */
static void rule_U23_long_after_the_capture_began(void **state)
{
	struct scene *s = *state;
	struct context other = context(s, START), c = context(s, START);

	c.id_a = 0x13;
	c.id_b = 0x35;
	SEND(&other, START);
	pause_ns(s, SECOND / 2);
	answered(&c);
	resend_psn(&c, START + 1);
	settle(&c, START + 1);

	EXPECT(context_flow(scene_run(s, NULL), &c), .retransmitted = 1);
}

static void rule_U23_nothing_but_copies(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, START);

	control_psn(&c, CP_NOOP, 0);
	resend_psn(&c, START);
	resend_psn(&c, START + 1);
	pause_ns(s, REACT);
	cack(&c, START + 1, START + 1);
	answered(&c);
	SEND(&c, START + 2);
	settle(&c, START + 2);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .retransmitted = 2);
	only_rule(r, "U23", TRIGGER_UNKNOWN, CAUSE_UNKNOWN);
}

/* PSNs have 32 bits: none of these is a mark of 24 bits that was passed. */
static void what_nobody_acknowledged_is_not_missing(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 0x01c00000);

	SEND(&c, 0x01c00000, 0x01c00001);
	refuse(&c, 0x01c00000, NACK_NO_RESOURCE);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .missing = 0);
	assert_int_equal(events_of(r, EVENT_CAPTURE_MISSING), 0);
}

/* Late copies of the mirror, and control packets that take no number, are no
 * new context after a close. */
static void what_comes_after_a_close_is_the_same_context(void **state)
{
	struct scene *s = *state;
	struct context c = context(s, 0x01c00000);

	SEND(&c, 0x01c00000);
	pause_ns(s, REACT);
	cack(&c, 0x01c00000, 0x01c00000);
	answered(&c);
	control_psn(&c, CP_CLOSE, 0x01c00001);
	pause_ns(s, REACT);
	cack(&c, 0x01c00001, 0x01c00001);
	control_psn(&c, CP_NOOP, 0);
	pause_ns(s, SECOND);

	struct record *r = scene_run(s, NULL);

	EXPECT(context_flow(r, &c), .missing = 0);
	assert_int_equal(events_of(r, EVENT_EPOCH), 0);
	assert_int_equal(context_pdc(r, &c)->state, PDC_CLOSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(in_order_is_clean),
		SCENE_TEST(one_link_of_several_tells_of_no_timer),
		SCENE_TEST(rule_U9_and_U21_by_one_timer),
		SCENE_TEST(what_nobody_acknowledged_is_not_missing),
		SCENE_TEST(what_comes_after_a_close_is_the_same_context),
		SCENE_TEST(rule_U1_RUD_disorder_is_no_trouble),
		SCENE_TEST(rule_U1_ROD_disorder_is_told),
		SCENE_TEST(rule_U2_original_after_its_copy),
		SCENE_TEST(rule_U2_original_long_after_its_copy),
		SCENE_TEST(rule_U3_acknowledged_and_never_seen),
		SCENE_TEST(rule_U3_acknowledged_beyond_all_that_was_seen),
		SCENE_TEST(rule_U3_a_copy_of_what_was_acknowledged_unseen),
		SCENE_TEST(rule_U3_not_where_the_capture_broke_in),
		SCENE_TEST(rule_U4_a_hole_without_any_answer),
		SCENE_TEST(a_hole_at_the_very_end_is_no_verdict),
		SCENE_TEST(rule_U5_trimmed_before_the_tap),
		SCENE_TEST(rule_U5_the_CRC_was_cut_off_as_well),
		SCENE_TEST(rule_U6_trimmed_behind_the_tap),
		SCENE_TEST(rule_U6_trimmed_and_not_captured),
		SCENE_TEST(rule_U7_refused_for_want_of_room),
		SCENE_TEST(rule_U8_lost_before_the_tap_and_missed_there),
		SCENE_TEST(rule_U8_several_begin_with_the_lowest),
		SCENE_TEST(rule_U9_lost_before_the_tap_and_timed_out),
		SCENE_TEST(rule_U9_the_last_packet_lost_before_the_tap),
		SCENE_TEST(rule_U10_the_receiver_never_got_it),
		SCENE_TEST(rule_U17_damaged_before_the_tap),
		SCENE_TEST(rule_U18_the_mirror_doubles),
		SCENE_TEST(a_copy_without_the_flag),
		SCENE_TEST(copies_without_the_flag_are_counted),
		SCENE_TEST(rule_U19_the_context_is_refused),
		SCENE_TEST(rule_U20_a_response_says_error),
		SCENE_TEST(rule_U21_the_data_or_its_answer),
		SCENE_TEST(rule_U22_never_answered),
		SCENE_TEST(rule_U23_sent_before_the_capture),
		SCENE_TEST(rule_U23_before_the_first_original),
		SCENE_TEST(rule_U23_long_after_the_capture_began),
		SCENE_TEST(rule_U23_nothing_but_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is said about what can be seen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

/* The row of |what| for tap |tap| must begin with |want|. */
static void expect(struct lab *l, int tap, const char *what, const char *want)
{
	char param[40], key[80], *rows, *at;
	const char *params[] = { param, NULL };

	snprintf(param, sizeof param, "tap=%d", tap);
	rows = lab_ask(l, "observability", params);
	snprintf(key, sizeof key, ",%s,", what);
	at = strstr(rows, key);
	if (!at)
		fail_msg("nothing is said of %s", what);
	at += strlen(key);
	at[strcspn(at, "\n")] = 0;
	assert_string_equal(at, want);
	free(rows);
}

static int count_lines(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void good_tap_sees_nearly_all(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	lab_reopen(&l);
	expect(&l, 1, "pfc",
	       "no,a mirror port does not copy PFC: no PFC frame in the "
	       "capture "
	       "does not mean none on the wire");
	expect(&l, 1, "ack",
	       "yes,both directions of 2 flows are in the capture");
	expect(&l, 1, "cnp",
	       "yes,\"no CNP is in the capture, although the direction "
	       "they would take is\"");
	expect(&l, 1, "ce",
	       "partial,CE marks of upstream switches are seen; those of "
	       "the mirroring switch only if it mirrors at egress");
	expect(&l, 1, "icrc",
	       "partial,checked on 50.0 % of the packets; the others are "
	       "truncated (snaplen)");
	expect(&l, 1, "loss", "yes,every flow is seen in both directions");
	expect(&l, 1, "capture_loss",
	       "yes,packets that receivers acknowledge but that were "
	       "not captured: 0");
	expect(&l, 1, "path",
	       "no,one capture point: only upstream or downstream of it");
	expect(&l, 1, "uet", "no,there is no Ultra Ethernet packet");
	lab_end(&l);
}

/* reference 12, mistakes 10 and 20 */
static void pfc_is_seen_only_when_it_is_there(void **state)
{
	struct fact_tap t = good_fact_tap(0);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	t.by_kind[5] = 3; /* PACKET_PFC */
	l.sink.tap(l.sink.ctx, &t);
	lab_reopen(&l);
	expect(&l, 1, "pfc",
	       "yes,3 PFC frames and 0 pause frames are in the capture");
	lab_end(&l);
}

static void one_direction_sees_little(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.visibility = VISIBLE_FWD;
	l.sink.flow(l.sink.ctx, &f);
	lab_reopen(&l);
	expect(&l, 1, "ack", "no,only one direction is seen here");
	expect(&l, 1, "cnp",
	       "no,the direction that CNPs would take is not seen here");
	expect(&l, 1, "loss",
	       "no,without ACKs a PSN gap can be a loss or a packet "
	       "that was not captured");
	expect(&l, 1, "credit",
	       "no,\"ACKs, which carry credits, are not seen here\"");
	expect(&l, 1, "capture_loss",
	       "no,\"no ACKs, no mirror sequence numbers and no drop "
	       "counters are in the capture\"");
	lab_end(&l);
}

static void lossy_capture_lowers_loss(void **state)
{
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	f.capture_missing = 20;
	lab_pair(&l, &f);
	lab_reopen(&l);
	expect(&l, 1, "loss",
	       "partial,LOW CONFIDENCE: 2.00 % of the packets were not "
	       "captured");
	lab_end(&l);
}

static void taps_are_told_apart(void **state)
{
	struct capture_tap t = good_tap();
	struct fact_tap ft = good_fact_tap(1);
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	struct lab l;
	char *all;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	store_tap(l.s, 1, &t);
	ft.nic_sniffer = true;
	l.sink.tap(l.sink.ctx, &ft);
	lab_pair(&l, &f);
	lab_reopen(&l);
	expect(&l, 1, "path",
	       "partial,\"upstream, downstream or between the capture points, "
	       "not which switch or link\"");
	expect(&l, 1, "loss", "yes,every flow is seen in both directions");
	expect(&l, 2, "loss", "no,there is no packet of a flow");
	expect(&l, 2, "icrc", "no,a NIC sniffer changed the packets");
	expect(&l, 2, "one-way",
	       "no,needs two taps on the path of the same packets; "
	       "none of these was seen at another capture point");
	all = lab_ask(&l, "observability", NULL);
	assert_int_equal(count_lines(all), 1 + 2 * 13);
	free(all);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_tap_sees_nearly_all),
		cmocka_unit_test(pfc_is_seen_only_when_it_is_there),
		cmocka_unit_test(one_direction_sees_little),
		cmocka_unit_test(lossy_capture_lowers_loss),
		cmocka_unit_test(taps_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

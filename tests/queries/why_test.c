/* SPDX-License-Identifier: GPL-2.0-or-later
 * Why a recovery was decided as it was: the rules by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow/recovery/decide.h"
#include "said.h"

/* By hand from flow/recovery/rules.def: the first rule that holds. */
#define UNTRIMMED                                                            \
	"It was not seen trimmed here, and no NACK said so.\",\"a receiver " \
	"sends a NACK for each trimmed packet, and it is captured\","
#define WHY_OF   "1,1," /* recovery and flow */
#define WHY_LAST ",1,loss_upstream,\"by_nak,nak_named,filled\"\n"
#define WHY_END  WHY_LAST WHY_OF
static const char WHY_ROWS[] = WHY_OF
	"lost_upstream,lost upstream of this capture point,remains,,,," WHY_END
	"not_captured,packets that would decide it were not "
	"captured,remains,,,," WHY_END
	"lost_downstream,lost downstream of this capture point,ruled "
	"out,E19,It was never seen here before it was "
	"retransmitted.,all packets here are captured,1010" WHY_END
	"corrupted,\"corrupted, so that the receiver discarded it\",ruled"
	" out,E10,No corrupted frame with this PSN was seen.,corruption "
	"happens "
	"upstream," WHY_END
	"reordered_upstream,reordered upstream of this capture "
	"point,ruled out,E13,It was not reordered here.,," WHY_END
	"reordered_downstream,reordered downstream of this capture "
	"point,ruled out,E16,No packet of the flow was reordered.,a path "
	"that kept the order of all other packets of the flow keeps it," WHY_END
	"response_lost_upstream,a response was lost upstream of this "
	"capture point,ruled out,E6,It is not a READ or ATOMIC whose "
	"response was missing.,," WHY_END
	"response_lost_downstream,a response was lost downstream of this "
	"capture point,ruled out,E6,It is not a READ or ATOMIC whose "
	"response was missing.,," WHY_END
	"ack_lost,\"the data had arrived, the ACK was lost\",ruled "
	"out,E25,A NAK named it: it had not arrived then.,a receiver "
	"sends a NAK only for what it lacks,1000" WHY_END
	"spurious_timer,\"the data had arrived, the ACK was slower than the "
	"RTO\",ruled out,E25,A NAK named it: it had not arrived "
	"then.,a receiver sends a NAK only for what it lacks,1000" WHY_END
	"ack_not_requested,\"the data had arrived, and its sender waited for "
	"an ACK that it had not requested\",ruled out,E25,A NAK named it: it "
	"had not arrived then.,a receiver sends a NAK only for what it "
	"lacks,1000" WHY_END
	"receiver_not_ready,\"the receiver had no receive WQE, or no other "
	"resource for it\",ruled out,E2,No RNR NAK named it.,RNR NAKs are "
	"captured," WHY_END
	"same_nak,the receiver repeated a NAK,ruled out,E4,No NAK was "
	"repeated.,," WHY_END
	"new_connection,a new connection on the same QP numbers and PSNs,ruled "
	"out,E38,\"MSN, PSNs and ACKs continue those of this "
	"connection.\",," WHY_END
	"sender_idle,the sender was not scheduled inside its replay,ruled"
	" out,E35,The sender did not stop inside its replay.,," WHY_END
	"trimmed_upstream,trimmed by a switch upstream of this capture "
	"point,ruled out,F4,\"" UNTRIMMED WHY_END
	"trimmed_downstream,trimmed by a switch downstream of this capture "
	"point,ruled out,F23,No NACK said that it arrived trimmed.,\"a "
	"receiver sends a NACK for each trimmed packet, and it is "
	"captured\"," WHY_END
	"too_early,\"an ordered receiver discarded it, because an earlier "
	"packet was missing\",ruled out,F6,It does not follow a packet that "
	"an ordered receiver missed.,," WHY_LAST;

static void why_is_told(void **state)
{
	struct fact_recovery r = recovery(1, CAUSE_LOSS_UPSTREAM, TRIGGER_NAK);
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	const char *const one[] = { "recovery=1", NULL };
	const char *const two[] = { "recovery=2", NULL };
	struct lab l;
	char *have;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	r.frame_detect = 1000;
	r.frame_first = 1010;
	r.evidence = V(BY_NAK) | V(NAKED) | V(FILLED);
	r.remaining = H(LOST_UP) | H(NOT_CAPTURED);
	hand_recovery(&l, r);
	r.evidence = r.remaining = 0;
	hand_recovery(&l, r);
	lab_reopen(&l);
	have = lab_ask(&l, "why", one);
	assert_string_equal(strchr(have, '\n') + 1, WHY_ROWS);
	free(have);
	have = lab_ask(&l, "why", two);
	assert_string_equal(strchr(have, '\n') + 1, "");
	free(have);
	lab_end(&l);
}

/* Says the row of |hypothesis| so? */
static void says(const char *have, const char *hypothesis, const char *verdict,
		 const char *rule)
{
	const char *row = strstr(have, hypothesis), *at;
	char want[64];

	assert_non_null(row);
	row++;
	snprintf(want, sizeof want, ",%s,%s", verdict, rule);
	at = strstr(row, want);
	assert_non_null(at);
	assert_true(at < strchr(row, '\n'));
}

/* Ultra Ethernet: it passed, and a SACK missed it; by hand, too. */
static void why_is_told_of_ultra_ethernet(void **state)
{
	struct fact_recovery r =
		recovery(1, CAUSE_LOSS_DOWNSTREAM, TRIGGER_IMPLIED_NAK);
	struct fact_flow f = good_flow(1, 1, 2, 0x11);
	const char *const one[] = { "recovery=1", NULL };
	struct lab l;
	char *have;

	(void)state;
	f.transport = FLOW_UET_RUD;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	r.evidence = V(UET) | V(SEEN) | V(SACK_HOLE);
	r.remaining = H(LOST_DOWN);
	hand_recovery(&l, r);
	lab_reopen(&l);
	have = lab_ask(&l, "why", one);
	says(have, ",lost_downstream", "remains", ",");
	says(have, ",lost_upstream", "ruled out", "E18");
	says(have, ",reordered_downstream", "ruled out", "F17");
	says(have, ",not_captured", "ruled out", "F9");
	says(have, ",ack_lost", "ruled out", "F18");
	says(have, ",receiver_not_ready", "ruled out", "E2");
	says(have, ",trimmed_downstream", "ruled out", "F23");
	says(have, ",too_early", "ruled out", "F6");
	assert_non_null(
		strstr(have, "No NACK for lack of resources named it."));
	assert_non_null(strstr(have, "the receiver repeated a NACK"));
	assert_null(strstr(have, " NAK"));
	free(have);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(why_is_told),
		cmocka_unit_test(why_is_told_of_ultra_ethernet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

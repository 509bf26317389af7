/* SPDX-License-Identifier: GPL-2.0-or-later
 * Marks, CNPs and what senders make of them: section 4 of
 * reference/rocev2-and-analysis-rules.md, told by hand.  Packets of 1098
 * octets every 10 us are 878.4 Mb/s. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scene.h"

static const struct fact_congestion *congestion_of(const struct record *r,
						   const struct pair *p)
{
	const struct fact_flow *f = flow_of(r, p);

	for (size_t i = 0; i < r->n_congestions; i++)
		if (r->congestions[i].flow == f->id)
			return &r->congestions[i];
	fail_msg("no congestion of that flow");
	return NULL;
}

/* The CNP at |ns|; rows come when they are judged. */
static const struct fact_cnp *cnp_at(const struct record *r, int64_t ns)
{
	for (size_t i = 0; i < r->n_cnps; i++)
		if (r->cnps[i].ns == ns)
			return &r->cnps[i];
	fail_msg("no CNP then");
	return NULL;
}

/* |n| packets from |psn|, one every |step|, acknowledged as they go. */
static uint32_t stream(struct pair *p, uint32_t psn, uint32_t n, int64_t step)
{
	struct scene *s = p->scene;

	s->step = step;
	for (uint32_t i = 0; i < n; i++)
		DATA(p, psn + i);
	s->step = STEP;
	return psn + n;
}

static void paired(struct pair *p)
{
	struct scene *s = p->scene;

	for (uint32_t psn = 1; psn <= 30; psn++)
		DATA(p, psn);
	pause_ns(s, REACT);
	ack(p, 30);
}

/* ---- 4.4: latency ---- */

static void latency_of_a_lone_mark_is_known(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	paired(&p);
	DATA(&p, 31);
	mark(s);
	pause_ns(s, 25 * US);
	cnp(&p);

	struct record *r = scene_run(s, NULL);
	const struct fact_cnp *c = cnp_at(r, s->now);

	EXPECT_CLEAN(r);
	assert_int_equal(c->flow, flow_of(r, &p)->id);
	assert_int_equal(c->attribution, ATTRIBUTED_PAIR);
	assert_int_equal(c->latency_min_ns, 35 * US);
	assert_int_equal(c->latency_max_ns, 35 * US);
	assert_true(c->clean);
	assert_int_equal(c->marks, 1);
	assert_int_equal(congestion_of(r, &p)->unexplained, 0);
}

static void several_marks_give_two_bounds(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	paired(&p);
	for (uint32_t psn = 31; psn <= 33; psn++) {
		DATA(&p, psn);
		mark(s);
	}
	pause_ns(s, 40 * US);
	cnp(&p);

	struct record *r = scene_run(s, NULL);
	const struct fact_cnp *c = cnp_at(r, s->now);

	assert_int_equal(c->latency_min_ns, 50 * US);
	assert_int_equal(c->latency_max_ns, 70 * US);
	assert_int_equal(c->marks, 3);
}

/* ACKs take 50 us here, but a receiver may hold them back where it notifies at
 * once: that they do is no proof that the second mark is not meant. */
static void a_young_mark_may_be_meant(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	paired(&p);
	DATA(&p, 31);
	mark(s);
	pause_ns(s, 30 * US);
	DATA(&p, 32);
	mark(s);
	s->step = 2 * US;
	cnp(&p);

	struct record *r = scene_run(s, NULL);
	const struct fact_cnp *c = cnp_at(r, s->now);

	assert_int_equal(c->latency_min_ns, 2 * US);
	assert_int_equal(c->latency_max_ns, 42 * US);
}

static void the_next_cnp_answers_later_marks(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	paired(&p);
	DATA(&p, 31);
	mark(s);
	pause_ns(s, 30 * US);
	cnp(&p);
	pause_ns(s, 200 * US);
	DATA(&p, 32);
	mark(s);
	pause_ns(s, 30 * US);
	cnp(&p);

	struct record *r = scene_run(s, NULL);
	const struct fact_cnp *c = cnp_at(r, s->now);

	assert_int_equal(c->latency_min_ns, 40 * US);
	assert_int_equal(c->latency_max_ns, 40 * US);
	/* 240 us after a CNP the receiver may still be pacing */
	assert_false(c->clean);
}

/* ---- 4.1: whom ---- */

static void marked_answers_throttle_the_responder(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s), back = pair_reversed(&p);

	read_request(&p, 1, 30);
	pause_ns(s, REACT);
	for (uint32_t k = 0; k < 30; k++)
		read_response(&p, 1, 30, k);
	mark(s);
	pause_ns(s, 30 * US);
	cnp(&back); /* from a, who reads, to b, who sends */

	struct record *r = scene_run(s, NULL);

	assert_int_equal(reverse_of(r, &p)->cnp, 1);
	assert_int_equal(flow_of(r, &p)->cnp, 0);
	assert_int_equal(cnp_at(r, s->now)->flow, reverse_of(r, &p)->id);
	assert_int_equal(cnp_at(r, s->now)->latency_max_ns, 40 * US);
}

static void before_the_pairing_it_is_held(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	p.sport_a = p.sport_b = 49152; /* says nothing */
	for (uint32_t psn = 1; psn <= 5; psn++)
		DATA(&p, psn);
	cnp(&p);
	const int64_t at = s->now;
	for (uint32_t psn = 6; psn <= 20; psn++) {
		DATA(&p, psn);
		pause_ns(s, REACT);
		ack(&p, psn);
	}

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &p)->cnp, 1);
	assert_int_equal(cnp_at(r, at)->flow, flow_of(r, &p)->id);
	assert_int_equal(cnp_at(r, at)->attribution, ATTRIBUTED_LATER);
	assert_int_equal(cnp_at(r, at)->latency_max_ns, FACT_UNKNOWN);
	assert_int_equal(events_of(r, EVENT_CNP_UNEXPLAINED), 0);
}

static void without_pairing_only_the_hosts_are_known(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	p.sport_a = p.sport_b = 49152;
	stream(&p, 1, 50, STEP);
	cnp(&p);

	struct record *r = scene_run(s, NULL);
	const struct fact_cnp *c = cnp_at(r, s->now);

	assert_int_equal(c->flow, 0);
	assert_int_equal(c->attribution, ATTRIBUTED_NOT);
	assert_true(addr_equal(c->src, host_addr(HOST_B)));
	assert_int_equal(c->qp, p.qa);
	assert_int_equal(TOTAL(r, cnp), 0);
}

/* ---- 4.2: what counts ---- */

static void only_data_counts_as_marked_data(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	DATA(&p, 1);
	last_packet(s)->tos = 2;
	DATA(&p, 2);
	last_packet(s)->tos = 0;
	DATA(&p, 3);
	mark(s);
	pause_ns(s, REACT);
	ack(&p, 3);
	mark(s);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &p)->ect_data, 1);
	assert_int_equal(flow_of(r, &p)->not_ect_data, 1);
	assert_int_equal(flow_of(r, &p)->ce_data, 1);
	assert_int_equal(reverse_of(r, &p)->ce, 1);
	assert_int_equal(reverse_of(r, &p)->ce_data, 0);
	assert_int_equal(r->n_congestions, 1);
}

static void a_cnp_copied_by_the_mirror_is_one(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	paired(&p);
	DATA(&p, 31);
	mark(s);
	pause_ns(s, 30 * US);
	cnp(&p);
	duplicate(s, 2 * US);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(flow_of(r, &p)->cnp, 1);
	assert_int_equal(r->n_cnps, 1);
	assert_int_equal(TOTAL(r, mirror_duplicates), 1);
}

/* ---- 4.5: CNPs without a mark ---- */

static const char *only_cause(const struct record *r)
{
	assert_int_equal(events_of(r, EVENT_CNP_UNEXPLAINED), 1);
	return first_event(r, EVENT_CNP_UNEXPLAINED)->detail;
}

static void unmarked_means_marked_behind(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint32_t psn = 31;

	paired(&p);
	for (int i = 0; i < 5; i++) {
		psn = stream(&p, psn, 10, STEP);
		cnp(&p);
	}

	struct record *r = scene_run(s, NULL);

	assert_true(names_rule(only_cause(r), "4.5-1:"));
	assert_int_equal(first_event(r, EVENT_CNP_UNEXPLAINED)->count, 5);
	assert_int_equal(congestion_of(r, &p)->unexplained, 5);
	assert_int_equal(r->cnps[0].latency_min_ns, FACT_UNKNOWN);
}

static void with_a_nak_it_is_for_the_loss(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	paired(&p);
	unseen(&p, 31);
	DATA(&p, 32, 33);
	pause_ns(s, REACT);
	s->step = 2 * US;
	nak(&p, 31);
	cnp(&p);
	s->step = STEP;
	pause_ns(s, REACT);
	DATA(&p, 31, 32, 33);
	pause_ns(s, REACT);
	ack(&p, 33);

	struct record *r = scene_run(s, NULL);

	assert_true(names_rule(only_cause(r), "4.5-3:"));
}

/* The same in the other order. */
static void just_before_a_nak_too(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	paired(&p);
	unseen(&p, 31);
	DATA(&p, 32, 33);
	pause_ns(s, REACT);
	s->step = 2 * US;
	cnp(&p);
	nak(&p, 31);
	s->step = STEP;
	pause_ns(s, REACT);
	DATA(&p, 31, 32, 33);
	pause_ns(s, REACT);
	ack(&p, 33);

	struct record *r = scene_run(s, NULL);

	assert_true(names_rule(only_cause(r), "4.5-3:"));
}

static void another_ttl_is_a_switch(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	paired(&p);
	DATA(&p, 31);
	cnp(&p);
	last_packet(s)->ttl = 255;

	struct record *r = scene_run(s, NULL);

	assert_true(names_rule(only_cause(r), "4.5-5:"));
}

static void to_a_silent_queue_pair_is_for_another(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);

	paired(&p);
	pause_ns(s, 50 * MS);
	cnp(&p);

	struct record *r = scene_run(s, NULL);

	assert_true(names_rule(only_cause(r), "4.5-6:"));
}

/* ---- 4.6, 4.7: reaction ---- */

static void half_the_rate_is_a_reaction(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint32_t psn;

	paired(&p);
	psn = stream(&p, 31, 200, STEP);
	cnp(&p);
	const int64_t at = s->now;
	stream(&p, psn, 200, 2 * STEP);

	struct record *r = scene_run(s, NULL);
	const struct fact_cnp *c = cnp_at(r, at);

	assert_int_equal(c->reaction, REACTION_REACTED);
	assert_int_equal(c->rate_before_bps, 878400000);
	assert_int_equal(c->rate_after_bps, 439200000);
	assert_int_equal(c->window_before_ns, 960 * US);
	assert_int_equal(c->window_after_ns, 1920 * US);
	assert_int_equal(congestion_of(r, &p)->reacted, 1);
	assert_int_equal(congestion_of(r, &p)->ignored, 0);
}

/* Every 50 us a CNP, and the sender goes on as before. */
static void many_cnps_without_effect_are_counted(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint32_t psn;

	paired(&p);
	psn = stream(&p, 31, 200, 4 * US);
	for (int i = 0; i < 100; i++) {
		psn = stream(&p, psn, 12, 4 * US);
		s->step = 2 * US;
		cnp(&p);
		s->now -= 2 * US;
	}
	stream(&p, psn, 200, 4 * US);

	struct record *r = scene_run(s, NULL);
	const struct fact_congestion *c = congestion_of(r, &p);

	assert_int_equal(c->cnps, 100);
	assert_int_equal(c->reacted, 0);
	assert_true(c->not_reacted >= 10);
	assert_int_equal(c->ignored, 100);
}

/* The same behind the place that marks, beside another flow: what passes is
 * what the queue lets through. */
static void behind_the_marking_nothing_is_proved(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s), q = pair(s, HOST_A, HOST_B, 0x21, 0x22);

	paired(&p);
	paired(&q);
	for (uint32_t psn = 31; psn < 1500; psn++) {
		s->step = 2 * US;
		DATA(&p, psn);
		mark(s);
		DATA(&q, psn);
		if (psn > 200 && psn < 1300 && psn % 12 == 0) {
			cnp(&p);
			s->now -= 2 * US;
		}
	}

	struct record *r = scene_run(s, NULL);
	const struct fact_congestion *c = congestion_of(r, &p);

	assert_int_equal(c->ignored, 0);
	assert_int_equal(c->not_reacted, 0);
	assert_true(c->shared);
}

static void a_sender_that_rests_is_not_judged(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint32_t psn;

	paired(&p);
	psn = stream(&p, 31, 200, STEP);
	cnp(&p);
	const int64_t at = s->now;
	psn = stream(&p, psn, 50, STEP);
	pause_ns(s, 5 * MS);
	stream(&p, psn, 100, STEP);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(cnp_at(r, at)->reaction, REACTION_INCONCLUSIVE);
}

static void nor_is_one_that_recovers(void **state)
{
	struct scene *s = *state;
	struct pair p = usual(s);
	uint32_t psn;

	paired(&p);
	psn = stream(&p, 31, 200, STEP);
	cnp(&p);
	const int64_t at = s->now;
	psn = stream(&p, psn, 20, STEP);
	unseen(&p, psn);
	stream(&p, psn + 1, 4, STEP);
	nak(&p, psn);
	pause_ns(s, REACT);
	stream(&p, psn, 150, STEP);

	struct record *r = scene_run(s, NULL);

	assert_int_equal(cnp_at(r, at)->reaction, REACTION_INCONCLUSIVE);
}

/* ---- 4.3: pacing ---- */

static const struct fact_pacing *scope_of(const struct record *r,
					  enum pacing_scope scope)
{
	for (size_t i = 0; i < r->n_pacings; i++)
		if (r->pacings[i].scope == scope && r->pacings[i].cnps)
			return &r->pacings[i];
	fail_msg("no such scope");
	return NULL;
}

/* Two hosts, two queue pairs each; always 50 us from CNP to CNP. */
static void one_interval_for_all_is_the_port(void **state)
{
	struct scene *s = *state;
	struct pair p[] = { pair(s, HOST_A, HOST_B, 0x11, 0x12),
			    pair(s, HOST_C, HOST_B, 0x13, 0x14),
			    pair(s, HOST_A, HOST_B, 0x15, 0x16),
			    pair(s, HOST_C, HOST_B, 0x17, 0x18) };
	uint32_t psn[] = { 31, 31, 31, 31 };

	for (int i = 0; i < 4; i++)
		paired(&p[i]);
	for (unsigned i = 0; i < 200; i++) {
		unsigned k = i * 7 % 4;

		s->step = 10 * US;
		for (int j = 0; j < 4; j++) {
			DATA(&p[j], psn[j]++);
			mark(s);
		}
		cnp(&p[k]);
	}

	struct record *r = scene_run(s, NULL);

	assert_true(scope_of(r, PACING_PORT)->inferred);
	assert_false(scope_of(r, PACING_PAIR)->inferred);
	assert_false(scope_of(r, PACING_QP)->inferred);
	assert_int_equal(scope_of(r, PACING_PORT)->gap_min_ns, 50 * US);
	assert_int_equal(scope_of(r, PACING_PORT)->gap_p1_ns, 50 * US);
	assert_int_equal(scope_of(r, PACING_QP)->entities, 4);
	assert_int_equal(scope_of(r, PACING_PAIR)->entities, 2);
}

/* Each at its own 50 us: between those of different ones there is no floor. */
static void an_interval_for_each_is_the_queue_pair(void **state)
{
	struct scene *s = *state;
	struct pair p[] = { pair(s, HOST_A, HOST_B, 0x11, 0x12),
			    pair(s, HOST_A, HOST_B, 0x13, 0x14),
			    pair(s, HOST_C, HOST_B, 0x15, 0x16) };
	uint32_t psn[] = { 31, 31, 31 };

	for (int i = 0; i < 3; i++)
		paired(&p[i]);
	s->step = 300;
	for (int i = 0; i < 100; i++) {
		for (int j = 0; j < 3; j++) {
			DATA(&p[j], psn[j]++);
			mark(s);
		}
		for (int j = 0; j < 3; j++)
			cnp(&p[(j + i) % 3]);
		pause_ns(s, 50 * US - 6 * 300);
	}

	struct record *r = scene_run(s, NULL);

	assert_true(scope_of(r, PACING_QP)->inferred);
	assert_false(scope_of(r, PACING_PORT)->inferred);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(latency_of_a_lone_mark_is_known),
		SCENE_TEST(several_marks_give_two_bounds),
		SCENE_TEST(a_young_mark_may_be_meant),
		SCENE_TEST(the_next_cnp_answers_later_marks),
		SCENE_TEST(marked_answers_throttle_the_responder),
		SCENE_TEST(before_the_pairing_it_is_held),
		SCENE_TEST(without_pairing_only_the_hosts_are_known),
		SCENE_TEST(only_data_counts_as_marked_data),
		SCENE_TEST(a_cnp_copied_by_the_mirror_is_one),
		SCENE_TEST(unmarked_means_marked_behind),
		SCENE_TEST(with_a_nak_it_is_for_the_loss),
		SCENE_TEST(just_before_a_nak_too),
		SCENE_TEST(another_ttl_is_a_switch),
		SCENE_TEST(to_a_silent_queue_pair_is_for_another),
		SCENE_TEST(half_the_rate_is_a_reaction),
		SCENE_TEST(many_cnps_without_effect_are_counted),
		SCENE_TEST(behind_the_marking_nothing_is_proved),
		SCENE_TEST(a_sender_that_rests_is_not_judged),
		SCENE_TEST(nor_is_one_that_recovers),
		SCENE_TEST(one_interval_for_all_is_the_port),
		SCENE_TEST(an_interval_for_each_is_the_queue_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

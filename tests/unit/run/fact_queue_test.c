/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts put by come back as they were; and was the clock set? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run/clockwatch.h"
#include "run/fact_queue.h"

struct seen {
	char order[64];
	struct fact_event event;
	struct fact_lldp lldp;
	char chassis[32], uec[32];
	bool no_port;
};

static void on_event(void *ctx, const struct fact_event *f)
{
	struct seen *s = ctx;

	strcat(s->order, "e");
	s->event = *f;
}

static void on_flow(void *ctx, const struct fact_flow *f)
{
	struct seen *s = ctx;

	strcat(s->order, f->id == 7 ? "f" : "?");
}

static void on_lldp(void *ctx, const struct fact_lldp *f)
{
	struct seen *s = ctx;

	strcat(s->order, "l");
	s->lldp = *f;
	strcpy(s->chassis, f->chassis);
	strcpy(s->uec, f->uec);
	s->no_port = !f->port;
}

static struct flow_sink into(struct seen *s)
{
	return (struct flow_sink) {
		.ctx = s, .event = on_event, .flow = on_flow, .lldp = on_lldp
	};
}

static void capped(void *ctx, const char *table, uint64_t n)
{
	*(uint64_t *)ctx += strcmp(table, "event") ? 0 : n;
}

static void facts_come_back(void **state)
{
	struct seen s = { .order = "" };
	struct flow_sink to = into(&s), from;
	uint64_t n = 0;
	struct fact_queue t;
	size_t half;

	(void)state;
	fact_queue_init(&t, 1 << 20);
	t.capped = capped;
	t.ctx = &n;
	from = fact_queue_sink(&t);
	from.flow(from.ctx, &(struct fact_flow) { .id = 7 });
	half = t.n;
	from.event(from.ctx, &(struct fact_event) { .ns = 5, .psn = 9 });
	{
		char chassis[] = "leaf1", uec[] = "0102";

		from.lldp(from.ctx, &(struct fact_lldp) { .chassis = chassis,
							  .uec = uec,
							  .frames = 3 });
		memset(chassis, 'x', sizeof chassis - 1);
		memset(uec, 'x', sizeof uec - 1);
	}
	from.capped(from.ctx, "event", 4);
	fact_queue_play(&t, 0, &to);
	assert_string_equal(s.order, "fel");
	assert_int_equal(s.event.ns, 5);
	assert_int_equal(s.event.psn, 9);
	assert_string_equal(s.chassis, "leaf1");
	assert_string_equal(s.uec, "0102");
	assert_true(s.no_port);
	assert_int_equal(s.lldp.frames, 3);
	assert_int_equal(n, 4);
	*s.order = 0;
	fact_queue_play(&t, half, &to);
	assert_string_equal(s.order, "el");
	*s.order = 0;
	fact_queue_cut(&t, half);
	fact_queue_play(&t, 0, &to);
	assert_string_equal(s.order, "el");
	fact_queue_fini(&t);
}

static void it_is_bounded(void **state)
{
	struct flow_sink from;
	struct fact_queue t;

	(void)state;
	fact_queue_init(&t, 1 << 17);
	from = fact_queue_sink(&t);
	for (int i = 0; i < 100000; i++)
		from.event(from.ctx, &(struct fact_event) { .ns = i });
	assert_in_range(t.n, (1 << 17) - 200, 1 << 17);
	assert_in_range(t.room, 0, 1 << 17);
	assert_true(t.lost > 90000);
	fact_queue_fini(&t);
}

static void a_step_is_told_from_steering(void **state)
{
	const int64_t s = 1000000000;
	struct clockwatch c = { 0 };

	(void)state;
	assert_int_equal(clockwatch_look(&c, 1000 * s, 10 * s), 0);
	/* 500 parts in a million for a minute */
	for (int i = 1; i <= 60; i++)
		assert_int_equal(clockwatch_look(&c,
						 (1000 + i) * s + i * 500000,
						 (10 + i) * s),
				 0);
	assert_int_equal(clockwatch_look(&c, 5000 * s, 71 * s),
			 5000 * s - (1061 * s + 60 * 500000));
	assert_int_equal(clockwatch_look(&c, 5001 * s, 72 * s), 0);
	clockwatch_steer(&c, 4000 * s, 73 * s);
	assert_int_equal(clockwatch_look(&c, 4001 * s, 74 * s), -1002 * s);
	/* an hour of it, seen now and then only */
	for (int i = 1; i <= 3600; i++)
		clockwatch_steer(&c, (4001 + i) * s + i * 500000, (74 + i) * s);
	assert_int_equal(
		clockwatch_look(&c, 7602 * s + 3601 * 500000, 3675 * s), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_come_back),
		cmocka_unit_test(it_is_bounded),
		cmocka_unit_test(a_step_is_told_from_steering),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

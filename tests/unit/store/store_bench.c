/* SPDX-License-Identifier: GPL-2.0-or-later
 * What writing costs: rows per second of each kind, and the verdicts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lab.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void report(const char *what, double start, double rows)
{
	double s = now() - start;

	printf("%-10s %8.0f rows %6.3f s %6.2f million/s\n", what, rows, s,
	       rows / s / 1e6);
}

static void write_events(struct lab *l, uint32_t n, uint32_t flows)
{
	struct fact_event e = {
		.kind = EVENT_LOSS_UPSTREAM,
		.value = FACT_UNKNOWN,
		.confidence = 0.95,
		.detail = "R3",
	};
	double start = now();

	for (uint32_t i = 0; i < n; i++) {
		e.ns = T0 + i * 1000;
		e.frame = i + 1;
		e.flow = i % flows + 1;
		e.psn = i & 0xffffff;
		l->sink.event(l->sink.ctx, &e);
	}
	report("event", start, n);
}

static void write_recoveries(struct lab *l, uint32_t n, uint32_t flows)
{
	struct fact_recovery r = {
		.trigger = TRIGGER_NAK,
		.cause = CAUSE_LOSS_UPSTREAM,
		.lost_min = 1,
		.lost_max = 1,
		.confidence = 0.9,
		.rule = "R3",
	};
	double start = now();

	for (uint32_t i = 0; i < n; i++) {
		r.flow = i % flows + 1;
		r.first_ns = T0 + i * 1000;
		r.last_ns = r.first_ns + 50 * US;
		r.frame_detect = i + 1;
		l->sink.recovery(l->sink.ctx, &r);
	}
	report("recovery", start, n);
}

static void write_flows(struct lab *l, uint32_t n)
{
	double start = now();

	for (uint32_t i = 0; i < n; i++) {
		struct fact_flow f = good_flow(i + 1, (uint8_t)(i % 200),
					       (uint8_t)(i / 200 % 200), i);

		f.lost_upstream = i % 2;
		f.recoveries = i % 2;
		l->sink.flow(l->sink.ctx, &f);
	}
	report("flow", start, n);
}

int main(int argc, char **argv)
{
	uint32_t events = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000000;
	uint32_t flows = argc > 2 ? (uint32_t)atoi(argv[2]) : 100000;
	uint32_t recoveries = argc > 3 ? (uint32_t)atoi(argv[3]) : 100000;
	struct lab l;
	double start;

	lab_begin(&l);
	lab_one_tap(&l);
	if (events)
		write_events(&l, events, flows);
	if (recoveries)
		write_recoveries(&l, recoveries, flows);
	write_flows(&l, flows);
	start = now();
	if (store_commit(l.s, &l.err))
		printf("%s\n", l.err.text);
	printf("commit %.3f s\n", now() - start);
	lab_end(&l);
	return 0;
}

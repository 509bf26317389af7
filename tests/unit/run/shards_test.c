/* SPDX-License-Identifier: GPL-2.0-or-later
 * A capture followed by several engines and merged: the same facts, in the same
 * order, as of one engine; or it says that it cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "run/fact_queue.h"
#include "run/frame.h"
#include "run/shards.h"
#include "simulate/simulate.h"

enum { PACKETS = 60000 };

static char folder[] = "fabscope-shards-XXXXXX", path[64];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/x.pcap", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static void bench(struct bench_job job)
{
	struct err err = { 0 };

	unlink(path);
	job.out = path;
	job.packets = PACKETS;
	job.per_host = 4;
	job.snaplen = 128;
	job.taps = 1;
	if (bench_run(&job, &err))
		fail_msg("%s", err.text);
}

static struct capture *open_capture(const struct capture_keeper *keeper)
{
	const struct capture_options how = { .keeper = keeper };
	struct err err = { 0 };
	struct capture *c = capture_open(
		&(struct capture_input) { .path = path }, 1, &how, &err);

	assert_non_null(c);
	return c;
}

/* Facts as one engine hands them out. */
static struct fact_queue of_one(void)
{
	struct engine_counts before = { 0 }, now;
	struct capture *c = open_capture(NULL);
	struct fact_queue q;
	struct flow_sink sink;
	const struct frame *f;
	uint64_t order = 0;
	struct engine *e;
	struct err err;
	int n;

	fact_queue_init(&q, SIZE_MAX / 2);
	sink = fact_queue_sink(&q);
	e = engine_new(NULL, &sink);
	assert_non_null(e);
	engine_tick(e, before);
	while ((n = capture_next(c, &f, &err)) > 0)
		for (int i = 0; i < n; i++) {
			struct engine_frame frame = frame_of(&f[i]);

			frame.order = ++order;
			if (shards_tick_at(order)) {
				engine_flush(e);
				now = engine_counts(e);
				engine_tick(e, before);
				before = now;
			}
			engine_frame(e, &decode_defaults, &frame);
			engine_flush(e);
		}
	engine_finish(e);
	engine_free(e);
	capture_free(c);
	return q;
}

/* Likewise as |n| do; false: they cannot be merged. */
static bool of_several(unsigned n, struct fact_queue *q)
{
	struct capture_keeper keeper = { 0 };
	struct capture *c = open_capture(&keeper);
	struct shards *s =
		shards_new(n, &(struct engine_options) { 0 }, &decode_defaults);
	struct flow_sink sink;
	const struct frame *f;
	uint64_t order = 1;
	struct engine *e;
	struct err err;
	int frames;

	assert_non_null(s);
	assert_true(capture_keeps(c));
	keeper = shards_keeper(s);
	while ((frames = capture_next(c, &f, &err)) > 0) {
		shards_feed(s, f, (size_t)frames, order);
		order += (uint64_t)frames;
	}
	fact_queue_init(q, SIZE_MAX / 2);
	sink = fact_queue_sink(q);
	e = shards_merge(s, &sink);
	shards_free(s);
	capture_free(c);
	if (!e)
		return false;
	engine_finish(e);
	engine_free(e);
	return true;
}

/* Every number of a fact but texts, which are the same static ones. */
struct text {
	char *at;
	size_t n;
};

static void on_flow(void *ctx, const struct fact_flow *f)
{
	fprintf(ctx, "flow %u %u %u %jd %jd %ju %ju %jd %jd %jd %jd %jd %jd\n",
		f->id, f->peer, f->tap, (intmax_t)f->first_ns,
		(intmax_t)f->last_ns, (uintmax_t)f->packets,
		(uintmax_t)f->messages, (intmax_t)f->lost_upstream,
		(intmax_t)f->lost_downstream_min, (intmax_t)f->retransmitted,
		(intmax_t)f->timeouts, (intmax_t)f->recovery_ns,
		(intmax_t)f->latency_max_ns);
}

static void on_event(void *ctx, const struct fact_event *f)
{
	fprintf(ctx, "event %jd %ju %u %d %u %u %jd %f %s\n", (intmax_t)f->ns,
		(uintmax_t)f->frame, f->flow, f->kind, f->psn, f->count,
		(intmax_t)f->value, f->confidence, f->detail ? f->detail : "");
}

static void on_message(void *ctx, const struct fact_message *f)
{
	fprintf(ctx, "message %u %d %d %jd %jd %ju\n", f->flow, f->op,
		f->status, (intmax_t)f->first_ns, (intmax_t)f->completed_ns,
		(uintmax_t)f->bytes);
}

static void on_recovery(void *ctx, const struct fact_recovery *f)
{
	fprintf(ctx, "recovery %u %d %d %u %u %u %jd %jx %s\n", f->flow,
		f->trigger, f->cause, f->psn, f->lost_min, f->lost_max,
		(intmax_t)f->last_ns, (uintmax_t)f->evidence,
		f->rule ? f->rule : "");
}

static void on_bin(void *ctx, const struct fact_bin *f)
{
	fprintf(ctx, "bin %d %u %jd %jd %ju %ju\n", f->scope, f->scope_id,
		(intmax_t)f->start_ns, (intmax_t)f->width_ns,
		(uintmax_t)f->packets, (uintmax_t)f->bytes);
}

static void on_burst(void *ctx, const struct fact_burst *f)
{
	fprintf(ctx, "burst %u %d %jd %jd %ju %ju %jd\n", f->flow, f->inside,
		(intmax_t)f->first_ns, (intmax_t)f->last_ns,
		(uintmax_t)f->bytes, (uintmax_t)f->psns, (intmax_t)f->acked_ns);
}

static void on_latency(void *ctx, const struct fact_latency *f)
{
	fprintf(ctx, "latency %u %d %jd %jd %ju\n", f->tap, f->op,
		(intmax_t)f->bytes_from, (intmax_t)f->from_ns,
		(uintmax_t)f->count);
}

static void on_tap(void *ctx, const struct fact_tap *f)
{
	fprintf(ctx, "tap %ju %ju %ju %ju %ju %d\n", (uintmax_t)f->packets,
		(uintmax_t)f->ect, (uintmax_t)f->ce,
		(uintmax_t)f->holes_asked_for, (uintmax_t)f->holes_missing,
		f->nic_sniffer);
}

static struct text text_of(struct fact_queue *q)
{
	struct text t = { 0 };
	FILE *out = open_memstream(&t.at, &t.n);
	const struct flow_sink sink = {
		.ctx = out,
		.flow = on_flow,
		.event = on_event,
		.message = on_message,
		.recovery = on_recovery,
		.bin = on_bin,
		.burst = on_burst,
		.latency = on_latency,
		.tap = on_tap,
	};

	assert_non_null(out);
	fact_queue_play(q, 0, &sink);
	fclose(out);
	fact_queue_fini(q);
	return t;
}

static void check_same(struct bench_job job)
{
	static const unsigned numbers[] = { 1, 2, 3, 7, 16 };
	struct fact_queue q;
	struct text one, several;

	bench(job);
	q = of_one();
	one = text_of(&q);
	assert_true(one.n > 10000);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		assert_true(of_several(numbers[i], &q));
		several = text_of(&q);
		assert_int_equal(several.n, one.n);
		assert_memory_equal(several.at, one.at, one.n);
		free(several.at);
	}
	free(one.at);
}

static void check_alone(struct bench_job job)
{
	struct fact_queue q;

	bench(job);
	assert_false(of_several(3, &q));
	fact_queue_fini(&q);
}

static void nothing_wrong(void **state)
{
	(void)state;
	check_same((struct bench_job) { .pairs = 96, .seed = 5 });
}

static void lost_and_reordered(void **state)
{
	(void)state;
	check_same((struct bench_job) {
		.pairs = 512, .seed = 6, .loss = 0.003, .reorder = 0.002 });
	check_same((struct bench_job) {
		.pairs = 40, .seed = 7, .loss = 0.02, .message = 3 });
}

/* Marks and pauses concern more than two hosts, Ultra Ethernet shares tables.
 */
static void what_concerns_others(void **state)
{
	(void)state;
	check_alone((struct bench_job) { .pairs = 96, .mark = 0.01 });
	check_alone((struct bench_job) { .pairs = 96, .pause = 0.001 });
	check_alone((struct bench_job) { .pairs = 96, .uet = true });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_wrong),
		cmocka_unit_test(lost_and_reordered),
		cmocka_unit_test(what_concerns_others),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The sink that remembers every fact, and the questions tests ask of it. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow/core/flow.h"
#include "scene.h"

static void digest_bytes(struct record *r, const void *data, size_t n)
{
	const uint8_t *byte = data;

	for (size_t i = 0; i < n; i++)
		r->digest = (r->digest ^ byte[i]) * 1099511628211u;
}

static void digest_text(struct record *r, const char *text)
{
	if (text)
		digest_bytes(r, text, strlen(text) + 1);
}

/* Field by field: padding is nobody's fact. */
#define DIGEST(r, field) digest_bytes(r, &(field), sizeof(field))

/* Room for twice as many whenever their number is a power of two. */
static void *room_for(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	array = realloc(array, (count ? 2 * count : 1) * size);
	assert_non_null(array);
	return array;
}

#define REMEMBER(r, array, count, fact)                                       \
	do {                                                                  \
		(r)->array =                                                  \
			room_for((r)->array, (r)->count, sizeof *(r)->array); \
		(r)->array[(r)->count++] = *(fact);                           \
	} while (0)

static void on_event(void *ctx, const struct fact_event *f)
{
	struct record *r = ctx;

	REMEMBER(r, events, n_events, f);
	DIGEST(r, f->ns);
	DIGEST(r, f->frame);
	DIGEST(r, f->tap);
	DIGEST(r, f->flow);
	DIGEST(r, f->kind);
	DIGEST(r, f->psn);
	DIGEST(r, f->count);
	DIGEST(r, f->value);
	DIGEST(r, f->confidence);
	digest_text(r, f->detail);
}

static void on_latency(void *ctx, const struct fact_latency *f)
{
	struct record *r = ctx;

	REMEMBER(r, latencies, n_latencies, f);
	DIGEST(r, f->segment);
	DIGEST(r, f->tap);
	DIGEST(r, f->transport);
	DIGEST(r, f->op);
	DIGEST(r, f->bytes_from);
	DIGEST(r, f->from_ns);
	DIGEST(r, f->to_ns);
	DIGEST(r, f->count);
}

static void on_message(void *ctx, const struct fact_message *f)
{
	struct record *r = ctx;

	REMEMBER(r, messages, n_messages, f);
	DIGEST(r, f->flow);
	DIGEST(r, f->op);
	DIGEST(r, f->status);
	DIGEST(r, f->first_ns);
	DIGEST(r, f->last_ns);
	DIGEST(r, f->completed_ns);
	DIGEST(r, f->bytes);
	DIGEST(r, f->psn_first);
	DIGEST(r, f->psn_last);
}

static void on_recovery(void *ctx, const struct fact_recovery *f)
{
	struct record *r = ctx;

	REMEMBER(r, recoveries, n_recoveries, f);
	DIGEST(r, f->flow);
	DIGEST(r, f->trigger);
	DIGEST(r, f->cause);
	DIGEST(r, f->psn);
	DIGEST(r, f->lost_min);
	DIGEST(r, f->lost_max);
	DIGEST(r, f->first_ns);
	DIGEST(r, f->detect_ns);
	DIGEST(r, f->resend_ns);
	DIGEST(r, f->last_ns);
	DIGEST(r, f->frame_first);
	DIGEST(r, f->frame_last);
	DIGEST(r, f->retransmitted_packets);
	DIGEST(r, f->retransmitted_bytes);
	digest_text(r, f->rule);
}

static void on_flow(void *ctx, const struct fact_flow *f)
{
	struct record *r = ctx;

	REMEMBER(r, flows, n_flows, f);
	DIGEST(r, f->id);
	DIGEST(r, f->peer);
	DIGEST(r, f->transport);
	DIGEST(r, f->src);
	DIGEST(r, f->dst);
	DIGEST(r, f->dst_qp);
	DIGEST(r, f->src_qp);
	DIGEST(r, f->epoch);
	DIGEST(r, f->pairing);
	DIGEST(r, f->visibility);
	DIGEST(r, f->recovery);
	DIGEST(r, f->spray_suspect);
	DIGEST(r, f->first_ns);
	DIGEST(r, f->last_ns);
	/* from here on one row of 64-bit counters without padding */
	digest_bytes(r, &f->packets,
		     sizeof *f - offsetof(struct fact_flow, packets));
}

static void on_bin(void *ctx, const struct fact_bin *f)
{
	struct record *r = ctx;

	REMEMBER(r, bins, n_bins, f);
	DIGEST(r, f->scope);
	DIGEST(r, f->scope_id);
	DIGEST(r, f->start_ns);
	DIGEST(r, f->width_ns);
	DIGEST(r, f->packets);
	DIGEST(r, f->bytes);
	DIGEST(r, f->retransmitted);
}

static void on_cnp(void *ctx, const struct fact_cnp *f)
{
	struct record *r = ctx;

	REMEMBER(r, cnps, n_cnps, f);
	DIGEST(r, f->ns);
	DIGEST(r, f->flow);
	DIGEST(r, f->attribution);
	DIGEST(r, f->latency_min_ns);
	DIGEST(r, f->latency_max_ns);
	DIGEST(r, f->clean);
	DIGEST(r, f->rate_before_bps);
	DIGEST(r, f->rate_after_bps);
	DIGEST(r, f->reaction);
	digest_text(r, f->detail);
}

static void on_congestion(void *ctx, const struct fact_congestion *f)
{
	struct record *r = ctx;

	REMEMBER(r, congestions, n_congestions, f);
	DIGEST(r, f->flow);
	DIGEST(r, f->marks);
	DIGEST(r, f->cnps);
	DIGEST(r, f->ignored);
}

static void on_hop(void *ctx, const struct fact_hop *f)
{
	struct record *r = ctx;

	REMEMBER(r, hops, n_hops, f);
	DIGEST(r, f->flow);
	DIGEST(r, f->device);
	DIGEST(r, f->packets);
	DIGEST(r, f->lost);
	DIGEST(r, f->acked);
}

static void on_path(void *ctx, const struct fact_path *f)
{
	struct record *r = ctx;

	REMEMBER(r, paths, n_paths, f);
	DIGEST(r, f->flow);
	DIGEST(r, f->packets);
	DIGEST(r, f->lost);
}

static void on_telemetry_packet(void *ctx,
				const struct fact_telemetry_packet *f)
{
	struct record *r = ctx;

	REMEMBER(r, tolds, n_telemetry_packets, f);
	DIGEST(r, f->frame);
	DIGEST(r, f->fate);
	DIGEST(r, f->kept_ns);
}

static void on_telemetry_bin(void *ctx, const struct fact_telemetry_bin *f)
{
	struct record *r = ctx;

	REMEMBER(r, telemetry_bins, n_telemetry_bins, f);
	DIGEST(r, f->telemetry_id);
	DIGEST(r, f->value);
	DIGEST(r, f->packets);
}

static void on_burst(void *ctx, const struct fact_burst *f)
{
	struct record *r = ctx;

	REMEMBER(r, bursts, n_bursts, f);
	DIGEST(r, f->flow);
	DIGEST(r, f->first_ns);
	DIGEST(r, f->bytes);
}

static void on_stall(void *ctx, const struct fact_stall *f)
{
	struct record *r = ctx;

	REMEMBER(r, stalls, n_stalls, f);
	DIGEST(r, f->flow);
	DIGEST(r, f->first_ns);
	DIGEST(r, f->last_ns);
}

static void on_pacing(void *ctx, const struct fact_pacing *f)
{
	struct record *r = ctx;

	REMEMBER(r, pacings, n_pacings, f);
	DIGEST(r, f->scope);
	DIGEST(r, f->inferred);
	DIGEST(r, f->gap_p1_ns);
}

static void on_tap(void *ctx, const struct fact_tap *f)
{
	struct record *r = ctx;

	REMEMBER(r, taps, n_taps, f);
	DIGEST(r, f->packets);
	DIGEST(r, f->mirror_duplicates);
	DIGEST(r, f->icrc_bad);
}

static void on_cm(void *ctx, const struct fact_cm *f)
{
	struct record *r = ctx;

	REMEMBER(r, cms, n_cms, f);
	DIGEST(r, f->frame);
	DIGEST(r, f->qpn);
	DIGEST(r, f->psn);
}

static void on_cc_bin(void *ctx, const struct fact_cc_bin *f)
{
	struct record *r = ctx;

	REMEMBER(r, cc_bins, n_cc_bins, f);
}

static void on_pdc(void *ctx, const struct fact_pdc *f)
{
	struct record *r = ctx;

	REMEMBER(r, pdcs, n_pdcs, f);
	DIGEST(r, f->flow);
	DIGEST(r, f->state);
	DIGEST(r, f->acks);
	DIGEST(r, f->handshake_ns);
	DIGEST(r, f->late_behind);
	DIGEST(r, f->retx_unset);
}

static void on_nack(void *ctx, const struct fact_nack *f)
{
	struct record *r = ctx;

	REMEMBER(r, nacks, n_nacks, f);
	DIGEST(r, f->flow);
	DIGEST(r, f->code);
	DIGEST(r, f->count);
	DIGEST(r, f->retransmitted);
}

static void on_entropy(void *ctx, const struct fact_entropy *f)
{
	struct record *r = ctx;

	REMEMBER(r, entropies, n_entropies, f);
	DIGEST(r, f->ev);
	DIGEST(r, f->packets);
	DIGEST(r, f->lost);
}

static void on_capped(void *ctx, const char *table, uint64_t dropped)
{
	struct record *r = ctx;

	if (!strcmp(table, "event"))
		r->capped_events += dropped;
	else if (!strcmp(table, "flow"))
		r->capped_flows += dropped;
	else if (!strcmp(table, "entropy"))
		r->capped_entropies += dropped;
	else
		r->capped_others += dropped;
	digest_text(r, table);
	DIGEST(r, dropped);
}

static void ignore(void *ctx, const struct fact_note *n)
{
	(void)ctx;
	(void)n;
}

void record_no_fast_paths(struct record *r)
{
	r->engine->sink.note = ignore;
	r->engine->each = true;
}

void record_by_packet(struct record *r, const struct engine_frame *f)
{
	struct packet p = { .ns = f->ns, .frame = f->number, .tap = f->tap };

	packet_decode(&f->in, &decode_defaults, &p);
	engine_feed(r->engine, &p, 1);
}

struct record *record_begin(struct scene *s,
			    const struct engine_options *options)
{
	struct record *r = calloc(1, sizeof *r);
	struct flow_sink sink = { .ctx = r,
				  .event = on_event,
				  .message = on_message,
				  .latency = on_latency,
				  .recovery = on_recovery,
				  .flow = on_flow,
				  .bin = on_bin,
				  .cnp = on_cnp,
				  .congestion = on_congestion,
				  .pacing = on_pacing,
				  .hop = on_hop,
				  .path = on_path,
				  .telemetry_packet = on_telemetry_packet,
				  .telemetry_bin = on_telemetry_bin,
				  .burst = on_burst,
				  .stall = on_stall,
				  .tap = on_tap,
				  .cm = on_cm,
				  .pdc = on_pdc,
				  .cc_bin = on_cc_bin,
				  .nack = on_nack,
				  .entropy = on_entropy,
				  .capped = on_capped };

	assert_non_null(r);
	r->next = s->records;
	s->records = r;
	r->digest = 14695981039346656037u;
	r->engine = engine_new(options ? options : &scene_options, &sink);
	assert_non_null(r->engine);
	return r;
}

void record_feed(struct record *r, struct scene *s)
{
	engine_feed(r->engine, s->packets, s->count);
	s->count = 0;
}

void record_end(struct record *r)
{
	engine_finish(r->engine);
	engine_free(r->engine);
	r->engine = NULL;
}

struct record *scene_run_in(struct scene *s,
			    const struct engine_options *options, size_t batch)
{
	struct record *r = record_begin(s, options);

	for (size_t i = 0; i < s->count; i += batch) {
		size_t n = s->count - i < batch ? s->count - i : batch;

		engine_feed(r->engine, s->packets + i, n);
	}
	record_end(r);
	return r;
}

struct record *scene_run(struct scene *s, const struct engine_options *options)
{
	return scene_run_in(s, options, s->count ? s->count : 1);
}

void record_free(struct record *r)
{
	if (!r)
		return;
	record_free(r->next);
	engine_free(r->engine);
	free(r->events);
	free(r->messages);
	free(r->latencies);
	free(r->recoveries);
	free(r->flows);
	free(r->taps);
	free(r->cms);
	free(r->bins);
	free(r->cnps);
	free(r->congestions);
	free(r->pacings);
	free(r->hops);
	free(r->paths);
	free(r->tolds);
	free(r->telemetry_bins);
	free(r->bursts);
	free(r->stalls);
	free(r->pdcs);
	free(r->cc_bins);
	free(r->nacks);
	free(r->entropies);
	free(r);
}

/* ---- questions ---- */

static const struct fact_flow *find_flow(const struct record *r,
					 struct addr src, struct addr dst,
					 uint32_t qp, uint32_t epoch)
{
	for (size_t i = 0; i < r->n_flows; i++) {
		const struct fact_flow *f = &r->flows[i];

		if (addr_equal(f->src, src) && addr_equal(f->dst, dst) &&
		    f->dst_qp == qp && f->epoch == epoch)
			return f;
	}
	return NULL;
}

const struct fact_flow *flow_epoch(const struct record *r, const struct pair *p,
				   uint32_t epoch)
{
	return find_flow(r, host_addr(p->a), host_addr(p->b), p->qb, epoch);
}

const struct fact_flow *flow_of(const struct record *r, const struct pair *p)
{
	const struct fact_flow *f = flow_epoch(r, p, 0);

	if (!f)
		fail_msg("no flow to QP 0x%x", p->qb);
	if (flow_epoch(r, p, 1))
		fail_msg("flow to QP 0x%x cut into epochs", p->qb);
	return f;
}

const struct fact_flow *reverse_of(const struct record *r, const struct pair *p)
{
	const struct fact_flow *f =
		find_flow(r, host_addr(p->b), host_addr(p->a), p->qa, 0);

	if (!f)
		fail_msg("no flow back to QP 0x%x", p->qa);
	return f;
}

size_t events_of(const struct record *r, enum event_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_events; i++)
		n += r->events[i].kind == kind;
	return n;
}

const struct fact_event *first_event(const struct record *r,
				     enum event_kind kind)
{
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].kind == kind)
			return &r->events[i];
	fail_msg("no event of kind %d", (int)kind);
	return NULL;
}

const struct fact_recovery *only_recovery(const struct record *r)
{
	assert_int_equal(r->n_recoveries, 1);
	return &r->recoveries[0];
}

int64_t record_total(const struct record *r, size_t offset)
{
	int64_t sum = 0, value;

	for (size_t i = 0; i < r->n_flows; i++) {
		memcpy(&value, (const char *)&r->flows[i] + offset,
		       sizeof value);
		sum += value == FACT_UNKNOWN ? 0 : value;
	}
	return sum;
}

int names_rule(const char *text, const char *rule)
{
	const size_t n = strlen(rule);

	return text && strncmp(text, rule, n) == 0 &&
	       (text[n] < '0' || text[n] > '9');
}

static bool agrees(int64_t want, int64_t got)
{
	if (want == ANY)
		return true;
	if (want == NOT_OR_0)
		return got == FACT_UNKNOWN || got == 0;
	return got == want;
}

void expect_verdict(const char *file, int line, const struct fact_flow *f,
		    struct verdict v)
{
	const struct {
		const char *name;
		int64_t want, got;
	} rows[] = {
		{ "lost_upstream", v.up, f->lost_upstream },
		{ "lost_downstream_min", v.down_min, f->lost_downstream_min },
		{ "lost_downstream_max", v.down_max, f->lost_downstream_max },
		{ "capture_missing", v.missing, f->capture_missing },
		{ "unresolved", v.unresolved, f->unresolved },
		{ "corrupted", v.corrupted, f->corrupted },
		{ "reordered", v.reordered, f->reordered },
		{ "reorder_extent_max", v.extent, f->reorder_extent_max },
		{ "retransmitted", v.retransmitted, f->retransmitted },
		{ "spurious", v.spurious, f->spurious },
		{ "timeouts", v.timeouts, f->timeouts },
	};
	int wrong = 0;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (agrees(rows[i].want, rows[i].got))
			continue;
		print_error("%s:%d: %s is %" PRId64 ", must be %" PRId64 "\n",
			    file, line, rows[i].name, rows[i].got,
			    rows[i].want);
		wrong++;
	}
	if (wrong)
		fail_msg("%d wrong in the flow to QP 0x%x", wrong,
			 (unsigned)f->dst_qp);
}

void expect_clean(const char *file, int line, const struct record *r)
{
	static const enum event_kind recovery[] = {
		EVENT_LOSS_UPSTREAM,
		EVENT_LOSS_DOWNSTREAM,
		EVENT_CAPTURE_MISSING,
		EVENT_UNRESOLVED_GAP,
		EVENT_REORDER,
		EVENT_MIRROR_DUPLICATE,
		EVENT_RETRANSMIT_NAK,
		EVENT_RETRANSMIT_TIMEOUT,
		EVENT_RETRANSMIT_RNR,
		EVENT_RETRANSMIT_SPURIOUS,
		EVENT_RETRANSMIT_IMPLIED,
		EVENT_RETRANSMIT_UNKNOWN,
		EVENT_IMPLIED_NAK,
		EVENT_ACK_LOST,
		EVENT_DUPLICATE,
		EVENT_OUTAGE,
	};

	for (size_t i = 0; i < r->n_flows; i++)
		expect_verdict(file, line, &r->flows[i],
			       (struct verdict) { .up = NOT_OR_0,
						  .down_min = NOT_OR_0,
						  .down_max = NOT_OR_0,
						  .missing = NOT_OR_0,
						  .unresolved = NOT_OR_0,
						  .corrupted = NOT_OR_0,
						  .reordered = NOT_OR_0,
						  .extent = NOT_OR_0,
						  .retransmitted = NOT_OR_0,
						  .spurious = NOT_OR_0,
						  .timeouts = NOT_OR_0 });
	for (size_t i = 0; i < sizeof recovery / sizeof recovery[0]; i++)
		if (events_of(r, recovery[i]))
			fail_msg("%s:%d: event of kind %d in a clean story",
				 file, line, (int)recovery[i]);
	assert_int_equal(r->n_recoveries, 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What switches said in packets.
 *
 * One table of samples for everything: a hop (device and ports), a path (the
 * devices of a whole stack) or a CSIG reading, each once for the flow and once
 * for all flows of the tap; for these also how full the queue of a hop was.
 * When the table is full, flows that come new are in the rows of all flows
 * only. */
#include "flow/telemetry/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "decode/stack.h"
#include "flow/core/sample.h"
#include "flow/core/time_grid.h"
#include "flow/uet/uet.h"

enum {
	SLOTS = 1 << 15,
	OWN_SHARE = SAMPLES_MAX * 3 / 4, /* the rest is for "all flows" */
	FOLLOWS_LEAST = 30, /* answers, to say that they follow the waiting */
	OWN_BINS = 1 << 15, /* rows over time, of flows ... */
	ALL_BINS = 1 << 14, /* ... and of all flows together: 5 MB */
	NO_LEVEL = UINT16_MAX, /* level of packets that did not tell */
};

/* What a row of a grid sums up. */
enum { SUM_PACKETS, SUM_CE, SUM_CONGESTED, SUM_SLOWEST };

struct path_table {
	struct sample **samples;
	uint32_t *slots; /* index + 1 */
	struct outcomes *outcomes;
	struct time_grid own, all; /* the samples over time, by their index */
	uint32_t n;
	uint64_t left_out; /* observations without a row */
};

static struct path_table *table_of(struct engine *e)
{
	struct path_table *t;

	if (e->paths)
		return e->paths;
	t = mem_calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->samples = mem_calloc(SAMPLES_MAX, sizeof(struct sample *));
	t->slots = mem_calloc(SLOTS, sizeof *t->slots);
	t->outcomes = outcomes_new();
	time_grid_init(&t->own, OWN_BINS);
	time_grid_init(&t->all, ALL_BINS);
	e->paths = t;
	if (t->samples && t->slots && t->outcomes)
		return t;
	path_fini(e);
	return NULL;
}

void path_fini(struct engine *e)
{
	struct path_table *t = e->paths;

	if (!t)
		return;
	for (uint32_t i = 0; t->samples && i < t->n; i++)
		free(t->samples[i]);
	free(t->samples);
	free(t->slots);
	outcomes_free(t->outcomes);
	time_grid_fini(&t->own);
	time_grid_fini(&t->all);
	free(t);
	e->paths = NULL;
}

struct outcomes *path_outcomes(const struct engine *e)
{
	return e->paths->outcomes;
}

struct sample *path_sample(const struct engine *e, uint16_t i)
{
	return e->paths->samples[i];
}

static uint64_t stir(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

static uint32_t hash(const struct sample_key *k)
{
	return (uint32_t)hash6((uint64_t)k->tap << 32 | k->flow,
			       (uint64_t)k->what, (uint64_t)k->ingress,
			       (uint64_t)k->egress, (uint64_t)k->queue,
			       k->kind);
}

/* NULL: no room. */
static struct sample *sample_of(struct path_table *t,
				const struct sample_key *k)
{
	uint32_t i = hash(k) % SLOTS;
	struct sample *s;

	for (; t->slots[i]; i = (i + 1) % SLOTS) {
		s = t->samples[t->slots[i] - 1];
		if (!memcmp(&s->key, k, sizeof *k))
			return s;
	}
	if (t->n >= (k->flow ? OWN_SHARE : SAMPLES_MAX))
		return NULL;
	s = mem_calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->key = *k;
	s->ttl = STACK_UNKNOWN;
	s->index = (uint16_t)t->n;
	t->samples[t->n] = s;
	t->slots[i] = ++t->n;
	return s;
}

/* The same over time. */
static void add_step(struct path_table *t, const struct sample *s,
		     const struct packet *p, int64_t value, bool congested,
		     bool slowest)
{
	struct time_grid_row *r = time_grid_at(
		s->key.flow ? &t->own : &t->all, s->index,
		value < 0 ? NO_LEVEL : histogram_step(value), p->ns);

	if (!r)
		return;
	r->n[SUM_PACKETS]++;
	r->n[SUM_CE] += (p->tos & 3) == ECN_CE;
	r->n[SUM_CONGESTED] += congested;
	r->n[SUM_SLOWEST] += slowest;
	if (value >= 0)
		time_grid_extent(r, value);
}

static void add(struct sample *s, const struct packet *p, int64_t value)
{
	s->packets++;
	if ((p->tos & 3) == ECN_CE)
		kept_add(&s->marked, value);
	if (value < 0)
		return;
	if (!s->histogram.n || value > s->histogram.max) {
		s->max_ns = p->ns;
		s->max_frame = p->frame;
	}
	histogram_add(&s->histogram, value);
}

/* ---- stacks ---- */

struct stack {
	struct stack_hop hop[HOPS_MAX]; /* first hop first */
	unsigned n;
	int slowest; /* -1: no hop reported */
	int64_t total;
};

static void read_stack(const struct packet *p, struct stack *s)
{
	s->n = p->stack_hops < HOPS_MAX ? p->stack_hops : HOPS_MAX;
	s->slowest = -1;
	s->total = 0;
	for (unsigned i = 0; i < s->n; i++) {
		struct stack_hop *h = &s->hop[i];

		stack_hop(p, p->stack_hops - 1u - i, h);
		if (h->residence_ns < 0)
			continue;
		s->total += h->residence_ns;
		if (s->slowest < 0 ||
		    h->residence_ns > s->hop[s->slowest].residence_ns)
			s->slowest = (int)i;
	}
}

/* How full its queue was, of all flows through it. */
static void add_depth(struct path_table *t, const struct packet *p,
		      struct sample *hop, int64_t depth)
{
	struct sample_key key = hop->key;
	struct sample *to;

	key.kind = SAMPLE_DEPTH;
	to = hop->depth ? t->samples[hop->depth - 1] : sample_of(t, &key);
	if (!to) {
		t->left_out++;
		return;
	}
	hop->depth = (uint16_t)(to->index + 1);
	add(to, p, depth);
	add_step(t, to, p, depth, false, false);
}

/* The number of its sample. */
static uint16_t add_hop(struct path_table *t, const struct packet *p,
			uint32_t flow, const struct stack *s, unsigned i)
{
	const struct stack_hop *h = &s->hop[i];
	const struct sample_key key = {
		.kind = SAMPLE_HOP,
		.tap = p->tap,
		.flow = flow,
		.what = h->device,
		.ingress = flow ? h->ingress : STACK_UNKNOWN,
		.egress = h->egress,
		.queue = h->queue,
	};
	struct sample *to = sample_of(t, &key);

	if (!to) {
		t->left_out++;
		return SAMPLE_NONE;
	}
	add(to, p, h->residence_ns);
	add_step(t, to, p, h->residence_ns, h->congested > 0,
		 s->slowest == (int)i);
	to->ttl = h->ttl;
	to->position = (uint8_t)(i + 1);
	to->congested += h->congested > 0;
	to->slowest += s->slowest == (int)i;
	/* what IFA has there differs by device */
	if (!flow && h->depth >= 0 &&
	    (p->stack_form == STACK_INT1 || p->stack_form == STACK_INT2))
		add_depth(t, p, to, h->depth);
	return to->index;
}

static uint16_t add_path(struct path_table *t, const struct packet *p,
			 uint32_t flow, const struct stack *s)
{
	struct sample_key key = { .kind = SAMPLE_PATH,
				  .tap = p->tap,
				  .flow = flow };
	int64_t total = s->slowest < 0 ? STACK_UNKNOWN : s->total;
	struct sample *to;
	uint64_t h = s->n;

	for (unsigned i = 0; i < s->n; i++)
		h = stir(h, (uint64_t)s->hop[i].device);
	key.what = (int64_t)h;
	to = sample_of(t, &key);
	if (!to) {
		t->left_out++;
		return SAMPLE_NONE;
	}
	if (!to->packets) {
		to->n_hops = (uint8_t)s->n;
		for (unsigned i = 0; i < s->n; i++)
			to->device[i] = s->hop[i].device;
	}
	add(to, p, total);
	add_step(t, to, p, total, false, false);
	return to->index;
}

static void add_csig(struct path_table *t, const struct packet *p,
		     uint32_t flow)
{
	const struct sample_key key = {
		.kind = SAMPLE_CSIG,
		.tap = p->tap,
		.flow = flow,
		.what = p->csig_signal,
		.egress = p->csig_locator,
	};
	struct sample *to = sample_of(t, &key);

	if (!to) {
		t->left_out++;
		return;
	}
	add(to, p, p->csig_value);
	add_step(t, to, p, p->csig_value, false, false);
}

/* Is its PSN its own? */
static bool counts(const struct engine *e, const struct packet *p)
{
	return e->transport[p->kind == PACKET_UET]->numbers(e, p);
}

static int32_t kept_for(int64_t ns)
{
	return ns < INT32_MAX ? (int32_t)ns : INT32_MAX;
}

static void add_stack(struct engine *e, uint32_t flow, const struct packet *p,
		      const struct stack *s)
{
	struct path_table *t = e->paths;
	struct telemetry_packet none, *carried = NULL;

	if (counts(e, p))
		carried = outcomes_take(t->outcomes, flow, p->psn, p->ns);
	if (!carried)
		carried = &none;
	carried->frame = p->frame;
	carried->tap = (uint16_t)p->tap;
	carried->ce = (p->tos & 3) == ECN_CE;
	carried->n_hops = (uint8_t)s->n;
	for (unsigned i = 0; i < s->n; i++) {
		carried->hop[i].own = add_hop(t, p, flow, s, i);
		carried->hop[i].all = add_hop(t, p, 0, s, i);
		carried->hop[i].kept_ns = kept_for(s->hop[i].residence_ns);
	}
	carried->path = add_path(t, p, flow, s);
	if (carried != &none && p->kind == PACKET_UET &&
	    p->uet.flags & UET_TRIMMED)
		outcomes_row(e, carried, TELEMETRY_TRIMMED, 1);
}

void path_packet(struct engine *e, const struct flow *f, const struct packet *p)
{
	struct path_table *t = table_of(e);
	struct stack s;

	if (!t)
		return;
	if (p->flags & PACKET_CSIG) {
		add_csig(t, p, f->id);
		add_csig(t, p, 0);
	}
	if (!(p->flags & PACKET_STACK))
		return;
	read_stack(p, &s);
	add_stack(e, f->id, p, &s);
}

/* ---- facts ---- */

static int64_t known(int64_t v)
{
	return v < 0 ? FACT_UNKNOWN : v;
}

/* Of an engine that runs for weeks another one may have reported before. */
static uint64_t telemetry_id_of(const struct engine *e, uint32_t index)
{
	return ((uint64_t)e->o.first_id << 16) + index + 1;
}

static struct fact_histogram histogram_fact(const struct sample *s)
{
	const struct histogram *d = &s->histogram;

	if (!d->n)
		return (struct fact_histogram) { FACT_UNKNOWN, FACT_UNKNOWN,
						 FACT_UNKNOWN, FACT_UNKNOWN,
						 FACT_UNKNOWN };
	return (struct fact_histogram) {
		.min = d->min,
		.p50 = histogram_quantile(d, 0.50),
		.mean = d->sum / (int64_t)d->n,
		.p99 = histogram_quantile(d, 0.99),
		.max = d->max,
	};
}

static int64_t kept_mean(const struct kept *k)
{
	return k->n ? k->sum / (int64_t)k->n : FACT_UNKNOWN;
}

static int64_t answers_mean(const struct answers *a)
{
	return a->packets ? a->sum / (int64_t)a->packets : FACT_UNKNOWN;
}

/* Correlation of time here and time until the answer, per mille. */
static int64_t follows(const struct answers *a)
{
	if (a->n < FOLLOWS_LEAST || a->xx <= 0 || a->yy <= 0)
		return FACT_UNKNOWN;
	return (int64_t)lround(1000 * a->xy / sqrt(a->xx * a->yy));
}

static void emit_hop(struct engine *e, const struct sample *s)
{
	const struct sample none = { 0 };
	const struct sample *depth =
		s->depth ? path_sample(e, (uint16_t)(s->depth - 1)) : &none;
	const struct fact_hop f = {
		.tap = s->key.tap,
		.flow = s->key.flow,
		.device = known(s->key.what),
		.position = s->position,
		.ttl = known(s->ttl),
		.ingress = known(s->key.ingress),
		.egress = known(s->key.egress),
		.queue = known(s->key.queue),
		.packets = s->packets,
		.residence = histogram_fact(s),
		.congested = s->congested,
		.ce = s->marked.packets,
		.slowest = s->slowest,
		.longest_ns = s->histogram.n ? s->max_ns : FACT_UNKNOWN,
		.longest_frame = s->max_frame,
		.marked_mean_ns = kept_mean(&s->marked),
		.lost = s->lost.packets,
		.lost_mean_ns = kept_mean(&s->lost),
		.acked = s->answers.packets,
		.ack_mean_ns = answers_mean(&s->answers),
		.ack_correlation_pm = follows(&s->answers),
		.telemetry_id = telemetry_id_of(e, s->index),
		.depth = histogram_fact(depth),
		.depth_id = s->depth ? telemetry_id_of(e, depth->index) : 0,
	};

	HAND_OUT(e, hop, &f);
}

static void emit_path(struct engine *e, const struct sample *s)
{
	struct fact_path f = {
		.tap = s->key.tap,
		.flow = s->key.flow,
		.n_hops = s->n_hops,
		.packets = s->packets,
		.ce = s->marked.packets,
		.residence = histogram_fact(s),
		.lost = s->lost.packets,
		.acked = s->answers.packets,
		.ack_mean_ns = answers_mean(&s->answers),
		.ack_max_ns =
			s->answers.packets ? s->answers.max : FACT_UNKNOWN,
		.ack_correlation_pm = follows(&s->answers),
		.telemetry_id = telemetry_id_of(e, s->index),
	};

	memcpy(f.device, s->device, sizeof f.device);
	HAND_OUT(e, path, &f);
}

static void emit_csig(struct engine *e, const struct sample *s)
{
	const struct fact_csig f = {
		.tap = s->key.tap,
		.flow = s->key.flow,
		.signal = (uint32_t)s->key.what,
		.locator = (uint32_t)s->key.egress,
		.samples = s->packets,
		.ce = s->marked.packets,
		.value = histogram_fact(s),
		.telemetry_id = telemetry_id_of(e, s->index),
	};

	HAND_OUT(e, csig, &f);
}

static void emit_steps(struct engine *e, const struct time_grid *g)
{
	for (uint32_t i = 0; e->sink.telemetry_bin && i < g->n; i++) {
		const struct time_grid_row *r = &g->row[i];
		bool known = r->level != NO_LEVEL;
		const struct fact_telemetry_bin b = {
			.telemetry_id = telemetry_id_of(e, r->who),
			.start_ns = time_grid_start(g, r),
			.width_ns = g->width,
			.value = known ? histogram_middle(r->level)
				       : FACT_UNKNOWN,
			.min = known ? r->min : FACT_UNKNOWN,
			.max = known ? r->max : FACT_UNKNOWN,
			.packets = r->n[SUM_PACKETS],
			.ce = r->n[SUM_CE],
			.congested = r->n[SUM_CONGESTED],
			.slowest = r->n[SUM_SLOWEST],
		};

		e->sink.telemetry_bin(e->sink.ctx, &b);
	}
	emit_left_out(e, "telemetry_bin", g->left_out);
}

void path_forget(struct engine *e, int64_t before)
{
	if (!e->paths)
		return;
	time_grid_forget(&e->paths->own, before);
	time_grid_forget(&e->paths->all, before);
}

void path_finish(struct engine *e)
{
	const struct path_table *t = e->paths;

	for (uint32_t i = 0; t && i < t->n; i++) {
		const struct sample *s = t->samples[i];

		if (s->key.kind == SAMPLE_HOP)
			emit_hop(e, s);
		else if (s->key.kind == SAMPLE_PATH)
			emit_path(e, s);
		else if (s->key.kind == SAMPLE_CSIG)
			emit_csig(e, s);
	}
	if (!t)
		return;
	emit_steps(e, &t->all);
	emit_steps(e, &t->own);
	emit_left_out(e, "hop", t->left_out);
}

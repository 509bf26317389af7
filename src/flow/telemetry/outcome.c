/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets that carried telemetry, and what became of them.
 *
 * What a packet carried is known when it passes; that it was lost, or how long
 * its answer took, only later.  So the last ones are remembered, each in the
 * one place where its flow and PSN put it, and loss and answers are joined with
 * what the very same packets carried.  A packet that was lost before it came
 * here carried nothing here: the ones next to it stand for it, and are called
 * so. */
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/mem.h"
#include "flow/core/sample.h"
#include "flow/core/serial.h"

enum {
	OUTCOME_SIZE = 1 << 15, /* 3 MB, with the first packet that tells */
	LOST_MOST = 256,        /* PSNs of one loss that are looked up */
	WAIT_MOST = 16,         /* of one verdict that waits */
	AFRESH_NS = 2000000000, /* by then a PSN may have come round */
};

static const double SURE = 0.5;

struct outcomes {
	struct telemetry_packet packet[OUTCOME_SIZE];
};

struct outcomes *outcomes_new(void)
{
	return mem_calloc(1, sizeof(struct outcomes));
}

void outcomes_free(struct outcomes *t)
{
	free(t);
}

/* Packets of one flow lie side by side. */
static struct telemetry_packet *place_of(struct outcomes *t, uint32_t flow,
					 uint32_t psn)
{
	return &t->packet[(flow * 0x9e3779b1u + psn) % OUTCOME_SIZE];
}

static struct telemetry_packet *find(struct outcomes *t, uint32_t flow,
				     uint32_t psn)
{
	struct telemetry_packet *p = place_of(t, flow, psn);

	return p->flow == flow && p->psn == psn ? p : NULL;
}

struct telemetry_packet *outcomes_take(struct outcomes *t, uint32_t flow,
				       uint32_t psn, int64_t ns)
{
	struct telemetry_packet *p = place_of(t, flow, psn);
	bool fresh = p->flow && ns - p->ns < AFRESH_NS;

	if (fresh && (p->waits || (p->flow == flow && p->psn == psn)))
		return NULL;
	*p = (struct telemetry_packet) {
		.flow = flow, .psn = psn, .ns = ns, .path = SAMPLE_NONE
	};
	return p;
}

static struct sample *sample_at(const struct engine *e, uint16_t i)
{
	return i == SAMPLE_NONE ? NULL : path_sample(e, i);
}

/* ---- rows ---- */

static int slowest(const struct telemetry_packet *p, int64_t *total)
{
	int at = -1;

	*total = 0;
	for (int i = 0; i < p->n_hops; i++) {
		if (p->hop[i].kept_ns < 0)
			continue;
		*total += p->hop[i].kept_ns;
		if (at < 0 || p->hop[i].kept_ns > p->hop[at].kept_ns)
			at = i;
	}
	return at;
}

static int64_t known(int64_t v)
{
	return v < 0 ? FACT_UNKNOWN : v;
}

void outcomes_row(struct engine *e, const struct telemetry_packet *p,
		  enum telemetry_fate fate, double confidence)
{
	const struct sample *s = NULL;
	int64_t total;
	int i = slowest(p, &total);
	struct fact_telemetry_packet f = {
		.tap = p->tap,
		.flow = p->flow,
		.ns = p->ns,
		.frame = p->frame,
		.psn = p->psn,
		.fate = fate,
		.confidence = confidence,
		.ce = p->ce,
		.hops = p->n_hops,
		.total_ns = i < 0 ? FACT_UNKNOWN : total,
		.kept_ns = i < 0 ? FACT_UNKNOWN : p->hop[i].kept_ns,
		.position = i < 0 ? FACT_UNKNOWN : i + 1,
	};

	if (!limit_take(e, LIMIT_TELEMETRY_PACKET, 1, true))
		return;
	if (i >= 0)
		s = sample_at(e, p->hop[i].own != SAMPLE_NONE ? p->hop[i].own
							      : p->hop[i].all);
	f.device = s ? known(s->key.what) : FACT_UNKNOWN;
	f.egress = s ? known(s->key.egress) : FACT_UNKNOWN;
	f.queue = s ? known(s->key.queue) : FACT_UNKNOWN;
	HAND_OUT(e, telemetry_packet, &f);
}

/* ---- what became of them ---- */

/* What may as well have been late counts in no sum. */
static void lost(struct engine *e, struct telemetry_packet *p,
		 double confidence)
{
	struct sample *s = sample_at(e, p->path);

	outcomes_row(e, p, TELEMETRY_LOST, confidence);
	p->flow = 0;
	if (confidence < SURE)
		return;
	for (unsigned i = 0; i < p->n_hops; i++) {
		const struct telemetry_hop *h = &p->hop[i];
		struct sample *own = sample_at(e, h->own);
		struct sample *all = sample_at(e, h->all);

		if (own)
			kept_add(&own->lost, h->kept_ns);
		if (all)
			kept_add(&all->lost, h->kept_ns);
	}
	if (s)
		s->lost.packets++;
}

static void next_to_loss(struct engine *e, uint32_t flow, uint32_t psn,
			 double confidence)
{
	struct telemetry_packet *p = find(path_outcomes(e), flow, psn);

	if (!p || p->has_row)
		return;
	p->has_row = true;
	outcomes_row(e, p, TELEMETRY_NEXT_TO_LOSS, confidence);
}

/* The PSN |n| behind (before) |psn| in the space of |f|. */
static uint32_t beyond(const struct flow *f, uint32_t psn, uint32_t n)
{
	return flow_is_uet(f) ? psn + n : psn_add(psn, n);
}

void path_event(struct engine *e, const struct flow *f,
		const struct fact_event *ev)
{
	uint32_t n = ev->count < LOST_MOST ? ev->count : LOST_MOST;
	struct telemetry_packet *p;

	if (ev->kind == EVENT_LOSS_UPSTREAM) {
		next_to_loss(e, f->id, beyond(f, ev->psn, -1u), ev->confidence);
		next_to_loss(e, f->id, beyond(f, ev->psn, ev->count),
			     ev->confidence);
	}
	if (ev->kind != EVENT_LOSS_DOWNSTREAM)
		return;
	for (uint32_t i = 0; i < n; i++) {
		p = find(path_outcomes(e), f->id, beyond(f, ev->psn, i));
		if (p)
			lost(e, p, ev->confidence);
	}
}

void path_wait(struct engine *e, const struct flow *f,
	       const struct fact_event *ev)
{
	uint32_t n = ev->count < WAIT_MOST ? ev->count : WAIT_MOST;
	struct telemetry_packet *p;

	for (uint32_t i = 0; i < n; i++) {
		p = find(path_outcomes(e), f->id, beyond(f, ev->psn, i));
		if (p)
			p->waits = true;
	}
}

/* ---- how long their answers took ---- */

/* Means and products are kept up to date one by one: sums of squares of
 * nanoseconds would be too large to subtract. */
static void answers_add(struct answers *a, int64_t kept, int64_t took)
{
	double dx, dy;

	a->packets++;
	a->sum = clamp_add(a->sum, took);
	a->max = took > a->max ? took : a->max;
	if (kept < 0)
		return;
	a->n++;
	dx = (double)kept - a->x;
	dy = (double)took - a->y;
	a->x += dx / (double)a->n;
	a->y += dy / (double)a->n;
	a->xx += dx * ((double)kept - a->x);
	a->yy += dy * ((double)took - a->y);
	a->xy += dx * ((double)took - a->y);
}

void path_answered(struct engine *e, const struct flow *f, uint32_t psn,
		   int64_t took)
{
	struct telemetry_packet *p = find(path_outcomes(e), f->id, psn);
	struct sample *path = p ? sample_at(e, p->path) : NULL;
	int64_t total;

	if (!p || took < 0)
		return;
	for (unsigned i = 0; i < p->n_hops; i++) {
		const struct telemetry_hop *h = &p->hop[i];
		struct sample *own = sample_at(e, h->own);
		struct sample *all = sample_at(e, h->all);

		if (own)
			answers_add(&own->answers, h->kept_ns, took);
		if (all)
			answers_add(&all->answers, h->kept_ns, took);
	}
	if (path)
		answers_add(&path->answers, slowest(p, &total) < 0 ? -1 : total,
			    took);
}

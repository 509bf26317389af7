/* SPDX-License-Identifier: GPL-2.0-or-later
 * From the rings to the engine, in order of time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/topology.h"
#include "capture/ring.h"
#include "run/frame.h"
#include "run/live_int.h"

enum {
	BATCH = 64,
	BATCHES = 64, /* before somebody else has a turn */
	TAP_BINS = 4096,
	/* Packets that are so far apart make us look at the clock. */
	BACK_NS = 20 * 1000 * 1000,
	FORTH_NS = 40 * 1000 * 1000,
};

/* ---- the engine ---- */

void live_capped(void *ctx, const char *table, uint64_t dropped)
{
	struct live *l = ctx;
	size_t i = 0;

	while (i < l->n_caps && strcmp(l->cap[i].table, table))
		i++;
	if (i == CAPS_KEPT)
		return;
	if (i == l->n_caps)
		snprintf(l->cap[l->n_caps++].table, sizeof l->cap[i].table,
			 "%s", table);
	l->cap[i].dropped += dropped;
}

uint64_t live_speed(const struct live *l, size_t tap)
{
	const struct topology_tap *known =
		topology_tap(l->o.topology, l->tap[tap].name);

	return known && known->speed_bps
		       ? known->speed_bps
		       : atomic_load(&l->tap[tap].ring->report.speed_bps);
}

int live_engine(struct live *l, struct err *err)
{
	struct flow_sink sink = fact_queue_sink(&l->pending.fact_queue);
	const struct engine_options o = {
		.place = l->map.place,
		.link = l->map.link,
		.n_places = MAP_TAPS,
		.max_flows = l->o.max_flows,
		.first_id = l->first_id,
		.tap_bins = TAP_BINS,
		.newest = true,
	};

	l->engine = engine_new(&o, &sink);
	if (!l->engine)
		return err_set(err, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < l->n; i++)
		engine_set_speed(l->engine, l->engine_tap[i], live_speed(l, i));
	return 0;
}

int live_epoch(struct live *l, const char *why, const char *detail,
	       struct err *err)
{
	struct live_pending *p = &l->pending;

	/* All it knows is final now, and so are its caps. */
	engine_finish(l->engine);
	l->first_id = engine_last_id(l->engine);
	engine_free(l->engine);
	l->engine = NULL;
	live_say(l, false, -1, "the analysis begins anew: %s", detail);
	snprintf(p->epoch_why, sizeof p->epoch_why, "%s", why);
	snprintf(p->epoch_detail, sizeof p->epoch_detail, "%s", detail);
	p->epoch_ns = live_realtime();
	return live_engine(l, err);
}

/* ---- from the rings ---- */

/* Packets that the engine gets at once: then it fetches what it knows of some
 * while it follows others.  They lie in the rings until it is done. */
struct batch {
	struct engine_frame frame[BATCH];
	size_t n, given; /* given: the engine has them */
	int64_t last_ns;
	uint64_t at[LIVE_TAPS]; /* how far each ring is read with it */
};

static void give(struct live *l, struct batch *b)
{
	engine_frames(l->engine, &l->decode, b->frame + b->given,
		      b->n - b->given);
	b->given = b->n;
}

static void note_gap(struct live *l, size_t tap, const struct ring_record *r)
{
	struct live_pending *p = &l->pending;
	struct live_gap *g = p->n_gaps ? &p->gap[p->n_gaps - 1] : NULL;

	engine_capture_drops(l->engine, l->engine_tap[tap], r->ns, r->until);
	/* One that goes on is one; and so are all when there are too many. */
	if (!g || ((g->tap_id != l->tap[tap].id || g->who != r->who ||
		    r->ns > g->to || p->n_gaps == l->given_gaps) &&
		   p->n_gaps < DROPS_KEPT)) {
		p->gap[p->n_gaps++] = (struct live_gap) {
			.tap_id = l->tap[tap].id,
			.from = r->ns,
			.to = r->until,
			.packets = r->caplen,
			.who = r->who,
		};
		return;
	}
	if (r->until > g->to)
		g->to = r->until;
	if (r->ns < g->from)
		g->from = r->ns;
	g->packets += r->caplen;
}

static void feed(struct live *l, struct batch *b)
{
	if (b->n) {
		give(l, b);
		engine_flush(l->engine);
		l->fed += b->n;
		l->fed_ns = b->last_ns;
	}
	for (size_t i = 0; i < l->n; i++)
		if (b->at[i] != l->seen[i].at) {
			l->seen[i].at = b->at[i];
			ring_release(l->tap[i].ring, b->at[i]);
		}
	b->n = b->given = 0;
}

/* A jump between packets: did the clock make it? */
static void look_at_clock(struct live *l, struct batch *b)
{
	int64_t realtime, monotonic, step;
	struct err err;
	char text[96];

	live_clocks(&realtime, &monotonic);
	step = clockwatch_look(&l->clock, realtime, monotonic);
	if (!step)
		return;
	snprintf(text, sizeof text, "the clock was set %s by %.3f s",
		 step < 0 ? "back" : "forward",
		 (double)(step < 0 ? -step : step) / 1e9);
	feed(l, b);
	if (live_epoch(l, "clock", text, &err))
		abort(); /* without memory for an engine there is no going on */
}

static void feed_record(struct live *l, size_t tap, const struct ring_record *r,
			struct batch *b)
{
	struct live_seen *s = &l->seen[tap];
	const struct frame f = {
		.ns = r->ns,
		.data = ring_data(r),
		.number = r->number,
		.caplen = r->caplen,
		.wirelen = r->wirelen,
		.tap = l->engine_tap[tap],
		.linktype = (uint16_t)atomic_load_explicit(
			&l->tap[tap].ring->report.linktype,
			memory_order_relaxed),
	};

	if (s->packets &&
	    (r->ns < s->last_ns - BACK_NS || r->ns > s->last_ns + FORTH_NS))
		look_at_clock(l, b);
	if (!s->packets++)
		s->first_ns = s->last_ns = r->ns;
	s->bytes += r->wirelen;
	if (r->ns < s->last_ns)
		s->regressions++;
	s->last_ns = r->ns;
	b->frame[b->n] = frame_of(&f);
	b->last_ns = b->frame[b->n++].ns;
}

/* The tap whose record is next, and the record; NULL: that of a tap which may
 * still bring an earlier one has to be waited for. */
static const struct ring_record *next(struct live *l, struct batch *b,
				      size_t *tap)
{
	const struct ring_record *first = NULL;
	int64_t certain = INT64_MAX;

	for (size_t i = 0; i < l->n; i++) {
		struct ring *ring = l->tap[i].ring;
		int64_t complete =
			l->n > 1 ? atomic_load(&ring->report.complete_ns)
				 : INT64_MAX;
		const struct ring_record *r = ring_at(ring, &b->at[i]);

		if (!r) {
			if (complete < certain)
				certain = complete;
		} else if (!first || r->ns < first->ns) {
			first = r;
			*tap = i;
		}
	}
	return first && first->ns <= certain ? first : NULL;
}

/* One batch; returns how many records it had. */
static size_t feed_batch(struct live *l, struct batch *b)
{
	const struct ring_record *r;
	size_t tap, n = 0;

	while (b->n < BATCH && n < 4 * BATCH && (r = next(l, b, &tap))) {
		if (r->kind == RING_FRAME) {
			feed_record(l, tap, r, b);
		} else {
			give(l, b);
			note_gap(l, tap, r);
		}
		b->at[tap] += r->size;
		n++;
	}
	feed(l, b);
	return n;
}

bool live_feed(struct live *l)
{
	struct batch b;
	bool any = false;

	b.n = b.given = 0;
	for (size_t i = 0; i < l->n; i++)
		b.at[i] = l->seen[i].at;
	for (int i = 0; i < BATCHES; i++) {
		if (!feed_batch(l, &b))
			break;
		any = true;
	}
	return any;
}

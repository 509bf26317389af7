/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts of tap paths and segments. */
#include <stdlib.h>

#include "base/mem.h"
#include "flow/multitap/multitap.h"

static struct fact_delay delay_of(const struct between *b)
{
	const struct histogram *d = b->delay;
	struct fact_delay f = { FACT_UNKNOWN, FACT_UNKNOWN, FACT_UNKNOWN,
				FACT_UNKNOWN, FACT_UNKNOWN, FACT_UNKNOWN,
				FACT_UNKNOWN };

	if (!b->n.packets)
		return f;
	f.min = b->min;
	f.max = b->max;
	f.mean = b->sum / (int64_t)b->n.packets;
	/* Less than 0 is 0 in the histogram. */
	if (!d || !d->n || b->max < 0)
		return f;
	f.p50 = histogram_quantile(d, 0.50);
	f.p95 = histogram_quantile(d, 0.95);
	f.p99 = histogram_quantile(d, 0.99);
	f.p999 = histogram_quantile(d, 0.999);
	return f;
}

static struct fact_between between_of(const struct between *b, bool adjacent)
{
	struct fact_between f = b->n;

	f.delay = delay_of(b);
	if (!adjacent)
		f.lost = f.missed_to = f.missed_from = f.open = UINT64_MAX;
	return f;
}

static void emit_segment(struct engine *e, const struct segment *s)
{
	const struct multitap *t = e->multitap;
	const struct fact_segment f = {
		.id = s->id,
		.from = t->place[s->b.from].tap,
		.to = t->place[s->b.to].tap,
		.adjacent = s->b.adjacent,
		.whole = s->b.whole,
		.flows = s->flows,
		.one_in = 1u << t->thin,
		.by_icrc = s->by_icrc,
		.n = between_of(&s->b, s->b.adjacent),
		.slowest_frame = s->b.slowest_frame,
		.first_ns = s->first_ns,
		.last_ns = s->last_ns,
	};

	if (!s->flows)
		return;
	HAND_OUT(e, segment, &f);
	if (s->b.delay && s->b.max >= 0)
		latency_emit_histogram(
			e, s->b.delay,
			(struct fact_latency) { .segment = s->id });
}

static void emit_between(struct engine *e, const struct tap_path *w,
			 struct between *b)
{
	struct segment *s = segment_of(e->multitap, w, b->from, b->to);

	if (!s || !tap_path_place(w, b))
		return;
	s->b.adjacent |= b->adjacent;
	s->b.whole |= b->whole;
	s->flows++;
	HAND_OUT(e, segment_flow,
		 &(struct fact_segment_flow) { .segment = s->id,
					       .flow = w->s[b->from].id,
					       .to_flow = w->s[b->to].id,
					       .n = between_of(b, b->adjacent),
					       .marked_frame = b->marked_frame,
					       .reordered_frame =
						       b->reordered_frame });
}

static void emit_slots(struct engine *e, const struct tap_path *w, uint32_t id)
{
	for (unsigned i = 0; i < w->n; i++) {
		const struct slot *s = &w->s[w->rank[i]];

		HAND_OUT(e, tap_path,
			 &(struct fact_tap_path) {
				 .tap_path = id,
				 .hop = i + 1,
				 .flow = s->id,
				 .tap = s->tap,
				 .ttl = s->ttl,
				 .packets = s->packets,
				 .order_from = !i             ? NULL
					       : w->by_ttl[i] ? "ttl"
							      : "time" });
	}
}

/* Once: of one flow there is one row. */
void tap_path_emit(struct engine *e, struct tap_path *w)
{
	struct multitap *t = e->multitap;

	if (w->n < 2 || !w->n_between)
		return;
	emit_slots(e, w, ++t->n_tap_paths);
	for (unsigned i = 0; i < w->n_between; i++)
		emit_between(e, w, &w->b[i]);
}

/* Only neighbours are asked what got lost between them. */
static void emit_step(struct engine *e, const struct segment *s,
		      const struct time_grid_row *r)
{
	const struct time_grid *g = &e->multitap->over_time;
	struct fact_segment_bin f = {
		.segment = r->who,
		.start_ns = time_grid_start(g, r),
		.width_ns = g->width,
		.n = { .packets = r->n[SEGMENT_PACKETS],
		       .lost = r->n[SEGMENT_LOST],
		       .missed_to = r->n[SEGMENT_MISSED_TO],
		       .missed_from = r->n[SEGMENT_MISSED_FROM],
		       .open = r->n[SEGMENT_OPEN],
		       .marked = r->n[SEGMENT_MARKED],
		       .trimmed = r->n[SEGMENT_TRIMMED],
		       .damaged = r->n[SEGMENT_DAMAGED],
		       .doubled = r->n[SEGMENT_DOUBLED],
		       .reordered = r->n[SEGMENT_REORDERED],
		       .displaced_max = r->max < 0 ? 0 : (uint64_t)r->max }
	};

	if (!s->flows)
		return;
	if (!s->b.adjacent)
		f.n.lost = f.n.missed_to = f.n.missed_from = f.n.open =
			UINT64_MAX;
	HAND_OUT(e, segment_bin, &f);
}

static void emit_segments(struct engine *e)
{
	const struct multitap *t = e->multitap;
	const struct segment **of_id =
		mem_calloc(t->n_segments + 1, sizeof *of_id);

	for (unsigned i = 0; i < MULTITAP_PLACES; i++)
		for (unsigned j = 0; j < MULTITAP_PLACES; j++) {
			const struct segment *s = t->segments[i][j];

			if (!s)
				continue;
			emit_segment(e, s);
			if (of_id)
				of_id[s->id] = s;
		}
	for (uint32_t i = 0; of_id && i < t->over_time.n; i++)
		if (of_id[t->over_time.row[i].who])
			emit_step(e, of_id[t->over_time.row[i].who],
				  &t->over_time.row[i]);
	free(of_id);
}

void multitap_forget(struct engine *e, int64_t before)
{
	if (e->multitap)
		time_grid_forget(&e->multitap->over_time, before);
}

void multitap_emit(struct engine *e)
{
	struct multitap *t = e->multitap;

	for (uint32_t i = 0; i < t->n_tap_paths_followed; i++)
		tap_path_emit(e, t->tap_paths[i]);
	emit_segments(e);
	emit_left_out(e, "segment_bin", t->over_time.left_out);
	emit_left_out(e, "tap_path", t->capped_tap_paths);
	emit_left_out(e, "unmatched", t->capped_rows);
}

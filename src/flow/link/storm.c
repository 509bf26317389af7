/* SPDX-License-Identifier: GPL-2.0-or-later
 * Storms: stretches of time in which a priority is paused too much.
 *
 * Each level asks for a share of a least time.  Pauses add what they are
 * longer than that share, the time between them takes its share away; a
 * stretch begins where the sum would fall below nothing, ends where it was
 * highest, and is over when so much time without pauses has passed as the level
 * asks for.  So any part of it, seen from its begin, has the share. */
#include "decode/packet.h"
#include "flow/core/flow.h"
#include "flow/link/pause.h"

enum { PERMILLE = 1000, MS = 1000000 };

static const struct level {
	int64_t share; /* per mille */
	int64_t least_ns;
	bool frozen; /* no data of the priority went through */
} levels[STORM_TRACKED] = {
	[STORM_HEAVY] = { 200, INT64_C(1000) * MS, false },
	[STORM_SUSPECT] = { 800, INT64_C(10) * MS, false },
	[STORM_STORM] = { 990, INT64_C(100) * MS, true },
};

static void finish_run(struct engine *e, const struct pauser *p, int lane,
		       int level, bool standing)
{
	struct storm_run *r = &p->lane[lane]->run[level];
	struct fact_storm f = {
		.tap = p->tap,
		.mac = p->mac,
		.priority = p->lane[lane]->total.priority,
		.level = (enum storm_level)level,
		.first_ns = r->from,
		.last_ns = r->to,
		.paused_ns = r->paused_best,
		.longest_ns = r->longest_best,
		.xoff = r->xoff_best - r->xoff_before,
		.seen = r->seen_best - r->seen_before,
		.vague = r->vague_best - r->vague_before,
		.frame = r->frame,
		.frozen = r->frozen_best,
		.standing = standing,
	};

	r->open = false;
	if (r->to - r->from < levels[level].least_ns)
		return;
	if (!levels[level].frozen || (!f.seen && !f.vague))
		if (limit_take(e, LIMIT_STORM, 1, true))
			HAND_OUT(e, storm, &f);
}

static void start_run(struct storm_run *r, const struct lane *l, int64_t from)
{
	*r = (struct storm_run) {
		.open = true,
		.from = from,
		.to = from,
		.last = from,
		.xoff_before = l->xoff_at_open,
		.seen_before = l->seen_at_open,
		.vague_before = l->vague_at_open,
		.frame = l->frame,
	};
}

static void extend_run(struct storm_run *r, const struct lane *l, int64_t share,
		       int64_t from, int64_t to)
{
	r->score += (PERMILLE - share) * (to - from);
	r->paused += to - from;
	if (to - from > r->longest) {
		r->longest = to - from;
		r->frozen = lane_is_silent(l);
	}
	r->last = to;
	if (r->score < r->best)
		return;
	r->best = r->score;
	r->to = to;
	r->paused_best = r->paused;
	r->longest_best = r->longest;
	r->frozen_best = r->frozen;
	r->xoff_best = l->total.xoff;
	r->seen_best = l->seen;
	r->vague_best = l->vague;
}

/* Would a pause from |ns| on belong to the run? */
static bool joins(struct storm_run *r, const struct level *v, int64_t ns)
{
	int64_t score = r->score - v->share * (ns - r->last);

	if (score < 0 || ns - r->to > v->least_ns)
		return false;
	r->score = score;
	return true;
}

void storm_add(struct engine *e, const struct pauser *p, int lane, int64_t from,
	       int64_t to)
{
	struct lane *l = p->lane[lane];

	for (int i = 0; i < STORM_TRACKED; i++) {
		struct storm_run *r = &l->run[i];

		if (r->open && !joins(r, &levels[i], from))
			finish_run(e, p, lane, i, false);
		if (!r->open)
			start_run(r, l, from);
		extend_run(r, l, levels[i].share, from, to);
	}
}

void storm_finish(struct engine *e, const struct pauser *p, int lane)
{
	struct lane *l = p->lane[lane];

	for (int i = 0; i < STORM_TRACKED; i++)
		if (l->run[i].open)
			finish_run(e, p, lane, i, l->run[i].to >= e->now);
}

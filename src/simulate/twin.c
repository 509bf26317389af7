/* SPDX-License-Identifier: GPL-2.0-or-later
 * Running a scenario once more, and how long its jobs took. */
#include "simulate/twin.h"

#include <string.h>

#include "base/err.h"
#include "simulate/collective.h"
#include "simulate/mem.h"
#include "simulate/scenario.h"
#include "simulate/truth_int.h"
#include "simulate/world.h"

/* So many times faster is no time at all beside what hosts compute. */
enum { INSTANT = 100000 };

void twin_prepare(struct sim *s)
{
	if (s->twin.fabric > FABRIC_INSTANT)
		return;
	s->host.turnaround = 0;
	for (size_t i = 0; i < s->n_ports; i++) {
		s->ports[i]->bps *= INSTANT;
		s->ports[i]->delay = 0;
	}
	for (size_t i = 0; i < s->n_switches; i++)
		s->switches[i]->config.latency = 0;
}

static bool belongs(const struct stream *st, const struct work *w)
{
	return st->work == w || (st->reverse && st->reverse->work == w);
}

static int64_t span_of(const struct sim *s, const struct work *w)
{
	int64_t first = INT64_MAX, last = -1;

	for (size_t i = 0; i < s->truth->streams.n; i++) {
		const struct stream *st = s->truth->streams.row[i];

		if (st->first < 0 || !belongs(st, w))
			continue;
		first = st->first < first ? st->first : first;
		last = st->last > last ? st->last : last;
	}
	return last < 0 ? -1 : last - first;
}

void twin_measure(const struct sim *s, struct twin_times *times)
{
	times->n = 0;
	times->span = mem_new((s->n_works + 1) * sizeof *times->span);
	for (size_t i = 0; i < s->n_works; i++) {
		const struct work *w = s->works[i];

		if (!is_collective(w))
			continue;
		times->span[times->n++] =
			collective_is_done(w) ? span_of(s, w) : -1;
	}
}

void twin_iterations(const struct sim *s, const struct work *w, int64_t *took)
{
	for (size_t i = 0; i < s->truth->iterations.n; i++) {
		const struct iteration *it = s->truth->iterations.row[i];

		if (it->work == w && it->comm_from >= 0)
			took[it->number] = it->to - it->from;
	}
}

static const struct work *work_named(const struct sim *s, const char *name)
{
	for (size_t i = 0; i < s->n_works; i++)
		if (!strcmp(s->works[i]->name, name))
			return s->works[i];
	return NULL;
}

int twin_run(const struct sim *s, const char *path, const struct twin *t,
	     struct twin_times *times, int64_t *took, struct err *err)
{
	struct sim twin;
	int rc;

	sim_init(&twin, s->seed, err);
	twin.twin = *t;
	twin.twin.is_twin = true;
	rc = scenario_read(&twin, path, err);
	if (!rc) {
		twin_prepare(&twin);
		world_route(&twin);
		work_start(&twin);
		sim_run(&twin);
		twin_measure(&twin, times);
		if (took)
			twin_iterations(&twin, work_named(&twin, t->alone),
					took);
	}
	sim_fini(&twin);
	return rc;
}

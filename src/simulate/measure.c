/* SPDX-License-Identifier: GPL-2.0-or-later
 * One run without captures, for its numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "simulate/mem.h"
#include "simulate/port.h"
#include "simulate/replay.h"
#include "simulate/scenario.h"
#include "simulate/simulate.h"
#include "simulate/truth.h"
#include "simulate/world.h"

static void links(const struct sim *s, struct simulate_measured *m)
{
	m->links = mem_new((s->n_ports + 1) * sizeof *m->links);
	for (size_t i = 0; i < s->n_ports; i++) {
		const struct port *p = s->ports[i];
		const struct link_truth *t = p->truth;
		struct simulate_link *l = &m->links[m->n_links++];

		snprintf(l->from, sizeof l->from, "%s", p->node->name);
		snprintf(l->to, sizeof l->to, "%s", p->peer->node->name);
		l->bps = p->bps;
		l->packets = t->packets;
		l->bytes = t->bytes;
		l->marked = t->marked;
		l->dropped = t->dropped;
		l->pauses = t->pauses;
		for (int k = 0; k < PRIORITIES; k++) {
			l->paused_ns += t->paused[k] / PS_PER_NS;
			if (t->depth[k] > l->depth)
				l->depth = t->depth[k];
		}
	}
}

static void messages(const struct work *w, struct simulate_measured *m)
{
	size_t n = replay_count(w);

	m->first_ns = mem_new((n + 1) * sizeof *m->first_ns);
	m->last_ns = mem_new((n + 1) * sizeof *m->last_ns);
	m->n_messages = n;
	for (size_t k = 0; k < n; k++) {
		m->missing +=
			!replay_took(w, k, &m->first_ns[k], &m->last_ns[k]);
		if (m->first_ns[k] >= 0)
			m->first_ns[k] /= PS_PER_NS;
		if (m->last_ns[k] >= 0)
			m->last_ns[k] /= PS_PER_NS;
	}
}

int simulate_measure(const char *scenario, uint64_t seed, const char *name,
		     struct simulate_measured *m, struct err *err)
{
	const struct work *w;
	FILE *f = fmemopen((void *)(uintptr_t)scenario, strlen(scenario), "r");
	struct sim s;
	int rc;

	*m = (struct simulate_measured) { 0 };
	sim_init(&s, seed, err);
	s.twin.is_twin = true;
	rc = f ? scenario_read_from(&s, f, "scenario", err)
	       : err_errno(err, "scenario");
	w = rc ? NULL : replay_named(&s, name);
	if (!rc && !w)
		rc = err_set(err, ERR_USAGE, "there is no replay '%s'", name);
	if (!rc) {
		world_route(&s);
		work_start(&s);
		sim_run(&s);
		for (size_t i = 0; i < s.n_ports; i++)
			port_finish(&s, s.ports[i]);
		links(&s, m);
		messages(w, m);
		m->ahead = s.ahead;
	}
	if (f)
		fclose(f);
	sim_fini(&s);
	return rc;
}

void simulate_measured_fini(struct simulate_measured *m)
{
	free(m->links);
	free(m->first_ns);
	free(m->last_ns);
	*m = (struct simulate_measured) { 0 };
}

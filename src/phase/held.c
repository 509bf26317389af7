/* SPDX-License-Identifier: GPL-2.0-or-later
 * Receivers whose port at the switch sends nothing although data waits for it.
 *
 * What comes from a host at the same switch passes one port only, that of the
 * receiver: no thin uplink and no other link delays it.  If it waits while
 * the receiver's link is not busy, that port may not always send.  So it is
 * where all that comes to a host stops, and nothing else that was queued
 * explains that (halts.c).  The host pauses it, or the port is at fault:
 * without PFC in the capture nobody knows which, and the network is not to
 * blame for what is queued there. */
#include <math.h>
#include <stdlib.h>

#include "phase/path_int.h"

enum {
	WAITS = 4, /* that say so, at least */
	MTU_MAX = 4096
};

/* Through one switch it is as short as the shortest way of all, within NOISE,
 * and through others longer by half. */
static const double NOISE = 0.25, LONGER = 1.5;
/* A link that carried less while data waited was idle at times: what is between
 * frames is 24 bytes, below a tenth of what carries data. */
static const double BUSY = 0.9;
/* Of waits that long stops are part of, that part is no chance. */
static const double STOPPED = 0.4;

/* How long data waited, and for how long of that the port of its receiver sent
 * nothing. */
struct waits {
	double ns, idle;
	size_t n;
};

/* What came through one switch, whose queue is that of its receiver; all, of
 * which only stops that nothing else explains count. */
struct port {
	struct waits one, longer, all; /* |longer| than a packet takes */
	double ns;                     /* what all data for it waited */
};

/* The shortest that data of flow |f| was on its way, as it was seen: what is
 * inferred where a queue was there whenever data came says no place.  What is
 * routed again and again passes several switches. */
static int64_t shortest_seen(const struct path_facts *p, uint32_t f)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	int64_t least = INT64_MAX;

	for (size_t k = 0; g->far && g->routers < 2 && k < g->n; k++) {
		const struct phase_activity *a = &g->a[k];

		if (path_is_small(p, f, a) || a->guessed || a->came < a->from)
			continue;
		least = a->came - a->from < least ? a->came - a->from : least;
	}
	return least;
}

/* The shortest way of all; PHASE_UNKNOWN: none is longer than through one
 * switch. */
static int64_t through_one(const struct path_facts *p)
{
	int64_t least = INT64_MAX, most = 0;

	for (uint32_t f = 0; f < p->j->in->n_flows; f++) {
		int64_t ns = shortest_seen(p, f);

		least = ns < least ? ns : least;
		most = ns != INT64_MAX && ns > most ? ns : most;
	}
	return (double)most >= LONGER * (double)least ? least : PHASE_UNKNOWN;
}

/* Do all switches count down the time to live of what they forward? */
static bool all_route(const struct path_facts *p)
{
	for (uint32_t f = 0; f < p->j->in->n_flows; f++)
		if (p->j->in->flows[f].far && p->j->in->flows[f].routers < 1)
			return false;
	return true;
}

/* Does flow |f| pass one switch, as who knows the cables says, or its time to
 * live, |counted|, or as its way is as short as |least|, of all? */
static bool passes_one(const struct path_facts *p, uint32_t f, bool counted,
		       int64_t least)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	uint32_t leaf = p->j->in->hosts[g->src].leaf;
	uint32_t other = p->j->in->hosts[g->dst].leaf;

	if (leaf && other)
		return leaf == other;
	if (counted && g->routers == 1)
		return true;
	return least != PHASE_UNKNOWN &&
	       (double)shortest_seen(p, f) <= (1 + NOISE) * (double)least;
}

/* What one packet of |a| takes at most on the link of host |dst|: a shorter
 * wait may be half of one, and says nothing of the link. */
static double one_packet(const struct path_facts *p, uint32_t dst,
			 const struct phase_activity *a)
{
	double bytes =
		a->psns ? (double)a->bytes / (double)a->psns : (double)a->bytes;

	return fmin(bytes, MTU_MAX) * 8e9 / phase_link(p->j, dst);
}

static void add(struct waits *w, double ns, double idle)
{
	w->n++;
	w->ns += ns;
	w->idle += idle;
}

/* A wait that is no longer than the way itself may be in a switch that is busy.
 * What was lost is not in a queue. */
static void add_flow(struct port *o, const struct path_facts *p, uint32_t f,
		     bool one)
{
	const struct phase_flow *g = &p->j->in->flows[f];

	for (size_t k = 0; k < g->n; k++) {
		const struct phase_activity *a = &g->a[k];
		int64_t ns = a->there - a->sent - p->least[f];
		int64_t from = a->there - ns;
		double idle;

		if (path_is_small(p, f, a) || ns <= p->least[f] ||
		    ns <= path_delay_error(p, f))
			continue;
		o->ns += (double)ns;
		idle = (double)ns - path_busy(p, g->dst, from, a->there);
		if (one)
			add(&o->one, (double)ns, fmax(0, idle));
		if (one && (double)ns > one_packet(p, g->dst, a))
			add(&o->longer, (double)ns, idle);
		if (!path_has_evidence(p, f, from, a->there))
			add(&o->all, (double)ns,
			    (double)path_halted(p, g->dst, from, a->there,
						true));
	}
}

static bool is_idle(const struct waits *w, double part)
{
	return w->n >= WAITS && w->idle > part * w->ns;
}

/* Whose link had next to nothing to carry while data waited there, or was not
 * busy for a part of the time; but where most of what waited came through other
 * switches as well, some queue there may leave such gaps. */
static bool is_held(const struct port *o)
{
	return is_idle(&o->one, STOPPED) || is_idle(&o->all, STOPPED) ||
	       (2 * o->longer.ns >= o->ns && is_idle(&o->longer, 1 - BUSY));
}

bool path_held_ports(struct path_facts *p)
{
	const struct phase_input *in = p->j->in;
	int64_t least = through_one(p);
	bool counted = all_route(p);
	struct port *w = calloc(in->n_hosts + 1, sizeof *w);

	p->held = calloc(in->n_hosts + 1, sizeof *p->held);
	if (!w || !p->held) {
		free(w);
		return false;
	}
	/* Where pauses are seen, these tell. */
	p->halts = p->j->link > 0 && !in->n_host_pauses && !in->n_net_pauses &&
		   !in->n_open_pauses;
	for (uint32_t f = 0; p->halts && f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];

		if (g->far && g->src_seen && g->dst_seen &&
		    p->least[f] != PHASE_UNKNOWN)
			add_flow(&w[g->dst], p, f,
				 passes_one(p, f, counted, least));
	}
	for (size_t h = 0; h < in->n_hosts; h++)
		p->held[h] = is_held(&w[h]);
	/* So it is with what was marked there. */
	for (uint32_t f = 0; f < in->n_flows; f++)
		if (p->held[in->flows[f].dst])
			p->cut_unknown[f] = 1 - p->cut_by_host[f];
	free(w);
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Over which of several parallel links the packets of a flow went. */
#include "flow/balance/links.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "flow/core/flow.h"

enum {
	MEMBERS_MAX = 64, /* of a flow; packets of further ones are left out */
	FLOWS_MAX = 1 << 14,
	OCTAVES = 40, /* of idle times: up to 18 minutes */
	WINDOW = 100, /* packets */
};

struct member {
	uint32_t tap;
	uint16_t first_port, last_port;
	uint16_t window; /* packets in the current window */
	uint64_t packets, bytes;
	int64_t first_ns, last_ns;
};

/* Idle times before packets, by octave. */
struct idle {
	uint64_t stayed, moved;
	int64_t moved_min; /* shortest that a change followed */
};

struct flow_links {
	struct member *m;
	uint32_t n, room, last;
	struct idle idle[OCTAVES];
	uint32_t in_window, windows;
	double fairness; /* sum over windows */
};

static bool add_member(struct flow_links *l, uint32_t tap)
{
	if (l->n == MEMBERS_MAX ||
	    !mem_grow(&l->m, l->n, &l->room, 4, sizeof *l->m))
		return false;
	l->last = l->n++;
	l->m[l->last] = (struct member) { .tap = tap };
	return true;
}

/* All so far went over one. */
static struct flow_links *begin(struct engine *e, struct flow *f)
{
	struct flow_links *l;

	if (e->n_linked >= FLOWS_MAX)
		return NULL;
	l = mem_calloc(1, sizeof *l);
	if (!l)
		return NULL;
	if (!add_member(l, f->last_tap)) {
		free(l);
		return NULL;
	}
	e->n_linked++;
	l->m[0] = (struct member) {
		.tap = f->last_tap,
		.first_port = f->sport,
		.last_port = f->last_sport,
		.packets = f->packets,
		.bytes = f->bytes,
		.first_ns = f->first_ns,
		.last_ns = f->last_ns,
	};
	f->links = l;
	return l;
}

static bool find(struct flow_links *l, uint32_t tap)
{
	if (l->m[l->last].tap == tap)
		return true;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->m[i].tap == tap) {
			l->last = i;
			return true;
		}
	return add_member(l, tap);
}

/* Jain's index of the packets of each link in a stretch of them. */
static void close_window(struct flow_links *l)
{
	double sum = 0, squares = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		double x = l->m[i].window;

		sum += x;
		squares += x * x;
		l->m[i].window = 0;
	}
	l->fairness += sum * sum / ((double)l->n * squares);
	l->windows++;
	l->in_window = 0;
}

static void note_idle(struct flow_links *l, int64_t ns, bool moved)
{
	unsigned octave =
		ns > 0 ? 63u - (unsigned)__builtin_clzll((uint64_t)ns) : 0;
	struct idle *at = &l->idle[octave < OCTAVES ? octave : OCTAVES - 1];

	if (!moved) {
		at->stayed++;
		return;
	}
	if (!at->moved++ || ns < at->moved_min)
		at->moved_min = ns;
}

void links_packet(struct engine *e, struct flow *f, const struct packet *p)
{
	struct flow_links *l = f->links;
	struct member *m;
	uint32_t before;

	if (!l && !(l = begin(e, f))) {
		f->last_tap = (uint16_t)p->tap;
		e->limit[LIMIT_FLOW_TAP].left_out++;
		return;
	}
	f->last_tap = MANY_TAPS;
	before = l->last;
	if (!find(l, p->tap)) {
		e->limit[LIMIT_FLOW_TAP].left_out++;
		return;
	}
	note_idle(l, p->ns - f->last_ns, l->last != before);
	m = &l->m[l->last];
	if (!m->packets) {
		m->first_ns = p->ns;
		m->first_port = p->sport;
	}
	m->packets++;
	m->bytes += p->wire_len;
	m->last_ns = p->ns;
	m->last_port = p->sport;
	m->window++;
	if (++l->in_window == WINDOW)
		close_window(l);
}

void links_free(struct flow *f)
{
	if (f->links)
		free(f->links->m);
	free(f->links);
	f->links = NULL;
}

/* ---- facts ---- */

/* The octave that half of all packets follow their predecessor within. */
static unsigned usual(const struct flow_links *l)
{
	uint64_t all = 0, seen = 0;
	unsigned i;

	for (i = 0; i < OCTAVES; i++)
		all += l->idle[i].stayed + l->idle[i].moved;
	for (i = 0; i < OCTAVES - 1; i++) {
		seen += l->idle[i].stayed + l->idle[i].moved;
		if (2 * seen >= all)
			break;
	}
	return i;
}

/* From which idle time on it changes: all but one in a hundred changes came
 * after at least that. */
static unsigned moving_from(const struct flow_links *l, uint64_t moves)
{
	uint64_t early = 0;
	unsigned i;

	for (i = 0; i < OCTAVES - 1; i++) {
		early += l->idle[i].moved;
		if (100 * early > moves)
			break;
	}
	return i;
}

/* Eight times the usual distance is still the same burst. */
enum { BURST_OCTAVES = 3 };

static void how_it_moved(const struct flow_links *l, struct fact_spread_over *f)
{
	unsigned burst = usual(l) + BURST_OCTAVES, from;

	for (unsigned i = 0; i < OCTAVES; i++) {
		f->moves += l->idle[i].moved;
		if (i > burst)
			continue;
		f->burst_packets += l->idle[i].stayed + l->idle[i].moved;
		f->burst_moves += l->idle[i].moved;
	}
	from = moving_from(l, f->moves);
	f->idle_ns =
		l->idle[from].moved ? l->idle[from].moved_min : FACT_UNKNOWN;
	for (unsigned i = from; i < OCTAVES; i++) {
		f->idles += l->idle[i].stayed + l->idle[i].moved;
		f->idle_moves += l->idle[i].moved;
	}
}

static void emit_member(struct engine *e, const struct flow *f,
			const struct member *m)
{
	const struct fact_flow_tap row = {
		.flow = f->id,
		.tap = m->tap,
		.packets = m->packets,
		.bytes = m->bytes,
		.first_ns = m->first_ns,
		.last_ns = m->last_ns,
		.first_port = m->first_port,
		.last_port = m->last_port,
	};

	if (limit_take(e, LIMIT_FLOW_TAP, 1, true))
		HAND_OUT(e, flow_tap, &row);
}

void links_emit(struct engine *e, const struct flow *f)
{
	const struct flow_links *l = f->links;
	struct fact_spread_over row = { .flow = f->id };

	if (!l)
		return;
	for (uint32_t i = 0; i < l->n; i++)
		emit_member(e, f, &l->m[i]);
	row.links = l->n;
	row.fairness = l->windows ? l->fairness / l->windows : -1;
	how_it_moved(l, &row);
	HAND_OUT(e, spread_over, &row);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The answers that an analysis should give, as JSON: from the twins, and from
 * where the record has queues, pauses and taps. */
#include <inttypes.h>
#include <string.h>

#include "simulate/build.h"
#include "simulate/collective.h"
#include "simulate/json_out.h"
#include "simulate/port.h"
#include "simulate/tap.h"
#include "simulate/truth_int.h"
#include "simulate/twin.h"
#include "simulate/world.h"

static const char *const class_names[] = {
#define X(id, name, side) name,
	ANSWER_CLASSES(X)
#undef X
};

static const char *const side_names[] = { "needed", "network", "host" };

/* Shares of the total, and of the excess (docs/simulate.md). */
static const double harmless = 0.02, perhaps = 0.06;
static const double a_side = 0.2, about = 0.05;

static int64_t sum_of(const struct twin_answer *a, enum side side)
{
	int64_t ps = 0;

	for (unsigned i = 0; i < a->n_parts; i++)
		ps += a->part[i].side == side ? a->part[i].ps : 0;
	return ps;
}

static int64_t excess(const struct twin_answer *a)
{
	return sum_of(a, SIDE_NETWORK) + sum_of(a, SIDE_HOST);
}

static const struct part *largest(const struct twin_answer *a, enum side side)
{
	const struct part *most = NULL;

	for (unsigned i = 0; i < a->n_parts; i++)
		if (a->part[i].side == side &&
		    (!most || a->part[i].ps > most->ps))
			most = &a->part[i];
	return most;
}

/* --- verdicts ------------------------------------------------------------- */

static void text(struct out *o, const char *v)
{
	out_comma(o);
	fprintf(o->f, "\"%s\"", v);
}

/* All that are right; the first is the one by the letter. */
static void verdicts(struct out *o, const struct twin_answer *a)
{
	double all = (double)excess(a);
	double share = all / (double)a->total;
	double host = all > 0 ? (double)sum_of(a, SIDE_HOST) / all : 0;
	double less = host < 0.5 ? host : 1 - host;
	const char *side = host < 0.5 ? "network" : "host";

	out_open(o, "verdicts", '[');
	if (share < harmless)
		text(o, "nothing-wrong");
	if (share >= harmless) {
		text(o, less >= a_side ? "both" : side);
		if (less >= a_side - about && less < a_side + about)
			text(o, less >= a_side ? side : "both");
		if (share < perhaps)
			text(o, "nothing-wrong");
	}
	out_shut(o, ']');
}

/* --- where it began ------------------------------------------------------- */

static void link_row(struct out *o, const struct port *p)
{
	out_row(o);
	out_open(o, "link", '[');
	text(o, p->node->name);
	text(o, p->peer->node->name);
	out_shut(o, ']');
	out_shut(o, '}');
}

static void name_row(struct out *o, const char *what, const char *name)
{
	out_row(o);
	out_text(o, what, name);
	out_shut(o, '}');
}

static void place_rows(struct out *o, const struct problem *t)
{
	bool is_one;

	for (unsigned i = 0; i < t->n_at; i++) {
		const struct node *n = world_node(o->s, t->at[i]);
		const struct port *p = build_direction(o->s, t->at[i], &is_one);

		if (p)
			link_row(o, p);
		else
			name_row(o,
				 !n             ? "work"
				 : n->is_switch ? "switch"
						: "host",
				 t->at[i]);
	}
}

static int64_t waited(const struct out *o, const struct link_truth *l,
		      const struct work *w)
{
	int64_t ps = 0;

	for (size_t i = 0; i < o->s->truth->streams.n; i++) {
		const struct stream *st = o->s->truth->streams.row[i];

		if (st->id < l->n_flows && st->work == w)
			ps += l->flows[st->id].waited;
	}
	return ps;
}

/* Where packets of |w| waited longest, all together. */
static const struct link_truth *slow_link(const struct out *o,
					  const struct work *w)
{
	const struct link_truth *worst = NULL;
	int64_t most = 0;

	for (size_t i = 0; i < o->s->truth->links.n; i++) {
		const struct link_truth *l = o->s->truth->links.row[i];
		int64_t ps = waited(o, l, w);

		if (ps > most) {
			most = ps;
			worst = l;
		}
	}
	return worst;
}

static uint64_t carried(const struct out *o, const struct link_truth *l,
			const struct work *w)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < o->s->truth->streams.n; i++) {
		const struct stream *st = o->s->truth->streams.row[i];

		if (st->id < l->n_flows && st->work == w)
			bytes += l->flows[st->id].bytes;
	}
	return bytes;
}

/* Other work that has a fifth of what |l| carried. */
static void company(struct out *o, const struct link_truth *l,
		    const struct work *w)
{
	for (size_t i = 0; i < o->s->n_works; i++)
		if (o->s->works[i] != w &&
		    carried(o, l, o->s->works[i]) * 5 > l->bytes)
			name_row(o, "work", o->s->works[i]->name);
}

/* The egress whose queue made others pause longest. */
static const struct port *pausing(const struct out *o)
{
	const struct pause_truth *worst = NULL;
	int64_t most = 0;

	for (size_t i = 0; i < o->s->truth->pauses.n; i++) {
		const struct pause_truth *p = o->s->truth->pauses.row[i];
		const struct pause_truth *root = p->root ? p->root : p;
		int64_t ps = (p->to < 0 ? o->s->now : p->to) - p->from;

		if (root->egress && ps > most) {
			most = ps;
			worst = root;
		}
	}
	return worst ? worst->egress : NULL;
}

static void fabric_rows(struct out *o, const struct twin_answer *a,
			const struct part *p)
{
	const struct port *egress = p->class == CLASS_PAUSE ? pausing(o) : NULL;
	const struct link_truth *l =
		egress ? egress->truth : slow_link(o, a->work);

	if (!l)
		return;
	link_row(o, l->port);
	company(o, l, a->work);
}

static void roots(struct out *o, const struct twin_answer *a)
{
	out_open(o, "roots", '[');
	for (enum side side = SIDE_NETWORK; side <= SIDE_HOST; side++) {
		const struct part *p = largest(a, side);

		if (!p || (double)p->ps < a_side * (double)excess(a))
			continue;
		if (p->problem)
			place_rows(o, p->problem);
		else
			fabric_rows(o, a, p);
	}
	out_shut(o, ']');
}

/* --- what the taps can tell ----------------------------------------------- */

static bool is_tapped(const struct port *p)
{
	return p->tx_taps || p->peer->rx_taps;
}

static bool sees_pauses(const struct port *p)
{
	for (const struct tap *t = p->tx_taps; t; t = t->next)
		if (t->config.link_control)
			return true;
	for (const struct tap *t = p->peer->rx_taps; t; t = t->next)
		if (t->config.link_control)
			return true;
	return false;
}

/* Is all that |h| sends and gets copied?  What it gets is seen on its own link,
 * or by all others of its switch. */
static bool port_watched(const struct port *p)
{
	const struct node *n = p->peer->node;

	if (!is_tapped(p))
		return false;
	for (size_t i = 0; !is_tapped(p->peer) && i < n->n_ports; i++)
		if (!is_tapped(n->ports[i]->peer))
			return false;
	return true;
}

static bool is_watched(const struct host *h)
{
	for (size_t i = 0; i < h->node.n_ports; i++)
		if (!port_watched(h->node.ports[i]))
			return false;
	return true;
}

static bool tapped_both_ways(const struct host *h, bool pauses)
{
	for (size_t i = 0; i < h->node.n_ports; i++) {
		const struct port *p = h->node.ports[i];

		if (!is_tapped(p) || !is_tapped(p->peer) ||
		    (pauses && !sees_pauses(p->peer)))
			return false;
	}
	return true;
}

static bool all_tapped(const struct work *w, bool pauses)
{
	const struct host *h;

	for (uint32_t r = 0; (h = w->kind->rank(w, r)); r++)
		if (!tapped_both_ways(h, pauses))
			return false;
	return true;
}

static bool is_seen(const struct stream *st)
{
	for (size_t i = 0; i < st->n_tap; i++)
		if (st->tap[i])
			return true;
	return false;
}

/* Nine of ten packets that were lost, or marked, belong to flows that taps
 * see both ways. */
static bool flows_seen(const struct out *o, const struct work *w, bool marked)
{
	uint64_t all = 0, seen = 0;

	for (size_t i = 0; i < o->s->truth->streams.n; i++) {
		const struct stream *st = o->s->truth->streams.row[i];
		const struct class_count *c = &st->count[PKT_REQUEST];
		uint64_t n = marked ? c->marked : c->dropped;

		if (st->work != w)
			continue;
		all += n;
		seen += is_seen(st) && st->reverse && is_seen(st->reverse) ? n
									   : 0;
	}
	return all && seen * 10 >= all * 9;
}

/* What was lost on the last cable behind a tap there its adapter may have
 * dropped as well: is that more than a tenth of what cables lost? */
static bool lost_behind_taps(const struct sim *s)
{
	uint64_t all = 0, behind = 0;

	for (size_t i = 0; i < s->n_ports; i++) {
		const struct port *p = s->ports[i];
		bool last = p->node->is_switch && !p->peer->node->is_switch &&
			    p->tx_taps && !p->peer->rx_taps;

		for (const struct fault *f = p->faults; f; f = f->next) {
			if (f->kind != FAULT_DROP)
				continue;
			all += f->hits;
			behind += last ? f->hits : 0;
		}
	}
	return behind * 10 > all;
}

static bool host_watched(const struct out *o, const struct problem *t,
			 bool pauses)
{
	for (unsigned i = 0; t && i < t->n_at; i++) {
		const struct host *h = world_find_host(o->s, t->at[i]);

		if (h &&
		    (pauses ? sees_pauses(h->node.ports[0]) : is_watched(h)))
			return true;
	}
	return false;
}

static bool part_decidable(const struct out *o, const struct twin_answer *a,
			   const struct part *p)
{
	bool pause = p->class == CLASS_PAUSE;

	if (pause && p->side == SIDE_HOST)
		return host_watched(o, p->problem, true);
	if (p->class == CLASS_LOSS && lost_behind_taps(o->s))
		return false;
	if (all_tapped(a->work, pause))
		return true;
	switch (p->class) {
	case CLASS_LOSS:
		return flows_seen(o, a->work, false);
	case CLASS_RATE_CUT:
		return flows_seen(o, a->work, true);
	case CLASS_HOST_LATE:
	case CLASS_HOST_RECEIVER:
	case CLASS_HOST_NIC:
		return host_watched(o, p->problem, false);
	default:
		return false; /* queues, and that there are none */
	}
}

/* Could one who knows all that these taps show know the verdict? */
static bool decidable(const struct out *o, const struct twin_answer *a)
{
	int64_t all = excess(a);

	if ((double)all < harmless * (double)a->total)
		return all_tapped(a->work, false);
	for (unsigned i = 0; i < a->n_parts; i++)
		if (a->part[i].side != SIDE_NEEDED &&
		    (double)a->part[i].ps >= a_side * (double)all &&
		    !part_decidable(o, a, &a->part[i]))
			return false;
	return true;
}

/* --- the rows ------------------------------------------------------------- */

static int64_t ns(int64_t ps)
{
	return ps / PS_PER_NS;
}

static void share_row(struct out *o, enum answer_class class, enum side side,
		      int64_t v)
{
	if (v <= 0)
		return;
	out_row(o);
	out_text(o, "class", class_names[class]);
	out_text(o, "side", side_names[side]);
	out_num(o, "ns", (uint64_t)v);
	out_shut(o, '}');
}

/* What is needed takes the rest, so that the sum is the total. */
static void shares(struct out *o, const struct twin_answer *a)
{
	int64_t rest = ns(a->total), v;

	out_open(o, "shares", '[');
	for (enum side side = SIDE_HOST; side > SIDE_NEEDED; side--)
		for (enum answer_class c = 0; c < ANSWER_CLASS_COUNT; c++) {
			v = 0;
			for (unsigned i = 0; i < a->n_parts; i++)
				if (a->part[i].class == c &&
				    a->part[i].side == side)
					v += ns(a->part[i].ps);
			share_row(o, c, side, v);
			rest -= v;
		}
	v = 0;
	for (unsigned i = 0; i < a->n_parts; i++)
		if (a->part[i].class == CLASS_COMPUTE)
			v = ns(a->part[i].ps);
	share_row(o, CLASS_COMPUTE, SIDE_NEEDED, v < rest ? v : rest);
	share_row(o, CLASS_WIRE, SIDE_NEEDED, rest - v);
	out_shut(o, ']');
}

static void problems(struct out *o, const struct twin_answer *a)
{
	out_open(o, "problems", '[');
	for (unsigned i = 0; i < a->n_parts; i++) {
		const struct part *p = &a->part[i];

		if (p->side == SIDE_NEEDED)
			continue;
		out_row(o);
		out_text(o, "problem",
			 p->problem ? p->problem->name : "fabric");
		out_text(o, "class", class_names[p->class]);
		out_text(o, "side", side_names[p->side]);
		out_num(o, "ns", (uint64_t)ns(p->ps));
		out_shut(o, '}');
	}
	out_shut(o, ']');
}

static void spans(struct out *o, const char *k, const int64_t *ps, uint32_t n)
{
	out_open(o, k, '[');
	for (uint32_t i = 0; i < n; i++) {
		out_comma(o);
		fprintf(o->f, "%" PRId64, ns(ps[i]));
	}
	out_shut(o, ']');
}

static void answer(struct out *o, const struct twin_answer *a)
{
	const struct part *net = largest(a, SIDE_NETWORK);
	const struct part *host = largest(a, SIDE_HOST);
	const struct part *cause =
		!host || (net && net->ps > host->ps) ? net : host;

	out_row(o);
	out_text(o, "work", a->work->name);
	out_span(o, "total_ns", a->total);
	out_span(o, "ideal_ns", a->ideal);
	out_span(o, "excess_ns", excess(a));
	out_span(o, "network_ns", sum_of(a, SIDE_NETWORK));
	out_span(o, "host_ns", sum_of(a, SIDE_HOST));
	if (cause && (double)excess(a) >= harmless * (double)a->total)
		out_text(o, "cause", class_names[cause->class]);
	verdicts(o, a);
	out_key(o, "decidable");
	fputs(decidable(o, a) ? "true" : "false", o->f);
	shares(o, a);
	problems(o, a);
	roots(o, a);
	spans(o, "iteration_ns", a->took, a->iterations);
	spans(o, "iteration_ideal_ns", a->took_ideal, a->iterations);
	out_shut(o, '}');
}

void truth_write_answers(struct out *o)
{
	out_open(o, "answers", '[');
	for (size_t i = 0; i < o->s->n_answers; i++)
		answer(o, &o->s->answers[i]);
	out_shut(o, ']');
	fputc('\n', o->f);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The record as JSON.  docs/truth-schema.md
 * describes the file. */
#include <inttypes.h>
#include <string.h>

#include "simulate/json_out.h"
#include "simulate/truth_int.h"
#include "simulate/work.h"
#include "simulate/world.h"

enum { TRUTH_VERSION = 2 };

static const char *const triggers[] = { "none", "nak",     "timeout",
					"rnr",  "implied", "duplicate",
					"sack" };
static const char *const causes[] = { "loss",    "corruption", "ack_loss",
				      "reorder", "rnr",        "early_timeout",
				      "trim",    "busy" };
static const char *const ops[] = { "send",   "write",      "writeimm",
				   "read",   "cas",        "add",
				   "atomic", "rendezvous", "deferrable" };
static const char *const kinds[] = {
#define X(id, name) name,
	TRUTH_EVENTS(X)
#undef X
};

static void event(struct out *o, const struct truth_event *e)
{
	out_row(o);
	out_when(o, "ns", e->at);
	out_text(o, "kind", kinds[e->kind]);
	if (e->stream) {
		out_num(o, "flow", e->stream->id);
		out_num(o, "psn", e->psn & e->stream->psn_mask);
	}
	if (e->class < PKT_CLASSES) {
		out_text(o, "class", truth_class_names[e->class]);
		out_num(o, "retransmission", e->copy);
	}
	out_nonzero(o, "value", e->value);
	out_nonzero(o, "value2", e->value2);
	out_place(o, e->place);
	out_taps(o, "before_taps", e->taps_before);
	out_taps(o, "after_taps", e->taps_after);
	out_taps(o, "seen_taps", e->taps_seen);
	out_shut(o, '}');
}

static void recovery(struct out *o, const struct recovery *r)
{
	out_row(o);
	out_when(o, "ns", r->at);
	out_num(o, "flow", r->stream->id);
	out_text(o, "trigger", triggers[r->trigger]);
	out_text(o, "cause", causes[r->cause]);
	out_num(o, "psn", r->psn & r->stream->psn_mask);
	out_num(o, "span", r->until - r->psn);
	out_num(o, "lost", r->lost);
	out_num(o, "packets", r->packets);
	out_num(o, "payload", r->bytes);
	out_when(o, "caught_up_ns", r->caught_up);
	out_place(o, r->place);
	out_taps(o, "before_taps", r->taps_before);
	out_taps(o, "after_taps", r->taps_after);
	out_taps(o, "seen_taps", r->seen);
	out_shut(o, '}');
}

static void message(struct out *o, const struct message *m)
{
	out_row(o);
	if (m->stream) { /* else posted and never begun */
		out_num(o, "flow", m->stream->id);
		out_num(o, "psn_first", m->psn_first & m->stream->psn_mask);
		out_num(o, "psn_last", m->psn_last & m->stream->psn_mask);
	}
	out_nonzero(o, "id", m->id);
	out_text(o, "op", ops[m->op]);
	out_num(o, "bytes", m->bytes);
	if (m->op == MSG_RENDEZVOUS)
		out_num(o, "eager", m->eager);
	out_nonzero(o, "restarts", m->restarts);
	out_nonzero(o, "rest_of", m->rest_of);
	out_when(o, "posted_ns", m->posted);
	out_when(o, "first_ns", m->first);
	out_when(o, "last_ns", m->last);
	out_when(o, "delivered_ns", m->delivered);
	out_when(o, "completed_ns", m->completed);
	if (m->work) {
		out_text(o, "work", m->work->name);
		out_num(o, "iteration", m->iteration);
	}
	out_shut(o, '}');
}

static void place_row(struct out *o, const struct place *p)
{
	out_row(o);
	out_text(o, "place", p->at);
	out_text(o, "reason", p->reason);
	out_num(o, "packets", p->drops);
	out_shut(o, '}');
}

#define LIST(o, name, rows, write, at)                \
	do {                                          \
		out_open(o, name, '[');               \
		for (size_t i = 0; i < (rows).n; i++) \
			write(o, at(rows).row[i]);    \
		out_shut(o, ']');                     \
		fputc('\n', (o)->f);                  \
	} while (0)

static void fabric(struct out *o)
{
	const struct sim *s = o->s;

	out_open(o, "hosts", '[');
	for (size_t i = 0; i < s->n_hosts; i++)
		truth_write_host(o, s->hosts[i]);
	out_shut(o, ']');
	out_open(o, "switches", '[');
	for (size_t i = 0; i < s->n_switches; i++)
		truth_write_switch(o, &s->switches[i]->node);
	out_shut(o, ']');
	LIST(o, "links", s->truth->links, truth_write_link, );
	out_open(o, "groups", '[');
	for (size_t i = 0; i < s->n_switches; i++)
		truth_write_groups(o, &s->switches[i]->node);
	out_shut(o, ']');
}

static void drops(struct out *o)
{
	const struct truth *t = o->s->truth;

	out_open(o, "drops", '[');
	for (size_t i = 1; i < t->places.n; i++)
		if (t->places.row[i].drops)
			place_row(o, &t->places.row[i]);
	out_shut(o, ']');
}

int truth_write(const struct sim *s, const char *scenario, FILE *f)
{
	struct out o = { f, s, true };
	const struct truth *t = s->truth;
	const char *slash = strrchr(scenario, '/');

	fputs("{", f);
	out_num(&o, "truth_version", TRUTH_VERSION);
	out_text(&o, "scenario", slash ? slash + 1 : scenario);
	out_num(&o, "seed", s->seed);
	out_when(&o, "from_ns", 0);
	out_when(&o, "to_ns", s->now);
	out_span(&o, "bin_ns", s->bin);
	out_num(&o, "packets", s->pool.ids);
	out_num(&o, "in_flight", s->pool.live);
	fputc('\n', f);
	out_open(&o, "taps", '[');
	for (size_t i = 0; i < s->n_taps; i++)
		truth_write_tap(&o, s->taps[i]);
	out_shut(&o, ']');
	LIST(&o, "flows", t->streams, truth_write_flow, );
	LIST(&o, "recoveries", t->recoveries, recovery, );
	LIST(&o, "messages", t->messages, message, );
	LIST(&o, "iterations", t->iterations, truth_write_iteration, );
	LIST(&o, "collectives", t->iterations, truth_write_collective, );
	LIST(&o, "pauses", t->pauses, truth_write_pause, );
	LIST(&o, "silences", t->silences, truth_write_silence, );
	LIST(&o, "cnps", t->cnps, truth_write_cnp, );
	fabric(&o);
	drops(&o);
	if (s->twins)
		truth_write_answers(&o);
	LIST(&o, "events", t->events, event, &);
	fputs("}\n", f);
	return ferror(f) ? -1 : 0;
}

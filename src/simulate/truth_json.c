/* SPDX-License-Identifier: GPL-2.0-or-later
 * The record as JSON, and the check that it adds up.  docs/truth-schema.md
 * describes the file. */
#include <inttypes.h>
#include <string.h>

#include "simulate/frame.h"
#include "simulate/port.h"
#include "simulate/tap.h"
#include "simulate/truth_int.h"
#include "simulate/work.h"
#include "simulate/world.h"

enum { TRUTH_VERSION = 1 };

static const char *const class_names[] = { "request", "response", "ack", "cnp",
					   "cm" };
static const char *const services[] = { "RC", "UC", "UD" };
static const char *const triggers[] = { "none", "nak",     "timeout",
					"rnr",  "implied", "duplicate" };
static const char *const causes[] = { "loss",    "damage", "ack_loss",
				      "reorder", "rnr",    "early_timeout" };
static const char *const ops[] = { "send", "write", "writeimm",
				   "read", "cas",   "add" };
static const char *const kinds[] = {
#define X(id, name) name,
	TRUTH_EVENTS(X)
#undef X
};

struct out {
	FILE *f;
	const struct sim *s;
	bool first; /* nothing in this list or object yet */
};

static void comma(struct out *o)
{
	if (!o->first)
		fputs(",", o->f);
	o->first = false;
}

static void key(struct out *o, const char *k)
{
	comma(o);
	fprintf(o->f, "\"%s\":", k);
}

static void num(struct out *o, const char *k, uint64_t v)
{
	key(o, k);
	fprintf(o->f, "%" PRIu64, v);
}

static void nonzero(struct out *o, const char *k, uint64_t v)
{
	if (v)
		num(o, k, v);
}

static void text(struct out *o, const char *k, const char *v)
{
	key(o, k);
	fputc('"', o->f);
	for (; *v; v++) {
		if (*v == '"' || *v == '\\')
			fputc('\\', o->f);
		fputc((unsigned char)*v < 0x20 ? ' ' : *v, o->f);
	}
	fputc('"', o->f);
}

/* ps of the run as ns since the epoch; never: null */
static void when(struct out *o, const char *k, int64_t ps)
{
	key(o, k);
	if (ps < 0)
		fputs("null", o->f);
	else
		fprintf(o->f, "%" PRId64, sim_ns(o->s, ps));
}

static void span(struct out *o, const char *k, int64_t ps)
{
	num(o, k, (uint64_t)(ps / PS_PER_NS));
}

static void open(struct out *o, const char *k, char bracket)
{
	if (k)
		key(o, k);
	else
		comma(o);
	fputc(bracket, o->f);
	o->first = true;
}

static void shut(struct out *o, char bracket)
{
	fputc(bracket, o->f);
	o->first = false;
}

static void row(struct out *o)
{
	comma(o);
	fputs("\n {", o->f);
	o->first = true;
}

static void mask(struct out *o, const char *k, uint32_t taps)
{
	if (!taps)
		return;
	open(o, k, '[');
	for (; taps; taps &= taps - 1) {
		comma(o);
		fprintf(o->f, "%d", __builtin_ctz(taps));
	}
	shut(o, ']');
}

static void place(struct out *o, uint16_t at)
{
	const struct place *p = &o->s->truth->places.row[at];

	if (!at)
		return;
	text(o, "place", p->at);
	text(o, "reason", p->reason);
}

static void address(struct out *o, const char *k, const struct host *h)
{
	char buf[64];

	if (o->s->host.ipv6)
		snprintf(buf, sizeof buf, "fd00:10::%x:%x",
			 h->v6[12] << 8 | h->v6[13],
			 h->v6[14] << 8 | h->v6[15]);
	else
		snprintf(buf, sizeof buf, "%u.%u.%u.%u", h->v4[0], h->v4[1],
			 h->v4[2], h->v4[3]);
	text(o, k, buf);
}

static void mac(struct out *o, const char *k, uint32_t port)
{
	uint8_t m[6];
	char buf[24];

	frame_mac(m, port);
	snprintf(buf, sizeof buf, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1],
		 m[2], m[3], m[4], m[5]);
	text(o, k, buf);
}

/* --- flows ---------------------------------------------------------------- */

static uint64_t in_flight(const struct sim *s, const struct stream *st,
			  unsigned class)
{
	uint64_t n = 0;

	for (const struct pkt *p = s->pool.all; p; p = p->older)
		n += p->live && p->stream == st && p->class == class;
	return n;
}

static void classes(struct out *o, const struct stream *st)
{
	open(o, "classes", '{');
	for (unsigned i = 0; i < PKT_CLASSES; i++) {
		const struct class_count *c = &st->count[i];

		if (!c->sent)
			continue;
		open(o, class_names[i], '{');
		num(o, "sent", c->sent);
		num(o, "copies", c->copies);
		num(o, "bytes", c->bytes);
		num(o, "payload", c->payload);
		num(o, "delivered", c->delivered);
		num(o, "dropped", c->dropped);
		num(o, "in_flight", c->sent - c->delivered - c->dropped);
		nonzero(o, "marked", c->marked);
		shut(o, '}');
	}
	shut(o, '}');
}

/* PSNs of a log, by what a tap could know of them. */
struct psn_sums {
	uint64_t lost_before, lost_before_any, lost_after, for_good;
	uint64_t never_passed, ghosts;
};

static struct psn_sums sum_psns(const struct psn_log *l, unsigned tap)
{
	struct psn_sums s = { 0 };
	uint32_t bit = UINT32_C(1) << tap;

	for (size_t i = 0; i < l->n; i++) {
		const struct psn_record *r = &l->r[i];

		if (!r->sent)
			continue;
		s.lost_before += (r->lost_first & bit) != 0;
		s.lost_before_any += (r->lost_before & bit) != 0;
		s.lost_after += (r->lost_after & bit) != 0;
		s.for_good +=
			((r->lost_before | r->lost_after) & bit) && !r->taken;
		s.never_passed += !(r->passed & bit);
		s.ghosts += r->passed & bit && !(r->captured & bit);
	}
	return s;
}

static void tap_class(struct out *o, const struct stream *st, unsigned tap,
		      unsigned class)
{
	const struct tap_count *c = &st->tap[tap][class];

	open(o, class_names[class], '{');
	num(o, "passed", c->passed);
	num(o, "captured", c->captured);
	num(o, "missed", c->missed);
	num(o, "doubled", c->doubled);
	nonzero(o, "passed_copies", c->passed_copies);
	nonzero(o, "captured_copies", c->captured_copies);
	nonzero(o, "damaged", c->damaged);
	nonzero(o, "ce", c->ce);
	num(o, "lost_before", c->lost_before);
	num(o, "lost_after", c->lost_after);
	nonzero(o, "naks", c->naks);
	nonzero(o, "rnrs", c->rnrs);
	nonzero(o, "refusals", c->refusals);
	nonzero(o, "reordered", c->reordered);
	nonzero(o, "reordered_copies", c->reordered_copies);
	if (class <= PKT_RESPONSE) {
		struct psn_sums s = sum_psns(&st->log[class], tap);

		num(o, "psns_lost_before", s.lost_before);
		num(o, "psns_lost_before_any", s.lost_before_any);
		num(o, "psns_lost_after", s.lost_after);
		nonzero(o, "psns_lost_for_good", s.for_good);
		num(o, "psns_ghost", s.ghosts);
		num(o, "psns_never_passed", s.never_passed);
	}
	shut(o, '}');
}

static void flow_taps(struct out *o, const struct stream *st)
{
	open(o, "taps", '[');
	for (unsigned t = 0; t < o->s->n_taps; t++) {
		if (!st->tap[t])
			continue;
		open(o, NULL, '{');
		num(o, "tap", t);
		for (unsigned i = 0; i < PKT_CLASSES; i++) {
			const struct tap_count *c = &st->tap[t][i];

			if (c->passed || c->lost_before || c->lost_after)
				tap_class(o, st, t, i);
		}
		shut(o, '}');
	}
	shut(o, ']');
}

static void hops(struct out *o, const struct stream *st)
{
	if (!st->n_hops)
		return;
	open(o, "hops", '[');
	for (size_t i = 0; i < st->n_hops; i++) {
		const struct hop_count *h = &st->hops[i];

		open(o, NULL, '{');
		text(o, "switch", h->node->name);
		num(o, "device", h->node->id);
		num(o, "ingress", h->ingress);
		num(o, "egress", h->egress);
		num(o, "packets", h->packets);
		num(o, "residence_min_ns", h->residence_min);
		num(o, "residence_mean_ns", h->residence_sum / h->packets);
		num(o, "residence_max_ns", h->residence_max);
		shut(o, '}');
	}
	shut(o, ']');
}

static void recovered(struct out *o, const struct stream *st)
{
	open(o, "resent", '{');
	for (unsigned i = TRIG_NAK; i < TRIGS; i++)
		nonzero(o, triggers[i], st->resent[i]);
	nonzero(o, "needless", st->resent_needless);
	nonzero(o, "bytes", st->resent_bytes);
	shut(o, '}');
	nonzero(o, "timeouts", st->timeouts);
	nonzero(o, "nak_seq", st->naks);
	nonzero(o, "rnr_nak", st->rnr_naks);
	nonzero(o, "implied_nak", st->implied);
	nonzero(o, "nak_fatal", st->fatal);
	nonzero(o, "duplicates", st->duplicates);
	nonzero(o, "cnps", st->cnps);
	nonzero(o, "ce_received", st->ce_seen);
}

static void flow(struct out *o, const struct stream *st)
{
	row(o);
	num(o, "id", st->id);
	text(o, "transport", services[st->service]);
	address(o, "src", st->src);
	address(o, "dst", st->dst);
	text(o, "src_host", st->src->node.name);
	text(o, "dst_host", st->dst->node.name);
	num(o, "src_qp", st->src_qp);
	num(o, "dst_qp", st->dst_qp);
	num(o, "epoch", st->epoch);
	num(o, "peer", st->reverse ? st->reverse->id : 0);
	num(o, "mtu", st->mtu);
	num(o, "first_psn", st->first_psn & 0xffffff);
	when(o, "first_ns", st->first);
	when(o, "last_ns", st->last);
	num(o, "messages", st->messages);
	num(o, "completed", st->completed);
	classes(o, st);
	recovered(o, st);
	hops(o, st);
	flow_taps(o, st);
	shut(o, '}');
}

/* --- the other lists ------------------------------------------------------ */

static void event(struct out *o, const struct truth_event *e)
{
	row(o);
	when(o, "ns", e->at);
	text(o, "kind", kinds[e->kind]);
	if (e->stream) {
		num(o, "flow", e->stream->id);
		num(o, "psn", e->psn & 0xffffff);
	}
	if (e->class < PKT_CLASSES) {
		text(o, "class", class_names[e->class]);
		num(o, "copy", e->copy);
	}
	nonzero(o, "value", e->value);
	nonzero(o, "value2", e->value2);
	place(o, e->place);
	mask(o, "before_taps", e->taps_before);
	mask(o, "after_taps", e->taps_after);
	shut(o, '}');
}

static void recovery(struct out *o, const struct recovery *r)
{
	row(o);
	when(o, "ns", r->at);
	num(o, "flow", r->stream->id);
	text(o, "trigger", triggers[r->trigger]);
	text(o, "cause", causes[r->cause]);
	num(o, "psn", r->psn & 0xffffff);
	num(o, "span", r->until - r->psn);
	num(o, "lost", r->lost);
	num(o, "packets", r->packets);
	num(o, "payload", r->bytes);
	when(o, "caught_up_ns", r->caught_up);
	place(o, r->place);
	mask(o, "before_taps", r->taps_before);
	mask(o, "after_taps", r->taps_after);
	mask(o, "seen_taps", r->seen);
	shut(o, '}');
}

static void message(struct out *o, const struct message *m)
{
	row(o);
	num(o, "flow", m->stream->id);
	text(o, "op", ops[m->op]);
	num(o, "bytes", m->bytes);
	num(o, "psn_first", m->psn_first & 0xffffff);
	num(o, "psn_last", m->psn_last & 0xffffff);
	when(o, "posted_ns", m->posted);
	when(o, "first_ns", m->first);
	when(o, "last_ns", m->last);
	when(o, "delivered_ns", m->delivered);
	when(o, "completed_ns", m->completed);
	if (m->work) {
		text(o, "work", m->work->name);
		num(o, "iteration", m->iteration);
	}
	shut(o, '}');
}

static void pause_row(struct out *o, const struct pause_truth *p)
{
	char name[80];

	row(o);
	port_name(p->port, name);
	text(o, "emitter", name);
	num(o, "emitter_port", p->port->id);
	mac(o, "mac", p->port->id);
	num(o, "priority", p->priority);
	when(o, "from_ns", p->from);
	when(o, "to_ns", p->to);
	num(o, "xoff", p->xoff);
	num(o, "refreshes", p->refreshes);
	num(o, "xon", p->xon);
	num(o, "quanta", p->quanta);
	num(o, "storm", p->storm);
	shut(o, '}');
}

static void link_row(struct out *o, const struct link_truth *l)
{
	char name[80];

	row(o);
	port_name(l->port, name);
	text(o, "link", name);
	num(o, "port", l->port->id);
	num(o, "bps", l->port->bps);
	num(o, "packets", l->packets);
	num(o, "bytes", l->bytes);
	num(o, "delivered", l->delivered);
	num(o, "dropped", l->dropped);
	num(o, "pause_frames", l->pauses);
	span(o, "busy_ns", l->busy);
	open(o, "paused_ns", '[');
	for (unsigned i = 0; i < PRIORITIES; i++) {
		comma(o);
		fprintf(o->f, "%" PRId64, l->paused[i] / PS_PER_NS);
	}
	shut(o, ']');
	shut(o, '}');
}

static void tap_row(struct out *o, const struct tap *t)
{
	static const char *const wraps[] = { "none", "erspan2", "erspan3",
					     "vxlan" };
	char name[80];

	row(o);
	port_name(t->port, name);
	num(o, "tap", t->index);
	text(o, "name", t->name);
	text(o, "interface", t->with->name);
	text(o, "link", name);
	text(o, "side", t->at_rx ? "rx" : "tx");
	text(o, "wrap", wraps[t->config.wrap]);
	num(o, "snaplen", t->config.snaplen);
	num(o, "sees_pause", t->config.link_control);
	num(o, "passed", t->passed);
	num(o, "captured", t->captured);
	num(o, "missed", t->missed);
	num(o, "doubled", t->doubled);
	num(o, "outside", t->outside);
	when(o, "from_ns", t->config.from);
	when(o, "to_ns", t->config.to ? t->config.to : t->port ? o->s->now : 0);
	key(o, "offset_ns");
	fprintf(o->f, "%" PRId64, t->config.offset / PS_PER_NS);
	shut(o, '}');
}

static void iteration(struct out *o, const struct iteration *it)
{
	row(o);
	text(o, "work", it->work->name);
	text(o, "pattern", it->work->kind->name);
	num(o, "iteration", it->number);
	when(o, "from_ns", it->from);
	when(o, "comm_from_ns", it->comm_from);
	when(o, "to_ns", it->to);
	num(o, "last_rank", it->slowest);
	open(o, "rank_start_ns", '[');
	for (size_t i = 0; i < it->ranks; i++) {
		comma(o);
		fprintf(o->f, "%" PRId64,
			it->rank_start[i] < 0
				? -1
				: sim_ns(o->s, it->rank_start[i]));
	}
	shut(o, ']');
	open(o, "rank_end_ns", '[');
	for (size_t i = 0; i < it->ranks; i++) {
		comma(o);
		fprintf(o->f, "%" PRId64,
			it->rank_end[i] < 0 ? -1
					    : sim_ns(o->s, it->rank_end[i]));
	}
	shut(o, ']');
	shut(o, '}');
}

static void switch_row(struct out *o, const struct switch_node *w)
{
	row(o);
	text(o, "switch", w->node.name);
	num(o, "device", w->node.id);
	num(o, "buffer", w->config.buffer);
	num(o, "peak", w->peak);
	shut(o, '}');
}

static void place_row(struct out *o, const struct place *p)
{
	row(o);
	text(o, "place", p->at);
	text(o, "reason", p->reason);
	num(o, "packets", p->drops);
	shut(o, '}');
}

#define LIST(o, name, rows, write, at)                \
	do {                                          \
		open(o, name, '[');                   \
		for (size_t i = 0; i < (rows).n; i++) \
			write(o, at(rows).row[i]);    \
		shut(o, ']');                         \
		fputc('\n', (o)->f);                  \
	} while (0)

int truth_write(const struct sim *s, const char *scenario, FILE *f)
{
	struct out o = { f, s, true };
	const struct truth *t = s->truth;
	const char *slash = strrchr(scenario, '/');

	fputs("{", f);
	num(&o, "truth_version", TRUTH_VERSION);
	text(&o, "scenario", slash ? slash + 1 : scenario);
	num(&o, "seed", s->seed);
	when(&o, "from_ns", 0);
	when(&o, "to_ns", s->now);
	num(&o, "packets", s->pool.ids);
	num(&o, "in_flight", s->pool.live);
	fputc('\n', f);
	open(&o, "taps", '[');
	for (size_t i = 0; i < s->n_taps; i++)
		tap_row(&o, s->taps[i]);
	shut(&o, ']');
	LIST(&o, "flows", t->streams, flow, );
	LIST(&o, "recoveries", t->recoveries, recovery, );
	LIST(&o, "messages", t->messages, message, );
	LIST(&o, "iterations", t->iterations, iteration, );
	LIST(&o, "pauses", t->pauses, pause_row, );
	LIST(&o, "links", t->links, link_row, );
	open(&o, "switches", '[');
	for (size_t i = 0; i < s->n_switches; i++)
		switch_row(&o, s->switches[i]);
	shut(&o, ']');
	open(&o, "drops", '[');
	for (size_t i = 1; i < t->places.n; i++)
		if (t->places.row[i].drops)
			place_row(&o, &t->places.row[i]);
	shut(&o, ']');
	LIST(&o, "events", t->events, event, &);
	fputs("}\n", f);
	return ferror(f) ? -1 : 0;
}

unsigned truth_check(const struct sim *s, FILE *f)
{
	const struct truth *t = s->truth;
	unsigned wrong = 0;

	for (size_t i = 0; i < t->streams.n; i++) {
		const struct stream *st = t->streams.row[i];

		for (unsigned k = 0; k < PKT_CLASSES; k++) {
			const struct class_count *c = &st->count[k];
			uint64_t flying = c->sent ? in_flight(s, st, k) : 0;

			if (c->sent == c->delivered + c->dropped + flying)
				continue;
			wrong++;
			fprintf(f,
				"flow %u %s: sent %" PRIu64
				" is not delivered %" PRIu64
				" + dropped %" PRIu64 " + in flight %" PRIu64
				"\n",
				st->id, class_names[k], c->sent, c->delivered,
				c->dropped, flying);
		}
	}
	return wrong;
}

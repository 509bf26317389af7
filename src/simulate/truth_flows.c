/* SPDX-License-Identifier: GPL-2.0-or-later
 * One flow of the record as JSON: what was sent, what became of it, and what
 * each tap could see. */
#include <stdlib.h>

#include "simulate/json_out.h"
#include "simulate/truth_int.h"
#include "simulate/work.h"
#include "simulate/world.h"

const char *const truth_class_names[] = { "request", "response", "ack",
					  "cnp",     "cm",       "control" };
static const char *const services[] = { "RC",      "UC",      "UD",
					"UET-ROD", "UET-RUD", "UET-RUDI",
					"UET-UUD" };
static const char *const triggers[] = { "none", "nak",     "timeout",
					"rnr",  "implied", "duplicate",
					"sack" };

static void classes(struct out *o, const struct stream *st)
{
	out_open(o, "classes", '{');
	for (unsigned i = 0; i < PKT_CLASSES; i++) {
		const struct class_count *c = &st->count[i];

		if (!c->sent)
			continue;
		out_open(o, truth_class_names[i], '{');
		out_num(o, "sent", c->sent);
		out_num(o, "retransmissions", c->copies);
		out_num(o, "bytes", c->bytes);
		out_num(o, "payload", c->payload);
		out_num(o, "delivered", c->delivered);
		out_num(o, "dropped", c->dropped);
		out_num(o, "in_flight", c->sent - c->delivered - c->dropped);
		out_nonzero(o, "marked", c->marked);
		out_nonzero(o, "trimmed", c->trimmed);
		out_shut(o, '}');
	}
	out_shut(o, '}');
}

/* PSNs of a log, by what a tap could know of them. */
struct psn_sums {
	uint64_t lost_before, lost_before_any, lost_after, for_good;
	uint64_t never_passed, not_captured;
};

static struct psn_sums sum_psns(const struct sim *s, const struct psn_log *l,
				uint32_t tap)
{
	struct psn_sums sum = { 0 };

	for (size_t i = 0; i < l->n; i++) {
		const struct psn_record *r = &l->r[i];
		bool before, after, passed;

		if (!r->sent)
			continue;
		before = tapset_has(s, r->lost_before, tap);
		after = tapset_has(s, r->lost_after, tap);
		passed = tapset_has(s, r->passed, tap);
		sum.lost_before += tapset_has(s, r->lost_first, tap);
		sum.lost_before_any += before;
		sum.lost_after += after;
		sum.for_good += (before || after) && !r->taken;
		sum.never_passed += !passed;
		sum.not_captured += passed && !tapset_has(s, r->captured, tap);
	}
	return sum;
}

static void tap_class(struct out *o, const struct stream *st, unsigned tap,
		      unsigned class)
{
	const struct tap_count *c = &st->tap[tap][class];

	out_open(o, truth_class_names[class], '{');
	out_num(o, "passed", c->passed);
	out_num(o, "captured", c->captured);
	out_num(o, "missed", c->missed);
	out_num(o, "mirror_duplicates", c->doubled);
	out_nonzero(o, "passed_retransmissions", c->passed_copies);
	out_nonzero(o, "captured_retransmissions", c->captured_copies);
	out_nonzero(o, "icrc_bad", c->damaged);
	out_nonzero(o, "ce", c->ce);
	out_nonzero(o, "trimmed", c->trimmed);
	out_nonzero(o, "probes", c->probes);
	out_nonzero(o, "ack_requests", c->ack_reqs);
	out_nonzero(o, "clears", c->clears);
	out_num(o, "lost_before", c->lost_before);
	out_num(o, "lost_after", c->lost_after);
	out_nonzero(o, "naks", c->naks);
	out_nonzero(o, "rnrs", c->rnrs);
	out_nonzero(o, "refusals", c->refusals);
	out_nonzero(o, "reordered", c->reordered);
	out_nonzero(o, "reordered_retransmissions", c->reordered_copies);
	if (class <= PKT_RESPONSE) {
		struct psn_sums s = sum_psns(o->s, &st->log[class], tap);

		out_num(o, "psns_lost_before", s.lost_before);
		out_num(o, "psns_lost_before_any", s.lost_before_any);
		out_num(o, "psns_lost_after", s.lost_after);
		out_nonzero(o, "psns_lost_for_good", s.for_good);
		out_num(o, "psns_not_captured", s.not_captured);
		out_num(o, "psns_never_passed", s.never_passed);
	}
	out_shut(o, '}');
}

static void flow_taps(struct out *o, const struct stream *st)
{
	out_open(o, "taps", '[');
	for (unsigned t = 0; t < o->s->n_taps; t++) {
		if (t >= st->n_tap || !st->tap[t])
			continue;
		out_open(o, NULL, '{');
		out_num(o, "tap", t);
		for (unsigned i = 0; i < PKT_CLASSES; i++) {
			const struct tap_count *c = &st->tap[t][i];

			if (c->passed || c->lost_before || c->lost_after)
				tap_class(o, st, t, i);
		}
		out_shut(o, '}');
	}
	out_shut(o, ']');
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* What the stamps of one switch say, exactly (the least with so many at or
 * below it). */
static void stamped(struct out *o, const struct hop_count *h)
{
	size_t n = h->n_residences;

	if (!n)
		return;
	qsort(h->residences, n, sizeof *h->residences, by_size);
	out_num(o, "stamped", h->stamped);
	out_num(o, "residence_p50_ns", h->residences[(n - 1) / 2]);
	out_num(o, "residence_p99_ns", h->residences[(n - 1) * 99 / 100]);
}

static void hops(struct out *o, const struct stream *st)
{
	if (!st->n_hops)
		return;
	out_open(o, "hops", '[');
	for (size_t i = 0; i < st->n_hops; i++) {
		const struct hop_count *h = &st->hops[i];

		out_open(o, NULL, '{');
		out_text(o, "switch", h->node->name);
		out_num(o, "device", h->node->id);
		out_num(o, "ingress", h->ingress);
		out_num(o, "egress", h->egress);
		out_num(o, "packets", h->packets);
		out_nonzero(o, "marked", h->marked);
		out_num(o, "residence_min_ns", h->residence_min);
		out_num(o, "residence_mean_ns", h->residence_sum / h->packets);
		out_num(o, "residence_max_ns", h->residence_max);
		stamped(o, h);
		out_shut(o, '}');
	}
	out_shut(o, ']');
}

static void recovered(struct out *o, const struct stream *st)
{
	out_open(o, "retransmitted", '{');
	for (unsigned i = TRIG_NAK; i < TRIGS; i++)
		out_nonzero(o, triggers[i], st->retransmitted[i]);
	out_nonzero(o, "needless", st->retransmitted_needless);
	out_nonzero(o, "bytes", st->retransmitted_bytes);
	out_shut(o, '}');
	out_nonzero(o, "timeouts", st->timeouts);
	out_nonzero(o, "nak_seq", st->naks);
	out_nonzero(o, "rnr_nak", st->rnr_naks);
	out_nonzero(o, "implied_nak", st->implied);
	out_nonzero(o, "nak_fatal", st->fatal);
	out_nonzero(o, "duplicates", st->duplicates);
	out_nonzero(o, "cnps", st->cnps);
	out_nonzero(o, "ce_received", st->ce_seen);
}

static void uet(struct out *o, const struct uet_truth *u)
{
	char code[8];

	out_num(o, "job", u->job);
	out_num(o, "initiator", u->initiator);
	out_when(o, "opened_ns", u->opened);
	out_when(o, "known_ns", u->known);
	out_when(o, "closed_ns", u->closed);
	out_nonzero(o, "sdi", u->sdi);
	out_nonzero(o, "ssi", u->ssi);
	out_nonzero(o, "syns", u->syns);
	out_num(o, "evs", u->n_evs);
	out_nonzero(o, "credit_bytes", u->credits);
	out_nonzero(o, "starved_ns", u->starved / (uint64_t)PS_PER_NS);
	out_nonzero(o, "probes", u->probes);
	out_nonzero(o, "ack_requests", u->ack_reqs);
	out_nonzero(o, "clears", u->clears);
	out_nonzero(o, "clear_requests", u->clear_reqs);
	out_nonzero(o, "clear_flags", u->clear_flags);
	out_nonzero(o, "negotiations", u->negotiations);
	out_nonzero(o, "held", u->held);
	out_nonzero(o, "held_most", u->held_most);
	out_open(o, "nacks", '{');
	for (unsigned i = 0; i < 256; i++) {
		if (!u->nacks[i])
			continue;
		snprintf(code, sizeof code, "%u", i);
		out_num(o, code, u->nacks[i]);
	}
	out_shut(o, '}');
}

void truth_write_flow(struct out *o, const struct stream *st)
{
	out_row(o);
	out_num(o, "id", st->id);
	out_text(o, "transport", services[st->service]);
	out_address(o, "src", st->src);
	out_address(o, "dst", st->dst);
	out_text(o, "src_host", st->src->node.name);
	out_text(o, "dst_host", st->dst->node.name);
	out_num(o, st->uet ? "spdcid" : "src_qp", st->src_qp);
	out_num(o, st->uet ? "dpdcid" : "dst_qp", st->dst_qp);
	if (st->uet)
		uet(o, st->uet);
	out_num(o, "epoch", st->epoch);
	out_num(o, "peer", st->reverse ? st->reverse->id : 0);
	out_num(o, "mtu", st->mtu);
	out_nonzero(o, "sport", st->sport);
	if (st->work)
		out_text(o, "work", st->work->name);
	out_num(o, "first_psn", st->first_psn & st->psn_mask);
	out_when(o, "first_ns", st->first);
	out_when(o, "last_ns", st->last);
	out_num(o, "messages", st->messages);
	out_num(o, "completed", st->completed);
	classes(o, st);
	recovered(o, st);
	hops(o, st);
	flow_taps(o, st);
	out_shut(o, '}');
}

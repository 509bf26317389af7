/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts on their way out, with their caps: what a cap keeps back is counted
 * and reported in the end. */
#include "base/clamp.h"
#include "base/mem.h"
#include "flow/core/bins.h"
#include "flow/core/flow.h"
#include "flow/core/serial.h"
#include "flow/core/tracker.h"

/* Of messages, and of slow ones beside. */
enum { ROWS_PER_FLOW = 16, SLOW_ROWS_PER_FLOW = 64 };

void emit_left_out(struct engine *e, const char *table, uint64_t n)
{
	if (n)
		HAND_OUT(e, capped, table, n);
}

bool limit_take(struct engine *e, enum limit_id id, uint64_t n, bool own)
{
	const uint64_t most[] = {
#define LIMIT(id, name, most) most,
#include "flow/core/limits.def"
#undef LIMIT
	};
	struct limit *l = &e->limit[id];

	if (!own || l->rows + n > most[id]) {
		l->left_out += n;
		return false;
	}
	l->rows += n;
	return true;
}

/* NULL: no memory. */
static uint16_t *events_stored(struct flow *f, enum event_kind kind)
{
	if (!f->events)
		f->events = mem_calloc(EVENT_KIND_COUNT, sizeof *f->events);
	return f->events ? &f->events[kind] : NULL;
}

/* |f| is NULL for what belongs to no flow. */
void emit_event(struct engine *e, struct flow *f, const struct fact_event *ev)
{
	struct fact_event out = *ev;
	uint16_t *stored;

	if (f && transport(e, f)->slight(e, f))
		return;
	for (unsigned i = 0; f && e->tracker[i]; i++)
		if (e->tracker[i]->event)
			e->tracker[i]->event(e, f, ev);
	stored = f ? events_stored(f, ev->kind) : &e->orphan_events;
	if (!limit_take(e, LIMIT_EVENT, 1,
			stored && *stored < e->o.events_per_flow))
		return;
	(*stored)++;
	out.flow = f ? f->id : 0;
	HAND_OUT(e, event, &out);
}

void emit_packet(struct engine *e, struct flow *f, const struct packet *p,
		 enum event_kind kind, int64_t value, double confidence,
		 const char *detail)
{
	emit_event(e, f,
		   &(struct fact_event) { .ns = p->ns,
					  .frame = p->frame,
					  .tap = p->tap,
					  .kind = kind,
					  .psn = p->psn,
					  .count = 1,
					  .value = value,
					  .confidence = confidence,
					  .detail = detail });
}

void emit_gap(struct engine *e, struct flow *f, const struct gap *g,
	      enum event_kind kind, double confidence, const char *detail)
{
	emit_event(e, f,
		   &(struct fact_event) {
			   .ns = g->ns,
			   .frame = g->frame,
			   .tap = g->tap,
			   .kind = kind,
			   .psn = g->start,
			   .count = (uint32_t)psn_diff(g->end, g->start),
			   .value = FACT_UNKNOWN,
			   .confidence = confidence,
			   .detail = detail });
}

void emit_recovery(struct engine *e, struct flow *f,
		   const struct fact_recovery *r)
{
	if (transport(e, f)->slight(e, f))
		return;
	if (!limit_take(e, LIMIT_RECOVERY, 1,
			f->recovery_rows < e->o.events_per_flow))
		return;
	f->recovery_rows++;
	HAND_OUT(e, recovery, r);
}

void emit_cnp(struct engine *e, struct flow *f, const struct fact_cnp *c)
{
	struct fact_cnp out = *c;

	if (!limit_take(e, LIMIT_CNP, 1,
			!f || f->cnp_rows < e->o.events_per_flow))
		return;
	if (f)
		f->cnp_rows++;
	out.flow = f ? f->id : 0;
	HAND_OUT(e, cnp, &out);
}

void emit_cm(struct engine *e, const struct fact_cm *c)
{
	if (limit_take(e, LIMIT_CM, 1, true))
		HAND_OUT(e, cm, c);
}

/* What a READ asked for stands in its RETH, and nowhere else. */
int64_t message_bytes(const struct message *m)
{
	bool unknown = m->by_payload && m->op == MESSAGE_READ;

	return unknown ? FACT_UNKNOWN : (int64_t)m->bytes;
}

static struct fact_message message_fact(const struct flow *f,
					const struct message *m,
					enum message_status s, int64_t done)
{
	return (struct fact_message) {
		.flow = f->id,
		.op = m->op,
		.status = s,
		.first_ns = m->first_ns,
		.last_ns = m->last_ns,
		.completed_ns = done,
		.bytes = message_bytes(m),
		.psn_first = m->psn_first,
		.psn_last = m->psn_last,
	};
}

static void hand_out_message(struct engine *e, const struct fact_message *m)
{
	if (limit_take(e, LIMIT_MESSAGE, 1, true))
		HAND_OUT(e, message, m);
}

/* Which rows of |f| get one more message; NULL: none.  Those about which
 * nothing is to be reported leave room for others. */
static uint8_t *message_room(struct engine *e, struct flow *f, bool notable)
{
	if (f->msg_rows < ROWS_PER_FLOW &&
	    (notable || e->ordinary_messages < e->o.messages_total / 2)) {
		e->ordinary_messages += !notable;
		return &f->msg_rows;
	}
	return notable && f->slow_rows < SLOW_ROWS_PER_FLOW ? &f->slow_rows
							    : NULL;
}

void message_row(struct engine *e, struct flow *f, const struct message *m,
		 enum message_status s, int64_t done)
{
	int64_t latency = done == FACT_UNKNOWN ? 0 : done - m->first_ns;
	bool slow = f->lat_n > 16 && latency > 4 * f->lat_ewma;
	/* Where the capture begins and ends, messages are cut. */
	bool usual = s == MESSAGE_COMPLETE || s == MESSAGE_UNACKED ||
		     s == MESSAGE_CUT;
	bool notable = slow || m->slow || !usual;
	struct fact_message out = message_fact(f, m, s, done);
	uint8_t *at;

	if (e->o.all_messages) {
		if (!transport(e, f)->not_its_own(e, f))
			hand_out_message(e, &out);
		return;
	}
	at = message_room(e, f, notable);
	if (!at) {
		e->limit[LIMIT_MESSAGE].left_out++;
		return;
	}
	++*at;
	if (!transport(e, f)->not_its_own(e, f))
		hand_out_message(e, &out);
}

void message_latency(struct engine *e, struct flow *f, const struct message *m,
		     int64_t ns)
{
	latency_add(e, f, m, ns);
	if (!f->lat_n || ns < f->lat_min)
		f->lat_min = ns;
	if (ns > f->lat_max)
		f->lat_max = ns;
	f->lat_ewma =
		f->lat_n ? f->lat_ewma + clamp_sub(ns, f->lat_ewma) / 16 : ns;
	f->lat_sum = clamp_add(f->lat_sum, ns);
	f->lat_n++;
}

/* ---- the row of a flow ---- */

/* Its own packets are always visible; is the other direction? */
static enum flow_visibility visibility(const struct flow *f)
{
	if (f->paired)
		return VISIBLE_BOTH;
	return f->requests || !f->responses ? VISIBLE_FWD : VISIBLE_REV;
}

static enum flow_recovery recovery_mode(const struct flow *f)
{
	if (f->gb0_votes)
		return RECOVERY_GO_BACK_0;
	if (f->sr_votes > f->gbn_votes)
		return RECOVERY_SR;
	if (f->gbn_votes)
		return RECOVERY_GBN;
	if (f->reorder_events >= 5 && f->paired && !f->nak_seq)
		return RECOVERY_OOO;
	return RECOVERY_UNKNOWN;
}

static bool acknowledged(const struct flow *f)
{
	return f->transport == FLOW_RC || f->transport == FLOW_XRC ||
	       f->transport == FLOW_UET_ROD || f->transport == FLOW_UET_RUD;
}

bool psn_followed(const struct flow *f)
{
	return acknowledged(f) || f->transport == FLOW_UC;
}

/* Loss beyond the tap is only known through what the receiver answers. */
static void losses(const struct engine *e, const struct flow *f,
		   struct fact_flow *o)
{
	bool both = f->paired && acknowledged(f);

	o->lost_downstream_min = both ? 0 : FACT_UNKNOWN;
	o->lost_downstream_max =
		both ? (int64_t)f->r12_max + f->r4_max : FACT_UNKNOWN;
	/* Where it is known to reorder beyond the tap, a NAK alone does not
	 * prove a loss: it counts in the upper bound only (R26). */
	if (both && !transport(e, f)->reorders(f))
		o->lost_downstream_min = (int64_t)f->r12_min + f->r4_min;
	o->capture_missing = both ? (int64_t)f->missing : FACT_UNKNOWN;
	o->timeouts = both ? (int64_t)f->timeouts : FACT_UNKNOWN;
	o->nak_seq = both ? (int64_t)f->nak_seq : FACT_UNKNOWN;
	o->nak_fatal = both ? (int64_t)f->nak_fatal : FACT_UNKNOWN;
	o->rnr_nak = both ? (int64_t)f->rnr_nak : FACT_UNKNOWN;
	o->implied_nak = both ? (int64_t)f->implied : FACT_UNKNOWN;
	o->spurious = both ? (int64_t)f->spurious : FACT_UNKNOWN;
	o->ack_lost = both ? (int64_t)f->ack_lost : FACT_UNKNOWN;
	o->credit_stalls = both ? (int64_t)f->credit_stalls : FACT_UNKNOWN;
}

static void order(const struct flow *f, struct fact_flow *o)
{
	bool followed = psn_followed(f);

	o->lost_upstream = followed ? (int64_t)f->lost_up : FACT_UNKNOWN;
	o->unresolved = followed ? (int64_t)f->unresolved : FACT_UNKNOWN;
	o->corrupted = followed ? (int64_t)f->corrupted : FACT_UNKNOWN;
	o->reordered = followed ? (int64_t)f->reordered : FACT_UNKNOWN;
	o->reorder_extent_max =
		followed ? (int64_t)f->extent_max : FACT_UNKNOWN;
	o->reorder_late_ns_max = followed ? f->late_max : FACT_UNKNOWN;
	o->reorder_events =
		followed ? (int64_t)f->reorder_events : FACT_UNKNOWN;
	o->retransmitted =
		acknowledged(f) ? (int64_t)f->retransmitted : FACT_UNKNOWN;
	o->retransmitted_bytes = acknowledged(f)
					 ? (int64_t)f->retransmitted_bytes
					 : FACT_UNKNOWN;
	o->duplicates = followed ? (int64_t)f->duplicates : FACT_UNKNOWN;
	o->recoveries = acknowledged(f) ? (int64_t)f->recoveries : FACT_UNKNOWN;
	o->recovery_ns = acknowledged(f) ? f->recovery_ns : FACT_UNKNOWN;
}

static void latency(const struct flow *f, struct fact_flow *o)
{
	bool any = f->lat_n;

	o->latency_min_ns = any ? f->lat_min : FACT_UNKNOWN;
	o->latency_mean_ns = any ? f->lat_sum / f->lat_n : FACT_UNKNOWN;
	o->latency_max_ns = any ? f->lat_max : FACT_UNKNOWN;
	o->rtt_sender_ns = f->rtt_s ? f->rtt_s : FACT_UNKNOWN;
	o->rtt_receiver_ns = f->rtt_r ? f->rtt_r : FACT_UNKNOWN;
}

static int64_t term(int16_t v)
{
	return v < 0 ? FACT_UNKNOWN : v;
}

static int64_t source_qp(const struct engine *e, const struct flow *f)
{
	const struct flow *g = flow_peer(e, f);

	if (f->transport == FLOW_UD)
		return f->aux;
	return g && f->paired ? (int64_t)g->dst_qp : FACT_UNKNOWN;
}

static void identity(struct engine *e, struct flow *f, struct fact_flow *o)
{
	const struct flow *g = flow_peer(e, f);

	o->pairing = f->pairing;
	o->pairing_confidence = f->pairing_confidence;
	o->id = f->id;
	o->tap = f->tap;
	o->peer = g && f->paired ? g->id : 0;
	o->transport = f->transport;
	o->src = f->src;
	o->dst = f->dst;
	o->dst_qp = f->dst_qp;
	o->src_qp = source_qp(e, f);
	o->epoch = f->epoch;
	o->visibility = visibility(f);
	o->udp_sports = f->n_sports;
	o->udp_sport = f->sport;
	o->src_mac = f->src_mac;
	o->dst_mac = f->dst_mac;
	o->sport_changes = f->sport_changes;
	o->pmtu = f->pmtu;
	o->first_ns = f->first_ns;
	o->last_ns = f->last_ns;
	o->ack_timeout_code = term(f->cm.ack_timeout);
	o->retry_count = term(f->cm.retry_count);
	o->rnr_retry = term(f->cm.rnr_retry);
}

static int64_t dscp_of(uint16_t service)
{
	return service == NO_SERVICE ? FACT_UNKNOWN : service & 0x3f;
}

static void service(const struct flow *f, struct fact_flow *o)
{
	o->dscp = dscp_of(f->service[0]);
	o->dscp_bare = dscp_of(f->service[1]);
	o->dscp_cnp = dscp_of(f->service_cnp);
	o->pcp = f->service[0] >> 8 == NO_TAG ? FACT_UNKNOWN
					      : f->service[0] >> 8;
	o->service_other = f->service_other;
	o->ttl = f->ttl;
}

void flow_verdicts(const struct engine *e, const struct flow *f,
		   struct fact_flow *o)
{
	/* What all flows of the tap have shown is not decided again. */
	if (!e->o.judging)
		o->spray_suspect = tap_sprays(e, f);
	losses(e, f, o);
	order(f, o);
	if (o->spray_suspect) {
		/* Through one link of several nothing can be said about what is
		 * missing; nor of what made a sender repeat, for that may have
		 * passed another link. */
		o->lost_upstream = o->lost_downstream_min = FACT_UNKNOWN;
		o->lost_downstream_max = o->capture_missing = FACT_UNKNOWN;
		o->unresolved = FACT_UNKNOWN;
		o->timeouts = o->ack_lost = FACT_UNKNOWN;
	}
	if (transport(e, f)->counts)
		transport(e, f)->counts(f, o);
}

void emit_row(struct engine *e, const struct flow *f, struct fact_flow *o)
{
	flow_verdicts(e, f, o);
	if (f->requests && psn_followed(f))
		tap_note_flow(e, f->tap, o->spray_suspect);
	HAND_OUT(e, flow, o);
}

void emit_flow(struct engine *e, struct flow *f)
{
	struct fact_flow o = { 0 };

	identity(e, f, &o);
	o.expected = f->covered;
	o.spans_reads = f->spans_reads;
	o.first_psn = !f->covered ? FACT_UNKNOWN
		      : f->before
			      ? psn_add(f->initial, PSN_MASK + 1 - f->before)
			      : f->initial;
	o.recovery = recovery_mode(f);
	o.packets = f->packets;
	o.bytes = f->bytes;
	o.payload_bytes = f->payload;
	o.requests = f->requests;
	o.responses = f->responses;
	o.goodput_bytes = f->unique_payload;
	o.messages = f->messages;
	o.messages_completed = f->completed;
	o.messages_incomplete = f->incomplete;
	o.mirror_duplicates = f->mirror_dups;
	o.ect = flow_ect(f);
	o.ce = flow_ce(f);
	o.ect_data = f->ecn_data[ECN_ECT1] + f->ecn_data[ECN_ECT0];
	o.ce_data = f->ecn_data[ECN_CE];
	o.not_ect_data = f->ecn_data[ECN_NOT_ECT];
	o.cnp = f->cnp;
	service(f, &o);
	o.icrc_good = f->icrc_good + f->icrc_bad ? f->icrc_good : FACT_UNKNOWN;
	o.icrc_bad = f->icrc_good ? f->icrc_bad : FACT_UNKNOWN;
	latency(f, &o);
	o.spdcid = o.dpdcid = o.job_id = FACT_UNKNOWN;
	transport(e, f)->row(e, f, &o);
	for (unsigned i = 0; f->later && e->tracker[i]; i++)
		if (e->tracker[i]->keep_row)
			e->tracker[i]->keep_row(e, f, &o);
	if (!f->later)
		emit_row(e, f, &o);
}

void emit_caps(struct engine *e)
{
	static const char *const table[] = {
#define LIMIT(id, name, most) name,
#include "flow/core/limits.def"
#undef LIMIT
	};

	for (unsigned i = 0; i < LIMIT_COUNT; i++)
		emit_left_out(e, table[i], e->limit[i].left_out);
}

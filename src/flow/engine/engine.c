/* SPDX-License-Identifier: GPL-2.0-or-later
 * The engine: packets in, facts out. */
#include "flow/core/engine.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/balance/links.h"
#include "flow/balance/mrc.h"
#include "flow/balance/srv6.h"
#include "flow/congestion/congestion.h"
#include "flow/core/bins.h"
#include "flow/core/burst.h"
#include "flow/core/find.h"
#include "flow/engine/internal.h"
#include "flow/engine/trackers.h"
#include "flow/fastpath/fast.h"
#include "flow/fastpath/uet_fast.h"
#include "flow/link/control.h"
#include "flow/link/pause.h"
#include "flow/multitap/multitap.h"
#include "flow/recovery/recovery.h"
#include "flow/roce/roce.h"
#include "flow/telemetry/path.h"
#include "flow/uet/not_uet.h"
#include "flow/uet/tss.h"
#include "flow/uet/unknown_port.h"

enum { BATCH = ENGINE_HELD, AHEAD = 8 };

/* Source ports of one flow that are distinguished. */
enum { PORT_SLOTS = 512, PORTS_MAX = 255 };

static void defaults(struct engine_options *o)
{
	if (!o->max_flows)
		o->max_flows = 1 << 20;
	if (!o->events_per_flow)
		o->events_per_flow = 1000;
	if (o->events_per_flow > UINT16_MAX)
		o->events_per_flow = UINT16_MAX;
	if (!o->events_total)
		o->events_total = 100000;
	if (!o->messages_total)
		o->messages_total = o->all_messages ? 1000000 : 100000;
	if (!o->jitter_ns)
		o->jitter_ns = 20000;
	if (!o->tap_bins)
		o->tap_bins = BIN_TAP_MAX;
}

static bool trackers_init(struct engine *e)
{
	for (unsigned i = 0; trackers[i]; i++)
		if (trackers[i]->init && !trackers[i]->init(e))
			return false;
	return true;
}

struct engine *engine_new(const struct engine_options *o,
			  const struct flow_sink *sink)
{
	struct engine *e = mem_calloc(1, sizeof *e);

	if (!e)
		return NULL;
	if (o)
		e->o = *o;
	if (sink)
		e->sink = *sink;
	defaults(&e->o);
	e->next_id = e->o.first_id;
	e->tracker = trackers;
	e->transport = transports;
	opclass_fill(e->op);
	patterns_init(e);
	e->each = e->sink.note;
	if (table_init(e) && recent_init(&e->recent, &e->order) &&
	    recent_init(&e->unpaired, &e->order) && burst_init(e) &&
	    trackers_init(e))
		return e;
	engine_free(e);
	return NULL;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	table_fini(e);
	recent_fini(&e->recent);
	recent_fini(&e->unpaired);
	for (unsigned i = 0; trackers[i]; i++)
		if (trackers[i]->fini)
			trackers[i]->fini(e);
	tap_fini(e);
	burst_fini(e);
	patterns_fini(e);
	free(e->drops);
	latency_fini(e);
	free(e);
}

/* The part of the key that is not address and destination QP. */
static uint32_t aux_of(const struct packet *p)
{
	/* A queue pair is one flow, whatever ports its packets have. */
	if (p->flags & PACKET_MRC)
		return MRC_AUX;
	switch (transport_of(p->opcode)) {
	case FLOW_UD:
		return p->src_qp;
	case FLOW_DC:
	case FLOW_VENDOR:
		return p->sport;
	default:
		return 0;
	}
}

static void note_port(struct flow *f, uint16_t sport)
{
	unsigned i = sport * 0x9e37u;

	f->last_sport = sport;
	f->sport_changes++;
	if (!f->sports) {
		f->sports = mem_calloc(PORT_SLOTS, sizeof *f->sports);
		if (!f->sports)
			return;
		f->sports[(f->sport * 0x9e37u) % PORT_SLOTS] = f->sport;
	}
	while (f->sports[i % PORT_SLOTS] && f->sports[i % PORT_SLOTS] != sport)
		i++;
	if (f->sports[i % PORT_SLOTS] || f->n_sports >= PORTS_MAX)
		return;
	f->sports[i % PORT_SLOTS] = sport;
	f->n_sports++;
}

static void icrc_event(struct engine *e, struct flow *f, const struct packet *p)
{
	emit_packet(e, f, p, EVENT_ICRC_BAD, FACT_UNKNOWN, 0.99,
		    "corrupted upstream of this capture point");
}

/* A frame that its receiver will discard must not move a PSN machine, unless
 * nothing of this flow has ever verified: then the check is what is wrong. */
static bool discarded(struct engine *e, struct flow *f, const struct packet *p)
{
	if (p->icrc_status == ICRC_GOOD) {
		f->icrc_good++;
		return false;
	}
	if (p->icrc_status != ICRC_BAD)
		return false;
	f->icrc_bad++;
	if (!f->icrc_good)
		return false;
	icrc_event(e, f, p);
	if (flow_is_uet(f))
		uet_damaged(e, f, p);
	else if (e->op[p->opcode] & IS_REQUEST)
		recovery_bad_icrc(f, p->psn);
	else if (e->op[p->opcode] & IS_DATA)
		recovery_bad_icrc(f, p->psn | BAD_RESPONSE);
	return true;
}

/* The first is what is meant; data, answers and CNPs may have one each. */
static void note_service(struct flow *f, const struct packet *p)
{
	uint16_t *first = p->kind == PACKET_CNP ? &f->service_cnp
						: &f->service[!p->payload];

	if (*first == NO_SERVICE)
		*first = (uint16_t)service_of(p);
	else if (*first != service_of(p))
		f->service_other++;
}

static void account(struct engine *e, struct flow *f, const struct packet *p)
{
	bool usual = account_usual(e, f, p);

	if (!usual && (uint16_t)p->tap != f->last_tap)
		links_packet(e, f, p);
	account_count(f, p, 1);
	if (!usual && p->ns - f->last_ns > e->stall_after)
		stall_seen(e, f, p);
	if (f->watched || (p->tos & 3) == ECN_CE)
		congestion_packet(e, f, p);
	f->last_ns = p->ns;
	if (usual)
		return;
	if (service_of(p) != f->service[!p->payload])
		note_service(f, p);
	/* A CNP may come from any port, even 0. */
	if (p->sport != f->last_sport && p->kind != PACKET_CNP &&
	    p->kind != PACKET_UET)
		note_port(f, p->sport);
}

static void roce_take(struct engine *e, struct flow *f, const struct packet *p)
{
	uint8_t op = e->op[p->opcode];

	if (!(op & IS_KNOWN))
		return;
	if (f->transport == FLOW_UD) {
		burst_data(e, f, f->last_req_ns, p);
		f->last_req_ns = p->ns;
		f->requests++;
		f->messages++;
		f->unique_payload += p->payload;
	} else if (!numbered(f)) {
		f->requests++;
	} else if (op & IS_RESPONSE) {
		response_packet(e, f, p);
	} else {
		if (!f->pmtu && !(op & IS_END) && p->payload >= 256 &&
		    !(p->payload & (p->payload - 1)) && p->payload <= 4096)
			f->pmtu = (uint16_t)p->payload;
		request_packet(e, f, p);
	}
}

struct lookup {
	uint64_t hash;
	uint32_t place, qp, aux;
	struct flow *guess; /* most likely; NULL */
	bool ours;
};

/* Without memory for its state it is counted and no more. */
static void uet_take(struct engine *e, struct flow *f, const struct packet *p)
{
	if (f->uet.begun || uet_start(e, f, p))
		uet_flow_packet(e, f, p);
}

/* A refusal of RUDI names no job: it goes where answers of that job go. */
static struct flow *of_its_job(struct engine *e, struct lookup *l,
			       struct flow *f, const struct packet *p)
{
	if (!uet_rudi_job(e, p, l->place, &l->qp))
		return f;
	l->hash = flow_hash(p, l->qp, l->place, l->aux);
	return flow_find(e, p, l->hash, l->qp, l->place, l->aux);
}

/* |f| is NULL when it is not followed yet. */
static void fabric_packet(struct engine *e, struct lookup *l, struct flow *f,
			  const struct packet *p)
{
	struct multitap_mark mark = { 0 };
	struct packet cut;

	if (l->aux == UET_AUX_RUDI && !l->qp)
		f = of_its_job(e, l, f, p);
	if (!f && p->icrc_status == ICRC_BAD && p->kind != PACKET_UET &&
	    tap_verifies(e, p->tap)) {
		/* The damage may be in the very fields of the key. */
		recovery_orphan(e, p);
		icrc_event(e, NULL, p);
		return;
	}
	if (!f)
		f = flow_add(e, p, l->hash, l->qp, l->place, l->aux);
	if (!f) {
		e->limit[LIMIT_FLOW].left_out++;
		return;
	}
	if (p->icrc_status == ICRC_BAD && uet_is_cut(f, p)) {
		cut = uet_cut_packet(f, p);
		p = &cut;
	}
	if (e->sink.note)
		note_before(e, f, p);
	if (e->multitap)
		mark = multitap_before(f);
	account(e, f, p);
	if (discarded(e, f, p))
		;
	else if (p->kind == PACKET_UET)
		uet_take(e, f, p);
	else if (p->kind == PACKET_CNP)
		cnp_packet(e, f, p);
	else
		roce_take(e, f, p);
	if (p->flags & (PACKET_STACK | PACKET_CSIG) &&
	    p->icrc_status != ICRC_BAD)
		path_packet(e, f, p);
	if (p->flags & PACKET_SRV6 && p->icrc_status != ICRC_BAD)
		srv6_packet(e, f, p);
	if (p->flags & PACKET_MRC && p->icrc_status != ICRC_BAD)
		mrc_packet(e, f, p);
	if (e->sink.note)
		note_after(e, f, p);
	if (e->multitap)
		multitap_packet(e, f, p, mark);
}

static void key_of(struct lookup *l, const struct packet *p)
{
	if (p->kind == PACKET_UET) {
		l->qp = uet_fast_number(p, &l->aux);
		return;
	}
	l->qp = p->dst_qp;
	l->aux = p->kind == PACKET_CNP ? 0 : aux_of(p);
}

static void look_up(const struct engine *e, struct lookup *l,
		    const struct packet *p)
{
	l->ours = p->status == PACKET_OK &&
		  (p->kind == PACKET_ROCE || p->kind == PACKET_CNP ||
		   p->kind == PACKET_UET);
	if (!l->ours)
		return;
	l->place = tap_place(e, p->tap);
	key_of(l, p);
	l->hash = flow_hash(p, l->qp, l->place, l->aux);
	__builtin_prefetch(&e->slots[l->hash & e->slot_mask]);
}

PREFETCHES prefetch_line(const struct flow *f, unsigned line)
{
	__builtin_prefetch((const char *)f + 64 * line, 1);
}

static bool answers(const struct engine *e, const struct packet *p)
{
	return p->kind == PACKET_UET ? p->uet.flags & UET_RESPONSE
				     : e->op[p->opcode] & IS_RESPONSE;
}

/* What |p| will touch of |f|: see struct flow. */
PREFETCHES prefetch_lines(const struct engine *e, const struct flow *f,
			  const struct packet *p)
{
	bool answer = answers(e, p);

	prefetch_line(f, 0);
	prefetch_line(f, 1);
	prefetch_line(f, 2);
	if (!answer || p->payload || p->kind != PACKET_ROCE)
		prefetch_line(f, 3);
	if (answer)
		prefetch_line(f, 5);
	else if (p->kind == PACKET_UET)
		prefetch_line(f, 7);
	else if (p->kind == PACKET_ROCE && e->op[p->opcode] & IS_END)
		prefetch_line(f, 4);
	else if (p->kind == PACKET_CNP)
		prefetch_line(f, 6);
}

/* The slots are here by now: fetch the flow that they probably name. */
PREFETCHES prefetch_flow(const struct engine *e, struct lookup *l,
			 const struct packet *p)
{
	l->guess = flow_guess(e, l->hash);
	if (l->guess)
		prefetch_lines(e, l->guess, p);
}

/* The flow is here by now: fetch what it names.  A response changes the flow
 * it answers: its lines with the request state, the last AckReq packet and the
 * messages that wait. */
PREFETCHES prefetch_peer(const struct engine *e, const struct lookup *l,
			 const struct packet *p)
{
	const struct flow *f = l->guess;

	if (!f)
		return;
	if (p->kind == PACKET_UET)
		uet_prefetch(e, f, p);
	if (!answers(e, p) || f->peer == NO_FLOW)
		return;
	f = flow_at(e, f->peer);
	prefetch_line(f, 0);
	prefetch_line(f, 2);
	prefetch_line(f, 3);
	prefetch_line(f, 4);
}

/* Of many flows a packet often comes behind its flow's bin, and then the next
 * one depends on when the flow began. */
PREFETCHES prefetch_bins(const struct lookup *l, const struct packet *p)
{
	if (l->guess && p->ns >= l->guess->bin_end)
		prefetch_line(l->guess, 6);
}

PREFETCHES prefetch_answered(const struct engine *e, const struct lookup *l,
			     const struct packet *p)
{
	if (l->guess)
		uet_prefetch_answered(e, l->guess, p);
}

static void link_control(struct engine *e, const struct packet *p)
{
	switch (p->kind) {
	case PACKET_PAUSE:
	case PACKET_PFC:
		pause_frame(e, p);
		break;
	case PACKET_LLDP:
		lldp_packet(e, p);
		break;
	case PACKET_UEC_CC:
		credit_packet(e, p);
		break;
	case PACKET_NOT_UET:
		uet_is_not_uet(e, p);
		break;
	case PACKET_OTHER:
		if (p->flags & PACKET_NVME_TCP)
			nvme_tcp_packet(e, p);
		else if (p->port)
			uet_unknown_port(e, p);
		break;
	default:
		break;
	}
}

/* Whatever it is. */
static void take_any(struct engine *e, struct lookup *l, struct flow *f,
		     const struct packet *p)
{
	e->now = p->ns;
	e->order = p->order;
	if (!e->begun) {
		e->begun = true;
		e->first_ns = p->ns;
	}
	tap_packet(e, p);
	if (!l->ours) {
		link_control(e, p);
		return;
	}
	if (e->stall_after != STALL_NEVER)
		pause_watch(e, p);
	if (p->flags & PACKET_HAS_CM && p->mad)
		cm_packet(e, p);
	fabric_packet(e, l, f, p);
}

static void track_packet(struct engine *e, struct lookup *l,
			 const struct packet *p)
{
	struct flow *f = NULL;

	if (l->ours)
		f = flow_find(e, p, l->hash, l->qp, l->place, l->aux);
	/* Now and then of every flow: it is no reason for the long way. */
	if (f && p->ns >= f->bin_end)
		bins_roll(e, f, p->ns);
	if (f && fast_fits(e, f, p))
		fast_take(e, f, p);
	else if (f && uet_fast_fits(e, f, p))
		uet_fast_take(e, f, p, uet_ev_of(e, f, p));
	else if (f && uet_answer_fits(e, f, p))
		uet_answer_take(e, f, p, uet_ev_of(e, f, p));
	else
		take_any(e, l, f, p);
}

/* Few flows stay in the cache by themselves. */
static void feed_few(struct engine *e, const struct packet *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct lookup l;

		look_up(e, &l, &p[i]);
		track_packet(e, &l, &p[i]);
	}
}

/* Many do not: four things happen to a packet, a few packets apart.  Its slot
 * is fetched, then the flow that the slot names, then that flow's peer, and
 * with Ultra Ethernet what that one names; when it is its turn, all is here. */
static void feed_many(struct engine *e, const struct packet *p, size_t n)
{
	struct lookup l[BATCH];

	for (size_t i = 0; i < n + 4 * AHEAD; i++) {
		size_t k = i;

		if (k < n)
			look_up(e, &l[k], &p[k]);
		k -= AHEAD;
		if (k < n && l[k].ours)
			prefetch_flow(e, &l[k], &p[k]);
		k -= AHEAD;
		if (k < n && l[k].ours) {
			prefetch_bins(&l[k], &p[k]);
			prefetch_peer(e, &l[k], &p[k]);
		}
		k -= AHEAD;
		if (k < n && l[k].ours && p[k].kind == PACKET_UET)
			prefetch_answered(e, &l[k], &p[k]);
		k -= AHEAD;
		if (k < n)
			track_packet(e, &l[k], &p[k]);
	}
}

void engine_feed(struct engine *e, const struct packet *p, size_t n)
{
	while (n) {
		size_t k = n < BATCH ? n : BATCH;

		if (e->n_flows < ENGINE_MANY_FLOWS)
			feed_few(e, p, k);
		else
			feed_many(e, p, k);
		p += k;
		n -= k;
	}
}

void engine_flush(struct engine *e)
{
	size_t n = e->n_held;

	e->n_held = 0;
	engine_feed(e, e->held, n);
}

void engine_finish(struct engine *e)
{
	engine_flush(e);
	for (unsigned i = 0; trackers[i]; i++)
		if (trackers[i]->last)
			trackers[i]->last(e);
	table_finish(e);
	for (unsigned i = 0; trackers[i]; i++)
		if (trackers[i]->finish)
			trackers[i]->finish(e);
	bursts_emit(e);
	tap_finish(e);
	latency_finish(e);
	emit_caps(e);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet: which flow a packet belongs to, and which machine takes it.
 */
#include "flow/uet/uet.h"

#include <stdlib.h>

#include "base/mem.h"
#include "flow/core/bins.h"
#include "flow/core/burst.h"
#include "flow/core/find.h"
#include "flow/recovery/recovery.h"
#include "flow/uet/ev.h"
#include "flow/uet/tss.h"
#include "wire/wire.h"

/* What a PDS type is to the engine. */
enum uet_class {
	CLASS_NONE, /* reserved: counted */
	CLASS_REQUEST,
	CLASS_ACK,
	CLASS_NACK,
	CLASS_CONTROL,
	CLASS_RUDI,
	CLASS_RUDI_RESPONSE,
	CLASS_UUD,
	CLASS_TSS,
};

enum { TYPES = 32 };

static const struct {
	uint8_t class, transport;
} types[TYPES] = {
	[PDS_TSS] = { CLASS_TSS, FLOW_UET_TSS },
	[PDS_RUD_REQ] = { CLASS_REQUEST, FLOW_UET_RUD },
	[PDS_ROD_REQ] = { CLASS_REQUEST, FLOW_UET_ROD },
	[PDS_RUDI_REQ] = { CLASS_RUDI, FLOW_UET_RUDI },
	[PDS_RUDI_RESP] = { CLASS_RUDI_RESPONSE, FLOW_UET_RUDI },
	[PDS_UUD_REQ] = { CLASS_UUD, FLOW_UET_UUD },
	/* Which of the two becomes clear with the first request. */
	[PDS_ACK] = { CLASS_ACK, FLOW_UET_RUD },
	[PDS_ACK_CC] = { CLASS_ACK, FLOW_UET_RUD },
	[PDS_ACK_CCX] = { CLASS_ACK, FLOW_UET_RUD },
	[PDS_NACK] = { CLASS_NACK, FLOW_UET_RUD },
	[PDS_CP] = { CLASS_CONTROL, FLOW_UET_RUD },
	[PDS_NACK_CCX] = { CLASS_NACK, FLOW_UET_RUD },
	[PDS_RUD_CC_REQ] = { CLASS_REQUEST, FLOW_UET_RUD },
	[PDS_ROD_CC_REQ] = { CLASS_REQUEST, FLOW_UET_ROD },
};

enum flow_transport uet_kind(const struct packet *p)
{
	const struct uet *u = &p->uet;

	if (u->flags & UET_TSS)
		return FLOW_UET_TSS;
	if (u->flags & UET_RUDI)
		return FLOW_UET_RUDI;
	if (u->flags & UET_ISROD)
		return FLOW_UET_ROD;
	return types[u->type % TYPES].transport;
}

/* Whatever of it is in clear: what that is about is not. */
static enum uet_class class_of(const struct packet *p)
{
	return p->uet.flags & UET_TSS ? CLASS_TSS
				      : types[p->uet.type % TYPES].class;
}

bool uet_is_request(const struct packet *p)
{
	return class_of(p) == CLASS_REQUEST;
}

uint32_t uet_number(const struct packet *p, uint32_t *aux)
{
	const struct uet *u = &p->uet;

	switch (uet_kind(p)) {
	case FLOW_UET_TSS:
		*aux = uet_tss_aux(u);
		return u->tss.sp ? u->tss.ssi : 0;
	case FLOW_UET_RUDI:
		*aux = UET_AUX_RUDI;
		return u->flags & UET_JOB ? u->job_id : 0;
	case FLOW_UET_UUD:
		*aux = UET_AUX_UUD;
		return u->flags & UET_JOB ? u->job_id : 0;
	default:
		*aux = UET_AUX_PDC;
		return u->spdcid;
	}
}

struct flow *uet_reverse(const struct engine *e, const struct packet *p,
			 uint32_t place, uint16_t id)
{
	struct packet turned;

	turned.src = p->dst;
	turned.dst = p->src;
	return flow_find(e, &turned, flow_hash(&turned, id, place, UET_AUX_PDC),
			 id, place, UET_AUX_PDC);
}

/* ---- the state of a flow ---- */

bool uet_start(struct engine *e, struct flow *f, const struct packet *p)
{
	f->transport = (uint8_t)uet_kind(p);
	if (!e->evs && !uet_evs_init(e))
		return false;
	f->uet.begun = true;
	return true;
}

struct uet_sender *uet_sender(struct engine *e, struct flow *f)
{
	struct uet_dir *u = &f->uet;

	if (u->sender)
		return u->sender;
	u->sender = pool_get(&e->senders);
	if (u->sender)
		u->sender->fact = (struct uet_books) {
			.opened_ns = FACT_UNKNOWN,
			.closed_ns = FACT_UNKNOWN,
			.handshake_ns = FACT_UNKNOWN,
		};
	return u->sender;
}

void uet_finish(struct engine *e, struct flow *f)
{
	uet_flush_rest(e, f);
	uet_message_finish(e, f);
	if (f->uet.pending)
		pending_psns_flush(e, f, e->now, true);
	uet_cc_finish(e, f);
}

void uet_flow_free(struct engine *e, struct flow *f)
{
	struct uet_dir *u = &f->uet;

	uet_recovery_free(f);
	seen_free(&u->seen);
	if (u->sender) {
		free(u->sender->msgs.m);
		free(u->sender->nacks);
		uet_cc_free(e, f);
	}
	pool_put(&e->senders, u->sender);
	u->sender = NULL;
}

/* ---- a packet ---- */

static void note_job(struct flow *f, const struct packet *p)
{
	struct uet_dir *u = &f->uet;

	/* A response that PDS made up carries none. */
	if (!(p->uet.flags & UET_JOB) ||
	    ((p->uet.flags & UET_RESPONSE) && !p->uet.job_id))
		return;
	if (u->job_known && u->job == p->uet.job_id)
		return;
	f->jobs += f->jobs < UINT16_MAX;
	if (!u->job_known)
		u->job = p->uet.job_id;
	u->job_known = true;
}

static void note_error(struct engine *e, struct flow *f, struct flow *g,
		       const struct packet *p)
{
	if (!(p->uet.flags & UET_RESPONSE) || p->uet.return_code <= SES_RC_OK)
		return;
	/* It is about what the other side asked for. */
	f = f ? f : g;
	if (uet_sender(e, f))
		f->uet.sender->fact.errors++;
	emit_packet(e, f, p, EVENT_RESPONSE_ERROR, p->uet.return_code, 0.99,
		    "U20: the response says so");
}

/* |p| is no mere answer.  False: no memory. */
static bool sends(struct engine *e, struct flow *f, const struct packet *p)
{
	if (!uet_sender(e, f))
		return false;
	uet_ev_value(f, uet_ev_of(e, f, p));
	return true;
}

bool uet_is_cut(const struct flow *f, const struct packet *p)
{
	return p->kind == PACKET_UET && flow_is_uet(f) && uet_has_pdc(f) &&
	       uet_more_follows(p->uet.flags) && (p->uet.flags & UET_SOM) &&
	       p->payload < f->payload_max && f->icrc_good;
}

struct packet uet_cut_packet(const struct flow *f, const struct packet *p)
{
	struct packet cut = *p;

	cut.uet.flags |= UET_TRIMMED;
	cut.uet.cut = f->payload_max - p->payload;
	cut.icrc_status = ICRC_UNCHECKABLE;
	cut.payload = 0;
	return cut;
}

static void request(struct engine *e, struct flow *f, const struct packet *p)
{
	struct flow *g;
	bool first;

	burst_data(e, f, f->last_req_ns, p);
	f->requests++;
	pdc_is_new(e, f, p);
	f->transport = (uint8_t)uet_kind(p);
	g = pdc_pair(e, f, p);
	note_job(f, p);
	if (!sends(e, f, p))
		return;
	pdc_request(f, p);
	uet_cc_request(e, f, p);
	first = uet_request(e, f, p);
	if (first)
		f->unique_payload += p->payload;
	if (p->uet.flags & UET_REQUEST)
		uet_message_packet(e, f, uet_part_of(p), first);
	else if (g && first && (p->uet.flags & UET_RESPONSE))
		uet_message_data(e, g, p, p->uet.read_message_id);
	note_error(e, g, f, p);
}

bool uet_takes_number(const struct packet *p)
{
	switch (class_of(p)) {
	case CLASS_REQUEST:
	case CLASS_RUDI:
		return true;
	case CLASS_CONTROL:
		/* CLOSE does like a request; the others name one or none. */
		return p->uet.next == CP_CLOSE || p->uet.next == CP_CLOSE_REQ;
	default:
		return false;
	}
}

static void control(struct engine *e, struct flow *f, const struct packet *p)
{
	struct flow *g;

	/* A CLOSE long after the last data is no part of its burst. */
	if (uet_takes_number(p))
		burst_data(e, f, f->last_req_ns, p);
	f->requests++;
	pdc_is_new(e, f, p);
	g = pdc_pair(e, f, p);
	if (!sends(e, f, p))
		return;
	uet_cc_control(e, f, g, p);
	pdc_control(e, f, p);
	if (uet_takes_number(p))
		uet_request(e, f, p);
}

static void answer(struct engine *e, struct flow *g, const struct packet *p,
		   bool refused)
{
	struct flow *f;

	g->responses++;
	f = pdc_pair(e, g, p);
	note_job(g, p);
	note_error(e, f, g, p);
	if (refused)
		uet_nack(e, g, p);
	else
		uet_ack(e, g, p);
	if (f && !refused && p->payload && (p->uet.flags & UET_RESPONSE))
		uet_message_data(e, f, p,
				 p->uet.next == SES_RESPONSE_DATA
					 ? p->uet.read_message_id
					 : 0);
}

/* Without a context. */
static void alone(struct engine *e, struct flow *f, const struct packet *p,
		  enum uet_class class)
{
	if (class == CLASS_RUDI || class == CLASS_UUD)
		burst_data(e, f, f->last_req_ns, p);
	if (class == CLASS_RUDI) {
		uet_rudi_request(e, f, p);
		return;
	}
	f->requests++;
	if (class == CLASS_TSS)
		uet_tss_packet(e, p);
	if (class != CLASS_UUD)
		return;
	f->last_req_ns = p->ns;
	f->unique_payload += p->payload;
	f->messages += !!(p->uet.flags & UET_EOM);
}

void uet_flow_packet(struct engine *e, struct flow *f, const struct packet *p)
{
	enum uet_class class = class_of(p);

	uet_run_end(f);
	uet_ev_packet(e, f, p);
	switch (class) {
	case CLASS_REQUEST:
		request(e, f, p);
		return;
	case CLASS_CONTROL:
		control(e, f, p);
		return;
	case CLASS_ACK:
	case CLASS_NACK:
		answer(e, f, p, class == CLASS_NACK);
		return;
	case CLASS_RUDI_RESPONSE:
		f->responses++;
		note_job(f, p);
		note_error(e, NULL, f, p);
		uet_rudi_response(e, f, p);
		return;
	default:
		note_job(f, p);
		if (sends(e, f, p))
			alone(e, f, p, class);
	}
}

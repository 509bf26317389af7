/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fuzzes sequences of Ultra Ethernet packets into the state machines.
 *
 * Every 8 bytes are one packet: which of a few contexts and directions, which
 * PDS type, flags, a step in PSN (or a jump), in time, and a value that means
 * something else for each type.  The facts that come out must be consistent. */
#include <stdint.h>
#include <stdlib.h>

#include "decode/packet.h"
#include "flow/core/engine.h"
#include "flow/core/fact.h"
#include "wire/wire.h"

static const uint8_t types[32] = {
	PDS_RUD_REQ,    PDS_RUD_REQ,  PDS_RUD_REQ,  PDS_RUD_REQ,
	PDS_RUD_REQ,    PDS_RUD_REQ,  PDS_ROD_REQ,  PDS_ROD_REQ,
	PDS_ROD_REQ,    PDS_RUDI_REQ, PDS_RUDI_REQ, PDS_RUDI_RESP,
	PDS_UUD_REQ,    PDS_ACK,      PDS_ACK,      PDS_ACK,
	PDS_ACK_CC,     PDS_ACK_CC,   PDS_ACK_CC,   PDS_ACK_CC,
	PDS_ACK_CCX,    PDS_NACK,     PDS_NACK,     PDS_NACK,
	PDS_CP,         PDS_CP,       PDS_NACK_CCX, PDS_RUD_CC_REQ,
	PDS_ROD_CC_REQ, PDS_TSS,      31,           0,
};

struct state {
	uint32_t psn[8];
	int64_t ns;
};

static struct addr host(unsigned n)
{
	const uint8_t v4[4] = { 10, 0, 0, (uint8_t)n };

	return addr_from_v4(v4);
}

static uint32_t step_psn(struct state *s, unsigned way, const uint8_t *d)
{
	if ((d[2] & 0xc0) == 0xc0)
		s->psn[way] += (uint32_t)(int8_t)d[3] << (d[2] & 31);
	else
		s->psn[way] += (uint32_t)((d[2] & 7) - 2);
	return s->psn[way];
}

static void request(struct packet *p, const uint8_t *d)
{
	struct uet *u = &p->uet;

	u->flags |= UET_REQUEST | UET_SES | UET_JOB;
	u->flags |= d[6] & 1 ? UET_SYN : 0;
	u->flags |= d[6] & 2 ? UET_SOM : 0;
	u->flags |= d[6] & 4 ? UET_EOM : 0;
	u->flags |= d[6] & 8 ? UET_MESSAGE : 0;
	u->flags |= d[6] & 0x10 ? UET_TRIMMED : 0;
	u->next = SES_REQUEST_STD;
	u->opcode = d[7] & 0x3f;
	u->message_id = d[7] >> 4;
	u->length = (uint32_t)d[7] << 4;
	u->req.start_psn = p->psn - (d[6] >> 5);
	u->req.credit_target = (uint32_t)d[7] << 16;
	if (d[6] & 0x80) {
		u->flags &= ~(uint32_t)UET_REQUEST;
		u->flags |= UET_RESPONSE;
		u->next = SES_RESPONSE_DATA;
		u->read_message_id = d[7] >> 4;
	}
	if (u->flags & UET_SYN)
		u->dpdcid = 0;
}

static void answer(struct packet *p, const uint8_t *d, uint32_t other)
{
	struct uet *u = &p->uet;

	p->psn = other + (d[6] & 15) - 4;
	u->flags |= d[6] & 0x10 ? UET_M : 0;
	u->flags |= d[6] & 0x20 ? UET_PROBE : 0;
	u->flags |= d[6] & 0x40 ? UET_RESPONSE : 0;
	u->flags |= d[6] & 0x80 ? UET_REQ_CLOSE : 0;
	u->next = SES_RESPONSE;
	u->return_code = d[7] & 3;
	u->ack.cack = other + (d[7] >> 4) - 8;
	u->ack.base = u->ack.cack + (d[7] & 1);
	u->ack.amount = (uint32_t)d[7] << 16;
	u->ack.service_time = d[7];
	if (u->type != PDS_ACK) {
		u->sack = (uint64_t)d[7] * 0x9e3779b97f4a7c15u;
		u->flags |= d[6] & 1 ? UET_CREDIT : UET_NSCC;
	}
}

static void by_type(struct packet *p, const uint8_t *d, uint32_t other)
{
	struct uet *u = &p->uet;

	switch (u->type) {
	case PDS_ACK:
	case PDS_ACK_CC:
	case PDS_ACK_CCX:
		answer(p, d, other);
		break;
	case PDS_NACK:
	case PDS_NACK_CCX:
		p->psn = other + (d[6] & 15) - 8;
		u->nack.code = d[7];
		u->flags |= d[6] & 0x80 ? UET_RUDI : 0;
		if (d[6] & 0x40)
			u->spdcid = 0;
		break;
	case PDS_CP:
		u->next = d[7] & 15;
		u->flags |= d[6] & 1 ? UET_SYN : 0;
		u->flags |= d[6] & 2 ? UET_ISROD : 0;
		u->cp.payload = (uint32_t)d[7] << 24;
		u->cp.start_psn = p->psn;
		break;
	case PDS_RUDI_REQ:
	case PDS_RUDI_RESP:
		p->psn = d[7] & 15;
		u->flags |= UET_RUDI | UET_JOB;
		break;
	case PDS_TSS:
		u->flags = UET_TSS;
		u->tsc = (uint64_t)(d[6] & 3) << 48 | p->psn;
		u->tss.sdi = d[7] & 3;
		u->tss.sp = d[7] & 4;
		u->tss.an = d[6] >> 7;
		break;
	default:
		request(p, d);
		break;
	}
}

static void step(struct state *s, const uint8_t *d, uint64_t frame,
		 struct packet *p)
{
	unsigned way = d[0] & 7;

	*p = (struct packet) { .frame = frame, .vlan = 0xffff, .pcp = 0xff };
	s->ns += (int64_t)(d[4] & 0x3f) << (d[4] >> 6) * 8;
	p->ns = s->ns;
	p->src = host(1 + (way & 1));
	p->dst = host(2 - (way & 1));
	p->tap = d[0] >> 6;
	p->kind = PACKET_UET;
	p->status = PACKET_OK;
	p->sport = (uint16_t)(0xc000 | (d[5] & 0x3f));
	p->icrc_status = d[5] >> 6 < 3 ? d[5] >> 6 : 0;
	p->icrc = d[5];
	p->payload = (uint32_t)d[7] << 4;
	p->wire_len = p->payload + 58;
	p->ttl = (uint8_t)(64 - (d[1] >> 7));
	p->tos = d[1] >> 5 & 3;
	p->psn = step_psn(s, way, d);
	p->uet.type = types[d[1] & 31];
	p->uet.flags = UET_PDS;
	p->uet.flags |= d[0] & 0x20 ? UET_RETX : 0;
	p->uet.flags |= d[0] & 0x10 ? UET_AR : 0;
	p->uet.spdcid = (uint16_t)(1 + way);
	p->uet.dpdcid = (uint16_t)(1 + (way ^ 1) + (d[0] >> 3 & 1) * 2);
	p->uet.job_id = d[3] & 3;
	by_type(p, d, s->psn[way ^ 1]);
}

static void on_flow(void *ctx, const struct fact_flow *f)
{
	(void)ctx;
	if (f->lost_downstream_min != FACT_UNKNOWN &&
	    (f->lost_downstream_min > f->lost_downstream_max ||
	     f->lost_downstream_min < 0))
		abort();
	if (f->messages_completed > f->messages || f->first_ns > f->last_ns)
		abort();
}

static void on_event(void *ctx, const struct fact_event *e)
{
	(void)ctx;
	if (e->kind >= EVENT_KIND_COUNT ||
	    !(e->confidence >= 0 && e->confidence <= 1))
		abort();
}

static void on_recovery(void *ctx, const struct fact_recovery *r)
{
	(void)ctx;
	if (r->lost_min > r->lost_max || !r->rule || !r->retransmitted_packets)
		abort();
}

static void on_pdc(void *ctx, const struct fact_pdc *p)
{
	(void)ctx;
	if (p->state >= PDC_STATES || p->entropy_values > 512 ||
	    p->trimmed_lasthop > p->nacks)
		abort();
}

static void on_tss(void *ctx, const struct fact_tss *t)
{
	(void)ctx;
	/* Each packet is a new number, one that was seen, or too late. */
	if (t->expected - t->missing + t->repeated + t->too_late !=
		    t->packets ||
	    t->missing > t->expected || t->first_ns > t->last_ns)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct flow_sink sink = { .flow = on_flow,
				  .event = on_event,
				  .recovery = on_recovery,
				  .pdc = on_pdc,
				  .tss = on_tss };
	struct engine_options o = { .events_total = 500, .max_flows = 64 };
	struct state s = { .ns = 1000000000 };
	struct engine *e = engine_new(&o, &sink);
	uint64_t frame = 0;

	for (; e && size >= 8; data += 8, size -= 8) {
		struct packet p;

		step(&s, data, ++frame, &p);
		engine_feed(e, &p, 1);
	}
	if (e)
		engine_finish(e);
	engine_free(e);
	return 0;
}

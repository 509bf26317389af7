/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fuzzes sequences of packets into the state machines.
 *
 * Every 8 bytes are one packet: which of a few connections and directions,
 * which opcode, a small step in PSN (or a jump), in time and in IP
 * identification, a syndrome.  The facts that come out must be consistent. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decode/packet.h"
#include "flow/core/engine.h"
#include "wire/wire.h"

static const uint8_t opcodes[32] = {
	RC_SEND_FIRST,
	RC_SEND_MIDDLE,
	RC_SEND_LAST,
	RC_SEND_ONLY,
	RC_WRITE_FIRST,
	RC_WRITE_MIDDLE,
	RC_WRITE_LAST,
	RC_WRITE_ONLY,
	RC_READ_REQUEST,
	RC_READ_FIRST,
	RC_READ_MIDDLE,
	RC_READ_LAST,
	RC_READ_ONLY,
	RC_ACK,
	RC_ACK,
	RC_ACK,
	RC_ATOMIC_ACK,
	RC_COMPARE_SWAP,
	RC_FETCH_ADD,
	RC_WRITE_ONLY,
	UC_SEND_FIRST,
	UC_WRITE_MIDDLE,
	UC_SEND_ONLY,
	UD_SEND_ONLY,
	XRC_SEND_ONLY,
	XRC_ACK,
	CNP,
	RC_WRITE_ONLY,
	RC_WRITE_ONLY_IMM,
	0x4a,
	0xe0,
	0xff,
};

static const uint8_t syndromes[8] = { 0x1f, 0x00, 0x60, 0x60,
				      0x2c, 0x61, 0x1f, 0x40 };

struct state {
	uint32_t psn[8];
	int64_t ns;
	uint16_t ip_id;
	uint8_t mad[256];
};

static struct addr host(unsigned n)
{
	const uint8_t v4[4] = { 10, 0, 0, (uint8_t)n };

	return addr_from_v4(v4);
}

static void step(struct state *s, const uint8_t *d, uint64_t frame,
		 struct packet *p)
{
	unsigned way = d[0] & 7, jump = d[2] & 0xc0;
	uint8_t opcode = opcodes[d[1] & 31];

	*p = (struct packet) { .frame = frame, .vlan = 0xffff, .pcp = 0xff };
	if (jump == 0xc0)
		s->psn[way] += (uint32_t)(int8_t)d[3] << (d[2] & 15);
	else
		s->psn[way] += (uint32_t)((d[2] & 7) - 2);
	s->ns += (int64_t)(d[4] & 0x3f) << (d[4] >> 6) * 8;
	s->ip_id = (uint16_t)(s->ip_id + (int8_t)d[5]);
	p->ns = s->ns;
	p->src = host(1 + (way & 1));
	p->dst = host(2 - (way & 1));
	p->dst_qp = 0x11 + (way >> 1) + (d[0] >> 3 & 1);
	p->tap = d[0] >> 6;
	p->psn = s->psn[d[6] & 1 ? way ^ 1 : way] & 0xffffff;
	p->opcode = opcode;
	p->status = d[0] & 0x20 ? PACKET_TRUNCATED : PACKET_OK;
	p->kind = opcode == CNP ? PACKET_CNP : PACKET_ROCE;
	p->payload = (uint32_t)d[7] << 4;
	p->ip_id = s->ip_id;
	p->sport = (uint16_t)(0xc000 | (d[6] & 0x30));
	p->icrc_status = d[6] >> 6 < 3 ? d[6] >> 6 : 0;
	p->icrc = d[7];
	p->wire_len = p->payload + 58;
	p->syndrome = syndromes[d[7] & 7];
	p->dma_len = (uint32_t)d[7] << (d[3] & 15);
	p->tos = d[6] & 3;
	if (wire_opcode(opcode)->chain & WIRE_CHAIN(aeth))
		p->flags |= PACKET_HAS_AETH;
	if (wire_opcode(opcode)->chain & WIRE_CHAIN(reth))
		p->flags |= PACKET_HAS_RETH;
	if (d[6] & 8)
		p->flags |= PACKET_ACKREQ;
	if (opcode == UD_SEND_ONLY && d[7] > 250) {
		memset(s->mad, d[3], sizeof s->mad);
		s->mad[1] = 7;
		s->mad[16] = 0;
		s->mad[17] = (uint8_t)(0x10 + (d[5] & 15));
		p->mad = s->mad;
	}
}

static void on_flow(void *ctx, const struct fact_flow *f)
{
	(void)ctx;
	if (f->lost_downstream_min != FACT_UNKNOWN &&
	    f->lost_downstream_min > f->lost_downstream_max)
		abort();
	if (f->messages_completed > f->messages || f->first_ns > f->last_ns)
		abort();
}

static void on_event(void *ctx, const struct fact_event *e)
{
	(void)ctx;
	if (e->kind >= EVENT_KIND_COUNT || e->psn > 0xffffff ||
	    !(e->confidence >= 0 && e->confidence <= 1))
		abort();
}

static void on_recovery(void *ctx, const struct fact_recovery *r)
{
	(void)ctx;
	if (r->lost_min > r->lost_max || r->psn > 0xffffff)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct flow_sink sink = { .flow = on_flow,
				  .event = on_event,
				  .recovery = on_recovery };
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

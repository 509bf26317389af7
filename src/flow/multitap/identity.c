/* SPDX-License-Identifier: GPL-2.0-or-later
 * What no switch or router changes. */
#include "flow/multitap/identity.h"

#include "decode/packet.h"
#include "wire/wire.h"

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

static uint64_t of_roce(const struct packet *p, uint64_t h)
{
	h = mix(h, (uint64_t)p->dst_qp << 32 | p->psn);
	h = mix(h, (uint64_t)p->src_qp << 32 | p->dma_len);
	return mix(h, (uint64_t)p->msn << 40 | (uint64_t)p->syndrome << 32 |
			      p->payload << 8 | p->opcode);
}

/* Of an acknowledgement, all that it says.  So of what takes no PSN. */
static uint64_t of_ack(const struct uet *u, uint64_t h)
{
	h = mix(h, (uint64_t)u->ack.cack << 32 | u->ack.base);
	return mix(h, u->sack ^ (uint64_t)u->ack.amount << 40);
}

static uint64_t of_uet(const struct packet *p, uint64_t h)
{
	const struct uet *u = &p->uet;

	if (u->flags & UET_TSS)
		return mix(h, u->tsc);
	if (!(u->flags & UET_PDS))
		return 0;
	h = mix(h,
		(uint64_t)u->spdcid << 48 | (uint64_t)u->dpdcid << 32 | p->psn);
	h = mix(h, (uint64_t)u->type << 1 | !!(u->flags & UET_RETX));
	switch (u->type) {
	case PDS_UUD_REQ:
		return p->icrc ? mix(h, p->icrc) : 0;
	case PDS_ACK:
	case PDS_ACK_CC:
	case PDS_ACK_CCX:
		return of_ack(u, h);
	case PDS_NACK:
	case PDS_NACK_CCX:
		return mix(h, (uint64_t)u->nack.code << 32 | u->nack.payload);
	case PDS_CP:
		return mix(h, (uint64_t)u->next << 48 |
				      (uint64_t)u->cp.opaque << 32 |
				      u->cp.payload);
	default:
		return h;
	}
}

uint64_t packet_identity(const struct packet *p)
{
	uint64_t h;

	if (p->status != PACKET_OK)
		return 0;
	h = mix(mix(mix(mix(mix(1, p->src.w[0]), p->src.w[1]), p->dst.w[0]),
		    p->dst.w[1]),
		(uint64_t)p->ip_id << 16 | p->sport);
	if (p->kind == PACKET_ROCE || p->kind == PACKET_CNP)
		h = of_roce(p, h);
	else if (p->kind == PACKET_UET)
		h = of_uet(p, h);
	else
		return 0;
	return h;
}

uint32_t packet_direction(const struct packet *p, bool back)
{
	const struct addr *a = back ? &p->dst : &p->src;
	const struct addr *b = back ? &p->src : &p->dst;
	uint64_t h = mix(mix(mix(mix(2, a->w[0]), a->w[1]), b->w[0]), b->w[1]);

	return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

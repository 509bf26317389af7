/* SPDX-License-Identifier: GPL-2.0-or-later
 * What must hold of decoding whatever the bytes are; for robust_test.c and
 * the fuzzer.  A broken promise aborts. */
#ifndef FABSCOPE_TESTS_DECODE_INVARIANTS_H
#define FABSCOPE_TESTS_DECODE_INVARIANTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/explain.h"
#include "decode/packet.h"
#include "decode/stack.h"
#include "decode/walk.h"
#include "same.h"
#include "wire/table.h"

#define HOLDS(condition)                                                 \
	do {                                                             \
		if (!(condition)) {                                      \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, \
				__LINE__, #condition);                   \
			abort();                                         \
		}                                                        \
	} while (0)

struct parts {
	const struct decode_input *in;
	uint32_t next;   /* offset behind the last part */
	uint32_t inside; /* where a part may lie inside the last one */
	int n;
};

static inline void hold_part(void *ctx, const struct explain_part *part)
{
	struct parts *all = ctx;
	const struct wire_layout *layout;

	HOLDS(part->name && *part->name);
	HOLDS(part->data == all->in->data + part->offset);
	HOLDS(part->length > 0 && part->captured <= part->length);
	HOLDS(part->offset + part->captured <= all->in->caplen);
	HOLDS(part->offset == all->next || part->offset == all->inside);
	all->inside = 0;
	if (part->header >= 0) {
		HOLDS(part->captured == part->length);
		layout = wire_layout((enum wire_header)part->header);
		HOLDS(layout && layout->size == part->length);
		HOLDS(!strcmp(layout->about->name, part->name));
	}
	if (part->header == WIRE_cm_req)
		all->inside = part->offset + WIRE_OFF(cm_req, private) / 8;
	if (part->header != WIRE_rdma_cm)
		all->next = part->offset + part->captured;
	all->n++;
}

static inline void hold_stack(const struct decode_input *in,
			      const struct packet *p)
{
	struct stack_hop hop;

	HOLDS((p->stack != NULL) ==
	      !!(p->flags & (PACKET_STACK | PACKET_SRV6)));
	HOLDS(!(p->flags & PACKET_STACK) || !(p->flags & PACKET_SRV6));
	HOLDS((p->stack_hops != 0) == !!(p->flags & PACKET_STACK));
	HOLDS(!p->stack ||
	      (p->stack > in->data && p->stack <= in->data + in->caplen));
	HOLDS(!(p->flags & (PACKET_STACK | PACKET_CSIG)) ||
	      p->flags & PACKET_SHIM);
	/* only a whole packet has all the hops it speaks of */
	for (unsigned i = 0; p->status == PACKET_OK && i < p->stack_hops; i++)
		stack_hop(p, i, &hop);
}

static inline bool hold_is_control(const struct packet *p)
{
	return p->kind == PACKET_PAUSE || p->kind == PACKET_PFC ||
	       p->kind == PACKET_LLDP || p->kind == PACKET_UEC_CC;
}

static inline void hold_uet(const struct packet *p)
{
	const struct uet *u = &p->uet;
	bool ses = u->flags & (UET_REQUEST | UET_RESPONSE);

	HOLDS(u->type <= 14 || p->status == PACKET_FOREIGN);
	HOLDS(!(u->flags & UET_SES) || u->flags & UET_PDS);
	HOLDS(!(u->flags & UET_SES) || ses);
	HOLDS(!ses || (u->flags & UET_PDS && !(u->flags & UET_TSS)));
	HOLDS(!(u->flags & (UET_MESSAGE | UET_JOB)) || ses);
	HOLDS(!(u->flags & UET_REQUEST) || !(u->flags & UET_RESPONSE));
	HOLDS(!(u->flags & UET_TRIM_SURE) || u->flags & UET_TRIMMED);
	HOLDS(!(u->flags & UET_TRIMMED) || p->icrc_status == ICRC_UNCHECKABLE);
	HOLDS(!(u->flags & UET_CRC_LE) || p->icrc_status == ICRC_GOOD);
	HOLDS(!(u->flags & UET_TSS) || p->icrc_status == ICRC_UNCHECKABLE);
	HOLDS(u->flags & UET_TRIMMED || uet_cut(u) == 0);
	HOLDS(!(u->flags & UET_SYN) || u->dpdcid == 0);
}

static inline void hold_packet(const struct decode_input *in,
			       const struct packet *p)
{
	bool roce = p->kind == PACKET_ROCE || p->kind == PACKET_CNP;
	bool like = p->flags & PACKET_LIKE_UET;
	bool uet = p->kind == PACKET_UET || like;

	HOLDS(p->status < PACKET_STATUSES);
	HOLDS(p->kind < PACKET_KINDS);
	HOLDS(p->icrc_status <= ICRC_BAD);
	/* 197: Endace's record says how long its frame was */
	HOLDS(p->wire_len == in->wirelen || in->linktype == 197 ||
	      p->flags & PACKET_TUNNELLED);
	HOLDS((p->psn <= 0xffffff || uet) && p->msn <= 0xffffff);
	HOLDS(p->dst_qp <= 0xffffff && p->src_qp <= 0xffffff);
	HOLDS(p->vlan <= 0xfff || p->vlan == 0xffff);
	HOLDS(p->pcp <= 7 || p->pcp == 0xff);
	HOLDS(p->src_mac >> 48 == 0 && p->dst_mac >> 48 == 0);
	HOLDS(p->payload <= 0xffff);
	HOLDS(roce || (uet && !like) || p->status != PACKET_OK);
	HOLDS(!like || (p->kind == PACKET_OTHER && p->port &&
			p->status == PACKET_FOREIGN));
	HOLDS(!(p->flags & PACKET_NVME_TCP) ||
	      (p->kind == PACKET_OTHER && p->status == PACKET_FOREIGN &&
	       !like));
	HOLDS(roce || uet || p->icrc_status == ICRC_UNCHECKABLE);
	HOLDS(roce || !(p->flags & (PACKET_HAS_RETH | PACKET_HAS_AETH |
				    PACKET_HAS_DETH | PACKET_HAS_CM)));
	HOLDS(p->icrc_status != ICRC_UNCHECKABLE || p->icrc == 0);
	if (hold_is_control(p)) {
		HOLDS(!p->control ||
		      (p->control >= in->data &&
		       p->control + p->payload <= in->data + in->caplen));
	} else {
		HOLDS((p->mad != NULL) == !!(p->flags & PACKET_HAS_CM));
		HOLDS(!p->mad || p->status == PACKET_OK);
		HOLDS(!p->mad || (p->mad >= in->data &&
				  p->mad + 256 <= in->data + in->caplen));
	}
	hold_stack(in, p);
	if (uet)
		hold_uet(p);
	HOLDS(p->kind != PACKET_CNP || p->opcode == 0x81 ||
	      (p->opcode == 0x80 && p->flags & PACKET_V1));
	HOLDS(p->status != PACKET_FRAGMENT || p->payload == 0);
}

/* Decodes in all three ways and returns what they agree on. */
static inline struct packet hold_all(const struct decode_input *in,
				     const struct decode_options *options)
{
	struct parts parts = { .in = in };
	struct packet fast = { .tap = 1, .ns = 2, .frame = 3 };
	struct packet general = fast, explained = fast;
	struct explain_end end;

	packet_decode(in, options, &fast);
	packet_decode_general(in, options, &general);
	packet_explain(in, options, &explained, hold_part, &parts, &end);
	HOLDS(packets_same(&fast, &general));
	HOLDS(packets_same(&fast, &explained));
	HOLDS(fast.tap == 1 && fast.ns == 2 && fast.frame == 3);
	HOLDS(end.offset <= in->caplen && end.offset == parts.next);
	HOLDS((end.why == NULL) == (fast.status == PACKET_OK));
	hold_packet(in, &fast);
	return fast;
}

#endif

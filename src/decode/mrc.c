/* SPDX-License-Identifier: GPL-2.0-or-later
 * Headers of MRC. */
#include "decode/mrc.h"

enum {
	WRITE_SIZE = WIRE_SIZE_mrc_meth + WIRE_SIZE_reth,
	SACK_SIZE = WIRE_SIZE_mrc_seth + WIRE_SIZE_mrc_cc_state,
};

static bool is_write(unsigned opcode)
{
	return opcode >= MRC_WRITE_FIRST && opcode <= MRC_WRITE_ONLY_IMM;
}

static bool has_immediate(unsigned opcode)
{
	return opcode == MRC_WRITE_LAST_IMM || opcode == MRC_WRITE_ONLY_IMM;
}

static size_t size_of(const uint8_t *bth)
{
	unsigned opcode = (unsigned)WIRE_GET(mrc_bth, opcode, bth);

	switch (opcode) {
	case MRC_ACK:
		return WIRE_SIZE_aeth;
	case MRC_REQUEST:
		return WIRE_SIZE_mrc_erth;
	case MRC_RESPONSE:
		return WIRE_SIZE_mrc_eeth;
	case MRC_SACK:
		return SACK_SIZE;
	case MRC_NACK:
		return WIRE_SIZE_mrc_neth;
	case MRC_PROBE:
		return WIRE_SIZE_mrc_peth;
	default:
		return is_write(opcode) ? WRITE_SIZE +
						  (WIRE_GET(mrc_bth, ts, bth)
							   ? WIRE_SIZE_mrc_tseth
							   : 0) +
						  (has_immediate(opcode)
							   ? WIRE_SIZE_immdt
							   : 0)
					: 0;
	}
}

size_t mrc_headers(const uint8_t *bth, size_t len)
{
	size_t size = size_of(bth);
	size_t all = WIRE_SIZE_mrc_bth + size + WIRE_GET(mrc_bth, padcnt, bth) +
		     ICRC_SIZE;

	if (!size || WIRE_GET(mrc_bth, tver, bth))
		return 0;
	return len == all || (len > all && is_write((unsigned)WIRE_GET(
						   mrc_bth, opcode, bth)))
		       ? size
		       : 0;
}

/* The next |size| bytes as this header; NULL when the capture cut them. */
static const uint8_t *next(struct walk *w, int header, const char *name,
			   size_t size)
{
	if (w->have >= size)
		return walk_take(w, header, name, size);
	walk_pass(w, name, size);
	return NULL;
}
#define NEXT_OF(w, h) next((w), WIRE_##h, #h, WIRE_SIZE_##h)

/* Where the snaplen cut these, the BTH says what its PSN needs. */
static void read_write(struct walk *w, const uint8_t *bth)
{
	const uint8_t *reth;

	NEXT_OF(w, mrc_meth);
	if (WIRE_GET(mrc_bth, ts, bth))
		NEXT_OF(w, mrc_tseth);
	reth = NEXT_OF(w, reth);
	if (reth) {
		w->out->flags |= PACKET_HAS_RETH;
		w->out->dma_len = (uint32_t)WIRE_GET(reth, dmalen, reth);
	}
	if (has_immediate(w->out->opcode)) {
		w->out->flags |= PACKET_HAS_IMM;
		NEXT_OF(w, immdt);
	}
}

static bool read_sack(struct walk *w)
{
	struct packet *out = w->out;
	const uint8_t *seth = TAKE(w, mrc_seth), *cc;

	if (!seth)
		return false;
	out->mrc.code = (uint8_t)WIRE_GET(mrc_seth, m, seth);
	if (WIRE_GET(mrc_seth, pr, seth))
		out->mrc.flags |= MRC_OF_PROBE;
	cc = NEXT_OF(w, mrc_cc_state);
	if (cc && WIRE_GET(mrc_seth, cc_type, seth) == CC_NSCC)
		out->mrc.penalty = (uint8_t)WIRE_GET(mrc_cc_state, penalty, cc);
	return true;
}

static bool read_nack(struct walk *w)
{
	const uint8_t *p = TAKE(w, mrc_neth);

	if (p)
		w->out->mrc.code = (uint8_t)WIRE_GET(mrc_neth, reason, p);
	return p;
}

static bool read_ack(struct walk *w)
{
	const uint8_t *p = TAKE(w, aeth);

	if (!p)
		return false;
	w->out->flags |= PACKET_HAS_AETH;
	w->out->syndrome = *WIRE_PTR(aeth, resv, p);
	w->out->msn = (uint32_t)WIRE_GET(aeth, msn, p);
	return true;
}

bool mrc_read(struct walk *w, const uint8_t *bth)
{
	struct packet *out = w->out;

	out->flags |= PACKET_MRC;
	/* These bits are reserved in RoCE only. */
	if (!WIRE_GET(mrc_bth, resv, bth) && !WIRE_GET(mrc_bth, resv2, bth) &&
	    !WIRE_GET(mrc_bth, resv3, bth))
		out->flags &= ~(uint32_t)PACKET_RESERVED_SET;
	if (WIRE_GET(mrc_bth, rtx, bth))
		out->mrc.flags |= MRC_RETRANSMITTED;
	out->label = (uint64_t)w->label << 20;
	if (w->route_kind == ICRC_IPV6)
		out->label |= WIRE_GET(ipv6, flow, w->route);
	switch (out->opcode) {
	case MRC_SACK:
		return read_sack(w);
	case MRC_NACK:
		return read_nack(w);
	case MRC_ACK:
		return read_ack(w);
	case MRC_PROBE:
		NEXT_OF(w, mrc_peth);
		return true;
	case MRC_REQUEST:
		NEXT_OF(w, mrc_erth);
		return true;
	case MRC_RESPONSE:
		NEXT_OF(w, mrc_eeth);
		return true;
	default:
		read_write(w, bth);
		return true;
	}
}

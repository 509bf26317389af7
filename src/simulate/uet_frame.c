/* SPDX-License-Identifier: GPL-2.0-or-later
 * A UET packet as bytes.
 *
 *   UDP to port 4793, or entropy header | PDS | SES | payload | CRC-32C
 *
 * A trimmed packet is the same, cut: its IP length says so, the lengths inside
 * do not.  An encrypted one has a TSS header before the PDS and an ICV for a
 * CRC, and behind the header bytes by chance: ciphertext says no more. */
#include "simulate/uet_frame.h"

#include <string.h>

#include "base/crc32.h"
#include "simulate/frame.h"
#include "simulate/rng.h"
#include "simulate/uet.h"
#include "simulate/uet_ses.h"
#include "simulate/world.h"
#include "wire/wire.h"

enum { CRC = 4, ICV = 16 };
enum { KEEP_BEHIND = 16, FIRST_EPOCH = 3, FIRST_COUNTER = 1000 };

static const uint8_t pds_bytes[] = {
	[PDS_RUD_REQ] = WIRE_SIZE_pds_req,
	[PDS_ROD_REQ] = WIRE_SIZE_pds_req,
	[PDS_RUDI_REQ] = WIRE_SIZE_pds_rudi,
	[PDS_RUDI_RESP] = WIRE_SIZE_pds_rudi_resp,
	[PDS_UUD_REQ] = WIRE_SIZE_pds_uud,
	[PDS_ACK] = WIRE_SIZE_pds_ack,
	[PDS_ACK_CC] = WIRE_SIZE_pds_ack + WIRE_SIZE_pds_ack_cc,
	[PDS_NACK] = WIRE_SIZE_pds_nack,
	[PDS_CP] = WIRE_SIZE_pds_cp + WIRE_SIZE_cp_payload,
	[PDS_RUD_CC_REQ] = WIRE_SIZE_pds_req + WIRE_SIZE_pds_req_cc,
	[PDS_ROD_CC_REQ] = WIRE_SIZE_pds_req + WIRE_SIZE_pds_req_cc,
};

static uint32_t outer(const struct sim *s)
{
	return s->host.uet_native ? WIRE_SIZE_entropy : WIRE_SIZE_udp;
}

bool uet_secures(const struct sim *s, const struct pkt *p)
{
	return s->host.tss && p->uet.type &&
	       !(p->uet.type == PDS_NACK && !p->uet.spdcid);
}

uint64_t uet_counter(const struct sim *s, uint64_t n)
{
	uint64_t roll = s->host.tss_roll ? s->host.tss_roll : UINT32_MAX;

	return (FIRST_EPOCH + n / roll) << 48 | (FIRST_COUNTER + n % roll);
}

uint32_t uet_ssi(const struct sim *s, const struct host *h)
{
	return s->host.tss_ssi ? h->number + 1 : 0;
}

static uint32_t tss(const struct sim *s)
{
	return WIRE_SIZE_tss +
	       (s->host.tss_ssi ? WIRE_SIZE_tss_ssi : WIRE_SIZE_tss_tsc);
}

static uint32_t whole(const struct sim *s, const struct pkt *p)
{
	return outer(s) + pds_bytes[p->uet.type] + uet_ses_bytes(p) +
	       p->payload + (p->uet.tsc ? tss(s) + ICV : CRC);
}

uint32_t uet_frame_bytes(const struct sim *s, const struct pkt *p)
{
	return p->kept ? p->kept : whole(s, p);
}

uint32_t uet_trim_least(const struct sim *s)
{
	return outer(s) + KEEP_BEHIND;
}

/* --- packet delivery ------------------------------------------------------ */

static void write_request(const struct pkt *p, uint8_t *o)
{
	const struct uet_head *u = &p->uet;

	WIRE_SET(pds_req, clear_psn_offset, o, (u->clear - p->psn) & 0xffff);
	WIRE_SET(pds_req, psn, o, p->psn & UINT32_MAX);
	WIRE_SET(pds_req, spdcid, o, u->spdcid);
	WIRE_SET(pds_req, dpdcid, o, u->dpdcid);
	if (u->type == PDS_RUD_CC_REQ || u->type == PDS_ROD_CC_REQ) {
		o += WIRE_SIZE_pds_req;
		WIRE_SET(pds_req_cc, ccc_id, o, u->spdcid & 0xff);
		WIRE_SET(pds_req_cc, credit_target, o,
			 u->credit_target & 0xffffff);
	}
}

static void write_ack(const struct pkt *p, uint8_t *o)
{
	const struct uet_head *u = &p->uet;

	if (u->flags & UET_P)
		WIRE_SET(pds_ack_probe, probe_opaque, o, u->opaque);
	else
		WIRE_SET(pds_ack, ack_psn_offset, o,
			 (p->psn - u->cack) & 0xffff);
	WIRE_SET(pds_ack, cack_psn, o, u->cack & UINT32_MAX);
	WIRE_SET(pds_ack, spdcid, o, u->spdcid);
	WIRE_SET(pds_ack, dpdcid, o, u->dpdcid);
	if (u->type != PDS_ACK_CC)
		return;
	o += WIRE_SIZE_pds_ack;
	WIRE_SET(pds_ack_cc, cc_type, o, u->cc_type);
	WIRE_SET(pds_ack_cc, mpr, o, u->mpr);
	WIRE_SET(pds_ack_cc, sack_psn_offset, o,
		 (u->sack_base - u->cack) & 0xffff);
	WIRE_SET(pds_ack_cc, sack_bitmap, o, u->sack);
	WIRE_SET(pds_ack_cc, cc_state, o, u->cc_state);
}

static void write_nack(const struct pkt *p, uint8_t *o)
{
	const struct uet_head *u = &p->uet;

	WIRE_SET(pds_nack, nack_code, o, u->code);
	WIRE_SET(pds_nack, nack_psn, o, p->psn & UINT32_MAX);
	WIRE_SET(pds_nack, spdcid, o, u->spdcid);
	WIRE_SET(pds_nack, dpdcid, o, u->dpdcid);
	WIRE_SET(pds_nack, payload, o, u->word);
}

static void write_control(const struct pkt *p, uint8_t *o)
{
	const struct uet_head *u = &p->uet;

	WIRE_SET(pds_cp, psn, o, p->psn & UINT32_MAX);
	WIRE_SET(pds_cp, spdcid, o, u->spdcid);
	WIRE_SET(pds_cp, dpdcid, o, u->dpdcid);
	if (u->next == CP_PROBE)
		WIRE_SET(pds_cp, probe_opaque, o, u->opaque);
	o += WIRE_SIZE_pds_cp;
	if (u->next == CP_CREDIT) {
		WIRE_SET(cp_credit, credit, o, u->credit_target & 0xffffff);
	} else if (u->next == CP_CREDIT_REQ) {
		WIRE_SET(pds_req_cc, ccc_id, o, u->spdcid & 0xff);
		WIRE_SET(pds_req_cc, credit_target, o,
			 u->credit_target & 0xffffff);
	} else {
		WIRE_SET(cp_psn, psn, o, u->word);
	}
}

static void write_pds(const struct pkt *p, uint8_t *o)
{
	memset(o, 0, pds_bytes[p->uet.type]);
	WIRE_SET(pds_prologue, type, o, p->uet.type);
	WIRE_SET(pds_prologue, next, o, p->uet.next);
	WIRE_SET(pds_prologue, flags, o, p->uet.flags);
	switch (p->uet.type) {
	case PDS_RUDI_REQ:
	case PDS_RUDI_RESP:
		WIRE_SET(pds_rudi, pkt_id, o, p->psn & UINT32_MAX);
		break;
	case PDS_UUD_REQ:
		break;
	case PDS_ACK:
	case PDS_ACK_CC:
		write_ack(p, o);
		break;
	case PDS_NACK:
		write_nack(p, o);
		break;
	case PDS_CP:
		write_control(p, o);
		break;
	default:
		write_request(p, o);
		break;
	}
}

/* --- all of it ------------------------------------------------------------ */

/* From the source address of the IP header to the end of the payload. */
static void write_crc(const struct sim *s, const uint8_t *ip, uint8_t *at)
{
	const uint8_t *from = ip + (s->host.ipv6 ? 8 : 12);
	uint32_t crc = ~crc32c_add(CRC32_START, from, (size_t)(at - from));

	for (int i = 0; i < CRC; i++)
		at[i] = (uint8_t)(crc >> 8 * (CRC - 1 - i));
}

static void write_outer(const struct sim *s, const struct pkt *p, uint8_t *o)
{
	memset(o, 0, outer(s));
	if (s->host.uet_native) {
		WIRE_SET(entropy, ev, o, p->sport);
		return;
	}
	WIRE_SET(udp, sport, o, p->sport);
	WIRE_SET(udp, dport, o, UDP_PORT_UET);
	WIRE_SET(udp, len, o, whole(s, p));
}

static void write_tss(const struct sim *s, const struct pkt *p, uint8_t *o)
{
	memset(o, 0, tss(s));
	WIRE_SET(tss, type, o, PDS_TSS);
	WIRE_SET(tss, sp, o, s->host.tss_ssi);
	WIRE_SET(tss, an, o, p->uet.tsc >> 48 & 1);
	WIRE_SET(tss, sdi, o, s->host.tss);
	o += WIRE_SIZE_tss;
	if (!s->host.tss_ssi) {
		WIRE_SET(tss_tsc, epoch, o, p->uet.tsc >> 48);
		WIRE_SET(tss_tsc, counter, o, p->uet.tsc & 0xffffffffffff);
		return;
	}
	WIRE_SET(tss_ssi, ssi, o, uet_ssi(s, p->src));
	WIRE_SET(tss_ssi, epoch, o, p->uet.tsc >> 48);
	WIRE_SET(tss_ssi, counter, o, p->uet.tsc & 0xffffffffffff);
}

/* |n| bytes of the ciphertext of |p|, the same wherever it passes. */
static void write_cipher(const struct sim *s, const struct pkt *p, uint8_t *o,
			 uint32_t n)
{
	struct rng r = rng_fork(s->seed ^ p->uet.tsc, "cipher", p->src->number);

	for (uint32_t i = 0; i < n; i++)
		o[i] = (uint8_t)(rng_next(&r) >> 32);
}

static void write_clear(const struct sim *s, const struct pkt *p,
			const uint8_t *ip, uint8_t *b, uint32_t want)
{
	write_pds(p, b);
	b += pds_bytes[p->uet.type];
	uet_ses_write(p, b);
	b += uet_ses_bytes(p);
	if (p->payload)
		frame_payload(p, b, want < p->payload ? want : p->payload);
	b += p->payload;
	if (want >= whole(s, p))
		write_crc(s, ip, b);
}

uint32_t uet_frame_write(const struct sim *s, const struct pkt *p,
			 const uint8_t *ip, uint8_t *o, uint32_t want)
{
	uint32_t all = whole(s, p), head = outer(s) + tss(s);

	write_outer(s, p, o);
	if (p->uet.tsc) {
		write_tss(s, p, o + outer(s));
		write_cipher(s, p, o + head,
			     want < all - head ? want : all - head);
	} else {
		write_clear(s, p, ip, o + outer(s), want);
	}
	if (p->corrupt)
		o[outer(s) + p->flip % (all - outer(s))] ^= 0x10;
	return p->kept ? p->kept : all;
}

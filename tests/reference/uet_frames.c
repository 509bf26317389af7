/* SPDX-License-Identifier: GPL-2.0-or-later
 * The same as frames.c of Ultra Ethernet: a few contexts, over UDP with and
 * without a tag and over native IP, RUD and ROD, both directions with data and
 * answers. */
#include <string.h>

#include "base/crc32.h"
#include "frames.h"
#include "scene.h"
#include "wire/wire.h"

enum { PAYLOAD = 128, LENGTH = 64 * PAYLOAD, JOB = 200, PDC = 0x11 };
enum { FLAG_AR = 0x08 };

enum { VARIATIONS = 12 };
enum kind {
	OUT_OF_ORDER = 1 << VARIATIONS,
	BAD_CRC = 1 << (VARIATIONS + 1),
	TWO_TAPS = 1 << (VARIATIONS + 2),
	CUT = 1 << (VARIATIONS + 3),
	CONTROL = 1 << (VARIATIONS + 4), /* packets of other types */
	KINDS = VARIATIONS + 5
};

static uint32_t below(struct frames *s, uint32_t n)
{
	return s->choose(s->ctx, n);
}

static unsigned number_of(const struct frames *s, const struct frames_way *w)
{
	return (unsigned)(w - s->way);
}

static bool is_native(const struct frames *s, const struct frames_way *w)
{
	return number_of(s, w) / 2 == 2;
}

static uint8_t *ip_of(const struct frames_way *w, uint8_t *frame)
{
	return frame + WIRE_SIZE_eth + (w->tagged ? WIRE_SIZE_vlan : 0);
}

static uint8_t *pds_of(const struct frames *s, const struct frames_way *w,
		       uint8_t *frame)
{
	return ip_of(w, frame) + WIRE_SIZE_ipv4 +
	       (is_native(s, w) ? WIRE_SIZE_entropy : WIRE_SIZE_udp);
}

static void begin(struct frames *s, unsigned n)
{
	struct frames_way *w = &s->way[n];
	uint8_t *eth = w->head, *ip, *udp;

	*w = (struct frames_way) { .tagged = n / 2 == 1,
				   .psn = n * 0x3ffffff0 };
	ip = ip_of(w, eth);
	udp = ip + WIRE_SIZE_ipv4;
	WIRE_SET(eth, smac, eth, 0x020000000001 + n);
	WIRE_SET(eth, dmac, eth, 0x020000000001 + (n ^ 1));
	WIRE_SET(eth, type, eth, w->tagged ? ETYPE_VLAN : ETYPE_IPV4);
	if (w->tagged) {
		WIRE_SET(vlan, vid, eth + WIRE_SIZE_eth, 100);
		WIRE_SET(vlan, type, eth + WIRE_SIZE_eth, ETYPE_IPV4);
	}
	WIRE_SET(ipv4, version, ip, 4);
	WIRE_SET(ipv4, ihl, ip, 5);
	WIRE_SET(ipv4, ecn, ip, 2);
	WIRE_SET(ipv4, ttl, ip, 64);
	WIRE_SET(ipv4, proto, ip, is_native(s, w) ? PROTO_EXP1 : PROTO_UDP);
	WIRE_SET(ipv4, src, ip, 0x0a000001 + n);
	WIRE_SET(ipv4, dst, ip, 0x0a000001 + (n ^ 1));
	if (!is_native(s, w))
		WIRE_SET(udp, dport, udp, UDP_PORT_UET);
}

/* What is different for a while, or for one packet. */
static void vary(struct frames *s, struct frames_way *w, uint8_t *frame)
{
	uint8_t *ip = ip_of(w, frame), *udp = ip + WIRE_SIZE_ipv4;
	uint32_t what = below(s, 2 * VARIATIONS);

	switch (s->kinds >> what & 1 ? what : VARIATIONS) {
	case 0:
		WIRE_SET(ipv4, ecn, ip, below(s, 4));
		break;
	case 1:
		WIRE_SET(ipv4, dscp, ip, 24 + below(s, 3));
		break;
	case 2:
		WIRE_SET(ipv4, ttl, ip, 62 + below(s, 3));
		break;
	case 3:
		WIRE_SET(eth, smac, frame, 0x020000000001 + below(s, 3));
		break;
	case 4:
		if (w->tagged)
			WIRE_SET(vlan, pcp, frame + WIRE_SIZE_eth, below(s, 8));
		break;
	case 5:
		WIRE_SET(ipv4, mf, ip, below(s, 8) == 0);
		break;
	case 6:
		if (!is_native(s, w))
			WIRE_SET(udp, dport, udp,
				 UDP_PORT_UET + (below(s, 8) == 0));
		break;
	default:
		WIRE_SET(ipv4, ecn, ip, 2);
		WIRE_SET(ipv4, dscp, ip, 0);
		WIRE_SET(ipv4, mf, ip, 0);
		if (!is_native(s, w))
			WIRE_SET(udp, dport, udp, UDP_PORT_UET);
	}
}

/* May the variation |n| of this run come now? */
static bool odd(struct frames *s, unsigned n)
{
	return s->kinds >> n & 1 && below(s, 60) == 0;
}

static void ids(struct frames *s, const struct frames_way *w, uint8_t *pds)
{
	unsigned n = number_of(s, w);

	WIRE_SET(pds_req, spdcid, pds, PDC + n);
	WIRE_SET(pds_req, dpdcid, pds, odd(s, 7) ? below(s, 3) : PDC + (n ^ 1));
}

/* In order, or a jump, a step back, a place long gone. */
static uint32_t next_psn(struct frames *s, struct frames_way *w)
{
	switch (s->kinds & OUT_OF_ORDER ? below(s, 1000) : 3) {
	case 0:
		w->psn += 1 + below(s, 3);
		break;
	case 1:
		w->psn -= 1 + below(s, 6);
		break;
	case 2:
		return w->psn - 1 - below(s, 20);
	default:
		break;
	}
	return w->psn++;
}

/* Octets from the PDS header on, without the CRC. */
static size_t data(struct frames *s, struct frames_way *w, uint8_t *pds)
{
	uint8_t *ses = pds + WIRE_SIZE_pds_req;
	bool som = !w->in_message, eom = below(s, 5) == 0;
	uint32_t psn = next_psn(s, w), flags = below(s, 8) ? 0 : FLAG_AR;

	w->in_message = !eom;
	w->una = som ? psn : w->una;
	w->ip_id = (uint16_t)(w->ip_id + som);
	flags |= odd(s, 8) ? below(s, 128) : 0;
	WIRE_SET(pds_prologue, type, pds,
		 number_of(s, w) / 2 == 1 ? PDS_ROD_REQ : PDS_RUD_REQ);
	WIRE_SET(pds_prologue, next, pds, SES_REQUEST_STD);
	WIRE_SET(pds_prologue, flags, pds, flags);
	WIRE_SET(pds_req, clear_psn_offset, pds, 0xffff);
	WIRE_SET(pds_req, psn, pds, psn);
	ids(s, w, pds);
	WIRE_SET(ses_std, opcode, ses, odd(s, 9) ? below(s, 64) : SES_WRITE);
	WIRE_SET(ses_std, som, ses, som);
	WIRE_SET(ses_std, eom, ses, eom);
	WIRE_SET(ses_std, message_id, ses, w->ip_id);
	WIRE_SET(ses_std, job_id, ses, odd(s, 10) ? below(s, 3) : JOB);
	WIRE_SET(ses_std, request_length, ses, som && eom ? PAYLOAD : LENGTH);
	if (!som) {
		WIRE_SET(ses_std_more, payload_length, ses, PAYLOAD);
		WIRE_SET(ses_std_more, message_offset, ses,
			 (psn - w->una) * PAYLOAD);
	}
	return WIRE_SIZE_pds_req + WIRE_SIZE_ses_std + PAYLOAD;
}

static size_t answer(struct frames *s, struct frames_way *w, uint8_t *pds)
{
	const struct frames_way *other = &s->way[number_of(s, w) ^ 1];
	uint8_t *cc = pds + WIRE_SIZE_pds_ack, *ses = cc;
	uint32_t cack = other->psn - 1 - below(s, 3);
	bool with_cc = below(s, 3);

	WIRE_SET(pds_prologue, type, pds, with_cc ? PDS_ACK_CC : PDS_ACK);
	WIRE_SET(pds_prologue, next, pds, SES_RESPONSE);
	WIRE_SET(pds_prologue, flags, pds, odd(s, 8) ? below(s, 128) : 0);
	WIRE_SET(pds_ack, cack_psn, pds, cack);
	WIRE_SET(pds_ack, ack_psn_offset, pds, below(s, 3));
	ids(s, w, pds);
	if (with_cc) {
		WIRE_SET(pds_ack_cc, cc_type, cc, below(s, 9) == 0);
		WIRE_SET(pds_ack_cc, mpr, cc, below(s, 3));
		WIRE_SET(pds_ack_cc, sack_bitmap, cc, 1 | below(s, 16));
		WIRE_SET(pds_ack_nscc, service_time, cc, below(s, 300));
		WIRE_SET(pds_ack_nscc, rcvd_bytes, cc, other->psn & 0xffffff);
		WIRE_SET(pds_ack_nscc, ooo_count, cc, below(s, 9));
		ses += WIRE_SIZE_pds_ack_cc;
	}
	WIRE_SET(ses_rsp, opcode, ses, SES_RSP_DEFAULT);
	WIRE_SET(ses_rsp, return_code, ses,
		 odd(s, 11) ? below(s, 4) : SES_RC_OK);
	WIRE_SET(ses_rsp, message_id, ses, other->ip_id);
	WIRE_SET(ses_rsp, job_id, ses, JOB);
	WIRE_SET(ses_rsp, modified_length, ses, LENGTH);
	return (size_t)(ses - pds) + WIRE_SIZE_ses_rsp;
}

/* A refusal, or a control packet. */
static size_t other_type(struct frames *s, struct frames_way *w, uint8_t *pds)
{
	const struct frames_way *peer = &s->way[number_of(s, w) ^ 1];
	bool refuses = below(s, 2);

	WIRE_SET(pds_prologue, type, pds, refuses ? PDS_NACK : PDS_CP);
	WIRE_SET(pds_prologue, next, pds,
		 refuses ? SES_NONE : below(s, CP_NEGOTIATION + 1));
	if (refuses) {
		WIRE_SET(pds_nack, nack_code, pds, below(s, 0x20));
		WIRE_SET(pds_nack, nack_psn, pds, peer->psn - below(s, 4));
	} else {
		WIRE_SET(pds_cp, psn, pds, w->psn++);
	}
	ids(s, w, pds);
	WIRE_SET(pds_nack, payload, pds, below(s, 1 << 20) << 8);
	return WIRE_SIZE_pds_nack;
}

static void finish(struct frames *s, struct frames_way *w, size_t len)
{
	uint8_t *ip = ip_of(w, s->frame), *l4 = ip + WIRE_SIZE_ipv4;
	uint8_t *end = pds_of(s, w, s->frame) + len;
	const uint8_t *from = WIRE_PTR(ipv4, src, ip);
	uint32_t size = (uint32_t)(end - s->frame) + WIRE_SIZE_uet_crc, sum;

	WIRE_SET(ipv4, len, ip, (size_t)(end - ip) + WIRE_SIZE_uet_crc);
	WIRE_SET(udp, sport, l4, 0xc000 + below(s, 32)); /* or entropy */
	if (!is_native(s, w))
		WIRE_SET(udp, len, l4, (size_t)(end - l4) + WIRE_SIZE_uet_crc);
	sum = ~crc32c_add(CRC32_START, from, (size_t)(end - from));
	sum ^= (s->kinds & BAD_CRC) && below(s, 1000) == 0;
	WIRE_SET(uet_crc, crc, end, sum);
	s->f.in = (struct decode_input) { .data = s->frame,
					  .caplen = size,
					  .wirelen = size,
					  .linktype = LINKTYPE_ETHERNET };
	if ((s->kinds & CUT) && below(s, 3) == 0)
		s->f.in.caplen -= below(s, size);
}

void uet_frames_next(struct frames *s)
{
	struct frames_way *w = &s->way[below(s, FRAMES_WAYS)];
	uint8_t *pds;
	size_t len;

	if (below(s, 25) == 0)
		vary(s, w, w->head);
	memcpy(s->frame, w->head, sizeof s->frame);
	if (below(s, 25) == 0)
		vary(s, w, s->frame);
	pds = pds_of(s, w, s->frame);
	if ((s->kinds & CONTROL) && below(s, 300) == 0)
		len = other_type(s, w, pds);
	else if (below(s, 6) == 0)
		len = answer(s, w, pds);
	else
		len = data(s, w, pds);
	finish(s, w, len);
	s->ns += below(s, 300) ? below(s, 4 * US) : below(s, 200 * MS);
	s->f.ns = s->ns;
	s->f.number = ++s->number;
	s->f.tap = (s->kinds & TWO_TAPS) && below(s, 50) == 0;
}

void uet_frames_begin(struct frames *s)
{
	s->ns = SECOND;
	for (unsigned i = 0; i < KINDS; i++)
		s->kinds |= (below(s, 4) == 0) << i;
	for (unsigned i = 0; i < FRAMES_WAYS; i++)
		begin(s, i);
}

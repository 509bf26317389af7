/* SPDX-License-Identifier: GPL-2.0-or-later
 * The same as frames.c of Ultra Ethernet: a few contexts, over UDP with and
 * without a tag and over native IP, RUD and ROD, both directions with data and
 * answers. */
#include <string.h>

#include "base/crc32.h"
#include "frames_parts.h"
#include "wire/wire.h"

enum { PAYLOAD = 128, LENGTH = 64 * PAYLOAD, JOB = 200, PDC = 0x11 };
enum { FLAG_AR = 0x08 };

static unsigned number_of(const struct frames *s, const struct frames_way *w)
{
	return (unsigned)(w - s->way);
}

static bool is_native(const struct frames *s, const struct frames_way *w)
{
	return number_of(s, w) / 2 == 2;
}

static uint8_t *pds_of(const struct frames *s, const struct frames_way *w,
		       uint8_t *frame)
{
	return frames_ip(w, frame) + WIRE_SIZE_ipv4 +
	       (is_native(s, w) ? WIRE_SIZE_entropy : WIRE_SIZE_udp);
}

static void begin(struct frames *s, unsigned n)
{
	struct frames_way *w = &s->way[n];

	frames_head(w, n, n / 2 == 1, 0,
		    is_native(s, w) ? PROTO_EXP1 : PROTO_UDP);
	w->psn = n * 0x3ffffff0;
	if (!is_native(s, w))
		WIRE_SET(udp, dport, frames_ip(w, w->head) + WIRE_SIZE_ipv4,
			 UDP_PORT_UET);
}

/* What is different for a while, or for one packet. */
static void vary(struct frames *s, struct frames_way *w, uint8_t *frame)
{
	uint8_t *udp = frames_ip(w, frame) + WIRE_SIZE_ipv4;
	unsigned what = frames_variation(s);

	if (what == VARIATIONS_IP && !is_native(s, w))
		WIRE_SET(udp, dport, udp, UDP_PORT_UET + (below(s, 8) == 0));
	if (what == VARIATIONS && !is_native(s, w))
		WIRE_SET(udp, dport, udp, UDP_PORT_UET);
	if (what < VARIATIONS_IP || what == VARIATIONS)
		frames_vary(s, w, frame, what, 0);
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

/* Octets from the PDS header on, without the CRC. */
static size_t data(struct frames *s, struct frames_way *w, uint8_t *pds)
{
	uint8_t *ses = pds + WIRE_SIZE_pds_req;
	bool som = !w->in_message, eom = below(s, 5) == 0;
	uint32_t psn = frames_psn(s, w, 1000),
		 flags = below(s, 8) ? 0 : FLAG_AR;

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
	uint8_t *ip = frames_ip(w, s->frame), *l4 = ip + WIRE_SIZE_ipv4;
	uint8_t *end = pds_of(s, w, s->frame) + len;
	const uint8_t *from = WIRE_PTR(ipv4, src, ip);
	uint32_t size = (uint32_t)(end - s->frame) + WIRE_SIZE_uet_crc, sum;

	WIRE_SET(ipv4, len, ip, (size_t)(end - ip) + WIRE_SIZE_uet_crc);
	WIRE_SET(udp, sport, l4, 0xc000 + below(s, 32)); /* or entropy */
	if (!is_native(s, w))
		WIRE_SET(udp, len, l4, (size_t)(end - l4) + WIRE_SIZE_uet_crc);
	sum = ~crc32c_add(CRC32_START, from, (size_t)(end - from));
	sum ^= (s->kinds & BAD_CHECK) && below(s, 1000) == 0;
	WIRE_SET(uet_crc, crc, end, sum);
	frames_captured(s, size);
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
}

void uet_frames_begin(struct frames *s)
{
	frames_kinds(s);
	for (unsigned i = 0; i < FRAMES_WAYS; i++)
		begin(s, i);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Checksums of a frame that changes. */
#include "views/anonymizer_sums.h"

#include <string.h>

#include "base/crc32.h"
#include "decode/explain.h"
#include "run/frame.h"
#include "wire/wire.h"

enum { SUM_SIZE = 4 }; /* bytes of ICRC, UET CRC and FCS */

void anonymizer_sums_begin(struct anonymizer_sums *s, const struct frame *f)
{
	s->frame = f;
	s->n = 0;
	s->ip = s->icrc = 0;
	s->ip_is_v6 = false;
}

/* ---- IP and UDP: RFC 1071 ---- */

static uint32_t add_words(uint32_t sum, const uint8_t *p, size_t n)
{
	for (; n > 1; p += 2, n -= 2)
		sum += (uint32_t)p[0] << 8 | p[1];
	sum += n ? (uint32_t)*p << 8 : 0;
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

/* All ones when the sum inside is right; 0: not all of it is there. */
static uint32_t sum_ip(const uint8_t *data, size_t n, uint32_t ip)
{
	size_t size = 4 * WIRE_GET(ipv4, ihl, data + ip);

	return ip + size <= n ? add_words(0, data + ip, size) : 0;
}

static uint32_t sum_udp(const uint8_t *data, size_t n, uint32_t ip, bool v6,
			uint32_t udp)
{
	size_t size = WIRE_GET(udp, len, data + udp);
	uint32_t sum = (uint32_t)size + PROTO_UDP;

	if (size < WIRE_SIZE_udp || udp + size > n)
		return 0;
	if (v6)
		sum = add_words(sum, WIRE_PTR(ipv6, src, data + ip),
				2 * WIRE_BYTES(ipv6, src));
	else
		sum = add_words(sum, WIRE_PTR(ipv4, src, data + ip),
				2 * WIRE_BYTES(ipv4, src));
	return add_words(sum, data + udp, size);
}

enum { RIGHT = 0xffff };

static void note_right(struct anonymizer_sums *s, uint32_t udp)
{
	if (s->n == ANONYMIZE_SUMS)
		return;
	s->of[s->n].ip = s->ip;
	s->of[s->n].udp = udp;
	s->of[s->n++].ip_is_v6 = s->ip_is_v6;
}

void anonymizer_sums_note(struct anonymizer_sums *s,
			  const struct explain_part *part)
{
	const uint8_t *data = s->frame->data;
	size_t n = s->frame->caplen;

	switch (part->header) {
	case WIRE_ipv4:
		s->ip = part->offset;
		s->ip_is_v6 = false;
		if (sum_ip(data, n, s->ip) == RIGHT)
			note_right(s, 0);
		break;
	case WIRE_ipv6:
		s->ip = part->offset;
		s->ip_is_v6 = true;
		break;
	case WIRE_udp:
		if (WIRE_GET(udp, csum, part->data) &&
		    sum_udp(data, n, s->ip, s->ip_is_v6, part->offset) == RIGHT)
			note_right(s, part->offset);
		break;
	case WIRE_uet_crc:
		s->icrc = part->offset;
		break;
	default:
		if (part->header < 0 && !strcmp(part->name, "icrc") &&
		    part->captured == SUM_SIZE)
			s->icrc = part->offset;
		break;
	}
}

/* From the innermost outwards: an outer sum is over the inner one. */
static void put_words(const struct anonymizer_sums *s, size_t n, uint8_t *data)
{
	for (unsigned i = s->n; i-- > 0;) {
		uint32_t ip = s->of[i].ip, udp = s->of[i].udp, sum;

		if (!udp) {
			sum = RIGHT - sum_ip(data, n, ip);
			WIRE_SET(ipv4, csum, data + ip, sum);
			continue;
		}
		sum = RIGHT - sum_udp(data, n, ip, s->of[i].ip_is_v6, udp);
		WIRE_SET(udp, csum, data + udp, sum ? sum : RIGHT);
	}
}

/* ---- ICRC, UET CRC and FCS ---- */

static void look_away(void *ctx, const struct explain_part *part)
{
	(void)ctx;
	(void)part;
}

static void put_number(uint8_t *p, uint32_t v, bool little)
{
	for (int i = 0; i < SUM_SIZE; i++)
		p[little ? i : SUM_SIZE - 1 - i] = (uint8_t)(v >> 8 * i);
}

static void put_icrc(const struct anonymizer_sums *s,
		     const struct packet *before,
		     const struct decode_options *decode, const struct frame *f,
		     uint8_t *data)
{
	const struct decode_input in = frame_input(f);
	bool little =
		before->kind != PACKET_UET || before->uet.flags & UET_CRC_LE;
	struct packet after = { 0 };
	struct explain_end end;
	uint32_t v;

	if (!s->icrc || before->icrc_status == ICRC_UNCHECKABLE)
		return;
	packet_explain(&in, decode, &after, look_away, NULL, &end);
	v = before->icrc_status == ICRC_GOOD ? end.right : ~end.right;
	put_number(data + s->icrc, v, little);
}

static void put_fcs(const struct frame *was, uint8_t *data)
{
	size_t n = was->caplen - SUM_SIZE;
	uint32_t v;

	if (was->fcs_len != SUM_SIZE || was->caplen < SUM_SIZE)
		return;
	v = ~crc32_add(CRC32_START, data, n);
	if (crc32_add(CRC32_START, was->data, was->caplen) != CRC32_RESIDUE)
		v = ~v;
	put_number(data + n, v, true);
}

void anonymizer_sums_put(const struct anonymizer_sums *s,
			 const struct packet *before,
			 const struct decode_options *decode,
			 const struct frame *f, uint8_t *data)
{
	put_icrc(s, before, decode, f, data);
	put_words(s, f->caplen, data);
	put_fcs(s->frame, data);
}

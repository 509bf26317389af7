/* SPDX-License-Identifier: GPL-2.0-or-later
 * What one packet costs: packet_decode() over a few million frames of the
 * common shape.  Not a test; run by hand: decode_bench [million frames] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/crc32.h"
#include "decode/walk.h"

enum { SLOT = 128, MILLION = 1000000 };

/* The bytes behind UDP of a packet, and what it carries. */
struct inside {
	size_t (*put)(uint8_t *p, uint8_t which, uint32_t i);
	uint16_t port;
	uint32_t payload;
};

struct mix {
	const char *name;
	struct inside inside;
	const uint8_t *which; /* opcodes or PDS types */
	size_t n;
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* RC; the bytes of the headers. */
static size_t put_roce(uint8_t *bth, uint8_t opcode, uint32_t i)
{
	WIRE_SET(bth, opcode, bth, opcode);
	WIRE_SET(bth, pkey, bth, 0xffff);
	WIRE_SET(bth, destqp, bth, 0x100 + i % 64);
	WIRE_SET(bth, psn, bth, i / 64);
	return wire_opcode(opcode)->headers;
}

/* A further packet of a WRITE, or an ACK_CC with a response. */
static size_t put_uet(uint8_t *p, uint8_t type, uint32_t i)
{
	uint8_t *ses = p + WIRE_SIZE_pds_req;

	WIRE_SET(pds_req, type, p, type);
	WIRE_SET(pds_req, psn, p, i / 64);
	WIRE_SET(pds_req, spdcid, p, 0x100 + i % 64);
	WIRE_SET(pds_req, dpdcid, p, 0x200 + i % 64);
	if (type == PDS_ACK_CC) {
		ses = p + WIRE_SIZE_pds_ack + WIRE_SIZE_pds_ack_cc;
		WIRE_SET(pds_ack, next, p, SES_RESPONSE);
		WIRE_SET(ses_rsp, job_id, ses, 7);
		return (size_t)(ses - p) + WIRE_SIZE_ses_rsp;
	}
	WIRE_SET(pds_req, next, p, SES_REQUEST_STD);
	WIRE_SET(ses_std_more, opcode, ses, SES_WRITE);
	WIRE_SET(ses_std_more, job_id, ses, 7);
	WIRE_SET(ses_std_more, payload_length, ses, 1024);
	WIRE_SET(ses_std_more, message_offset, ses, 4096);
	WIRE_SET(ses_std_more, request_length, ses, 65536);
	return WIRE_SIZE_pds_req + WIRE_SIZE_ses_std;
}

/* A frame; what carries nothing is whole in a slot. */
static uint32_t build(uint8_t *f, const struct inside *in, uint8_t which,
		      bool bare, uint32_t i)
{
	uint8_t *ip = f + WIRE_SIZE_eth, *udp = ip + WIRE_SIZE_ipv4;
	uint32_t len;

	memset(f, 0, SLOT);
	len = (uint32_t)in->put(udp + WIRE_SIZE_udp, which, i) +
	      (bare ? 0 : in->payload) + ICRC_SIZE;
	WIRE_SET(eth, smac, f, 0x020000000001 + i % 64);
	WIRE_SET(eth, type, f, ETYPE_IPV4);
	WIRE_SET(ipv4, version, ip, 4);
	WIRE_SET(ipv4, ihl, ip, 5);
	WIRE_SET(ipv4, len, ip, WIRE_SIZE_ipv4 + WIRE_SIZE_udp + len);
	WIRE_SET(ipv4, id, ip, i);
	WIRE_SET(ipv4, df, ip, 1);
	WIRE_SET(ipv4, ttl, ip, 64);
	WIRE_SET(ipv4, proto, ip, PROTO_UDP);
	WIRE_SET(ipv4, src, ip, 0x0a000000 + i % 64);
	WIRE_SET(ipv4, dst, ip, 0x0a000100 + i % 64);
	WIRE_SET(udp, sport, udp, 0xc000 + i % 64);
	WIRE_SET(udp, dport, udp, in->port);
	WIRE_SET(udp, len, udp, WIRE_SIZE_udp + len);
	return WIRE_SIZE_eth + WIRE_SIZE_ipv4 + WIRE_SIZE_udp + len;
}

static void run(const char *what, const uint8_t *frames,
		const uint32_t *lengths, size_t n, bool skip_icrc,
		void (*decode)(const struct decode_input *,
			       const struct decode_options *, struct packet *))
{
	struct decode_options options = decode_defaults;
	static struct packet out[32];
	uint64_t sum = 0;
	double begin, best = 1e99;

	options.skip_icrc = skip_icrc;
	for (int round = 0; round < 3; round++) {
		begin = now_ns();
		for (size_t i = 0; i < n; i++) {
			uint32_t cap = lengths[i] < SLOT ? lengths[i] : SLOT;
			struct decode_input in = {
				.data = frames + i * SLOT,
				.caplen = cap,
				.wirelen = lengths[i],
				.linktype = 1,
			};
			struct packet *p = &out[i % 32];

			decode(&in, &options, p);
			sum += p->psn + p->status + p->icrc_status;
		}
		begin = now_ns() - begin;
		best = begin < best ? begin : best;
	}
	printf("%-34s %6.1f ns  (%llu)\n", what, best / (double)n,
	       (unsigned long long)sum);
}

int main(int argc, char **argv)
{
	static const uint8_t middle[] = { RC_WRITE_MIDDLE };
	static const uint8_t mixed[] = {
		RC_WRITE_FIRST, RC_WRITE_MIDDLE, RC_WRITE_MIDDLE,
		RC_WRITE_LAST,  RC_ACK,          RC_SEND_ONLY_IMM,
		RC_READ_FIRST,  RC_READ_MIDDLE,
	};
	static const uint8_t acks[] = { RC_ACK };
	static const uint8_t rud[] = { PDS_RUD_REQ };
	static const uint8_t ack_cc[] = { PDS_ACK_CC };
	static const uint8_t both[] = { PDS_RUD_REQ, PDS_RUD_REQ, PDS_ROD_REQ,
					PDS_ACK_CC };
	static const struct inside roce = { put_roce, UDP_PORT_ROCE, 1024 };
	static const struct inside uet = { put_uet, UDP_PORT_UET, 1024 };
	const struct mix mixes[] = {
		{ "RC WRITE Middle", roce, middle, sizeof middle },
		{ "RC mixed at random", roce, mixed, sizeof mixed },
		{ "RC ACK", roce, acks, sizeof acks },
		{ "UET RUD WRITE", uet, rud, sizeof rud },
		{ "UET mixed at random", uet, both, sizeof both },
		{ "UET ACK_CC", uet, ack_cc, sizeof ack_cc },
	};
	size_t n = (argc > 1 ? strtoul(argv[1], NULL, 10) : 4) * MILLION;
	uint8_t *frames = malloc(n * SLOT);
	uint32_t *lengths = malloc(n * sizeof *lengths);

	if (!frames || !lengths)
		return 1;
	for (size_t m = 0; m < sizeof mixes / sizeof *mixes; m++) {
		printf("%s, %zu frames\n", mixes[m].name, n);
		srand(1);
		for (size_t i = 0; i < n; i++) {
			size_t k = (size_t)rand() % mixes[m].n;
			uint8_t op = mixes[m].which[k];
			bool bare = mixes[m].inside.put == put_uet
					    ? op == PDS_ACK_CC
					    : wire_opcode(op)->payload ==
						      PAYLOAD_NONE;

			lengths[i] = build(frames + i * SLOT, &mixes[m].inside,
					   op, bare, (uint32_t)i);
		}
		run("  no ICRC", frames, lengths, n, true, packet_decode);
		run("  ICRC", frames, lengths, n, false, packet_decode);
		run("  general walk, no ICRC", frames, lengths, n, true,
		    packet_decode_general);
	}
	free(frames);
	free(lengths);
	return 0;
}

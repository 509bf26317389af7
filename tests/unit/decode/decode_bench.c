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

struct mix {
	const char *name;
	const uint8_t *opcodes;
	size_t n;
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A frame of RC |opcode| with |payload| octets; ACKs are whole in a slot. */
static uint32_t build(uint8_t *f, uint8_t opcode, uint32_t payload, uint32_t i)
{
	const struct wire_opcode *op = wire_opcode(opcode);
	uint8_t *ip = f + WIRE_SIZE_eth, *udp = ip + WIRE_SIZE_ipv4;
	uint8_t *bth = udp + WIRE_SIZE_udp;
	uint32_t len = op->headers + payload + ICRC_SIZE;

	memset(f, 0, SLOT);
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
	WIRE_SET(udp, dport, udp, UDP_PORT_ROCE);
	WIRE_SET(udp, len, udp, WIRE_SIZE_udp + len);
	WIRE_SET(bth, opcode, bth, opcode);
	WIRE_SET(bth, pkey, bth, 0xffff);
	WIRE_SET(bth, destqp, bth, 0x100 + i % 64);
	WIRE_SET(bth, psn, bth, i / 64);
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
	static const struct mix mixes[] = {
		{ "RC WRITE Middle", middle, sizeof middle },
		{ "RC mixed at random", mixed, sizeof mixed },
		{ "RC ACK", acks, sizeof acks },
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
			uint8_t op = mixes[m].opcodes[k];
			bool bare = wire_opcode(op)->payload == PAYLOAD_NONE;

			lengths[i] = build(frames + i * SLOT, op,
					   bare ? 0 : 1024, (uint32_t)i);
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

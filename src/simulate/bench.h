/* SPDX-License-Identifier: GPL-2.0-or-later
 * What bench.c asks of a transport.  Internal to bench*.c. */
#ifndef FABSCOPE_SIMULATE_BENCH_H
#define FABSCOPE_SIMULATE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulate/frame.h"
#include "simulate/rng.h"
#include "simulate/simulate.h"
#include "wire/wire.h"

enum {
	BENCH_MTU = 4096,
	BENCH_MESSAGE = 64, /* packets */
	BENCH_IP = WIRE_SIZE_eth,
	BENCH_UDP = BENCH_IP + WIRE_SIZE_ipv4,
	BENCH_L4 = BENCH_UDP + WIRE_SIZE_udp, /* behind UDP */
	BENCH_CRC = 4,
	BENCH_DATA = 256,
	BENCH_ANSWER = 96,
	BENCH_SNAP_MOST = 1024,
	BENCH_NAK_AFTER = 12, /* packets that follow a lost one */
};

#define BENCH_NO_HOLE UINT64_MAX

/* Two QPs, or a PDC. */
struct pair {
	uint8_t data[BENCH_DATA]; /* an ordinary frame, cut where it may be */
	uint8_t answer[BENCH_ANSWER];
	uint32_t src, dst; /* hosts */
	uint32_t first_psn, ack_every;
	uint64_t next;    /* packet, counted from first_psn */
	uint64_t highest; /* first not sent yet */
	uint64_t hole;    /* lost packet, or BENCH_NO_HOLE */
	uint64_t resume;  /* UET: what comes behind the copy; 0 none */
	uint32_t until_nak;
	bool answered;
	int64_t stalled_to;
};

struct due {
	int64_t ns;
	uint32_t pair;
	bool refuses; /* packet |index|; else up to it all came */
	uint64_t index;
};

struct bench_transport {
	uint32_t snap_least;
	bool counts_ip_id;
	void (*make)(struct pair *p, uint32_t i);
	/* The first |snap| octets of packet p->next; how long it is. |ack|: it
	 * asks for an answer. */
	uint32_t (*data)(const struct pair *p, bool ack, uint8_t *f,
			 uint32_t snap);
	/* Makes p->answer; how long it is. */
	uint32_t (*answer)(struct pair *p, const struct due *d);
	/* The CRC of such a frame, when all else is right. */
	void (*seal)(uint8_t *f, uint32_t bytes);
	void (*refused)(struct pair *p, uint64_t index);
};

extern const struct bench_transport bench_roce, bench_uet;

/* Everything up to UDP of a frame of |bytes| without FCS. */
void bench_head(uint8_t *f, uint32_t bytes, uint32_t src, uint32_t dst,
		uint16_t sport, uint16_t dport);

#endif

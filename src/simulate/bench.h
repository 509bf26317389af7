/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of bench*.c share.  Internal to them.
 *
 *	bench.c       pairs, bursts, losses, marks, pauses
 *	bench_mix.c   which messages a pair sends
 *	bench_roce.c  frames of RoCE
 *	bench_uet.c   frames of Ultra Ethernet
 *	bench_out.c   capture points and the file */
#ifndef FABSCOPE_SIMULATE_BENCH_H
#define FABSCOPE_SIMULATE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulate/frame.h"
#include "simulate/rng.h"
#include "simulate/simulate.h"
#include "wire/wire.h"

struct err;

enum {
	BENCH_MTU = 4096,
	BENCH_IP = WIRE_SIZE_eth,
	BENCH_UDP = BENCH_IP + WIRE_SIZE_ipv4,
	BENCH_L4 = BENCH_UDP + WIRE_SIZE_udp, /* behind UDP */
	BENCH_CRC = 4,
	BENCH_HEAD = 128,
	BENCH_BACK = 64,
	BENCH_SNAP_MOST = 1024,
};

/* --- messages --- */

enum bench_kind { BENCH_WRITE, BENCH_WRITE_IMM, BENCH_SEND, BENCH_READ };

struct bench_message {
	enum bench_kind kind;
	uint16_t packets;
	uint16_t tail;   /* bytes of payload in the last packet */
	uint32_t first;  /* packet, from the first of the cycle */
	uint64_t before; /* bytes of payload of the cycle before it */
};

/* A cycle of messages that every pair repeats. */
struct bench_mix {
	struct bench_message *message;
	uint32_t messages, packets;
	uint64_t bytes;
	uint8_t *at; /* by packet of the cycle: its message */
};

/* One packet of a pair. */
struct bench_place {
	const struct bench_message *message;
	uint64_t number; /* of the message, counted from the cycle's first */
	uint32_t at;     /* packet of the message */
	uint32_t payload;
	bool last;
};

/* |packets| in each message, or 0: as traffic is. */
void bench_mix_init(struct bench_mix *m, uint32_t packets, bool reads);
void bench_mix_fini(struct bench_mix *m);
struct bench_place bench_place(const struct bench_mix *m, uint64_t packet);
uint32_t bench_message_bytes(const struct bench_message *m);

/* --- pairs --- */

#define BENCH_NO_HOLE UINT64_MAX

/* Two QPs, or a PDC. */
struct pair {
	uint8_t head[BENCH_HEAD]; /* headers from src to dst */
	uint8_t back[BENCH_BACK]; /* and back */
	const struct bench_mix *mix;
	uint32_t src, dst; /* hosts */
	uint32_t first_psn, ack_every;
	uint32_t phase;   /* where in the cycle it begins */
	uint64_t next;    /* packet, counted from first_psn */
	uint64_t highest; /* first not sent yet */
	uint64_t hole;    /* lost packet, or BENCH_NO_HOLE */
	uint64_t resume;  /* UET: what follows the retransmission; 0 none */
	uint32_t until_nak;
	bool answered;
	bool requested; /* the READ that |next| is part of */
	int64_t stalled_to, cnp_after, slow_to;
};

static inline struct bench_place bench_where(const struct pair *p,
					     uint64_t index)
{
	return bench_place(p->mix, p->phase + index);
}

/* Payload of the packets before |index|. */
uint64_t bench_bytes(const struct pair *p, uint64_t index);

enum bench_answer { BENCH_ACK, BENCH_NAK, BENCH_CNP };

struct due {
	int64_t ns;
	uint32_t pair;
	uint8_t what; /* enum bench_answer */
	bool back;    /* to what the responder sent: READ responses */
	bool marked;
	uint64_t index; /* the packet that is missing; else the newest */
};

/* A frame as far as it is captured. */
struct bench_frame {
	uint32_t from, to; /* hosts */
	uint32_t bytes;
	uint8_t f[BENCH_SNAP_MOST];
};

struct bench_transport {
	uint32_t snap_least;
	bool counts_ip_id;
	bool reads;    /* it has READs, which responses answer */
	bool has_cnps; /* else an ACK says that there was a mark */
	void (*make)(struct pair *p, uint32_t i);
	/* Packet p->next; its bytes. |ack|: it asks for an answer. */
	uint32_t (*data)(const struct pair *p, bool ack, uint8_t *f,
			 uint32_t snap);
	/* An ACK, NAK or CNP; its bytes. */
	uint32_t (*answer)(const struct pair *p, const struct due *d,
			   uint8_t *f);
	/* The CRC of such a frame, when all else is right. */
	void (*seal)(uint8_t *f, uint32_t bytes);
	void (*refused)(struct pair *p, uint64_t index);
};

extern const struct bench_transport bench_roce, bench_uet;

/* Everything up to UDP of a frame of |bytes| without FCS. */
void bench_head(uint8_t *f, uint32_t bytes, uint32_t src, uint32_t dst,
		uint16_t sport, uint16_t dport);
/* Payload of packet |index| into the frame, from |at| to |snap|. */
void bench_payload(const struct pair *p, uint8_t *f, uint32_t at,
		   uint32_t snap);

/* --- the file --- */

struct bench_out;

struct bench_out *bench_out_new(const struct bench_job *job, struct err *err);
/* Capture points that frames between two hosts pass. */
uint32_t bench_out_taps(const struct bench_out *o, uint32_t from, uint32_t to);
/* Captured at the first |taps| of them; marked, if so, by the switch before the
 * last. */
int bench_out_frame(struct bench_out *o, int64_t ns,
		    const struct bench_frame *f, uint32_t taps, bool mark);
uint64_t bench_out_written(const struct bench_out *o);
/* Gives the file its name unless |rc|; frees. */
int bench_out_close(struct bench_out *o, int rc, struct err *err);

#endif

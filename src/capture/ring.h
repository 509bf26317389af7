/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets on their way from the process that captures to the one that
 * analyzes, in memory that both share; one ring for each tap.
 *
 * One writer; one reader that the writer waits for (as far as it does: what has
 * no room is dropped and reported), and any number that it does not wait for.
 * These find what the first has read and nobody has written over yet: the last
 * seconds, which is what a flight recorder wants.
 *
 * Positions count bytes from the beginning and never go back:
 *	keep <= tail <= head,  head - keep <= size
 * Only the writer moves |head| and |keep|, only the reader moves |tail|. */
#ifndef FABSCOPE_CAPTURE_RING_H
#define FABSCOPE_CAPTURE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum ring_kind {
	RING_PAD,   /* nothing, to the end of the memory */
	RING_FRAME, /* a packet */
	RING_DROPS, /* packets were dropped between |ns| and |until| */
};

/* Who dropped them. */
enum ring_who { DROPS_KERNEL, DROPS_INTERFACE, DROPS_OWN, DROPS_DOWN, DROPS };

struct ring_record {
	uint32_t size; /* with this head, a multiple of 16 */
	uint16_t kind;
	uint16_t who; /* RING_DROPS */
	int64_t ns;
	union {
		uint64_t number; /* of the packet, from 1 */
		int64_t until;
	};
	uint32_t caplen; /* bytes that follow; RING_DROPS: packets */
	uint32_t wirelen;
};

/* Gone: for good, as its XDP program is. */
enum ring_state { PORT_UP, PORT_DOWN, PORT_GONE, PORT_STATES };

enum ring_source { SOURCE_PCAP, SOURCE_XDP, SOURCE_XDP_GENERIC };

/* What the writer says beside the packets. */
struct ring_report {
	_Atomic uint32_t state;  /* enum ring_state */
	_Atomic uint32_t source; /* enum ring_source */
	_Atomic uint64_t dropped[DROPS];
	_Atomic uint64_t received;   /* by the interface's own count */
	_Atomic int64_t complete_ns; /* all packets before are in the ring */
	_Atomic uint64_t speed_bps;  /* of the link, 0 unknown */
	_Atomic uint32_t linktype, snaplen;
	_Atomic uint32_t adapter; /* 1: time stamps of the adapter */
};

struct ring {
	struct ring_report report;
	_Alignas(64) _Atomic uint64_t head;
	_Atomic uint64_t keep;
	_Alignas(64) _Atomic uint64_t tail;
	_Alignas(64) uint64_t size; /* of |data|, a power of two */
	size_t mapped;
	/* the writer's own */
	uint64_t number, own_packets;
	int64_t own_from, own_to; /* dropped here, and not reported yet */
	_Alignas(64) uint8_t data[];
};

/* At least |size| bytes, shared with what is forked later.  NULL and |err|. */
struct ring *ring_new(size_t size, struct err *err);
void ring_free(struct ring *r); /* NULL is fine */

/* ---- the writer ---- */

/* False: there was no room, which is counted and reported in its place. */
bool ring_put(struct ring *r, int64_t ns, const uint8_t *data, uint32_t caplen,
	      uint32_t wirelen);
/* |n| packets were dropped by |who| between these times. */
void ring_put_drops(struct ring *r, enum ring_who who, int64_t from, int64_t to,
		    uint32_t n);

/* Nothing comes now: what was dropped is reported, if there is room by now. */
void ring_flush(struct ring *r);

/* ---- the reader ---- */

/* The record at |*at|, or NULL at the end; skips padding. */
const struct ring_record *ring_at(struct ring *r, uint64_t *at);

static inline const uint8_t *ring_data(const struct ring_record *f)
{
	return (const uint8_t *)(f + 1);
}

/* What lies before |at| may be written over. */
static inline void ring_release(struct ring *r, uint64_t at)
{
	atomic_store_explicit(&r->tail, at, memory_order_release);
}

static inline uint64_t ring_waiting(struct ring *r)
{
	return atomic_load(&r->head) - atomic_load(&r->tail);
}

/* ---- those that are not waited for ---- */

/* Where the oldest record is. */
uint64_t ring_oldest(struct ring *r);

/* Copies the record at |*at| with its packet to |to|, of |room| bytes, and
 * moves on.  1; 0 at the end; -1 when it was written over meanwhile, and then
 * |*at| is at the oldest. */
int ring_copy(struct ring *r, uint64_t *at, void *to, size_t room);

#endif

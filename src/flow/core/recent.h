/* SPDX-License-Identifier: GPL-2.0-or-later
 * The last packets of the whole capture, found again by key and PSN.
 *
 * A key says whose PSNs they are: QPs of two hosts run in lockstep, and the
 * requests and the responses of one direction have PSNs of their own, so each
 * of these has a key.  Where the flow is what is looked for, it is the route.
 *
 * Every data packet is put in (one sequential write and one bucket head), but
 * looked for only when something repeats or when a response must find its
 * request, so that a stream needs no history of its own. */
#ifndef FABSCOPE_FLOW_CORE_RECENT_H
#define FABSCOPE_FLOW_CORE_RECENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "decode/packet.h"

struct recent_key {
	uint32_t v;
};

struct recent_packet {
	int64_t ns;
	uint64_t order;
	uint64_t frame;
	uint32_t flow; /* index */
	uint32_t key;
	uint32_t psn;
	uint32_t icrc; /* 0 unknown */
	uint32_t prev; /* sequence number of the bucket's previous entry */
	uint32_t mac;  /* low half of the source MAC */
	uint16_t tap;
	uint16_t ip_id;
	uint16_t vlan;
	uint8_t ttl;
	uint8_t opcode;
	bool copy;         /* not the first of its PSN */
	bool stack;        /* telemetry is in it */
	bool doubled;      /* the mirror's second copy has come */
	bool trimmed;      /* and nobody has refused it as that yet */
	bool early;        /* its receiver refused it as too early */
	uint16_t wire_len; /* an IP packet fits */
};

/* A packet is put in when it comes, or later if it was held (roce/reconnect.c):
 * there is room for as many of these. */
enum {
	RECENT_FRAMES = 1 << 13,
	RECENT_SIZE = 2 * RECENT_FRAMES,
	RECENT_BUCKETS_LOG = 12,
	RECENT_BUCKETS = 1 << RECENT_BUCKETS_LOG
};

struct recent {
	struct recent_packet *ring;
	uint32_t *head;
	uint32_t seq; /* of the next entry; never starts at 0 */
	/* engine.order: a packet is found as long as fewer than RECENT_FRAMES
	 * of all flows came since, so whoever else is followed. */
	const uint64_t *order;
};

bool recent_init(struct recent *r, const uint64_t *order);
void recent_fini(struct recent *r);

/* IP pair and direction. */
static inline struct recent_key recent_of_route(uint32_t route)
{
	return (struct recent_key) { route };
}

static inline struct recent_key recent_of_flow(uint32_t flow, bool responses)
{
	return (struct recent_key) { 1u << 31 | flow << 1 | responses };
}

static inline uint32_t recent_bucket(struct recent_key key, uint32_t psn)
{
	return (uint32_t)(hash_short(key.v, psn) >> (64 - RECENT_BUCKETS_LOG));
}

/* Puts |p| of flow |flow| in; |copy|: its PSN had been seen before.  |id| and
 * |opcode| tell it from others with the same PSN. */
static inline void recent_put(struct recent *r, struct recent_key key,
			      uint32_t flow, const struct packet *p,
			      uint16_t id, uint8_t opcode, bool copy)
{
	uint32_t *head = &r->head[recent_bucket(key, p->psn)];
	struct recent_packet *n = &r->ring[r->seq % RECENT_SIZE];

	n->ns = p->ns;
	n->order = p->order;
	n->frame = p->frame;
	n->flow = flow;
	n->key = key.v;
	n->psn = p->psn;
	n->icrc = p->icrc;
	n->prev = *head;
	n->tap = (uint16_t)p->tap;
	n->mac = (uint32_t)p->src_mac;
	n->ip_id = id;
	n->vlan = p->vlan;
	n->ttl = p->ttl;
	n->opcode = opcode;
	n->copy = copy;
	n->stack = p->flags & PACKET_STACK;
	n->doubled = false;
	n->trimmed = false;
	n->early = false;
	n->wire_len = (uint16_t)p->wire_len;
	*head = r->seq++;
	__builtin_prefetch(&r->ring[(r->seq + 8) % RECENT_SIZE], 1);
}

static inline void recent_note(struct recent *r, struct recent_key key,
			       uint32_t flow, const struct packet *p, bool copy)
{
	recent_put(r, key, flow, p, p->ip_id, p->opcode, copy);
}

/* The newest packet of |key| with |psn| before |from| (NULL: newest of all),
 * or NULL.  Call again with the result to go further back. */
const struct recent_packet *recent_find(const struct recent *r,
					struct recent_key key, uint32_t psn,
					const struct recent_packet *from);

static inline void recent_set_doubled(struct recent *r,
				      const struct recent_packet *p)
{
	r->ring[p - r->ring].doubled = true;
}

static inline void recent_set_trimmed(struct recent *r,
				      const struct recent_packet *p,
				      bool trimmed)
{
	r->ring[p - r->ring].trimmed = trimmed;
}

static inline void recent_set_early(struct recent *r,
				    const struct recent_packet *p)
{
	r->ring[p - r->ring].early = true;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * One of several engines that share a capture by pairs of hosts.
 *
 * Packets of a pair, whatever their direction and their capture point, are
 * followed by one engine.  When all are followed the engines are merged into
 * one (engine/merge.c), which is then as if it had followed them all. */
#ifndef FABSCOPE_FLOW_CORE_SHARD_H
#define FABSCOPE_FLOW_CORE_SHARD_H

#include <stdbool.h>
#include <stdint.h>

/* Parts of all pairs, and engines that follow them. */
enum { SHARDS_LOG = 6, SHARDS_MOST = 16 };

/* Of the unordered pair of hosts, from their addresses as struct addr has
 * them. */
static inline uint64_t shard_hash(const uint64_t a[2], const uint64_t b[2])
{
	uint64_t x = (a[0] ^ b[0]) * 0x9e3779b97f4a7c15u ^ (a[0] + b[0]);
	uint64_t y = (a[1] ^ b[1]) * 0xd6e8feb86659fd93u ^ (a[1] + b[1]);

	x = (x ^ y) * 0xc2b2ae3d27d4eb4fu;
	x ^= x >> 32;
	return x * 0x9e3779b97f4a7c15u;
}

/* Which part; of N engines number slot % N follows it. */
static inline uint32_t shard_slot(uint64_t hash)
{
	return (uint32_t)(hash >> (64 - SHARDS_LOG));
}

struct shard {
	/* With which packet flows began, by id and by index: packet.order */
	uint64_t *id_born, *flow_born;
	uint32_t id_room, flow_room;
	bool alone; /* what came cannot be merged */
};

struct engine;
struct packet;

bool shard_init(struct engine *e);
void shard_fini(struct engine *e);
/* The flow that was numbered last ... */
void shard_id(struct engine *e, uint64_t order);
/* ... and the flow whose index was given last, which begins with |p|. */
void shard_flow(struct engine *e, const struct packet *p, uint64_t order);

/* What |e| is asked cannot be answered without the others. */
void shard_alone(struct engine *e);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The engine: packets in, facts out.  One packet at a time, no I/O. */
#ifndef FABSCOPE_FLOW_CORE_ENGINE_H
#define FABSCOPE_FLOW_CORE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/packet.h"
#include "flow/core/fact.h"

struct engine;

struct engine_options {
	uint32_t max_flows;       /* 0: 1 << 20; beyond it flows are counted */
	uint32_t events_per_flow; /* 0: 1000, of each kind */
	uint32_t events_total;    /* 0: 100000 */
	uint32_t messages_total;  /* 0: 100000; with all_messages a million */
	bool all_messages;        /* of every flow, not only some of each */
	int64_t jitter_ns;        /* epsilon of reference 3.3; 0: 20 us */
	/* place[tap] for tap < n_places: taps with equal numbers are parallel
	 * links of the same hop and feed one machine.  NULL: each its own. */
	const int *place;
	/* link[tap] likewise: taps that show one direction each of one cable;
	 * a pause of the one holds the other.  NULL: none. */
	const int *link;
	size_t n_places;
	uint32_t first_id; /* flows are numbered from the next one on */
	uint32_t tap_bins; /* bins of a tap's series; 0: 2048 */
	bool several;      /* taps of more than one place will come */
	bool newest;       /* where there is no room, the oldest go */
	bool judging;      /* recovery/judge.h: there are no packets */
	uint64_t assumed;  /* evidence bits, by the user */
	/* It is number |shard| of |shards|, to be merged; 0: it is alone. */
	uint32_t shard, shards;
};

struct engine *engine_new(const struct engine_options *o,
			  const struct flow_sink *sink); /* NULL: no memory */

/* Times so far from the epoch that their difference would overflow (before
 * 1824, after 2116) are brought into range. */
static inline int64_t engine_time(int64_t ns)
{
	const int64_t limit = INT64_C(1) << 62;

	return ns >= limit ? limit - 1 : ns <= -limit ? 1 - limit : ns;
}

/* The link at |tap| carries |bps| bits a second each way, 0: unknown.  Best
 * before its first packet. */
void engine_set_speed(struct engine *e, uint32_t tap, uint64_t bps);

/* Packets in time order, packet.ns within engine_time().  Any number, any
 * split. */
void engine_feed(struct engine *e, const struct packet *p, size_t n);

/* How many of them are PACKET_UNREADABLE so far. */
uint64_t engine_unreadable(const struct engine *e);

/* At |tap| packets were dropped by the capture between these times: a loss
 * that may be one of them is none.  Before the packets that come after. */
void engine_blind(struct engine *e, uint32_t tap, int64_t from, int64_t to);

/* A frame as it was captured. */
struct engine_frame {
	struct decode_input in;
	int64_t ns;      /* within engine_time() */
	uint64_t order;  /* packet.order */
	uint64_t number; /* packet.frame */
	uint32_t tap;
};

/* The same of frames, decoded on the way: what is merely the next packet of
 * a flow never becomes a struct packet in memory.  May hold them back until
 * engine_flush(), and |in.data| must stay until then.  Any number, any split;
 * of several at once what they need is fetched together. */
void engine_frames(struct engine *e, const struct decode_options *options,
		   const struct engine_frame *f, size_t n);

static inline void engine_frame(struct engine *e,
				const struct decode_options *options,
				const struct engine_frame *f)
{
	engine_frames(e, options, f, 1);
}

/* What decides how much is kept of each flow, of all engines that share a
 * capture. */
struct engine_counts {
	uint32_t flows, series;
};

/* Its own, by now ... */
struct engine_counts engine_counts(const struct engine *e);
/* ... and those of all engines together, which count from now on: what they
 * were at the tick before.  There are ticks at the same packets of a capture
 * into however many engines it is divided; none: it goes by its own. */
void engine_tick(struct engine *e, struct engine_counts known);

/* Whatever was held back is followed now. */
void engine_flush(struct engine *e);

/* Settles, closes everything still open and hands out flows, bins and taps. */
void engine_finish(struct engine *e);

/* ---- for those that do not end: live.c ---- */

/* Looks at the next |look| flows and hands out and forgets those without a
 * packet since |before|, their other direction included.  Returns how many. */
uint32_t engine_retire(struct engine *e, int64_t before, uint32_t look);

/* The caps on events, messages and other rows count anew. */
void engine_reset_caps(struct engine *e);

/* Hands out nothing, and forgets the load before |before|. */
void engine_forget_load(struct engine *e, int64_t before);

/* Bursts are reported from then on; INT64_MIN: all. */
int64_t engine_bursts_from(const struct engine *e);
/* Since when stretches of data are known; INT64_MIN: all of them. */
int64_t engine_bursts_from(const struct engine *e);
uint32_t engine_flows(const struct engine *e);   /* followed now */
uint32_t engine_last_id(const struct engine *e); /* of a flow */
/* A table that only a new engine empties is nearly full. */
bool engine_table_full(const struct engine *e);

/* ---- several that share a capture: engine_options.shard, merge.c ---- */

/* What came to it is not of pairs of hosts alone: it cannot be merged, and one
 * engine has to follow all. */
bool engine_alone(const struct engine *e);
/* packet.order of what it follows: what it hands out meanwhile goes by it. */
const uint64_t *engine_order(const struct engine *e);

struct engine_merged;

/* Makes one of |part|, which have no flows then, before any of them finished;
 * NULL: cannot be.  |sink| is of the new one. */
struct engine_merged *engine_merge(struct engine *const *part, size_t n,
				   const struct flow_sink *sink);
/* The number in the new one of a flow of one of the parts. */
uint32_t engine_merged_id(const struct engine_merged *m, size_t part,
			  uint32_t id);
/* Takes what the parts handed out, in order of packets, with new numbers. */
struct flow_sink engine_merged_sink(struct engine_merged *m);
/* The new one, to be finished; |m| is gone. */
struct engine *engine_merged_end(struct engine_merged *m);

void engine_free(struct engine *e);

#endif

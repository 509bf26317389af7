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
	int64_t jitter_ns;        /* of the network; 0: 20 us */
	/* place[tap] for tap < n_places: taps with equal numbers are parallel
	 * links of the same hop and feed one machine.  NULL: each its own. */
	const int *place;
	/* link[tap] likewise: taps that show one direction each of one cable;
	 * a pause of the one holds the other.  NULL: none. */
	const int *link;
	/* lag[tap] likewise: a mirror copies every packet twice, the second
	 * time so much later; 0: it does not.  NULL: none does. */
	const int64_t *lag;
	size_t n_places;
	uint32_t first_id; /* flows are numbered from the next one on */
	uint32_t tap_bins; /* bins of a tap's series; 0: 2048 */
	bool several;      /* taps of more than one place will come */
	bool newest;       /* where there is no room, the oldest go */
	bool judging;      /* recovery/judge.h: there are no packets */
	uint64_t assumed;  /* evidence bits, by the user */
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
void engine_capture_drops(struct engine *e, uint32_t tap, int64_t from,
			  int64_t to);

/* A frame as it was captured. */
struct engine_frame {
	struct decode_input in;
	int64_t ns;      /* within engine_time() */
	uint64_t order;  /* packet.order */
	uint64_t number; /* packet.frame */
	uint32_t tap;
	/* By engine_look(), for engine_frames(): */
	uint16_t pattern; /* where it may be known; 0: nowhere */
	bool looked;
	bool like; /* the frame before it */
};

/* Looks at frames that will come in this order.  Of |e| it needs only what
 * never changes, so it may be called by another thread.  engine_frames() does
 * it where nobody did: to all frames of a call, or to none. */
void engine_look(const struct engine *e, const struct decode_options *options,
		 struct engine_frame *f, size_t n);

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

/* Since when stretches of data are known; INT64_MIN: all of them. */
int64_t engine_bursts_from(const struct engine *e);
uint32_t engine_flows(const struct engine *e);   /* followed now */
uint32_t engine_last_id(const struct engine *e); /* of a flow */
/* A table that only a new engine empties is nearly full. */
bool engine_table_full(const struct engine *e);

void engine_free(struct engine *e);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ports that ask their neighbour for silence, and what it does to flows:
 * reference section 5.  Internal to flow.
 *
 * A pause frame stops the other end of its link.  What it stops are the frames
 * that travel to the port whose MAC address it bears; that is how the flows
 * concerned are found, and when addresses do not say which way a frame goes
 * (switched at layer 2), that it is not known is part of the result. */
#ifndef FABSCOPE_FLOW_LINK_PAUSE_H
#define FABSCOPE_FLOW_LINK_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/core/fact.h"

struct engine;
struct flow;
struct packet;

enum {
	PRIORITIES = 8,
	LANE_GLOBAL = PRIORITIES, /* 802.3x: the whole link */
	LANES = PRIORITIES + 1,
	SPANS_KEPT = 64, /* pauses of a lane that are remembered */
};

/* Nothing at any tap can stall but by a pause: gaps are not looked at. */
#define STALL_NEVER INT64_MAX
/* Idle times of a flow that are looked at. */
#define STALL_NS 10000

struct span {
	int64_t from, to;
};

/* storm.c: a stretch of time with pauses so dense that it may be a storm. */
struct storm_run {
	bool open;
	int64_t from, to, last; /* to: where it is best so far */
	int64_t score, best;
	int64_t paused, longest, paused_best, longest_best;
	bool frozen, frozen_best; /* the longest pause */
	uint64_t xoff_before, seen_before, vague_before;
	uint64_t xoff_best, seen_best, vague_best;
	uint64_t frame;
};

enum { STORM_TRACKED = STORM_STORM + 1 };

/* One priority of one port, from its first pause on. */
struct lane {
	bool open;
	/* of the open pause; without the link's speed that of the fastest
	 * link, and UNKNOWN when that is over */
	int64_t from, deadline;
	bool unmeasured;     /* nobody knows how long one of them was */
	int64_t frame_ns;    /* last frame of it */
	int64_t reported_ns; /* bins have it up to here */
	uint64_t frame;      /* its first XOFF */
	uint32_t xoff, refreshes;
	uint64_t quanta;
	int64_t quiet_from; /* frames may still come until then */
	int64_t heard_ns;   /* the last that came since; UNKNOWN: none */
	uint64_t xoff_at_open, seen_at_open, vague_at_open;

	/* data frames of the priority: to the port, and perhaps to it */
	uint64_t seen, vague, passed;
	/* to the port, by the priority that is assumed of them: all, and those
	 * that came while this one was paused */
	uint64_t of[PRIORITIES], passed_of[PRIORITIES];

	struct fact_pauser total;
	uint32_t rows;
	struct storm_run run[STORM_TRACKED];
	struct span spans[SPANS_KEPT]; /* ring */
	uint32_t n_spans;
};

/* A port by its MAC address, at one tap. */
struct pauser {
	uint64_t mac;
	uint32_t tap;
	struct lane *lane[LANES]; /* NULL: never paused */
	/* who it is, from the flows: stall.c */
	uint64_t peer_mac; /* 0 unknown, PEER_MANY */
	struct addr host;
	bool is_host, is_router;
};
#define PEER_MANY UINT64_MAX

bool pause_init(struct engine *e);
void pause_fini(struct engine *e);
/* A PACKET_PAUSE or PACKET_PFC. */
void pause_frame(struct engine *e, const struct packet *p);
/* Any packet of a flow, when pauses have been seen somewhere. */
void pause_watch(struct engine *e, const struct packet *p);
void pause_finish(struct engine *e);
/* live.c */
void pause_reset_caps(struct engine *e);
void pause_forget_load(struct engine *e, int64_t before);
bool pause_table_full(const struct engine *e);

/* The address of one end of the link at |tap|, from a frame that no bridge
 * forwards. */
void pause_link_end(struct engine *e, uint32_t tap, uint64_t mac);

/* The port with that address; NULL when it never sent PFC pause. */
struct pauser *pause_port(const struct engine *e, uint32_t tap, uint64_t mac);

/* The port that may silence frames from |src_mac| to |dst_mac|; NULL none. */
struct pauser *pause_governor(const struct engine *e, uint32_t tap,
			      uint64_t src_mac, uint64_t dst_mac);

/* How much of |from|..|to| the lane was paused; pauses longer ago than
 * SPANS_KEPT count as none. */
int64_t lane_paused(const struct lane *l, int64_t from, int64_t to);

/* |l| if it is paused at |ns|, the time of the newest frame; else NULL, also
 * when nobody can know for lack of the link's speed. */
static inline const struct lane *lane_if_paused(const struct lane *l,
						int64_t ns)
{
	return l && l->open && l->deadline != FACT_UNKNOWN && ns >= l->from &&
			       ns <= l->deadline
		       ? l
		       : NULL;
}

/* No frame of it came since the open pause, or the last one, began. */
static inline bool lane_is_silent(const struct lane *l)
{
	return l->seen == l->seen_at_open && l->vague == l->vague_at_open;
}

/* The priority of |p|: its tag, the mapping its port advertises, or the
 * common default, DSCP / 8. */
struct priority {
	uint8_t number; /* 0..7 */
	uint8_t from;   /* enum priority_source */
};
struct priority priority_of(const struct engine *e, uint32_t tap, uint8_t pcp,
			    uint8_t tos);
/* The same where |port| pauses.  What is assumed to have a priority that it
 * does not pause, and stops while it pauses one that nothing is assumed to
 * have, has that one: the fabric maps DSCP to priorities in another way. */
struct priority priority_at(const struct engine *e, const struct pauser *port,
			    uint8_t pcp, uint8_t tos);
/* LLDP: |priority| is used for that DSCP, or with dscp < 0 for RoCE. */
void priority_learn(struct engine *e, uint32_t tap, int dscp, uint8_t priority);

/* storm.c */
void storm_add(struct engine *e, const struct pauser *p, int lane, int64_t from,
	       int64_t to);
void storm_finish(struct engine *e, const struct pauser *p, int lane);

/* stall.c */
/* |p| is the first packet of |f| for a while. */
void stall_seen(struct engine *e, struct flow *f, const struct packet *p);
/* How long of the time from |since| to |p| its priority was paused by the port
 * it goes to. */
int64_t stall_paused(const struct engine *e, const struct packet *p,
		     int64_t since);
/* What pauses did to |f|, before its row is written. */
void stall_flow(struct engine *e, struct flow *f);
void stall_free(struct flow *f);

#endif

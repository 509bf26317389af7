/* SPDX-License-Identifier: GPL-2.0-or-later
 * One packet at several capture points: delays, losses, marks and order
 * between one place and the next (reference 3.4, M1-M6).
 *
 * A *way* is one direction of a connection, wherever it is seen; it has a
 * *slot* for each place.  When the ids of a connection that is over are taken
 * again, the next one has a way of its own.  A *crossing* is one transmission
 * on its way, found again by its identity.  What is missing at the next place
 * becomes *gone* until something tells why: it is retransmitted (lost, M1), it
 * is acknowledged without that (the capture there does not have it, M2), or it
 * comes late.
 *
 * Invariants
 *  T1 Nothing is kept where there is one place.
 *  T2 All tables are of fixed size.  Crossings that leave too early make the
 *     whole sample thinner: one identity in 2^thin is looked at, at all places
 *     alike.
 *  T3 A packet counts as missing at a place only if packets was seen there
 *     before and after it; without further evidence, only if they did so for
 *     longer than any packet takes.
 *
 * Frequency: once a packet where there is more than one place, else never. */
#ifndef FABSCOPE_FLOW_MULTITAP_TRAIL_H
#define FABSCOPE_FLOW_MULTITAP_TRAIL_H

#include "flow/core/flow.h"
#include "flow/core/grid.h"
#include "flow/core/spread.h"
#include "flow/multitap/tap_set.h"

enum {
	TRAIL_PLACES = TAPS_COMPARED, /* further ones are not followed */
	TRAIL_HOPS = 6,               /* places of one way */
	TRAIL_WAYS = 1 << 16,
	TRAIL_WAY_SLOTS = 1 << 17,
	TRAIL_CROSSINGS = 1 << 16,
	TRAIL_GONE = 1 << 13,
	TRAIL_GHOSTS = 256,
	TRAIL_SPREADS = 1 << 14, /* ways, and segments, with percentiles */
	TRAIL_ROWS = 1 << 16,    /* of vanished */
	TRAIL_MISSED_ROWS = 1 << 10,
	TRAIL_THINNEST = 20,
	TRAIL_BINS = 1 << 14, /* rows of segments over time: 1 MB */
};

enum { SIGHT_TRIMMED = 1 << 0, SIGHT_GOOD = 1 << 1, SIGHT_BAD = 1 << 2 };

/* A crossing at one place. */
struct sighting {
	int64_t ns;
	uint64_t frame;
	uint64_t next_frame;   /* last one at the next place, then */
	uint64_t resent_frame; /* its copy here; 0 none */
	uint32_t order;        /* of this kind at this place */
	uint32_t tap;
	uint8_t slot, ecn, flags, copies;
};

struct crossing {
	uint64_t key;
	int64_t first_ns;
	uint32_t way, icrc, psn;
	uint32_t prev; /* sequence number of the bucket's previous one */
	uint8_t n, kind;
	bool closed;
	bool copy; /* of one sent before */
	struct sighting at[TRAIL_HOPS];
};

/* From one place to another: of a way, or of all. */
struct between {
	uint8_t from, to; /* slots, or places */
	bool whole, adjacent;
	struct fact_between n;
	int64_t min, max, sum; /* of delays, when n.packets is not 0 */
	struct spread *delay;  /* NULL: too many */
	uint64_t marked_frame, reordered_frame, slowest_frame;
};

/* A way at one place. */
struct slot {
	uint32_t flow, id, tap, place; /* flow: index */
	uint64_t packets, last_frame;
	uint32_t order[VANISHED_KINDS];
	/* of what came from the slot before: highest order there */
	uint32_t high[VANISHED_KINDS];
	bool begun[VANISHED_KINDS];
	uint8_t ttl;
};

struct way {
	uint64_t key;
	uint32_t id; /* of the trail, once it is told */
	uint8_t n, n_between, room_between;
	uint8_t rank[TRAIL_HOPS]; /* slots in the order of the way */
	bool by_ttl[TRAIL_HOPS];  /* rank[i] behind rank[i - 1] */
	int16_t votes[TRAIL_HOPS][TRAIL_HOPS];
	bool shared[TRAIL_HOPS][TRAIL_HOPS]; /* saw the same packet */
	bool again; /* another of its key came before */
	bool numbered[VANISHED_KINDS];
	uint32_t psn[VANISHED_KINDS]; /* the last of each kind, anywhere */
	uint32_t refs;                /* crossings, and packets that are gone */
	uint32_t next_over;           /* of those that are over; 1-based */
	int64_t over_ns; /* another took its ids; INT64_MAX: not yet */
	struct slot s[TRAIL_HOPS];
	struct between *b;
};

struct segment {
	uint32_t id;
	uint32_t flows;
	uint64_t by_icrc;
	int64_t first_ns, last_ns;
	struct between b;
};

struct trail_place {
	uint32_t place, tap;
	bool begun;
	int64_t first_ns, last_ns;
	uint64_t matched, missed;
	int64_t ghosts[TRAIL_GHOSTS]; /* when the capture there missed one */
	uint32_t n_ghosts;
};

/* Not seen at the next place, and not known yet why. */
struct gone {
	uint64_t key;
	int64_t ns;
	uint64_t frame, next_frame, resent_frame;
	uint32_t way, psn, tap, order, flow_id, to_flow_id;
	uint32_t next; /* in its bucket, or of the free ones; 1-based */
	uint8_t from, to, kind;
	bool used, missed;
	bool copy; /* that it is acknowledged says nothing */
};

struct trails {
	struct crossing *ring;
	uint32_t *head;
	uint32_t seq, tail; /* [tail, seq) are in the ring */
	unsigned thin;
	struct way **ways;
	uint32_t n_ways;
	uint32_t *way_slots;            /* the newest way of each key */
	uint32_t over_first, over_last; /* 1-based */
	struct segment *segments[TRAIL_PLACES][TRAIL_PLACES];
	uint32_t n_segments, n_spreads, n_trails;
	struct trail_place place[TRAIL_PLACES];
	uint32_t n_places;
	struct gone *gone;
	uint32_t *gone_head, gone_free, n_gone;
	int64_t swept_ns;
	uint32_t since_swept;  /* packets */
	struct grid over_time; /* of segments, by id */
	uint64_t capped_ways;  /* and flows that have none */
	uint64_t rows, missed_rows, capped_rows;
};

/* What a row of |over_time| sums up. */
enum segment_sum {
	SEGMENT_PACKETS,
	SEGMENT_LOST,
	SEGMENT_MISSED_TO,
	SEGMENT_MISSED_FROM,
	SEGMENT_OPEN,
	SEGMENT_MARKED,
	SEGMENT_TRIMMED,
	SEGMENT_DAMAGED,
	SEGMENT_DOUBLED,
	SEGMENT_REORDERED,
	SEGMENT_SUMS
};

_Static_assert(SEGMENT_SUMS <= (int)GRID_SUMS, "a row has no room for them");

/* ---- trail.c ---- */

/* What the engine made of a packet: counters before it. */
struct trail_mark {
	uint32_t doubled, resent;
};

static inline struct trail_mark trail_before(const struct flow *f)
{
	return (struct trail_mark) { f->mirror_dups + f->duplicates,
				     f->retransmitted };
}

void trails_start(struct engine *e); /* there is a second place */
void trails_packet(struct engine *e, struct flow *f, const struct packet *p,
		   struct trail_mark before);
void trails_finish(struct engine *e);
bool trails_worn(const struct engine *e);
void trails_free(struct engine *e);

/* ---- trail_way.c: ways and what is between their places ---- */

/* NULL: it is not followed. */
struct way *way_of(struct engine *e, struct flow *f, const struct packet *p,
		   unsigned kind);
/* A packet of |kind| belongs to it. */
void way_number(struct way *w, const struct packet *p, unsigned kind);
/* One packet at two places: which of them comes first? */
void way_vote(struct way *w, const struct sighting *a,
	      const struct sighting *b);
/* Which places are neighbours, and which are first and last?  That may change
 * while the way becomes known.  False: they are the other way round. */
bool way_place(const struct way *w, struct between *b);
/* NULL: no memory. */
struct between *way_between(struct trails *t, struct way *w, unsigned from,
			    unsigned to);
struct segment *segment_of(struct trails *t, const struct way *w, unsigned from,
			   unsigned to);
struct trail_place *place_of(struct trails *t, uint32_t place, uint32_t tap);
void segment_count(struct trails *t, const struct segment *s, int64_t ns,
		   enum segment_sum what);
void between_delay(struct between *b, int64_t ns, uint64_t frame);
void way_free(struct trails *t, struct way *w);

/* ---- trail_gone.c ---- */

void gone_add(struct engine *e, const struct crossing *c,
	      const struct sighting *s, unsigned to);
/* A packet of |w| passes |slot|: it may be a copy of one that is gone, or that
 * one itself, late.  True when it was. */
bool gone_seen(struct engine *e, uint32_t way, unsigned slot, uint64_t key,
	       unsigned kind, const struct packet *p);
void gone_sweep(struct engine *e, bool all);
void place_ghost(struct trail_place *p, int64_t ns);

/* ---- trail_emit.c ---- */

void trails_emit(struct engine *e);
void trails_forget(struct engine *e, int64_t before);
void way_emit(struct engine *e, struct way *w);

#endif

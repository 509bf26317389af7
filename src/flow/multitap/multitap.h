/* SPDX-License-Identifier: GPL-2.0-or-later
 * One packet at several capture points: delays, losses, marks and order
 * between one place and the next (M1-M6).
 *
 * A *tap path* is one direction of a connection, wherever it is seen; it has a
 * *slot* for each place.  When the ids of a connection that is over are taken
 * again, the next one has a path of its own.  A *packet match* is one
 * transmission, observed at several places and matched by its identity.  What
 * is missing at the next place becomes *unmatched* until something shows why:
 * it is retransmitted (lost, M1), it is acknowledged without that (the capture
 * there does not have it, M2), or it comes late.
 *
 * Invariants
 *  T1 Nothing is kept where there is one place.
 *  T2 All tables are of fixed size.  Matches that leave too early make the
 *     whole sample thinner: one identity in 2^thin is looked at, at all places
 *     alike.
 *  T3 A packet counts as missing at a place only if packets was seen there
 *     before and after it; without further evidence, only if they did so for
 *     longer than any packet takes.
 *
 * Frequency: once a packet where there is more than one place, else never. */
#ifndef FABSCOPE_FLOW_MULTITAP_MULTITAP_H
#define FABSCOPE_FLOW_MULTITAP_MULTITAP_H

#include "flow/core/flow.h"
#include "flow/core/histogram.h"
#include "flow/core/time_grid.h"
#include "flow/multitap/tap_set.h"

enum {
	MULTITAP_PLACES = TAPS_COMPARED, /* further ones are not followed */
	TAP_PATH_HOPS = 6,               /* places of one path */
	TAP_PATHS = 1 << 16,
	TAP_PATH_SLOTS = 1 << 17,
	PACKET_MATCHES = 1 << 16,
	UNMATCHED_OPEN_MAX = 1 << 13,
	LOOKED_AT = 32, /* matches of one bucket */
	CAPTURE_MISSES = 256,
	MULTITAP_HISTOGRAMS =
		1 << 14, /* tap paths, and segments, with percentiles */
	UNMATCHED_ROWS = 1 << 16, /* of unmatched packets */
	UNMATCHED_MISSED_ROWS = 1 << 10,
	MULTITAP_THIN_MAX = 20,
	MULTITAP_BINS = 1 << 14, /* rows of segments over time: 1 MB */
};

enum {
	OBSERVED_TRIMMED = 1 << 0,
	OBSERVED_GOOD = 1 << 1,
	OBSERVED_BAD = 1 << 2
};

/* A packet match at one place. */
struct observation {
	int64_t ns;
	uint64_t frame;
	uint64_t next_frame;          /* last one at the next place, then */
	uint64_t retransmitted_frame; /* its copy here; 0 none */
	uint32_t order;               /* of this kind at this place */
	uint32_t tap;
	uint8_t slot, ecn, flags, copies;
};

struct packet_match {
	uint64_t key;
	int64_t first_ns;
	uint32_t tap_path, icrc, psn;
	uint32_t prev; /* sequence number of the bucket's previous one */
	uint8_t n, kind;
	bool closed;
	bool copy; /* of one sent before */
	struct observation at[TAP_PATH_HOPS];
};

/* From one place to another: of a path, or of all. */
struct between {
	uint8_t from, to; /* slots, or places */
	bool whole, adjacent;
	struct fact_between n;
	/* Not captured at |to| as far as is known, also of what is still to
	 * be decided about. */
	uint64_t missed;
	int64_t min, max, sum;   /* of delays, when n.packets is not 0 */
	struct histogram *delay; /* NULL: too many */
	uint64_t marked_frame, reordered_frame, slowest_frame;
};

/* A path at one place. */
struct slot {
	uint32_t flow, id, tap, place; /* flow: index */
	uint64_t packets, last_frame;
	uint32_t order[UNMATCHED_KINDS];
	/* of what came from the slot before: highest order there, and the
	 * order of that here */
	uint32_t high[UNMATCHED_KINDS], high_at[UNMATCHED_KINDS];
	bool begun[UNMATCHED_KINDS];
	uint8_t ttl;
};

struct tap_path {
	uint64_t key;
	uint32_t id; /* of the fact, once it is reported */
	uint8_t n, n_between, room_between;
	uint8_t rank[TAP_PATH_HOPS]; /* slots in the order of the path */
	bool by_ttl[TAP_PATH_HOPS];  /* rank[i] behind rank[i - 1] */
	int16_t votes[TAP_PATH_HOPS][TAP_PATH_HOPS];
	bool shared[TAP_PATH_HOPS][TAP_PATH_HOPS]; /* saw the same packet */
	bool again; /* another of its key came before */
	bool numbered[UNMATCHED_KINDS];
	uint32_t psn[UNMATCHED_KINDS]; /* the last of each kind, anywhere */
	uint32_t refs;                 /* matches, and unmatched packets */
	uint32_t next_over;            /* of those that are over; 1-based */
	int64_t over_ns; /* another took its ids; INT64_MAX: not yet */
	struct slot s[TAP_PATH_HOPS];
	struct between *b;
};

struct segment {
	uint32_t id;
	uint32_t flows;
	uint64_t by_icrc;
	int64_t first_ns, last_ns;
	struct between b;
};

struct multitap_place {
	uint32_t place, tap;
	bool begun;
	int64_t first_ns, last_ns;
	uint64_t matched, missed;
	int64_t misses
		[CAPTURE_MISSES]; /* when a packet was not captured there */
	uint32_t n_misses;
};

/* Not seen at the next place, and not known yet why. */
struct unmatched {
	uint64_t key;
	int64_t ns;
	uint64_t frame, next_frame, retransmitted_frame;
	uint32_t tap_path, psn, tap, order, flow_id, to_flow_id;
	uint32_t next; /* in its bucket, or of the free ones; 1-based */
	uint8_t from, to, kind;
	bool used, missed;
	bool copy; /* that it is acknowledged says nothing */
};

/* A packet that may be part of |match|, or of one that is to come. */
struct apart {
	int64_t ns;
	uint32_t match, alone; /* sequence numbers in the ring */
};

enum { APART_MOST = 32 };

struct multitap {
	struct packet_match *ring;
	uint32_t *head;
	uint32_t seq, tail; /* [tail, seq) are in the ring */
	unsigned thin;
	struct tap_path **tap_paths;
	uint32_t n_tap_paths_followed;
	uint32_t *tap_path_slots;       /* the newest path of each key */
	uint32_t over_first, over_last; /* 1-based */
	struct segment *segments[MULTITAP_PLACES][MULTITAP_PLACES];
	uint32_t n_segments, n_histograms, n_tap_paths;
	struct multitap_place place[MULTITAP_PLACES];
	uint32_t n_places;
	struct unmatched *unmatched;
	uint32_t *unmatched_head, unmatched_free, n_unmatched;
	struct apart apart[APART_MOST]; /* the oldest first */
	uint32_t n_apart;
	int64_t swept_ns;
	uint32_t since_swept;       /* packets */
	struct time_grid over_time; /* of segments, by id */
	uint64_t capped_tap_paths;  /* and flows that have none */
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

_Static_assert(SEGMENT_SUMS <= (int)TIME_GRID_SUMS,
	       "a row has no room for them");

/* ---- match.c ---- */

/* What the engine made of a packet: counters before it. */
struct multitap_mark {
	uint32_t doubled, retransmitted;
};

static inline struct multitap_mark multitap_before(const struct flow *f)
{
	return (struct multitap_mark) { f->mirror_dups + f->duplicates,
					f->retransmitted };
}

void multitap_start(struct engine *e); /* there is a second place */
void multitap_packet(struct engine *e, struct flow *f, const struct packet *p,
		     struct multitap_mark before);
void multitap_finish(struct engine *e);
bool multitap_full(const struct engine *e);
void multitap_free(struct engine *e);

/* ---- tap_path.c: tap paths and their segments ---- */

/* NULL: it is not followed. */
struct tap_path *tap_path_of(struct engine *e, struct flow *f,
			     const struct packet *p, unsigned kind);
/* A packet of |kind| belongs to it. */
void tap_path_number(struct tap_path *w, const struct packet *p, unsigned kind);
/* One packet at two places: which of them comes first? */
void tap_path_vote(struct tap_path *w, const struct observation *a,
		   const struct observation *b);
/* Which places are neighbours, and which are first and last?  That may change
 * while the way becomes known.  False: they are the other way round. */
bool tap_path_place(const struct tap_path *w, struct between *b);
/* NULL: no memory. */
struct between *tap_path_between(struct multitap *t, struct tap_path *w,
				 unsigned from, unsigned to);
struct segment *segment_of(struct multitap *t, const struct tap_path *w,
			   unsigned from, unsigned to);
struct multitap_place *place_of(struct multitap *t, uint32_t place,
				uint32_t tap);
void segment_count(struct multitap *t, const struct segment *s, int64_t ns,
		   enum segment_sum what);
void between_delay(struct between *b, int64_t ns, uint64_t frame);
void tap_path_free(struct multitap *t, struct tap_path *w);

/* ---- unmatched.c ---- */

void unmatched_add(struct engine *e, const struct packet_match *c,
		   const struct observation *s, unsigned to);
/* A packet of |w| passes |slot|: it may be a copy of one that is gone, or that
 * one itself, late.  True when it was. */
bool unmatched_seen(struct engine *e, uint32_t tap_path, unsigned slot,
		    uint64_t key, unsigned kind, const struct packet *p);
/* |p|, which passed |slot|, is of another path.  False: nothing is open. */
bool unmatched_withdraw(struct engine *e, uint32_t tap_path, unsigned slot,
			unsigned kind, const struct packet *p);
void unmatched_sweep(struct engine *e, bool all);
void place_missed(struct multitap_place *p, int64_t ns);

/* ---- once.c ---- */

/* |f| and all others are closed: what came late at its place takes no part in
 * its recoveries. */
void multitap_once(struct engine *e, struct flow *f);

/* ---- emit.c ---- */

void multitap_emit(struct engine *e);
void multitap_forget(struct engine *e, int64_t before);
void tap_path_emit(struct engine *e, struct tap_path *w);

#endif

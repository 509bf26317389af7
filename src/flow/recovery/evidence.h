/* SPDX-License-Identifier: GPL-2.0-or-later
 * The record of one recovery: what was observed, with times, frames and counts.
 * Nothing in it is a verdict; decide.h makes one of it when the flow is known
 * as a whole. */
#ifndef FABSCOPE_FLOW_RECOVERY_EVIDENCE_H
#define FABSCOPE_FLOW_RECOVERY_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

enum evidence_index {
#define EVIDENCE(id, name, frame, sentence) EVIDENCE_##id,
#include "flow/recovery/evidence.def"
#undef EVIDENCE
	EVIDENCE_COUNT
};

/* The bit of an evidence. */
#define V(id) (UINT64_C(1) << EVIDENCE_##id)

struct evidence {
	uint64_t bits;
	uint8_t trigger;   /* enum recovery_trigger */
	bool beyond;       /* an ACK passed what was not yet retransmitted */
	bool proven_ever;  /* |proven| was moved */
	bool again_before; /* what the NAK named had been retransmitted */
	bool answered;     /* it is a READ or ATOMIC */
	bool unpaired; /* whose ACKs to look at was not known, none had come */
	bool paused;   /* its sender, by the port that it goes to, for half of
			* the idle time */
	uint32_t psn, high; /* first PSN retransmitted; nxt at that time */
	uint32_t nak_psn, nak_high;
	uint32_t beyond_una;
	uint32_t proven; /* PSNs before it had arrived all along */
	uint32_t rest;   /* PSNs of its open message that follow |high|, by its
			  * RETH; 0: not known */
	uint32_t fills, again, repeats, re_acks;
	uint32_t rounds, lost_min, lost_max;
	uint32_t tap;
	uint64_t bytes;
	int64_t lost_ns, detect_ns, first_ns, last_ns, end_ns, silence_ns;
	int64_t shown_ns;  /* the NAK, after a packet behind it; 0 unknown */
	int64_t spaced_ns; /* what the NAK named, after its predecessor, or 0 */
	int64_t soonest_ns; /* ACK after its packet or copy; 0 unknown */
	/* The originals of |psn|, and of the last one before |high|. */
	uint64_t orig_frame, tail_frame;
	uint64_t frame_detect, frame_first, frame_last;
	/* Ultra Ethernet: one packet each.  When it was first sent and, before
	 * its retransmission, acknowledged; for how long it was missing, and
	 * the receiver heard to miss it. */
	int64_t orig_ns, since_ns, missing_ns, missed_ns;
	uint16_t ev; /* its entropy value, if known */
	bool ev_known;
	bool proves; /* the first of a run of which one was lost */
	bool waited; /* for less than half of the silence */
	bool acked;  /* the last retransmission need not be lost */
	bool drops;  /* the capture dropped packets meanwhile */
	/* RoCE: since the sender went back before, it has received ACKs in
	 * time; and how long the first ACK took that came then. */
	bool in_time;
	int64_t ack_ns;
};

/* PSNs that a retransmission brought here for the first time; |again|: for the
 * first time since an earlier retransmission of what surrounds them. */
struct fill {
	uint32_t psn, n;
	uint32_t record; /* which recovery of the flow */
	int64_t ns;
	int64_t since_ns; /* when what follows it passed */
	uint64_t frame;
	bool drops; /* the capture dropped packets since it was due */
	bool again;
};

/* A response that was requested again: first seen then, |by_name|: as the first
 * one; or seen before, with |most| - 1 behind it. */
struct refill {
	int64_t ns;
	uint64_t frame;
	uint32_t psn, tap;
	uint32_t most;   /* 0: not seen before */
	int64_t late_ns; /* then: since a later one passed */
	uint32_t payload;
	bool by_name, by_timer;
	bool corrupted; /* it was seen with a bad ICRC */
	bool middle;    /* the request for it is answered by a First, perhaps */
};

/* An idle time of a sender, and the NAK that came meanwhile; 0: none. */
struct stop {
	int64_t from_ns, to_ns, nak_ns;
	uint64_t frame; /* of the NAK */
	uint32_t psn;   /* that it named */
};

/* What waits until the flow is known as a whole. */
struct pending {
	struct evidence *ev;
	struct fill *fill;
	uint32_t first; /* number of ev[0] */
	uint32_t n, room, n_fills, fills_room;
	struct refill *refill;
	uint32_t n_refills, refills_room;
	bool first_again; /* it is: some were */
	struct stop *stop;
	uint32_t n_stops, stops_room;
	int64_t re_ack_ns; /* the longest from a copy to its repeated ACK */
	bool slow_acks;    /* some of these were slower than its timer */
	/* Packets that NAKs named, or responses that were requested again, and
	 * that arrived without a retransmission; and of the first of them, how
	 * that is known. */
	const char *moot_why;
	uint32_t moot, moot_psn;
	int64_t moot_ns;
	uint64_t moot_frame;
	/* PSNs that the capture lacks, and all, in both directions */
	uint64_t lacks, covered;
};

/* So much of one flow is kept; beyond it is decided by what is known. */
enum { EVIDENCE_MOST = 1 << 12, FILLS_MOST = 1 << 11 };
/* And so many records of all flows. */
enum { EVIDENCE_TOTAL = 1 << 17 };
/* Of a live capture all are decided about at each refresh: so many that a
 * refresh takes no longer for it. */
enum { EVIDENCE_LIVE = 1 << 14 };

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The thresholds by which RoCE's recoveries are followed and decided about:
 * each once, with its unit, why it is what it is, and the rule of docs/rules.md
 * that it belongs to.  A name with no unit counts; "times" and "part" are
 * factors of a measured time or number. */
#ifndef FABSCOPE_FLOW_CORE_TUNING_H
#define FABSCOPE_FLOW_CORE_TUNING_H

/* ---- retransmission timeouts: R10 to R13 ---- */
enum {
	/* Adaptive timers of senders go down to this. */
	RTO_MIN_SILENCE_NS = 200 * 1000,
	/* Nor do they run out within a few round trips. */
	RTO_MIN_ROUND_TRIPS = 4,
	/* An idle sender that goes on with its replay waited for its timer:
	 * usual ones take 4.2 ms (code 10) and more. */
	RTO_USUAL_NS = 4 * 1000 * 1000,
	/* A sender that stops in the middle of a message for longer waits for
	 * its timer, not for its host. */
	MID_MESSAGE_NS = 1000 * 1000,
	/* Spaces between its packets: no shorter stop is one for a sender. */
	STALL_SPACES = 4,
	/* Times that a sender had as much unacknowledged as ever: that is its
	 * window, which messages and queues of varying size do not fill. */
	WINDOWS_MIN = 3,
	/* Of what had passed since the NAK, the part in which the sender was
	 * idle: it reacted to its timer. */
	RTO_IDLE_PART = 2,
	/* The same of an idle time in which its port was paused: PAUSED. */
	PAUSED_PART = 2,
};

/* ---- ACKs: R11, R25 ---- */
enum {
	/* No ACK is as late as this. */
	ACK_LATEST_NS = 1000 * 1000 * 1000,
	/* Round trips, where a NAK came: one that a duplicate provoked takes
	 * no longer. */
	RE_ACK_ROUND_TRIPS = 4,
	/* Round trips, and a part of the timer: an ACK that comes later may be
	 * one of the original. */
	SLOW_ROUND_TRIPS = 8,
	SLOW_PART_OF_RTO = 16,
	/* Samples: fewer do not show the shortest round trip. */
	RTT_SAMPLES_MIN = 8,
	/* Of the shortest round trip: queues make none that much shorter. */
	SOON_PART = 4,
	/* The same ACK once more though nothing was retransmitted: one may be a
	 * mirror duplicate. */
	SAME_ACKS_MIN = 2,
};

/* ---- NAKs: R3, R4, R15, R26 ---- */
enum {
	/* A sender may react so late to a NAK; later, that is not the
	 * reason. */
	LATE_REACTION_NS = 10 * 1000 * 1000,
	/* Times its shortest reaction: no sender takes longer. */
	REACTION_TIMES = 8,
	/* Times its last reaction: to a NAK that was repeated meanwhile. */
	REACTION_AGAIN_TIMES = 2,
	/* Reactions, before the least of them says much. */
	REACTIONS_MIN = 8,
	/* A sender reads what it repeats over PCIe. */
	REACTION_MIN_NS = 400,
	/* No receiver waits longer before a NAK; packets lost in a row do. */
	NAK_WAIT_MAX_NS = 100 * 1000,
	/* Of the shortest round trip: a shorter wait is none. */
	NAK_WAIT_PART = 8,
	/* Waits before a NAK: none comes early by more. */
	WAITS_APART = 2,
	/* Of the shortest round trip: what jitter may have made of it. */
	JITTER_PART = 16,
	/* Round trips, to know how long they take now. */
	NEAR_MIN = 3,
	/* Packets behind the one that a NAK named that are looked at. */
	REORDERED_MAX = 16,
	/* Packets: nearer to the one that a NAK names, others may have come
	 * late with it. */
	KEPT_MIN = 2,
	/* So often an ACK stopped at a packet that had been seen here before:
	 * a few in a row may have been lost together. */
	REFUSED_MIN = 3,
	/* So often a sender repeated one packet of several. */
	ALONE_MIN = 3,
	/* A frame with a bad ICRC is known so long. */
	CORRUPTED_KEPT_NS = 1000 * 1000 * 1000,
};

/* ---- reordering: R1, R2, R26 ---- */
enum {
	/* Packets: further ahead none is expected to overtake. */
	EARLY_MAX = 128,
	/* Times the longest known: what came so late once may be later. */
	LATE_TIMES = 2,
	/* Events, and one packet of so many: copies and originals are mixed. */
	REORDER_EVENTS_MANY = 16,
	REORDERED_ONE_IN = 20,
	/* PSNs: the capture lacks so many that it may lack what asked for one
	 * that comes late. */
	LACKS_ONE_IN = 10,
	/* Times the NAKs: what is late here is not what they are about. */
	LATE_HERE_TIMES = 4,
	/* Packets of the other direction that were late: the network between
	 * the two hosts reorders. */
	LATE_OTHER_WAY_MIN = 4,
	/* One packet of so many is a mirror duplicate: the first of two may be
	 * what the capture lacks. */
	DUPLICATES_ONE_IN = 4,
};

/* ---- copies: R20 ---- */
enum {
	/* A switch keeps a packet no longer on its way from one point of its
	 * pipeline to another. */
	RESIDENCE_NS = 50 * 1000,
	/* The longest queue of a port, between two points of which a mirror
	 * copies: 4 MB at 25 Gb/s.  Few timers run out sooner. */
	QUEUE_NS = 1300 * 1000,
	/* A sender that draws or counts identifications has the same again no
	 * sooner. */
	SAME_ID_NS = 10 * 1000 * 1000,
	/* Of how much later a mirror's second copies come: jitter. */
	LAG_PART = 16,
	/* Gb/s, of any link. */
	FASTEST = 800,
};

/* ---- parallel links, or hops ---- */
enum {
	/* Packets of common flows before anything is said. */
	SHARED_MIN = 64,
	/* Percent of them may be the same by chance or retransmitting. */
	SAME_PERCENT = 2,
	/* Retransmissions without an identification of their own take either
	 * link: of those that were seen at both so many at least came in the
	 * other order than the one before, and not so many of all packets. */
	TURNS_MIN = 16,
	TURNS_PERCENT = 25,
	OVERLAP_PERCENT = 90,
};

/* ---- how senders retransmit: R19, R22 ---- */
enum {
	/* Packets under way: fewer do not show how many are repeated. */
	REPLAY_MIN = 5,
	/* So many tenths of them are all: go-back-N. */
	REPLAY_ALL_TENTHS = 9,
	/* One of so many is one: selective repeat. */
	REPLAY_ONE_IN = 5,
	/* Packets of one message that is begun anew (go-back-0). */
	MESSAGE_MAX = 1 << 16,
};

/* ---- stops after NAKs without a loss: R28 ---- */
enum {
	/* Stops with a NAK, and without one to compare them with. */
	STOPS_MIN = 4,
	CONTROLS_MIN = 3,
	/* Times the usual stop: shorter ones need no NAK. */
	STOP_TIMES = 2,
	/* Times how much they vary behind the NAK is less than before it. */
	STOPS_ALIKE = 4,
};

/* ---- responses of READs and ATOMICs: R16, R17 ---- */
enum {
	/* Shorter than timers usually are, and than any. */
	RESPONSE_IDLE_NS = 10 * 1000 * 1000,
	RESPONSE_AT_ONCE_NS = 500 * 1000,
	/* Times the shortest way to the requester and back: a response had
	 * reached it. */
	RESPONSE_DUE_TIMES = 2,
	/* One packet in so many retransmitted: that its timer is slower than
	 * the way to the requester is not known. */
	MANY_RETRANSMITTED = 4,
	/* A requester that missed them would have asked again. */
	RESPONSE_HOLE_OLD_NS = 200 * 1000 * 1000,
};

/* ---- another connection on the same numbers ---- */
enum {
	/* Nothing was sent for so long: far PSNs may be new ones ... */
	ANEW_SILENCE_NS = 1000 * 1000 * 1000,
	/* ... or the first one again, of more than so many packets. */
	ANEW_FIRST_SILENCE_NS = 100 * 1000 * 1000,
	ANEW_FIRST_PACKETS = 16,
	/* Packets: no hole, and no replay, is so far. */
	HOLE_MAX = 1 << 20,
	REPLAY_MAX = 1 << 16,
};

#endif

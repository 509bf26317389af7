/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the state machines found out, as plain rows.
 *
 * The flow layer hands these to a sink and forgets them; the store writes each
 * as one row of the table of the same name (docs/schema.md).  A fact owns
 * nothing: strings are static or valid during the call only.
 * Unknown numbers are FACT_UNKNOWN and become NULL, never 0. */
#ifndef FABSCOPE_FLOW_CORE_FACT_H
#define FABSCOPE_FLOW_CORE_FACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"

#include "flow/core/fact_link.h"
#include "flow/core/fact_multitap.h"

#define FACT_UNKNOWN INT64_MIN

/* design.md 5, event.kind.  The names are public. */
#define EVENT_KINDS(X)                                \
	X(LOSS_UPSTREAM, "loss_upstream")             \
	X(LOSS_DOWNSTREAM, "loss_downstream")         \
	X(CAPTURE_MISSING, "capture_missing")         \
	X(UNRESOLVED_GAP, "unresolved_gap")           \
	X(REORDER, "reorder")                         \
	X(MIRROR_DUPLICATE, "mirror_duplicate")       \
	X(RETRANSMIT_NAK, "retransmit_nak")           \
	X(RETRANSMIT_TIMEOUT, "retransmit_timeout")   \
	X(RETRANSMIT_RNR, "retransmit_rnr")           \
	X(RETRANSMIT_SPURIOUS, "retransmit_spurious") \
	X(RETRANSMIT_IMPLIED, "retransmit_implied")   \
	X(RETRANSMIT_UNKNOWN, "retransmit_unknown")   \
	X(NAK_SEQ, "nak_seq")                         \
	X(NAK_FATAL, "nak_fatal")                     \
	X(RNR_NAK, "rnr_nak")                         \
	X(IMPLIED_NAK, "implied_nak")                 \
	X(ACK_LOST, "ack_lost")                       \
	X(ICRC_BAD, "icrc_bad")                       \
	X(CNP_UNEXPLAINED, "cnp_unexplained")         \
	X(EPOCH, "epoch")                             \
	X(TRIMMED, "trimmed")                         \
	X(CREDIT_STALL, "credit_stall")               \
	X(DUPLICATE, "duplicate")                     \
	X(OUTAGE, "outage")                           \
	X(RESPONSE_ERROR, "response_error")           \
	X(NAK_STALL, "nak_stall")

enum event_kind {
#define X(id, name) EVENT_##id,
	EVENT_KINDS(X)
#undef X
		EVENT_KIND_COUNT
};

struct fact_event {
	int64_t ns;
	uint64_t frame; /* in the file of |tap|; 0 unknown */
	uint32_t tap;
	uint32_t flow; /* fact_flow.id, 0 none */
	enum event_kind kind;
	uint32_t psn;       /* first PSN concerned */
	uint32_t count;     /* how many PSNs or packets */
	int64_t value;      /* kind-specific, see docs/schema.md */
	double confidence;  /* 0..1 */
	const char *detail; /* static text: the rule, "R3" first, or NULL */
	bool decided;       /* follows from the verdict on a recovery */
};

/* Order is that of flow.transport in design.md 5. */
enum flow_transport {
	FLOW_RC,
	FLOW_UC,
	FLOW_UD,
	FLOW_XRC,
	FLOW_DC,
	FLOW_UET_ROD,
	FLOW_UET_RUD,
	FLOW_UET_RUDI,
	FLOW_UET_UUD,
	FLOW_VENDOR,
	FLOW_UET_TSS, /* encrypted: which of them is not observable */
	FLOW_MRC,
	FLOW_TRANSPORTS
};

enum flow_pairing {
	PAIRING_NONE,
	PAIRING_CM,      /* P1 */
	PAIRING_SPORT,   /* P2 */
	PAIRING_READ,    /* P3 */
	PAIRING_ACK,     /* P4 */
	PAIRING_ASSUMED, /* P5 */
	PAIRING_IN_STEP, /* P5: of several, in the order of their responses */
	PAIRING_PDCID,   /* UET: each names the other */
};

enum flow_visibility { VISIBLE_FWD, VISIBLE_REV, VISIBLE_BOTH };

/* How this sender recovers and this receiver accepts: reference 3.7. */
enum flow_recovery {
	RECOVERY_UNKNOWN,
	RECOVERY_GBN,
	RECOVERY_SR,
	RECOVERY_OOO, /* reordering tolerated, no NAK */
	RECOVERY_GO_BACK_0,
};

/* One direction key in one epoch, at one capture point. */
struct fact_flow {
	uint32_t id;   /* 1.., in order of first packet */
	uint32_t tap;  /* tap of the first packet */
	uint32_t peer; /* id of the other direction, 0 unpaired */
	enum flow_transport transport;
	struct addr src, dst;
	int64_t dst_qp; /* FACT_UNKNOWN with UET */
	int64_t src_qp; /* the peer's dst_qp, DETH; FACT_UNKNOWN */
	int64_t spdcid, dpdcid, job_id; /* UET; FACT_UNKNOWN */
	uint32_t epoch;                 /* 0.. */
	enum flow_pairing pairing;
	double pairing_confidence;
	enum flow_visibility visibility;
	enum flow_recovery recovery;
	bool spray_suspect;  /* loss verdicts are withdrawn */
	uint32_t udp_sports; /* number of distinct UDP source ports (<=255) */
	uint32_t udp_sport;  /* the first */
	uint64_t src_mac, dst_mac; /* of its first packet; 0 none */
	uint64_t sport_changes; /* packets with another than the one before */
	uint32_t pmtu;          /* 0 unknown */
	int64_t first_psn;      /* of its requests; FACT_UNKNOWN */
	int64_t first_ns, last_ns;

	uint64_t packets, bytes, payload_bytes; /* all copies; bytes on wire */
	uint64_t requests, responses; /* packets of either PSN space */
	uint64_t goodput_bytes;       /* payload without copies */
	uint64_t messages, messages_completed, messages_incomplete;
	uint64_t expected; /* PSNs of the request space covered */

	/* reference 3.5; FACT_UNKNOWN where it cannot be known */
	int64_t lost_upstream;
	int64_t lost_downstream_min, lost_downstream_max;
	int64_t capture_missing;
	int64_t unresolved;
	int64_t corrupted; /* R5: lost because corrupted upstream */
	int64_t reordered, reorder_extent_max, reorder_late_ns_max;
	int64_t reorder_events; /* gap-open events that proved reordering */
	int64_t retransmitted, retransmitted_bytes, spurious;
	int64_t timeouts, nak_seq, nak_fatal, rnr_nak, implied_nak;
	int64_t duplicates; /* copies of what had already been acknowledged */
	int64_t ack_lost;
	int64_t mirror_duplicates;
	int64_t credit_stalls;
	int64_t ect, ce, cnp;
	int64_t trimmed;
	int64_t icrc_good, icrc_bad; /* FACT_UNKNOWN: never checkable */
	int64_t recovery_ns;         /* sum of the costs of recoveries */
	int64_t recoveries;
	int64_t latency_min_ns, latency_mean_ns, latency_max_ns; /* at tap */
	int64_t rtt_sender_ns, rtt_receiver_ns; /* minima, reference 3.3 */
	int64_t ack_timeout_code, retry_count, rnr_retry; /* from CM */
	/* Packets with payload by their ECN field. */
	int64_t ect_data, ce_data, not_ect_data;
	/* Of the first packet with payload, without, of the first CNP. */
	int64_t dscp, dscp_bare, dscp_cnp;
	int64_t pcp;           /* 802.1p, with payload; FACT_UNKNOWN: no tag */
	int64_t service_other; /* packets of another DSCP or 802.1p priority
				* than the first of their kind */
	int64_t ttl;           /* or hop limit, of the first packet */
};

enum message_op {
	MESSAGE_SEND,
	MESSAGE_WRITE,
	MESSAGE_READ,
	MESSAGE_ATOMIC,
	MESSAGE_FLUSH,
	MESSAGE_ATOMIC_WRITE,
	MESSAGE_OPS
};

enum message_status {
	MESSAGE_COMPLETE,    /* every PSN seen and, for RC, acknowledged */
	MESSAGE_UNACKED,     /* every PSN seen; acknowledgement not visible */
	MESSAGE_CAPTURE_GAP, /* the capture misses part of it */
	MESSAGE_LOST,        /* not delivered before the capture ended */
	MESSAGE_CUT,         /* capture began or ended inside */
	MESSAGE_QP_ERROR,    /* the QP died */
	MESSAGE_ABORTED,     /* UET: its sender gave it up */
	MESSAGE_STATUSES
};

struct fact_message {
	uint32_t flow;
	enum message_op op;
	enum message_status status;
	int64_t first_ns, last_ns; /* first copies of the first/last packet */
	int64_t completed_ns;      /* FACT_UNKNOWN */
	uint64_t bytes;
	uint32_t psn_first, psn_last;
};

/* A step of a histogram: messages of one kind at a capture point, from first
 * packet to completion, or packets of a segment, from one capture point to the
 * next. */
struct fact_latency {
	uint32_t segment; /* 0: of messages */
	uint32_t tap;
	enum flow_transport transport;
	enum message_op op;
	int64_t bytes_from; /* messages of this size up to four times of it */
	int64_t from_ns, to_ns;
	uint64_t count;
};

/* One recovery: what it was, what it cost. */
enum recovery_trigger {
	TRIGGER_UNKNOWN,
	TRIGGER_NAK,
	TRIGGER_TIMEOUT,
	TRIGGER_RNR,
	TRIGGER_IMPLIED_NAK,
	RECOVERY_TRIGGERS
};

enum recovery_cause {
	CAUSE_UNKNOWN,
	CAUSE_LOSS_UPSTREAM,
	CAUSE_LOSS_DOWNSTREAM,
	CAUSE_LOSS_OR_REORDER, /* R26 */
	CAUSE_REORDER,         /* nothing was lost */
	CAUSE_CORRUPTION,
	CAUSE_ACK_LOSS,
	CAUSE_RNR,
	CAUSE_COLLATERAL,       /* R15 */
	CAUSE_TRIMMED_UPSTREAM, /* UET: a switch cut off the payload */
	CAUSE_TRIMMED_DOWNSTREAM,
	CAUSE_TRIMMED, /* on an unknown side of the tap */
};

struct fact_recovery {
	uint32_t flow, tap;
	enum recovery_trigger trigger;
	enum recovery_cause cause;
	uint32_t psn; /* first PSN retransmitted */
	uint32_t lost_min, lost_max;
	int64_t first_ns;        /* gap, NAKed original or start of silence */
	int64_t detect_ns;       /* NAK, RNR NAK or first copy of a timeout */
	int64_t resend_ns;       /* first copy */
	int64_t last_ns;         /* caught up, or acknowledged */
	int64_t silence_ns;      /* sender silent before the first copy */
	uint64_t frame_detect;   /* the NAK; 0 none */
	uint64_t frame_original; /* 0 not known */
	uint64_t frame_first, frame_last; /* copies */
	uint64_t retransmitted_packets, retransmitted_bytes;
	double confidence;
	const char *rule; /* "R3" ... */
	/* Bits of recovery/evidence.def and hypotheses.def; 0: not kept */
	uint64_t evidence;
	uint32_t remaining;
};

struct fact_bin {
	enum { BIN_TAP, BIN_FLOW, BIN_PRIORITY } scope;
	uint32_t scope_id;
	int64_t start_ns, width_ns;
	uint64_t packets, bytes, ce, ect, cnp, retransmitted;
	uint32_t tap;      /* of a priority */
	int64_t paused_ns; /* likewise, both directions of the link */
};

/* A stretch of data of one flow, and the silence behind it.  Idle times that
 * are too short to tell lie inside. */
struct fact_burst {
	uint32_t flow;
	bool inside; /* it ended inside a message */
	bool data;   /* not only requests for it: those are not handed out */
	int64_t first_ns, last_ns; /* first and last packet with data */
	uint64_t bytes;            /* payload without copies */
	uint64_t psns; /* of requests with data, those missing too */
	/* Before data went on (or the end); unknown: none, or not seen */
	int64_t acked_ns;   /* the last answer to its requests */
	int64_t asked_ns;   /* the last request of the other direction */
	int64_t unacked;    /* PSNs still not acknowledged then */
	int64_t granted_ns; /* the last credit, if it had none left ... */
	int64_t wanted_ns;  /* ... since then */
};

/* How it is known whom a CNP throttles: reference 4.1. */
enum cnp_attribution {
	ATTRIBUTED_NOT,   /* only the pair of addresses is known */
	ATTRIBUTED_PAIR,  /* the two directions are paired */
	ATTRIBUTED_LATER, /* ... since, but were not when it came */
	ATTRIBUTIONS
};

/* What the sender did: reference 4.7. */
enum cnp_reaction {
	REACTION_UNJUDGED, /* judged with an earlier CNP */
	REACTION_REACTED,
	REACTION_NONE,
	REACTION_INCONCLUSIVE,
	REACTIONS
};

/* One CNP. */
struct fact_cnp {
	int64_t ns;
	uint64_t frame;
	uint32_t tap;
	uint32_t flow; /* the throttled one, 0 unknown */
	enum cnp_attribution attribution;
	struct addr src, dst; /* of the CNP: receiver and sender of data */
	uint32_t qp;          /* the QP that received the CNP */
	/* From the last and from the first mark that it may answer; unknown
	 * where there is none. */
	int64_t latency_min_ns, latency_max_ns;
	int64_t marks; /* so many may be meant */
	bool clean;    /* the first of them is the one that is */
	int64_t rate_before_bps, rate_after_bps;
	int64_t window_before_ns, window_after_ns; /* of these rates */
	enum cnp_reaction reaction;
	const char *detail; /* why not judged, or why sent without a mark */
};

/* A flow that was marked or throttled, summed up. */
struct fact_congestion {
	uint32_t flow;
	int64_t first_mark_ns, last_mark_ns; /* unknown: none */
	int64_t first_cnp_ns, last_cnp_ns;
	int64_t marks, cnps, clean;
	int64_t unexplained; /* CNPs without a mark */
	/* rounds: CNPs with the window in which their effect was to show */
	int64_t reacted, not_reacted, inconclusive;
	int64_t ignored; /* most CNPs of one burst without visible effect */
	int64_t rate_start_bps, rate_low_bps; /* before, lowest after */
	int64_t rate_end_bps;                 /* the latest after a CNP */
	bool shared; /* with other flows, at a place behind the marking */
};

/* How a receiver paces its CNPs, looked at as if by one scope. */
enum pacing_scope { PACING_QP, PACING_PAIR, PACING_PORT, PACING_SCOPES };

struct fact_pacing {
	uint32_t tap;
	struct addr receiver;
	enum pacing_scope scope;
	bool inferred;    /* this is the scope that fits */
	int64_t entities; /* QPs, pairs or ports that got CNPs */
	int64_t cnps, marks, gaps;
	int64_t gap_min_ns, gap_p1_ns, gap_p50_ns; /* between CNPs */
	double near;      /* share of gaps close to the shortest */
	int64_t expected; /* CNPs that the marks would give with that gap */
	int64_t observed; /* meanwhile */
};

/* The part of a flow that one of several parallel links carried. */
struct fact_flow_tap {
	uint32_t flow, tap;
	uint64_t packets, bytes;
	int64_t first_ns, last_ns;
	uint16_t first_port, last_port; /* UDP source ports */
};

/* Packets of a flow that carried one list of segments, as it was at this
 * capture point: decode/srv6.h. */
struct fact_srv6_path {
	uint32_t flow;
	struct addr segments;
	uint64_t packets, bytes, ce;
	int64_t first_ns, last_ns;
};

/* What packets of MRC in one direction say: decode/mrc.h. */
struct fact_mrc {
	uint32_t flow;
	uint64_t data, retransmitted;
	uint64_t acks;
	uint64_t sacks, skip_once, always_skip; /* of paths, in SACKs */
	uint64_t nacks, trimmed, trimmed_lasthop, no_bitmap, no_buffer,
		no_resource, out_of_window, unexpected, other_reasons;
	uint64_t probes, probe_replies;
	uint64_t endpoint_requests, endpoint_responses;
	uint64_t most_penalty;
};

/* How a flow changed between parallel links: reference 6.3. */
struct fact_spread_over {
	uint32_t flow, links;
	uint64_t moves; /* packets on another link than the one before */
	/* within bursts: close behind the one before */
	uint64_t burst_packets, burst_moves;
	/* after an idle time from which on it changes */
	int64_t idle_ns;
	uint64_t idles, idle_moves;
	double fairness; /* of 100 packets among links; negative: unknown */
};

/* What the flow layer learnt about a capture point. */
struct fact_tap {
	uint32_t tap;
	uint64_t packets;
	uint64_t by_status[8], by_kind[16]; /* enum packet_status/_kind */
	uint64_t mirror_duplicates;
	uint64_t mirror_seq_lost; /* gaps in ERSPAN sequence numbers */
	bool mirror_seq_seen;
	uint64_t icrc_good, icrc_bad, icrc_unchecked;
	uint64_t ect, ce;
	uint64_t unknown_opcodes;
	uint64_t reserved_set;
	bool nic_sniffer; /* stamps in source MAC, port 4791 */
	bool spray_suspect;
	int place; /* taps of one place feed one machine */
	/* PSNs that had not been seen, and that a receiver missed by name; and
	 * those that it had, so that the capture misses them */
	uint64_t holes_asked_for, holes_missing;
	uint64_t on_unknown_port; /* UET on a UDP port that nobody named */
	uint16_t unknown_port;    /* 0: none */
};

/* Five numbers of a distribution; FACT_UNKNOWN: nothing was reported. */
struct fact_histogram {
	int64_t min, p50, mean, p99, max;
};

/* What path telemetry reported of one switch on the path to |tap|: of one flow,
 * or of all flows through one of its ports (flow 0, ingress unknown). */
struct fact_hop {
	uint32_t tap, flow;
	int64_t device;    /* as the switch calls itself */
	uint32_t position; /* on the path: 1 is the first that reported */
	int64_t ttl, ingress, egress, queue;
	uint64_t packets;
	struct fact_histogram residence; /* ns */
	uint64_t congested; /* packets that it says met congestion */
	uint64_t ce;        /* packets with CE when they came here */
	uint64_t slowest;   /* packets that no other hop kept longer */
	int64_t longest_ns;
	uint64_t longest_frame;
	/* of these packets: those marked, lost behind here, and answered */
	int64_t marked_mean_ns; /* residence */
	uint64_t lost;
	int64_t lost_mean_ns; /* residence */
	uint64_t answered;
	int64_t answer_mean_ns;    /* from the tap to the answer */
	int64_t answer_follows_pm; /* correlation with residence, per mille */
	uint64_t telemetry_id;     /* fact_telemetry_bin.telemetry_id */
	/* Occupancy of the queue (INT), in units of the device; of all flows */
	struct fact_histogram depth;
	uint64_t depth_id; /* as telemetry_id; 0 none */
};

enum { FACT_PATH_HOPS = 8 };

/* One path through the fabric that packets of a flow took. */
struct fact_path {
	uint32_t tap, flow;
	uint32_t n_hops;
	int64_t device[FACT_PATH_HOPS]; /* first hop first; negative: unknown */
	uint64_t packets, ce;
	struct fact_histogram residence; /* ns, all hops of a packet together */
	uint64_t lost, answered;         /* as in fact_hop */
	int64_t answer_mean_ns, answer_max_ns, answer_follows_pm;
	uint64_t telemetry_id;
};

enum telemetry_fate {
	TELEMETRY_LOST,         /* behind here */
	TELEMETRY_NEXT_TO_LOSS, /* its neighbour was lost before it came here */
	TELEMETRY_TRIMMED,      /* a switch cut it */
	TELEMETRY_FATES
};

/* Telemetry of one packet whose outcome is known. */
struct fact_telemetry_packet {
	uint32_t tap, flow;
	int64_t ns;
	uint64_t frame;
	uint32_t psn;
	enum telemetry_fate fate;
	double confidence;
	bool ce;
	uint32_t hops;
	int64_t total_ns; /* in all hops */
	/* the hop that kept it longest */
	int64_t kept_ns, position, device, egress, queue;
};

/* Congestion signaling tags of one bottleneck; flow 0: all flows. */
struct fact_csig {
	uint32_t tap, flow;
	uint32_t signal, locator;
	uint64_t samples, ce;
	struct fact_histogram value;
	uint64_t telemetry_id;
};

/* A hop, path or csig over time, and by how long or how much: sums of the
 * packets with about the same value. */
struct fact_telemetry_bin {
	uint64_t telemetry_id;
	int64_t start_ns, width_ns;
	int64_t value;    /* FACT_UNKNOWN: not reported */
	int64_t min, max; /* of these packets */
	uint64_t packets, ce, congested, slowest;
};

/* A CM exchange: who connected to whom, with what. */
struct fact_cm {
	int64_t ns;
	uint64_t frame;
	uint32_t tap;
	struct addr src, dst;
	uint16_t attribute; /* 0x10 REQ ... */
	uint32_t local_comm_id, remote_comm_id;
	uint32_t qpn; /* local (REQ/REP) or remote (DREQ) QPN */
	uint32_t psn; /* starting PSN */
	uint64_t service_id;
	int reason; /* REJ, else -1 */
};

/* The requests of a queue pair when it was over, unless all were completed. */
struct fact_ending {
	uint32_t flow, tap;
	uint32_t psn; /* the sender went back to it, or it was refused */
	uint32_t first, next; /* the first PSN seen; the first never sent */
	uint32_t tries;       /* times the sender went back to it */
	uint32_t refusals;    /* RNR NAKs for it, or 1 */
	int64_t first_ns;     /* the first of these tries ... */
	int64_t last_ns;      /* ... and the last */
	int64_t shortest_ns;  /* idle time before one of them */
	int64_t longest_ns;   /* FACT_UNKNOWN: no timer */
	int64_t refused_ns;   /* the last refusal */
	int64_t rnr_wait_ns;  /* of an RNR NAK */
	int64_t answered_ns;  /* the last response to these requests */
	int64_t end_ns;       /* nothing else was captured up to then */
	int64_t wanted;       /* length in its RETH */
	uint32_t payload;     /* bytes of the packet with that PSN */
	uint8_t opcode;       /* of the same */
	uint8_t syndrome;     /* of the refusal; 0 none */
	bool acked;           /* it was acknowledged, as seen here */
	bool mid_stream;      /* the first PSN did not begin a message */
	uint64_t frame_first, frame_last, frame_refused;
};

/* What a packet was when it was seen.  The names are public. */
#define NOTE_KINDS(X)                                                      \
	X(NEW, "new") /* next in line */                                   \
	X(GAP, "gap") /* new, and what should precede is missing */        \
	X(OUT_OF_ORDER, "out_of_order")     /* first transmission, late */ \
	X(RETRANSMISSION, "retransmission") /* was seen before */          \
	/* or late; its first transmission was not seen here */            \
	X(RETRANSMISSION_OF_MISSING, "retransmission_of_missing")          \
	X(MIRROR_DUPLICATE, "mirror_duplicate")                            \
	X(DUPLICATE, "duplicate")                                          \
	X(CORRUPTED, "corrupted") /* its receiver will discard it */       \
	X(RESPONSE, "response")   /* without a PSN of its own: ACK, NAK */ \
	X(CNP, "cnp")                                                      \
	X(NOT_TRACKED, "not_tracked") /* of a service without PSN rules */

enum note_kind {
#define X(id, name) NOTE_##id,
	NOTE_KINDS(X)
#undef X
		NOTE_KIND_COUNT
};

/* What the engine made of one packet of a flow, the moment it was seen.  For
 * who looks at packets; what is only known later comes as an event. */
struct fact_note {
	int64_t ns;
	uint64_t frame; /* in the file of |tap| */
	uint32_t tap;
	uint32_t flow;  /* fact_flow.id */
	uint32_t peer;  /* the other direction, 0 not known yet */
	uint32_t space; /* the flow in whose requests its PSN counts, or 0 */
	enum note_kind kind;
	enum recovery_trigger trigger; /* of COPY and FILL */
	uint32_t missing;              /* GAP: PSNs */
	int64_t psn;      /* counted from the first of its space, or UNKNOWN */
	int64_t message;  /* 1.. in its space, as far as seen, or UNKNOWN */
	int64_t position; /* packet in the message, 0.., or UNKNOWN */
	uint64_t about;   /* the frame that it repeats or answers; 0 none */
	int64_t since_ns; /* since |about|, or UNKNOWN */
	/* The frame in which the port it goes to sent PFC pause, of its
	 * priority, for still now; 0 none, or for how long is not known. */
	uint64_t pause_frame;
	int64_t pause_since_ns; /* since that, or UNKNOWN */
};

/* names.c; public, as in the database. */
extern const char *const flow_transport_names[FLOW_TRANSPORTS];
extern const char *const recovery_trigger_names[RECOVERY_TRIGGERS];
extern const char *const cnp_attribution_names[ATTRIBUTIONS];
extern const char *const cnp_reaction_names[REACTIONS];
extern const char *const pacing_scope_names[PACING_SCOPES];
extern const char *const event_kind_names[EVENT_KIND_COUNT];
extern const char *const note_kind_names[NOTE_KIND_COUNT];
extern const char *const telemetry_fate_names[TELEMETRY_FATES];

#define FACT(name, table) struct fact_##name;
#include "flow/core/facts.def"

struct flow_sink {
	void *ctx;
#define FACT(name, table) void (*name)(void *ctx, const struct fact_##name *);
#include "flow/core/facts.def"
	/* One for each packet of a flow; NULL, as usual, costs nothing. */
	void (*note)(void *ctx, const struct fact_note *);
	/* rows a cap kept from being handed over: "and N more" */
	void (*capped)(void *ctx, const char *table, uint64_t dropped);
};

#endif

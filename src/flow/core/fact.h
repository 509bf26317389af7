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
#include "flow/core/fact_uet.h"

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

/* Of struct fact_bin. */
enum bin_scope { BIN_TAP, BIN_FLOW, BIN_PRIORITY };

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

/* How a receiver paces its CNPs, looked at as if by one scope. */
enum pacing_scope { PACING_QP, PACING_PAIR, PACING_PORT, PACING_SCOPES };

/* Five numbers of a distribution; FACT_UNKNOWN: nothing was reported. */
struct fact_histogram {
	int64_t min, p50, mean, p99, max;
};

enum { FACT_PATH_HOPS = 8 };

enum telemetry_fate {
	TELEMETRY_LOST,         /* behind here */
	TELEMETRY_NEXT_TO_LOSS, /* its neighbour was lost before it came here */
	TELEMETRY_TRIMMED,      /* a switch cut it */
	TELEMETRY_FATES
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

#define FACT(name, table)    struct fact_##name {
#define MEMBER(type, member) type member;
#define END \
	}   \
	;
#define OTHER_FACT(name, table) struct fact_##name;
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

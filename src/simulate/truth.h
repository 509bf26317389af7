/* SPDX-License-Identifier: GPL-2.0-or-later
 * What really happened, written down as it happens.
 *
 * Nothing here is found by looking at captures: every number is counted at
 * the moment the simulation does the thing.  docs/truth-schema.md describes
 * the file that truth_write() makes of it. */
#ifndef FABSCOPE_SIMULATE_TRUTH_H
#define FABSCOPE_SIMULATE_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "simulate/pkt.h"

struct cnp_truth;
struct host;
struct node;
struct port;
struct sim;
struct tap;
struct work;

enum service {
	SERVE_RC,
	SERVE_UC,
	SERVE_UD,
	SERVE_ROD, /* UET from here on */
	SERVE_RUD,
	SERVE_RUDI,
	SERVE_UUD
};

static inline bool service_is_uet(enum service s)
{
	return s >= SERVE_ROD;
}

/* Why a packet did not go on. */
#define DROP_REASONS(X)                                                        \
	X(FAULT, "fault") /* a fault of the scenario, on a link */             \
	X(DOWN, "link down")                                                   \
	X(FCS, "fcs")           /* corrupted on a link, next MAC refused it */ \
	X(BUFFER, "buffer")     /* switch: no room */                          \
	X(HEADROOM, "headroom") /* switch: lossless class, headroom full */    \
	X(WATCHDOG, "watchdog") /* switch: PFC watchdog empties the queue */   \
	X(NO_ROUTE, "no route")                                                \
	X(TTL, "ttl")                                                          \
	X(ICRC, "icrc")   /* receiving NIC: corrupted */                       \
	X(NO_QP, "no qp") /* receiving NIC: nobody there any more */

enum drop_reason {
#define X(id, name) DROP_##id,
	DROP_REASONS(X)
#undef X
		DROP_REASON_COUNT
};

/* What became of the latest transmission of a PSN. */
enum fate {
	FATE_FLYING,
	FATE_LOST,
	FATE_TAKEN,
	FATE_OUT_OF_ORDER, /* reached the receiver, refused: gap before it */
	FATE_RNR,          /* reached the receiver, refused: no receive WQE */
	FATE_DUPLICATE,    /* reached the receiver, which had it */
	FATE_TRIMMED,      /* reached the receiver without its payload */
};

struct psn_record {
	tapset lost_first; /* taps before which transmission 0 was lost */
	tapset lost_before, lost_after; /* taps: some transmission was */
	tapset passed, captured;        /* taps: some transmission was */
	uint16_t sent;
	uint16_t place; /* of the latest loss, 0 none */
	uint8_t fate;
	bool taken;               /* the receiver has it */
	const struct pkt *newest; /* of its transmissions: maybe freed since */
};

struct psn_log {
	struct psn_record *r;
	uint64_t first; /* PSN of r[0] */
	size_t n, cap;
};

struct tap_count {
	uint64_t passed, captured, missed, doubled;
	uint64_t passed_copies, captured_copies, damaged, ce;
	uint64_t lost_before, lost_after;
	uint64_t reordered, reordered_copies;
	uint64_t naks, rnrs, refusals;     /* captured, of the ACKs */
	uint64_t trimmed;                  /* passed */
	uint64_t probes, ack_reqs, clears; /* captured, of controls and ACKs */
	uint64_t newest; /* highest send order that has passed, +1 */
};

struct class_count {
	uint64_t sent, copies, bytes, payload;
	uint64_t delivered, dropped;
	uint64_t marked; /* CE at some switch */
	uint64_t trimmed;
};

/* Data of one stream through one switch, one way in and out. */
struct hop_count {
	const struct node *node;
	uint16_t ingress, egress;
	uint64_t packets, stamped, marked, residence_sum;
	uint32_t residence_min, residence_max; /* ns */
	uint32_t *residences;                  /* ns, of the stamped */
	size_t n_residences, cap_residences;
};

/* What only UET has. */
struct uet_truth {
	uint32_t job;
	bool initiator;                /* of the PDC; RUDI, UUD: who asks */
	int64_t opened, known, closed; /* ps, -1 never */
	uint64_t syns;                 /* packets sent with SYN */
	uint64_t credits;              /* granted to this sender, bytes */
	uint64_t starved;              /* ps it had something, and no credit */
	uint32_t sdi, ssi;             /* TSS; 0: none */
	uint64_t nacks[256];           /* by code, that reached this sender */
	uint8_t evs[65536 / 8];        /* entropy values used, a bit each */
	uint32_t n_evs;                /* how many they are */
	/* control packets sent by this end, and ACKs that ask for a clear */
	uint32_t probes, ack_reqs, clears, clear_reqs, clear_flags;
	uint32_t negotiations;
	uint32_t held, held_most; /* responses to this end's requests that the
				   * other one keeps: ever; most at once */
};

struct stream {
	uint32_t id;
	struct hop_count *hops;
	size_t n_hops, cap_hops;
	enum service service;
	const struct host *src, *dst;
	uint32_t src_qp, dst_qp, epoch, mtu;
	uint32_t psn_mask;       /* what of a PSN is on the wire */
	const struct work *work; /* first that used it, or NULL */
	uint16_t sport;          /* of its packets; 0: not always the same */
	struct stream *reverse;
	int64_t first, last; /* ps of transmissions, -1 none */
	uint64_t first_psn;  /* of its requests */
	struct class_count count[PKT_CLASSES];
	struct tap_count **tap; /* by tap, PKT_CLASSES each; NULL none */
	size_t n_tap;
	struct psn_log log[2]; /* PKT_REQUEST, PKT_RESPONSE */
	uint64_t order[PKT_CLASSES];
	/* of the requests of this stream's sender */
	uint64_t retransmitted[TRIGS], retransmitted_bytes;
	uint64_t timeouts, naks, rnr_naks, implied, fatal, duplicates;
	uint64_t retransmitted_needless; /* the receiver had it already */
	uint64_t cnps;                   /* received by this stream's sender */
	uint64_t ce_seen;                /* CE data that reached the receiver */
	uint64_t messages, completed;
	struct uet_truth *uet; /* or NULL */
};

/* Events, in the order they happened. */
#define TRUTH_EVENTS(X)           \
	X(DROP, "drop")           \
	X(DAMAGE, "corruption")   \
	X(DELAY, "delay")         \
	X(NAK, "nak_seq")         \
	X(RNR, "rnr_nak")         \
	X(FATAL, "nak_fatal")     \
	X(TIMEOUT, "timeout")     \
	X(IMPLIED, "implied_nak") \
	X(CNP, "cnp")             \
	X(LINK_DOWN, "link_down") \
	X(LINK_UP, "link_up")     \
	X(REROUTE, "reroute")     \
	X(QP_ERROR, "qp_error")   \
	X(WATCHDOG, "watchdog")   \
	X(STORM, "storm")         \
	X(DEADLOCK, "deadlock")   \
	X(RATE, "rate")           \
	X(TRIM, "trim")           \
	X(NACK, "nack")           \
	X(PDC_OPEN, "pdc_open")   \
	X(PDC_KNOWN, "pdc_known") \
	X(PDC_CLOSE, "pdc_close") \
	X(HOLD, "hold")           \
	X(RELEASE, "release")     \
	X(CLEAR, "clear")         \
	X(CLEAR_REQ, "clear_req") \
	X(PROBE, "probe")         \
	X(PROBED, "probed")       \
	X(ACK_REQ, "ack_req")     \
	X(DEFER, "defer")         \
	X(RESTART, "restart")

enum truth_kind {
#define X(id, name) TRUTH_##id,
	TRUTH_EVENTS(X)
#undef X
		TRUTH_KINDS
};

struct truth_event {
	int64_t at;
	const struct stream *stream; /* or NULL */
	uint64_t psn, value, value2;
	tapset taps_before, taps_after;
	tapset taps_seen; /* of taps_after: those that have a copy */
	uint16_t place;
	uint16_t copy;
	uint8_t class;
	enum truth_kind kind;
};

enum cause {
	CAUSE_LOSS,
	CAUSE_DAMAGE,
	CAUSE_ACK_LOSS,
	CAUSE_REORDER,
	CAUSE_RNR,
	CAUSE_EARLY, /* a timeout, but everything was still on its way */
	CAUSE_TRIM,  /* a switch cut the payload off */
	CAUSE_BUSY,  /* the receiver had no room for it, or for its context */
	CAUSES
};

struct recovery {
	int64_t at;
	struct stream *stream;
	enum pkt_trigger trigger;
	enum cause cause;
	uint64_t psn, until; /* from, up to (not including) */
	uint32_t lost;       /* PSNs of the range that were really lost */
	uint32_t trimmed;    /* ... of these, trimmed */
	bool busy;           /* UET: asked for later, not lost */
	uint64_t packets, bytes;
	tapset taps_before, taps_after; /* of the loss */
	tapset seen;                    /* taps that captured a copy of it */
	uint16_t place;
	int64_t caught_up; /* ps, -1 never */
};

enum msg_op {
	MSG_SEND,
	MSG_WRITE,
	MSG_WRITE_IMM,
	MSG_READ,
	MSG_CAS, /* the two fetch the old value */
	MSG_ADD,
	MSG_ATOMIC, /* of UET from here on: adds, and fetches nothing */
	MSG_RENDEZVOUS,
	MSG_DEFERRABLE,
};

/* What a message is to a collective: NCCL's clear to send, data that another
 * message will say is there, or data. */
enum message_role { ROLE_DATA, ROLE_BULK, ROLE_CTS };

struct message {
	struct stream *stream;
	enum msg_op op;
	uint64_t bytes, psn_first, psn_last;
	int64_t posted, first, last, delivered, completed; /* ps, -1 */
	struct work *work;                                 /* or NULL */
	uint32_t iteration, rank, from, step;              /* of a collective */
	uint32_t id;                                       /* UET */
	uint64_t eager;    /* of a rendezvous: bytes that went ahead */
	uint32_t restarts; /* of a deferrable one */
	uint32_t rest_of;  /* READ of a rendezvous' rest: that one's id */
	enum message_role role;
};

/* Why a pause was asked for, at the moment it was. */
#define PAUSE_REASONS(X)                                                      \
	X(CONGESTION, "congestion") /* more comes in than the egress sends */ \
	X(PAUSED, "paused")         /* the egress has been paused itself */   \
	X(SLOW, "slow receiver")    /* a NIC that does not keep up */         \
	X(BROKEN, "broken nic")

enum pause_reason {
#define X(id, name) PAUSE_##id,
	PAUSE_REASONS(X)
#undef X
};

struct pause_truth {
	uint32_t id;             /* 1.. */
	const struct port *port; /* who asks; its peer is to be silent */
	uint8_t priority;
	bool global;      /* 802.3x: all priorities */
	int64_t from, to; /* ps; -1 still standing */
	uint32_t xoff, refreshes, xon;
	uint16_t quanta;
	bool storm; /* by a broken NIC */
	enum pause_reason reason;
	const struct port *egress; /* holds most of what came in, or NULL */
	const struct pause_truth *parent, *root; /* PAUSED: by whom */
	uint32_t depth;                          /* 0: the root itself */
};

/* A flow that had something to send and was not allowed to. */
struct victim {
	const struct stream *stream;
	uint64_t packets; /* that waited in the queue; a NIC's: 0 */
	int64_t longest;  /* ps */
};

/* One stretch of silence of a link direction, from obeying to resuming. */
struct silence {
	const struct port *port; /* who is silent */
	const struct pause_truth *pause;
	uint8_t priority;
	int64_t from, to; /* ps; -1 at the end */
	bool cycle;       /* part of a deadlock */
	bool expired;     /* ended by time, not by XON */
	struct victim *victims;
	size_t n_victims, cap_victims;
};

struct link_bin {
	uint32_t number;                        /* of the run */
	uint64_t packets, bytes, marked, depth; /* depth: deepest queue */
	uint64_t pauses;                        /* of the packets */
	uint64_t delivered;                     /* others than pauses */
};

struct link_flow {
	uint64_t packets, bytes;
	int64_t waited; /* ps its packets were in the queue, added up */
};

struct link_truth {
	const struct port *port;
	uint64_t packets, bytes, delivered, dropped, pauses;
	uint64_t pauses_delivered;
	uint64_t pfc[8], global_pauses; /* of the pauses; others: credits */
	uint64_t refused[DROP_REASON_COUNT]; /* by the port, in or out */
	uint64_t storms[8], storms_over[8];  /* its watchdog's */
	uint64_t storm_drops[8];
	uint64_t marked;   /* CE on their way out here */
	uint64_t depth[8]; /* deepest queue, bytes */
	int64_t busy;
	int64_t paused[8];
	struct silence *silence[8]; /* standing */
	struct link_bin *bins;      /* those in which something happened */
	size_t n_bins, cap_bins;
	struct link_flow *flows; /* by stream id */
	size_t n_flows, cap_flows;
};

/* A congestion notification: what made the receiver send it, and what the
 * sender did about it. */
#define REACTIONS(X)                                               \
	X(NONE, NULL) /* not there yet, or lost */                 \
	X(CUT, "cut")                                              \
	X(ALREADY_CUT, "already-cut") /* less than a period ago */ \
	X(IGNORED, "ignored")         /* or has no DCQCN */        \
	X(FLOOR, "floor")             /* as slow as it may be already */

enum reaction {
#define X(id, name) REACT_##id,
	REACTIONS(X)
#undef X
};

struct cnp_truth {
	struct stream *stream; /* the throttled one */
	int64_t marked;        /* ps: arrival of the packet that triggered it */
	int64_t first;         /* of the first CE one since the CNP before */
	int64_t sent, arrived; /* ps; -1 never */
	uint64_t psn, marks;   /* of the trigger; CE packets since then */
	uint64_t before, after;    /* bit/s */
	tapset trigger_taps, taps; /* captured the trigger, the CNP */
	uint8_t class;             /* of the trigger */
	bool idle;                 /* sent though nothing was marked */
	enum reaction reaction;
};

/* What a rank waits for: the first packet that its input lacks, or whoever has
 * not sent it yet, is ... */
#define DELAYS(X)                                                             \
	X(COMPUTE, "compute")   /* not sent: the rank computes, as planned */ \
	X(LATE, "late")         /* not sent: it computes longer */            \
	X(CTS, "cts")           /* not sent: the receiver has not asked */    \
	X(WIRE, "wire")         /* on its way, or next */                     \
	X(QUEUE, "queue")       /* in a queue, behind the job's own data */   \
	X(SHARED, "shared")     /* in a queue, behind others' data */         \
	X(WINDOW, "window")     /* not sent: too much is not acknowledged */  \
	X(RATE, "rate")         /* on its way; the sender's rate was cut */   \
	X(CREDIT, "credit")     /* not sent: no credit (UET) */               \
	X(RECEIVER, "receiver") /* in the receiving NIC, which is slow */     \
	X(RNR, "rnr")           /* refused: receiver not ready */             \
	X(RECOVERY, "recovery") /* lost, or refused behind a loss */          \
	X(PAUSED, "paused")     /* in a port that may not send */

enum delay {
#define X(id, name) DELAY_##id,
	DELAYS(X)
#undef X
		DELAY_COUNT
};

struct delay_row {
	enum delay kind;
	uint16_t place; /* where; 0 none */
	uint32_t rank;  /* who is to send, or computes */
	int64_t ps;
};

struct delays {
	struct delay_row *row;
	size_t n, cap;
};

struct iteration {
	const struct work *work;
	const char *kind;          /* of collective operation */
	uint64_t bytes;            /* of it */
	double bus;                /* bus bandwidth / (bytes / time), 0: none */
	struct delays *rank_waits; /* by rank: its communication */
	uint32_t number;
	int64_t from, comm_from, to;    /* ps; compute before comm_from */
	uint32_t slowest;               /* index into the work's ranks */
	int64_t *rank_from;             /* ps, by rank: begins to compute */
	int64_t *rank_start, *rank_end; /* of its communication */
	int64_t *rank_late;             /* ps it computed longer, on purpose */
	int64_t *rank_cut;              /* ps it sent, and DCQCN had cut it */
	size_t ranks;
};

struct truth;

struct truth *truth_new(void);
void truth_free(struct truth *t);

struct link_truth *truth_link(struct truth *t, const struct port *p);

/* A direction of a connection; |first| is its first request PSN, and
 * |first_response| the peer's. */
struct stream *truth_stream(struct truth *t, enum service service,
			    const struct host *src, const struct host *dst,
			    uint32_t src_qp, uint32_t dst_qp, uint32_t epoch,
			    uint64_t first, uint64_t first_response);

void truth_sent(struct sim *s, struct pkt *p);
void truth_delivered(struct sim *s, struct pkt *p);
void truth_entropy(struct uet_truth *u, uint16_t ev);

/* |p| ends at the place |at|; |ahead| are the taps it would have met. */
void truth_drop(struct sim *s, struct pkt *p, tapset ahead, const char *at,
		enum drop_reason reason);

void truth_tap_pass(struct sim *s, const struct tap *t, const struct pkt *p,
		    unsigned copies);
void truth_hop(struct stream *st, const struct node *n, const struct pkt_hop *h,
	       bool stamped, bool marked);

/* What leaves by |port|, and what waits there. */
void truth_link_sent(struct sim *s, struct port *port, const struct pkt *p,
		     int64_t takes, int64_t waited);
void truth_link_delivered(struct sim *s, struct port *port,
			  const struct pkt *p);
/* |p| has been cut at |out|. */
void truth_trimmed(struct sim *s, struct port *out, struct pkt *p);
void truth_link_marked(struct sim *s, struct port *port, struct pkt *p);
void truth_link_depth(struct sim *s, struct port *port, unsigned prio);

void truth_fate(struct stream *st, enum pkt_class class, uint64_t psn,
		enum fate fate);
struct psn_record *truth_psn(struct stream *st, enum pkt_class class,
			     uint64_t psn);

struct truth_event *truth_event(struct sim *s, enum truth_kind kind,
				const struct stream *st, uint64_t psn);
uint16_t truth_place(struct truth *t, const char *at, const char *reason);

/* A sender goes back to |psn|, having sent up to |until|; |busy|: it was asked
 * to come back later. */
struct recovery *truth_recovery(struct sim *s, struct stream *st,
				enum pkt_trigger trigger, uint64_t psn,
				uint64_t until, bool busy);

struct message *truth_message(struct truth *t, struct stream *st,
			      enum msg_op op, uint64_t bytes);
struct pause_truth *truth_pause(struct sim *s, const struct port *p,
				uint8_t priority, uint16_t quanta);
struct silence *truth_silence(struct sim *s, const struct port *p,
			      uint8_t priority,
			      const struct pause_truth *pause);
void truth_victim(struct silence *si, const struct stream *st, uint64_t packets,
		  int64_t waited);
struct cnp_truth *truth_cnp(struct truth *t, struct stream *throttled);
struct iteration *truth_iteration(struct truth *t, const struct work *w,
				  uint32_t number, size_t ranks);

/* Writes the record; -1 when it did not reach |f|. */
int truth_write(const struct sim *s, const char *scenario, FILE *f);

/* Sent = delivered + dropped + in flight, for every stream and class, and no
 * packet unaccounted for.  Writes what does not add up to |f|, returns how
 * many lines. */
unsigned truth_check(const struct sim *s, FILE *f);

#endif

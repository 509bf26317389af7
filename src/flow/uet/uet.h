/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the engine knows of Ultra Ethernet, beside struct flow; shared by the
 * files uet_*.c of this folder only.
 *
 * A flow of UET is one direction of a packet delivery context (PDC), or the
 * connectionless traffic of one job between two addresses (RUDI, UUD), or what
 * is encrypted (TSS).  A PDC's direction is known by (place, source,
 * destination, the sender's own PDC id), which all its packets carry from the
 * first SYN on; its peer is named by the receiver's PDC id.
 *
 * Invariants
 *  U1 Every PSN in [f->first, f->nxt) was seen, is settled, or is missing in
 *     |seen|; seen.low <= f->nxt, and equal while nothing is missing.
 *  U2 f->una only moves forward within an epoch, by acknowledgements.
 *  U3 A PSN that was retransmitted, refused, trimmed or corrupted is pending
 *     until it is settled; any other costs nothing.
 *  U4 A direction that sent anything but answers, or was answered, has a
 *     |sender|; one that only answers does without, in half of the memory.
 *  U5 While a direction is |running|, every packet since the last one that its
 *     newest message knows of went on with that message, in order and on the
 *     short path; uet_messages() tells the message of them.
 *
 * Frequency: in order and with no PSN pending a packet takes a few
 * comparisons. */
#ifndef FABSCOPE_FLOW_UET_UET_H
#define FABSCOPE_FLOW_UET_UET_H

#include "flow/core/fact.h"
#include "flow/core/flow.h"
#include "flow/core/seen.h"
#include "flow/recovery/evidence.h"

/* The receiver reported it missing, by name. */
#define UET_MISSED (V(NAKED) | V(SACK_HOLE) | V(STILL_MISSED))
/* Trimmed, corrupted or refused, though not as too early. */
#define UET_NOT_TAKEN (V(NACK_TRIMMED) | V(REFUSED) | V(TRIMMED) | V(BAD_ICRC))

/* A PSN that was retransmitted, refused, trimmed or corrupted, with what was
 * observed of it so far: enum evidence_index. */
struct pending_psn {
	uint32_t psn;
	uint32_t bytes;
	uint64_t evidence;
	uint64_t again; /* evidence of the last retransmission */
	uint16_t copies;
	uint16_t ev;      /* of the original, if known */
	uint16_t copy_ev; /* of its first retransmission */
	uint8_t code;     /* of the NACK */
	uint32_t tap;
	bool ev_known;
	bool acked_ev, acked_copy_ev; /* by an ACK that has it from there */
	bool refused;                 /* and not retransmitted since */
	bool busy;                    /* refused for lack of resources */
	bool cut;                     /* trimmed or refused, once at least */
	bool whole;       /* a retransmission with its payload was seen */
	bool proves;      /* ROD_RUN: one of its run was lost */
	bool waited;      /* acknowledged long before the retransmission */
	bool just_before; /* acknowledged a moment before its copy was */
	bool anew;        /* its last retransmission is an original itself */
	/* The first ACK that has it: its CACK; it was sent when that came. */
	uint32_t acked_cack;
	bool acked_top;
	bool answered;     /* its retransmission, by name */
	int64_t orig_ns;   /* 0 unknown, as all of these */
	int64_t gap_ns;    /* when its hole opened */
	int64_t missed_ns; /* when the receiver last missed it by name */
	int64_t since_ns;  /* ACKED_BEFORE: by then */
	int64_t nack_ns, copy_ns, last_ns, acked_ns;
	uint64_t frame_orig, frame_nack, frame_first, frame_last;
};

enum {
	PENDING_PSNS_MAX = 128,
	SACK_BITS = 64,
};

struct uet_recovery {
	struct pending_psn *d;
	uint16_t n, room;
	/* ROD: what was refused as too early, and what preceded it; before
	 * |order_at|, where something explains it, nothing need be missing */
	uint32_t order_from, order_at, order_to;
	int64_t order_ns, order_since_ns; /* said so; and first of these */
	int64_t order_seen_ns; /* when the first of these passed; 0 unknown */
	uint64_t order_frame;
	uint32_t order_last; /* refused last as too early */
	bool order_open;     /* nothing explains it yet */
	bool order_told;     /* one of these stands for what was lost */
	bool forgets; /* of what is before |forgotten|: there was no room */
	uint32_t forgotten;
	uint32_t unflagged; /* retransmitted without the flag RETX */
	int64_t unaware_ns; /* one had SYN so long after the first ACK */
	/* From |ahead_from| to |ahead_to|, while that is f->nxt, only trimmed
	 * packets came: they pass what waits in queues. */
	uint32_t ahead_from, ahead_to;
};

struct uet_message {
	int64_t first_ns, last_ns;
	uint32_t psn_first, psn_last;
	uint32_t length, have; /* bytes; of a READ: of its answer */
	uint16_t id;
	uint16_t packets, answered; /* RUDI: answered one by one */
	uint8_t op;                 /* enum message_op */
	bool som, eom, single, slow, done;
	bool deferrable, deferred; /* the target asks for all of it anew */
	bool fetches;              /* what it fetches has not come back */
	bool plain : 1; /* nothing but data is to come: SEND, WRITE */
	bool cut : 1;   /* captured without its length: |have| stands for it */
};

/* Those being sent, and those that wait for an answer; the newest, to which
 * nearly every packet belongs, at hand. */
struct uet_messages {
	struct uet_message newest;
	struct uet_message *m; /* the others: a ring */
	uint16_t head, n;      /* n: the newest included */
	uint16_t room;         /* in the ring: a power of two, or 0 */
};

/* The oldest is 0. */
static inline struct uet_message *uet_message_at(struct uet_messages *r,
						 unsigned i)
{
	return i + 1u == r->n ? &r->newest
			      : &r->m[(r->head + i) & (r->room - 1u)];
}

/* Counted by NACK code; and the last one, against doubling. */
struct uet_nacks {
	struct fact_nack by[NACK_CODES_KEPT];
	uint8_t n;
	uint32_t total;
	int64_t ns, refused_ns; /* of any; of what had arrived */
	uint32_t psn;
	uint8_t code;
};

/* A cumulative counter of the wire, 24 bits. */
struct uet_counter {
	uint64_t sum : 39; /* how far it went since it was first seen */
	uint64_t last : 24;
	uint64_t known : 1;
};

/* What the receiver reported of congestion: uet/cc.c. */
struct uet_cc {
	struct uet_counter received;
	uint32_t path_min_ns; /* 0 unknown */
	uint32_t restores;
	uint16_t service_min, service_max; /* raw; 0 unknown */
	uint16_t ooo_max;
	uint8_t penalty_max;
	bool ooo_known : 1, nscc : 1;
	bool terse : 1;     /* first copies are answered as others are */
	bool reordered : 1; /* two of its answers */
	bool fresh : 1;     /* they say what there is when they are sent */
};

/* What is counted of a direction and reported as fact_pdc, as small as it may
 * be: there can be very many. */
struct uet_books {
	int64_t opened_ns, closed_ns, handshake_ns; /* or FACT_UNKNOWN */
	uint32_t acks_plain; /* without congestion state */
	uint32_t marked, errors;
	uint32_t syn_bytes; /* that or more, where it is full */
	uint32_t syn_packets;
	uint32_t probes, ack_requests, clears;
	uint32_t trimmed_upstream, trimmed_downstream, trimmed_lasthop;
	uint32_t late_behind; /* how often a hole closed by itself ... */
};

/* One direction, as far as it sends, line by line: what an acknowledgement asks
 * for ... */
struct uet_sender {
	uint64_t sack;
	int64_t sack_ns, una_ns;
	struct bins *series; /* of struct cc_count: uet/cc.c; NULL: none */
	struct uet_cc cc;
	uint32_t sack_base;
	uint32_t acks;

	/* ... and a data packet as well, ... */
	struct uet_messages msgs;

	/* ... and what neither does. */
	struct uet_recovery *recovery;
	struct uet_credit *credit; /* uet/credit.h; NULL: there is none */
	int64_t pend_ns;           /* acknowledged since then ... */
	struct uet_books fact;
	int64_t behind_max; /* ... and after how long at most */
	uint32_t pend_una;  /* (... up to here, and perhaps not captured) */
	uint32_t start_psn, close_psn;
	uint32_t named;          /* the highest ACK_PSN above its CACK */
	struct uet_nacks *nacks; /* NULL: none */
};
_Static_assert(offsetof(struct uet_sender, msgs) == 1 * 64 &&
		       offsetof(struct uet_sender, recovery) == 2 * 64,
	       "uet_fast.h fetches these lines");
_Static_assert(sizeof(struct uet_sender) == 4 * 64, "there can be very many");

/* All that is known of them: the newest is reported. */
static inline struct uet_messages *uet_messages(const struct flow *f)
{
	const struct uet_dir *u = &f->uet;
	struct uet_message *m;

	if (!u->sender)
		return NULL;
	m = &u->sender->msgs.newest;
	if (u->running && m->psn_last + 1 != u->run_next) {
		m->packets += (uint16_t)(u->run_next - 1 - m->psn_last);
		m->psn_last = u->run_next - 1;
		m->have = u->run_have;
		m->last_ns = f->last_req_ns;
	}
	return &u->sender->msgs;
}

/* ---- uet.c: which flow, which machine ---- */

/* The number in the key of |p|'s flow, and which kind it is. */
uint32_t uet_number(const struct packet *p, uint32_t *aux);
/* RUD or ROD, with a PSN of its own. */
bool uet_is_request(const struct packet *p);
void uet_flow_packet(struct engine *e, struct flow *f, const struct packet *p);
/* Of a packet whose message goes on behind it? */
static inline bool uet_more_follows(uint32_t flags)
{
	return (flags & (UET_REQUEST | UET_EOM)) == UET_REQUEST;
}
/* The first packet of a message does not say how long it is.  Is |p| such a
 * one, whose CRC is wrong, and shorter than others of |f| that more follows? It
 * was cut inside its payload, and its CRC off: it was trimmed. */
bool uet_is_cut(const struct flow *f, const struct packet *p);
/* |p| as what it is then. */
struct packet uet_cut_packet(const struct flow *f, const struct packet *p);
enum flow_transport uet_kind(const struct packet *p);
/* Has |p| a number of its own: PSN or, with RUDI, packet id? */
bool uet_takes_number(const struct packet *p);
bool uet_start(struct engine *e, struct flow *f, const struct packet *p);
/* Nothing more is to come; what was retransmitted is decided about later. */
void uet_finish(struct engine *e, struct flow *f);
void uet_flow_free(struct engine *e, struct flow *f);
/* Made when there is none; NULL: no memory. */
struct uet_sender *uet_sender(struct engine *e, struct flow *f);
/* |f|'s opposite direction by its PDC id; NULL. */
struct flow *uet_reverse(const struct engine *e, const struct packet *p,
			 uint32_t place, uint16_t id);

/* Of what the receiver tells of congestion, as uet/cc.c counts it; NULL. */
static inline struct bins *uet_series(const struct flow *f)
{
	return flow_is_uet(f) && f->uet.sender ? f->uet.sender->series : NULL;
}

static inline bool uet_ordered(const struct flow *f)
{
	return f->transport == FLOW_UET_ROD;
}

static inline bool uet_has_pdc(const struct flow *f)
{
	return f->transport == FLOW_UET_ROD || f->transport == FLOW_UET_RUD;
}

/* ---- uet/pdc.c: contexts, from SYN to close ---- */

/* Returns the flow's peer, if it is known by now. */
struct flow *pdc_pair(struct engine *e, struct flow *f, const struct packet *p);
/* A new incarnation?  Then the flow was started anew. */
bool pdc_is_new(struct engine *e, struct flow *f, const struct packet *p);
void pdc_request(struct flow *f, const struct packet *p);
void pdc_answer(struct engine *e, struct flow *f, const struct packet *p,
		uint32_t ack_psn);
void pdc_control(struct engine *e, struct flow *f, const struct packet *p);
void pdc_refused(struct engine *e, struct flow *f, bool fatal);

/* ---- uet/psn.c: the PSN space of a direction ---- */

#define UET_DOUBLING_NS (10LL * 1000 * 1000) /* no network doubles so late */
#define UET_TIMER_NS    (8LL * 1000 * 1000 * 1000) /* none is longer */

void uet_begin(struct flow *f, uint32_t psn);
/* A packet that takes a PSN.  True when it is the first of its PSN here. */
bool uet_request(struct engine *e, struct flow *f, const struct packet *p);
bool uet_was_seen(const struct flow *f, uint32_t psn);
void uet_damaged(struct engine *e, struct flow *f, const struct packet *p);
/* Holes that are acknowledged: not captured. */
void uet_flush(struct engine *e, struct flow *f, int64_t now);
void uet_flush_rest(struct engine *e, struct flow *f);
void uet_rudi_request(struct engine *e, struct flow *f, const struct packet *p);
/* Not the newest of its PSN once more, by whatever way: it was sent anew. */
bool uet_sent_anew(const struct engine *e, const struct flow *f,
		   const struct packet *p);

/* By which its recent packets are found.  Ids of RUDI are looked for among all
 * of a route.  PSNs of contexts are not: thousands between two hosts may have
 * the same ones. */
static inline struct recent_key uet_key(const struct flow *f)
{
	return f->aux == UET_AUX_RUDI ? recent_of_route(f->route)
				      : recent_requests(f);
}

/* The newest packet of |f|'s epoch with |psn|; |original|: no copy. */
const struct recent_packet *uet_recent(const struct engine *e,
				       const struct flow *f, uint32_t psn,
				       bool original);

/* ---- uet/ack.c: what the receiver says ---- */

void uet_ack(struct engine *e, struct flow *g, const struct packet *p);
void uet_rudi_response(struct engine *e, struct flow *g,
		       const struct packet *p);
/* Who sent the request with the packet id |id| against |route|, and that
 * packet; NULL. */
struct flow *uet_rudi_asker(const struct engine *e, uint32_t route, uint32_t id,
			    const struct recent_packet **which);
void uet_rudi_pair(struct flow *f, struct flow *g);
/* The job of what |p| answers, which names none: of the packet with its id, or
 * the only one there is.  False: not known. */
bool uet_rudi_job(struct engine *e, const struct packet *p, uint32_t place,
		  uint32_t *job);
bool uet_acked(const struct flow *f, uint32_t psn);
/* |p|, an answer, may tell how long answers take at least. */
void uet_round_trip_of(const struct engine *e, struct flow *f,
		       const struct packet *p);
/* Did the last SACK show |psn| missing, at |since| or later? */
bool uet_sack_hole(const struct flow *f, uint32_t psn, int64_t since);
/* The same, and the last SACK answers a PROBE, which wants to know of what is
 * above its highest bit, too? */
bool uet_probe_lacks(const struct flow *f, uint32_t psn, int64_t since);

/* ---- uet/nack.c ---- */

void uet_nack(struct engine *e, struct flow *g, const struct packet *p);
/* Had the receiver no context yet for what was seen here at |ns|? */
bool uet_had_no_pdc(const struct flow *f, int64_t ns);
/* Was any packet refused since |ns|, trimmed or for lack of resources? */
bool uet_refused_since(const struct flow *f, int64_t ns);
/* How many packets were refused as trimmed? */
uint32_t uet_trim_nacks(const struct flow *f);
/* |d| is retransmitted at |ns|: if it was refused, this is why. */
void uet_nack_answered(struct flow *f, struct pending_psn *d, int64_t ns);

/* ---- uet/note.c: see note.c ---- */

void uet_note_before(struct engine *e, const struct flow *f,
		     const struct packet *p);
enum note_kind uet_note_kind(const struct note_mark *m, const struct flow *f,
			     const struct packet *p);
void uet_note_after(struct engine *e, const struct flow *f,
		    const struct packet *p, struct fact_note *n);

/* ---- uet/pending.c: PSNs about which something is open ---- */

struct uet_recovery *uet_recovery(struct flow *f); /* NULL: no memory */
struct pending_psn *pending_psn_find(const struct flow *f, uint32_t psn);
/* Made when there is none; NULL: no memory. */
struct pending_psn *pending_psn(struct engine *e, struct flow *f, uint32_t psn);
/* |p| names |ack_psn|; |twice|: as what had come before. */
void pending_psns_acked(struct engine *e, struct flow *f,
			const struct packet *p, uint32_t ack_psn, bool twice);
/* Keeps the evidence of what has been settled for long enough; |all|: of
 * everything. */
void pending_psns_flush(struct engine *e, struct flow *f, int64_t now,
			bool all);
/* Was any of them retransmitted, and not acknowledged? */
bool pending_psns_unanswered(const struct flow *f, uint32_t first,
			     uint32_t last);
void uet_recovery_free(struct flow *f);
/* One came out of order downstream, after |took|. */
void uet_note_late(struct flow *f, int64_t took);

/* ---- uet/verdict.c: what the evidence means, decided late ---- */

/* All that is known of |d| by now, for recovery_decide(). */
void uet_keep(struct engine *e, struct flow *f, const struct pending_psn *d);
/* Of retransmitted packets: recovery_decide(). */
uint32_t uet_decide(struct engine *e, struct flow *f);
/* Why |psn| is retransmitted, as far as is known at once. */
enum recovery_trigger uet_trigger(const struct flow *f, uint32_t psn);

/* ---- uet/message.c ---- */

/* What messages ask of a packet; a value, so that on the short path the packet
 * itself need not be in memory. */
struct uet_part {
	int64_t ns;
	uint32_t psn;
	uint32_t flags; /* enum uet_flag */
	uint32_t payload, length;
	uint16_t id;
	uint8_t opcode; /* SES */
};
static inline struct uet_part uet_part_of(const struct packet *p)
{
	return (struct uet_part) { .ns = p->ns,
				   .psn = p->psn,
				   .flags = p->uet.flags,
				   .payload = p->payload,
				   .length = p->uet.length,
				   .id = p->uet.message_id,
				   .opcode = p->uet.opcode };
}
/* |first| of its PSN: what it is part of may be a new message. */
void uet_message_packet(struct engine *e, struct flow *f, struct uet_part p,
			bool first);
/* The same of the first of its PSN, on the short path. */
void uet_message_begin(struct engine *e, struct flow *f, struct uet_part p);
void uet_message_acked(struct engine *e, struct flow *f, uint32_t ack_psn,
		       int64_t ns);
/* |p| says that a message of |f| is to be sent later. */
void uet_message_deferred(const struct flow *f, const struct packet *p);
/* Data that answer a READ or a fetching ATOMIC of |f|. */
void uet_message_data(struct engine *e, struct flow *f, const struct packet *p,
		      uint16_t id);
/* Does |p| carry another message than what began or ended with its PSN? */
bool uet_message_is_other(const struct flow *f, const struct packet *p);
/* The first answer to a packet of RUDI. */
void uet_message_answered(struct engine *e, struct flow *f,
			  const struct packet *p);
void uet_message_finish(struct engine *e, struct flow *f);
/* Of what follows it is not known that it goes on with the newest. */
void uet_run_end(struct flow *f);
/* Is the sender in the middle of a message? */
bool uet_in_message(const struct flow *f);
/* The message of |f| that |psn| lies in, counted from 1, and its place there;
 * left alone where that is not known any more. */
void uet_message_place(const struct flow *f, uint32_t psn, int64_t *message,
		       int64_t *position);

/* ---- uet/cc.c: congestion state and entropy ---- */

void uet_cc_free(struct engine *e, struct flow *f);
void uet_cc_request(struct engine *e, struct flow *f, const struct packet *p);
void uet_cc_ack(struct engine *e, struct flow *f, const struct packet *p);
/* |p| says that one of |f|'s arrived trimmed. */
void uet_cc_trimmed(struct engine *e, struct flow *f, const struct packet *p);
/* |p| answers at once what was seen |ns| before. */
void uet_cc_round_trip(struct flow *f, const struct packet *p, int64_t ns);
/* When credit last came while it had none left; FACT_UNKNOWN never. */
int64_t uet_cc_granted(const struct flow *f, int64_t *wanted);
void uet_cc_emit(const struct flow *f, struct fact_pdc *o);
/* Tells the series. */
void uet_cc_finish(struct engine *e, const struct flow *f);
void uet_cc_control(struct engine *e, struct flow *f, struct flow *peer,
		    const struct packet *p);

/* ---- uet/ev.c: what becomes of packets, by entropy value ---- */

enum uet_ev_what { EV_MARKED, EV_TRIMMED, EV_RETRANSMITTED, EV_LOST };

bool uet_evs_init(struct engine *e);
void uet_evs_fini(struct engine *e);
void uet_ev_note(struct engine *e, const struct flow *f, uint16_t ev,
		 enum uet_ev_what what);
void uet_evs_emit(struct engine *e);

/* ---- uet/emit.c ---- */

void uet_emit(struct engine *e, struct flow *f, struct fact_flow *o);
/* Of RUDI: what flow_verdicts() cannot count by PSN. */
void uet_verdicts(const struct flow *f, struct fact_flow *o);

#endif

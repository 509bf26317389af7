/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the engine knows of one direction key; shared by the files of this
 * folder only.
 *
 * A flow is one direction (place, src, dst, destination QP) in one epoch.  It
 * carries two PSN spaces: the requests its sender issues, and
 * its sender's responses, which count in the *peer's* request space.  The
 * request machine (request.c) of flow F is therefore driven by F's request
 * packets and by the responses that travel in F's peer.
 *
 * Invariants
 *  I1 Every PSN in [first, nxt) was seen at this place or lies in |gaps|.
 *  I2 |cur| is where the sender's transmission stands: cur == nxt while new
 *     data flow, cur < nxt during a replay.
 *  I3 |una| only moves forward within an epoch, and only by responses.
 *  I4 A flow without |recovery| has no gap, no pending NAK and no recovery
 *     under way: then cur == nxt, and in-order packets take the fast path.
 *  I5 Verdicts on recoveries are made when the flow is handed out, or when
 *     |pending| is full: nothing before asks for one.
 *
 * Frequency: fast path per packet; recovery_state.* per anomaly; pair.* per
 * new flow and per response of an unpaired one. */
#ifndef FABSCOPE_FLOW_CORE_FLOW_H
#define FABSCOPE_FLOW_CORE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/pool.h"
#include "decode/packet.h"
#include "flow/core/engine.h"
#include "flow/core/fact.h"
#include "flow/core/gaps.h"
#include "flow/core/recent.h"
#include "flow/core/tracker.h"
#include "flow/recovery/evidence.h"
#include "flow/uet/dir.h"
#include "wire/wire.h"

enum { NO_FLOW = UINT32_MAX, NO_TAP_PATH = UINT32_MAX };
enum { NOT_ALONE = UINT8_MAX };

/* What the engine asks of an opcode (opclass.c). */
enum op_class {
	IS_REQUEST = 1 << 0, /* counts in its sender's own PSN space */
	IS_RESPONSE = 1 << 1,
	IS_START = 1 << 2, /* first packet of a message */
	IS_END = 1 << 3,
	IS_READ = 1 << 4, /* READ request: spans PSNs */
	IS_DATA = 1 << 5, /* response that owns its PSN */
	IS_RQE = 1 << 6,  /* consumes a receive WQE, hence credit */
	IS_KNOWN = 1 << 7,
	IS_ANSWERED = 1 << 8, /* request whose response owns its PSN */
};

/* A message on its way: sent (or being sent), not yet acknowledged. */
struct message {
	int64_t first_ns, last_ns;
	uint64_t bytes;
	uint32_t psn_first, psn_last;
	uint8_t op;          /* enum message_op */
	bool headless;       /* its first packet was not seen */
	bool gap;            /* the capture misses a part for good */
	bool by_payload;     /* no RETH: |bytes| is what was seen of it */
	bool slow;           /* overlapped a recovery */
	bool skipped;        /* a later answer came first */
	bool done, open_end; /* READ whose length in PSNs is unknown */
	int64_t skipped_ns;
};

struct message_ring {
	struct message *m;
	uint16_t head, n, room;
};

/* A NAK or RNR NAK that waits for the sender's reaction. */
struct pending_nak {
	bool valid, orig_seen, orig_late, orig_unknown, bad_icrc;
	bool retransmitted, acked;
	bool copied; /* more than one transmission was seen, or it is unknown */
	bool again_before; /* one of them is known to be a retransmission */
	bool behind;   /* its predecessor was retransmitted since it was seen */
	bool answered; /* a READ or ATOMIC */
	uint8_t more;  /* the same NAK again, not yet reacted to */
	uint32_t psn;
	uint32_t high; /* nxt when it was seen */
	int64_t ns;
	int64_t orig_ns; /* when the NAKed packet was seen; 0 unknown */
	int64_t wait_ns; /* RNR timer */
	int64_t took_ns, more_ns, reaction_ns, retransmitted_ns;
	int64_t shown_ns;  /* since a packet behind it was seen; 0 unknown */
	int64_t spaced_ns; /* it was seen so long after its predecessor, or 0 */
	uint64_t frame;    /* of the NAK */
	uint64_t orig_frame;
};

/* The sender has not reacted to it. */
static inline bool nak_open(const struct pending_nak *n)
{
	return n->valid && !n->retransmitted;
}

static inline bool nak_matches(const struct pending_nak *n, uint32_t psn)
{
	return nak_open(n) && n->psn == psn;
}

/* A replay under way. */
struct recovery {
	bool active, caught_up, resumed;
	uint32_t unique; /* packets of it so far */
	uint32_t asked;  /* of these, by NAKs of their own; not the first */
	int64_t ack_ns;  /* the first answer past its begin */
	struct evidence ev;
};

/* A late packet that may yet turn out to be the head of a replay. */
struct late {
	bool valid;
	bool certain; /* its IP identification says so */
	bool again;   /* its successors were retransmitted, but not all seen */
	uint32_t psn, count;
	uint32_t reordered_by; /* the packet that opened the hole */
	uint64_t extent;
	int64_t ns, late_ns;
	uint64_t frame;
	uint32_t tap;
};

/* Packets that may be the first of another connection: reconnect.h. */
struct reconnect {
	struct packet *p;
	uint32_t n, room;
	bool other_port;   /* than the only one so far */
	uint32_t tap_path; /* as |flow.tap_path|, when they came, and ... */
	uint8_t path_slot; /* ... |flow.tap_path_slot| */
};

enum { NAKS_BEFORE = 3 }; /* that may overtake a sender's reaction */

/* Only for a flow on which something is not in order. */
struct recovery_state {
	struct gaps gaps;  /* requests */
	struct gaps rgaps; /* responses that own their PSN */
	struct pending_nak nak, rnr;
	/* Those before |nak| that were not reacted to, the newest first. */
	struct pending_nak nak_before[NAKS_BEFORE];
	struct recovery ep;
	struct late late;
	uint32_t cur, high;    /* I2; a replay ends at high */
	uint32_t was;          /* cur before the last step back */
	uint32_t rcur;         /* response side: cur of I2 */
	bool rcopy;            /* the last one behind that came again */
	bool reread;           /* a READ was repeated ... */
	uint32_t reread_psn;   /* ... from here ... */
	uint32_t reread_first; /* ... of late, from here: missed by name */
	uint32_t reread_end;   /* ... to what was outstanding then */
	uint32_t reread_last;  /* behind what it asked for */
	int64_t reread_ns;     /* the last one ... */
	uint64_t reread_frame; /* ... and where */
	bool rhole;            /* the new answers have a hole */
	uint32_t rhole_from, rhole_to;
	uint32_t bad_psn[4]; /* recently seen with a bad ICRC */
	uint8_t bad_n;
	struct reconnect anew;
	bool settling;    /* what was held is followed now ... */
	bool may_be_anew; /* ... and nothing showed what it is */
};

/* A response that cannot be used before its flow is paired and a request of it
 * has been seen. */
struct held {
	int64_t ns;
	uint64_t frame;
	uint32_t psn, msn, tap;
	uint8_t syndrome, opcode;
	bool has_aeth;
};

enum { HELD_MAX = 32 };

/* Negotiated by CM. */
struct cm_terms {
	int16_t ack_timeout, retry_count, rnr_retry, pmtu;
};

struct congestion; /* congestion.h */
struct cnps_held;  /* cnp.c */
struct flow_bins;  /* bins.c */
struct flow_links; /* links.c */
struct flow_srv6;  /* srv6.c */
struct bins;

struct flow {
	/* line 0: the key, and what every packet asks for */
	_Alignas(64) struct addr src;
	struct addr dst;
	uint32_t dst_qp, aux; /* aux: UD source QP, DC source port */
	uint32_t nxt, una;
	uint16_t place;
	uint8_t transport; /* enum flow_transport */
	bool req_valid, rsp_valid, in_message, paired;
	bool rsp_open : 1;
	bool span_unknown : 1; /* a READ of unknown length is the last */
	bool ended : 1, died : 1;
	bool later : 1;   /* over, and decided about when the capture is */
	bool watched : 1; /* |congestion| follows its packets */
	/* What said |una|: a NAK, or a response with data; neither: an ACK. */
	bool una_by_nak : 1, una_by_data : 1;
	uint16_t service[2]; /* service_of() with payload, without */
	uint32_t peer;       /* index */

	/* line 1: counted with every packet */
	int64_t last_req_ns, last_ns;
	uint64_t packets, bytes;
	uint64_t payload, unique_payload;
	int64_t bin_end;
	struct recovery_state *recovery;

	/* line 2: in-order requests */
	uint32_t requests, responses;
	uint32_t route; /* IP pair * 2 + direction */
	uint32_t rnxt;  /* next response PSN that owns its PSN */
	uint32_t index, icrc_good;
	/* A half that begins a word is read as all of it, and waits for what
	 * was just stored in the other half: the busy ones do not. */
	uint16_t last_sport, max_ip_id, pmtu, last_ip_id;
	uint16_t last_tap; /* or MANY_TAPS: links.h */
	bool ids_skipped;  /* between the responses since the last request */
	uint32_t messages;
	uint64_t covered;     /* PSNs that went by, wraps included */
	int64_t ack_req_ns;   /* last AckReq packet ... */
	uint32_t ack_req_psn; /* ... and its PSN */
	uint8_t ip_up, ip_total;
	bool has_ip_id, credit_blocked;

	/* line 3: the message being sent, of Ultra Ethernet the direction's
	 * state; packets with payload by ECN field */
	union {
		struct message open;
		struct uet_dir uet;
	};
	uint32_t ecn_data[4];

	/* line 4: messages being acknowledged */
	struct message_ring out;
	int64_t lat_sum, lat_ewma;
	/* Minimum of rtt_r's samples of late: of a block that is full, and of
	 * the next one. */
	uint32_t rtt_late[2];
	uint32_t completed;
	uint32_t rtt_n;           /* samples behind rtt_r */
	int64_t rtt_r;            /* minimum, 0 unknown */
	int64_t last_rsp_seen_ns; /* in the peer, about our requests */

	/* line 5: responses in this direction; packets without payload by
	 * ECN field */
	uint32_t ecn_bare[4];
	int64_t last_rsp_ns;
	int64_t lat_min, lat_max;
	uint16_t votes, conflicts;
	union {
		uint32_t candidate; /* before it is paired */
		uint32_t msn;       /* then: 1 + the newest said here, 0 none */
	};
	uint8_t pairing; /* enum flow_pairing */
	uint8_t msg_rows, slow_rows;
	uint8_t window_met; /* how often |window| was */
	uint16_t held_n;
	uint16_t window;     /* the most that was ever unanswered ... */
	bool spans_reads;    /* ... READs with all of their responses */
	bool mid_stream;     /* which was not the first of a message */
	bool ahead_open : 1; /* what was answered up to |ahead| may pass yet */
	bool acks_unasked : 1;    /* nor at the end of a message */
	uint8_t acks_before_data; /* how often it did */
	uint32_t lat_n;

	/* line 6: now and then */
	int64_t first_ns;
	struct flow_bins *bins;
	struct held *held;
	uint16_t *sports;              /* PORT_SLOTS, 0 free; NULL: only one */
	struct stalls *stalls;         /* stall.c; NULL: none */
	struct congestion *congestion; /* NULL: no mark, no CNP so far */
	struct cnps_held *cnps_held;   /* of a flow that is not paired */
	uint64_t hash;

	/* line 7: when something happens to a flow of RoCE; in Ultra Ethernet
	 * every data packet asks for it, and the sender's state is far away */
	union {
		struct {
			int64_t credit_ns;
			int64_t last_late_ns;
			int64_t fill_ns; /* the first packet of a message came
					  * late, when; 0 none */
			uint32_t fill_psn;
			uint32_t credit_rqe; /* that need credit, since */
			/* came late ... */
			uint32_t last_late_psn, last_late_n;
			/* ... and what overtook it */
			uint32_t last_early_psn, last_early_n;
			uint32_t ahead;       /* answered to here before it */
			uint16_t first_ip_id; /* of the first PSN */
		};
		uint64_t evs[8]; /* entropy values, hashed to a bit */
	};

	/* the rest: when something happens.  Wide members first, so that no
	 * room is left between them: there are many flows. */
	uint64_t src_mac, dst_mac; /* of its first packet */
	int64_t rtt_s;             /* minimum, 0 unknown */
	int64_t late_max;
	uint64_t retransmitted_bytes;
	int64_t recovery_ns;
	int64_t burst_ns;    /* the stretch of data under way: burst.c */
	int64_t response_ns; /* the last response with data */
	uint64_t burst_bytes, burst_psns, burst_payload; /* before it */
	int64_t nak_wait_ns, route_late_ns; /* of its route, when decided */
	uint16_t *events;                   /* rows of each kind; NULL: none */
	struct flow_links *links;           /* NULL: only one so far */
	struct flow_srv6 *srv6;             /* NULL: no list of segments */
	struct pending *pending; /* recoveries to decide about; NULL: none */
	struct ending *ending;   /* roce/ending.c; NULL: never went back */

	uint32_t id, tap, epoch;
	uint32_t next_in_route, prev_in_route;
	uint32_t next_same_sport, prev_same_sport;
	uint32_t sport_chain; /* bucket of the latter + 1, 0 none */
	uint32_t claimed;     /* 1 + the newest PSN here that a response was
			       * taken for before it is paired; 0 none */
	uint32_t first;       /* I1; follows at a distance of 2^22 */
	uint32_t initial;     /* the first PSN of all that was seen */
	uint32_t before;      /* PSNs before it, which came later */
	/* The last step back of the sender, what was outstanding then ... */
	uint32_t again_from, again_to;
	float pairing_confidence;
	uint16_t n_sports, sport;
	uint32_t tap_path; /* index + 1; 0 none yet; NO_TAP_PATH none */
	uint32_t sport_changes;
	uint32_t peer_id; /* UET: fact_flow.id of the last peer, 0 none */
	struct cm_terms cm;

	/* counters */
	uint32_t incomplete;
	uint32_t lost_up, r12_min, r12_max, r4_min, r4_max, reorder_proven;
	uint32_t missing, unresolved, corrupted;
	uint32_t reordered, extent_max, reorder_events;
	uint32_t retransmitted, spurious, timeouts;
	uint32_t nak_seq, nak_fatal, rnr_nak, implied;
	uint32_t duplicates, ack_lost, mirror_dups, credit_stalls;
	uint32_t service_other; /* packets of another than the first */
	uint32_t cnp, icrc_bad, recoveries;
	uint32_t gbn_votes, sr_votes, gb0_votes;
	uint32_t nak_losses;     /* NAKs for what was seen here, decided */
	uint32_t route_reorders; /* of its route, when it is decided */

	uint16_t recovery_rows, cnp_rows;
	uint16_t service_cnp;  /* of the CNPs in this direction */
	uint16_t pmtu_guess;   /* by the last READ alone; 0 none */
	uint16_t payload_max;  /* of READ responses: the PMTU is no less; UET:
			       * of packets that others of a message follow */
	uint16_t jobs;         /* UET: how often the peer was another one */
	uint8_t ttl, tos, pcp; /* of its first packet */
	uint8_t tap_path_slot; /* in |tap_path| */
	/* NAKs after which the sender repeated one packet, though more were
	 * outstanding, up to 254; NOT_ALONE: or more. */
	uint8_t alone;
	/* NAKs, up to 255, after which more was acknowledged at once than had
	 * been retransmitted, a READ or ATOMIC among it; or no more, though it
	 * had been seen before: up to another request, to a READ or ATOMIC. */
	uint8_t kept, kept_reads, refused, refused_reads;
	/* ... and whether anything else had been acknowledged in time before
	 * it stepped back. */
	bool again_once : 1, in_time : 1, ever_in_time : 1;
	bool sprayed : 1; /* what it has lost is not known: tap_sprays() */
};

/* engine.c fetches lines before it needs them. */
#define FLOW_LINE(member, n)                                    \
	_Static_assert(offsetof(struct flow, member) == (n)*64, \
		       "a line of struct flow begins with " #member)
FLOW_LINE(last_req_ns, 1);
FLOW_LINE(requests, 2);
FLOW_LINE(open, 3);
FLOW_LINE(out, 4);
FLOW_LINE(ecn_bare, 5);
FLOW_LINE(first_ns, 6);
FLOW_LINE(evs, 7);

/* The part of a flow's key that is not addresses and number, of Ultra Ethernet.
 * RoCE's are below. */
enum uet_aux {
	UET_AUX_PDC = 1 << 24,
	UET_AUX_RUDI,
	UET_AUX_UUD,
	UET_AUX_TSS, /* ... and above: uet/tss.h */
};

/* flow.last_tap of a flow that was on several. */
enum { MANY_TAPS = UINT16_MAX };

/* Then |uet| and |evs| are valid, else |open|, |out| and what stands where the
 * latter does. */
static inline bool flow_is_uet(const struct flow *f)
{
	return f->aux >= UET_AUX_PDC;
}

/* What note.c compares a flow with, once its packet has been followed. */
struct note_mark {
	uint32_t nxt, rnxt, id;
	uint32_t retransmitted, mirror_dups, duplicates, icrc_bad, requests;
	bool req_valid, rsp_valid, seen;
	uint64_t about; /* frame that went before with that PSN */
	int64_t about_ns;
	int64_t message, position; /* UET: of the packet answered */
};

/* An unordered pair of addresses at one place. */
struct route_pair {
	struct addr lo, hi;
	uint32_t place;
	uint32_t first[2]; /* flows lo->hi and hi->lo: chain heads */
	uint32_t count[2];
	uint32_t reorders[2];   /* proven downstream, on all flows */
	uint32_t seen_late[2];  /* reorderings here, on all flows */
	uint32_t recoveries[2]; /* on all flows */
	/* ACKs for this direction with the PSN of the one before, and no copy
	 * that can have provoked them. */
	uint32_t same_acks[2];
	/* Least that the receiver waited before a NAK, beyond a round trip; 0
	 * unknown. */
	int64_t nak_wait_ns[2];
	int64_t late_ns[2]; /* longest late time of a packet, on all flows */
	/* Copies of what was seen here, asked for by a NAK: how many, and how
	 * soon after it the first of all came. */
	uint32_t reactions[2];
	int64_t reaction_ns[2];
	/* When the last NAK came of which it is not known whom it is for, and
	 * what it named. */
	int64_t held_nak_ns[2];
	uint32_t held_nak_psn[2];
	/* All that such NAKs have named: a bit each, by the PSN's last five. */
	uint32_t held_naks[2];
	bool in_step;   /* some are paired by the order of their responses */
	uint8_t doubts; /* how often these were dropped */
};

struct tap_state;
struct histogram;
struct path_table;

enum { ENGINE_HELD = 128, ENGINE_MANY_FLOWS = 1 << 11 };

/* Rows of all flows that are handed out, and how many more there were. */
struct limit {
	uint64_t rows, left_out;
};

enum limit_id {
#define LIMIT(id, name, most) LIMIT_##id,
#include "flow/core/limits.def"
#undef LIMIT
	LIMIT_COUNT
};

struct engine {
	struct engine_options o;
	struct flow_sink sink;
	const struct tracker *const *tracker;     /* NULL after the last */
	const struct transport *const *transport; /* RoCE's, UET's */
	/* Wide, as its values are: narrow ones that a compiler puts aside and
	 * takes back as wide ones are waited for. */
	uint32_t op[256]; /* enum op_class */

	struct flow **chunks;       /* flows, FLOW_CHUNK each */
	uint32_t n_flows, n_chunks; /* n_flows: vacant ones included */
	uint32_t vacant, n_vacant;  /* index + 1 of the first: live.c */
	uint32_t sweep;             /* where engine_retire() goes on */
	uint64_t *slots;            /* tag << 32 | index + 1 */
	uint32_t slot_mask;

	struct route_pair *routes;
	uint32_t n_routes, room_routes;
	uint32_t *route_slots, route_mask;
	uint32_t *sport_heads; /* by (route pair, source port) */

	struct recent recent;
	struct recent unpaired; /* requests by route, of flows without a peer */
	struct tap_state *taps;
	uint32_t n_taps;
	struct cm_table *cm;
	struct pause_table *pauses;
	struct lldp_table *lldp;      /* NULL: none seen */
	struct credit_table *credits; /* likewise */
	struct nvme_tcp *nvme_tcp;    /* likewise */
	struct mrc_table *mrc;        /* likewise */
	int64_t stall_after;          /* a flow silent so long is looked at */
	struct path_table *paths;     /* NULL until there is telemetry */
	struct nps *nps;              /* NULL: no congestion so far */
	uint32_t n_congested;
	struct multitap
		*multitap; /* multitap.h; NULL while there is one place */
	struct latencies *latencies; /* latency.c; NULL: no message so far */
	bool multitap_failed;
	/* A packet that was held (roce/reconnect.c) began another connection:
	 * follows it there, and at the other capture points; |from|: where it
	 * was matched when it came.  NULL: there is one capture point. */
	void (*follow_anew)(struct engine *e, struct flow *f,
			    const struct packet *p,
			    const struct reconnect *from);
	bool each;           /* somebody looks at each packet: no short path */
	struct pool senders; /* of uet.h */
	struct uet_evs *evs; /* uet/ev.c; NULL until there is UET */
	struct uet_not_uet *not_uet; /* uet/not_uet.c; NULL: none */
	struct uet_unknown_port
		*unknown_port; /* uet/unknown_port.c; NULL: none */
	struct uet_tss *tss;   /* uet/tss.c; NULL until some is encrypted */

	/* Frames so corrupted that they belong to no flow: what they were a
	 * copy of is missing somewhere. */
	struct orphan {
		int64_t ns;
		uint32_t psn, tap;
	} orphans[16];
	uint32_t n_orphans;
	uint16_t orphan_events;

	struct note_mark note; /* only while somebody wants notes */
	uint32_t next_id;
	struct limit limit[LIMIT_COUNT];
	uint64_t ordinary_messages, n_pending;
	uint32_t unpaired_messages, n_series, n_cc_series;
	uint32_t n_reconnect;      /* packets held by reconnect.c */
	struct fact_burst *bursts; /* burst.c */
	uint32_t n_bursts, room_bursts;
	int64_t burst_gap;  /* a silence so long ends a stretch of data */
	int64_t burst_step; /* so long, where it lies between two messages */
	int64_t bursts_from, bursts_end; /* no others are taken */
	uint64_t capped_bursts;
	uint32_t n_linked; /* links.c */
	struct capture_drops
		*drops;      /* capture_drops.c; NULL: nothing was dropped */
	struct ended *ended; /* recovery: flows to decide about in the end */
	uint32_t n_ended, room_ended;
	int64_t now, first_ns; /* of the capture, once it has |begun| */
	uint64_t order;        /* of the packet that is followed */
	bool begun;
	struct patterns *patterns; /* header_cache.c; NULL: none */
	size_t n_held;
	struct packet held[ENGINE_HELD]; /* decoded, not yet followed */
};

/* DSCP and 802.1p priority as one number: which class of service the packet
 * asks for. */
enum { NO_SERVICE = 0xffff, NO_TAG = 0xff };

static inline unsigned service_of(const struct packet *p)
{
	return p->tos >> 2 | (unsigned)p->pcp << 8;
}

/* A round trip, the shortest of which is kept.  What takes an hour, or no time,
 * is a clock that was set. */
static inline void flow_round_trip(struct flow *f, int64_t ns)
{
	const int64_t hour = INT64_C(3600000000000);

	if (ns > 0 && ns < hour && (!f->rtt_r || ns < f->rtt_r))
		f->rtt_r = ns;
}

static inline uint32_t flow_ect(const struct flow *f)
{
	return f->ecn_data[ECN_ECT1] + f->ecn_data[ECN_ECT0] +
	       f->ecn_bare[ECN_ECT1] + f->ecn_bare[ECN_ECT0];
}

static inline uint32_t flow_ce(const struct flow *f)
{
	return f->ecn_data[ECN_CE] + f->ecn_bare[ECN_CE];
}

/* A chunk of flows fills whole huge pages: they have 896 bytes each. */
enum { FLOW_CHUNK = 16384, SPORT_HEADS = 1 << 12 };

static inline struct flow *flow_at(const struct engine *e, uint32_t index)
{
	return &e->chunks[index / FLOW_CHUNK][index % FLOW_CHUNK];
}

static inline const struct transport *transport(const struct engine *e,
						const struct flow *f)
{
	return e->transport[flow_is_uet(f)];
}

static inline struct flow *flow_peer(const struct engine *e,
				     const struct flow *f)
{
	return f->peer == NO_FLOW ? NULL : flow_at(e, f->peer);
}

/* The two directions of a connection. */
static inline void flow_join(struct flow *f, struct flow *g,
			     enum flow_pairing how, float confidence)
{
	f->peer = g->index;
	g->peer = f->index;
	f->paired = g->paired = true;
	f->pairing = g->pairing = (uint8_t)how;
	f->pairing_confidence = g->pairing_confidence = confidence;
}

/* The service in bits 7:5.  The RD range carries Mellanox DC in practice. */
static inline enum flow_transport transport_of(uint8_t opcode)
{
	static const uint8_t by_service[8] = {
		FLOW_RC, FLOW_UC,  FLOW_DC,     FLOW_UD,
		FLOW_RC, FLOW_XRC, FLOW_VENDOR, FLOW_VENDOR,
	};

	return by_service[opcode >> 5];
}

/* table.c: flows by key; find.h finds them */
bool table_init(struct engine *e);
void table_fini(struct engine *e);
/* Of |p|: struct flow's |route|; NO_FLOW: no memory. */
uint32_t flow_route(struct engine *e, const struct packet *p, uint32_t place);
/* The same pair of addresses at |place|, or NULL. */
const struct route_pair *
route_at(const struct engine *e, const struct route_pair *like, uint32_t place);
struct flow *flow_add(struct engine *e, const struct packet *p, uint64_t hash,
		      uint32_t qp, uint32_t place, uint32_t aux);
/* |p| is one of its packets: 1; is not after all: -1. */
void flow_count(struct flow *f, const struct packet *p, int64_t n);
/* Hands the flow out and starts it anew as the next epoch, with these |n|
 * packets, which were counted already. */
void flow_new_epoch(struct engine *e, struct flow *f, const struct packet *p,
		    uint32_t n, const char *why);
void flow_start(struct engine *e, struct flow *f, const struct packet *p);
void table_finish(struct engine *e);
/* Hands the flow out and frees what it holds. */
void flow_finish(struct engine *e, struct flow *f);
/* |f| is found no more; its place is vacant. */
void flow_drop(struct engine *e, struct flow *f);

/* A hole begins somewhat after the packet that it was noticed by. */
enum { DROPS_MARGIN_NS = 1000 * 1000 };

/* capture_drops.c: may the capture itself have dropped something then? */
bool drops_between(const struct engine *e, uint32_t place, int64_t from,
		   int64_t to);

/* recovery_state.c: the slow path's memory */
struct recovery_state *recovery_state_get(struct flow *f);
void recovery_state_release(
	struct flow *f); /* frees it when nothing is pending */
void recovery_state_free(struct flow *f);

/* Has the request with |psn| been seen? */
bool request_seen(const struct flow *f, uint32_t psn);
/* Was it sent, if at all, before the first packet that the capture has?  Only
 * of a flow that is recovering. */
bool before_capture(const struct flow *f, uint32_t psn);

/* Does the sender count its IP identifications up? */
static inline bool counts_ip_id(const struct flow *f)
{
	return f->ip_total >= 8 && f->ip_up * 10 >= f->ip_total * 9;
}

/* The IP identification tells originals from retransmits where the sender
 * counts it up: > 0 sent after |than|, < 0 before. */
static inline int ip_id_order(const struct flow *f, const struct packet *p,
			      uint16_t than)
{
	return counts_ip_id(f) ? (int16_t)(uint16_t)(p->ip_id - than) : 0;
}

/* Nothing was sent between it and the packet of |f| seen before. */
static inline bool ip_id_follows(const struct flow *f, const struct packet *p)
{
	return (uint16_t)(f->last_ip_id + 1) == p->ip_id;
}

/* The newest request of |f| with |psn|, or NULL ... */
static inline const struct recent_packet *
recent_request_of(const struct engine *e, const struct flow *f, uint32_t psn)
{
	return recent_find(&e->recent, recent_of_flow(f->index, false), psn,
			   NULL);
}

/* ... and the newest response. */
static inline const struct recent_packet *
recent_response_of(const struct engine *e, const struct flow *f, uint32_t psn)
{
	return recent_find(&e->recent, recent_of_flow(f->index, true), psn,
			   NULL);
}

/* Are answers seen before what they answer?  Then the clocks, or the queues, of
 * the two directions differ at this place, and which of two packets of
 * different directions came first is no evidence. */
static inline bool acks_before_data(const struct flow *f)
{
	return f->acks_before_data >= 3;
}

/* By which recent packets of a flow are found. */
static inline struct recent_key recent_requests(const struct flow *f)
{
	return recent_of_flow(f->index, false);
}

static inline struct recent_key recent_responses(const struct flow *f)
{
	return recent_of_flow(f->index, true);
}

/* A request of |f| is seen; |copy|: its PSN had been seen before. */
static inline __attribute__((always_inline)) void
recent_request(struct engine *e, const struct flow *f, const struct packet *p,
	       bool copy)
{
	recent_note(&e->recent, recent_requests(f), f->index, p, copy);
	if (__builtin_expect(!f->paired, 0) &&
	    (f->transport == FLOW_RC || f->transport == FLOW_XRC))
		recent_note(&e->unpaired, recent_of_route(f->route), f->index,
			    p, copy);
}

/* latency.c */
void latency_add(struct engine *e, const struct flow *f,
		 const struct message *m, int64_t ns);
/* A row for each step of |s| that is not empty; the rest of it is as in |f|. */
void latency_emit_histogram(struct engine *e, const struct histogram *s,
			    struct fact_latency f);
void latency_finish(struct engine *e);
void latency_fini(struct engine *e);

/* emit.c: facts, with their caps */

/* One of |kind|, if anybody takes such. */
#define HAND_OUT(e, kind, ...) \
	((e)->sink.kind ? (e)->sink.kind((e)->sink.ctx, __VA_ARGS__) : (void)0)
/* Are |n| more rows handed out?  |own|: whose they are has room for them.
 * Counts them either way. */
bool limit_take(struct engine *e, enum limit_id id, uint64_t n, bool own);
/* Of |table| so many rows were not. */
void emit_left_out(struct engine *e, const char *table, uint64_t n);
void emit_recovery(struct engine *e, struct flow *f,
		   const struct fact_recovery *r);
void emit_event(struct engine *e, struct flow *f, const struct fact_event *ev);
/* What |p| alone shows. */
void emit_packet(struct engine *e, struct flow *f, const struct packet *p,
		 enum event_kind kind, int64_t value, double confidence,
		 const char *detail);
/* What is missing, by |g|. */
void emit_gap(struct engine *e, struct flow *f, const struct gap *g,
	      enum event_kind kind, double confidence, const char *detail);
void emit_flow(struct engine *e, struct flow *f);
/* Is it known which PSNs of |f| are not here? */
bool psn_followed(const struct flow *f);
/* What verdicts on its recoveries add to the row of |f| ... */
void flow_verdicts(const struct engine *e, const struct flow *f,
		   struct fact_flow *o);
/* ... and the whole handed out. */
void emit_row(struct engine *e, const struct flow *f, struct fact_flow *o);
/* FACT_UNKNOWN: of a READ without its RETH. */
int64_t message_bytes(const struct message *m);
/* As far as there is room for such, in |f| too ... */
void message_row(struct engine *e, struct flow *f, const struct message *m,
		 enum message_status s, int64_t done);
/* ... and what it took. */
void message_latency(struct engine *e, struct flow *f, const struct message *m,
		     int64_t ns);
void emit_cm(struct engine *e, const struct fact_cm *c);
/* |f| is NULL when it is not known who is throttled. */
void emit_cnp(struct engine *e, struct flow *f, const struct fact_cnp *c);
void emit_caps(struct engine *e);

/* tap.c */
void tap_fini(struct engine *e);
void tap_packet(struct engine *e, const struct packet *p);
void tap_mirror_duplicate(struct engine *e, const struct packet *p);
/* |n| PSNs that arrived have no copy here. */
void tap_missed(struct engine *e, uint32_t tap, uint32_t n);
/* A receiver missed a packet by name, and it had not been seen here. */
void tap_asked_for(struct engine *e, uint32_t tap);
/* How likely a hole, of which a receiver that discards all behind a loss says
 * nothing, was a loss and not the mirror's: by what is known of other holes. */
double tap_hole_is_loss(const struct engine *e, uint32_t tap);
/* What that rests on, from elsewhere. */
void tap_judge(struct engine *e, uint32_t tap, uint64_t asked_for,
	       uint64_t missing);
bool tap_has_repeats(const struct engine *e, uint32_t tap);
/* Does nearly every packet come twice here, or one in ten? */
bool tap_is_doubled(const struct engine *e, uint32_t tap);
bool tap_doubles_some(const struct engine *e, uint32_t tap);
/* One came twice here; |moved|: from somewhere else the second time. */
void tap_note_repeat(struct engine *e, uint32_t tap, bool moved);
/* Do most? */
bool tap_repeats_move(const struct engine *e, uint32_t tap);
/* One that is equal to another a moment ago; |replay|: its sender may have sent
 * both. */
void tap_note_alike(struct engine *e, uint32_t tap, bool replay);
/* |p| is new data of |f|, from which PSNs are missing. */
void tap_step(struct engine *e, const struct flow *f, const struct packet *p);
/* |f| is over: how much of it is missing here ... */
void tap_note_absent(struct engine *e, const struct flow *f);
/* ... as its other packets took other links? */
bool tap_sprays(const struct engine *e, const struct flow *f);
void tap_note_flow(struct engine *e, uint32_t tap, bool sprayed);
void tap_finish(struct engine *e);
void tap_forget_load(struct engine *e, int64_t before);
/* Bytes on the wire so far. */
uint64_t tap_bytes(const struct engine *e, uint32_t tap);
/* Bits a second of the link there, 0 unknown. */
uint64_t tap_speed(const struct engine *e, uint32_t tap);
/* Has any ICRC been right here? */
bool tap_verifies(const struct engine *e, uint32_t tap);
static inline uint32_t tap_place(const struct engine *e, uint32_t tap)
{
	return tap < e->o.n_places ? (uint32_t)e->o.place[tap] : tap;
}

/* The second copy of every packet comes so much later here; 0: none does. */
static inline int64_t tap_lag(const struct engine *e, uint32_t tap)
{
	return e->o.lag && tap < e->o.n_places ? e->o.lag[tap] : 0;
}

static inline uint32_t tap_link(const struct engine *e, uint32_t tap)
{
	return e->o.link && tap < e->o.n_places ? (uint32_t)e->o.link[tap]
						: tap;
}

/* bins.c */
void bins_start(struct flow *f, int64_t ns);
void bins_roll(struct engine *e, struct flow *f, int64_t ns);
void bins_free(struct flow *f);
void bins_forget_flow(struct flow *f, int64_t before);
void bins_emit(struct engine *e, struct flow *f);
void bins_emit_all(struct engine *e, const struct bins *s, int scope,
		   uint32_t id);
void bins_emit_priority(struct engine *e, const struct bins *s, uint32_t tap,
			uint32_t priority);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * One packet on its way through the simulated fabric.
 *
 * It carries the values its headers will show and what the simulation knows
 * beside them.  Bytes are made by frame.c, and only where a tap copies the
 * packet. */
#ifndef FABSCOPE_SIMULATE_PKT_H
#define FABSCOPE_SIMULATE_PKT_H

#include <stdbool.h>
#include <stdint.h>

#include "simulate/tapset.h"

struct host;
struct message;
struct port;
struct qp;
struct recovery;
struct stream;

/* Whose bookkeeping a packet belongs to (truth: "class"). */
enum pkt_class {
	PKT_REQUEST,  /* in the PSN space of its sender */
	PKT_RESPONSE, /* READ response, ATOMIC ACK: PSN space of the peer */
	PKT_ACK,      /* ACK, NAK, RNR NAK */
	PKT_CNP,
	PKT_CM,      /* a MAD on QP 1 */
	PKT_CONTROL, /* UET control packet */
	PKT_CLASSES,
	PKT_PAUSE = PKT_CLASSES, /* link control, belongs to no stream */
};

enum pkt_mark { MARK_NOT, MARK_ECT1, MARK_ECT0, MARK_CE };

enum pkt_trigger {
	TRIG_NONE, /* not a copy */
	TRIG_NAK,
	TRIG_TIMEOUT,
	TRIG_RNR,
	TRIG_IMPLIED,   /* a response out of order */
	TRIG_DUPLICATE, /* response to a repeated READ request */
	TRIG_SACK,      /* UET: a hole below what was acknowledged */
	TRIGS
};

enum { PKT_HOPS = 8, PKT_MAD = 256 };

/* What one switch stamps; frame.c says it in IFA, INT or CSIG words. */
struct pkt_hop {
	uint32_t device;
	uint16_t ingress, egress;
	uint8_t ttl, queue, congested;
	uint64_t arrived_ns; /* since the epoch */
	uint32_t residence_ns;
	uint32_t depth;   /* bytes in the queue when it left */
	uint32_t unit;    /* of the occupancy that INT has; 0 none */
	uint32_t busy_pm; /* egress load, per mille of the link */
	uint64_t link_bps;
};

/* UET headers, by meaning; uet_frame.c puts them on the wire.  PSNs are not
 * cut. */
struct uet_head {
	uint8_t type; /* PDS; 0: no UET packet */
	uint8_t next; /* SES header, or the type of a control packet */
	uint8_t flags, code;
	uint16_t spdcid, dpdcid; /* with SYN: the PSN offset in place of it */
	uint64_t tsc;            /* encrypted, under this counter; 0: not */
	uint64_t clear, cack;    /* PSNs */
	uint32_t word; /* payload of a NACK or control packet; the PSN asked
			* by, in a small answer */
	uint32_t credit_target;
	uint8_t cc_type, mpr;
	uint64_t sack_base, sack, cc_state;
	uint16_t opaque;           /* PROBE, and the ACK that answers it */
	uint8_t op, ses, code_ses; /* SES opcode, flags, return code */
	uint8_t list, amo;
	uint32_t eager; /* rendezvous: bytes ahead; where the rest is */
	uint64_t rest, rest_key;
	uint32_t token[2]; /* of initiator and target, or sender and receiver */
	uint64_t key;      /* 0: the usual one */
	uint16_t message, read_message;
	uint32_t job, length, offset, payload;
	uint64_t buffer;
};

struct pkt {
	struct pkt *next;
	struct pkt *older;         /* pool: made before this one */
	struct stream *stream;     /* NULL for link control */
	struct qp *to;             /* who will get it */
	struct message *message;   /* requests: what it is part of */
	struct recovery *recovery; /* copies: the round they belong to */
	struct cnp_truth *cnp;     /* PKT_CNP: its record */
	struct pause_truth *asks;  /* PKT_PAUSE: the interval it is part of */
	struct host *src, *dst;
	struct port *in;     /* where the switch holding it got it from */
	struct port *at;     /* whose queue it is in, a NIC's to receive too */
	uint64_t joined;     /* bytes that had joined that queue before it */
	uint64_t other_work; /* which of them was the last of other work */
	uint64_t id;         /* transmission: 1.., of the whole run */
	uint64_t psn;        /* not cut to 24 bits */
	uint64_t order;      /* n-th packet of its class on its stream */
	int64_t entered;     /* ps, when this node got it */
	int64_t queued;      /* ps, when it joined the queue of a port */
	struct pdc_dir *pdc_dir; /* UET: the PSN space it speaks of */
	struct uet_head uet;
	uint64_t va;
	uint64_t atomic[2]; /* swap/add and compare, or the old value */
	uint8_t *mad;       /* PKT_CM: PKT_MAD bytes, owned */
	uint32_t *credits;  /* CC_Update: used, a channel each; owned */
	tapset taps;        /* it has passed */
	tapset captured;    /* ... that copied it */
	uint32_t bytes;     /* frame without FCS, as it is at this hop */
	uint32_t stored;    /* bytes of switch buffer it takes */
	uint32_t payload;   /* bytes after the extension headers */
	uint32_t kept;      /* trimmed: bytes of the IP payload, else 0 */
	uint32_t span;      /* PSNs it stands for (READ request) */
	uint32_t rkey, dma_len, imm;
	uint32_t qkey, src_qp; /* DETH */
	uint32_t dst_qp;
	uint32_t msn;
	uint32_t hash;   /* of the fields ECMP looks at */
	uint32_t mac[2]; /* port ids this hop's frame is from and to */
	uint16_t sport;
	uint16_t ip_id;
	uint16_t copy;     /* 0 first transmission, 1.. */
	bool live;         /* handed out by the pool */
	uint16_t pause[8]; /* PKT_PAUSE: quanta */
	uint8_t pause_vector;
	bool global_pause;
	uint8_t opcode;
	uint8_t syndrome;
	uint8_t class;   /* enum pkt_class */
	uint8_t trigger; /* enum pkt_trigger, when copy > 0 */
	uint8_t prio;
	uint8_t dscp, ecn, ttl;
	bool ackreq, se, last; /* |last| ends a message */
	bool becn;
	bool corrupt;   /* corrupted on its way, ICRC no longer fits */
	uint8_t stamps; /* which forms of telemetry.c |hops| take */
	uint8_t n_hops;
	uint32_t flip;        /* which payload byte is corrupted */
	struct pkt_hop *hops; /* owned, PKT_HOPS of them */
};

struct pkt_pool {
	struct pkt *free;
	struct pkt *all; /* by way of older: free ones and live ones */
	uint64_t live;   /* handed out and not given back */
	uint64_t ids;
};

struct pkt *pkt_new(struct pkt_pool *pool);
void pkt_free(struct pkt_pool *pool, struct pkt *p);
void pkt_pool_fini(struct pkt_pool *pool);

struct pkt_fifo {
	struct pkt *head, *tail;
	uint64_t bytes, n;
	uint64_t all_bytes, all; /* that ever joined */
};

void fifo_put(struct pkt_fifo *f, struct pkt *p);
struct pkt *fifo_take(struct pkt_fifo *f); /* NULL when empty */

#endif

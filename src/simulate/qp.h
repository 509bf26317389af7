/* SPDX-License-Identifier: GPL-2.0-or-later
 * Queue pairs: RC with its recovery, UC, UD.
 *
 * A QP asks (requester.c: its own PSNs) and answers (responder.c: the PSNs of
 * its peer).  PSNs are counted in 64 bits and cut to 24 on the wire, so a
 * wrap is a matter of the capture only. */
#ifndef FABSCOPE_SIMULATE_QP_H
#define FABSCOPE_SIMULATE_QP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulate/host.h"
#include "simulate/truth.h"

/* What a receiver does with a packet behind a gap. */
enum receiver {
	RECEIVER_STRICT,    /* NAKs, drops; the sender goes back N */
	RECEIVER_SELECT,    /* NAKs, keeps; the sender repeats what was NAKed */
	RECEIVER_ORDERLESS, /* keeps, NAKs only after a while */
};

enum uet_cc { UET_CC_NONE, UET_CC_NSCC, UET_CC_RCCC };
enum uet_form { UET_STD, UET_MEDIUM, UET_SMALL };

/* Which responses a target keeps until the initiator says that they have
 * arrived. */
enum uet_gtd {
	UET_GTD_FETCH, /* those that cannot be made again: what was fetched,
			* and that a send is deferred */
	UET_GTD_NONE,
	UET_GTD_ALL
};

struct uet_config {
	uint32_t job;
	uint32_t evs; /* entropy values it chooses from; ROD: 1 */
	enum uet_cc cc;
	enum uet_form form;   /* of SES, where a message fits one packet */
	uint32_t close_after; /* messages in a context, 0: any number */
	uint32_t ack_bytes;   /* received without an ACK, at most */
	uint32_t sack_gap;    /* PSNs above a hole that make it a loss; 0 no */
	uint32_t unsolicited; /* RCCC: bytes without credit */
	uint64_t psn;         /* first; 0: by chance */
	int64_t delay;        /* ps, NSCC: that much queueing is no harm */
	enum uet_gtd gtd;
	uint32_t held;        /* responses a target has room for */
	uint32_t clear_at;    /* so many kept: it asks to be rid of them */
	uint32_t ack_data;    /* bytes of an answer that an ACK may carry */
	uint32_t eager;       /* of a rendezvous, bytes that go ahead */
	uint32_t defer_every; /* each n-th deferrable send finds no buffer */
	int64_t defer_for;    /* ps until there is one */
	int64_t probe;        /* ps of silence until it probes; 0 never */
	bool tagged, negotiate;
};

enum { QP_VIA = 8 };

struct qp_config {
	enum service service;
	enum receiver receiver;
	uint32_t mtu;
	uint32_t window;       /* PSNs in flight */
	uint32_t reads;        /* READs and ATOMICs in flight */
	uint32_t ackreq_every; /* packets; and at every message's end */
	uint32_t coalesce;     /* requests for an ACK that one ACK answers */
	int64_t ack_delay;     /* ps a coalesced ACK waits at most */
	int64_t patience;      /* ORDERLESS: ps before a gap is NAKed */
	int64_t timeout;       /* ps */
	uint32_t retries, rnr_retries; /* 7: RNR for ever */
	uint8_t rnr_code;
	uint32_t rnr_every; /* each n-th message finds no receive WQE */
	int64_t rnr_for;    /* ps it takes to post one */
	uint8_t prio;
	int16_t dscp;     /* of its packets; -1: the hosts' */
	uint64_t rate;    /* bit/s this QP sends at most, 0: the link's */
	bool cm;          /* connects over CM */
	uint16_t cm_port; /* to this port */
	/* nodes that its requests pass where equal-cost paths allow it */
	const struct node *via[QP_VIA];
	bool ecn; /* its packets are ECN-capable */
	bool dcqcn, ignores_cnp,
		no_cnp;     /* obeys CNPs; hears none; sends none */
	uint32_t fatal_at;  /* n-th message is refused for ever, 0 none */
	uint8_t fatal_with; /* syndrome of the NAK: 0x61 + this */
	struct uet_config uet;
};

struct wr {
	struct message *message;
	enum msg_op op;
	uint64_t first, last; /* PSNs */
	uint64_t va;
};

enum answer_kind { ANSWER_ACK, ANSWER_READ, ANSWER_ATOMIC };

struct answer {
	enum answer_kind kind;
	uint64_t psn; /* next to send */
	uint64_t first, last;
	uint64_t bytes; /* READ: of all of it */
	uint8_t syndrome;
	uint32_t msn;
};

/* A request that came before its turn. */
struct early {
	uint64_t psn;
	uint32_t span, dma_len;
	uint8_t opcode;
	bool last, ackreq;
	struct message *message;
};

/* DCQCN, the sender's side. */
struct rate_state {
	double now, target; /* bit/s; 0 before the first notification */
	double alpha;
	int64_t cut_last;
	uint64_t bytes;             /* since the byte counter went off */
	uint32_t by_time, by_bytes; /* increase stages */
	uint32_t timers;            /* generation: older timers are void */
	bool active;
};

struct qp {
	char name[NAME_MAX_TEXT];
	struct host *host;
	struct qp *peer;
	uint32_t qpn;
	uint16_t sport, ip_id;
	uint32_t rkey, epoch;
	struct qp_config config;
	struct stream *out; /* the direction from here to the peer */
	bool open, closed, dead;
	struct work *on_open;

	/* turns at the NIC */
	struct qp *after[LINES];
	bool waits[LINES];
	int64_t waits_since;
	int64_t next_at; /* ps: the pace allows the next data packet */
	bool wake;       /* an event will ask again */

	/* requester */
	struct wr *wrs; /* those not complete, oldest first */
	size_t n_wrs, cap_wrs;
	size_t at_wr; /* which of them holds snd */
	uint64_t first_psn, una, snd, max, end;
	uint32_t reads_out;
	uint64_t next_va;
	enum pkt_trigger trigger;
	struct recovery *recovery;
	uint64_t *again; /* SELECT: PSNs to repeat */
	size_t n_again, cap_again;
	uint64_t implied_at;
	bool implied;
	int64_t rnr_until, deadline;
	bool timer;
	uint32_t tries, rnr_tries;
	uint64_t *early_psn; /* READ responses before their turn */
	size_t n_early_psn, cap_early_psn;

	/* responder */
	uint64_t expected; /* PSN */
	uint32_t msn;
	bool nak_out, rnr_out;
	uint64_t nak_for;
	struct early *early; /* by PSN */
	size_t n_early, cap_early;
	bool gap_timer;
	struct answer *answers;
	size_t n_answers, cap_answers;
	uint32_t ack_due;
	bool ack_timer;
	uint32_t rqe_seen;
	int64_t rqe_at;      /* when the missing receive WQE comes */
	bool message_spoilt; /* UC: this message has a hole */

	struct uet *uet; /* of UET, or NULL */

	int64_t cnp_last;
	uint64_t marks;     /* CE packets since the last CNP */
	int64_t first_mark; /* the first of them */
	struct rate_state rate;
};

struct qp_config qp_defaults(void);

/* Makes both ends.  |reuse| (or NULL) is an end whose QP numbers are taken
 * over; it must be closed by then.  PSNs and QPNs below 2^24. */
struct qp_names {
	const char *name;
	uint32_t qpn[2];
	uint64_t psn[2];
	const struct qp *reuse;
};
struct qp *qp_pair(struct sim *s, struct host *a, struct host *b,
		   const struct qp_names *n, const struct qp_config *c);
void qp_free(struct qp *q);
struct qp *qp_find(const struct sim *s, const char *name);
/* Has |h| a QP of this number? */
bool qp_taken(const struct sim *s, const struct host *h, uint32_t qpn);

/* Ready to send from now on; with CM, after the handshake. */
void qp_open(struct sim *s, struct qp *q);
void qp_close(struct sim *s, struct qp *q);

/* The UDP source port Linux computes from two QP numbers. */
uint16_t qp_sport(uint32_t a, uint32_t b);

/* Has something that it could send now, were the port not paused. */
bool qp_pending(const struct sim *s, const struct qp *q);

struct pkt *qp_next_ack(struct sim *s, struct qp *q);
struct pkt *qp_next_data(struct sim *s, struct qp *q);

/* A new packet from |q| to its peer with what all of them share. */
struct pkt *qp_packet(struct sim *s, struct qp *q, enum pkt_class class,
		      uint8_t opcode, uint64_t psn);

/* requester.c */
struct message *requester_post(struct sim *s, struct qp *q, enum msg_op op,
			       uint64_t bytes, struct work *work);
struct pkt *requester_next(struct sim *s, struct qp *q);
void requester_take(struct sim *s, struct qp *q, const struct pkt *p);
bool requester_busy(const struct qp *q); /* may have something to send */
bool requester_may(const struct sim *s, const struct qp *q); /* has */

/* responder.c */
void responder_take(struct sim *s, struct qp *q, const struct pkt *p);
struct pkt *responder_next(struct sim *s, struct qp *q, bool ack);

/* PSNs that a request of |bytes| takes. */
uint64_t psn_span(uint64_t bytes, uint32_t mtu);

/* The least wait, in ps, that a RNR timer code asks for. */
int64_t rnr_ps(unsigned code);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet transport: packet delivery contexts and what they deliver.
 *
 * A "uet" of a scenario is a struct qp whose service is one of UET's delivery
 * modes, so that NICs, faults and work deal with both transports alike.  The
 * end that posts opens a PDC towards the other when it has something to send,
 * and closes it after so many messages; the other end answers, and sends READ
 * data back, in the same PDC.
 *
 * A PDC has two lanes, each a PSN space of its own:
 *
 *   lane[0]  initiator to target: requests
 *   lane[1]  target to initiator: data of READs
 *
 * RUDI and UUD have no PDC; a lane is used for their packet ids all the same,
 * under a struct pdc that is never opened or closed.
 *
 *   uet.c       contexts: opening, messages, closing
 *   uet_send.c  the sending side of a lane: what goes next, what goes again
 *   uet_take.c  the receiving side: what came, what is answered
 *   uet_cc.c    how much may be sent: NSCC and RCCC in a simple form
 *   uet_frame.c octets
 */
#ifndef FABSCOPE_SIMULATE_UET_H
#define FABSCOPE_SIMULATE_UET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulate/pkt.h"
#include "simulate/qp.h"
#include "simulate/rng.h"
#include "simulate/truth.h"

enum { UET_CREDIT = 256 }; /* octets a credit; the unit is our choice */

/* The seven flags of a PDS header; which are meant depends on its type. */
enum {
	UET_M = 0x20,
	UET_ISROD = 0x20,
	UET_RETX = 0x10,
	UET_AR = 0x08,
	UET_NT = 0x08,
	UET_SYN = 0x04,
};

enum { UET_REL = 0x08, UET_EOM = 0x02, UET_SOM = 0x01 }; /* of SES */

enum sent_kind { SENT_DATA, SENT_READ, SENT_READ_DATA, SENT_CLOSE };

/* A message on its way. */
struct umsg {
	struct umsg *next; /* posted after it */
	struct message *m;
	uint16_t id;
	uint32_t packets; /* it takes */
	uint32_t assigned, acked, got,
		brought; /* of them; brought: READ data */
};

/* A packet that was sent, by PSN. */
struct sent {
	struct umsg *msg; /* NULL for CLOSE */
	struct recovery *recovery;
	int64_t at;           /* ps, of the latest transmission */
	uint32_t offset, len; /* in the message */
	uint16_t tries;       /* transmissions */
	uint8_t kind;         /* enum sent_kind */
	uint8_t why;          /* enum pkt_trigger, when again */
	bool acked, again;
};

/* READ data that the target owes. */
struct owed {
	struct umsg *msg;
	uint32_t offset, len;
};

struct lane {
	struct pdc *pdc;
	struct qp *from;
	struct stream *stream;
	uint64_t start; /* PSN */

	/* sender: una <= next, sent[] from start on */
	uint64_t una, next, top_acked;
	struct sent *sent;
	size_t n_sent, cap_sent;
	uint64_t *again; /* PSNs, in the order they are to go */
	size_t n_again, cap_again;
	struct owed *owed;
	size_t n_owed, cap_owed;
	uint64_t in_flight; /* octets not acknowledged */
	bool timer;
	double window;                /* NSCC: octets */
	uint64_t cut_until;           /* PSN: no other cut before it */
	int64_t rtt, rtt_min;         /* ps */
	uint64_t sent_bytes, granted; /* RCCC: octets, ever */
	uint32_t told;                /* credits the receiver knows of */
	int64_t starved;              /* ps: without credit since, -1 not */

	/* receiver */
	uint8_t *got; /* by PSN from start on */
	size_t n_got, cap_got;
	uint64_t expected, top; /* first not here; last here, +1 */
	uint64_t bytes;         /* received */
	uint32_t since_ack, out_of_order;
	bool ack_timer;
	struct pkt unanswered;  /* the last one that no ACK was sent for */
	bool complained;        /* ROD_OOO has been said of this gap */
	uint64_t wanted, given; /* RCCC: octets, ever */
	bool in_line;
	struct lane *after; /* in line for credits */
};

struct pdc {
	struct pdc *older; /* of all */
	struct qp *q;      /* the initiator's end */
	uint16_t id[2];    /* the initiator's, the target's; 0 none */
	struct lane lane[2];
	uint32_t messages; /* begun in it */
	uint32_t undone;   /* of these, not completed */
	bool known;        /* the initiator has heard from the target */
	bool closing, closed, gone; /* CLOSE sent; closed here; at the target */
	int64_t opened, heard, shut; /* ps, -1 never */
	uint32_t number;
	struct rng rng;
	uint16_t ev; /* its only one, or the first of them */
};

/* What one end has. */
struct uet {
	struct pdc *pdc; /* the one it sends new messages in, or NULL */
	struct umsg *head, *tail; /* posted, not all sent */
	struct umsg **all;
	size_t n_all, cap_all;
	uint16_t next_id;
	uint32_t pdcs; /* opened so far */
	bool ending;   /* no message is begun any more */
};

static inline struct qp *lane_to(const struct lane *l)
{
	return l->from->peer;
}

static inline bool lane_is_return(const struct lane *l)
{
	return l == &l->pdc->lane[1];
}

/* Gives both ends of a pair what they need. */
void uet_pair(struct qp *p);
void uet_free(struct qp *q);
void uet_contexts_free(struct pdc *c); /* and all older ones */
struct message *uet_post(struct sim *s, struct qp *q, enum msg_op op,
			 uint64_t bytes, struct work *work);
void uet_close(struct sim *s, struct qp *q);
struct pkt *uet_next(struct sim *s, struct qp *q);
bool uet_pending(const struct sim *s, const struct qp *q);
void uet_take(struct sim *s, struct qp *q, struct pkt *p);

/* --- between the parts ---------------------------------------------------- */

/* uet.c.  The context to begin a message in, NULL when there is none yet; with
 * |open|, opens one. */
struct pdc *uet_context(struct sim *s, struct qp *q, bool open);
/* The target hears of it for the first time; false: no context is free. */
bool uet_target_opens(struct sim *s, struct pdc *c);
void uet_initiator_hears(struct sim *s, struct pdc *c);
void uet_target_closes(struct sim *s, struct pdc *c);
void uet_closed(struct sim *s, struct pdc *c);
void uet_failed(struct sim *s, struct pdc *c);
void uet_completed(struct sim *s, struct lane *l, struct umsg *m);

/* uet_send.c */
struct pkt *lane_next(struct sim *s, struct lane *l);
bool lane_pending(const struct lane *l);
void lane_repeat(struct sim *s, struct lane *l, uint64_t psn,
		 enum pkt_trigger why, bool busy);
void lane_go_back(struct sim *s, struct lane *l, enum pkt_trigger why);
void lane_arm(struct sim *s, struct lane *l);
struct sent *lane_sent(struct lane *l, uint64_t psn);
void lane_acknowledged(struct sim *s, struct lane *l, uint64_t psn);
/* A packet without a PSN of its own, from one end of the context to the other:
 * ACK, NACK, control packet; about lane |l|. */
struct pkt *uet_packet(struct sim *s, struct lane *l, struct qp *from,
		       enum pkt_class class, uint8_t type, uint64_t psn);
void uet_send_now(struct sim *s, struct qp *from, struct pkt *p);

/* uet_cc.c.  May |bytes| more of payload go? */
bool cc_room(const struct lane *l, uint32_t bytes);
void cc_sent(struct lane *l, uint32_t bytes);
void cc_acknowledged(struct lane *l, uint32_t bytes, bool marked);
void cc_refused(struct lane *l, uint32_t bytes);
void cc_waits(struct sim *s, struct lane *l); /* there is no room */
void cc_fill_request(struct lane *l, struct pkt *p);
void cc_fill_ack(const struct lane *l, struct pkt *p, int64_t turnaround);
/* Credits: asked for by a request or CREDIT_REQ, given by an ACK or CREDIT. */
void cc_wanted(struct sim *s, struct lane *l, uint64_t bytes);
void cc_granted(struct sim *s, struct lane *l, uint64_t bytes);
void cc_beg(struct sim *s, struct lane *l);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ultra Ethernet transport: packet delivery contexts and what they deliver.
 *
 * A "uet" of a scenario is a struct qp whose service is one of UET's delivery
 * modes, so that NICs, faults and work deal with both transports alike.  The
 * end that posts opens a PDC towards the other when it has something to send,
 * and closes it after so many messages; the other end answers, and sends READ
 * data back, in the same PDC.
 *
 * A PDC has two directions, each a PSN space of its own:
 *
 *   0  initiator to target: requests, the rest of a rendezvous
 *   1  target to initiator: data of READs and atomics; READs of the rest of
 *      a rendezvous, and that a deferred send may begin again
 *
 * RUDI and UUD have no PDC; a direction is used for their packet ids all the
 * same, under a struct pdc that is never opened or closed.
 *
 *   uet.c       contexts: opening, messages, closing
 *   uet_send.c  the sending side of a direction: what goes next, what again
 *   uet_fill.c  what a packet of a PDC direction has in its headers
 *   uet_take.c  the receiving side: what came, what is answered
 *   uet_hold.c  responses that are kept until they are cleared
 *   uet_ask.c   asking for the state of things: PROBE, ACK_REQ, NEGOTIATION
 *   uet_meet.c  messages that take two: rendezvous, deferrable sends
 *   uet_cc.c    how much may be sent: NSCC and RCCC in a simple form
 *   uet_frame.c bytes; uet_ses.c those of the semantic sublayer
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

enum { UET_CREDIT = 256 }; /* bytes a credit; the unit is our choice */

/* The seven flags of a PDS header; which are meant depends on its type. */
enum {
	UET_M = 0x20,
	UET_ISROD = 0x20,
	UET_RETX = 0x10,
	UET_AR = 0x08,
	UET_NT = 0x08,
	UET_P = 0x08,
	UET_SYN = 0x04,
	UET_REQ_CLEAR = 0x02,
};

enum { UET_REL = 0x08, UET_EOM = 0x02, UET_SOM = 0x01 }; /* of SES */

enum sent_kind {
	SENT_DATA,
	SENT_READ,
	SENT_READ_DATA, /* what answers a READ, or a fetching atomic */
	SENT_RTR,       /* a deferred send may begin again */
	SENT_CLOSE
};

/* What an atomic works on, and what CSWAP's extension has of operands. */
enum { UET_OPERAND = 8, UET_CSWAP = 32 };

/* A message on its way. */
struct umsg {
	struct umsg *next; /* posted after it */
	struct message *m;
	uint16_t id;
	uint64_t ahead;   /* bytes these packets carry, or ask for */
	uint32_t packets; /* it takes */
	uint32_t assigned, acked, got; /* of them, in this round */
	uint32_t wants, brought;       /* packets of data that answer it */
	uint32_t gives, given;         /* of the rest, as it is asked for */
	struct umsg *rest_of;          /* a READ of that one's rest, or NULL */
	uint8_t round;                 /* how often it began again */
	bool looked;   /* the target has decided of this round ... */
	bool deferred; /* ... that it has no buffer */
	bool waiting;  /* the initiator knows */
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
	uint8_t round;        /* of the message */
	bool acked, again;
	bool arrived;  /* a SACK says so; its own answer is still missing */
	bool answered; /* with data, and that is here */
	bool deferred; /* this one gets "no buffer" */
};

/* What an end is to send by and by because of what it got: data that were asked
 * for, a READ for the rest of a rendezvous, that a send may begin again. */
struct owed {
	struct umsg *msg;
	uint32_t offset, len;
	uint8_t kind; /* enum sent_kind */
};

struct pdc_dir {
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
	uint64_t in_flight; /* bytes not acknowledged */
	bool timer;
	double window;                /* NSCC: bytes */
	uint64_t cut_until;           /* PSN: no other cut before it */
	int64_t rtt, rtt_min;         /* ps */
	uint64_t sent_bytes, granted; /* RCCC: bytes, ever */
	uint32_t credit_known;        /* credits the receiver knows of */
	int64_t starved;              /* ps: without credit since, -1 not */
	uint32_t starved_for;         /* bytes that it lacks the credit for */
	uint64_t cleared;             /* CLEAR_PSN as it was sent last */
	int64_t heard, spoke;         /* ps, the last time */
	int64_t probed;               /* ps, -1 never */
	uint16_t opaque;              /* of the last PROBE */
	bool probe_timer;

	/* receiver */
	uint8_t *got; /* enum got, by PSN from start on */
	size_t n_got, cap_got;
	uint64_t expected, top; /* first not here; last here, +1 */
	uint64_t bytes;         /* received */
	uint32_t since_ack, out_of_order;
	bool ack_timer;
	struct pkt unanswered;      /* the last one that no ACK was sent for */
	uint32_t held;              /* responses kept */
	uint64_t held_from;         /* PSN: none before it */
	int64_t held_reported_ns;   /* ps: the other end was asked to clear */
	bool held_timer, held_back; /* CACK was, because of them ... */
	bool stalled;               /* ... and may go on: nobody knows yet */
	uint32_t deferrables;
	bool nacked;            /* ROD_OOO has been said of this gap */
	uint64_t wanted, given; /* RCCC: bytes, ever */
	bool in_line;
	struct pdc_dir *after; /* in line for credits */
};

struct pdc {
	struct pdc *older; /* of all */
	struct qp *q;      /* the initiator's end */
	uint16_t id[2];    /* the initiator's, the target's; 0 none */
	struct pdc_dir pdc_dir[2];
	uint32_t messages; /* begun in it */
	uint32_t undone;   /* of these, not completed */
	bool known;        /* the initiator has heard from the target */
	bool closing, closed,
		target_closed; /* CLOSE sent; closed here; at the target */
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

enum got { GOT_NOT, GOT_IT, GOT_AND_HOLD };

static inline struct qp *dir_to(const struct pdc_dir *l)
{
	return l->from->peer;
}

static inline bool dir_is_return(const struct pdc_dir *l)
{
	return l == &l->pdc->pdc_dir[1];
}

static inline struct pdc_dir *dir_back(struct pdc_dir *l)
{
	return &l->pdc->pdc_dir[!dir_is_return(l)];
}

/* Do its operation's packets bring the old value back? */
static inline bool uet_fetches(const struct umsg *m)
{
	return m->m->op == MSG_CAS || m->m->op == MSG_ADD;
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
void uet_completed(struct sim *s, struct pdc_dir *l, struct umsg *m);
struct umsg *uet_message(struct sim *s, struct qp *q, enum msg_op op,
			 uint64_t bytes);
/* |m| is to be sent, all of it, before what has not begun. */
void uet_begin_again(struct uet *u, struct umsg *m);
void uet_leave(struct uet *u, const struct umsg *m); /* ... or not, for now */

/* uet_send.c */
struct pkt *dir_next(struct sim *s, struct pdc_dir *l);
bool dir_pending(const struct pdc_dir *l);
void dir_repeat(struct sim *s, struct pdc_dir *l, uint64_t psn,
		enum pkt_trigger why, bool busy);
void dir_go_back(struct sim *s, struct pdc_dir *l, enum pkt_trigger why);
void dir_arm(struct sim *s, struct pdc_dir *l);
struct sent *dir_sent(struct pdc_dir *l, uint64_t psn);
bool dir_over(const struct pdc_dir *l); /* nothing goes any more */
void dir_owe(struct sim *s, struct pdc_dir *l, enum sent_kind kind,
	     struct umsg *m, uint32_t offset, uint32_t len);
void dir_acknowledged(struct sim *s, struct pdc_dir *l, uint64_t psn);
/* A packet without a PSN of its own, from one end of the context to the other:
 * ACK, NACK, control packet; about PDC direction |l|. */
struct pkt *uet_packet(struct sim *s, struct pdc_dir *l, struct qp *from,
		       enum pkt_class class, uint8_t type, uint64_t psn);
void uet_send_now(struct sim *s, struct qp *from, struct pkt *p);

/* uet_fill.c */
uint8_t fill_type(const struct pdc_dir *l, const struct sent *t);
void fill_message(const struct pdc_dir *l, const struct sent *t, struct pkt *p);
bool fill_ends(const struct sent *t); /* the last of its message? */
/* The answer to |psn| goes into |p|, an ACK. */
void fill_answer(struct pdc_dir *l, uint64_t psn, struct pkt *p);
/* Does the ACK of |t| bring what it asks for? */
bool fill_inline(const struct pdc_dir *l, const struct sent *t);

/* uet_take.c */
bool dir_has(const struct pdc_dir *l, uint64_t psn); /* the receiver, it */
void dir_fill_sack(const struct pdc_dir *l, struct uet_head *u, uint64_t psn);
void dir_acknowledge(struct sim *s, struct pdc_dir *l, const struct pkt *to);
void dir_refuse(struct sim *s, struct pdc_dir *l, const struct pkt *to,
		uint8_t code);
/* All that an ACK says of what was sent. */
void dir_hear(struct sim *s, struct pdc_dir *l, const struct pkt *p);

/* uet_hold.c: the receiver of |l|.  Is the response to |t| to be kept? */
bool hold_is_due(const struct pdc_dir *l, const struct sent *t);
bool hold_room(const struct pdc_dir *l, uint64_t psn);
void hold_keep(struct sim *s, struct pdc_dir *l, uint64_t psn);
/* What the initiator has: everything up to |psn|.  True when a CACK that was
 * held back may go on. */
bool hold_release(struct sim *s, struct pdc_dir *l, uint64_t psn);
uint64_t hold_cack(struct pdc_dir *l);
bool hold_wants_clear(const struct pdc_dir *l);
/* ... and the sender: what may be cleared, and telling so. */
bool hold_waits(const struct pdc_dir *l, const struct sent *t);
void hold_clear(struct sim *s, struct pdc_dir *l, bool asked);

/* uet_ask.c */
void ask_arm(struct sim *s, struct pdc_dir *l);
void ask_negotiate(struct sim *s, struct pdc_dir *l, struct qp *from);
void ask_take_probe(struct sim *s, struct pdc_dir *l, const struct pkt *p);
void ask_take_probed(struct sim *s, struct pdc_dir *l, const struct pkt *p);
void ask_take_ack_req(struct sim *s, struct pdc_dir *l, const struct pkt *p);

/* uet_meet.c.  The first of a message that may be deferred: is it? */
void meet_look(struct pdc_dir *l, struct sent *t);
void meet_deferred(struct sim *s, struct pdc_dir *l, struct sent *t);
void meet_rest(struct sim *s, struct pdc_dir *l, struct umsg *m);
void meet_reported(struct sim *s, struct pdc_dir *l,
		   struct sent *t); /* initiator */
void meet_restart(struct sim *s, struct pdc_dir *l, struct umsg *m);

/* uet_cc.c.  May |bytes| more of payload go? */
bool cc_room(const struct pdc_dir *l, uint32_t bytes);
void cc_sent(struct sim *s, struct pdc_dir *l, uint32_t bytes);
void cc_acknowledged(struct pdc_dir *l, uint32_t bytes, bool marked);
void cc_refused(struct pdc_dir *l, uint32_t bytes);
/* There is no room for that.  |asks|: and nothing else in its way, so that it
 * asks for more. */
void cc_waits(struct sim *s, struct pdc_dir *l, uint32_t bytes, bool asks);
void cc_fill_request(struct pdc_dir *l, struct pkt *p);
void cc_fill_ack(const struct pdc_dir *l, struct pkt *p, int64_t turnaround);
/* Credits: asked for by a request or CREDIT_REQ, given by an ACK or CREDIT. */
void cc_wanted(struct sim *s, struct pdc_dir *l, uint64_t bytes);
void cc_granted(struct sim *s, struct pdc_dir *l, uint64_t bytes);
void cc_beg(struct sim *s, struct pdc_dir *l);

#endif

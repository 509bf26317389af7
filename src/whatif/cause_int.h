/* SPDX-License-Identifier: GPL-2.0-or-later
 * What cause.c and begin.c share: what came about at each host, and what is
 * known of when it began. */
#ifndef FABSCOPE_WHATIF_CAUSE_INT_H
#define FABSCOPE_WHATIF_CAUSE_INT_H

#include "whatif/whatif_int.h"

enum {
	SLACK = 2000, /* ns: the next message of a busy flow follows so soon;
			* clocks of taps and paths to them differ as much */
	HABITS = 32,  /* different ones that are counted, a flow */
	EARLIER = 32, /* things before a begin that are looked at */
	MOSTLY = 10,  /* all but one in so many */
	IDLE = 20000, /* ns: a host that waits so long was computing */
};

struct happened {
	int64_t at;
	uint32_t node, send;
	bool acked;
};

/* Message n of a flow follows message n + |shift| of flow |of|, or its ACK. */
struct habit {
	uint32_t of;
	bool acked;
	int64_t shift;
	uint32_t votes;
	double ago;    /* ns, sum: how long before */
	double square; /* of these, sum */
	bool regular;  /* nearly as many votes as any */
};

/* A host began again after a long time. */
struct begin {
	int64_t at;
	int64_t before;  /* that of the one before it */
	uint32_t number; /* iterations before the next one */
	uint32_t send;   /* the first of those that it sent then */
};

/* So long before a begin something came about. */
struct lag {
	int64_t ns, at;
	uint32_t send; /* that began */
	bool acked;
};

/* What hosts wait for before they compute. */
enum awaits { BOTH, DATA, ACKS, KINDS };

/* Begins of the hosts of a job, if they wait for this: how many take as long as
 * others of their host, and the squares of by how much these differ. */
struct fit {
	double n, square;
};

struct causing {
	struct wi_world *w;
	struct happened *all; /* by node, then time */
	size_t *from;         /* by node, and one more */
	uint32_t *turn;       /* of each send in its flow */
	uint32_t *start;      /* of each flow in |order|, and one more */
	uint32_t *order;      /* sends by flow, then time */
	bool *overlaps; /* flows of which a message began before the ACK of the
			 * one before it */
	struct habit (*habits)[HABITS]; /* by flow; most votes first */
	struct begin *begins;           /* by node: the last */
	uint32_t *ahead;  /* by turn: flows of a host that sent it */
	uint32_t *prompt; /* by flow: iterations that it begins with its host */
	uint32_t *n_begins; /* by node: with that of the capture */
	bool *quiet; /* sends before which their host sent nothing for long */
	int64_t *ready;   /* for these: when it had what it needed; -1 */
	int64_t *tried;   /* |ready| by kind of what is awaited, then send */
	struct fit *fits; /* by job, then kind */
	int64_t *since;   /* when the host sent something before */
	struct lag *lags;
	size_t n_lags;
	size_t *mine;     /* by node, and two more: where in |sent| */
	uint32_t *sent;   /* sends by node, then time */
	uint32_t *starts; /* the quiet ones, by node, then time */
	size_t n_starts;
	uint32_t *seen; /* per send: lags in the window */
	/* Begins; those of hosts that had not the ACK of what they sent last,
	 * those without one of what they sent before that, and those without
	 * one of their own flow. */
	uint32_t n_begun, without_last, without_other, without_own;
};

/* cause.c */
/* Behind the latest thing at the host of |k| that may have let it begin.  What
 * happened at the same time is of messages before it: where a clock stands
 * still, all of them have one time, and no others are to be passed over. */
size_t wi_lately(const struct causing *c, uint32_t k);
/* It stood behind the one before it in its flow. */
bool wi_is_queued(const struct causing *c, uint32_t k);
/* |of| is the last thing that the host of |k| sent before it. */
bool wi_is_last(const struct causing *c, uint32_t k, uint32_t of);
/* |of| is of the flow of |k|. */
bool wi_is_own(const struct causing *c, uint32_t k, uint32_t of);

/* begin.c: |quiet| where hosts begin, |ready| and what is counted of them. */
void wi_find_begins(struct causing *c);
/* |k| is the first of its flow in the iteration that its host begins for the
 * |number|th time. */
bool wi_is_first(const struct causing *c, uint32_t k, uint32_t number);

#endif

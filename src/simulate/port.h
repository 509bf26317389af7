/* SPDX-License-Identifier: GPL-2.0-or-later
 * One end of a link: queues, transmission, pauses obeyed, faults on the way. */
#ifndef FABSCOPE_SIMULATE_PORT_H
#define FABSCOPE_SIMULATE_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "simulate/rng.h"
#include "simulate/tapset.h"

struct pkt;
struct port;
struct qp;
struct sim;

enum fault_kind { FAULT_DROP, FAULT_DAMAGE, FAULT_FCS, FAULT_DELAY };

/* What a link direction does to packets that fit all that is asked. */
struct fault {
	struct fault *next;
	enum fault_kind kind;
	const struct qp *qp;  /* packets of this pair only, or NULL */
	uint32_t classes;     /* bit per enum pkt_class */
	int64_t from, to;     /* ps; to 0: for ever */
	uint64_t first, last; /* distance of the PSN from the first one */
	bool psns;            /* first and last are asked for */
	bool originals;       /* first transmissions only */
	bool tail;            /* packets that end a message only */
	bool naks;            /* AETH that is no ACK only */
	uint64_t every;       /* each n-th that fits, 0: by chance */
	double chance;
	uint64_t limit;     /* 0: no limit */
	uint32_t burst;     /* packets in a row, 1 or more */
	int64_t by, jitter; /* FAULT_DELAY: ps, and up to so many more */
	uint64_t seen, hits;
	uint32_t running; /* of a burst, still to come */
	struct rng rng;
};

void fault_free(struct fault *f);

/* Puts |p| into the queue of its priority and sees to its sending. */
void port_send(struct sim *s, struct port *port, struct pkt *p);

/* Sends if there is something to send and nothing forbids it. */
void port_kick(struct sim *s, struct port *port);

bool port_paused(const struct sim *s, const struct port *p, unsigned prio);

/* Takes both directions of a link away or gives them back. */
void port_set_down(struct sim *s, struct port *port, bool down);

/* "a->b", with "#n" where there are parallel links. */
void port_name(const struct port *port, char out[static 80]);

/* Closes the open pause intervals at the end of the run. */
void port_finish(struct sim *s, struct port *port);

/* Taps |p| would still meet from here: on the link that |port| transmits
 * into, behind |port|'s queue, or inside node |n|.  Where a choice by chance
 * lies ahead, only those before it. */
struct node;
tapset ahead_link(struct sim *s, const struct port *port, const struct pkt *p);
tapset ahead_egress(struct sim *s, const struct port *port,
		    const struct pkt *p);
tapset ahead_node(struct sim *s, const struct node *n, const struct pkt *p);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * UEC credit-based flow control of one link direction (UEC CBFC; nothing to
 * do with PFC, which has been called that as well). */
#ifndef FABSCOPE_SIMULATE_CBFC_H
#define FABSCOPE_SIMULATE_CBFC_H

#include <stdbool.h>
#include <stdint.h>

struct pkt;
struct port;
struct sim;

/* The sender's side, on the port that transmits; virtual channel n carries
 * priority n.  Counters go on for ever and are cut to 20 bits on the wire. */
struct cbfc {
	uint32_t limit, cell;  /* credits a channel; bytes a credit */
	int64_t period;        /* ps between CC_Updates */
	uint32_t consumed[8];  /* credits, ever */
	uint32_t freed[8];     /* of these, given back */
	uint32_t forgotten[8]; /* of lost frames: the next CC_Update tells */
};

/* Turns it on for what |port| sends. */
void cbfc_start(struct sim *s, struct port *port, uint32_t limit, uint32_t cell,
		int64_t period);

/* May |bytes| more go?  If not, and |waiting|, that is a starvation. */
bool cbfc_room(struct sim *s, struct port *port, unsigned prio, uint32_t bytes,
	       bool waiting);

void cbfc_sent(struct port *port, const struct pkt *p);
/* What |port| sent has left the buffer at the other end, was lost on the way
 * there; a CC_Update of |port| has arrived. */
void cbfc_freed(struct sim *s, struct port *port, unsigned prio,
		uint32_t bytes);
void cbfc_lost(struct port *port, const struct pkt *p);
void cbfc_updated(struct sim *s, struct port *port);

/* The 60 bytes of a CC_Update. */
void cbfc_frame(const struct pkt *p, uint8_t *o);

#endif

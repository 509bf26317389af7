/* SPDX-License-Identifier: GPL-2.0-or-later
 * Priority flow control: asking a neighbour to be silent, and obeying. */
#ifndef FABSCOPE_SIMULATE_PFC_H
#define FABSCOPE_SIMULATE_PFC_H

#include <stdbool.h>
#include <stdint.h>

struct pause_truth;
struct pkt;
struct port;
struct sim;
struct switch_config;

/* What came in by |in| and is still stored has grown, or has shrunk. */
void pfc_filled(struct sim *s, struct port *in, unsigned prio,
		const struct switch_config *c);
void pfc_drained(struct sim *s, struct port *in, unsigned prio,
		 const struct switch_config *c);

/* Sends one pause frame by |port|: |quanta| 0 is XON.  |asks| is the record of
 * the interval that it belongs to, or NULL. */
void pfc_send(struct sim *s, struct port *port, unsigned prio, uint16_t quanta,
	      struct pause_truth *asks);

/* A pause frame came in by |port|: what |port| sends is to wait. */
void pfc_obey(struct sim *s, struct port *port, const struct pkt *p);

/* ps of |quanta| at |bps|. */
int64_t pfc_ps(uint32_t quanta, uint64_t bps);

#endif

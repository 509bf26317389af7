/* SPDX-License-Identifier: GPL-2.0-or-later
 * An output-queued switch with one shared buffer. */
#ifndef FABSCOPE_SIMULATE_SWITCH_H
#define FABSCOPE_SIMULATE_SWITCH_H

struct node;
struct pkt;
struct port;
struct sim;

/* |p| came in by |in|. */
void switch_take(struct sim *s, struct port *in, struct pkt *p);

/* |p| starts to leave by |out|: marked and stamped. */
void switch_leaving(struct sim *s, struct port *out, struct pkt *p);

/* |p| has left by |out|: its buffer is free again. */
void switch_released(struct sim *s, struct port *out, struct pkt *p);

/* The port |p| would leave by, NULL where chance decides or none is there. */
const struct port *switch_foresee(struct sim *s, const struct node *n,
				  const struct pkt *p);

/* The PFC watchdog has had enough of |out|. */
void switch_flush(struct sim *s, struct port *out, unsigned prio);

#endif

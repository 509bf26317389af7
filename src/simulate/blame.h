/* SPDX-License-Identifier: GPL-2.0-or-later
 * Who is behind a pause, found by looking into the queues as they are. */
#ifndef FABSCOPE_SIMULATE_BLAME_H
#define FABSCOPE_SIMULATE_BLAME_H

struct pause_truth;
struct port;
struct sim;

/* |in| begins to send PFC pause: why, and whose pause is at the root. */
void blame_pause(struct sim *s, const struct port *in,
		 struct pause_truth *pause);

/* |port| has just been paused: does that close a circle of pauses? */
void blame_cycle(struct sim *s, struct port *port, unsigned prio);

/* The silence of |port| is over, or the run is: who waited? */
void blame_victims(struct sim *s, struct port *port, unsigned prio);

#endif

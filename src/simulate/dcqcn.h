/* SPDX-License-Identifier: GPL-2.0-or-later
 * DCQCN: notifications paced by the receiver, rates kept by the sender. */
#ifndef FABSCOPE_SIMULATE_DCQCN_H
#define FABSCOPE_SIMULATE_DCQCN_H

#include <stdint.h>

struct cnp_truth;
struct pkt;
struct qp;
struct sim;

/* The constants of the paper (SIGCOMM 2015). */
struct dcqcn_constants {
	double g;
	int64_t alpha_timer, rate_timer; /* ps: K and T */
	uint64_t byte_counter;           /* B */
	uint32_t fast;                   /* F: stages of fast recovery */
	double additive, hyper;          /* bit/s */
	double slowest;                  /* bit/s */
	int64_t cut_period;              /* ps: at most one cut in it */
};
struct dcqcn_constants dcqcn_defaults(void);

/* |q| got |p| marked CE: perhaps it answers with a CNP. */
void dcqcn_marked(struct sim *s, struct qp *q, const struct pkt *p);

/* Sends a CNP to |q|'s peer for no reason (a broken NIC). */
void dcqcn_idle(struct sim *s, struct qp *q);

/* |q| got a CNP; |c| is its record. */
void dcqcn_notified(struct sim *s, struct qp *q, struct cnp_truth *c);

/* |q| sent |p|: when may it send the next? */
void dcqcn_sent(struct sim *s, struct qp *q, const struct pkt *p);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A host and its network adapter: which QP sends next, what becomes of what
 * arrives. */
#ifndef FABSCOPE_SIMULATE_HOST_H
#define FABSCOPE_SIMULATE_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "simulate/world.h"

/* QPs that may have something to send take turns, in two lines a priority:
 * acknowledgements before data. */
enum nic_line { LINE_ACK, LINE_DATA, LINES };

struct pdc_dir;

enum cnp_scope { CNP_QP, CNP_IP, CNP_PORT };

/* The QPs that one port of the adapter sends for. */
struct nic_queue {
	struct qp *head[PRIORITIES][LINES], *tail[PRIORITIES][LINES];
	uint8_t waiting; /* bit per priority: a QP is in one of its lines */
};

struct nic {
	struct host *host;
	struct nic_queue of_port[HOST_PORTS];

	/* congestion notification, as the receiver of marked packets */
	enum cnp_scope cnp_scope;
	int64_t cnp_interval; /* ps */
	int64_t cnp_last;     /* CNP_PORT */
	int64_t *cnp_last_to; /* CNP_IP, by host number */
	int64_t cnp_delay;    /* ps it takes to send one */
	int64_t cnp_idle;     /* ps between CNPs for nothing; 0: none */
	bool no_cnp;          /* never sends a CNP */

	/* contexts of UET: ids in use; those it is the target of, and how many
	 * it can be of (0: any number) */
	uint8_t *pdc_used;
	uint32_t pdcs, pdc_most;
	struct pdc_dir *wants, *wants_end; /* waiting for credits */
	bool granting;

	/* a bus that feeds data more slowly than the link takes it; 0: never */
	uint64_t feed_bps;
	int64_t fed_at; /* ps, when the next data is there */

	/* a receiver that cannot keep up: 0 is one that can */
	uint64_t drain_bps;
	int64_t stuck_from, stuck_to; /* takes nothing at all */
	struct pkt_fifo rx;
	bool draining;
	struct switch_config pfc; /* xoff, xon, quanta of its buffer */

	int64_t clock_offset; /* ps: the host's clock is ahead; see record.c */
	double clock_drift;   /* ppm */

	/* a broken NIC that sends PFC pause for no reason */
	int64_t storm_from, storm_to, storm_every;
	uint8_t storm_prio;
	uint16_t storm_quanta;
	bool storm_global;
	struct pause_truth *storm;
};

struct nic *nic_new(struct sim *s, struct host *h);
void nic_free(struct nic *n);

/* What ECMP makes of |p| when it comes from |h|. */
uint32_t nic_hash(const struct host *h, const struct pkt *p);

/* The port that |q| sends by: of a bond of two, a hash of its addresses and UDP
 * port says which, as long as it is up. */
struct port *host_port(const struct qp *q);

/* |q| may have something to send. */
void nic_ready(struct sim *s, struct qp *q, enum nic_line line);

/* What the adapter of |port|'s host has for it, NULL of a switch. */
const struct nic_queue *nic_queue_of(const struct port *port);

/* Has a QP of |prio| something that it could send by |port|? */
bool nic_pending(const struct sim *s, const struct port *port, unsigned prio);

/* The next packet of |prio|, NULL when no QP has any. */
struct pkt *nic_pull(struct sim *s, const struct port *port, unsigned prio);

/* A port of |h| has gone down or come back: its QPs go by another one. */
void nic_rehash(struct sim *s, struct host *h);

/* Fills in what the adapter gives a packet (addresses, IP-ID, length) and
 * enters it into the record as sent. */
void nic_dress(struct sim *s, struct host *h, struct pkt *p);

/* A frame is in: it is worked on after the turnaround time. */
void host_arrive(struct sim *s, struct port *in, struct pkt *p);

void nic_start_storm(struct sim *s, struct nic *n);
void nic_start_idle_cnps(struct sim *s, struct nic *n);

#endif

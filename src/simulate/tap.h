/* SPDX-License-Identifier: GPL-2.0-or-later
 * Taps: copies of what passes one direction of a link, with the faults that
 * mirrors have. */
#ifndef FABSCOPE_SIMULATE_TAP_H
#define FABSCOPE_SIMULATE_TAP_H

#include <stdbool.h>
#include <stdint.h>

#include "simulate/rng.h"
#include "simulate/tapset.h"

struct err;
struct pcapng_writer;
struct pkt;
struct port;
struct second;
struct sim;

enum tap_wrap { WRAP_NONE, WRAP_ERSPAN2, WRAP_ERSPAN3, WRAP_VXLAN };

struct tap_config {
	uint32_t snaplen; /* 0: whole frames */
	enum tap_wrap wrap;
	uint16_t session;
	bool link_control;          /* sees pause frames (an optical tap) */
	double loss, doubled;       /* of copies */
	uint32_t loss_burst;        /* copies lost in a row, 1 or more */
	bool lost_before_numbering; /* ERSPAN numbers show no gap */
	int64_t double_after;       /* ps to the second copy */
	bool double_hop;    /* it is the copy of the next hop: TTL, MAC */
	int64_t jitter;     /* ps, uniform, added to the stamp */
	int64_t offset;     /* ps, clock against true time */
	double drift;       /* ppm */
	int64_t resolution; /* ps, stamps are cut to it */
	uint64_t rate;      /* bit/s of the mirror port, 0 unlimited */
	uint64_t buffer;    /* bytes in front of it */
	int64_t from, to;   /* ps: capture runs; to 0: until the end */
};

struct tap {
	struct tap *next; /* on the same port and side */
	char name[32];
	uint32_t index;          /* in tapsets */
	int interface;           /* of the writer */
	const struct port *port; /* who transmits what is copied */
	bool at_rx;              /* at the receiving end of the link */
	struct tap_config config;
	struct rng rng;
	uint32_t numbered;  /* next ERSPAN sequence number */
	uint32_t burst;     /* copies still to lose */
	int64_t busy_until; /* mirror port, ps */
	struct tap *with;   /* whose interface and session it shares */
	struct pcapng_writer *writer; /* borrowed unless own_file */
	bool own_file;
	struct second *seconds, **seconds_end; /* doubles on their way */
	uint64_t passed, captured, missed, doubled, outside;
};

/* |port| transmits into the link; at_rx copies at its far end. */
struct tap *tap_new(struct sim *s, const char *name, struct port *port,
		    bool at_rx, const struct tap_config *c, struct err *err);

/* One pcapng for all taps; or, with |each|, one a tap: "out.NAME.pcapng" for
 * "out.pcapng". */
int taps_open(struct sim *s, const char *path, bool each, const char *comment,
	      struct err *err);
int taps_close(struct sim *s, struct err *err);

/* A frame passes the taps of list |t|. */
void taps_pass(struct sim *s, struct tap *t, struct pkt *p);

bool tap_running(const struct tap *t, int64_t ps);
/* |set| and those of list |t| that run now. */
tapset taps_running(struct sim *s, const struct tap *t, tapset set);

void tap_free(struct tap *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sums of what switches reported, inside of path.c and outcome.c. */
#ifndef FABSCOPE_FLOW_CORE_SAMPLE_H
#define FABSCOPE_FLOW_CORE_SAMPLE_H

#include "flow/core/flow.h"
#include "flow/core/histogram.h"
#include "flow/telemetry/path.h"

enum {
	SAMPLES_MAX = 12288, /* some 20 MB */
	SAMPLE_NONE = UINT16_MAX,
	HOPS_MAX = FACT_PATH_HOPS,
};

_Static_assert(SAMPLES_MAX < SAMPLE_NONE, "16 bits are kept of it");

enum sample_kind { SAMPLE_HOP = 1, SAMPLE_PATH, SAMPLE_CSIG, SAMPLE_DEPTH };

/* No padding: compared as memory. */
struct sample_key {
	uint32_t tap, flow;      /* flow 0: all of the tap */
	int64_t what;            /* device, hash of devices, signal */
	int64_t ingress, egress; /* of csig: locator */
	int32_t queue;
	uint32_t kind;
};

/* Packets of one kind, and how long those that reported it were kept. */
struct kept {
	uint64_t packets, n;
	int64_t sum;
};

/* Time here (x) beside time until the answer (y) of the same packets. */
struct answers {
	uint64_t packets, n; /* n: of which x is known, too */
	int64_t sum, max;
	double x, y, xx, yy, xy; /* means, and sums of products around them */
};

struct sample {
	struct sample_key key;
	struct histogram histogram;
	uint64_t packets, congested, slowest;
	struct kept marked, lost;
	struct answers answers;
	int64_t max_ns; /* when the largest was, and in which frame */
	uint64_t max_frame;
	int16_t ttl;
	uint16_t index;
	uint16_t depth; /* of a hop: its SAMPLE_DEPTH + 1; 0 none */
	uint8_t position, n_hops;
	int64_t device[HOPS_MAX]; /* first hop first */
};

static inline void kept_add(struct kept *k, int64_t ns)
{
	k->packets++;
	if (ns < 0)
		return;
	k->n++;
	k->sum += ns;
}

/* ---- outcome.c: packets whose outcome is not known yet ---- */

struct telemetry_packet {
	int64_t ns;
	uint64_t frame;
	uint32_t flow, psn; /* flow 0: free */
	uint16_t tap;
	uint16_t path; /* samples; SAMPLE_NONE: none */
	uint8_t n_hops;
	uint8_t ce : 1;
	uint8_t waits : 1;   /* a verdict about it is under way */
	uint8_t has_row : 1; /* has a row as the neighbour of a loss */
	struct telemetry_hop {
		uint16_t own, all; /* samples: of the flow, of all flows */
		int32_t kept_ns;   /* negative: not reported */
	} hop[HOPS_MAX];           /* first hop first */
};

struct outcomes;
struct outcomes *outcomes_new(void);
void outcomes_free(struct outcomes *t);
/* path.c: never NULL while there are samples */
struct outcomes *path_outcomes(const struct engine *e);
struct sample *path_sample(const struct engine *e, uint16_t i);

/* Room for packet |psn| of |flow|, or NULL: then it is remembered already (a
 * copy must not replace it), or there is none. */
struct telemetry_packet *outcomes_take(struct outcomes *t, uint32_t flow,
				       uint32_t psn, int64_t ns);
/* It is known now what became of |p|: a row. */
void outcomes_row(struct engine *e, const struct telemetry_packet *p,
		  enum telemetry_fate fate, double confidence);

#endif

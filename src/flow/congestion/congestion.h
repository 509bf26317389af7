/* SPDX-License-Identifier: GPL-2.0-or-later
 * Congestion of one flow, and what its receiver makes of it.
 *
 * A flow gets a struct congestion with its first mark or its first CNP and is
 * |watched| from then on: its packets are counted, most of them on the short
 * path.  All others pay one test per packet.
 *
 *	ecn.c       marks: who gets a struct congestion, which marks a CNP may
 *	            answer
 *	cnp.c       CNPs: whom they throttle, after how long, and why when
 *	            nothing was marked
 *	reaction.c  rates before and after, and what the sender made of it
 *	np.c  receivers: how they pace CNPs
 *
 * Everything here is an aggregate of fixed size. */
#ifndef FABSCOPE_FLOW_CONGESTION_CONGESTION_H
#define FABSCOPE_FLOW_CONGESTION_CONGESTION_H

#include "flow/core/flow.h"

enum {
	SAMPLE_EVERY = 8, /* data packets between two samples of the rate */
	SAMPLES = 16,
	WINDOW = 12,      /* samples: 96 packets, +-1 % */
	WINDOW_LEAST = 3, /* 24 packets, +-5 % */
	MARKS_KEPT = 8,
	ODD_CAUSES = 6,
	CONGESTED_MAX = 1 << 14, /* flows watched; beyond it counted only */
};

/* Where the flow stood when every eighth data packet was seen. */
struct rate_sample {
	int64_t ns, gap; /* gap: the longest since the sample before */
	uint64_t bytes;
	uint64_t all;   /* of everything at its tap; 0 unknown */
	bool disturbed; /* by a recovery or a refusal since then */
	bool paused;    /* by the port it goes to */
};

/* The last samples as one. */
struct rate_window {
	int64_t ns; /* 0: too few packets */
	int64_t bps;
	uint64_t bytes, all; /* all: 0 unknown */
	bool backlogged, disturbed, paused;
};

/* Marks that the next CNP may answer.  |recent| is a ring of the last ones;
 * |first| is the first since the CNP before, |carried| the first of those that
 * were still on their way when that CNP was seen. */
struct marks {
	int64_t first, carried;
	int64_t recent[MARKS_KEPT];
	uint32_t n;   /* ever */
	uint32_t set; /* since the CNP before */
};

/* CNPs without a mark, by cause (cnp.c). */
struct odd {
	uint32_t n, tap;
	int64_t ns;
	uint64_t frame;
};

/* From a CNP until its effect has been seen; CNPs meanwhile share it. */
struct round {
	bool open, begun;
	int64_t from; /* an effect shows from here on */
	unsigned samples;
	uint32_t cnps, before_cnps; /* in it, and of the burst before it */
	struct rate_window before;
	struct fact_cnp cnp;
};

/* CNPs that follow each other closely. */
struct burst {
	uint32_t cnps;
	int64_t first, last;
	int64_t bps; /* before it; 0 unknown */
	/* windows after many CNPs: how many, the lowest rate */
	uint32_t late;
	int64_t late_low;
};

struct np;

struct congestion {
	int64_t last_ns; /* data packet */
	uint64_t bytes;
	int64_t gap;
	int64_t sample_ns; /* the latest sample, 0 none */
	uint32_t packets, retransmitted, refused;
	struct np *np; /* NULL: too many */
	struct rate_sample samples[SAMPLES];
	uint32_t n_samples; /* ever */
	struct marks marks;
	int64_t cnp_ns;   /* the latest CNP, 0 none */
	int64_t cnp_gap;  /* the shortest between two */
	int64_t peak_bps; /* the highest window before a CNP */
	int64_t walk_ns;  /* np.c */
	uint32_t missing; /* flow.missing at the latest CNP */
	uint16_t cnp_ip_id;
	bool cnp_odd; /* the latest CNP, as if marked behind here */
	uint64_t cnp_frame;
	uint8_t cnp_attribution;
	struct odd odd[ODD_CAUSES];
	struct round round;
	struct burst burst;
	struct fact_congestion fact;
};

/* ecn.c */

/* NULL: there are too many, or no memory. */
struct congestion *congestion_get(struct engine *e, struct flow *f);
/* Can it be congested?  Neither CNPs nor bare answers are. */
static inline bool congestion_is_data(const struct engine *e, uint8_t kind,
				      uint8_t opcode)
{
	return kind != PACKET_CNP && (e->op[opcode] & (IS_REQUEST | IS_DATA));
}
/* A data packet of |f| is marked, the first of all or one more.  NULL: too many
 * flows are. */
struct congestion *congestion_mark(struct engine *e, struct flow *f,
				   bool response, uint32_t psn, int64_t ns);
/* The marks that a CNP passing at |ns| may answer.  False: none. */
bool marks_answered(const struct flow *f, const struct congestion *c,
		    int64_t ns, int64_t *first, int64_t *last);
/* They have been answered. */
void marks_flush(const struct flow *f, struct congestion *c, int64_t ns);

/* reaction.c */

/* Every SAMPLE_EVERY-th data packet; |held|: by pauses of
 * the port it goes to. */
void reaction_sample(struct engine *e, struct flow *f, struct congestion *c,
		     int64_t ns, uint32_t tap, bool held);
/* A data packet; does a sample follow it? */
static inline bool reaction_count(struct congestion *c, int64_t ns,
				  uint32_t bytes)
{
	int64_t gap = ns - c->last_ns;

	if (c->packets && gap > c->gap)
		c->gap = gap;
	c->last_ns = ns;
	c->bytes += bytes;
	return ++c->packets % SAMPLE_EVERY == 0;
}
/* congestion_packet() of data, where nobody looks for stalls: on the short
 * paths.  |p| stays in registers. */
static inline __attribute__((always_inline)) void
congestion_usual(struct engine *e, struct flow *f, const struct packet *p)
{
	struct congestion *c = f->congestion;

	if (__builtin_expect((p->tos & 3) == ECN_CE, 0))
		c = congestion_mark(e, f, e->op[p->opcode] & IS_RESPONSE,
				    p->psn, p->ns);
	if (c && reaction_count(c, p->ns, p->wire_len))
		reaction_sample(e, f, c, p->ns, p->tap, false);
}
void reaction_packet(struct engine *e, struct flow *f, struct congestion *c,
		     const struct packet *p);
/* The packets before |psn|, as far as they are remembered. */
void reaction_look_back(struct engine *e, struct flow *f, struct congestion *c,
			bool responses, uint32_t psn);
/* A CNP for |f|: hands |row| out now or, with what followed, later. */
void reaction_cnp(struct engine *e, struct flow *f, struct congestion *c,
		  const struct fact_cnp *row);
void reaction_finish(struct engine *e, struct flow *f, struct congestion *c);

/* np.c */
struct nps;
/* The receiver |addr| seen from |place|, made when new; NULL: too many. */
struct np *np_get(struct engine *e, struct addr addr, uint32_t place,
		  uint32_t tap);
/* A marked packet of |c| on its way to it; |route| is that of its answers. */
void np_mark(struct engine *e, struct np *np, struct congestion *c,
	     uint32_t route, int64_t ns);
/* It sent a CNP at |ns|; |c| may be NULL, |route| is that of the CNP. */
void np_cnp(struct engine *e, struct np *np, struct congestion *c,
	    uint32_t route, int64_t ns);
/* So long from the mark to its CNP. */
void np_took(struct np *np, int64_t ns);
/* The slowest known, 0 none. */
int64_t np_slowest(const struct np *np);
/* No CNP left it in the time before |ns| that it could still be pacing. */
bool np_was_quiet(const struct np *np, int64_t ns);

/* ecn.c, cnp.c: congestion */
void congestion_packet(struct engine *e, struct flow *f,
		       const struct packet *p); /* marked, or watched */
void congestion_finish(struct engine *e, struct flow *f);
void congestion_free(struct flow *f);
/* |g| is the flow that the CNP belongs to, not the one it throttles. */
void cnp_packet(struct engine *e, struct flow *g, const struct packet *p);
/* |g| is paired now: what came meanwhile was for its peer. */
void cnp_replay_held(struct engine *e, struct flow *g);
/* |f| was refused a packet (NAK) at |ns|. */
void cnp_nak(struct flow *f, int64_t ns);
void nps_finish(struct engine *e);
void nps_free(struct engine *e);

#endif

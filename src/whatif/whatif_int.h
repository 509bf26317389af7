/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the parts of a prediction share: see whatif.h. */
#ifndef FABSCOPE_WHATIF_WHATIF_INT_H
#define FABSCOPE_WHATIF_WHATIF_INT_H

#include "whatif/whatif.h"

enum {
	CAUSES = 100,    /* of one message */
	PATH_NODES = 8,  /* of a flow, as fabscope simulate takes them */
	SWITCH_NS = 400, /* until it forwards, as fabscope simulate has it */
	ACK_BYTES = 86,  /* of RoCEv2 on a link, with preamble and gap */
};

struct wi_node {
	char name[WHATIF_NAME]; /* as in the database, whoever wrote it */
	bool is_switch;
	unsigned taps;
	uint64_t bps;      /* of its fastest link; 0 none */
	int64_t answer_ns; /* shortest time from data that passes the capture
			    * point next to it to its ACK there; 0 unknown */
};

struct wi_link {
	uint32_t a, b; /* nodes */
	uint64_t bps;
};

struct wi_flow {
	int64_t id;
	const char *service; /* of a scenario */
	uint32_t src, dst;   /* nodes */
	uint32_t pmtu;
	bool ecn, reacts; /* are ECN-capable; reduces its rate by CNPs */
	uint64_t goodput;
	bool slowed;              /* by CNPs */
	bool used;                /* some message is sent */
	uint32_t via[PATH_NODES]; /* switches that all of it passed */
	uint32_t n_via;
	uint64_t bps; /* its NIC sends no faster; 0 unknown */
};

/* A message, in ns from the first packet of the capture. */
struct wi_send {
	uint32_t flow;
	char op[8];
	int64_t first, last;
	int64_t completed; /* -1 not seen */
	uint64_t bytes;
	int64_t job; /* 0 none */
	/* cause.c: it waited for these, and then so long */
	uint32_t *after; /* numbers of sends, |n_after| */
	uint8_t *acked;  /* per cause: 1 its ACK, 0 its data */
	uint32_t n_after;
	int64_t wait;
};

struct wi_world {
	struct wi_node *nodes;
	size_t n_nodes;
	struct wi_link *links;
	size_t n_links;
	uint64_t fabric_bps; /* of the fastest link between switches */
	struct wi_flow *flows;
	size_t n_flows;
	struct wi_send *sends; /* in the order they began */
	size_t n_sends;
	int64_t *jobs; /* job.id */
	size_t n_jobs;
	uint64_t data, marked, lost, missing, pauses;
	int64_t delay_ns; /* of links between switches; 0 unknown */
};

/* world.c.  What stands in the way goes into |a|.  -1 and |err|. */
int wi_load(struct store *s, struct wi_world *w, struct whatif_answer *a,
	    struct err *err);
void wi_world_fini(struct wi_world *w);
/* Who has what |s| brings, and who sends it, as nodes. */
uint32_t wi_receiver(const struct wi_world *w, const struct wi_send *s);
uint32_t wi_sender(const struct wi_world *w, const struct wi_send *s);

/* How long so much takes onto a link, ns; 0 no link. */
int64_t wi_onto_link(double bytes, uint64_t bps);

/* cause.c */
int wi_causes(struct wi_world *w, struct err *err);

/* settings.c: as lines of a scenario, those of |set| before those of |now|.
 * -1 and |err|: a value that the simulator would not take. */
int wi_write_settings(const struct whatif_settings *now,
		      const struct whatif_settings *set, FILE *f,
		      struct err *err);
const char *wi_setting(const struct whatif_settings *now,
		       const struct whatif_settings *set, const char *name);

/* scenario.c: a scenario with the replay "r". */
int wi_write_scenario(const struct wi_world *w,
		      const struct whatif_settings *now,
		      const struct whatif_settings *set, FILE *f,
		      struct err *err);
/* ... and what fabscope simulate needs to make captures of it. */
void wi_write_taps(const struct wi_world *w, FILE *f);

/* spread.c: what a run says, as the logarithm of its time over the captured
 * one. */
struct wi_guess {
	double change, weight;
};

/* Range and direction of |t|, whose |measured| is set.  |error|: how far the
 * model is from the capture. */
void wi_spread(const struct wi_guess *g, size_t n, double error,
	       struct whatif_time *t);

__attribute__((format(printf, 2, 3))) void wi_refuse(struct whatif_answer *a,
						     const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void wi_assume(struct whatif_answer *a,
						     const char *fmt, ...);

#endif

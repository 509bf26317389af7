/* SPDX-License-Identifier: GPL-2.0-or-later
 * Rounds: all ranks exchange data with all, each flow once, and as much as
 * there is this time.
 *
 * Experts get as many tokens as are routed to them, so neither the bytes of a
 * flow nor those of all tell where an exchange ends, and a late rank makes the
 * others silent in its middle.  That a flow which was in it has data again
 * does. */
#include <stdlib.h>

#include "phase/phase_int.h"

enum {
	PERIODS = 5,
	PEERS = 3,
	COUNTS = 50, /* a flow asks that has less than this part of the most */
};

/* Of the flows in a round, and of the rounds that have as many. */
static const double NEARLY = 0.9;

/* A flow, as far as it has been read. */
struct reading {
	size_t at;
	size_t round;   /* the last it was in; 0 none */
	uint64_t least; /* bytes of a stretch that counts; 0: it does not */
	bool here;
};

/* Does every rank send to more than half of the others?  Where it does not it
 * passes data on, step by step, to one after the other. */
static bool all_to_all(const struct job *j)
{
	uint32_t *sent = calloc(j->in->n_hosts + 1, sizeof *sent);
	bool are = sent;

	for (uint32_t r = 0; are && r < j->n_ranks; r++) {
		const struct rank *k = &j->ranks[r];
		uint32_t peers = 0;

		for (uint32_t i = 0; i < k->n_out; i++) {
			uint32_t dst = j->in->flows[k->out[i]].dst;

			peers += sent[dst] != r + 1;
			sent[dst] = r + 1;
		}
		are = peers >= PEERS && 2 * peers > j->n_ranks - 1;
	}
	free(sent);
	return are;
}

static size_t begin_reading(const struct phase_input *in, struct reading *v)
{
	uint64_t most = 0;
	size_t n = 0;

	for (size_t f = 0; f < in->n_flows; f++) {
		uint64_t bytes = phase_bytes(&in->flows[f]);

		most = bytes > most ? bytes : most;
	}
	for (size_t f = 0; f < in->n_flows; f++) {
		const struct phase_flow *g = &in->flows[f];

		if (phase_bytes(g) <= most / COUNTS)
			continue;
		v[f].least = 1 + (uint64_t)phase_least_data(g);
		n++;
	}
	return n;
}

/* Reads |g| up to |to|; does it begin anew what it had in |round|?  What is
 * retransmitted, the rest of a message, and what asks for data are nothing
 * new. */
static bool read_to(const struct phase_flow *g, int64_t to, size_t round,
		    struct reading *v)
{
	bool anew = false;

	v->here = false;
	for (; v->at < g->n && g->a[v->at].from <= to; v->at++) {
		if (g->a[v->at].bytes < v->least)
			continue;
		anew = anew || (!v->here && !(v->at && g->a[v->at - 1].inside));
		v->here = true;
	}
	return anew && v->round == round;
}

static size_t enter(struct reading *v, size_t n, size_t round)
{
	size_t entered = 0;

	for (size_t f = 0; f < n; f++)
		if (v[f].here && v[f].round != round) {
			v[f].round = round;
			entered++;
		}
	return entered;
}

bool phase_rounds(const struct job *j, const int64_t *to, size_t n,
		  bool *begins)
{
	const struct phase_input *in = j->in;
	struct reading *v = calloc(in->n_flows + 1, sizeof *v);
	size_t rounds = 0, whole = 0, flows = 0, has = 0;

	if (v && all_to_all(j))
		flows = begin_reading(in, v);
	for (size_t i = 0; flows && i < n; i++) {
		begins[i] = !i;
		for (size_t f = 0; f < in->n_flows; f++)
			if (v[f].least &&
			    read_to(&in->flows[f], to[i], rounds, &v[f]))
				begins[i] = true;
		if (begins[i]) {
			whole += (double)has >= NEARLY * (double)flows;
			has = 0;
			rounds++;
		}
		has += enter(v, in->n_flows, rounds);
	}
	whole += (double)has >= NEARLY * (double)flows;
	free(v);
	return rounds >= PERIODS && (double)whole >= NEARLY * (double)rounds;
}

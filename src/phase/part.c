/* SPDX-License-Identifier: GPL-2.0-or-later
 * Components, each looked at by itself for steps: these show which of its flows
 * are none of the job's (apart.c, paces.c), and which components are one
 * (coupled.c). */
#include <stdlib.h>

#include "phase/phase_int.h"

struct member {
	uint32_t host, flow;
};

struct parts {
	struct member *v;
	const struct phase_flow **flows;
	uint32_t *index;
	struct phase_part *part;
	uint32_t *job, *host; /* by part */
	uint8_t *ends;
	size_t n;
};

static int by_host(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->host != y->host)
		return (x->host > y->host) - (x->host < y->host);
	return (x->flow > y->flow) - (x->flow < y->flow);
}

static bool parts_init(struct parts *p, size_t n, size_t n_hosts)
{
	p->v = calloc(n + 1, sizeof *p->v);
	p->flows = calloc(n + 1, sizeof *p->flows);
	p->index = calloc(n + 1, sizeof *p->index);
	p->part = calloc(n + 1, sizeof *p->part);
	p->job = calloc(n + 1, sizeof *p->job);
	p->host = calloc(n + 1, sizeof *p->host);
	p->ends = calloc(n_hosts + 1, sizeof *p->ends);
	return p->v && p->flows && p->index && p->part && p->job && p->host &&
	       p->ends;
}

static void parts_fini(struct parts *p)
{
	for (size_t i = 0; p->part && i < p->n; i++)
		phase_steps_free(&p->part[i].steps);
	free(p->v);
	free(p->flows);
	free(p->index);
	free(p->part);
	free(p->job);
	free(p->host);
	free(p->ends);
}

static void list(struct parts *p, const struct phase_flow *flows, size_t n,
		 const uint32_t *component)
{
	size_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		if (component[i] != PHASE_NO_HOST)
			p->v[k++] = (struct member) { component[i], i };
	qsort(p->v, k, sizeof *p->v, by_host);
	for (size_t i = 0; i < k; i++) {
		p->flows[i] = &flows[p->v[i].flow];
		p->index[i] = p->v[i].flow;
		if (!i || p->v[i].host != p->v[i - 1].host) {
			p->host[p->n] = p->v[i].host;
			p->part[p->n++] =
				(struct phase_part) { .flows = p->flows + i,
						      .index = p->index + i };
		}
		p->part[p->n - 1].n++;
	}
}

/* Spreads the numbers of servers, so that the sums of different sets differ. */
static uint64_t spread(uint64_t server)
{
	server = (server ^ server >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	server = (server ^ server >> 27) * UINT64_C(0x94d049bb133111eb);
	return server ^ server >> 31;
}

/* A sum for the servers of part |i|; 0: one is not known, or all are the same
 * one.  |seen| of each server is the part before which it was last. */
static uint64_t servers_of(const struct phase_part *g, uint32_t i,
			   const struct phase_host *hosts, uint32_t *seen)
{
	uint64_t sum = 0;
	size_t n = 0;

	for (size_t k = 0; k < g->n; k++) {
		const uint32_t ends[] = { g->flows[k]->src, g->flows[k]->dst };

		for (int e = 0; e < 2; e++) {
			uint32_t server = hosts[ends[e]].server;

			if (!server)
				return 0;
			if (seen[server] == i + 1)
				continue;
			seen[server] = i + 1;
			sum += spread(server);
			n++;
		}
	}
	return n > 1 ? sum : 0;
}

static bool find_servers(struct parts *p, const struct phase_host *hosts,
			 size_t n_hosts)
{
	uint32_t most = 0, *seen;

	for (size_t h = 0; h < n_hosts; h++)
		most = hosts[h].server > most ? hosts[h].server : most;
	seen = calloc((size_t)most + 1, sizeof *seen);
	for (uint32_t i = 0; seen && i < p->n; i++)
		p->part[i].servers = servers_of(&p->part[i], i, hosts, seen);
	free(seen);
	return seen;
}

static bool any_apart(const struct phase_part *g, const bool *apart)
{
	for (size_t i = 0; i < g->n; i++)
		if (apart[g->index[i]])
			return true;
	return false;
}

bool phase_parts(const struct phase_flow *flows, size_t n,
		 const struct phase_host *hosts, size_t n_hosts,
		 const uint32_t *component, bool *apart, uint32_t *joined)
{
	struct parts p = { 0 };
	bool ok = parts_init(&p, n, n_hosts);

	if (ok)
		list(&p, flows, n, component);
	for (size_t i = 0; ok && i < p.n; i++) {
		struct phase_part *g = &p.part[i];

		ok = phase_steps(g->flows, g->n, &g->steps) &&
		     phase_apart(g, p.ends, apart) &&
		     (any_apart(g, apart) || phase_paces(g, p.ends, apart));
	}
	ok = ok && find_servers(&p, hosts, n_hosts) &&
	     phase_coupled(p.part, p.n, p.job);
	for (size_t i = 0; ok && i < p.n; i++)
		joined[p.host[i]] = p.host[p.job[i]];
	parts_fini(&p);
	return ok;
}

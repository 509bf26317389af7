/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which flows belong together.
 *
 * In a collective, data of every rank finds its way to every other: its hosts
 * are a strongly connected component of the graph of flows.  Flows that lead
 * into it or out of it (storage, background) are something else, and so are
 * those among its hosts that are not in step with it.  Components in step with
 * each other are one job, and so are rings that nobody sees whole with those of
 * their hosts (through.c). */
#include <stdlib.h>
#include <string.h>

#include "phase/phase_int.h"

#define NOT_YET UINT32_MAX

struct graph {
	const struct phase_flow *flows;
	const struct phase_host *hosts;
	const int64_t *uet;
	size_t n_flows, n_hosts;
	uint32_t *first, *to; /* edges by host; both of n_hosts + 1, n_flows */
	uint32_t *scc;        /* by host: component */
	uint32_t *low, *number, *stack, *next, *call;
	uint32_t *up;    /* union of what is in no component ... */
	uint32_t *on;    /* ... of what of that does not wait for the rest */
	bool *apart;     /* by flow: in none, though its hosts are */
	bool *ceaseless; /* likewise: does not wait for what is in none */
};

static bool by_job_id(const struct graph *g, size_t i)
{
	return g->uet && g->uet[i] != PHASE_UNKNOWN;
}

static void list_edges(struct graph *g)
{
	for (size_t i = 0; i < g->n_flows; i++)
		if (!by_job_id(g, i))
			g->first[g->flows[i].src + 1]++;
	for (size_t h = 0; h < g->n_hosts; h++)
		g->first[h + 1] += g->first[h];
	memcpy(g->next, g->first, g->n_hosts * sizeof *g->next);
	for (size_t i = 0; i < g->n_flows; i++)
		if (!by_job_id(g, i))
			g->to[g->next[g->flows[i].src]++] = g->flows[i].dst;
	memcpy(g->next, g->first, g->n_hosts * sizeof *g->next);
}

/* Tarjan's algorithm from |host|, without recursion. */
static void strong(struct graph *g, uint32_t host, uint32_t *count, size_t *top)
{
	size_t depth = 0;

	g->call[depth++] = host;
	g->number[host] = g->low[host] = (*count)++;
	g->stack[(*top)++] = host;
	while (depth) {
		uint32_t h = g->call[depth - 1], t;

		if (g->next[h] < g->first[h + 1]) {
			t = g->to[g->next[h]++];
			if (g->number[t] == NOT_YET) {
				g->number[t] = g->low[t] = (*count)++;
				g->stack[(*top)++] = t;
				g->call[depth++] = t;
			} else if (g->scc[t] == NOT_YET &&
				   g->number[t] < g->low[h]) {
				g->low[h] = g->number[t];
			}
			continue;
		}
		if (--depth && g->low[h] < g->low[g->call[depth - 1]])
			g->low[g->call[depth - 1]] = g->low[h];
		if (g->low[h] != g->number[h])
			continue;
		do
			g->scc[t = g->stack[--*top]] = h;
		while (t != h);
	}
}

/* Hosts behind flows that lead through one of a component, and are its job's,
 * are of it as well.  False: no memory. */
static bool look_through(struct graph *g)
{
	uint32_t *joined = g->number; /* is not needed any more */
	bool *by_id = g->apart, ok;

	for (uint32_t h = 0; h < g->n_hosts; h++)
		joined[h] = h;
	for (size_t i = 0; i < g->n_flows; i++)
		by_id[i] = by_job_id(g, i);
	ok = phase_through(g->flows, g->n_flows, g->n_hosts, by_id, g->scc,
			   joined);
	for (size_t h = 0; ok && h < g->n_hosts; h++)
		g->scc[h] = union_first(joined, g->scc[h]);
	memset(by_id, 0, g->n_flows * sizeof *by_id);
	return ok;
}

static bool inside(const struct graph *g, size_t i)
{
	return g->scc[g->flows[i].src] == g->scc[g->flows[i].dst] &&
	       !g->apart[i];
}

/* False: no memory. */
static bool look_into(struct graph *g)
{
	uint32_t *component = calloc(g->n_flows + 1, sizeof *component);
	uint32_t *joined = g->number;
	bool ok;

	for (size_t i = 0; component && i < g->n_flows; i++)
		component[i] = by_job_id(g, i) || !inside(g, i)
				       ? PHASE_NO_HOST
				       : g->scc[g->flows[i].src];
	for (uint32_t h = 0; h < g->n_hosts; h++)
		joined[h] = h;
	ok = component && phase_parts(g->flows, g->n_flows, g->hosts,
				      g->n_hosts, component, g->apart, joined);
	for (size_t h = 0; ok && h < g->n_hosts; h++)
		g->scc[h] = joined[g->scc[h]];
	free(component);
	return ok;
}

static void join(const struct graph *g, bool ceaseless, uint32_t *up)
{
	for (uint32_t h = 0; h < g->n_hosts; h++)
		up[h] = h;
	for (size_t i = 0; i < g->n_flows; i++)
		if (!by_job_id(g, i) && !inside(g, i) &&
		    g->ceaseless[i] == ceaseless)
			union_join(up, g->flows[i].src, g->flows[i].dst);
}

/* What is in no component hangs together, but for what does not wait for the
 * rest.  False: no memory. */
static bool join_others(struct graph *g)
{
	uint32_t *component = calloc(g->n_flows + 1, sizeof *component);
	bool ok;

	join(g, false, g->up);
	for (size_t i = 0; component && i < g->n_flows; i++)
		component[i] = by_job_id(g, i) || inside(g, i)
				       ? PHASE_NO_HOST
				       : union_first(g->up, g->flows[i].src);
	ok = component &&
	     phase_ceaseless(g->flows, g->n_flows, component, g->ceaseless);
	join(g, false, g->up);
	join(g, true, g->on);
	free(component);
	return ok;
}

static bool find_components(struct graph *g)
{
	uint32_t count = 0;
	size_t top = 0;

	list_edges(g);
	memset(g->scc, 0xff, g->n_hosts * sizeof *g->scc);
	memset(g->number, 0xff, g->n_hosts * sizeof *g->number);
	for (uint32_t h = 0; h < g->n_hosts; h++)
		if (g->number[h] == NOT_YET)
			strong(g, h, &count, &top);
	return look_through(g) && look_into(g) && join_others(g);
}

/* ---- numbers, by bytes ---- */

struct key {
	int64_t uet;
	enum { CEASELESS, OUTSIDE, INSIDE } where;
	uint32_t host, flow;
};

struct component {
	uint64_t bytes;
	uint32_t number;
};

static int by_key(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->uet != y->uet)
		return (x->uet > y->uet) - (x->uet < y->uet);
	if (x->where != y->where)
		return (x->where < y->where) - (x->where > y->where);
	return (x->host > y->host) - (x->host < y->host);
}

static int by_bytes(const void *a, const void *b)
{
	const struct component *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

static struct key key_of(struct graph *g, uint32_t i)
{
	if (by_job_id(g, i))
		return (struct key) { .uet = g->uet[i], .flow = i };
	if (inside(g, i))
		return (struct key) { PHASE_UNKNOWN, INSIDE,
				      g->scc[g->flows[i].src], i };
	if (g->ceaseless[i])
		return (struct key) { PHASE_UNKNOWN, CEASELESS,
				      union_first(g->on, g->flows[i].src), i };
	return (struct key) { PHASE_UNKNOWN, OUTSIDE,
			      union_first(g->up, g->flows[i].src), i };
}

static size_t number_jobs(struct graph *g, uint32_t *job)
{
	struct key *keys = calloc(g->n_flows + 1, sizeof *keys);
	struct component *c = calloc(g->n_flows + 1, sizeof *c);
	size_t k = 0;

	for (uint32_t i = 0; keys && i < g->n_flows; i++)
		keys[i] = key_of(g, i);
	if (keys && c) {
		qsort(keys, g->n_flows, sizeof *keys, by_key);
		for (size_t i = 0; i < g->n_flows; i++) {
			if (!i || by_key(&keys[i - 1], &keys[i])) {
				c[k].number = (uint32_t)k;
				k++;
			}
			c[k - 1].bytes += phase_bytes(&g->flows[keys[i].flow]);
			job[keys[i].flow] = (uint32_t)(k - 1);
		}
		qsort(c, k, sizeof *c, by_bytes);
		for (uint32_t i = 0; i < k; i++)
			keys[c[i].number].flow = i;
		for (size_t i = 0; i < g->n_flows; i++)
			job[i] = keys[job[i]].flow;
	}
	free(keys);
	free(c);
	return k;
}

size_t phase_jobs(const struct phase_flow *flows, size_t n,
		  const struct phase_host *hosts, size_t n_hosts,
		  const int64_t *uet, uint32_t *job)
{
	struct graph g = { .flows = flows,
			   .hosts = hosts,
			   .uet = uet,
			   .n_flows = n,
			   .n_hosts = n_hosts };
	uint32_t *all = calloc(9 * (n_hosts + 1) + n + 1, sizeof *all);
	size_t k = 0;

	g.apart = calloc(2 * n + 1, sizeof *g.apart);
	if (all && g.apart) {
		g.ceaseless = g.apart + n;
		g.first = all;
		g.scc = g.first + n_hosts + 1;
		g.low = g.scc + n_hosts;
		g.number = g.low + n_hosts;
		g.stack = g.number + n_hosts;
		g.next = g.stack + n_hosts;
		g.call = g.next + n_hosts;
		g.up = g.call + n_hosts;
		g.on = g.up + n_hosts;
		g.to = g.on + n_hosts;
		k = find_components(&g) ? number_jobs(&g, job) : 0;
	}
	free(g.apart);
	free(all);
	return k;
}

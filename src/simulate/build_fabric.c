/* SPDX-License-Identifier: GPL-2.0-or-later
 * Words of a scenario: hosts, switches, links and their settings. */
#include "simulate/build.h"

#include <stdio.h>
#include <string.h>

#include "simulate/dcqcn.h"
#include "simulate/host.h"
#include "simulate/line.h"
#include "simulate/mem.h"
#include "simulate/world.h"

enum { MOST_LINKS = 64 };

void build_run(struct sim *s, struct line *l)
{
	s->until = line_time(l, "for", s->until);
	s->converge = line_time(l, "converge", s->converge);
	s->bin = line_time(l, "bin", s->bin);
	if (s->bin <= 0)
		line_fail(l, "bin must not be 0");
}

static void switch_settings(struct line *l, struct switch_config *c)
{
	static const char *const balances[] = { "ecmp", "spray", "flowlet",
						"adaptive", NULL };
	static const char *const hashes[] = { "5tuple", "qp", NULL };
	uint64_t prio = 0;

	c->buffer = line_size(l, "buffer", c->buffer);
	c->kmin = line_size(l, "kmin", c->kmin);
	c->kmax = line_size(l, "kmax", c->kmax);
	c->pmax = line_real(l, "pmax", c->pmax);
	if (line_has(l, "lossless")) {
		prio = line_count(l, "lossless", 0);
		if (prio >= PRIORITIES)
			line_fail(l, "there are priorities 0 to 7");
		else
			c->lossless = (uint8_t)(1u << prio);
	}
	c->xoff = line_size(l, "xoff", c->xoff);
	c->xon = line_size(l, "xon", c->xon);
	c->headroom = line_size(l, "headroom", c->headroom);
	c->quanta = (uint16_t)line_count(l, "quanta", c->quanta);
	c->global_pause = line_flag(l, "global", c->global_pause);
	c->alpha = line_real(l, "alpha", c->alpha);
	c->balance = line_choice(l, "balance", balances, c->balance);
	c->hash_qp = line_choice(l, "hash", hashes, c->hash_qp) == 1;
	c->flowlet_gap = line_time(l, "flowlet", c->flowlet_gap);
	c->watchdog = line_time(l, "watchdog", c->watchdog);
	c->restore =
		line_time(l, "restore", c->restore ? c->restore : c->watchdog);
	c->latency = line_time(l, "latency", c->latency);
	c->ifa = line_flag(l, "ifa", c->ifa);
	c->csig = line_flag(l, "csig", c->csig);
	c->int_md = line_flag(l, "int", c->int_md);
	if (c->kmax && c->kmin > c->kmax)
		line_fail(l, "kmin is above kmax");
	if (c->xoff && c->xon >= c->xoff)
		line_fail(l, "xon is not below xoff");
	if (c->lossless && !c->xoff)
		line_fail(l, "lossless needs xoff=, xon= and headroom=");
}

void build_switches(struct sim *s, struct line *l)
{
	switch_settings(l, &s->defaults);
}

static void sport_setting(struct sim *s, struct line *l)
{
	static const char *const rules[] = { "linux", "random", "fixed", NULL };

	s->host.sport = line_choice(l, "sport", rules, s->host.sport);
	s->host.sport_fixed =
		(uint16_t)line_count(l, "port", s->host.sport_fixed);
}

void build_nics(struct sim *s, struct line *l)
{
	static const char *const ids[] = { "host", "qp", "zero", NULL };
	static const char *const families[] = { "ipv4", "ipv6", NULL };
	struct host_config *c = &s->host;

	sport_setting(s, l);
	c->ipid = line_choice(l, "ipid", ids, c->ipid);
	c->ipv6 = line_choice(l, "family", families, c->ipv6) == 1;
	c->vlan = (uint16_t)line_count(l, "vlan", c->vlan);
	c->dscp = (uint8_t)line_count(l, "dscp", c->dscp);
	c->cnp_dscp = (uint8_t)line_count(l, "cnp_dscp", c->cnp_dscp);
	c->cnp_prio = (uint8_t)line_count(l, "cnp_prio", c->cnp_prio);
	c->turnaround = line_time(l, "turnaround", c->turnaround);
	if (c->vlan > 4094 || c->dscp > 63 || c->cnp_dscp > 63 ||
	    c->cnp_prio >= PRIORITIES)
		line_fail(l, "vlan to 4094, dscp to 63, priority to 7");
}

void build_dcqcn(struct sim *s, struct line *l)
{
	struct dcqcn_constants *c = &s->dcqcn;

	c->g = line_real(l, "g", c->g);
	c->alpha_timer = line_time(l, "alpha_timer", c->alpha_timer);
	c->rate_timer = line_time(l, "rate_timer", c->rate_timer);
	c->byte_counter = line_size(l, "byte_counter", c->byte_counter);
	c->fast = (uint32_t)line_count(l, "fast", c->fast);
	c->additive = (double)line_rate(l, "additive", (uint64_t)c->additive);
	c->hyper = (double)line_rate(l, "hyper", (uint64_t)c->hyper);
	c->slowest = (double)line_rate(l, "slowest", (uint64_t)c->slowest);
	c->cut_period = line_time(l, "cut_period", c->cut_period);
	if (c->alpha_timer <= 0 || c->rate_timer <= 0 || !c->byte_counter)
		line_fail(l, "timers and byte counter must not be 0");
}

/* "h1..h4" stands for h1 h2 h3 h4. */
static void each_name(struct sim *s, struct line *l, const char *word,
		      void (*make)(struct sim *, struct line *, const char *))
{
	const char *dots = strstr(word, "..");
	char base[NAME_MAX_TEXT], name[2 * NAME_MAX_TEXT];
	unsigned from, to;
	size_t n;

	if (!dots) {
		make(s, l, word);
		return;
	}
	n = strcspn(word, "0123456789");
	if (n >= sizeof base || sscanf(word + n, "%u", &from) != 1 ||
	    sscanf(dots + 2 + strcspn(dots + 2, "0123456789"), "%u", &to) !=
		    1 ||
	    from > to || to - from > 4096) {
		line_fail(l, "'%s' is no row of names like h1..h8", word);
		return;
	}
	memcpy(base, word, n);
	base[n] = 0;
	for (; from <= to && !l->failed; from++) {
		snprintf(name, sizeof name, "%s%u", base, from);
		make(s, l, name);
	}
}

static void one_host(struct sim *s, struct line *l, const char *name)
{
	struct err e = { 0 };

	if (!world_host(s, name, &e))
		line_fail(l, "%s", e.text);
}

static void one_switch(struct sim *s, struct line *l, const char *name)
{
	struct err e = { 0 };
	struct switch_node *w = world_switch(s, name, &e);

	if (!w)
		line_fail(l, "%s", e.text);
	else
		switch_settings(l, &w->config);
}

void build_host(struct sim *s, struct line *l)
{
	const char *w = line_word(l, "a name");

	for (; w && !l->failed; w = line_more(l))
		each_name(s, l, w, one_host);
}

void build_switch(struct sim *s, struct line *l)
{
	const char *w = line_word(l, "a name");

	for (; w && !l->failed; w = line_more(l))
		each_name(s, l, w, one_switch);
}

static struct node *known(struct sim *s, struct line *l, const char *name)
{
	struct node *n = world_node(s, name);

	if (!n)
		line_fail(l, "there is no '%s'", name);
	return n;
}

static void connect(struct sim *s, struct line *l, struct node *a,
		    struct node *b, uint64_t bps, int64_t delay)
{
	struct err e = { 0 };

	if (!l->failed && world_link(s, a, b, bps, delay, &e))
		line_fail(l, "%s", e.text);
}

void build_link(struct sim *s, struct line *l)
{
	struct node *a = known(s, l, line_word(l, "a name"));
	struct node *b = known(s, l, line_word(l, "a second name"));
	uint64_t bps = line_rate(l, "speed", UINT64_C(100000000000));
	int64_t delay = line_time(l, "delay", 500 * PS_PER_NS);
	uint64_t count = line_count(l, "count", 1);

	if (count > MOST_LINKS)
		line_fail(l, "at most %d parallel links", MOST_LINKS);
	for (; count && !l->failed; count--)
		connect(s, l, a, b, bps, delay);
}

/* Leaves leaf1.., spines spine1.., hosts h1.. in the order of their leaves:
 * side by side, or by rail (host i of every server on leaf i). */
void build_leafspine(struct sim *s, struct line *l)
{
	uint64_t leaves = line_count(l, "leaves", 2);
	uint64_t spines = line_count(l, "spines", 2);
	uint64_t hosts = line_count(l, "hosts", 2);
	bool rails = line_flag(l, "rails", false);
	uint64_t bps = line_rate(l, "speed", UINT64_C(100000000000));
	uint64_t up = line_rate(l, "uplink", bps);
	int64_t delay = line_time(l, "delay", 500 * PS_PER_NS);
	char name[NAME_MAX_TEXT];

	if (!leaves || leaves > 256 || spines > 256 || hosts > 1024)
		line_fail(l, "up to 256 leaves and spines, 1024 hosts a leaf");
	for (uint64_t i = 1; i <= spines && !l->failed; i++) {
		snprintf(name, sizeof name, "spine%u", (unsigned)i);
		one_switch(s, l, name);
	}
	for (uint64_t i = 1; i <= leaves && !l->failed; i++) {
		struct node *leaf;

		snprintf(name, sizeof name, "leaf%u", (unsigned)i);
		one_switch(s, l, name);
		leaf = world_node(s, name);
		for (uint64_t k = 1; k <= spines && !l->failed; k++) {
			snprintf(name, sizeof name, "spine%u", (unsigned)k);
			connect(s, l, leaf, world_node(s, name), up, delay);
		}
	}
	for (uint64_t i = 0; i < leaves * hosts && !l->failed; i++) {
		struct node *leaf;
		unsigned of = (unsigned)(rails ? i % leaves : i / hosts);

		snprintf(name, sizeof name, "leaf%u", of + 1);
		leaf = world_node(s, name);
		snprintf(name, sizeof name, "h%u", (unsigned)i + 1);
		one_host(s, l, name);
		if (!l->failed)
			connect(s, l, world_node(s, name), leaf, bps, delay);
	}
}

void build_route(struct sim *s, struct line *l)
{
	struct node *at = known(s, l, line_word(l, "a switch"));
	const char *to = line_word(l, "a host");
	struct host *h = world_find_host(s, to);
	struct node *via = known(s, l, line_text(l, "via", "via="));
	struct port *p;
	struct route *r;

	if (!l->failed && (!h || !at->is_switch))
		line_fail(l, "route SWITCH HOST via=NEIGHBOUR");
	if (l->failed || !h)
		return;
	p = world_port(at, via, 0);
	if (!p) {
		line_fail(l, "'%s' has no link to '%s'", at->name, via->name);
		return;
	}
	if (!at->fixed)
		at->fixed = mem_new(MAX_HOSTS * sizeof *at->fixed);
	r = &at->fixed[h->number];
	if (!r->port)
		r->port = mem_new(sizeof(*r->port));
	r->port[0] = p;
	r->n = 1;
}

static void storm_settings(struct sim *s, struct line *l, struct nic *n)
{
	if (!line_has(l, "storm_from"))
		return;
	n->storm_from = line_time(l, "storm_from", 0);
	n->storm_to = line_time(l, "storm_to", INT64_MAX);
	n->storm_every = line_time(l, "storm_every", 40 * PS_PER_US);
	n->storm_prio = (uint8_t)(line_count(l, "storm_prio", 3) & 7);
	n->storm_quanta = (uint16_t)line_count(l, "storm_quanta", 65535);
	n->storm_global = line_flag(l, "storm_global", false);
	if (n->storm_every <= 0 || n->storm_to <= n->storm_from)
		line_fail(l, "storm_every= is 0, or storm_to= too early");
	else if (!n->host->node.n_ports)
		line_fail(l, "'%s' has no link yet", n->host->node.name);
	else
		nic_start_storm(s, n);
}

static void one_nic(struct sim *s, struct line *l, const char *name)
{
	static const char *const scopes[] = { "qp", "ip", "port", NULL };
	struct host *h = world_find_host(s, name);
	struct nic *n;

	if (!h) {
		line_fail(l, "there is no host '%s'", name);
		return;
	}
	n = h->nic;
	n->cnp_scope = line_choice(l, "cnp_scope", scopes, n->cnp_scope);
	n->cnp_interval = line_time(l, "cnp_interval", n->cnp_interval);
	n->cnp_delay = line_time(l, "cnp_delay", n->cnp_delay);
	n->mute = line_flag(l, "mute", n->mute);
	n->drain_bps = line_rate(l, "drain", n->drain_bps);
	n->pfc.buffer = line_size(l, "buffer", n->pfc.buffer);
	n->pfc.xoff = line_size(l, "xoff", n->pfc.xoff);
	n->pfc.xon = line_size(l, "xon", n->pfc.xon);
	n->pfc.quanta = (uint16_t)line_count(l, "quanta", n->pfc.quanta);
	n->pfc.global_pause = line_flag(l, "global", n->pfc.global_pause);
	storm_settings(s, l, n);
	n->cnp_idle = line_time(l, "cnp_idle", 0);
	if (n->cnp_idle)
		nic_start_idle_cnps(s, n);
}

void build_nic(struct sim *s, struct line *l)
{
	const char *w = line_word(l, "a host");

	for (; w && !l->failed; w = line_more(l))
		each_name(s, l, w, one_nic);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Words of a scenario: hosts, switches, links and their settings. */
#include "simulate/build.h"

#include <stdio.h>
#include <string.h>

#include "simulate/dcqcn.h"
#include "simulate/host.h"
#include "simulate/line.h"
#include "simulate/mem.h"
#include "simulate/uet_frame.h"
#include "simulate/world.h"

void build_run(struct sim *s, struct line *l)
{
	s->until = line_time(l, "for", s->until);
	s->converge = line_time(l, "converge", s->converge);
	s->bin = line_time(l, "bin", s->bin);
	s->ends_done = line_flag(l, "done", s->ends_done);
	s->twins = line_flag(l, "twins", s->twins);
	if (s->bin <= 0 || s->until <= 0)
		line_fail(l, "for= and bin= must not be 0");
}

static void trim_settings(struct sim *s, struct line *l,
			  struct switch_config *c)
{
	uint64_t keep = line_size(l, "trim", c->trim);

	if (keep && (keep < uet_trim_least(s) || keep > 1024))
		line_fail(l, "trim keeps %u to 1024 bytes of IP payload",
			  (unsigned)uet_trim_least(s));
	c->trim = (uint32_t)keep;
	c->trim_prio =
		(uint8_t)line_count(l, "trim_prio", c->trim_prio, PRIO_MOST);
	c->trim_dscp =
		(uint8_t)line_count(l, "trim_dscp", c->trim_dscp, DSCP_MOST);
	c->trim_last_dscp = (uint8_t)line_count(l, "trim_last_dscp",
						c->trim_last_dscp, DSCP_MOST);
}

static void switch_settings(struct sim *s, struct line *l,
			    struct switch_config *c)
{
	static const char *const balances[] = { "ecmp", "spray", "flowlet",
						"adaptive", NULL };
	static const char *const hashes[] = { "5tuple", "qp", NULL };

	c->buffer = line_size(l, "buffer", c->buffer);
	c->kmin = line_size(l, "kmin", c->kmin);
	c->kmax = line_size(l, "kmax", c->kmax);
	c->pmax = line_share(l, "pmax", c->pmax);
	if (line_has(l, "lossless"))
		c->lossless = (uint8_t)(1u << line_count(l, "lossless", 0,
							 PRIO_MOST));
	c->xoff = line_size(l, "xoff", c->xoff);
	c->xon = line_size(l, "xon", c->xon);
	c->headroom = line_size(l, "headroom", c->headroom);
	c->quanta = (uint16_t)line_count(l, "quanta", c->quanta, UINT16_MAX);
	c->global_pause = line_flag(l, "global", c->global_pause);
	c->alpha = line_real(l, "alpha", c->alpha, 0, 1e6);
	c->balance = line_choice(l, "balance", balances, c->balance);
	c->hash_qp = line_choice(l, "hash", hashes, c->hash_qp) == 1;
	if (line_has(l, "salt"))
		c->salt = (int64_t)line_count(l, "salt", 0, UINT32_MAX);
	c->flowlet_gap = line_time(l, "flowlet", c->flowlet_gap);
	c->watchdog = line_time(l, "watchdog", c->watchdog);
	c->restore =
		line_time(l, "restore", c->restore ? c->restore : c->watchdog);
	c->latency = line_time(l, "latency", c->latency);
	trim_settings(s, l, c);
	c->ifa = line_flag(l, "ifa", c->ifa);
	c->csig = line_flag(l, "csig", c->csig);
	c->int_md = line_flag(l, "int", c->int_md);
	c->int_unit = (uint32_t)line_count(l, "int_unit", c->int_unit, 65535);
	if (c->kmax && c->kmin > c->kmax)
		line_fail(l, "kmin is above kmax");
	if (c->xoff && c->xon >= c->xoff)
		line_fail(l, "xon is not below xoff");
	if (c->lossless && !c->xoff)
		line_fail(l, "lossless needs xoff=, xon= and headroom=");
}

void build_switches(struct sim *s, struct line *l)
{
	switch_settings(s, l, &s->defaults);
}

static void sport_setting(struct sim *s, struct line *l)
{
	static const char *const rules[] = { "linux", "random", "fixed", NULL };

	s->host.sport = line_choice(l, "sport", rules, s->host.sport);
	s->host.sport_fixed = (uint16_t)line_count(
		l, "port", s->host.sport_fixed, UINT16_MAX);
}

static void uet_nics(struct line *l, struct host_config *c)
{
	static const char *const forms[] = { "udp", "native", NULL };

	static const char *const answers[] = { "no", "yes", NULL };

	c->uet_native = line_choice(l, "uet", forms, c->uet_native) == 1;
	c->tss = (uint32_t)line_count(l, "tss", c->tss, 0xffffff);
	c->tss_ssi = line_choice(l, "tss_ssi", answers, c->tss_ssi) == 1;
	c->tss_roll =
		(uint32_t)line_count(l, "tss_roll", c->tss_roll, UINT32_MAX);
	c->uet_dscp =
		(uint8_t)line_count(l, "uet_dscp", c->uet_dscp, DSCP_MOST);
	c->uet_rtx_dscp = (uint8_t)line_count(l, "uet_rtx_dscp",
					      c->uet_rtx_dscp, DSCP_MOST);
	c->uet_control_dscp = (uint8_t)line_count(
		l, "uet_control_dscp", c->uet_control_dscp, DSCP_MOST);
	c->uet_prio =
		(uint8_t)line_count(l, "uet_prio", c->uet_prio, PRIO_MOST);
}

void build_nics(struct sim *s, struct line *l)
{
	static const char *const ids[] = { "host", "qp", "zero", NULL };
	static const char *const families[] = { "ipv4", "ipv6", NULL };
	struct host_config *c = &s->host;

	sport_setting(s, l);
	c->ipid = line_choice(l, "ipid", ids, c->ipid);
	c->ipv6 = line_choice(l, "family", families, c->ipv6) == 1;
	c->vlan = (uint16_t)line_count(l, "vlan", c->vlan, VLAN_MOST);
	c->dscp = (uint8_t)line_count(l, "dscp", c->dscp, DSCP_MOST);
	c->cnp_dscp =
		(uint8_t)line_count(l, "cnp_dscp", c->cnp_dscp, DSCP_MOST);
	c->cnp_prio =
		(uint8_t)line_count(l, "cnp_prio", c->cnp_prio, PRIO_MOST);
	c->turnaround = line_time(l, "turnaround", c->turnaround);
	uet_nics(l, c);
}

void build_dcqcn(struct sim *s, struct line *l)
{
	struct dcqcn_constants *c = &s->dcqcn;

	c->g = line_share(l, "g", c->g);
	c->alpha_timer = line_time(l, "alpha_timer", c->alpha_timer);
	c->rate_timer = line_time(l, "rate_timer", c->rate_timer);
	c->byte_counter = line_size(l, "byte_counter", c->byte_counter);
	c->fast = (uint32_t)line_count(l, "fast", c->fast, UINT32_MAX);
	c->additive = (double)line_rate(l, "additive", (uint64_t)c->additive);
	c->hyper = (double)line_rate(l, "hyper", (uint64_t)c->hyper);
	c->slowest = (double)line_rate(l, "slowest", (uint64_t)c->slowest);
	c->cut_period = line_time(l, "cut_period", c->cut_period);
	if (c->alpha_timer <= 0 || c->rate_timer <= 0 || !c->byte_counter)
		line_fail(l, "timers and byte counter must not be 0");
}

static void each_name(struct sim *s, struct line *l, const char *word,
		      void (*make)(struct sim *, struct line *, const char *))
{
	struct name_row row = line_row(l, word);
	char name[64];

	while (!l->failed && line_row_next(&row, name))
		make(s, l, name);
}

void build_one_host(struct sim *s, struct line *l, const char *name)
{
	struct err e = { 0 };

	if (!world_host(s, name, &e))
		line_fail(l, "%s", e.text);
}

void build_one_switch(struct sim *s, struct line *l, const char *name)
{
	struct err e = { 0 };
	struct switch_node *w = world_switch(s, name, &e);

	if (!w)
		line_fail(l, "%s", e.text);
	else
		switch_settings(s, l, &w->config);
}

void build_host(struct sim *s, struct line *l)
{
	const char *w = line_word(l, "a name");

	for (; w && !l->failed; w = line_more(l))
		each_name(s, l, w, build_one_host);
}

static void change_one(struct sim *s, struct line *l, const char *name)
{
	struct node *n = build_known(s, l, name);

	if (n && !n->is_switch)
		line_fail(l, "'%s' is not a switch", name);
	if (n && !l->failed)
		switch_settings(s, l, &((struct switch_node *)n)->config);
}

/* Other settings for switches that are there already. */
void build_change(struct sim *s, struct line *l)
{
	const char *w = line_word(l, "a switch");

	for (; w && !l->failed; w = line_more(l))
		each_name(s, l, w, change_one);
}

void build_switch(struct sim *s, struct line *l)
{
	const char *w = line_word(l, "a name");

	for (; w && !l->failed; w = line_more(l))
		each_name(s, l, w, build_one_switch);
}

static void storm_settings(struct sim *s, struct line *l, struct nic *n)
{
	if (!line_has(l, "storm_from"))
		return;
	n->storm_from = line_time(l, "storm_from", 0);
	n->storm_to = line_time(l, "storm_to", INT64_MAX);
	n->storm_every = line_time(l, "storm_every", 40 * PS_PER_US);
	n->storm_prio = (uint8_t)line_count(l, "storm_prio", 3, PRIO_MOST);
	n->storm_quanta =
		(uint16_t)line_count(l, "storm_quanta", 65535, UINT16_MAX);
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
	n->no_cnp = line_flag(l, "no_cnp", n->no_cnp);
	n->pdc_most = (uint32_t)line_count(l, "pdcs", n->pdc_most, UINT32_MAX);
	n->feed_bps = line_rate(l, "feed", n->feed_bps);
	n->drain_bps = line_rate(l, "drain", n->drain_bps);
	n->stuck_from = line_time(l, "stuck_from", n->stuck_from);
	n->stuck_to = line_time(l, "stuck_to", n->stuck_to);
	n->pfc.buffer = line_size(l, "buffer", n->pfc.buffer);
	n->pfc.xoff = line_size(l, "xoff", n->pfc.xoff);
	n->pfc.xon = line_size(l, "xon", n->pfc.xon);
	n->pfc.quanta =
		(uint16_t)line_count(l, "quanta", n->pfc.quanta, UINT16_MAX);
	n->pfc.global_pause = line_flag(l, "global", n->pfc.global_pause);
	n->clock_offset = line_time(l, "clock", n->clock_offset);
	if (line_flag(l, "clock_early", false))
		n->clock_offset = -n->clock_offset;
	n->clock_drift = line_real(l, "clock_drift", n->clock_drift,
				   -DRIFT_MOST, DRIFT_MOST);
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

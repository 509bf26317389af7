/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fabric and messages as a scenario of fabscope simulate. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "whatif/whatif_int.h"

enum {
	SERVED_MTU = 4096,
	LEAST_MTU = 256,
	MIDDLE_NS = 1000000,
	NIC_NS = 800, /* until it answers, as fabscope simulate has it */
	LINK_NS = 500 /* where nothing is known */
};

/* Between capture point and host: there and back, with the NIC between, an ACK
 * takes |answer_ns|. */
static int64_t host_delay(const struct wi_world *w, const struct wi_link *l)
{
	const struct wi_node *n =
		&w->nodes[w->nodes[l->a].is_switch ? l->b : l->a];
	int64_t both = n->answer_ns - NIC_NS - wi_onto_link(ACK_BYTES, l->bps);

	if (!n->answer_ns)
		return LINK_NS;
	return both > 0 ? both / 2 : 0;
}

static int64_t fabric_delay(const struct wi_world *w)
{
	return w->delay_ns ? w->delay_ns : LINK_NS;
}

/* A rate of |set| or |now| for links of this kind, or what the file says. */
static void link_line(const struct wi_world *w, const struct wi_link *l,
		      const struct whatif_settings *now,
		      const struct whatif_settings *set, FILE *f)
{
	bool up = w->nodes[l->a].is_switch && w->nodes[l->b].is_switch;
	const char *rate =
		wi_setting(now, set, up ? "links.uplink" : "links.downlink");

	fprintf(f, "link n%u n%u delay=%lldns speed=", l->a, l->b,
		(long long)(up ? fabric_delay(w) : host_delay(w, l)));
	if (rate)
		fprintf(f, "%s\n", rate);
	else
		fprintf(f, "%llu\n", (unsigned long long)l->bps);
}

static uint32_t mtu(uint32_t pmtu)
{
	uint32_t m = LEAST_MTU;

	while (m < pmtu && m < SERVED_MTU)
		m *= 2;
	return m;
}

/* Who sprays has receivers that bear it, or nobody would. */
static const char *receiver(const struct whatif_settings *now,
			    const struct whatif_settings *set)
{
	const char *said = wi_setting(now, set, "nic.receiver");
	const char *lb = wi_setting(now, set, "lb");

	if (said)
		return said;
	return lb && (!strcmp(lb, "spray") || !strcmp(lb, "adaptive"))
		       ? "orderless"
		       : "strict";
}

static void flow_line(const struct wi_world *w, size_t i, const char *receiver,
		      FILE *f)
{
	const struct wi_flow *l = &w->flows[i];
	bool uet = l->service[0] == 'r' && l->service[1] != 'c';

	if (!l->used)
		return;
	fprintf(f, "qp q%zu n%u n%u service=%s mtu=%u ecn=%s", i, l->src,
		l->dst, l->service, mtu(l->pmtu), l->ecn ? "yes" : "no");
	for (uint32_t k = 0; k < l->n_via; k++)
		fprintf(f, "%sn%u", k ? "," : " via=", l->via[k]);
	if (l->bps)
		fprintf(f, " rate=%llu", (unsigned long long)l->bps);
	if (uet)
		fprintf(f, " cc=%s\n", l->reacts ? "nscc" : "none");
	else
		fprintf(f, " dcqcn=%s no_cnp=%s receiver=%s patience=1ms\n",
			l->reacts ? "yes" : "no", l->reacts ? "no" : "yes",
			receiver);
}

static void numbers(const struct wi_send *s, const char *key, bool acked,
		    FILE *f)
{
	bool begun = false;

	for (uint32_t i = 0; i < s->n_after; i++) {
		if (s->acked[i] != acked)
			continue;
		if (begun)
			fprintf(f, ",%u", s->after[i] + 1);
		else
			fprintf(f, " %s=%u", key, s->after[i] + 1);
		begun = true;
	}
}

static void send_line(const struct wi_send *s, FILE *f)
{
	fprintf(f, "send r qp=q%u op=%s size=%llu wait=%lldns", s->flow, s->op,
		(unsigned long long)s->bytes, (long long)s->wait);
	numbers(s, "got", false, f);
	numbers(s, "acked", true, f);
	fputc('\n', f);
}

static int64_t span(const struct wi_world *w)
{
	int64_t last = 0;

	for (size_t i = 0; i < w->n_sends; i++)
		if (w->sends[i].last > last)
			last = w->sends[i].last;
	return last;
}

int wi_write_scenario(const struct wi_world *w,
		      const struct whatif_settings *now,
		      const struct whatif_settings *set, FILE *f,
		      struct err *err)
{
	/* far more than any setting would make of it */
	fprintf(f, "run for=%lldns done=yes\n",
		(long long)(8 * span(w) + 50 * MIDDLE_NS));
	if (wi_write_settings(now, set, f, err))
		return -1;
	for (size_t i = 0; i < w->n_nodes; i++)
		fprintf(f, "%s n%zu\n",
			w->nodes[i].is_switch ? "switch" : "host", i);
	for (size_t i = 0; i < w->n_links; i++)
		link_line(w, &w->links[i], now, set, f);
	for (size_t i = 0; i < w->n_flows; i++)
		flow_line(w, i, receiver(now, set), f);
	fprintf(f, "replay r\n");
	for (size_t i = 0; i < w->n_sends; i++)
		send_line(&w->sends[i], f);
	return 0;
}

static void tap_line(const struct wi_world *w, size_t i, FILE *f)
{
	const struct wi_link *l = &w->links[i];
	bool from = w->nodes[l->b].is_switch;

	if (w->nodes[l->a].is_switch && w->nodes[l->b].is_switch)
		return;
	fprintf(f, "tap t%zu n%u->n%u both=yes pfc=yes\n", i,
		from ? l->a : l->b, from ? l->b : l->a);
}

void wi_write_taps(const struct wi_world *w, FILE *f)
{
	for (size_t i = 0; i < w->n_nodes; i++) {
		char *name = text_printable(w->nodes[i].name);

		fprintf(f, "# n%zu is %s\n", i, name ? name : "");
		free(name);
	}
	for (size_t i = 0; i < w->n_links; i++)
		tap_line(w, i, f);
}

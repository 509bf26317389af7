/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the topology file means to decode and to the engine. */
#include "run/topology.h"

#include <stdlib.h>
#include <string.h>

#include "base/topology.h"
#include "decode/packet.h"
#include "decode/srv6.h"

static void override(uint16_t to[static 4], const uint16_t from[static 4])
{
	if (from[0])
		memcpy(to, from, 4 * sizeof *to);
}

static void override_protocols(uint8_t to[static 4],
			       const uint16_t from[static 4])
{
	for (int i = 0; i < 4 && from[0]; i++)
		to[i] = (uint8_t)from[i];
}

/* Beside those that are usual. */
static void add_srv6_blocks(const struct topology_numbers *n,
			    struct decode_options *out)
{
	size_t at = 0;

	while (at < SRV6_BLOCKS && out->srv6[at].bits)
		at++;
	for (int i = 0; i < TOPOLOGY_NUMBERS && at < SRV6_BLOCKS; i++)
		at += srv6_block(n->srv6_blocks[i].address,
				 n->srv6_blocks[i].bits, &out->srv6[at]);
}

void run_decode_options(const struct topology *t, struct decode_options *out)
{
	const struct topology_numbers *n;

	*out = decode_defaults;
	if (!t)
		return;
	n = &t->numbers;
	override(out->roce_ports, n->roce_ports);
	override(out->vxlan_ports, n->vxlan_ports);
	override(out->int_ports, n->int_ports);
	override(out->csig_tpids, n->csig_tpids);
	override(out->csig_wide_tpids, n->csig_wide_tpids);
	out->int_gre = n->int_gre[0];
	out->int_dscp = (uint8_t)n->int_dscp;
	out->int_dscp_mask = (uint8_t)n->int_dscp_mask;
	override_protocols(out->ifa_protocols, n->ifa_protocols);
	override(out->uet_ports, n->uet_ports);
	override_protocols(out->uet_protocols, n->uet_protocols);
	out->uet_clear = (uint8_t)n->uet_clear;
	add_srv6_blocks(n, out);
	for (int i = 0; i < TOPOLOGY_NUMBERS && n->uet_trimmed_dscps[i]; i++)
		out->trimmed_dscps |= UINT64_C(1) << n->uet_trimmed_dscps[i];
	for (int i = 0; i < TOPOLOGY_NUMBERS && n->ifa_dnx[i]; i++)
		out->ifa_dnx |= (uint16_t)(1 << (n->ifa_dnx[i] - 1));
}

/* In the cable, and one direction of it. */
static const struct topology_tap *one_way(const struct topology *t,
					  const char *name)
{
	const struct topology_tap *tap = topology_tap(t, name);

	return tap && tap->role == ROLE_TAP && tap->from && !tap->both ? tap
								       : NULL;
}

void run_wires(const struct topology *t, const char *const *names, size_t n,
	       const struct topology_tap **wires)
{
	for (size_t k = 0; k < n; k++)
		wires[k] = one_way(t, names[k]);
}

int run_other_way(const struct topology_tap *const *wires, size_t n, size_t k)
{
	const struct topology_tap *a = wires[k];
	int found = -1;

	for (size_t i = 0; a && i < n; i++) {
		const struct topology_tap *b = i != k ? wires[i] : NULL;

		/* the same once more: parallel cables */
		if (b && !strcmp(a->from, b->from) && !strcmp(a->to, b->to))
			return -1;
		if (!b || strcmp(a->from, b->to) || strcmp(a->to, b->from))
			continue;
		if (found >= 0)
			return -1;
		found = (int)i;
	}
	return found;
}

void run_group_names(const struct topology *t, const char *const *names,
		     int *place, size_t n)
{
	int *first = t && t->n_groups ? calloc(t->n_groups, sizeof *first)
				      : NULL; /* tap of a group, from 1 */

	for (size_t k = 0; first && k < n; k++) {
		const struct topology_group *g = topology_group_of(t, names[k]);
		int *of = g ? &first[g - t->groups] : NULL;

		/* or inferred together with a tap that is in a group */
		if (g || topology_group_of(t, names[place[k]]))
			place[k] = (int)k;
		if (of && *of)
			place[k] = place[*of - 1];
		else if (of)
			*of = (int)k + 1;
	}
	free(first);
}

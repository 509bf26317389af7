/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the user says of the fabric: the preferences of the plugin.
 *
 * They are the options of the program: a topology file, the ports and protocol
 * numbers of Ultra Ethernet, which replace those of the file; the speed of
 * links of which neither the file nor the capture tells it; and what the
 * program need not ask: how large a file may be to be gone through before it is
 * shown. */
#include "dissectors/settings.h"

#include <string.h>

#include <epan/prefs.h>
#include <wsutil/report_message.h>

#include "base/topology.h"
#include "dissectors/chain.h"
#include "dissectors/plugin.h"
#include "run/topology.h"

/* What Wireshark writes to. */
static const char *file = "";
static unsigned gigabits, whole_megabytes = 1024;
static range_t *uet_ports, *uet_protocols;

static struct settings now;
static struct topology *known;

const struct settings *settings(void)
{
	return &now;
}

void settings_place(bool on, const char *table, const uint16_t list[static 4],
		    dissector_handle_t handle)
{
	for (int i = 0; i < 4 && list[i]; i++)
		(on ? dissector_add_uint
		    : dissector_delete_uint)(table, list[i], handle);
}

/* ---- the preferences ---- */

struct list {
	uint16_t v[TOPOLOGY_NUMBERS];
	unsigned n;
};

static void take(guint32 value, gpointer data)
{
	struct list *l = data;

	if (value && l->n < TOPOLOGY_NUMBERS)
		l->v[l->n++] = (uint16_t)value;
}

/* As on the command line: what is given replaces what the file says. */
static void replace(uint16_t to[static TOPOLOGY_NUMBERS], range_t *range)
{
	struct list l = { 0 };

	range_foreach(range, take, &l);
	if (l.n)
		memcpy(to, l.v, sizeof l.v);
}

static struct topology *read_topology(void)
{
	struct topology *t;
	struct err err = { 0 };

	t = *file ? topology_read(file, &err) : topology_parse("", "", 0, &err);
	if (!t) {
		report_failure("fabscope: %s", err.text);
		return NULL;
	}
	replace(t->numbers.uet_ports, uet_ports);
	replace(t->numbers.uet_protocols, uet_protocols);
	return t;
}

static void place(bool on)
{
	chain_place(on);
	roce_place(on);
}

/* Do dissectors keep their numbers?  Those of chain_place() and
 * roce_place(). */
static bool same_numbers(const struct decode_options *a,
			 const struct decode_options *b)
{
#define SAME(list) (memcmp(a->list, b->list, sizeof a->list) == 0)
	return SAME(roce_ports) && SAME(uet_ports) && SAME(ifa_protocols) &&
	       SAME(uet_protocols) && SAME(csig_tpids) && SAME(csig_wide_tpids);
#undef SAME
}

static void apply(void)
{
	struct topology *t = read_topology();
	struct decode_options decode;

	run_decode_options(t, &decode);
	/* What the user decodes as something else stays so as long as the
	 * numbers do. */
	if (same_numbers(&decode, &now.decode)) {
		now.decode = decode;
	} else {
		place(false);
		now.decode = decode;
		place(true);
	}
	now.speed_bps = (uint64_t)gigabits * 1000000000;
	now.whole_bytes = (uint64_t)whole_megabytes << 20;
	now.topology = t;
	topology_free(known);
	known = t;
}

static void forget(void)
{
	topology_free(known);
	known = NULL;
	now.topology = NULL;
}

void settings_register(void)
{
	module_t *m = prefs_register_protocol(proto_fabscope, apply);

	now.decode = decode_defaults;
	now.whole_bytes = (uint64_t)whole_megabytes << 20;
	range_convert_str(wmem_epan_scope(), &uet_ports, "", UINT16_MAX);
	range_convert_str(wmem_epan_scope(), &uet_protocols, "", UINT8_MAX);
	prefs_register_filename_preference(
		m, "topology", "Topology file",
		"Names, link speeds, link groups and protocol numbers of the "
		"fabric: the file that fabscope analyze --topology reads",
		&file, FALSE);
	prefs_register_uint_preference(
		m, "link_speed", "Speed of the links (Gb/s)",
		"Pause quanta are in units of the link speed; 0: unknown, "
		"and how long they last is unknown as well. Links of the "
		"topology file have their own",
		10, &gigabits);
	prefs_register_uint_preference(
		m, "whole", "Largest file that is analyzed as a whole (MB)",
		"Before its first packet is shown, so that every verdict is "
		"known at once; a larger file is analyzed as it is read. 0: "
		"all are",
		10, &whole_megabytes);
	prefs_register_range_preference(
		m, "uet_port", "UDP ports of Ultra Ethernet",
		"At most four; none: 4793, or what the topology file says",
		&uet_ports, UINT16_MAX);
	prefs_register_range_preference(
		m, "uet_protocol", "IP protocols of Ultra Ethernet",
		"Without UDP. At most four; none: 253, or what the topology "
		"file says",
		&uet_protocols, UINT8_MAX);
	register_shutdown_routine(forget);
}

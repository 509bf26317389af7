/* SPDX-License-Identifier: GPL-2.0-or-later
 * Topology files: what they say, and what is said of wrong ones. */
#include "base/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct topology *parse(const char *text, struct err *err)
{
	return topology_parse("fabric.ini", text, strlen(text), err);
}

static void refused(const char *text, const char *why)
{
	struct err err = { 0 };

	assert_null(parse(text, &err));
	assert_string_equal(err.text, why);
}

static void all_of_it(void **state)
{
	static const char text[] = "# a fabric\n"
				   "[switch leaf1]\n"
				   "device = 0x1004\n"
				   "port 3 = Ethernet1/4 ; comment\n"
				   "[host h1]\n"
				   "address = 10.0.0.1, fd00::1\n"
				   "switch = leaf1\n"
				   "rail = 2\n"
				   "storage = 1\n"
				   "[link h1--leaf1]\n"
				   "speed = 400G\n"
				   "[link leaf1 -- spine1]\n"
				   "speed = 25 Gbit/s\n"
				   "[tap u1]\n"
				   "link = leaf1->spine1\n"
				   "role = egress-mirror\n"
				   "[tap edge]\n"
				   "link = h1--leaf1\n"
				   "role = tap\n"
				   "speed = 100000000000\n"
				   "[group up]\n"
				   "members = leaf1->spine1, u2\n"
				   "  leaf1->spine3\n"
				   "[protocols]\n"
				   "csig-tpid = 0x9900 0xccdd\n"
				   "ifa-dnx = 0, 2\n"
				   "int-dscp = 0x17/0x30\n"
				   "uet-port = 4793, 49150\n"
				   "uet-protocol = 254\n"
				   "uet-trimmed-dscp = 10\n"
				   "uet-clear = 12\n";
	struct err err = { 0 };
	struct topology *t = parse(text, &err);
	const struct topology_tap *u1;

	(void)state;
	assert_string_equal(err.text, "");
	assert_non_null(t);
	assert_int_equal(t->n_nodes, 2);
	assert_string_equal(t->nodes[0].name, "leaf1");
	assert_int_equal(t->nodes[0].device, 0x1004);
	assert_int_equal(t->nodes[0].rail, TOPOLOGY_UNKNOWN);
	assert_int_equal(t->nodes[1].n_addr, 2);
	assert_int_equal(t->nodes[1].rail, 2);
	assert_int_equal(t->nodes[1].storage, 1);
	assert_string_equal(t->nodes[1].attached, "leaf1");
	assert_int_equal(t->n_ports, 1);
	assert_int_equal(t->ports[0].number, 3);
	assert_string_equal(t->ports[0].name, "Ethernet1/4");
	assert_int_equal(t->n_links, 2);
	assert_true(t->links[0].speed_bps == 400000000000);
	assert_true(t->links[1].speed_bps == 25000000000);
	u1 = topology_tap(t, "u1");
	assert_non_null(u1);
	assert_string_equal(u1->from, "leaf1");
	assert_string_equal(u1->to, "spine1");
	assert_false(u1->both);
	assert_int_equal(u1->role, ROLE_EGRESS);
	assert_true(u1->speed_bps == 25000000000); /* its link's */
	assert_true(topology_tap(t, "edge")->both);
	assert_true(topology_tap(t, "edge")->speed_bps == 100000000000);
	assert_int_equal(t->n_groups, 1);
	assert_int_equal(t->groups[0].n_members, 3);
	assert_string_equal(t->groups[0].members[2], "leaf1->spine3");
	assert_ptr_equal(topology_group_of(t, "u1"), &t->groups[0]);
	assert_ptr_equal(topology_group_of(t, "u2"), &t->groups[0]);
	assert_ptr_equal(topology_group_of(t, "leaf1->spine3"), &t->groups[0]);
	assert_null(topology_group_of(t, "edge"));
	assert_null(topology_group_of(t, "leaf1->spine11"));
	assert_int_equal(t->numbers.csig_tpids[1], 0xccdd);
	assert_int_equal(t->numbers.ifa_dnx[0], 1);
	assert_int_equal(t->numbers.ifa_dnx[1], 3);
	assert_int_equal(t->numbers.int_dscp, 0x10);
	assert_int_equal(t->numbers.int_dscp_mask, 0x30);
	assert_int_equal(t->numbers.uet_ports[1], 49150);
	assert_int_equal(t->numbers.uet_protocols[0], 254);
	assert_int_equal(t->numbers.uet_trimmed_dscps[0], 10);
	assert_int_equal(t->numbers.uet_clear, 12);
	assert_null(topology_tap(t, "u9"));
	topology_free(t);
}

static void ports_of_a_tap(void **state)
{
	static const char text[] = "[tap a]\nlink = s1->s2\n"
				   "ports = Ethernet0,  Ethernet1/1\n"
				   "[tap b]\nlink = s1->s2\n";
	struct err err = { 0 };
	struct topology *t =
		topology_parse("fabric.ini", text, sizeof text - 1, &err);

	(void)state;
	assert_non_null(t);
	assert_string_equal(topology_tap(t, "a")->from_port, "Ethernet0");
	assert_string_equal(topology_tap(t, "a")->to_port, "Ethernet1/1");
	assert_null(topology_tap(t, "b")->from_port);
	topology_free(t);
}

static void blocks_of_segments(void **state)
{
	struct err err = { 0 };
	struct topology *t = parse("[protocols]\n"
				   "srv6-block = fd00:1::/32, 2001:db8::/48\n",
				   &err);

	(void)state;
	assert_non_null(t);
	assert_int_equal(t->numbers.srv6_blocks[0].bits, 32);
	assert_int_equal(t->numbers.srv6_blocks[1].bits, 48);
	topology_free(t);
}

static void sheets(void **state)
{
	static const char text[] = "[dut]\n"
				   "switch-model = Family\n"
				   "  Model 9\n"
				   "[dut spine1]\n"
				   "switch-model = Other\n"
				   "[host]\n"
				   "nic-model = NIC 7 ; comment\n"
				   "[host h1]\n"
				   "address = 10.0.0.1\n";
	static const struct {
		const char *name, *key, *value;
		int part;
	} want[] = {
		{ "", "switch-model", "Family Model 9", 1 },
		{ "spine1", "switch-model", "Other", 1 },
		{ "", "nic-model", "NIC 7", 1 },
	};
	struct err err = { 0 };
	struct topology *t = parse(text, &err);

	(void)state;
	assert_non_null(t);
	assert_int_equal(t->n_nodes, 1);
	assert_int_equal(t->sheet.n, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct sheet_fact *f = &t->sheet.facts[i];

		assert_string_equal(f->name, want[i].name);
		assert_string_equal(f->key, want[i].key);
		assert_string_equal(f->value, want[i].value);
		assert_int_equal(f->part, want[i].part);
	}
	topology_free(t);
	refused("[dut]\nweight = 3\n",
		"fabric.ini:2: [dut] weight: unknown key");
	refused("[host]\naddress = 10.0.0.1\n",
		"fabric.ini:2: [host] address: unknown key");
}

static void errors_name_line_and_key(void **state)
{
	(void)state;
	refused("\n[protocols]\nsrv6-block = 10.0.0.0/16\n",
		"fabric.ini:3: [protocols] srv6-block: is not an IPv6 network "
		"of 16, 32, 48 or 64 bits");
	refused("\n[switch a]\ndevise = 3\n",
		"fabric.ini:3: [switch a] devise: unknown key");
	refused("[swich a]\ndevice = 3\n",
		"fabric.ini:1: [swich a]: unknown section");
	refused("[switch a]\ndevice = 3\n[links]\n[host h]\n",
		"fabric.ini:3: [links]: unknown section");
	refused("[switch]\n", "fabric.ini:1: [switch]: unknown section");
	refused("[switch a]\ndevice = 4294967296\n",
		"fabric.ini:2: [switch a] device: not a number, or out of "
		"range");
	refused("[switch a]\nqueue-unit = 0\n",
		"fabric.ini:2: [switch a] queue-unit: 0 is none");
	refused("[switch a]\ndevice = -1\n", "fabric.ini:2: [switch a] device: "
					     "not a number, or out of range");
	refused("[host a]\naddress = 10.0.0.256\n",
		"fabric.ini:2: [host a] address: not an address");
	refused("[tap a]\nports = Ethernet1\n",
		"fabric.ini:2: [tap a] ports: a link has two ports, with a "
		"comma between");
	refused("[link a--b]\nspeed = 400X\n",
		"fabric.ini:2: [link a--b] speed: not a speed like 400G");
	refused("[link a--b]\nspeed = nan\n",
		"fabric.ini:2: [link a--b] speed: not a speed like 400G");
	refused("[link a->b]\nspeed = 1G\n",
		"fabric.ini:2: [link a->b] speed: a link is written "
		"[link A--B]");
	refused("[tap t]\nrole = span\n",
		"fabric.ini:2: [tap t] role: is ingress-mirror, egress-mirror "
		"or tap");
	refused("[tap t]\nlink = a\n",
		"fabric.ini:2: [tap t] link: a link is A->B, or A--B for both "
		"directions");
	refused("[group g]\nmembers = a b a\n",
		"fabric.ini:2: [group g] members: a member stands here twice");
	refused("[protocols]\nint-port = 1 2 3 4 5\n",
		"fabric.ini:2: [protocols] int-port: at most four of them");
	refused("[protocols]\nint-port = 0\n",
		"fabric.ini:2: [protocols] int-port: 0 is none");
	refused("[switch a]\ndevice = 1\n[host a]\nrail = 1\n",
		"fabric.ini:4: [host a] rail: is a switch and a host");
	refused("[host a]\nswitch = b\n[link a--c]\nspeed = 1G\n",
		"fabric.ini: [host a] switch: there is no \"b\"");
	refused("words\n", "fabric.ini:1: neither [section] nor key = value");
}

/* Cut anywhere and with any byte changed: a topology or an error. */
static void survives_anything(void **state)
{
	static const char text[] = "[switch leaf1]\ndevice = 1\nport 3 = E4\n"
				   "[host h]\naddress = 10.0.0.1\n"
				   "[group up]\nmembers = a->b, u2\n  c\n";
	char copy[sizeof text];

	(void)state;
	for (size_t n = 0; n < sizeof text; n++) {
		struct err err = { 0 };

		topology_free(topology_parse("x", text, n, &err));
		for (int c = 0; c < 256; c++) {
			memcpy(copy, text, sizeof text);
			copy[n] = (char)c;
			topology_free(topology_parse("x", copy, sizeof text - 1,
						     NULL));
		}
	}
}

static void long_lines(void **state)
{
	struct err err = { 0 };
	char line[400];

	(void)state;
	memset(line, 'a', sizeof line);
	assert_null(topology_parse("x", line, sizeof line, &err));
	assert_string_equal(err.text,
			    "x:1: a line of more than 190 characters");
	line[0] = '[';
	line[60] = ']';
	memcpy(line + 61, "\nrail = 1", 9);
	assert_null(topology_parse("x", line, 70, &err));
	assert_non_null(strstr(err.text, "a name of more than 40 characters"));
}

/* Slots that reading |n| of each section, and asking for each, looks at. */
static uint64_t steps_of(unsigned n)
{
	char *text = malloc(n * 256u), *at = text;
	struct topology *t;
	uint64_t steps;

	assert_non_null(text);
	for (unsigned i = 0; i < n; i++)
		at += sprintf(at,
			      "[switch s%u]\ndevice = %u\n"
			      "[host h%u]\nswitch = s%u\n"
			      "[link h%u--s%u]\nspeed = 100G\n"
			      "[tap t%u]\nlink = s%u->h%u\n"
			      "[group g%u]\nmembers = t%u\n"
			      "[group all]\nmembers = x%u\n",
			      i, i, i, n - 1 - i, i, i, i, i, i, i, i, i);
	t = topology_parse("many.ini", text, (size_t)(at - text), NULL);
	free(text);
	assert_non_null(t);
	assert_int_equal(t->n_groups, n + 1);
	assert_int_equal(t->groups[1].n_members, n);
	for (unsigned i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof name, "t%u", i);
		assert_true(topology_tap(t, name)->speed_bps == 100000000000);
		assert_non_null(topology_group_of(t, name));
	}
	steps = topology_steps(t);
	topology_free(t);
	return steps;
}

/* Twice as many sections cost twice as much. */
static void many_sections_cost_what_they_are(void **state)
{
	uint64_t once = steps_of(4000), twice = steps_of(8000);

	(void)state;
	assert_in_range(once, 4000, 4000 * 100);
	assert_in_range(twice, 2 * once - once / 2, 2 * once + once / 2);
}

/* Two links and one address: taps at them are parallel, each way.  With two
 * addresses, two taps at one link, or a group by hand they are not. */
static const char bond[] = "[link h1--leaf1]\nspeed = 100G\n"
			   "[link leaf2--h1]\nspeed = 100G\n"
			   "[tap a]\nlink = h1->leaf1\n"
			   "[tap b]\nlink = leaf2--h1\n"
			   "[tap c]\nlink = leaf1->h1\n"
			   "[tap d]\nlink = leaf1->spine1\n";

static size_t groups_of_bond(const char *more)
{
	char text[1024];
	struct err err = { 0 };
	struct topology *t;
	size_t n;

	snprintf(text, sizeof text, "%s%s", bond, more);
	t = parse(text, &err);
	assert_non_null(t);
	n = t->n_groups;
	if (n)
		assert_ptr_equal(topology_group_of(t, "a"),
				 topology_group_of(t, "b"));
	assert_null(topology_group_of(t, "d"));
	topology_free(t);
	return n;
}

static void bonds(void **state)
{
	(void)state;
	assert_int_equal(groups_of_bond(""), 0);
	assert_int_equal(groups_of_bond("[host h1]\naddress = 10.0.0.1\n"), 1);
	assert_int_equal(
		groups_of_bond("[host h1]\naddress = 10.0.0.1, fd00::1\n"), 1);
	assert_int_equal(groups_of_bond("[host h1]\naddress = 10.0.0.1\n"
					"[tap e]\nlink = leaf2->h1\n"),
			 2);
	assert_int_equal(
		groups_of_bond("[host h1]\naddress = 10.0.0.1, 10.1.0.1\n"), 0);
	assert_int_equal(groups_of_bond("[host h1]\naddress = 10.0.0.1\n"
					"[tap e]\nlink = h1->leaf1\n"),
			 0);
	assert_int_equal(groups_of_bond("[host h1]\naddress = 10.0.0.1\n"
					"[group g]\nmembers = a, b\n"),
			 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it),
		cmocka_unit_test(ports_of_a_tap),
		cmocka_unit_test(blocks_of_segments),
		cmocka_unit_test(sheets),
		cmocka_unit_test(errors_name_line_and_key),
		cmocka_unit_test(survives_anything),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(many_sections_cost_what_they_are),
		cmocka_unit_test(bonds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

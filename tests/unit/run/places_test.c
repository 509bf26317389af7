/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a topology file says of many taps is looked up once for each. */
#define _GNU_SOURCE /* open_memstream() */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/topology.h"
#include "run/places.h"

enum { LINKS = 100, NAME = 16 };

/* Two taps of each of |links| links, one for each direction. */
static struct topology *two_directions(unsigned links)
{
	struct err err = { 0 };
	struct topology *t;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	for (unsigned i = 0; i < 2 * links; i++)
		fprintf(f, "[tap t%u]\nrole = tap\nlink = %s%u->%s%u\n", i,
			i % 2 ? "b" : "a", i / 2, i % 2 ? "a" : "b", i / 2);
	fclose(f);
	t = topology_parse("f", text, n, &err);
	free(text);
	assert_non_null(t);
	return t;
}

/* Names that were looked for. */
static uint64_t steps_of(unsigned links)
{
	struct topology *t = two_directions(links);
	static char name[2 * LINKS * 4][NAME];
	static const char *names[2 * LINKS * 4];
	static struct tap_map m;
	uint64_t before = topology_steps(t), steps;

	for (unsigned i = 0; i < 2 * links; i++) {
		snprintf(name[i], NAME, "t%u", i);
		names[i] = name[i];
	}
	map_init(&m);
	map_topology(&m, t, names, (size_t)2 * links);
	steps = topology_steps(t) - before;
	topology_free(t);
	for (unsigned i = 0; i < links; i++) {
		assert_int_equal(m.place[2 * i + 1], m.place[2 * i]);
		assert_int_equal(m.by[2 * i], BY_TOPOLOGY);
	}
	return steps;
}

static void links_are_found_in_linear_time(void **state)
{
	uint64_t once = steps_of(LINKS), four_times = steps_of(4 * LINKS);

	(void)state;
	assert_true(once >= LINKS);
	assert_true(four_times < 8 * once);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_are_found_in_linear_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

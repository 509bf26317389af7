/* SPDX-License-Identifier: GPL-2.0-or-later
 * libFuzzer target: any bytes as a topology file.  What it says can be asked
 * for, and the work grows as the file does. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/topology.h"

enum { STEPS_AN_BYTE = 64 };

static void ask(const struct topology *t)
{
	char text[TOPOLOGY_LINK_TEXT];

	for (size_t i = 0; i < t->n_taps; i++) {
		const struct topology_tap *tap =
			topology_tap(t, t->taps[i].name);

		if (!tap)
			abort();
		for (int k = 0; k < TOPOLOGY_ARROWS; k++)
			topology_link_text(tap, topology_arrows[k], text);
		topology_group_of(t, t->taps[i].name);
	}
	for (size_t i = 0; i < t->n_groups; i++)
		for (size_t k = 0; k < t->groups[i].n_members; k++)
			topology_group_of(t, t->groups[i].members[k]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct topology *t =
		topology_parse("file", (const char *)data, size, &err);

	if (!t && (!err.code || strchr(err.text, '\n')))
		abort();
	if (t && topology_steps(t) > STEPS_AN_BYTE * (size + 1))
		abort();
	if (t)
		ask(t);
	topology_free(t);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Scenarios by name. */
#include "simulate/shipped.h"

#include <stdint.h>
#include <string.h>

FILE *scenario_open(const char *name)
{
	char file[64];
	const char *text;

	snprintf(file, sizeof file, "%s.fab", name);
	text = builtin_find(shipped_scenarios, file);
	return text ? fmemopen((char *)(uintptr_t)text, strlen(text), "r")
		    : fopen(name, "re");
}

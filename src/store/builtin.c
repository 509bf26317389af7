/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text files that are part of the program, by name. */
#include <assert.h>
#include <string.h>

#include "store/store_int.h"

const char *builtin_text(const char *name)
{
	const struct builtin *b = store_builtins;

	while (b->name && strcmp(b->name, name))
		b++;
	assert(b->name);
	return b->text;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text files that are part of the program, by name. */
#include <assert.h>

#include "store/store_int.h"

const char *builtin_text(const char *name)
{
	const char *text = builtin_find(store_builtins, name);

	assert(text);
	return text;
}

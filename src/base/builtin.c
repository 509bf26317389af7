/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text files that are part of the program, by name. */
#include "base/builtin.h"

#include <stddef.h>
#include <string.h>

const char *builtin_find(const struct builtin *list, const char *name)
{
	while (list->name && strcmp(list->name, name) != 0)
		list++;
	return list->text;
}

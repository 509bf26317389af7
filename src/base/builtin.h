/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text files that are part of the program; cmake/Embed.cmake writes them. */
#ifndef FABSCOPE_BASE_BUILTIN_H
#define FABSCOPE_BASE_BUILTIN_H

/* A list is sorted by name; its last row has a NULL name. */
struct builtin {
	const char *name;
	const char *text;
};

/* The text of |name| in |list|, NULL when it is not there. */
const char *builtin_find(const struct builtin *list, const char *name);

#endif

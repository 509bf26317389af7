/* SPDX-License-Identifier: GPL-2.0-or-later
 * Names to numbers, in constant time however many and whoever chose them. */
#ifndef FABSCOPE_BASE_NAMES_H
#define FABSCOPE_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAMES_NONE SIZE_MAX

/* All zero: empty. */
struct names {
	struct name_entry {
		char *name;
		size_t number;
	} * slot;
	size_t n, room;
	uint64_t steps; /* slots that were ever looked at */
};

/* The number of |name|, or NAMES_NONE. */
size_t names_find(struct names *x, const char *name);

/* |name|, which is copied, has |number| unless it has one already.  False: no
 * memory. */
bool names_add(struct names *x, const char *name, size_t number);

void names_fini(struct names *x);

#endif

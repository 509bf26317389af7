/* SPDX-License-Identifier: GPL-2.0-or-later
 * What only the operator knows of devices under test and of hosts: sheet.def.
 */
#ifndef FABSCOPE_BASE_SHEET_H
#define FABSCOPE_BASE_SHEET_H

#include <stddef.h>

struct sheet_fact {
	char *name; /* of the device; "" when there is one without a name */
	const char *key, *title;
	int part; /* of section 13 of the draft */
	char *value;
};

struct sheet {
	struct sheet_fact *facts;
	size_t n;
};

/* Another value of one |key| goes on behind the first.  NULL, or why not. */
const char *sheet_add(struct sheet *s, const char *name, const char *key,
		      const char *value);
void sheet_fini(struct sheet *s);

#endif

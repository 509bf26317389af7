/* SPDX-License-Identifier: GPL-2.0-or-later
 * What facts are called: in the database, in JSON, in Wireshark. */
#include "flow/core/fact.h"

#define NAMES(list)       const char *const list##_names[] = {
#define NAME(value, name) [value] = name,
#define END_NAMES(list, count) \
	}                      \
	;
#include "flow/core/names.def"

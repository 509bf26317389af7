/* SPDX-License-Identifier: GPL-2.0-or-later
 * Jobs: how long they took, what it went to, what it could have been. */
#ifndef FABSCOPE_VIEWS_JCT_H
#define FABSCOPE_VIEWS_JCT_H

#include <stdio.h>

#include "base/err.h"

struct store;

/* |params| as of the query "jct": "K=V", NULL-terminated.  |program| is how to
 * call fabscope. */
int jct_print(struct store *s, const char *program, const char *const *params,
	      FILE *out, struct err *err);

/* For programs: docs/jct.schema.json. */
int jct_json(struct store *s, const char *const *params, FILE *out,
	     struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Deciding again from the evidence in a database. */
#ifndef FABSCOPE_STORE_JUDGE_H
#define FABSCOPE_STORE_JUDGE_H

#include <stdint.h>

#include "base/err.h"

/* The evidence bit of an assumption of the user's, "in-order"; 0: there is no
 * such. */
uint64_t judge_assumed(const char *name);

struct evidence;

/* Writes the database |path| to |to|, which may be the same, with all verdicts
 * on recoveries made anew, and what follows from them.  -1 and |err|. */
int store_judge(const char *path, const char *to, uint64_t assumed,
		struct err *err);

/* The same, under what was assumed before, with what others counted and logged.
 */
int store_import(const char *path, const char *to, const struct evidence *e,
		 struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Giving up what is not needed: capabilities, system calls, files. */
#ifndef FABSCOPE_RUN_SANDBOX_H
#define FABSCOPE_RUN_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* For people: what could be done, and what could not and why. */
struct sandbox_report {
	char text[512];
};

/* Becomes |user| for good, keeping capabilities over it.  NULL: stays. */
int sandbox_user(const char *user, struct err *err);

/* What reads the database only: keeps no capability. */
void sandbox_reader(void);

/* What captures: keeps CAP_NET_RAW, and CAP_NET_ADMIN for |admin|, and writes
 * no file. */
void sandbox_capture(bool admin, struct sandbox_report *r);

/* What analyses: keeps no capability, and writes below |folders| only. */
void sandbox_analysis(const char *const *folders, size_t n,
		      struct sandbox_report *r);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pipes that are to be read twice: several inputs can only be tied to each
 * other (clocks, parallel links) by looking ahead.  What comes from a pipe is
 * kept in a file without a name beside the result, which is gone with us. */
#ifndef FABSCOPE_RUN_SPOOL_H
#define FABSCOPE_RUN_SPOOL_H

#include "base/err.h"
#include "capture/capture.h"

struct run_spool {
	struct capture_input *inputs; /* to be read in place of those given */
	struct spooled *kept;
	size_t n;
};

/* Returns when all pipes among |inputs| have ended.  One input alone, and what
 * is no pipe, stay as they are; so do all where no such file can be made.  -1
 * and |err|: there is no room for them. */
int run_spool_start(struct run_spool *s, const struct capture_input *inputs,
		    size_t n, const char *beside, struct err *err);
void run_spool_fini(struct run_spool *s);

#endif

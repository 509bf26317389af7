/* SPDX-License-Identifier: GPL-2.0-or-later
 * The captures that the words of analyze name. */
#ifndef FABSCOPE_CLI_INPUTS_H
#define FABSCOPE_CLI_INPUTS_H

#include <stddef.h>

#include "base/err.h"
#include "capture/capture.h"
#include "cli/args.h"

struct plan;

struct inputs {
	struct capture_input *v; /* in the order of analysis */
	size_t n;
	char **texts; /* copies that they point into */
	size_t n_texts;
};

/* -1 and |err|: there is none, or one is not understood. */
int inputs_find(struct inputs *in, const struct args *a, struct err *err);

/* From now on the partial results of |p| are read in their place.  -1 and
 * |err|: some are missing, or are not of this plan. */
int inputs_reduced(struct inputs *in, const struct plan *p, struct err *err);

void inputs_fini(struct inputs *in);

#endif

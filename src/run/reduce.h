/* SPDX-License-Identifier: GPL-2.0-or-later
 * From a capture file to a reduced one (capture/reduced.h). */
#ifndef FABSCOPE_RUN_REDUCE_H
#define FABSCOPE_RUN_REDUCE_H

#include <stddef.h>

#include "base/err.h"
#include "capture/reduced.h"

struct topology;

struct reduce_options {
	struct capture_input input;
	size_t inputs; /* of the whole analysis */
	const char *filter;
	const struct topology *topology; /* or NULL */
	const char *to;                  /* its final name */
	struct reduced_head head;        /* without the format */
};

/* -1 and |err|: nothing new has the name. */
int run_reduce(const struct reduce_options *o, struct err *err);

#endif

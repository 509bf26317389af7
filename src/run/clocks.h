/* SPDX-License-Identifier: GPL-2.0-or-later
 * Looking through capture files before they are analyzed: how do the clocks of
 * their taps go against each other?  Only what can be read twice, and only
 * where there is more than one tap. */
#ifndef FABSCOPE_RUN_CLOCKS_H
#define FABSCOPE_RUN_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

struct clock_part;
struct decode_options;
struct store;

struct run_clocks {
	struct clocks *clocks;
	const struct clock_part *parts; /* by tap as read here */
	size_t n_parts;
	struct {
		uint32_t file, ordinal;
	} * taps; /* as read here */
	size_t n_taps;
	struct capture_shift *shifts; /* what has to be corrected */
	size_t n_shifts;
	bool once; /* not all can be read twice: nothing was looked at */
};

/* Nothing is an error: what is not known is not corrected. */
void run_clocks_look(struct run_clocks *r, const struct capture_input *inputs,
		     size_t n, const struct capture_options *how,
		     const struct decode_options *decode);
void run_clocks_fini(struct run_clocks *r);

/* A time of the file, as packets near its begin or its |end| were corrected. */
int64_t run_clocks_time(const struct run_clocks *r, uint32_t file,
			uint32_t ordinal, int64_t ns, bool end);

/* Rows of table clock, with the tap numbers of |c|. */
void run_clocks_tell(const struct run_clocks *r, const struct capture *c,
		     struct store *s);

#endif

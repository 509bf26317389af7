/* SPDX-License-Identifier: GPL-2.0-or-later
 * Looking ahead in capture files: which taps are parallel links of one hop? */
#ifndef FABSCOPE_RUN_PLACES_H
#define FABSCOPE_RUN_PLACES_H

#include <stddef.h>

#include "flow/places.h"

struct capture;
struct capture_input;
struct capture_options;
struct decode_options;
struct topology;

/* Fills |place| for engine_options, each its own where nothing is known, and
 * returns for how many taps; 0 when the inputs can be read only once. */
size_t run_places(const struct capture_input *inputs, size_t n,
		  const struct capture_options *how,
		  const struct decode_options *decode, int place[PLACES_TAPS]);

/* run_group_names() of the first |n| taps that |c| knows by now. */
void run_group_places(const struct topology *t, const struct capture *c,
		      int *place, size_t n);

#endif

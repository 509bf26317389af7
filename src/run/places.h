/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which taps are one place: found by looking ahead in capture files, by the
 * names they were given, and by the topology file. */
#ifndef FABSCOPE_RUN_PLACES_H
#define FABSCOPE_RUN_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "flow/multitap/halves.h"

struct capture;
struct capture_input;
struct capture_options;
struct decode_options;
struct store;
struct topology;

enum { MAP_TAPS = 1024 }; /* taps beyond are places of their own */

/* Who says that two taps are the directions of one link. */
enum half_by { BY_NOBODY, BY_ADDRESSES, BY_NAME, BY_TOPOLOGY };

struct tap_map {
	int place[MAP_TAPS], link[MAP_TAPS]; /* for engine_options */
	int64_t lag[MAP_TAPS];               /* likewise */
	struct half half[MAP_TAPS];          /* what was seen */
	uint8_t by[MAP_TAPS];                /* enum half_by: and is so */
	uint8_t side[MAP_TAPS]; /* 1 and 2 of a link; those of parallel links
				 * alike */
};

/* Each tap for itself. */
void map_init(struct tap_map *m);

/* What can be found by looking ahead: nothing where the inputs can be read only
 * once. */
void map_look_ahead(struct tap_map *m, const struct capture_input *inputs,
		    size_t n, const struct capture_options *how,
		    const struct decode_options *decode);

/* |a|, the earlier tap, and |b| are one link from now on. */
void map_join(struct tap_map *m, size_t a, size_t b, enum half_by by);

/* What is said of the taps that |c| knows by now: by |inputs| of equal names
 * and by |t|; either may be NULL. */
void map_named(struct tap_map *m, const struct capture_input *inputs,
	       const struct topology *t, const struct capture *c);

/* What |t| alone says of |n| taps with these names. */
void map_topology(struct tap_map *m, const struct topology *t,
		  const char *const *names, size_t n);

/* Says of the first |n| taps what there is to say. */
void map_tell(const struct tap_map *m, size_t n, struct store *s);

#endif

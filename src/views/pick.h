/* SPDX-License-Identifier: GPL-2.0-or-later
 * The packets of a finding, a flow, a time or by number, one after the other.
 *
 * The database has no packets: the captures it names are read once more, or
 * what a live analysis recorded. */
#ifndef FABSCOPE_VIEWS_PICK_H
#define FABSCOPE_VIEWS_PICK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct capture_tap;
struct decode_options;
struct frame;
struct pick;
struct selector;
struct store;

struct pick_options {
	const struct selector *selector; /* must outlive the pick */
	int64_t context_ns; /* finding: before and after its evidence */
	bool whole;         /* finding: its flows while it lasted */
	const struct decode_options *decode; /* NULL: as usual; likewise */
};

/* Finds out what is meant and opens the captures.  One with a relative path is
 * looked for here and beside the database.  NULL and |err| when a capture or
 * all recordings are gone, or there is no such thing. */
struct pick *pick_new(struct store *s, const struct pick_options *o,
		      struct err *err);
void pick_free(struct pick *p); /* NULL is fine */

/* A packet and, when it is evidence, what it shows.  Not 0 ends the reading: 1
 * is no error, -1 is one and fills |err|. */
typedef int pick_fn(void *ctx, const struct frame *f, const char *comment,
		    struct err *err);

/* Once.  -1 and |err| also when a capture is not what was analyzed, which is
 * known at its end only, or when no packet is selected. */
int pick_run(struct pick *p, pick_fn *take, void *ctx, struct err *err);

const struct capture_tap *pick_tap(const struct pick *p, uint32_t tap);
const char *pick_says(const struct pick *p); /* for people; may be "" */
uint64_t pick_packets(const struct pick *p); /* handed over so far */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The packets of a finding, a flow, a time or by number, one after the other.
 *
 * The database has no packets: the captures it names are read once more, or
 * what a live analysis recorded. */
#ifndef FABSCOPE_VIEWS_PACKET_READER_H
#define FABSCOPE_VIEWS_PACKET_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct capture_tap;
struct decode_options;
struct frame;
struct packet_reader;
struct selector;
struct store;

struct packet_reader_options {
	const struct selector *selector; /* must outlive the pick */
	int64_t context_ns; /* finding: before and after its evidence */
	bool whole;         /* finding: its flows while it lasted */
	const struct decode_options *decode; /* NULL: as usual; likewise */
};

/* Finds out what is meant and opens the captures.  One with a relative path is
 * looked for here and beside the database.  NULL and |err| when a capture or
 * all recordings are gone, or there is no such thing. */
struct packet_reader *packet_reader_new(struct store *s,
					const struct packet_reader_options *o,
					struct err *err);
void packet_reader_free(struct packet_reader *p); /* NULL is fine */

/* A packet and, when it is evidence, what it shows.  Not 0 ends the reading: 1
 * is no error, -1 is one and fills |err|. */
typedef int packet_reader_fn(void *ctx, const struct frame *f,
			     const char *comment, struct err *err);

/* Once.  -1 and |err| also when a capture is not what was analyzed, which is
 * known at its end only, or when no packet is selected. */
int packet_reader_run(struct packet_reader *p, packet_reader_fn *take,
		      void *ctx, struct err *err);

const struct capture_tap *packet_reader_tap(const struct packet_reader *p,
					    uint32_t tap);
const char *
packet_reader_says(const struct packet_reader *p); /* for people; may be "" */
uint64_t
packet_reader_packets(const struct packet_reader *p); /* handed over so far */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets of a finding, a flow, a time or by number, as a pcapng file.
 *
 * The database has no packets: the captures it names are read once more. */
#ifndef FABSCOPE_VIEWS_SLICE_H
#define FABSCOPE_VIEWS_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct anonymous_key;
struct decode_options;
struct store;
struct selector;

enum { SLICE_CONTEXT_NS = 1000000 }; /* what is usual */

struct slice_options {
	const struct selector *selector;
	const char *path;   /* "-": standard output */
	int64_t context_ns; /* finding: before and after its evidence */
	bool whole;         /* finding: its flows while it lasted */
	const struct decode_options *decode; /* NULL: as usual */
	const struct anonymous_key *key;     /* NULL: packets as they are */
	/* asked at every packet; true ends it, an error.  NULL: nobody is */
	bool (*stop)(void *ctx);
	void *stop_ctx;
};

struct slice_result {
	uint64_t packets;
	uint64_t unread; /* under pseudonyms: see anonymizer_unread() */
	char says[160];  /* what they are, for people; may be "" */
};

/* A capture with a relative path is looked for here and beside the database.
 * -1 and |err|, and then no new file, when a capture is gone or is not what was
 * analyzed, or when no packet is selected. */
int slice_write(struct store *s, const struct slice_options *o,
		struct slice_result *result, struct err *err);

#endif

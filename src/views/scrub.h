/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames under the pseudonyms of a database (store/pseudonym.h): what Wireshark
 * and fabscope read in them stays the same, and nobody is named.
 *
 * A new frame begins as zeros, and only what is understood is written into it,
 * field by field as scrub.def says.  Payload, options, unknown protocols and
 * padding stay zeros; the first bytes of a payload become a keyed hash of it,
 * so that two payloads that differed still do.  Lengths and times are kept.  A
 * checksum, ICRC or FCS that was right is right again, and one that was wrong
 * is wrong. */
#ifndef FABSCOPE_VIEWS_SCRUB_H
#define FABSCOPE_VIEWS_SCRUB_H

#include <stdint.h>

#include "store/anonymous.h"

struct decode_options;
struct frame;
struct scrub;

/* |decode|, NULL as usual, must outlive it.  NULL without memory. */
struct scrub *scrub_new(const struct anonymous_key *k,
			const struct decode_options *decode);
void scrub_free(struct scrub *s); /* NULL is fine */

/* |f| under pseudonyms, valid until the next call; NULL without memory. */
const struct frame *scrub_frame(struct scrub *s, const struct frame *f);

/* The pseudonym of the name of a tap, to be freed; NULL without memory. */
char *scrub_name(const struct scrub *s, const char *name);

/* Of how many frames so far not all headers could be read: what was not is
 * zeros. */
uint64_t scrub_unread(const struct scrub *s);

/* For tests: is there such a field for row |i| of scrub.def?  -1: no such
 * row. */
int scrub_row_is_used(unsigned i, const char **header, const char **field);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames under the pseudonyms of a database (store/pseudonym.h): what Wireshark
 * and fabscope read in them stays the same, and nobody is named.
 *
 * A new frame begins as zeros, and only what is understood is written into it,
 * field by field as frame_anonymizer.def says.  Payload, options, unknown
 * protocols and padding stay zeros; the first bytes of a payload become a keyed
 * hash of it, so that two payloads that differed still do.  Lengths and times
 * are kept.  A checksum, ICRC or FCS that was right is right again, and one
 * that was wrong is wrong. */
#ifndef FABSCOPE_VIEWS_FRAME_ANONYMIZER_H
#define FABSCOPE_VIEWS_FRAME_ANONYMIZER_H

#include <stdint.h>

#include "store/anonymous.h"

struct decode_options;
struct frame;
struct frame_anonymizer;

/* |decode|, NULL as usual, must outlive it.  NULL without memory. */
struct frame_anonymizer *anonymizer_new(const struct anonymous_key *k,
					const struct decode_options *decode);
void anonymizer_free(struct frame_anonymizer *s); /* NULL is fine */

/* |f| under pseudonyms, valid until the next call; NULL without memory. */
const struct frame *anonymizer_frame(struct frame_anonymizer *s,
				     const struct frame *f);

/* The pseudonym of the name of a tap, to be freed; NULL without memory. */
char *anonymizer_name(const struct frame_anonymizer *s, const char *name);

/* Of how many frames so far not all headers could be read: what was not is
 * zeros. */
uint64_t anonymizer_unread(const struct frame_anonymizer *s);

/* For tests: is there such a field for row |i| of frame_anonymizer.def?
 * -1: no such row. */
int anonymizer_row_is_used(unsigned i, const char **header, const char **field);

#endif

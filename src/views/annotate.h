/* SPDX-License-Identifier: GPL-2.0-or-later
 * A capture once more, with what was found as comments on its packets. */
#ifndef FABSCOPE_VIEWS_ANNOTATE_H
#define FABSCOPE_VIEWS_ANNOTATE_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct anonymous_key;
struct topology;

struct annotated {
	uint64_t packets, commented;
	uint64_t unread;     /* under pseudonyms: see anonymizer_unread() */
	uint64_t refused;    /* comments that a packet could not carry */
	uint64_t damaged;    /* bytes of the capture that are no pcapng */
	uint64_t remarked;   /* interfaces whose statistics carry a comment */
	const char *failure; /* why unpacking it ended early, or NULL */
};

/* Analyzes |capture|, of the fabric |t| or NULL, and writes it with comments on
 * packets and on interface statistics to |path|, as pcapng.  Of a pcapng file,
 * also a compressed one, all else stays byte for byte.  With |k| everything
 * is under pseudonyms: packets and their interfaces are written, in order of
 * time, and nothing else. */
int annotate(const char *capture, const struct topology *t, const char *path,
	     const struct anonymous_key *k, FILE *progress,
	     struct annotated *out, struct err *err);

#endif

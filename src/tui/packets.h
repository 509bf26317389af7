/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets of a selection, kept to be listed and decoded. */
#ifndef FABSCOPE_TUI_PACKETS_H
#define FABSCOPE_TUI_PACKETS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "capture/capture.h"
#include "views/rows.h"

enum {
	PACKETS_MAX = 5000,  /* kept; there may be more */
	PACKETS_BYTES = 512, /* of each */
};

struct packets {
	struct frame *frames; /* data points into bytes */
	unsigned char *bytes;
	size_t n;
	bool more; /* there were more than are kept */
};

/* Reads the captures again and keeps the packets of the selector |text|: one
 * row of |rows| for each, with the columns frame, ns, since_ns, tap, packet,
 * from, to, what, about.  |stop| is asked at every packet.  -1 and |err|;
 * packets_fini() is right after either. */
int packets_load(struct packets *p, struct store *s, const char *text,
		 bool (*stop)(void *ctx), void *ctx, struct rows *rows,
		 struct err *err);
void packets_fini(struct packets *p);

/* Every header and field of packet |i|, then its bytes; lines of text for
 * free().  NULL without memory. */
char *packets_decode(const struct packets *p, size_t i);

#endif

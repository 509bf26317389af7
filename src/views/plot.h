/* SPDX-License-Identifier: GPL-2.0-or-later
 * A flow as a picture, from its packets: SVG.
 *
 * Panels with one axis of time: the time-sequence graph (as tcptrace draws it),
 * payload in flight, throughput, and the delay from a packet to its ACK, both
 * as seen at the capture point; marks, CNPs and what the analysis found lost,
 * reordered or trimmed. */
#ifndef FABSCOPE_VIEWS_PLOT_H
#define FABSCOPE_VIEWS_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct decode_options;
struct selector;
struct sequence;
struct store;

struct plot_options {
	const struct selector *flow; /* SELECT_FLOW */
	bool (*stop)(void *ctx);     /* asked at every packet; NULL: never */
	void *stop_ctx;
	const struct selector *time; /* SELECT_TIME, or NULL: all of the flow */
	const char *path;            /* "-": standard output */
	const struct decode_options *decode; /* NULL: as usual */
	struct store *names; /* who is named in the picture; may be |s| */
};

/* The captures that |s| names are read again.  -1 and |err|, and then no new
 * file. */
int plot_write(struct store *s, const struct plot_options *o, struct err *err);

/* The same into |out|. */
int plot_draw(struct store *s, const struct plot_options *o, FILE *out,
	      struct err *err);

/* What is drawn beside the packets. */
struct plot_text {
	const char *flow; /* who sends to whom; may be hostile */
	const char *tap;  /* likewise */
	int64_t from_ns, to_ns, origin_ns;
};

/* The packets of the flow, gathered; |use| gets them, for another picture. */
int plot_gather(struct store *s, const struct plot_options *o,
		int (*use)(void *ctx, const struct sequence *sequence,
			   const struct plot_text *t),
		void *ctx, struct err *err);

/* The picture itself. */
void plot_svg(FILE *out, const struct sequence *s, const struct plot_text *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which packets a selector means: looked up in the database once, then asked
 * of every frame. */
#ifndef FABSCOPE_VIEWS_PACKET_FILTER_H
#define FABSCOPE_VIEWS_PACKET_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/err.h"
#include "views/rows.h"

struct frame;
struct packet;
struct selector;

/* One direction of a queue pair in one epoch. */
struct packet_filter_flow {
	struct addr src, dst;
	uint32_t dst_qp;
	int64_t from_ns, to_ns;
};

/* A frame with something to say about it. */
struct packet_filter_mark {
	uint32_t tap;
	uint64_t frame;
};

struct packet_filter_span {
	int64_t from_ns, to_ns; /* inclusive */
};

/* A frame is wanted when it is marked, or when each of these lists that is
 * used has it. */
struct packet_filter {
	struct packet_filter_flow
		*flows; /* by src, dst, dst_qp; NULL: not used */
	size_t n_flows;
	struct packet_filter_span *spans; /* in order of time; NULL: not used */
	size_t n_spans;
	const struct selector *frames; /* by number; NULL: not used */
	uint32_t tap;                  /* UINT32_MAX: not used */

	struct packet_filter_mark *marks; /* by tap, frame */
	size_t n_marks;
	size_t unseen; /* marks whose time packet_filter_see() has to tell */
	int64_t context_ns; /* wanted before and after what is shown */
	char *comment;      /* of marked frames */
	char says[160];     /* what this is, for people */
	const struct decode_options *decode; /* NULL: as usual */
};

struct packet_filter_options {
	const struct selector *selector;
	int64_t context_ns; /* finding: around its evidence */
	bool whole;         /* finding: all of its time */
	/* what is unusual in the fabric, or NULL; must outlive the want */
	const struct decode_options *decode;
};

/* |taps| and |captures| are the answers of the queries of these names.  -1 and
 * |err|: there is no such thing, or it names no packets.  Call
 * packet_filter_fini() after either result. */
int packet_filter_find(struct packet_filter *w,
		       const struct packet_filter_options *o, struct store *s,
		       const struct catalogue *c, const struct rows *taps,
		       const struct rows *captures, struct err *err);
void packet_filter_fini(struct packet_filter *w);

/* While |unseen| is not 0 the frames of the captures have to be shown first,
 * because evidence is known by number and what is around it by time; then
 * packet_filter_seen(). */
void packet_filter_see(struct packet_filter *w, const struct frame *f);
void packet_filter_seen(struct packet_filter *w);

/* By what a flow knows its packets, as the queries of slice and plot give it:
 * QP, or (1 << 24) + the source PDC or job. */
uint32_t packet_filter_number(const struct packet *p);

bool packet_filter_marked(const struct packet_filter *w, const struct frame *f);
bool packet_filter_frame(const struct packet_filter *w, const struct frame *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the state machines found out, as plain rows.
 *
 * The flow layer hands these to a sink and forgets them; the store writes each
 * as one row of the table of the same name (docs/schema.md).  A fact owns
 * nothing: strings are static or valid during the call only.
 * Unknown numbers are FACT_UNKNOWN and become NULL, never 0. */
#ifndef FABSCOPE_FLOW_CORE_FACT_H
#define FABSCOPE_FLOW_CORE_FACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"

#include "flow/core/fact_multitap.h"

#define FACT_UNKNOWN INT64_MIN

#define NAMES(list)       enum list {
#define NAME(value, name) value,
#define END_NAMES(list, count) \
	count                  \
	}                      \
	;                      \
	extern const char *const list##_names[count];
#include "flow/core/names.def"

/* UET: refusals of one direction's packets, by code. */
enum { NACK_CODES_KEPT = 32 };

/* Five numbers of a distribution; FACT_UNKNOWN: nothing was reported. */
struct fact_histogram {
	int64_t min, p50, mean, p99, max;
};

enum { FACT_PATH_HOPS = 8 };

/* What the engine made of one packet of a flow, the moment it was seen.  For
 * who looks at packets; what is only known later comes as an event. */
struct fact_note {
	int64_t ns;
	uint64_t frame; /* in the file of |tap| */
	uint32_t tap;
	uint32_t flow;  /* fact_flow.id */
	uint32_t peer;  /* the other direction, 0 not known yet */
	uint32_t space; /* the flow in whose requests its PSN counts, or 0 */
	enum note_kind kind;
	enum recovery_trigger trigger; /* of COPY and FILL */
	uint32_t missing;              /* GAP: PSNs */
	int64_t psn;      /* counted from the first of its space, or UNKNOWN */
	int64_t message;  /* 1.. in its space, as far as seen, or UNKNOWN */
	int64_t position; /* packet in the message, 0.., or UNKNOWN */
	uint64_t about;   /* the frame that it repeats or answers; 0 none */
	int64_t since_ns; /* since |about|, or UNKNOWN */
	/* The frame in which the port it goes to sent PFC pause, of its
	 * priority, for still now; 0 none, or for how long is not known. */
	uint64_t pause_frame;
	int64_t pause_since_ns; /* since that, or UNKNOWN */
};

#define FACT(name, table)    struct fact_##name {
#define MEMBER(type, member) type member;
#define END \
	}   \
	;
#define OTHER_FACT(name, table) struct fact_##name;
#include "flow/core/facts.def"

struct flow_sink {
	void *ctx;
#define FACT(name, table) void (*name)(void *ctx, const struct fact_##name *);
#include "flow/core/facts.def"
	/* One for each packet of a flow; NULL, as usual, costs nothing. */
	void (*note)(void *ctx, const struct fact_note *);
	/* rows a cap kept from being handed over: "and N more" */
	void (*capped)(void *ctx, const char *table, uint64_t dropped);
};

#endif

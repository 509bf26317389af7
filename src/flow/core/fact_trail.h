/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts of several capture points: where a direction was seen, what became
 * of its packets between one place and the next.  Part of fact.h. */
#ifndef FABSCOPE_FLOW_CORE_FACT_TRAIL_H
#define FABSCOPE_FLOW_CORE_FACT_TRAIL_H

#include <stdbool.h>
#include <stdint.h>

/* One direction at one place, in the order of its way. */
struct fact_trail {
	uint32_t trail; /* from 1 */
	uint32_t hop;   /* 1: nearest to the sender */
	uint32_t flow, tap;
	int ttl;
	uint64_t packets;
	const char *order_from; /* "ttl", "time"; NULL of the first */
};

/* Lengths of time; FACT_UNKNOWN without samples.  By the clocks as they are. */
struct fact_delay {
	int64_t min, p50, mean, p95, p99, p999, max;
};

/* UINT64_MAX in |lost| to |open|: not asked, another place lies between. */
struct fact_between {
	uint64_t packets;
	uint64_t lost, missed_to, missed_from, open;
	uint64_t marked, trimmed, damaged, doubled, reordered, displaced_max;
	struct fact_delay delay;
};

/* From one place to another, all flows. */
struct fact_segment {
	uint32_t id;       /* from 1 */
	uint32_t from, to; /* first taps of the places */
	bool adjacent, whole;
	uint32_t flows, one_in;
	uint64_t by_icrc;
	struct fact_between n;
	uint64_t slowest_frame; /* 0 none */
	int64_t first_ns, last_ns;
};

struct fact_segment_flow {
	uint32_t segment, flow, to_flow;
	struct fact_between n;
	uint64_t marked_frame, reordered_frame; /* 0 none */
};

/* A segment over time.  Packets count when they passed the first place, those
 * that it misses when they passed the second. */
struct fact_segment_bin {
	uint32_t segment;
	int64_t start_ns, width_ns;
	struct fact_between n; /* without delays */
};

enum vanished_kind {
	VANISHED_REQUEST,
	VANISHED_RESPONSE, /* owns its PSN: READ data, ATOMIC ACK */
	VANISHED_ANSWER,   /* ACK, NAK, CNP, control */
	VANISHED_KINDS
};

enum vanished_verdict {
	VANISHED_LOST,
	VANISHED_MISSED, /* by the capture at the second place */
	VANISHED_OPEN,
	VANISHED_VERDICTS
};

struct fact_vanished {
	uint32_t segment, flow, to_flow, tap;
	int64_t ns;
	uint64_t frame, before_frame, resent_frame; /* 0 none */
	uint32_t psn;
	enum vanished_kind kind;
	enum vanished_verdict verdict;
	double confidence;
	const char *detail;
};

/* Two taps that show one direction each of a link.  Told by run, not by the
 * engine. */
struct fact_half {
	uint32_t other;
	uint32_t side;     /* 1, 2; 0 not known */
	const char *told;  /* by whom; NULL: nobody, and */
	const char *doubt; /* why not */
};

/* Likewise. */
struct fact_clock {
	uint32_t tap, part, reference, against;
	const char *method;
	uint64_t from_frame;
	int64_t from_ns; /* by its own clock; of the first FACT_UNKNOWN */
	int64_t at_ns, offset_ns, drift_ppb, error_ns; /* FACT_UNKNOWN */
	int64_t drift_low_ppb, drift_high_ppb, against_error_ns;
	uint64_t packets;
	bool applied;
	const char *why;
};

extern const char *const vanished_kind_names[VANISHED_KINDS];
extern const char *const vanished_verdict_names[VANISHED_VERDICTS];

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts of several capture points: where a direction was seen, what became
 * of its packets between one place and the next.  Part of fact.h. */
#ifndef FABSCOPE_FLOW_CORE_FACT_MULTITAP_H
#define FABSCOPE_FLOW_CORE_FACT_MULTITAP_H

#include <stdbool.h>
#include <stdint.h>

/* One direction at one place, in the order of its path. */
struct fact_tap_path {
	uint32_t tap_path; /* from 1 */
	uint32_t hop;      /* 1: nearest to the sender */
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

enum unmatched_kind {
	UNMATCHED_REQUEST,
	UNMATCHED_RESPONSE, /* owns its PSN: READ data, ATOMIC ACK */
	UNMATCHED_ANSWER,   /* ACK, NAK, CNP, control */
	UNMATCHED_KINDS
};

enum unmatched_verdict {
	UNMATCHED_LOST,
	UNMATCHED_MISSED, /* by the capture at the second place */
	UNMATCHED_OPEN,
	UNMATCHED_VERDICTS
};

struct fact_unmatched {
	uint32_t segment, flow, to_flow, tap;
	int64_t ns;
	uint64_t frame, before_frame, retransmitted_frame; /* 0 none */
	uint32_t psn;
	enum unmatched_kind kind;
	enum unmatched_verdict verdict;
	double confidence;
	const char *detail;
};

/* Two taps that show one direction each of a link.  Found
 * by run, not by the engine. */
struct fact_half {
	uint32_t other;
	uint32_t side;        /* 1, 2; 0 not known */
	const char *found_by; /* by whom; NULL: nobody, and */
	const char *why_not;  /* why not */
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

extern const char *const unmatched_kind_names[UNMATCHED_KINDS];
extern const char *const unmatched_verdict_names[UNMATCHED_VERDICTS];

#endif

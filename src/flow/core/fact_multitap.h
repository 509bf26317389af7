/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts of several capture points: where a direction was seen, what became
 * of its packets between one place and the next.  Part of fact.h. */
#ifndef FABSCOPE_FLOW_CORE_FACT_MULTITAP_H
#define FABSCOPE_FLOW_CORE_FACT_MULTITAP_H

#include <stdbool.h>
#include <stdint.h>

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

#endif

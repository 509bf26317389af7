/* SPDX-License-Identifier: GPL-2.0-or-later
 * The line that tells two clocks apart, from packets that both have stamped.
 *
 * d = stamp of the second clock - stamp of the first = offset + delay for what
 * passes the first place before the second, offset - delay the other way.  No
 * delay is below 0.  So the offset, a line over time where clocks drift evenly,
 * lies below all points of the one kind and above all of the other.  Chosen is
 * the line in the middle of what is left; how far the lines that fit part from
 * it is the error bar, and no statistics are in it.  With points of one kind
 * only the line is the edge of their hull under (above) the mean time, which is
 * the one with the least sum of distances; then nothing bounds the error.
 *
 * (Convex hulls and least distances: the standard for one-way delay skew.
 * Bounds from both directions: as in NTP, half of the least round trip.) */
#ifndef FABSCOPE_FLOW_MULTITAP_CLOCK_FIT_H
#define FABSCOPE_FLOW_MULTITAP_CLOCK_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct clock_point {
	double t; /* s, any origin */
	double d; /* ns, any origin */
	int sign; /* +1: d is not below the offset; -1: not above */
};

/* offset(t) = offset + drift * (t - at) */
struct clock_line {
	double at, offset, drift; /* s, ns, ns/s */
	bool above, below;        /* points of that kind were there */
	/* both kinds: half of what is left between them; negative when no line
	 * fits */
	double margin;
	double error; /* ns, anywhere among the points; with both kinds */
	double drift_low, drift_high; /* of the lines that fit */
};

/* No clock of a computer drifts so much. */
#define CLOCK_DRIFT_MAX   1e6 /* ns/s */
#define CLOCK_DRIFT_USUAL 2e5 /* hardly any */

/* |n| points in any order, which are put in that of time.  False: none has a
 * sign. */
bool clock_fit(struct clock_point *p, size_t n, struct clock_line *line);
/* The same with a drift of at most |most| ns/s; none if that fits, for a clock
 * that no point contradicts is left alone. */
bool clock_fit_least(struct clock_point *p, size_t n, double most,
		     struct clock_line *line);

/* The first |return| of the points, as they come, that one line fits within
 * |tolerance| ns, which becomes |line|.  At least 1; |scratch| has room for n.
 * |line| is of no use when none of them has a sign. */
size_t clock_stretch(const struct clock_point *p, size_t n, double tolerance,
		     struct clock_point *scratch, struct clock_line *line);

#endif

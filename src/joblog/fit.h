/* SPDX-License-Identifier: GPL-2.0-or-later
 * How far is the clock of a host from that of the capture?
 *
 * What a host sends for an operation leaves after it began, and what it gets
 * for it arrives before it ended.  So with the offset added to the times of the
 * record, packets lie inside of operations.  Each packet and operation say for
 * which offsets that is so: an interval; the offset that the packets of most
 * bursts agree on is the answer, and the width of where they agree its error.
 * When they agree nearly as well somewhere else, the clock is taken as it is if
 * that is one of these places (jobs repeat themselves, and hosts set their
 * clocks); else nothing is said. */
#ifndef FABSCOPE_JOBLOG_FIT_H
#define FABSCOPE_JOBLOG_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An operation, by the clock of the host: not before, not after. */
struct span {
	int64_t begin, end;
};

struct fit {
	int64_t offset;   /* to be added to the times of the host, ns */
	int64_t error;    /* it is within so much of that */
	size_t packets;   /* looked at */
	size_t inside;    /* of these, inside of operations */
	size_t elsewhere; /* the same, of the next best offset */
	bool own;         /* its clock was taken as it is: |offset| is 0 */
};

/* Of more packets some are taken, evenly; of operations those next to them by
 * their own clocks. */
enum { FIT_OPS_MAX = 1000, FIT_PACKETS_MAX = 400, FIT_PACKETS_MIN = 8 };

/* |record| in order of begin; |packets|: when the host sent something (first
 * packet of a burst) or got data (last packet).  NULL: it fits; or why not. */
const char *fit_find(const struct span *record, size_t n_record,
		     const int64_t *packets, size_t n_packets, struct fit *fit);

/* The same for offsets from |low| to |high| only, which leaves no doubt about
 * the place: of |n_packets|, more are thinned out.  False: they do not fit, or
 * there is no memory. */
bool fit_near(const struct span *record, size_t n_record,
	      const int64_t *packets, size_t n_packets, int64_t low,
	      int64_t high, struct fit *fit);

#endif

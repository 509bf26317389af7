/* SPDX-License-Identifier: GPL-2.0-or-later
 * How the clocks of several taps go against each other, from packets that more
 * than one of them saw.
 *
 * A sample is kept of all packets, chosen by their identity alike at every tap
 * and thinned out as it fills up, so that memory is bounded and two taps keep
 * the same ones, whenever they saw them by their clocks.  Taps of one file have
 * one clock, unless packets contradict that.  A clock is taken as it is while
 * no packet proves it wrong: then it may well be the better one (PTP).
 *
 * Which place a packet passed first is known by its time to live; where nobody
 * routes, by question and answer: between two taps the way there adds to the
 * difference of stamps what the way back takes off it.
 *
 * The same identities are no proof yet: a job may run twice with the same
 * numbers.  Two clocks are only tied where delays make sense: packets and
 * answers in their order, or, one way only, delays that hardly vary. */
#ifndef FABSCOPE_FLOW_MULTITAP_CLOCKS_H
#define FABSCOPE_FLOW_MULTITAP_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packet;
struct clocks;

/* Taps and files beyond these keep their time. */
enum { CLOCKS_TAPS = 256, CLOCKS_FILES = 64 };

enum clock_method {
	CLOCK_REFERENCE, /* the others are compared with it */
	CLOCK_SAME_FILE, /* as another tap of its file */
	CLOCK_TWO_WAY,
	CLOCK_ONE_WAY,
	CLOCK_NONE, /* shares no packets with any other */
	CLOCK_METHODS
};
extern const char *const clock_method_names[CLOCK_METHODS];

/* A stretch of one tap's capture: its time is |offset_ns| + |drift| * (time -
 * |at_ns|) ahead of the reference. */
struct clock_part {
	uint32_t tap, reference;
	uint32_t against; /* the tap it was compared with */
	double against_error_ns;
	enum clock_method method;
	uint64_t from_frame; /* in its file; 0: from the first on */
	int64_t from_ns;     /* when that was, by its own clock; 0 likewise */
	int64_t at_ns, offset_ns;
	double drift; /* ns a second */
	double drift_low, drift_high;
	double error_ns; /* INFINITY: nothing bounds it */
	uint64_t packets;
	bool applied; /* should be: else its time fits as it is */
	const char *why;
};

struct clocks *clocks_new(void); /* NULL: no memory */
void clocks_free(struct clocks *c);

/* |tap| is of |file|.  Before its first packet. */
void clocks_tap(struct clocks *c, uint32_t tap, uint32_t file);

/* Would this packet be kept?  Then it should have its ICRC. */
bool clocks_wants(const struct clocks *c, const struct packet *p);

/* Packets of any taps in any order; those of one tap in that of its file. */
void clocks_look(struct clocks *c, const struct packet *p);

/* The parts of all taps, in order of tap and frame; NULL when there is but one
 * tap, or no memory.  Borrowed.  No packet is looked at behind it. */
const struct clock_part *clocks_solve(struct clocks *c, size_t *n);

/* What |part| makes of a time of its tap. */
int64_t clock_correct(const struct clock_part *part, int64_t ns);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which two taps are the two directions of one link?
 *
 * An optical tap writes each direction of a link to an interface of its own.
 * Apart, they are two places that never see an answer; together they are one.
 * But two taps with one direction each may as well stand at two ends of a
 * fabric, where "before the tap" and "behind it" mean something else for each
 * and the round trip is of neither.  So only what proves it counts:
 *
 *   - what one sends from MAC address a to b, the other sends from b to a, and
 *     nothing from a to b: they are in one segment;
 *   - one of the two addresses is a router's: it sends what was routed before
 *     (time to live).  A router hands on to the next one, or to the host: that
 *     segment is a cable.  Between two hosts there may be bridges, with a tap
 *     at each end;
 *   - no other tap of the file has these addresses;
 *   - the packets are as they were on the wire: in a tunnel addresses are
 *     those of its ends, and what mirrors encapsulate waits in their queues;
 *   - they are in one file, so that one clock stamped both, and it tells them
 *     in order of time.
 *
 * What is only likely is reported, so that somebody can say how it is. */
#ifndef FABSCOPE_FLOW_MULTITAP_HALVES_H
#define FABSCOPE_FLOW_MULTITAP_HALVES_H

#include <stddef.h>
#include <stdint.h>

struct packet;
struct halves;

enum half_proof {
	HALF_NONE,
	HALF_HOSTS, /* hosts that talk, each direction at one of the two */
	HALF_FILES, /* one link, but of their clocks nothing is known */
	HALF_ORDER, /* one link, but the file is not in order of time */
	HALF_SURE,
};

struct half {
	int other; /* the tap of the other direction; -1: none */
	enum half_proof proof;
};

struct halves *halves_new(void); /* NULL: no memory */

/* Looks at some packets from the beginning of the capture, in any number, in
 * the order in which they will be followed. */
void halves_look(struct halves *s, const struct packet *p, size_t n);

/* half[tap] for tap < n, |file| by tap; none beyond TAPS_COMPARED. */
void halves_decide(const struct halves *s, const uint32_t *file,
		   struct half *half, size_t n);

void halves_free(struct halves *s);

#endif

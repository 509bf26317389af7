/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which taps are parallel links of one hop, and which are different hops?
 *
 * A queue pair spread over parallel links needs one machine fed from all of
 * them; the same frame seen at two hops must never meet itself (reference
 * 2.4).  Decided by the packets: taps that carry the same flows but hardly ever
 * the same packet are parallel; taps that show the same packets are not. */
#ifndef FABSCOPE_FLOW_MULTITAP_PLACES_H
#define FABSCOPE_FLOW_MULTITAP_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packet;
struct places;

struct places *places_new(void); /* NULL: no memory */

/* Looks at some packets from the beginning of the capture, in any number. */
void places_look(struct places *s, const struct packet *p, size_t n);

/* place[tap] for tap < n: equal numbers are one place.  Taps beyond
 * TAPS_COMPARED are places of their own. */
void places_decide(const struct places *s, int *place, size_t n);

/* Are they parallel links?  Have they shown the same packets? */
bool places_parallel(const struct places *s, uint32_t a, uint32_t b);
bool places_apart(const struct places *s, uint32_t a, uint32_t b);

void places_free(struct places *s);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which mirrors copy every packet twice, the second time much later?
 *
 * What comes again within the residence time of a switch needs no such look:
 * core/copy.c.  Later than that a second copy looks like what a sender sends
 * once more after its timer.  A mirror differs from that in three ways, all of
 * which have to hold:
 *
 *   - nearly all packets come twice, ACKs as well;
 *   - always as late, whatever the sender, or its receiver, does meanwhile;
 *   - between what is new: a sender that goes back sends all that follows once
 *     more, before it sends anything new. */
#ifndef FABSCOPE_FLOW_MULTITAP_TWICE_H
#define FABSCOPE_FLOW_MULTITAP_TWICE_H

#include <stddef.h>
#include <stdint.h>

struct packet;
struct twice;

struct twice *twice_new(void); /* NULL: no memory */

/* Looks at some packets from the beginning of the capture, in any number, in
 * the order in which they will be followed. */
void twice_look(struct twice *s, const struct packet *p, size_t n);

/* lag[tap] for tap < n: how much later the second copies come; 0: none do, or
 * no later than a switch keeps a packet. */
void twice_decide(const struct twice *s, int64_t *lag, size_t n);

void twice_free(struct twice *s);

#endif

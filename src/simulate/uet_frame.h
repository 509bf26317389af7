/* SPDX-License-Identifier: GPL-2.0-or-later
 * A UET packet as bytes. */
#ifndef FABSCOPE_SIMULATE_UET_FRAME_H
#define FABSCOPE_SIMULATE_UET_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct host;
struct pkt;
struct sim;

/* Bytes of the IP payload, CRC included; of a trimmed packet what is left. */
uint32_t uet_frame_bytes(const struct sim *s, const struct pkt *p);

/* The least and the default a switch leaves of the IP payload. */
uint32_t uet_trim_least(const struct sim *s);

/* TSS.  Is |p| to be encrypted?  What belongs to no context is not: seen so of
 * one implementation. */
bool uet_secures(const struct sim *s, const struct pkt *p);
/* What the |n|th packet of a source counts, with the epoch of its key. */
uint64_t uet_counter(const struct sim *s, uint64_t n);
/* What names |h| as a source; 0: nothing does. */
uint32_t uet_ssi(const struct sim *s, const struct host *h);

/* Writes the IP payload at |o|, at least its first |want| bytes right, |ip|
 * is the finished IP header; returns its length. */
uint32_t uet_frame_write(const struct sim *s, const struct pkt *p,
			 const uint8_t *ip, uint8_t *o, uint32_t want);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A packet as bytes: what a tap at this hop would copy. */
#ifndef FABSCOPE_SIMULATE_FRAME_H
#define FABSCOPE_SIMULATE_FRAME_H

#include <stddef.h>
#include <stdint.h>

struct pkt;
struct sim;

enum { FRAME_MAX = 9216, FRAME_UDP_INT = 5000 };

/* Bytes of the frame without FCS, as the packet is now (telemetry
 * included); not padded to 60. */
uint32_t frame_bytes(const struct sim *s, const struct pkt *p);

/* Writes the frame into |out| (FRAME_MAX), at least its first |want| bytes
 * right; the ICRC is computed only when |want| reaches it.  Short frames are
 * padded to 60.  Returns the whole length. */
uint32_t frame_write(const struct sim *s, const struct pkt *p,
		     uint8_t out[static FRAME_MAX], uint32_t want);

/* The pieces, for those who make frames without a fabric.  Lengths include
 * everything after the header; checksums are filled in. */
void frame_ipv4(uint8_t *p, uint8_t proto, uint16_t len, const uint8_t *src,
		const uint8_t *dst);
void frame_ipv4_sum(uint8_t *p);
void frame_mac(uint8_t *p, uint32_t port);

/* The first |n| bytes of the payload of |p|. */
void frame_payload(const struct pkt *p, uint8_t *out, uint32_t n);

/* The ICRC of the IP packet at |ip| (version 4 or 6), |len| bytes of it in
 * front of the ICRC: as a number; it goes on the wire little-endian. */
uint32_t frame_icrc(const uint8_t *ip, uint32_t len);

#endif

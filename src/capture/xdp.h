/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets of an interface before the kernel makes anything of them (XDP).
 *
 * A few instructions of BPF, run by the driver for each packet, copy its first
 * bytes into memory that we read.  Compared with a packet socket the kernel
 * neither allocates nor walks its stack for a packet, which is most of what a
 * packet costs: see docs/performance.md.  Received packets only. */
#ifndef FABSCOPE_CAPTURE_XDP_H
#define FABSCOPE_CAPTURE_XDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct xdp_options {
	unsigned snaplen; /* bytes of each packet */
	size_t buffer;    /* bytes of memory for them */
	bool drop;        /* the host does not get the packets */
	bool promiscuous;
};

struct xdp;

/* It works until it is closed, or its process ends.  NULL and |err|. */
struct xdp *xdp_open(const char *name, const struct xdp_options *o,
		     struct err *err);
void xdp_close(struct xdp *x); /* NULL is fine */

/* To ask the interface by. */
int xdp_socket(const struct xdp *x);

/* Does the driver run it?  Else the kernel, when it has made the packet. */
bool xdp_native(const struct xdp *x);

/* Packets that there was no room for, so far. */
uint64_t xdp_dropped(const struct xdp *x);

typedef void (*xdp_packet_fn)(void *ctx, int64_t ns, const uint8_t *data,
			      uint32_t caplen, uint32_t wirelen);

/* Hands over what is there; returns how many packets. */
uint64_t xdp_take(struct xdp *x, xdp_packet_fn fn, void *ctx);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a UET packet says, value by value: for the line and for JSON. */
#ifndef FABSCOPE_VIEWS_PACKET_UET_H
#define FABSCOPE_VIEWS_PACKET_UET_H

#include "decode/packet.h"

/* The callbacks.  Names and texts are static. */
struct uet_listener {
	void *ctx;
	void (*text)(void *ctx, const char *name, const char *text);
	void (*number)(void *ctx, const char *name, uint64_t n);
	void (*flag)(void *ctx, const char *name);
};

/* Tells all that is known of |p|, of kind UET: values that were computed
 * (ACK_PSN, not its offset), and nothing that was not there. */
void packet_uet(const struct packet *p, const struct uet_listener *to);

#endif

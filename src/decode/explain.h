/* SPDX-License-Identifier: GPL-2.0-or-later
 * The same frame again, for people: every header that decoding went through,
 * in order, then payload, pad and ICRC, and where and why it ended. */
#ifndef FABSCOPE_DECODE_EXPLAIN_H
#define FABSCOPE_DECODE_EXPLAIN_H

#include <stdint.h>

#include "decode/packet.h"

/* Bytes of a frame that mean one thing.  Headers are reported only when
 * captured whole; the rest may be cut: captured < length.  Parts come in the
 * order of the frame and do not overlap, except RDMA-CM's header, which lies
 * inside the private data of the CM message before it. */
struct explain_part {
	int header;          /* enum wire_header, -1: no description */
	const char *name;    /* "ipv4"; "payload", "icrc", "ipv4 options" ... */
	const uint8_t *data; /* in the frame */
	uint32_t offset;     /* of data */
	uint32_t length;     /* as the packet has it */
	uint32_t captured;   /* bytes at data, <= length */
};

struct explain_end {
	uint32_t offset; /* the first byte not understood */
	const char *at;  /* the header that stopped it, NULL: the end */
	const char *why; /* a short sentence; NULL when status is OK */
	uint32_t right;  /* what the ICRC or the UET CRC should be; 0 when it
			  * was not looked at */
};

/* As packet_decode(), with the same |out|. |part| is called for each part;
 * strings are static. */
void packet_explain(const struct decode_input *in,
		    const struct decode_options *options, struct packet *out,
		    void (*part)(void *ctx, const struct explain_part *part),
		    void *ctx, struct explain_end *end);

#endif

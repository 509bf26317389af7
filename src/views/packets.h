/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets one per line: for people, and as JSON. */
#ifndef FABSCOPE_VIEWS_PACKETS_H
#define FABSCOPE_VIEWS_PACKETS_H

#include <stdint.h>
#include <stdio.h>

struct decode_options;
struct fact_note;
struct frame;

/* 812 +0.001234 s  eth/ipv4/udp/bth/reth  10.9.0.1 > 10.9.0.2  RC ...
 * |note|, what the engine made of it, or NULL. */
void packets_line(FILE *out, const struct frame *f, const char *tap,
		  int64_t origin_ns, const struct decode_options *decode,
		  const struct fact_note *note);

/* Every header and field on a line of its own, then the bytes. */
void packets_detail(FILE *out, const struct frame *f,
		    const struct decode_options *decode);

/* One JSON object with every header and field, and a newline.  -1 when there
 * is no memory. */
int packets_json(FILE *out, const struct frame *f, const char *tap,
		 const struct decode_options *decode,
		 const struct fact_note *note);

#endif

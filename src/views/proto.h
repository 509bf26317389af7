/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing protocol buffers: fields one after the other, messages in messages
 * (protobuf.dev/programming-guides/encoding).  For those that are written and
 * never read here; a field is a number and a value. */
#ifndef FABSCOPE_VIEWS_PROTO_H
#define FABSCOPE_VIEWS_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proto {
	uint8_t *data;
	size_t n, room;
	bool failed; /* out of memory: nothing is added any more */
};

void proto_fini(struct proto *p);

void proto_uint(struct proto *p, unsigned field, uint64_t v);
void proto_int(struct proto *p, unsigned field, int64_t v); /* int64, int32 */
void proto_double(struct proto *p, unsigned field, double v);
/* What is no UTF-8 becomes U+FFFD. */
void proto_text(struct proto *p, unsigned field, const char *text);

/* A message within: what is added between the two is its content. */
size_t proto_begin(struct proto *p, unsigned field);
void proto_end(struct proto *p, size_t begun);

#endif

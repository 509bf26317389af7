/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing protocol buffers. */
#include "views/proto.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { VARINT, FIXED64, LENGTH_DELIMITED }; /* wire types */
enum {
	LENGTH = 4, /* bytes of the length of a message: 7 bits each */
	LONGEST = (1 << 7 * LENGTH) - 1,
};

void proto_fini(struct proto *p)
{
	free(p->data);
	*p = (struct proto) { 0 };
}

static void put(struct proto *p, const void *data, size_t n)
{
	if (!p->failed && p->n + n > p->room) {
		size_t room = 2 * (p->n + n) + 256;
		uint8_t *more = realloc(p->data, room);

		p->failed = !more;
		if (more) {
			p->data = more;
			p->room = room;
		}
	}
	if (p->failed)
		return;
	memcpy(p->data + p->n, data, n);
	p->n += n;
}

static void varint(struct proto *p, uint64_t v)
{
	uint8_t out[10];
	size_t n = 0;

	for (; v > 0x7f; v >>= 7)
		out[n++] = (uint8_t)(v | 0x80);
	out[n++] = (uint8_t)v;
	put(p, out, n);
}

static void key(struct proto *p, unsigned field, unsigned type)
{
	varint(p, (uint64_t)field << 3 | type);
}

void proto_uint(struct proto *p, unsigned field, uint64_t v)
{
	key(p, field, VARINT);
	varint(p, v);
}

void proto_int(struct proto *p, unsigned field, int64_t v)
{
	proto_uint(p, field, (uint64_t)v);
}

void proto_double(struct proto *p, unsigned field, double v)
{
	uint64_t bits;
	uint8_t out[8];

	memcpy(&bits, &v, sizeof bits);
	for (int i = 0; i < 8; i++)
		out[i] = (uint8_t)(bits >> 8 * i);
	key(p, field, FIXED64);
	put(p, out, sizeof out);
}

void proto_text(struct proto *p, unsigned field, const char *text)
{
	char *valid = text_valid(text);
	size_t n = valid ? strlen(valid) : 0;

	if (!valid)
		p->failed = true;
	key(p, field, LENGTH_DELIMITED);
	varint(p, n);
	if (valid)
		put(p, valid, n);
	free(valid);
}

/* The length comes when it is known, in a varint that is longer than it need
 * be, which readers take. */
size_t proto_begin(struct proto *p, unsigned field)
{
	static const uint8_t none[LENGTH];

	key(p, field, LENGTH_DELIMITED);
	put(p, none, sizeof none);
	return p->n;
}

void proto_end(struct proto *p, size_t begun)
{
	size_t n = p->n - begun;

	if (n > LONGEST)
		p->failed = true;
	for (int i = 0; i < LENGTH && !p->failed; i++, n >>= 7)
		p->data[begun - LENGTH + (size_t)i] =
			(uint8_t)((n & 0x7f) | (i < LENGTH - 1 ? 0x80 : 0));
}

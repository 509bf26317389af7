/* SPDX-License-Identifier: GPL-2.0-or-later
 * A pcapng file once more, with comments on some of its packets. */
#include "capture/pcapng_annotate.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/pcapng.h"

enum {
	HEAD = 8, /* type and length of a block */
	TAIL = 4, /* the length again */
	SECTION_LENGTH = HEAD + 8,
	PACKET_FIXED = HEAD + 20, /* packet blocks, up to the data */
	PACKET_CAPLEN = HEAD + 12,
	OPTION_HEAD = 4,
	OPTION_COMMENT = 1,
	COMMENT_MAX = UINT16_MAX - 3,
	ORDER_SAME = 0x1a2b3c4d,
	ORDER_SWAPPED = 0x4d3c2b1a,
};

struct copying {
	FILE *in, *out;
	const char *path;
	struct pcapng_annotation *a;
	uint8_t *block;
	uint32_t n, room; /* octets of it */
	bool swapped;
	uint64_t number;
};

bool pcapng_is(const char *path)
{
	static const uint8_t magic[4] = { 0x0a, 0x0d, 0x0d, 0x0a };
	uint8_t first[4];
	FILE *f = fopen(path, "rbe");
	bool is = f && fread(first, 1, sizeof first, f) == sizeof first &&
		  !memcmp(first, magic, sizeof first);

	if (f)
		fclose(f);
	return is;
}

static uint32_t get32(const struct copying *c, uint32_t at)
{
	uint32_t v;

	memcpy(&v, c->block + at, sizeof v);
	return c->swapped ? bswap_32(v) : v;
}

static uint16_t get16(const struct copying *c, uint32_t at)
{
	uint16_t v;

	memcpy(&v, c->block + at, sizeof v);
	return c->swapped ? bswap_16(v) : v;
}

static void put32(const struct copying *c, uint8_t *to, uint32_t v)
{
	v = c->swapped ? bswap_32(v) : v;
	memcpy(to, &v, sizeof v);
}

static void put16(const struct copying *c, uint8_t *to, uint16_t v)
{
	v = c->swapped ? bswap_16(v) : v;
	memcpy(to, &v, sizeof v);
}

static bool make_room(struct copying *c, uint32_t n)
{
	uint8_t *more;

	if (n <= c->room)
		return true;
	more = realloc(c->block, n);
	if (!more)
		return false;
	c->block = more;
	c->room = n;
	return true;
}

static uint32_t padded(uint32_t n)
{
	return (n + 3) & ~3u;
}

/* ---- one block ---- */

enum got { GOT_BLOCK, GOT_END, GOT_DAMAGE, GOT_NO_MEMORY };

/* A section says itself how its numbers are to be read. */
static bool read_order(struct copying *c)
{
	uint32_t order;

	if (fread(c->block + HEAD, 1, 4, c->in) != 4)
		return false;
	c->n += 4;
	memcpy(&order, c->block + HEAD, sizeof order);
	c->swapped = order == ORDER_SWAPPED;
	return order == ORDER_SAME || c->swapped;
}

/* The next block into |block|, or |n| octets of what is none. */
static enum got read_block(struct copying *c)
{
	uint32_t length;

	c->n = (uint32_t)fread(c->block, 1, HEAD, c->in);
	if (!c->n)
		return GOT_END;
	if (c->n < HEAD || (get32(c, 0) == BLOCK_SECTION && !read_order(c)))
		return GOT_DAMAGE;
	length = get32(c, 4);
	if (length < c->n + TAIL || length % 4 || length > PCAPNG_LONGEST)
		return GOT_DAMAGE;
	if (!make_room(c, length))
		return GOT_NO_MEMORY;
	c->n += (uint32_t)fread(c->block + c->n, 1, length - c->n, c->in);
	if (c->n < length || get32(c, length - TAIL) != length)
		return GOT_DAMAGE;
	return GOT_BLOCK;
}

/* Where the options of the packet end: at their end mark, or where one should
 * be.  0: they are not what they should be. */
static uint32_t options_end(const struct copying *c)
{
	uint32_t end = c->n - TAIL, caplen, at;

	if (c->n < PACKET_FIXED + TAIL)
		return 0;
	caplen = get32(c, PACKET_CAPLEN);
	if (caplen > end - PACKET_FIXED)
		return 0;
	at = PACKET_FIXED + padded(caplen);
	while (at + OPTION_HEAD <= end && get16(c, at))
		at += OPTION_HEAD + padded(get16(c, at + 2));
	return at == end || at + OPTION_HEAD == end ? at : 0;
}

/* Puts |text| behind the other options; an end mark follows in any case. */
static bool insert(struct copying *c, const char *text)
{
	size_t n = strlen(text);
	uint32_t at = options_end(c), more;

	while (n > COMMENT_MAX || (n && (text[n] & 0xc0) == 0x80))
		n--; /* no half of a character */
	more = OPTION_HEAD + padded((uint32_t)n);
	if (!at || c->n + more + OPTION_HEAD > PCAPNG_LONGEST ||
	    !make_room(c, c->n + more + OPTION_HEAD))
		return false;
	memset(c->block + at, 0, more + OPTION_HEAD);
	put16(c, c->block + at, OPTION_COMMENT);
	put16(c, c->block + at + 2, (uint16_t)n);
	memcpy(c->block + at + OPTION_HEAD, text, n);
	c->n = at + more + OPTION_HEAD + TAIL;
	put32(c, c->block + 4, c->n);
	put32(c, c->block + c->n - TAIL, c->n);
	return true;
}

static void change(struct copying *c)
{
	const char *text = NULL;
	uint32_t type = get32(c, 0);

	switch (type) {
	case BLOCK_SECTION:
		if (c->n >= SECTION_LENGTH + 8)
			memset(c->block + SECTION_LENGTH, 0xff, 8);
		return;
	case BLOCK_PACKET:
	case BLOCK_SIMPLE:
	case BLOCK_ENHANCED:
		text = c->a->comment(c->a->ctx, ++c->number);
		c->a->packets++;
		break;
	case BLOCK_JOURNAL:
	case BLOCK_SYSDIG:
	case BLOCK_SYSDIG_2:
	case BLOCK_SYSDIG_LARGE:
	case BLOCK_CUSTOM:
	case BLOCK_CUSTOM_NOCOPY:
		c->number++; /* no packet, but numbered as one */
		break;
	default:
		break;
	}
	if (!text)
		return;
	if (type != BLOCK_SIMPLE && insert(c, text))
		c->a->commented++;
	else
		c->a->refused++;
}

/* ---- the file ---- */

static int put(struct copying *c, struct err *err)
{
	if (fwrite(c->block, 1, c->n, c->out) == c->n)
		return 0;
	return err_errno(err, "cannot write");
}

static int copy_rest(struct copying *c, struct err *err)
{
	do {
		c->a->damaged += c->n;
		if (put(c, err) < 0)
			return -1;
		c->n = (uint32_t)fread(c->block, 1, c->room, c->in);
	} while (c->n);
	return 0;
}

static int copy(struct copying *c, struct err *err)
{
	enum got got = GOT_NO_MEMORY;

	if (!make_room(c, 1 << 16))
		return err_set(err, ERR_MEMORY, "out of memory");
	while ((got = read_block(c)) == GOT_BLOCK) {
		change(c);
		if (put(c, err) < 0)
			return -1;
	}
	if (got == GOT_NO_MEMORY)
		return err_set(err, ERR_MEMORY, "out of memory");
	if (got == GOT_DAMAGE && copy_rest(c, err) < 0)
		return -1;
	if (ferror(c->in))
		return err_errno(err, "%s: cannot read", c->path);
	return 0;
}

int pcapng_annotate(const char *path, FILE *out, struct pcapng_annotation *a,
		    struct err *err)
{
	struct copying c = { .path = path, .out = out, .a = a };
	int rc;

	c.in = fopen(path, "rbe");
	if (!c.in)
		return err_errno(err, "%s: cannot open", path);
	rc = copy(&c, err);
	fclose(c.in);
	free(c.block);
	return rc;
}

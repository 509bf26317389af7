/* SPDX-License-Identifier: GPL-2.0-or-later
 * A pcapng file once more, with comments on some of its packets and of its
 * interfaces. */
#include "capture/pcapng_annotate.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/pcapng.h"
#include "capture/unpack.h"
#include "capture/window.h"

enum {
	HEAD = 8, /* type and length of a block */
	TAIL = 4, /* the length again */
	SECTION_LENGTH = HEAD + 8,
	PACKET_FIXED = HEAD + 20, /* packet blocks, up to the data */
	PACKET_CAPLEN = HEAD + 12,
	OPTION_HEAD = 4,
	OPTION_COMMENT = 1,
	OPTION_NAME = 2,
	INTERFACE_FIXED = HEAD + 8,
	STATISTICS_FIXED = HEAD + 12,
	COMMENT_MAX = UINT16_MAX - 3,
	ORDER_SAME = 0x1a2b3c4d,
	ORDER_SWAPPED = 0x4d3c2b1a,
};

/* An interface of the section that something is said of. */
struct remark {
	uint32_t interface;
	uint32_t time[2]; /* of its last packet, as in the file */
	const char *text;
};

struct copying {
	struct window in;
	bool packed;
	FILE *out;
	const char *path;
	struct pcapng_annotation *a;
	uint8_t *block;
	uint32_t n, room; /* bytes of it */
	bool swapped;
	uint64_t number;
	uint32_t interfaces; /* of the section, so far */
	struct remark *remarks;
	size_t n_remarks, room_remarks;
};

/* ---- the bytes ---- */

/* A window on what is in |path| when it is unpacked. */
static int open_window(struct window *w, const char *path, bool *packed,
		       struct err *err)
{
	struct source *s = source_open(path, err);
	const struct codec *codec;

	if (!s)
		return -1;
	if (window_init(w, s, WINDOW_CHUNK, WINDOW_RESERVE) < 0) {
		source_free(s);
		return err_set(err, ERR_MEMORY, "out of memory");
	}
	window_need(w, UNPACK_MAGIC);
	codec = unpack_codec(w->p, window_unread(w));
	*packed = codec != NULL;
	if (!codec)
		return 0;
	s = unpack_new(codec, w);
	if (s && !window_init(w, s, WINDOW_CHUNK, WINDOW_RESERVE)) {
		window_need(w, UNPACK_MAGIC);
		return 0;
	}
	source_free(s);
	window_fini(w);
	return err_set(err, ERR_MEMORY, "out of memory");
}

bool pcapng_is(const char *path)
{
	static const uint8_t magic[4] = { 0x0a, 0x0d, 0x0d, 0x0a };
	struct window w = { 0 };
	bool is = false, packed;

	if (!open_window(&w, path, &packed, NULL)) {
		is = window_unread(&w) >= sizeof magic &&
		     !memcmp(w.p, magic, sizeof magic);
		window_fini(&w);
	}
	return is;
}

/* As fread(3): fewer than |n| only at the end. */
static uint32_t take(struct window *w, uint8_t *to, uint32_t n)
{
	uint32_t done = 0;

	while (done < n) {
		size_t some = window_unread(w);

		if (!some && !window_fill(w))
			break;
		if (some > n - done)
			some = n - done;
		memcpy(to + done, w->p, some);
		w->p += some;
		done += (uint32_t)some;
	}
	return done;
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

	if (take(&c->in, c->block + HEAD, 4) != 4)
		return false;
	c->n += 4;
	memcpy(&order, c->block + HEAD, sizeof order);
	c->swapped = order == ORDER_SWAPPED;
	return order == ORDER_SAME || c->swapped;
}

/* The next block into |block|, or |n| bytes of what is none. */
static enum got read_block(struct copying *c)
{
	uint32_t length;

	c->n = take(&c->in, c->block, HEAD);
	if (!c->n)
		return GOT_END;
	if (c->n < HEAD || (get32(c, 0) == BLOCK_SECTION && !read_order(c)))
		return GOT_DAMAGE;
	length = get32(c, 4);
	if (length < c->n + TAIL || length % 4 || length > PCAPNG_LONGEST)
		return GOT_DAMAGE;
	if (!make_room(c, length))
		return GOT_NO_MEMORY;
	c->n += take(&c->in, c->block + c->n, length - c->n);
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

/* So much of |text| as an option can have, and no half of a character. */
static uint32_t comment_length(const char *text)
{
	size_t n = strlen(text);

	while (n > COMMENT_MAX || (n && (text[n] & 0xc0) == 0x80))
		n--;
	return (uint32_t)n;
}

/* Puts |text| behind the other options; an end mark follows in any case. */
static bool insert(struct copying *c, const char *text)
{
	uint32_t n = comment_length(text);
	uint32_t at = options_end(c), more;

	more = OPTION_HEAD + padded(n);
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

/* ---- interfaces ---- */

/* The name in an interface description, for free(); NULL: none. */
static char *interface_name(const struct copying *c)
{
	uint32_t end = c->n - TAIL, at = INTERFACE_FIXED;

	while (at + OPTION_HEAD <= end && get16(c, at)) {
		uint32_t n = get16(c, at + 2);

		if (at + OPTION_HEAD + n > end)
			return NULL;
		if (get16(c, at) == OPTION_NAME && n) /* "" is none */
			return strndup(
				(const char *)c->block + at + OPTION_HEAD, n);
		at += OPTION_HEAD + padded(n);
	}
	return NULL;
}

/* Asks what is to be said of the interface that was just described. */
static void note_interface(struct copying *c)
{
	char *name = interface_name(c);
	const char *text = c->a->remark(c->a->ctx, c->interfaces, name);

	free(name);
	if (text && c->n_remarks == c->room_remarks) {
		size_t room = 2 * c->room_remarks + 4;
		struct remark *more = realloc(c->remarks, room * sizeof *more);

		if (!more)
			return;
		c->remarks = more;
		c->room_remarks = room;
	}
	if (text)
		c->remarks[c->n_remarks++] =
			(struct remark) { .interface = c->interfaces,
					  .text = text };
	c->interfaces++;
}

/* When something of |interface| came last.  They are in order of number. */
static void note_time(struct copying *c, uint32_t interface)
{
	size_t low = 0, high = c->n_remarks;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (c->remarks[middle].interface < interface)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == c->n_remarks || c->remarks[low].interface != interface ||
	    c->n < HEAD + 12 + TAIL)
		return;
	for (uint32_t i = 0; i < 2; i++)
		c->remarks[low].time[i] = get32(c, HEAD + 4 + 4 * i);
}

static int put(struct copying *c, struct err *err)
{
	if (fwrite(c->block, 1, c->n, c->out) == c->n)
		return 0;
	return err_errno(err, "cannot write");
}

/* An interface statistics block with nothing but a comment. */
static int put_remark(struct copying *c, const struct remark *r,
		      struct err *err)
{
	uint32_t n = comment_length(r->text);
	uint32_t length =
		STATISTICS_FIXED + OPTION_HEAD + padded(n) + OPTION_HEAD + TAIL;
	struct copying b = *c;
	int rc;

	b.n = length;
	b.block = calloc(1, length);
	if (!b.block)
		return err_set(err, ERR_MEMORY, "out of memory");
	put32(&b, b.block, BLOCK_STATISTICS);
	put32(&b, b.block + 4, length);
	put32(&b, b.block + HEAD, r->interface);
	put32(&b, b.block + HEAD + 4, r->time[0]);
	put32(&b, b.block + HEAD + 8, r->time[1]);
	put16(&b, b.block + STATISTICS_FIXED, OPTION_COMMENT);
	put16(&b, b.block + STATISTICS_FIXED + 2, (uint16_t)n);
	memcpy(b.block + STATISTICS_FIXED + OPTION_HEAD, r->text, n);
	put32(&b, b.block + length - TAIL, length);
	rc = put(&b, err);
	free(b.block);
	c->a->remarked += !rc;
	return rc;
}

/* The section is over. */
static int put_remarks(struct copying *c, bool swapped, struct err *err)
{
	bool next = c->swapped; /* of the section that begins, if one does */
	int rc = 0;

	c->swapped = swapped;
	for (size_t i = 0; i < c->n_remarks && !rc; i++)
		rc = put_remark(c, &c->remarks[i], err);
	c->swapped = next;
	c->n_remarks = 0;
	c->interfaces = 0;
	return rc;
}

/* ---- one block after the other ---- */

static void change(struct copying *c)
{
	const char *text = NULL;
	uint32_t type = get32(c, 0);

	switch (type) {
	case BLOCK_SECTION:
		if (c->n >= SECTION_LENGTH + 8)
			memset(c->block + SECTION_LENGTH, 0xff, 8);
		return;
	case BLOCK_INTERFACE:
		note_interface(c);
		return;
	case BLOCK_STATISTICS:
		note_time(c, get32(c, HEAD));
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
		return;
	default:
		return;
	}
	if (type != BLOCK_SIMPLE && c->n >= PACKET_FIXED + TAIL)
		note_time(c, type == BLOCK_PACKET ? get16(c, HEAD)
						  : get32(c, HEAD));
	if (!text)
		return;
	if (type != BLOCK_SIMPLE && insert(c, text))
		c->a->commented++;
	else
		c->a->refused++;
}

/* ---- the file ---- */

static int copy_rest(struct copying *c, struct err *err)
{
	do {
		c->a->damaged += c->n;
		if (put(c, err) < 0)
			return -1;
		c->n = take(&c->in, c->block, c->room);
	} while (c->n);
	return 0;
}

static int copy(struct copying *c, struct err *err)
{
	enum got got = GOT_NO_MEMORY;
	bool swapped = false;

	if (!make_room(c, 1 << 16))
		return err_set(err, ERR_MEMORY, "out of memory");
	while ((got = read_block(c)) == GOT_BLOCK) {
		if (get32(c, 0) == BLOCK_SECTION &&
		    put_remarks(c, swapped, err) < 0)
			return -1;
		swapped = c->swapped;
		change(c);
		if (put(c, err) < 0)
			return -1;
	}
	if (got != GOT_NO_MEMORY && put_remarks(c, swapped, err) < 0)
		return -1;
	if (got == GOT_NO_MEMORY)
		return err_set(err, ERR_MEMORY, "out of memory");
	if (got == GOT_DAMAGE && copy_rest(c, err) < 0)
		return -1;
	c->a->failure = c->in.source->failure;
	if (c->a->failure && !c->packed)
		return err_set(err, ERR_IO, "%s: %s", c->path, c->a->failure);
	return 0;
}

int pcapng_annotate(const char *path, FILE *out, struct pcapng_annotation *a,
		    struct err *err)
{
	struct copying c = { .path = path, .out = out, .a = a };
	int rc;

	if (open_window(&c.in, path, &c.packed, err) < 0)
		return -1;
	rc = copy(&c, err);
	window_fini(&c.in);
	free(c.remarks);
	free(c.block);
	return rc;
}

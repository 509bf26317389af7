/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing pcapng, in this machine's byte order.
 *
 * A block is put together in memory and handed to stdio whole, so that a full
 * disk leaves whole blocks behind.  The first failure is remembered: every
 * later call and pcapng_writer_close() report it. */
#include "capture/pcapng_write.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/regular.h"

enum {
	BLOCK_INTERFACE = 1,
	BLOCK_STATISTICS = 5,
	BLOCK_ENHANCED = 6,
	OPTION_END = 0,
	OPTION_COMMENT = 1,
	SECTION_PROGRAM = 4,
	INTERFACE_NAME = 2,
	INTERFACE_DESCRIPTION = 3,
	INTERFACE_SPEED = 8,
	INTERFACE_RESOLUTION = 9,
	PACKET_FLAGS = 2,
	PACKET_DROPS = 4,
	STATISTICS_RECEIVED = 4,
	STATISTICS_DROPPED = 5,
	NANOSECONDS = 9,
	POWER_OF_TWO = 0x80,
	BUFFER = 1 << 18, /* what the nearer caches hold */
};
#define BLOCK_SECTION   0x0a0d0d0au
#define BYTE_ORDER_MARK 0x1a2b3c4du

struct pcapng_writer {
	FILE *file;
	char *buffer; /* stdio's: it allocates none of a size to wish for */
	char *path;
	uint8_t *block; /* being put together */
	size_t n, room;
	uint8_t *resolution; /* of each interface */
	uint32_t interfaces;
	int failed; /* errno of the first failure, 0 none */
};

static int fail(struct pcapng_writer *w, int why, struct err *err)
{
	if (!w->failed)
		w->failed = why ? why : EIO;
	errno = w->failed;
	return err_errno(err, "%s: cannot write", w->path);
}

/* Room for |n| more bytes; NULL: no memory. */
static uint8_t *add(struct pcapng_writer *w, size_t n)
{
	uint8_t *at;

	if (w->failed)
		return NULL;
	if (w->n + n > w->room) {
		size_t room = (w->n + n) * 2;
		uint8_t *block = realloc(w->block, room);

		if (!block) {
			w->failed = ENOMEM;
			return NULL;
		}
		w->block = block;
		w->room = room;
	}
	at = w->block + w->n;
	w->n += n;
	return at;
}

static void add_bytes(struct pcapng_writer *w, const void *p, size_t n)
{
	static const uint8_t none[4];
	size_t padded = (n + 3) & ~(size_t)3;
	uint8_t *at = add(w, padded);

	if (!at || !n)
		return;
	memcpy(at, p, n);
	memcpy(at + n, none, padded - n);
}

static void add_u32(struct pcapng_writer *w, uint32_t v)
{
	add_bytes(w, &v, sizeof v);
}

static void add_u16_pair(struct pcapng_writer *w, uint16_t a, uint16_t b)
{
	const uint16_t v[2] = { a, b };

	add_bytes(w, v, sizeof v);
}

static void option(struct pcapng_writer *w, uint16_t code, const void *value,
		   size_t n)
{
	add_u16_pair(w, code, (uint16_t)n);
	add_bytes(w, value, n);
}

static void option_u64(struct pcapng_writer *w, uint16_t code, uint64_t v)
{
	option(w, code, &v, sizeof v);
}

/* NULL: none.  What is longer than an option can be loses its end, but no half
 * of a UTF-8 character. */
static void option_text(struct pcapng_writer *w, uint16_t code,
			const char *text)
{
	size_t n = text ? strlen(text) : 0;

	if (n > UINT16_MAX) {
		n = UINT16_MAX;
		while (n && ((uint8_t)text[n] & 0xc0) == 0x80)
			n--;
	}
	if (text)
		option(w, code, text, n);
}

static void begin(struct pcapng_writer *w, uint32_t type)
{
	w->n = 0;
	add_u32(w, type);
	add_u32(w, 0); /* the length, when it is known */
}

static int end(struct pcapng_writer *w, struct err *err)
{
	uint32_t length = (uint32_t)w->n + 4;

	add_u32(w, length);
	if (w->failed)
		return fail(w, w->failed, err);
	memcpy(w->block + 4, &length, sizeof length);
	if (fwrite(w->block, 1, w->n, w->file) != w->n)
		return fail(w, errno, err);
	return 0;
}

/* The length of the section is left unknown: a pipe cannot go back. */
static int write_section(struct pcapng_writer *w, const char *comment,
			 struct err *err)
{
	begin(w, BLOCK_SECTION);
	add_u32(w, BYTE_ORDER_MARK);
	add_u16_pair(w, 1, 0);
	add_u32(w, UINT32_MAX);
	add_u32(w, UINT32_MAX);
	option_text(w, OPTION_COMMENT, comment);
	option_text(w, SECTION_PROGRAM, "fabscope");
	add_u32(w, OPTION_END);
	return end(w, err);
}

static void writer_free(struct pcapng_writer *w)
{
	free(w->path);
	free(w->block);
	free(w->resolution);
	free(w->buffer);
	free(w);
}

struct pcapng_writer *pcapng_writer_new(const char *path, const char *comment,
					struct err *err)
{
	struct pcapng_writer *w = calloc(1, sizeof *w);
	bool to_stdout = !strcmp(path, "-");

	if (w)
		w->path = strdup(to_stdout ? "standard output" : path);
	if (!w || !w->path) {
		free(w);
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	w->file = to_stdout ? stdout : regular_create(path);
	if (!w->file) {
		err_errno(err, "%s: cannot create", path);
		writer_free(w);
		return NULL;
	}
	if (!to_stdout)
		w->buffer = malloc(BUFFER);
	if (w->buffer)
		setvbuf(w->file, w->buffer, _IOFBF, BUFFER);
	if (write_section(w, comment, err) < 0) {
		pcapng_writer_close(w, NULL);
		return NULL;
	}
	return w;
}

static int keep_resolution(struct pcapng_writer *w, uint8_t resolution)
{
	uint8_t *v = realloc(w->resolution, w->interfaces + 1);

	if (!v)
		return -1;
	w->resolution = v;
	v[w->interfaces++] = resolution;
	return 0;
}

int pcapng_writer_interface(struct pcapng_writer *w,
			    const struct pcapng_interface *i, struct err *err)
{
	uint8_t resolution = i->tsresol ? i->tsresol : NANOSECONDS;

	begin(w, BLOCK_INTERFACE);
	add_u16_pair(w, i->linktype, 0);
	add_u32(w, i->snaplen);
	option_text(w, INTERFACE_NAME, i->name);
	option_text(w, INTERFACE_DESCRIPTION, i->description);
	if (i->speed_bps)
		option_u64(w, INTERFACE_SPEED, i->speed_bps);
	option(w, INTERFACE_RESOLUTION, &resolution, 1);
	add_u32(w, OPTION_END);
	if (end(w, err) < 0)
		return -1;
	if (keep_resolution(w, resolution) < 0)
		return fail(w, ENOMEM, err);
	return (int)w->interfaces - 1;
}

__extension__ typedef unsigned __int128 wide;

/* Time units of an interface; what it cannot say becomes the nearest it can,
 * and the time before the epoch its beginning. */
static uint64_t units(uint8_t resolution, int64_t ns)
{
	unsigned n = resolution & 0x7f;
	wide t = ns > 0 ? (wide)ns : 0;

	if (resolution & POWER_OF_TWO) {
		/* 2^63 ns are 2^34 s: from 2^-31 on the largest overflow */
		t = n < 64 ? (t << n) / 1000000000 : t ? UINT64_MAX : 0;
	} else {
		for (; n < NANOSECONDS; n++)
			t /= 10;
		for (; n > NANOSECONDS && t <= UINT64_MAX; n--)
			t *= 10;
	}
	return t > UINT64_MAX ? UINT64_MAX : (uint64_t)t;
}

static int known(struct pcapng_writer *w, uint32_t interface, struct err *err)
{
	if (interface < w->interfaces)
		return 0;
	return err_set(err, ERR_USAGE, "%s: interface %u is not described",
		       w->path, interface);
}

static void add_time(struct pcapng_writer *w, uint32_t interface, int64_t ns)
{
	uint64_t t = units(w->resolution[interface], ns);

	add_u32(w, (uint32_t)(t >> 32));
	add_u32(w, (uint32_t)t);
}

int pcapng_writer_packet(struct pcapng_writer *w, const struct pcapng_packet *p,
			 struct err *err)
{
	if (known(w, p->interface, err) < 0)
		return -1;
	begin(w, BLOCK_ENHANCED);
	add_u32(w, p->interface);
	add_time(w, p->interface, p->ns);
	add_u32(w, p->caplen);
	add_u32(w, p->wirelen);
	add_bytes(w, p->data, p->caplen);
	option_text(w, OPTION_COMMENT, p->comment);
	if (p->epb_flags)
		option(w, PACKET_FLAGS, &p->epb_flags, sizeof p->epb_flags);
	if (p->dropcount)
		option_u64(w, PACKET_DROPS, p->dropcount);
	if (p->comment || p->epb_flags || p->dropcount)
		add_u32(w, OPTION_END);
	return end(w, err);
}

int pcapng_writer_statistics(struct pcapng_writer *w, uint32_t interface,
			     int64_t ns, uint64_t received, uint64_t dropped,
			     const char *comment, struct err *err)
{
	if (known(w, interface, err) < 0)
		return -1;
	begin(w, BLOCK_STATISTICS);
	add_u32(w, interface);
	add_time(w, interface, ns);
	option_text(w, OPTION_COMMENT, comment);
	if (received != UINT64_MAX)
		option_u64(w, STATISTICS_RECEIVED, received);
	if (dropped != UINT64_MAX)
		option_u64(w, STATISTICS_DROPPED, dropped);
	add_u32(w, OPTION_END);
	return end(w, err);
}

int pcapng_writer_close(struct pcapng_writer *w, struct err *err)
{
	int rc = 0;

	errno = 0;
	if (fflush(w->file) || ferror(w->file))
		rc = fail(w, errno, err);
	if (w->file != stdout && fclose(w->file) && !rc)
		rc = fail(w, errno, err);
	if (!rc && w->failed)
		rc = fail(w, w->failed, err);
	writer_free(w);
	return rc;
}

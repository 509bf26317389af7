/* SPDX-License-Identifier: GPL-2.0-or-later
 * The blocks of a pcapng file. */
#include "capture/pcapng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"

enum {
	SECTION_BODY = 16, /* magic 4, version 2+2, length 8 */
	OPTION_RECEIVED = 4,
	OPTION_DROPPED = 5,
	OPTION_DROPPED_OS = 7,
	SILENT_INTERFACES = 256, /* more is no list of links */
	TAPS_REMEMBERED = 256,   /* of earlier sections, for the same name */
};

static bool section_order(const uint8_t *p, bool *swapped)
{
	*swapped = bytes_u32(p + 8, true) == PCAPNG_BYTE_ORDER;
	return *swapped || bytes_u32(p + 8, false) == PCAPNG_BYTE_ORDER;
}

static void begin_section(struct pcapng *f, bool swapped)
{
	interfaces_clear(&f->interfaces);
	f->swapped = swapped;
	f->foreign = false;
	f->section++;
}

static const struct tap *tap_at(const struct pcapng *f, uint32_t i)
{
	return &f->base.taps->v[i];
}

/* An interface of the same name in an earlier section is the same place. */
static uint32_t earlier_tap(const struct pcapng *f, const char *name,
			    uint16_t linktype)
{
	size_t n = f->base.taps->n, i;

	for (i = n > TAPS_REMEMBERED ? n - TAPS_REMEMBERED : 0; i < n; i++) {
		const struct tap *t = tap_at(f, (uint32_t)i);

		if (i < TAPS_KEPT && t->pub.file == f->base.file_index &&
		    t->section != f->section && t->pub.linktype == linktype &&
		    !strcmp(t->pub.name, name))
			return (uint32_t)i;
	}
	return TAP_NONE;
}

/* NAME, NAME:if_name, if_name, or made of the file's name. */
static char *tap_name(struct pcapng *f, uint32_t i)
{
	struct interface *at = &f->interfaces.v[i];
	bool several = f->interfaces.n > 1;
	char *name = at->name, *made;
	size_t room;

	at->name = NULL;
	if (!name || (f->base.tap_name && !several)) {
		free(name);
		return reader_tap_name(&f->base, several ? (long)i : -1);
	}
	if (!f->base.tap_name)
		return name;
	room = strlen(f->base.tap_name) + strlen(name) + 2;
	made = malloc(room);
	if (made)
		snprintf(made, room, "%s:%s", f->base.tap_name, name);
	free(name);
	return made;
}

uint32_t pcapng_tap(struct pcapng *f, uint32_t i)
{
	struct interface *at = &f->interfaces.v[i];
	char *name = tap_name(f, i);
	struct tap *t;

	if (!name)
		return TAP_NONE;
	at->tap = earlier_tap(f, name, at->linktype);
	if (at->tap != TAP_NONE) {
		free(name);
		tap_section(&f->base.taps->v[at->tap], f->section);
		return at->tap;
	}
	at->tap =
		taps_add(f->base.taps, name, f->base.file_index, at->linktype);
	if (at->tap != TAP_NONE && at->tap < TAPS_KEPT) {
		t = &f->base.taps->v[at->tap];
		t->section = f->section;
		t->pub.interface = i;
		t->pub.speed_bps = at->speed_bps;
		t->pub.snaplen = at->snaplen;
	}
	return at->tap;
}

static void damage(struct pcapng *f, const struct block *b, const char *why)
{
	uint64_t from = window_offset(f->base.window);

	reader_damage(&f->base, from, from + b->length, why);
}

/* A section of another major version is passed over. */
static int on_section(struct pcapng *f, const struct block *b,
		      struct frame *out)
{
	bool swapped;

	(void)out;
	if (!section_order(b->p, &swapped) ||
	    b->length < PCAPNG_FRAMING + SECTION_BODY)
		return damage(f, b, "a corrupted section header"), 0;
	begin_section(f, swapped);
	f->foreign = bytes_u16(b->p + 12, swapped) != 1;
	if (f->foreign)
		damage(f, b, "a section of an unknown version");
	return 0;
}

static int on_interface(struct pcapng *f, const struct block *b,
			struct frame *out)
{
	size_t n = b->length - PCAPNG_FRAMING;
	int rc = interfaces_add(&f->interfaces, b->p + 8, n, f->swapped);

	(void)out;
	if (n < 8)
		damage(f, b, "a block too short");
	f->base.interleaved |= f->interfaces.n > 1;
	return rc;
}

static int on_statistics(struct pcapng *f, const struct block *b,
			 struct frame *out)
{
	struct options all;
	uint64_t received = UINT64_MAX, dropped = UINT64_MAX, os = UINT64_MAX;
	struct option o;
	uint32_t i, tap;

	(void)out;
	if (b->length < PCAPNG_FRAMING + 12)
		return damage(f, b, "a block too short"), 0;
	i = bytes_u32(b->p + 8, f->swapped);
	if (i >= f->interfaces.n ||
	    f->interfaces.v[i].fcs_len == INTERFACE_LOST)
		return 0;
	tap = f->interfaces.v[i].tap;
	if (tap == TAP_NONE)
		tap = pcapng_tap(f, i);
	if (tap == TAP_NONE)
		return -1;
	all = (struct options) { b->p + 20, b->p + b->length - 4, f->swapped };
	while (option_next(&all, &o)) {
		if (o.length < 8)
			continue;
		if (o.code == OPTION_RECEIVED)
			received = bytes_u64(o.value, f->swapped);
		if (o.code == OPTION_DROPPED)
			dropped = bytes_u64(o.value, f->swapped);
		if (o.code == OPTION_DROPPED_OS)
			os = bytes_u64(o.value, f->swapped);
	}
	if (os != UINT64_MAX)
		dropped = dropped == UINT64_MAX ? os : clamp_count(dropped, os);
	tap_statistics(&f->base.taps->v[tap], received, dropped);
	return 0;
}

/* No packet, but Wireshark numbers it as one. */
static int on_numbered(struct pcapng *f, const struct block *b,
		       struct frame *out)
{
	(void)b;
	(void)out;
	f->base.number++;
	return 0;
}

static const struct {
	uint32_t type;
	int (*read)(struct pcapng *f, const struct block *b, struct frame *out);
} kinds[] = {
	{ BLOCK_ENHANCED, pcapng_enhanced },
	{ BLOCK_PACKET, pcapng_obsolete },
	{ BLOCK_SIMPLE, pcapng_simple },
	{ BLOCK_INTERFACE, on_interface },
	{ BLOCK_STATISTICS, on_statistics },
	{ BLOCK_SECTION, on_section },
	{ BLOCK_JOURNAL, on_numbered },
	{ BLOCK_SYSDIG, on_numbered },
	{ BLOCK_SYSDIG_2, on_numbered },
	{ BLOCK_SYSDIG_LARGE, on_numbered },
	{ BLOCK_CUSTOM, on_numbered },
	{ BLOCK_CUSTOM_NOCOPY, on_numbered },
};

/* Names, secrets and unknown blocks are passed over. */
static int read_block(struct pcapng *f, const struct block *b,
		      struct frame *out)
{
	size_t i;

	if (f->foreign && b->type != BLOCK_SECTION)
		return damage(f, b, "a section of an unknown version"), 0;
	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].type == b->type)
			return kinds[i].read(f, b, out);
	return 0;
}

/* What was the corrupted block?  Those that count interfaces must count. */
static int lose(struct pcapng *f, uint32_t type, uint64_t length)
{
	bool swapped;
	int rc = 0;

	if (type == BLOCK_INTERFACE)
		rc = interfaces_add_lost(&f->interfaces);
	if (type == BLOCK_SECTION &&
	    window_unread(f->base.window) >= PCAPNG_MAGIC &&
	    section_order(f->base.window->p, &swapped))
		begin_section(f, swapped);
	reader_lose(&f->base, length, pcapng_holds_packet(type),
		    "a corrupted block");
	return rc < 0 ? -1 : 0;
}

/* Frames the block at the window's start: 1 in |b|, 0 see |want| or lost, -1
 * no memory. */
static int frame_block(struct pcapng *f, struct block *b)
{
	struct window *w = f->base.window;
	size_t unread = window_unread(w);
	bool swapped = f->swapped;
	uint32_t length;

	if (unread < PCAPNG_FRAMING) {
		f->base.want = PCAPNG_FRAMING;
		f->base.done = w->ended;
		if (w->ended && unread)
			reader_cut(&f->base, window_offset(w), false);
		return 0;
	}
	b->p = w->p;
	b->type = bytes_u32(b->p, swapped);
	if (b->type == BLOCK_SECTION && !section_order(b->p, &swapped))
		return lose(f, 0, 0);
	length = bytes_u32(b->p + 4, swapped);
	if (length < PCAPNG_FRAMING || length > PCAPNG_LONGEST)
		return lose(f, b->type, 0);
	b->length = ((size_t)length + 3) & ~(size_t)3;
	if (b->length > WINDOW_RESERVE || (unread < b->length && w->ended))
		return lose(f, b->type, b->length);
	if (unread < b->length) {
		f->base.want = b->length;
		return 0;
	}
	if (bytes_u32(b->p + b->length - 4, swapped) != length)
		return lose(f, b->type, 0);
	return 1;
}

/* Packets without time before the first that has one take its time. */
static void backdate(struct frame *out, int n)
{
	int first = 0, i;

	while (first < n && out[first].flags & FRAME_NO_TIME)
		first++;
	for (i = 0; i < first && first < n; i++)
		out[i].ns = out[first].ns;
}

/* That nothing passed a link is worth knowing: at the end of the file its
 * interfaces without packets begin, where they have names and others were
 * not silent. */
static void begin_silent(struct pcapng *f)
{
	uint32_t n = f->interfaces.n;

	if (!f->timed || n < 2 || n > SILENT_INTERFACES)
		return;
	for (uint32_t i = 0; i < n; i++)
		if (f->interfaces.v[i].name)
			pcapng_tap(f, i);
}

static int pcapng_step(struct reader *r, struct frame *out, int max)
{
	struct pcapng *f = (struct pcapng *)r;
	bool timed = f->timed;
	int n = 0;

	r->want = 0;
	if (r->lost.on) {
		pcapng_search(f);
		return 0;
	}
	while (n < max) {
		struct block b;
		int rc;

		n += pcapng_plain_run(f, out + n, max - n);
		if (n == max)
			break;
		rc = frame_block(f, &b);
		if (!rc)
			break;
		if (rc > 0)
			rc = read_block(f, &b, &out[n]);
		if (rc < 0)
			return -1;
		n += rc;
		r->window->p += b.length;
	}
	if (!timed && f->timed)
		backdate(out, n);
	if (r->window->ended && !window_unread(r->window))
		begin_silent(f);
	return n;
}

static bool pcapng_peek(const struct reader *r, int64_t *ns)
{
	const struct pcapng *f = (const struct pcapng *)r;
	const struct window *w = r->window;
	uint32_t i;

	if (r->lost.on || window_unread(w) < 20 ||
	    bytes_u32(w->p, f->swapped) != BLOCK_ENHANCED)
		return false;
	i = bytes_u32(w->p + 8, f->swapped);
	if (i >= f->interfaces.n)
		return false;
	return interface_ns(&f->interfaces.v[i],
			    (uint64_t)bytes_u32(w->p + 12, f->swapped) << 32 |
				    bytes_u32(w->p + 16, f->swapped),
			    ns);
}

static void pcapng_free(struct reader *r)
{
	struct pcapng *f = (struct pcapng *)r;

	interfaces_clear(&f->interfaces);
	free(f);
}

static const struct reader_ops ops = { .step = pcapng_step,
				       .peek = pcapng_peek,
				       .free = pcapng_free };

bool pcapng_recognise(const uint8_t *p)
{
	return bytes_u32(p, false) == BLOCK_SECTION;
}

/* The first section header must be one; the rest of the file may be
 * corrupted. */
static int check_start(struct window *w, struct err *err)
{
	bool swapped;
	uint16_t major;

	if (!window_need(w, PCAPNG_FRAMING + SECTION_BODY))
		return err_set(err, ERR_FORMAT,
			       "ends inside the pcapng section header");
	if (!section_order(w->p, &swapped))
		return err_set(err, ERR_FORMAT,
			       "not a capture: no pcapng byte-order mark");
	major = bytes_u16(w->p + 12, swapped);
	if (major != 1)
		return err_set(err, ERR_FORMAT,
			       "pcapng version %u.%u is not known", major,
			       bytes_u16(w->p + 14, swapped));
	return 0;
}

struct reader *pcapng_reader_new(const struct reader_input *in, struct err *err)
{
	struct pcapng *f;

	if (check_start(in->window, err) < 0)
		return NULL;
	f = calloc(1, sizeof *f);
	if (!f) {
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	reader_init(&f->base, &ops, in);
	in->file->format = "pcapng";
	return &f->base;
}

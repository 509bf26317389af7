/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames from the three kinds of pcapng packet block. */
#include "capture/pcapng.h"

enum {
	OPTION_FLAGS = 2,
	OPTION_DROPS = 4,
	FLAG_IN = 1,
	FLAG_OUT = 2,
	FLAG_DIRECTION = 3,
	FLAG_FCS_SHIFT = 5,
	FLAG_FCS_MASK = 15,
	ENHANCED_HEAD = 28, /* type and length included */
	SIMPLE_HEAD = 12,
	DROPS_UNKNOWN = 0xffff,
};
#define FLAG_ERRORS 0xff000000u

/* A packet block's fields, wherever they stood. */
struct packet_block {
	uint32_t interface, caplen, wirelen;
	uint64_t units;
	size_t head;
};

/* A packet that is there but cannot be handed out. */
static int refuse(struct pcapng *f, const struct block *b, const char *why)
{
	uint64_t from = window_offset(f->base.window);

	f->base.file->skipped++;
	reader_damage(&f->base, from, from + b->length, why);
	return 0;
}

/* NULL: the packet cannot be handed out. */
static struct interface *usable(struct pcapng *f, const struct block *b,
				const struct packet_block *k)
{
	const char *why = NULL;

	if (k->interface >= f->interfaces.described)
		why = "a packet of an interface that is not described";
	else if (k->interface >= f->interfaces.n)
		why = "more interfaces than are kept";
	else if (f->interfaces.v[k->interface].fcs_len == INTERFACE_LOST)
		why = "a packet of an interface whose description is corrupted";
	else if (k->caplen > b->length - 4 - k->head)
		why = "a packet longer than its block";
	if (why)
		refuse(f, b, why);
	return why ? NULL : &f->interfaces.v[k->interface];
}

static void set_fcs(struct frame *out, uint32_t fcs_len)
{
	uint32_t missing = out->wirelen - out->caplen;

	out->fcs_len = missing < fcs_len ? (uint8_t)(fcs_len - missing) : 0;
}

/* A frame with all that stands at fixed places.  0 or -1: no memory. */
static int fill(struct pcapng *f, const struct block *b,
		const struct packet_block *k, struct interface *i,
		struct frame *out)
{
	uint32_t tap = i->tap;

	if (tap == TAP_NONE)
		tap = pcapng_tap(f, k->interface);
	if (tap == TAP_NONE)
		return -1;
	*out = (struct frame) {
		.data = b->p + k->head,
		.number = f->base.number,
		.caplen = k->caplen,
		.wirelen = k->wirelen,
		.tap = tap,
		.linktype = i->linktype,
	};
	if (k->wirelen < k->caplen) {
		out->wirelen = k->caplen;
		out->flags |= FRAME_BAD_LENGTH;
	}
	if (i->snaplen && k->caplen > i->snaplen)
		out->flags |= FRAME_BAD_LENGTH;
	return 0;
}

static void set_time(struct pcapng *f, const struct interface *i,
		     uint64_t units, struct frame *out)
{
	if (!interface_ns(i, units, &out->ns))
		f->base.file->clamped_times++;
	reader_span(&f->base, out->ns, !f->timed);
	f->last_ns = out->ns;
	f->timed = true;
}

static uint32_t set_flags(struct frame *out, uint32_t flags, uint32_t fcs_len)
{
	uint32_t fcs = flags >> FLAG_FCS_SHIFT & FLAG_FCS_MASK;

	if ((flags & FLAG_DIRECTION) == FLAG_IN)
		out->flags |= FRAME_IN;
	if ((flags & FLAG_DIRECTION) == FLAG_OUT)
		out->flags |= FRAME_OUT;
	if (flags & FLAG_ERRORS)
		out->flags |= FRAME_LINK_ERROR;
	return fcs ? fcs : fcs_len;
}

static void add_drops(struct pcapng *f, struct frame *out, uint64_t n)
{
	out->drops = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	tap_drops_add(&f->base.taps->v[out->tap], n);
}

/* Options behind the data.  Returns the frame's FCS length. */
static uint32_t read_options(struct pcapng *f, const struct block *b,
			     const struct packet_block *k, uint32_t fcs_len,
			     struct frame *out)
{
	const uint8_t *p = b->p + k->head + ((k->caplen + 3) & ~3u);
	struct options all = { p, b->p + b->length - 4, f->swapped };
	struct option o;

	if (p > all.end)
		return fcs_len;
	while (option_next(&all, &o)) {
		if (o.code == OPTION_FLAGS && o.length >= 4)
			fcs_len = set_flags(out, bytes_u32(o.value, f->swapped),
					    fcs_len);
		if (o.code == OPTION_DROPS && o.length >= 8)
			add_drops(f, out, bytes_u64(o.value, f->swapped));
	}
	return fcs_len;
}

static int timed_packet(struct pcapng *f, const struct block *b,
			const struct packet_block *k, struct frame *out)
{
	struct interface *i;

	f->base.number++;
	i = usable(f, b, k);
	if (!i)
		return 0;
	if (fill(f, b, k, i, out) < 0)
		return -1;
	set_time(f, i, k->units, out);
	set_fcs(out, read_options(f, b, k, i->fcs_len, out));
	tap_count(&f->base.taps->v[out->tap], out);
	return 1;
}

/* An enhanced packet block of |length| bytes at |p| with nothing odd about it
 * and no options. */
static inline bool plain(const struct pcapng *f, const uint8_t *p, size_t left,
			 struct packet_block *k, size_t *length)
{
	bool swapped = f->swapped;

	if (left < ENHANCED_HEAD + 4 || bytes_u32(p, swapped) != BLOCK_ENHANCED)
		return false;
	*length = bytes_u32(p + 4, swapped);
	k->interface = bytes_u32(p + 8, swapped);
	k->units = (uint64_t)bytes_u32(p + 12, swapped) << 32 |
		   bytes_u32(p + 16, swapped);
	k->caplen = bytes_u32(p + 20, swapped);
	k->wirelen = bytes_u32(p + 24, swapped);
	return *length <= left &&
	       *length == (((size_t)k->caplen + 3) & ~(size_t)3) +
				  ENHANCED_HEAD + 4 &&
	       bytes_u32(p + *length - 4, swapped) == *length &&
	       k->caplen <= k->wirelen && k->interface < f->interfaces.n;
}

/* The same of the interface and the time. */
static inline bool plain_time(const struct interface *i,
			      const struct packet_block *k, int64_t *ns)
{
	return i->tap != TAP_NONE && i->scale &&
	       (!i->snaplen || k->caplen <= i->snaplen) &&
	       !__builtin_mul_overflow(k->units, i->scale, ns);
}

int pcapng_plain_run(struct pcapng *f, struct frame *out, int max)
{
	struct window *w = f->base.window;
	const uint8_t *p = w->p;
	struct packet_block k;
	size_t length;
	int64_t ns;
	int n;

	if (f->foreign)
		return 0;
	for (n = 0; n < max; n++) {
		const struct interface *i;

		if (!plain(f, p, (size_t)(w->end - p), &k, &length))
			break;
		i = &f->interfaces.v[k.interface];
		if (!plain_time(i, &k, &ns))
			break;
		out[n] = (struct frame) {
			.ns = ns,
			.data = p + ENHANCED_HEAD,
			.number = ++f->base.number,
			.caplen = k.caplen,
			.wirelen = k.wirelen,
			.tap = i->tap,
			.linktype = i->linktype,
		};
		set_fcs(&out[n], i->fcs_len);
		reader_span(&f->base, ns, !f->timed);
		f->last_ns = ns;
		f->timed = true;
		tap_count(&f->base.taps->v[i->tap], &out[n]);
		p += length;
	}
	w->p = p;
	return n;
}

int pcapng_enhanced(struct pcapng *f, const struct block *b, struct frame *out)
{
	const uint8_t *p = b->p;
	struct packet_block k = { .head = ENHANCED_HEAD };

	if (b->length < ENHANCED_HEAD + 4)
		return f->base.number++, refuse(f, b, "a block too short");
	k.interface = bytes_u32(p + 8, f->swapped);
	k.units = (uint64_t)bytes_u32(p + 12, f->swapped) << 32 |
		  bytes_u32(p + 16, f->swapped);
	k.caplen = bytes_u32(p + 20, f->swapped);
	k.wirelen = bytes_u32(p + 24, f->swapped);
	return timed_packet(f, b, &k, out);
}

/* As the enhanced one, but 16 bits of interface and 16 of drops. */
int pcapng_obsolete(struct pcapng *f, const struct block *b, struct frame *out)
{
	const uint8_t *p = b->p;
	struct packet_block k = { .head = ENHANCED_HEAD };
	uint16_t drops;
	int n;

	if (b->length < ENHANCED_HEAD + 4)
		return f->base.number++, refuse(f, b, "a block too short");
	k.interface = bytes_u16(p + 8, f->swapped);
	drops = bytes_u16(p + 10, f->swapped);
	k.units = (uint64_t)bytes_u32(p + 12, f->swapped) << 32 |
		  bytes_u32(p + 16, f->swapped);
	k.caplen = bytes_u32(p + 20, f->swapped);
	k.wirelen = bytes_u32(p + 24, f->swapped);
	n = timed_packet(f, b, &k, out);
	if (n > 0 && drops != DROPS_UNKNOWN)
		add_drops(f, out, drops);
	return n;
}

/* No time, no captured length: that is what fits in the block and the snap
 * length of interface 0. */
int pcapng_simple(struct pcapng *f, const struct block *b, struct frame *out)
{
	struct packet_block k = { .head = SIMPLE_HEAD };
	struct interface *i;
	uint32_t space;

	f->base.number++;
	if (b->length < SIMPLE_HEAD + 4)
		return refuse(f, b, "a block too short");
	k.wirelen = k.caplen = bytes_u32(b->p + 8, f->swapped);
	space = (uint32_t)b->length - 4 - SIMPLE_HEAD;
	if (f->interfaces.n && f->interfaces.v[0].snaplen &&
	    k.caplen > f->interfaces.v[0].snaplen)
		k.caplen = f->interfaces.v[0].snaplen;
	if (k.caplen > space)
		k.caplen = space;
	i = usable(f, b, &k);
	if (!i)
		return 0;
	if (fill(f, b, &k, i, out) < 0)
		return -1;
	out->ns = f->last_ns;
	out->flags |= FRAME_NO_TIME;
	set_fcs(out, i->fcs_len);
	tap_count(&f->base.taps->v[out->tap], out);
	return 1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The next block of a corrupted pcapng file: a known type, a possible length,
 * and the same length again where the block ends.  Blocks stand at multiples
 * of four in a whole file; in a corrupted one they may stand anywhere.  Behind
 * a block that was too long to hold there may be another. */
#include "capture/pcapng.h"

/* Bytes of the shortest block of a type; 0: no such type.  A switch, as it
 * is asked at every byte. */
static uint32_t least(uint32_t type)
{
	switch (type) {
	case BLOCK_SECTION:
		return 28;
	case BLOCK_INTERFACE:
	case BLOCK_SECRETS:
		return 20;
	case BLOCK_ENHANCED:
	case BLOCK_PACKET:
		return 32;
	case BLOCK_SIMPLE:
	case BLOCK_CUSTOM:
	case BLOCK_CUSTOM_NOCOPY:
		return 16;
	case BLOCK_STATISTICS:
		return 24;
	case BLOCK_NAMES:
	case BLOCK_JOURNAL:
		return 12;
	default:
		return 0;
	}
}

/* The length of the block at |p| as it says itself, 0 if there is none. */
static uint32_t length_at(const struct pcapng *f, const uint8_t *p)
{
	uint32_t type = bytes_u32(p, f->swapped), length;
	uint32_t shortest = least(type);
	bool swapped = f->swapped;

	if (!shortest)
		return 0;
	if (type == BLOCK_SECTION) {
		swapped = bytes_u32(p + 8, true) == PCAPNG_BYTE_ORDER;
		if (bytes_u32(p + 8, swapped) != PCAPNG_BYTE_ORDER)
			return 0;
	}
	length = bytes_u32(p + 4, swapped);
	if (length < shortest || length > PCAPNG_LONGEST || length % 4)
		return 0;
	return length;
}

void pcapng_search(struct pcapng *f)
{
	struct window *w = f->base.window;

	for (; window_unread(w) >= PCAPNG_FRAMING; w->p++) {
		uint32_t length = length_at(f, w->p);

		if (!length)
			continue;
		if (length > WINDOW_RESERVE) {
			if (window_offset(w) != f->base.lost.stated_end)
				continue;
			reader_found(&f->base);
			return;
		}
		if (length > window_unread(w)) {
			if (w->ended)
				continue;
			f->base.want = length;
			return;
		}
		if (!memcmp(w->p + 4, w->p + length - 4, 4)) {
			reader_found(&f->base);
			return;
		}
	}
	f->base.want = PCAPNG_FRAMING;
	if (w->ended)
		reader_lost_end(&f->base);
}

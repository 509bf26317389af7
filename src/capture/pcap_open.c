/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which of the pcap formats a file is.
 *
 * Two groups of modified record headers share a magic number with others, so
 * the first records are read in each of the layouts in turn.  A pipe is not
 * waited on for that: what it gave at once decides. */
#include <stdlib.h>

#include "capture/pcap.h"

enum {
	MICRO = 1000000,
	NANO = 1000000000,
	TRIAL_RECORDS = 8,
	TRIAL_BYTES = 16 * 1024,
	COOKED_HEADER = 14, /* what modified writers put before a snapped one */
};

/* Bytes of the record header, most usual layout first; 0 ends. */
#define LAYOUTS 4
struct magic {
	uint32_t magic;
	uint32_t unit;
	const char *format;
	uint8_t extra; /* bytes behind the file header */
	uint8_t layouts[LAYOUTS];
};

static const struct magic magics[] = {
	/* ss990417 and Nokia kept the magic and changed the records */
	{ 0xa1b2c3d4, MICRO, "pcap", 0, { 16, 24, 20 } },
	{ 0xa1b23c4d, NANO, "pcap", 0, { 16 } },
	/* Kuznetzov; 28 is what SUSE 6.3 made of it */
	{ 0xa1b2cd34, MICRO, "modified pcap", 0, { 24, 28 } },
	/* Ixia lcap, hardware and software: the records' bytes follow */
	{ 0x1c0001ac, NANO, "ixia pcap", 4, { 16 } },
	{ 0x1c0001ab, MICRO, "ixia pcap", 4, { 16 } },
};

static const struct magic *magic_of(const uint8_t *p, bool *swapped)
{
	size_t i;

	for (i = 0; i < sizeof magics / sizeof *magics; i++) {
		*swapped = bytes_u32(p, true) == magics[i].magic;
		if (*swapped || bytes_u32(p, false) == magics[i].magic)
			return &magics[i];
	}
	return NULL;
}

bool pcap_recognise(const uint8_t *p)
{
	bool swapped;

	return magic_of(p, &swapped) != NULL;
}

/* AIX writes version 2.2, nanoseconds and interface types of RFC 1573. */
static void recognise_aix(struct pcap *f, uint32_t network)
{
	static const struct {
		uint8_t iftype, linktype;
	} aix[] = { { 6, 1 }, { 9, 6 }, { 15, 10 }, { 24, 0 } };
	size_t i;

	for (i = 0; i < sizeof aix / sizeof *aix; i++) {
		if (network == aix[i].iftype) {
			f->linktype = aix[i].linktype;
			f->unit = NANO;
		}
	}
}

static int read_version(struct pcap *f, const uint8_t *p, struct err *err)
{
	uint16_t major = bytes_u16(p + 4, f->swapped);
	uint16_t minor = bytes_u16(p + 6, f->swapped);

	if (major == 543 && minor == 0) { /* DG/UX */
		f->lengths = PCAP_WIRELEN_FIRST;
		return 0;
	}
	if (major != 2)
		return err_set(err, ERR_FORMAT,
			       "pcap version %u.%u is not known", major, minor);
	if (minor < 3)
		f->lengths = PCAP_WIRELEN_FIRST;
	else if (minor == 3)
		f->lengths = PCAP_LESSER_FIRST;
	if (minor == 2 && f->unit == MICRO)
		recognise_aix(f, bytes_u32(p + 20, f->swapped));
	return 0;
}

/* What the modified headers hold behind the usual fields tells them from
 * packet data: Nokia's a word whose middle never changes (Wireshark writes
 * zero), the others an interface index, an EtherType and a packet type. */
static bool extra_fits(const struct pcap *f, const uint8_t *p)
{
	uint32_t word = bytes_u32(p + 16, f->swapped);
	uint32_t other = __builtin_bswap32(word);

	if (f->header == PCAP_RECORD)
		return true;
	if (f->header == 20)
		return !word || (word & 0x0fff00f0) == 0x0fbf0000 ||
		       (other & 0x0fff00f0) == 0x0fbf0000;
	return word <= 10000 && p[22] <= 4;
}

/* How a layout reads the first records. */
struct trial {
	int whole;   /* records that fit and are whole */
	bool misfit; /* one did not fit */
	bool ends;   /* the stream ends behind the last one */
};

static struct trial try_layout(struct pcap *f)
{
	const struct window *w = f->base.window;
	const uint8_t *p = w->p;
	size_t left = window_unread(w), length;
	bool ended = w->ended && left <= TRIAL_BYTES;
	struct trial t = { 0 };

	if (left > TRIAL_BYTES)
		left = TRIAL_BYTES; /* however much was read at once */
	while (t.whole < TRIAL_RECORDS && left >= f->header) {
		struct pcap_record r = pcap_load(f, p);

		length = (size_t)f->header + r.caplen;
		if (!pcap_plain(f, &r) || !extra_fits(f, p)) {
			t.misfit = true;
			return t;
		}
		if (length > left)
			return t;
		t.whole++;
		p += length;
		left -= length;
	}
	t.ends = !left && ended;
	t.misfit = left && t.whole < TRIAL_RECORDS && ended;
	return t;
}

/* The first layout is left only for one that fits where it does not: damage
 * fits none. */
static void choose_layout(struct pcap *f, const uint8_t *layouts)
{
	int i;

	for (i = 0; i < LAYOUTS && layouts[i]; i++) {
		struct trial t;

		f->header = layouts[i];
		t = try_layout(f);
		if (!t.misfit && (i == 0 || t.whole > 1 || t.ends))
			return;
	}
	f->header = layouts[0];
}

static int read_header(struct pcap *f, const struct magic *m, const uint8_t *p,
		       struct err *err)
{
	uint32_t network = bytes_u32(p + 20, f->swapped);

	f->unit = m->unit;
	f->linktype = (uint16_t)network;
	if (network & 0x04000000) /* in units of 16 bits */
		f->fcs_len = (uint8_t)((network >> 28) * 2);
	if (read_version(f, p, err) < 0)
		return -1;
	f->scale = NANO / f->unit;
	f->snaplen = bytes_u32(p + 16, f->swapped);
	if (f->snaplen && f->snaplen < PCAP_OVERSIZE &&
	    m->layouts[0] > PCAP_RECORD)
		f->snaplen += COOKED_HEADER;
	f->plain_max = PCAP_PLAIN_MAX;
	if (f->snaplen && f->snaplen < PCAP_PLAIN_MAX)
		f->plain_max = f->snaplen;
	f->base.file->format = m->format;
	return 0;
}

static int open_file(struct pcap *f, struct err *err)
{
	struct window *w = f->base.window;
	const struct magic *m;

	if (!window_need(w, PCAP_HEADER))
		return err_set(err, ERR_FORMAT,
			       "ends inside the pcap file header");
	m = magic_of(w->p, &f->swapped);
	if (read_header(f, m, w->p, err) < 0)
		return -1;
	window_need(w, PCAP_HEADER + m->extra);
	w->p += PCAP_HEADER;
	w->p += window_unread(w) < m->extra ? window_unread(w) : m->extra;
	while (window_unread(w) < TRIAL_BYTES && source_ready(w->source))
		if (!window_fill(w))
			break;
	choose_layout(f, m->layouts);
	return 0;
}

struct reader *pcap_reader_new(const struct reader_input *in, struct err *err)
{
	struct pcap *f = calloc(1, sizeof *f);

	if (!f) {
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	reader_init(&f->base, &pcap_reader_ops, in);
	f->tap = TAP_NONE;
	f->timely_width = UINT32_MAX;
	if (open_file(f, err) < 0) {
		free(f);
		return NULL;
	}
	return &f->base;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames from pcap records. */
#include "capture/pcap.h"

#include <stdlib.h>

#define NANO INT64_C(1000000000)

static inline int64_t record_ns(const struct pcap *f,
				const struct pcap_record *r)
{
	return r->sec * NANO + (int64_t)r->frac * f->scale;
}

/* The bytes of FCS that were captured. */
static inline uint8_t captured_fcs(const struct pcap *f,
				   const struct pcap_record *r)
{
	uint32_t missing = r->wirelen - r->caplen;

	return missing < f->fcs_len ? (uint8_t)(f->fcs_len - missing) : 0;
}

/* Frame |number|, whose record begins at |p|. */
static inline void fill(const struct pcap *f, const struct pcap_record *r,
			const uint8_t *p, uint64_t number, struct frame *out)
{
	*out = (struct frame) {
		.ns = record_ns(f, r),
		.data = p + f->header,
		.number = number,
		.caplen = r->caplen,
		.wirelen = r->wirelen,
		.tap = f->tap,
		.linktype = f->linktype,
		.fcs_len = captured_fcs(f, r),
	};
}

/* The plain and whole records at the window's start.  |form| is a copy that
 * nothing written here can change, so that it stays in registers; called with
 * the usual values as constants, what the usual file does not need is gone. */
static inline __attribute__((always_inline)) int
run_of(struct pcap *f, struct pcap form, struct frame *out, int max)
{
	const uint8_t *p = f->base.window->p, *end = f->base.window->end;
	uint64_t number = f->base.number;
	int n;

	for (n = 0; n < max; n++) {
		size_t left = (size_t)(end - p);
		struct pcap_record r;

		if (left < form.header)
			break;
		r = pcap_load(&form, p);
		if (!pcap_plain(&form, &r) || !pcap_timely(&form, r.sec) ||
		    left - form.header < r.caplen)
			break;
		fill(&form, &r, p, number + (uint64_t)n + 1, &out[n]);
		p += form.header + r.caplen;
	}
	f->base.window->p = p;
	f->base.number = number + (uint64_t)n;
	return n;
}

static int plain_run(struct pcap *f, struct frame *out, int max)
{
	struct pcap form = *f;

	if (f->swapped || f->lengths != PCAP_CAPLEN_FIRST || f->fcs_len ||
	    f->header != PCAP_RECORD)
		return run_of(f, form, out, max);
	form.swapped = false;
	form.lengths = PCAP_CAPLEN_FIRST;
	form.fcs_len = 0;
	form.header = PCAP_RECORD;
	return run_of(f, form, out, max);
}

/* A record that is odd but believed: what is wrong with it is put right. */
static void fill_odd(struct pcap *f, struct pcap_record r, struct frame *out)
{
	uint8_t flags = 0;

	if (r.frac >= f->unit) {
		r.frac = f->unit - 1;
		f->base.file->clamped_times++;
	}
	if (r.wirelen < r.caplen) {
		r.wirelen = r.caplen;
		flags |= FRAME_BAD_LENGTH;
	}
	if (f->snaplen && r.caplen > f->snaplen)
		flags |= FRAME_BAD_LENGTH;
	fill(f, &r, f->base.window->p, ++f->base.number, out);
	out->flags = flags;
	f->base.window->p += f->header + r.caplen;
}

/* The record at the window's start is not plain, or not whole. */
static int slow_step(struct pcap *f, struct frame *out)
{
	struct reader *r = &f->base;
	struct window *w = r->window;
	size_t unread = window_unread(w);
	struct pcap_record rec;

	if (unread < f->header) {
		r->want = f->header;
		r->done = w->ended;
		if (w->ended && unread)
			reader_cut(r, window_offset(w), false);
		return 0;
	}
	rec = pcap_load(f, w->p);
	if (pcap_plain(f, &rec) && pcap_timely(f, rec.sec)) {
		r->want = f->header + rec.caplen;
		if (w->ended)
			reader_cut(r, window_offset(w), true);
		return 0;
	}
	if (pcap_confirm(f, &rec) == PCAP_BELIEVED) {
		fill_odd(f, rec, out);
		return 1;
	}
	return 0;
}

/* The tap begins with the first packet. */
static int begin_tap(struct pcap *f, struct frame *out, int n)
{
	char *name = reader_tap_name(&f->base, -1);
	int i;

	f->tap = taps_add(f->base.taps, name, f->base.file_index, f->linktype);
	if (f->tap == TAP_NONE)
		return -1;
	f->base.taps->v[f->tap].pub.snaplen = f->snaplen;
	for (i = 0; i < n; i++)
		out[i].tap = f->tap;
	return 0;
}

static void set_timely(struct pcap *f, const struct capture_tap *t)
{
	int64_t from = t->first_ns / NANO - PCAP_NEAR_SECONDS;
	int64_t to = t->last_ns / NANO + PCAP_NEAR_SECONDS;

	if (from < 0)
		from = 0;
	if (to > UINT32_MAX)
		to = UINT32_MAX;
	f->timely_from = (uint32_t)from;
	f->timely_width = (uint32_t)(to - from);
}

static int count(struct pcap *f, struct frame *out, int n)
{
	struct capture_file *file = f->base.file;
	struct tap *tap;
	int i;

	if (f->tap == TAP_NONE && begin_tap(f, out, n) < 0)
		return -1;
	tap = &f->base.taps->v[f->tap];
	for (i = 0; i < n; i++)
		tap_count(tap, &out[i]);
	set_timely(f, &tap->pub);
	file->first_ns = tap->pub.first_ns;
	file->last_ns = tap->pub.last_ns;
	return n;
}

static int pcap_step(struct reader *r, struct frame *out, int max)
{
	struct pcap *f = (struct pcap *)r;
	int n;

	r->want = 0;
	if (r->lost.on) {
		pcap_search(f);
		return 0;
	}
	/* the first packet sets the time the others are measured by */
	n = plain_run(f, out, f->tap == TAP_NONE ? 1 : max);
	if (!n)
		n = slow_step(f, out);
	return n ? count(f, out, n) : 0;
}

static bool pcap_peek(const struct reader *r, int64_t *ns)
{
	const struct pcap *f = (const struct pcap *)r;
	struct pcap_record rec;

	if (r->lost.on || window_unread(r->window) < f->header)
		return false;
	rec = pcap_load(f, r->window->p);
	*ns = record_ns(f, &rec);
	return pcap_plain(f, &rec);
}

static void pcap_free(struct reader *r)
{
	free(r);
}

const struct reader_ops pcap_reader_ops = { .step = pcap_step,
					    .peek = pcap_peek,
					    .free = pcap_free };

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What an analysis needs of a capture file, and no more.
 *
 * Of a frame the bytes behind its headers are left out, once their CRC is
 * known.  Where the headers end is only guessed: what is left must be decoded
 * to the very same packet, or else the frame stays whole. */
#include "run/reduce.h"

#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "run/frame.h"
#include "run/topology.h"

enum { ICRC = 4, PAD_MAX = 3, SHORT = 128, LEAST_GAIN = 16 };

static struct reduced_crc crc_of(const struct packet *p)
{
	return (struct reduced_crc) {
		.icrc = p->icrc,
		.status = p->icrc_status,
		.little_endian =
			p->kind == PACKET_UET && p->uet.flags & UET_CRC_LE,
	};
}

static void decode_anew(const struct frame *f,
			const struct decode_options *options, struct packet *p)
{
	memset(p, 0, sizeof *p);
	frame_decode(f, options, p);
}

/* Is |f| with |n| bytes as good as |whole|, which was all of it?  Both have
 * the same data, so that pointers into it are equal, too. */
static bool suffices(const struct frame *f, uint32_t n,
		     const struct packet *whole,
		     const struct decode_options *options)
{
	struct frame cut = *f;
	struct packet p;

	cut.caplen = n;
	cut.fcs_len = 0;
	decode_anew(&cut, options, &p);
	frame_restore(crc_of(whole), &p);
	return !memcmp(&p, whole, sizeof p);
}

/* The bytes of |f| that are kept; all of them: it is not cut. */
static uint32_t kept_bytes(const struct frame *f, const struct packet *whole,
			   const struct decode_options *options)
{
	uint32_t behind = whole->payload + ICRC + PAD_MAX + f->fcs_len;
	uint32_t guess[] = { f->caplen > behind ? f->caplen - behind : 0,
			     SHORT };

	if (f->flags & FRAME_REDUCED)
		return f->caplen;
	/* Of frames without payload nothing is to be gained. */
	for (unsigned i = 0; i < sizeof guess / sizeof *guess; i++)
		if (guess[i] && guess[i] + LEAST_GAIN <= f->caplen &&
		    suffices(f, guess[i], whole, options))
			return guess[i];
	return f->caplen;
}

struct reducing {
	struct capture *capture;
	struct reduced_writer *to;
	struct decode_options decode;
	size_t taps;
	uint64_t packets;
};

static void put_frame(struct reducing *r, const struct frame *f, bool last)
{
	uint32_t tap = capture_tap_ordinal(r->capture, f->tap), n;
	struct frame cut = *f;
	struct reduced_crc crc;
	struct packet p;

	decode_anew(f, &r->decode, &p);
	n = kept_bytes(f, &p, &r->decode);
	crc = crc_of(&p);
	if (n < f->caplen) {
		cut.caplen = n;
		cut.fcs_len = 0;
	}
	reduced_frame(r->to, &cut, tap, last, n < f->caplen ? &crc : NULL);
}

static void put_taps(struct reducing *r)
{
	for (; r->taps < capture_taps(r->capture); r->taps++)
		reduced_tap(r->to, capture_tap(r->capture, r->taps));
}

/* A batch stays one: what is too large for that is read from the original. */
static bool too_large(const struct frame *frames, int n)
{
	size_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += sizeof(struct reduced_frame_record) + frames[i].caplen +
		       8;
	return sum > REDUCED_BATCH_MAX;
}

/* 1: all is in it; 0: the original is to be read. */
static int reduce_all(struct reducing *r, struct err *err)
{
	const struct frame *f;
	int n;

	while ((n = capture_next(r->capture, &f, err)) > 0) {
		if (too_large(f, n))
			return 0;
		put_taps(r);
		for (int i = 0; i < n; i++)
			put_frame(r, &f[i], i == n - 1);
		r->packets += (uint64_t)n;
		progress_packets(r->packets);
	}
	if (n < 0)
		return -1;
	put_taps(r);
	reduced_totals(r->to, r->capture);
	return 1;
}

/* A partial result that only says so. */
static int refer(const struct reduce_options *o, struct reduced_head *h,
		 struct err *err)
{
	struct reduced_writer *w = reduced_begin(o->to, err);
	int rc;

	h->original = 1;
	rc = w ? reduced_commit(w, h, err) : -1;
	reduced_free(w);
	return rc;
}

int run_reduce(const struct reduce_options *o, struct err *err)
{
	const struct capture_options how = { .filter = o->filter,
					     .one_of = o->inputs };
	struct reduced_head h = o->head;
	struct reducing r = { .taps = 0 };
	int rc = -1;

	run_decode_options(o->topology, &r.decode);
	r.capture = capture_open(&o->input, 1, &how, err);
	if (r.capture)
		r.to = reduced_begin(o->to, err);
	if (r.to)
		rc = reduce_all(&r, err);
	if (rc > 0) {
		snprintf(h.format, sizeof h.format, "%s",
			 capture_file(r.capture, 0)->format);
		rc = reduced_commit(r.to, &h, err);
	} else if (!rc) {
		rc = refer(o, &h, err);
	}
	reduced_free(r.to);
	capture_free(r.capture);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading a reduced capture.  It may have been written by anybody: a record
 * that cannot be one ends it, and then it is broken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/regular.h"
#include "base/siphash.h"
#include "capture/reduced.h"

struct reduced {
	struct reader base;
	char format[REDUCED_TEXT];
	uint32_t *taps; /* by ordinal */
	uint32_t n_taps;
	struct reduced_end_record end;
	struct capture_damage damage[CAPTURE_DAMAGE_KEPT];
	char *why[CAPTURE_DAMAGE_KEPT];
	uint32_t n_damage;
	bool ending, whole;
};

uint64_t reduced_check(const struct reduced_head *h)
{
	static const uint8_t key[SIPHASH_KEY] = "reduced capture";
	struct reduced_head plain;

	memcpy(&plain, h, sizeof plain);
	plain.check = 0;
	return siphash(key, &plain, sizeof plain);
}

bool reduced_head_good(const struct reduced_head *h)
{
	return h->magic == REDUCED_MAGIC && h->check == reduced_check(h) &&
	       !h->program[REDUCED_TEXT - 1] && !h->format[REDUCED_TEXT - 1];
}

int reduced_read_head(const char *path, struct reduced_head *h, struct err *err)
{
	FILE *f = regular_open(path, err);
	size_t n;

	if (!f)
		return -1;
	n = fread(h, 1, sizeof *h, f);
	fclose(f);
	if (n != sizeof *h || !reduced_head_good(h))
		return err_set(err, ERR_FORMAT, "%s: not a partial result",
			       path);
	return 0;
}

/* ---- records ---- */

/* What kinds are long, without text and data. */
static size_t least_size(uint8_t kind)
{
	switch (kind) {
	case REDUCED_FRAME:
		return sizeof(struct reduced_frame_record);
	case REDUCED_TAP:
	case REDUCED_TAP_TOTALS:
		return sizeof(struct reduced_tap_record);
	case REDUCED_END:
		return sizeof(struct reduced_end_record);
	case REDUCED_DAMAGE:
		return sizeof(struct reduced_damage_record);
	default:
		return SIZE_MAX;
	}
}

static void broken(struct reduced *d)
{
	d->base.window->p = d->base.window->end;
	d->base.done = true;
	d->base.file->broken = true;
}

/* The record at |p|: 1 it is whole, 0 more is needed, -1 it is none. */
static int record_at(struct reduced *d, const uint8_t *p,
		     struct reduced_record *r)
{
	const struct window *w = d->base.window;
	size_t left = (size_t)(w->end - p), least;

	if (left < sizeof *r)
		return 0;
	memcpy(r, p, sizeof *r);
	least = least_size(r->kind);
	if (least == SIZE_MAX || r->size < least || r->size % 8 ||
	    r->size > REDUCED_BATCH_MAX || r->text > r->size - least)
		return -1;
	return left >= r->size;
}

/* |n| bytes at |p| as a text. */
static char *text_at(const uint8_t *p, size_t n)
{
	char *text = malloc(n + 1);

	if (text) {
		memcpy(text, p, n);
		text[n] = 0;
	}
	return text;
}

static int begin_tap(struct reduced *d, const uint8_t *p)
{
	struct reduced_tap_record o;
	struct taps *all = d->base.taps;
	struct tap *t;
	uint32_t *more, tap;

	memcpy(&o, p, sizeof o);
	more = reallocarray(d->taps, d->n_taps + 1, sizeof *more);
	if (!more)
		return -1;
	d->taps = more;
	tap = taps_add(all, text_at(p + sizeof o, o.r.text), d->base.file_index,
		       (uint16_t)o.linktype);
	if (tap == TAP_NONE)
		return -1;
	d->taps[d->n_taps++] = tap;
	t = &all->v[tap];
	t->pub.interface = o.interface;
	t->pub.speed_bps = capture_speed(o.speed_bps);
	t->pub.snaplen = o.snaplen;
	/* What its frames end in is said by each. */
	if (t->fcs != FCS_ABSENT)
		all->fcs_open--;
	t->fcs = FCS_ABSENT;
	return 0;
}

static bool tap_totals(struct reduced *d, const uint8_t *p)
{
	struct reduced_tap_record o;
	struct capture_tap *t;

	memcpy(&o, p, sizeof o);
	if (o.tap >= d->n_taps)
		return false;
	t = &d->base.taps->v[d->taps[o.tap]].pub;
	t->speed_bps = capture_speed(o.speed_bps);
	t->packets = o.packets;
	t->regressions = o.regressions;
	t->received = o.received;
	t->dropped = o.dropped;
	t->first_ns = o.first_ns;
	t->last_ns = o.last_ns;
	t->back_from = o.back_from;
	t->back_to = o.back_to;
	t->snaplen = o.snaplen;
	return true;
}

static bool add_damage(struct reduced *d, const uint8_t *p)
{
	struct reduced_damage_record o;
	char *why;

	memcpy(&o, p, sizeof o);
	if (!d->ending || d->n_damage == CAPTURE_DAMAGE_KEPT)
		return false;
	why = text_at(p + sizeof o, o.r.text);
	if (!why)
		return false;
	d->why[d->n_damage] = why;
	d->damage[d->n_damage++] =
		(struct capture_damage) { o.from, o.to, why };
	return true;
}

/* Any record but a frame: -1 without memory, 0: it is wrong. */
static int other(struct reduced *d, const struct reduced_record *r,
		 const uint8_t *p)
{
	bool good = true;

	switch (r->kind) {
	case REDUCED_TAP:
		return begin_tap(d, p) < 0 ? -1 : 1;
	case REDUCED_TAP_TOTALS:
		return tap_totals(d, p);
	case REDUCED_END:
		memcpy(&d->end, p, sizeof d->end);
		good = !d->ending;
		d->ending = true;
		break;
	default:
		good = add_damage(d, p);
	}
	d->whole = good && r->last;
	return good;
}

static bool frame_at(const struct reduced *d, const uint8_t *p,
		     struct frame *out)
{
	struct reduced_frame_record o;

	memcpy(&o, p, sizeof o);
	if (o.tap >= d->n_taps || o.caplen > o.r.size - sizeof o ||
	    o.caplen > o.wirelen || o.fcs_len > 4 || o.fcs_len > o.caplen)
		return false;
	*out = (struct frame) {
		.ns = o.ns,
		.data = p + sizeof o,
		.number = o.number,
		.caplen = o.caplen,
		.wirelen = o.wirelen,
		.tap = d->taps[o.tap],
		.drops = o.drops,
		.linktype = o.linktype,
		.fcs_len = o.fcs_len,
		.flags = o.flags,
	};
	return true;
}

static int counted(struct reduced *d, struct frame *out, int n)
{
	for (int i = 0; i < n; i++) {
		struct frame *f = &out[i];

		f->flags &= (uint8_t)~FRAME_REGRESSED;
		tap_count(&d->base.taps->v[f->tap], f);
		reader_span(&d->base, f->ns, !d->base.number++);
	}
	return n;
}

/* The batch goes on behind what there is, or is a part of none. */
static int not_whole(struct reduced *d)
{
	struct window *w = d->base.window;
	size_t unread = window_unread(w);

	if (w->ended || unread >= WINDOW_RESERVE) {
		broken(d);
		return 0;
	}
	d->base.want = unread < WINDOW_RESERVE / 2
			       ? 2 * unread + sizeof(struct reduced_record)
			       : WINDOW_RESERVE;
	return 0;
}

/* A whole batch: what is merged and sorted behind is then as it was. */
static int reduced_step(struct reader *r, struct frame *out, int max)
{
	struct reduced *d = (struct reduced *)r;
	const uint8_t *p = r->window->p;
	struct reduced_record rec;
	int n = 0, rc;

	r->want = 0;
	while (!d->whole) {
		rc = record_at(d, p, &rec);
		if (!rc)
			return not_whole(d);
		if (rc < 0 || (n && rec.kind != REDUCED_FRAME) || n == max ||
		    (rec.kind == REDUCED_FRAME && !frame_at(d, p, &out[n])))
			break;
		if (rec.kind != REDUCED_FRAME) {
			rc = other(d, &rec, p);
			if (rc < 0)
				return -1;
			if (!rc)
				break;
		}
		p += rec.size;
		n += rec.kind == REDUCED_FRAME;
		if (!n || rec.last)
			r->window->p = p;
		if (n && rec.last)
			return counted(d, out, n);
	}
	if (!d->whole || window_unread(r->window))
		broken(d);
	/* What is packed is known to be right at its very end. */
	r->want = 1;
	r->done = d->base.done || r->window->ended;
	return 0;
}

static void reduced_end(struct reader *r)
{
	const struct reduced *d = (const struct reduced *)r;
	struct capture_file *f = r->file;

	f->packets = d->end.packets;
	f->filtered = d->end.filtered;
	f->bytes = d->end.bytes;
	f->skipped = d->end.skipped;
	f->clamped_times = d->end.clamped_times;
	f->first_ns = d->end.first_ns;
	f->last_ns = d->end.last_ns;
	f->cut = d->end.cut;
	f->damage_count = d->end.damage_count;
	memcpy(f->damage, d->damage, sizeof f->damage);
	/* As many as were counted are there. */
	if (!d->whole || r->window->source->failure ||
	    (d->n_damage < CAPTURE_DAMAGE_KEPT &&
	     d->n_damage != f->damage_count))
		f->broken = true;
	if (f->broken)
		f->damage_count = 0;
}

static void reduced_reader_free(struct reader *r)
{
	struct reduced *d = (struct reduced *)r;

	for (uint32_t i = 0; i < d->n_damage; i++)
		free(d->why[i]);
	free(d->taps);
	free(d);
}

static const struct reader_ops ops = {
	.step = reduced_step,
	.end = reduced_end,
	.free = reduced_reader_free,
};

struct reader *reduced_reader_new(const struct reader_input *in,
				  const struct reduced_head *h, struct err *err)
{
	struct reduced *d = calloc(1, sizeof *d);

	if (!d) {
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	reader_init(&d->base, &ops, in);
	memcpy(d->format, h->format, sizeof d->format);
	in->file->format = d->format;
	return &d->base;
}

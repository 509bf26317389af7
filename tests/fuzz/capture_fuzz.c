/* SPDX-License-Identifier: GPL-2.0-or-later
 * libFuzzer target: any bytes as a capture file.
 *
 * The same bytes are read at once and in small pieces of different lengths,
 * which must give the same frames; of a corrupt compressed stream, how much
 * comes out depends on the pieces.  capture_seeds.py makes seeds. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "capture/capture.h"
#include "capture/input.h"

/* What came of a reading, without regard to the order of interfaces. */
struct outcome {
	uint64_t packets, sum, skipped, damage, damaged_bytes, bytes;
	bool cut, opened;
};

static void promise(bool kept)
{
	if (!kept)
		abort();
}

static void see(struct outcome *o, const struct taps *taps,
		const struct frame *f)
{
	uint64_t h = crc32_add(CRC32_START, f->data, f->caplen);

	promise(f->caplen <= f->wirelen);
	promise(!taps || f->tap < taps->n);
	/* without a time of its own it has that of who is read with it */
	if (!(f->flags & FRAME_NO_TIME))
		h = (h ^ (uint64_t)f->ns) * 0x9e3779b97f4a7c15;
	h = (h ^ f->number ^ (uint64_t)f->tap << 40) * 0x9e3779b97f4a7c15;
	h = (h ^ f->wirelen ^ (uint64_t)f->flags << 32) * 0x9e3779b97f4a7c15;
	o->sum += h ^ h >> 29;
	o->packets++;
}

static void see_file(struct outcome *o, const struct capture_file *f)
{
	uint64_t i;

	o->opened = true;
	o->skipped = f->skipped;
	o->damage = f->damage_count;
	o->bytes = f->bytes;
	o->cut = f->cut;
	promise(f->packets == o->packets);
	for (i = 0; i < f->damage_count && i < CAPTURE_DAMAGE_KEPT; i++) {
		promise(f->damage[i].from <= f->damage[i].to);
		promise(f->damage[i].to <= f->bytes);
		o->damaged_bytes += f->damage[i].to - f->damage[i].from;
	}
}

static struct outcome read_whole(const uint8_t *p, size_t n)
{
	struct outcome o = { 0 };
	struct err err = { 0 };
	struct capture *c = capture_open_bytes(p, n, NULL, &err);
	const struct frame *f;
	int got, i;

	if (!c) {
		promise(err.code && !strchr(err.text, '\n'));
		return o;
	}
	while ((got = capture_next(c, &f, &err)) > 0)
		for (i = 0; i < got; i++)
			see(&o, NULL, &f[i]);
	promise(!got);
	see_file(&o, capture_file(c, 0));
	capture_free(c);
	return o;
}

/* A source that gives a few bytes at a time. */
struct drip {
	struct source base;
	const uint8_t *p;
	size_t left;
	uint32_t seed;
};

static size_t drip_read(struct source *s, uint8_t *to, size_t n)
{
	struct drip *d = (struct drip *)s;
	size_t most;

	d->seed = d->seed * 1664525 + 1013904223;
	most = 1 + (d->seed >> 16) % (d->seed >> 31 ? 4000 : 40);
	if (n > most)
		n = most;
	if (n > d->left)
		n = d->left;
	if (n)
		memcpy(to, d->p, n);
	d->p += n;
	d->left -= n;
	return n;
}

static void drip_free(struct source *s)
{
	free(s);
}

static struct source *drip_new(const uint8_t *p, size_t n)
{
	struct drip *d = calloc(1, sizeof *d);

	if (!d)
		abort();
	d->base.read = drip_read;
	d->base.patient = true;
	d->base.free = drip_free;
	d->p = p;
	d->left = n;
	d->seed = (uint32_t)n;
	return &d->base;
}

static struct outcome read_drip(const uint8_t *p, size_t n)
{
	static struct capture_file file;
	static struct input in;
	static char path[] = "memory";
	struct taps taps = { .per_file = calloc(1, sizeof(uint32_t)) };
	struct outcome o = { 0 };
	struct err err = { 0 };
	const struct input_options how = { .file = &file,
					   .taps = &taps,
					   .chunk = 4096,
					   .bytes = n,
					   .buffers = 3 };
	int got = -1, i;

	memset(&file, 0, sizeof file);
	memset(&in, 0, sizeof in);
	file.path = path;
	if (!input_init(&in, drip_new(p, n), &how, &err)) {
		while ((got = input_next(&in, &err)) > 0)
			for (i = 0; i < got; i++)
				see(&o, &taps, &in.batch[i]);
		promise(!got);
		see_file(&o, &file);
	}
	input_fini(&in);
	taps_fini(&taps);
	return o;
}

/* Member by member: what lies between them may be anything. */
static bool same(const struct outcome *a, const struct outcome *b)
{
	return a->packets == b->packets && a->sum == b->sum &&
	       a->skipped == b->skipped && a->damage == b->damage &&
	       a->damaged_bytes == b->damaged_bytes && a->bytes == b->bytes &&
	       a->cut == b->cut && a->opened == b->opened;
}

static bool whole(const struct outcome *o)
{
	return o->opened && !o->cut && !o->damage;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1); /* ends where the input ends */
	struct outcome a, b;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	a = read_whole(copy, size);
	b = read_drip(copy, size);
	if (!unpack_codec(copy, size) || (whole(&a) && whole(&b)))
		promise(same(&a, &b));
	free(copy);
	return 0;
}

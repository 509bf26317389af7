/* SPDX-License-Identifier: GPL-2.0-or-later
 * A source that expands another. */
#include "capture/unpack.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	uint8_t magic[UNPACK_MAGIC], mask[UNPACK_MAGIC];
	const struct codec *codec;
} codecs[] = {
	{ { 0x1f, 0x8b }, { 0xff, 0xff }, &codec_gzip },
	{ { 0x28, 0xb5, 0x2f, 0xfd }, { 0xff, 0xff, 0xff, 0xff }, &codec_zstd },
	/* a skippable frame in front: what pzstd writes */
	{ { 0x50, 0x2a, 0x4d, 0x18 }, { 0xf0, 0xff, 0xff, 0xff }, &codec_zstd },
	{ { 0x04, 0x22, 0x4d, 0x18 }, { 0xff, 0xff, 0xff, 0xff }, &codec_lz4 },
};

const struct codec *unpack_codec(const uint8_t *p, size_t n)
{
	size_t i, k;

	for (i = 0; n >= UNPACK_MAGIC && i < sizeof codecs / sizeof *codecs;
	     i++) {
		for (k = 0; k < UNPACK_MAGIC; k++)
			if ((p[k] & codecs[i].mask[k]) != codecs[i].magic[k])
				break;
		if (k == UNPACK_MAGIC)
			return codecs[i].codec;
	}
	return NULL;
}

struct unpack {
	struct source base;
	const struct codec *codec;
	void *state;
	struct window packed;
	bool between; /* at the beginning or behind a whole member */
	bool ended;
};

static size_t end_early(struct unpack *u, const char *why)
{
	u->base.failure = why;
	u->ended = true;
	return 0;
}

/* Tape and block padding behind a member is no damage. */
static bool only_zeros(struct window *w)
{
	while (w->p < w->end && !*w->p)
		w->p++;
	return w->p == w->end;
}

static const char too_large[] =
	"the compressed data need a window of more than 128 MiB (zstd --long): "
	"unpack them first";

static size_t stopped(struct unpack *u)
{
	if (u->between)
		return end_early(u, "bytes after the compressed data");
	return end_early(u, "the compressed data are corrupt");
}

/* There are no more packed bytes. */
static size_t ended(struct unpack *u)
{
	const char *failure = u->packed.source->failure;

	if (!failure && !u->between)
		failure = "the compressed data end early";
	u->base.cut = failure;
	return end_early(u, failure);
}

static size_t unpack_read(struct source *s, uint8_t *to, size_t n)
{
	struct unpack *u = (struct unpack *)s;
	struct window *w = &u->packed;
	uint8_t *out = to;

	while (!u->ended) {
		const uint8_t *before = w->p;
		enum unpack_result got;

		if (!u->between || !only_zeros(w)) {
			got = u->codec->run(u->state, &w->p, w->end, &out,
					    to + n);
			if (got == UNPACK_LARGE)
				return end_early(u, too_large);
			if (got == UNPACK_BAD && out == to)
				return stopped(u);
			u->between = got == UNPACK_END;
			if (out > to)
				return (size_t)(out - to);
			if (w->p != before)
				continue;
			if (window_unread(w)) /* it will not go on */
				return stopped(u);
		}
		if (!window_fill(&u->packed))
			return ended(u);
	}
	return 0;
}

static bool unpack_ready(struct source *s)
{
	struct unpack *u = (struct unpack *)s;

	return window_unread(&u->packed) || source_ready(u->packed.source);
}

static void unpack_free(struct source *s)
{
	struct unpack *u = (struct unpack *)s;

	u->codec->close(u->state);
	window_fini(&u->packed);
	free(u);
}

struct source *unpack_new(const struct codec *codec, struct window *packed)
{
	struct unpack *u = calloc(1, sizeof *u);
	void *state = codec->open();

	if (!u || !state) {
		if (state)
			codec->close(state);
		free(u);
		return NULL;
	}
	u->base.read = unpack_read;
	u->base.ready = unpack_ready;
	u->base.free = unpack_free;
	u->base.patient = packed->source->patient;
	u->codec = codec;
	u->state = state;
	u->packed = *packed;
	u->between = true;
	*packed = (struct window) { 0 };
	return &u->base;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * gzip, zstd and lz4 streams, by their libraries.
 *
 * Concatenated members and frames are one stream.  A stream that is cut or
 * corrupt delivers what came before; |failure| of the source says so.  Memory
 * is the decoder's window whatever the stream expands to. */
#ifndef FABSCOPE_CAPTURE_UNPACK_H
#define FABSCOPE_CAPTURE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "capture/source.h"
#include "capture/window.h"

/* One decoder.  run() consumes from *|in| and produces at *|out|, moving both;
 * it may be called with no input to flush. */
enum unpack_result {
	UNPACK_ON,  /* all is well: more input or more room */
	UNPACK_END, /* a member ended; the next run() begins another */
	UNPACK_BAD,
	UNPACK_LARGE, /* wants more memory than a file may */
};
struct codec {
	const char *name; /* "gz": what format names append */
	void *(*open)(void);
	enum unpack_result (*run)(void *state, const uint8_t **in,
				  const uint8_t *in_end, uint8_t **out,
				  const uint8_t *out_end);
	void (*close)(void *state);
};

enum { UNPACK_MAGIC = 4 };

/* The codec of data that begin with |p|, or NULL. */
const struct codec *unpack_codec(const uint8_t *p, size_t n);

/* A source of what |packed| expands to; takes over all of |packed|, which is
 * zeroed.  NULL, and |packed| untouched: no memory. */
struct source *unpack_new(const struct codec *codec, struct window *packed);

extern const struct codec codec_gzip, codec_zstd, codec_lz4;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * zstd by libzstd.  Its own limit on the window a frame may ask for, 128 MiB,
 * is left as it is: `zstd --long` writes such frames. */
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "capture/unpack.h"

enum { FRAME_START = 5 }; /* bytes that tell a frame header's length */

struct zstd {
	ZSTD_DStream *stream;
	/* Input is given in the portions the library asks for, one block at a
	 * time: an error loses all output of the call it happens in. */
	size_t hint;
};

static void *zstd_open(void)
{
	struct zstd *z = calloc(1, sizeof *z);

	if (!z)
		return NULL;
	z->stream = ZSTD_createDStream();
	if (!z->stream) {
		free(z);
		return NULL;
	}
	z->hint = FRAME_START;
	return z;
}

static enum unpack_result zstd_run(void *state, const uint8_t **in,
				   const uint8_t *in_end, uint8_t **out,
				   const uint8_t *out_end)
{
	struct zstd *z = state;
	ZSTD_inBuffer i = { *in, (size_t)(in_end - *in), 0 };
	ZSTD_outBuffer o = { *out, (size_t)(out_end - *out), 0 };
	size_t rc;

	if (i.size > z->hint)
		i.size = z->hint;
	rc = ZSTD_decompressStream(z->stream, &o, &i);
	if (ZSTD_isError(rc))
		return ZSTD_getErrorCode(rc) ==
				       ZSTD_error_frameParameter_windowTooLarge
			       ? UNPACK_LARGE
			       : UNPACK_BAD;
	*in += i.pos;
	*out += o.pos;
	z->hint = rc ? rc : FRAME_START;
	return rc ? UNPACK_ON : UNPACK_END;
}

static void zstd_close(void *state)
{
	struct zstd *z = state;

	ZSTD_freeDStream(z->stream);
	free(z);
}

const struct codec codec_zstd = { "zst", zstd_open, zstd_run, zstd_close };

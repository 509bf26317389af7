/* SPDX-License-Identifier: GPL-2.0-or-later
 * gzip by zlib. */
#define ZLIB_CONST /* inflate() does not write its input */
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "capture/unpack.h"

static void *gzip_open(void)
{
	z_stream *z = calloc(1, sizeof *z);

	/* the largest window, a gzip wrapper */
	if (z && inflateInit2(z, 15 + 16) != Z_OK) {
		free(z);
		return NULL;
	}
	return z;
}

static uInt most(size_t n)
{
	return n > UINT_MAX ? UINT_MAX : (uInt)n;
}

static enum unpack_result gzip_run(void *state, const uint8_t **in,
				   const uint8_t *in_end, uint8_t **out,
				   const uint8_t *out_end)
{
	z_stream *z = state;
	int rc;

	z->next_in = *in;
	z->avail_in = most((size_t)(in_end - *in));
	z->next_out = *out;
	z->avail_out = most((size_t)(out_end - *out));
	rc = inflate(z, Z_NO_FLUSH);
	*in = z->next_in;
	*out = z->next_out;
	if (rc == Z_STREAM_END)
		return inflateReset(z) == Z_OK ? UNPACK_END : UNPACK_BAD;
	/* Z_BUF_ERROR: nothing to do with so little, no harm done */
	return rc == Z_OK || rc == Z_BUF_ERROR ? UNPACK_ON : UNPACK_BAD;
}

static void gzip_close(void *state)
{
	inflateEnd(state);
	free(state);
}

const struct codec codec_gzip = { "gz", gzip_open, gzip_run, gzip_close };

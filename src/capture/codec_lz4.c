/* SPDX-License-Identifier: GPL-2.0-or-later
 * lz4 frames by liblz4. */
#include <lz4frame.h>
#include <stdlib.h>

#include "capture/unpack.h"

enum { FRAME_START = 7 }; /* the shortest frame header */

struct lz4 {
	LZ4F_dctx *context;
	size_t hint; /* one block at a time: see codec_zstd.c */
};

static void *lz4_open(void)
{
	struct lz4 *z = calloc(1, sizeof *z);
	LZ4F_errorCode_t rc;

	if (!z)
		return NULL;
	rc = LZ4F_createDecompressionContext(&z->context, LZ4F_VERSION);
	if (LZ4F_isError(rc)) {
		free(z);
		return NULL;
	}
	z->hint = FRAME_START;
	return z;
}

static enum unpack_result lz4_run(void *state, const uint8_t **in,
				  const uint8_t *in_end, uint8_t **out,
				  const uint8_t *out_end)
{
	struct lz4 *z = state;
	size_t used = (size_t)(in_end - *in);
	size_t made = (size_t)(out_end - *out);
	size_t rc;

	if (used > z->hint)
		used = z->hint;
	rc = LZ4F_decompress(z->context, *out, &made, *in, &used, NULL);
	if (LZ4F_isError(rc))
		return UNPACK_BAD;
	*in += used;
	*out += made;
	z->hint = rc ? rc : FRAME_START;
	return rc ? UNPACK_ON : UNPACK_END;
}

static void lz4_close(void *state)
{
	struct lz4 *z = state;

	LZ4F_freeDecompressionContext(z->context);
	free(z);
}

const struct codec codec_lz4 = { "lz4", lz4_open, lz4_run, lz4_close };

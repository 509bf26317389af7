/* SPDX-License-Identifier: GPL-2.0-or-later
 * One input from its path to batches of frames in the order to hand out. */
#ifndef FABSCOPE_CAPTURE_INPUT_H
#define FABSCOPE_CAPTURE_INPUT_H

#include "base/err.h"
#include "capture/filter.h"
#include "capture/reader.h"
#include "capture/sorter.h"
#include "capture/unpack.h"

enum { INPUT_BATCH = 256 };

struct input {
	struct window window;
	struct reader *reader;
	struct sorter *sorter; /* NULL: one interface */
	struct filter *filter; /* borrowed, NULL none */
	struct capture_file *file;
	struct taps *taps;
	unsigned buffers;                   /* for sorting */
	const struct capture_shift *shifts; /* of this file; NULL none */
	size_t n_shifts;
	bool draining; /* sorted frames leave before anything is read */
	bool ended;
	char format[48];
	struct frame batch[INPUT_BATCH];
};

/* What an input needs from the capture it belongs to. */
struct input_options {
	const char *tap_name; /* or NULL */
	struct filter *filter;
	struct capture_file *file; /* path is set; outlives the input */
	struct taps *taps;
	uint32_t file_index;
	const struct capture_shift *shifts; /* of this file; NULL none */
	size_t n_shifts;
	size_t chunk;     /* bytes to read at once */
	size_t bytes;     /* of the whole source, 0 unknown */
	unsigned buffers; /* for sorting, of a chunk each */
	bool ahead;       /* read by a thread of its own */
	bool reduced;     /* it is what reduced.h says */
};

/* Takes |source|, even when it fails.  -1 and |err| naming the file. */
int input_init(struct input *in, struct source *source,
	       const struct input_options *o, struct err *err);
void input_fini(struct input *in);

/* The next frames, in |batch|, valid until the next call: how many, 0 at the
 * end, -1 without memory. */
int input_next(struct input *in, struct err *err);

/* The time of the frame behind the batch, when it is known. */
bool input_peek(const struct input *in, int64_t *ns);

#endif

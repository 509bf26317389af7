/* SPDX-License-Identifier: GPL-2.0-or-later
 * Captures: any number of inputs opened, merged, closed. */
#include "capture/capture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/merge.h"
#include "capture/shift.h"

/* Bytes of read buffers all inputs share, for reading and for sorting. */
enum {
	READ_BUDGET = 16 << 20,
	SORT_BUDGET = 64 << 20,
	CHUNK_LEAST = 32 * 1024,
	BUFFERS_LEAST = 2,
};

struct capture {
	struct input *inputs;
	struct capture_file *files;
	size_t n, opened;
	struct taps taps;
	struct filter *filter;
	unsigned ahead;
	size_t sharing; /* the memory: so many inputs */
	const struct capture_shift *shifts;
	size_t n_shifts;
	struct merge *merge; /* NULL: one input */
};

static size_t between(size_t v, size_t least, size_t most)
{
	return v < least ? least : v > most ? most : v;
}

static struct capture *no_memory(struct capture *c, struct err *err)
{
	capture_free(c);
	err_set(err, ERR_MEMORY, "out of memory");
	return NULL;
}

static struct capture *capture_new(size_t n, const struct capture_options *o,
				   struct err *err)
{
	struct capture *c = calloc(1, sizeof *c);

	if (!c)
		return no_memory(c, err);
	c->n = n;
	c->inputs = calloc(n, sizeof *c->inputs);
	c->files = calloc(n, sizeof *c->files);
	c->taps.per_file = calloc(n, sizeof *c->taps.per_file);
	if (!c->inputs || !c->files || !c->taps.per_file)
		return no_memory(c, err);
	c->ahead = o ? o->ahead : 0;
	c->sharing = o && o->one_of > n ? o->one_of : n;
	c->shifts = o ? o->shifts : NULL;
	c->n_shifts = o ? o->n_shifts : 0;
	if (o && o->filter) {
		c->filter = filter_new(o->filter, err);
		if (!c->filter) {
			capture_free(c);
			return NULL;
		}
	}
	return c;
}

/* Takes |source|. */
static int open_input(struct capture *c, struct source *source,
		      const struct capture_input *what, size_t bytes,
		      struct err *err)
{
	size_t i = c->opened;
	struct capture_file *file = &c->files[i];
	size_t n_shifts;
	size_t chunk = between(READ_BUDGET / c->sharing & ~(size_t)4095,
			       CHUNK_LEAST, WINDOW_CHUNK);
	const struct capture_shift *shifts =
		shifts_of(c->shifts, c->n_shifts, (uint32_t)i, &n_shifts);
	const struct input_options o = {
		.tap_name = what->tap,
		/* what was reduced was filtered before */
		.filter = what->reduced ? NULL : c->filter,
		.file = file,
		.taps = &c->taps,
		.file_index = (uint32_t)i,
		.shifts = shifts,
		.n_shifts = n_shifts,
		.chunk = chunk,
		.bytes = bytes,
		.ahead = i < c->ahead,
		.reduced = what->reduced,
		.buffers = (unsigned)between(SORT_BUDGET / c->sharing / chunk,
					     BUFFERS_LEAST, WINDOW_BUFFERS),
	};

	c->opened++;
	file->path = strdup(what->path);
	if (!file->path) {
		source_free(source);
		return err_set(err, ERR_MEMORY, "out of memory");
	}
	return input_init(&c->inputs[i], source, &o, err);
}

static struct capture *opened(struct capture *c, struct err *err)
{
	if (c->n > 1) {
		c->merge = merge_new(c->inputs, c->n);
		if (!c->merge)
			return no_memory(c, err);
	}
	return c;
}

static bool repeated_stdin(const struct capture_input *inputs, size_t n)
{
	size_t i, found = 0;

	for (i = 0; i < n; i++)
		found += !strcmp(inputs[i].path, "-");
	return found > 1;
}

struct capture *capture_open(const struct capture_input *inputs, size_t n,
			     const struct capture_options *options,
			     struct err *err)
{
	struct capture *c;
	size_t i;

	if (!n || repeated_stdin(inputs, n)) {
		err_set(err, ERR_USAGE,
			n ? "-: standard input named twice"
			  : "no capture file named");
		return NULL;
	}
	c = capture_new(n, options, err);
	for (i = 0; c && i < n; i++) {
		struct source *s = source_open(
			inputs[i].kept ? inputs[i].kept : inputs[i].path, err);

		if (!s || open_input(c, s, &inputs[i], 0, err) < 0) {
			capture_free(c);
			return NULL;
		}
	}
	return c ? opened(c, err) : NULL;
}

uint64_t capture_bytes(const struct capture_input *inputs, size_t n)
{
	uint64_t sum = 0;
	struct stat st;

	for (size_t i = 0; i < n; i++) {
		if (stat(inputs[i].kept ? inputs[i].kept : inputs[i].path,
			 &st) ||
		    !S_ISREG(st.st_mode))
			return 0;
		sum += (uint64_t)st.st_size;
	}
	return sum;
}

struct capture *capture_open_bytes(const void *bytes, size_t n,
				   const struct capture_options *options,
				   struct err *err)
{
	const struct capture_input memory = { .path = "memory" };
	struct capture *c = capture_new(1, options, err);
	struct source *s;

	if (!c)
		return NULL;
	s = source_bytes(bytes, n);
	if (!s)
		return no_memory(c, err);
	if (open_input(c, s, &memory, n, err) < 0) {
		capture_free(c);
		return NULL;
	}
	return c;
}

int capture_next(struct capture *c, const struct frame **frames,
		 struct err *err)
{
	if (c->merge)
		return merge_next(c->merge, frames, err);
	*frames = c->inputs->batch;
	return input_next(c->inputs, err);
}

size_t capture_taps(const struct capture *c)
{
	return c->taps.n;
}

const struct capture_tap *capture_tap(const struct capture *c, size_t i)
{
	return i < c->taps.n ? &c->taps.v[i].pub : NULL;
}

int64_t capture_tap_step(const struct capture *c, size_t i)
{
	const struct tap *t = i < c->taps.n ? &c->taps.v[i] : NULL;

	return t ? stamps_step(t->stamps, t->pub.packets) : 0;
}

uint32_t capture_tap_ordinal(const struct capture *c, size_t i)
{
	return i < c->taps.n ? c->taps.v[i].ordinal : 0;
}

size_t capture_files(const struct capture *c)
{
	return c->n;
}

const struct capture_file *capture_file(const struct capture *c, size_t i)
{
	return i < c->n ? &c->files[i] : NULL;
}

void capture_free(struct capture *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; c->inputs && i < c->opened; i++)
		input_fini(&c->inputs[i]);
	for (i = 0; c->files && i < c->n; i++)
		free(c->files[i].path);
	taps_fini(&c->taps);
	filter_free(c->filter);
	merge_free(c->merge);
	free(c->inputs);
	free(c->files);
	free(c);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Times of frames corrected. */
#include "capture/shift.h"

#include <math.h>

const struct capture_shift *shifts_of(const struct capture_shift *s, size_t n,
				      uint32_t file, size_t *count)
{
	const struct capture_shift *first = NULL;

	*count = 0;
	for (size_t i = 0; i < n; i++) {
		if (s[i].file != file)
			continue;
		if (!first)
			first = &s[i];
		++*count;
	}
	return first;
}

/* The one that holds; NULL: none. */
static const struct capture_shift *find(const struct capture_shift *s, size_t n,
					uint32_t ordinal, uint64_t frame)
{
	const struct capture_shift *found = NULL;

	for (size_t i = 0; i < n && s[i].ordinal <= ordinal; i++)
		if (s[i].ordinal == ordinal && s[i].from_frame <= frame)
			found = &s[i];
	return found;
}

static int64_t corrected(const struct capture_shift *s, int64_t ns)
{
	double since = ((double)ns - (double)s->at_ns) / 1e9;
	int64_t off;

	/* What cannot be said stays as it is. */
	if (fabs(s->drift * since) > 4e18 ||
	    __builtin_add_overflow(s->offset_ns, llround(s->drift * since),
				   &off) ||
	    __builtin_sub_overflow(ns, off, &off))
		return ns;
	return off;
}

void shift_frames(const struct capture_shift *s, size_t n,
		  const struct taps *taps, struct frame *frames, int count)
{
	const struct capture_shift *last = NULL;
	uint32_t tap = TAP_NONE;

	for (int i = 0; i < count; i++) {
		struct frame *f = &frames[i];

		/* Few stretches are as short as a batch. */
		if (f->tap != tap || n > 1)
			last = find(s, n, taps->v[f->tap].ordinal, f->number);
		tap = f->tap;
		if (!last)
			continue;
		f->ns = corrected(last, f->ns);
		f->flags |= FRAME_CORRECTED;
	}
}

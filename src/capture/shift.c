/* SPDX-License-Identifier: GPL-2.0-or-later
 * Times of frames corrected. */
#include "capture/shift.h"

#include <math.h>

/* Does |a| hold from the place of |b| on, or from one before it? */
static bool not_behind(const struct capture_shift *a,
		       const struct capture_shift *b)
{
	if (a->file != b->file)
		return a->file < b->file;
	if (a->ordinal != b->ordinal)
		return a->ordinal < b->ordinal;
	return a->from_frame <= b->from_frame;
}

/* How many of |n| in order are not behind |place|; more for a later place,
 * even when a database gave them in no order. */
static size_t up_to(const struct capture_shift *s, size_t n,
		    const struct capture_shift *place)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (not_behind(&s[middle], place))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t up_to_end_of(const struct capture_shift *s, size_t n,
			   uint32_t file)
{
	return up_to(s, n,
		     &(struct capture_shift) { .file = file,
					       .ordinal = UINT32_MAX,
					       .from_frame = UINT64_MAX });
}

const struct capture_shift *shifts_of(const struct capture_shift *s, size_t n,
				      uint32_t file, size_t *count)
{
	size_t first = file ? up_to_end_of(s, n, file - 1) : 0;

	*count = up_to_end_of(s, n, file) - first;
	return *count ? &s[first] : NULL;
}

/* The one that holds; NULL: none. */
static const struct capture_shift *find(const struct capture_shift *s, size_t n,
					uint32_t ordinal, uint64_t frame)
{
	size_t i = up_to(s, n,
			 &(struct capture_shift) { .file = s->file,
						   .ordinal = ordinal,
						   .from_frame = frame });

	return i && s[i - 1].ordinal == ordinal ? &s[i - 1] : NULL;
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

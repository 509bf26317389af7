/* SPDX-License-Identifier: GPL-2.0-or-later
 * One capture that was written in pieces. */
#include "run/pieces.h"

#include "capture/capture.h"

/* So many packets are never on their way from one hop to the next; where there
 * are fewer, places.c has looked at them. */
enum { NS_PER_S = 1000000000, LEAST = 1 << 16 };

static bool is_named(const struct pieces *p, const struct capture_tap *t)
{
	return p->inputs[t->file].tap;
}

/* The place that |t|, of which |f| is the first frame, goes on from; -1: there
 * is none, or more than one, or another file is still being read. */
static int begun_before(const struct pieces *p, const struct capture *c,
			const struct capture_tap *t, const struct frame *f,
			const int *place)
{
	uint64_t packets = 0;
	int64_t last = INT64_MIN;
	int found = -1;

	for (size_t k = 0; k < capture_taps(c) && k < PIECES_TAPS; k++) {
		const struct capture_tap *u = capture_tap(c, k);

		if (!p->begun[k] || u->file == t->file)
			continue;
		if (!capture_file(c, u->file)->ended || is_named(p, u))
			return -1;
		if (u->interface != t->interface || u->linktype != t->linktype)
			continue;
		if (found >= 0 && place[k] != found)
			return -1;
		found = place[k];
		packets += u->packets;
		if (u->last_ns > last)
			last = u->last_ns;
	}
	if (packets < LEAST || f->ns < last ||
	    (uint64_t)f->ns - (uint64_t)last > NS_PER_S)
		return -1;
	return found;
}

static void begin(struct pieces *p, const struct capture *c,
		  const struct frame *f, int *place)
{
	const struct capture_tap *t = capture_tap(c, f->tap);
	int before = -1;

	p->begun[f->tap] = true;
	if (place[f->tap] == (int)f->tap && !is_named(p, t))
		before = begun_before(p, c, t, f, place);
	if (before >= 0)
		place[f->tap] = before;
}

void pieces_look(struct pieces *p, const struct capture *c,
		 const struct frame *frames, size_t n, int *place)
{
	if (capture_files(c) < 2)
		return;
	for (size_t i = 0; i < n; i++)
		if (frames[i].tap < PIECES_TAPS && !p->begun[frames[i].tap])
			begin(p, c, &frames[i], place);
}

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

/* The tap that |t|, of which |f| is the first frame, goes on from; -1: there is
 * none, or they are of more than one place, or another file is still being
 * read. */
static int begun_before(const struct pieces *p, const struct capture *c,
			const struct capture_tap *t, const struct frame *f,
			const struct tap_map *m)
{
	int64_t last = INT64_MIN;
	int found = -1;

	for (size_t k = 0; k < capture_taps(c) && k < MAP_TAPS; k++) {
		const struct capture_tap *u = capture_tap(c, k);

		if (!p->begun[k] || u->file == t->file)
			continue;
		if (!capture_file(c, u->file)->ended || is_named(p, u))
			return -1;
		if (u->interface != t->interface || u->linktype != t->linktype)
			continue;
		if (found >= 0 && m->place[k] != m->place[found])
			return -1;
		found = (int)k;
		if (u->last_ns > last)
			last = u->last_ns;
	}
	if (found < 0 || f->ns < last ||
	    (uint64_t)f->ns - (uint64_t)last > NS_PER_S)
		return -1;
	return found;
}

/* Have enough packets been seen of |place|?  Or is another interface of |t|'s
 * file known to go on there? */
static bool is_known(const struct pieces *p, const struct capture *c,
		     const struct capture_tap *t, int place,
		     const struct tap_map *m)
{
	uint64_t packets = 0;

	for (size_t k = 0; k < capture_taps(c) && k < MAP_TAPS; k++) {
		const struct capture_tap *u = capture_tap(c, k);

		if (!p->begun[k] || m->place[k] != place)
			continue;
		if (u->file == t->file)
			return true;
		packets += u->packets;
	}
	return packets >= LEAST;
}

/* |tap| goes on from |before|: so does its link, when that has two halves. */
static void go_on(const struct capture *c, size_t tap, size_t before,
		  struct tap_map *m)
{
	const struct capture_tap *t = capture_tap(c, tap), *other;
	int half = m->half[before].other;

	m->place[tap] = m->place[before];
	m->lag[tap] = m->lag[before];
	if (!m->by[before] || half < 0)
		return;
	other = capture_tap(c, (size_t)half);
	for (size_t k = 0; k < tap; k++)
		if (capture_tap(c, k)->file == t->file &&
		    capture_tap(c, k)->interface == other->interface &&
		    m->place[k] == m->place[tap]) {
			map_join(m, k, tap, (enum half_by)m->by[before]);
			m->side[k] = m->side[half];
			m->side[tap] = m->side[before];
		}
}

static void begin(struct pieces *p, const struct capture *c,
		  const struct frame *f, struct tap_map *m)
{
	const struct capture_tap *t = capture_tap(c, f->tap);
	int before = -1;

	p->begun[f->tap] = true;
	if (m->place[f->tap] == (int)f->tap && !is_named(p, t))
		before = begun_before(p, c, t, f, m);
	if (before >= 0 && is_known(p, c, t, m->place[before], m))
		go_on(c, f->tap, (size_t)before, m);
}

bool pieces_new(const struct pieces *p, const struct capture *c,
		const struct frame *f)
{
	return capture_files(c) > 1 && f->tap < MAP_TAPS && !p->begun[f->tap];
}

void pieces_look(struct pieces *p, const struct capture *c,
		 const struct frame *frames, size_t n, struct tap_map *map)
{
	for (size_t i = 0; i < n; i++)
		if (pieces_new(p, c, &frames[i]))
			begin(p, c, &frames[i], map);
}

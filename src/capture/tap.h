/* SPDX-License-Identifier: GPL-2.0-or-later
 * The capture points of all inputs, found out as packets come.
 *
 * A tap begins with its first packet or statistics, so that a file may declare
 * a million interfaces.  From TAPS_KEPT on, one overflow tap stands for all. */
#ifndef FABSCOPE_CAPTURE_TAP_H
#define FABSCOPE_CAPTURE_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"
#include "capture/stamps.h"

enum { TAPS_KEPT = 65536 };
#define TAP_NONE UINT32_MAX

/* Does a frame of this tap end in its FCS?  (fcs.h) */
enum fcs_state { FCS_UNDECIDED, FCS_PRESENT, FCS_ABSENT };

/* A counter that starts again with every section of a file. */
struct tap_counter {
	uint64_t past; /* sum of the sections before */
	uint64_t now;
};

struct tap {
	struct capture_tap pub;
	int64_t prev_ns; /* of the packet before ... */
	int64_t step;    /* ... from the stamp before to it; < 0 no other */
	uint64_t alike;  /* packets before with that, but for the first */
	struct stamps *stamps; /* NULL: no two packets have the same */
	bool timed;            /* first_ns, last_ns and prev_ns are set */
	uint8_t fcs;           /* enum fcs_state */
	uint16_t fcs_seen, fcs_tested, fcs_hits;
	uint32_t section; /* the one that last used it */
	uint32_t ordinal; /* among the taps of its file */
	struct tap_counter received;
	struct tap_counter drops_stated; /* by interface statistics */
	struct tap_counter drops_summed; /* of the packets' drop counts */
};

struct taps {
	struct tap *v;
	size_t n, room;
	uint32_t fcs_open;  /* taps that are not FCS_ABSENT */
	uint32_t *per_file; /* taps so far, by file */
};

void taps_fini(struct taps *t);

/* Takes |name| even when it fails.  TAP_NONE: no memory, or no name. */
uint32_t taps_add(struct taps *t, char *name, uint32_t file, uint16_t linktype);

/* A time before |before|, that of the packet before. */
static inline void tap_regressed(struct capture_tap *t, int64_t before,
				 int64_t ns)
{
	t->regressions++;
	if ((uint64_t)before - (uint64_t)ns >
	    (uint64_t)t->back_from - (uint64_t)t->back_to) {
		t->back_from = before;
		t->back_to = ns;
	}
}

/* Longer steps are of one kind, see stamps.c. */
#define TAP_STEP_MAX (INT64_C(1) << 32)

/* From |from| to |to|; < 0: backwards. */
static inline int64_t tap_step_of(int64_t from, int64_t to)
{
	if (to < from)
		return -1;
	return (uint64_t)to - (uint64_t)from > (uint64_t)TAP_STEP_MAX
		       ? TAP_STEP_MAX
		       : to - from;
}

/* The next packet that is not the first. */
static inline void tap_stamp(struct tap *t, int64_t ns)
{
	if (ns == t->prev_ns) {
		t->alike++;
		return;
	}
	if (t->alike)
		stamps_add(&t->stamps, t->step, t->alike);
	t->alike = 0;
	t->step = tap_step_of(t->prev_ns, ns);
}

/* A packet of the tap: counts it, and flags it when timestamps are out of
 * order. */
static inline void tap_count(struct tap *t, struct frame *f)
{
	t->pub.packets++;
	if (f->flags & FRAME_NO_TIME)
		return;
	if (!t->timed) {
		t->timed = true;
		t->step = -1;
		t->pub.first_ns = t->pub.last_ns = t->prev_ns = f->ns;
		return;
	}
	tap_stamp(t, f->ns);
	if (f->ns < t->prev_ns) {
		f->flags |= FRAME_REGRESSED;
		tap_regressed(&t->pub, t->prev_ns, f->ns);
		if (f->ns < t->pub.first_ns)
			t->pub.first_ns = f->ns;
	} else if (f->ns > t->pub.last_ns) {
		t->pub.last_ns = f->ns;
	}
	t->prev_ns = f->ns;
}

/* Lost just before a packet, as the packet says it. */
void tap_drops_add(struct tap *t, uint64_t n);

/* Since the section began, as its statistics say it; UINT64_MAX: they do not.
 * Later statistics replace earlier ones. */
void tap_statistics(struct tap *t, uint64_t received, uint64_t dropped);

/* The counters start again. */
void tap_section(struct tap *t, uint32_t section);

#endif

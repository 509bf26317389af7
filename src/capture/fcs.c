/* SPDX-License-Identifier: GPL-2.0-or-later
 * FCS presence by proof. */
#include "capture/fcs.h"

#include "base/crc32.h"

enum {
	ETHERNET = 1,
	FCS = 4,
	SHORTEST = 64,    /* a whole frame with its FCS */
	ENOUGH = 100,     /* whole frames tested */
	PATIENCE = 10000, /* frames looked at, whole or not */
};

static void decide(struct taps *t, struct tap *tap, bool present)
{
	tap->fcs = present ? FCS_PRESENT : FCS_ABSENT;
	t->fcs_open -= !present;
}

static bool proved(const struct frame *f)
{
	return crc32_add(CRC32_START, f->data, f->caplen) == CRC32_RESIDUE;
}

/* A frame shorter than the shortest with FCS is one without. */
static void examine(struct taps *t, struct tap *tap, struct frame *f)
{
	tap->fcs_seen++;
	if (f->caplen == f->wirelen && f->caplen) {
		tap->fcs_tested++;
		if (f->caplen >= SHORTEST && proved(f)) {
			tap->fcs_hits++;
			f->fcs_len = FCS;
		}
	}
	if (tap->fcs_tested == ENOUGH || tap->fcs_seen == PATIENCE)
		decide(t, tap,
		       tap->fcs_hits * 10 >= tap->fcs_tested * 9 &&
			       tap->fcs_hits);
}

static void apply(struct frame *f)
{
	uint32_t missing = f->wirelen - f->caplen;

	f->fcs_len = missing < FCS ? (uint8_t)(FCS - missing) : 0;
}

void fcs_mark(struct taps *t, struct frame *frames, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		struct frame *f = &frames[i];
		struct tap *tap = &t->v[f->tap];

		if (tap->fcs == FCS_ABSENT)
			continue;
		if (f->linktype != ETHERNET || f->fcs_len)
			decide(t, tap, false); /* the file says it, or never */
		else if (tap->fcs == FCS_UNDECIDED)
			examine(t, tap, f);
		else
			apply(f);
	}
}

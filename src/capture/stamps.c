/* SPDX-License-Identifier: GPL-2.0-or-later
 * How fine the time stamps of a tap are. */
#include "capture/stamps.h"

#include <stdlib.h>

enum {
	OCTAVE = 4, /* kinds of steps in it */
	BITS = 2,
	SHORTEST = 6, /* octaves that are one kind ... */
	LONGEST = 30, /* ... and from which on all are one */
	KINDS = (LONGEST - SHORTEST) * OCTAVE + 1,
	QUARTER = 4,
};

struct stamps {
	uint64_t shared;  /* packets with the stamp of another one */
	uint64_t stepped; /* ... of those with one before it */
	uint32_t packets[KINDS];
	int64_t longest[KINDS];
};

static unsigned kind_of(int64_t step)
{
	unsigned top;

	if (step >> SHORTEST == 0)
		return 0;
	if (step >> LONGEST)
		return KINDS - 1;
	top = 63 - (unsigned)__builtin_clzll((unsigned long long)step);
	return (top - SHORTEST) * OCTAVE +
	       (unsigned)(step >> (top - BITS) & (OCTAVE - 1));
}

void stamps_add(struct stamps **s, int64_t step, uint64_t more)
{
	unsigned k;

	if (!*s)
		*s = calloc(1, sizeof **s);
	if (!*s)
		return;
	(*s)->shared += more;
	if (step < 0)
		return;
	k = kind_of(step);
	if (more > UINT32_MAX - (*s)->packets[k])
		return; /* by now it is known */
	(*s)->stepped += more;
	(*s)->packets[k] += (uint32_t)more;
	if (step > (*s)->longest[k])
		(*s)->longest[k] = step;
}

/* The longest step of the kinds up to |last|. */
static int64_t longest(const struct stamps *s, unsigned last)
{
	while (last && !s->packets[last])
		last--;
	return s->longest[last];
}

/* A step may as well be a silence before a batch.  Those are longer: what is
 * within half as much again as the shortest quarter is none. */
int64_t stamps_step(const struct stamps *s, uint64_t packets)
{
	uint64_t sum = 0;
	unsigned i = 0;

	if (!s || 2 * s->shared < packets || !s->stepped)
		return 0;
	while (QUARTER * (sum += s->packets[i]) < s->stepped)
		i++;
	i += OCTAVE / 2;
	return longest(s, i < KINDS ? i : KINDS - 1);
}

void stamps_free(struct stamps *s)
{
	free(s);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The progress line. */
#include "run/progress.h"

#include <time.h>

#include "base/units.h"

enum { NS_PER_S = 1000000000, REDRAW_NS = NS_PER_S / 10 };

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

void progress_start(struct progress *p, FILE *out)
{
	*p = (struct progress) { .out = out };
	if (out) {
		p->started = now();
		/* short work needs no progress */
		p->next = p->started + NS_PER_S / 2;
	}
}

void progress_update(struct progress *p, uint64_t packets, uint64_t bytes)
{
	char count[UNITS_TEXT], size[UNITS_TEXT], rate[UNITS_TEXT];
	double seconds;
	int64_t t;

	if (!p->out)
		return;
	t = now();
	if (t < p->next)
		return;
	p->next = t + REDRAW_NS;
	p->drawn = true;
	seconds = (double)(t - p->started) / NS_PER_S;
	fprintf(p->out, "\r\033[K%s packets, %s, %s packets/s",
		units_count(packets, count), units_bytes((double)bytes, size),
		units_count((uint64_t)((double)packets / seconds), rate));
	fflush(p->out);
}

void progress_end(struct progress *p)
{
	if (!p->drawn)
		return;
	fputs("\r\033[K", p->out);
	fflush(p->out);
	p->drawn = false;
}

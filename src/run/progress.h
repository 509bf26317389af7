/* SPDX-License-Identifier: GPL-2.0-or-later
 * One line on a terminal that says how far the work is. */
#ifndef FABSCOPE_RUN_PROGRESS_H
#define FABSCOPE_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *out;       /* NULL: silent */
	int64_t started; /* CLOCK_MONOTONIC, ns */
	int64_t next;    /* not drawn again before */
	bool drawn;
};

void progress_start(struct progress *p, FILE *out);

/* Draws at most ten times a second. */
void progress_update(struct progress *p, uint64_t packets, uint64_t bytes);

/* Takes the line away. */
void progress_end(struct progress *p);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * One line on a terminal that says how far the work of this process is.
 *
 * Whoever does a part of the work counts it here, whether anybody looks or
 * not.  A thread of its own draws, so that the line never stalls while
 * one step takes long. */
#ifndef FABSCOPE_BASE_PROGRESS_H
#define FABSCOPE_BASE_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

/* Draws on |out| from now on, ten times a second; NULL: silently. */
void progress_begin(FILE *out);

/* What is done now, a static word.  Its size is |bytes| that are read, or
 * |steps|; both 0: not known. */
void progress_phase(const char *name, uint64_t bytes, uint64_t steps);

/* Done since the phase began.  Any thread may call them. */
void progress_bytes(uint64_t more);
void progress_step(void);
void progress_row(void); /* of answers to queries, or of tables */
void progress_packets(uint64_t packets); /* so far */

/* How much of the phase is done; 0 where its size is not known. */
int progress_percent(void);

/* Takes the line away. */
void progress_end(void);

#endif

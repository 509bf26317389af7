/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the devices of a run tell of themselves, in the forms that NICs and
 * switches have for it (docs/evidence.md): counters before and after, counters
 * as scraped, sFlow, configuration; and where it is asked for, lies.
 *
 * All of it is counted where the simulation does the thing.  Nothing of it is
 * found by looking at captures. */
#ifndef FABSCOPE_SIMULATE_DEVICES_H
#define FABSCOPE_SIMULATE_DEVICES_H

#include <stddef.h>

#include "simulate/truth.h"

struct err;
struct devices;
struct pkt;
struct port;
struct sim;

/* The scenario of |s| has been read.  |folder| is made where it is missing;
 * |lies| are "KIND=WHO".  -1 and |err|. */
int devices_begin(struct sim *s, const char *folder, const char *const *lies,
		  size_t n_lies, struct err *err);

/* What a switch tells a collector as it happens: |p| leaves by |out|; |p| has
 * been dropped, on its way to |out| or (NULL) to nowhere. */
void devices_leaving(struct sim *s, const struct port *out,
		     const struct pkt *p);
void devices_dropped(struct sim *s, const struct port *out, const struct pkt *p,
		     enum drop_reason why);

/* The run is over: writes the files. */
int devices_write(struct sim *s, struct err *err);

void devices_free(struct devices *e);

#endif

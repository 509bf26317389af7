/* SPDX-License-Identifier: GPL-2.0-or-later
 * Internal to the files of this room. */
#ifndef FABSCOPE_FLOW_ENGINE_INTERNAL_H
#define FABSCOPE_FLOW_ENGINE_INTERNAL_H

#include "flow/core/flow.h"

/* note.c: what each packet was, found by comparing its flow before and after */
void note_before(struct engine *e, const struct flow *f,
		 const struct packet *p);
void note_after(struct engine *e, const struct flow *f, const struct packet *p);

/* header_cache.c: frames that look like the one before */
void patterns_init(struct engine *e);
void patterns_fini(struct engine *e);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What all screens follow: a span of time, a selection, a filter. */
#ifndef FABSCOPE_TUI_MODEL_H
#define FABSCOPE_TUI_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/filter.h"

/* Nanoseconds since the epoch, both ends inclusive, from <= to. */
struct span {
	int64_t from, to;
};

enum {
	MODEL_BACK = 64,      /* spans that can be gone back to */
	MODEL_SHORTEST = 100, /* ns */
	SELECTOR_TEXT = 128,
};

struct model {
	struct span whole; /* all there is, 0..0 when nothing is known yet */
	struct span span;  /* what is looked at */
	bool zoomed;       /* span is less than whole */
	bool follow;       /* it ends where the recording ends, and moves on */
	struct {
		struct span span;
		bool zoomed;
	} back[MODEL_BACK];
	size_t n_back;

	int64_t flow, finding, recovery, group; /* ids, 0: none selected */
	bool by_tap; /* flows: a row for each tap that saw one */
	char selector[SELECTOR_TEXT]; /* of the packets shown */
	struct filter filter;
};

/* There is more, or for the first time something: all from |first| to |last|.
 * The span moves along when it follows. */
void model_whole(struct model *m, int64_t first, int64_t last);

/* Looks at |from| to |to|, which may reach beyond the whole. */
void model_look(struct model *m, int64_t from, int64_t to);

/* The same length times |factor|, around the middle; at the end when it
 * follows. */
void model_scale(struct model *m, double factor);

/* |part| of its length later, or earlier when negative.  Nobody who looks back
 * follows. */
void model_move(struct model *m, double part);

/* The span before the last change; false when there is none. */
bool model_undo(struct model *m);

void model_all(struct model *m);

/* Stops following, or goes to the end and follows. */
void model_hold(struct model *m);
void model_follow(struct model *m);

#endif

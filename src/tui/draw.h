/* SPDX-License-Identifier: GPL-2.0-or-later
 * Drawing a pane, by its shape. */
#ifndef FABSCOPE_TUI_DRAW_H
#define FABSCOPE_TUI_DRAW_H

#include <stdint.h>

#include "base/units.h"
#include "tui/pane.h"

struct drawing {
	struct pane *pane;
	struct box box; /* what is left for the shape */
	int64_t origin_ns;
	struct span span; /* of time, that is looked at */
	bool focus;
	const struct pane
		*before; /* the pane above it on the screen, or NULL */
};

/* The title, then the answer, or why there is none. */
void draw_pane(const struct drawing *d);

/* Columns of a pane |w| wide that steps of time are drawn in. */
int draw_steps(const struct pane_spec *p, int w);

/* Each shape: its own file. */
void draw_list(const struct drawing *d);
void draw_ladder(const struct drawing *d);
void draw_card(const struct drawing *d);
void draw_says(const struct drawing *d);
void draw_decode(const struct drawing *d);
void draw_chart(const struct drawing *d);
void draw_lanes(const struct drawing *d);
void draw_scatter(const struct drawing *d);

/* The column of a list that is drawn at |x|, as pane->column; -1: none. */
int draw_column_at(struct pane *p, int x);

/* |text| in as many lines as it needs and |box| has, broken at blanks. */
void draw_sentence(const struct box *box, enum role role, const char *text);

/* What list and ladder share: scrolls so that the cursor is in |rows|. */
void draw_scroll(struct pane *p, int rows);

/* The role of a word such as "critical"; ROLE_TEXT for others. */
enum role draw_role(const char *word);

/* "+1.5 s" from the origin, or "02:05:10.123" where there is none. */
char *draw_time(int64_t ns, int64_t origin_ns, char text[static UNITS_TEXT]);

/* A time axis under |w| columns: ends and middle. */
void draw_axis(int y, int x, int w, int64_t from, int64_t to,
	       int64_t origin_ns);

#endif

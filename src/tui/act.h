/* SPDX-License-Identifier: GPL-2.0-or-later
 * What keys do: keys.c says which, and in what words. */
#ifndef FABSCOPE_TUI_ACT_H
#define FABSCOPE_TUI_ACT_H

#include <stdbool.h>
#include <stddef.h>

struct app;
typedef void act_fn(struct app *a);

/* act.c: moving, lists */
act_fn act_down, act_up, act_page_down, act_page_up, act_first, act_last,
	act_left, act_right, act_next_pane, act_previous_pane, act_enter,
	act_back, act_filter, act_inverse, act_escape, act_sort, act_unsort,
	act_hide, act_columns, act_help, act_again, act_quit, act_menu,
	act_next_screen, act_previous_screen, act_by_tap;

/* The mouse at line |y|: its button, or its |wheel| up (-1) or down (1). */
void act_point(struct app *a, int y, int x, int wheel);

/* Why a term of the filter can choose nothing here; false: all can. */
bool act_filter_fault(const struct app *a, char *why, size_t size);

/* act_time.c */
act_fn act_earlier, act_later, act_zoom_in, act_zoom_out, act_zoom_row,
	act_undo, act_all, act_goto, act_next_finding, act_previous_finding,
	act_hold, act_clock;

/* act_more.c: packets, files, the query of a pane */
act_fn act_packets, act_why, act_save, act_sql;

#endif

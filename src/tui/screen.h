/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of screens: what each asks, and how the answer is drawn.
 *
 * A screen is one or more panes, from top to bottom; a pane is a query of the
 * catalogue and a shape. */
#ifndef FABSCOPE_TUI_SCREEN_H
#define FABSCOPE_TUI_SCREEN_H

#include "tui/model.h"

enum shape {
	SHAPE_LIST,    /* rows and columns, a cursor, sorted and filtered */
	SHAPE_CARD,    /* the one row, name and value side by side */
	SHAPE_CHART,   /* steps of time: load as bars, problems as lanes */
	SHAPE_LANES,   /* steps of time: one lane for each name, shaded */
	SHAPE_LADDER,  /* a list whose rows are steps between two ends */
	SHAPE_SAYS,    /* the one row, in sentences */
	SHAPE_SCATTER, /* PSNs over time */
	SHAPE_DECODE,  /* the packet under the cursor of the pane before */
	SHAPES
};

struct pane_spec {
	const char *title;
	enum shape shape;
	const char *query; /* NULL: packets of the selector */
	bool of_packets;   /* timeseq_load() answers instead of the query */
	/* Parameters by words, as in "flow=FLOW limit=9": FROM and TO (left out
	 * where all is looked at), FLOW, FINDING, RECOVERY, GROUP (left out
	 * where none is selected), STEPS (as wide as the pane), MOST (rows that
	 * are kept), ONCE (unless a row for each tap is asked for). */
	const char *params;
	/* By words, in this order; NULL: all.  "dst_qp?" is left out where no
	 * row has it: it is of another transport. */
	const char *columns;
	const char *sort; /* by this column, "-" before it: down; or NULL */
	/* What its row selects: "flow=flow_id frame=frame" */
	const char *selects;
	const char *enter; /* the screen a row leads to, or NULL */
	const char *none;  /* what it means when there is no row */
	/* A query whose column "why" follows that, and its parameters. */
	const char *why, *why_params;
	bool alarm;        /* lanes: much is bad */
	bool whole;        /* a list: one row at a time, its "line" unbroken */
	int lines, weight; /* at least so many; its part of what is left */
	int tall;          /* only on screens of so many lines; 0: on all */
};

struct screen_spec {
	int key;
	const char *name;              /* in the top line, and for |enter| */
	const char *title;             /* in the help */
	const struct pane_spec *panes; /* the last has no title */
};

extern const struct screen_spec screens[]; /* the last has no name */

enum { PANES_MAX = 5, LIST_MOST = 50000 };

/* The index of screen |name| or of |key|; -1: none. */
int screen_by_name(const char *name);
int screen_by_key(int key);

/* |params| of a pane as "K=V", NULL-terminated, for free() of each and of all;
 * NULL without memory.  |all|: more rows than MOST, too.  |missing|, unless
 * NULL is stored there, names what has to be selected first. */
char **screen_params(const char *params, const struct model *m, int steps,
		     bool all, const char **missing);

#endif

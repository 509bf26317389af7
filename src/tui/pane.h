/* SPDX-License-Identifier: GPL-2.0-or-later
 * A pane: the answer it shows, which rows and columns of it in which order, and
 * where the cursor is.  Drawn by its shape (draw.h). */
#ifndef FABSCOPE_TUI_PANE_H
#define FABSCOPE_TUI_PANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/gather.h"
#include "tui/packets.h"
#include "tui/screen.h"
#include "tui/term.h"
#include "views/rows.h"

struct pane {
	const struct pane_spec *spec;
	struct box box;

	/* the answer */
	bool answered;
	unsigned serial;     /* of the question that is open, or the last one */
	bool searching;      /* it is open, and of rows that are not kept */
	char *asked;         /* its parameters by blanks; NULL: not asked yet */
	const char *missing; /* what has to be selected first, or NULL */
	int steps;           /* asked for */
	char about[SELECTOR_TEXT + 16]; /* "flow 3", after the title */
	bool of_span;  /* what it shows is of a part of the time */
	bool timeless; /* it does not follow the span, which is not all */
	struct err err;
	struct rows rows;
	struct packets packets;
	double seconds;

	/* how it is looked at */
	size_t *order; /* columns, in the order they are drawn */
	size_t n_order;
	int *widths; /* of columns of the answer */
	bool all_columns;
	uint64_t hidden; /* bit: a column of the answer that is not drawn */
	size_t *shown;   /* rows, in the order they are drawn */
	size_t n_shown;
	size_t cursor, top;  /* in shown */
	size_t column, left; /* in order */
	int sort;            /* column of the answer, -1: as answered */
	bool down;
	bool sort_given;   /* by the reader: not by the table */
	bool partial;      /* there are more rows than are kept */
	struct gathered n; /* of all of them; 0: not filtered as a whole */

	char why[512];  /* there is no row; "" where that says nothing */
	char *text;     /* SHAPE_DECODE, SHAPE_SAYS: what is drawn */
	size_t text_of; /* which row that is */
};

void pane_init(struct pane *p, const struct pane_spec *spec);
void pane_fini(struct pane *p);

/* Takes the answer |rows| and |packets|; keeps the cursor on its row. */
void pane_answer(struct pane *p, struct rows *rows, struct packets *packets,
		 const struct filter *f, int64_t origin_ns);

/* Filters and sorts again. */
void pane_arrange(struct pane *p, const struct filter *f, int64_t origin_ns);

/* Chooses which columns are drawn: those of the table, or all. */
void pane_columns(struct pane *p);

/* The row under the cursor; false when there is none. */
bool pane_row(const struct pane *p, size_t *row);

/* What the row under the cursor selects as |what| ("flow"); 0: nothing. */
int64_t pane_selects(const struct pane *p, const char *what);

/* Makes the columns as wide as |row|, which is drawn, needs. */
void pane_widen(struct pane *p, size_t row, int64_t origin_ns);

/* Cell |column| of |row| as it is shown; |buf| serves numbers. */
const char *pane_cell(const struct pane *p, size_t row, size_t column,
		      int64_t origin_ns, char *buf);

/* The same in |columns|: of a small chart as many bars. */
const char *pane_cell_in(const struct pane *p, size_t row, size_t column,
			 int64_t origin_ns, size_t columns, char *buf);

void pane_move(struct pane *p, long by);
/* To the first row that selects |id| as |what|, if there is one. */
void pane_choose(struct pane *p, const char *what, int64_t id);

/* Is the cursor drawn in it? */
bool pane_is_list(const struct pane *p);

#endif

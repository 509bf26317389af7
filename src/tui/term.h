/* SPDX-License-Identifier: GPL-2.0-or-later
 * The terminal: taken over and given back, and text put on it.
 *
 * Text may be hostile: nothing but printable characters gets through. */
#ifndef FABSCOPE_TUI_TERM_H
#define FABSCOPE_TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { TERM_COLUMNS = 80, TERM_LINES = 24 }; /* the least we draw on */

/* What a piece of text is; how that looks is one table in term.c. */
enum role {
	ROLE_TEXT,
	ROLE_DIM,
	ROLE_BOLD,
	ROLE_BAR,    /* top and bottom line */
	ROLE_BARKEY, /* what stands out in it */
	ROLE_HEAD,   /* of a column */
	ROLE_COLUMN, /* of the chosen column */
	ROLE_TITLE,  /* of a pane */
	ROLE_FOCUS,  /* of the pane with the cursor */
	ROLE_CURSOR,
	ROLE_CRITICAL,
	ROLE_WARNING,
	ROLE_INFO,
	ROLE_GOOD,
	ROLE_LOAD, /* bars */
	ROLES
};

enum glyph {
	GLYPH_LINE,
	GLYPH_RUNG,
	GLYPH_OVER, /* a line that passes a rung */
	GLYPH_LEFT,
	GLYPH_RIGHT,
	GLYPH_CROSS,
	GLYPH_DASH,
	GLYPH_RING,
	GLYPH_MARK, /* a finding on a time axis */
	GLYPH_UP,
	GLYPH_DOWN,
	GLYPH_MORE, /* text goes on */
	GLYPHS
};

struct box {
	int y, x, h, w;
};

/* NULL |err| never: what could not be done is said there. */
/* Are other characters than ASCII drawn? */
bool term_utf8(void);

int term_begin(bool ascii, bool mouse, struct err *err);
void term_end(void); /* also when it was not begun */

/* What a crash would have to write: bytes in |out|, how many. */
/* Can the cursor be moved?  Right after the terminal is opened. */
bool term_moves(void);
size_t term_undo(char *out, size_t size, bool mouse);

/* The signal that wants us to end, 0 when none has come. */
int term_signal(void);

/* Readable when a signal has come. */
int term_signal_fd(void);

int term_height(void);
int term_width(void);

/* |text| at most |w| columns wide, the rest of them left alone.  Returns the
 * columns used. */
int term_put(int y, int x, int w, enum role role, const char *text);
int term_printf(int y, int x, int w, enum role role, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* The same, then blanks up to |w|. */
void term_fill(int y, int x, int w, enum role role, const char *text);
/* At the right end of the |w| columns. */
void term_right(int y, int x, int w, enum role role, const char *text);
void term_glyphs(int y, int x, int n, enum role role, enum glyph g);

/* Columns |text| takes. */
int term_columns(const char *text);

const char *term_glyph(enum glyph g);

/* One of |levels| + 1 steps from nothing to full, upright. */
enum { TERM_LEVELS = 8 };
const char *term_level(int level);
/* The same as shading. */
const char *term_shade(double part);

#endif

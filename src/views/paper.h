/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text on a terminal or in a file: wrapped, indented, colored if wanted. */
#ifndef FABSCOPE_VIEWS_PAPER_H
#define FABSCOPE_VIEWS_PAPER_H

#include <stdbool.h>
#include <stdio.h>

enum paper_style {
	PAPER_PLAIN,
	PAPER_BOLD,
	PAPER_DIM,
	PAPER_RED,
	PAPER_YELLOW,
	PAPER_CYAN,
	PAPER_GREEN,
	PAPER_STYLES
};

struct paper {
	FILE *out;
	int width;
	bool terminal, color;
};

/* Width and colors as they suit |out| and NO_COLOR. */
void paper_init(struct paper *p, FILE *out);

/* From here on; PAPER_PLAIN ends it. */
void paper_style(struct paper *p, enum paper_style style);

/* |label| at column |at|, then |text| wrapped in the columns from |indent| on,
 * and a newline.  Both may be hostile. */
void paper_text(struct paper *p, int at, const char *label, int indent,
		const char *text);

/* A command to copy: on one line, however long. */
void paper_command(struct paper *p, int at, const char *label, int indent,
		   const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* As paper_text() at column 0, on one line: on a terminal cut to its width. */
void paper_line(struct paper *p, const char *label, int indent,
		const char *text);

/* As paper_text(), of what printf(3) would make. */
void paper_printf(struct paper *p, int at, const char *label, int indent,
		  const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif

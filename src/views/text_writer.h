/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text on a terminal or in a file: wrapped, indented, colored if wanted. */
#ifndef FABSCOPE_VIEWS_TEXT_WRITER_H
#define FABSCOPE_VIEWS_TEXT_WRITER_H

#include <stdbool.h>
#include <stdio.h>

enum writer_style {
	TEXT_PLAIN,
	TEXT_BOLD,
	TEXT_DIM,
	TEXT_RED,
	TEXT_YELLOW,
	TEXT_CYAN,
	TEXT_GREEN,
	TEXT_STYLES
};

struct text_writer {
	FILE *out;
	int width;
	bool terminal, color;
};

/* Width and colors as they suit |out| and NO_COLOR. */
void writer_init(struct text_writer *p, FILE *out);

/* From here on; TEXT_PLAIN ends it. */
void writer_style(struct text_writer *p, enum writer_style style);

/* |label| at column |at|, then |text| wrapped in the columns from |indent| on,
 * and a newline.  Both may be hostile. */
void writer_text(struct text_writer *p, int at, const char *label, int indent,
		 const char *text);

/* A command to copy: on one line, however long. */
void writer_command(struct text_writer *p, int at, const char *label,
		    int indent, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* As writer_text(), on one line: on a terminal cut to its width. */
void writer_line(struct text_writer *p, int at, const char *label, int indent,
		 const char *text);

/* As writer_text(), of what printf(3) would make. */
void writer_printf(struct text_writer *p, int at, const char *label, int indent,
		   const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The terminal that output goes to, also through a pager. */
#ifndef FABSCOPE_BASE_TERMINAL_H
#define FABSCOPE_BASE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Does a person see on a terminal what is written to |out|? */
bool terminal_is(FILE *out);

/* Its columns; 0 when it is none or does not tell. */
int terminal_width(FILE *out);

/* From now on a terminal that is standard output gets no control characters
 * but line ends and tabs: all others, marks that reorder a line and what is no
 * UTF-8 are made visible, whoever writes them.  Files and pipes get everything
 * as it is. */
void terminal_guard(void);
/* But for the styles of a text_writer, which escapes what others wrote. */
void terminal_styles(void);
/* What came last, when that was half a character. */
void terminal_end(void);

/* From now on standard output goes to the terminal through a pager. */
void terminal_paged(void);

#endif

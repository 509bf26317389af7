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

/* From now on standard output goes to the terminal through a pager. */
void terminal_paged(void);

#endif

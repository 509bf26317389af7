/* SPDX-License-Identifier: GPL-2.0-or-later
 * Who sent how much to whom, as a picture: SVG. */
#ifndef FABSCOPE_VIEWS_PLOT_MATRIX_H
#define FABSCOPE_VIEWS_PLOT_MATRIX_H

#include "base/err.h"

struct page;
struct rows;
struct store;

/* |r|: of query traffic-matrix, asked |by|. */
void plot_matrix_svg(struct page *p, const struct rows *r, const char *by);

/* |by|: as parameter of query traffic-matrix.  -1 and |err|, and then no new
 * file. */
int plot_matrix_write(struct store *s, const char *by, const char *path,
		      struct err *err);

#endif

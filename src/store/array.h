/* SPDX-License-Identifier: GPL-2.0-or-later
 * Arrays that SQL reads like tables: nothing is copied. */
#ifndef FABSCOPE_STORE_ARRAY_H
#define FABSCOPE_STORE_ARRAY_H

#include "store/column.h"
#include "store/store_int.h"

struct array {
	const char *name; /* of the table */
	struct column_list columns;
	size_t size;      /* of a row, in bytes */
	const void *rows; /* begin with an int64_t, the first column */
	size_t n;         /* in order of that */
	int same;         /* column that all have the same in; 0: none */
};

/* From here on |a|, which stays where it is, is a table.  Its rows may change
 * whenever no statement reads them.  -1 and |err|. */
int array_show(struct store *s, struct array *a, struct err *err);

/* Until here. */
void array_hide(struct store *s, const struct array *a);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Answers of queries as JSON values, for documents of several answers. */
#ifndef FABSCOPE_VIEWS_ROWS_JSON_H
#define FABSCOPE_VIEWS_ROWS_JSON_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "base/err.h"
#include "views/rows.h"

/* |text| may be hostile: what is not UTF-8 is replaced.  NULL without memory.
 */
json_t *rows_json_text(const char *text);

/* One member per column. */
json_t *rows_json_object(const struct rows *r, size_t row);
/* All rows. */
json_t *rows_json_array(const struct rows *r);

/* Prints |document|, takes it, and ends the line. */
int rows_json_print(json_t *document, FILE *out, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the formats share. */
#ifndef FABSCOPE_STORE_FORMAT_INT_H
#define FABSCOPE_STORE_FORMAT_INT_H

#include "store/format.h"

struct table; /* format_table.c */

/* One way to write answers. */
struct format_ops {
	int (*head)(struct format *f);
	int (*row)(struct format *f, const struct query_value *values);
	void (*end)(struct format *f);
};

struct format {
	FILE *out;
	struct format_options o;
	const struct format_ops *ops;
	struct query_column *columns; /* own copies */
	size_t n_columns;
	uint64_t rows;
	bool failed; /* no memory */
	struct table *table;
};

extern const struct format_ops format_table_ops;
extern const struct format_ops format_csv_ops;
extern const struct format_ops format_json_ops, format_jsonl_ops;

#endif

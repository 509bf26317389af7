/* SPDX-License-Identifier: GPL-2.0-or-later
 * A result database in the formats of other programs. */
#ifndef FABSCOPE_VIEWS_EXPORT_H
#define FABSCOPE_VIEWS_EXPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct store;

struct export_options {
	const char *path;          /* NULL and "-": standard output */
	const char *const *tables; /* only these, ends with NULL; NULL: all */
	uint64_t limit;            /* of a trace: slices of each kind */
};

/* CSV (RFC 4180): a file TABLE.csv for each table into the folder |path|, which
 * is made; the only one of |tables| may go to a stream.  NULL is an empty
 * field, empty text is "". */
int export_csv(struct store *s, const struct export_options *o,
	       struct err *err);

/* One JSON object a line: docs/records.schema.json. */
int export_jsonl(struct store *s, const struct export_options *o,
		 struct err *err);

/* A Perfetto trace: trace.c. */
int export_perfetto(struct store *s, const struct export_options *o,
		    struct err *err);

/* OpenMetrics text: metrics.c. */
int export_openmetrics(struct store *s, const struct export_options *o,
		       struct err *err);

/* Metadata for Datasette, with the questions as canned queries: datasette.c. */
int export_datasette(struct store *s, const struct export_options *o,
		     struct err *err);

/* Calls |write| with a stream that becomes the file |path| when all is well;
 * NULL and "-": standard output. */
int export_into(const char *path,
		int (*write)(void *ctx, FILE *out, struct err *err), void *ctx,
		struct err *err);

#endif

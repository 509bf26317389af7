/* SPDX-License-Identifier: GPL-2.0-or-later
 * Answers of queries as table, CSV, JSON or JSON lines. */
#ifndef FABSCOPE_STORE_FORMAT_H
#define FABSCOPE_STORE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "store/query.h"

enum format_kind { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_JSONL };

/* Of the records of FORMAT_JSONL: docs/records.schema.json.  It goes up when a
 * member goes or changes its meaning. */
enum { FORMAT_RECORD_VERSION = 1 };

struct format_options {
	enum format_kind kind;
	int width;          /* FORMAT_TABLE: columns there are, 0 any number */
	bool expanded;      /* FORMAT_TABLE: a block of lines for each row */
	bool ascii;         /* no other characters than these */
	size_t bars;        /* of a small chart, at most; 0: all */
	bool human;         /* FORMAT_TABLE: units; else plain numbers */
	bool uet;           /* words are those of Ultra Ethernet */
	int64_t origin_ns;  /* with |human|, times are shown as distance from
			    * here; 0: as date and time */
	const char *record; /* FORMAT_JSONL: what the rows are of */
};

/* "table", "csv", "json", "jsonl"; -1 when |name| is none of them. */
int format_by_name(const char *name);

struct format;

/* NULL without memory. */
struct format *format_new(FILE *out, const struct format_options *o);

/* Valid until format_end. */
struct query_sink format_sink(struct format *f);

/* Writes what is still to be written and frees |f|.  A JSON document is
 * complete only after this, also when the query failed.  -1 when writing
 * failed. */
int format_end(struct format *f, struct err *err);

enum { FORMAT_CELL = 256 };

/* 0.0123 is "1.23 %".  Something is never shown as 0 %, and not quite all is
 * never 100 %. */
char *format_share(double share, char buf[static FORMAT_CELL]);

/* The name of a column as a person reads it: "recovery_ns" is "recovery", as
 * the value has its unit, "dst_qp" is "dst QP". */
char *format_head(const char *name, char buf[static FORMAT_CELL]);

/* Does |word| mean the column |name|?  Its head will do, with _ for blanks. */
bool format_head_is(const char *name, const char *word);

/* Is a row about Ultra Ethernet, whose word for a NAK is NACK? */
bool format_is_uet(const struct query_column *columns,
		   const struct query_value *values, size_t n);

/* One value as a person reads it; NULL is "-".  |buf| serves numbers; the
 * result is |buf| or the value's own text. */
const char *format_value(const struct query_value *v, enum query_unit unit,
			 const struct format_options *o,
			 char buf[static FORMAT_CELL]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Answers as a table for people.
 *
 * The first rows are kept to learn how wide the columns are; then everything
 * is written with these widths.  Where the terminal is too narrow, wide text is
 * cut; where that does not help, each row becomes a block of lines. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/format_int.h"

enum {
	ROWS_KEPT = 500,
	CELL_MAX = 4000, /* bytes of one cell; longer text is for JSON */
	TEXT_MIN = 12,   /* text is not cut below this */
	GAP = 2,         /* blanks between columns */
};

struct table {
	char ***rows; /* text of the cells, as kept */
	size_t n_rows;
	size_t *widths; /* of columns; NULL before they are known */
	bool *right;    /* numbers stand right */
	bool blocks;
};

/* Columns |s| takes on a terminal: one per code point. */
static size_t width_of(const char *s)
{
	uint32_t code;
	size_t n = 0, step;

	for (; *s; s += step ? step : 1, n++)
		step = text_utf8(s, &code);
	return n;
}

/* At most |width| columns of |s|; marks the cut. */
static void write_cut(FILE *out, const char *s, size_t width)
{
	bool cut = width_of(s) > width;
	size_t keep = cut && width > 2 ? width - 2 : width;
	uint32_t code;

	for (size_t n = 0; *s && n < keep; n++) {
		size_t step = text_utf8(s, &code);

		fwrite(s, 1, step ? step : 1, out);
		s += step ? step : 1;
	}
	if (cut && width > 2)
		fputs("..", out);
}

static void write_blanks(FILE *out, size_t n)
{
	while (n--)
		putc(' ', out);
}

static void write_cell(struct format *f, size_t i, const char *text)
{
	const struct table *t = f->table;
	size_t w = width_of(text), room = t->widths[i];
	size_t pad = w < room ? room - w : 0;

	if (i)
		write_blanks(f->out, GAP);
	if (t->right[i])
		write_blanks(f->out, pad);
	write_cut(f->out, text, room);
	if (!t->right[i] && i + 1 < f->n_columns)
		write_blanks(f->out, pad);
}

static void write_block(struct format *f, char **row)
{
	size_t longest = 0;

	for (size_t i = 0; i < f->n_columns; i++)
		if (strlen(f->columns[i].name) > longest)
			longest = strlen(f->columns[i].name);
	for (size_t i = 0; i < f->n_columns; i++)
		fprintf(f->out, "%*s  %s\n", (int)longest, f->columns[i].name,
			row[i]);
	putc('\n', f->out);
}

static void write_row(struct format *f, char **row)
{
	if (f->table->blocks) {
		write_block(f, row);
		return;
	}
	for (size_t i = 0; i < f->n_columns; i++)
		write_cell(f, i, row[i]);
	putc('\n', f->out);
}

/* --- widths --- */

static size_t total(const struct format *f)
{
	size_t sum = 0;

	for (size_t i = 0; i < f->n_columns; i++)
		sum += f->table->widths[i] + (i ? GAP : 0);
	return sum;
}

/* The widest text column that may still shrink; n_columns when none. */
static size_t widest(const struct format *f)
{
	const size_t *w = f->table->widths;
	size_t best = f->n_columns;

	for (size_t i = 0; i < f->n_columns; i++)
		if (query_unit_is_text(f->columns[i].unit) && w[i] > TEXT_MIN &&
		    w[i] > strlen(f->columns[i].name) &&
		    (best == f->n_columns || w[i] > w[best]))
			best = i;
	return best;
}

static void fit(struct format *f)
{
	size_t room = f->o.width > 0 ? (size_t)f->o.width : SIZE_MAX, i;

	while (total(f) > room && (i = widest(f)) < f->n_columns)
		f->table->widths[i]--;
	f->table->blocks = f->o.expanded || total(f) > room;
}

/* Text that is longest in the last column needs no room of its own. */
static bool measure(struct format *f)
{
	struct table *t = f->table;

	t->widths = calloc(f->n_columns, sizeof *t->widths);
	if (!t->widths)
		return false;
	for (size_t i = 0; i < f->n_columns; i++) {
		t->widths[i] = width_of(f->columns[i].name);
		for (size_t r = 0; r < t->n_rows; r++) {
			size_t w = width_of(t->rows[r][i]);

			if (w > t->widths[i])
				t->widths[i] = w;
		}
	}
	fit(f);
	return true;
}

/* --- cells --- */

static void free_row(const struct format *f, char **row)
{
	for (size_t i = 0; row && i < f->n_columns; i++)
		free(row[i]);
	free(row);
}

/* A cell without what could harm a terminal, or NULL without memory. */
static char *cell(const struct format *f, size_t i, const struct query_value *v)
{
	char buf[FORMAT_CELL], *copy, *clean;
	const char *text = format_value(v, f->columns[i].unit, &f->o, buf);

	copy = strndup(text, CELL_MAX);
	clean = copy ? text_printable(copy) : NULL;
	free(copy);
	return clean;
}

static char **cells(struct format *f, const struct query_value *values)
{
	char **row = calloc(f->n_columns, sizeof *row);

	f->o.uet = format_is_uet(f->columns, values, f->n_columns);
	for (size_t i = 0; row && i < f->n_columns; i++) {
		row[i] = cell(f, i, &values[i]);
		if (!row[i]) {
			free_row(f, row);
			row = NULL;
		}
	}
	f->failed |= !row;
	return row;
}

/* --- the format --- */

/* Figures with units are below names that people read. */
static bool speaking_head(struct query_column *c)
{
	char buf[FORMAT_CELL];
	char *head = strdup(format_head(c->name, buf));

	if (!head)
		return false;
	free(c->name);
	c->name = head;
	return true;
}

static int table_head(struct format *f)
{
	struct table *t = calloc(1, sizeof *t);

	f->table = t;
	if (!t) {
		f->failed = true;
		return -1;
	}
	t->rows = calloc(ROWS_KEPT, sizeof *t->rows);
	t->right = calloc(f->n_columns, sizeof *t->right);
	f->failed |= !t->rows || !t->right;
	for (size_t i = 0; !f->failed && i < f->n_columns; i++) {
		t->right[i] = !query_unit_is_text(f->columns[i].unit);
		f->failed |= f->o.human && !speaking_head(&f->columns[i]);
	}
	return f->failed;
}

/* The names of the columns, underlined. */
static void write_head(struct format *f)
{
	const struct table *t = f->table;

	for (size_t i = 0; i < f->n_columns; i++)
		write_cell(f, i, f->columns[i].name);
	putc('\n', f->out);
	for (size_t i = 0; i < f->n_columns; i++) {
		if (i)
			write_blanks(f->out, GAP);
		for (size_t k = 0; k < t->widths[i]; k++)
			putc('-', f->out);
	}
	putc('\n', f->out);
}

static void flush(struct format *f)
{
	struct table *t = f->table;

	if (t->widths)
		return;
	if (!measure(f)) {
		f->failed = true;
		return;
	}
	if (!t->blocks)
		write_head(f);
	for (size_t i = 0; i < t->n_rows; i++) {
		write_row(f, t->rows[i]);
		free_row(f, t->rows[i]);
	}
	t->n_rows = 0;
}

static int table_row(struct format *f, const struct query_value *values)
{
	struct table *t = f->table;
	char **row = cells(f, values);

	if (!row)
		return -1;
	if (!t->widths && t->n_rows < ROWS_KEPT) {
		t->rows[t->n_rows++] = row;
		return 0;
	}
	flush(f);
	if (!f->failed)
		write_row(f, row);
	free_row(f, row);
	return f->failed;
}

static void table_end(struct format *f)
{
	struct table *t = f->table;

	if (!t)
		return;
	if (!f->failed)
		flush(f);
	for (size_t i = 0; i < t->n_rows; i++)
		free_row(f, t->rows[i]);
	free(t->rows);
	free(t->widths);
	free(t->right);
	free(t);
	f->table = NULL;
}

const struct format_ops format_table_ops = { table_head, table_row, table_end };

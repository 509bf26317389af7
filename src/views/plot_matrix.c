/* SPDX-License-Identifier: GPL-2.0-or-later
 * The traffic matrix as a picture: a field for each pair, the darker the more
 * bytes, with its values as data-... attributes.  Where there are few, they are
 * wide enough for the number. */
#include "views/plot_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "store/query.h"
#include "store/store.h"
#include "views/export.h"
#include "views/report_page.h"
#include "views/rows.h"

enum {
	NAMES_MOST = 64,
	CELL = 26,
	WIDE = 62, /* a field with its number */
	WIDE_MOST = 16,
	CHARACTER = 7,
	HEAD = 66,
	SCALE = 40 /* below */
};

struct matrix {
	const struct rows *rows;
	const char *by;
	const char *names[NAMES_MOST]; /* in order; of senders and receivers */
	size_t n;
	size_t left_out; /* pairs of which a name has no place */
	int64_t most;
	int left, top, wide; /* of the fields */
};

/* The place of |name|, or where it would be. */
static size_t place_of(const struct matrix *m, const char *name)
{
	size_t i = 0;

	/* h2 before h10 */
	while (i < m->n && strverscmp(m->names[i], name) < 0)
		i++;
	return i;
}

static bool is_there(const struct matrix *m, const char *name)
{
	size_t i = place_of(m, name);

	return i < m->n && !strcmp(m->names[i], name);
}

static void add_name(struct matrix *m, const char *name)
{
	size_t i = place_of(m, name);

	if (is_there(m, name) || m->n == NAMES_MOST)
		return;
	memmove(&m->names[i + 1], &m->names[i], (m->n - i) * sizeof *m->names);
	m->names[i] = name;
	m->n++;
}

static void gather(struct matrix *m)
{
	for (size_t i = 0; i < m->rows->n_rows; i++) {
		int64_t bytes = rows_int(m->rows, i, "bytes", 0);
		const char *src = rows_text(m->rows, i, "src");
		const char *dst = rows_text(m->rows, i, "dst");

		add_name(m, src);
		add_name(m, dst);
		if (!is_there(m, src) || !is_there(m, dst))
			m->left_out++;
		else if (bytes > m->most)
			m->most = bytes;
	}
}

/* Names of columns are turned by 60 degrees where fields are narrow. */
static void lay_out(struct matrix *m)
{
	size_t longest = 0;

	for (size_t i = 0; i < m->n; i++)
		longest = strlen(m->names[i]) > longest ? strlen(m->names[i])
							: longest;
	m->wide = m->n <= WIDE_MOST ? WIDE : CELL;
	m->left = 16 + CHARACTER * (int)(longest > 4 ? longest : 4) + 12;
	m->top = HEAD + 12 + CHARACTER * (int)longest * 7 / 8;
}

static void names(struct page *p, const struct matrix *m)
{
	for (size_t i = 0; i < m->n; i++) {
		html_raw(p,
			 "<text class=\"row\" x=\"%d\" y=\"%d\" "
			 "text-anchor=\"end\">",
			 m->left - 8, m->top + CELL * (int)i + CELL / 2 + 4);
		html_text(p, m->names[i]);
		html_raw(p,
			 "</text>\n<text class=\"column\" "
			 "transform=\"translate(%d %d) rotate(-60)\">",
			 m->left + m->wide * (int)i + m->wide / 2 + 4,
			 m->top - 8);
		html_text(p, m->names[i]);
		html_raw(p, "</text>\n");
	}
}

static void cell(struct page *p, const struct matrix *m, size_t row)
{
	const char *src = rows_text(m->rows, row, "src");
	const char *dst = rows_text(m->rows, row, "dst");
	int64_t bytes = rows_int(m->rows, row, "bytes", 0);
	int x = m->left + m->wide * (int)place_of(m, dst);
	int y = m->top + CELL * (int)place_of(m, src);
	/* of the root, so that a tenth of the most can still be seen */
	double shade = m->most > 0 ? sqrt((double)bytes / (double)m->most) : 0;
	char text[UNITS_TEXT];

	if (!is_there(m, src) || !is_there(m, dst))
		return;
	html_raw(p,
		 "<rect class=\"pair\" x=\"%d\" y=\"%d\" width=\"%d\" "
		 "height=\"%d\" fill=\"#2f6fbb\" fill-opacity=\"%.3f\" "
		 "data-bytes=\"%lld\" data-src=\"",
		 x, y, m->wide, CELL, shade, (long long)bytes);
	html_text(p, src);
	html_raw(p, "\" data-dst=\"");
	html_text(p, dst);
	html_raw(p, "\"><title>");
	html_text(p, src);
	html_raw(p, " to ");
	html_text(p, dst);
	html_raw(p, ": %s</title></rect>\n", units_bytes((double)bytes, text));
	if (m->wide == WIDE)
		html_raw(p,
			 "<text x=\"%d\" y=\"%d\" font-size=\"11\" "
			 "text-anchor=\"middle\"%s>%s</text>\n",
			 x + WIDE / 2, y + CELL / 2 + 4,
			 shade > 0.6 ? " fill=\"#fff\"" : "", text);
}

/* What the shades stand for. */
static void scale(struct page *p, const struct matrix *m)
{
	static const double parts[] = { 0.01, 0.1, 0.25, 0.5, 1 };
	int y = m->top + CELL * (int)m->n + 16;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char text[UNITS_TEXT];
		int x = 16 + 110 * (int)i;

		html_raw(p,
			 "<rect x=\"%d\" y=\"%d\" width=\"16\" "
			 "height=\"16\" fill=\"#2f6fbb\" "
			 "fill-opacity=\"%.3f\" stroke=\"#888\"/>"
			 "<text x=\"%d\" y=\"%d\">%s</text>\n",
			 x, y, sqrt(parts[i]), x + 22, y + 12,
			 units_bytes(parts[i] * (double)m->most, text));
	}
}

void plot_matrix_svg(struct page *p, const struct rows *r, const char *by)
{
	struct matrix m = { .by = by, .rows = r };
	int side, width, height;
	char text[UNITS_TEXT];

	gather(&m);
	m.left_out += r->left_out;
	lay_out(&m);
	side = m.wide * (int)m.n;
	height = CELL * (int)m.n;
	width = m.left + side + m.top > 620 ? m.left + side + m.top : 620;
	html_raw(p,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		 "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
		 "font-size=\"12\" font-family=\"sans-serif\">\n<title>"
		 "Traffic between %ss</title>\n<rect width=\"%d\" "
		 "height=\"%d\" fill=\"#fff\"/>\n<text x=\"16\" y=\"24\" "
		 "font-size=\"16\" font-weight=\"600\">Bytes between %ss: "
		 "senders in rows, receivers in columns</text>\n<text x=\"16\" "
		 "y=\"44\">Most: %s",
		 width, m.top + height + SCALE, width, m.top + height + SCALE,
		 by, width, m.top + height + SCALE, by,
		 units_bytes((double)m.most, text));
	if (m.left_out)
		html_raw(p, "; %zu more pairs are not drawn", m.left_out);
	html_raw(p,
		 "</text>\n<rect x=\"%d\" y=\"%d\" width=\"%d\" "
		 "height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n",
		 m.left, m.top, side, height);
	names(p, &m);
	for (size_t i = 0; i < r->n_rows; i++)
		cell(p, &m, i);
	scale(p, &m);
	html_raw(p, "</svg>\n");
}

struct drawing {
	struct rows rows;
	const char *by;
};

static int draw(void *ctx, FILE *out, struct err *err)
{
	const struct drawing *d = ctx;
	struct page p = { .out = out };

	plot_matrix_svg(&p, &d->rows, d->by);
	return p.failed ? err_set(err, ERR_MEMORY, "out of memory") : 0;
}

int plot_matrix_write(struct store *s, const char *by, const char *path,
		      struct err *err)
{
	struct drawing d = { .by = by };
	char param[64];
	const char *const params[] = { param, NULL };
	struct catalogue *c = catalogue_builtin();
	int rc;

	snprintf(param, sizeof param, "by=%s", by);
	if (!c) {
		err_set(err, ERR_MEMORY, "out of memory");
		return -1;
	}
	rc = rows_ask(&d.rows, s, c, "traffic-matrix", params, err);
	if (!rc)
		rc = export_into(path, draw, &d, err);
	rows_fini(&d.rows);
	catalogue_free(c);
	return rc;
}

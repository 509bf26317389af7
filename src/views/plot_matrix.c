/* SPDX-License-Identifier: GPL-2.0-or-later
 * The traffic matrix as a picture: a square for each pair, the darker the more
 * bytes, with its values as data-... attributes. */
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

enum { NAMES_MOST = 64, CELL = 26, LEFT = 180, TOP = 210, CHARACTER = 7 };

struct matrix {
	const struct rows *rows;
	const char *by;
	const char *names[NAMES_MOST]; /* in order; of senders and receivers */
	size_t n;
	size_t left_out; /* pairs of which a name has no place */
	int64_t most;
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

static void names(struct page *p, const struct matrix *m)
{
	for (size_t i = 0; i < m->n; i++) {
		int at = CELL * (int)i + CELL / 2 + 4;

		html_raw(p,
			 "<text class=\"row\" x=\"%d\" y=\"%d\" "
			 "text-anchor=\"end\">",
			 LEFT - 8, TOP + at);
		html_text(p, m->names[i]);
		html_raw(p,
			 "</text>\n<text class=\"column\" "
			 "transform=\"translate(%d %d) rotate(-60)\">",
			 LEFT + at, TOP - 8);
		html_text(p, m->names[i]);
		html_raw(p, "</text>\n");
	}
}

static void cell(struct page *p, const struct matrix *m, size_t row)
{
	const char *src = rows_text(m->rows, row, "src");
	const char *dst = rows_text(m->rows, row, "dst");
	int64_t bytes = rows_int(m->rows, row, "bytes", 0);
	char text[UNITS_TEXT];

	if (!is_there(m, src) || !is_there(m, dst))
		return;
	/* of the root, so that a tenth of the most can still be seen */
	html_raw(p,
		 "<rect class=\"pair\" x=\"%d\" y=\"%d\" width=\"%d\" "
		 "height=\"%d\" fill=\"#2f6fbb\" fill-opacity=\"%.3f\" "
		 "data-bytes=\"%lld\" data-src=\"",
		 LEFT + CELL * (int)place_of(m, dst),
		 TOP + CELL * (int)place_of(m, src), CELL, CELL,
		 m->most > 0 ? sqrt((double)bytes / (double)m->most) : 0,
		 (long long)bytes);
	html_text(p, src);
	html_raw(p, "\" data-dst=\"");
	html_text(p, dst);
	html_raw(p, "\"><title>");
	html_text(p, src);
	html_raw(p, " to ");
	html_text(p, dst);
	html_raw(p, ": %s</title></rect>\n", units_bytes((double)bytes, text));
}

void plot_matrix_svg(struct page *p, const struct rows *r, const char *by)
{
	struct matrix m = { .by = by, .rows = r };
	int side, width, height;
	char text[UNITS_TEXT];

	gather(&m);
	m.left_out += r->left_out;
	side = CELL * (int)m.n;
	width = LEFT + side + 140 > 620 ? LEFT + side + 140 : 620;
	height = TOP + side + 40;
	html_raw(p,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		 "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
		 "font-size=\"12\" font-family=\"sans-serif\">\n<title>"
		 "Traffic between %ss</title>\n<rect width=\"%d\" "
		 "height=\"%d\" fill=\"#fff\"/>\n<text x=\"16\" y=\"24\" "
		 "font-size=\"16\" font-weight=\"600\">Bytes between %ss: "
		 "senders in rows, receivers in columns</text>\n<text x=\"16\" "
		 "y=\"44\">Darkest: %s",
		 width, height, width, height, by, width, height, by,
		 units_bytes((double)m.most, text));
	if (m.left_out)
		html_raw(p, "; %zu more pairs are not drawn", m.left_out);
	html_raw(p,
		 "</text>\n<rect x=\"%d\" y=\"%d\" width=\"%d\" "
		 "height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n",
		 LEFT, TOP, side, side);
	names(p, &m);
	for (size_t i = 0; i < r->n_rows; i++)
		cell(p, &m, i);
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

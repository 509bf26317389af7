/* SPDX-License-Identifier: GPL-2.0-or-later
 * Rows and columns. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/format.h"
#include "tui/draw.h"

enum {
	GAP = 2,
	TEXT_MIN = 24, /* text is not cut below this while there is a choice */
	CHART_MIN = 6, /* nor a small chart */
	ADDRESS_MIN = 10, /* nor, for a chart, an IPv6 address */
	COLUMNS_DRAWN = 64,
};

/* The columns drawn, from |left| on, and their widths. */
struct layout {
	size_t column[COLUMNS_DRAWN]; /* of the answer */
	int width[COLUMNS_DRAWN];
	size_t n;
	size_t first; /* in pane->order */
};

static bool is_text(const struct pane *p, size_t column)
{
	return query_unit_is_text(p->rows.columns[column].unit);
}

static int total(const struct layout *l)
{
	int sum = 0;
	size_t i;

	for (i = 0; i < l->n; i++)
		sum += l->width[i] + (i ? GAP : 0);
	return sum;
}

/* The widest text that may still shrink; |n| when none may. */
static size_t widest(const struct pane *p, const struct layout *l)
{
	size_t best = l->n, i;

	for (i = 0; i < l->n; i++)
		if (is_text(p, l->column[i]) && l->width[i] > TEXT_MIN &&
		    (best == l->n || l->width[i] > l->width[best]))
			best = i;
	return best;
}

static bool is_ipv6(const char *text)
{
	return strchr(text, ':') && strchr(strchr(text, ':') + 1, ':') &&
	       !text[strspn(text, "0123456789abcdef:.")];
}

/* What the widest column of IPv6 addresses may lose; in |at| which it is. */
static int address_room(const struct pane *p, const struct layout *l,
			size_t *at)
{
	char buf[FORMAT_CELL];
	int most = 0;

	for (size_t i = 0; p->n_shown && i < l->n; i++) {
		int room = l->width[i] - ADDRESS_MIN;

		if (room <= most || !is_text(p, l->column[i]) ||
		    !is_ipv6(pane_cell(p, p->shown[0], l->column[i], 0, buf)))
			continue;
		most = room;
		*at = i;
	}
	return most;
}

static bool is_chart(const struct pane *p, size_t column)
{
	return p->rows.columns[column].unit == UNIT_SPARK;
}

/* The last column, where it is a small chart that may shrink so far, or for
 * which addresses do. */
static bool shrinks(const struct pane *p, struct layout *l, int w)
{
	size_t last = l->n - 1, at = 0;
	struct layout less = *l;
	int width = l->width[last] - (total(l) - w);

	if (!is_chart(p, l->column[last]))
		return false;
	for (; width < CHART_MIN && address_room(p, &less, &at) > 0; width++)
		less.width[at]--;
	if (width < CHART_MIN)
		return false;
	less.width[last] = width;
	*l = less;
	return true;
}

/* The last column gives way, but for a small chart: then the one before it. */
static void leave_out(const struct pane *p, struct layout *l)
{
	size_t last = --l->n;

	if (last < 2 || !is_chart(p, l->column[last]))
		return;
	l->column[last - 1] = l->column[last];
	l->width[last - 1] = l->width[last];
}

static bool is_drawn(const struct layout *l, size_t column)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->column[i] == column)
			return true;
	return false;
}

/* The width for columns: the mark of more columns covers no head. */
static int room_for(const struct pane *p, const struct layout *l, int w)
{
	return l->first + l->n < p->n_order ? w - 1 : w;
}

/* As many columns as fit. */
static void lay_out(struct pane *p, struct layout *l, int w)
{
	size_t i;

	l->n = 0;
	l->first = p->left;
	for (i = p->left; i < p->n_order && l->n < COLUMNS_DRAWN; i++) {
		l->column[l->n] = p->order[i];
		l->width[l->n++] = p->widths[p->order[i]];
	}
	while (total(l) > w && (i = widest(p, l)) < l->n)
		l->width[i]--;
	while (l->n > 1 && total(l) > room_for(p, l, w) &&
	       !shrinks(p, l, room_for(p, l, w)))
		leave_out(p, l);
	if (l->n && l->width[0] > w)
		l->width[0] = w;
}

/* What was cut for columns that do not fit anyway may grow again. */
static void grow(const struct pane *p, struct layout *l, int w)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		int natural = p->widths[l->column[i]];
		int room = room_for(p, l, w) - total(l);

		if (l->width[i] < natural && room > 0)
			l->width[i] += natural - l->width[i] < room
					       ? natural - l->width[i]
					       : room;
	}
}

/* The chosen column is always among those drawn. */
static void find_layout(struct pane *p, struct layout *l, int w)
{
	if (p->column < p->left)
		p->left = p->column;
	lay_out(p, l, w);
	while (p->left < p->column && !is_drawn(l, p->order[p->column])) {
		p->left++;
		lay_out(p, l, w);
	}
	grow(p, l, w);
}

/* Addresses differ at their end: that is what is kept of one too long. */
static const char *end_of_address(const char *text, int w, char *buf)
{
	int over = term_columns(text) - w;

	if (over <= 0 || !is_ipv6(text))
		return text;
	snprintf(buf, FORMAT_CELL, "%s%s", term_glyph(GLYPH_MORE),
		 text + over + 1);
	return buf;
}

static void draw_cell(const struct pane *p, size_t column, int y, int x, int w,
		      enum role role, const char *text)
{
	char buf[FORMAT_CELL];

	text = end_of_address(text, w, buf);
	if (is_text(p, column))
		term_put(y, x, w, role, text);
	else
		term_right(y, x, w, role, text);
}

static void draw_head(const struct drawing *d, const struct layout *l)
{
	const struct pane *p = d->pane;
	int x = d->box.x;
	size_t i;

	for (i = 0; i < l->n; i++) {
		size_t column = l->column[i];
		bool chosen = d->focus && column == p->order[p->column];
		char name[FORMAT_CELL + 8];

		format_head(p->rows.columns[column].name, name);
		if (p->sort == (int)column)
			strcat(name,
			       term_glyph(p->down ? GLYPH_DOWN : GLYPH_UP));
		draw_cell(p, column, d->box.y, x, l->width[i],
			  chosen ? ROLE_COLUMN : ROLE_HEAD, name);
		x += l->width[i] + GAP;
	}
	if (l->first + l->n < p->n_order)
		term_put(d->box.y, d->box.x + d->box.w - 1, 1, ROLE_HEAD,
			 term_glyph(GLYPH_RIGHT));
}

static void draw_row(const struct drawing *d, const struct layout *l, int y,
		     size_t at)
{
	const struct pane *p = d->pane;
	bool cursor = d->focus && at == p->cursor;
	size_t row = p->shown[at], i;
	char buf[FORMAT_CELL];
	int x = d->box.x;

	if (cursor)
		term_fill(y, x, d->box.w, ROLE_CURSOR, "");
	for (i = 0; i < l->n; i++) {
		const char *text =
			pane_cell_in(p, row, l->column[i], d->origin_ns,
				     (size_t)l->width[i], buf);

		draw_cell(p, l->column[i], y, x, l->width[i],
			  cursor ? ROLE_CURSOR : draw_role(text), text);
		x += l->width[i] + GAP;
	}
}

/* The row under the cursor: what it is about, and all of its "line". */
static void draw_whole(const struct drawing *d)
{
	struct pane *p = d->pane;
	size_t row = p->shown[p->cursor];
	int64_t job = rows_int(&p->rows, row, "job", -1);
	int64_t iteration = rows_int(&p->rows, row, "iteration", -1);
	char about[2 * UNITS_TEXT], part[UNITS_TEXT] = "", text[1024];

	p->top = p->cursor;
	if (iteration >= 0)
		snprintf(part, sizeof part, ", iteration %" PRId64, iteration);
	snprintf(about, sizeof about, "Job %" PRId64 "%s: ", job, part);
	snprintf(text, sizeof text, "%s%s", job >= 0 ? about : "",
		 rows_text(&p->rows, row, "line"));
	draw_sentence(&d->box, ROLE_TEXT, text);
}

int draw_column_at(struct pane *p, int x)
{
	struct layout l;
	size_t i, at;

	if (p->spec->shape != SHAPE_LIST || p->spec->whole || !p->order ||
	    !p->widths)
		return -1;
	find_layout(p, &l, p->box.w);
	for (i = 0, x -= p->box.x; i < l.n && x >= l.width[i] + GAP; i++)
		x -= l.width[i] + GAP;
	for (at = l.first; i < l.n && at < p->n_order; at++)
		if (p->order[at] == l.column[i])
			return (int)at;
	return -1;
}

void draw_list(const struct drawing *d)
{
	struct pane *p = d->pane;
	struct layout l;
	size_t end;

	if (!p->order || !p->widths || !p->shown)
		return;
	if (p->spec->whole) {
		if (p->cursor < p->n_shown)
			draw_whole(d);
		return;
	}
	draw_scroll(p, d->box.h - 1);
	end = p->top + (size_t)(d->box.h > 1 ? d->box.h - 1 : 0);
	if (end > p->n_shown)
		end = p->n_shown;
	for (size_t i = p->top; i < end; i++)
		pane_widen(p, p->shown[i], d->origin_ns);
	find_layout(p, &l, d->box.w);
	draw_head(d, &l);
	for (size_t i = p->top; i < end; i++)
		draw_row(d, &l, d->box.y + 1 + (int)(i - p->top), i);
}

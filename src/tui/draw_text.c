/* SPDX-License-Identifier: GPL-2.0-or-later
 * One row: as a card of figures, or in sentences; and packets decoded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/format.h"
#include "tui/draw.h"

enum { GAP = 2, LABEL = 12 };

/* Figures that should be nothing stand out when they are something. */
static enum role card_role(const char *name, const struct query_value *v)
{
	static const char *const bad[] = {
		"lost",      "lost_upstream", "lost_downstream_min",
		"timeouts",  "retransmitted", "nak_seq",
		"rnr_nak",   "recovery_ns",   "capture_missing",
		"nak_fatal",
	};
	size_t i;

	if (v->type != VALUE_INT || v->i <= 0)
		return v->type == VALUE_NULL ? ROLE_DIM : ROLE_TEXT;
	for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (!strcmp(name, bad[i]))
			return ROLE_WARNING;
	return ROLE_TEXT;
}

/* Columns line up at the right, where the figures end. */
static void draw_right(int y, int x, int w, enum role role, const char *text)
{
	int n = term_columns(text);

	if (n < w)
		term_put(y, x + w - n, n, role, text);
	else
		term_put(y, x, w, role, text);
}

/* As wide as the widest figure with its label. */
static int card_width(const struct drawing *d)
{
	const struct pane *p = d->pane;
	char label[FORMAT_CELL], buf[FORMAT_CELL];
	int most = 1;
	size_t i;

	for (i = 0; i < p->n_order; i++) {
		size_t column = p->order[i];
		int n;

		format_head(p->rows.columns[column].name, label);
		n = term_columns(label) + 1 + GAP +
		    term_columns(pane_cell(p, 0, column, d->origin_ns, buf));
		most = n > most ? n : most;
	}
	return most;
}

void draw_card(const struct drawing *d)
{
	const struct pane *p = d->pane;
	int per = d->box.w / card_width(d) > 1 ? d->box.w / card_width(d) : 1;
	int width = d->box.w / per;
	char label[FORMAT_CELL], buf[FORMAT_CELL];
	size_t i;

	for (i = 0; p->order && i < p->n_order; i++) {
		size_t column = p->order[i];
		int y = d->box.y + (int)i / per;
		int x = d->box.x + (int)i % per * width;
		const char *name = p->rows.columns[column].name;
		const char *text = pane_cell(p, 0, column, d->origin_ns, buf);
		int n;

		if (y >= d->box.y + d->box.h)
			return;
		format_head(name, label);
		n = term_put(y, x + 1, width - GAP, ROLE_DIM, label);
		draw_right(y, x + n + 2, width - n - 1 - GAP,
			   card_role(name, &p->rows.cells[column]), text);
	}
}

/* ---- sentences ------------------------------------------------------- */

/* How many bytes of |text| fit in |w| columns, broken at a blank. */
static size_t fitting(const char *text, int w)
{
	size_t n = 0, blank = 0;
	uint32_t code;
	int columns = 0;

	while (text[n] && text[n] != '\n' && columns < w) {
		size_t step = text_utf8(text + n, &code);

		if (text[n] == ' ')
			blank = n;
		n += step ? step : 1;
		columns++;
	}
	if (!text[n] || text[n] == '\n' || text[n] == ' ' || !blank)
		return n;
	return blank;
}

void draw_sentence(const struct box *box, enum role role, const char *text)
{
	char line[512];
	int i;

	for (i = 0; i < box->h && *text; i++) {
		size_t n = fitting(text, box->w);

		snprintf(line, sizeof line, "%.*s", (int)n, text);
		term_put(box->y + i, box->x, box->w, role, line);
		text += n;
		text += *text == ' ' || *text == '\n';
	}
}

/* Draws |text| from line |*y| on; lines before |*skip| are left out. */
static void draw_wrapped(const struct drawing *d, int *y, size_t *skip,
			 const char *label, const char *text)
{
	int indent = LABEL + 4, w = d->box.w - indent - 1;
	char line[512];
	size_t n;

	do {
		n = fitting(text, w);
		snprintf(line, sizeof line, "%.*s", (int)n, text);
		text += n;
		text += *text == ' ' || *text == '\n';
		if (*skip) {
			--*skip;
		} else if (*y < d->box.y + d->box.h) {
			term_put(*y, d->box.x + 2, indent - 3, ROLE_DIM, label);
			term_put(*y, d->box.x + indent, w, draw_role(line),
				 line);
			++*y;
		}
		label = "";
	} while (*text);
}

void draw_says(const struct drawing *d)
{
	const struct pane *p = d->pane;
	size_t skip = p->top, i;
	int y = d->box.y;
	char label[FORMAT_CELL], buf[FORMAT_CELL];

	for (i = 0; p->order && i < p->n_order; i++) {
		const char *name = p->rows.columns[p->order[i]].name;
		const char *text =
			pane_cell(p, 0, p->order[i], d->origin_ns, buf);

		format_head(name, label);
		draw_wrapped(d, &y, &skip, label, text);
	}
}

/* ---- packets --------------------------------------------------------- */

static void decode_row(struct pane *p, const struct pane *list)
{
	size_t row = SIZE_MAX;

	if (list && pane_row(list, &row) && row < list->packets.n) {
		if (p->text && p->text_of == row)
			return;
		free(p->text);
		p->text = packets_decode(&list->packets, row);
		p->text_of = row;
		return;
	}
	free(p->text);
	p->text = NULL;
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

void draw_decode(const struct drawing *d)
{
	struct pane *p = d->pane;
	const char *at;
	char line[512];
	size_t skip;
	int i;

	decode_row(p, d->before);
	if (!p->text) {
		term_put(d->box.y, d->box.x + 2, d->box.w, ROLE_DIM,
			 p->spec->none);
		return;
	}
	if (p->top > lines_of(p->text))
		p->top = lines_of(p->text);
	for (at = p->text, skip = p->top; skip && *at; at++)
		skip -= *at == '\n';
	for (i = 0; i < d->box.h && *at; i++) {
		size_t n = strcspn(at, "\n");

		snprintf(line, sizeof line, "%.*s", (int)n, at);
		term_put(d->box.y + i, d->box.x + 1, d->box.w - 2,
			 *line == ' ' ? ROLE_TEXT : ROLE_BOLD, line);
		at += n + (at[n] == '\n');
	}
}

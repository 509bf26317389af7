/* SPDX-License-Identifier: GPL-2.0-or-later
 * What all shapes have in common. */
#include "tui/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/units.h"

static void (*const shapes[SHAPES])(const struct drawing *d) = {
	[SHAPE_LIST] = draw_list,     [SHAPE_CARD] = draw_card,
	[SHAPE_CHART] = draw_chart,   [SHAPE_LANES] = draw_lanes,
	[SHAPE_LADDER] = draw_ladder, [SHAPE_SAYS] = draw_says,
	[SHAPE_DECODE] = draw_decode, [SHAPE_SCATTER] = draw_scatter,
};

enum role draw_role(const char *word)
{
	static const struct {
		const char *word;
		enum role role;
	} words[] = {
		{ "critical", ROLE_CRITICAL },
		{ "warning", ROLE_WARNING },
		{ "info", ROLE_INFO },
		{ "ok", ROLE_GOOD },
		{ "lost", ROLE_CRITICAL },
		{ "storm", ROLE_CRITICAL },
		{ "deadlock", ROLE_CRITICAL },
		{ "deadlock-suspect", ROLE_CRITICAL },
		{ "victim", ROLE_WARNING },
		{ "NAK", ROLE_WARNING },
		{ "RNR NAK", ROLE_WARNING },
		{ "fatal NAK", ROLE_CRITICAL },
		{ "NACK", ROLE_WARNING },
		{ "fatal NACK", ROLE_CRITICAL },
		{ "retransmitted", ROLE_INFO },
		{ "trimmed", ROLE_WARNING },
		{ "CNP", ROLE_INFO },
		{ "no", ROLE_WARNING },
		{ "partial", ROLE_DIM },
	};
	size_t i;

	for (i = 0; i < sizeof words / sizeof words[0]; i++)
		if (!strcmp(word, words[i].word))
			return words[i].role;
	return ROLE_TEXT;
}

/* "12/340", "12 of 340 match", "1 of the first 50,000" */
static void count_rows(const struct pane *p, char *out, size_t size)
{
	size_t fit = p->n.seen ? p->n.fit : p->n_shown;
	size_t seen = p->n.seen ? p->n.seen : p->rows.n_rows;
	char shown[UNITS_TEXT], all[UNITS_TEXT];

	*out = 0;
	if (!p->answered || !pane_is_list(p) || !seen)
		return;
	units_count(seen, all);
	if (p->packets.more)
		snprintf(out, size, "the first %s", all);
	else if (fit < seen)
		snprintf(out, size, "%s of %s match", units_count(fit, shown),
			 all);
	else
		snprintf(out, size, "%zu%s%s", p->cursor + 1,
			 p->partial && !p->n.seen ? " of the first " : "/",
			 all);
}

static void draw_title(const struct drawing *d)
{
	const struct box *b = &d->box;
	enum role role = d->focus ? ROLE_FOCUS : ROLE_TITLE;
	char count[96];
	int n;

	count_rows(d->pane, count, sizeof count);
	term_glyphs(b->y, b->x, b->w, ROLE_TITLE, GLYPH_LINE);
	n = term_printf(b->y, b->x + 2, b->w - 4, role, " %s%s%s%s ",
			d->pane->spec->title, *d->pane->about ? ": " : "",
			d->pane->about,
			d->pane->timeless ? " (of all the time)" : "");
	if (*count && n + (int)strlen(count) + 8 < b->w)
		term_printf(b->y, b->x + b->w - 4 - (int)strlen(count),
			    (int)strlen(count) + 2, role, " %s ", count);
}

/* Why there is nothing; NULL: there is something. */
static const char *excuse(const struct pane *p)
{
	if (p->missing)
		return p->missing;
	if (p->err.code)
		return p->err.text;
	if (!p->answered && p->spec->shape != SHAPE_DECODE)
		return "loading ...";
	if (!p->rows.n_rows && !p->n.seen && p->spec->shape != SHAPE_DECODE)
		return p->spec->none;
	if (!p->n_shown && p->searching)
		return "looking through all rows ...";
	if (!p->n_shown && pane_is_list(p))
		return "no row fits the filter";
	return NULL;
}

/* Nothing of then, nothing at all, nothing that can be seen. */
static void draw_excuse(const struct drawing *d, const char *why)
{
	const struct pane *p = d->pane;
	bool none = why == p->spec->none;
	struct box box = { d->box.y, d->box.x + 2, d->box.h, d->box.w - 4 };
	char text[1024];

	snprintf(text, sizeof text, "%s%s%s%s", why,
		 none && p->of_span ? " (in this span of time)" : "",
		 none && *p->why ? ": " : "", none ? p->why : "");
	draw_sentence(&box, p->err.code ? ROLE_WARNING : ROLE_DIM, text);
}

void draw_pane(const struct drawing *d)
{
	struct drawing inner = *d;
	const char *why = excuse(d->pane);

	if (d->box.h < 1)
		return;
	draw_title(d);
	inner.box.y++;
	inner.box.h--;
	if (inner.box.h < 1)
		return;
	if (why)
		draw_excuse(&inner, why);
	else
		shapes[d->pane->spec->shape](&inner);
}

void draw_scroll(struct pane *p, int rows)
{
	size_t n = rows > 0 ? (size_t)rows : 1;

	if (p->cursor < p->top)
		p->top = p->cursor;
	if (p->cursor >= p->top + n)
		p->top = p->cursor - n + 1;
	if (p->top + n > p->n_shown)
		p->top = p->n_shown > n ? p->n_shown - n : 0;
}

char *draw_time(int64_t ns, int64_t origin_ns, char text[static UNITS_TEXT])
{
	if (origin_ns)
		return units_offset(clamp_sub(ns, origin_ns), text);
	units_utc(ns, text); /* "2026-11-22 02:05:10.123456789 UTC" */
	memmove(text, text + 5, 18);
	text[18] = 0;
	return text;
}

void draw_axis(int y, int x, int w, int64_t from, int64_t to, int64_t origin_ns)
{
	char text[UNITS_TEXT];
	int64_t middle = from / 2 + to / 2 + (from % 2 + to % 2) / 2;
	int n;

	term_put(y, x, w, ROLE_DIM, draw_time(from, origin_ns, text));
	draw_time(middle, origin_ns, text);
	n = (int)strlen(text);
	if (w > 3 * n + 4)
		term_put(y, x + (w - n) / 2, n, ROLE_DIM, text);
	draw_time(to, origin_ns, text);
	n = (int)strlen(text);
	if (w > 2 * n + 2)
		term_put(y, x + w - n, n, ROLE_DIM, text);
}

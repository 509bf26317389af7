/* SPDX-License-Identifier: GPL-2.0-or-later
 * The ladder of a flow: sender, capture point and receiver, time downwards.
 *
 *	        time       since  sender       tap      receiver
 *	+2.323406 s           -    |           |----lost--x   |  psn 1234 x 1
 *	+2.457001 s      134 ms    |---retransmitted------->  |  psn 1234 x 8 */
#include <stdio.h>
#include <string.h>

#include "store/format.h"
#include "tui/draw.h"

enum { TIME = 14, SINCE = 10, RUNGS_MIN = 28, RUNGS_MAX = 60 };

/* What stands between the rungs, as shares of their distance: from where to
 * where, and what is at its end. */
static const struct way {
	const char *name;
	int from, to; /* 0 sender, 1 tap, 2 receiver; halves in between */
	enum glyph end;
	bool back;
} ways[] = {
	{ "over", 0, 4, GLYPH_RIGHT, false },
	{ "back", 0, 4, GLYPH_LEFT, true },
	{ "before", 0, 1, GLYPH_CROSS, false },
	{ "behind", 0, 3, GLYPH_CROSS, false },
	{ "here", 2, 2, GLYPH_MARK, false },
	{ "at-sender", 0, 0, GLYPH_MARK, false },
};

static const struct way *way_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof ways / sizeof ways[0]; i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	return NULL;
}

static void draw_rungs(int y, int x, int w, enum role role)
{
	term_glyphs(y, x, 1, role, GLYPH_RUNG);
	term_glyphs(y, x + w / 2, 1, role, GLYPH_RUNG);
	term_glyphs(y, x + w, 1, role, GLYPH_RUNG);
}

static void draw_arrow(const struct way *way, int y, int x, int w,
		       enum role role, const char *kind)
{
	int from = x + w * way->from / 4, to = x + w * way->to / 4;
	int n = to - from - 1;

	if (n <= 0) { /* at one rung */
		term_put(y, from, 1, role, term_glyph(way->end));
		term_put(y, from + 2, w / 2 - 3, role, kind);
		return;
	}
	term_glyphs(y, from + 1, n, role, GLYPH_LINE);
	if (to > x + w / 2)
		term_glyphs(y, x + w / 2, 1, role, GLYPH_OVER);
	term_put(y, way->back ? from + 1 : to - 1, 1, role,
		 term_glyph(way->end));
	if (way->end == GLYPH_CROSS) { /* "lost" stands before its end */
		term_put(y, from + 2, w / 4 - 3, role, kind);
		return;
	}
	term_printf(y, from + 2, w / 2 - 2, role, " %s ", kind);
}

static void draw_step(const struct drawing *d, int y, size_t at, int rungs,
		      int w)
{
	const struct rows *r = &d->pane->rows;
	size_t row = d->pane->shown[at];
	bool cursor = d->focus && at == d->pane->cursor;
	const char *kind = rows_text(r, row, "kind");
	const struct way *way = way_of(rows_text(r, row, "way"));
	enum role role = cursor ? ROLE_CURSOR : draw_role(kind);
	int x = d->box.x, says = rungs + w + 2;
	int64_t psn = rows_int(r, row, "psn", -1);
	int64_t count = rows_int(r, row, "count", 0);
	int64_t frame = rows_int(r, row, "frame", 0);
	const char *says_what = rows_text(r, row, "says");
	char text[FORMAT_CELL], about[400];
	const struct format_options how = { .human = true,
					    .origin_ns = d->origin_ns };

	if (cursor)
		term_fill(y, x, d->box.w, ROLE_CURSOR, "");
	term_right(y, x, TIME, cursor ? role : ROLE_TEXT,
		   format_value(rows_at(r, row, "ns"), UNIT_TIME, &how, text));
	term_right(y, x + TIME, SINCE, cursor ? role : ROLE_DIM,
		   format_value(rows_at(r, row, "since_ns"), UNIT_DURATION,
				&how, text));
	draw_rungs(y, rungs, w, cursor ? role : ROLE_DIM);
	if (way)
		draw_arrow(way, y, rungs, w, role, kind);
	*about = 0;
	if (psn >= 0)
		snprintf(about, sizeof about, "PSN %lld ", (long long)psn);
	if (count > 1)
		snprintf(about + strlen(about), sizeof about - strlen(about),
			 "x%lld ", (long long)count);
	if (frame > 0)
		snprintf(about + strlen(about), sizeof about - strlen(about),
			 "frame %lld ", (long long)frame);
	snprintf(about + strlen(about), sizeof about - strlen(about),
		 "%s%.200s",
		 *about && *says_what && *says_what != '(' ? "- " : "",
		 says_what);
	term_put(y, says, d->box.x + d->box.w - says, cursor ? role : ROLE_TEXT,
		 about);
}

void draw_ladder(const struct drawing *d)
{
	struct pane *p = d->pane;
	int rungs = d->box.x + TIME + SINCE + 2;
	int w = (d->box.w - TIME - SINCE) * 2 / 5;
	int i;

	w = w < RUNGS_MIN ? RUNGS_MIN : w;
	w = w > RUNGS_MAX ? RUNGS_MAX : w;
	if (!p->shown || w < 12)
		return;
	term_right(d->box.y, d->box.x, TIME, ROLE_HEAD, "time");
	term_right(d->box.y, d->box.x + TIME, SINCE, ROLE_HEAD, "since");
	term_put(d->box.y, rungs, w / 2, ROLE_HEAD, "sender");
	term_put(d->box.y, rungs + w / 2 - 1, w / 2 - 4, ROLE_HEAD, "tap");
	term_put(d->box.y, rungs + w - 7, 9, ROLE_HEAD, "receiver");
	draw_scroll(p, d->box.h - 1);
	for (i = 1; i < d->box.h && p->top + (size_t)i - 1 < p->n_shown; i++)
		draw_step(d, d->box.y + i, p->top + (size_t)i - 1, rungs, w);
}

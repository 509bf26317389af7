/* SPDX-License-Identifier: GPL-2.0-or-later
 * The two lines at the top: screens, database, span of time, drops; and the two
 * at the bottom: what goes on, and keys. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clamp.h"
#include "base/units.h"
#include "tui/act.h"
#include "tui/app.h"
#include "tui/draw.h"
#include "tui/keys.h"

enum { SILENT_S = 60 };

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Live writes every five seconds; a refresh of a large database takes longer,
 * one that was killed for ever. */
static bool is_silent(const struct app *a)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec - rows_int(&a->status, 0, "heard_ns", 0) / 1000000000 >
	       SILENT_S;
}

/* May what is shown change by itself? */
static const char *state(const struct app *a)
{
	const char *word = rows_text(&a->status, 0, "state");

	if (!a->status.n_rows || !*word)
		return "RECORDED";
	if (!strcmp(word, "ended"))
		return "ENDED";
	if (is_silent(a))
		return "LIVE, SILENT";
	if (!a->model.follow)
		return "HELD";
	return strcmp(word, "down") ? "LIVE" : "LIVE, LINK DOWN";
}

enum { TAB = 40, NAMED = 100 /* columns to name the database */ };

/* " 2 Flows "; returns its columns, without the first. */
static int tab_of(int i, char *tab)
{
	return snprintf(tab, TAB, " %c %s ", screens[i].key, screens[i].name) -
	       1;
}

static void add_zone(struct app *a, int y, int x, int w, int key)
{
	if (a->n_zones < ZONES_MAX)
		a->zones[a->n_zones++] = (struct zone) { y, x, w, key };
}

int bars_key_at(const struct app *a, int y, int x)
{
	const struct zone *z = a->zones;

	for (; z < a->zones + a->n_zones; z++)
		if (y == z->y && x >= z->x && x < z->x + z->w)
			return z->key;
	return 0;
}

/* Tabs from |first| on that have room in |w| columns: the one after them. */
static int last_tab(int first, int w)
{
	char tab[TAB];
	int x = 0, i;

	for (i = first; screens[i].name; i++) {
		x += tab_of(i, tab);
		if (x > w)
			break;
	}
	return i;
}

/* Where not all have room they are a window that moves with the screen, between
 * arrows, and the menu has them all. */
static int draw_some_tabs(struct app *a, int x, int w)
{
	char tab[TAB];
	int end, i, n;

	if (a->screen < a->first_tab)
		a->first_tab = a->screen;
	while (last_tab(a->first_tab, w) <= a->screen)
		a->first_tab++;
	/* no room is left empty that a tab at the left could have */
	while (a->first_tab && last_tab(a->first_tab - 1, w) > a->screen &&
	       !screens[last_tab(a->first_tab - 1, w)].name)
		a->first_tab--;
	end = last_tab(a->first_tab, w);
	for (i = a->first_tab; i < end; i++) {
		n = tab_of(i, tab);
		term_put(0, x, n, i == a->screen ? ROLE_BARKEY : ROLE_BAR,
			 tab + 1);
		add_zone(a, 0, x, n, screens[i].key);
		x += n;
	}
	return x;
}

static void draw_tabs(struct app *a)
{
	static const char menu[] = "M Menu";
	char name[32];
	int w = term_width(), x = 1, named, more = (int)sizeof menu + 4;
	int right; /* where tabs end */

	snprintf(name, sizeof name, " %.30s", base_name(a->options->database));
	named = term_columns(name);
	term_fill(0, 0, w, ROLE_BAR, "");
	if (!screens[last_tab(0, w - 1)].name) {
		a->first_tab = 0;
		x = draw_some_tabs(a, x, w - 1);
	} else {
		right = w - more - (w < NAMED ? 0 : named + 1);
		draw_some_tabs(a, x + 1, right - 1);
		if (a->first_tab) {
			term_put(0, 0, 1, ROLE_BAR, term_glyph(GLYPH_LEFT));
			add_zone(a, 0, 0, 1, ',');
		}
		x = right;
		if (screens[last_tab(a->first_tab, right - 1)].name) {
			term_put(0, x, 1, ROLE_BAR, term_glyph(GLYPH_RIGHT));
			add_zone(a, 0, x, 2, '.');
		}
		add_zone(a, 0, x + 2, more - 2, 'M');
		x += 3 + term_put(0, x + 3, more - 3, ROLE_BAR, menu);
	}
	if (x + named + 1 < w)
		term_put(0, w - named - 1, named, ROLE_BAR, name);
}

struct drop {
	const char *column, *label;
};

/* One figure, "ours 0"; what is not known is left out. */
static bool add_drop(const struct app *a, const struct drop *d, char *out,
		     size_t size)
{
	int64_t n =
		a->status.n_rows ? rows_int(&a->status, 0, d->column, -1) : -1;
	char count[UNITS_TEXT];
	size_t at = strlen(out);

	if (n < 0)
		return false;
	snprintf(out + at, size - at, "%s %s", d->label,
		 units_count((uint64_t)n, count));
	return n > 0;
}

/* What the capture itself has lost: without it no figure can be judged. */
static bool drops(const struct app *a, char *out, size_t size)
{
	static const struct drop live[] = {
		{ "dropped", " kernel" },
		{ "dropped_interface", " NIC" },
		{ "dropped_own", " live" },
	};
	static const struct drop recorded = { "dropped", "" };
	bool bad = false, running = *rows_text(&a->status, 0, "state");
	size_t i;

	snprintf(out, size, "drops:");
	if (!running)
		bad = add_drop(a, &recorded, out, size);
	for (i = 0; running && i < sizeof live / sizeof live[0]; i++)
		bad |= add_drop(a, &live[i], out, size);
	if (strlen(out) == strlen("drops:"))
		snprintf(out, size, "drops: not reported");
	return bad;
}

/* " all", " zoom"; of a span within a step of time, load is its part of that
 * step. */
static const char *extent(const struct app *a, char text[static 64])
{
	const struct model *m = &a->model;
	int64_t step = rows_int(&a->status, 0, "step_ns", 0);
	char length[UNITS_TEXT];

	snprintf(text, 64, " %s", m->zoomed ? "zoom" : "all");
	if (m->zoomed && clamp_sub(m->span.to, m->span.from) < step)
		snprintf(text, 64, " in a %s step", units_ns(step, length));
	return text;
}

enum { CLOCK = sizeof " 23:59:59" - 1 };

/* While it runs: what time it was, in UTC, at the end of what is shown; else
 * "". */
static const char *clock_of(const struct app *a, char text[static CLOCK + 1])
{
	const char *word = rows_text(&a->status, 0, "state");
	time_t s = (time_t)(a->model.span.to / 1000000000);
	struct tm tm;

	if (!a->model.whole.to || !*word || !strcmp(word, "ended") ||
	    !gmtime_r(&s, &tm) || !strftime(text, CLOCK + 1, " %T", &tm))
		*text = 0;
	return text;
}

static void draw_span(struct app *a)
{
	const struct model *m = &a->model;
	char from[UNITS_TEXT], to[UNITS_TEXT], length[UNITS_TEXT];
	char utc[UNITS_TEXT], text[200], lost[80], all[64], now[CLOCK + 1];
	int w = term_width(), x = 1, room;
	bool bad = false;

	*lost = 0;
	x += term_put(1, x, 16, a->model.follow ? ROLE_GOOD : ROLE_BOLD,
		      state(a));
	if (a->status.n_rows)
		bad = drops(a, lost, sizeof lost);
	if (m->whole.to)
		snprintf(text, sizeof text, "  %s .. %s  %s%s",
			 draw_time(m->span.from, a->origin_ns, from),
			 draw_time(m->span.to, a->origin_ns, to),
			 units_ns(clamp_sub(m->span.to, m->span.from), length),
			 extent(a, all));
	else
		snprintf(text, sizeof text, "  no packets yet");
	/* Where there is no room for both, a window that was chosen goes before
	 * the clock, and the clock before one that is all there is. */
	room = w - x - 3 - term_columns(lost);
	if (*clock_of(a, now) && !m->zoomed &&
	    room < CLOCK + term_columns(text))
		snprintf(text, sizeof text, "  %s%s",
			 units_ns(clamp_sub(m->span.to, m->span.from), length),
			 extent(a, all));
	if (room >= CLOCK + term_columns(text))
		x += term_put(1, x, CLOCK, ROLE_BOLD, now);
	x += term_put(1, x, w - x, ROLE_TEXT, text);
	if (m->whole.to && w > x + 42 + term_columns(lost)) {
		snprintf(text, sizeof text, "   from %s",
			 units_utc(m->span.from, utc));
		term_put(1, x, w - x, ROLE_DIM, text);
	}
	term_put(1, w - 3 - term_columns(lost), 2, ROLE_TEXT, "  ");
	term_put(1, w - 1 - term_columns(lost), term_columns(lost),
		 bad ? ROLE_CRITICAL : ROLE_DIM, lost);
}

/* The question that takes its time, a message, or the filter. */
static void draw_message(struct app *a)
{
	int y = term_height() - 2, w = term_width();
	const struct filter *f = &a->model.filter;
	char name[64], why[160];
	double seconds;
	bool busy = worker_busy(a->worker, name, &seconds);

	if (busy)
		term_put(y, w - 2, 1, ROLE_DIM, "*");
	if (*a->message) {
		term_put(y, 1, w - 4,
			 a->message_bad ? ROLE_CRITICAL : ROLE_BOLD,
			 a->message);
		return;
	}
	if (busy && seconds > 0.3) {
		term_printf(y, 1, w - 2, ROLE_WARNING,
			    "running query %s, %.0f s; Escape stops it", name,
			    seconds);
		return;
	}
	if (f->n_terms && act_filter_fault(a, why, sizeof why))
		term_printf(y, 1, w - 2, ROLE_CRITICAL, "filter %s: %s",
			    f->text, why);
	else if (f->n_terms)
		term_printf(y, 1, w - 2, ROLE_WARNING, "filter%s: %s",
			    f->inverse ? " (inverted)" : "", f->text);
}

static void draw_hints(struct app *a)
{
	int y = term_height() - 1, w = term_width(), x = 0;
	const struct key *k;

	term_fill(y, 0, w, ROLE_BAR, "");
	for (k = keys; k->names; k++) {
		char name[16];
		int n;

		if (!k->hint)
			continue;
		snprintf(name, sizeof name, "%.*s",
			 (int)strcspn(k->names, ", "), k->names);
		n = (int)(strlen(name) + strlen(k->hint)) + 2;
		if (x + n > w)
			continue;
		add_zone(a, y, x, n - 1, k->codes[0]);
		x += term_put(y, x, w - x, ROLE_BARKEY, name);
		x += term_put(y, x, w - x, ROLE_BAR, k->hint) + 1;
	}
}

void bars_draw(struct app *a)
{
	a->n_zones = 0;
	draw_tabs(a);
	draw_span(a);
	draw_message(a);
	draw_hints(a);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Keys: time. */
#include <stdio.h>
#include <string.h>

#include "base/clamp.h"
#include "base/units.h"
#include "store/param.h"
#include "tui/act.h"
#include "tui/app.h"

void act_earlier(struct app *a)
{
	model_move(&a->model, -0.5);
	app_ask(a, false);
}

void act_later(struct app *a)
{
	model_move(&a->model, 0.5);
	app_ask(a, false);
}

void act_zoom_in(struct app *a)
{
	model_scale(&a->model, 0.5);
	app_ask(a, false);
}

void act_zoom_out(struct app *a)
{
	model_scale(&a->model, 2);
	app_ask(a, false);
}

void act_undo(struct app *a)
{
	if (!model_undo(&a->model))
		app_say(a, false, "this is the first span");
	app_ask(a, false);
}

void act_all(struct app *a)
{
	model_all(&a->model);
	app_ask(a, false);
}

void act_hold(struct app *a)
{
	if (!a->model.whole.to) {
		app_say(a, false, "nothing to freeze before the first packet");
		return;
	}
	if (a->model.follow)
		model_hold(&a->model);
	else
		model_follow(&a->model);
	app_ask(a, false);
}

void act_clock(struct app *a)
{
	app_clock(a, !a->clock);
}

/* |from| to |to| and some of what is around. */
static void look_around(struct app *a, int64_t from, int64_t to)
{
	int64_t around = clamp_sub(to, from) / 10;

	if (around < MODEL_SHORTEST)
		around =
			clamp_sub(a->model.whole.to, a->model.whole.from) / 200;
	model_look(&a->model, clamp_sub(from, around), clamp_add(to, around));
	app_ask(a, false);
}

/* The time of a row: its columns first_ns and last_ns, or how long it took, or
 * one moment. */
static bool time_of(const struct rows *r, size_t row, struct span *s)
{
	static const char *const begins[] = { "first_ns", "ns", "start_ns",
					      "longest_ns" };
	static const char *const lengths[] = { "duration_ns", "cost_ns",
					       "stalled_ns", "latency_ns",
					       "open_ns" };
	size_t i;

	s->from = 0;
	for (i = 0; i < sizeof begins / sizeof begins[0] && !s->from; i++)
		s->from = rows_int(r, row, begins[i], 0);
	s->to = rows_int(r, row, "last_ns", s->from);
	for (i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
		if (s->to == s->from)
			s->to += rows_int(r, row, lengths[i], 0);
	return s->from != 0;
}

void act_zoom_row(struct app *a)
{
	struct pane *p = app_focus(a);
	struct span s;
	size_t row = 0;

	if (p->answered && pane_row(p, &row) && time_of(&p->rows, row, &s))
		look_around(a, s.from, s.to);
	else
		app_say(a, false, "this row has no time");
}

/* ---- findings -------------------------------------------------------- */

/* The finding that begins next after (by > 0) or before the one selected, or
 * the span; by the answer of a pane.  SIZE_MAX: none. */
static size_t neighbour(struct app *a, const struct rows *r, int by)
{
	int64_t here = a->model.span.from, best = 0, id = 0;
	size_t found = SIZE_MAX, i;

	for (i = 0; i < r->n_rows; i++)
		if (rows_int(r, i, "id", 0) == a->model.finding) {
			here = rows_int(r, i, "first_ns", here);
			id = a->model.finding;
		}
	for (i = 0; i < r->n_rows; i++) {
		int64_t ns = rows_int(r, i, "first_ns", 0);
		int64_t n = rows_int(r, i, "id", 0);
		bool past = by > 0 ? ns > here || (ns == here && n > id)
				   : ns < here || (ns == here && n < id);
		bool nearer =
			found == SIZE_MAX || (by > 0 ? ns < best : ns >= best);

		if (ns && past && nearer) {
			found = i;
			best = ns;
		}
	}
	return found;
}

/* The one that is selected, unless somebody jumped to it already. */
static size_t unvisited(const struct app *a, const struct rows *r)
{
	size_t i;

	for (i = 0; i < r->n_rows && a->visited != a->model.finding; i++)
		if (rows_int(r, i, "id", 0) == a->model.finding &&
		    rows_int(r, i, "first_ns", 0))
			return i;
	return SIZE_MAX;
}

static void jump(struct app *a, int by)
{
	const struct rows *r = &a->findings;
	size_t i = neighbour(a, r, by);

	if (i == SIZE_MAX)
		i = unvisited(a, r);
	if (i == SIZE_MAX) {
		app_say(a, false,
			by > 0 ? "no finding after this one"
			       : "no earlier finding");
		return;
	}
	a->model.finding = a->visited = rows_int(r, i, "id", 0);
	app_say(a, false, "%s: %s", rows_text(r, i, "severity"),
		rows_text(r, i, "title"));
	look_around(a, rows_int(r, i, "first_ns", 0),
		    rows_int(r, i, "last_ns", rows_int(r, i, "first_ns", 0)));
}

void act_next_finding(struct app *a)
{
	jump(a, 1);
}

void act_previous_finding(struct app *a)
{
	jump(a, -1);
}

/* ---- a time to go to ------------------------------------------------- */

static bool parse_moment(const struct app *a, const char *text, int64_t *ns)
{
	struct query_value v;
	char seconds[PROMPT_TEXT + 1];

	/* "+1.5" is in seconds, as in a selector */
	if (*text == '+' && !text[1 + strspn(text + 1, "0123456789.")]) {
		snprintf(seconds, sizeof seconds, "%ss", text);
		text = seconds;
	}
	if (param_parse(UNIT_TIME, text, a->first_ns, &v) < 0 ||
	    v.type != VALUE_INT)
		return false;
	*ns = v.i;
	return true;
}

static void goto_done(struct app *a, const char *text)
{
	int64_t from, to, n = clamp_sub(a->model.span.to, a->model.span.from);
	char copy[PROMPT_TEXT];
	char *dots;

	snprintf(copy, sizeof copy, "%s", text);
	dots = strstr(copy, "..");
	if (dots)
		*dots = 0;
	if (!*copy)
		return;
	if (!parse_moment(a, copy, &from) ||
	    (dots && !parse_moment(a, dots + 2, &to))) {
		app_say(a, true,
			"\"%s\" is not a time such as +1.5s, "
			"2026-11-21T01:02:03Z or +1s..+2s",
			text);
		return;
	}
	if (!dots) { /* in the middle, with what is looked at around */
		if (!a->model.zoomed)
			n /= 10;
		to = clamp_add(from, n / 2);
		from = clamp_sub(from, n / 2);
	}
	if (to < a->model.whole.from || from > a->model.whole.to) {
		app_say(a, true, "nothing was captured then (a: all there is)");
		return;
	}
	model_look(&a->model, from, to);
	app_ask(a, false);
}

void act_goto(struct app *a)
{
	prompt_open(a, "go to time: ", "", &a->times, goto_done);
}

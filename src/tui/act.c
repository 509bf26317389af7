/* SPDX-License-Identifier: GPL-2.0-or-later
 * Keys: moving, and lists. */
#include "tui/act.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "tui/app.h"
#include "tui/draw.h"

/* Panes that show a row of another one. */
enum { OF_ROW = 1 << SHAPE_SAYS | 1 << SHAPE_DECODE };

/* What the cursor stands on is what other panes are about; what they say of it
 * begins at the top. */
static void select_row(struct app *a, const struct pane *p)
{
	int64_t flow = pane_selects(p, "flow");
	int64_t finding = pane_selects(p, "finding");

	for (int i = 0; i < a->n_panes; i++)
		if (OF_ROW & 1 << a->panes[i].spec->shape)
			a->panes[i].top = 0;

	if (flow)
		a->model.flow = flow;
	if (finding)
		a->model.finding = finding;
	if (p->spec->selects && strstr(p->spec->selects, "recovery="))
		a->model.recovery = pane_selects(p, "recovery");
	if (p->spec->selects)
		app_ask(a, false);
}

static void move_by(struct app *a, long by)
{
	struct pane *p = app_focus(a);

	if (pane_is_list(p)) {
		pane_move(p, by);
		select_row(a, p);
	} else if (by < 0 && (size_t)-by > p->top) {
		p->top = 0;
	} else {
		p->top += (size_t)by;
	}
}

static long page(struct app *a)
{
	int h = app_focus(a)->box.h - 3;

	return h > 1 ? h : 1;
}

void act_down(struct app *a)
{
	move_by(a, 1);
}

void act_up(struct app *a)
{
	move_by(a, -1);
}

void act_page_down(struct app *a)
{
	move_by(a, page(a));
}

void act_page_up(struct app *a)
{
	move_by(a, -page(a));
}

enum { FAR = 100000000 };

void act_first(struct app *a)
{
	move_by(a, -FAR);
}

void act_last(struct app *a)
{
	struct pane *p = app_focus(a);

	if (pane_is_list(p))
		move_by(a, FAR);
}

void act_left(struct app *a)
{
	struct pane *p = app_focus(a);

	if (p->column)
		p->column--;
}

void act_right(struct app *a)
{
	struct pane *p = app_focus(a);

	if (p->column + 1 < p->n_order)
		p->column++;
}

/* Panes that only show something are passed over. */
enum { PASSED = 1 << SHAPE_CARD | 1 << SHAPE_CHART | 1 << SHAPE_SCATTER };

static void next_pane(struct app *a, int by)
{
	int i;

	for (i = 0; i < a->n_panes; i++) {
		a->focus = (a->focus + by + a->n_panes) % a->n_panes;
		if (app_focus(a)->box.h &&
		    !(PASSED & 1 << app_focus(a)->spec->shape))
			return;
	}
}

/* The row there, or by how many rows the wheel went. */
static void point_at(struct app *a, int row, int wheel)
{
	struct pane *p = app_focus(a);

	if (wheel)
		move_by(a, wheel);
	else if (pane_is_list(p) && row >= 0 &&
		 p->top + (size_t)row < p->n_shown)
		move_by(a, (long)p->top + row - (long)p->cursor);
}

/* The head of a column: as if it was chosen, and s pressed. */
static void point_at_head(struct app *a, int x)
{
	struct pane *p = app_focus(a);
	int column = draw_column_at(p, x);

	if (column < 0)
		return;
	p->column = (size_t)column;
	act_sort(a);
}

void act_point(struct app *a, int y, int x, int wheel)
{
	enum { HEADS = 2 }; /* the title, and names of columns */

	for (int i = 0; i < a->n_panes; i++) {
		const struct pane *p = &a->panes[i];

		if (y < p->box.y || y >= p->box.y + p->box.h ||
		    PASSED & 1 << p->spec->shape)
			continue;
		a->focus = i;
		if (y == p->box.y + 1 && !wheel)
			point_at_head(a, x);
		else
			point_at(a, y - p->box.y - HEADS, wheel);
		return;
	}
}

void act_next_pane(struct app *a)
{
	next_pane(a, 1);
}

void act_previous_pane(struct app *a)
{
	next_pane(a, -1);
}

void act_enter(struct app *a)
{
	struct pane *p = app_focus(a);
	size_t row;

	if (!pane_is_list(p) || !pane_row(p, &row))
		return;
	select_row(a, p);
	if (!p->spec->enter)
		return;
	if (p->spec->shape == SHAPE_LADDER)
		act_packets(a);
	else
		app_go(a, screen_by_name(p->spec->enter));
}

void act_back(struct app *a)
{
	app_go_back(a);
}

/* ---- lists ----------------------------------------------------------- */

/* The column |name| of the first list on the screen that has it, or NULL. */
static const struct query_column *listed_column(const struct app *a,
						const char *name)
{
	for (int i = 0; i < a->n_panes; i++) {
		const struct rows *r = &a->panes[i].rows;

		for (size_t k = 0; k < r->n_columns; k++)
			if (format_head_is(r->columns[k].name, name))
				return &r->columns[k];
	}
	return NULL;
}

static bool is_answered(const struct app *a)
{
	for (int i = 0; i < a->n_panes; i++)
		if (!a->panes[i].answered &&
		    a->panes[i].spec->shape == SHAPE_LIST)
			return false;
	return true;
}

/* A term that can choose nothing here. */
static bool is_fault(const struct app *a, const struct filter_term *t,
		     char *why, size_t size)
{
	const struct query_column *c;

	if (t->op == FILTER_WORD)
		return false;
	c = listed_column(a, t->column);
	if (!c)
		snprintf(why, size, "no list here has a column \"%s\"",
			 t->column);
	else if (!filter_value_fits(t, c->unit, a->origin_ns))
		snprintf(why, size, "%s: \"%s\" is no %s", t->column, t->value,
			 query_unit_names[c->unit]);
	else
		return false;
	return true;
}

bool act_filter_fault(const struct app *a, char *why, size_t size)
{
	const struct filter *f = &a->model.filter;

	for (size_t i = 0; is_answered(a) && i < f->n_terms; i++)
		if (is_fault(a, &f->terms[i], why, size))
			return true;
	return false;
}

static void filter_done(struct app *a, const char *text)
{
	filter_set(&a->model.filter, text);
	app_arrange(a);
}

void act_filter(struct app *a)
{
	prompt_open(a, "filter: ", a->model.filter.text, &a->filters,
		    filter_done);
}

void act_inverse(struct app *a)
{
	a->model.filter.inverse = !a->model.filter.inverse;
	app_arrange(a);
}

void act_escape(struct app *a)
{
	char name[64];
	double seconds;

	if (worker_busy(a->worker, name, &seconds)) {
		worker_cancel(a->worker, true);
		a->looking = false;
		app_say(a, false, "stopped");
		return;
	}
	if (!a->model.filter.n_terms)
		return;
	filter_set(&a->model.filter, "");
	a->model.filter.inverse = false;
	app_arrange(a);
}

void act_sort(struct app *a)
{
	struct pane *p = app_focus(a);
	int column;

	if (p->spec->shape != SHAPE_LIST || p->column >= p->n_order)
		return;
	column = (int)p->order[p->column];
	/* figures: the largest first; words: from A on */
	p->down = p->sort == column
			  ? !p->down
			  : !query_unit_is_text(p->rows.columns[column].unit);
	p->sort = column;
	p->sort_given = true;
	p->cursor = 0;
	app_arrange(a);
}

void act_unsort(struct app *a)
{
	struct pane *p = app_focus(a);

	p->sort = -1;
	p->sort_given = true;
	app_arrange(a);
}

void act_hide(struct app *a)
{
	struct pane *p = app_focus(a);
	size_t column;

	if (p->spec->shape != SHAPE_LIST || p->n_order < 2)
		return;
	column = p->order[p->column];
	if (column < 64)
		p->hidden |= UINT64_C(1) << column;
	pane_columns(p);
}

void act_columns(struct app *a)
{
	struct pane *p = app_focus(a);

	p->all_columns = !p->all_columns;
	p->hidden = 0;
	p->left = 0;
	pane_columns(p);
}

void act_menu(struct app *a)
{
	overlay_open(a, "Screens", keys_menu());
	a->overlay.menu = a->overlay.text;
}

static void go_by(struct app *a, int by)
{
	int n = 0;

	while (screens[n].name)
		n++;
	app_go(a, (a->screen + by + n) % n);
}

void act_next_screen(struct app *a)
{
	go_by(a, 1);
}

void act_previous_screen(struct app *a)
{
	go_by(a, -1);
}

void act_by_tap(struct app *a)
{
	a->model.by_tap = !a->model.by_tap;
	app_say(a, false,
		a->model.by_tap ? "flows: one row for each tap"
				: "flows: one row, whichever taps saw them");
	app_ask(a, false);
}

void act_help(struct app *a)
{
	overlay_open(a, "Keys", keys_help());
}

void act_again(struct app *a)
{
	clearok(curscr, TRUE);
	app_ask(a, true);
}

void act_quit(struct app *a)
{
	a->quit = true;
}

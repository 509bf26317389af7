/* SPDX-License-Identifier: GPL-2.0-or-later
 * The loop: keys, replies, signals, the clock. */
#include "tui/app.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"
#include "tui/act.h"
#include "tui/draw.h"

enum {
	LOOK_MS = 500, /* between two looks whether the database changed */
	BARS = 2,      /* lines at the top, and at the bottom */
};

void app_say(struct app *a, bool bad, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(a->message, sizeof a->message, format, args);
	va_end(args);
	a->message_bad = bad;
}

struct pane *app_focus(struct app *a)
{
	return &a->panes[a->focus];
}

/* ---- where panes are ------------------------------------------------- */

static void lay_out(struct app *a)
{
	int room = term_height() - 2 * BARS, weight = 0, y = BARS, last = 0, i;

	for (i = 0; i < a->n_panes; i++) {
		if (term_height() < a->panes[i].spec->tall)
			continue;
		room -= a->panes[i].spec->lines + 1;
		weight += a->panes[i].spec->weight;
		last = i;
	}
	for (i = 0; i < a->n_panes; i++) {
		const struct pane_spec *s = a->panes[i].spec;
		int more =
			weight > 0 && room > 0 ? room * s->weight / weight : 0;
		int left = term_height() - BARS - y;

		a->panes[i].box = (struct box) { y, 0, s->lines + 1 + more,
						 term_width() };
		if (term_height() < s->tall)
			a->panes[i].box.h = 0;
		else if (i == last || a->panes[i].box.h > left)
			a->panes[i].box.h = left;
		y += a->panes[i].box.h;
	}
}

/* ---- asking ---------------------------------------------------------- */

static void post(struct app *a, enum ask kind, int pane, unsigned serial,
		 const char *name, char **params)
{
	const struct question q = { .kind = kind,
				    .pane = pane,
				    .serial = serial,
				    .name = name ? strdup(name) : NULL,
				    .params = params };

	worker_ask(a->worker, &q);
}

/* Not all rows are kept: filter and order decide which.  False: as they are. */
static bool gather_of(const struct app *a, const struct pane *p,
		      struct gather *g)
{
	const struct filter *f = &a->model.filter;

	*g = (struct gather) { 0 };
	if (!p->partial || (!f->n_terms && p->sort < 0))
		return false;
	g->most = LIST_MOST;
	g->inverse = f->inverse;
	g->down = p->down;
	g->origin_ns = a->origin_ns;
	memcpy(g->filter, f->text, sizeof g->filter);
	if (p->sort >= 0)
		snprintf(g->sort, sizeof g->sort, "%s",
			 p->rows.columns[p->sort].name);
	return true;
}

/* All of a question as one text, to see whether it is a new one. */
static char *joined(char **params, const char *selector, const struct gather *g)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	char **k;

	if (!out)
		return NULL;
	for (k = params; k && *k; k++)
		fprintf(out, "%s ", *k);
	fputs(selector ? selector : "", out);
	if (g->most)
		fprintf(out, "%s %d %s %d", g->filter, g->inverse, g->sort,
			g->down);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static void free_params(char **params)
{
	char **k;

	for (k = params; k && *k; k++)
		free(*k);
	free(params);
}

/* Whose answer it is. */
static void say_about(const struct app *a, struct pane *p)
{
	const char *params = p->spec->params ? p->spec->params : "";

	*p->about = 0;
	p->of_span = a->model.zoomed && strstr(params, "=FROM");
	p->timeless = a->model.zoomed && p->spec->query &&
		      !strstr(params, "=FROM") && !strstr(params, "=FINDING") &&
		      !strstr(params, "=RECOVERY");
	if (!p->spec->query)
		snprintf(p->about, sizeof p->about, "%s", a->model.selector);
	else if (strstr(params, "=FLOW") && a->model.flow)
		snprintf(p->about, sizeof p->about, "flow %lld",
			 (long long)a->model.flow);
	else if (strstr(params, "=RECOVERY") && a->model.recovery)
		snprintf(p->about, sizeof p->about, "recovery %lld",
			 (long long)a->model.recovery);
	else if (strstr(params, "=FINDING") && a->model.finding)
		snprintf(p->about, sizeof p->about, "finding %lld",
			 (long long)a->model.finding);
}

/* A list of flows is empty: nothing else of its screen is about one. */
static bool is_flow_missing(const struct app *a, const struct pane *p)
{
	const struct pane *list;

	if (!p->spec->params || !strstr(p->spec->params, "=FLOW"))
		return false;
	for (list = a->panes; list < a->panes + a->n_panes; list++)
		if (list->spec->selects && list->answered &&
		    !list->rows.n_rows && strstr(list->spec->selects, "flow="))
			return true;
	return false;
}

static void ask_pane(struct app *a, int i, bool again)
{
	struct pane *p = &a->panes[i];
	const char *selector = p->spec->query ? NULL : a->model.selector;
	struct question q = { .kind = p->spec->of_packets ? ASK_TIMESEQ
				      : selector          ? ASK_PACKETS
							  : ASK_QUERY,
			      .pane = i };
	char **params, *text;
	bool all;

	if (p->spec->shape == SHAPE_DECODE || !p->box.h)
		return;
	say_about(a, p);
	p->steps = draw_steps(p->spec, p->box.w);
	all = gather_of(a, p, &q.gather);
	params = screen_params(p->spec->params, &a->model, p->steps, all,
			       &p->missing);
	if (is_flow_missing(a, p)) {
		p->missing = "no flow is listed above";
		*p->about = 0;
	}
	if (selector && !*selector)
		p->missing = "nothing is selected: press p on a flow, finding "
			     "or event";
	text = joined(params, selector, &q.gather);
	if (p->missing || !text ||
	    (!again && p->asked && !strcmp(p->asked, text))) {
		free_params(params);
		free(text);
		return;
	}
	free(p->asked);
	p->asked = text;
	q.serial = p->serial = ++a->serial;
	p->searching = q.gather.most > 0;
	q.name = strdup(selector ? selector : p->spec->query);
	q.params = params;
	worker_ask(a->worker, &q);
}

void app_ask(struct app *a, bool again)
{
	int i;

	lay_out(a);
	for (i = 0; i < a->n_panes; i++)
		ask_pane(a, i, again);
}

static void ask_status(struct app *a)
{
	post(a, ASK_QUERY, STATUS_PANE, 0, "tui/status", NULL);
	post(a, ASK_QUERY, FINDINGS_PANE, 0, "findings", NULL);
}

/* ---- screens --------------------------------------------------------- */

static void show_screen(struct app *a, int i)
{
	const struct pane_spec *s;
	int k;

	worker_cancel(a->worker, false);
	for (k = 0; k < a->n_panes; k++)
		pane_fini(&a->panes[k]);
	a->screen = i;
	a->n_panes = 0;
	for (s = screens[i].panes; s->title && a->n_panes < PANES_MAX; s++)
		pane_init(&a->panes[a->n_panes++], s);
	lay_out(a); /* those without room are passed over */
	a->focus = a->n_panes - 1;
	act_next_pane(a);
	app_ask(a, true);
}

void app_go(struct app *a, int i)
{
	if (i < 0 || i == a->screen)
		return;
	if (a->n_back == SCREENS_BACK)
		memmove(&a->back[0], &a->back[1],
			--a->n_back * sizeof a->back[0]);
	a->back[a->n_back++] = a->screen;
	show_screen(a, i);
}

void app_go_back(struct app *a)
{
	if (a->n_back)
		show_screen(a, a->back[--a->n_back]);
}

void app_arrange(struct app *a)
{
	char why[160];
	int i;

	for (i = 0; i < a->n_panes; i++)
		if (a->panes[i].answered)
			pane_arrange(&a->panes[i], &a->model.filter,
				     a->origin_ns);
	if (!act_filter_fault(a, why, sizeof why))
		app_ask(a, false); /* where not all rows are kept */
}

/* ---- replies --------------------------------------------------------- */

static void keep_rows(struct rows *into, struct reply *r)
{
	rows_fini(into);
	*into = r->rows;
	r->rows = (struct rows) { 0 };
}

void app_clock(struct app *a, bool clock)
{
	a->clock = clock;
	a->origin_ns = clock ? 0 : a->first_ns;
	app_arrange(a);
}

/* Somebody writes it while we look. */
static bool is_running(const struct app *a)
{
	const char *state = rows_text(&a->status, 0, "state");

	return a->status.n_rows && *state && strcmp(state, "ended") != 0;
}

static void take_status(struct app *a, struct reply *r)
{
	bool first_time = !a->status.n_rows;
	int64_t first, last;

	if (r->failed)
		return;
	keep_rows(&a->status, r);
	if (first_time && is_running(a))
		a->model.follow = true;
	if (!a->model.flow)
		a->model.flow = rows_int(&a->status, 0, "flow_id", 0);
	first = rows_int(&a->status, 0, "first_ns", 0);
	last = rows_int(&a->status, 0, "last_ns", 0);
	if (!last)
		return;
	/* all times are distances from there */
	if (a->first_ns != rows_int(&a->status, 0, "origin_ns", first)) {
		a->first_ns = rows_int(&a->status, 0, "origin_ns", first);
		app_clock(a, a->clock);
	}
	if (first != a->model.whole.from || last != a->model.whole.to) {
		model_whole(&a->model, first, last);
		app_ask(a, false);
	}
}

/* A list of flows with more of the one under its cursor below: the flow that is
 * looked at on other screens is that one, if it is in the list. */
static void meet_flow(struct app *a, struct pane *list)
{
	bool below = false;

	for (int i = 0; i < a->n_panes; i++)
		below |= a->panes[i].spec->params &&
			 strstr(a->panes[i].spec->params, "=FLOW");
	if (!below || !list->spec->selects ||
	    !strstr(list->spec->selects, "flow="))
		return;
	pane_choose(list, "flow", a->model.flow);
	if (pane_selects(list, "flow"))
		a->model.flow = pane_selects(list, "flow");
	app_ask(a, false);
}

/* An empty answer means one thing where there was nothing, and another where
 * nothing can be seen. */
static void ask_why(struct app *a, int i)
{
	const struct pane *p = &a->panes[i];
	const char *missing;

	if (!p->rows.n_rows && p->spec->why)
		post(a, ASK_WHY, i, p->serial, p->spec->why,
		     screen_params(p->spec->why_params, &a->model, p->steps,
				   false, &missing));
}

static void take_why(struct app *a, const struct reply *r)
{
	struct pane *p = &a->panes[r->pane];

	if (r->pane < a->n_panes && r->serial == p->serial && !r->failed &&
	    !p->rows.n_rows && r->rows.n_rows)
		snprintf(p->why, sizeof p->why, "%s",
			 rows_text(&r->rows, 0, "why"));
}

/* Were there as many rows as asked for? */
static bool is_partial(const struct pane *p, const struct reply *r)
{
	return r->n.seen ||
	       (p->spec->params && strstr(p->spec->params, "=MOST") &&
		r->rows.n_rows >= LIST_MOST);
}

static void take_pane(struct app *a, struct reply *r)
{
	struct pane *p = &a->panes[r->pane];
	bool first = !p->answered, empty = !p->rows.n_rows;

	if (r->pane >= a->n_panes || r->serial != p->serial)
		return; /* nobody waits for it any more */
	p->seconds = r->seconds;
	p->searching = false;
	if (r->failed) {
		p->err = r->err;
		if (r->stopped)
			snprintf(p->err.text, sizeof p->err.text,
				 "stopped; R repeats the query");
		return;
	}
	p->partial = is_partial(p, r);
	p->n = r->n;
	pane_answer(p, &r->rows, &r->packets, &a->model.filter, a->origin_ns);
	if (p->partial && !r->n.seen)
		ask_pane(a, r->pane, false); /* by its order, or the filter */
	ask_why(a, r->pane);
	for (int i = r->pane + 1; i < a->n_panes; i++)
		a->panes[i].text_of = SIZE_MAX; /* a row of other rows now */
	/* what is looked at on other screens stays chosen */
	if (first && a->model.finding)
		pane_choose(p, "finding", a->model.finding);
	if (p->spec->selects && strstr(p->spec->selects, "recovery=")) {
		if (first && a->model.recovery)
			pane_choose(p, "recovery", a->model.recovery);
		a->model.recovery = pane_selects(p, "recovery");
		app_ask(a, false);
	}
	if (first || empty || !p->rows.n_rows)
		meet_flow(a, p);
	if (pane_selects(p, "finding") && !a->model.finding) {
		a->model.finding = pane_selects(p, "finding");
		app_ask(a, false);
	}
}

static void take_look(struct app *a, struct reply *r)
{
	a->looking = false;
	if (r->failed)
		app_say(a, true, "%s", r->err.text);
	else if (*r->said)
		app_say(a, false, "%s", r->said);
	if (!r->changed)
		return;
	ask_status(a);
	app_ask(a, true);
}

static void take_reply(struct app *a, struct reply *r)
{
	if (r->kind == ASK_LOOK)
		take_look(a, r);
	else if (r->kind == ASK_WHY)
		take_why(a, r);
	else if (r->kind == ASK_SAVE)
		app_say(a, r->failed, "%s", r->failed ? r->err.text : r->said);
	else if (r->pane == STATUS_PANE)
		take_status(a, r);
	else if (r->pane == FINDINGS_PANE && !r->failed)
		keep_rows(&a->findings, r);
	else if (r->pane >= 0)
		take_pane(a, r);
	reply_fini(r);
}

/* ---- drawing --------------------------------------------------------- */

static void draw_small(void)
{
	term_printf(0, 0, term_width(), ROLE_BOLD, "%d x %d is too small",
		    term_width(), term_height());
	term_printf(1, 0, term_width(), ROLE_TEXT, "needs %d x %d; q quits",
		    TERM_COLUMNS, TERM_LINES);
}

static void draw(struct app *a)
{
	int i;

	erase();
	if (term_width() < TERM_COLUMNS || term_height() < TERM_LINES) {
		draw_small();
	} else if (a->overlay.text) {
		overlay_draw(a);
	} else {
		bars_draw(a);
		for (i = 0; i < a->n_panes; i++)
			draw_pane(&(struct drawing) {
				.pane = &a->panes[i],
				.box = a->panes[i].box,
				.origin_ns = a->origin_ns,
				.span = a->model.span,
				.focus = i == a->focus,
				.before = i ? &a->panes[i - 1] : NULL });
		if (a->prompt.done)
			prompt_draw(a);
	}
	refresh();
}

/* ---- keys ------------------------------------------------------------ */

static void on_mouse(struct app *a)
{
	MEVENT e;
	int wheel, key;

	if (getmouse(&e) != OK)
		return;
	wheel = e.bstate & BUTTON4_PRESSED   ? -1
		: e.bstate & BUTTON5_PRESSED ? 1
					     : 0;
	key = wheel ? 0 : bars_key_at(a, e.y, e.x);
	if (a->overlay.text)
		overlay_point(a, e.y, wheel);
	else if (key)
		keys_do(a, key);
	else
		act_point(a, e.y, e.x, wheel);
}

static void on_resize(struct app *a)
{
	lay_out(a);
	app_ask(a, false); /* steps are as many as columns */
}

static void on_key(struct app *a, int key, bool character)
{
	if (key == KEY_RESIZE && !character) {
		on_resize(a);
		return;
	}
	*a->message = 0;
	if (term_width() < TERM_COLUMNS || term_height() < TERM_LINES)
		a->quit = key == 'q';
	else if (a->prompt.done)
		prompt_key(a, key, character);
	else if (key == KEY_MOUSE && !character)
		on_mouse(a);
	else if (a->overlay.text)
		overlay_key(a, key);
	else
		keys_do(a, key);
}

static void read_keys(struct app *a)
{
	wint_t key;
	int rc;

	while (!a->quit && (rc = get_wch(&key)) != ERR)
		on_key(a, (int)key, rc != KEY_CODE_YES);
}

/* ^C stops a question that takes its time; else it ends us, as the others. */
static void on_signal(struct app *a)
{
	int number = term_signal();
	char name[64];
	double seconds;

	if (!number)
		return;
	if (number == SIGINT && worker_busy(a->worker, name, &seconds) &&
	    seconds > 0.3) {
		act_escape(a);
		return;
	}
	a->signal = number;
	a->quit = true;
}

static void look(struct app *a)
{
	if (a->looking)
		return;
	a->looking = true;
	post(a, ASK_LOOK, STATUS_PANE, 0, NULL, NULL);
}

static void drain(int fd)
{
	char bytes[64];

	while (read(fd, bytes, sizeof bytes) > 0)
		;
}

static void wait_and_do(struct app *a)
{
	struct pollfd f[] = { { .fd = STDIN_FILENO, .events = POLLIN },
			      { .fd = a->wake[0], .events = POLLIN },
			      { .fd = term_signal_fd(), .events = POLLIN } };
	struct reply r;
	int n = poll(f, 3, LOOK_MS);

	if (n == 0)
		look(a);
	drain(a->wake[0]);
	while (worker_take(a->worker, &r))
		take_reply(a, &r);
	on_signal(a);
	read_keys(a); /* also when poll() was interrupted: a new size */
	if (n > 0 && f[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		a->quit = true; /* the terminal was closed */
}

static void loop(struct app *a)
{
	ask_status(a);
	show_screen(a, 0);
	while (!a->quit) {
		draw(a);
		wait_and_do(a);
	}
}

/* ---- begin and end --------------------------------------------------- */

static void fini(struct app *a)
{
	int i;

	for (i = 0; i < a->n_panes; i++)
		pane_fini(&a->panes[i]);
	worker_free(a->worker);
	rows_fini(&a->status);
	rows_fini(&a->findings);
	overlay_close(a);
	history_fini(&a->filters);
	history_fini(&a->times);
	history_fini(&a->files);
	catalogue_free(a->catalogue);
	for (i = 0; i < 2; i++)
		if (a->wake[i] >= 0)
			close(a->wake[i]);
}

static int begin(struct app *a, struct err *err)
{
	struct store *s = store_open(a->options->database, err);

	if (!s)
		return -1;
	a->catalogue = catalogue_new();
	if (!a->catalogue || pipe2(a->wake, O_CLOEXEC | O_NONBLOCK) < 0) {
		store_free(s);
		return err_errno(err, "cannot begin");
	}
	a->worker = worker_new(a->options->database, s, a->wake[1], err);
	if (!a->worker)
		return -1;
	a->model.follow = a->options->live;
	return term_begin(a->options->ascii, a->options->mouse, err);
}

int tui_run(const struct tui_options *o, struct err *err)
{
	struct app a = { .options = o, .wake = { -1, -1 } };
	int rc = begin(&a, err);

	if (!rc) {
		loop(&a);
		rc = a.signal;
	}
	term_end();
	fini(&a);
	return rc;
}

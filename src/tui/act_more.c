/* SPDX-License-Identifier: GPL-2.0-or-later
 * Keys: packets, files, and what is behind a pane. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clamp.h"
#include "base/text.h"
#include "store/store.h"
#include "tui/act.h"
#include "tui/app.h"

/* ---- what a row is about, as a selector ------------------------------ */

enum { FRAMES_AROUND = 10 };

/* What lies before the first packet has none. */
static int64_t since_first(const struct app *a, int64_t ns)
{
	return ns > a->first_ns ? clamp_sub(ns, a->first_ns) : 0;
}

static bool selector_of(const struct app *a, const struct pane *p,
			char out[static SELECTOR_TEXT])
{
	int64_t frame = pane_selects(p, "frame");
	int64_t tap = pane_selects(p, "tap");
	int64_t finding = pane_selects(p, "finding");
	int64_t flow = pane_selects(p, "flow");
	int64_t from = since_first(a, a->model.span.from);
	int64_t to = since_first(a, a->model.span.to);

	if (frame && tap)
		snprintf(out, SELECTOR_TEXT,
			 "frames:%" PRId64 "..%" PRId64 "@%" PRId64,
			 frame > FRAMES_AROUND ? frame - FRAMES_AROUND : 1,
			 frame + FRAMES_AROUND, tap);
	else if (finding)
		snprintf(out, SELECTOR_TEXT, "finding:%" PRId64, finding);
	else if (flow)
		snprintf(out, SELECTOR_TEXT, "flow:%" PRId64, flow);
	else if (a->model.zoomed)
		snprintf(out, SELECTOR_TEXT,
			 "time:+%" PRId64 ".%09" PRId64 "..+%" PRId64
			 ".%09" PRId64,
			 from / 1000000000, from % 1000000000, to / 1000000000,
			 to % 1000000000);
	else
		return false;
	return true;
}

static bool on_packets(const struct app *a)
{
	return !a->panes[0].spec->query;
}

void act_packets(struct app *a)
{
	char selector[SELECTOR_TEXT];

	if (on_packets(a))
		return;
	if (!selector_of(a, app_focus(a), selector)) {
		app_say(a, false,
			"choose a row that is about packets, or zoom "
			"to a time");
		return;
	}
	snprintf(a->model.selector, sizeof a->model.selector, "%s", selector);
	app_go(a, screen_by_name("Packets"));
}

/* ---- saving ---------------------------------------------------------- */

static void ask_save(struct app *a, const char *path)
{
	struct question q = { .kind = ASK_SAVE,
			      .pane = STATUS_PANE,
			      .name = strdup(a->saving),
			      .path = strdup(path) };

	app_say(a, false, "saving %s ...", a->saving);
	worker_ask(a->worker, &q);
}

static void overwrite_done(struct app *a, const char *text)
{
	if (!strcmp(text, "y") || !strcmp(text, "yes"))
		ask_save(a, a->saving_to);
	else
		app_say(a, false, "not saved");
}

static void save_done(struct app *a, const char *text)
{
	if (!*text)
		return;
	snprintf(a->saving_to, sizeof a->saving_to, "%s", text);
	if (access(text, F_OK)) {
		ask_save(a, text);
		return;
	}
	prompt_open(a, "that file exists; overwrite it (y/n)? ", "", NULL,
		    overwrite_done);
}

void act_why(struct app *a)
{
	int64_t recovery = pane_selects(app_focus(a), "recovery");

	if (!recovery) {
		app_say(a, true, "the row is not part of a recovery");
		return;
	}
	a->model.recovery = recovery;
	app_go(a, screen_by_name("Recoveries"));
}

void act_save(struct app *a)
{
	char name[SELECTOR_TEXT + 16], *c;

	if (on_packets(a))
		snprintf(a->saving, sizeof a->saving, "%s", a->model.selector);
	else if (!selector_of(a, app_focus(a), a->saving))
		*a->saving = 0;
	if (!*a->saving) {
		app_say(a, false,
			"choose a row that is about packets, or zoom "
			"to a time");
		return;
	}
	snprintf(name, sizeof name, "%s.pcapng", a->saving);
	for (c = name; *c; c++)
		if (strchr(":@+", *c))
			*c = '-';
	prompt_open(a, "save packets to: ", name, &a->files, save_done);
}

/* ---- SQL and command ------------------------------------------------- */

static void write_words(FILE *out, const struct app *a, const char *command)
{
	char *program = text_shell(a->options->program);
	char *database = text_shell(a->options->database);

	fprintf(out, "%s %s %s", program ? program : "fabscope", command,
		database ? database : "DB");
	free(program);
	free(database);
}

static void write_command(FILE *out, const struct app *a, const struct pane *p)
{
	char *const *k;
	char **params;
	const char *missing;

	if (!p->spec->query) {
		write_words(out, a, "slice");
		fprintf(out, " %s -w - | fabscope decode -\n",
			a->model.selector);
		return;
	}
	if (p->spec->of_packets) {
		write_words(out, a, "plot");
		fprintf(out, " flow:%" PRId64 " -o flow-%" PRId64 ".svg\n",
			a->model.flow, a->model.flow);
		return;
	}
	write_words(out, a, "query");
	fprintf(out, " %s", p->spec->query);
	params = screen_params(p->spec->params, &a->model, p->steps, p->n.seen,
			       &missing);
	for (k = params; k && *k; k++) {
		fprintf(out, " -p %s", *k);
		free(*k);
	}
	free(params);
	fputc('\n', out);
}

void act_sql(struct app *a)
{
	const struct pane *p = app_focus(a);
	const struct query *q = NULL;
	char title[96], *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return;
	if (p->spec->query && !p->spec->of_packets)
		q = catalogue_find(a->catalogue, p->spec->query);
	fputs("This pane is the answer of\n\n  ", out);
	write_command(out, a, p);
	if (q)
		fprintf(out, "\nwhich took %.0f ms%s%s.  Its SQL:\n\n%s",
			p->seconds * 1000, q->origin ? " and is from " : "",
			q->origin ? q->origin : "", q->sql);
	snprintf(title, sizeof title, "Behind \"%s\"", p->spec->title);
	if (fclose(out))
		return;
	overlay_open(a, title, text);
}

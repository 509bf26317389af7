/* SPDX-License-Identifier: GPL-2.0-or-later
 * The dashboard as a whole: what the files of the loop, of the keys and of the
 * lines at top and bottom share. */
#ifndef FABSCOPE_TUI_APP_H
#define FABSCOPE_TUI_APP_H

#include "tui/model.h"
#include "tui/pane.h"
#include "tui/screen.h"
#include "tui/tui.h"
#include "tui/worker.h"

enum {
	PROMPT_TEXT = FILTER_TEXT,
	HISTORY_MAX = 50,
	SCREENS_BACK = 32,
	STATUS_PANE = -1,   /* in replies: for the top line */
	FINDINGS_PANE = -2, /* for jumps */
};

/* What was typed into a prompt before, the latest last. */
struct history {
	char *line[HISTORY_MAX];
	size_t n;
};

struct app;

/* A line to type in, at the bottom.  Open while |done| is not NULL. */
struct prompt {
	char label[96];
	char text[PROMPT_TEXT];
	size_t length; /* bytes; the cursor is at the end */
	struct history *history;
	size_t at; /* in the history; n: the new line */
	void (*done)(struct app *a, const char *text);
};

/* Text over everything: help, SQL.  Open while |text| is not NULL. */
struct overlay {
	char title[80];
	char *text;
	size_t top, lines;
	bool menu; /* its lines are the screens, in their order */
};

enum { ZONES_MAX = 64 };

/* A place on the screen that stands for a key. */
struct zone {
	int y, x, w, key;
};

struct app {
	const struct tui_options *options;
	struct worker *worker;
	int wake[2]; /* a byte for each reply */
	struct catalogue *catalogue;
	struct model model;
	int64_t first_ns;  /* the first packet */
	bool clock;        /* times are those of the day, not distances */
	int64_t origin_ns; /* what times are drawn from; 0: the epoch */

	int screen; /* in screens */
	int back[SCREENS_BACK];
	size_t n_back;
	struct pane panes[PANES_MAX];
	int n_panes, focus;
	unsigned serial;

	struct rows status;   /* tui/status */
	struct rows findings; /* all of them: to jump between */
	int64_t visited;      /* finding that was jumped to last */
	bool looking;         /* a question whether anything changed is open */

	int first_tab; /* the one at the left */
	struct zone zones[ZONES_MAX];
	size_t n_zones;

	struct prompt prompt;
	struct history filters, times, files;
	struct overlay overlay;
	char saving[SELECTOR_TEXT], saving_to[PROMPT_TEXT];
	char message[512]; /* at the bottom, until the next key */
	bool message_bad;
	bool quit;
	int signal;
};

/* ---- app.c ----------------------------------------------------------- */

void app_say(struct app *a, bool bad, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Goes to screen |i|; the way back is kept. */
void app_go(struct app *a, int i);
void app_go_back(struct app *a);

/* Asks everything again whose question is another one now; |again|: all of the
 * screen. */
void app_ask(struct app *a, bool again);

/* The filter or its direction changed: all lists. */
void app_arrange(struct app *a);

/* Times of the day, or distances from the first packet. */
void app_clock(struct app *a, bool clock);

struct pane *app_focus(struct app *a);

/* ---- bars.c: the lines at top and bottom ----------------------------- */

void bars_draw(struct app *a);
/* The key that the tab or hint at this place stands for; 0: none is there. */
int bars_key_at(const struct app *a, int y, int x);

/* ---- prompt.c -------------------------------------------------------- */

void prompt_open(struct app *a, const char *label, const char *text,
		 struct history *h, void (*done)(struct app *a, const char *t));
/* |character|: no function key but a code point. */
void prompt_key(struct app *a, int key, bool character);
void prompt_draw(struct app *a);
void history_fini(struct history *h);

/* ---- overlay.c ------------------------------------------------------- */

/* |text| is for the overlay to free. */
void overlay_open(struct app *a, const char *title, char *text);
void overlay_close(struct app *a);
void overlay_key(struct app *a, int key);
/* The mouse: a screen of the menu, or how far the wheel went. */
void overlay_point(struct app *a, int y, int wheel);
void overlay_draw(struct app *a);

/* ---- keys.c ---------------------------------------------------------- */

/* Does what |key| stands for; false when it stands for nothing. */
bool keys_do(struct app *a, int key);

/* The help, and the screens alone, from the tables; for free(). */
char *keys_help(void);
char *keys_menu(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * A line to type in. */
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app.h"

void history_fini(struct history *h)
{
	while (h->n)
		free(h->line[--h->n]);
}

static void remember(struct history *h, const char *text)
{
	if (!h || !*text || (h->n && !strcmp(h->line[h->n - 1], text)))
		return;
	if (h->n == HISTORY_MAX) {
		free(h->line[0]);
		memmove(&h->line[0], &h->line[1], --h->n * sizeof h->line[0]);
	}
	h->line[h->n] = strdup(text);
	h->n += h->line[h->n] != NULL;
}

static void set_text(struct prompt *p, const char *text)
{
	snprintf(p->text, sizeof p->text, "%s", text);
	p->length = strlen(p->text);
}

void prompt_open(struct app *a, const char *label, const char *text,
		 struct history *h, void (*done)(struct app *a, const char *t))
{
	struct prompt *p = &a->prompt;

	snprintf(p->label, sizeof p->label, "%s", label);
	set_text(p, text);
	p->history = h;
	p->at = h ? h->n : 0;
	p->done = done;
}

/* |by| lines later in the history; after the last one is a new line. */
static void recall(struct prompt *p, int by)
{
	size_t n = p->history ? p->history->n : 0;

	if ((by < 0 && !p->at) || (by > 0 && p->at >= n))
		return;
	p->at += (size_t)by;
	set_text(p, p->at < n ? p->history->line[p->at] : "");
}

static void add_character(struct prompt *p, unsigned c)
{
	char bytes[5] = { 0 };
	size_t n;

	if (c < 0x80)
		bytes[0] = (char)c;
	else if (c < 0x800)
		snprintf(bytes, sizeof bytes, "%c%c", (int)(0xc0 | c >> 6),
			 (int)(0x80 | (c & 0x3f)));
	else if (c < 0x10000)
		snprintf(bytes, sizeof bytes, "%c%c%c", (int)(0xe0 | c >> 12),
			 (int)(0x80 | (c >> 6 & 0x3f)),
			 (int)(0x80 | (c & 0x3f)));
	n = strlen(bytes);
	if (!n || p->length + n >= sizeof p->text)
		return;
	memcpy(p->text + p->length, bytes, n + 1);
	p->length += n;
}

static void drop_character(struct prompt *p)
{
	while (p->length && (p->text[p->length - 1] & 0xc0) == 0x80)
		p->length--;
	p->length -= p->length > 0;
	p->text[p->length] = 0;
}

static void drop_word(struct prompt *p)
{
	while (p->length && p->text[p->length - 1] == ' ')
		drop_character(p);
	while (p->length && p->text[p->length - 1] != ' ')
		drop_character(p);
}

static void finish(struct app *a)
{
	void (*done)(struct app *, const char *) = a->prompt.done;
	char text[PROMPT_TEXT];

	memcpy(text, a->prompt.text, sizeof text);
	remember(a->prompt.history, text);
	a->prompt.done = NULL; /* it may open the next */
	done(a, text);
}

void prompt_key(struct app *a, int key, bool character)
{
	enum { CTRL_U = 0x15, CTRL_W = 0x17, ESCAPE = 0x1b };
	struct prompt *p = &a->prompt;

	if (key == '\n' || key == '\r' || key == KEY_ENTER)
		finish(a);
	else if (key == ESCAPE)
		p->done = NULL;
	else if (key == KEY_BACKSPACE || key == '\b' || key == 0x7f)
		drop_character(p);
	else if (key == KEY_UP && !character)
		recall(p, -1);
	else if (key == KEY_DOWN && !character)
		recall(p, 1);
	else if (key == CTRL_U)
		set_text(p, "");
	else if (key == CTRL_W)
		drop_word(p);
	else if (character && key >= ' ')
		add_character(p, (unsigned)key);
}

void prompt_draw(struct app *a)
{
	const struct prompt *p = &a->prompt;
	int y = term_height() - 1, w = term_width();
	int label = term_columns(p->label);
	const char *from = p->text;

	term_fill(y, 0, w, ROLE_BOLD, p->label);
	/* the end is where one types */
	while (*from && term_columns(from) > w - label - 2)
		from++;
	while ((*from & 0xc0) == 0x80)
		from++;
	term_put(y, label, w - label - 1, ROLE_TEXT, from);
	term_put(y, label + term_columns(from), 1, ROLE_CURSOR, " ");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text over everything: help, SQL. */
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app.h"

void overlay_open(struct app *a, const char *title, char *text)
{
	const char *c;

	overlay_close(a);
	if (!text)
		return;
	snprintf(a->overlay.title, sizeof a->overlay.title, "%s", title);
	a->overlay.text = text;
	for (c = text; *c; c++)
		a->overlay.lines += *c == '\n';
}

void overlay_close(struct app *a)
{
	free(a->overlay.text);
	a->overlay = (struct overlay) { 0 };
}

static size_t room(void)
{
	int h = term_height() - 2;

	return h > 1 ? (size_t)h : 1;
}

void overlay_key(struct app *a, int key)
{
	struct overlay *o = &a->overlay;
	size_t most = o->lines > room() ? o->lines - room() : 0;
	size_t page = room() > 2 ? room() - 2 : 1;

	if (key == 'j' || key == KEY_DOWN || key == '\n' || key == '\r')
		o->top++;
	else if (key == 'k' || key == KEY_UP)
		o->top -= o->top > 0;
	else if (key == ' ' || key == KEY_NPAGE || key == 0x06)
		o->top += page;
	else if (key == KEY_PPAGE || key == 0x02)
		o->top -= o->top < page ? o->top : page;
	else if (key == 'g' || key == KEY_HOME)
		o->top = 0;
	else if (key == 'G' || key == KEY_END)
		o->top = most;
	else if (key != KEY_RESIZE) {
		int screen = o->menu ? screen_by_key(key) : -1;

		overlay_close(a);
		app_go(a, screen);
		return;
	}
	if (o->top > most)
		o->top = most;
}

void overlay_point(struct app *a, int y, int wheel)
{
	int line = y - 1 + (int)a->overlay.top;

	if (wheel)
		overlay_key(a, wheel < 0 ? KEY_UP : KEY_DOWN);
	else if (!a->overlay.menu || y < 1 || line >= (int)a->overlay.lines)
		overlay_close(a);
	else
		overlay_key(a, screens[line].key);
}

void overlay_draw(struct app *a)
{
	const struct overlay *o = &a->overlay;
	const char *at = o->text;
	size_t skip = o->top;
	int w = term_width(), y;
	char line[1024];

	term_fill(0, 0, w, ROLE_BAR, "");
	term_put(0, 1, w - 2, ROLE_BAR, o->title);
	for (; skip && *at; at++)
		skip -= *at == '\n';
	for (y = 1; y < term_height() - 1; y++) {
		size_t n = strcspn(at, "\n");

		snprintf(line, sizeof line, "%.*s", (int)n, at);
		term_fill(y, 0, w, ROLE_TEXT, "");
		term_put(y, 1, w - 2,
			 *line && *line != ' ' && n < 30 ? ROLE_BOLD
							 : ROLE_TEXT,
			 line);
		at += n + (at[n] == '\n');
	}
	snprintf(line, sizeof line, "%s%s",
		 o->menu ? " key of a screen: go there  " : "",
		 *at ? " j/k, Space: more   any other key: close"
		     : " any other key: close");
	term_fill(y, 0, w, ROLE_BAR, line);
}

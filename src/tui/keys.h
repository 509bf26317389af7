/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of keys.  Help, the bottom line and the man page come from it. */
#ifndef FABSCOPE_TUI_KEYS_H
#define FABSCOPE_TUI_KEYS_H

struct app;

enum { KEY_CODES = 5 };

struct key {
	const char *group;    /* heading in the help */
	const char *names;    /* as people read them */
	int codes[KEY_CODES]; /* 0 after the last */
	const char *help;     /* one line */
	const char *hint;     /* in the bottom line, or NULL */
	void (*act)(struct app *a);
};

extern const struct key keys[]; /* the last has no names */

#endif

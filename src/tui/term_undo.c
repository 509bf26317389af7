/* SPDX-License-Identifier: GPL-2.0-or-later
 * What gives the terminal back, as bytes to write.  A file of its own: term.h
 * of ncurses takes words such as "columns" for itself. */
#include <curses.h>
#include <string.h>
#include <term.h>

#include "tui/term.h"

bool term_moves(void)
{
	const char *s = tigetstr("cup");

	return s && s != (char *)-1;
}

size_t term_undo(char *out, size_t size, bool mouse)
{
	static const char mouse_off[] = "\033[?1000l\033[?1006l";
	/* colors off, keypad off, cursor on, the screen from before */
	static char names[][8] = { "sgr0", "op", "rmkx", "cnorm", "rmcup" };
	size_t n = mouse ? sizeof mouse_off - 1 : 0, i, length;

	memcpy(out, mouse_off, n);
	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *s = tigetstr(names[i]);

		if (!s || s == (char *)-1)
			continue;
		length = strlen(s);
		if (n + length > size)
			break;
		memcpy(out + n, s, length);
		n += length;
	}
	return n;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * ncurses, and what it leaves to us: hostile text, signals, giving the terminal
 * back when we crash.
 *
 * A crash cannot call endwin(), which is not safe in a signal handler.  So what
 * undoes our settings is made in advance, and the handler only writes it. */
#include "tui/term.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/text.h"

static struct {
	SCREEN *screen;
	bool begun, utf8, colour;
	struct termios before;
	char undo[256]; /* what a crash writes */
	size_t n_undo;
	int pipe[2];
	volatile sig_atomic_t signal;
} term = { .pipe = { -1, -1 } };

/* ---- how things look ------------------------------------------------- */

static const struct look {
	short colour, ground;    /* -1: the terminal's own */
	attr_t attribute, plain; /* with colors, and without */
} looks[ROLES] = {
	[ROLE_TEXT] = { -1, -1, 0, 0 },
	[ROLE_DIM] = { -1, -1, A_DIM, 0 },
	[ROLE_BOLD] = { -1, -1, A_BOLD, A_BOLD },
	[ROLE_BAR] = { COLOR_BLACK, COLOR_CYAN, 0, A_REVERSE },
	[ROLE_BARKEY] = { COLOR_WHITE, COLOR_BLUE, A_BOLD, A_BOLD },
	[ROLE_HEAD] = { COLOR_CYAN, -1, 0, A_UNDERLINE },
	[ROLE_COLUMN] = { COLOR_CYAN, -1, A_BOLD | A_UNDERLINE,
			  A_BOLD | A_UNDERLINE },
	[ROLE_TITLE] = { -1, -1, A_DIM, 0 },
	[ROLE_FOCUS] = { COLOR_CYAN, -1, A_BOLD, A_BOLD },
	[ROLE_CURSOR] = { COLOR_BLACK, COLOR_GREEN, 0, A_REVERSE },
	[ROLE_CRITICAL] = { COLOR_RED, -1, A_BOLD, A_BOLD },
	[ROLE_WARNING] = { COLOR_YELLOW, -1, 0, A_BOLD },
	[ROLE_INFO] = { COLOR_CYAN, -1, 0, 0 },
	[ROLE_GOOD] = { COLOR_GREEN, -1, 0, 0 },
	[ROLE_LOAD] = { COLOR_GREEN, -1, 0, 0 },
};

static const char *const glyphs[GLYPHS][2] = {
	[GLYPH_LINE] = { "-", "─" },  [GLYPH_RUNG] = { "|", "│" },
	[GLYPH_OVER] = { "+", "┼" },  [GLYPH_LEFT] = { "<", "◀" },
	[GLYPH_RIGHT] = { ">", "▶" }, [GLYPH_CROSS] = { "x", "╳" },
	[GLYPH_DASH] = { ".", "·" },  [GLYPH_RING] = { "o", "○" },
	[GLYPH_MARK] = { "!", "▼" },  [GLYPH_UP] = { "^", "▲" },
	[GLYPH_DOWN] = { "v", "▼" },  [GLYPH_MORE] = { ">", "…" },
};

static const char *const levels[TERM_LEVELS + 1][2] = {
	{ " ", " " }, { ".", "▁" }, { ".", "▂" }, { ":", "▃" }, { ":", "▄" },
	{ "|", "▅" }, { "|", "▆" }, { "#", "▇" }, { "#", "█" },
};

static const char *const shades[][2] = {
	{ ".", "·" }, { ":", "░" }, { "+", "▒" }, { "*", "▓" }, { "#", "█" },
};

const char *term_glyph(enum glyph g)
{
	return glyphs[g][term.utf8];
}

const char *term_level(int level)
{
	if (level < 0)
		level = 0;
	return levels[level > TERM_LEVELS ? TERM_LEVELS : level][term.utf8];
}

const char *term_shade(double part)
{
	const int n = (int)(sizeof shades / sizeof shades[0]);
	int i = part > 0 ? (int)(part * n) : 0;

	return shades[i >= n ? n - 1 : i][term.utf8];
}

static void set_role(enum role role)
{
	const struct look *l = &looks[role];

	attr_set(term.colour ? l->attribute : l->plain,
		 term.colour ? (short)(role + 1) : 0, NULL);
}

static void make_colours(void)
{
	const char *no = getenv("NO_COLOR");
	int i;

	term.colour = false;
	if ((no && *no) || !has_colors() || start_color() == ERR)
		return;
	/* both are known from here on only */
	term.colour = COLORS >= 8 && COLOR_PAIRS > ROLES;
	if (!term.colour)
		return;
	use_default_colors();
	for (i = 0; i < ROLES; i++)
		init_pair((short)(i + 1), looks[i].colour, looks[i].ground);
}

/* ---- text ------------------------------------------------------------ */

/* The next character of |*s| as it may be shown, with its columns; 0 at the
 * end.  |*s| moves on. */
static int next_char(const char **s, const char **out, int *bytes)
{
	uint32_t code = 0;
	size_t n = text_utf8(*s, &code);
	int w = 1;

	*out = *s;
	*bytes = (int)n;
	*s += n ? n : 1;
	if (n > 1)
		w = term.utf8 ? wcwidth((wchar_t)code) : -1;
	if (!n || code < ' ' || code == 0x7f || w < 0) {
		*out = "?";
		*bytes = w = 1;
	}
	return w;
}

int term_columns(const char *text)
{
	int columns = 0, bytes;
	const char *c;

	while (*text)
		columns += next_char(&text, &c, &bytes);
	return columns;
}

int term_put(int y, int x, int w, enum role role, const char *text)
{
	int used = 0, bytes, columns;
	const char *c;

	if (y < 0 || y >= LINES || x < 0 || x >= COLS || w <= 0)
		return 0;
	if (w > COLS - x)
		w = COLS - x;
	set_role(role);
	move(y, x);
	while (*text) {
		const char *before = text;

		columns = next_char(&text, &c, &bytes);
		if (used + columns > w ||
		    (used + columns == w && *text && w > 3 &&
		     term_columns(before) > w - used)) {
			if (used < w)
				addstr(term_glyph(GLYPH_MORE));
			used = w;
			break;
		}
		if (columns) /* what has no width could be piled up */
			addnstr(c, bytes);
		used += columns;
	}
	set_role(ROLE_TEXT);
	return used;
}

int term_printf(int y, int x, int w, enum role role, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return term_put(y, x, w, role, text);
}

void term_fill(int y, int x, int w, enum role role, const char *text)
{
	int used = term_put(y, x, w, role, text);

	if (y < 0 || y >= LINES || x < 0 || x >= COLS)
		return;
	if (w > COLS - x)
		w = COLS - x;
	if (used >= w)
		return;
	set_role(role);
	mvprintw(y, x + used, "%*s", w - used, "");
	set_role(ROLE_TEXT);
}

void term_right(int y, int x, int w, enum role role, const char *text)
{
	int n = term_columns(text);

	if (n < w)
		term_fill(y, x, w - n, role, "");
	term_put(y, n < w ? x + w - n : x, n < w ? n : w, role, text);
}

void term_glyphs(int y, int x, int n, enum role role, enum glyph g)
{
	for (; n > 0; n--, x++)
		term_put(y, x, 1, role, term_glyph(g));
}

int term_height(void)
{
	return LINES;
}

int term_width(void)
{
	return COLS;
}

/* ---- signals --------------------------------------------------------- */

static void on_end(int number)
{
	int saved = errno;

	term.signal = number;
	/* a full pipe has woken the reader already */
	if (write(term.pipe[1], "", 1) < 0)
		errno = saved;
	errno = saved;
}

static struct sigaction crash_before[5];
static const int crashes[5] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static void on_crash(int number)
{
	size_t i;

	if (write(STDOUT_FILENO, term.undo, term.n_undo) > 0)
		tcsetattr(STDIN_FILENO, TCSANOW, &term.before);
	for (i = 0; i < 5; i++)
		if (crashes[i] == number)
			sigaction(number, &crash_before[i], NULL);
	if (number == SIGABRT) /* the others come back by themselves */
		raise(number);
}

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static struct sigaction end_before[4];

static void catch_signals(void)
{
	struct sigaction end = { .sa_handler = on_end };
	struct sigaction crash = { .sa_handler = on_crash };
	size_t i;

	for (i = 0; i < 4; i++)
		sigaction(ends[i], &end, &end_before[i]);
	for (i = 0; i < 5; i++)
		sigaction(crashes[i], &crash, &crash_before[i]);
}

static void release_signals(void)
{
	size_t i;

	for (i = 0; i < 4; i++)
		sigaction(ends[i], &end_before[i], NULL);
	for (i = 0; i < 5; i++)
		sigaction(crashes[i], &crash_before[i], NULL);
}

int term_signal(void)
{
	int number = term.signal;
	char c[16];

	if (read(term.pipe[0], c, sizeof c) < 0 && errno != EAGAIN)
		number = SIGTERM; /* our own pipe was closed */
	term.signal = 0;
	return number;
}

int term_signal_fd(void)
{
	return term.pipe[0];
}

/* ---- begin and end --------------------------------------------------- */

static int make_pipe(struct err *err)
{
	if (pipe2(term.pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_errno(err, "cannot make a pipe");
	return 0;
}

static bool is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

bool term_utf8(void)
{
	return term.utf8;
}

int term_begin(bool ascii, bool mouse, struct err *err)
{
	const char *name = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    tcgetattr(STDIN_FILENO, &term.before) < 0)
		return err_set(err, ERR_USAGE,
			       "needs a terminal; fabscope query and fabscope "
			       "report do not");
	if (make_pipe(err) < 0)
		return -1;
	setlocale(LC_CTYPE, "");
	term.utf8 = !ascii && is_utf8();
	term.screen = newterm(NULL, stdout, stdin);
	if (!term.screen) {
		term_end();
		return err_set(err, ERR_USAGE,
			       "cannot use a terminal of type \"%s\" (TERM)",
			       name ? name : "");
	}
	if (!term_moves()) {
		endwin();
		term_end();
		return err_set(err, ERR_USAGE,
			       "a terminal of type \"%s\" (TERM) cannot move "
			       "its cursor; fabscope query and fabscope report "
			       "do without",
			       name ? name : "");
	}
	term.begun = true;
	term.n_undo = term_undo(term.undo, sizeof term.undo, mouse);
	catch_signals();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	make_colours();
	mouseinterval(0); /* nobody waits for a click to become a double one */
	if (mouse)
		mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED,
			  NULL);
	return 0;
}

void term_end(void)
{
	if (term.begun) {
		endwin();
		release_signals();
	}
	if (term.screen)
		delscreen(term.screen);
	if (term.pipe[0] >= 0) {
		close(term.pipe[0]);
		close(term.pipe[1]);
	}
	term.screen = NULL;
	term.begun = false;
	term.pipe[0] = term.pipe[1] = -1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Terminals. */
#define _GNU_SOURCE
#include "base/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

static int paged_width = -1; /* of the terminal behind a pager */

static int width_of(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

/* Behind terminal_guard() there is a stream without a file. */
static int file_of(FILE *out)
{
	return out == stdout ? STDOUT_FILENO : fileno(out);
}

bool terminal_is(FILE *out)
{
	return (out == stdout && paged_width >= 0) || isatty(file_of(out));
}

int terminal_width(FILE *out)
{
	if (out == stdout && paged_width >= 0)
		return paged_width;
	return isatty(file_of(out)) ? width_of(file_of(out)) : 0;
}

void terminal_paged(void)
{
	paged_width = width_of(STDOUT_FILENO);
}

/* ---- what is shown ---- */

/* The escape sequences that are ours: text_writer.c. */
static const char *const styles[] = { "\033[0m",    "\033[1m",    "\033[2m",
				      "\033[1;31m", "\033[1;33m", "\033[36m",
				      "\033[1;32m" };

enum { LONGEST = 8, STYLES = sizeof styles / sizeof *styles };

static struct {
	char held[LONGEST]; /* may go on with what comes next */
	size_t n;
	bool styles; /* somebody uses them, and escapes those of others */
} guard;

/* The length of the style that |s| begins with; 0: none, |n|: it may become
 * one. */
static size_t style_at(const char *s, size_t n)
{
	for (size_t i = 0; guard.styles && i < STYLES; i++) {
		size_t length = strlen(styles[i]);

		if (!strncmp(s, styles[i], n < length ? n : length))
			return n < length ? n : length;
	}
	return 0;
}

static bool write_all(const char *s, size_t n)
{
	while (n) {
		ssize_t done = write(STDOUT_FILENO, s, n);

		if (done < 0 && errno != EINTR)
			return false;
		s += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

/* One character of |s| as it is shown, behind |*to|; how long it was; 0: what
 * comes next decides. */
static size_t show_one(const char *s, size_t n, bool end, char **to)
{
	size_t style = style_at(s, n), length;

	if (*s == '\n' || *s == '\t') {
		*(*to)++ = *s;
		return 1;
	}
	if (!end && n < LONGEST && (*s == '\r' || *s == '\033' || *s & 0x80) &&
	    (*s != '\r' || n < 2) && (*s != '\033' || style == n) &&
	    !(*s & 0x80 && text_utf8(s, &(uint32_t) { 0 })))
		return 0;
	if (*s == '\r' && n > 1 && s[1] == '\n')
		return 1;
	if (style && s[style - 1] == 'm') {
		*to = mempcpy(*to, s, style);
		return style;
	}
	length = text_visible(s, *to);
	*to += strlen(*to);
	return length;
}

static bool show(const char *s, size_t n, bool end)
{
	char *out = malloc(n * TEXT_VISIBLE + 1), *to = out;
	size_t taken = 1;
	bool ok;

	if (!out)
		return false;
	for (; n && taken; s += taken, n -= taken)
		taken = show_one(s, n, end, &to);
	memcpy(guard.held, s, n);
	guard.n = n;
	ok = write_all(out, (size_t)(to - out));
	free(out);
	return ok;
}

static ssize_t on_write(void *ctx, const char *data, size_t n)
{
	char *all = malloc(guard.n + n + 1);
	bool ok;

	(void)ctx;
	if (!all)
		return 0;
	memcpy(all, guard.held, guard.n);
	memcpy(all + guard.n, data, n);
	all[guard.n + n] = 0;
	ok = show(all, guard.n + n, false);
	free(all);
	return ok ? (ssize_t)n : 0;
}

void terminal_guard(void)
{
	const cookie_io_functions_t how = { .write = on_write };
	FILE *f = isatty(STDOUT_FILENO) ? fopencookie(NULL, "w", how) : NULL;

	if (!f)
		return;
	fflush(stdout);
	setvbuf(f, NULL, _IOLBF, BUFSIZ);
	stdout = f;
}

void terminal_styles(void)
{
	guard.styles = true;
}

void terminal_end(void)
{
	char rest[LONGEST + 1] = "";

	memcpy(rest, guard.held, guard.n);
	if (guard.n)
		show(rest, guard.n, true);
}

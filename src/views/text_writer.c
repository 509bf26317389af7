/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wrapped text. */
#include "views/text_writer.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"

enum { WIDTH = 80, WIDTH_MIN = 40, WIDTH_MAX = 100 };

static int width_of(FILE *out)
{
	int columns = terminal_width(out);

	if (columns <= 0)
		return WIDTH;
	if (columns < WIDTH_MIN)
		return WIDTH_MIN;
	return columns > WIDTH_MAX ? WIDTH_MAX : columns;
}

void writer_init(struct text_writer *p, FILE *out)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	bool terminal = terminal_is(out);

	p->out = out;
	p->terminal = terminal;
	p->width = width_of(out);
	p->color = terminal && !(no_color && *no_color) &&
		   !(term && !strcmp(term, "dumb"));
	if (p->color)
		terminal_styles();
}

void writer_style(struct text_writer *p, enum writer_style style)
{
	static const char *const codes[TEXT_STYLES] = {
		[TEXT_PLAIN] = "0",     [TEXT_BOLD] = "1",
		[TEXT_DIM] = "2",       [TEXT_RED] = "1;31",
		[TEXT_YELLOW] = "1;33", [TEXT_CYAN] = "36",
		[TEXT_GREEN] = "1;32",
	};

	if (p->color)
		fprintf(p->out, "\033[%sm", codes[style]);
}

/* Code points: what is not shown as it is has been escaped. */
static int columns(const char *s, size_t n)
{
	int count = 0;

	while (n--)
		count += ((unsigned char)*s++ & 0xc0) != 0x80;
	return count;
}

/* "ms" or "%)," */
static bool is_unit(const char *s, size_t n)
{
	static const char *const units[] = {
		"%",  "ns", "us", "ms", "s",   "min",  "h",    "d",    "B",
		"kB", "MB", "GB", "TB", "b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s",
	};

	while (n > 1 && strchr(",;:.)", s[n - 1]))
		n--;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strlen(units[i]) == n && !memcmp(units[i], s, n))
			return true;
	return false;
}

/* What is not broken: a word, or a number with its unit. */
static size_t unbroken(const char *s)
{
	size_t n = strcspn(s, " "), unit;

	if (!n || s[n - 1] < '0' || s[n - 1] > '9' || s[n] != ' ')
		return n;
	unit = strcspn(s + n + 1, " ");
	return is_unit(s + n + 1, unit) ? n + 1 + unit : n;
}

static void words(struct text_writer *p, int indent, const char *s)
{
	int at = indent;
	bool first = true;

	while (*(s += strspn(s, " "))) {
		size_t n = unbroken(s);
		int wide = columns(s, n);

		if (!first && at + 1 + wide > p->width) {
			fprintf(p->out, "\n%*s", indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', p->out);
			at++;
		}
		fwrite(s, 1, n, p->out);
		at += wide;
		s += n;
		first = false;
	}
}

/* |text| in |width| columns, 0 for as many as it takes. */
static void labelled(struct text_writer *p, int at, const char *label,
		     int indent, int width, const char *text)
{
	char *before = text_printable(label);
	char *shown = text_printable(text);
	int used = at + (before ? columns(before, strlen(before)) : 0);

	if (used && indent <= used)
		indent = used + 1;
	fprintf(p->out, "%*s%s%*s", at, "", before ? before : "", indent - used,
		"");
	if (width)
		words(p, indent, shown ? shown : "out of memory");
	else
		fputs(shown ? shown : "out of memory", p->out);
	fputc('\n', p->out);
	free(before);
	free(shown);
}

void writer_text(struct text_writer *p, int at, const char *label, int indent,
		 const char *text)
{
	labelled(p, at, label, indent, p->width, text);
}

void writer_line(struct text_writer *p, int at, const char *label, int indent,
		 const char *text)
{
	char *shown = text_printable(text);
	const char *end = "";
	int room = p->width - indent, wide = 0;
	size_t n = 0, fits = 0;

	for (; shown && shown[n]; n++)
		if (((unsigned char)shown[n] & 0xc0) != 0x80 &&
		    wide++ == room - 3)
			fits = n;
	if (shown && p->terminal && wide > room) {
		shown[fits] = 0;
		end = "...";
	}
	fprintf(p->out, "%*s%-*s%s%s\n", at, "", indent - at, label,
		shown ? shown : "out of memory", end);
	free(shown);
}

__attribute__((format(printf, 6, 0))) static void
formatted(struct text_writer *p, int at, const char *label, int indent,
	  int width, const char *format, va_list ap)
{
	char *text;
	int n = vasprintf(&text, format, ap);

	labelled(p, at, label, indent, width, n < 0 ? "out of memory" : text);
	if (n >= 0)
		free(text);
}

void writer_printf(struct text_writer *p, int at, const char *label, int indent,
		   const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	formatted(p, at, label, indent, p->width, format, ap);
	va_end(ap);
}

void writer_command(struct text_writer *p, int at, const char *label,
		    int indent, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	formatted(p, at, label, indent, 0, format, ap);
	va_end(ap);
}

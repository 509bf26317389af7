/* SPDX-License-Identifier: GPL-2.0-or-later
 * Numbers, times and lines out of text, and lists of what they say. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "evidence/evidence_int.h"

#define NS_PER_S INT64_C(1000000000)

enum {
	NUMBER_TEXT = 48,
	LABELS_MAX = 96, /* bytes of a line before its time */
};

/* Smaller numbers of seconds are since a machine was started. */
#define EPOCH_S INT64_C(1000000000)

/* Without the commas between its digits. */
static bool plain_number(const char *text, char to[static NUMBER_TEXT])
{
	size_t n = 0;

	for (; *text; text++) {
		if (*text == ',')
			continue;
		if (n + 1 == NUMBER_TEXT)
			return false;
		to[n++] = *text;
	}
	to[n] = 0;
	return n > 0;
}

bool value_real(double real, int64_t scale, int64_t *value)
{
	double v = real * (double)scale;

	if (!(v >= 0 && v < 9e18))
		return false;
	*value = (int64_t)(scale > 1 ? v + 0.5 : v);
	return true;
}

static bool real_text(const char *text, int64_t scale, int64_t *value)
{
	char *end;
	double v = strtod(text, &end);

	return !*end && end != text && value_real(v, scale, value);
}

bool value_parse(const char *text, int64_t scale, int64_t *value)
{
	char plain[NUMBER_TEXT], *end;
	bool hex;
	unsigned long long v;

	if (!plain_number(text, plain) || !isdigit((unsigned char)*plain))
		return false;
	hex = plain[0] == '0' && (plain[1] == 'x' || plain[1] == 'X');
	errno = 0;
	v = strtoull(plain, &end, hex ? 16 : 10);
	if (*end)
		return !hex && real_text(plain, scale, value);
	return !errno && !__builtin_mul_overflow(v, scale, value);
}

int value_small(const char *text)
{
	long v = strtol(text, NULL, 10);

	if (v > NUMBER_MOST)
		return NUMBER_MOST;
	return v < -NUMBER_MOST ? -NUMBER_MOST : (int)v;
}

int64_t value_seconds(double seconds)
{
	double whole = floor(seconds);

	if (!(seconds > 0 && seconds < 9e9))
		return EVIDENCE_UNKNOWN;
	return (int64_t)whole * NS_PER_S +
	       (int64_t)((seconds - whole) * (double)NS_PER_S);
}

/* ".5" of a second, of which more than nine digits say nothing. */
static int64_t fraction(const char **at)
{
	int64_t ns = 0, unit = NS_PER_S / 10;

	if (**at != '.' && **at != ',')
		return 0;
	for (++*at; isdigit((unsigned char)**at); ++*at, unit /= 10)
		ns += (**at - '0') * unit;
	return ns;
}

/* What stands behind the time of day: Z, +01:00, +0100 or nothing. */
static int64_t zone(const char *at)
{
	int hours, minutes;

	if ((*at == '+' || *at == '-') &&
	    (sscanf(at + 1, "%2d:%2d", &hours, &minutes) == 2 ||
	     sscanf(at + 1, "%2d%2d", &hours, &minutes) == 2))
		return (*at == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
	return 0;
}

/* |*end| is behind its seconds. */
static int64_t calendar(const char *text, const char **end)
{
	struct tm tm = { 0 };
	const char *at = strptime(text, "%Y-%m-%d", &tm);
	int64_t ns, s;

	if (!at || (*at != 'T' && *at != ' '))
		return EVIDENCE_UNKNOWN;
	at = strptime(at + 1, "%H:%M:%S", &tm);
	if (!at || tm.tm_year < 70 || tm.tm_year > 355)
		return EVIDENCE_UNKNOWN;
	ns = fraction(&at);
	*end = at;
	s = (int64_t)timegm(&tm) - zone(at);
	return s > 0 ? s * NS_PER_S + ns : EVIDENCE_UNKNOWN;
}

int64_t value_time(const char *text)
{
	char *end;
	long long s = strtoll(text, &end, 10);
	const char *at = end;
	int64_t ns = fraction(&at);

	if (end != text && !*at)
		return s > 0 && s < INT64_MAX / NS_PER_S ? s * NS_PER_S + ns
							 : EVIDENCE_UNKNOWN;
	return calendar(text, &at);
}

int64_t value_log_time(const char *text)
{
	struct tm tm = { 0 };
	int64_t ns = value_time(text);
	const char *end = strptime(text, "%a %b %d %H:%M:%S %Y", &tm);

	if (end && !*end && tm.tm_year >= 70 && tm.tm_year <= 355)
		return (int64_t)timegm(&tm) * NS_PER_S;
	return ns >= EPOCH_S * NS_PER_S ? ns : EVIDENCE_UNKNOWN;
}

/* The same in brackets, of which |at| is the first. */
static int64_t in_brackets(const char *at, const char **end)
{
	char text[EVIDENCE_TEXT];
	size_t n = strcspn(++at, "]");

	if (n >= sizeof text || !at[n])
		return EVIDENCE_UNKNOWN;
	memcpy(text, at, n);
	text[n] = 0;
	*end = at + n + 1;
	return value_log_time(text_trim(text));
}

/* Seconds, which are only a time where they are the first word. */
static int64_t first_word(const char *line, const char **end)
{
	char text[EVIDENCE_TEXT];
	size_t n = strcspn(line, " \t");

	if (n >= sizeof text)
		return EVIDENCE_UNKNOWN;
	memcpy(text, line, n);
	text[n] = 0;
	*end = line + n;
	return value_log_time(text);
}

int64_t value_line_time(const char *line, const char **end)
{
	const char *last = line + strnlen(line, LABELS_MAX), *stop;
	int64_t ns = first_word(line, &stop);

	for (const char *at = line; at < last && ns == EVIDENCE_UNKNOWN; at++) {
		if (at > line && isalnum((unsigned char)at[-1]))
			continue;
		if (*at == '[')
			ns = in_brackets(at, &stop);
		else if (isdigit((unsigned char)*at))
			ns = calendar(at, &stop);
	}
	*end = ns == EVIDENCE_UNKNOWN ? line : stop;
	return ns;
}

bool evidence_grow(void **at, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *moved;

	if (n < *room)
		return true;
	moved = reallocarray(*at, more, size);
	if (!moved)
		return false;
	*at = moved;
	*room = more;
	return true;
}

void text_keep(char to[static EVIDENCE_TEXT], const char *from)
{
	size_t n = strlen(from);

	if (n >= EVIDENCE_TEXT) {
		n = EVIDENCE_TEXT - 1;
		while (n && ((unsigned char)from[n] & 0xc0) == 0x80)
			n--;
	}
	memmove(to, from, n);
	to[n] = 0;
}

char *text_trim(char *text)
{
	size_t n;

	while (isspace((unsigned char)*text))
		text++;
	n = strlen(text);
	while (n && isspace((unsigned char)text[n - 1]))
		text[--n] = 0;
	return text;
}

char *text_line_raw(char **text)
{
	char *line = *text, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end = 0;
	*text = end ? end + 1 : line + strlen(line);
	return line;
}

char *text_line(char **text)
{
	char *line = text_line_raw(text);

	return line ? text_trim(line) : NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The value of a parameter, from what a person types. */
#define _GNU_SOURCE
#include "store/param.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int integer(const char *text, struct query_value *v)
{
	char *end;

	errno = 0;
	v->type = VALUE_INT;
	v->i = strtoll(text, &end, strncasecmp(text, "0x", 2) ? 10 : 16);
	return end == text || *end || errno ? -1 : 0;
}

static int real(const char *text, struct query_value *v)
{
	char *end;

	v->type = VALUE_REAL;
	v->r = strtod(text, &end);
	if (end == text || !isfinite(v->r))
		return -1;
	if (!strcmp(end, "%"))
		v->r /= 100;
	else if (*end)
		return -1;
	return 0;
}

/* With K, M, G, T behind it: |unit|, its square, ... */
static int scaled(const char *text, int64_t unit, struct query_value *v)
{
	static const char letters[] = "KMGT";
	const char *letter;
	double number, times = 1;
	char *end;

	if (!integer(text, v))
		return 0;
	number = strtod(text, &end);
	letter = end != text && *end && !end[1] ? strchr(letters, *end) : NULL;
	if (!letter)
		return -1;
	for (const char *l = letters; l <= letter; l++)
		times *= (double)unit;
	if (!(fabs(number * times) < 9e18))
		return -1;
	v->type = VALUE_INT;
	v->i = llrint(number * times);
	return 0;
}

static int duration(const char *text, struct query_value *v)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "ns", 1 },  { "us", 1e3 },   { "ms", 1e6 },
		{ "s", 1e9 }, { "min", 60e9 }, { "h", 3600e9 },
	};
	char *end;
	double number;

	if (!integer(text, v))
		return 0;
	number = strtod(text, &end);
	if (end == text)
		return -1;
	while (*end == ' ')
		end++;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (strcmp(end, units[i].name))
			continue;
		number *= units[i].ns;
		if (!(fabs(number) < 9e18))
			return -1;
		v->i = llrint(number);
		return 0;
	}
	return -1;
}

/* ".5Z" behind the seconds: nanoseconds, or -1. */
static int64_t fraction(const char *text)
{
	int64_t ns = 0, unit = 100000000;

	if (*text == '.')
		for (text++; isdigit((unsigned char)*text); text++) {
			ns += (*text - '0') * unit;
			unit /= 10;
		}
	if (*text == ' ')
		text++;
	return !*text || !strcmp(text, "Z") || !strcmp(text, "UTC") ? ns : -1;
}

static int moment(const char *text, int64_t origin, struct query_value *v)
{
	struct tm tm = { 0 };
	const char *end;
	int64_t ns, s;

	if (*text == '+') {
		if (duration(text + 1, v) ||
		    __builtin_add_overflow(v->i, origin, &v->i))
			return -1;
		return 0;
	}
	if (!integer(text, v))
		return 0;
	end = strptime(text, "%Y-%m-%d", &tm);
	if (end && (*end == 'T' || *end == ' '))
		end = strptime(end + 1, "%H:%M:%S", &tm);
	ns = end ? fraction(end) : -1;
	s = timegm(&tm);
	if (ns < 0 || __builtin_mul_overflow(s, 1000000000, &v->i) ||
	    __builtin_add_overflow(v->i, ns, &v->i))
		return -1;
	return 0;
}

static int text_value(const char *text, struct query_value *v)
{
	v->type = VALUE_TEXT;
	v->text = text;
	v->length = strlen(text);
	return 0;
}

int param_parse(enum query_unit unit, const char *text, int64_t origin,
		struct query_value *value)
{
	*value = (struct query_value) { .type = VALUE_NULL };
	if (!strcmp(text, "NULL"))
		return 0;
	switch (unit) {
	case UNIT_TEXT:
	case UNIT_WORD:
	case UNIT_REASON:
	case UNIT_JSON:
	case UNIT_SPARK:
		return text_value(text, value);
	case UNIT_REAL:
	case UNIT_SHARE:
		return real(text, value);
	case UNIT_DURATION:
		return duration(text, value);
	case UNIT_BYTES:
		return scaled(text, 1024, value);
	case UNIT_RATE:
		return scaled(text, 1000, value);
	case UNIT_TIME:
		return moment(text, origin, value);
	default:
		return integer(text, value);
	}
}

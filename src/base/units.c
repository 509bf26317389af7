/* SPDX-License-Identifier: GPL-2.0-or-later
 * Numbers with units. */
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { NS_PER_S = 1000000000 };

struct unit {
	double size;
	const char *name;
};

/* Three significant digits, in the largest unit that leaves one before the
 * point.  |units| goes from large to small. */
static char *scaled(double v, const struct unit *units, size_t n, char *buf)
{
	double a = fabs(v);
	size_t i = 0;
	int decimals;

	/* 0.9995 would print as 1000 of the unit below */
	while (i + 1 < n && a < units[i].size * 0.9995)
		i++;
	a /= units[i].size;
	decimals = a < 9.995 ? 2 : a < 99.95 ? 1 : 0;
	if (units[i].size <= 1 && a == floor(a))
		decimals = 0; /* nobody counts a third of a byte */
	snprintf(buf, UNITS_TEXT, "%.*f %s", decimals, v / units[i].size,
		 units[i].name);
	return buf;
}

#define SCALED(v, units, buf) \
	scaled((v), (units), sizeof(units) / sizeof((units)[0]), (buf))

char *units_ns(int64_t ns, char buf[static UNITS_TEXT])
{
	static const struct unit units[] = {
		{ 86400e9, "d" }, { 3600e9, "h" }, { 60e9, "min" },
		{ 1e9, "s" },     { 1e6, "ms" },   { 1e3, "us" },
		{ 1, "ns" },
	};

	return SCALED((double)ns, units, buf);
}

char *units_bytes(double bytes, char buf[static UNITS_TEXT])
{
	static const struct unit units[] = {
		{ 1e15, "PB" }, { 1e12, "TB" }, { 1e9, "GB" },
		{ 1e6, "MB" },  { 1e3, "kB" },  { 1, "B" },
	};

	return SCALED(bytes, units, buf);
}

char *units_rate(double bps, char buf[static UNITS_TEXT])
{
	static const struct unit units[] = {
		{ 1e12, "Tb/s" }, { 1e9, "Gb/s" }, { 1e6, "Mb/s" },
		{ 1e3, "kb/s" },  { 1, "b/s" },
	};

	return SCALED(bps, units, buf);
}

char *units_count(uint64_t n, char buf[static UNITS_TEXT])
{
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, n);
	size_t i, o = 0;

	for (i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			buf[o++] = ',';
		buf[o++] = digits[i];
	}
	buf[o] = 0;
	return buf;
}

/* packet: packets, retry: retries, address: addresses */
char *units_plural(int64_t n, const char *word, char buf[static UNITS_PLURAL])
{
	int stem = (int)strlen(word);
	char number[UNITS_TEXT];

	/* Counts are never negative; a file that says so gets no comma. */
	if (n >= 0)
		units_count((uint64_t)n, number);
	else
		snprintf(number, sizeof number, "%" PRId64, n);
	if (n == 1)
		snprintf(buf, UNITS_PLURAL, "%s %s", number, word);
	else if (stem > 1 && word[stem - 1] == 'y' &&
		 !strchr("aeiou", word[stem - 2]))
		snprintf(buf, UNITS_PLURAL, "%s %.*sies", number, stem - 1,
			 word);
	else
		snprintf(buf, UNITS_PLURAL, "%s %s%s", number, word,
			 stem && word[stem - 1] == 's' ? "es" : "s");
	return buf;
}

char *units_utc(int64_t ns, char buf[static UNITS_TEXT])
{
	int64_t s = ns / NS_PER_S, rest = ns % NS_PER_S;
	struct tm tm;
	size_t n;
	time_t t;

	if (rest < 0) {
		rest += NS_PER_S;
		s--;
	}
	t = (time_t)s;
	gmtime_r(&t, &tm); /* 64 bit of ns never leave the years it can say */
	n = strftime(buf, UNITS_TEXT, "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(buf + n, UNITS_TEXT - n, ".%09u UTC", (unsigned)rest);
	return buf;
}

char *units_offset(int64_t ns, char buf[static UNITS_TEXT])
{
	uint64_t a = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	snprintf(buf, UNITS_TEXT, "%c%" PRIu64 ".%06" PRIu64 " s",
		 ns < 0 ? '-' : '+', a / NS_PER_S, a % NS_PER_S / 1000);
	return buf;
}

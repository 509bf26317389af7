/* SPDX-License-Identifier: GPL-2.0-or-later
 * One line of a scenario. */
#include "simulate/line.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/events.h"

/* Several times can be added up before 64 bits are full. */
#define TIME_MOST (200 * 3600 * PS_PER_S)

void line_fail(struct line *l, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	if (l->failed)
		return;
	l->failed = true;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	err_set(l->err, ERR_FORMAT, "%s:%u: %s", l->file, l->number, text);
}

/* "#" begins a comment, but not inside a word: a->b#1 is a link. */
static void cut_comment(char *text)
{
	for (char *c = text; (c = strchr(c, '#')); c++)
		if (c == text || isspace((unsigned char)c[-1])) {
			*c = 0;
			return;
		}
}

void line_split(struct line *l, char *text)
{
	char *save = NULL, *w;

	l->n = l->next = 0;
	l->used = 0;
	l->failed = false;
	cut_comment(text);
	for (w = strtok_r(text, " \t\r\n", &save); w;
	     w = strtok_r(NULL, " \t\r\n", &save)) {
		if (l->n == LINE_WORDS) {
			line_fail(l, "more than %d words", LINE_WORDS);
			return;
		}
		l->word[l->n++] = w;
	}
}

const char *line_more(struct line *l)
{
	while (l->next < l->n && strchr(l->word[l->next], '='))
		l->next++;
	if (l->next == l->n)
		return NULL;
	l->used |= UINT64_C(1) << l->next;
	return l->word[l->next++];
}

const char *line_word(struct line *l, const char *what)
{
	const char *w = line_more(l);

	if (!w)
		line_fail(l, "%s is missing", what);
	return w ? w : "";
}

static const char *find(const struct line *l, const char *key, unsigned *at)
{
	size_t n = strlen(key);

	for (unsigned i = 0; i < l->n; i++)
		if (!strncmp(l->word[i], key, n) && l->word[i][n] == '=') {
			*at = i;
			return l->word[i] + n + 1;
		}
	return NULL;
}

bool line_has(const struct line *l, const char *key)
{
	unsigned at;

	return find(l, key, &at) != NULL;
}

const char *line_text(struct line *l, const char *key, const char *otherwise)
{
	unsigned at;
	const char *v = find(l, key, &at);

	if (!v)
		return otherwise;
	l->used |= UINT64_C(1) << at;
	return v;
}

/* --- numbers with units --------------------------------------------------- */

struct unit {
	const char *name;
	double factor;
};

static bool with_unit(const char *s, const struct unit *units, double *value)
{
	char *end;

	if (!isdigit((unsigned char)*s) && *s != '.')
		return false;
	errno = 0;
	*value = strtod(s, &end);
	if (errno || !isfinite(*value))
		return false;
	for (; units->name; units++)
		if (!strcmp(end, units->name)) {
			*value *= units->factor;
			return *value < 9e18;
		}
	return false;
}

bool parse_time(const char *s, int64_t *ps)
{
	static const struct unit units[] = {
		{ "ps", 1 },   { "ns", 1e3 },  { "us", 1e6 }, { "ms", 1e9 },
		{ "s", 1e12 }, { "h", 36e14 }, { NULL, 0 },
	};
	double v;

	if (!strcmp(s, "0")) {
		*ps = 0;
		return true;
	}
	if (!with_unit(s, units, &v))
		return false;
	*ps = (int64_t)(v + 0.5);
	return true;
}

static bool whole(const char *s, const struct unit *units, uint64_t *n)
{
	double v;

	if (!with_unit(s, units, &v))
		return false;
	*n = (uint64_t)(v + 0.5);
	return true;
}

bool parse_size(const char *s, uint64_t *bytes)
{
	static const struct unit units[] = {
		{ "", 1 },        { "K", 1024 }, { "M", 1048576 },
		{ "G", 1 << 30 }, { NULL, 0 },
	};

	return whole(s, units, bytes);
}

bool parse_rate(const char *s, uint64_t *bps)
{
	static const struct unit units[] = {
		{ "", 1 },    { "K", 1e3 },  { "M", 1e6 },
		{ "G", 1e9 }, { "T", 1e12 }, { NULL, 0 },
	};

	return whole(s, units, bps);
}

bool parse_count(const char *s, uint64_t *n)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*n = strtoull(s, &end, 0);
	return !errno && !*end;
}

static void no_good(struct line *l, const char *key, const char *v,
		    const char *what)
{
	line_fail(l, "%s=%s is not %s", key, v, what);
}

uint64_t line_count(struct line *l, const char *key, uint64_t otherwise,
		    uint64_t most)
{
	const char *v = line_text(l, key, NULL);
	uint64_t n = otherwise;

	if (v && !parse_count(v, &n))
		no_good(l, key, v, "a whole number");
	else if (v && n > most)
		line_fail(l, "%s=%s is more than %llu", key, v,
			  (unsigned long long)most);
	return l->failed ? otherwise : n;
}

uint64_t line_size(struct line *l, const char *key, uint64_t otherwise)
{
	const char *v = line_text(l, key, NULL);
	uint64_t n = otherwise;

	if (v && !parse_size(v, &n))
		no_good(l, key, v, "a size like 4096, 64K or 1M");
	return n;
}

uint32_t line_bytes(struct line *l, const char *key, uint32_t otherwise)
{
	uint64_t n = line_size(l, key, otherwise);

	if (n > UINT32_MAX)
		line_fail(l, "%s= is below 4G", key);
	return (uint32_t)n;
}

uint64_t line_rate(struct line *l, const char *key, uint64_t otherwise)
{
	const char *v = line_text(l, key, NULL);
	uint64_t n = otherwise;

	if (v && (!parse_rate(v, &n) || !n))
		no_good(l, key, v, "a rate like 25G or 400G");
	return n;
}

int64_t line_time(struct line *l, const char *key, int64_t otherwise)
{
	const char *v = line_text(l, key, NULL);
	int64_t ps = otherwise;

	if (v && !parse_time(v, &ps))
		no_good(l, key, v, "a time like 10ns, 5us or 2ms");
	else if (v && ps > TIME_MOST)
		no_good(l, key, v, "a time up to 200h");
	return l->failed ? otherwise : ps;
}

double line_real(struct line *l, const char *key, double otherwise,
		 double least, double most)
{
	const char *v = line_text(l, key, NULL);
	char *end;
	double x;

	if (!v)
		return otherwise;
	x = strtod(v, &end);
	if (end == v || *end || !isfinite(x))
		no_good(l, key, v, "a number");
	else if (x < least || x > most)
		line_fail(l, "%s=%s is not from %g to %g", key, v, least, most);
	return l->failed ? otherwise : x;
}

double line_share(struct line *l, const char *key, double otherwise)
{
	return line_real(l, key, otherwise, 0, 1);
}

unsigned line_choice(struct line *l, const char *key, const char *const *names,
		     unsigned otherwise)
{
	const char *v = line_text(l, key, NULL);
	char all[200] = "";

	if (!v)
		return otherwise;
	for (unsigned i = 0; names[i]; i++) {
		size_t n = strlen(all);

		if (!strcmp(v, names[i]))
			return i;
		snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "",
			 names[i]);
	}
	line_fail(l, "%s=%s is none of: %s", key, v, all);
	return otherwise;
}

bool line_flag(struct line *l, const char *key, bool otherwise)
{
	static const char *const names[] = { "no", "yes", NULL };

	return line_choice(l, key, names, otherwise) == 1;
}

enum { STEM_MOST = 31, ROW_MOST = 4096 };

struct name_row line_row(struct line *l, const char *word)
{
	struct name_row r = { word, -1, 0, 0 };
	const char *dots = strstr(word, "..");

	if (!dots)
		return r;
	r.stem = (int)strcspn(word, "0123456789");
	if (r.stem <= STEM_MOST && sscanf(word + r.stem, "%u", &r.from) == 1 &&
	    sscanf(dots + 2 + strcspn(dots + 2, "0123456789"), "%u", &r.to) ==
		    1 &&
	    r.from <= r.to && r.to < ROW_MOST)
		return r;
	line_fail(l, "'%s' is not a range of names like h1..h8", word);
	r.from = 1; /* an empty one */
	r.to = 0;
	return r;
}

bool line_row_next(struct name_row *r, char out[static 64])
{
	if (r->from > r->to)
		return false;
	if (r->stem < 0)
		snprintf(out, 64, "%s", r->word);
	else
		snprintf(out, 64, "%.*s%u", r->stem, r->word, r->from);
	r->from++;
	return true;
}

/* Is the key of word |i| that of a word before it? */
static bool again(const struct line *l, unsigned i)
{
	size_t n = strcspn(l->word[i], "=") + 1;

	for (unsigned k = 0; k < i && n <= strlen(l->word[i]); k++)
		if (!strncmp(l->word[k], l->word[i], n))
			return true;
	return false;
}

int line_done(struct line *l)
{
	for (unsigned i = 0; i < l->n && !l->failed; i++)
		if (!(l->used >> i & 1))
			line_fail(l,
				  again(l, i) ? "'%s' is said again to '%s'"
					      : "'%s' means nothing to '%s'",
				  l->word[i], l->word[0]);
	return l->failed ? -1 : 0;
}

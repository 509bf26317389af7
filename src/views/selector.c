/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading selectors. */
#include "views/selector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NS_PER_S = 1000000000, SECONDS_MAX = 9223372035 };

/* Digits up to anything else; moves *|p| behind them. */
static bool digits(const char **p, uint64_t *out)
{
	const char *start = *p;
	uint64_t v = 0;

	for (; **p >= '0' && **p <= '9'; ++*p) {
		if (v > (UINT64_MAX - 9) / 10)
			return false;
		v = v * 10 + (uint64_t)(**p - '0');
	}
	*out = v;
	return *p != start;
}

/* ".25" as nanoseconds; nothing is 0.  More digits than nine are dropped. */
static bool fraction(const char **p, int64_t *ns)
{
	int64_t scale = NS_PER_S / 10;

	*ns = 0;
	if (**p != '.' || (*p)[1] < '0' || (*p)[1] > '9')
		return true; /* also the ".." between two ends */
	++*p;
	for (; **p >= '0' && **p <= '9'; ++*p) {
		*ns += (**p - '0') * scale;
		scale /= 10;
	}
	return true;
}

static bool seconds(const char **p, int64_t *ns)
{
	uint64_t whole;
	int64_t part;

	if (!digits(p, &whole) || whole > SECONDS_MAX || !fraction(p, &part))
		return false;
	*ns = (int64_t)whole * NS_PER_S + part;
	return true;
}

/* 2026-11-21T01:48:05.25, with or without a Z. */
static bool date(const char **p, int64_t *ns)
{
	struct tm tm = { 0 };
	const char *rest = strptime(*p, "%Y-%m-%dT%H:%M:%S", &tm);
	int64_t whole, part;

	if (!rest)
		return false;
	whole = timegm(&tm);
	if (whole < 0 || whole > (int64_t)SECONDS_MAX)
		return false;
	*p = rest;
	if (!fraction(p, &part))
		return false;
	if (**p == 'Z')
		++*p;
	*ns = whole * NS_PER_S + part;
	return true;
}

static bool one_end(const char **p, struct selector_end *end)
{
	if (**p == '+') {
		++*p;
		end->relative = true;
		return seconds(p, &end->ns);
	}
	return date(p, &end->ns) || seconds(p, &end->ns);
}

static bool parse_time(struct selector *s, const char *p)
{
	s->from.ns = INT64_MIN;
	s->to.ns = INT64_MAX;
	if (*p != '.' && !one_end(&p, &s->from))
		return false;
	if (strncmp(p, "..", 2) != 0)
		return false;
	p += 2;
	return !*p || (one_end(&p, &s->to) && !*p);
}

static bool parse_id(struct selector *s, const char *p)
{
	uint64_t v;

	if (!digits(&p, &v) || *p || v > INT64_MAX)
		return false;
	s->id = (int64_t)v;
	return true;
}

static bool parse_range(const char **p, struct selector_range *r)
{
	if (!digits(p, &r->from))
		return false;
	r->to = r->from;
	if (strncmp(*p, "..", 2) != 0)
		return true;
	*p += 2;
	return digits(p, &r->to) && r->to >= r->from;
}

static int by_from(const void *a, const void *b)
{
	const struct selector_range *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* Sorts, and merges what overlaps, so that a search needs to look at one. */
static void tidy_ranges(struct selector *s)
{
	size_t i, kept = 0;

	qsort(s->ranges, s->n_ranges, sizeof *s->ranges, by_from);
	for (i = 1; i < s->n_ranges; i++) {
		struct selector_range *last = &s->ranges[kept];

		if (s->ranges[i].from > last->to)
			s->ranges[++kept] = s->ranges[i];
		else if (s->ranges[i].to > last->to)
			last->to = s->ranges[i].to;
	}
	s->n_ranges = kept + 1;
}

static bool parse_frames(struct selector *s, const char *p)
{
	/* every range but the last has its comma */
	s->ranges = calloc(strlen(p) / 2 + 1, sizeof *s->ranges);
	if (!s->ranges)
		return false;
	for (;; p++) {
		if (!parse_range(&p, &s->ranges[s->n_ranges]))
			return false;
		s->n_ranges++;
		if (*p != ',')
			break;
	}
	tidy_ranges(s);
	if (!*p)
		return true;
	if (*p != '@' || !p[1])
		return false;
	s->tap = strdup(p + 1);
	return s->tap != NULL;
}

static const struct kind {
	const char *name;
	bool (*parse)(struct selector *s, const char *p);
	const char *shape;
} kinds[SELECT_KINDS] = {
	[SELECT_FINDING] = { "finding:", parse_id, "finding:NUMBER" },
	[SELECT_FLOW] = { "flow:", parse_id, "flow:NUMBER" },
	[SELECT_TIME] = { "time:", parse_time,
			  "time:FROM..TO, an end being +SECONDS, SECONDS or "
			  "YYYY-MM-DDTHH:MM:SS" },
	[SELECT_FRAMES] = { "frames:", parse_frames, "frames:N,N..N[@TAP]" },
};

int selector_parse(struct selector *s, const char *text, struct err *err)
{
	size_t i, n;

	*s = (struct selector) { .text = text };
	for (i = 0; i < SELECT_KINDS; i++) {
		n = strlen(kinds[i].name);
		if (strncmp(text, kinds[i].name, n) != 0)
			continue;
		s->kind = (enum selector_kind)i;
		if (kinds[i].parse(s, text + n))
			return 0;
		return err_set(err, ERR_USAGE, "\"%s\" is not %s", text,
			       kinds[i].shape);
	}
	return err_set(err, ERR_USAGE,
		       "\"%s\" is not finding:N, flow:N, time:A..B or frames:N",
		       text);
}

void selector_fini(struct selector *s)
{
	free(s->ranges);
	free(s->tap);
	*s = (struct selector) { 0 };
}

bool selector_has_frame(const struct selector *s, uint64_t number)
{
	size_t low = 0, high = s->n_ranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->ranges[middle].to < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->n_ranges && s->ranges[low].from <= number;
}

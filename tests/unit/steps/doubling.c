/* SPDX-License-Identifier: GPL-2.0-or-later
 * Texts in which something repeats. */
#include "doubling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* |form| with |n| in the place of each "%u". */
static void put(FILE *f, const char *form, unsigned n)
{
	const char *number;

	for (; (number = strstr(form, "%u")); form = number + 2)
		fprintf(f, "%.*s%u", (int)(number - form), form, n);
	fputs(form, f);
}

static void put_list(FILE *f, const char *unit, const char *between,
		     unsigned units)
{
	for (unsigned i = 0; i < units; i++) {
		fputs(i ? between : "", f);
		put(f, unit, i);
	}
}

static char *make(const struct doubling *s, unsigned units, size_t *n)
{
	char *text = NULL, *unit = strdup(s->unit), *rest = NULL;
	FILE *f = open_memstream(&text, n);
	const char *first = strtok_r(unit, "\1", &rest);
	const char *middle = strtok_r(NULL, "\1", &rest);

	assert_non_null(f);
	put(f, s->begin, 0);
	put_list(f, first, s->between, units);
	if (middle) {
		fputs(middle, f);
		put_list(f, rest, s->between, units);
	}
	put(f, s->end, 1);
	assert_int_equal(fclose(f), 0);
	free(unit);
	return text;
}

static struct steps_run counted(const struct doubling *s, unsigned units,
				struct steps_run (*read)(char *text, size_t n))
{
	size_t n;
	char *text = make(s, units, &n);
	struct steps_run run = read(text, n);

	free(text);
	return run;
}

void doubling_linear(const struct doubling *shapes, size_t n, unsigned units,
		     struct steps_run (*read)(char *text, size_t n))
{
	int bad = 0;

	for (size_t i = 0; i < n; i++) {
		struct steps_run a = counted(&shapes[i], units, read);
		struct steps_run b =
			counted(&shapes[i], units * STEPS_TIMES, read);

		bad += steps_linear(shapes[i].name, &a, &b);
	}
	assert_int_equal(bad, 0);
}

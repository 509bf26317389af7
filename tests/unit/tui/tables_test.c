/* SPDX-License-Identifier: GPL-2.0-or-later
 * The tables of keys and screens name only what there is, and nothing twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "store/query.h"
#include "tui/keys.h"
#include "tui/screen.h"

static void no_key_means_two_things(void **state)
{
	(void)state;
	for (const struct key *k = keys; k->names; k++) {
		for (int i = 0; i < KEY_CODES && k->codes[i]; i++) {
			if (screen_by_key(k->codes[i]) >= 0)
				fail_msg("%s is a screen, too", k->names);
			for (const struct key *o = k + 1; o->names; o++)
				for (int n = 0; n < KEY_CODES; n++)
					if (o->codes[n] == k->codes[i])
						fail_msg("%s and %s", k->names,
							 o->names);
		}
	}
	for (int i = 0; screens[i].name; i++)
		assert_int_equal(screen_by_key(screens[i].key), i);
}

static bool has_param(const struct query *q, const char *word, size_t n)
{
	for (size_t i = 0; i < q->n_params; i++)
		if (strlen(q->params[i].name) == n &&
		    !memcmp(q->params[i].name, word, n))
			return true;
	return false;
}

static bool has_column(const struct query *q, const char *word, size_t n)
{
	for (size_t i = 0; i < q->n_columns; i++)
		if (strlen(q->columns[i].name) == n &&
		    !memcmp(q->columns[i].name, word, n))
			return true;
	return false;
}

static void check_words(const struct pane_spec *p, const struct query *q,
			const char *words, bool params)
{
	for (const char *at = words ? words : ""; *(at += strspn(at, " -"));) {
		size_t all = strcspn(at, " "), n = strcspn(at, "= ?");

		if (params && !has_param(q, at, n))
			fail_msg("%s: %s has no parameter %.*s", p->title,
				 q->name, (int)n, at);
		if (!params && !has_column(q, at, n))
			fail_msg("%s: %s has no column %.*s", p->title, q->name,
				 (int)n, at);
		at += all;
	}
}

/* "flow=id" is about the column id. */
static void check_selects(const struct pane_spec *p, const struct query *q)
{
	for (const char *at = p->selects ? p->selects : "";
	     (at = strchr(at, '='));) {
		size_t n = strcspn(++at, " ");

		if (!has_column(q, at, n))
			fail_msg("%s: %s has no column %.*s", p->title, q->name,
				 (int)n, at);
	}
}

/* Why it is empty. */
static void check_why(const struct pane_spec *p, const struct catalogue *c)
{
	const struct query *q = p->why ? catalogue_find(c, p->why) : NULL;

	if (!p->why)
		return;
	assert_non_null(q);
	assert_true(has_column(q, "why", 3));
	check_words(p, q, p->why_params, true);
}

static void panes_ask_what_there_is(void **state)
{
	struct catalogue *c = catalogue_builtin();

	(void)state;
	for (int i = 0; screens[i].name; i++) {
		const struct pane_spec *p = screens[i].panes;
		int n = 0;

		for (; p->title; p++, n++) {
			const struct query *q;

			assert_non_null(p->none);
			if (p->enter)
				assert_true(screen_by_name(p->enter) >= 0);
			if (!p->query)
				continue;
			q = catalogue_find(c, p->query);
			if (!q)
				fail_msg("there is no query %s", p->query);
			check_words(p, q, p->params, true);
			check_why(p, c);
			check_words(p, q, p->columns, false);
			check_words(p, q, p->sort, false);
			check_selects(p, q);
		}
		assert_true(n <= PANES_MAX);
	}
	catalogue_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_key_means_two_things),
		cmocka_unit_test(panes_ask_what_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

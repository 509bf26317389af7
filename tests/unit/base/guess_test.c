/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/guess.h"

/* What is meant by |word|, of some words; "" for none. */
static void means(const char *word, const char *best)
{
	static const char *const known[] = { "analyze", "annotate", "query",
					     "report",  "losses",   "tail_loss",
					     "tail",    "tui" };
	struct guess g = guess_begin(word, strlen(word));

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		guess_offer(&g, known[i]);
	assert_string_equal(g.best, best);
}

static void mistakes(void **state)
{
	(void)state;
	means("anlayze", "analyze"); /* swapped */
	means("analyse", "analyze"); /* another letter */
	means("qury", "query");      /* one left out */
	means("lossses", "losses");  /* one too many */
	means("tail_los", "tail_loss");
	means("repo", "report"); /* its beginning */
	means("tiu", "tui");
	means("tial", "tail"); /* not the longer one */
	means("xyzzy", "");
	means("q", "");
	means("", "");
}

static void long_words(void **state)
{
	char word[200];

	(void)state;
	memset(word, 'q', sizeof word - 1);
	word[sizeof word - 1] = 0;
	means(word, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes),
		cmocka_unit_test(long_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The progress line, as it was drawn. */
#include "base/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { NS_PER_MS = 1000000, DRAWN = 1 << 16 };

static void wait_ms(long ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * NS_PER_MS };

	nanosleep(&t, NULL);
}

/* A step that takes four times as long as the one before it: the time left
 * never rises meanwhile, and is not shown when it turned out wrong. */
static void time_left_does_not_rise(void **state)
{
	FILE *out = tmpfile();
	static char drawn[DRAWN];
	int least = 100, shown = 0;

	(void)state;
	assert_non_null(out);
	progress_begin(out);
	progress_phase("deriving", 0, 4);
	wait_ms(700);
	progress_step();
	wait_ms(2800);
	progress_end();
	rewind(out);
	drawn[fread(drawn, 1, sizeof drawn - 1, out)] = '\0';
	fclose(out);
	for (char *line = strtok(drawn, "\r"); line;
	     line = strtok(NULL, "\r")) {
		char *left = strstr(line, "step 1 of 4, ");
		int seconds;

		if (!left || !strstr(left, " s left"))
			continue;
		assert_int_equal(
			sscanf(left, "step 1 of 4, %d s left", &seconds), 1);
		assert_true(seconds <= least);
		least = seconds;
		shown++;
	}
	assert_true(shown > 5); /* about 2.1 s at ten a second */
	assert_int_equal(least, 1);
}

static void longer_than_expected_says_how_long(void **state)
{
	FILE *out = tmpfile();
	static char drawn[DRAWN];

	(void)state;
	assert_non_null(out);
	progress_begin(out);
	progress_phase("deriving", 0, 2);
	wait_ms(100);
	progress_step();
	wait_ms(900);
	progress_end();
	rewind(out);
	drawn[fread(drawn, 1, sizeof drawn - 1, out)] = '\0';
	fclose(out);
	assert_non_null(
		strstr(drawn, "deriving 50 %, step 1 of 2, 1 s so far"));
	assert_null(strstr(drawn, " left"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_left_does_not_rise),
		cmocka_unit_test(longer_than_expected_says_how_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

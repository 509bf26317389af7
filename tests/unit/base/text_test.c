/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hostile text: nothing may reach a terminal or a JSON document as it is. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void same(char *(*f)(const char *), const char *in, const char *want)
{
	char *got = f(in);

	assert_string_equal(got, want);
	free(got);
}

static void test_plain_text_is_kept(void **state)
{
	(void)state;
	same(text_printable, "", "");
	same(text_printable, "eth0 \\ \"x\"", "eth0 \\ \"x\"");
	same(text_printable, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
	     "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
}

static void test_controls_are_escaped(void **state)
{
	(void)state;
	same(text_printable, "\033[2J\a", "\\x1b[2J\\x07");
	same(text_printable, "a\nb\tc\rd", "a\\nb\\tc\\rd");
	same(text_printable, "\x7f", "\\x7f");
	/* U+009B is CSI to many terminals */
	same(text_printable, "\xc2\x9b", "\\u{9b}");
}

static void test_direction_marks_are_escaped(void **state)
{
	(void)state;
	same(text_printable,
	     "a\xe2\x80\xae"
	     "b",
	     "a\\u{202e}b");
	same(text_printable, "\xe2\x81\xa6", "\\u{2066}");
}

/* RFC 3629 3 and 10: overlong, surrogate, beyond U+10FFFF, cut short */
static void test_bad_utf8(void **state)
{
	(void)state;
	same(text_printable, "\xc0\xaf", "\\xc0\\xaf");
	same(text_printable, "\xed\xa0\x80", "\\xed\\xa0\\x80");
	same(text_printable, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	same(text_printable, "\xe2\x82", "\\xe2\\x82");
	same(text_printable, "\xff", "\\xff");
	same(text_valid,
	     "a\xff"
	     "b\xe2\x82",
	     "a\xef\xbf\xbd"
	     "b\xef\xbf\xbd\xef\xbf\xbd");
	same(text_valid, "\033\xe2\x80\xae", "\033\xe2\x80\xae");
}

static void test_words_for_a_shell(void **state)
{
	(void)state;
	same(text_shell, "a/b-1.fabscope.db", "a/b-1.fabscope.db");
	same(text_shell, "", "''");
	same(text_shell, "a b", "'a b'");
	same(text_shell, "it's", "'it'\\''s'");
	same(text_shell, "$(reboot)", "'$(reboot)'");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_text_is_kept),
		cmocka_unit_test(test_controls_are_escaped),
		cmocka_unit_test(test_direction_marks_are_escaped),
		cmocka_unit_test(test_bad_utf8),
		cmocka_unit_test(test_words_for_a_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

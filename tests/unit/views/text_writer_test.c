/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wrapped text: nothing is lost, nothing is wider than the paper, and nothing
 * hostile gets through. */
#include "views/text_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static char *text;
static size_t length;
static struct text_writer text_writer;

static void begin(int width)
{
	writer_init(&text_writer, open_memstream(&text, &length));
	text_writer.width = width;
}

static void shows(const char *want)
{
	fclose(text_writer.out);
	assert_string_equal(text, want);
	free(text);
}

static void test_memory_is_no_terminal(void **state)
{
	(void)state;
	begin(0);
	assert_false(text_writer.color);
	writer_style(&text_writer, TEXT_RED);
	shows("");
}

static void test_a_line_is_cut_on_terminals_only(void **state)
{
	(void)state;
	begin(12);
	writer_line(&text_writer, 0, "1 ok", 5, "one two three");
	shows("1 ok one two three\n");
	begin(12);
	text_writer.terminal = true;
	writer_line(&text_writer, 0, "1 ok", 5, "\xc3\xa4\xc3\xb6 four");
	shows("1 ok \xc3\xa4\xc3\xb6 four\n");
	begin(12);
	text_writer.terminal = true;
	writer_line(&text_writer, 0, "1 ok", 5, "\xc3\xa4\xc3\xb6 four5");
	shows("1 ok \xc3\xa4\xc3\xb6 f...\n");
}

static void test_words_wrap_at_the_width(void **state)
{
	(void)state;
	begin(20);
	writer_text(&text_writer, 2, "Who", 8, "one two three four");
	shows("  Who   one two\n"
	      "        three four\n");
	begin(19); /* "one two three" would end in column 21 */
	writer_text(&text_writer, 0, "", 8, "one two thr");
	shows("        one two thr\n");
}

static void test_a_number_keeps_its_unit(void **state)
{
	(void)state;
	begin(40);
	writer_text(&text_writer, 0, "", 0,
		    "a paragraph that is just so wide: 12.5 ms, not 12 men");
	shows("a paragraph that is just so wide:\n"
	      "12.5 ms, not 12 men\n");
	begin(40);
	writer_text(&text_writer, 0, "", 0,
		    "a paragraph that has as much text (+9 %)");
	shows("a paragraph that has as much text (+9 %)\n");
	begin(40);
	writer_text(&text_writer, 0, "", 0,
		    "a paragraph that has a little more (-58 %)");
	shows("a paragraph that has a little more\n"
	      "(-58 %)\n");
}

static void test_a_long_word_stays_whole(void **state)
{
	(void)state;
	begin(16);
	writer_text(&text_writer, 0, "", 4, "a 2001:db8:1:2:3:4:5:6 b");
	shows("    a\n"
	      "    2001:db8:1:2:3:4:5:6\n"
	      "    b\n");
}

static void test_letters_are_counted_not_bytes(void **state)
{
	(void)state;
	begin(11);
	writer_text(&text_writer, 0, "", 0,
		    "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 "
		    "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
	shows("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 "
	      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\n");
}

static void test_a_wide_label_pushes_the_text(void **state)
{
	(void)state;
	begin(30);
	writer_text(&text_writer, 2, "capture_loss", 8, "why not");
	shows("  capture_loss why not\n");
}

static void test_hostile_label_and_text(void **state)
{
	(void)state;
	begin(60);
	writer_text(&text_writer, 0, "a\033", 8, "b\n\033[2Jc");
	shows("a\\x1b   b\\n\\x1b[2Jc\n");
}

static void test_commands_are_one_line(void **state)
{
	(void)state;
	begin(10);
	writer_command(&text_writer, 2, "More", 8, "%s %d two three four",
		       "one", 7);
	shows("  More  one 7 two three four\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_is_no_terminal),
		cmocka_unit_test(test_a_line_is_cut_on_terminals_only),
		cmocka_unit_test(test_words_wrap_at_the_width),
		cmocka_unit_test(test_a_number_keeps_its_unit),
		cmocka_unit_test(test_a_long_word_stays_whole),
		cmocka_unit_test(test_letters_are_counted_not_bytes),
		cmocka_unit_test(test_a_wide_label_pushes_the_text),
		cmocka_unit_test(test_hostile_label_and_text),
		cmocka_unit_test(test_commands_are_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Names as people read them. */
#include "base/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {
#define WORD(name, text) name,
#include "base/words.def"
#undef WORD
};

static void words_of_the_field(void **state)
{
	char buf[WORDS_TEXT];

	(void)state;
	assert_string_equal(words_of("loss_downstream", buf),
			    "lost downstream");
	assert_string_equal(words_of("nak_seq", buf), "NAK (PSN sequence)");
	assert_string_equal(words_of_uet("nak_seq", buf),
			    "NACK (PSN sequence)");
	assert_string_equal(words_of_uet("implied_nak", buf), "implied NACK");
	assert_string_equal(words_of_uet("timeout", buf), "RTO");
	assert_string_equal(words_of_uet("rnr_nak", buf),
			    "NACK for lack of resources");
	assert_string_equal(words_of("gbn", buf), "go-back-N");
	assert_string_equal(words_of("host-late|queueing|lost_min", buf),
			    "late ranks or queueing or lost, at least");
}

static void no_row_means_blanks(void **state)
{
	char buf[WORDS_TEXT], name[WORDS_TEXT + 1] = "";

	(void)state;
	assert_string_equal(words_of("lost_in_space", buf), "lost in space");
	assert_string_equal(words_of("10.0.0.1", buf), "10.0.0.1");
	assert_string_equal(words_of("", buf), "");
	/* what does not fit stays as it is */
	memset(name, '_', sizeof name - 1);
	assert_string_equal(words_of(name, buf), name);
}

static void to_uet(void **state)
{
	char buf[64];
	static const char from[] = "two NAKs, RNR NAKs, an RNR NAK";
	static const char to[] = "two NACKs, NACKs for lack of resources, a "
				 "NACK for lack of resources";

	(void)state;
	assert_int_equal(words_to_uet(from, NULL, 0), sizeof to - 1);
	/* as snprintf(): cut, and its whole length */
	assert_int_equal(words_to_uet(from, buf, sizeof buf), sizeof to - 1);
	assert_memory_equal(buf, to, sizeof buf - 1);
	assert_int_equal(buf[sizeof buf - 1], 0);
	assert_int_equal(words_to_uet("a NACK", buf, sizeof buf), 6);
	assert_string_equal(buf, "a NACK");
	assert_int_equal(words_to_uet("", buf, sizeof buf), 0);
	assert_string_equal(buf, "");
}

static void reasons(void **state)
{
	char buf[WORDS_REASON];

	(void)state;
	assert_string_equal(words_of_reason("R4", buf),
			    "it was seen here, and a NAK named it");
	assert_string_equal(
		words_of_reason("R1: reordered, not retransmitted", buf),
		"reordered, not retransmitted");
	assert_string_equal(words_of_reason("R2 or R4", buf),
			    "the original was seen here out of order; or it "
			    "was seen here, and a NAK named it");
	assert_string_equal(
		words_of_reason("R11 or a new connection on the same PSNs",
				buf),
		"the data had arrived, but no ACK had come");
	assert_string_equal(words_of_reason("R4?", buf),
			    "it was seen here, and a NAK named it");
	assert_string_equal(words_of_reason("R99", buf), "");
	assert_string_equal(words_of_reason("NAKed, and not seen", buf),
			    "NAKed, and not seen");
}

static void no_name_twice(void **state)
{
	(void)state;
	for (size_t i = 1; i < sizeof names / sizeof names[0]; i++)
		assert_true(strcmp(names[i - 1], names[i]) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_the_field),
		cmocka_unit_test(no_row_means_blanks),
		cmocka_unit_test(to_uet),
		cmocka_unit_test(reasons),
		cmocka_unit_test(no_name_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

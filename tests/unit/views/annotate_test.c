/* SPDX-License-Identifier: GPL-2.0-or-later
 * Many interfaces of one name: each is told once, and none is searched for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "maker.h"
#include "views/annotate.h"
#include "views/rows.h"

enum { INTERFACES = 50, SIZE = 60 };

/* Of rows, asked for by annotate. */
static uint64_t texts;
const char *__real_rows_text(const struct rows *r, size_t row,
			     const char *name);
const char *__wrap_rows_text(const struct rows *r, size_t row,
			     const char *name);

const char *__wrap_rows_text(const struct rows *r, size_t row, const char *name)
{
	texts++;
	return __real_rows_text(r, row, name);
}

static void write_capture(const char *path, unsigned interfaces)
{
	struct made m = { 0 };
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	made_section(&m);
	for (unsigned i = 0; i < interfaces; i++)
		made_interface(&m, 1, 0, "eth", 9);
	for (unsigned i = 0; i < interfaces; i++)
		made_enhanced(&m, i, UINT64_C(1700000000000000000) + i, SIZE,
			      SIZE, i);
	assert_int_equal(fwrite(m.p, 1, m.n, f), m.n);
	assert_int_equal(fclose(f), 0);
	made_free(&m);
}

static uint64_t texts_for(unsigned interfaces)
{
	static const char in[] = "annotate_test.pcapng";
	static const char to[] = "annotate_test.out.pcapng";
	struct annotated out;
	struct err err = { 0 };

	write_capture(in, interfaces);
	unlink(to);
	texts = 0;
	assert_int_equal(annotate(in, NULL, to, NULL, NULL, &out, &err), 0);
	assert_int_equal(out.packets, interfaces);
	assert_int_equal(out.remarked, interfaces);
	unlink(in);
	unlink(to);
	return texts;
}

static void interfaces_of_one_name_are_linear(void **state)
{
	uint64_t once = texts_for(INTERFACES);
	uint64_t four_times = texts_for(4 * INTERFACES);

	(void)state;
	assert_true(once >= INTERFACES);
	assert_true(four_times < 8 * once);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interfaces_of_one_name_are_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

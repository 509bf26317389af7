/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which rows a filter lets through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tui/filter.h"

static char src[] = "src", lost[] = "lost", cost[] = "cost_ns",
	    share[] = "share", qp[] = "dst_qp", none[] = "cnp", kind[] = "kind",
	    tap[] = "tap";

static const struct query_column columns[] = {
	{ src, UNIT_TEXT, NULL },      { lost, UNIT_COUNT, NULL },
	{ cost, UNIT_DURATION, NULL }, { share, UNIT_SHARE, NULL },
	{ qp, UNIT_HEX, NULL },        { none, UNIT_COUNT, NULL },
	{ kind, UNIT_WORD, NULL },     { tap, UNIT_TEXT, NULL },
};
enum { N = sizeof columns / sizeof columns[0] };

/* A row: 10.9.0.1, 1234 lost, 5 ms, 85 %, QP 0x39, CNPs not known, lost
 * upstream. */
static bool fits(const char *text, bool inverse)
{
	const struct query_value values[N] = {
		{ .type = VALUE_TEXT, .text = "10.9.0.1", .length = 8 },
		{ .type = VALUE_INT, .i = 1234 },
		{ .type = VALUE_INT, .i = 5000000 },
		{ .type = VALUE_REAL, .r = 0.85 },
		{ .type = VALUE_INT, .i = 0x39 },
		{ .type = VALUE_NULL },
		{ .type = VALUE_TEXT, .text = "loss_upstream" },
		{ .type = VALUE_TEXT, .text = "leaf 1, spine" },
	};
	static const char *const shown[N] = {
		"10.9.0.1", "1,234", "5.00 ms",       "85.0 %",
		"0x000039", "-",     "lost upstream", "leaf 1, spine"
	};
	struct filter f = { .inverse = inverse };

	filter_set(&f, text);
	return filter_fits(&f, columns, values, N, shown, 0);
}

static void terms(void **state)
{
	static const struct {
		const char *text;
		bool fits;
	} cases[] = {
		{ "", true },
		{ "   ", true },
		{ "10.9", true },
		{ "10.8", false },
		{ "MS", true }, /* as it is shown, in any case */
		{ "1,234 0x000039", true },
		{ "1,234 nothing", false },
		{ "-nothing", true },
		{ "-10.9", false },
		/* a name as it is stored, and as it is shown */
		{ "kind=loss_upstream", true },
		{ "kind=Lost_upstream", true },
		{ "kind!=lost_upstream", false },
		{ "kind=lost", false },
		{ "kind=loss_downstream", false },
		/* each of a list, a blank as "_" */
		{ "tap=spine", true },
		{ "tap=Leaf_1", true },
		{ "tap=leaf_1,_spine", true },
		{ "tap=leaf", false },
		{ "tap=pine", false },
		{ "tap!=spine", false },
		{ "tap!=leaf", true },
		{ "lost=1234", true },
		{ "lost!=1234", false },
		{ "lost>1233", true },
		{ "lost>1234", false },
		{ "lost>=1234", true },
		{ "lost<1234", false },
		{ "lost<=1234", true },
		{ "cost_ns>4ms", true },
		{ "cost_ns>5ms", false },
		{ "cost_ns>=5000us", true },
		{ "share>80%", true },
		{ "share<0.8", false },
		{ "dst_qp=0x39", true },
		{ "dst_qp=57", true },
		{ "src=10.9.0.1", true },
		{ "src=10.9", false },
		{ "src~10.9", true },
		{ "src!=10.9.0.2", true },
		{ "cnp>0", false }, /* not known is neither more nor less */
		{ "cnp<1", false },
		{ "cnp=0", false },
		{ "cnp=NULL", true },
		{ "cnp!=NULL", false },
		{ "lost=NULL", false },
		{ "lost!=NULL", true },
		{ "other=7", true }, /* no such column here */
		{ "=", false },      /* a word then */
		{ "lost>0 src~10 -nothing", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		if (fits(cases[i].text, false) != cases[i].fits)
			fail_msg("\"%s\"", cases[i].text);
		/* no term: everything, either way */
		if (strspn(cases[i].text, " ") != strlen(cases[i].text) &&
		    fits(cases[i].text, true) == cases[i].fits)
			fail_msg("\"%s\" the other way", cases[i].text);
	}
}

static void anything_is_a_filter(void **state)
{
	char text[3 * FILTER_TEXT];
	struct filter f;

	(void)state;
	memset(text, 'a', sizeof text);
	text[sizeof text - 1] = 0;
	filter_set(&f, text);
	assert_int_equal(f.n_terms, 1);
	for (size_t i = 1; i < sizeof text - 1; i += 2)
		text[i] = ' ';
	filter_set(&f, text);
	assert_int_equal(f.n_terms, FILTER_TERMS);
	memset(text, '<', sizeof text - 1);
	filter_set(&f, text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms),
		cmocka_unit_test(anything_is_a_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

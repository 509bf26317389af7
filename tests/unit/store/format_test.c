/* SPDX-License-Identifier: GPL-2.0-or-later
 * Answers as table, CSV and JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

#define INT(x)                              \
	{                                   \
		.type = VALUE_INT, .i = (x) \
	}
#define REAL(x)                              \
	{                                    \
		.type = VALUE_REAL, .r = (x) \
	}
#define TEXT(x)                                                          \
	{                                                                \
		.type = VALUE_TEXT, .text = (x), .length = sizeof(x) - 1 \
	}
#define NONE                       \
	{                          \
		.type = VALUE_NULL \
	}

static char name_a[] = "a", name_b[] = "bb", name_c[] = "c\"c";

static const struct query_column columns[] = {
	{ name_a, UNIT_TEXT, NULL },
	{ name_b, UNIT_DURATION, NULL },
	{ name_c, UNIT_SHARE, NULL },
};

static char *show(struct format_options o, const struct query_value *rows,
		  size_t n_rows)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct format *f = format_new(out, &o);
	struct query_sink sink = format_sink(f);

	assert_int_equal(sink.head(sink.ctx, columns, 3), 0);
	for (size_t i = 0; i < n_rows; i++)
		assert_int_equal(sink.row(sink.ctx, rows + 3 * i, 3), 0);
	assert_int_equal(format_end(f, NULL), 0);
	fclose(out);
	return text;
}

static void expect(struct format_options o, const struct query_value *rows,
		   size_t n_rows, const char *want)
{
	char *have = show(o, rows, n_rows);

	assert_string_equal(have, want);
	free(have);
}

/* RFC 4180, 2: quotes doubled, CRLF, fields with commas and breaks quoted. */
static void csv(void **state)
{
	const struct query_value rows[] = {
		TEXT("x"),     INT(-5),
		REAL(0.1),     TEXT("a,b"),
		NONE,          REAL(1e300),
		TEXT("a\"b"),  INT(INT64_MIN),
		REAL(NAN),     TEXT("a\nb"),
		INT(0),        REAL(INFINITY),
		TEXT(""),      INT(9007199254740993),
		REAL(1.0 / 3), TEXT(" pad "),
		NONE,          TEXT("\x1b[0m"),
	};

	(void)state;
	expect((struct format_options) { .kind = FORMAT_CSV }, rows, 6,
	       "a,bb,\"c\"\"c\"\r\n"
	       "x,-5,0.1\r\n"
	       "\"a,b\",,1e+300\r\n"
	       "\"a\"\"b\",-9223372036854775808,\r\n"
	       "\"a\nb\",0,\r\n"
	       "\"\",9007199254740993,0.3333333333333333\r\n"
	       "\" pad \",,\x1b[0m\r\n");
}

static void json(void **state)
{
	const struct query_value rows[] = {
		TEXT("q\" \\ \n \x01 \xc3\xa4 \xff"),
		INT(5),
		NONE,
		TEXT("</script>"),
		REAL(0.1),
		REAL(NAN),
	};

	(void)state;
	expect((struct format_options) { .kind = FORMAT_JSON }, rows, 2,
	       "[\n{\"a\": \"q\\\" \\\\ \\u000a \\u0001 \xc3\xa4 \xef\xbf\xbd\""
	       ", \"bb\": 5, \"c\\\"c\": null},\n"
	       "{\"a\": \"</script>\", \"bb\": 0.1, \"c\\\"c\": null}\n]\n");
	expect((struct format_options) { .kind = FORMAT_JSON }, rows, 0,
	       "[]\n");
}

/* Evidence is an object inside the row, not a text that holds one. */
static void json_in_json(void **state)
{
	const struct query_column column = { name_a, UNIT_JSON, NULL };
	const struct query_value rows[] = {
		TEXT("{\"frames\":\n\t[1, 2.50]}"),
		TEXT("{\"cut"),
		TEXT("null"),
		NONE,
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct format *f = format_new(
		out, &(struct format_options) { .kind = FORMAT_JSON });
	struct query_sink sink = format_sink(f);

	(void)state;
	assert_int_equal(sink.head(sink.ctx, &column, 1), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(sink.row(sink.ctx, &rows[i], 1), 0);
	assert_int_equal(format_end(f, NULL), 0);
	fclose(out);
	assert_string_equal(text, "[\n"
				  "{\"a\": {\"frames\":  [1, 2.50]}},\n"
				  "{\"a\": \"{\\\"cut\"},\n"
				  "{\"a\": null},\n"
				  "{\"a\": null}\n]\n");
	free(text);
}

static void table(void **state)
{
	const struct query_value rows[] = {
		TEXT("short"), INT(1500),
		REAL(0.0123),  TEXT("quite a bit longer"),
		INT(2000000),  NONE,
	};
	struct format_options o = { .kind = FORMAT_TABLE };

	(void)state;
	expect(o, rows, 2,
	       "a                        bb     c\"c\n"
	       "------------------  -------  ------\n"
	       "short                  1500  0.0123\n"
	       "quite a bit longer  2000000       -\n");
	o.human = true;
	expect(o, rows, 2,
	       "a                        bb     c\"c\n"
	       "------------------  -------  ------\n"
	       "short               1.50 us  1.23 %\n"
	       "quite a bit longer  2.00 ms       -\n");
	o.width = 30;
	expect(o, rows, 2,
	       "a                   bb     c\"c\n"
	       "-------------  -------  ------\n"
	       "short          1.50 us  1.23 %\n"
	       "quite a bit..  2.00 ms       -\n");
	/* too narrow for any table */
	o.width = 20;
	expect(o, rows, 2,
	       "  a  short\n bb  1.50 us\nc\"c  1.23 %\n\n"
	       "  a  quite a bit longer\n bb  2.00 ms\nc\"c  -\n\n");
}

/* What a hostile name could do to a terminal. */
static void table_disarms_text(void **state)
{
	const struct query_value rows[] = {
		TEXT("\x1b[2J\nx\xff"), INT(1), NONE,
		TEXT("\xc3\xa4"),       INT(1), NONE, /* one column wide */
	};

	(void)state;
	expect((struct format_options) { .kind = FORMAT_TABLE }, rows, 2,
	       "a               bb  c\"c\n"
	       "--------------  --  ---\n"
	       "\\x1b[2J\\nx\\xff   1    -\n"
	       "\xc3\xa4                1    -\n");
}

/* Only the first rows decide about the widths; memory stays bounded. */
static void long_tables_stream(void **state)
{
	struct query_value row[] = { TEXT("x"), INT(1), NONE };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct format_options o = { .kind = FORMAT_TABLE };
	struct format *f = format_new(out, &o);
	struct query_sink sink = format_sink(f);

	(void)state;
	sink.head(sink.ctx, columns, 3);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(sink.row(sink.ctx, row, 3), 0);
	fflush(out);
	assert_true(size > 9000 * strlen("x   1    -\n"));
	assert_int_equal(format_end(f, NULL), 0);
	fclose(out);
	assert_int_equal(strlen(text), 10002 * strlen("x   1    -\n"));
	free(text);
}

static void values(void **state)
{
	static const struct {
		enum query_unit unit;
		struct query_value v;
		const char *want;
	} cases[] = {
		{ UNIT_ID, INT(1234567), "1234567" },
		{ UNIT_COUNT, INT(1234567), "1,234,567" },
		{ UNIT_COUNT, INT(-5), "-5" },
		{ UNIT_FLAG, INT(1), "yes" },
		{ UNIT_FLAG, INT(0), "no" },
		{ UNIT_HEX, INT(0x12), "0x000012" },
		{ UNIT_HEX16, INT(0x12), "0x0012" },
		{ UNIT_HEX16, INT(0xffff), "0xffff" },
		{ UNIT_BYTES, INT(1500000), "1.50 MB" },
		{ UNIT_RATE, INT(400000000000), "400 Gb/s" },
		{ UNIT_TIME, INT(1500), "+0.000001 s" },
		{ UNIT_COUNT, TEXT("text"), "text" },
		{ UNIT_REAL, REAL(2.5), "2.5" },
		{ UNIT_DURATION, REAL(-1.09906e19), "-1.09906e+19" },
		{ UNIT_TIME, REAL(1e300), "1e+300" },
		{ UNIT_COUNT, REAL(9223372036854775808.0), "9.22337e+18" },
		{ UNIT_TEXT, NONE, "-" },
	};
	const struct format_options o = { .human = true, .origin_ns = 500 };
	const struct format_options utc = { .human = true };
	struct query_value t = INT(T0);
	char buf[FORMAT_CELL];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(
			format_value(&cases[i].v, cases[i].unit, &o, buf),
			cases[i].want);
	assert_string_equal(format_value(&t, UNIT_TIME, &utc, buf),
			    "2026-11-21 00:00:00.000000000 UTC");
}

/* Nothing is nothing, all is all, and only these look like it. */
static void shares(void **state)
{
	static const struct {
		double share;
		const char *want;
	} cases[] = {
		{ 0, "0 %" },
		{ 1, "100 %" },
		{ 0.5, "50.0 %" },
		{ 0.0123, "1.23 %" },
		{ 0.999, "99.9 %" },
		{ 0.99996, "99.996 %" },
		{ 0.9999999, "99.9999 %" },
		{ 0.00001, "0.0010 %" },
		{ 1e-9, "< 0.0001 %" },
		{ 12, "1200 %" },
		{ NAN, "-" },
	};
	char buf[FORMAT_CELL];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(format_share(cases[i].share, buf),
				    cases[i].want);
}

static void full_disk_is_an_error(void **state)
{
	struct query_value row[] = { TEXT("x"), INT(1), NONE };
	struct format_options o = { .kind = FORMAT_CSV };
	FILE *out = fopen("/dev/full", "w");
	struct format *f;
	struct query_sink sink;
	struct err err;

	(void)state;
	if (!out)
		skip();
	f = format_new(out, &o);
	sink = format_sink(f);
	sink.head(sink.ctx, columns, 3);
	sink.row(sink.ctx, row, 3);
	assert_int_equal(format_end(f, &err), -1);
	assert_string_equal(err.text, "cannot write the result: No space left "
				      "on device");
	fclose(out);
}

static void names(void **state)
{
	(void)state;
	assert_int_equal(format_by_name("table"), FORMAT_TABLE);
	assert_int_equal(format_by_name("csv"), FORMAT_CSV);
	assert_int_equal(format_by_name("json"), FORMAT_JSON);
	assert_int_equal(format_by_name("xml"), -1);
}

static void heads_are_words(void **state)
{
	static const struct {
		const char *name, *head;
	} cases[] = {
		{ "recovery_ns", "recovery" },
		{ "tap_id", "tap ID" },
		{ "dst_qp", "dst QP" },
		{ "ce_share", "CE share" },
		{ "first_ns", "first seen" },
		{ "flow_id", "flow" },
		{ "id", "ID" },
		{ "paused_ns", "paused" },
		{ "p99_ns", "p99" },
		{ "idle_ns", "idle" },
		{ "spdcid", "SPDCID" },
		{ "nak_fatal", "NAK fatal" },
		{ "anything", "anything" },
		{ "capture_missing", "not captured" },
	};
	char buf[FORMAT_CELL];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(format_head(cases[i].name, buf),
				    cases[i].head);
	assert_true(format_head_is("dst_qp", "DST_QP"));
	assert_true(format_head_is("cost_ns", "time_lost"));
	assert_false(format_head_is("cost_ns", "cost_s"));
}

/* What RoCE calls a NAK is a NACK in a row with a PDC id, for people only. */
/* Of neighbors that share a bar the higher one is drawn. */
static void charts_as_wide_as_there_is_room(void **state)
{
	const struct query_value v = TEXT("[0,1,2,3,4,8,6,0]");
	static const struct {
		size_t bars;
		const char *want;
	} charts[] = {
		{ 0, " ..::#| " }, { 8, " ..::#| " }, { 9, " ..::#| " },
		{ 4, ".:#|" },     { 3, ".:#" },      { 1, "#" },
	};
	char buf[FORMAT_CELL];

	(void)state;
	for (size_t i = 0; i < sizeof charts / sizeof charts[0]; i++) {
		const struct format_options how = { .human = true,
						    .ascii = true,
						    .bars = charts[i].bars };

		assert_string_equal(format_value(&v, UNIT_SPARK, &how, buf),
				    charts[i].want);
	}
}

static void uet_has_nacks(void **state)
{
	static char trigger[] = "trigger", spdcid[] = "spdcid";
	static const struct query_column heads[] = {
		{ trigger, UNIT_WORD, NULL },
		{ spdcid, UNIT_HEX16, NULL },
	};
	const struct query_value rows[][2] = {
		{ TEXT("nak"), INT(1) },
		{ TEXT("nak"), NONE },
	};
	char buf[FORMAT_CELL];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct format_options how = {
			.human = true,
			.uet = format_is_uet(heads, rows[i], 2),
		};

		assert_string_equal(
			format_value(&rows[i][0], UNIT_WORD, &how, buf),
			i ? "NAK" : "NACK");
		how.human = false;
		assert_string_equal(
			format_value(&rows[i][0], UNIT_WORD, &how, buf), "nak");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_are_words),
		cmocka_unit_test(csv),
		cmocka_unit_test(json),
		cmocka_unit_test(json_in_json),
		cmocka_unit_test(table),
		cmocka_unit_test(table_disarms_text),
		cmocka_unit_test(long_tables_stream),
		cmocka_unit_test(values),
		cmocka_unit_test(shares),
		cmocka_unit_test(full_disk_is_an_error),
		cmocka_unit_test(names),
		cmocka_unit_test(uet_has_nacks),
		cmocka_unit_test(charts_as_wide_as_there_is_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * SQL functions of the shipped queries: numbers as sentences need them.
 *
 *	human_ns(n)        1.23 ms
 *	human_bytes(n)     1.23 MB
 *	human_count(n)     1,234
 *	human_share(x)     1.23 %
 *	plural(n, word)    "1 packet", "1,234 packets", "3 retries"
 *	times(n)           "once", "twice", "1,234 times"
 *	words(name)        "lost downstream" of loss_downstream
 *	transport_words(transport, text)
 *			   |text|, where |transport| is one of Ultra Ethernet
 *			   with its words: NACK, not NAK
 *	reason(detail)     "it was seen here, and a NAK named it" of R4
 *	cause_name(class)
 *			   "late ranks": what people call a class of time
 *	between_text(min, max, word)
 *			   "4 packets"; where it may be more, "At least 4
 *			   packets"; where it may be none, "Up to 4 packets,
 *			   perhaps none,"
 *	uet_says(kind, n)  what a code is called that an event of that kind has
 *			   as its value: "ROD_OOO", "BAD_MKEY"; else NULL
 *
 * NULL gives NULL. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/words.h"
#include "store/format.h"
#include "store/store_int.h"
#include "wire/table.h"

static bool is_null(sqlite3_context *c, sqlite3_value *v)
{
	if (sqlite3_value_type(v) != SQLITE_NULL)
		return false;
	sqlite3_result_null(c);
	return true;
}

static void result(sqlite3_context *c, const char *text)
{
	sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

static void human_ns(sqlite3_context *c, int n, sqlite3_value **v)
{
	char buf[UNITS_TEXT];

	(void)n;
	if (!is_null(c, v[0]))
		result(c, units_ns(sqlite3_value_int64(v[0]), buf));
}

static void human_bytes(sqlite3_context *c, int n, sqlite3_value **v)
{
	char buf[UNITS_TEXT];

	(void)n;
	if (!is_null(c, v[0]))
		result(c, units_bytes(sqlite3_value_double(v[0]), buf));
}

/* Counts are never negative; a file that says so gets no comma. */
static char *count_text(int64_t n, char buf[static UNITS_TEXT])
{
	if (n >= 0)
		return units_count((uint64_t)n, buf);
	snprintf(buf, UNITS_TEXT, "%" PRId64, n);
	return buf;
}

static void human_count(sqlite3_context *c, int n, sqlite3_value **v)
{
	char buf[UNITS_TEXT];

	(void)n;
	if (!is_null(c, v[0]))
		result(c, count_text(sqlite3_value_int64(v[0]), buf));
}

static void human_share(sqlite3_context *c, int n, sqlite3_value **v)
{
	char buf[FORMAT_CELL];

	(void)n;
	if (!is_null(c, v[0]))
		result(c, format_share(sqlite3_value_double(v[0]), buf));
}

static void human_rate(sqlite3_context *c, int n, sqlite3_value **v)
{
	char buf[UNITS_TEXT];

	(void)n;
	if (!is_null(c, v[0]))
		result(c, units_rate(sqlite3_value_double(v[0]), buf));
}

static void plural(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *word = (const char *)sqlite3_value_text(v[1]);
	char text[UNITS_PLURAL];

	(void)n;
	if (is_null(c, v[0]) || !word)
		return;
	units_plural(sqlite3_value_int64(v[0]), word, text);
	result(c, text);
}

static void times(sqlite3_context *c, int n, sqlite3_value **v)
{
	static const char *const few[] = { "once", "twice" };
	sqlite3_int64 count = sqlite3_value_int64(v[0]);
	char text[UNITS_PLURAL];

	(void)n;
	if (is_null(c, v[0]))
		return;
	if (count == 1 || count == 2)
		result(c, few[count - 1]);
	else
		result(c, units_plural(count, "time", text));
}

static void between(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *word = (const char *)sqlite3_value_text(v[2]);
	int64_t min = sqlite3_value_int64(v[0]);
	int64_t max = sqlite3_value_int64(v[1]);
	char many[UNITS_PLURAL], text[UNITS_PLURAL + 32];
	bool perhaps = min == 0 && max > 0;

	(void)n;
	if (is_null(c, v[0]) || is_null(c, v[1]) || !word)
		return;
	units_plural(perhaps ? max : min, word, many);
	snprintf(text, sizeof text, "%s%s%s",
		 perhaps     ? "Up to "
		 : max > min ? "At least "
			     : "",
		 many, perhaps ? ", perhaps none," : "");
	result(c, text);
}

/* A title without its numbers and what they count: "4 packets lost between a
 * and b" and "1 packet lost between a and b" are the same. */
static void stem(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *p = (const char *)sqlite3_value_text(v[0]);
	bool counted = false;
	char text[512];
	size_t k = 0;

	(void)n;
	if (is_null(c, v[0]) || !p)
		return;
	while (*p && k < sizeof text - 1) {
		size_t word = strcspn(p, " ");
		size_t number = strspn(p, "0123456789.,%");

		if (number < word && !counted) {
			size_t fits = sizeof text - 1 - k;

			if (word < fits)
				fits = word;
			memcpy(text + k, p, fits);
			k += fits;
		}
		counted = number >= word;
		p += word;
		p += strspn(p, " ");
	}
	text[k] = 0;
	result(c, text);
}

static void words(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *name = (const char *)sqlite3_value_text(v[0]);
	char buf[WORDS_TEXT];

	(void)n;
	if (!is_null(c, v[0]) && name)
		result(c, words_of(name, buf));
}

static void transport_words(sqlite3_context *c, int n, sqlite3_value **v)
{
	static const char uet[] = "UET-";
	const char *transport = (const char *)sqlite3_value_text(v[0]);
	const char *text = (const char *)sqlite3_value_text(v[1]);
	size_t size;
	char *buf;

	(void)n;
	if (is_null(c, v[1]) || !text)
		return;
	if (!transport || strncmp(transport, uet, sizeof uet - 1) != 0) {
		result(c, text);
		return;
	}
	size = words_to_uet(text, NULL, 0) + 1;
	buf = sqlite3_malloc64(size);
	if (!buf) {
		sqlite3_result_error_nomem(c);
		return;
	}
	words_to_uet(text, buf, size);
	sqlite3_result_text(c, buf, -1, sqlite3_free);
}

static void reason(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *detail = (const char *)sqlite3_value_text(v[0]);
	char buf[WORDS_REASON];
	const char *text;

	(void)n;
	if (is_null(c, v[0]) || !detail)
		return;
	text = words_of_reason(detail, buf);
	if (*text)
		result(c, text);
}

/* What people call a class of answer_share. */
static void cause_name(sqlite3_context *c, int n, sqlite3_value **v)
{
	static const struct {
		const char *class, *name;
	} names[] = {
		{ "pause", "pauses" },
		{ "loss", "retransmissions" },
	};
	const char *class = (const char *)sqlite3_value_text(v[0]);
	char buf[WORDS_TEXT];

	(void)n;
	if (is_null(c, v[0]) || !class)
		return;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(class, names[i].class)) {
			result(c, names[i].name);
			return;
		}
	result(c, words_of(class, buf));
}

/* Refusals (NACK) and return codes of Ultra Ethernet. */
static void uet_says(sqlite3_context *c, int n, sqlite3_value **v)
{
	static const struct {
		const char *kind;
		enum wire_list list;
	} lists[] = {
		{ "nak_seq", WIRE_LIST_nack_code },
		{ "nak_fatal", WIRE_LIST_nack_code },
		{ "rnr_nak", WIRE_LIST_nack_code },
		{ "trimmed", WIRE_LIST_nack_code },
		{ "response_error", WIRE_LIST_ses_rc },
	};
	const char *kind = (const char *)sqlite3_value_text(v[0]);
	const char *name = NULL;

	(void)n;
	if (is_null(c, v[1]) || !kind)
		return;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (!strcmp(kind, lists[i].kind))
			name = wire_name(lists[i].list,
					 (uint64_t)sqlite3_value_int64(v[1]));
	if (name)
		result(c, name);
}

int db_functions(sqlite3 *db)
{
	static const struct {
		const char *name;
		int args;
		void (*f)(sqlite3_context *, int, sqlite3_value **);
	} functions[] = {
		{ "human_ns", 1, human_ns },
		{ "human_bytes", 1, human_bytes },
		{ "human_count", 1, human_count },
		{ "human_share", 1, human_share },
		{ "human_rate", 1, human_rate },
		{ "plural", 2, plural },
		{ "times", 1, times },
		{ "between_text", 3, between },
		{ "stem", 1, stem },
		{ "words", 1, words },
		{ "transport_words", 2, transport_words },
		{ "reason", 1, reason },
		{ "cause_name", 1, cause_name },
		{ "uet_says", 2, uet_says },
	};
	int rc = db_balance(db);

	if (rc == SQLITE_OK)
		rc = db_statistics(db);
	if (rc == SQLITE_OK)
		rc = db_overlap(db);
	if (rc == SQLITE_OK)
		rc = db_why(db);
	if (rc == SQLITE_OK)
		rc = db_sum(db);

	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (rc == SQLITE_OK)
			rc = sqlite3_create_function(
				db, functions[i].name, functions[i].args,
				SQLITE_UTF8 | SQLITE_DETERMINISTIC |
					SQLITE_INNOCUOUS,
				NULL, functions[i].f, NULL, NULL);
	return rc;
}

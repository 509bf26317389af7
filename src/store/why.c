/* SPDX-License-Identifier: GPL-2.0-or-later
 * SQL functions that tell how a recovery was decided (flow/recovery):
 *
 *	hypotheses()           how many there are
 *	hypothesis_name(i)     "lost_downstream"
 *	hypothesis_bit(name)   its bit in recovery.remaining
 *	hypothesis_says(i)     the same in words
 *	ruled_out_by(bits, i)  which rule excludes it, given recovery.evidence;
 *	                       NULL: none does
 *	rule_name(k)           "E18"
 *	rule_says(k)           why
 *	rule_assumes(k)        under which assumption; NULL: none
 *	rule_frame(k)          column of the recovery with the frame that shows
 *	                       it; NULL: it is about what was not observed
 *	evidence_names(bits)   "by_nak,seen,..."
 *	evidence_bit(name)     its bit in recovery.evidence
 *
 * NULL, and what is out of range, give NULL. */
#include "flow/recovery/decide.h"
#include "store/store_int.h"

/* The number of something there are |n| of. */
static bool index_of(sqlite3_value *v, unsigned n, unsigned *i)
{
	sqlite3_int64 x = sqlite3_value_int64(v);

	*i = (unsigned)x;
	return sqlite3_value_type(v) == SQLITE_INTEGER && x >= 0 && x < n;
}

static void words(sqlite3_context *c, const char *text)
{
	if (text && *text)
		sqlite3_result_text(c, text, -1, SQLITE_STATIC);
}

static void count_hypotheses(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	(void)v;
	sqlite3_result_int(c, HYPOTHESIS_COUNT);
}

static void hypothesis_name(sqlite3_context *c, int n, sqlite3_value **v)
{
	unsigned i;

	(void)n;
	if (index_of(v[0], HYPOTHESIS_COUNT, &i))
		words(c, hypothesis_rows[i].name);
}

static void hypothesis_bit(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *name = (const char *)sqlite3_value_text(v[0]);

	(void)n;
	for (unsigned i = 0; name && i < HYPOTHESIS_COUNT; i++)
		if (!strcmp(name, hypothesis_rows[i].name))
			sqlite3_result_int64(c, INT64_C(1) << i);
}

static void hypothesis_says(sqlite3_context *c, int n, sqlite3_value **v)
{
	unsigned i;

	(void)n;
	if (index_of(v[0], HYPOTHESIS_COUNT, &i))
		words(c, hypothesis_rows[i].sentence);
}

static void ruled_out_by(sqlite3_context *c, int n, sqlite3_value **v)
{
	uint64_t bits = (uint64_t)sqlite3_value_int64(v[0]);
	unsigned i, k;

	(void)n;
	if (sqlite3_value_type(v[0]) != SQLITE_INTEGER ||
	    !index_of(v[1], HYPOTHESIS_COUNT, &i))
		return;
	k = rule_against(bits, i);
	if (k < rule_rows_n)
		sqlite3_result_int(c, (int)k);
}

static void rule_name(sqlite3_context *c, int n, sqlite3_value **v)
{
	unsigned k;

	(void)n;
	if (index_of(v[0], rule_rows_n, &k))
		words(c, rule_rows[k].id);
}

static void rule_says(sqlite3_context *c, int n, sqlite3_value **v)
{
	unsigned k;

	(void)n;
	if (index_of(v[0], rule_rows_n, &k))
		words(c, rule_rows[k].sentence);
}

static void rule_assumes(sqlite3_context *c, int n, sqlite3_value **v)
{
	unsigned k;

	(void)n;
	if (index_of(v[0], rule_rows_n, &k))
		words(c, rule_rows[k].assumption);
}

static void rule_frame(sqlite3_context *c, int n, sqlite3_value **v)
{
	unsigned k;

	(void)n;
	if (!index_of(v[0], rule_rows_n, &k))
		return;
	for (unsigned i = EVIDENCE_COUNT; i > 0; i--)
		if ((rule_rows[k].needs >> (i - 1) & 1) &&
		    evidence_rows[i - 1].frame) {
			words(c, evidence_rows[i - 1].frame);
			return;
		}
}

static void evidence_names(sqlite3_context *c, int n, sqlite3_value **v)
{
	uint64_t bits = (uint64_t)sqlite3_value_int64(v[0]);
	sqlite3_str *text;
	char *all;

	(void)n;
	if (sqlite3_value_type(v[0]) != SQLITE_INTEGER)
		return;
	text = sqlite3_str_new(NULL);
	for (unsigned i = 0; i < EVIDENCE_COUNT; i++)
		if (bits >> i & 1)
			sqlite3_str_appendf(text, "%s%s",
					    sqlite3_str_length(text) ? "," : "",
					    evidence_rows[i].name);
	all = sqlite3_str_finish(text);
	sqlite3_result_text(c, all ? all : "", -1, sqlite3_free);
}

static void evidence_bit(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *name = (const char *)sqlite3_value_text(v[0]);

	(void)n;
	for (unsigned i = 0; name && i < EVIDENCE_COUNT; i++)
		if (!strcmp(name, evidence_rows[i].name))
			sqlite3_result_int64(c, INT64_C(1) << i);
}

int db_why(sqlite3 *db)
{
	static const struct {
		const char *name;
		int args;
		void (*f)(sqlite3_context *, int, sqlite3_value **);
	} functions[] = {
		{ "hypotheses", 0, count_hypotheses },
		{ "hypothesis_name", 1, hypothesis_name },
		{ "hypothesis_bit", 1, hypothesis_bit },
		{ "hypothesis_says", 1, hypothesis_says },
		{ "ruled_out_by", 2, ruled_out_by },
		{ "rule_name", 1, rule_name },
		{ "rule_says", 1, rule_says },
		{ "rule_assumes", 1, rule_assumes },
		{ "rule_frame", 1, rule_frame },
		{ "evidence_names", 1, evidence_names },
		{ "evidence_bit", 1, evidence_bit },
	};
	int rc = SQLITE_OK;

	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (rc == SQLITE_OK)
			rc = sqlite3_create_function(
				db, functions[i].name, functions[i].args,
				SQLITE_UTF8 | SQLITE_DETERMINISTIC |
					SQLITE_INNOCUOUS,
				NULL, functions[i].f, NULL, NULL);
	return rc;
}

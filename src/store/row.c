/* SPDX-License-Identifier: GPL-2.0-or-later
 * All rows, and the columns of those that are made of no fact.
 *
 * One line per column: its name, the member it comes from, and what else must
 * be known to write it.  How the member is read follows from its C type, so
 * that the two cannot disagree. */
#include "store/row.h"

#include <assert.h>
#include <stdbool.h>

#include "capture/capture.h"
#include "decode/packet.h"
#include "store/column.h"

/* --- meta, capture, damage, tap --- */

static const struct column meta_columns[] = {
	COL("key", struct row_pair, key, PLAIN),
	COL("value", struct row_pair, text, PLAIN),
};
ROW_COLUMNS(meta, meta_columns)

static const struct column cap_columns[] = {
	COL("table_name", struct row_pair, key, PLAIN),
	COL("not_stored", struct row_pair, number, PLAIN),
};
ROW_COLUMNS(cap, cap_columns)

static int64_t capture_first(const void *fact)
{
	const struct capture_file *f = fact;

	return f->packets ? f->first_ns : FACT_UNKNOWN;
}

static int64_t capture_last(const void *fact)
{
	const struct capture_file *f = fact;

	return f->packets ? f->last_ns : FACT_UNKNOWN;
}

/* What is missing at the end is not corrupted. */
static int64_t capture_corrupted(const void *fact)
{
	const struct capture_file *f = fact;

	return (int64_t)(f->damage_count - f->cut);
}

static int64_t capture_cut(const void *fact)
{
	return ((const struct capture_file *)fact)->cut > 0;
}

#define C(col, m) COL(col, struct capture_file, m, PLAIN)
static const struct column capture_columns[] = {
	GIVEN_ID("id"),
	C("path", path),
	C("format", format),
	C("packets", packets),
	C("bytes", bytes),
	COMPUTED("first_ns", capture_first),
	COMPUTED("last_ns", capture_last),
	COMPUTED("damaged_ranges", capture_corrupted),
	C("skipped_packets", skipped),
	C("filtered_packets", filtered),
	COMPUTED("cut", capture_cut),
};
ROW_COLUMNS(capture, capture_columns)
#undef C

static const struct column damage_columns[] = {
	GIVEN_ID("capture_id"),
	COL("from_byte", struct capture_damage, from, PLAIN),
	COL("to_byte", struct capture_damage, to, PLAIN),
	COL("why", struct capture_damage, why, PLAIN),
};
ROW_COLUMNS(damage, damage_columns)

static int64_t tap_first(const void *fact)
{
	const struct capture_tap *t = fact;

	return t->packets ? t->first_ns : FACT_UNKNOWN;
}

static int64_t tap_last(const void *fact)
{
	const struct capture_tap *t = fact;

	return t->packets ? t->last_ns : FACT_UNKNOWN;
}

/* Of no step back there is neither. */
static int64_t tap_back_from(const void *fact)
{
	const struct capture_tap *t = fact;

	return t->back_from != t->back_to ? t->back_from : FACT_UNKNOWN;
}

static int64_t tap_back_to(const void *fact)
{
	const struct capture_tap *t = fact;

	return t->back_from != t->back_to ? t->back_to : FACT_UNKNOWN;
}

#define T(col, m, r) COL(col, struct capture_tap, m, r)
static const struct column tap_columns[] = {
	GIVEN_ID("id"),
	T("capture_id", file, FROM_ONE),
	T("name", name, PLAIN),
	T("interface", interface, PLAIN),
	T("speed_bps", speed_bps, ZERO_IS_NULL),
	T("snaplen", snaplen, ZERO_IS_NULL),
	T("linktype", linktype, PLAIN),
	T("packets", packets, PLAIN),
	COMPUTED("first_ns", tap_first),
	COMPUTED("last_ns", tap_last),
	T("received_reported", received, MAX_IS_NULL),
	T("dropped_reported", dropped, MAX_IS_NULL),
	T("timestamp_regressions", regressions, PLAIN),
	COMPUTED("back_from_ns", tap_back_from),
	COMPUTED("back_to_ns", tap_back_to),
	T("stamp_step_ns", stamp_step, ZERO_IS_NULL),
};
ROW_COLUMNS(capture_tap, tap_columns)
#undef T

/* --- taps that belong together, their clocks; delays between them --- */

static const struct column tap_half_columns[] = {
	GIVEN_ID("id"),
	COL("half_of", struct fact_half, other, FROM_ONE),
	COL("half_by", struct fact_half, found_by, PLAIN),
	COL("half_why_not", struct fact_half, why_not, PLAIN),
	COL("direction", struct fact_half, side, ZERO_IS_NULL),
};

#define C(col, m) COL(col, struct fact_clock, m, PLAIN)
static const struct column clock_columns[] = {
	COL("tap_id", struct fact_clock, tap, FROM_ONE),
	C("part", part),
	COL("reference_tap_id", struct fact_clock, reference, FROM_ONE),
	COL("against_tap_id", struct fact_clock, against, FROM_ONE),
	C("against_error_ns", against_error_ns),
	C("method", method),
	COL("from_frame", struct fact_clock, from_frame, ZERO_IS_NULL),
	C("from_ns", from_ns),
	C("at_ns", at_ns),
	C("offset_ns", offset_ns),
	C("drift_ppb", drift_ppb),
	C("error_ns", error_ns),
	C("drift_low_ppb", drift_low_ppb),
	C("drift_high_ppb", drift_high_ppb),
	C("packets", packets),
	C("applied", applied),
	C("why", why),
};
#undef C

#define L(col, m) COL(col, struct fact_latency, m, PLAIN)
static const struct column segment_delay_columns[] = {
	L("segment_id", segment),
	L("from_ns", from_ns),
	L("to_ns", to_ns),
	L("count", count),
};
#undef L

ROW_COLUMNS(tap_half, tap_half_columns)
ROW_COLUMNS(clock, clock_columns)
ROW_COLUMNS(segment_delay, segment_delay_columns)

/* --- all of them --- */

static const struct row {
	const char *table;
	const char *conflict; /* ON CONFLICT clause, NULL for none */
	const struct column_list *(*list)(void);
} rows[ROW_KINDS] = {
#define ROW(name, table, key) { table, key, row_##name },
#include "store/rows.def"
};

static void append_names(sqlite3_str *s, const struct row *r)
{
	for (int i = 0; i < r->list()->n; i++)
		sqlite3_str_appendf(s, "%s%s", i ? "," : "",
				    r->list()->c[i].name);
}

/* The later row wins, except that caps add up. */
static void append_conflict(sqlite3_str *s, enum row_kind kind)
{
	const struct row *r = &rows[kind];

	sqlite3_str_appendf(s, " ON CONFLICT(%s) DO UPDATE SET ", r->conflict);
	for (int i = 0; i < r->list()->n; i++) {
		const char *name = r->list()->c[i].name;

		sqlite3_str_appendf(s, "%s%s=excluded.%s", i ? "," : "", name,
				    name);
		if (kind == ROW_cap && i)
			sqlite3_str_appendf(s, "+%s.%s", r->table, name);
	}
}

char *row_select_sql(enum row_kind kind, const char *rest)
{
	sqlite3_str *s = sqlite3_str_new(NULL);

	sqlite3_str_appendall(s, "SELECT ");
	append_names(s, &rows[kind]);
	sqlite3_str_appendf(s, " FROM %s %s", rows[kind].table, rest);
	return sqlite3_str_finish(s);
}

const struct column_list *row_columns(enum row_kind kind)
{
	return rows[kind].list();
}

const char *row_table(enum row_kind kind)
{
	return rows[kind].table;
}

bool row_replaces(enum row_kind kind)
{
	return rows[kind].conflict;
}

static void put(const struct column *c, void *fact, int64_t v)
{
	void *at = (char *)fact + c->offset;

	switch ((enum member_type)c->type) {
	case MEMBER_U32:
		*(uint32_t *)at = (uint32_t)v;
		break;
	case MEMBER_I64:
	case MEMBER_U64:
		*(int64_t *)at = v;
		break;
	case MEMBER_U16:
		*(uint16_t *)at = (uint16_t)v;
		break;
	case MEMBER_U8:
		*(uint8_t *)at = (uint8_t)v;
		break;
	case MEMBER_BOOL:
		*(bool *)at = v;
		break;
	default:
		assert(!"a number");
	}
}

void row_read(enum row_kind kind, sqlite3_stmt *stmt, void *fact)
{
	const struct column_list *l = rows[kind].list();

	for (int i = 0; i < l->n; i++)
		put(&l->c[i], fact, sqlite3_column_int64(stmt, i));
}

char *row_insert_sql(enum row_kind kind)
{
	const struct row *r = &rows[kind];
	sqlite3_str *s = sqlite3_str_new(NULL);

	sqlite3_str_appendf(s, "INSERT INTO %s(", r->table);
	append_names(s, r);
	sqlite3_str_appendall(s, ") VALUES(");
	for (int i = 0; i < r->list()->n; i++)
		sqlite3_str_appendf(s, "%s?%d", i ? "," : "", i + 1);
	sqlite3_str_appendall(s, ")");
	if (r->conflict)
		append_conflict(s, kind);
	return sqlite3_str_finish(s);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts as rows: every column is written once, in row.c. */
#ifndef FABSCOPE_STORE_ROW_H
#define FABSCOPE_STORE_ROW_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/core/fact.h"

enum row_kind {
	ROW_META,
	ROW_CAPTURE,
	ROW_DAMAGE,
	ROW_TAP,      /* from struct capture_tap */
	ROW_TAP_FLOW, /* the other columns of tap, from struct fact_tap */
	ROW_FLOW,
	ROW_EVENT,
	ROW_MESSAGE,
	ROW_MESSAGE_LATENCY,
	ROW_RECOVERY,
	ROW_JUDGE_FLOW,
	ROW_JUDGE_RECOVERY,
	ROW_JUDGE_FILL,
	ROW_CM,
	ROW_ENDING,
	ROW_CNP,
	ROW_CONGESTION,
	ROW_PACING,
	ROW_PDC,
	ROW_CC_BIN,
	ROW_NACK,
	ROW_ENTROPY,
	ROW_TSS,
	ROW_BIN,
	ROW_BURST,
	ROW_HOP,
	ROW_PATH,
	ROW_CSIG,
	ROW_TELEMETRY_PACKET,
	ROW_TELEMETRY_BIN,
	ROW_FLOW_TAP,
	ROW_SRV6_PATH,
	ROW_MRC,
	ROW_SPREAD_OVER,
	ROW_NODE, /* from here on of the topology file: struct topology_* */
	ROW_NODE_ADDRESS,
	ROW_NODE_PORT,
	ROW_SHEET,
	ROW_LINK,
	ROW_TAP_LINK, /* more columns of tap */
	ROW_LINK_GROUP,
	ROW_LINK_MEMBER,
	ROW_PAUSE,
	ROW_PAUSER,
	ROW_STORM,
	ROW_STALL,
	ROW_PAUSED_FLOW,
	ROW_LLDP,
	ROW_UEC_CREDIT,
	ROW_UEC_CREDIT_BIN,
	ROW_NVME_TCP,
	ROW_TAP_HALF, /* more columns of tap */
	ROW_CLOCK,
	ROW_TAP_PATH,
	ROW_SEGMENT,
	ROW_SEGMENT_FLOW,
	ROW_SEGMENT_BIN,
	ROW_SEGMENT_DELAY,
	ROW_UNMATCHED,
	ROW_JOB, /* from here on of src/phase */
	ROW_JOB_RANK,
	ROW_PHASE,
	ROW_PHASE_RANK,
	ROW_PHASE_FLOW,
	ROW_JOB_GROUP,
	ROW_PHASE_SHARE,
	ROW_MESSAGE_TIME,
	ROW_COLLECTIVE_TIME,
	ROW_CAP,
	ROW_KINDS
};

/* meta and cap have no fact of their own. */
struct row_pair {
	const char *key;
	const char *text; /* meta */
	uint64_t number;  /* cap */
};

struct row_address {
	struct addr addr;
	const char *node;
};

struct row_group {
	const char *name, *source;
	uint64_t members; /* 0 unknown */
};

struct row_member {
	const char *member;
	int64_t tap_id; /* negative: not tapped */
};

/* The other way, of a kind whose columns are numbers: the row at which |stmt|
 * stands, of "SELECT ..." by row_select_sql(), into |fact|. */
char *row_select_sql(enum row_kind kind, const char *rest);
void row_read(enum row_kind kind, sqlite3_stmt *stmt, void *fact);

struct column;
struct column_list;

const struct column_list *row_columns(enum row_kind kind);
const char *row_table(enum row_kind kind);

/* Does a row take the place of another with the same key? */
bool row_replaces(enum row_kind kind);

/* "INSERT INTO ..." for sqlite3_free. */
char *row_insert_sql(enum row_kind kind);

/* |n| of a flow, unless it is encrypted: then FACT_UNKNOWN. */
int64_t row_readable(const struct fact_flow *f, uint64_t n);

extern const char *const row_visibility_names[VISIBLE_BOTH + 1];

/* Texts made for a row: bound where they lie, so that none can get lost for
 * want of memory. */
enum { ROW_SCRATCH = 16, ROW_TEXT = 64 };
struct row_scratch {
	unsigned n;
	char text[ROW_SCRATCH][ROW_TEXT];
};

/* What goes into a column. */
enum row_type {
	ROW_NULL,
	ROW_INTEGER,
	ROW_REAL,
	ROW_STRING,
	ROW_NAME, /* a text that never changes */
};

struct row_value {
	enum row_type type;
	union {
		int64_t i;
		double r;
		const char *text;
	};
};

/* Of |c|; texts are in the fact or in |s|. */
struct row_value row_value(const struct column *c, int64_t id, const void *fact,
			   struct row_scratch *s);

/* What a statement was bound to last: most of it is as in the row before.  All
 * zeros: nothing. */
enum { ROW_COLUMNS = 96 };
struct row_bound {
	int n;
	struct row_value value[ROW_COLUMNS];
};

/* Binds the columns of |fact| to a statement of row_insert_sql(); |s| stays
 * until it has been stepped, |b| as long as the statement.  |id| is for the
 * kinds whose fact does not know it: capture, damage (of its capture), tap. */
void row_bind(enum row_kind kind, int64_t id, const void *fact,
	      sqlite3_stmt *stmt, struct row_scratch *s, struct row_bound *b);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Table flow_sum: what the flows of each capture point and kind add up to.
 *
 * Flows are added up while their rows are written: a hundred thousand rows are
 * read back and grouped by SQL in as much time as it takes to track their
 * packets.  Rows that were changed since, or that another run wrote, are read
 * back after all, and added up by the same code.
 *
 * As in SQL, what is unknown does not count. */
#include "store/flow_sum.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/siphash.h"
#include "store/brief.h"
#include "store/port_use.h"

enum {
	KINDS = 1 << 16, /* with more, all are written, and it begins anew */
	SLOTS = 2 * KINDS,
};

/* A product that is too large is the largest integer, as sum.c has it. */
static int64_t times(int64_t a, int64_t b)
{
	int64_t product;

	if (a == FACT_UNKNOWN || b == FACT_UNKNOWN)
		return FACT_UNKNOWN;
	return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (a == FACT_UNKNOWN || b == FACT_UNKNOWN)
		return FACT_UNKNOWN;
	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t if_known(int64_t v, int64_t n)
{
	return v == FACT_UNKNOWN ? FACT_UNKNOWN : n;
}

static int64_t completed(const struct fact_flow *f)
{
	return row_readable(f, f->messages_completed);
}

enum way { SUM, MIN, MAX };

/* Each column of the table that is no part of the kind: how, and of what of
 * flow |f|. */
#define COLUMNS(X)                                                             \
	X(first_id, MIN, f->id)                                                \
	X(flows, SUM, 1)                                                       \
	X(packets, SUM, (int64_t)f->packets)                                   \
	X(wire, SUM, (int64_t)(f->bytes + 24 * f->packets))                    \
	X(goodput, SUM, row_readable(f, f->goodput_bytes))                     \
	X(expected, SUM, (int64_t)f->expected)                                 \
	X(checked, SUM, if_known(f->capture_missing, (int64_t)f->expected))    \
	X(capture_missing, SUM, f->capture_missing)                            \
	X(lost_min, SUM, plus(f->lost_upstream, f->lost_downstream_min))       \
	X(lost_max, SUM,                                                       \
	  plus(plus(f->lost_upstream, f->lost_downstream_max), f->unresolved)) \
	X(unresolved, SUM, f->unresolved)                                      \
	X(retransmitted, SUM, f->retransmitted)                                \
	X(reordered, SUM, f->reordered)                                        \
	X(spurious, SUM, f->spurious)                                          \
	X(timeouts, SUM, f->timeouts)                                          \
	X(naks, SUM, plus(f->nak_seq, f->implied_nak))                         \
	X(rnr, SUM, f->rnr_nak)                                                \
	X(first_ns, MIN, f->first_ns)                                          \
	X(last_ns, MAX, f->last_ns)                                            \
	X(ect_data, SUM, f->ect_data)                                          \
	X(ce_data, SUM, f->ce_data)                                            \
	X(not_ect_data, SUM, f->not_ect_data)                                  \
	X(dscp_min, MIN, f->dscp)                                              \
	X(dscp_max, MAX, f->dscp)                                              \
	X(pcp_min, MIN, f->pcp)                                                \
	X(pcp_max, MAX, f->pcp)                                                \
	X(least, MIN, f->latency_min_ns)                                       \
	X(most, MAX, f->latency_max_ns)                                        \
	X(latency, SUM, times(f->latency_mean_ns, completed(f)))               \
	X(timed, SUM, if_known(f->latency_mean_ns, completed(f)))              \
	X(rtt, MIN, f->rtt_receiver_ns)                                        \
	X(rtts, SUM, f->rtt_receiver_ns != FACT_UNKNOWN)                       \
	X(trimmed, SUM, f->trimmed)                                            \
	X(crc_good, SUM, f->icrc_good)                                         \
	X(crc_bad, SUM, f->icrc_bad)

/* ... and those that are. */
static const char *const kind_columns[] = {
	"tap_id",  "transport",  "sprayed", "numbered",
	"carried", "visibility", "paired",
};

enum { N_KIND = sizeof kind_columns / sizeof *kind_columns };

enum {
#define X(name, way, of) COLUMN_##name,
	COLUMNS(X)
#undef X
		N_COLUMNS
};

static const char *const names[] = {
#define X(name, way, of) #name,
	COLUMNS(X)
#undef X
};

struct kind {
	uint32_t tap; /* from 0 */
	uint8_t transport, visibility;
	bool sprayed, numbered, carried, paired;
	int64_t total[N_COLUMNS]; /* FACT_UNKNOWN: none was known */
};

struct flow_sum {
	struct store *s;
	struct kind *kinds;
	uint32_t n_kinds, room;
	uint32_t latest;       /* kind */
	uint32_t slots[SLOTS]; /* kinds + 1 by hash, 0: free */
	struct port_use ports;
};

/* ---- one flow more ---- */

static int64_t add(enum way way, int64_t total, int64_t v)
{
	if (v == FACT_UNKNOWN)
		return total;
	if (total == FACT_UNKNOWN)
		return v;
	switch (way) {
	case SUM:
		return plus(total, v);
	case MIN:
		return v < total ? v : total;
	case MAX:
		return v > total ? v : total;
	}
	return total;
}

static bool alike(const struct kind *a, const struct kind *b)
{
	return a->tap == b->tap && a->transport == b->transport &&
	       a->visibility == b->visibility && a->sprayed == b->sprayed &&
	       a->numbered == b->numbered && a->carried == b->carried &&
	       a->paired == b->paired;
}

static struct kind *new_kind(struct flow_sum *x, const struct kind *like)
{
	struct kind *k;

	if (x->n_kinds == x->room) {
		uint32_t room = x->room ? 2 * x->room : 16;

		k = reallocarray(x->kinds, room, sizeof *k);
		if (!k)
			return NULL;
		x->kinds = k;
		x->room = room;
	}
	k = &x->kinds[x->n_kinds++];
	*k = *like;
	for (int i = 0; i < N_COLUMNS; i++)
		k->total[i] = FACT_UNKNOWN;
	return k;
}

/* Where a kind is, or will be. */
static uint32_t *slot_of(struct flow_sum *x, const struct kind *k)
{
	uint32_t rest = (uint32_t)(k->transport << 8 | k->visibility << 4 |
				   k->sprayed << 3 | k->numbered << 2 |
				   k->carried << 1 | k->paired);
	size_t at = hash2(k->tap, rest) % SLOTS;

	while (x->slots[at] && !alike(&x->kinds[x->slots[at] - 1], k))
		at = (at + 1) % SLOTS;
	return &x->slots[at];
}

static struct kind *kind_of(struct flow_sum *x, const struct kind *like)
{
	uint32_t *slot;

	if (x->latest < x->n_kinds && alike(&x->kinds[x->latest], like))
		return &x->kinds[x->latest];
	slot = slot_of(x, like);
	if (!*slot) {
		if (!new_kind(x, like))
			return NULL;
		*slot = x->n_kinds;
	}
	x->latest = *slot - 1;
	return &x->kinds[x->latest];
}

static int write_kinds(struct flow_sum *x, struct err *err);

/* -1 and |err|. */
static int add_flow(struct flow_sum *x, const struct fact_flow *f,
		    struct err *err)
{
	const struct kind like = {
		.tap = f->tap,
		.transport = (uint8_t)f->transport,
		.visibility = (uint8_t)f->visibility,
		.sprayed = f->spray_suspect,
		.numbered = f->requests > 0 || f->responses > 0,
		.carried = f->payload_bytes > 0,
		.paired = f->pairing != PAIRING_NONE,
	};
	struct kind *k;

	if (x->n_kinds == KINDS && write_kinds(x, err))
		return -1;
	k = kind_of(x, &like);
	if (!k || !port_use_note(&x->ports, f))
		return err_set(err, ERR_MEMORY, "out of memory");
#define X(name, way, of) \
	k->total[COLUMN_##name] = add(way, k->total[COLUMN_##name], of);
	COLUMNS(X)
#undef X
	return 0;
}

static bool begun(struct store *s, struct err *err)
{
	if (!s->briefs)
		s->briefs = calloc(1, sizeof *s->briefs);
	if (!s->flow_sum)
		s->flow_sum = calloc(1, sizeof *s->flow_sum);
	if (!s->briefs || !s->flow_sum) {
		err_set(err, ERR_MEMORY, "out of memory");
		return false;
	}
	s->flow_sum->s = s;
	return true;
}

/* |src| and |dst|: as in brief.h. */
static int take_flow(struct store *s, const struct fact_flow *f,
		     const char *src, const char *dst, struct err *err)
{
	return brief_add(s->briefs, f, src, dst)
		       ? add_flow(s->flow_sum, f, err)
		       : err_set(err, ERR_MEMORY, "out of memory");
}

int flow_sum_add(struct store *s, const struct fact_flow *f, struct err *err)
{
	if (s->live) /* its row will be written again */
		return 0;
	return begun(s, err) ? take_flow(s, f, NULL, NULL, err) : -1;
}

void flow_sum_free(struct flow_sum *x)
{
	if (x) {
		free(x->kinds);
		port_use_free(&x->ports);
	}
	free(x);
}

/* ---- rows ---- */

static int by_first(const void *a, const void *b)
{
	int64_t x = ((const struct kind *)a)->total[COLUMN_first_id];
	int64_t y = ((const struct kind *)b)->total[COLUMN_first_id];

	return (x > y) - (x < y);
}

static void bind_kind(const struct kind *k, sqlite3_stmt *to)
{
	const char *visible = flow_visibility_names[k->visibility];

	sqlite3_bind_int64(to, 1, (int64_t)k->tap + 1);
	sqlite3_bind_text(to, 2, flow_transport_names[k->transport], -1,
			  SQLITE_STATIC);
	sqlite3_bind_int(to, 3, k->sprayed);
	sqlite3_bind_int(to, 4, k->numbered);
	sqlite3_bind_int(to, 5, k->carried);
	sqlite3_bind_text(to, 6, visible, -1, SQLITE_STATIC);
	sqlite3_bind_int(to, 7, k->paired);
	for (int i = 0; i < N_COLUMNS; i++)
		if (k->total[i] == FACT_UNKNOWN)
			sqlite3_bind_null(to, N_KIND + i + 1);
		else
			sqlite3_bind_int64(to, N_KIND + i + 1, k->total[i]);
}

/* In the order of the first flow of each kind.  There are none then. */
static int write_kinds(struct flow_sum *x, struct err *err)
{
	const char *all[N_KIND + N_COLUMNS];
	sqlite3_stmt *to;
	int rc = 0;

	memcpy(all, kind_columns, sizeof kind_columns);
	memcpy(all + N_KIND, names, sizeof names);
	to = db_insert(x->s, "flow_sum", all, N_KIND + N_COLUMNS, "flow_sum",
		       err);
	if (!to)
		return -1;
	if (x->n_kinds)
		qsort(x->kinds, x->n_kinds, sizeof *x->kinds, by_first);
	for (uint32_t i = 0; !rc && i < x->n_kinds; i++) {
		bind_kind(&x->kinds[i], to);
		if (sqlite3_step(to) != SQLITE_DONE)
			rc = db_error(x->s, err, "flow_sum");
		sqlite3_reset(to);
	}
	sqlite3_finalize(to);
	x->n_kinds = 0;
	memset(x->slots, 0, sizeof x->slots);
	return rc;
}

/* ---- what was changed since, or is another run's ---- */

/* Of a flow, what is asked for above. */
#define NUMBERS(X)             \
	X(id)                  \
	X(epoch)               \
	X(dst_qp)              \
	X(spdcid)              \
	X(dpdcid)              \
	X(job_id)              \
	X(ttl)                 \
	X(messages)            \
	X(rtt_sender_ns)       \
	X(udp_sport)           \
	X(requests)            \
	X(responses)           \
	X(payload_bytes)       \
	X(packets)             \
	X(bytes)               \
	X(goodput_bytes)       \
	X(expected)            \
	X(capture_missing)     \
	X(lost_upstream)       \
	X(lost_downstream_min) \
	X(lost_downstream_max) \
	X(unresolved)          \
	X(retransmitted)       \
	X(reordered)           \
	X(spurious)            \
	X(timeouts)            \
	X(nak_seq)             \
	X(implied_nak)         \
	X(rnr_nak)             \
	X(first_ns)            \
	X(last_ns)             \
	X(ect_data)            \
	X(ce_data)             \
	X(not_ect_data)        \
	X(dscp)                \
	X(dscp_cnp)            \
	X(pcp)                 \
	X(latency_min_ns)      \
	X(latency_mean_ns)     \
	X(latency_max_ns)      \
	X(messages_completed)  \
	X(rtt_receiver_ns)     \
	X(trimmed)             \
	X(icrc_good)           \
	X(icrc_bad)

static unsigned place_in(const char *const *list, unsigned n, const char *name)
{
	for (unsigned i = 0; name && i < n; i++)
		if (!strcmp(list[i], name))
			return i;
	return 0;
}

/* The same for the same text, whatever it is: a pseudonym is no address. */
static struct addr read_address(sqlite3_stmt *q, int column)
{
	const char *text = (const char *)sqlite3_column_text(q, column);

	if (!text)
		return (struct addr) { { 0 } };
	return (struct addr) { { siphash((const uint8_t *)hash_key, text,
					 strlen(text)) } };
}

static struct fact_flow read_flow(sqlite3_stmt *q)
{
	struct fact_flow f = {
		.tap = (uint32_t)sqlite3_column_int64(q, 0) - 1,
		.transport = place_in(flow_transport_names, FLOW_TRANSPORTS,
				      (const char *)sqlite3_column_text(q, 1)),
		.visibility = place_in(flow_visibility_names, VISIBILITIES,
				       (const char *)sqlite3_column_text(q, 2)),
		.spray_suspect = sqlite3_column_int(q, 3),
		.pairing = sqlite3_column_int(q, 4) ? PAIRING_ASSUMED
						    : PAIRING_NONE,
		.src = read_address(q, 5),
		.dst = read_address(q, 6),
		.peer = (uint32_t)sqlite3_column_int64(q, 7),
		.spans_reads = sqlite3_column_int(q, 8),
	};
	int column = 9;

#define X(member) f.member = (__typeof__(f.member))db_number(q, column++);
	NUMBERS(X)
#undef X
	return f;
}

static int read_flows(struct store *s, struct err *err)
{
	static const char sql[] =
		"SELECT tap_id, transport, visibility, spray_suspect,"
		" pairing IS NOT NULL, src, dst, peer_flow_id, spans_reads"
#define X(member) ", " #member
		NUMBERS(X)
#undef X
			" FROM flow /*scan*/";
	sqlite3_stmt *q = db_prepare(s, sql, "flow_sum", err);
	int rc = SQLITE_ROW;

	if (!q)
		return -1;
	while (rc == SQLITE_ROW && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct fact_flow f = read_flow(q);

		if (take_flow(s, &f, (const char *)sqlite3_column_text(q, 5),
			      (const char *)sqlite3_column_text(q, 6), err))
			rc = SQLITE_ERROR;
	}
	sqlite3_finalize(q);
	return rc == SQLITE_DONE ? 0 : -1;
}

/* Of a sample nothing is missing, and no mirror that reorders shows reordering:
 * 10-withdraw.sql and 15-mirror-order.sql took it back. */
static bool withdrawn(struct store *s)
{
	return db_integer(s,
			  "SELECT EXISTS(SELECT 1 FROM tap"
			  " WHERE sampled_one_in IS NOT NULL OR overrun"
			  " OR disorder_ns IS NOT NULL)",
			  0);
}

static int from_rows(struct store *s, struct err *err)
{
	if (db_run(s, "DELETE FROM flow_sum", err))
		return -1;
	flow_sum_free(s->flow_sum);
	s->flow_sum = NULL;
	brief_free(s->briefs, s);
	s->briefs = NULL;
	return begun(s, err) && !read_flows(s, err)
		       ? brief_show(s->briefs, s, err)
		       : -1;
}

int store_flow_begin(struct store *s, struct err *err)
{
	int rc =
		s->flow_sum ? brief_show(s->briefs, s, err) : from_rows(s, err);

	return rc ? rc : write_kinds(s->flow_sum, err);
}

int store_flow_sum(struct store *s, struct err *err)
{
	int rc = 0;

	if (withdrawn(s))
		rc = from_rows(s, err) || write_kinds(s->flow_sum, err) ? -1
									: 0;
	if (!rc)
		rc = port_use_write(&s->flow_sum->ports, s, err);
	flow_sum_free(s->flow_sum);
	s->flow_sum = NULL;
	return rc;
}

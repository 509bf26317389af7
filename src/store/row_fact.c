/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts as rows: what their columns have that facts.def does not say. */
#include <inttypes.h>
#include <stdio.h>

#include "decode/packet.h"
#include "flow/core/fact.h"
#include "store/column.h"
#include "store/row.h"
#include "wire/table.h"

/* What the mirror's numbering says is known only where there is one. */
static int64_t mirror_seq_lost(const void *fact)
{
	const struct fact_tap *t = fact;

	return t->mirror_seq_seen ? (int64_t)t->mirror_seq_lost : FACT_UNKNOWN;
}

/* --- flow --- */

/* Counters of which one that is not zero makes a flow one with problems.  Not
 * among them: what happened to the copies only (capture loss, mirror
 * duplicates), and marks. */
static const uint16_t recovery_state_members[] = {
#define M(m) offsetof(struct fact_flow, m)
	M(lost_upstream),
	M(lost_downstream_min),
	M(lost_downstream_max),
	M(corrupted),
	M(unresolved),
	M(reordered),
	M(retransmitted),
	M(spurious),
	M(timeouts),
	M(nak_seq),
	M(nak_fatal),
	M(rnr_nak),
	M(implied_nak),
	M(duplicates),
	M(ack_lost),
	M(credit_stalls),
	M(trimmed),
	M(icrc_bad),
	M(recoveries),
#undef M
};

static int64_t is_recovering(const void *fact)
{
	const size_t n =
		sizeof recovery_state_members / sizeof *recovery_state_members;
	const struct fact_flow *f = fact;

	for (size_t i = 0; i < n; i++) {
		const char *at = (const char *)fact + recovery_state_members[i];

		if (recovery_state_members[i] ==
			    offsetof(struct fact_flow, reordered) &&
		    (f->transport == FLOW_UET_RUD ||
		     f->transport == FLOW_UET_RUDI))
			continue; /* any order is as good */
		/* FACT_UNKNOWN is negative */
		if (*(const int64_t *)(const void *)at > 0)
			return 1;
	}
	return 0;
}

/* Of what is encrypted nobody counts messages, or tells data from copies. */
int64_t row_readable(const struct fact_flow *f, uint64_t n)
{
	return f->transport == FLOW_UET_TSS ? FACT_UNKNOWN : (int64_t)n;
}

#define READABLE(m)                                   \
	static int64_t readable_##m(const void *fact) \
	{                                             \
		const struct fact_flow *f = fact;     \
                                                      \
		return row_readable(f, f->m);         \
	}
READABLE(goodput_bytes)
READABLE(messages)
READABLE(messages_completed)
READABLE(messages_incomplete)
#undef READABLE

/* --- event, message, recovery --- */

/* --- cm, bin --- */

/* IBTA Vol. 1, chapter 12: AttributeID 0x10... */
static const char *cm_message(const void *fact, char *buf, size_t size)
{
	static const char *const names[] = {
		"REQ",  "MRA",      "REJ",      "REP", "RTU", "DREQ",
		"DREP", "SIDR_REQ", "SIDR_REP", "LAP", "APR",
	};
	const struct fact_cm *c = fact;
	unsigned i = c->attribute - 0x10u;

	(void)buf;
	(void)size;
	return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

static const char *cm_service(const void *fact, char *buf, size_t size)
{
	const struct fact_cm *c = fact;

	/* only REQ and the two of SIDR carry one */
	if (c->attribute != 0x10 && c->attribute != 0x17 &&
	    c->attribute != 0x18)
		return NULL;
	snprintf(buf, size, "0x%016" PRIx64, c->service_id);
	return buf;
}

/* A tap comes as an index, like everywhere. */
static int64_t bin_scope_id(const void *fact)
{
	const struct fact_bin *b = fact;

	return (int64_t)b->scope_id + (b->scope == BIN_TAP);
}

static int64_t bin_tap(const void *fact)
{
	const struct fact_bin *b = fact;

	return b->scope == BIN_PRIORITY ? (int64_t)b->tap + 1 : FACT_UNKNOWN;
}

static int64_t bin_paused(const void *fact)
{
	const struct fact_bin *b = fact;

	return b->scope == BIN_PRIORITY ? b->paused_ns : FACT_UNKNOWN;
}

/* --- how queue pairs ended --- */

static int64_t ending_last(const void *fact)
{
	const struct fact_ending *e = fact;

	return e->last_ns > e->refused_ns ? e->last_ns : e->refused_ns;
}

/* --- pauses --- */

static const char *pauser_host(const void *fact, char *buf, size_t size)
{
	const struct fact_pauser *p = fact;

	if (!p->has_host || size < ADDR_TEXT)
		return NULL;
	return addr_text(p->host, buf);
}

/* Without a speed it is not known when they should have stopped. */
static int64_t pauser_passed(const void *fact)
{
	const struct fact_pauser *p = fact;

	return p->link_bps ? (int64_t)p->passed : FACT_UNKNOWN;
}

/* --- paths and links --- */

/* "1>5>3", "?" for a device without a name. */
static const char *path_devices(const void *fact, char *buf, size_t size)
{
	const struct fact_path *f = fact;
	size_t n = 0;

	*buf = 0;
	for (uint32_t i = 0; i < f->n_hops && n < size; i++) {
		const char *between = i ? ">" : "";

		n += (size_t)(f->device[i] < 0 ? snprintf(buf + n, size - n,
							  "%s?", between)
					       : snprintf(buf + n, size - n,
							  "%s%" PRId64, between,
							  f->device[i]));
	}
	return buf;
}

static const char *const csig_signals[] = { "abw", "abw_c", "delay", "depth" };

/* It has windows of a hundred packets only when it has as many. */
static int64_t fairness_pm(const void *fact)
{
	const struct fact_spread_over *f = fact;

	return f->fairness < 0 ? FACT_UNKNOWN : (int64_t)(1000 * f->fairness);
}

/* --- Ultra Ethernet --- */

static int64_t pdc_late(const void *fact)
{
	const struct fact_pdc *o = fact;

	return o->late_behind ? o->late_behind_max_ns : FACT_UNKNOWN;
}

static const char *nack_name(const void *fact, char *buf, size_t size)
{
	const struct fact_nack *n = fact;

	(void)buf;
	(void)size;
	return wire_name(WIRE_LIST_nack_code, n->code);
}

static int64_t nack_mean(const void *fact)
{
	const struct fact_nack *n = fact;

	return n->retransmitted ? n->react_sum_ns / (int64_t)n->retransmitted
				: FACT_UNKNOWN;
}

static int64_t nack_min(const void *fact)
{
	const struct fact_nack *n = fact;

	return n->retransmitted ? n->react_min_ns : FACT_UNKNOWN;
}

static int64_t nack_max(const void *fact)
{
	const struct fact_nack *n = fact;

	return n->retransmitted ? n->react_max_ns : FACT_UNKNOWN;
}

/* --- all of them --- */

#define FACT(name, table)                          \
	const struct column_list *row_##name(void) \
	{                                          \
		typedef struct fact_##name this;   \
		static const struct column columns[] = {
#define COLUMN(member, column, rule)  COL(#column, this, member, rule),
#define WORDS(member, column, names)  ENUM(#column, this, member, names),
#define COMPUTED_BY(column, function) COMPUTED(#column, function),
#define SPELT_BY(column, function)    SPELT(#column, function),
#define END                                                          \
	}                                                            \
	;                                                            \
	static const struct column_list list = COLUMN_LIST(columns); \
                                                                     \
	return &list;                                                \
	}
#define OTHER_FACT(name, table)
#include "flow/core/facts.def"

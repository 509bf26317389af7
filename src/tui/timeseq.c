/* SPDX-License-Identifier: GPL-2.0-or-later
 * The time-sequence graph of a flow, from its packets. */
#include "tui/timeseq.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "views/plot.h"
#include "views/selector.h"
#include "views/sequence.h"

enum { COLUMNS = 5 };

static char ns_name[] = "ns", end_name[] = "end_ns", number_name[] = "number",
	    last_name[] = "end_number", kind_name[] = "kind";

static const struct query_column columns[COLUMNS] = {
	{ ns_name, UNIT_TIME, NULL },      { end_name, UNIT_TIME, NULL },
	{ number_name, UNIT_COUNT, NULL }, { last_name, UNIT_COUNT, NULL },
	{ kind_name, UNIT_TEXT, NULL },
};

/* A series, and what query `psn` and the marks of the chart call it. */
static const struct series {
	enum sequence_series series;
	const char *kind;
	bool numbered;
} requests[] = {
	{ SERIES_SENT, "sent", true },
	{ SERIES_ACKED, "ACK", true },
	{ SERIES_SACKED, "SACK", true },
	{ SERIES_LATE, "reordered", true },
	{ SERIES_AGAIN, "retransmitted", true },
	{ SERIES_NAK, "NAK", true },
	{ SERIES_TRIMMED, "trimmed", true },
	{ SERIES_LOST, "lost", true },
	{ SERIES_CE, "CE", false },
	{ SERIES_CNP, "CNP", false },
	{ SERIES_KINDS, NULL, false },
},
  responses[] = {
	  { SERIES_RESPONSE, "sent", true },
	  { SERIES_RESPONSE_AGAIN, "retransmitted", true },
	  { SERIES_CE, "CE", false },
	  { SERIES_KINDS, NULL, false },
  };

/* What has a scale of its own, in a panel below. */
static const struct measure {
	enum sequence_series series;
	const char *kind;
	bool held; /* it is what it was last, until it is said anew */
} measures[] = {
	{ SERIES_FLIGHT, "in flight", true },
	{ SERIES_DELAY, "ACK delay", false },
	{ SERIES_CREDIT, "credits", true },
	{ SERIES_GRANTED, "granted", true },
	{ SERIES_KINDS, NULL, false },
};

static struct query_value integer(bool known, int64_t i)
{
	return (struct query_value) { .type = known ? VALUE_INT : VALUE_NULL,
				      .i = i };
}

/* What a row has of a kind: when, and its numbers. */
struct extent {
	int64_t ns, end_ns;
	bool numbered;
	struct sequence_run numbers;
};

static int add_row(const struct query_sink *sink, const char *kind,
		   const struct extent *e)
{
	const struct query_value v[COLUMNS] = {
		integer(true, e->ns),
		integer(true, e->end_ns),
		integer(e->numbered, e->numbers.low),
		integer(e->numbered, e->numbers.high),
		{ .type = VALUE_TEXT, .text = kind, .length = strlen(kind) },
	};

	return sink->row(sink->ctx, v, COLUMNS);
}

/* A mark for each run: no line from one end to the other. */
static int add_cell(const struct query_sink *sink, const struct series *k,
		    const struct sequence_cell *c, int64_t ns)
{
	for (unsigned i = 0; i < c->n; i++) {
		const struct extent e = { ns, ns, k->numbered, c->runs[i] };

		if (add_row(sink, k->kind, &e))
			return -1;
	}
	return 0;
}

/* When step |i| of |n| begins. */
static int64_t begin_of(int64_t from_ns, int64_t to_ns, size_t i, size_t n)
{
	double step = ((double)clamp_sub(to_ns, from_ns) + 1) / (double)n;

	return clamp_add(from_ns, clamp_real((double)i * step));
}

static int add_rates(const struct query_sink *sink, const struct sequence *s,
		     int64_t from_ns, int64_t to_ns)
{
	for (size_t i = 0; i < SEQUENCE_BINS; i++) {
		int64_t rate = sequence_rate(s, i);
		const struct extent e = {
			begin_of(from_ns, to_ns, i, SEQUENCE_BINS),
			begin_of(from_ns, to_ns, i + 1, SEQUENCE_BINS),
			true,
			{ rate, rate },
		};

		if (rate && add_row(sink, "throughput", &e))
			return -1;
	}
	return 0;
}

/* The column after |i| that has something of |series|, or the last. */
static size_t next_cell(const struct sequence *s, enum sequence_series series,
			size_t i)
{
	while (++i < SEQUENCE_COLUMNS && !sequence_cell(s, series, i)->n)
		;
	return i;
}

static int add_measure(const struct query_sink *sink, const struct measure *m,
		       const struct sequence *s, int64_t from_ns, int64_t to_ns)
{
	size_t i = 0, next;

	if (!sequence_cell(s, m->series, 0)->n)
		i = next_cell(s, m->series, 0);
	for (; i < SEQUENCE_COLUMNS; i = next) {
		const struct sequence_cell *c = sequence_cell(s, m->series, i);
		int64_t ns = begin_of(from_ns, to_ns, i, SEQUENCE_COLUMNS);
		const struct sequence_run all = { c->runs[0].low,
						  c->runs[c->n - 1].high };
		const struct extent e = { ns, ns, true, all };
		struct extent held = { ns, 0, true, { c->last, c->last } };

		next = next_cell(s, m->series, i);
		held.end_ns = begin_of(from_ns, to_ns, next, SEQUENCE_COLUMNS);
		if (((!m->held || all.low < all.high) &&
		     add_row(sink, m->kind, &e)) ||
		    (m->held && add_row(sink, m->kind, &held)))
			return -1;
	}
	return 0;
}

int timeseq_rows(struct rows *rows, const struct sequence *s, int64_t from_ns,
		 int64_t to_ns)
{
	const struct query_sink sink = rows_sink(rows);
	const struct series *k =
		sequence_count(s, SERIES_SENT) ? requests : responses;
	const struct measure *m;

	if (sink.head(sink.ctx, columns, COLUMNS))
		return -1;
	for (; k->kind; k++)
		for (size_t i = 0; i < SEQUENCE_COLUMNS; i++)
			if (add_cell(&sink, k, sequence_cell(s, k->series, i),
				     begin_of(from_ns, to_ns, i,
					      SEQUENCE_COLUMNS)))
				return -1;
	for (m = measures; m->kind; m++)
		if (add_measure(&sink, m, s, from_ns, to_ns))
			return -1;
	return add_rates(&sink, s, from_ns, to_ns);
}

/* ---- asked ----------------------------------------------------------- */

static int use(void *ctx, const struct sequence *s, const struct plot_text *t)
{
	return timeseq_rows(ctx, s, t->from_ns, t->to_ns);
}

/* The value of "name=..." among |params|, or NULL. */
static const char *param(char *const *params, const char *name)
{
	size_t n = strlen(name);

	for (; params && *params; params++)
		if (!strncmp(*params, name, n) && (*params)[n] == '=')
			return *params + n + 1;
	return NULL;
}

/* A number among |params|; false: it is not there. */
static bool number(char *const *params, const char *name, int64_t *n)
{
	const char *text = param(params, name);

	if (text)
		*n = strtoll(text, NULL, 10);
	return text != NULL;
}

int timeseq_load(struct rows *rows, struct store *s, char *const *params,
		 bool (*stop)(void *ctx), void *ctx, struct err *err)
{
	struct selector flow = { .kind = SELECT_FLOW, .text = "flow" };
	struct selector time = { .kind = SELECT_TIME, .text = "time" };
	struct plot_options o = {
		.flow = &flow, .names = s, .stop = stop, .stop_ctx = ctx
	};

	number(params, "flow", &flow.id);
	if (number(params, "from", &time.from.ns) &&
	    number(params, "to", &time.to.ns))
		o.time = &time;
	return plot_gather(s, &o, use, rows, err);
}

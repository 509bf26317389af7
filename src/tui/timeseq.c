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

static struct query_value integer(bool known, int64_t i)
{
	return (struct query_value) { .type = known ? VALUE_INT : VALUE_NULL,
				      .i = i };
}

static int add_cell(const struct query_sink *sink, const struct series *k,
		    const struct sequence_cell *c, int64_t ns, int64_t end_ns)
{
	for (unsigned i = 0; i < c->n; i++) {
		const struct query_value v[COLUMNS] = {
			integer(true, ns),
			integer(true, end_ns),
			integer(k->numbered, c->runs[i].low),
			integer(k->numbered, c->runs[i].high),
			{ .type = VALUE_TEXT,
			  .text = k->kind,
			  .length = strlen(k->kind) },
		};

		if (sink->row(sink->ctx, v, COLUMNS))
			return -1;
	}
	return 0;
}

int timeseq_rows(struct rows *rows, const struct sequence *s, int64_t from_ns,
		 int64_t to_ns)
{
	const struct query_sink sink = rows_sink(rows);
	double step =
		((double)clamp_sub(to_ns, from_ns) + 1) / SEQUENCE_COLUMNS;
	const struct series *k =
		sequence_count(s, SERIES_SENT) ? requests : responses;

	if (sink.head(sink.ctx, columns, COLUMNS))
		return -1;
	for (; k->kind; k++)
		for (size_t i = 0; i < SEQUENCE_COLUMNS; i++) {
			int64_t ns = clamp_add(from_ns,
					       clamp_real((double)i * step));

			/* a mark each: no line from one end to the other */
			if (add_cell(&sink, k, sequence_cell(s, k->series, i),
				     ns, ns))
				return -1;
		}
	return 0;
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

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts written by hand, and what the verdicts say of them. */
#define _GNU_SOURCE
#include "said.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow/core/fact.h"

/* "severity title" of each finding in order, one per line, for free(). */
static int add_line(void *ctx, const struct query_value *v, size_t n)
{
	FILE *out = ctx;

	assert_true(n > 2);
	fprintf(out, "%s %s\n", v[1].text, v[2].text);
	return 0;
}

static char *verdicts(struct lab *l, const char *severity)
{
	struct catalogue *c = catalogue_builtin();
	char *text = NULL, param[40];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const struct query_sink sink = { .ctx = out, .row = add_line };
	const char *params[] = { severity ? param : NULL, NULL };

	snprintf(param, sizeof param, "severity=%s", severity);
	if (query_run(l->s, catalogue_find(c, "findings"), params, &sink,
		      &l->err))
		fail_msg("%s", l->err.text);
	fclose(out);
	catalogue_free(c);
	return text;
}

void expect(struct lab *l, const char *severity, const char *want)
{
	char *have = verdicts(l, severity);

	assert_string_equal(have, want);
	free(have);
}

void found(const struct lab *l, const char *rule, const char *want)
{
	char sql[160];

	snprintf(sql, sizeof sql,
		 "SELECT title FROM finding WHERE rule = '%s' ORDER BY title",
		 rule);
	lab_rows(l, sql, want);
}

/* The text of column |name| of finding |id|. */
struct wanted {
	const char *name;
	size_t column;
	char *text;
};

static int find_column(void *ctx, const struct query_column *c, size_t n)
{
	struct wanted *w = ctx;

	for (w->column = 0; w->column < n; w->column++)
		if (!strcmp(c[w->column].name, w->name))
			return 0;
	fail_msg("no column %s", w->name);
	return -1;
}

static int keep_text(void *ctx, const struct query_value *v, size_t n)
{
	struct wanted *w = ctx;

	(void)n;
	if (v[w->column].type == VALUE_INT)
		assert_true(asprintf(&w->text, "%lld",
				     (long long)v[w->column].i) > 0);
	else
		w->text = strdup(v[w->column].type == VALUE_TEXT
					 ? v[w->column].text
					 : "NULL");
	return 0;
}

static char *detail(struct lab *l, int id, const char *column)
{
	struct catalogue *c = catalogue_builtin();
	struct wanted w = { .name = column };
	const struct query_sink sink = { &w, find_column, keep_text };
	char param[40];
	const char *params[] = { param, NULL };

	snprintf(param, sizeof param, "id=%d", id);
	if (query_run(l->s, catalogue_find(c, "finding"), params, &sink,
		      &l->err))
		fail_msg("%s", l->err.text);
	catalogue_free(c);
	assert_non_null(w.text);
	return w.text;
}

void expect_detail(struct lab *l, int id, const char *column, const char *want)
{
	char *have = detail(l, id, column);

	assert_string_equal(have, want);
	free(have);
}

void expect_in(struct lab *l, int id, const char *column, const char *part)
{
	char *have = detail(l, id, column);

	if (!strstr(have, part))
		fail_msg("\"%s\" is not in \"%s\"", part, have);
	free(have);
}

struct fact_recovery recovery(uint32_t flow, enum recovery_cause cause,
			      enum recovery_trigger trigger)
{
	return (struct fact_recovery) {
		.flow = flow,
		.trigger = trigger,
		.cause = cause,
		.psn = 500,
		.lost_min = 1,
		.lost_max = 1,
		.first_ns = T0 + MS,
		.detect_ns = T0 + MS + 20 * US,
		.resend_ns = T0 + MS + 30 * US,
		.last_ns = T0 + MS + 100 * US,
		.silence_ns = FACT_UNKNOWN,
		.frame_detect = trigger == TRIGGER_TIMEOUT ? 0 : 700,
		.frame_first = 710,
		.frame_last = 730,
		.retransmitted_packets = 20,
		.retransmitted_bytes = 21640,
		.confidence = 0.95,
		.rule = "R3",
	};
}

void hand_recovery(struct lab *l, struct fact_recovery r)
{
	l->sink.recovery(l->sink.ctx, &r);
}

void hand_event(struct lab *l, uint32_t flow, enum event_kind kind,
		int64_t value)
{
	const struct fact_event e = {
		.ns = T0 + 2 * MS,
		.frame = 42,
		.flow = flow,
		.kind = kind,
		.psn = 7,
		.count = 1,
		.value = value,
		.confidence = 0.9,
		.detail = "R0",
	};

	l->sink.event(l->sink.ctx, &e);
}

/* ---- Ultra Ethernet ---- */

struct fact_flow context_flow(uint32_t id, uint8_t src, int64_t job)
{
	struct fact_flow f = good_flow(id, src, 9, 0);

	f.transport = FLOW_UET_RUD;
	f.dst_qp = FACT_UNKNOWN;
	f.spdcid = 0x12;
	f.dpdcid = 0x34;
	f.job_id = job;
	f.pairing = PAIRING_PDCID;
	f.first_ns = T0 + id * MS;
	return f;
}

struct fact_pdc context(uint32_t flow)
{
	return (struct fact_pdc) {
		.flow = flow,
		.role = PDC_INITIATOR,
		.state = PDC_CLOSED,
		.start_psn = 1000,
		.opened_ns = T0 + flow * MS,
		.closed_ns = T0 + 9 * MS,
		.handshake_ns = (4 + flow) * US,
		.syn_packets = 7,
		.syn_bytes = 7168,
		.jobs = 1,
		.entropy_values = 64,
		.acks = 200,
		.acks_cc = 200,
		.marked = 50,
		.service_min_ns = 128,
		.service_max_ns = 256,
		.ooo_max = 3,
		.penalty_max = 0,
		.received = 4096,
		.path_min_ns = 11000,
		.credit_granted = 100,
		.credit_wanted = 160,
		.credit_backlog_max = 60,
		.credit_waits = 2,
		.credit_wait_ns = 900 * US,
		.retx_unset = 3,
	};
}

void asks_all(struct lab *l, const char *query, const char *want)
{
	char *have = lab_ask(l, query, (const char *[]) { NULL });

	assert_string_equal(strchr(have, '\n') + 1, want);
	free(have);
}

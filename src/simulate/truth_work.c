/* SPDX-License-Identifier: GPL-2.0-or-later
 * What collectives did, as JSON: iterations, and why they took so long. */
#include <inttypes.h>

#include "simulate/json_out.h"
#include "simulate/truth_int.h"
#include "simulate/work.h"
#include "simulate/world.h"

static const char *const delays[] = {
#define X(id, name) name,
	DELAYS(X)
#undef X
};

static void ranks(struct out *o, const char *k, const int64_t *ps, size_t n)
{
	out_open(o, k, '[');
	for (size_t i = 0; i < n; i++) {
		out_comma(o);
		fprintf(o->f, "%" PRId64, ps[i] < 0 ? -1 : sim_ns(o->s, ps[i]));
	}
	out_shut(o, ']');
}

/* Ranks that computed longer on purpose. */
static void late(struct out *o, const struct iteration *it)
{
	for (size_t i = 0; i < it->ranks; i++)
		if (it->rank_late[i]) {
			out_num(o, "late_rank", i);
			out_span(o, "late_ns", it->rank_late[i]);
			return;
		}
}

/* Ranks that sent while their rate was cut. */
static void cut(struct out *o, const struct iteration *it)
{
	bool any = false;

	for (size_t i = 0; i < it->ranks; i++)
		any = any || it->rank_cut[i];
	if (!any)
		return;
	out_open(o, "rank_cut_ns", '[');
	for (size_t i = 0; i < it->ranks; i++) {
		out_comma(o);
		fprintf(o->f, "%" PRId64, it->rank_cut[i] / PS_PER_NS);
	}
	out_shut(o, ']');
}

static void wait(struct out *o, uint32_t rank, const struct delay_row *d)
{
	out_row(o);
	out_num(o, "rank", rank);
	out_text(o, "why", delays[d->kind]);
	out_num(o, "by", d->rank);
	if (d->place)
		out_text(o, "place", o->s->truth->places.row[d->place].at);
	out_span(o, "ns", d->ps);
	out_shut(o, '}');
}

static void waits(struct out *o, const struct iteration *it)
{
	out_open(o, "waits", '[');
	for (size_t r = 0; r < it->ranks; r++)
		for (size_t i = 0; i < it->rank_waits[r].n; i++)
			wait(o, (uint32_t)r, &it->rank_waits[r].row[i]);
	out_shut(o, ']');
}

/* What took longest of the rank that was done last, apart from computing as
 * planned and sending; if it was a tenth of its time at least. */
static void cause(struct out *o, const struct iteration *it)
{
	int64_t sum[DELAY_COUNT] = { 0 };
	size_t last = 0;
	enum delay worst = DELAY_COMPUTE;

	for (size_t r = 1; r < it->ranks; r++)
		if (it->rank_end[r] > it->rank_end[last])
			last = r;
	for (size_t i = 0; i < it->rank_waits[last].n; i++)
		sum[it->rank_waits[last].row[i].kind] +=
			it->rank_waits[last].row[i].ps;
	sum[DELAY_LATE] += it->rank_late[last];
	sum[DELAY_COMPUTE] = sum[DELAY_WIRE] = 0;
	for (enum delay d = 0; d < DELAY_COUNT; d++)
		if (sum[d] > sum[worst])
			worst = d;
	if (sum[worst] * 10 < it->rank_end[last] - it->rank_start[last] ||
	    !sum[worst])
		return;
	out_text(o, "cause", delays[worst]);
	out_span(o, "cause_ns", sum[worst]);
}

void truth_write_iteration(struct out *o, const struct iteration *it)
{
	out_row(o);
	out_text(o, "work", it->work->name);
	out_text(o, "pattern", it->work->kind->name);
	out_num(o, "iteration", it->number);
	out_when(o, "from_ns", it->from);
	out_when(o, "comm_from_ns", it->comm_from);
	out_when(o, "to_ns", it->to);
	out_num(o, "last_rank", it->slowest);
	ranks(o, "rank_from_ns", it->rank_from, it->ranks);
	ranks(o, "rank_start_ns", it->rank_start, it->ranks);
	ranks(o, "rank_end_ns", it->rank_end, it->ranks);
	late(o, it);
	cut(o, it);
	cause(o, it);
	waits(o, it);
	out_shut(o, '}');
}

static bool complete(const struct iteration *it)
{
	for (size_t r = 0; r < it->ranks; r++)
		if (it->rank_end[r] < 0)
			return false;
	return true;
}

void truth_write_collective(struct out *o, const struct iteration *it)
{
	const struct host *h;
	bool whole = complete(it) && it->to > it->comm_from;
	double s = (double)(it->to - it->comm_from) / (double)PS_PER_S;

	out_row(o);
	out_text(o, "work", it->work->name);
	out_num(o, "iteration", it->number);
	out_text(o, "kind", it->kind);
	out_text(o, "pattern", it->work->kind->name);
	out_num(o, "bytes", it->bytes);
	out_open(o, "ranks", '[');
	for (uint32_t r = 0; (h = it->work->kind->rank(it->work, r)); r++) {
		out_comma(o);
		fprintf(o->f, "\"%s\"", h->node.name);
	}
	out_shut(o, ']');
	out_when(o, "from_ns", it->comm_from);
	out_when(o, "to_ns", whole ? it->to : -1);
	if (whole && it->bus > 0)
		out_num(o, "busbw_bps",
			(uint64_t)(it->bus * (double)it->bytes * 8 / s));
	out_shut(o, '}');
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * The job's own record, in two forms (docs/simulate.md describes both).
 *
 * NCCL Inspector, verbose JSON: one line an operation and rank.  Times are
 * those of the host; "coll_stop_ts" is where the host has launched it, the end
 * is that of the kernel.  Of all-gather and reduce-scatter the size is that of
 * one rank, and the bandwidth that of the whole.
 *
 * PyTorch Flight Recorder, JSON: one file a rank.  "discovered" times are when
 * its watchdog looked, which is later than when it happened. */
#include "simulate/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/regular.h"
#include "simulate/host.h"
#include "simulate/mem.h"
#include "simulate/rng.h"
#include "simulate/truth_int.h"
#include "simulate/work.h"
#include "simulate/world.h"

static const int64_t launch = 5 * PS_PER_US, ahead = 20 * PS_PER_US;
static const int64_t watchdog = PS_PER_MS;
enum { FLOAT_BYTES = 4, FIRST_PID = 4000 };

/* How an operation is called, and what it says of its size. */
struct call {
	const char *kind, *inspector, *torch;
	bool share_in, share_out; /* a rank's n-th part goes in, comes out */
};

static const struct call calls[] = {
	{ "allreduce", "AllReduce", "nccl:all_reduce", false, false },
	{ "allgather", "AllGather", "nccl:_all_gather_base", true, false },
	{ "reducescatter", "ReduceScatter", "nccl:_reduce_scatter_base", false,
	  true },
	{ "alltoall", "AlltoAll", "nccl:all_to_all", false, false },
};

static const struct call *call_of(const struct iteration *it)
{
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (!strcmp(calls[i].kind, it->kind))
			return &calls[i];
	return NULL; /* point to point, or several at a time: no record */
}

/* One rank of one job. */
struct diary {
	const struct sim *s;
	const struct work *work;
	const struct host *host;
	uint32_t rank, ranks, pid;
	uint64_t communicator;
	int64_t watched; /* ps: the watchdog's looks, from here on */
	FILE *f;
};

static int64_t by_clock(const struct diary *d, int64_t ps)
{
	const struct nic *n = d->host->nic;

	return sim_ns(d->s,
		      ps + n->clock_offset +
			      (int64_t)((double)ps * n->clock_drift / 1e6));
}

static int64_t us(const struct diary *d, int64_t ps)
{
	return by_clock(d, ps) / 1000;
}

/* The watchdog's next look. */
static int64_t discovered(const struct diary *d, int64_t ps)
{
	int64_t since = (ps - d->watched) % watchdog;

	return by_clock(d, ps + (since < 0 ? -since : watchdog - since));
}

/* --- NCCL Inspector ------------------------------------------------------- */

static void inspector_head(const struct diary *d, int64_t written)
{
	fprintf(d->f,
		"{\"header\":{\"id\":\"0x%" PRIx64
		"\",\"rank\":%u,\"n_ranks\":%u,\"nnodes\":%u},"
		"\"metadata\":{\"inspector_output_format_version\":\"v4.0\","
		"\"git_rev\":\"simulated\","
		"\"rec_mechanism\":\"nccl_profiler_interface\","
		"\"dump_timestamp_us\":%" PRId64
		",\"hostname\":\"%s\",\"pid\":%u},",
		d->communicator, d->rank, d->ranks, d->ranks, us(d, written),
		d->host->node.name, d->pid);
}

static void inspector_times(const struct diary *d, uint64_t sn, int64_t begin,
			    int64_t end)
{
	uint64_t n = 5 * sn;

	fprintf(d->f,
		"\"event_trace_sn\":{\"coll_start_sn\":%" PRIu64
		",\"coll_stop_sn\":%" PRIu64
		",\"kernel_events\":[{\"channel_id\":0,\"kernel_start_sn\":"
		"%" PRIu64 ",\"kernel_stop_sn\":%" PRIu64
		",\"kernel_record_sn\":%" PRIu64 "}]},",
		n + 1, n + 2, n + 3, n + 5, n + 4);
	fprintf(d->f,
		"\"event_trace_ts\":{\"coll_start_ts\":%" PRId64
		",\"coll_stop_ts\":%" PRId64
		",\"kernel_events\":[{\"channel_id\":0,\"kernel_start_ts\":"
		"%" PRId64 ",\"kernel_stop_ts\":%" PRId64
		",\"kernel_record_ts\":%" PRId64 "}]}",
		us(d, begin - 2 * launch), us(d, begin - launch), us(d, begin),
		us(d, end), us(d, end));
}

static void inspector_line(const struct diary *d, const struct iteration *it)
{
	const struct call *call = call_of(it);
	int64_t begin = it->rank_start[d->rank], end = it->rank_end[d->rank];
	bool share = call->share_in || call->share_out;
	double gbs = (double)it->bytes / 1e9 /
		     ((double)(end - begin) / (double)PS_PER_S);

	inspector_head(d, end + watchdog);
	fprintf(d->f,
		"\"coll_perf\":{\"coll\":\"%s\",\"coll_sn\":%u,"
		"\"coll_msg_size_bytes\":%" PRIu64
		",\"coll_exec_time_us\":%" PRId64
		",\"coll_timing_source\":\"kernel_gpu\","
		"\"coll_algobw_gbs\":%.6f,\"coll_busbw_gbs\":%.6f,",
		call->inspector, it->number + 1,
		share ? it->bytes / d->ranks : it->bytes,
		(end - begin) / PS_PER_US, gbs, gbs * it->bus);
	inspector_times(d, it->number, begin, end);
	fputs("}}\n", d->f);
}

/* --- Flight Recorder ------------------------------------------------------ */

static void flight_head(const struct diary *d, uint32_t enqueued,
			uint32_t completed)
{
	fprintf(d->f,
		"{\"version\":\"2.10\",\"nccl_version\":\"2.27.3\","
		"\"pg_config\":{\"0\":{\"name\":\"0\",\"desc\":\"default_pg\","
		"\"ranks\":\"[");
	for (uint32_t i = 0; i < d->ranks; i++)
		fprintf(d->f, "%s%u", i ? ", " : "", i);
	fprintf(d->f,
		"]\"}},\"pg_status\":{\"0\":{\"last_enqueued_collective\":%u,"
		"\"last_started_collective\":%u,"
		"\"last_completed_collective\":%u}},\"rank\":%u,\n"
		"\"entries\":[",
		enqueued, enqueued, completed, d->rank);
}

static void flight_sizes(const struct diary *d, const struct iteration *it,
			 const char *which, bool share)
{
	fprintf(d->f, "\"%s_sizes\":[[%" PRIu64 "]],\"%s_dtypes\":[\"Float\"],",
		which, (share ? it->bytes / d->ranks : it->bytes) / FLOAT_BYTES,
		which);
}

static void flight_entry(const struct diary *d, const struct iteration *it)
{
	const struct call *call = call_of(it);
	int64_t begin = it->rank_start[d->rank], end = it->rank_end[d->rank];

	fprintf(d->f,
		"%s\n{\"record_id\":%u,\"pg_id\":0,\"process_group\":"
		"[\"0\",\"default_pg\"],\"collective_seq_id\":%u,"
		"\"p2p_seq_id\":0,\"op_id\":%u,\"profiling_name\":\"%s\","
		"\"time_created_ns\":%" PRId64 ",",
		it->number ? "," : "", it->number, it->number + 1,
		it->number + 1, call->torch, by_clock(d, begin - ahead));
	flight_sizes(d, it, "input", call->share_in);
	flight_sizes(d, it, "output", call->share_out);
	fprintf(d->f, "\"time_discovered_started_ns\":%" PRId64 ",",
		discovered(d, begin));
	if (end >= 0)
		fprintf(d->f,
			"\"state\":\"completed\",\"duration_ms\":%.6f,"
			"\"time_discovered_completed_ns\":%" PRId64 ",",
			(double)(end - begin) / (double)PS_PER_MS,
			discovered(d, end));
	else
		fputs("\"state\":\"started\","
		      "\"time_discovered_completed_ns\":null,",
		      d->f);
	fprintf(d->f,
		"\"retired\":%s,\"timeout_ms\":600000,\"is_p2p\":false,"
		"\"frames\":[]}",
		end >= 0 ? "true" : "false");
}

/* --- files ---------------------------------------------------------------- */

static bool is_mine(const struct diary *d, const struct iteration *it)
{
	return it->work == d->work && call_of(it) &&
	       it->rank_start[d->rank] >= 0;
}

static void write_inspector(const struct diary *d)
{
	const struct truth *t = d->s->truth;

	for (size_t i = 0; i < t->iterations.n; i++)
		if (is_mine(d, t->iterations.row[i]) &&
		    t->iterations.row[i]->rank_end[d->rank] >= 0)
			inspector_line(d, t->iterations.row[i]);
}

static void write_flight(const struct diary *d)
{
	const struct truth *t = d->s->truth;
	uint32_t begun = 0, done = 0;

	for (size_t i = 0; i < t->iterations.n; i++)
		if (is_mine(d, t->iterations.row[i])) {
			begun++;
			done += t->iterations.row[i]->rank_end[d->rank] >= 0;
		}
	flight_head(d, begun, done);
	for (size_t i = 0; i < t->iterations.n; i++)
		if (is_mine(d, t->iterations.row[i]))
			flight_entry(d, t->iterations.row[i]);
	fputs("\n]}\n", d->f);
}

static int write_one(struct products *products, struct diary *d,
		     const char *stem, const char *form,
		     void (*write)(const struct diary *d), struct err *err)
{
	size_t room = strlen(stem) + 96;
	char *name = mem_new(room);
	const char *temp;
	int rc = 0;

	snprintf(name, room, "%s.%s.rank%u.%s", stem, d->work->name, d->rank,
		 form);
	temp = products_add(products, name, err);
	d->f = temp ? regular_create(temp) : NULL;
	if (d->f)
		write(d);
	if (!d->f || ferror(d->f))
		rc = -1;
	if (d->f && fclose(d->f))
		rc = -1;
	if (rc && temp)
		err_errno(err, "%s", temp);
	free(name); /* which |temp| may be */
	return rc;
}

static int write_job(struct sim *s, const struct work *w, const char *stem,
		     struct err *err)
{
	struct rng r = rng_fork(s->seed, w->name, 0xd1a);
	struct diary d = { .s = s,
			   .work = w,
			   .communicator = rng_next(&r) >> 8 };

	while (w->kind->rank(w, d.ranks))
		d.ranks++;
	for (; d.rank < d.ranks; d.rank++) {
		d.host = w->kind->rank(w, d.rank);
		d.pid = FIRST_PID + (uint32_t)rng_below(&r, 30000);
		d.watched = (int64_t)rng_below(&r, (uint64_t)watchdog);
		if (write_one(&s->products, &d, stem, "inspector.jsonl",
			      write_inspector, err) ||
		    write_one(&s->products, &d, stem, "flight.json",
			      write_flight, err))
			return -1;
	}
	return 0;
}

/* Is it one operation an iteration, of a kind that recorders know? */
static bool is_recorded(const struct sim *s, const struct work *w)
{
	for (size_t i = 0; i < s->truth->iterations.n; i++)
		if (s->truth->iterations.row[i]->work == w)
			return call_of(s->truth->iterations.row[i]);
	return false;
}

int records_write(struct sim *s, const char *stem, struct err *err)
{
	for (size_t i = 0; i < s->n_works; i++)
		if (is_recorded(s, s->works[i]) &&
		    write_job(s, s->works[i], stem, err))
			return -1;
	return 0;
}

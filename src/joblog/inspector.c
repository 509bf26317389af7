/* SPDX-License-Identifier: GPL-2.0-or-later
 * One record of NCCL's Inspector.
 *
 *	header     id, comm_name, rank, n_ranks, nnodes
 *	metadata   inspector_output_format_version, dump_timestamp_us,
 *	           hostname, pid, ...
 *	coll_perf  coll, coll_sn, coll_msg_size_bytes, coll_exec_time_us,
 *	           coll_timing_source, coll_algobw_gbs, coll_busbw_gbs, and in
 *	           verbose output event_trace_sn, event_trace_ts
 *	p2p_perf   the same of sends and receives, p2p_peer
 *
 * coll_start_ts and coll_stop_ts are the launch on the host; the operation is
 * what the kernels of all channels span.  Without them only the time of writing
 * is known, which is behind the end.  Bandwidths are in 10^9 bytes/s. */
#include <math.h>
#include <string.h>

#include "base/clamp.h"
#include "joblog/joblog_int.h"

#define NS_PER_US INT64_C(1000)

static const char *const header_members[] = { "id",      "comm_name", "rank",
					      "n_ranks", "nnodes",    NULL };
static const char *const metadata_members[] = {
	"inspector_output_format_version",
	"git_rev",
	"rec_mechanism",
	"dump_timestamp_us",
	"hostname",
	"pid",
	NULL
};

/* The two kinds of operation differ in how their members begin. */
struct kind {
	const char *perf, *op, *sn, *bytes, *exec, *busbw;
	const char *const *members;
};

static const char *const coll_members[] = { "coll",
					    "coll_sn",
					    "coll_exec_time_us",
					    "coll_msg_size_bytes",
					    "coll_timing_source",
					    "coll_algobw_gbs",
					    "coll_busbw_gbs",
					    "event_trace_sn",
					    "event_trace_ts",
					    NULL };
static const char *const p2p_members[] = { "p2p",
					   "p2p_sn",
					   "p2p_exec_time_us",
					   "p2p_msg_size_bytes",
					   "p2p_timing_source",
					   "p2p_algobw_gbs",
					   "p2p_busbw_gbs",
					   "p2p_peer",
					   "event_trace_sn",
					   "event_trace_ts",
					   NULL };

static const struct kind kinds[] = {
	{ "coll_perf", "coll", "coll_sn", "coll_msg_size_bytes",
	  "coll_exec_time_us", "coll_busbw_gbs", coll_members },
	{ "p2p_perf", "p2p", "p2p_sn", "p2p_msg_size_bytes", "p2p_exec_time_us",
	  "p2p_busbw_gbs", p2p_members },
};

/* First start and last stop of the kernels. */
static void take_kernels(json_t *perf, struct joblog_op *op)
{
	json_t *trace = json_object_get(perf, "event_trace_ts");
	json_t *kernels = json_object_get(trace, "kernel_events");
	json_t *k;
	size_t i;

	json_array_foreach(kernels, i, k)
	{
		int64_t a =
			scaled(member_int(k, "kernel_start_ts", 0), NS_PER_US);
		int64_t b =
			scaled(member_int(k, "kernel_stop_ts", 0), NS_PER_US);

		if (a > 0 &&
		    (op->begin_ns == JOBLOG_UNKNOWN || a < op->begin_ns))
			op->begin_ns = a;
		/* whole microseconds: it may have been a little later */
		if (b > 0 && (op->end_ns == JOBLOG_UNKNOWN || b >= op->end_ns))
			op->end_ns = clamp_add(b, NS_PER_US);
	}
}

static void take_op(struct joblog_file *file, struct joblog_stream *stream,
		    json_t *o, json_t *perf, const struct kind *kind)
{
	json_t *meta = json_object_get(o, "metadata");
	double gbs = member_real(perf, kind->busbw, -1);
	struct joblog_op op = {
		.state = "completed",
		.seq = member_int(perf, kind->sn, JOBLOG_UNKNOWN),
		.bytes = scaled(member_int(perf, kind->bytes, JOBLOG_UNKNOWN),
				1),
		.begin_ns = JOBLOG_UNKNOWN,
		.end_ns = JOBLOG_UNKNOWN,
		.exec_ns = scaled(member_int(perf, kind->exec, JOBLOG_UNKNOWN),
				  NS_PER_US),
		.busbw_bps = gbs > 0 && gbs < 1e9 ? (int64_t)(gbs * 8e9)
						  : JOBLOG_UNKNOWN,
	};

	member_text(perf, kind->op, op.op, sizeof op.op);
	take_kernels(perf, &op);
	if (op.end_ns == JOBLOG_UNKNOWN)
		op.end_ns = scaled(
			member_int(meta, "dump_timestamp_us", JOBLOG_UNKNOWN),
			NS_PER_US);
	stream->unknown += members_unknown(perf, kind->members);
	joblog_add(file, stream, &op);
}

static struct joblog_stream *stream_of(struct joblog_file *file, json_t *o)
{
	json_t *header = json_object_get(o, "header");
	json_t *meta = json_object_get(o, "metadata");
	struct joblog_stream like = {
		.format = "nccl-inspector",
		.rank = scaled(member_int(header, "rank", JOBLOG_UNKNOWN), 1),
		.ranks = scaled(member_int(header, "n_ranks", JOBLOG_UNKNOWN),
				1),
	};
	struct joblog_stream *s;

	member_text(header, "id", like.communicator, JOBLOG_TEXT);
	member_text(header, "comm_name", like.name, JOBLOG_TEXT);
	member_text(meta, "hostname", like.host, JOBLOG_TEXT);
	member_text(meta, "inspector_output_format_version", like.version,
		    JOBLOG_TEXT);
	s = joblog_stream_of(file, &like);
	if (s)
		s->unknown += members_unknown(header, header_members) +
			      members_unknown(meta, metadata_members);
	return s;
}

bool inspector_take(struct joblog_file *file, json_t *o)
{
	bool taken = false;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		json_t *perf = json_object_get(o, kinds[i].perf);
		struct joblog_stream *s;

		if (!json_is_object(perf))
			continue;
		s = stream_of(file, o);
		if (s)
			take_op(file, s, o, perf, &kinds[i]);
		taken = true;
	}
	return taken;
}

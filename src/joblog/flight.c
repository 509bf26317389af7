/* SPDX-License-Identifier: GPL-2.0-or-later
 * A dump of PyTorch's Flight Recorder: one rank, its last operations.
 *
 *	version, pg_config, pg_status, nccl_version, nccl_comm_state
 *	entries[]  record_id, pg_id, process_group (name, description),
 *	           collective_seq_id, p2p_seq_id, op_id, profiling_name,
 *	           input_sizes, output_sizes, input_dtypes, output_dtypes,
 *	           state, time_created_ns, time_discovered_started_ns,
 *	           time_discovered_completed_ns (0 or null: not), duration_ms,
 *	           retired, timeout_ms, is_p2p, frames
 *
 * It began not before it was created, and ended not after the watchdog found it
 * completed.  The operations of a group run one after the other, and with
 * timing switched on their lengths are known: so one ended not later than its
 * length behind the look that found it started, nor than the next one had to
 * begin, and began not before the one before it could end.
 *
 * A dump does not say whose it is: the rank is a member "rank" or the number at
 * the end of the file's name (nccl_trace_rank_3). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "joblog/joblog_int.h"

static const char *const top_members[] = { "version",          "entries",
					   "pg_config",        "pg_status",
					   "nccl_comm_state",  "nccl_version",
					   "comm_lib_version", "rank",
					   "host_name",        NULL };
static const char *const entry_members[] = { "record_id",
					     "pg_id",
					     "process_group",
					     "collective_seq_id",
					     "p2p_seq_id",
					     "op_id",
					     "profiling_name",
					     "input_sizes",
					     "output_sizes",
					     "input_dtypes",
					     "output_dtypes",
					     "state",
					     "time_created_ns",
					     "time_discovered_started_ns",
					     "time_discovered_completed_ns",
					     "duration_ms",
					     "retired",
					     "timeout_ms",
					     "is_p2p",
					     "frames",
					     "thread_name",
					     "thread_id",
					     "seq_id",
					     NULL };

/* Bytes of an element, by how PyTorch calls its type; 0 unknown. */
static int64_t type_bytes(const char *name)
{
	static const struct {
		const char *name;
		int bytes;
	} types[] = {
		{ "Float", 4 },
		{ "Half", 2 },
		{ "BFloat16", 2 },
		{ "Double", 8 },
		{ "Long", 8 },
		{ "Int", 4 },
		{ "Short", 2 },
		{ "Char", 1 },
		{ "Byte", 1 },
		{ "Bool", 1 },
		{ "Float8_e4m3fn", 1 },
		{ "Float8_e5m2", 1 },
		{ "Float8_e4m3fnuz", 1 },
		{ "Float8_e5m2fnuz", 1 },
		{ "Float8_e8m0fnu", 1 },
		{ "UInt16", 2 },
		{ "UInt32", 4 },
		{ "UInt64", 8 },
		{ "ComplexFloat", 8 },
		{ "ComplexDouble", 16 },
	};

	for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
		if (!strcmp(name, types[i].name))
			return types[i].bytes;
	return 0;
}

/* Of so many elements of |bytes|; -1 not known. */
static int64_t one_tensor(const json_t *dims, int64_t bytes)
{
	const json_t *dim;
	size_t i;

	if (!bytes)
		return -1;
	json_array_foreach(dims, i, dim)
	{
		if (!json_is_integer(dim) ||
		    __builtin_mul_overflow(bytes, json_integer_value(dim),
					   &bytes))
			return -1;
	}
	return bytes;
}

/* The tensors [[2, 3], [4]] of types ["Float", "Half"]: 32 bytes.  A type that
 * nobody knows may have any length. */
static int64_t tensor_bytes(json_t *entry, const char *sizes, const char *types)
{
	const json_t *all = json_object_get(entry, sizes), *tensor;
	const json_t *type = json_object_get(entry, types);
	int64_t sum = 0;
	size_t i;

	if (!json_array_size(all))
		return JOBLOG_UNKNOWN;
	json_array_foreach(all, i, tensor)
	{
		int64_t n = one_tensor(
			tensor,
			type_bytes(json_string_value(json_array_get(type, i))));

		if (n < 0 || __builtin_add_overflow(sum, n, &sum))
			return JOBLOG_UNKNOWN;
	}
	return sum ? sum : JOBLOG_UNKNOWN;
}

/* "nccl:all_reduce" is AllReduce; others are kept as they are. */
static void take_name(json_t *entry, struct joblog_op *op)
{
	static const struct {
		const char *torch, *op;
	} names[] = {
		{ "all_reduce", "AllReduce" },
		{ "all_gather", "AllGather" },
		{ "reduce_scatter", "ReduceScatter" },
		{ "all_to_all", "AlltoAll" },
		{ "broadcast", "Broadcast" },
		{ "reduce", "Reduce" },
		{ "send", "Send" },
		{ "recv", "Recv" },
	};
	char name[JOBLOG_TEXT];
	const char *colon, *plain;

	member_text(entry, "profiling_name", name, sizeof name);
	colon = strchr(name, ':');
	plain = colon ? colon + 1 : name;
	plain += *plain == '_';
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(plain, names[i].torch, strlen(names[i].torch))) {
			plain = names[i].op;
			break;
		}
	strncpy(op->op, plain, sizeof op->op - 1);
}

/* 0 and null are "not". */
static int64_t time_of(json_t *entry, const char *name)
{
	int64_t ns = member_int(entry, name, 0);

	return ns > 0 ? ns : JOBLOG_UNKNOWN;
}

/* It has ended |length| behind |ns|, unless that contradicts the rest. */
static void not_after(struct joblog_op *op, int64_t ns, int64_t length)
{
	int64_t end, least;

	if (ns == JOBLOG_UNKNOWN || length == JOBLOG_UNKNOWN ||
	    __builtin_add_overflow(ns, length, &end) || end >= op->end_ns)
		return;
	if (op->begin_ns != JOBLOG_UNKNOWN &&
	    (__builtin_add_overflow(op->begin_ns, op->exec_ns, &least) ||
	     end < least))
		return;
	op->end_ns = end;
}

static void not_before(struct joblog_op *op, int64_t ns)
{
	int64_t least;

	if (ns > op->begin_ns &&
	    !__builtin_add_overflow(ns, op->exec_ns, &least) &&
	    least <= op->end_ns)
		op->begin_ns = ns;
}

static bool is_whole(const struct joblog_op *op)
{
	return op->begin_ns != JOBLOG_UNKNOWN && op->end_ns != JOBLOG_UNKNOWN &&
	       op->exec_ns != JOBLOG_UNKNOWN && strcmp(op->op, "Send") != 0 &&
	       strcmp(op->op, "Recv") != 0;
}

/* |op| came behind |before| in the same group. */
static void in_turn(struct joblog_op *before, struct joblog_op *op, bool back)
{
	int64_t ns;

	if (!is_whole(before) || !is_whole(op))
		return;
	if (back && !__builtin_sub_overflow(op->end_ns, op->exec_ns, &ns))
		not_after(before, ns, 0);
	else if (!back && !__builtin_add_overflow(before->begin_ns,
						  before->exec_ns, &ns))
		not_before(op, ns);
}

/* All operations from |first| on, each behind the one before of its group. */
static void one_after_the_other(struct joblog *j, size_t first)
{
	size_t *last = calloc(j->n_streams + 1, sizeof *last);

	if (!last)
		return;
	for (size_t i = first; i < j->n_ops; i++) {
		size_t *before = &last[j->ops[i].stream];

		if (*before)
			in_turn(&j->ops[*before - 1], &j->ops[i], false);
		*before = i + 1;
	}
	memset(last, 0, j->n_streams * sizeof *last);
	for (size_t i = j->n_ops; i-- > first;) {
		size_t *behind = &last[j->ops[i].stream];

		if (*behind)
			in_turn(&j->ops[i], &j->ops[*behind - 1], true);
		*behind = i + 1;
	}
	free(last);
}

static void take_entry(struct joblog_file *file, struct joblog_stream *s,
		       json_t *entry)
{
	double ms = member_real(entry, "duration_ms", -1);
	int64_t started = time_of(entry, "time_discovered_started_ns");
	struct joblog_op op = {
		.seq = member_int(entry, "collective_seq_id",
				  member_int(entry, "seq_id", JOBLOG_UNKNOWN)),
		.bytes = tensor_bytes(entry, "input_sizes", "input_dtypes"),
		.begin_ns = time_of(entry, "time_created_ns"),
		.end_ns = time_of(entry, "time_discovered_completed_ns"),
		.exec_ns = ms >= 0 && ms < 1e9 ? (int64_t)(ms * 1e6)
					       : JOBLOG_UNKNOWN,
		.busbw_bps = JOBLOG_UNKNOWN,
	};

	if (op.end_ns != JOBLOG_UNKNOWN)
		not_after(&op, started, op.exec_ns);
	take_name(entry, &op);
	member_text(entry, "state", op.state, sizeof op.state);
	s->unknown += members_unknown(entry, entry_members);
	joblog_add(file, s, &op);
}

/* The last number in the name of the file. */
static int64_t rank_of(const char *path)
{
	const char *name = strrchr(path, '/'), *at = NULL;

	for (const char *c = name ? name : path; *c; c++)
		if (isdigit((unsigned char)*c) &&
		    !(at && isdigit((unsigned char)c[-1])))
			at = c;
	return at ? strtoll(at, NULL, 10) : JOBLOG_UNKNOWN;
}

/* "[0, 1, 2]" has three ranks.  Groups of a pickle may share one text: no more
 * is read than a document can hold. */
static int64_t ranks_of(struct joblog_file *file, json_t *top,
			const char *group)
{
	const json_t *config = json_object_get(top, "pg_config");
	const json_t *ranks =
		json_object_get(json_object_get(config, group), "ranks");
	const char *text = json_string_value(ranks);
	size_t length = json_string_length(ranks);
	int64_t n = 1;

	if (length > DOCUMENT_MAX - file->ranks_read)
		return JOBLOG_UNKNOWN;
	file->ranks_read += length;
	if (!text || !strpbrk(text, "0123456789"))
		return JOBLOG_UNKNOWN;
	for (; *text; text++)
		n += *text == ',';
	return n;
}

static struct joblog_stream *stream_of(struct joblog_file *file, json_t *top,
				       json_t *entry)
{
	const json_t *group = json_object_get(entry, "process_group");
	struct joblog_stream like = {
		.format = "flight-recorder",
		.rank = scaled(member_int(top, "rank", rank_of(file->path)), 1),
	};
	const char *name = json_string_value(json_array_get(group, 0));
	const char *about = json_string_value(json_array_get(group, 1));
	const size_t known = file->log->n_streams;
	struct joblog_stream *s;

	strncpy(like.communicator, name ? name : "", JOBLOG_TEXT - 1);
	strncpy(like.name, about ? about : "", JOBLOG_TEXT - 1);
	member_text(top, "version", like.version, JOBLOG_TEXT);
	member_text(top, "host_name", like.host, JOBLOG_TEXT);
	s = joblog_stream_of(file, &like);
	if (s && file->log->n_streams > known)
		s->ranks = ranks_of(file, top, s->communicator);
	return s;
}

bool flight_take(struct joblog_file *file, json_t *o)
{
	json_t *entries = json_object_get(o, "entries"), *entry;
	uint64_t unknown = members_unknown(o, top_members);
	size_t i, first = file->log->n_ops;

	if (!json_is_array(entries) || !json_object_get(o, "version"))
		return false;
	file->ranks_read = 0;
	json_array_foreach(entries, i, entry)
	{
		struct joblog_stream *s = json_is_object(entry)
						  ? stream_of(file, o, entry)
						  : NULL;

		if (!s) {
			file->skipped++;
			continue;
		}
		s->unknown += unknown;
		unknown = 0;
		take_entry(file, s, entry);
	}
	one_after_the_other(file->log, first);
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What NCCL says of a job while it runs:
 *	RAS: ncclras --format json (NCCL, src/ras/client_support.cc), its
 *	communicators with their ranks, and ranks that do not respond;
 *	work requests by queue pair: the trace of the example profiler (NCCL,
 *	ext-profiler/example/print_event.cc), events "Qp" of "NET_IB", whose
 *	times count from an unknown begin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

/* ---- RAS ---- */

static int64_t sum_of(const json_t *counts)
{
	const char *name;
	const json_t *v;
	int64_t sum = 0;

	json_object_foreach((json_t *)(uintptr_t)counts, name, v)
	{
		if (json_is_integer(v) && json_integer_value(v) > 0 &&
		    __builtin_add_overflow(sum, json_integer_value(v), &sum))
			return -1;
	}
	return sum;
}

/* ncclResult_t (NCCL, src/nccl.h.in); one that is in progress is no error. */
static bool error_text(const json_t *result, char to[static EVIDENCE_TEXT])
{
	static const char *const texts[] = {
		[1] = "unhandled CUDA error",
		[2] = "system error",
		[3] = "internal error",
		[4] = "invalid argument",
		[5] = "invalid usage",
		[6] = "remote process error",
		[8] = "timeout",
	};
	enum { IN_PROGRESS = 7 };
	json_int_t n = json_integer_value(result);
	const char *text =
		n > 0 && n < (json_int_t)(sizeof texts / sizeof *texts)
			? texts[n]
			: NULL;

	if (!n || n == IN_PROGRESS)
		return false;
	snprintf(to, EVIDENCE_TEXT, "error %lld%s%s", (long long)n,
		 text ? ": " : "", text ? text : "");
	return true;
}

static void put_rank(struct evidence_part *part, const json_t *rank,
		     int64_t at_ns)
{
	const json_t *status = json_object_get(rank, "status");
	const char *host = json_string_value(json_object_get(rank, "host"));
	const json_t *counts = json_object_get(rank, "collective_counts");
	struct evidence_note note = evidence_no_note;

	if (!json_is_integer(json_object_get(rank, "rank")))
		return;
	note.kind = NOTE_RAS;
	note.number = json_integer_value(json_object_get(rank, "rank"));
	note.last_ns = at_ns;
	if (host && strcmp(host, "unknown") != 0)
		text_keep(note.name, host);
	if (counts)
		note.count = sum_of(counts);
	if (json_is_true(json_object_get(status, "considered_dead")))
		text_keep(note.state, "dead");
	else if (json_is_true(json_object_get(status, "unresponsive")))
		text_keep(note.state, "unresponsive");
	else if (!error_text(json_object_get(status, "async_error"),
			     note.state) &&
		 !error_text(json_object_get(status, "init_state"), note.state))
		text_keep(note.state,
			  json_is_true(json_object_get(status, "abort_flag"))
				  ? "aborted"
			  : counts ? "running"
				   : "missing");
	put_note(part, &note);
}

/* Its stamp is of the zone of the job and says not which; that of a header line
 * is exact. */
bool read_ras(struct evidence_part *part, json_t *document)
{
	json_t *all = json_object_get(document, "communicators"), *c, *rank;
	const char *stamp =
		json_string_value(json_object_get(document, "timestamp"));
	int64_t at_ns = part->at_ns;
	size_t i, k;

	if (at_ns == EVIDENCE_UNKNOWN && stamp)
		at_ns = value_log_time(stamp);
	if (!json_object_get(document, "nccl_version") || !json_is_array(all))
		return false;
	json_array_foreach(all, i, c)
	{
		json_array_foreach(json_object_get(c, "ranks"), k, rank)
			put_rank(part, rank, at_ns);
		json_array_foreach(json_object_get(c, "missing_ranks"), k, rank)
			put_rank(part, rank, at_ns);
	}
	return true;
}

/* ---- work requests ---- */

struct requests {
	struct names by_qp;
	struct evidence_note *note;
	size_t n, room;
};

static struct evidence_note *of_qp(struct requests *all, int64_t qpn)
{
	char key[24];
	size_t at;

	snprintf(key, sizeof key, "%lld", (long long)qpn);
	at = names_find(&all->by_qp, key);
	if (at != NAMES_NONE)
		return &all->note[at];
	if (all->n == EVIDENCE_NOTES_MAX ||
	    !evidence_grow((void **)&all->note, all->n, &all->room,
			   sizeof *all->note) ||
	    !names_add(&all->by_qp, key, all->n))
		return NULL;
	all->note[all->n] = evidence_no_note;
	all->note[all->n].kind = NOTE_QP;
	all->note[all->n].qpn = qpn;
	all->note[all->n].count = all->note[all->n].bytes = 0;
	return &all->note[all->n++];
}

static void take_request(struct requests *all, const json_t *args)
{
	const json_t *qp = json_object_get(args, "qp_num");
	int64_t size = json_integer_value(json_object_get(args, "size"));
	struct evidence_note *note;

	if (!json_is_integer(qp) || json_integer_value(qp) < 0 || size < 0)
		return;
	note = of_qp(all, json_integer_value(qp));
	if (!note || __builtin_add_overflow(note->bytes, size, &size))
		return;
	note->count++;
	note->bytes = size;
}

bool read_profiler(struct evidence_part *part, json_t *document)
{
	json_t *events = json_is_object(document)
				 ? json_object_get(document, "traceEvents")
				 : document;
	struct requests all = { 0 };
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
	{
		const char *cat =
			json_string_value(json_object_get(event, "cat"));
		const char *ph =
			json_string_value(json_object_get(event, "ph"));

		if (cat && ph && !strcmp(cat, "NET_IB") && !strcmp(ph, "b"))
			take_request(&all, json_object_get(event, "args"));
	}
	for (i = 0; i < all.n; i++)
		put_note(part, &all.note[i]);
	names_fini(&all.by_qp);
	free(all.note);
	return all.n > 0;
}

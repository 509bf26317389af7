/* SPDX-License-Identifier: GPL-2.0-or-later
 * A result as a Perfetto trace (perfetto.dev/docs, ui.perfetto.dev).
 *
 * Of the two formats Perfetto reads, the one of its own: protocol buffers,
 * message perfetto.protos.Trace.  The other, JSON, has times as a number of
 * microseconds, in which the nanoseconds of a moment since the epoch are lost,
 * has neither tracks in tracks nor units of counters, and is twice as long.
 *
 * Each query of queries/export/trace is a kind of slice, or, where it has a
 * column "value", of counter; its rows come most important first, so many that
 * the trace stays small, and how many more there are stands in the trace.
 *
 *	Trace
 *	  TracePacket clock_snapshot, defaults: times are CLOCK_REALTIME
 *	  TracePacket track_descriptor process > track > lane, when first used
 *	  TracePacket track_event begin and end of a slice, moment, counter
 *
 * Slices of one track must not overlap: those that do go to further tracks of
 * the same name, which the viewer shows as one. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/progress.h"
#include "base/siphash.h"
#include "base/units.h"
#include "store/query.h"
#include "store/store.h"
#include "views/export.h"
#include "views/proto.h"
#include "views/rows.h"

/* Field numbers and values of protos/perfetto/trace: facts of the format. */
enum {
	TRACE_PACKET = 1,

	PACKET_CLOCKS = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,

	DEFAULTS_CLOCK = 58,
	FLAG_STATE_CLEARED = 1,

	CLOCKS_CLOCK = 1,
	CLOCKS_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIME = 2,
	CLOCK_REALTIME_ID = 1,
	CLOCK_BOOTTIME_ID = 6,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_CHILD_ORDER = 11,
	TRACK_RANK = 12,
	CHILD_ORDER_EXPLICIT = 3,
	COUNTER_UNIT_NAME = 6,

	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_DOUBLE = 44,

	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING = 6,
	ANNOTATION_POINTER = 7, /* shown in hexadecimal */
	ANNOTATION_NAME = 10,
};

enum event_type { SLICE_BEGIN = 1, SLICE_END, MOMENT, COUNTER };

enum {
	SEQUENCE = 1, /* of packets: there is one writer */
	LANES = 64,   /* slices at one time that are shown */
	DEPTHS = 3,   /* process, track, lane */
};

struct trace {
	FILE *out;
	struct proto packet;
	uint64_t *seen; /* tracks that were described: a hash table, 0 free */
	size_t n_seen, room_seen;
	int32_t rank;
	int64_t origin_ns;
	bool failed; /* out of memory */
};

/* ---- packets ---- */

static size_t packet_begin(struct trace *t)
{
	size_t begun;

	t->packet.n = 0;
	begun = proto_begin(&t->packet, TRACE_PACKET);
	proto_uint(&t->packet, PACKET_SEQUENCE, SEQUENCE);
	return begun;
}

static void packet_end(struct trace *t, size_t begun)
{
	proto_end(&t->packet, begun);
	if (!t->packet.failed)
		fwrite(t->packet.data, 1, t->packet.n, t->out);
}

static void clock_of(struct proto *p, uint64_t id, int64_t ns)
{
	size_t clock = proto_begin(p, CLOCKS_CLOCK);

	proto_uint(p, CLOCK_ID, id);
	proto_int(p, CLOCK_TIME, ns);
	proto_end(p, clock);
}

/* Times are what the capture says, and no machine's uptime. */
static void begin(struct trace *t)
{
	size_t packet = packet_begin(t), clocks;

	proto_uint(&t->packet, PACKET_FLAGS, FLAG_STATE_CLEARED);
	clocks = proto_begin(&t->packet, PACKET_DEFAULTS);
	proto_uint(&t->packet, DEFAULTS_CLOCK, CLOCK_REALTIME_ID);
	proto_end(&t->packet, clocks);
	clocks = proto_begin(&t->packet, PACKET_CLOCKS);
	clock_of(&t->packet, CLOCK_REALTIME_ID, t->origin_ns);
	clock_of(&t->packet, CLOCK_BOOTTIME_ID, t->origin_ns);
	proto_uint(&t->packet, CLOCKS_PRIMARY, CLOCK_REALTIME_ID);
	proto_end(&t->packet, clocks);
	packet_end(t, packet);
}

/* ---- tracks ---- */

/* Where something is drawn; NULL behind the last that is meant. */
struct place {
	const char *process, *track, *lane;
	int copy;         /* of the last: see LANES */
	const char *unit; /* a counter, when not NULL */
};

/* A number that stands for the path down to |depth|; never 0. */
static uint64_t uuid_of(const struct place *p, int depth)
{
	static const uint8_t key[SIPHASH_KEY] = "fabscope tracks";
	const char *const parts[DEPTHS] = { p->process, p->track, p->lane };
	uint64_t v[2] = { 0 };

	for (int i = 0; i < DEPTHS && i <= depth; i++) {
		v[1] = siphash(key, parts[i], strlen(parts[i]));
		v[0] = siphash(key, v, sizeof v);
	}
	v[1] = (uint64_t)p->copy | (p->unit ? UINT64_C(1) << 32 : 0);
	if (depth == (p->lane ? 2 : 1))
		v[0] = siphash(key, v, sizeof v);
	return v[0] ? v[0] : 1;
}

static bool grow_seen(struct trace *t)
{
	size_t room = t->room_seen ? 2 * t->room_seen : 1024;
	uint64_t *more = calloc(room, sizeof *more);

	if (!more) {
		t->failed = true;
		return false;
	}
	for (size_t i = 0; i < t->room_seen; i++) {
		size_t at = hash2(t->seen[i], 0) & (room - 1);

		while (t->seen[i] && more[at])
			at = (at + 1) & (room - 1);
		more[at] = t->seen[i] ? t->seen[i] : more[at];
	}
	free(t->seen);
	t->seen = more;
	t->room_seen = room;
	return true;
}

/* The first time it is asked. */
static bool is_new(struct trace *t, uint64_t uuid)
{
	size_t at;

	if (2 * t->n_seen >= t->room_seen && !grow_seen(t))
		return false;
	at = hash2(uuid, 0) & (t->room_seen - 1);
	while (t->seen[at] && t->seen[at] != uuid)
		at = (at + 1) & (t->room_seen - 1);
	if (t->seen[at])
		return false;
	t->seen[at] = uuid;
	t->n_seen++;
	return true;
}

static void describe(struct trace *t, const char *name, uint64_t uuid,
		     uint64_t parent, const char *unit)
{
	struct proto *p = &t->packet;
	size_t packet = packet_begin(t), track = proto_begin(p, PACKET_TRACK);

	proto_uint(p, TRACK_UUID, uuid);
	proto_text(p, TRACK_NAME, name);
	if (parent)
		proto_uint(p, TRACK_PARENT, parent);
	if (unit) {
		size_t counter = proto_begin(p, TRACK_COUNTER);

		proto_text(p, COUNTER_UNIT_NAME, unit);
		proto_end(p, counter);
	}
	/* in order of appearance, which is that of importance */
	proto_uint(p, TRACK_CHILD_ORDER, CHILD_ORDER_EXPLICIT);
	proto_int(p, TRACK_RANK, t->rank++);
	proto_end(p, track);
	packet_end(t, packet);
}

/* The track of |p|, described if it was not. */
static uint64_t track(struct trace *t, const struct place *p)
{
	const char *parts[] = { p->process, p->track, p->lane };
	int depth = p->lane ? 2 : 1;
	uint64_t parent = 0, uuid = 0;

	for (int i = 0; i <= depth; i++, parent = uuid) {
		uuid = uuid_of(p, i);
		if (is_new(t, uuid))
			describe(t, parts[i], uuid, parent,
				 i == depth ? p->unit : NULL);
	}
	return uuid;
}

/* ---- events ---- */

static size_t event_begin(struct trace *t, int64_t ns, enum event_type type,
			  uint64_t uuid)
{
	size_t event;

	proto_uint(&t->packet, PACKET_TIMESTAMP, ns < 0 ? 0 : (uint64_t)ns);
	event = proto_begin(&t->packet, PACKET_EVENT);
	proto_uint(&t->packet, EVENT_TYPE, type);
	proto_uint(&t->packet, EVENT_TRACK, uuid);
	return event;
}

static void event_end(struct trace *t, size_t packet, size_t event)
{
	proto_end(&t->packet, event);
	packet_end(t, packet);
}

static void annotation(struct proto *p, const struct query_column *c,
		       const struct query_value *v)
{
	size_t begun;

	if (v->type == VALUE_NULL)
		return;
	begun = proto_begin(p, EVENT_ANNOTATION);
	proto_text(p, ANNOTATION_NAME, c->name);
	if (v->type == VALUE_TEXT)
		proto_text(p, ANNOTATION_STRING, v->text);
	else if (v->type == VALUE_REAL)
		proto_double(p, ANNOTATION_DOUBLE, v->r);
	else if (c->unit == UNIT_HEX || c->unit == UNIT_HEX16)
		proto_uint(p, ANNOTATION_POINTER, (uint64_t)v->i);
	else
		proto_int(p, ANNOTATION_INT, v->i);
	proto_end(p, begun);
}

/* Columns that are drawn and not listed. */
static bool is_drawn(const char *name)
{
	static const char *const drawn[] = { "process", "track", "lane",
					     "name",    "total", "start_ns",
					     "end_ns",  "value", "unit" };

	for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++)
		if (!strcmp(name, drawn[i]))
			return true;
	return false;
}

struct slice {
	uint64_t uuid; /* of its track, before copies */
	int64_t start, end;
	size_t row;
};

static void write_slice(struct trace *t, const struct rows *r,
			const struct slice *s, uint64_t uuid)
{
	const char *category = strrchr(r->query->name, '/') + 1;
	bool moment = s->end <= s->start;
	size_t packet = packet_begin(t);
	size_t event =
		event_begin(t, s->start, moment ? MOMENT : SLICE_BEGIN, uuid);

	proto_text(&t->packet, EVENT_CATEGORY, category);
	proto_text(&t->packet, EVENT_NAME, rows_text(r, s->row, "name"));
	for (size_t i = 0; i < r->n_columns; i++)
		if (!is_drawn(r->columns[i].name))
			annotation(&t->packet, &r->columns[i],
				   &r->cells[s->row * r->n_columns + i]);
	event_end(t, packet, event);
	if (moment)
		return;
	packet = packet_begin(t);
	event = event_begin(t, s->end, SLICE_END, uuid);
	event_end(t, packet, event);
}

/* ---- slices of one kind ---- */

static struct place place_of(const struct rows *r, size_t row)
{
	const struct query_value *lane = rows_at(r, row, "lane");

	return (struct place) {
		.process = rows_text(r, row, "process"),
		.track = rows_text(r, row, "track"),
		.lane = lane->type == VALUE_TEXT ? lane->text : NULL,
	};
}

static int order(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	if (x->uuid != y->uuid)
		return x->uuid < y->uuid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* The slices sorted by track and time; their tracks described as the rows
 * come. */
static struct slice *sorted(struct trace *t, const struct rows *r)
{
	struct slice *s = calloc(r->n_rows + 1, sizeof *s);

	for (size_t i = 0; s && i < r->n_rows; i++) {
		const struct place p = place_of(r, i);

		s[i].uuid = track(t, &p);
		s[i].start = rows_int(r, i, "start_ns", 0);
		s[i].end = rows_int(r, i, "end_ns", s[i].start);
		s[i].row = i;
	}
	if (s)
		qsort(s, r->n_rows, sizeof *s, order);
	return s;
}

/* Returns how many found no lane. */
static uint64_t write_slices(struct trace *t, const struct rows *r)
{
	struct slice *s = sorted(t, r);
	int64_t busy[LANES] = { 0 };
	uint64_t left_out = 0;

	t->failed |= !s;
	for (size_t i = 0; s && i < r->n_rows; i++) {
		struct place p = place_of(r, s[i].row);

		if (!i || s[i].uuid != s[i - 1].uuid)
			for (int k = 0; k < LANES; k++)
				busy[k] = INT64_MIN;
		while (p.copy < LANES && busy[p.copy] > s[i].start)
			p.copy++;
		if (p.copy == LANES) {
			left_out++;
			continue;
		}
		if (s[i].end > s[i].start)
			busy[p.copy] = s[i].end;
		write_slice(t, r, &s[i], track(t, &p));
	}
	free(s);
	return left_out;
}

static void write_counters(struct trace *t, const struct rows *r)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		struct place p = place_of(r, i);
		size_t packet, event;
		uint64_t uuid;

		p.unit = rows_text(r, i, "unit");
		uuid = track(t, &p);
		packet = packet_begin(t);
		event = event_begin(t, rows_int(r, i, "start_ns", 0), COUNTER,
				    uuid);
		proto_double(&t->packet, EVENT_DOUBLE,
			     rows_real(r, i, "value", 0));
		event_end(t, packet, event);
	}
}

/* "and N more": a moment at the beginning. */
static void write_more(struct trace *t, const char *kind, uint64_t more)
{
	const struct place p = { .process = "Left out", .track = kind };
	char name[128], count[UNITS_TEXT];
	size_t packet, event;
	uint64_t uuid;

	if (!more)
		return;
	snprintf(name, sizeof name, "and %s more %s", units_count(more, count),
		 kind);
	uuid = track(t, &p);
	packet = packet_begin(t);
	event = event_begin(t, t->origin_ns, MOMENT, uuid);
	proto_text(&t->packet, EVENT_NAME, name);
	event_end(t, packet, event);
}

static int write_kind(struct trace *t, struct store *s,
		      const struct catalogue *c, const struct query *q,
		      uint64_t limit, struct err *err)
{
	char param[40];
	const char *const params[] = { param, NULL };
	struct rows rows;
	int64_t total;
	int rc;

	snprintf(param, sizeof param, "limit=%llu", (unsigned long long)limit);
	rc = rows_ask(&rows, s, c, q->name, params, err);
	if (!rc && rows.n_rows) {
		uint64_t more = 0;

		if (rows_at(&rows, 0, "value")->type == VALUE_NULL)
			more = write_slices(t, &rows);
		else
			write_counters(t, &rows);
		total = rows_int(&rows, 0, "total", 0);
		if (total > (int64_t)rows.n_rows)
			more += (uint64_t)total - rows.n_rows;
		write_more(t, strrchr(q->name, '/') + 1, more);
	}
	rows_fini(&rows);
	return rc;
}

/* ---- the whole ---- */

/* What is to be seen first; kinds that are not named follow. */
static const char *const first[] = { "trace/findings", "trace/phases",
				     "trace/ranks",    "trace/storms",
				     "trace/pauses",   "trace/load",
				     "trace/marks",    "trace/paused",
				     "trace/flows" };

enum { FIRST = sizeof first / sizeof first[0] };

static bool is_first(const char *name)
{
	for (size_t i = 0; i < FIRST; i++)
		if (!strcmp(first[i], name))
			return true;
	return false;
}

struct wish {
	struct store *s;
	uint64_t limit;
};

static int write_kinds(struct trace *t, const struct wish *w,
		       const struct catalogue *c, struct err *err)
{
	int rc = 0;

	progress_phase("writing", 0, catalogue_count(c, "trace"));
	for (size_t i = 0; i < FIRST && !rc; i++) {
		const struct query *q = catalogue_find(c, first[i]);

		rc = q ? write_kind(t, w->s, c, q, w->limit, err) : 0;
		progress_step();
	}
	for (size_t i = 0; i < catalogue_size(c) && !rc; i++) {
		const struct query *q = catalogue_at(c, i);

		if (!query_in(q, "trace") || is_first(q->name))
			continue;
		rc = write_kind(t, w->s, c, q, w->limit, err);
		progress_step();
	}
	return rc;
}

static int write_trace(void *ctx, FILE *out, struct err *err)
{
	const struct wish *w = ctx;
	struct trace t = { .out = out, .origin_ns = store_origin_ns(w->s) };
	struct catalogue *c = catalogue_new();
	int rc = -1;

	if (c) {
		begin(&t);
		rc = write_kinds(&t, w, c, err);
	}
	if (!c || (!rc && (t.failed || t.packet.failed)))
		rc = err_set(err, ERR_MEMORY, "out of memory");
	catalogue_free(c);
	proto_fini(&t.packet);
	free(t.seen);
	return rc;
}

int export_perfetto(struct store *s, const struct export_options *o,
		    struct err *err)
{
	struct wish w = { s, o->limit };

	return export_into(o->path, write_trace, &w, err);
}

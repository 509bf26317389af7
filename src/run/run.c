/* SPDX-License-Identifier: GPL-2.0-or-later
 * The pipeline: capture -> decode and engine -> store. */
#include "run/run.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/topology.h"
#include "capture/capture.h"
#include "decode/packet.h"
#include "evidence/evidence.h"
#include "flow/core/engine.h"
#include "joblog/joblog.h"
#include "run/clocks.h"
#include "run/frame.h"
#include "run/pieces.h"
#include "run/places.h"
#include "run/relay.h"
#include "run/spool.h"
#include "run/topology.h"
#include "store/store.h"

enum { READY = 128, FRAMES_AT_ONCE = 64 };

struct run {
	const struct run_options *options;
	struct capture *capture;
	struct engine *engine;
	struct store *store;
	struct decode_options decode;
	struct tap_map map;
	struct pieces pieces;
	struct flow_sink sink;
	struct run_spool spool;
	struct run_clocks clocks;
	size_t taps_with_speed;
	uint64_t packets, bytes;
	uint64_t size; /* of the files; 0: one is none */
	bool interrupted;
	unsigned long denied; /* memory, before this run */
	int64_t before_ns;    /* the last frame of the batch before */
	struct packet *ready; /* of reduced captures; NULL: there are none */
	size_t n_ready;
};

/* The file says that packets are missing before frame |i|: between it and the
 * one of its tap before. */
static void tell_drops(struct run *r, const struct frame *frames, size_t i)
{
	int64_t from = r->before_ns;

	for (size_t k = i; k-- > 0;)
		if (frames[k].tap == frames[i].tap) {
			from = engine_time(frames[k].ns);
			break;
		}
	engine_capture_drops(r->engine, frames[i].tap, from,
			     engine_time(frames[i].ns));
}

/* Somebody looks: one after the other, and nothing is held back. */
static void feed_watched(struct run *r, const struct frame *f, uint64_t order)
{
	struct packet p = { .order = order };

	r->options->watch->before(f);
	frame_decode(f, &r->decode, &p);
	engine_feed(r->engine, &p, 1);
	r->options->watch->after(&p);
}

static void feed_frame(struct run *r, const struct frame *frame, uint64_t order)
{
	struct engine_frame f = frame_of(frame);

	f.order = order;
	if (r->options->watch)
		feed_watched(r, frame, order);
	else
		engine_frame(r->engine, &r->decode, &f);
}

static void feed_ready(struct run *r)
{
	engine_feed(r->engine, r->ready, r->n_ready);
	r->n_ready = 0;
}

/* A frame that was cut is no such frame as the engine reads: it gets the
 * packet. */
static void feed_reduced(struct run *r, const struct frame *f, uint64_t order)
{
	if (!(f->flags & FRAME_REDUCED)) {
		feed_ready(r);
		feed_frame(r, f, order);
		return;
	}
	if (!r->n_ready)
		engine_flush(r->engine);
	r->ready[r->n_ready].order = order;
	frame_decode(f, &r->decode, &r->ready[r->n_ready]);
	if (++r->n_ready == READY)
		feed_ready(r);
}

static void feed_parts(struct run *r, const struct frame *frames, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (frames[i].drops)
			tell_drops(r, frames, i);
		feed_reduced(r, &frames[i], r->packets + 1 + i);
		r->bytes += frames[i].caplen;
	}
	feed_ready(r);
	engine_flush(r->engine);
	r->packets += n;
	if (n)
		r->before_ns = engine_time(frames[n - 1].ns);
}

/* So many frames, the first with |order|, up to one before which some were
 * dropped; how many. */
static size_t feed_some(struct run *r, const struct frame *frames, size_t n,
			uint64_t order)
{
	struct engine_frame f[FRAMES_AT_ONCE];
	size_t i = 0;

	do {
		frame_fill(&f[i], &frames[i]);
		f[i].order = order + i;
		r->bytes += frames[i].caplen;
	} while (++i < n && i < FRAMES_AT_ONCE && !frames[i].drops);
	engine_frames(r->engine, &r->decode, f, i);
	return i;
}

static void feed(struct run *r, const struct frame *frames, size_t n)
{
	for (size_t i = 0; i < n;) {
		if (frames[i].drops)
			tell_drops(r, frames, i);
		if (!r->options->watch) {
			i += feed_some(r, &frames[i], n - i,
				       r->packets + 1 + i);
			continue;
		}
		r->bytes += frames[i].caplen;
		feed_watched(r, &frames[i], r->packets + 1 + i);
		i++;
	}
	/* The next batch may take the place of this one. */
	engine_flush(r->engine);
	r->packets += n;
	if (n)
		r->before_ns = engine_time(frames[n - 1].ns);
}

static const struct topology *topology(const struct run *r)
{
	return r->options->topology;
}

static uint64_t speed_of(const struct run *r, size_t tap)
{
	const struct capture_tap *t = capture_tap(r->capture, tap);
	const struct topology_tap *known = topology_tap(topology(r), t->name);

	if (known && known->speed_bps)
		return known->speed_bps;
	return t->speed_bps ? t->speed_bps : r->options->speed_bps;
}

/* Taps begin as packets come: tells the engine of those that are new. */
static void tell_taps(struct run *r)
{
	size_t n = capture_taps(r->capture);

	if (r->taps_with_speed == n)
		return;
	if (r->taps_with_speed < MAP_TAPS)
		map_named(&r->map, r->options->inputs, topology(r), r->capture);
	for (; r->taps_with_speed < n; r->taps_with_speed++)
		engine_set_speed(r->engine, (uint32_t)r->taps_with_speed,
				 speed_of(r, r->taps_with_speed));
}

static bool too_many(const struct run *r)
{
	enum { HEADER = 16 };
	uint64_t most = r->options->most_bytes;

	return most && r->bytes + HEADER * r->packets > most;
}

static void feed_batch(struct run *r, const struct frame *frames, size_t n)
{
	tell_taps(r);
	pieces_look(&r->pieces, r->capture, frames, n, &r->map);
	if (r->ready)
		feed_parts(r, frames, n);
	else
		feed(r, frames, n);
}

/* Frames of which feed_batch() has nothing else to say. */
static void feed_looked(struct run *r, const struct engine_frame *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		r->bytes += f[i].in.caplen;
	engine_frames(r->engine, &r->decode, f, n);
	engine_flush(r->engine);
	r->packets += n;
	r->before_ns = f[n - 1].ns;
}

static bool begins(const void *ctx, const struct frame *frames, size_t n)
{
	const struct run *r = ctx;

	if (r->taps_with_speed != capture_taps(r->capture))
		return true;
	for (size_t i = 0; i < n; i++)
		if (frames[i].drops ||
		    pieces_new(&r->pieces, r->capture, &frames[i]))
			return true;
	return false;
}

static int read_relayed(struct run *r, struct relay *relay, struct err *err)
{
	struct relayed some;
	int n;

	while ((n = relay_next(relay, &some, err)) > 0) {
		if (some.batch)
			feed_batch(r, some.batch, some.n);
		else
			feed_looked(r, some.frame, some.n);
		progress_packets(r->packets);
		if (too_many(r))
			return err_set(err, ERR_USAGE, "too many packets");
	}
	return n;
}

static int read_alone(struct run *r, struct err *err)
{
	const struct frame *frames;
	int n;

	while ((n = capture_next(r->capture, &frames, err)) > 0) {
		feed_batch(r, frames, (size_t)n);
		progress_packets(r->packets);
		if (interrupt_came())
			break;
		if (too_many(r))
			return err_set(err, ERR_USAGE, "too many packets");
	}
	return n;
}

/* Is there a second thread, and are there files, which a thread can be taken
 * back from, of frames that nobody else looks at? */
static bool relays(const struct run *r)
{
	return r->options->threads > 1 && r->size && !r->options->watch &&
	       !r->ready;
}

static int read_all(struct run *r, struct err *err)
{
	const struct relay_options o = {
		.capture = r->capture,
		.engine = r->engine,
		.decode = &r->decode,
		.begins = begins,
		.ctx = r,
	};
	struct relay *relay = relays(r) ? relay_new(&o) : NULL;
	int rc = relay ? read_relayed(r, relay, err) : read_alone(r, err);

	relay_free(relay);
	return rc;
}

/* Partial results that are not whole make no result. */
static int all_whole(const struct run *r, struct err *err)
{
	for (size_t i = 0; i < capture_files(r->capture); i++)
		if (capture_file(r->capture, i)->broken)
			return err_set(err, ERR_FORMAT,
				       "%s: corrupted; remove it and run its "
				       "partial again",
				       r->spool.inputs[i].kept);
	return 0;
}

/* All, or what ^C leaves of it. */
static int read_wanted(struct run *r, struct err *err)
{
	char read[16];
	int rc;

	rc = read_all(r, err);
	if (!rc)
		rc = all_whole(r, err);
	r->interrupted = interrupt_over();
	if (r->interrupted) {
		snprintf(read, sizeof read, "%d", progress_percent());
		store_meta(r->store, "interrupted", read);
	}
	return rc;
}

/* Times of the capture layer are as they stand in the file. */
static void correct_span(const struct run *r, uint32_t file, uint32_t ordinal,
			 int64_t *first, int64_t *last)
{
	*first = run_clocks_time(&r->clocks, file, ordinal, *first, false);
	*last = run_clocks_time(&r->clocks, file, ordinal, *last, true);
}

/* Each capture point of a file has a clock of its own. */
static void describe_file(struct run *r, size_t i, const struct capture_file *f)
{
	struct capture_file corrected = *f;
	bool any = false;

	for (size_t k = 0; k < capture_taps(r->capture); k++) {
		const struct capture_tap *t = capture_tap(r->capture, k);
		int64_t first = t->first_ns, last = t->last_ns;

		if (t->file != i || !t->packets)
			continue;
		correct_span(r, t->file, capture_tap_ordinal(r->capture, k),
			     &first, &last);
		if (!any || first < corrected.first_ns)
			corrected.first_ns = first;
		if (!any || last > corrected.last_ns)
			corrected.last_ns = last;
		any = true;
	}
	store_capture(r->store, i, &corrected);
}

/* Tells the store what was read; is any of it missing? */
static bool describe_inputs(struct run *r)
{
	bool part = engine_unreadable(r->engine) > 0;
	size_t i;

	for (i = 0; i < capture_files(r->capture); i++) {
		const struct capture_file *f = capture_file(r->capture, i);

		describe_file(r, i, f);
		if (f->damage_count || f->cut || f->skipped)
			part = true;
	}
	for (i = 0; i < capture_taps(r->capture); i++) {
		struct capture_tap t = *capture_tap(r->capture, i);

		t.speed_bps = speed_of(r, i);
		t.stamp_step = capture_tap_step(r->capture, i);
		correct_span(r, t.file, capture_tap_ordinal(r->capture, i),
			     &t.first_ns, &t.last_ns);
		store_tap(r->store, i, &t);
	}
	map_tell(&r->map, capture_taps(r->capture), r->store);
	return part;
}

static int describe_topology(struct run *r, struct err *err)
{
	size_t n = capture_taps(r->capture);
	const char **names;

	if (!topology(r))
		return 0;
	names = calloc(n + 1, sizeof *names);
	if (!names)
		return err_set(err, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n; i++)
		names[i] = capture_tap(r->capture, i)->name;
	store_topology(r->store, topology(r), names, n);
	free(names);
	return 0;
}

static int analyze(struct run *r, struct err *err)
{
	bool part;

	if (read_wanted(r, err) < 0)
		return -1;
	progress_phase("following flows to their end", 0, 0);
	part = describe_inputs(r);
	run_clocks_tell(&r->clocks, r->capture, r->store);
	if (describe_topology(r, err) < 0)
		return -1;
	if (r->options->watch)
		r->options->watch->end();
	engine_finish(r->engine);
	/* All it knew are rows now: its memory is for those who read them. */
	engine_free(r->engine);
	r->engine = NULL;
	/* What was not remembered may have been a loss. */
	if (mem_denied() != r->denied)
		return err_set(err, ERR_MEMORY, "out of memory");
	if (r->options->job_log) {
		if (store_job_log(r->store, r->options->job_log, err) < 0)
			return -1;
		part |= r->options->job_log->part;
	}
	if (r->options->evidence) {
		if (store_evidence(r->store, r->options->evidence, err) < 0)
			return -1;
		part |= r->options->evidence->dropped > 0;
	}
	if (r->options->filter)
		store_meta(r->store, "filter", r->options->filter);
	if (!r->options->uncommitted && store_commit(r->store, err) < 0)
		return -1;
	return part || r->interrupted ? RUN_PART : RUN_FULL;
}

/* More than one place, as far as the look ahead could tell? */
static bool several(const struct run *r)
{
	for (size_t i = 1; i < r->clocks.n_taps && i < MAP_TAPS; i++)
		if (r->map.place[i] != r->map.place[0])
			return true;
	return false;
}

/* Corrected clocks may put the packets of several taps of one file into another
 * order, and a reduced capture has the one it was read in. */
static void read_originals(struct run *r)
{
	const struct run_clocks *k = &r->clocks;

	for (size_t i = 0; k->n_shifts && i < k->n_taps; i++) {
		struct capture_input *in = &r->spool.inputs[k->taps[i].file];

		if (k->taps[i].ordinal && in->reduced) {
			in->reduced = false;
			in->kept = NULL;
		}
	}
}

/* Is any of them a reduced capture?  -1: no memory. */
static int make_ready(struct run *r, struct err *err)
{
	for (size_t i = 0; i < r->options->n_inputs && !r->ready; i++)
		if (r->spool.inputs[i].reduced &&
		    !(r->ready = calloc(READY, sizeof *r->ready)))
			return err_set(err, ERR_MEMORY, "out of memory");
	return 0;
}

static int begin(struct run *r, struct err *err)
{
	const struct engine_options o = {
		.place = r->map.place,
		.link = r->map.link,
		.lag = r->map.lag,
		.n_places = MAP_TAPS,
		.several = several(r),
		.all_messages = r->options->all_messages,
	};

	r->engine = engine_new(&o, &r->sink);
	if (!r->engine)
		return err_set(err, ERR_MEMORY, "out of memory");
	return 0;
}

static int open_all(struct run *r, struct err *err)
{
	const struct run_options *o = r->options;
	struct capture_options look = { .filter = o->filter };
	struct capture_options how = look;

	run_decode_options(o->topology, &r->decode);
	if (run_spool_start(&r->spool, o->inputs, o->n_inputs, o->database,
			    err) < 0)
		return -1;
	/* A file waits; who writes a pipe is to be ended first. */
	r->size = capture_bytes(r->spool.inputs, o->n_inputs);
	if (o->interruptible && r->size)
		interrupt_keep();
	progress_phase("comparing clocks", r->size, 0);
	run_clocks_look(&r->clocks, r->spool.inputs, o->n_inputs, &look,
			&r->decode);
	read_originals(r);
	if (make_ready(r, err) < 0)
		return -1;
	how.shifts = look.shifts = r->clocks.shifts;
	how.n_shifts = look.n_shifts = r->clocks.n_shifts;
	how.ahead = o->threads ? o->threads - 1 - relays(r) : 0;
	progress_phase("reading", r->size, 0);
	r->capture = capture_open(r->spool.inputs, o->n_inputs, &how, err);
	if (!r->capture)
		return -1;
	r->store = store_create(o->database, err);
	if (!r->store)
		return -1;
	r->sink = store_sink(r->store);
	if (o->watch)
		o->watch->sink(&r->sink);
	map_init(&r->map);
	map_look_ahead(&r->map, r->spool.inputs, o->n_inputs, &look,
		       &r->decode);
	return begin(r, err);
}

static int run_once(struct run *r, struct err *err)
{
	int rc = open_all(r, err);

	return rc ? rc : analyze(r, err);
}

static void run_fini(struct run *r)
{
	engine_free(r->engine);
	capture_free(r->capture);
	run_clocks_fini(&r->clocks);
	free(r->ready);
	run_spool_fini(&r->spool);
}

int run_analyze(const struct run_options *o, struct store **out,
		struct err *err)
{
	struct run r = { .options = o,
			 .pieces = { .inputs = o->inputs },
			 .denied = mem_denied() };
	int rc;

	progress_begin(o->progress);
	rc = run_once(&r, err);
	progress_end();
	if (out)
		*out = rc < 0 ? NULL : r.store;
	if (!out || rc < 0)
		store_free(r.store);
	run_fini(&r);
	return rc;
}

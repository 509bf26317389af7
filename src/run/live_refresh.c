/* SPDX-License-Identifier: GPL-2.0-or-later
 * One refresh of the database: what is final, then what would be, had the
 * capture ended here. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/topology.h"
#include "capture/capture.h"
#include "capture/ring.h"
#include "run/live_int.h"
#include "run/topology.h"
#include "store/live.h"

#ifndef FABSCOPE_VERSION
#define FABSCOPE_VERSION "unknown"
#endif

static const char *const who_names[DROPS] = {
	[DROPS_KERNEL] = "kernel",
	[DROPS_INTERFACE] = "interface",
	[DROPS_OWN] = "own",
	[DROPS_DOWN] = "down",
};
static const char *const state_names[PORT_STATES] = {
	[PORT_UP] = "up",
	[PORT_DOWN] = "down",
	[PORT_GONE] = "down",
};

static uint64_t dropped(const struct live *l, size_t tap, enum ring_who who)
{
	return atomic_load(&l->tap[tap].ring->report.dropped[who]);
}

static uint64_t dropped_all(const struct live *l, size_t tap)
{
	return l->seen[tap].base_dropped + dropped(l, tap, DROPS_KERNEL) +
	       dropped(l, tap, DROPS_INTERFACE) + dropped(l, tap, DROPS_OWN);
}

/* ---- captures and taps, as of a file ---- */

static void write_tap(const struct live *l, struct store *s, size_t i)
{
	const struct live_seen *seen = &l->seen[i];
	struct ring_report *report = &l->tap[i].ring->report;
	char *name = strdup(l->tap[i].name);
	const struct capture_file file = {
		.path = name,
		.format = "live",
		.packets = seen->packets,
		.bytes = seen->bytes,
		.first_ns = seen->first_ns,
		.last_ns = seen->last_ns,
	};
	const struct capture_tap tap = {
		.name = name,
		.file = l->engine_tap[i],
		.speed_bps = live_speed(l, i),
		.snaplen = atomic_load(&report->snaplen),
		.linktype = (uint16_t)atomic_load(&report->linktype),
		.packets = seen->packets,
		.regressions = seen->regressions,
		.received = atomic_load(&report->received),
		.dropped = dropped_all(l, i),
		.first_ns = seen->first_ns,
		.last_ns = seen->last_ns,
	};

	if (name) {
		store_capture(s, l->engine_tap[i], &file);
		store_tap(s, l->engine_tap[i], &tap);
	}
	free(name);
}

static void write_topology(const struct live *l, struct store *s)
{
	const char **names;

	if (!l->o.topology)
		return;
	names = calloc(l->n_places, sizeof *names);
	for (size_t i = 0; names && i < l->n_places; i++)
		names[i] = "";
	for (size_t i = 0; names && i < l->n; i++)
		names[l->engine_tap[i]] = l->tap[i].name;
	if (names)
		store_topology(s, l->o.topology, names, l->n_places);
	map_tell(&l->map, l->n_places, s);
	free(names);
}

/* ---- what only live has ---- */

static void write_status(const struct live *l, struct store *s, int64_t now,
			 bool last)
{
	for (size_t i = 0; i < l->n; i++) {
		struct ring_report *report = &l->tap[i].ring->report;
		const struct live_seen *seen = &l->seen[i];
		uint64_t waiting = ring_waiting(l->tap[i].ring);
		const struct live_status st = {
			.ns = now,
			.tap_id = l->tap[i].id,
			.state =
				last ? "ended"
				     : state_names[atomic_load(&report->state)],
			.received = seen->packets,
			.bytes = seen->bytes,
			.dropped_kernel = (int64_t)dropped(l, i, DROPS_KERNEL),
			.dropped_interface =
				(int64_t)dropped(l, i, DROPS_INTERFACE),
			.dropped_own = dropped(l, i, DROPS_OWN),
			.buffered = waiting,
			.lag_ns = waiting && now > seen->last_ns
					  ? now - seen->last_ns
					  : 0,
			.refresh_ns = l->refresh_took ? l->refresh_took
						      : FACT_UNKNOWN,
		};

		store_live_status(s, &st);
	}
}

static int64_t write_file(const struct live *l, struct store *s,
			  const char *kind, const struct recorded *f)
{
	const struct live_recording row = {
		.kind = kind,
		.path = f->path,
		.state = f->open ? "open" : "complete",
		.first_ns = f->first_ns,
		.last_ns = f->last_ns,
		.packets = f->packets,
		.bytes = f->bytes,
		.missed = f->missed,
	};
	struct live_frames frames[LIVE_TAPS];
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		if (f->tap[i].first)
			frames[n++] = (struct live_frames) { l->tap[i].id,
							     f->tap[i].first,
							     f->tap[i].last };
	return store_live_recording(s, &row, frames, n);
}

static void write_pending(const struct live *l, struct store *s, int64_t now)
{
	const struct live_pending *p = &l->pending;

	if (*p->epoch_why)
		store_live_epoch(s, p->epoch_ns, p->epoch_why, FABSCOPE_VERSION,
				 p->epoch_detail);
	else
		store_live_epoch(s, now, NULL, NULL, NULL);
	for (size_t i = 0; i < p->n_lines; i++)
		store_live_log(
			s, &(struct live_line) { .ns = p->line[i].ns,
						 .warning = p->line[i].warning,
						 .tap_id = p->line[i].tap_id,
						 .text = p->line[i].text });
	for (size_t i = 0; i < p->n_gaps; i++)
		store_live_drops(
			s,
			&(struct live_drops) {
				.tap_id = p->gap[i].tap_id,
				.first_ns = p->gap[i].from,
				.last_ns = p->gap[i].to,
				.packets = p->gap[i].packets
						   ? (int64_t)p->gap[i].packets
						   : FACT_UNKNOWN,
				.who = who_names[p->gap[i].who] });
	for (size_t i = 0; i < p->n_files; i++)
		if (p->file[i].packets)
			write_file(l, s, "ring", &p->file[i]);
}

/* ---- the flight recorder ---- */

/* Beside the database, named after it and the time. */
static void recording_name(const struct live *l, int64_t now, char *path,
			   size_t size)
{
	time_t s = (time_t)(now / 1000000000);
	struct tm tm;
	char stamp[32];

	gmtime_r(&s, &tm);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &tm);
	snprintf(path, size, "%s.%s.pcapng", l->o.database, stamp);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Is |name| one that recording_name() gives? */
static bool is_recording_name(const struct live *l, const char *name)
{
	static const char stamp[] = ".00000000T000000Z.pcapng";
	const char *database = base_of(l->o.database);
	size_t n = strlen(database);

	if (strncmp(name, database, n) != 0 ||
	    strlen(name + n) != sizeof stamp - 1)
		return false;
	name += n;
	for (size_t i = 0; stamp[i]; i++)
		if (stamp[i] == '0' ? name[i] < '0' || name[i] > '9'
				    : name[i] != stamp[i])
			return false;
	return true;
}

/* Somebody else may have written what the database says: only a file of ours
 * goes, in the folder of the database and under such a name. */
static void remove_recording(const struct live *l, const char *path)
{
	const char *name = base_of(path);
	char folder[512], named[512];
	struct stat ours, theirs, file;
	int fd;

	live_folder_of(l->o.database, folder, sizeof folder);
	live_folder_of(path, named, sizeof named);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (is_recording_name(l, name) && !fstat(fd, &ours) &&
	    !stat(named, &theirs) && ours.st_dev == theirs.st_dev &&
	    ours.st_ino == theirs.st_ino &&
	    !fstatat(fd, name, &file, AT_SYMLINK_NOFOLLOW) &&
	    S_ISREG(file.st_mode) && file.st_uid == geteuid())
		unlinkat(fd, name, 0);
	close(fd);
}

/* The oldest recordings make place for the new one. */
static void drop_recordings(const struct live *l, struct store *s)
{
	char path[512];

	while (store_live_oldest_recording(s, l->o.record_files, path,
					   sizeof path))
		remove_recording(l, path);
}

/* One file for all that is new, unless the latest still covers it. */
static void record_findings(const struct live *l, struct store *s, int64_t now,
			    struct refresh_result *r)
{
	int64_t id = store_live_new_finding(s, 0), recording;
	struct recorded file;
	struct err err = { 0 };
	char path[512];

	if (!id || !l->o.record_ns)
		return;
	recording = store_live_last_recording(s, now - l->o.record_ns / 2);
	if (!recording) {
		recording_name(l, now, path, sizeof path);
		if (record_last(path, l->tap, l->n, now - l->o.record_ns, &file,
				&err)) {
			snprintf(r->text, sizeof r->text, "%.255s", err.text);
			return;
		}
		recording = write_file(l, s, "finding", &file);
		drop_recordings(l, s);
		r->recorded = true;
		snprintf(r->text, sizeof r->text, "%.255s", path);
	}
	for (; id; id = store_live_new_finding(s, id), r->findings++)
		store_live_recorded(s, id, recording);
}

/* ---- the refresh ---- */

static void write_facts(struct live *l, struct store *s)
{
	const struct flow_sink sink = store_sink(s);
	struct fact_queue *t = &l->pending.fact_queue;
	size_t final = t->n;

	fact_queue_play(t, 0, &sink);
	store_live_provisional(s);
	t->most = SIZE_MAX; /* of this process, which ends soon */
	engine_finish(l->engine);
	for (size_t i = 0; i < l->n; i++)
		write_tap(l, s, i);
	fact_queue_play(t, final, &sink);
	for (size_t i = 0; i < l->n; i++)
		store_live_add(s, l->tap[i].id, &l->counted[i]);
	for (size_t i = 0; i < l->n_caps; i++)
		sink.capped(sink.ctx, l->cap[i].table, l->cap[i].dropped);
	if (t->lost)
		sink.capped(sink.ctx, "live", t->lost);
}

void refresh_write(struct live *l, bool last, int64_t now,
		   struct refresh_result *r)
{
	const struct live_limits limits = {
		.keep_ns = l->o.keep_ns,
		.history_ns = l->o.history_ns,
		.rows = l->o.rows,
	};
	struct err err = { 0 };
	struct store *s = store_live_open(l->o.database, &err);

	*r = (struct refresh_result) { .ok = false };
	if (s) {
		if (l->retains || last)
			store_live_retain(s, &limits, now);
		write_pending(l, s, now);
		write_facts(l, s);
		write_topology(l, s);
		write_status(l, s, now, last);
		if (!store_live_derive(s, now, &err))
			record_findings(l, s, now, r);
		r->ok = !store_live_close(s, &err);
	}
	if (!r->ok)
		snprintf(r->text, sizeof r->text, "%.255s", err.text);
}

/* ---- from the run before ---- */

static void take_caps(struct live *l, struct store *s)
{
	const char *table;
	uint64_t n;

	for (unsigned i = 0; store_live_cap(s, i, &table, &n); i++)
		live_capped(l, table, n);
}

static int places(struct live *l, struct err *err)
{
	const char **names = calloc(l->n_places + 1, sizeof *names);

	if (!names)
		return err_set(err, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < l->n_places; i++)
		names[i] = "";
	for (size_t i = 0; i < l->n; i++)
		names[l->engine_tap[i]] = l->tap[i].name;
	map_init(&l->map);
	map_topology(&l->map, l->o.topology, names,
		     l->n_places < MAP_TAPS ? l->n_places : MAP_TAPS);
	free(names);
	return 0;
}

int refresh_first(struct live *l, struct err *err)
{
	struct store *s = store_live_begin(l->o.database, err);
	bool again;

	if (!s)
		return -1;
	l->n_caps = 0; /* it may be the second try */
	memset(l->cap, 0, sizeof l->cap);
	take_caps(l, s);
	again = store_live_taps(s) > 0;
	for (size_t i = 0; i < l->n; i++) {
		l->tap[i].id = store_live_tap(s, l->tap[i].name);
		l->engine_tap[i] = (uint32_t)(l->tap[i].id - 1);
		l->seen[i].base_dropped = store_live_dropped(s, l->tap[i].id);
		store_live_counted(s, l->tap[i].id, &l->counted[i]);
	}
	l->n_places = (size_t)store_live_taps(s);
	l->first_id = store_live_last_flow(s);
	store_live_epoch(s, l->began_ns, again ? "restart" : "start",
			 FABSCOPE_VERSION, NULL);
	if (store_live_close(s, err))
		return -1;
	return places(l, err);
}

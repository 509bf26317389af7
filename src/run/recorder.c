/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets of live to pcapng files.
 *
 * Both kinds read the rings without being waited for: when they are too slow
 * they miss packets, which is counted, and nobody else does. */
#include "run/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/pcapng_write.h"
#include "capture/ring.h"

enum {
	FRAME_ROOM = 1 << 18,
	WAIT_MS = 20,
	RETRY_S = 5, /* after a full disk */
	HEAD_ROOM = 1024,
};

/* One ring, read a record ahead. */
struct cursor {
	struct ring *ring;
	uint64_t at;
	struct ring_record *ahead; /* FRAME_ROOM bytes */
	bool has;
	uint64_t number; /* of the frame before, to see what was missed */
};

struct file {
	struct pcapng_writer *w;
	int interface[LIVE_TAPS];
	struct recorded about;
	int64_t opened; /* CLOCK_MONOTONIC, s */
};

static int64_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* ---- reading ---- */

static int cursors_open(struct cursor *c, const struct live_tap *taps, size_t n,
			struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		c[i] = (struct cursor) { .ring = taps[i].ring };
		c[i].ahead = malloc(FRAME_ROOM);
		if (!c[i].ahead)
			return err_set(err, ERR_MEMORY, "out of memory");
	}
	return 0;
}

static void cursors_close(struct cursor *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(c[i].ahead);
}

static bool look_ahead(struct cursor *c)
{
	int rc;

	while (!c->has) {
		rc = ring_copy(c->ring, &c->at, c->ahead, FRAME_ROOM);
		if (!rc)
			return false;
		c->has = rc > 0 && c->ahead->kind == RING_FRAME &&
			 c->ahead->caplen <=
				 FRAME_ROOM - sizeof(struct ring_record);
	}
	return true;
}

/* The cursor whose next packet is the earliest; NULL: none has any. */
static struct cursor *earliest(struct cursor *c, size_t n)
{
	struct cursor *first = NULL;

	for (size_t i = 0; i < n; i++)
		if (look_ahead(&c[i]) &&
		    (!first || c[i].ahead->ns < first->ahead->ns))
			first = &c[i];
	return first;
}

/* ---- a file ---- */

static int file_open(struct file *f, const char *path,
		     const struct live_tap *taps, size_t n, struct err *err)
{
	*f = (struct file) { .opened = seconds() };
	snprintf(f->about.path, sizeof f->about.path, "%s", path);
	f->w = pcapng_writer_new(path, "fabscope live", err);
	if (!f->w)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct ring_report *t = &taps[i].ring->report;
		const struct pcapng_interface about = {
			.name = taps[i].name,
			.speed_bps = atomic_load(&t->speed_bps),
			.snaplen = atomic_load(&t->snaplen),
			.linktype = (uint16_t)atomic_load(&t->linktype),
		};

		f->interface[i] = pcapng_writer_interface(f->w, &about, err);
		if (f->interface[i] < 0)
			return -1;
	}
	f->about.bytes = HEAD_ROOM;
	return 0;
}

/* |missed|: packets of this tap before it that are in no file. */
static int file_add(struct file *f, size_t tap, const struct ring_record *r,
		    uint64_t missed, struct err *err)
{
	const struct pcapng_packet p = {
		.ns = r->ns,
		.data = ring_data((struct ring_record *)(uintptr_t)r),
		.caplen = r->caplen,
		.wirelen = r->wirelen,
		.interface = (uint32_t)f->interface[tap],
		.dropcount = missed,
	};

	if (pcapng_writer_packet(f->w, &p, err))
		return -1;
	if (!f->about.packets++)
		f->about.first_ns = r->ns;
	f->about.last_ns = r->ns;
	f->about.bytes += r->caplen + 32U;
	f->about.missed += missed;
	if (!f->about.tap[tap].first)
		f->about.tap[tap].first = r->number;
	f->about.tap[tap].last = r->number;
	return 0;
}

/* With the drops so far, as a reader of the file wants to know them. */
static int file_close(struct file *f, const struct live_tap *taps, size_t n,
		      struct err *err)
{
	struct stat st;
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		struct ring_report *t = &taps[i].ring->report;
		uint64_t dropped = 0;

		for (int who = 0; who < DROPS; who++)
			dropped += atomic_load(&t->dropped[who]);
		rc = pcapng_writer_statistics(f->w, (uint32_t)f->interface[i],
					      f->about.last_ns, UINT64_MAX,
					      dropped, NULL, err);
	}
	if (pcapng_writer_close(f->w, rc ? NULL : err))
		rc = -1;
	f->w = NULL;
	if (!stat(f->about.path, &st))
		f->about.bytes = (uint64_t)st.st_size;
	return rc;
}

static uint64_t missed_before(struct cursor *c)
{
	uint64_t before = c->number;

	c->number = c->ahead->number;
	return before && c->number > before + 1 ? c->number - before - 1 : 0;
}

static int move(struct file *f, struct cursor *all, struct cursor *c,
		struct err *err)
{
	c->has = false;
	return file_add(f, (size_t)(c - all), c->ahead, missed_before(c), err);
}

/* ---- the last seconds ---- */

/* Where everything stands now: what comes later is not waited for. */
static void fix_ends(const struct live_tap *taps, size_t n, int64_t *end)
{
	for (size_t i = 0; i < n; i++)
		end[i] = (int64_t)atomic_load(&taps[i].ring->head);
}

static int copy_last(struct file *f, struct cursor *c, size_t n, int64_t since,
		     const int64_t *end, struct err *err)
{
	struct cursor *next;

	while ((next = earliest(c, n))) {
		if ((int64_t)next->at > end[next - c])
			return 0;
		if (next->ahead->ns < since) {
			next->has = false;
			continue;
		}
		if (move(f, c, next, err))
			return -1;
	}
	return 0;
}

int record_last(const char *path, const struct live_tap *taps, size_t n,
		int64_t since, struct recorded *out, struct err *err)
{
	struct cursor c[LIVE_TAPS] = { 0 };
	int64_t end[LIVE_TAPS];
	struct file f = { 0 };
	int rc = -1;

	fix_ends(taps, n, end);
	if (!cursors_open(c, taps, n, err)) {
		for (size_t i = 0; i < n; i++)
			c[i].at = ring_oldest(c[i].ring);
		rc = file_open(&f, path, taps, n, err);
	}
	if (!rc)
		rc = copy_last(&f, c, n, since, end, err);
	if (f.w && file_close(&f, taps, n, rc ? NULL : err))
		rc = -1;
	if (rc)
		unlink(path);
	*out = f.about;
	cursors_close(c, n);
	return rc;
}

/* ---- a row of files ---- */

static const char *adopted; /* what names begin with, for scandir() */

struct row {
	const struct row_options *o;
	const struct live_tap *taps;
	size_t n;
	struct cursor c[LIVE_TAPS];
	struct file file;
	int report;
	int64_t retry;      /* s; not before */
	char (*names)[512]; /* ring of o->files */
	uint64_t n_names;
};

static void report_recorded(const struct row *r, const struct recorded *about)
{
	/* smaller than PIPE_BUF, so it goes whole; nobody reads: no matter */
	_Static_assert(sizeof *about <= 4096, "it goes whole");
	if (write(r->report, about, sizeof *about) < 0)
		return;
}

/* Readers may want what is in it before it is full. */
static void tell_begin(const struct row *r)
{
	struct recorded about = r->file.about;

	about.open = true;
	report_recorded(r, &about);
}

/* The oldest makes place. */
static void enlist(struct row *r, const char *path)
{
	char *slot;

	if (!r->names)
		return;
	slot = r->names[r->n_names++ % r->o->files];
	if (*slot)
		unlink(slot);
	snprintf(slot, sizeof *r->names, "%s", path);
}

static void next_name(const struct row *r, char *path, size_t size)
{
	struct timespec t;
	struct tm tm;
	char stamp[32];
	int n = 0;

	clock_gettime(CLOCK_REALTIME, &t);
	gmtime_r(&t.tv_sec, &tm);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%S", &tm);
	do
		snprintf(path, size, "%s%s.%03ldZ%s%.0d.pcapng", r->o->prefix,
			 stamp, t.tv_nsec / 1000000, n ? "-" : "", n);
	while (!access(path, F_OK) && ++n < 1000);
}

/* ---- of the run before ---- */

/* "20261122T010203.004Z.pcapng", perhaps with "-5" behind the Z, as
 * next_name() makes it: nothing else is ours to remove. */
static bool is_ours(const char *name)
{
	static const char form[] = "00000000T000000.000Z";

	for (size_t i = 0; form[i]; i++, name++)
		if (form[i] == '0' ? *name < '0' || *name > '9'
				   : *name != form[i])
			return false;
	if (*name == '-')
		name += 1 + strspn(name + 1, "0123456789");
	return !strcmp(name, ".pcapng");
}

static int ours(const struct dirent *e)
{
	size_t n = strlen(adopted), length = strlen(e->d_name);

	return length > n && !strncmp(e->d_name, adopted, n) &&
	       is_ours(e->d_name + n);
}

/* Names are times, so their order is that of time. */
static void adopt(struct row *r)
{
	const char *prefix = r->o->prefix, *slash = strrchr(prefix, '/');
	int folder = slash ? (int)(slash - prefix) + 1 : 0;
	struct dirent **list;
	char path[512];
	int n;

	if (!r->names)
		return;
	adopted = prefix + folder;
	snprintf(path, sizeof path, "%.*s", folder ? folder : 1,
		 folder ? prefix : ".");
	n = scandir(path, &list, ours, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%.*s%s", folder, prefix,
			 list[i]->d_name);
		enlist(r, path);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

/* ---- the file of now ---- */

static void row_fails(struct row *r, const struct err *err)
{
	snprintf(r->file.about.error, sizeof r->file.about.error, "%.255s",
		 err->text);
	report_recorded(r, &r->file.about);
	r->retry = seconds() + RETRY_S;
}

static void row_close(struct row *r)
{
	struct err err = { 0 };

	if (!r->file.w)
		return;
	if (file_close(&r->file, r->taps, r->n, &err))
		row_fails(r, &err);
	else
		report_recorded(r, &r->file.about);
}

static bool row_open(struct row *r)
{
	struct err err = { 0 };
	char path[512];

	if (r->file.w)
		return true;
	if (seconds() < r->retry)
		return false;
	next_name(r, path, sizeof path);
	if (!file_open(&r->file, path, r->taps, r->n, &err)) {
		enlist(r, path);
		return true;
	}
	if (r->file.w)
		pcapng_writer_close(r->file.w, NULL);
	r->file.w = NULL;
	row_fails(r, &err);
	return false;
}

static bool is_full(const struct row *r)
{
	const struct row_options *o = r->o;

	return (o->bytes && r->file.about.bytes >= o->bytes) ||
	       (o->ns && r->file.about.packets &&
		r->file.about.last_ns - r->file.about.first_ns >= o->ns);
}

/* A file that cannot take more is closed, and what comes meanwhile missed. */
static void row_take(struct row *r, struct cursor *c)
{
	struct err err = { 0 };

	if (!row_open(r)) {
		c->has = false;
		return;
	}
	if (move(&r->file, r->c, c, &err)) {
		pcapng_writer_close(r->file.w, NULL);
		r->file.w = NULL;
		row_fails(r, &err);
		return;
	}
	if (is_full(r))
		row_close(r);
	else if (r->file.about.packets == 1)
		tell_begin(r);
}

void record_row(const struct row_options *o, const struct live_tap *taps,
		size_t n, const volatile sig_atomic_t *stop,
		volatile sig_atomic_t *rotate, int report)
{
	struct row r = { .o = o, .taps = taps, .n = n, .report = report };
	struct cursor *c;
	struct err err;
	bool last;

	if (o->files)
		r.names = calloc(o->files, sizeof *r.names);
	if (!cursors_open(r.c, taps, n, &err)) {
		for (size_t i = 0; i < n; i++)
			r.c[i].at = ring_oldest(taps[i].ring);
		adopt(&r);
		do {
			last = *stop;
			while ((c = earliest(r.c, n)))
				row_take(&r, c);
			if (*rotate) {
				*rotate = 0;
				row_close(&r);
			}
			if (!last)
				poll(NULL, 0, WAIT_MS);
		} while (!last);
		row_close(&r);
	}
	cursors_close(r.c, n);
	free(r.names);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading the captures of a database again and keeping some of the packets.
 *
 * All of its captures are opened, in their order, so that taps get the numbers
 * they had in the analysis. */
#include "views/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/addr.h"
#include "capture/capture.h"
#include "capture/pcapng_write.h"
#include "run/frame.h"
#include "store/outfile.h"
#include "store/query.h"
#include "store/store.h"
#include "views/rows.h"
#include "views/selector.h"

/* One direction of a queue pair while it is of interest. */
struct key {
	struct addr src, dst;
	uint32_t dst_qp;
	int64_t from_ns, to_ns;
};

/* A frame with something to say about it. */
struct mark {
	uint32_t tap;
	uint64_t frame;
};

struct slice {
	struct store *store;
	struct catalogue *catalogue;
	const struct selector *sel;
	struct rows captures, taps;
	struct key *keys; /* by src, dst, dst_qp */
	size_t n_keys;
	struct mark *marks; /* by tap, frame */
	size_t n_marks;
	char *comment;          /* of marked frames */
	int64_t from_ns, to_ns; /* SELECT_TIME */
	uint32_t tap;           /* SELECT_FRAMES */
	struct decode_options decode;
	struct capture *capture;
	struct pcapng_writer *writer;
	int *interfaces; /* of the writer, by tap; -1: none yet */
	size_t n_interfaces;
	uint64_t packets;
};

static int no_memory(struct err *err)
{
	err_set(err, ERR_MEMORY, "out of memory");
	return -1; /* said here, so that clang-tidy sees it */
}

/* ---- what is wanted ------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int c = addr_compare(x->src, y->src);

	if (!c)
		c = addr_compare(x->dst, y->dst);
	if (!c)
		c = (x->dst_qp > y->dst_qp) - (x->dst_qp < y->dst_qp);
	return c;
}

static int compare_marks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->tap != y->tap)
		return x->tap < y->tap ? -1 : 1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

static bool read_key(const struct rows *r, size_t i, struct key *k)
{
	k->dst_qp = (uint32_t)rows_int(r, i, "dst_qp", 0);
	k->from_ns = rows_int(r, i, "from_ns", INT64_MIN);
	k->to_ns = rows_int(r, i, "to_ns", INT64_MAX);
	return addr_parse(rows_text(r, i, "src"), &k->src) &&
	       addr_parse(rows_text(r, i, "dst"), &k->dst);
}

/* The flows that query |name| gives for the selected id. */
static int find_keys(struct slice *s, const char *name, struct err *err)
{
	struct rows r;
	char id[32];
	const char *const params[] = { id, NULL };
	size_t i;
	int rc;

	snprintf(id, sizeof id, "id=%lld", (long long)s->sel->id);
	rc = rows_ask(&r, s->store, s->catalogue, name, params, err);
	if (!rc) {
		s->keys = calloc(r.n_rows + 1, sizeof *s->keys);
		if (!s->keys)
			rc = no_memory(err);
	}
	for (i = 0; !rc && i < r.n_rows; i++)
		if (read_key(&r, i, &s->keys[s->n_keys]))
			s->n_keys++;
	if (!rc && s->n_keys)
		qsort(s->keys, s->n_keys, sizeof *s->keys, compare_keys);
	rows_fini(&r);
	return rc;
}

static int find_flow(struct slice *s, struct err *err)
{
	if (find_keys(s, "slice/flow", err) < 0)
		return -1;
	if (s->n_keys)
		return 0;
	return err_set(err, ERR_USAGE, "%s: there is no flow %lld",
		       store_path(s->store), (long long)s->sel->id);
}

static int keep_marks(struct slice *s, const struct rows *r, struct err *err)
{
	size_t i;

	s->marks = calloc(r->n_rows + 1, sizeof *s->marks);
	if (!s->marks)
		return no_memory(err);
	for (i = 0; i < r->n_rows; i++) {
		struct mark *m = &s->marks[s->n_marks++];

		m->tap = (uint32_t)rows_int(r, i, "tap_id", 0) - 1;
		m->frame = (uint64_t)rows_int(r, i, "frame", 0);
	}
	qsort(s->marks, s->n_marks, sizeof *s->marks, compare_marks);
	if (asprintf(&s->comment, "fabscope finding %lld: %s",
		     (long long)s->sel->id, rows_text(r, 0, "title")) < 0) {
		s->comment = NULL;
		return no_memory(err);
	}
	return 0;
}

static int find_finding(struct slice *s, struct err *err)
{
	struct rows r;
	char id[32];
	const char *const params[] = { id, NULL };
	int rc;

	snprintf(id, sizeof id, "id=%lld", (long long)s->sel->id);
	rc = rows_ask(&r, s->store, s->catalogue, "slice/frames", params, err);
	/* one row at least, perhaps without a frame, for a finding there is */
	if (!rc && !r.n_rows)
		rc = err_set(err, ERR_USAGE, "%s: there is no finding %lld",
			     store_path(s->store), (long long)s->sel->id);
	if (!rc)
		rc = keep_marks(s, &r, err);
	rows_fini(&r);
	if (!rc)
		rc = find_keys(s, "slice/finding", err);
	return rc;
}

static int64_t absolute(const struct slice *s, const struct selector_end *e)
{
	int64_t ns;

	if (!e->relative)
		return e->ns;
	if (__builtin_add_overflow(e->ns, store_origin_ns(s->store), &ns))
		return INT64_MAX;
	return ns;
}

static int find_time(struct slice *s, struct err *err)
{
	(void)err;
	s->from_ns = absolute(s, &s->sel->from);
	s->to_ns = absolute(s, &s->sel->to);
	return 0;
}

/* The tap whose frame numbers are meant. */
static int find_tap(struct slice *s, struct err *err)
{
	const char *tap = s->sel->tap;
	char number[24];
	size_t i;

	if (!tap && s->captures.n_rows == 1)
		return 0; /* all taps of one file count together */
	for (i = 0; tap && i < s->taps.n_rows; i++) {
		int64_t id = rows_int(&s->taps, i, "id", 0);

		snprintf(number, sizeof number, "%lld", (long long)id);
		if (strcmp(tap, number) != 0 &&
		    strcmp(tap, rows_text(&s->taps, i, "name")) != 0)
			continue;
		s->tap = (uint32_t)id - 1;
		return 0;
	}
	if (tap)
		return err_set(err, ERR_USAGE, "%s: there is no tap \"%s\"",
			       store_path(s->store), tap);
	return err_set(err, ERR_USAGE,
		       "frames of which capture? add @TAP, one of: %s, ...",
		       s->taps.n_rows ? rows_text(&s->taps, 0, "name") : "");
}

static int find_wanted(struct slice *s, struct err *err)
{
	static int (*const find[SELECT_KINDS])(struct slice *, struct err *) = {
		[SELECT_FINDING] = find_finding,
		[SELECT_FLOW] = find_flow,
		[SELECT_TIME] = find_time,
		[SELECT_FRAMES] = find_tap,
	};

	s->tap = UINT32_MAX;
	return find[s->sel->kind](s, err);
}

/* ---- does a frame belong? ------------------------------------------- */

/* The first of the keys that equal |k|, or where it would be. */
static size_t lower_key(const struct slice *s, const struct key *k)
{
	size_t low = 0, high = s->n_keys;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_keys(&s->keys[middle], k) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool in_flow(const struct slice *s, const struct frame *f)
{
	struct packet p = { 0 };
	struct key k;
	size_t i;

	frame_decode(f, &s->decode, &p);
	if (p.kind != PACKET_ROCE && p.kind != PACKET_CNP)
		return false;
	k = (struct key) { .src = p.src, .dst = p.dst, .dst_qp = p.dst_qp };
	for (i = lower_key(s, &k); i < s->n_keys; i++) {
		if (compare_keys(&s->keys[i], &k) != 0)
			return false;
		if (f->ns >= s->keys[i].from_ns && f->ns <= s->keys[i].to_ns)
			return true;
	}
	return false;
}

static bool is_marked(const struct slice *s, const struct frame *f)
{
	const struct mark m = { f->tap, f->number };

	return s->n_marks && bsearch(&m, s->marks, s->n_marks, sizeof m,
				     compare_marks) != NULL;
}

static bool is_wanted(const struct slice *s, const struct frame *f)
{
	switch (s->sel->kind) {
	case SELECT_TIME:
		return f->ns >= s->from_ns && f->ns <= s->to_ns;
	case SELECT_FRAMES:
		return (s->tap == UINT32_MAX || s->tap == f->tap) &&
		       selector_has_frame(s->sel, f->number);
	default:
		return is_marked(s, f) || in_flow(s, f);
	}
}

/* ---- reading and writing -------------------------------------------- */

/* The writer's interface for |tap|, made when its first packet comes. */
static int interface_of(struct slice *s, uint32_t tap, struct err *err)
{
	const struct capture_tap *t = capture_tap(s->capture, tap);
	size_t n = s->n_interfaces;

	if (tap >= n) {
		size_t want = (size_t)tap + 64;
		int *more = reallocarray(s->interfaces, want, sizeof *more);

		if (!more)
			return no_memory(err);
		for (; n < want; n++)
			more[n] = -1;
		s->interfaces = more;
		s->n_interfaces = want;
	}
	if (s->interfaces[tap] < 0)
		s->interfaces[tap] = pcapng_writer_interface(
			s->writer,
			&(struct pcapng_interface) { .name = t->name,
						     .speed_bps = t->speed_bps,
						     .snaplen = t->snaplen,
						     .linktype = t->linktype },
			err);
	return s->interfaces[tap];
}

static int write_frame(struct slice *s, const struct frame *f, struct err *err)
{
	int interface = interface_of(s, f->tap, err);
	struct pcapng_packet p = {
		.ns = f->ns,
		.data = f->data,
		.caplen = f->caplen,
		.wirelen = f->wirelen,
		.interface = (uint32_t)interface,
		.dropcount = f->drops,
		.comment = is_marked(s, f) ? s->comment : NULL,
	};

	if (interface < 0)
		return -1;
	/* epb_flags: the lowest two bits are the direction */
	p.epb_flags = f->flags & FRAME_IN ? 1 : f->flags & FRAME_OUT ? 2 : 0;
	s->packets++;
	return pcapng_writer_packet(s->writer, &p, err);
}

static int copy_frames(struct slice *s, struct err *err)
{
	const struct frame *frames;
	int n, i;

	while ((n = capture_next(s->capture, &frames, err)) > 0)
		for (i = 0; i < n; i++)
			if (is_wanted(s, &frames[i]) &&
			    write_frame(s, &frames[i], err) < 0)
				return -1;
	return n;
}

/* The numbers of each capture must be those of the analysis, or frame numbers
 * and times mean something else. */
static int check_unchanged(struct slice *s, struct err *err)
{
	size_t i;

	for (i = 0; i < s->captures.n_rows; i++) {
		const struct capture_file *f = capture_file(s->capture, i);
		const struct rows *r = &s->captures;
		uint64_t packets = (uint64_t)rows_int(r, i, "packets", 0);
		uint64_t filtered =
			(uint64_t)rows_int(r, i, "filtered_packets", 0);

		if (f->packets == packets + filtered &&
		    f->bytes == (uint64_t)rows_int(r, i, "bytes", 0))
			continue;
		return err_set(err, ERR_FORMAT,
			       "%s: is not the capture that was analysed: "
			       "analyse it again",
			       f->path);
	}
	return 0;
}

/* |path| itself, or the same beside the database; NULL: neither is there. */
static char *find_file(const char *path, const char *database)
{
	const char *slash = strrchr(database, '/');
	char *beside;

	if (!access(path, F_OK) || path[0] == '/' || !slash)
		return access(path, F_OK) ? NULL : strdup(path);
	if (asprintf(&beside, "%.*s/%s", (int)(slash - database), database,
		     path) < 0)
		return NULL;
	if (!access(beside, F_OK))
		return beside;
	free(beside);
	return NULL;
}

static int find_files(struct slice *s, struct capture_input *inputs,
		      char **paths, struct err *err)
{
	size_t i;

	for (i = 0; i < s->captures.n_rows; i++) {
		const char *path = rows_text(&s->captures, i, "path");

		if (!strcmp(path, "-"))
			return err_set(err, ERR_IO,
				       "the packets came from standard input "
				       "and are not kept");
		paths[i] = find_file(path, store_path(s->store));
		if (!paths[i])
			return err_set(err, ERR_IO,
				       "%s: the capture is no longer there",
				       path);
		inputs[i].path = paths[i];
	}
	return 0;
}

static int open_captures(struct slice *s, struct err *err)
{
	size_t n = s->captures.n_rows, i;
	struct capture_input *inputs = calloc(n + 1, sizeof *inputs);
	char **paths = calloc(n + 1, sizeof *paths);
	int rc = inputs && paths ? 0 : no_memory(err);

	if (!rc)
		rc = find_files(s, inputs, paths, err);
	if (!rc) {
		s->capture = capture_open(inputs, n,
					  &(struct capture_options) { 0 }, err);
		rc = s->capture ? 0 : -1;
	}
	for (i = 0; paths && i < n; i++)
		free(paths[i]);
	free(paths);
	free(inputs);
	return rc;
}

static int copy_to(struct slice *s, const char *path, struct err *err)
{
	char comment[128];
	int rc;

	snprintf(comment, sizeof comment, "written by fabscope slice");
	s->writer = pcapng_writer_new(path, comment, err);
	if (!s->writer)
		return -1;
	rc = copy_frames(s, err);
	if (!rc)
		rc = check_unchanged(s, err);
	if (pcapng_writer_close(s->writer, rc ? NULL : err) < 0)
		rc = -1;
	return rc;
}

/* Errors of the writer name the temporary file: the reader knows another. */
static void rename_error(struct err *err, const char *from, const char *to)
{
	struct err e = *err;
	size_t n = strlen(from);

	if (!strncmp(e.text, from, n))
		err_set(err, e.code, "%s%s", to, e.text + n);
}

static bool anything(const char *path)
{
	(void)path;
	return true;
}

/* Nothing has the name |path| before all of it is there. */
static int copy(struct slice *s, const char *path, struct err *err)
{
	struct outfile *o;
	int rc;

	if (!strcmp(path, "-"))
		return copy_to(s, path, err);
	o = outfile_begin(path, anything, err);
	if (!o)
		return -1;
	rc = copy_to(s, outfile_temp(o), err);
	if (rc)
		rename_error(err, outfile_temp(o), path);
	else
		rc = outfile_commit(o, err);
	outfile_free(o);
	return rc;
}

static int slice(struct slice *s, const char *path, struct err *err)
{
	s->catalogue = catalogue_builtin();
	if (!s->catalogue)
		return no_memory(err);
	if (rows_ask(&s->captures, s->store, s->catalogue, "captures", NULL,
		     err) < 0 ||
	    rows_ask(&s->taps, s->store, s->catalogue, "taps", NULL, err) < 0 ||
	    find_wanted(s, err) < 0 || open_captures(s, err) < 0)
		return -1;
	return copy(s, path, err);
}

int slice_write(struct store *store, const struct selector *sel,
		const char *path, uint64_t *packets, struct err *err)
{
	struct slice s = { .store = store,
			   .sel = sel,
			   .decode = decode_defaults };
	int rc;

	s.decode.skip_icrc = true; /* nobody asks for it here */
	rc = slice(&s, path, err);

	*packets = s.packets;
	capture_free(s.capture);
	free(s.interfaces);
	free(s.comment);
	free(s.marks);
	free(s.keys);
	rows_fini(&s.taps);
	rows_fini(&s.captures);
	catalogue_free(s.catalogue);
	return rc;
}

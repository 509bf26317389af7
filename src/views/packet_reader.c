/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading the captures of a database again and picking some of the packets.
 *
 * All of its captures are opened, in their order, so that taps get the numbers
 * they had in the analysis; of a live one those of its recordings that may have
 * what is wanted. */
#include "views/packet_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/progress.h"
#include "capture/capture.h"
#include "store/query.h"
#include "store/store.h"
#include "views/packet_filter.h"
#include "views/recordings.h"
#include "views/rows.h"
#include "views/selector.h"

struct packet_reader {
	struct store *store;
	const struct selector *selector;
	struct catalogue *catalogue;
	struct rows captures, taps, clocks;
	struct capture_shift *shifts;
	struct packet_filter packet_filter;
	struct recordings *live; /* NULL: captures are files */
	struct capture *capture;
	uint64_t packets;
};

static int no_memory(struct err *err)
{
	err_set(err, ERR_MEMORY, "out of memory");
	return -1; /* said here, so that clang-tidy sees it */
}

/* The numbers of each capture must be those of the analysis, or frame numbers
 * and times mean something else. */
static int check_unchanged(struct packet_reader *p, struct err *err)
{
	size_t i;

	for (i = 0; i < p->captures.n_rows; i++) {
		const struct capture_file *f = capture_file(p->capture, i);
		const struct rows *r = &p->captures;
		uint64_t packets = (uint64_t)rows_int(r, i, "packets", 0);
		uint64_t filtered =
			(uint64_t)rows_int(r, i, "filtered_packets", 0);

		if (f->packets == packets + filtered &&
		    f->bytes == (uint64_t)rows_int(r, i, "bytes", 0))
			continue;
		return err_set(err, ERR_FORMAT,
			       "%s: is not the capture that was analyzed: "
			       "analyze it again",
			       f->path);
	}
	return 0;
}

/* A database may be anybody's: what it names is opened only if that cannot
 * block and does nothing else. */
static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* |path| itself, or the same beside the database; NULL: neither is there. */
static char *find_file(const char *path, const char *database)
{
	const char *slash = strrchr(database, '/');
	char *beside;

	if (is_file(path) || path[0] == '/' || !slash)
		return is_file(path) ? strdup(path) : NULL;
	if (asprintf(&beside, "%.*s/%s", (int)(slash - database), database,
		     path) < 0)
		return NULL;
	if (is_file(beside))
		return beside;
	free(beside);
	return NULL;
}

static int find_files(struct packet_reader *p, struct capture_input *inputs,
		      char **paths, struct err *err)
{
	size_t i;

	for (i = 0; i < p->captures.n_rows; i++) {
		const char *path = rows_text(&p->captures, i, "path");

		if (!strcmp(path, "-"))
			return err_set(err, ERR_IO,
				       "the packets came from standard input "
				       "and are not kept");
		paths[i] = find_file(path, store_path(p->store));
		if (!paths[i])
			return err_set(
				err, ERR_IO,
				"%s: the capture is no longer there%s", path,
				access(path, F_OK) ? ""
						   : " (not a regular file)");
		inputs[i].path = paths[i];
		outfile_input(paths[i]);
	}
	return 0;
}

/* Times as the analysis corrected them. */
static int find_shifts(struct packet_reader *p, struct err *err)
{
	const struct rows *r = &p->clocks;

	p->shifts = calloc(r->n_rows + 1, sizeof *p->shifts);
	if (!p->shifts)
		return no_memory(err);
	for (size_t i = 0; i < r->n_rows; i++)
		p->shifts[i] = (struct capture_shift) {
			.file = (uint32_t)rows_int(r, i, "file", 1) - 1,
			.ordinal = (uint32_t)rows_int(r, i, "ordinal", 0),
			.from_frame = (uint64_t)rows_int(r, i, "from_frame", 0),
			.at_ns = rows_int(r, i, "at_ns", 0),
			.offset_ns = rows_int(r, i, "offset_ns", 0),
			.drift = (double)rows_int(r, i, "drift_ppb", 0)
		};
	return 0;
}

static bool is_there(void *ctx, const char *path)
{
	const struct packet_reader *p = ctx;
	char *found = find_file(path, store_path(p->store));

	free(found);
	return found != NULL;
}

static int find_recordings(struct packet_reader *p,
			   struct capture_input *inputs, char **paths,
			   bool evidence, struct err *err)
{
	size_t n = recordings_choose(p->live, &p->packet_filter, evidence,
				     is_there, p);

	for (size_t i = 0; i < n; i++) {
		paths[i] = find_file(recordings_path(p->live, i),
				     store_path(p->store));
		if (!paths[i])
			return no_memory(err);
		inputs[i].path = paths[i];
		outfile_input(paths[i]);
	}
	if (n || evidence)
		return (int)n;
	return err_set(err, ERR_IO,
		       "%s: no recording has %s, or none any more: "
		       "fabscope query %s recordings",
		       store_path(p->store), p->selector->text,
		       store_path(p->store));
}

/* How many inputs there are, or -1. */
static int find_inputs(struct packet_reader *p, struct capture_input *inputs,
		       char **paths, bool evidence, struct err *err)
{
	if (!inputs || !paths)
		return no_memory(err);
	if (p->live)
		return find_recordings(p, inputs, paths, evidence, err);
	return find_files(p, inputs, paths, err) < 0 ? -1
						     : (int)p->captures.n_rows;
}

static int open_captures(struct packet_reader *p, bool evidence,
			 struct err *err)
{
	size_t most = p->live ? recordings_most(p->live) : p->captures.n_rows;
	struct capture_input *inputs = calloc(most + 1, sizeof *inputs);
	char **paths = calloc(most + 1, sizeof *paths);
	const struct capture_options o = {
		.shifts = p->shifts, .n_shifts = p->live ? 0 : p->clocks.n_rows
	};
	int n = find_inputs(p, inputs, paths, evidence, err);

	if (n >= 0) {
		progress_phase("reading", capture_bytes(inputs, (size_t)n), 0);
		p->capture = capture_open(inputs, (size_t)n, &o, err);
	}
	for (size_t i = 0; paths && i < most; i++)
		free(paths[i]);
	free(paths);
	free(inputs);
	return p->capture ? 0 : -1;
}

/* With the tap and the number that the database knows it by. */
static bool known_frame(struct packet_reader *p, const struct frame *f,
			struct frame *out)
{
	*out = *f;
	return !p->live || recordings_frame(p->live, p->capture, out);
}

/* Evidence is known by number: when was it?  The packets around it come
 * before it too, so this needs a reading of its own. */
static int see_evidence(struct packet_reader *p, struct err *err)
{
	const struct frame *frames;
	struct frame f;
	int n = 1, i;

	if (!p->packet_filter.unseen)
		return 0;
	if (open_captures(p, true, err) < 0)
		return -1;
	while (p->packet_filter.unseen &&
	       (n = capture_next(p->capture, &frames, err)) > 0)
		for (i = 0; i < n; i++)
			if (known_frame(p, &frames[i], &f))
				packet_filter_see(&p->packet_filter, &f);
	packet_filter_seen(&p->packet_filter);
	capture_free(p->capture);
	p->capture = NULL;
	return n < 0 ? -1 : 0;
}

/* Its packets are in files of their own, if anywhere. */
static int find_live(struct packet_reader *p, struct err *err)
{
	if (!p->captures.n_rows ||
	    strcmp(rows_text(&p->captures, 0, "format"), "live") != 0)
		return 0;
	p->live = recordings_new(p->store, p->catalogue, p->selector, err);
	return p->live ? 0 : -1;
}

static int find(struct packet_reader *p, const struct packet_reader_options *o,
		struct err *err)
{
	const struct packet_filter_options packet_filter = {
		o->selector, o->context_ns, o->whole, o->decode
	};

	p->catalogue = catalogue_builtin();
	if (!p->catalogue)
		return no_memory(err);
	if (rows_ask(&p->captures, p->store, p->catalogue, "captures", NULL,
		     err) < 0 ||
	    rows_ask(&p->taps, p->store, p->catalogue, "taps", NULL, err) < 0 ||
	    rows_ask(&p->clocks, p->store, p->catalogue, "slice/clocks", NULL,
		     err) < 0 ||
	    find_shifts(p, err) < 0 || find_live(p, err) < 0 ||
	    packet_filter_find(&p->packet_filter, &packet_filter, p->store,
			       p->catalogue, &p->taps, &p->captures, err) < 0 ||
	    see_evidence(p, err) < 0)
		return -1;
	return open_captures(p, false, err);
}

struct packet_reader *packet_reader_new(struct store *s,
					const struct packet_reader_options *o,
					struct err *err)
{
	struct packet_reader *p = calloc(1, sizeof *p);

	if (!p) {
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	p->store = s;
	p->selector = o->selector;
	if (!find(p, o, err))
		return p;
	packet_reader_free(p);
	return NULL;
}

void packet_reader_free(struct packet_reader *p)
{
	if (!p)
		return;
	capture_free(p->capture);
	recordings_free(p->live);
	packet_filter_fini(&p->packet_filter);
	rows_fini(&p->taps);
	rows_fini(&p->captures);
	rows_fini(&p->clocks);
	free(p->shifts);
	catalogue_free(p->catalogue);
	free(p);
}

const struct capture_tap *packet_reader_tap(const struct packet_reader *p,
					    uint32_t tap)
{
	return p->live ? recordings_tap(p->live, p->capture, tap)
		       : capture_tap(p->capture, tap);
}

const char *packet_reader_says(const struct packet_reader *p)
{
	return p->packet_filter.says;
}

uint64_t packet_reader_packets(const struct packet_reader *p)
{
	return p->packets;
}

static int hand_over(struct packet_reader *p, const struct frame *f,
		     packet_reader_fn *take, void *ctx, struct err *err)
{
	if (!packet_filter_frame(&p->packet_filter, f))
		return 0;
	p->packets++;
	return take(ctx, f,
		    packet_filter_marked(&p->packet_filter, f)
			    ? p->packet_filter.comment
			    : NULL,
		    err);
}

int packet_reader_run(struct packet_reader *p, packet_reader_fn *take,
		      void *ctx, struct err *err)
{
	const struct frame *frames;
	struct frame f;
	int n, i, rc;

	while ((n = capture_next(p->capture, &frames, err)) > 0)
		for (i = 0; i < n; i++) {
			rc = known_frame(p, &frames[i], &f)
				     ? hand_over(p, &f, take, ctx, err)
				     : 0;
			if (rc)
				return rc < 0 ? -1 : 0;
		}
	if (n < 0 || (!p->live && check_unchanged(p, err) < 0))
		return -1;
	if (p->packets)
		return 0;
	return err_set(err, ERR_FORMAT, "%s: no packet is in %s",
		       store_path(p->store), p->selector->text);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading the captures of a database again and keeping some of the packets.
 *
 * All of its captures are opened, in their order, so that taps get the numbers
 * they had in the analysis. */
#include "views/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/pcapng_write.h"
#include "store/outfile.h"
#include "store/query.h"
#include "store/store.h"
#include "views/rows.h"
#include "views/selector.h"
#include "views/want.h"

struct slice {
	struct store *store;
	const struct slice_options *o;
	struct catalogue *catalogue;
	struct rows captures, taps;
	struct want want;
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
		.comment = want_marked(&s->want, f) ? s->want.comment : NULL,
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
			if (want_frame(&s->want, &frames[i]) &&
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

/* Evidence is known by number: when was it?  The packets around it come
 * before it too, so this needs a reading of its own. */
static int see_evidence(struct slice *s, struct err *err)
{
	const struct frame *frames;
	int n = 1, i;

	if (!s->want.unseen)
		return 0;
	if (open_captures(s, err) < 0)
		return -1;
	while (s->want.unseen &&
	       (n = capture_next(s->capture, &frames, err)) > 0)
		for (i = 0; i < n; i++)
			want_see(&s->want, &frames[i]);
	want_seen(&s->want);
	capture_free(s->capture);
	s->capture = NULL;
	return n < 0 ? -1 : 0;
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
	if (!rc && !s->packets)
		rc = err_set(err, ERR_FORMAT, "%s: no packet is in %s",
			     store_path(s->store), s->o->selector->text);
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

/* A pipe, a terminal, /dev/null: there is nothing to be replaced. */
static bool is_stream(const char *path)
{
	struct stat st;

	return !strcmp(path, "-") ||
	       (!stat(path, &st) && !S_ISREG(st.st_mode) &&
		!S_ISDIR(st.st_mode));
}

/* Nothing has the name |path| before all of it is there. */
static int copy(struct slice *s, struct err *err)
{
	const char *path = s->o->path;
	struct outfile *o;
	int rc;

	if (is_stream(path))
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

static int slice(struct slice *s, struct err *err)
{
	const struct want_options want = { s->o->selector, s->o->context_ns,
					   s->o->whole };

	s->catalogue = catalogue_builtin();
	if (!s->catalogue)
		return no_memory(err);
	if (rows_ask(&s->captures, s->store, s->catalogue, "captures", NULL,
		     err) < 0 ||
	    rows_ask(&s->taps, s->store, s->catalogue, "taps", NULL, err) < 0 ||
	    want_find(&s->want, &want, s->store, s->catalogue, &s->taps,
		      &s->captures, err) < 0 ||
	    see_evidence(s, err) < 0 || open_captures(s, err) < 0)
		return -1;
	return copy(s, err);
}

int slice_write(struct store *store, const struct slice_options *o,
		struct slice_result *result, struct err *err)
{
	struct slice s = { .store = store, .o = o };
	int rc = slice(&s, err);

	result->packets = s.packets;
	snprintf(result->says, sizeof result->says, "%s", s.want.says);
	capture_free(s.capture);
	free(s.interfaces);
	want_fini(&s.want);
	rows_fini(&s.taps);
	rows_fini(&s.captures);
	catalogue_free(s.catalogue);
	return rc;
}

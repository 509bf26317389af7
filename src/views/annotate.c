/* SPDX-License-Identifier: GPL-2.0-or-later
 * A capture once more, with what was found as comments on its packets.
 *
 * A pcapng file is copied block by block, so that nothing is lost that fabscope
 * has no use for.  Every other format says less than pcapng can: its packets
 * are written anew.  So are all of them under pseudonyms: what fabscope has no
 * use for may name somebody. */
#include "views/annotate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "base/progress.h"
#include "base/regular.h"
#include "capture/capture.h"
#include "capture/pcapng_annotate.h"
#include "decode/packet.h"
#include "run/run.h"
#include "run/topology.h"
#include "store/anonymous.h"
#include "store/query.h"
#include "store/store.h"
#include "views/frame_anonymizer.h"
#include "views/rewrite.h"
#include "views/rows.h"

/* What is to be said, by frame, and of each interface. */
struct saying {
	FILE *progress; /* a terminal to draw on, or NULL */
	struct rows rows, interfaces;
	size_t *reported; /* of the name that begins with this row */
	const char *base; /* last part of the file's name */
	const struct anonymous_key *key; /* NULL: as it is */
	struct decode_options decode;    /* of the fabric */
};

static const char *comment_of(void *ctx, uint64_t number)
{
	const struct rows *r = &((struct saying *)ctx)->rows;
	size_t low = 0, high = r->n_rows;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if ((uint64_t)rows_int(r, middle, "frame", 0) < number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == r->n_rows ||
	    (uint64_t)rows_int(r, low, "frame", 0) != number)
		return NULL;
	return rows_text(r, low, "comment");
}

/* Rows of |interfaces| are by name, and those of the same name by number. */
static size_t first_named(const struct rows *r, const char *name)
{
	size_t low = 0, high = r->n_rows;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(rows_text(r, middle, "name"), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Interfaces of one name are one tap, also in different sections; it
 * is reported once. */
static const char *tap_comment_once(struct saying *s, const char *name)
{
	const struct rows *r = &s->interfaces;
	size_t first = first_named(r, name), next = first + s->reported[first];

	if (next == r->n_rows || strcmp(rows_text(r, next, "name"), name) != 0)
		return NULL;
	s->reported[first]++;
	return rows_text(r, next, "comment");
}

/* A tap without a name has one that is made of the file's, and of its number
 * when there are several: see reader_tap_name(). */
static const char *remark_of(void *ctx, uint32_t number, const char *name)
{
	struct saying *s = ctx;
	const char *text;
	char made[512];

	if (name)
		return tap_comment_once(s, name);
	snprintf(made, sizeof made, "%s:%u", s->base, number);
	text = tap_comment_once(s, made);
	return text ? text : tap_comment_once(s, s->base);
}

static int ask(struct saying *s, struct store *store, const struct catalogue *c,
	       struct err *err)
{
	if (rows_ask(&s->rows, store, c, "annotate/comments", NULL, err) ||
	    rows_ask(&s->interfaces, store, c, "annotate/interfaces", NULL,
		     err))
		return -1;
	s->reported = calloc(s->interfaces.n_rows + 1, sizeof *s->reported);
	return s->reported ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

static int analyse(const char *capture, const struct topology *t,
		   struct saying *s, struct err *err)
{
	const struct capture_input input = { .path = capture };
	struct catalogue *c = catalogue_builtin();
	struct store *store = NULL, *seen_as = NULL;
	int rc = -1;

	if (!c)
		return err_set(err, ERR_MEMORY, "out of memory");
	if (run_analyze(&(struct run_options) { .inputs = &input,
						.n_inputs = 1,
						.topology = t,
						.progress = s->progress,
						.database = ":memory:" },
			&store, err) >= 0)
		seen_as = s->key ? store_anonymous(store, s->key, NULL, err)
				 : store;
	if (seen_as)
		rc = ask(s, seen_as, c, err);
	if (seen_as != store)
		store_free(seen_as);
	store_free(store);
	catalogue_free(c);
	return rc;
}

/* ---- pcapng ---- */

static int copy_pcapng(const char *capture, const char *path, struct saying *s,
		       struct annotated *out, struct err *err)
{
	struct pcapng_annotation a = { .comment = comment_of,
				       .remark = remark_of,
				       .ctx = s };
	FILE *f = regular_create(path);
	int rc;

	if (!f)
		return err_errno(err, "%s: cannot create", path);
	rc = pcapng_annotate(capture, f, &a, err);
	if (fclose(f) && !rc)
		rc = err_errno(err, "%s: cannot write", path);
	out->packets = a.packets;
	out->commented = a.commented;
	out->refused = a.refused;
	out->damaged = a.damaged;
	out->remarked = a.remarked;
	out->failure = a.failure;
	return rc;
}

/* ---- all others, and all under pseudonyms ---- */

/* What is said of an interface. */
static int write_remark(const struct capture_tap *t, int interface,
			struct rewrite *w, struct saying *s,
			struct annotated *out, struct err *err)
{
	char *other = s->key ? anonymous_name(s->key, t->name) : NULL;
	const char *text;

	if (s->key && !other)
		return err_set(err, ERR_MEMORY, "out of memory");
	text = tap_comment_once(s, other ? other : t->name);
	free(other);
	out->remarked += text != NULL;
	return text ? rewrite_remark(w, interface, t->last_ns, text, err) : 0;
}

/* A place where nothing passed is a result; without pseudonyms it is in a
 * pcapng file only, which is copied. */
static int write_remarks(struct capture *c, struct rewrite *w, struct saying *s,
			 struct annotated *out, struct err *err)
{
	for (uint32_t i = 0; i < capture_taps(c); i++) {
		const struct capture_tap *t = capture_tap(c, i);
		int interface = rewrite_interface(w, i);

		if (interface < 0 && s->key)
			interface = rewrite_tap(w, i, t, err);
		else if (interface < 0)
			continue;
		if (interface < 0 ||
		    write_remark(t, interface, w, s, out, err) < 0)
			return -1;
	}
	return 0;
}

static int write_frames(struct capture *c, struct rewrite *w, struct saying *s,
			struct annotated *out, struct err *err)
{
	const struct frame *frames;
	int n;

	while ((n = capture_next(c, &frames, err)) > 0) {
		if (!s->key && capture_taps(c) > 1)
			return err_set(err, ERR_FORMAT,
				       "%s: has several interfaces and is not "
				       "a pcapng file",
				       capture_file(c, 0)->path);
		for (int i = 0; i < n; i++) {
			const struct frame *f = &frames[i];
			const char *text = comment_of(s, f->number);

			out->packets++;
			out->commented += text != NULL;
			if (rewrite_frame(w, capture_tap(c, f->tap), f, text,
					  err) < 0)
				return -1;
		}
	}
	return n;
}

static int write_anew(const char *capture, const char *path, struct saying *s,
		      struct annotated *out, struct err *err)
{
	const struct capture_input input = { .path = capture };
	struct frame_anonymizer *frame_anonymizer =
		s->key ? anonymizer_new(s->key, &s->decode) : NULL;
	const struct rewrite_options o = {
		.path = path,
		.comment = frame_anonymizer
				   ? "written by fabscope annotate --anonymize"
				   : NULL,
		.frame_anonymizer = frame_anonymizer,
		.unnamed = !frame_anonymizer,
	};
	struct capture *c = NULL;
	struct rewrite *w = NULL;
	int rc = -1;

	if (s->key && !frame_anonymizer)
		return err_set(err, ERR_MEMORY, "out of memory");
	c = capture_open(&input, 1, &(struct capture_options) { 0 }, err);
	if (c)
		w = rewrite_new(&o, err);
	if (w) {
		rc = write_frames(c, w, s, out, err);
		if (!rc)
			rc = write_remarks(c, w, s, out, err);
		if (rewrite_close(w, rc ? NULL : err) < 0)
			rc = -1;
	}
	out->unread =
		frame_anonymizer ? anonymizer_unread(frame_anonymizer) : 0;
	capture_free(c);
	anonymizer_free(frame_anonymizer);
	return rc;
}

/* ---- */

static int write_out(const char *capture, const char *path, struct saying *s,
		     struct annotated *out, struct err *err)
{
	struct outfile *o = outfile_begin(path, NULL, NULL, err);
	int rc;

	if (!o)
		return -1;
	rc = (pcapng_is(capture) && !s->key ? copy_pcapng : write_anew)(
		capture, outfile_temp(o), s, out, err);
	if (!rc)
		rc = outfile_commit(o, err);
	outfile_free(o);
	return rc;
}

int annotate(const char *capture, const struct topology *t, const char *path,
	     const struct anonymous_key *k, FILE *progress,
	     struct annotated *out, struct err *err)
{
	const char *slash = strrchr(capture, '/');
	struct saying s = { .base = slash ? slash + 1 : capture,
			    .key = k,
			    .progress = progress };
	struct stat st;
	int rc;

	*out = (struct annotated) { 0 };
	run_decode_options(t, &s.decode);
	if (stat(capture, &st) < 0)
		return err_errno(err, "%s", capture);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE,
			       "%s: must be a file, it is read twice", capture);
	rc = analyse(capture, t, &s, err);
	if (!rc) {
		progress_begin(progress);
		progress_phase("writing", (uint64_t)st.st_size, 0);
		rc = write_out(capture, path, &s, out, err);
		progress_end();
	}
	rows_fini(&s.rows);
	rows_fini(&s.interfaces);
	free(s.reported);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 * Picked packets into a pcapng file. */
#include "views/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "capture/capture.h"
#include "store/pseudonym_text.h"
#include "views/frame_anonymizer.h"
#include "views/packet_reader.h"
#include "views/rewrite.h"

struct slice {
	const struct slice_options *o;
	struct packet_reader *packet_reader;
	struct rewrite *writer;
	struct frame_anonymizer
		*frame_anonymizer; /* NULL: packets as they are */
	struct known_names *names; /* likewise: what is said of them */
};

static int no_memory(struct err *err)
{
	err_set(err, ERR_MEMORY, "out of memory");
	return -1; /* said here, so that clang-tidy sees it */
}

static int write_frame(void *ctx, const struct frame *f, const char *comment,
		       struct err *err)
{
	struct slice *s = ctx;
	char *other = NULL;
	int rc;

	if (s->o->stop && s->o->stop(s->o->stop_ctx))
		return err_set(err, ERR_IO, "%s: stopped", s->o->path);
	if (comment && s->names &&
	    !(other = known_names_replace(s->names, comment)))
		return no_memory(err);
	rc = rewrite_frame(s->writer,
			   packet_reader_tap(s->packet_reader, f->tap), f,
			   other ? other : comment, err);
	free(other);
	return rc;
}

static int copy_to(struct slice *s, const char *path, struct err *err)
{
	const struct rewrite_options o = {
		.path = path,
		.comment = s->frame_anonymizer
				   ? "written by fabscope slice --anonymize"
				   : "written by fabscope slice",
		.frame_anonymizer = s->frame_anonymizer,
	};
	int rc;

	s->writer = rewrite_new(&o, err);
	if (!s->writer)
		return -1;
	rc = packet_reader_run(s->packet_reader, write_frame, s, err);
	if (rewrite_close(s->writer, rc ? NULL : err) < 0)
		rc = -1;
	return rc;
}

/* Nothing has the name |path| before all of it is there. */
static int copy(struct slice *s, struct err *err)
{
	const char *path = s->o->path;
	struct outfile *o;
	int rc;

	if (outfile_is_stream(path))
		return copy_to(s, path, err);
	o = outfile_begin(path, NULL, NULL, err);
	if (!o)
		return -1;
	rc = copy_to(s, outfile_temp(o), err);
	if (rc)
		outfile_rename_error(o, err);
	else
		rc = outfile_commit(o, err);
	outfile_free(o);
	return rc;
}

static int learn(struct slice *s, struct store *store, struct err *err)
{
	if (!s->o->key)
		return 0;
	s->frame_anonymizer = anonymizer_new(s->o->key, s->o->decode);
	if (!s->frame_anonymizer)
		return no_memory(err);
	s->names = anonymous_names(store, s->o->key, err);
	return s->names ? 0 : -1;
}

int slice_write(struct store *store, const struct slice_options *o,
		struct slice_result *result, struct err *err)
{
	const struct packet_reader_options packet_reader = {
		o->selector, o->context_ns, o->whole, o->decode
	};
	struct slice s = { .o = o };
	int rc = -1;

	*result = (struct slice_result) { 0 };
	if (!learn(&s, store, err))
		s.packet_reader = packet_reader_new(store, &packet_reader, err);
	if (s.packet_reader) {
		rc = copy(&s, err);
		result->packets = packet_reader_packets(s.packet_reader);
		snprintf(result->says, sizeof result->says, "%s",
			 packet_reader_says(s.packet_reader));
	}
	result->unread =
		s.frame_anonymizer ? anonymizer_unread(s.frame_anonymizer) : 0;
	known_names_free(s.names);
	anonymizer_free(s.frame_anonymizer);
	packet_reader_free(s.packet_reader);
	return rc;
}

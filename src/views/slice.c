/* SPDX-License-Identifier: GPL-2.0-or-later
 * Picked packets into a pcapng file. */
#include "views/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "capture/capture.h"
#include "capture/pcapng_write.h"
#include "views/pick.h"

struct slice {
	const struct slice_options *o;
	struct pick *pick;
	struct pcapng_writer *writer;
	int *interfaces; /* of the writer, by tap; -1: none yet */
	size_t n_interfaces;
};

static int no_memory(struct err *err)
{
	err_set(err, ERR_MEMORY, "out of memory");
	return -1; /* said here, so that clang-tidy sees it */
}

/* The writer's interface for |tap|, made when its first packet comes. */
static int interface_of(struct slice *s, uint32_t tap, struct err *err)
{
	const struct capture_tap *t = pick_tap(s->pick, tap);
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

static int write_frame(void *ctx, const struct frame *f, const char *comment,
		       struct err *err)
{
	struct slice *s = ctx;
	int interface = interface_of(s, f->tap, err);
	struct pcapng_packet p = {
		.ns = f->ns,
		.data = f->data,
		.caplen = f->caplen,
		.wirelen = f->wirelen,
		.interface = (uint32_t)interface,
		.dropcount = f->drops,
		.comment = comment,
	};

	if (interface < 0)
		return -1;
	if (s->o->stop && s->o->stop(s->o->stop_ctx))
		return err_set(err, ERR_IO, "%s: stopped", s->o->path);
	/* epb_flags: the lowest two bits are the direction */
	p.epb_flags = f->flags & FRAME_IN ? 1 : f->flags & FRAME_OUT ? 2 : 0;
	return pcapng_writer_packet(s->writer, &p, err);
}

static int copy_to(struct slice *s, const char *path, struct err *err)
{
	char comment[128];
	int rc;

	snprintf(comment, sizeof comment, "written by fabscope slice");
	s->writer = pcapng_writer_new(path, comment, err);
	if (!s->writer)
		return -1;
	rc = pick_run(s->pick, write_frame, s, err);
	if (pcapng_writer_close(s->writer, rc ? NULL : err) < 0)
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

int slice_write(struct store *store, const struct slice_options *o,
		struct slice_result *result, struct err *err)
{
	const struct pick_options pick = { o->selector, o->context_ns, o->whole,
					   o->decode };
	struct slice s = { .o = o, .pick = pick_new(store, &pick, err) };
	int rc = s.pick ? copy(&s, err) : -1;

	*result = (struct slice_result) { 0 };
	if (s.pick) {
		result->packets = pick_packets(s.pick);
		snprintf(result->says, sizeof result->says, "%s",
			 pick_says(s.pick));
	}
	free(s.interfaces);
	pick_free(s.pick);
	return rc;
}

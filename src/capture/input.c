/* SPDX-License-Identifier: GPL-2.0-or-later
 * One input: source, decompressor, window, reader, sorter, filter. */
#include "capture/input.h"

#include <stdio.h>
#include <string.h>

#include "capture/ahead.h"
#include "capture/fcs.h"
#include "capture/reduced.h"
#include "capture/shift.h"

enum { PAGE = 4096, LEAST_BLOCK = 32 };

static int no_memory(const struct input *in, struct err *err)
{
	return err_set(err, ERR_MEMORY, "%s: out of memory", in->file->path);
}

/* Without a thread it is done by this one. */
static void read_ahead(struct input *in)
{
	struct source *s = ahead_new(in->window.source);

	if (s)
		in->window.source = s;
}

/* Puts a decompressor between the source and the window. */
static int unpack(struct input *in, const struct codec *codec, size_t chunk,
		  struct err *err)
{
	struct source *s = unpack_new(codec, &in->window);

	if (!s)
		return no_memory(in, err);
	if (window_init(&in->window, s, chunk, WINDOW_RESERVE) < 0) {
		source_free(s);
		return no_memory(in, err);
	}
	window_need(&in->window, UNPACK_MAGIC);
	return 0;
}

static int recognise(struct input *in, const struct reader_input *how,
		     struct err *err)
{
	struct window *w = &in->window;
	struct err why = { 0 };

	if (window_unread(w) < UNPACK_MAGIC)
		return err_set(err, ERR_FORMAT, "%s: not a capture: %s",
			       in->file->path,
			       w->source->failure ? w->source->failure
			       : window_unread(w) ? "only a few bytes"
						  : "empty");
	if (pcap_recognise(w->p))
		in->reader = pcap_reader_new(how, &why);
	else if (pcapng_recognise(w->p))
		in->reader = pcapng_reader_new(how, &why);
	else
		in->reader = foreign_reader_new(how, &why);
	if (!in->reader)
		return err_set(err, why.code, "%s: %s", in->file->path,
			       why.text);
	return 0;
}

/* Head, and packed records. */
static int open_reduced(struct input *in, const struct input_options *o,
			struct err *err)
{
	const struct reader_input how = { &in->window, o->file, o->taps,
					  o->tap_name, o->file_index };
	const struct codec *codec;
	struct reduced_head h;

	if (!window_need(&in->window, sizeof h + UNPACK_MAGIC))
		return err_set(err, ERR_FORMAT, "%s: not a partial result",
			       o->file->path);
	memcpy(&h, in->window.p, sizeof h);
	in->window.p += sizeof h;
	if (!reduced_head_good(&h))
		return err_set(err, ERR_FORMAT, "%s: not a partial result",
			       o->file->path);
	codec = unpack_codec(in->window.p, window_unread(&in->window));
	if (codec && unpack(in, codec, o->chunk, err) < 0)
		return -1;
	if (o->ahead)
		read_ahead(in);
	in->reader = reduced_reader_new(&how, &h, err);
	return in->reader ? 0 : -1;
}

static int open_stream(struct input *in, const struct input_options *o,
		       struct err *err)
{
	const struct reader_input how = { &in->window, o->file, o->taps,
					  o->tap_name, o->file_index };
	const struct codec *codec;

	if (!window_need(&in->window, UNPACK_MAGIC) &&
	    in->window.source->failure)
		return err_set(err, ERR_IO, "%s: %s", o->file->path,
			       in->window.source->failure);
	codec = unpack_codec(in->window.p, window_unread(&in->window));
	if (codec && unpack(in, codec, o->chunk, err) < 0)
		return -1;
	if (o->ahead)
		read_ahead(in);
	if (recognise(in, &how, err) < 0)
		return -1;
	snprintf(in->format, sizeof in->format, "%s%s%s", o->file->format,
		 codec ? "." : "", codec ? codec->name : "");
	o->file->format = in->format;
	return 0;
}

/* No larger than the stream, so that a small one in memory costs little. */
static size_t no_more(size_t usual, size_t bytes)
{
	size_t pages = (bytes + PAGE) & ~(size_t)(PAGE - 1);

	return bytes && pages < usual ? pages : usual;
}

int input_init(struct input *in, struct source *source,
	       const struct input_options *o, struct err *err)
{
	in->file = o->file;
	in->taps = o->taps;
	in->filter = o->filter;
	in->buffers = o->buffers;
	in->shifts = o->shifts;
	in->n_shifts = o->n_shifts;
	if (window_init(&in->window, source, no_more(o->chunk, o->bytes),
			no_more(WINDOW_RESERVE, o->bytes)) < 0) {
		source_free(source);
		return no_memory(in, err);
	}
	return o->reduced ? open_reduced(in, o, err) : open_stream(in, o, err);
}

void input_fini(struct input *in)
{
	if (in->reader)
		in->reader->ops->free(in->reader);
	sorter_free(in->sorter);
	window_fini(&in->window);
}

static int filter(struct input *in, int n)
{
	int i, kept = 0;

	for (i = 0; i < n; i++) {
		const struct frame *f = &in->batch[i];

		if (filter_match(in->filter, f)) {
			in->batch[kept++] = *f;
		} else {
			in->file->filtered++;
			in->taps->v[f->tap].pub.packets--;
		}
	}
	return kept;
}

/* The last thing done to frames, and the first to the end of a stream. */
static int deliver(struct input *in, int n)
{
	if (in->filter)
		n = filter(in, n);
	in->file->packets += (uint64_t)n;
	return n;
}

static void end(struct input *in)
{
	const char *failure = in->window.source->failure;
	uint64_t at = in->window.end_offset;

	in->ended = in->file->ended = true;
	in->file->bytes = at;
	if (failure) {
		reader_damage(in->reader, at, at, failure);
		in->file->cut += in->window.source->cut;
	}
	if (in->reader->ops->end)
		in->reader->ops->end(in->reader);
}

/* Would reading on make someone wait, or overwrite what is held? */
static bool must_drain(const struct input *in)
{
	const struct window *w = &in->window;

	if (!source_ready(w->source))
		return true;
	return window_turns(w) && w->fills + 1 >= w->count &&
	       sorter_holds(in->sorter, w->fills + 1 - w->count);
}

static int pop_batch(struct input *in)
{
	int n = 0;

	while (n < INPUT_BATCH && sorter_pop(in->sorter, &in->batch[n]))
		n++;
	return n;
}

/* Room for as many frames as the buffers can hold. */
static int begin_sorting(struct input *in)
{
	size_t most = in->buffers * in->window.chunk / LEAST_BLOCK;

	most += 2 * INPUT_BATCH;
	in->sorter = sorter_new(most < SORTER_FRAMES ? (uint32_t)most
						     : SORTER_FRAMES);
	if (in->buffers < in->window.count)
		in->buffers = in->window.count;
	return in->sorter ? window_widen(&in->window, in->buffers) : -1;
}

/* Frames of the reader into the batch.  0: more must be read, or the end. */
static int step(struct input *in, struct err *err)
{
	struct reader *r = in->reader;
	int n = r->ops->step(r, in->batch, INPUT_BATCH);

	if (n < 0)
		return no_memory(in, err);
	if (n && in->taps->fcs_open)
		fcs_mark(in->taps, in->batch, n);
	if (in->shifts)
		shift_frames(in->shifts, in->n_shifts, in->taps, in->batch, n);
	return n;
}

/* Can the reader go on with what there is? */
static bool enough(const struct input *in)
{
	return in->reader->done || in->window.ended ||
	       window_unread(&in->window) >= in->reader->want;
}

static int sorted_next(struct input *in, struct err *err)
{
	int n;

	for (;;) {
		if (in->reader->done || sorter_room(in->sorter) < INPUT_BATCH)
			return pop_batch(in);
		n = step(in, err);
		if (n < 0)
			return -1;
		if (n &&
		    sorter_push(in->sorter, in->batch, n, in->window.fills) < 0)
			return no_memory(in, err);
		if (n)
			continue;
		while (!enough(in)) {
			if (must_drain(in) && (n = pop_batch(in)))
				return n;
			window_fill(&in->window);
		}
	}
}

static int plain_next(struct input *in, struct err *err)
{
	int n;

	while (!in->reader->done) {
		n = step(in, err);
		if (n < 0)
			return -1;
		if (n && in->reader->interleaved) {
			if (begin_sorting(in) < 0 ||
			    sorter_push(in->sorter, in->batch, n,
					in->window.fills) < 0)
				return no_memory(in, err);
			return sorted_next(in, err);
		}
		if (n)
			return n;
		while (!enough(in))
			window_fill(&in->window);
	}
	return 0;
}

int input_next(struct input *in, struct err *err)
{
	int n = 0;

	while (!n && !in->ended) {
		n = in->sorter ? sorted_next(in, err) : plain_next(in, err);
		if (n < 0)
			return -1;
		in->file->bytes = window_offset(&in->window);
		if (!n)
			end(in);
		else
			n = deliver(in, n);
	}
	return n;
}

bool input_peek(const struct input *in, int64_t *ns)
{
	const struct reader *r = in->reader;

	if (in->sorter)
		return sorter_peek(in->sorter, ns);
	/* Of which tap it is, and so how to correct it, is not known yet. */
	return !in->shifts && r->ops->peek && r->ops->peek(r, ns);
}

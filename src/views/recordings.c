/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets of a live analysis, from the files it wrote. */
#include "views/recordings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/capture.h"
#include "store/query.h"
#include "store/store.h"
#include "views/packet_filter.h"
#include "views/rows.h"
#include "views/selector.h"

/* A tap of the capture that reads the files. */
struct source {
	bool asked, known, begun;
	uint32_t tap; /* of the database */
	int64_t run;
	uint64_t number; /* of its last frame */
};

/* A tap of the database: the last frame that was handed out. */
struct reached {
	int64_t run;
	uint64_t number;
	uint32_t source;
};

struct recordings {
	struct rows rows;
	int64_t run;              /* the one whose frame numbers are meant */
	size_t *chosen, n_chosen; /* first row of each file */
	struct source *sources;
	size_t n_sources;
	struct reached *reached;
	size_t n_reached;
};

static const char *text(const struct recordings *r, size_t row,
			const char *name)
{
	return rows_text(&r->rows, row, name);
}

static int64_t integer(const struct recordings *r, size_t row, const char *name)
{
	return rows_int(&r->rows, row, name, 0);
}

/* ---- from the database ---- */

static int ask_run(struct recordings *r, struct store *s,
		   const struct catalogue *c, const struct selector *which,
		   struct err *err)
{
	char id[32];
	const char *const params[] = { id, NULL };
	bool finding = which->kind == SELECT_FINDING;
	struct rows answer;

	snprintf(id, sizeof id, "id=%lld", (long long)which->id);
	if (rows_ask(&answer, s, c, "slice/run", finding ? params : NULL, err))
		return -1;
	r->run = rows_int(&answer, 0, "run", 0);
	rows_fini(&answer);
	return 0;
}

struct recordings *recordings_new(struct store *s, const struct catalogue *c,
				  const struct selector *which, struct err *err)
{
	struct recordings *r = calloc(1, sizeof *r);

	if (!r) {
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	if (!rows_ask(&r->rows, s, c, "slice/recordings", NULL, err) &&
	    !ask_run(r, s, c, which, err)) {
		r->chosen = calloc(r->rows.n_rows + 1, sizeof *r->chosen);
		if (r->chosen)
			return r;
		err_set(err, ERR_MEMORY, "out of memory");
	}
	recordings_free(r);
	return NULL;
}

void recordings_free(struct recordings *r)
{
	if (!r)
		return;
	rows_fini(&r->rows);
	free(r->chosen);
	free(r->sources);
	free(r->reached);
	free(r);
}

/* ---- which files ---- */

static int64_t end_of(const struct recordings *r, size_t row, const char *name)
{
	return integer(r, row, "open") ? INT64_MAX : integer(r, row, name);
}

static bool has_mark(const struct recordings *r, size_t row,
		     const struct packet_filter *w)
{
	uint64_t first = (uint64_t)integer(r, row, "first_frame");
	uint64_t last = (uint64_t)end_of(r, row, "last_frame");
	uint32_t tap = (uint32_t)integer(r, row, "tap_id") - 1;
	size_t i;

	for (i = 0; i < w->n_marks; i++)
		if (w->marks[i].tap == tap && w->marks[i].frame >= first &&
		    w->marks[i].frame <= last)
			return integer(r, row, "run") == r->run;
	return false;
}

static bool has_number(const struct recordings *r, size_t row,
		       const struct packet_filter *w)
{
	uint64_t first = (uint64_t)integer(r, row, "first_frame");
	uint64_t last = (uint64_t)end_of(r, row, "last_frame");
	uint32_t tap = (uint32_t)integer(r, row, "tap_id") - 1;
	size_t i;

	if (w->tap != UINT32_MAX && w->tap != tap)
		return false;
	for (i = 0; i < w->frames->n_ranges; i++)
		if (w->frames->ranges[i].from <= last &&
		    w->frames->ranges[i].to >= first)
			return integer(r, row, "run") == r->run;
	return false;
}

static bool has_time(const struct recordings *r, size_t row,
		     const struct packet_filter *w)
{
	int64_t first = integer(r, row, "first_ns");
	int64_t last = end_of(r, row, "last_ns");
	size_t i;

	for (i = 0; w->spans && i < w->n_spans; i++)
		if (w->spans[i].from_ns <= last && w->spans[i].to_ns >= first)
			return true;
	for (i = 0; !w->spans && i < w->n_flows; i++)
		if (w->flows[i].from_ns <= last && w->flows[i].to_ns >= first)
			return true;
	return false;
}

static bool may_have(const struct recordings *r, size_t row,
		     const struct packet_filter *w, bool evidence)
{
	if (has_mark(r, row, w))
		return true;
	if (evidence)
		return false;
	return w->frames ? has_number(r, row, w) : has_time(r, row, w);
}

size_t recordings_most(const struct recordings *r)
{
	return r->rows.n_rows;
}

size_t recordings_choose(struct recordings *r, const struct packet_filter *w,
			 bool evidence, recording_there_fn *there, void *ctx)
{
	size_t first, row;

	r->n_chosen = 0;
	free(r->sources);
	free(r->reached);
	r->sources = NULL;
	r->reached = NULL;
	r->n_sources = r->n_reached = 0;
	for (first = row = 0; row < r->rows.n_rows; row++) {
		if (integer(r, row, "id") != integer(r, first, "id"))
			first = row;
		if (r->n_chosen && r->chosen[r->n_chosen - 1] == first)
			continue;
		if (may_have(r, row, w, evidence) &&
		    there(ctx, text(r, first, "path")))
			r->chosen[r->n_chosen++] = first;
	}
	return r->n_chosen;
}

const char *recordings_path(const struct recordings *r, size_t i)
{
	return text(r, r->chosen[i], "path");
}

/* ---- frames ---- */

static bool room(void **list, size_t *n, size_t size, uint32_t at)
{
	size_t packet_filter = (size_t)at + 64;
	char *more;

	if (at < *n)
		return true;
	more = reallocarray(*list, packet_filter, size);
	if (!more)
		return false;
	memset(more + *n * size, 0, (packet_filter - *n) * size);
	*list = more;
	*n = packet_filter;
	return true;
}

/* By the name of the interface: the row of that file and tap. */
static void ask_source(struct recordings *r, const struct capture *c,
		       struct source *s, uint32_t tap)
{
	const struct capture_tap *t = capture_tap(c, tap);
	size_t row = r->chosen[t->file];
	int64_t id = integer(r, row, "id");

	s->asked = true;
	for (; row < r->rows.n_rows && integer(r, row, "id") == id; row++) {
		if (strcmp(text(r, row, "name"), t->name) != 0)
			continue;
		s->known = true;
		s->tap = (uint32_t)integer(r, row, "tap_id") - 1;
		s->run = integer(r, row, "run");
		s->number = (uint64_t)integer(r, row, "first_frame") - 1;
		return;
	}
}

static struct source *source_of(struct recordings *r, const struct capture *c,
				uint32_t tap)
{
	void *list = r->sources;

	if (!room(&list, &r->n_sources, sizeof *r->sources, tap))
		return NULL;
	r->sources = list;
	if (!r->sources[tap].asked)
		ask_source(r, c, &r->sources[tap], tap);
	return r->sources[tap].known ? &r->sources[tap] : NULL;
}

static struct reached *reached_by(struct recordings *r, uint32_t tap)
{
	void *list = r->reached;

	if (!room(&list, &r->n_reached, sizeof *r->reached, tap))
		return NULL;
	r->reached = list;
	return &r->reached[tap];
}

bool recordings_frame(struct recordings *r, const struct capture *c,
		      struct frame *f)
{
	struct source *s = source_of(r, c, f->tap);
	struct reached *at = s ? reached_by(r, s->tap) : NULL;

	if (!at)
		return false;
	/* What the recorder missed before its first packet is not counted. */
	if (s->begun)
		s->number += f->drops;
	s->begun = true;
	s->number++;
	if (s->run < at->run || (s->run == at->run && s->number <= at->number))
		return false;
	*at = (struct reached) { s->run, s->number, f->tap };
	f->tap = s->tap;
	/* numbers of other runs mean other frames */
	f->number = s->run == r->run ? s->number : 0;
	return true;
}

const struct capture_tap *recordings_tap(const struct recordings *r,
					 const struct capture *c, uint32_t tap)
{
	if (tap >= r->n_reached || !r->reached[tap].number)
		return NULL;
	return capture_tap(c, r->reached[tap].source);
}

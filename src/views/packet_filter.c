/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which packets a selector means. */
#include "views/packet_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "capture/capture.h"
#include "run/frame.h"
#include "store/store.h"
#include "views/selector.h"

/* Who wants to know. */
struct search {
	const struct packet_filter_options *o;
	struct store *store;
	const struct catalogue *catalogue;
	const struct rows *taps, *captures;
};

static int no_memory(struct err *err)
{
	err_set(err, ERR_MEMORY, "out of memory");
	return -1; /* said here, so that clang-tidy sees it */
}

/* Asks |name| about the selected id. */
static int ask(const struct search *s, const char *name, struct rows *r,
	       struct err *err)
{
	char id[32];
	const char *const params[] = { id, NULL };

	snprintf(id, sizeof id, "id=%lld", (long long)s->o->selector->id);
	return rows_ask(r, s->store, s->catalogue, name, params, err);
}

/* ---- flows ---------------------------------------------------------- */

static int compare_flows(const void *a, const void *b)
{
	const struct packet_filter_flow *x = a, *y = b;
	int c = addr_compare(x->src, y->src);

	if (!c)
		c = addr_compare(x->dst, y->dst);
	if (!c)
		c = (x->dst_qp > y->dst_qp) - (x->dst_qp < y->dst_qp);
	return c;
}

uint32_t packet_filter_number(const struct packet *p)
{
	if (p->kind != PACKET_UET)
		return p->dst_qp;
	return (UINT32_C(1) << 24) +
	       (p->uet.spdcid ? p->uet.spdcid : p->uet.job_id);
}

/* Where timestamps go back its last packet may be before its first. */
static bool read_flow(const struct rows *r, size_t i,
		      struct packet_filter_flow *f)
{
	int64_t first = rows_int(r, i, "from_ns", INT64_MIN);
	int64_t last = rows_int(r, i, "to_ns", INT64_MAX);

	f->dst_qp = (uint32_t)rows_int(r, i, "dst_qp", 0);
	f->from_ns = first < last ? first : last;
	f->to_ns = first < last ? last : first;
	return addr_parse(rows_text(r, i, "src"), &f->src) &&
	       addr_parse(rows_text(r, i, "dst"), &f->dst);
}

/* The flows that query |name| gives; the list stays unused for none. */
static int find_flows(struct packet_filter *w, const struct search *s,
		      const char *name, struct err *err)
{
	struct rows r;
	size_t i;
	int rc = ask(s, name, &r, err);

	if (!rc && r.n_rows) {
		w->flows = calloc(r.n_rows, sizeof *w->flows);
		if (!w->flows)
			rc = no_memory(err);
	}
	for (i = 0; w->flows && i < r.n_rows; i++)
		if (read_flow(&r, i, &w->flows[w->n_flows]))
			w->n_flows++;
	if (w->flows)
		qsort(w->flows, w->n_flows, sizeof *w->flows, compare_flows);
	rows_fini(&r);
	return rc;
}

/* The first of the flows that equal |f|, or where it would be. */
static size_t lower_flow(const struct packet_filter *w,
			 const struct packet_filter_flow *f)
{
	size_t low = 0, high = w->n_flows;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_flows(&w->flows[middle], f) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool in_flows(const struct packet_filter *w, const struct frame *f)
{
	struct decode_options how = w->decode ? *w->decode : decode_defaults;
	struct packet p = { 0 };
	struct packet_filter_flow key;
	size_t i;

	how.skip_icrc = true; /* nobody asks for it here */
	frame_decode(f, &how, &p);
	if (p.kind != PACKET_ROCE && p.kind != PACKET_CNP &&
	    p.kind != PACKET_UET)
		return false;
	key = (struct packet_filter_flow) {
		.src = p.src, .dst = p.dst, .dst_qp = packet_filter_number(&p)
	};
	for (i = lower_flow(w, &key); i < w->n_flows; i++) {
		if (compare_flows(&w->flows[i], &key) != 0)
			return false;
		if (p.ns >= w->flows[i].from_ns && p.ns <= w->flows[i].to_ns)
			return true;
	}
	return false;
}

/* ---- spans of time -------------------------------------------------- */

static int64_t before(int64_t ns, int64_t by)
{
	return __builtin_sub_overflow(ns, by, &ns) ? INT64_MIN : ns;
}

static int64_t behind(int64_t ns, int64_t by)
{
	return __builtin_add_overflow(ns, by, &ns) ? INT64_MAX : ns;
}

static int compare_spans(const void *a, const void *b)
{
	const struct packet_filter_span *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Sorts, and merges what overlaps, so that a search needs to look at one. */
static void tidy_spans(struct packet_filter *w)
{
	size_t i, last = 0;

	qsort(w->spans, w->n_spans, sizeof *w->spans, compare_spans);
	for (i = 1; i < w->n_spans; i++) {
		if (w->spans[i].from_ns > w->spans[last].to_ns)
			w->spans[++last] = w->spans[i];
		else if (w->spans[i].to_ns > w->spans[last].to_ns)
			w->spans[last].to_ns = w->spans[i].to_ns;
	}
	w->n_spans = w->n_spans ? last + 1 : 0;
}

/* There is room: room_for_spans(). */
static void add_span(struct packet_filter *w, int64_t from_ns, int64_t to_ns)
{
	w->spans[w->n_spans++] =
		(struct packet_filter_span) { before(from_ns, w->context_ns),
					      behind(to_ns, w->context_ns) };
}

static int room_for_spans(struct packet_filter *w, size_t n, struct err *err)
{
	free(w->spans);
	w->spans = calloc(n ? n : 1, sizeof *w->spans);
	return w->spans ? 0 : no_memory(err);
}

static bool in_spans(const struct packet_filter *w, int64_t ns)
{
	size_t low = 0, high = w->n_spans;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->spans[middle].to_ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->n_spans && w->spans[low].from_ns <= ns;
}

/* ---- marks ---------------------------------------------------------- */

static int compare_marks(const void *a, const void *b)
{
	const struct packet_filter_mark *x = a, *y = b;

	if (x->tap != y->tap)
		return x->tap < y->tap ? -1 : 1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

static int find_marks(struct packet_filter *w, const struct search *s,
		      const struct rows *r, struct err *err)
{
	size_t i;

	w->marks = calloc(r->n_rows, sizeof *w->marks);
	if (!w->marks)
		return no_memory(err);
	for (i = 0; i < r->n_rows; i++) {
		int64_t frame = rows_int(r, i, "frame", 0);

		if (frame > 0)
			w->marks[w->n_marks++] = (struct packet_filter_mark) {
				(uint32_t)rows_int(r, i, "tap_id", 0) - 1,
				(uint64_t)frame
			};
	}
	qsort(w->marks, w->n_marks, sizeof *w->marks, compare_marks);
	if (asprintf(&w->comment, "fabscope finding %lld: %s",
		     (long long)s->o->selector->id,
		     rows_text(r, 0, "title")) < 0) {
		w->comment = NULL;
		return no_memory(err);
	}
	return 0;
}

bool packet_filter_marked(const struct packet_filter *w, const struct frame *f)
{
	const struct packet_filter_mark m = { f->tap, f->number };

	return w->n_marks && bsearch(&m, w->marks, w->n_marks, sizeof m,
				     compare_marks) != NULL;
}

void packet_filter_see(struct packet_filter *w, const struct frame *f)
{
	if (!w->unseen || !packet_filter_marked(w, f))
		return;
	add_span(w, engine_time(f->ns), engine_time(f->ns));
	w->unseen--;
}

void packet_filter_seen(struct packet_filter *w)
{
	w->unseen = 0;
	tidy_spans(w);
}

/* ---- what the words mean -------------------------------------------- */

/* All of a finding's time. */
static int whole_finding(struct packet_filter *w, const struct search *s,
			 const struct rows *r, struct err *err)
{
	long long id = (long long)s->o->selector->id;
	char flows[UNITS_TEXT];

	if (room_for_spans(w, 1, err) < 0)
		return -1;
	add_span(w, rows_int(r, 0, "first_ns", INT64_MIN),
		 rows_int(r, 0, "last_ns", INT64_MAX));
	if (w->flows)
		snprintf(w->says, sizeof w->says,
			 "%s flow directions while finding %lld lasted",
			 units_count(w->n_flows, flows), id);
	else
		snprintf(w->says, sizeof w->says,
			 "everything while finding %lld lasted", id);
	return 0;
}

/* What its evidence shows, and what is around that. */
static int focus(struct packet_filter *w, const struct search *s,
		 struct err *err)
{
	char context[UNITS_TEXT];
	struct rows r;
	int rc = ask(s, "slice/occurrences", &r, err);
	size_t i;

	if (!rc)
		rc = room_for_spans(w, r.n_rows + w->n_marks, err);
	for (i = 0; !rc && i < r.n_rows; i++)
		add_span(w, rows_int(&r, i, "from_ns", INT64_MAX),
			 rows_int(&r, i, "to_ns", INT64_MIN));
	tidy_spans(w);
	w->unseen = w->n_marks;
	rows_fini(&r);
	snprintf(w->says, sizeof w->says,
		 "the evidence of finding %lld and %s around it; --whole for "
		 "all of its time",
		 (long long)s->o->selector->id,
		 units_ns(w->context_ns, context));
	return rc;
}

static int narrow_finding(struct packet_filter *w, const struct search *s,
			  const struct rows *r, struct err *err)
{
	int64_t tap = rows_int(r, 0, "at_tap_id", 0);

	w->context_ns = s->o->context_ns;
	if (!w->flows && tap)
		w->tap = (uint32_t)tap - 1;
	if (s->o->whole)
		return whole_finding(w, s, r, err);
	if (focus(w, s, err) < 0)
		return -1;
	if (w->n_marks || w->n_spans)
		return 0;
	if (w->flows)
		return whole_finding(w, s, r, err);
	return err_set(err, ERR_FORMAT,
		       "%s: finding %lld is about the capture and names no "
		       "packets; --whole takes all of its time",
		       store_path(s->store), (long long)s->o->selector->id);
}

static int find_finding(struct packet_filter *w, const struct search *s,
			struct err *err)
{
	struct rows r;
	int rc = ask(s, "slice/frames", &r, err);

	/* one row at least, perhaps without a frame, for a finding there is */
	if (!rc && !r.n_rows)
		rc = err_set(err, ERR_USAGE, "%s: there is no finding %lld",
			     store_path(s->store),
			     (long long)s->o->selector->id);
	if (!rc)
		rc = find_marks(w, s, &r, err);
	if (!rc)
		rc = find_flows(w, s, "slice/finding", err);
	if (!rc)
		rc = narrow_finding(w, s, &r, err);
	rows_fini(&r);
	return rc;
}

static int find_flow(struct packet_filter *w, const struct search *s,
		     struct err *err)
{
	long long id = (long long)s->o->selector->id;

	if (find_flows(w, s, "slice/flow", err) < 0)
		return -1;
	if (!w->flows)
		return err_set(err, ERR_USAGE, "%s: there is no flow %lld",
			       store_path(s->store), id);
	snprintf(w->says, sizeof w->says, "flow %lld%s", id,
		 w->n_flows > 1 ? " and its other direction" : "");
	return 0;
}

static int64_t absolute(const struct search *s, const struct selector_end *e)
{
	return e->relative ? behind(e->ns, store_origin_ns(s->store)) : e->ns;
}

static int find_time(struct packet_filter *w, const struct search *s,
		     struct err *err)
{
	if (room_for_spans(w, 1, err) < 0)
		return -1;
	add_span(w, absolute(s, &s->o->selector->from),
		 absolute(s, &s->o->selector->to));
	return 0;
}

/* The tap whose frame numbers are meant. */
static int find_frames(struct packet_filter *w, const struct search *s,
		       struct err *err)
{
	const char *tap = s->o->selector->tap;
	char number[24];
	size_t i;

	w->frames = s->o->selector;
	if (!tap && s->captures->n_rows == 1)
		return 0; /* all taps of one file count together */
	for (i = 0; tap && i < s->taps->n_rows; i++) {
		int64_t id = rows_int(s->taps, i, "id", 0);

		snprintf(number, sizeof number, "%lld", (long long)id);
		if (strcmp(tap, number) != 0 &&
		    strcmp(tap, rows_text(s->taps, i, "name")) != 0)
			continue;
		w->tap = (uint32_t)id - 1;
		return 0;
	}
	if (tap)
		return err_set(err, ERR_USAGE, "%s: there is no tap \"%s\"",
			       store_path(s->store), tap);
	return err_set(err, ERR_USAGE,
		       "frames of which capture? add @TAP, one of: %s, ...",
		       s->taps->n_rows ? rows_text(s->taps, 0, "name") : "");
}

int packet_filter_find(struct packet_filter *w,
		       const struct packet_filter_options *o, struct store *s,
		       const struct catalogue *c, const struct rows *taps,
		       const struct rows *captures, struct err *err)
{
	static int (*const find[SELECT_KINDS])(
		struct packet_filter *, const struct search *, struct err *) = {
		[SELECT_FINDING] = find_finding,
		[SELECT_FLOW] = find_flow,
		[SELECT_TIME] = find_time,
		[SELECT_FRAMES] = find_frames,
	};
	const struct search search = { o, s, c, taps, captures };

	*w = (struct packet_filter) { .tap = UINT32_MAX, .decode = o->decode };
	return find[o->selector->kind](w, &search, err);
}

void packet_filter_fini(struct packet_filter *w)
{
	free(w->flows);
	free(w->spans);
	free(w->marks);
	free(w->comment);
	*w = (struct packet_filter) { 0 };
}

/* Cheapest first. */
bool packet_filter_frame(const struct packet_filter *w, const struct frame *f)
{
	if (packet_filter_marked(w, f))
		return true;
	if (w->tap != UINT32_MAX && w->tap != f->tap)
		return false;
	if (w->spans && !in_spans(w, engine_time(f->ns)))
		return false;
	if (w->frames && !selector_has_frame(w->frames, f->number))
		return false;
	return !w->flows || in_flows(w, f);
}

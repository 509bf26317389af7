/* SPDX-License-Identifier: GPL-2.0-or-later
 * A flow as a picture: its packets are read again, and what the analysis found
 * is drawn over them. */
#include "views/plot.h"

#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "capture/capture.h"
#include "run/frame.h"
#include "store/query.h"
#include "store/store.h"
#include "views/export.h"
#include "views/packet_filter.h"
#include "views/packet_reader.h"
#include "views/rows.h"
#include "views/selector.h"
#include "views/sequence.h"

struct plot {
	const struct plot_options *o;
	struct catalogue *catalogue;
	struct rows flow;  /* of itself and its peer, a row for each tap */
	struct rows marks; /* what the analysis found */
	struct rows names;
	struct sequence *sequence;
	struct decode_options decode;
	struct addr src, dst; /* of the flow itself */
	int64_t from_ns, to_ns, origin_ns;
};

static int no_memory(struct err *err)
{
	err_set(err, ERR_MEMORY, "out of memory");
	return -1; /* said here, so that clang-tidy sees it */
}

static int64_t end_of(const struct plot *p, const struct selector_end *e)
{
	int64_t ns;

	if (!e->relative)
		return e->ns;
	return __builtin_add_overflow(e->ns, p->origin_ns, &ns) ? INT64_MAX
								: ns;
}

static void include(struct plot *p, int64_t ns)
{
	if (ns < p->from_ns)
		p->from_ns = ns;
	if (ns > p->to_ns)
		p->to_ns = ns;
}

/* All of the flow, or of that what was asked for.  Where timestamps go back its
 * last packet may be before its first. */
static int find_time(struct plot *p, struct err *err)
{
	const struct selector *time = p->o->time;
	int64_t ns;

	p->from_ns = INT64_MAX;
	p->to_ns = INT64_MIN;
	for (size_t i = 0; i < p->flow.n_rows; i++) {
		ns = rows_int(&p->flow, i, "first_ns", INT64_MAX);
		include(p, ns);
		include(p, rows_int(&p->flow, i, "last_ns", ns));
	}
	if (time && (ns = end_of(p, &time->from)) > p->from_ns)
		p->from_ns = ns;
	if (time && (ns = end_of(p, &time->to)) < p->to_ns)
		p->to_ns = ns;
	if (p->from_ns > p->to_ns)
		return err_set(err, ERR_USAGE,
			       "%s: the flow has no packet at that time",
			       time ? time->text : p->o->flow->text);
	if (clamp_sub(p->to_ns, p->from_ns) > INT64_MAX / 2)
		return err_set(err, ERR_USAGE,
			       "%s: the packets are centuries apart",
			       p->o->flow->text);
	return 0;
}

static int ask(struct plot *p, struct store *s, struct err *err)
{
	char id[32], flow[32];
	const char *const by_id[] = { id, NULL };
	const char *const by_flow[] = { flow, "limit=200000", NULL };

	snprintf(id, sizeof id, "id=%lld", (long long)p->o->flow->id);
	snprintf(flow, sizeof flow, "flow=%lld", (long long)p->o->flow->id);
	p->catalogue = catalogue_builtin();
	if (!p->catalogue)
		return no_memory(err);
	if (rows_ask(&p->flow, s, p->catalogue, "plot/flow", by_id, err) ||
	    rows_ask(&p->names, p->o->names, p->catalogue, "plot/flow", by_id,
		     err) ||
	    rows_ask(&p->marks, s, p->catalogue, "psn", by_flow, err))
		return -1;
	if (!p->flow.n_rows || rows_int(&p->flow, 0, "reverse", 1) ||
	    !addr_parse(rows_text(&p->flow, 0, "src"), &p->src) ||
	    !addr_parse(rows_text(&p->flow, 0, "dst"), &p->dst))
		return err_set(err, ERR_USAGE, "there is no flow %lld",
			       (long long)p->o->flow->id);
	p->origin_ns = rows_int(&p->flow, 0, "origin_ns", 0);
	return find_time(p, err);
}

/* ---- packets -------------------------------------------------------- */

static bool is_uet(const struct plot *p)
{
	return !strncmp(rows_text(&p->flow, 0, "transport"), "UET", 3);
}

/* Whose packet, and is this the place where its flow was followed? */
static int row_of(const struct plot *p, const struct frame *f,
		  const struct packet *packet)
{
	bool reverse = addr_compare(packet->src, p->src) ||
		       addr_compare(packet->dst, p->dst);
	int64_t number = packet_filter_number(packet);

	for (size_t i = 0; i < p->flow.n_rows; i++)
		if (rows_int(&p->flow, i, "tap_id", 0) == f->tap + 1 &&
		    rows_int(&p->flow, i, "number", -1) == number &&
		    (reverse == (rows_int(&p->flow, i, "reverse", 0) != 0) ||
		     !addr_compare(p->src, p->dst)))
			return (int)i;
	return -1;
}

static int plot_frame(void *ctx, const struct frame *f, const char *comment,
		      struct err *err)
{
	struct plot *p = ctx;
	struct packet packet = { 0 };
	int row;

	(void)comment;
	if (p->o->stop && p->o->stop(p->o->stop_ctx))
		return err_set(err, ERR_IO, "stopped");
	frame_decode(f, &p->decode, &packet);
	row = row_of(p, f, &packet);
	if (row >= 0)
		sequence_packet(p->sequence, &packet,
				rows_int(&p->flow, (size_t)row, "reverse", 0) !=
					0);
	return 0;
}

/* The words of query psn, and what they are here. */
static const struct {
	const char *kind;
	enum sequence_series series;
} verdicts[] = {
	{ "lost", SERIES_LOST },
	{ "reordered", SERIES_REORDERED },
	{ "trimmed", SERIES_TRIMMED },
};

static void mark(struct plot *p)
{
	const struct rows *r = &p->marks;

	for (size_t i = 0; i < r->n_rows; i++) {
		const char *kind = rows_text(r, i, "kind");

		for (size_t k = 0; k < sizeof verdicts / sizeof verdicts[0];
		     k++)
			if (!strcmp(kind, verdicts[k].kind))
				sequence_mark(
					p->sequence, verdicts[k].series,
					rows_int(r, i, "ns", 0),
					(uint32_t)rows_int(r, i, "psn", 0));
	}
}

static int read_packets(struct plot *p, struct store *s, struct err *err)
{
	const struct packet_reader_options options = { .selector = p->o->flow,
						       .decode = p->o->decode };
	struct packet_reader *packets;
	int rc;

	p->decode = p->o->decode ? *p->o->decode : decode_defaults;
	p->decode.skip_icrc = true;
	p->sequence = sequence_new(p->from_ns, p->to_ns, is_uet(p) ? 32 : 24,
				   (uint32_t)rows_int(&p->flow, 0, "pmtu", 0));
	if (!p->sequence)
		return no_memory(err);
	packets = packet_reader_new(s, &options, err);
	if (!packets)
		return -1;
	rc = packet_reader_run(packets, plot_frame, p, err);
	packet_reader_free(packets);
	if (!rc)
		mark(p);
	return rc;
}

/* ---- the file ------------------------------------------------------- */

/* "flow 7: RC 10.0.0.1 to 10.0.0.2, QP 0x12" */
static char *flow_text(const struct plot *p)
{
	const struct rows *r = &p->names;
	bool pdc = rows_at(r, 0, "spdcid")->type == VALUE_INT;
	const char *column = pdc ? "spdcid" : "dst_qp";
	char *text, number[32] = "";

	if (rows_at(r, 0, column)->type == VALUE_INT)
		snprintf(number, sizeof number, ", %s 0x%llx",
			 pdc ? "PDC" : "QP",
			 (unsigned long long)rows_int(r, 0, column, 0));
	if (asprintf(&text, "flow %lld: %s %s to %s%s",
		     (long long)p->o->flow->id, rows_text(r, 0, "transport"),
		     rows_text(r, 0, "src"), rows_text(r, 0, "dst"),
		     number) < 0)
		return NULL;
	return text;
}

static struct plot_text text_of(const struct plot *p, const char *flow)
{
	return (struct plot_text) {
		.flow = flow,
		.tap = rows_text(&p->names, 0, "tap"),
		.from_ns = p->from_ns,
		.to_ns = p->to_ns,
		.origin_ns = p->origin_ns,
	};
}

static int draw(void *ctx, FILE *out, struct err *err)
{
	const struct plot *p = ctx;
	char *flow = flow_text(p);
	const struct plot_text t = text_of(p, flow);

	if (!flow)
		return no_memory(err);
	plot_svg(out, p->sequence, &t);
	free(flow);
	return 0;
}

static int begin(struct plot *p, struct store *s, struct err *err)
{
	int rc = ask(p, s, err);

	return rc ? rc : read_packets(p, s, err);
}

static void end(struct plot *p)
{
	sequence_free(p->sequence);
	rows_fini(&p->flow);
	rows_fini(&p->names);
	rows_fini(&p->marks);
	catalogue_free(p->catalogue);
}

/* Into |out|, or into the file that the options name. */
static int plot(struct store *s, const struct plot_options *o, FILE *out,
		struct err *err)
{
	struct plot p = { .o = o };
	int rc = begin(&p, s, err);

	if (!rc)
		rc = out ? draw(&p, out, err)
			 : export_into(o->path, draw, &p, err);
	end(&p);
	return rc;
}

int plot_write(struct store *s, const struct plot_options *o, struct err *err)
{
	return plot(s, o, NULL, err);
}

int plot_draw(struct store *s, const struct plot_options *o, FILE *out,
	      struct err *err)
{
	return plot(s, o, out, err);
}

int plot_gather(struct store *s, const struct plot_options *o,
		int (*use)(void *ctx, const struct sequence *sequence,
			   const struct plot_text *t),
		void *ctx, struct err *err)
{
	struct plot p = { .o = o };
	int rc = begin(&p, s, err);

	if (!rc) {
		const struct plot_text t = text_of(&p, "");

		rc = use(ctx, p.sequence, &t) ? no_memory(err) : 0;
	}
	end(&p);
	return rc;
}

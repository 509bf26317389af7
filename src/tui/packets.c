/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets of a selection. */
#include "tui/packets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/frame.h"
#include "store/store.h"
#include "views/packet_reader.h"
#include "views/packets.h"
#include "views/selector.h"

struct load {
	struct packets *packets;
	struct rows *rows;
	struct query_sink sink;
	const struct packet_reader *packet_reader;
	struct decode_options decode;
	bool (*stop)(void *ctx);
	void *stop_ctx;
	int64_t before_ns;
};

/* ---- one row --------------------------------------------------------- */

enum { COLUMNS = 8 };

static char frame_name[] = "frame", ns_name[] = "ns", since_name[] = "since_ns",
	    tap_name[] = "tap", from_name[] = "ends", what_name[] = "packet",
	    evidence_name[] = "evidence", headers_name[] = "headers";

static const struct query_column columns[COLUMNS] = {
	{ frame_name, UNIT_ID, NULL },       { ns_name, UNIT_TIME, NULL },
	{ since_name, UNIT_DURATION, NULL }, { tap_name, UNIT_TEXT, NULL },
	{ from_name, UNIT_TEXT, NULL },      { what_name, UNIT_TEXT, NULL },
	{ evidence_name, UNIT_TEXT, NULL },  { headers_name, UNIT_TEXT, NULL },
};

static struct query_value integer(int64_t i)
{
	return (struct query_value) { .type = VALUE_INT, .i = i };
}

static struct query_value text(const char *s)
{
	if (!s)
		return (struct query_value) { .type = VALUE_NULL };
	return (struct query_value) { .type = VALUE_TEXT,
				      .text = s,
				      .length = strlen(s) };
}

/* The next part of a line of `fabscope decode`; two blanks end it. */
static char *part(char **line)
{
	char *start = *line, *end = strstr(start, "  ");

	*line = end ? end + 2 + strspn(end + 2, " ") : start + strlen(start);
	if (end)
		*end = 0;
	return start;
}

/* |line|: number, offset, headers, ends where they are known, what. */
static int add_row(struct load *l, const struct frame *f, char *line,
		   const char *evidence)
{
	struct query_value v[COLUMNS] = { integer((int64_t)f->number),
					  integer(f->ns), text(NULL) };
	char *at = line;

	line[strcspn(line, "\n")] = 0;
	part(&at);
	part(&at);
	if (l->packets->n > 1)
		v[2] = integer(f->ns - l->before_ns);
	l->before_ns = f->ns;
	v[3] = text(packet_reader_tap(l->packet_reader, f->tap)->name);
	v[7] = text(part(&at));
	v[4] = text(strstr(at, " > ") ? part(&at) : NULL);
	v[5] = text(at);
	v[6] = text(evidence);
	return l->sink.row(l->sink.ctx, v, COLUMNS);
}

static int describe(struct load *l, const struct frame *f, const char *evidence)
{
	char *line = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&line, &n);
	int rc = -1;

	if (!out)
		return -1;
	packets_line(out, f, NULL, 0, &l->decode, NULL);
	if (!fclose(out) && line)
		rc = add_row(l, f, line, evidence);
	free(line);
	return rc;
}

/* ---- all of them ----------------------------------------------------- */

static int keep(void *ctx, const struct frame *f, const char *comment,
		struct err *err)
{
	struct load *l = ctx;
	struct packets *p = l->packets;
	struct frame *copy;
	uint32_t n = f->caplen < PACKETS_BYTES ? f->caplen : PACKETS_BYTES;

	if (l->stop(l->stop_ctx))
		return err_set(err, ERR_IO, "stopped");
	if (p->n == PACKETS_MAX) {
		p->more = true;
		return 1;
	}
	copy = &p->frames[p->n];
	*copy = *f;
	copy->data = p->bytes + p->n++ * PACKETS_BYTES;
	copy->caplen = n;
	memcpy(p->bytes + (p->n - 1) * PACKETS_BYTES, f->data, n);
	if (describe(l, f, comment))
		return err_set(err, ERR_MEMORY, "out of memory");
	return 0;
}

static int load(struct load *l, struct store *s,
		const struct selector *selector, struct err *err)
{
	const struct packet_reader_options o = { .selector = selector,
						 .context_ns = 1000000 };
	struct packets *p = l->packets;
	struct packet_reader *packet_reader;
	int rc;

	p->frames = calloc(PACKETS_MAX, sizeof *p->frames);
	p->bytes = malloc((size_t)PACKETS_MAX * PACKETS_BYTES);
	if (!p->frames || !p->bytes ||
	    l->sink.head(l->sink.ctx, columns, COLUMNS))
		return err_set(err, ERR_MEMORY, "out of memory");
	packet_reader = packet_reader_new(s, &o, err);
	if (!packet_reader)
		return -1;
	l->packet_reader = packet_reader;
	rc = packet_reader_run(packet_reader, keep, l, err);
	packet_reader_free(packet_reader);
	return rc;
}

int packets_load(struct packets *p, struct store *s, const char *selector_text,
		 bool (*stop)(void *ctx), void *ctx, struct rows *rows,
		 struct err *err)
{
	struct load l = { .packets = p,
			  .rows = rows,
			  .sink = rows_sink(rows),
			  .decode = decode_defaults,
			  .stop = stop,
			  .stop_ctx = ctx };
	struct selector selector;
	int rc = selector_parse(&selector, selector_text, err);

	*p = (struct packets) { 0 };
	if (!rc)
		rc = load(&l, s, &selector, err);
	selector_fini(&selector);
	return rc;
}

void packets_fini(struct packets *p)
{
	free(p->frames);
	free(p->bytes);
	*p = (struct packets) { 0 };
}

char *packets_decode(const struct packets *p, size_t i)
{
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);

	if (!f)
		return NULL;
	packets_detail(f, &p->frames[i], &decode_defaults);
	if (!fclose(f))
		return out;
	free(out);
	return NULL;
}

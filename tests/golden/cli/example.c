/* SPDX-License-Identifier: GPL-2.0-or-later
 * A program of somebody else: what the installed library is good for.
 * usage: example CAPTURE.pcap DATABASE
 *
 * Analyses the capture twice: the library reads it into the database, and
 * then packets read by this program go into an engine by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fabscope/fabscope.h>

struct counts {
	unsigned long events, flows, packets;
};

static void on_event(void *ctx, const struct fabscope_event *e)
{
	struct counts *c = ctx;

	c->events++;
	printf("event %s frame %llu psn %u\n", e->kind,
	       (unsigned long long)e->frame, (unsigned)e->psn);
}

static void on_flow(void *ctx, const struct fabscope_flow *f)
{
	struct counts *c = ctx;

	c->flows++;
	c->packets += f->packets;
	printf("flow %s %s > %s qp 0x%x packets %llu\n", f->transport, f->src,
	       f->dst, (unsigned)f->dst_qp, (unsigned long long)f->packets);
}

/* A nanosecond pcap in the byte order of this machine. */
static int feed_file(struct fabscope_engine *engine, FILE *in)
{
	static uint8_t bytes[65536];
	struct fabscope_frame frame = { .data = bytes, .linktype = 1 };
	uint32_t header[6], record[4];

	if (fread(header, sizeof header, 1, in) != 1 || header[0] != 0xa1b23c4d)
		return -1;
	while (fread(record, sizeof record, 1, in) == 1) {
		if (record[2] > sizeof bytes ||
		    fread(bytes, record[2], 1, in) != 1)
			return -1;
		frame.ns = (int64_t)record[0] * 1000000000 + record[1];
		frame.captured = record[2];
		frame.length = record[3];
		frame.number++;
		fabscope_engine_feed(engine, &frame, 1);
	}
	return 0;
}

static int by_hand(const char *path, const struct fabscope_topology *t)
{
	struct counts counts = { 0 };
	const struct fabscope_sink sink = { .ctx = &counts,
					    .event = on_event,
					    .flow = on_flow };
	struct fabscope_engine *engine = fabscope_engine_new_in(t, &sink);
	FILE *in = fopen(path, "rb");
	int rc = engine && in ? feed_file(engine, in) : -1;

	if (!rc)
		fabscope_engine_finish(engine);
	printf("total flows %lu packets %lu\n", counts.flows, counts.packets);
	fabscope_engine_free(engine);
	if (in)
		fclose(in);
	return rc;
}

/* RoCE on a port of its own: the flows of the capture are no longer any. */
static int elsewhere(const char *capture, const char *database)
{
	const char *const captures[] = { capture };
	char path[4096], other[4096], reason[FABSCOPE_REASON];
	struct fabscope_topology *t;
	FILE *f;
	int rc;

	if (fabscope_topology_read("there-is-no.ini", reason) ||
	    !strstr(reason, "there-is-no.ini"))
		return -1;
	snprintf(path, sizeof path, "%s.ini", database);
	snprintf(other, sizeof other, "%s.elsewhere", database);
	f = fopen(path, "w");
	if (!f || fputs("[protocols]\nroce-port = 9\n", f) < 0 || fclose(f))
		return -1;
	t = fabscope_topology_read(path, reason);
	if (!t)
		return -1;
	rc = by_hand(capture, t);
	if (fabscope_analyze_in(t, captures, 1, other, reason) < 0)
		rc = -1;
	fabscope_topology_free(t);
	return rc;
}

int main(int argc, char **argv)
{
	const char *const captures[] = { argv[argc > 1] };
	const char *const missing[] = { "there-is-no-such.pcap" };
	char reason[FABSCOPE_REASON];

	if (argc != 3)
		return 2;
	if (fabscope_analyze(missing, 1, argv[2], reason) != FABSCOPE_E_IO ||
	    !strstr(reason, "there-is-no-such.pcap"))
		return 3;
	if (fabscope_analyze(NULL, 0, argv[2], NULL) != FABSCOPE_E_USAGE)
		return 4;
	if (fabscope_analyze(captures, 1, argv[2], reason) != FABSCOPE_FULL) {
		fprintf(stderr, "%s\n", reason);
		return 5;
	}
	printf("version %s\n", fabscope_version());
	if (by_hand(argv[1], NULL) < 0)
		return 6;
	return elsewhere(argv[1], argv[2]) < 0 ? 7 : 0;
}

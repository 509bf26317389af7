/* SPDX-License-Identifier: GPL-2.0-or-later
 * Copies a capture to pcapng and puts in all the writer can say, for other
 * readers to look at.
 * usage: capture-write FILE OUT */
#include <stdio.h>

#include "capture/capture.h"
#include "capture/pcapng_write.h"

static int write_packet(struct pcapng_writer *w, const struct frame *f,
			struct err *err)
{
	const struct pcapng_packet p = {
		.ns = f->ns,
		.data = f->data,
		.caplen = f->caplen,
		.wirelen = f->wirelen,
		.interface = f->number % 2,
		.epb_flags = f->number % 3, /* none, in, out */
		.dropcount = f->number % 5 ? 0 : f->number,
		.comment = f->number % 4 ? NULL : "fourth \xe2\x82\xac",
	};

	return pcapng_writer_packet(w, &p, err);
}

static int copy(struct capture *c, struct pcapng_writer *w, struct err *err)
{
	const struct frame *f;
	bool described = false;
	int n, i, k;

	while ((n = capture_next(c, &f, err)) > 0) {
		for (i = 0; !described && i < 2; i++) {
			const struct pcapng_interface at = {
				.name = i ? "second" : "first",
				.description = i ? NULL : "described",
				.speed_bps = i ? 0 : 400000000000,
				.snaplen = 262144,
				.linktype = f->linktype,
				.tsresol = i ? 9 : 0,
			};

			if (pcapng_writer_interface(w, &at, err) != i)
				return -1;
		}
		described = true;
		for (k = 0; k < n; k++)
			if (write_packet(w, &f[k], err) < 0)
				return -1;
	}
	if (n < 0 || !described)
		return n;
	return pcapng_writer_statistics(w, 1, 1700000000000000000, 1000, 77,
					"statistics", err);
}

int main(int argc, char **argv)
{
	struct capture_input in = { .path = argc > 2 ? argv[1] : "-" };
	struct pcapng_writer *w;
	struct err err = { 0 };
	struct capture *c;
	int rc = -1;

	if (argc != 3)
		return 2;
	c = capture_open(&in, 1, NULL, &err);
	w = c ? pcapng_writer_new(argv[2], "section", &err) : NULL;
	if (w) {
		rc = copy(c, w, &err);
		if (pcapng_writer_close(w, rc ? NULL : &err) < 0)
			rc = -1;
	}
	if (rc < 0)
		fprintf(stderr, "%s\n", err.text);
	capture_free(c);
	return rc < 0;
}

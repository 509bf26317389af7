/* SPDX-License-Identifier: GPL-2.0-or-later
 * Captures are followed alike by the short ways for frames of Ultra Ethernet
 * and without any of them: every fact is the same.
 *
 *	ways CAPTURE... */
#include <stdio.h>
#include <stdlib.h>

/* cmocka.h asks for these. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../reference/scene.h"
#include "capture/capture.h"
#include "flow/core/flow.h"
#include "run/frame.h"

static int feed(const char *path, struct record *a, struct record *b)
{
	const struct capture_input in = { .path = path };
	const struct capture_options how = { 0 };
	struct err err = { 0 };
	struct capture *c = capture_open(&in, 1, &how, &err);
	const struct frame *f;
	int n = -1;

	while (c && (n = capture_next(c, &f, &err)) > 0)
		for (int i = 0; i < n; i++) {
			const struct engine_frame frame = frame_of(&f[i]);

			engine_frame(a->engine, &decode_defaults, &frame);
			engine_flush(a->engine);
			record_by_packet(b, &frame);
		}
	if (n < 0)
		fprintf(stderr, "ways: %s\n", err.text);
	capture_free(c);
	return n;
}

static int compare(const char *path)
{
	struct scene *s = scene_new();
	struct record *a = record_begin(s, NULL), *b = record_begin(s, NULL);
	int rc = -1;

	record_no_fast_paths(b);
	if (!feed(path, a, b)) {
		record_end(a);
		record_end(b);
		rc = a->n_flows && a->digest == b->digest ? 0 : -1;
		if (rc)
			fprintf(stderr, "%s: the ways differ\n", path);
	}
	scene_free(s);
	return rc;
}

int main(int argc, char **argv)
{
	int rc = argc < 2;

	for (int i = 1; i < argc; i++)
		rc |= compare(argv[i]) < 0;
	return rc;
}

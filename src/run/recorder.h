/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packets of live to pcapng files: all of them to a row of files, and the last
 * seconds when something was found. */
#ifndef FABSCOPE_RUN_RECORDER_H
#define FABSCOPE_RUN_RECORDER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct ring;

enum { LIVE_TAPS = 64 };

struct live_tap {
	const char *name;
	struct ring *ring;
	int64_t id; /* tap.id */
};

/* What is in a file. */
struct recorded {
	char path[512];
	int64_t first_ns, last_ns;
	uint64_t packets, bytes, missed;
	struct {
		uint64_t first, last; /* frame numbers, 0 none */
	} tap[LIVE_TAPS];
	bool open;       /* it goes on: this is what its begin is */
	char error[256]; /* "" all is well */
};

/* Writes what the rings still have from |since| on.  -1 and |err|: there is no
 * such file. */
int record_last(const char *path, const struct live_tap *taps, size_t n,
		int64_t since, struct recorded *out, struct err *err);

struct row_options {
	const char *prefix; /* of the names: a folder ends in "/" */
	uint64_t bytes;     /* of a file; 0 any */
	int64_t ns;         /* time in a file; 0 any */
	uint32_t files;     /* the oldest goes; 0 any number */
};

/* Writes all that comes until |*stop|; |*rotate| begins the next file.  Says
 * on |report| what becomes of each file, as struct recorded, at its first
 * packet and at its end.  Files of that name which are there already, of a run
 * before, count as the oldest ones. */
void record_row(const struct row_options *o, const struct live_tap *taps,
		size_t n, const volatile sig_atomic_t *stop,
		volatile sig_atomic_t *rotate, int report);

#endif

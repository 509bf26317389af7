/* SPDX-License-Identifier: GPL-2.0-or-later
 * From capture files to a result database, in one pass. */
#ifndef FABSCOPE_RUN_RUN_H
#define FABSCOPE_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct capture_input;
struct evidence;
struct flow_sink;
struct frame;
struct joblog;
struct packet;
struct store;
struct topology;

/* Who looks at each packet, and at what is known of it. */
struct run_watch {
	/* May put itself before the store: changes the sink. */
	void (*sink)(struct flow_sink *sink);
	/* Each packet, before it is followed and after. */
	void (*before)(const struct frame *f);
	void (*after)(const struct packet *p);
	/* There are no more: what is reported from now on, the end decides. */
	void (*end)(void);
};

struct run_options {
	const struct capture_input *inputs;
	size_t n_inputs;
	const char *filter;              /* BPF expression, NULL for none */
	const struct topology *topology; /* what is known, or NULL */
	const struct joblog *job_log;    /* what the job wrote, or NULL */
	const struct evidence *evidence; /* what others counted, or NULL */
	const char *database;            /* its final name */
	/* 0 and 1 are the same.  The second reads all inputs and looks at the
	 * frames (relay.h), each more reads and unpacks one of the inputs
	 * ahead; the result is the same for any number. */
	unsigned threads;
	FILE *progress;                /* a terminal to draw on, or NULL */
	const struct run_watch *watch; /* or NULL */
	uint64_t speed_bps; /* of links that nobody knows; 0 unknown */
	/* With more of them, each frame counted with 16 of its own as in a pcap
	 * file, it is given up; 0 any number. */
	uint64_t most_bytes;
	/* ^C ends the reading of files; what was read is analyzed. */
	bool interruptible;
	bool all_messages; /* a row for each */
	/* store_commit() is left to who asked, and the database unnamed. */
	bool uncommitted;
};

enum run_outcome {
	RUN_FULL, /* all of the input was analyzed */
	RUN_PART, /* some was corrupted, cut, skipped or of unknown link type:
		   * rows of captures and taps say what */
};

/* Analyzes the inputs into the database, which |*out|, unless |out| is NULL,
 * gets to read from and to free.  -1 and |err| when it could not be
 * done, and then nothing new is under the database's name. */
int run_analyze(const struct run_options *o, struct store **out,
		struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope simulate: a fabric whose captures come with the truth. */
#ifndef FABSCOPE_SIMULATE_SIMULATE_H
#define FABSCOPE_SIMULATE_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

struct err;

struct simulate_job {
	const char *scenario; /* a file */
	const char *out;      /* capture */
	const char *truth;    /* or NULL: beside the capture */
	uint64_t seed;
	bool each;    /* one capture a tap */
	bool records; /* what the jobs would have written themselves */
};

struct simulate_result {
	uint64_t packets, events, captured;
	unsigned unbalanced; /* conservation checks that failed */
	double seconds;      /* of simulated time */
};

/* One run: capture and truth are written; 0, or -1 and |err|. */
int simulate_run(const struct simulate_job *job, struct simulate_result *r,
		 struct err *err);

/* bench.c: a header-only capture of many packets, fast. */
struct bench_job {
	const char *out;
	uint64_t packets;
	uint32_t pairs;    /* QP pairs */
	uint32_t per_host; /* QP pairs of one pair of hosts */
	uint32_t message;  /* packets in each message; 0: of all lengths */
	uint32_t snaplen;
	uint32_t taps;  /* capture points; more than one need pcapng */
	uint32_t links; /* that send at a time; 0: one a capture point */
	double loss;    /* of data packets */
	double mark;    /* ECN CE, answered with a CNP */
	double reorder; /* behind the next packet */
	double pause;   /* data packets after which a host is paused */
	double missed;  /* frames that a capture point passes over */
	uint64_t seed;
	bool pcapng;
	bool uet; /* pairs are PDCs */
};

int bench_run(const struct bench_job *job, struct err *err);

#endif

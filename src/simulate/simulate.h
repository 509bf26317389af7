/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope simulate: a fabric whose captures come with the truth. */
#ifndef FABSCOPE_SIMULATE_SIMULATE_H
#define FABSCOPE_SIMULATE_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

struct simulate_job {
	const char *scenario; /* a file */
	const char *out;      /* capture */
	const char *truth;    /* or NULL: beside the capture */
	uint64_t seed;
	bool each;            /* one capture a tap */
	bool records;         /* what the jobs would have written themselves */
	const char *evidence; /* folder for what devices tell, or NULL */
	const char *const *lies; /* devices.h */
	size_t n_lies;
};

struct simulate_result {
	uint64_t packets, events, captured;
	unsigned unbalanced; /* conservation checks that failed */
	double seconds;      /* of simulated time */
};

/* One run: capture and truth are written; 0, or -1 and |err|. */
int simulate_run(const struct simulate_job *job, struct simulate_result *r,
		 struct err *err);

/* What a replay took, and what became of the links meanwhile. */
struct simulate_link {
	char from[32], to[32];
	uint64_t bps, packets, bytes, marked, dropped, pauses;
	uint64_t depth;    /* deepest queue, bytes */
	int64_t paused_ns; /* of what is sent here, all priorities */
};

struct simulate_measured {
	struct simulate_link *links;
	size_t n_links;
	int64_t *first_ns, *last_ns; /* by message; -1 never */
	size_t n_messages, missing;  /* so many were not completed */
	uint64_t ahead; /* packets that came before one in front of them */
};

/* Runs the text |scenario| without captures and measures its replay |name|.
 * -1 and |err|; else the caller ends |m| with simulate_measured_fini(). */
int simulate_measure(const char *scenario, uint64_t seed, const char *name,
		     struct simulate_measured *m, struct err *err);
void simulate_measured_fini(struct simulate_measured *m);

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

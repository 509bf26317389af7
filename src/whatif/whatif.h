/* SPDX-License-Identifier: GPL-2.0-or-later
 * What would have been with other settings.
 *
 * The messages of a capture are replayed in the simulator, over the fabric of
 * the topology file: each when what let it begin then has come about again.
 * Once with the settings as they are, which must come out as it was captured,
 * and once with those that are asked about.  The prediction is what was
 * measured, times what the second run took of the first.
 *
 *   settings.c  "wred.kmin=400K": names, and lines of a scenario
 *   world.c     what the database has of fabric and messages
 *   cause.c     what let each message begin
 *   scenario.c  all that as a scenario
 *   predict.c   runs, and what follows
 *   spread.c    what runs say of a time together
 *   print.c     the answer for people, and as JSON
 *   thresholds.c  several of ECN, and which to suggest
 *   flowlets.c  flowlet timers, likewise */
#ifndef FABSCOPE_WHATIF_WHATIF_H
#define FABSCOPE_WHATIF_WHATIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct store;

/* "wred.kmin" = "400K"; a copy, of static names. */
struct whatif_setting {
	const char *name; /* of the table in settings.c */
	char value[32];
};

enum { WHATIF_SETTINGS = 32 };

struct whatif_settings {
	struct whatif_setting s[WHATIF_SETTINGS];
	size_t n;
};

/* Adds "wred.kmin=400K,kmax=1600K,pmax=0.2" or "lb=flowlet": a name without a
 * dot is of the group named before it.  Later ones win.  -1 and |err|. */
int whatif_set(struct whatif_settings *t, const char *text, struct err *err);
/* Names of settings, from 0 on; NULL behind the last. */
const char *whatif_known(size_t i);
/* NULL: not set. */
const char *whatif_get(const struct whatif_settings *t, const char *name);

struct whatif_options {
	struct whatif_settings now; /* what is said of the fabric as it is */
	struct whatif_settings set; /* what is asked about */
	unsigned seeds;             /* runs of each, 1 to 64 */
	const char *scenario;       /* keep that of the prediction, or NULL */
};

/* A time now and then, in ns. */
struct whatif_time {
	int64_t id;                   /* job.id; 0 all traffic */
	int64_t measured;             /* as captured */
	int64_t replayed;             /* as the model has it now */
	int64_t predicted, low, high; /* low to high: nine times in ten */
	double agreed; /* weight of runs that are near to what is predicted */
	double faster, unchanged; /* how likely: than captured; within 3 % */
};

/* A direction less likely than that is none. */
#define WHATIF_LEAST_SURE 0.6

/* "faster", "slower", "unchanged", whichever is the most likely, or
 * "unclear". */
const char *whatif_direction(const struct whatif_time *t);
/* How likely it is; of "unclear", the most likely. */
double whatif_sure(const struct whatif_time *t);

enum { WHATIF_NAME = 64 };

struct whatif_link {
	char from[WHATIF_NAME], to[WHATIF_NAME]; /* fit for a terminal */
	uint64_t depth_now, depth; /* deepest queue, bytes: model, prediction */
};

enum { WHATIF_LINKS = 8, WHATIF_REASONS = 12, WHATIF_REASON = 256 };

struct whatif_answer {
	/* Why there is no prediction; none: there is one. */
	char refused[WHATIF_REASONS][WHATIF_REASON];
	size_t n_refused;
	bool too_wide; /* refused, but the ranges of times are known */
	/* What the prediction rests on that the capture does not show. */
	char assumed[WHATIF_REASONS][WHATIF_REASON];
	size_t n_assumed;
	struct whatif_settings now, set;
	size_t messages, flows;
	unsigned seeds;                /* runs the prediction rests on */
	struct whatif_time *comm;      /* communication, by job */
	struct whatif_time *span;      /* first to last packet, by job */
	size_t n_times;                /* of each */
	uint64_t marked_now;           /* packets, captured */
	uint64_t marked_model, marked; /* model now; prediction */
	uint64_t pauses_now, pauses_model, pauses; /* pause frames */
	uint64_t lost_now, lost_model, lost;       /* packets */
	/* RC packets that come before one in front of them, which was reordered
	 * or lost: model, prediction; the most of any run that counts. */
	uint64_t ahead_model, ahead;
	struct whatif_link link[WHATIF_LINKS]; /* deepest first */
	size_t n_links;
};

/* 0: |a| says what would be, or why that cannot be said; the caller ends it
 * with whatif_fini().  -1 and |err|: the database or the model failed. */
int whatif_ask(struct store *s, const struct whatif_options *o,
	       struct whatif_answer *a, struct err *err);
void whatif_fini(struct whatif_answer *a);

/* ECN thresholds of today times some factors; or flowlet timers. */
enum { WHATIF_TRIALS = 6 };

struct whatif_trial {
	double factor; /* 1: today's; of a timer: of that measured, 0: today */
	struct whatif_settings set;
	struct whatif_answer answer;
};

struct whatif_trials {
	struct whatif_trial of[WHATIF_TRIALS]; /* the first are today's */
	size_t n;                              /* 1: today's was refused */
	/* Faster than today's by 3 %; NULL: keep them. */
	const struct whatif_trial *best;
	int64_t wait_ns; /* timers: no packet waited longer */
};

/* As a whole, of what was not refused. */
const struct whatif_time *whatif_whole(const struct whatif_answer *a);
bool whatif_is_faster(const struct whatif_trial *t,
		      const struct whatif_trial *than);

int whatif_thresholds(struct store *s, const struct whatif_options *o,
		      struct whatif_trials *x, struct err *err);
/* The timer that the longest wait advises (query flowlet-timer), and others. */
int whatif_flowlets(struct store *s, const struct whatif_options *o,
		    struct whatif_trials *x, struct err *err);
void whatif_print_flowlets(const struct whatif_trials *x, FILE *out);
int whatif_json_flowlets(const struct whatif_trials *x, FILE *out,
			 struct err *err);
void whatif_trials_fini(struct whatif_trials *x);
void whatif_print_thresholds(const struct whatif_trials *x, FILE *out);
int whatif_json_thresholds(const struct whatif_trials *x, FILE *out,
			   struct err *err);

void whatif_print(const struct whatif_answer *a, FILE *out);
int whatif_json(const struct whatif_answer *a, FILE *out, struct err *err);

#endif

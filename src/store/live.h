/* SPDX-License-Identifier: GPL-2.0-or-later
 * The result database of an analysis that goes on: written in place, in WAL
 * mode, so that others read it meanwhile.
 *
 * Each refresh is one transaction, by a connection of its own:
 *
 *	store_live_open        what was provisional is gone, of this run
 *	rows                   facts that are final
 *	store_live_provisional
 *	rows                   facts as if the capture ended now
 *	store_live_derive      findings, and their log
 *	store_live_close       kept, or nothing of it
 *
 * A process that is killed in the middle leaves the refresh before. */
#ifndef FABSCOPE_STORE_LIVE_H
#define FABSCOPE_STORE_LIVE_H

#include "store/store.h"

/* The first time: creates |path|, or goes on with the fabscope database that
 * it is: all that is in it is kept, as final. */
struct store *store_live_begin(const char *path, struct err *err);
struct store *store_live_open(const char *path, struct err *err);

void store_live_provisional(struct store *s);

/* |ns|: the time of this refresh. */
int store_live_derive(struct store *s, int64_t ns, struct err *err);

/* Frees |s|; -1 when it could not be written, and then nothing was. */
int store_live_close(struct store *s, struct err *err);

/* No more will be written: the log that readers needed beside the database
 * goes, unless somebody has it open still. */
void store_live_end(const char *path);

/* ---- from one run to the next ---- */

/* Packets that were dropped at this tap so far. */
uint64_t store_live_dropped(struct store *s, int64_t tap);
/* What was counted at it so far, which is to be added to what a run counts. */
enum { LIVE_COUNTERS = 27 };
struct live_counted {
	int64_t value[LIVE_COUNTERS];
};
void store_live_counted(struct store *s, int64_t tap, struct live_counted *c);
/* Behind the rows of |tap|, in every refresh. */
void store_live_add(struct store *s, int64_t tap, const struct live_counted *c);
/* The id of the tap of that name, a new one if there is none. */
int64_t store_live_tap(struct store *s, const char *name);
int64_t store_live_taps(struct store *s); /* the highest id */
uint32_t store_live_last_flow(struct store *s);
/* The |i|th row of cap; false behind the last.  |table| is valid until the
 * next call. */
bool store_live_cap(struct store *s, unsigned i, const char **table,
		    uint64_t *dropped);

/* ---- rows that only live has ---- */

/* Begins one, or says how far the one under way has come: |why| NULL. */
void store_live_epoch(struct store *s, int64_t ns, const char *why,
		      const char *version, const char *detail);

struct live_line {
	int64_t ns;
	bool warning;
	int64_t tap_id; /* 0 about none */
	const char *text;
};
void store_live_log(struct store *s, const struct live_line *l);

struct live_status {
	int64_t ns, tap_id;
	const char *state;
	uint64_t received, bytes;
	/* FACT_UNKNOWN: it does not say */
	int64_t dropped_kernel, dropped_interface;
	uint64_t dropped_own, buffered;
	int64_t lag_ns, refresh_ns;
};
void store_live_status(struct store *s, const struct live_status *l);

struct live_drops {
	int64_t tap_id, first_ns, last_ns;
	int64_t packets; /* FACT_UNKNOWN */
	const char *who;
};
void store_live_drops(struct store *s, const struct live_drops *b);

struct live_recording {
	const char *kind, *path, *state;
	int64_t first_ns, last_ns;
	uint64_t packets, bytes, missed;
};
struct live_frames {
	int64_t tap_id;
	uint64_t first, last;
};
/* Returns its id.  A row of the same path is replaced. */
int64_t store_live_recording(struct store *s, const struct live_recording *r,
			     const struct live_frames *taps, size_t n);

/* The next finding that is new in this refresh and accuses somebody; 0 when
 * there is none behind |after|. */
int64_t store_live_new_finding(struct store *s, int64_t after);
/* The latest of the flight recorder if it ends behind |since|; 0: none. */
int64_t store_live_last_recording(struct store *s, int64_t since);
/* The oldest of the flight recorder when there are more than |most|: is gone
 * now, and its name is in |path|. */
bool store_live_oldest_recording(struct store *s, uint32_t most, char *path,
				 size_t size);
/* These packets belong to it. */
void store_live_recorded(struct store *s, int64_t finding, int64_t recording);

/* Keeps facts of |keep_ns|, history of |history_ns|, and at most |rows| of a
 * table. */
struct live_limits {
	int64_t keep_ns, history_ns, rows;
};
void store_live_retain(struct store *s, const struct live_limits *l,
		       int64_t now);

#endif

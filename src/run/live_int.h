/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of live share. */
#ifndef FABSCOPE_RUN_LIVE_INT_H
#define FABSCOPE_RUN_LIVE_INT_H

#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "decode/packet.h"
#include "flow/core/engine.h"
#include "run/clockwatch.h"
#include "run/fact_queue.h"
#include "run/live.h"
#include "run/places.h"
#include "run/recorder.h"
#include "store/live.h"

struct store;

enum {
	LINES_KEPT = 64,
	DROPS_KEPT = 256,
	FILES_KEPT = 64,
	CAPS_KEPT = 64,
};

/* What we know of one tap besides its ring. */
struct live_seen {
	uint64_t packets, bytes, regressions;
	int64_t first_ns, last_ns;
	uint64_t base_dropped; /* before this run */
	uint64_t at;           /* how far the ring was read */
	uint32_t state;        /* as last said */
};

struct live_note {
	int64_t ns;
	bool warning;
	int64_t tap_id;
	char text[256];
};

struct live_gap {
	int64_t tap_id, from, to;
	uint64_t packets;
	uint32_t who;
};

/* What is not in the database yet. */
struct live_pending {
	struct fact_queue fact_queue;
	struct live_note line[LINES_KEPT];
	struct live_gap gap[DROPS_KEPT];
	struct recorded file[FILES_KEPT];
	size_t n_lines, n_gaps, n_files;
	char epoch_why[16], epoch_detail[128]; /* "" goes on */
	int64_t epoch_ns;
};

/* What a refresh answers. */
struct refresh_result {
	bool ok, recorded;
	char text[256];      /* why not; or the name of the recording */
	int64_t recorded_to; /* last packet of it */
	uint32_t findings;   /* new ones */
};

struct live_cap {
	char table[32];
	uint64_t dropped;
};

struct live_shared {
	_Atomic unsigned asleep;
};

struct live {
	struct live_options o;
	struct live_tap tap[LIVE_TAPS];
	struct live_seen seen[LIVE_TAPS];
	struct live_counted counted[LIVE_TAPS]; /* by the runs before */
	size_t n;
	uint32_t engine_tap[LIVE_TAPS]; /* tap.id - 1 */
	int64_t began_ns;               /* no packet is older */
	uint32_t first_id;              /* flows before this run */
	struct tap_map map;             /* by engine tap */
	size_t n_places;
	struct decode_options decode;

	struct engine *engine;
	struct live_pending pending;
	struct live_cap cap[CAPS_KEPT]; /* of engines before */
	size_t n_caps;
	int64_t fed_ns; /* the latest packet */
	uint64_t fed;
	struct clockwatch clock;

	struct live_shared *shared; /* with the capture process */
	int wake;                   /* eventfd */
	pid_t capture, recorder;
	int report; /* of the recorder, -1 none */
	int lock;   /* on the database */

	/* the refresh that runs */
	pid_t refresh;
	int answer;
	/* sizes when it was forked */
	size_t given_queue, given_lines, given_gaps, given_files;
	int64_t refresh_began, refresh_next, refresh_took;
	bool behind; /* the analysis, while it ran */
	uint64_t refreshed_fed;
	int64_t retain_next, caps_reset_next, tick_next, alive_next;
	int64_t recorded_to;
	int64_t given_epoch;
	bool retains;         /* the refresh that runs lets old rows go */
	unsigned long denied; /* memory, so far */
	bool crowded;         /* flows go sooner than was asked for */
	bool bursts_full;     /* bursts of data as well */
	uint32_t failures;    /* of refreshes, in a row */
};

int64_t live_monotonic(void);
int64_t live_realtime(void);
/* Both at one moment, though somebody else may have the processor between. */
void live_clocks(int64_t *realtime, int64_t *monotonic);

/* Of the file |path|: ends in "/", or is ".". */
void live_folder_of(const char *path, char *out, size_t size);

/* A line for people and for live_log; |tap| -1: about none. */
void live_say(struct live *l, bool warning, int tap, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* live_refresh.c */
/* Reads from the database where it stood; creates it. */
int refresh_first(struct live *l, struct err *err);
/* In a copy of the process; |last|: in this one, and all is final. */
void refresh_write(struct live *l, bool last, int64_t now,
		   struct refresh_result *r);

/* live_feed.c */
void live_capped(void *ctx, const char *table, uint64_t dropped);
/* Feeds what is there; false: nothing was. */
bool live_feed(struct live *l);
int live_engine(struct live *l, struct err *err);
/* The link's speed, by the topology file or the interface; 0 unknown. */
uint64_t live_speed(const struct live *l, size_t tap);
/* What is open is closed, and all begins anew. */
int live_epoch(struct live *l, const char *why, const char *detail,
	       struct err *err);

#endif

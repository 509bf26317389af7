/* SPDX-License-Identifier: GPL-2.0-or-later
 * libfabscope: what happened to every RoCE queue pair of a capture.
 *
 * Two doors:
 *
 *   fabscope_analyze() turns capture files into a result database, as the
 *   command `fabscope analyze` does.  The tables are in docs/schema.md.
 *
 *   A struct fabscope_engine takes frames one at a time and hands out what it
 *   finds by callback; it reads no file and writes none.
 *
 * Units: times are nanoseconds since the epoch (UTC), sizes are bytes, PSNs
 * and QP numbers are 24 bit.  A number that cannot be known is
 * FABSCOPE_UNKNOWN, never 0.  Text is NUL-terminated UTF-8.
 *
 * Ownership: what a *_new() returns goes to the *_free() of that name (NULL is
 * fine).  What a callback gets is the library's and ends with the call.
 *
 * Errors: functions return a negative enum fabscope_error; with a |reason|
 * they also write one line that names the file and what was wrong.
 *
 * Threads: any number of engines and analyses at once, each used by one thread
 * at a time.  The library keeps no global state. */
#ifndef FABSCOPE_FABSCOPE_H
#define FABSCOPE_FABSCOPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FABSCOPE_API     __attribute__((visibility("default")))
#define FABSCOPE_UNKNOWN INT64_MIN

enum fabscope_error {
	FABSCOPE_E_IO = -1,       /* the operating system said no */
	FABSCOPE_E_FORMAT = -2,   /* the input is not what it should be */
	FABSCOPE_E_USAGE = -3,    /* asked for something impossible */
	FABSCOPE_E_MEMORY = -4,   /* out of memory */
	FABSCOPE_E_EXISTS = -5,   /* would overwrite what is not fabscope's */
	FABSCOPE_E_INTERNAL = -6, /* a library underneath refused */
};

/* "0.1.0" */
FABSCOPE_API const char *fabscope_version(void);

/* ---- files ---------------------------------------------------------- */

enum fabscope_outcome {
	FABSCOPE_FULL = 0, /* all of the input was analysed */
	FABSCOPE_PART = 1, /* part was damaged, cut or skipped; table capture */
};

enum { FABSCOPE_REASON = 512 };

/* Analyses |n| captures, merged by time, into the SQLite file |database|.
 * An older fabscope database of that name is replaced, any other file is
 * refused; on failure nothing new is left there.  |reason| may be NULL. */
FABSCOPE_API int fabscope_analyze(const char *const *captures, size_t n,
				  const char *database,
				  char reason[FABSCOPE_REASON]);

/* What a person knows of the fabric, docs/topology.md: names, speeds, groups of
 * links, unusual ports and protocols. */
struct fabscope_topology;

/* Reads such a file.  NULL and |reason|, which names line and key. */
FABSCOPE_API struct fabscope_topology *
fabscope_topology_read(const char *path, char reason[FABSCOPE_REASON]);
FABSCOPE_API void fabscope_topology_free(struct fabscope_topology *t);

/* As fabscope_analyze(), with |t|, which may be NULL. */
FABSCOPE_API int fabscope_analyze_in(const struct fabscope_topology *t,
				     const char *const *captures, size_t n,
				     const char *database,
				     char reason[FABSCOPE_REASON]);

/* ---- packets -------------------------------------------------------- */

struct fabscope_frame {
	int64_t ns;
	const uint8_t *data;
	uint32_t captured; /* bytes at |data| */
	uint32_t length;   /* bytes on the wire, not less than |captured| */
	uint32_t tap;      /* which place of capture, 0.. */
	uint16_t linktype; /* LINKTYPE_*: 1 Ethernet, 101 raw IP, ... */
	uint8_t fcs;       /* bytes of frame check sequence within, 0 or 4 */
	uint64_t number;   /* comes back as fabscope_event.frame */
};

/* Something that happened to one flow at one moment. */
struct fabscope_event {
	int64_t ns;
	uint64_t frame; /* number of the frame that shows it, 0 unknown */
	uint32_t tap;
	uint32_t flow;      /* fabscope_flow.id, 0 none */
	const char *kind;   /* event.kind of docs/schema.md: "nak_seq", ... */
	uint32_t psn;       /* first PSN concerned */
	uint32_t count;     /* PSNs or packets concerned */
	int64_t value;      /* meaning by kind, docs/schema.md */
	double confidence;  /* 0..1 */
	const char *detail; /* the rule that decided, "R3 ...", or NULL */
};

/* One direction of one queue pair, reported when the input is finished. */
struct fabscope_flow {
	uint32_t id;   /* 1.. */
	uint32_t peer; /* id of the other direction, 0 unpaired */
	uint32_t tap;
	const char *transport; /* "RC", "UC", "UD", "XRC", "DC" */
	const char *src, *dst; /* addresses */
	uint32_t dst_qp;
	int64_t src_qp; /* or FABSCOPE_UNKNOWN */
	int64_t first_ns, last_ns;
	uint64_t packets, bytes, payload_bytes;
	/* each of these may be FABSCOPE_UNKNOWN */
	int64_t lost_upstream;
	int64_t lost_downstream_min, lost_downstream_max;
	int64_t capture_missing;
	int64_t unresolved;
	int64_t reordered;
	int64_t retransmitted;
	int64_t timeouts;
	int64_t recovery_ns;
};

/* Callbacks may be NULL.  New members are only ever added at the end of the
 * structures they get, so a program built against an older header goes on
 * working. */
struct fabscope_sink {
	void *ctx; /* handed to each */
	void (*event)(void *ctx, const struct fabscope_event *);
	void (*flow)(void *ctx, const struct fabscope_flow *);
};

struct fabscope_engine;

/* |sink| is copied.  NULL when there is no memory. */
FABSCOPE_API struct fabscope_engine *
fabscope_engine_new(const struct fabscope_sink *sink);

/* The same where ports and protocols are those of |t|, which may be NULL and is
 * not needed after the call; its taps and groups have no meaning here. */
FABSCOPE_API struct fabscope_engine *
fabscope_engine_new_in(const struct fabscope_topology *t,
		       const struct fabscope_sink *sink);

/* Takes frames in order of time; any number, any split.  Frames may be cut,
 * damaged or foreign.  Their bytes are not needed after the call. */
FABSCOPE_API void fabscope_engine_feed(struct fabscope_engine *e,
				       const struct fabscope_frame *frames,
				       size_t n);

/* Closes what is open and tells every flow.  Feed nothing afterwards. */
FABSCOPE_API void fabscope_engine_finish(struct fabscope_engine *e);

FABSCOPE_API void fabscope_engine_free(struct fabscope_engine *e);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of this folder share: one job at work. */
#ifndef FABSCOPE_PHASE_PHASE_INT_H
#define FABSCOPE_PHASE_PHASE_INT_H

#include "phase/phase.h"

#define NO_RANK UINT32_MAX

/* One phase: silence of all ranks before and behind it. */
struct burst {
	int64_t from, to; /* first data, last data or its acknowledgement */
	uint64_t bytes;
	int64_t iteration;
	bool cut, slow;
	enum phase_pattern pattern;
	double confidence;
};

/* What sending meant in one activity of a flow: judge.c. */
struct judged {
	uint8_t busy; /* enum phase_class while it was sent ... */
	uint8_t tail; /* ... and until it arrived */
	bool cut;     /* told to slow down, and not fast again since */
	float lost;   /* share of the first: more than the wire needs */
};

struct rank {
	uint32_t host;
	uint32_t next, before; /* round the ring; NO_RANK */
	uint32_t *out, *in;    /* flows */
	uint32_t n_out, n_in;
	uint64_t bytes_out, bytes_in;
	int64_t phases, late_phases, late_ns;
	bool tapped, straggler;
};

struct job {
	const struct phase_input *in;
	struct phase_job row;
	struct rank *ranks;
	uint32_t n_ranks;
	uint32_t *rank_of;    /* by host */
	uint32_t *flow_lists; /* behind ranks[].out and .in */
	size_t *cursor;       /* by flow: first activity of this phase ... */
	size_t *evidence;     /* ... first evidence ... */
	size_t *base;         /* ... first activity of the first whole phase */
	struct judged **judged; /* by flow, by activity */
	double link;            /* bit/s, 0 unknown */
	struct burst *bursts;
	size_t n_bursts;
	struct phase_span *spans; /* scratch */
	size_t n_spans, room_spans;
	bool failed; /* no memory */
};

/* find.c: bursts, and which of them are iterations.  False: no memory. */
bool find_phases(struct job *j);

/* judge.c */
bool judge_activities(struct job *j);
/* Octets of |n| flows between two times. */
double judge_bytes(const struct phase_input *in, const uint32_t *flows,
		   size_t n, int64_t from, int64_t to);
/* The classes of flow |f| between two times, as j->spans: evidence, silences,
 * sending. */
void judge_spans(struct job *j, uint32_t f, int64_t from, int64_t to);
/* Activities of |f| in the phase: from j->cursor to the result. */
size_t judge_end(const struct job *j, uint32_t f, int64_t to);

/* walk.c: what held up the phase, from its end back to its begin. */
void walk_phase(struct job *j, const struct burst *b, int64_t id,
		const struct phase_sink *sink);

/* What held up the operation of a rank, likewise.  |pattern|: of its job. */
void walk_window(struct job *j, const struct phase_window *win,
		 enum phase_pattern pattern, const struct phase_sink *sink);

/* path.c: where the time of the job went, of each phase from |first_id| on. */
bool path_job(struct job *j, int64_t first_id, const struct phase_sink *sink);

/* straggler.c */
struct lateness {
	uint32_t rank;   /* late by itself; NO_RANK none */
	int64_t late_ns; /* so much */
};
/* |all| has row |phase| * n_ranks + rank. */
bool find_stragglers(struct job *j, struct phase_rank_row *all,
		     struct lateness *late);
/* What rank |r| did in a phase, and how late it began. */
void rank_in_phase(const struct job *j, const struct burst *b,
		   struct phase_rank_row *rows);

#endif

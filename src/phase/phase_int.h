/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of this folder share: one job at work. */
#ifndef FABSCOPE_PHASE_PHASE_INT_H
#define FABSCOPE_PHASE_PHASE_INT_H

#include "base/union.h"
#include "phase/phase.h"

#define NO_RANK       UINT32_MAX
#define PHASE_NO_HOST UINT32_MAX

/* Data that |f| carried. */
static inline uint64_t phase_bytes(const struct phase_flow *f)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->n; i++)
		sum += f->a[i].bytes;
	return sum;
}

/* What carries less of flow |f|, a small part of a stretch of data, is none,
 * but asks for it. */
enum { PHASE_SMALL = 8 };
static inline double phase_least_data(const struct phase_flow *f)
{
	return (double)phase_bytes(f) /
	       (double)(PHASE_SMALL * (f->n ? f->n : 1));
}

/* One phase: silence of all ranks before and behind it. */
struct burst {
	int64_t from, to; /* first data, last data or its acknowledgement */
	uint64_t bytes;
	int64_t iteration;
	bool cut, slow;
	enum phase_pattern pattern;
	double confidence;
};

struct rank {
	uint32_t host;
	uint32_t next, before; /* round the ring; NO_RANK */
	uint32_t *out, *in;    /* flows */
	uint32_t n_out, n_in;
	uint64_t bytes_out, bytes_in;
	int64_t phases, late_phases, late_ns;
	int64_t stage_ns; /* of a pipeline: computes at a time; 0 not known */
	bool tapped, straggler;
};

struct job {
	const struct phase_input *in;
	struct phase_job row;
	struct rank *ranks;
	uint32_t n_ranks;
	uint32_t *rank_of;    /* by host */
	uint32_t *part;       /* by rank: below row.rails */
	uint32_t *node;       /* by rank: the first of its server, itself */
	bool servers;         /* of all ranks known, some have several */
	uint32_t *flow_lists; /* behind ranks[].out and .in */
	struct loads *loads;  /* of the links of its hosts: find_rates() */
	int64_t *drains;      /* by host whose adapter takes up what comes later
			  * than the others: what these take; 0 no such */
	size_t *cursor;       /* by flow: first activity of this phase */
	size_t *skip;         /* by flow: of the first phase, which is cut */
	size_t *keep;         /* by flow: of all but the last, which is cut */
	bool **cut;           /* by flow, by activity: slower because of CNPs */
	double *uncut;        /* by flow with CNPs: payload bit/s without them,
			       * 0 unknown */
	double link;          /* bit/s, 0 unknown */
	double *speed;        /* by host, of its own: likewise */
	int64_t us;           /* all time stamps are in these; 0 ns */
	int64_t grain;        /* likewise; or what those step by most */
	struct burst *bursts;
	size_t n_bursts;
	bool in_step; /* all flows are: bursts are steps of theirs */
};

/* How fast the link of |host| is, bit/s; 0 unknown. */
static inline double phase_link(const struct job *j, uint32_t host)
{
	return j->speed && j->speed[host] > 0 ? j->speed[host] : j->link;
}

/* ... and the slower one of both ends of |f|. */
static inline double phase_link_of(const struct job *j,
				   const struct phase_flow *f)
{
	double out = phase_link(j, f->src), in = phase_link(j, f->dst);

	return out < in ? out : in;
}

/* Is no silence before phase |i|?  Then some may be in it before others are
 * done with the one before. */
static inline bool phase_touches(const struct job *j, size_t i)
{
	return i && i < j->n_bursts && j->bursts[i].from <= j->bursts[i - 1].to;
}

/* A phase that has no shape of its own is as the job is. */
static inline enum phase_pattern phase_pattern_of(const struct job *j, size_t i)
{
	return j->bursts[i].pattern == PATTERN_NONE ? j->row.pattern
						    : j->bursts[i].pattern;
}

/* turns.c: all flows from one host to another as one, if there are several
 * anywhere; |flows| is sorted.  False: no memory. */
struct phase_turns {
	struct phase_flow *flows;
	size_t n;
	struct phase_activity *a; /* of all */
};
bool phase_turns(const struct phase_flow **flows, size_t n,
		 struct phase_turns *out);
void phase_turns_free(struct phase_turns *t);

/* Flows among hosts whose data can go round, and their steps. */
struct phase_part {
	const struct phase_flow **flows;
	uint32_t *index; /* in the list of all flows */
	size_t n;
	uint64_t servers; /* stands for those of its hosts; 0: not all known */
	struct phase_steps steps;
};

/* through.c: which components, by the hosts |scc[h]| that stand for them, are
 * one with another, because flows in step lead through a host of it.  |left| of
 * a flow: it is not looked at.  |joined| is a union of hosts.  False: no
 * memory. */
bool phase_through(const struct phase_flow *flows, size_t n, size_t n_hosts,
		   const bool *left, const uint32_t *scc, uint32_t *joined);

/* ceaseless.c: which flows go on while all others of their |component|, by flow
 * a host that stands for it, are silent, again and again.  False: no memory. */
bool phase_ceaseless(const struct phase_flow *flows, size_t n,
		     const uint32_t *component, bool *ceaseless);

/* apart.c: which flows are none of the job that the others of |g| are, by their
 * place in the list of all.  |ends| has room for every host.  False: no
 * memory. */
bool phase_apart(const struct phase_part *g, uint8_t *ends, bool *apart);

/* paces.c: likewise, those that have a pace of their own. */
bool phase_paces(const struct phase_part *g, uint8_t *ends, bool *apart);

/* coupled.c: |job[i]| is the first part that is one job with part i.  False: no
 * memory. */
bool phase_coupled(const struct phase_part *parts, size_t n, uint32_t *job);

/* part.c: both, of all flows, of |n_hosts| |hosts|.  |component| of each is a
 * host that stands for it; |joined[h]| becomes the host that stands for the
 * whole job of component h.  False: no memory. */
bool phase_parts(const struct phase_flow *flows, size_t n,
		 const struct phase_host *hosts, size_t n_hosts,
		 const uint32_t *component, bool *apart, uint32_t *joined);

struct interval {
	int64_t from, to;
	double bytes; /* its part of several that overlap; 0: what is in it */
};

/* tails.c */
/* |v| are |n| phases, in order, |busy| when anything was under way: each is
 * given what is nearer to it than the next. */
void phase_part_at_silences(const struct interval *busy, size_t n_busy,
			    struct interval *v, size_t n);

/* find.c: bursts, and which of them are iterations.  False: no memory. */
bool find_phases(struct job *j);
/* Asks which of |v| are; where none are, what was found before stays. */
bool phase_ask_again(struct job *j, const struct interval *v, size_t n);

/* anew.c: phases begin where ranks do; and of a first or last one that is cut
 * each flow may have lost another part: such say nothing of the others.  False:
 * no memory. */
bool phase_begin_anew(struct job *j);
bool phase_skip_cut(struct job *j);

/* begins.c: do j->bursts begin in the middle of phases, where all wait for the
 * same rank, |*late|?  |*own|, by burst, by rank: when each of the others
 * begins by itself there, PHASE_UNKNOWN: not known; NULL: bursts are phases.
 * False: no memory. */
bool phase_begins(const struct job *j, uint32_t *late, int64_t **own);

/* rate.c: is |a| long enough to say how fast its sender was? */
bool phase_has_rate(const struct phase_activity *a);

/* The rate of links, and which senders reduced their rate.  False: no
 * memory. */
bool find_rates(struct job *j);

/* group.c: which ranks form which group.  False: no memory. */
bool group_ranks(struct job *j, const struct phase_sink *sink);

/* repeat.c: which of j->bursts are iterations. */
void phase_repeats(struct job *j);

/* rounds.c */
/* Which of |n| pieces of data that end by |to| begin an exchange of all ranks
 * with all, in which each flow is once; false: they are none, or no memory. */
bool phase_rounds(const struct job *j, const int64_t *to, size_t n,
		  bool *begins);
/* A few ranks of a ring were seen, and |n| pieces of one message of each flow:
 * such may be an iteration, and may be a step in one. */
bool phase_single_steps(const struct job *j, size_t n);

/* Activities of |f| in the phase: from j->cursor to the result. */
size_t activities_end(const struct job *j, uint32_t f, int64_t to);

/* drain.c: sets |drains|, and when what came to such a host has arrived.
 * False: no memory. */
bool phase_drains(struct job *j);

/* rails.c: |ns[r]| is when rank r was done with a phase, PHASE_UNKNOWN without.
 * |waits[r]|: the rank that was done last of those that r has waited for, often
 * itself: where servers are known those of its own, else the first of each
 * other rail.  |first|: room for as many numbers as there are ranks. */
void phase_over_rails(const struct job *j, const int64_t *ns, uint32_t *first,
		      uint32_t *waits);

/* straggler.c */
struct lateness {
	uint32_t rank;   /* late by itself; NO_RANK none */
	int64_t late_ns; /* so much */
	int64_t at;      /* it began */
};
/* |all| has row |phase| * n_ranks + rank. */
bool find_stragglers(struct job *j, struct phase_rank_row *all,
		     struct lateness *late);
/* What rank |r| did in a phase, and how late it began. */
void rank_in_phase(const struct job *j, const struct burst *b,
		   struct phase_rank_row *rows);

#endif

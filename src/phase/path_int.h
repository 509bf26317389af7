/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of the critical path share: load.c, piece.c, path.c. */
#ifndef FABSCOPE_PHASE_PATH_INT_H
#define FABSCOPE_PHASE_PATH_INT_H

#include "phase/phase_int.h"

/* ---- load.c: bytes on the links of hosts ---- */

/* What the link of |host| carried, out of it or |in|. */
double loads_between(const struct loads *l, uint32_t host, bool in,
		     int64_t from, int64_t to);

/* ---- piece.c: what one stretch of a flow was spent on ---- */

struct path_facts {
	const struct job *j;
	struct loads *own;   /* of this job, which frees it */
	struct loads *pairs; /* of each sender to each receiver ... */
	uint32_t *pair;      /* by flow: of which, instead of a host */
	int64_t *least;      /* by flow: shortest delay; PHASE_UNKNOWN */
	int64_t *standing;   /* likewise: that much more of it may be a queue
			      * that never was empty; 0: none ... */
	bool *full;          /* ... and it varies: |least| is without it */
	int64_t *back;       /* likewise, of an acknowledgement */
	int64_t *asking;     /* likewise, of its receiver's small messages */
	int64_t *noise;      /* by flow: no longer delay is more than chance */
	int64_t *round;  /* by flow: shortest way there and back; 0 unknown */
	int64_t *credit; /* likewise, until credit came */
	int64_t *queued_in; /* by host: longest delay of data on its way */
	int64_t grain;      /* delays are no more exact than that */
	int64_t reacts;     /* an adapter that acknowledges; 0 unknown */
	struct phase_span *spans; /* of all flows: evidence, one at a time */
	size_t *first;            /* by flow, n + 1: the first of them */
	double *best;             /* by flow: its fastest, bytes/ns; 0 */
	double *message;          /* by flow: bytes of one; 0 unknown */
	/* Beside data go the few bytes by which a receiver asks for it (CTS),
	 * or, on any queue pair, a sender says that there is some to read.  By
	 * flow: messages of at most so many bytes are no data. */
	uint64_t *small;
	int64_t open;        /* PSNs that a sender of the job had under way */
	double most;         /* bytes of a flow that are on their way */
	double usual;        /* the middle of these; 0 unknown */
	double typical;      /* bytes/ns of a stretch of data; 0 unknown */
	double typical_open; /* bytes on their way then, at most */
	double *nic;         /* by host that sends slower than the others: its
			      * rate, bytes/ns; 0 it does not */
	double usual_nic;    /* that of the others */
	bool *held;   /* by host: its port sends nothing while data waits */
	bool halts;   /* where it stopped says more than pauses do */
	double *left; /* by host, by pause of it: ns that its port could
			     * have sent in those before, and had not yet */
	size_t *first_left;  /* by host: the first of them */
	double *cut_by_host; /* by flow: the part of its CNPs that its receiver
			      * caused by pauses ... */
	double *cut_unknown; /* ... or may have */
};

/* What a delay of flow |f| from its first tap to its last, or back, differs by
 * because of time stamps alone: by chance the shortest was too short by what
 * its two stamps may be wrong by, or that one too long. */
static inline int64_t path_delay_error(const struct path_facts *p, uint32_t f)
{
	const struct phase_flow *g = &p->j->in->flows[f];
	int64_t steps = g->near_step + (g->far ? g->far_step : 0);

	return steps > p->j->us ? steps : p->j->us;
}

/* facts.c */
bool path_facts_init(struct path_facts *p, const struct job *j);
void path_facts_fini(struct path_facts *p);
/* Bytes of flow |f| that are on their way at a time: a window allows for no
 * more. */
double path_under_way(const struct path_facts *p, size_t f);

/* ways.c: sets |small|, |least|, |back|, |round|, |credit| and |pair|.
 * False: no memory. */
bool path_ways(struct path_facts *p);
/* Is |a| of flow |f| too small for data?  A response to a READ is data, and so
 * is a part of a message. */
bool path_is_small(const struct path_facts *p, uint32_t f,
		   const struct phase_activity *a);
/* The shortest way back from the receiver of flow |f|, which what asks has to
 * go: a small packet; 0 unknown. */
int64_t path_way_back(const struct path_facts *p, uint32_t f);
/* noise.c: fills |p->noise| behind the shortest delays; false: no memory. */
bool path_noise(struct path_facts *p);

/* How much longer the way of |a| of flow |f| was than its shortest, at its
 * begin or its end; 0 also where that is not known. */
int64_t piece_queued(const struct path_facts *p, uint32_t f,
		     const struct phase_activity *a);

/* nic.c: sets |nic| and |usual_nic|, when all else is known.  False: no
 * memory. */
bool path_slow_nics(struct path_facts *p);
/* How much longer it took a slow adapter to send what it did; 0: it is none, or
 * had less to send. */
double path_nic_ns(const struct path_facts *p, uint32_t host, int64_t from,
		   int64_t to);

/* held.c: sets |held|, when all else is known.  False: no memory. */
bool path_held_ports(struct path_facts *p);
/* piece.c.  For how long of from..to data for |host| waited while its port was
 * stopped. */
int64_t path_halted(const struct path_facts *p, uint32_t host, int64_t from,
		    int64_t to, bool surely);
/* Is anything known that decided about flow |f| from |from| to |to|? */
bool path_has_evidence(const struct path_facts *p, uint32_t f, int64_t from,
		       int64_t to);
/* For how long the link of |host| carried data to it, of any job. */
double path_busy(const struct path_facts *p, uint32_t host, int64_t from,
		 int64_t to);
/* ... of this one. */
double path_busy_in(const struct path_facts *p, uint32_t host, int64_t from,
		    int64_t to);

/* Did the link of the receiver of flow |f| carry the job's own data all the
 * while, of which the first and last is no more than guessed, and a part of
 * it of other senders?  Nothing that waited for it could have come sooner,
 * nor what its own sender had sent before, which waited there too. */
static inline bool path_full_link(const struct path_facts *p, uint32_t f,
				  int64_t from, int64_t to)
{
	uint32_t dst = p->j->in->flows[f].dst;

	return to > from && p->j->in->flows[f].dst_seen &&
	       path_busy_in(p, dst, from, to) >= 0.93 * (double)(to - from) &&
	       loads_between(p->pairs, p->pair[f], true, from, to) <=
		       0.75 * loads_between(p->own, dst, true, from, to);
}

/* paused.c: sets |left|, |cut_by_host| and |cut_unknown|, when delays are
 * known.  False: no memory. */
bool path_paused_ports(struct path_facts *p);
/* What pauses of |host| had left in the queue for its link by |ns|, in ns that
 * the link takes for it. */
double path_left_by_pauses(const struct path_facts *p, uint32_t host,
			   int64_t ns);

/* What waits for the link of |host|, or for one before it, waits for. */
static inline enum phase_share path_held(const struct path_facts *p,
					 uint32_t host, enum phase_share other)
{
	return !p->held || !p->held[host] ? other
	       : p->j->drains[host]       ? SHARE_DRAIN
					  : SHARE_HELD;
}

/* Time by class. */
struct path_time {
	int64_t ns[SHARE_COUNT];
};

/* What evidence means on the critical path. */
enum phase_share piece_share(enum phase_class c);
/* Flow |f| while it sent activity |k|, and until that arrived; |from|..|to|
 * lies in it.  All of it is added to |t|. */
void piece_sending(const struct path_facts *p, uint32_t f, size_t k,
		   int64_t from, int64_t to, struct path_time *t);
void piece_transit(const struct path_facts *p, uint32_t f, size_t k,
		   int64_t from, int64_t to, struct path_time *t);
/* What was left to come back of it, its acknowledgement. */
void piece_back(const struct path_facts *p, uint32_t f, size_t k, int64_t from,
		int64_t to, struct path_time *t);
/* The silence before activity |k| > 0, inside of a message or a recovery. */
void piece_silence(const struct path_facts *p, uint32_t f, size_t k,
		   int64_t from, int64_t to, struct path_time *t);
/* Whose doing is it that the receiver of flow |f| asked late?  It may have got
 * other data meanwhile, where its link is not seen. */
enum phase_share piece_receiver(const struct path_facts *p, uint32_t f);
/* Did credit that came behind |from| let activity |k| begin? */
bool piece_granted(const struct path_facts *p, uint32_t f, size_t k,
		   int64_t from);
/* Since when had it wanted that?  Not before |from|. */
int64_t piece_wanted(const struct path_facts *p, uint32_t f, size_t k,
		     int64_t from);
/* Had the sender of flow |f| so few PSNs under way behind |a| that others of
 * the job would have gone on?  Then it waited for no acknowledgement.  Where
 * its receiver gives credit, that is no window. */
bool piece_had_room(const struct path_facts *p, uint32_t f,
		    const struct phase_activity *a);
/* Evidence first, what is left is of |rest|. */
void piece_rest(const struct path_facts *p, uint32_t f, int64_t from,
		int64_t to, enum phase_share rest, struct path_time *t);

/* What its receiver asks for, which came at |asked|, comes late: pauses of
 * that, data of the job that its link and that of the sender carried meanwhile,
 * a queue on its way, and then |rest|.  |asked| up to |from|: the sender alone
 * is late. */
void piece_asked(const struct path_facts *p, uint32_t f, int64_t from,
		 int64_t asked, int64_t to, enum phase_share rest,
		 struct path_time *t);
/* For how long the link of the sender of flow |f| carried data of the job to
 * its receiver. */
int64_t piece_busy_to(const struct path_facts *p, uint32_t f, int64_t from,
		      int64_t to);
/* What held back what its receiver asks for; the rest is unknown. */
void piece_held(const struct path_facts *p, uint32_t f, int64_t from,
		int64_t to, struct path_time *t);
/* All that flow |f| did between two times. */
void piece_flow(const struct path_facts *p, uint32_t f, int64_t from,
		int64_t to, struct path_time *t);

/* ---- usual.c: what is usual ---- */

enum { PATH_CELLS = 512 };

/* A stretch of flow |flow| arrived, or was begun, at |ns|. */
struct event {
	int64_t ns;
	uint32_t flow;
	size_t k;
};

struct events {
	struct event *e;
	size_t n;
};

struct cell {
	uint32_t flow, rank;
	enum phase_share share;
	bool gap;
	int64_t ns;
};

/* The job was silent until |flow| went on, which waited for |share|; |mixed|:
 * another did so then for what is of the other side. */
struct still {
	int64_t from, to;
	uint32_t flow;
	uint32_t next; /* the first flow that goes on */
	enum phase_share share;
	bool mixed;
};

/* The cells of all phases. */
struct settled {
	struct cell *cells;
	size_t n, room;
	size_t *begin, *end; /* by phase: its first, and the first behind it */
	size_t phases;
	int64_t (*back)[2]; /* by phase, in the silence before it or not: what
			     * turned out to be needed */
	int64_t *unsure;    /* by phase: what may have been needed */
	bool *repaired;     /* likewise: something was, in it */
	struct still *stalled; /* likewise: what it was stalled by longest, of
				* which no cell is; |from| 0, |flow| NO_RANK */
	struct settled_late {
		uint32_t rank;
		int64_t ns;
		bool always; /* in all phases */
	} * late, *later;    /* likewise: what a rank that was late, or slow to
			   * pass on, made longer */
};

/* A rank takes |took| until it asks for data, the others |others|: it is late
 * |by| that; 0: it is not.  All 0: there is nothing to compare with. */
struct asks_late {
	int64_t by, others, took;
};

/* Rank |rank| asks for data at one place of its phases, |took| behind what came
 * last; the others take |others| at most, and all of them |usual|, mostly.
 * NO_RANK: none is late there. */
struct placed_ask {
	int64_t place;
	uint32_t rank;
	int64_t took, others, usual;
};

/* A rank asked for an activity |late| behind what it waits for, |after|, and
 * the shortest time it takes from that to asking; PHASE_UNKNOWN: that is not
 * known.  |room|: by then it had a buffer, as what it passes on had arrived;
 * PHASE_UNKNOWN: ranks do not wait for that. */
struct ask_cause {
	int64_t late, took, room;
	struct event after;
};

/* When ranks of the walk were silent, one at a time. */
struct silences {
	struct silence *s;
	size_t n, room;
	bool failed; /* no memory */
};

/* A stage worked for |ns| before it sent something, and for |most| at most:
 * since it sent what was before.  PHASE_UNKNOWN. */
struct worked {
	int64_t ns, most;
	struct event since; /* what it had then, or began to send before */
	size_t kind;        /* of phase */
};

struct path {
	struct job *j;
	struct path_facts facts;
	struct event *events;    /* behind |in| and |out| */
	struct events *in, *out; /* by rank */
	int32_t *repairs;        /* by phase, by rank: repairs of what it sends
				  * or gets that reach into it */
	int64_t *late_of;        /* by rank, of one phase; 0 between phases */
	int64_t *late_alone; /* likewise: while nothing of it was repaired */
	uint32_t *waits;     /* room for rails.c, as |ends| */
	int64_t *ends;
	struct event *release; /* by phase, by rank: the last of the one before
				* it; ns PHASE_UNKNOWN */
	int64_t *first;        /* likewise: its first data ... */
	uint32_t *first_of;    /* ... and its flow */
	int64_t *starts;       /* by phase, by rank: from its last event to
				    * its first data; PHASE_UNKNOWN */
	bool *awaited;         /* likewise: that began when it was asked for */
	const int64_t *start;  /* starts; NULL without a phase */
	bool by_acks;     /* ranks begin when what they sent is acknowledged */
	bool begin_alone; /* ... and do not wait for the last of all */
	struct event enter; /* of the phase before: path_enter() */
	uint32_t enter_rank;
	enum phase_share late;      /* what a rank is that lets others wait */
	int64_t *usual, *tolerance; /* by phase */
	int64_t *middle;            /* likewise, of all of its kind */
	int64_t *gap;               /* usual silence before, by phase */
	double *carried;            /* bytes of it, by phase */
	bool *in_step;              /* several ranks began by themselves */
	int64_t *work;     /* by phase: the longest chain of it; 0 unknown */
	int64_t *stages;   /* by rank of a pipeline: what it computes at a
			    * time; 0 unknown */
	int64_t *lags;     /* by flow, by activity: usual in its place */
	size_t *first_lag; /* by flow: the first of them */
	struct worked *worked; /* as lags; NULL: nobody is a stage */
	int64_t *later; /* as lags: so much of it is more than ranks of the
			    * same role take; NULL unknown */
	const struct event **follows;  /* as lags: what it follows in each
				       * phase; NULL unknown */
	struct asks_late *asks;        /* by rank: each time */
	struct asks_late *asks_often;  /* by rank: each fourth time */
	struct asks_late *asks_latest; /* by rank: each eighth time */
	struct asks_late *asks_own;    /* by rank: behind what it waits for */
	struct ask_cause *asked;       /* by activity, as lags */
	int64_t *ask_place; /* by activity, as lags: where in its phase its
			     * receiver asks for it, from 1; NULL unknown */
	struct placed_ask *placed; /* in order */
	size_t n_placed;
	bool compute_and_ask; /* the others compute first somewhere */
	int64_t quick;        /* a host that reacts is no slower than that */
	int64_t answers;      /* likewise, that is asked for data */
	int64_t soonest;      /* no host reacts within that */
	int64_t computes;     /* what takes longer is computing */
	int64_t turn;         /* usual time from an arrival to sending on */
	/* the phase at hand, or the operation of a rank */
	size_t phase;
	int64_t from, to, before; /* |before|: the end of the one before */
	enum phase_pattern pattern;
	int64_t part_to, busiest; /* cells_part(): sum of the parts so far */
	struct cell cells[PATH_CELLS];
	size_t n_cells;
	struct silences silences;
	struct still *stills; /* in order, apart */
	size_t n_stills;
	struct settled all;
	const struct lateness *lateness; /* by phase */
};

/* Sorts what arrived and began; false: no memory, as below. */
bool path_events(struct path *p);
/* How many events there are up to |ns|; the last of them; the first from |ns|
 * on; both may be NULL. */
size_t path_up_to(const struct events *v, int64_t ns);
const struct event *path_latest(const struct events *v, int64_t ns);
const struct event *path_earliest(const struct events *v, int64_t ns);
const struct phase_activity *path_activity(const struct path *p,
					   const struct event *e);
/* What came last to the sender of flow |f| up to |ns|, of what it may have
 * waited for: in a ring, data that it passes on. */
const struct event *path_came_last(const struct path *p, uint32_t f,
				   int64_t ns);
/* Does a rank begin phases of this shape whatever comes? */
bool path_self_starting(enum phase_pattern p);
/* From an arrival to what is sent on, and, with phases, how ranks begin
 * these. */
bool path_usual(struct path *p);
/* What the ranks of all phases were late by: not for acknowledgements. */
void path_forgive(const struct path *p, struct phase_rank_row *all);

/* stage.c: sets rank.stage_ns and |p->stages|.  False: no memory. */
bool path_stages(struct path *p);
/* Phases of an iteration are kinds of their own: so many. */
size_t path_kinds(const struct job *j);

/* ---- react.c ---- */

/* Sets |p->facts.reacts| and |p->soonest|; false: no memory, as below. */
bool path_reacts(struct path *p);
/* Sets |p->answers|, from asking for data to sending it: what came later than
 * usual then was not asked for just then. */
bool path_answers(struct path *p);

/* ---- worked.c ---- */

/* Sets |p->worked|; |role| of each rank.  False: no memory, as below. */
bool path_worked(struct path *p, const uint32_t *role);
/* Rank |r| worked longer at activity |*e| than others that do the same: back to
 * what it had when it began. */
bool path_step_to_work(struct path *p, struct event *e, uint32_t r);

/* ---- role.c ---- */

/* Sets |p->later|; false: no memory. */
bool path_roles(struct path *p);

/* ---- passes.c ---- */

/* Round a ring, |rank| takes longer than all others to pass on what came, by
 * |by| each |bytes|; NO_RANK: none does. */
struct slow_to_pass {
	uint32_t rank;
	int64_t by;
	double bytes;
};

/* False: no memory. */
bool path_slow_to_pass(const struct path *p, struct slow_to_pass *slow);

/* ---- still.c ---- */

/* Sets |p->stills|; false: no memory. */
bool path_stills(struct path *p);
/* Unknown time of the phase at hand is what the job was stalled by, as far as
 * it did and that is not in other cells already. */
void path_stand_still(struct path *p);
/* What the job was stalled by longest in the silence before the phase at hand,
 * and how much of that, |*ns|; NULL: nothing. */
const struct still *path_stalled_before(const struct path *p, int64_t *ns);

/* ---- work.c: what the stages of a pipeline work ---- */

bool work_find(struct path *p); /* false: no memory */

/* ---- asks.c ---- */

/* Sets |p->asks|; false: no memory. */
bool path_asks(struct path *p);
/* May ranks that send as much as each other do different things, as the stages
 * of pipelines side by side do, which have no shape together? */
static inline bool path_has_stages(const struct path *p)
{
	return p->pattern == PATTERN_PIPELINE || p->pattern == PATTERN_NONE;
}
/* Does rank |r| ask later than the others, each time or often? */
bool path_may_ask_late(const struct path *p, uint32_t r);
/* By how much the receiver of activity |e| asked for it, at |at|, later than
 * the others do, having done nothing for |idle|; 0: it was not late. */
int64_t path_asks_late(const struct path *p, const struct event *e, int64_t at,
		       int64_t idle);
/* By how much it did so later than usual behind all that it waits for; 0: it is
 * not known to do that. */
int64_t path_asks_later(const struct path *p, const struct event *e);
/* What its receiver had waited for when it asked for activity |e| in time;
 * NULL: that is not known. */
const struct event *path_asked_after(const struct path *p,
				     const struct event *e);
/* What is usual from what rank |r| waited for until it asked for activity |e|,
 * and that began, |reacts| later. */
int64_t path_asks_usual(const struct path *p, const struct event *e, uint32_t r,
			int64_t reacts);
/* Did the receiver ask for activity |k| of flow |f|?  Where its queue pair
 * carries data both ways, a message that is too small for data does. */
bool path_is_asked_for(const struct path *p, uint32_t f, size_t k);
/* What the sender of activity |e|, which was asked for, had said last by then:
 * a message too small for data, on any queue pair. */
bool path_announced(const struct path *p, const struct event *e,
		    struct event *said);
/* Activity |e| waited |over| for its receiver to ask, which did nothing in the
 * phase at hand before, |first|.  Returns when it would have begun. */
int64_t path_charge_ask(struct path *p, const struct event *e, int64_t over,
			bool first);

/* ---- askcause.c ---- */

/* Sets |p->asked|; false: no memory. */
bool path_ask_causes(struct path *p);
/* When there was a buffer to ask for activity |k| of flow |f| for; as |room|.
 */
static inline int64_t path_ask_room(const struct path *p, uint32_t f, size_t k)
{
	return p->asked && k < p->j->in->flows[f].n
		       ? p->asked[p->first_lag[f] + k].room
		       : PHASE_UNKNOWN;
}

/* ---- askplace.c ---- */

/* Sets |p->ask_place|; false: no memory, as below. */
bool path_ask_places(struct path *p);
static inline int64_t path_ask_place(const struct path *p, uint32_t f, size_t k)
{
	return p->ask_place && k < p->j->in->flows[f].n
		       ? p->ask_place[p->first_lag[f] + k]
		       : 0;
}
/* Sets |p->placed|, of |n| asks, which are sorted by it. */
bool path_late_places(struct path *p, struct placed_ask *v, size_t n);
/* Where the receiver of activity |e| asks later than all others; NULL: it does
 * not. */
const struct placed_ask *path_late_place(const struct path *p,
					 const struct event *e);
/* What ranks take there until they ask; 0 unknown. */
int64_t path_usual_place(const struct path *p, const struct event *e);

/* ---- cause.c ---- */

/* What is usual between what activity |k| of flow |f| waits for and it. */
int64_t path_usual_lag(const struct path *p, uint32_t f, size_t k);
/* Is |ns| no longer than a turn, or what is |usual|?  Where ranks compute
 * before they pass anything on, there are no turns. */
bool path_in_time(const struct path *p, int64_t usual, int64_t ns);
/* What is known of flow |f| at |ns|; CLASS_UNKNOWN: nothing. */
enum phase_class path_evidence_at(const struct path *p, uint32_t f, int64_t ns);
/* What activity |e| of rank |r| waited for, of all that came to it: |got| came
 * last, and |before| is what its flow sent before.  NULL: nothing. */
const struct event *path_waited_for(const struct path *p, const struct event *e,
				    uint32_t r, const struct event *got,
				    const struct phase_activity *before);

/* ---- ends.c ---- */

/* What arrived last of what began in the phase at hand.  What is still being
 * sent when it ends belongs to the next, unless there is nothing else.  False:
 * nothing began in it. */
bool path_ends(const struct path *p, struct event *last);

/* ---- word.c ---- */

/* What its receiver had said to the sender of activity |k| of flow |f|, behind
 * |since|, by a message too small for data, just before that.  False: nothing.
 * Not where its receiver asks for each message: see path_is_asked_for(). */
bool path_got_word(const struct path *p, uint32_t f, size_t k, int64_t since,
		   struct event *said);

/* ---- steady.c ---- */

/* The place of an activity: its kind of phase, and the part of that phase that
 * its flow had carried before. */
struct place {
	size_t kind, k;
	double part;
	int64_t ns;
};

/* Fills p->follows, and with it p->lags, for |n| activities of flow |f| at one
 * place; |lags| has room for as many. */
void path_find_steady(struct path *p, uint32_t f, const struct place *v,
		      size_t n, int64_t *lags);

/* ---- before.c ---- */

/* How much later than usual rank |r| began the phase at hand, and, if its
 * receiver asked, than that; 0: it did not. */
int64_t path_late_by(const struct path *p, uint32_t r);
/* How long before a rank began a phase, |i| of |first|, its receiver asked for
 * that, if it did. */
int64_t path_since_asked(const struct path *p, size_t i);
/* The same, whatever it waited for. */
int64_t path_began_late(const struct path *p, uint32_t r);
/* How much longer flow |f| would have waited for the link of its receiver, had
 * it begun at |from|, and not at |to|: that carried other data of the job. */
int64_t path_would_wait(const struct path *p, uint32_t f, int64_t from,
			int64_t to);
/* Rank |r| waited for what came at |from| with activity |e|, among the first
 * that it sends in a phase.  Who passes on what came may still compute then,
 * but is done as soon behind its part of the phase before as those are that
 * begin by themselves: no more of |usual| is. */
int64_t path_usual_of_first(const struct path *p, const struct event *e,
			    uint32_t r, int64_t from, int64_t usual);
/* What rank |r| had sent before |ns|: the last that was over by then, and
 * there, if that was so too. */
bool path_sent_before(const struct path *p, uint32_t r, int64_t ns,
		      struct event *own);
/* Messages that follow each other closely are one activity: is |a| such? */
bool path_several(const struct path *p, uint32_t f,
		  const struct phase_activity *a);
/* Several messages in a row that are coming to rank |r| at |ns|: the first of
 * them may be all that it waits for.  NULL: none. */
const struct event *path_coming(const struct path *p, uint32_t r, int64_t ns);
/* Since when has rank |r| done nothing at |ns|?  As below. */
bool path_idle_before(const struct path *p, uint32_t r, int64_t ns,
		      struct event *in);
/* For how long has rank |r| done nothing at |ns|, be it since the phase before?
 * What it sends had to be over. */
int64_t path_idle_since_any(const struct path *p, uint32_t r, int64_t ns);
/* What the receiver of |f| asked for came at |asked|: when did it begin to
 * wait for nothing else?  Its own sending may have had to be over. */
bool path_before_asking(const struct path *p, uint32_t f, int64_t asked,
			struct event *in);
/* Its receiver asked for activity |e| at once when something came to that, in
 * the later half of what seems to be usual behind |got|: that is how long it
 * usually waits for its receiver. */
bool path_asked_since(const struct path *p, const struct event *e,
		      const struct event *got);

/* Its receiver began this phase late, and as soon as it said anything to the
 * sender of |e|, that went on, which had done nothing since |got|. */
bool path_until_first_word(const struct path *p, const struct event *e,
			   const struct event *got);

/* The walk through the phase at hand ends where rank |r| began it by itself:
 * where ranks begin whatever comes, when they are done themselves, nobody
 * waited for others to end the phase before, and the walk goes on at what that
 * rank was released by. */
void path_leave(struct path *p, uint32_t r);
/* Where the walk through the next phase goes on in this one, |*last|: up to its
 * end that rank computes already.  False: it is not known. */
bool path_enter(struct path *p, struct event *last);

/* Credit let activity |e| of rank |rank| begin, at |to|.  Returns since when it
 * waited for that: not before |from|. */
int64_t path_charge_credit(struct path *p, const struct event *e, uint32_t rank,
			   int64_t from, int64_t to);

/* ---- repairs.c ---- */

/* Fills path.repairs; before path_asks(). */
void path_note_repairs(struct path *p);
/* Is something repaired in this phase that rank |r| sent or waited for? */
bool path_repaired(const struct path *p, uint32_t r);
/* Was something repaired from |from| to |to| that rank |r| sent or waited
 * for? */
bool path_repaired_between(const struct path *p, uint32_t r, int64_t from,
			   int64_t to);
/* How long something of the job was repaired in this phase, at most. */
int64_t path_longest_repair(const struct path *p);
/* From |at| on there is room again for what rank |r| sends: the last repair of
 * what it had sent took most of the time from |since| to |at|, and ended just
 * before that, |own|.  False: there is none. */
bool path_repaired_until(const struct path *p, uint32_t r, int64_t at,
			 int64_t since, struct event *own);
/* The last repair of what rank |r| had sent that ended as long before |at| as
 * |usual|, behind |since|: |own|.  False: there is none. */
bool path_repaired_before(const struct path *p, uint32_t r, int64_t at,
			  int64_t since, int64_t usual, struct event *own);

/* ---- doubt.c ---- */

/* The phase at hand is walked through: lateness in it that may be somebody
 * else's is unknown. */
void path_doubt_late(struct path *p);

/* ---- instep.c ---- */

/* Rank |r| did nothing from |from| until it began something at |to|, in the
 * middle of a phase.  When did the others, which were silent as well?
 * PHASE_UNKNOWN: they did not. */
int64_t path_began_in_step(const struct path *p, uint32_t r, int64_t from,
			   int64_t to);

/* ---- gap.c ---- */

/* How long ranks compute before they begin the phase at hand, at most; where
 * none is seen to begin by itself, as long as all are silent. */
int64_t path_computes_for(const struct path *p);
/* The silence before the phase at hand is computing, but for what is known of
 * it. */
void path_rest_of_gap(struct path *p);

/* ---- silence.c: without phases ---- */

/* Rank |rank| was silent for |ns|, of which nothing is known, before it began
 * something of |flow| at |to|. */
void silence_note(struct silences *s, uint32_t flow, uint32_t rank, int64_t to,
		  int64_t ns);
/* Which of them are no work as usual; false: no memory. */
bool silence_judge(struct path *p);

/* ---- cells.c ---- */

void cells_give(struct path *p, uint32_t flow, uint32_t rank, bool gap,
		enum phase_share s, int64_t ns);
void cells_give_time(struct path *p, uint32_t flow, uint32_t rank,
		     const struct path_time *t);
/* What follows in the walk, up to |from|, had to be over before what it has
 * passed could begin: each of these parts has a busiest link. */
void cells_part(struct path *p, int64_t from);
/* Waiting behind the job's own data is needed no longer than a link has to
 * carry that. */
void cells_limit_shared(struct path *p);
/* As much of what the phase needed is computing as the chain of work takes. */
void cells_balance_work(struct path *p);

/* ---- settle.c: an iteration against the others ---- */

/* Room for so many phases, to be freed in any case; false: no memory, as
 * below. */
bool settle_new(struct settled *s, size_t phases);
void settle_free(struct settled *s);
bool settle_keep(struct settled *s, size_t phase, const struct cell *cells,
		 size_t n);
/* All phases are there: |kinds| of them make an iteration. */
bool settle(struct settled *s, const struct job *j, size_t kinds);
/* What |phase| has of |side|. */
int64_t settle_sum(const struct settled *s, size_t phase, const char *side);

/* Is this share of what all phases need? */
bool path_is_needed(enum phase_share s);

/* ---- hidden.c: what is hidden behind computing ---- */

/* All phases are settled; false: no memory. */
bool hidden_phases(struct settled *s, const struct job *j);

/* ---- late.c: phases with and without a straggler that is late ---- */

/* |late| of each phase; all are settled. */
void late_phases(struct settled *s, const struct job *j,
		 const struct lateness *late, size_t kinds);
/* Behind that: what a rank made longer that is slow to pass on. */
bool late_to_pass(struct settled *s, const struct job *j,
		  const struct slow_to_pass *slow);

/* ---- path.c ---- */

struct path *path_new(struct job *j); /* NULL: no memory */
void path_free(struct path *p);       /* may be NULL */
/* Where the time of the job went, of each phase from |first_id| on, in which
 * ranks were |late|; false: no memory. */
bool path_job(struct path *p, int64_t first_id, const struct lateness *late,
	      const struct phase_sink *s);
/* From |e| back to the begin of what is at hand. */
void path_follow(struct path *p, struct event e);

/* ---- window.c ---- */

/* What stalled the operation of a rank.  |pattern|: of its job. */
void path_window(struct path *p, const struct phase_window *w,
		 enum phase_pattern pattern, const struct phase_sink *s);

#endif
